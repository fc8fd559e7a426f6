"""Planning the bank's pages: from facts and opinions to page edits, nothing written.

Which entities get a page: those a fact is about, those that two facts mention, and those that have
a page already. A page that holds nothing but what reflect wrote goes when its last fact goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date
from functools import cached_property
from hashlib import blake2b
from pathlib import PurePosixPath

from lorebank.domain import Entity, Fact, FactKind, FactStatus, Opinion, OpinionStatus
from lorebank.language.folding import slugify
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.entity_page import BLOCKS, entity_page_paths, new_entity_page
from lorebank.markdown.front_matter import FrontMatterValue, set_front_matter_keys
from lorebank.markdown.opinion_page import (
    OPINIONS_PATH,
    OpinionEntry,
    is_opinion_block,
    opinion_bodies,
)
from lorebank.records import dataclass
from lorebank.reflect.digests import (
    EXPERIENCE_PATH,
    WORLD_PATH,
    experience_body,
    experience_parts,
    world_body,
    world_parts,
)
from lorebank.reflect.edits import PageEdit, plan_page_edit
from lorebank.reflect.holding import holding_text
from lorebank.reflect.standing_answer import AnswerLine
from lorebank.reflect.standing_written import WRITTEN_BLOCK, written_body
from lorebank.reflect.summaries import Neighbour, entity_bodies, summary_lines
from lorebank.reflect.summary_written import SummaryWords
from lorebank.reflect.telling import KnownFact, Link, page_links, tie_of
from lorebank.reflect.weighing import outweighed
from lorebank.version import __version__

RELATED = 12
_TITLES = {
    WORLD_PATH: "# World\n",
    EXPERIENCE_PATH: "# Experience\n",
    OPINIONS_PATH: "# Opinions\n",
}
DIGESTS = (EXPERIENCE_PATH, OPINIONS_PATH, WORLD_PATH)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose facts a content holds, and of which months what was done: all of each."""

    entities: frozenset[str]
    """Slugs; "" stands for mentioning nobody."""
    months: frozenset[str]
    """`2025-11`; "" for undated."""


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
    subjects: frozenset[str] = frozenset()
    """Those of the entities without a page that a fact is about; others do no harm."""
    newest: date | None = None
    """The last day that anything was recorded on."""
    fact_count: int = 0
    """How many facts the bank has."""
    successors: Sequence[Fact] = ()
    """Facts that replace some of `facts` and are none of them."""
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Fact id → id of the newer fact that replaces it."""
    relations: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Fact id → the properties that it fixes."""
    lapsed: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Id of a fact that is replaced or of which a part is → the values that hold no longer, and
    the newer fact's id."""
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Fact id → slugs of the entities that its text names without a mark."""
    scope: Scope | None = None
    """Whose facts are there; `None` where all are."""


Parts = Mapping[str, Mapping[str, str]]
"""Digest → its parts by key; an empty one is no part."""


class PagePlan:
    """What the pages of a bank should hold, page by page; of entities in the content's scope."""

    def __init__(
        self, content: BankContent, words: SummaryWords | None = None, kept: Parts | None = None
    ) -> None:
        """`words` puts summaries in words; without it words that stand on a page are taken off.
        `kept` are the digests' parts of what is out of scope."""
        self.content = content
        self._words = words
        self.paths: Mapping[str, str | None] = dict.fromkeys(DIGESTS) | {
            path: slug for slug, path in page_paths(content).items()
        }
        """Page → the entity that it is about; `None` for the bank's three digests."""
        self._known = _known_facts(content)
        self._about = _group_by_entity(content, self._known)
        self._link = _links(content, self.paths)
        self._digests: dict[int, bytes] = {}
        self._kept = kept or {}

    @cached_property
    def links(self) -> dict[str, tuple[str, str]]:
        """Entity → its display name, and the link that leads to it."""
        entities = self.content.entities.items()
        return {slug: (entity.name, self._link(entity.name)) for slug, entity in entities}

    @cached_property
    def fresh_parts(self) -> Parts:
        """The parts of the digests that are in scope, those that are no more as empty text."""
        scope = self.content.scope
        world, done = world_parts(self._known, link=self._link), experience_parts(self._known)
        if scope is None:
            return {WORLD_PATH: world, EXPERIENCE_PATH: done}
        return {
            WORLD_PATH: {slug: world.get(slug, "") for slug in scope.entities},
            EXPERIENCE_PATH: {month: done.get(month, "") for month in scope.months},
        }

    @cached_property
    def _bodies(self) -> Mapping[str, str]:
        """The bodies of the digests of facts."""
        kept = self._kept if self.content.scope is not None else {}
        parts = {
            path: {key: part for key, part in {**kept.get(path, {}), **fresh}.items() if part}
            for path, fresh in self.fresh_parts.items()
        }
        return {
            WORLD_PATH: world_body(parts[WORLD_PATH]),
            EXPERIENCE_PATH: experience_body(parts[EXPERIENCE_PATH]),
        }

    def of_entities(self, slugs: Iterable[str]) -> set[str]:
        """The pages of these entities, and the digests."""
        wanted = set(slugs)
        return {path for path, slug in self.paths.items() if slug is None or slug in wanted}

    def edit(self, path: str, old: str | None) -> PageEdit:
        """The edit that brings a page up to date from its present text."""
        slug = self.paths[path]
        if slug is None:
            return self._digest_edit(path, old)
        about, entities = self._about[slug], self.content.entities
        neighbours = _strongest(slug, about, entities, self._named_in)
        lines = self._lines(slug)
        written = self._words and self._words.write(path, entities[slug].name, lines)
        body = written_body(written, lines, page=path) if written else None
        return _entity_edit(entities[slug], path, about, neighbours, old, self._link, body)

    def wants_words(self, path: str) -> bool:
        """Whether a model is still to be asked for words on this page, news or not."""
        slug = self.paths[path]
        if slug is None or self._words is None:
            return False
        return self._words.wants(self.content.entities[slug].name, self._lines(slug))

    def _lines(self, slug: str) -> list[AnswerLine]:
        if self._words is None:
            return []
        about = self._about[slug]
        return summary_lines(slug, [*about.plain, *about.beside_facts])

    def made_from(self, path: str) -> str:
        """A digest of all that the page is made from: equal while the page has no news.

        That of an entity's page ends in what `beliefs_of` says.
        """
        slug = self.paths[path]
        state = _digest_of(f"{__version__} {path}\n")
        if slug is None:
            state.update(self._digest_source(path).encode("utf-8", "replace"))
            for opinion in self.content.opinions if path == OPINIONS_PATH else ():
                state.update(self._digest(opinion))
            return state.hexdigest()
        about = self._about[slug]
        others = {other for known in about.all for other in self._named_in(known)}
        links = [self.links[other] for other in sorted(others) if other in self.links]
        state.update(repr(links).encode("utf-8", "replace"))
        if self._words is not None:
            name = self.content.entities[slug].name
            state.update(repr(self._words.known(name, self._lines(slug))).encode())
        for fact in about.all:
            state.update(self._digest(fact))
        return f"{state.hexdigest()} {self.beliefs_of(path)}"

    def beliefs_of(self, path: str) -> str:
        """A digest of what the page of an entity is made from besides facts."""
        slug = self.paths[path] or ""
        worded = self._words is not None
        state = _digest_of(f"{__version__} {worded} {self.content.entities[slug].name}\n")
        for opinion in self._about[slug].opinions:
            state.update(self._digest(opinion))
        return state.hexdigest()

    def _digest_source(self, path: str) -> str:
        if path != OPINIONS_PATH:
            return self._bodies[path]
        linked = sorted((page, slug or "") for page, slug in self.paths.items())
        return repr((linked, list(self.content.entries)))

    def _named_in(self, known: KnownFact) -> tuple[str, ...]:
        return (*known.fact.slugs, *self.content.named.get(known.fact.id, ()))

    def _digest(self, value: KnownFact | Opinion) -> bytes:
        found = self._digests.get(id(value))
        if found is None:
            if isinstance(value, KnownFact):
                fact = value.fact
                names = [(m.slug, m.name, m.subject) for m in fact.mentions]
                parts = (fact.id, fact.content, fact.citation, fact.recorded, fact.occurred)
                became = (value.status, value.newer, value.holding, value.outweighed)
                text = f"{parts}{names}{became}{sorted(value.relations)}"
            else:
                text = repr(value)
            found = self._digests[id(value)] = _digest_of(text).digest()
        return found

    def _digest_edit(self, path: str, old: str | None) -> PageEdit:
        content = self.content
        if not (content.fact_count or content.opinions or find_blocks(old or "", path)[0]):
            return PageEdit(path, old, old)  # a bank that holds nothing is no news
        if path == OPINIONS_PATH:
            return self._opinions_edit(old)
        name = PurePosixPath(path).stem
        return plan_page_edit(path, old, {name: self._bodies[path]}, frame=_TITLES[path])

    def _opinions_edit(self, old: str | None) -> PageEdit:
        content = self.content
        bodies = opinion_bodies(content.opinions, content.entries, link=self._link)
        return plan_page_edit(
            OPINIONS_PATH,
            old,
            bodies,
            frame=_TITLES[OPINIONS_PATH],
            drop=_gone(old, bodies, OPINIONS_PATH),
            own_notes={entry.id: entry.notes for entry in content.entries if entry.edited},
        )


def page_paths(content: BankContent) -> dict[str, str]:
    """Slug → path, of every entity that has or gets a page."""
    fresh = {
        slug: entity.name
        for slug, entity in content.entities.items()
        if entity.page is None and (slug in content.subjects or entity.facts > 1)
    }
    kept = {slug: e.page for slug, e in content.entities.items() if e.page is not None}
    # Names of kept pages take part, so that a new page never falls on an old one.
    everyone = {slug: content.entities[slug].name for slug in kept} | fresh
    paths = entity_page_paths(everyone)
    return kept | {slug: paths[slug] for slug in fresh}


@dataclass(slots=True)
class _AboutEntity:
    facts: list[KnownFact] = field(default_factory=list)
    """Those that mention it."""
    beside: list[KnownFact] = field(default_factory=list)
    """Those that name it in running text only."""
    opinions: list[Opinion] = field(default_factory=list)

    @property
    def plain(self) -> list[KnownFact]:
        """Facts that mention it, opinions left out."""
        return [known for known in self.facts if known.fact.kind is not FactKind.OPINION]

    @property
    def beside_facts(self) -> list[KnownFact]:
        """Facts about others that its summary may tell."""
        return [known for known in self.beside if known.fact.kind is FactKind.WORLD]

    @property
    def all(self) -> list[KnownFact]:
        return [*self.facts, *self.beside]


def _group_by_entity(content: BankContent, facts: Iterable[KnownFact]) -> dict[str, _AboutEntity]:
    about = {slug: _AboutEntity() for slug in content.entities}
    slug_of = {entity.name: slug for slug, entity in content.entities.items()}
    for known in facts:
        for slug in known.fact.slugs:
            if slug in about:
                about[slug].facts.append(known)
        for slug in content.named.get(known.fact.id, ()):
            if slug in about and slug not in known.fact.slugs:
                about[slug].beside.append(known)
    for opinion in content.opinions:
        slugs = [slug_of[name] for name in opinion.entities if name in slug_of]
        for line in opinion.evidence:
            if line.reason == "stated":
                slugs += content.named.get(line.fact_id, ())
        for slug in dict.fromkeys(slugs):
            if slug in about:
                about[slug].opinions.append(opinion)
    return about


def _known_facts(content: BankContent) -> list[KnownFact]:
    """Facts with what became of them, or of the opinion that they state."""
    by_id = {fact.id: fact for fact in (*content.successors, *content.facts)}
    replaced = {**{old: new for old, (_, new) in content.lapsed.items()}, **content.superseded}
    newer = {old: by_id[new].citation for old, new in replaced.items() if new in by_id}
    holding = {old: held_text(by_id[old], content) for old in content.lapsed if old in by_id}
    gone = (old for old in content.superseded if not holding.get(old))
    status = dict.fromkeys(gone, FactStatus.SUPERSEDED)
    turned = outweighed(content.opinions)
    for opinion in content.opinions:
        if opinion.status is OpinionStatus.LIVE:
            continue
        for evidence in opinion.evidence:
            if evidence.reason in ("stated", "restated"):
                status[evidence.fact_id] = FactStatus(opinion.status.value)
    return [
        KnownFact(
            fact,
            status.get(fact.id, FactStatus.LIVE),
            newer.get(fact.id),
            content.relations.get(fact.id, frozenset()),
            holding=holding.get(fact.id),
            outweighed=fact.id in turned,
        )
        for fact in content.facts
    ]


def held_text(fact: Fact, content: BankContent) -> str:
    """What of a fact's text still holds; empty where nothing does."""
    if fact.id in content.lapsed:
        return holding_text(fact.content, content.lapsed[fact.id][0])
    return "" if fact.id in content.superseded else fact.content


def _entity_edit(
    entity: Entity,
    path: str,
    about: _AboutEntity,
    neighbours: Sequence[Neighbour],
    text: str | None,
    link: Link,
    words: str | None,
) -> PageEdit:
    bodies = entity_bodies(
        entity.slug,
        about.plain,
        about.opinions,
        neighbours,
        beside=about.beside_facts,
        page=path,
        link=link,
        name=entity.name,
    )
    if text is not None and not about.facts:
        if _is_only_generated(text, entity, path):
            return PageEdit(path, text, None)
        if not find_blocks(text, path)[0]:
            return PageEdit(path, text, text)
    if words is not None:
        bodies = {"summary": bodies["summary"], WRITTEN_BLOCK: words, **bodies}
    frame = new_entity_page(entity.name)
    drop = (WRITTEN_BLOCK,) if words is None else ()
    edit = plan_page_edit(path, text, bodies, frame=frame, drop=drop)
    if edit.new is None:
        return edit
    return PageEdit(path, text, _with_dates(edit.new, entity, path, about.facts), edit.diagnostics)


def _tie(known: KnownFact, slug: str) -> str:
    """What a fact about one entity says that the other is to it, where it still holds."""
    fact = known.fact
    if known.status is not FactStatus.LIVE or fact.subjects[:1] != (slug,) or len(fact.slugs) > 2:
        return ""
    return tie_of(known)


def _strongest(
    slug: str,
    about: _AboutEntity,
    entities: Mapping[str, Entity],
    named_in: Callable[[KnownFact], Sequence[str]],
) -> list[Neighbour]:
    """The entities that stand most often in the same facts."""
    beside: dict[str, Neighbour] = {}
    shared = sorted(about.all, key=lambda k: k.fact.recorded or date.min)
    for known in shared:  # oldest first, so that the last citation is the newest one's
        for other in dict.fromkeys(named_in(known)):
            if other != slug and other in entities:
                before = beside.get(other)
                beside[other] = Neighbour(
                    entities[other].name,
                    (before.facts if before else 0) + 1,
                    known.fact.citation,
                    known.fact.recorded,
                    (other in known.fact.slugs and _tie(known, slug))
                    or (before.tie if before else ""),
                )
    return sorted(beside.values(), key=lambda n: (-n.facts, n.name))[:RELATED]


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
    bare = plan_page_edit(path, text, {}, drop=(*BLOCKS, WRITTEN_BLOCK)).new or ""
    bare = set_front_matter_keys(
        bare, {"entity": None, "first_seen": None, "last_seen": None, "facts": None}
    )
    frame = new_entity_page(entity.name)
    return re.sub(r"\A---\s*---", "", bare.strip()).split() == frame.split()


def _links(content: BankContent, paths: Mapping[str, str | None]) -> Link:
    names = {path: content.entities[slug].name for path, slug in paths.items() if slug is not None}
    return page_links({name: PurePosixPath(path).stem for path, name in names.items()})


def _digest_of(text: str) -> blake2b:
    return blake2b(text.encode("utf-8", "replace"), digest_size=12)


def _gone(text: str | None, bodies: Mapping[str, str], path: str) -> list[str]:
    """Blocks of opinions that no fact leads to any more."""
    blocks = find_blocks(text or "", path)[0]
    return [
        block.name
        for block in blocks
        if block.name not in bodies and (is_opinion_block(block.name) or block.name == "removed")
    ]
