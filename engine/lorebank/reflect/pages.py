"""Planning the bank's pages: from facts and opinions to page edits, nothing written.

Which entities get a page: those a fact is about, those that two facts mention, and those that have
a page already. A page that holds nothing but what reflect wrote goes when its last fact goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath

from lorebank.domain import Entity, Fact, FactKind, FactStatus, Opinion, OpinionStatus
from lorebank.language.folding import slugify
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.entity_page import BLOCKS, entity_page_paths, new_entity_page
from lorebank.markdown.front_matter import FrontMatterValue, set_front_matter_keys
from lorebank.markdown.opinion_page import OPINIONS_PATH, OpinionEntry, opinion_bodies
from lorebank.reflect.edits import PageEdit, plan_page_edit
from lorebank.reflect.summaries import (
    KnownFact,
    Link,
    Neighbour,
    entity_bodies,
    experience_body,
    page_links,
    world_body,
)

__all__ = ["EXPERIENCE_PATH", "WORLD_PATH", "BankContent", "plan_pages"]

WORLD_PATH = "bank/world.md"
EXPERIENCE_PATH = "bank/experience.md"
RELATED = 12
_TITLES = {
    WORLD_PATH: "# World\n",
    EXPERIENCE_PATH: "# Experience\n",
    OPINIONS_PATH: "# Opinions\n",
}
_OPINION_BLOCK = re.compile(r"o-[0-9a-f]+\Z")


@dataclass(frozen=True, slots=True)
class BankContent:
    """All that the pages are made from."""

    facts: Sequence[Fact]
    """Oldest first, mentions resolved to entities."""
    opinions: Sequence[Opinion]
    """With display names and trends."""
    entries: Sequence[OpinionEntry]
    """What stands on the opinions page now."""
    entities: Mapping[str, Entity]
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Fact id → id of the newer fact that replaces it."""


def plan_pages(
    content: BankContent, old: Mapping[str, str | None], *, only: Iterable[str] | None = None
) -> tuple[PageEdit, ...]:
    """The edits that bring the bank up to date, by path; pages without a change are left out.

    `old` gives a page's present text for every path of `page_paths(content)`. With `only`, entity
    pages of other entities are not looked at.
    """
    planned = [*_entity_edits(content, old, only), *_digest_edits(content, old)]
    return tuple(sorted((e for e in planned if e.changes), key=lambda edit: edit.path))


def page_paths(content: BankContent) -> dict[str, str]:
    """Slug → path, of every entity that has or gets a page."""
    mentioned: dict[str, int] = {}
    subjects: set[str] = set()
    for fact in content.facts:
        subjects.update(fact.subjects)
        for slug in fact.slugs:
            mentioned[slug] = mentioned.get(slug, 0) + 1
    fresh = {
        slug: entity.name
        for slug, entity in content.entities.items()
        if entity.page is None and (slug in subjects or mentioned.get(slug, 0) > 1)
    }
    kept = {slug: e.page for slug, e in content.entities.items() if e.page is not None}
    # Names of kept pages take part, so that a new page never falls on an old one.
    everyone = {slug: content.entities[slug].name for slug in kept} | fresh
    paths = entity_page_paths(everyone)
    return kept | {slug: paths[slug] for slug in fresh}


def _entity_edits(
    content: BankContent, old: Mapping[str, str | None], only: Iterable[str] | None
) -> Iterable[PageEdit]:
    paths = page_paths(content)
    link = _links(content, paths)
    wanted = paths.keys() if only is None else paths.keys() & set(only)
    by_entity = _group_by_entity(content)
    for slug in sorted(wanted):
        yield _entity_edit(content.entities[slug], paths[slug], by_entity[slug], old, link)


@dataclass(slots=True)
class _AboutEntity:
    facts: list[KnownFact]
    opinions: list[Opinion]
    neighbours: dict[str, Neighbour]


def _group_by_entity(content: BankContent) -> dict[str, _AboutEntity]:
    about = {slug: _AboutEntity([], [], {}) for slug in content.entities}
    names = {slug: entity.name for slug, entity in content.entities.items()}
    slug_of = {entity.name: slug for slug, entity in content.entities.items()}
    for known in _known_facts(content):
        slugs = [slug for slug in known.fact.slugs if slug in about]
        for slug in slugs:
            about[slug].facts.append(known)
            for other in slugs:
                if other != slug:
                    beside = about[slug].neighbours
                    count = beside[other].facts if other in beside else 0
                    # Facts come oldest first, so the last citation is that of the newest.
                    beside[other] = Neighbour(names[other], count + 1, known.fact.citation)
    for opinion in content.opinions:
        for name in opinion.entities:
            if name in slug_of:
                about[slug_of[name]].opinions.append(opinion)
    return about


def _known_facts(content: BankContent) -> list[KnownFact]:
    """Facts with what became of them, or of the opinion that they state."""
    status = dict.fromkeys(content.superseded, FactStatus.SUPERSEDED)
    for opinion in content.opinions:
        if opinion.status is OpinionStatus.LIVE:
            continue
        for evidence in opinion.evidence:
            if evidence.reason in ("stated", "restated"):
                status[evidence.fact_id] = FactStatus(opinion.status.value)
    return [KnownFact(fact, status.get(fact.id, FactStatus.LIVE)) for fact in content.facts]


def _entity_edit(
    entity: Entity, path: str, about: _AboutEntity, old: Mapping[str, str | None], link: Link
) -> PageEdit:
    text = old.get(path)
    neighbours = sorted(about.neighbours.values(), key=lambda n: (-n.facts, n.name))[:RELATED]
    plain = [known for known in about.facts if known.fact.kind is not FactKind.OPINION]
    bodies = entity_bodies(entity.slug, plain, about.opinions, neighbours, page=path, link=link)
    if text is not None and not about.facts:
        if _is_only_generated(text, entity, path):
            return PageEdit(path, text, None)
        if not find_blocks(text, path)[0]:
            return PageEdit(path, text, text)
    edit = plan_page_edit(path, text, bodies, frame=new_entity_page(entity.name))
    if edit.new is None:
        return edit
    return PageEdit(path, text, _with_dates(edit.new, entity, path, about.facts), edit.diagnostics)


def _own_name(entity: Entity, path: str) -> dict[str, FrontMatterValue | None]:
    """The name in the front matter, where the file's name cannot say it: `C#`, `NUL`, `A:B`."""
    if slugify(PurePosixPath(path).stem) == entity.slug or entity.page is not None:
        return {}
    return {"entity": entity.name}


def _with_dates(text: str, entity: Entity, path: str, facts: Sequence[KnownFact]) -> str:
    days = [known.fact.recorded for known in facts if known.fact.recorded]
    return set_front_matter_keys(
        text,
        {
            **_own_name(entity, path),
            "first_seen": min(days).isoformat() if days else None,
            "last_seen": max(days).isoformat() if days else None,
            "facts": str(len(facts)),
        },
    )


def _is_only_generated(text: str, entity: Entity, path: str) -> bool:
    """Whether taking away what reflect writes leaves the frame of a new page and no more."""
    blocks, problems = find_blocks(text, path)
    if problems or any(block.edited for block in blocks):
        return False
    bare = plan_page_edit(path, text, {}, drop=BLOCKS).new or ""
    bare = set_front_matter_keys(
        bare, {"entity": None, "first_seen": None, "last_seen": None, "facts": None}
    )
    frame = new_entity_page(entity.name)
    return re.sub(r"\A---\s*---", "", bare.strip()).split() == frame.split()


def _links(content: BankContent, paths: Mapping[str, str]) -> Link:
    names = {slug: content.entities[slug].name for slug in paths}
    return page_links({names[slug]: PurePosixPath(path).stem for slug, path in paths.items()})


def _digest_edits(content: BankContent, old: Mapping[str, str | None]) -> Iterable[PageEdit]:
    paths = page_paths(content)
    link = _links(content, paths)
    facts = _known_facts(content)
    bodies = {
        WORLD_PATH: {"world": world_body(facts, link=link)},
        EXPERIENCE_PATH: {"experience": experience_body(facts)},
        OPINIONS_PATH: opinion_bodies(content.opinions, content.entries, link=link),
    }
    notes = {entry.id: entry.notes for entry in content.entries if entry.edited}
    for path, blocks in bodies.items():
        yield plan_page_edit(
            path,
            old.get(path),
            blocks,
            frame=_TITLES[path],
            drop=_gone(old.get(path), blocks, path) if path == OPINIONS_PATH else (),
            own_notes=notes if path == OPINIONS_PATH else None,
        )


def _gone(text: str | None, bodies: Mapping[str, str], path: str) -> list[str]:
    """Blocks of opinions that no fact leads to any more."""
    blocks = find_blocks(text or "", path)[0]
    return [
        block.name
        for block in blocks
        if block.name not in bodies
        and (_OPINION_BLOCK.match(block.name) or block.name == "removed")
    ]


def newest_day(facts: Iterable[Fact]) -> date | None:
    """The last day that anything was recorded on."""
    return max((fact.recorded for fact in facts if fact.recorded), default=None)
