"""Planning the bank's pages: from facts and opinions to page edits, nothing written.

An entity gets a page where two lines or more tell of it; below that it stands on `bank/index.md`
alone. A page that somebody made by hand stays one. A page that holds nothing but what reflect
wrote goes when its lines do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import PurePosixPath

from lorebank.domain.facts import Entity, Fact, FactKind, FactStatus, Opinion
from lorebank.generation.writing import ModelInRun
from lorebank.language.folding import slugify
from lorebank.markdown.blocks import broken_names, find_blocks
from lorebank.markdown.document import read_document
from lorebank.markdown.entity_page import (
    BLOCKS,
    entity_page_paths,
    new_entity_page,
)
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.front_matter import FrontMatterValue, set_front_matter_keys
from lorebank.markdown.opinion_page import (
    BOOKKEEPING,
    OPINIONS_BLOCK,
    OPINIONS_PATH,
    is_opinion_block,
    kept_by_hand,
    notes_on,
    opinion_bodies,
)
from lorebank.pages.answer_lines import WRITTEN_BLOCK, AnswerLine, in_words
from lorebank.pages.digests import (
    EXPERIENCE_PATH,
    INDEX_PATH,
    TODAY_PATH,
    WORLD_PATH,
    Digests,
    archive_paths,
    digest_body,
    world_news,
)
from lorebank.pages.edits import PageEdit, plan_page_edit
from lorebank.pages.entity_page import View, entity_page, screen_body, screen_lines
from lorebank.pages.facts import BankContent, KnownFact, known_facts
from lorebank.pages.telling import Threads, find_threads, page_links
from lorebank.records import Mutable

FEWEST_LINES = 2
"""An entity that fewer lines tell of gets no page of its own."""
_FEWEST_TOLD = 3
"""Fewer lines are as short as any words for them."""
_TITLES = {
    EXPERIENCE_PATH: "# Experience\n",
    INDEX_PATH: "# Index\n",
    OPINIONS_PATH: "# Opinions\n",
    TODAY_PATH: "# Today\n",
    WORLD_PATH: "# World\n",
}
DIGESTS = tuple(_TITLES)
_NEWS_OF_FACT = re.compile(r"f-[0-9a-f]{10}\Z")
RELATED = 12
"""Related entities that a page names: a line or two of links."""
_TIES = frozenset({"employer", "manager", "spouse"})
"""Relations of `supersede/relations.toml` that tie an entity to another."""


class PagePlan:
    """What the pages of a bank should hold, page by page."""

    def __init__(self, content: BankContent, model: ModelInRun | None = None) -> None:
        """`model` puts summaries in words; without it words that stand on a page are taken off."""
        self.content = content
        self._model = model
        self._known = known_facts(content)
        self._about = _group_by_entity(content, self._known)
        self._threads: dict[str, Threads] = {}
        self._slug_of = page_paths(content, self._about)
        named = {content.entities[s].name: PurePosixPath(p).stem for s, p in self._slug_of.items()}
        self._link = page_links(named)
        leaving = {s: page for s in content.bare if (page := content.entities[s].page) is not None}
        wanted = {**leaving, **self._slug_of}
        digests = (*DIGESTS, *archive_paths(self._known))
        self.paths: Mapping[str, str | None] = dict.fromkeys(digests) | {
            path: slug for slug, path in wanted.items()
        }
        """Page → the entity that it is about; `None` for the pages of the whole bank. Those that
        are to go are among them."""

    def threads(self, slug: str) -> Threads:
        if slug not in self._threads:
            about = self._about[slug]
            facts = [known.fact for known in about.facts]
            self._threads[slug] = find_threads(facts, about.opinions, self.content.beside)
        return self._threads[slug]

    @cached_property
    def _questioned(self) -> dict[str, Fact]:
        by_id = {fact.id: fact for fact in self.content.facts}
        return {old: by_id[new] for old, new in self.content.questioned.items()}

    def repeated(self, slug: str) -> Mapping[str, str]:
        """Id of a fact about an entity, or about nobody ("") → the newest that says the same."""
        return self.threads(slug).repeated

    def digest(self, path: str) -> str:
        return digest_body(self._digests, path, lambda: self.threads(""))

    @cached_property
    def _digests(self) -> Digests:
        paged = frozenset(self._slug_of)
        return Digests(self.content, self._known, paged, self._link)

    def of_entities(self, slugs: Iterable[str]) -> set[str]:
        """The pages of these entities, and those of the whole bank."""
        wanted = set(slugs)
        return {path for path, slug in self.paths.items() if slug is None or slug in wanted}

    def edit(self, path: str, old: str | None) -> PageEdit:
        """The edit that brings a page up to date from its present text."""
        slug = self.paths.get(path)
        if slug is None:
            return self._digest_edit(path, old)
        entity = self.content.entities[slug]
        if slug not in self._slug_of:  # a page that is to go
            is_bare = old is not None and is_only_generated(old, entity, path)
            return PageEdit(path, old, None if is_bare else old)
        return self._entity_edit(entity, path, old)

    def screen(self, slug: str) -> list[str]:
        """What stands on the page of an entity above the fold, whether or not it has a page."""
        view = self._view(slug, "")
        return [line for line in screen_body(view, screen_lines(view), 0).split("\n") if line]

    def _view(self, slug: str, path: str) -> View:
        content, about = self.content, self._about[slug]
        return View(
            slug=slug,
            page=path,
            today=content.today,
            facts=about.facts,
            description=content.descriptions.get(slug),
            notes=content.notes.get(slug, ()),
            opinions=about.opinions,
            coming=[item for item in content.coming if slug in item.entities],
            related=_related(slug, about, content),
            threads=self.threads(slug),
            questioned=self._questioned,
        )

    def _entity_edit(self, entity: Entity, path: str, old: str | None) -> PageEdit:
        facts = self._about[entity.slug].facts
        if old is not None and not facts and not find_blocks(old, path)[0]:
            return PageEdit(path, old, old)
        view = self._view(entity.slug, path)
        bodies = entity_page(view, self._link)
        if words := self._in_words(entity.name, view):
            bodies = {"summary": bodies.get("summary", ""), WRITTEN_BLOCK: words, **bodies}
        drop = {*BLOCKS, WRITTEN_BLOCK} - bodies.keys()
        edit = plan_page_edit(path, old, bodies, frame=new_entity_page(entity.name), drop=drop)
        assert edit.new is not None
        days = [known.fact.recorded for known in facts if known.fact.recorded]
        keys: dict[str, FrontMatterValue | None] = {
            "first_seen": min(days).isoformat() if days else None,
            "last_seen": max(days).isoformat() if days else None,
            "facts": str(len(facts)),
        }
        if slugify(PurePosixPath(path).stem) != entity.slug and entity.page is None:
            keys = {"entity": entity.name, **keys}  # what no file name can say: `C#`, `NUL`, `A:B`
        return replace(edit, new=set_front_matter_keys(edit.new, keys))

    def _in_words(self, name: str, view: View) -> str | None:
        """The screen in a model's words, each sentence with the lines it was checked against."""
        if self._model is None:
            return None
        shown = {line.source for line in screen_lines(view)}
        if view.description is not None:
            shown.add(view.description.source)
        lines = [
            AnswerLine(
                text=known.fact.content,
                source=known.fact.citation,
                recorded=known.fact.recorded,
                occurred=known.fact.occurred,
                subject=next((m.name for m in known.fact.mentions if m.subject), ""),
                id=known.fact.id,
            )
            for known in view.facts
            if known.fact.citation in shown and known.fact.kind is not FactKind.OPINION
        ]
        if len(lines) < _FEWEST_TOLD:
            return None
        return in_words(self._model, "summary", name, lines, page=view.page)

    def _digest_edit(self, path: str, old: str | None) -> PageEdit:
        content = self.content
        if not (content.facts or content.opinions or find_blocks(old or "", path)[0]):
            return PageEdit(path, old, old)  # a bank that holds nothing is no news
        if path == OPINIONS_PATH:
            return self._opinions_edit(old)
        name = PurePosixPath(path).stem
        body = self.digest(path)
        news = world_news(self._digests, self.threads) if path == WORLD_PATH else {}
        by_hand = {k.fact.id: k.fact.content for k in self._known if k.fact.id in news}
        bodies = {name: body} | news if body else news
        if not bodies and old is None:
            return PageEdit(path, old, old)
        blocks, _ = find_blocks(old or "", path)
        stale = {block.name for block in blocks if _NEWS_OF_FACT.match(block.name)}
        return plan_page_edit(
            path,
            old,
            bodies,
            frame=_TITLES.get(path, f"# Experience {name}\n"),
            drop={name, *stale} - bodies.keys(),
            below=lambda text: _lines_by_hand(text, path, by_hand),
        )

    def _opinions_edit(self, old: str | None) -> PageEdit:
        content = self.content
        blocks, problems = find_blocks(old or "", OPINIONS_PATH)
        if not broken_names(problems).isdisjoint((OPINIONS_BLOCK, *BOOKKEEPING)):
            # Bookkeeping that no longer fits the entries would delete or pin them later.
            return PageEdit(OPINIONS_PATH, old, old, problems)
        bodies = opinion_bodies(content.opinions, content.entries, link=self._link)
        # Blocks of opinions that no fact leads to any more.
        gone = [
            block.name
            for block in blocks
            if block.name not in bodies
            if is_opinion_block(block.name) or block.name in (OPINIONS_BLOCK, *BOOKKEEPING)
        ]
        by_hand = {o.id: kept_by_hand(o) for o in content.opinions if o.id in bodies}
        return plan_page_edit(
            OPINIONS_PATH,
            old,
            bodies,
            frame=_TITLES[OPINIONS_PATH],
            drop=gone,
            own_notes=notes_on(old or ""),
            below=lambda text: _lines_by_hand(text, OPINIONS_PATH, by_hand),
        )


def page_paths(content: BankContent, about: Mapping[str, _AboutEntity]) -> dict[str, str]:
    """Slug → path, of every entity that has or gets a page."""
    entities = content.entities
    full = {
        slug
        for slug, each in about.items()
        if slug
        if len({known.fact.citation for known in each.facts}) >= FEWEST_LINES
    }
    kept = {
        slug: entity.page
        for slug, entity in entities.items()
        if entity.page is not None and (slug not in content.bare or slug in full)
    }
    fresh = {slug for slug in full if entities[slug].page is None}
    # Names of kept pages take part, so that a new page never falls on an old one.
    paths = entity_page_paths({s: entities[s].name for s in entities if s in kept or s in fresh})
    return kept | {slug: paths[slug] for slug in entities if slug in fresh}


class _AboutEntity(Mutable):
    facts: list[KnownFact] = field(default_factory=list)
    """Those that mention it."""
    beside: list[KnownFact] = field(default_factory=list)
    """Those that name it in running text only."""
    opinions: list[Opinion] = field(default_factory=list)


def _group_by_entity(content: BankContent, facts: Iterable[KnownFact]) -> dict[str, _AboutEntity]:
    about = {slug: _AboutEntity() for slug in ("", *content.entities)}
    slug_of = {entity.name: slug for slug, entity in content.entities.items()}
    for known in facts:
        for slug in known.fact.slugs or ("",):
            if slug in about:
                about[slug].facts.append(known)
        for slug in content.named.get(known.fact.id, ()):
            if slug in about and slug not in known.fact.slugs:
                # What was announced for somebody stays on the page when its day has come.
                when, written = known.fact.occurred, known.fact.recorded
                is_announced = when and written and when.announces(written)
                (about[slug].facts if is_announced else about[slug].beside).append(known)
    for opinion in content.opinions:
        slugs = [slug_of[name] for name in opinion.entities if name in slug_of]
        for line in opinion.evidence:
            if line.reason == "stated":
                slugs += content.named.get(line.fact_id, ())
        for slug in dict.fromkeys(slugs):
            if slug in about:
                about[slug].opinions.append(opinion)
    return about


def _related(slug: str, about: _AboutEntity, content: BankContent) -> list[tuple[str, str]]:
    """The names of the entities that stand in the same facts, strongest first, each with what a
    fact that still holds says it is to this one: `employer`, `spouse`."""
    counts: Counter[str] = Counter()
    ties: dict[str, str] = {}
    for known in (*about.facts, *about.beside):
        fact = known.fact
        counts.update({*fact.slugs, *content.named.get(fact.id, ())} - {slug})
        tie = min(known.relations & _TIES, default="")
        if tie and known.status is FactStatus.LIVE and fact.subjects[:1] == (slug,):
            ties |= {other: tie for other in fact.slugs if len(fact.slugs) == 2}
    names = {other: content.entities[other].name for other in counts if other in content.entities}
    strongest = sorted(names, key=lambda other: (-counts[other], names[other]))
    return [(names[other], ties.get(other, "")) for other in strongest[:RELATED]]


def is_only_generated(text: str, entity: Entity, path: str) -> bool:
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


def _lines_by_hand(text: str, path: str, said: Mapping[str, str]) -> dict[str, int]:
    """Id → the last line of its statement, of those that the page's owner keeps by hand."""
    read = extract_facts(read_document(text, path), recorded=None, headings=(), everywhere=True)
    ends = {fact.content: fact.citation.end_line for fact in read.facts}
    return {id_: ends[words] for id_, words in said.items() if words in ends}
