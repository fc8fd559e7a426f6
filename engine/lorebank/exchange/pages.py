"""A bank as pages for people: what stands on which, before it is Markdown or HTML. No disk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import quote

from lorebank.domain import Entity, Fact, Opinion
from lorebank.exchange.notes import comparable, free_path, safe_path
from lorebank.language.folding import slugify
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """A name that leads to another page."""

    label: str
    page: str
    """Its path without a suffix."""


@dataclass(frozen=True, slots=True)
class Row:
    """A list item: a text, and below it what there is to say of it."""

    text: str | Link
    about: tuple[str | Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Page:
    path: str
    """Without a suffix, `/` between parts; relative to the bundle."""
    title: str
    sections: tuple[Section, ...]

    def way_to(self, link: Link, suffix: str) -> str:
        """The address of a page as this one links to it."""
        return quote("../" * self.path.count("/") + link.page + suffix)


INDEX, OPINIONS = "index", "opinions"


def bank_pages(
    facts: Sequence[Fact], entities: Sequence[Entity], opinions: Sequence[Opinion]
) -> tuple[Page, ...]:
    """An index, a page an entity that a fact names, one for opinions, one a year."""
    return _Bundle(facts, entities, opinions).pages()


class _Bundle:
    def __init__(
        self, facts: Sequence[Fact], entities: Sequence[Entity], opinions: Sequence[Opinion]
    ) -> None:
        self.facts = facts
        self.opinions = opinions
        self.slugs = {slugify(n): e.slug for e in entities for n in (e.name, *e.aliases)}
        self.by_entity: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts:
            for slug in dict.fromkeys(self.slugs.get(each, each) for each in fact.slugs):
                self.by_entity[slug].append(fact)
        self.entities = [entity for entity in entities if entity.slug in self.by_entity]
        self.paths = _paths(self.entities)

    def pages(self) -> tuple[Page, ...]:
        years = self._years()
        index = Page(INDEX, "Memory", tuple(self._index(years)))
        opinions = Page(OPINIONS, "Opinions", (Section("", self._opinion_rows(self.opinions)),))
        return (
            index,
            *((opinions,) if self.opinions else ()),
            *(self._entity_page(entity) for entity in self.entities),
            *(
                Page(path, f"Timeline {year}", (Section("", self._fact_rows(of_year)),))
                for year, path, of_year in years
            ),
        )

    def _index(self, years: Sequence[tuple[str, str, Sequence[Fact]]]) -> list[Section]:
        entities = tuple(
            Row(Link(e.name, self.paths[e.slug]), (_count(len(self.by_entity[e.slug]), "fact"),))
            for e in sorted(self.entities, key=lambda e: (-len(self.by_entity[e.slug]), e.name))
        )
        timeline = tuple(Row(Link(y, path), (_count(len(fs), "fact"),)) for y, path, fs in years)
        opinions = (Row(Link(_count(len(self.opinions), "opinion"), OPINIONS)),)
        sections = [Section("Timeline", timeline), Section("Entities", entities)]
        return [*([Section("Opinions", opinions)] if self.opinions else []), *sections]

    def _entity_page(self, entity: Entity) -> Page:
        also = tuple(Row(name) for name in entity.aliases if name != entity.name)
        held = [o for o in self.opinions if entity.name in o.entities]
        sections = (
            *((Section("Also called", also),) if also else ()),
            *((Section("Opinions", self._opinion_rows(held)),) if held else ()),
            Section("Facts", self._fact_rows(self.by_entity[entity.slug])),
        )
        return Page(self.paths[entity.slug], entity.name, sections)

    def _years(self) -> list[tuple[str, str, list[Fact]]]:
        found: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            day = _day(fact)
            found[f"{day.year:04}" if day else "undated"].append(fact)
        return [(year, f"timeline/{year}", found[year]) for year in sorted(found, reverse=True)]

    def _fact_rows(self, facts: Sequence[Fact]) -> tuple[Row, ...]:
        newest = sorted(facts, key=lambda f: (_day(f) or date.min, f.id), reverse=True)
        return tuple(Row(fact.content, tuple(self._about(fact))) for fact in newest)

    def _about(self, fact: Fact) -> list[str | Link]:
        day = _day(fact)
        said: list[str | Link] = [day.isoformat() if day else "undated", fact.kind.value]
        if fact.confidence is not None:
            said.append(f"{fact.confidence:.2f}")
        if fact.quarantined:
            said.append(f"unconfirmed: {fact.origin.value}")
        return [*said, *self._links(fact), str(fact.citation)]

    def _links(self, fact: Fact) -> list[str | Link]:
        slugs = {self.slugs.get(m.slug, m.slug): m.name for m in fact.mentions}
        return [
            Link(name, self.paths[slug]) if slug in self.paths else name
            for slug, name in slugs.items()
        ]

    def _opinion_rows(self, opinions: Sequence[Opinion]) -> tuple[Row, ...]:
        return tuple(Row(o.statement, tuple(self._standing(o))) for o in opinions)

    def _standing(self, opinion: Opinion) -> list[str | Link]:
        slugs = {name: self.slugs.get(slugify(name), slugify(name)) for name in opinion.entities}
        names: list[str | Link] = [
            Link(name, self.paths[slug]) if slug in self.paths else name
            for name, slug in slugs.items()
        ]
        lines = _count(len(opinion.evidence), "line of evidence", "lines of evidence")
        shown = [f"{opinion.confidence:.2f}", opinion.trend.value, lines]
        return [*names, *shown, str(opinion.source)]


def _paths(entities: Sequence[Entity]) -> Mapping[str, str]:
    paths: dict[str, str] = {}
    taken: set[str] = set()
    for entity in entities:
        wished = f"entities/{safe_path(entity.slug.replace('/', '-'))}.md"
        path = free_path(wished, entity.slug, taken)
        taken.add(comparable(path))
        paths[entity.slug] = path.removesuffix(".md")
    return paths


def _day(fact: Fact) -> date | None:
    happened = fact.occurred and (fact.occurred.start or fact.occurred.end)
    return happened or fact.recorded


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
