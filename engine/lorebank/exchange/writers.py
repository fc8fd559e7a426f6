"""Facts written in the formats of other programs.

A cell that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line
end) gets an apostrophe in front, which spreadsheets do not show: what was imported may be anybody's
words. JSONL keeps every text as it is.

{"id": "f-…", "kind": "opinion", "text": "Prefers tea.", "entities": ["Peter"],
 "subjects": ["Peter"], "confidence": 0.9, "recorded": "2025-11-27", "occurred": null,
 "source": "memory/2025-11-27.md#L4", "origin": "owner", "quarantined": false}
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from html import escape
from typing import Any
from urllib.parse import quote

from lorebank.domain import Entity, Fact, Opinion, Stance
from lorebank.exchange.notes import comparable, free_path, safe_path
from lorebank.language.folding import slugify
from lorebank.markdown.plain import escape_markup, plain_text
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


COLUMNS = (
    *("id", "kind", "text", "entities", "confidence", "recorded", "occurred_start"),
    *("occurred_end", "source", "origin", "quarantined"),
)
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def facts_csv(facts: Iterable[Fact]) -> str:
    """A line of column names, then one a fact; names of entities are joined by `; `."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for fact in facts:
        writer.writerow([_inert(cell) for cell in _cells(fact)])
    return buffer.getvalue()


def _cells(fact: Fact) -> tuple[str, ...]:
    start, end = (fact.occurred.start, fact.occurred.end) if fact.occurred else (None, None)
    return (
        fact.id,
        fact.kind.value,
        fact.content,
        "; ".join(dict.fromkeys(mention.name for mention in fact.mentions)),
        "" if fact.confidence is None else repr(fact.confidence),
        fact.recorded.isoformat() if fact.recorded else "",
        start.isoformat() if start else "",
        end.isoformat() if end else "",
        str(fact.citation),
        fact.origin.value,
        "yes" if fact.quarantined else "no",
    )


def _inert(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_RUN) else cell


def facts_jsonl(facts: Iterable[Fact]) -> str:
    """One line a fact; "" for none."""
    return "".join(f"{json.dumps(_record(fact), ensure_ascii=False)}\n" for fact in facts)


def _record(fact: Fact) -> dict[str, Any]:
    record: dict[str, Any] = {
        "id": fact.id,
        "kind": fact.kind.value,
        "text": fact.content,
        "entities": list(dict.fromkeys(mention.name for mention in fact.mentions)),
        "subjects": list(dict.fromkeys(m.name for m in fact.mentions if m.subject)),
        "confidence": fact.confidence,
        "recorded": fact.recorded.isoformat() if fact.recorded else None,
        "occurred": fact.occurred.to_dict() if fact.occurred else None,
        "source": str(fact.citation),
        "origin": fact.origin.value,
        "quarantined": fact.quarantined,
    }
    if fact.marks:
        signs = {Stance.FOR: "+", Stance.AGAINST: "-"}
        record["marks"] = [f"{signs[m.stance]}{m.opinion_id}" for m in fact.marks]
    if fact.details:
        record["details"] = list(fact.details)
    return record


_OPENS_BLOCK = re.compile(r"[#>|=~`]|[-*+](?: |\Z)|\d+[.)](?: |\Z)|-{3}|\[.\] ")


def page_markdown(page: Page) -> str:
    """The text of `<page.path>.md`."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: Page) -> Iterator[str]:
    yield f"# {_escaped(page.title)}"
    for section in page.sections:
        yield ""
        if section.heading:
            yield from (f"## {section.heading}", "")
        for row in section.rows:
            yield f"- {_as_markdown(row.text, page)}"
            if row.about:
                yield f"  <br>{_about(row, page)}"


def _about(row: Row, page: Page) -> str:
    return " · ".join(_as_markdown(each, page) for each in row.about)


def _as_markdown(said: str | Link, page: Page) -> str:
    if isinstance(said, str):
        return _escaped(said)
    return f"[{_escaped(said.label)}]({page.way_to(said, '.md')})"


def _escaped(text: str) -> str:
    """The text as it is where it reads so, else with its marks escaped."""
    folded = " ".join(text.split())
    same = plain_text(folded) == folded and "<" not in folded and not _OPENS_BLOCK.match(folded)
    return folded if same else escape_markup(folded)


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "li{margin:.6rem 0}small{color:#666;display:block}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#ddd}a{color:#8ab4f8}"
    "small{color:#999}}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page_html(page: Page) -> str:
    """The text of `<page.path>.html`."""
    title = escape(page.title)
    home = "" if page.path == INDEX else f"<p>{_as_html(Link('Memory', INDEX), page)}</p>\n"
    body = "\n".join(_section(section, page) for section in page.sections)
    return (
        '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"{home}<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def _section(section: Section, page: Page) -> str:
    heading = f"<h2>{escape(section.heading)}</h2>\n" if section.heading else ""
    rows = "\n".join(_row(row, page) for row in section.rows)
    return f"{heading}<ul>\n{rows}\n</ul>"


def _row(row: Row, page: Page) -> str:
    about = " · ".join(_as_html(each, page) for each in row.about)
    return f"<li>{_as_html(row.text, page)}{f'<small>{about}</small>' if about else ''}</li>"


def _as_html(said: str | Link, page: Page) -> str:
    if isinstance(said, str):
        return escape(said)
    return f'<a href="{escape(page.way_to(said, ".html"))}">{escape(said.label)}</a>'
