"""Facts in the formats of other programs.

A CSV cell that a spreadsheet would run as a formula (starting with `=`, `+`, `-`, `@`, a tab or a
line end) gets an apostrophe in front, since imported text may be anybody's. JSONL keeps texts.

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

from lorebank.domain.facts import Entity, Fact, Opinion, Stance
from lorebank.exchange.notes import comparable, free_path, safe_path
from lorebank.language.folding import slugify
from lorebank.markdown.plain import escape_markup, plain_text

_INDEX, _OPINIONS = "index", "opinions"
_OPENS_BLOCK = re.compile(r"[#>|=~`]|[-*+](?: |\Z)|\d+[.)](?: |\Z)|-{3}|\[.\] ")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "li{margin:.6rem 0}em{color:#666;font-size:small;font-style:normal}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#ddd}a{color:#8ab4f8}"
    "em{color:#999}}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def markdown_pages(
    facts: Sequence[Fact], entities: Sequence[Entity], opinions: Sequence[Opinion]
) -> dict[str, str]:
    """Path → text: an index, a page per mentioned entity and per year, one for opinions."""
    pages = _Bundle(facts, entities, opinions, ".md").pages()
    return {f"{path}.md": "\n".join(lines) + "\n" for path, lines in pages.items()}


def html_pages(
    facts: Sequence[Fact], entities: Sequence[Entity], opinions: Sequence[Opinion]
) -> dict[str, str]:
    """The same as a static site without scripts or external resources."""
    from markdown_it import MarkdownIt

    render = MarkdownIt("commonmark", {"html": False}).render
    pages = _Bundle(facts, entities, opinions, ".html").pages()
    found = {}
    for path, (title, *lines) in pages.items():
        plain = re.sub(r"\\(.)", r"\1", title[2:])
        home = "" if path == _INDEX else f"[Memory]({_relative_url(path, _INDEX, '.html')})\n\n"
        found[f"{path}.html"] = (
            '<!doctype html>\n<html lang="und">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
            f"<title>{escape(plain)}</title>\n<style>{_STYLE}</style>\n</head>\n"
            f"<body>\n{render(home + title)}{render(chr(10).join(lines))}</body>\n</html>\n"
        )
    return found


class _Bundle:
    def __init__(
        self,
        facts: Sequence[Fact],
        entities: Sequence[Entity],
        opinions: Sequence[Opinion],
        suffix: str,
    ) -> None:
        self.facts = facts
        self.opinions = opinions
        self.suffix = suffix
        self.slugs = {slugify(n): e.slug for e in entities for n in (e.name, *e.aliases)}
        self.by_entity: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts:
            for slug in dict.fromkeys(self.slugs.get(each, each) for each in fact.slugs):
                self.by_entity[slug].append(fact)
        self.entities = [entity for entity in entities if entity.slug in self.by_entity]
        self.paths: dict[str, str] = {}
        taken: set[str] = set()
        for entity in self.entities:
            preferred = f"entities/{safe_path(entity.slug.replace('/', '-'))}.md"
            path = free_path(preferred, entity.slug, taken)
            taken.add(comparable(path))
            self.paths[entity.slug] = path.removesuffix(".md")

    def pages(self) -> dict[str, list[str]]:
        """Path without a suffix → lines, the title first."""
        years: dict[str, list[Fact]] = defaultdict(list)
        for fact in self.facts:
            day = _day(fact)
            years[f"{day.year:04}" if day else "undated"].append(fact)
        newest_first = sorted(years, reverse=True)
        pages = {_INDEX: ["# Memory", *self._index({year: years[year] for year in newest_first})]}
        if self.opinions:
            pages[_OPINIONS] = ["# Opinions", "", *self._opinion_rows(_OPINIONS, self.opinions)]
        for entity in self.entities:
            path = self.paths[entity.slug]
            pages[path] = [f"# {self._escaped(entity.name)}", *self._entity_page(path, entity)]
        for year in newest_first:
            path = f"timeline/{year}"
            pages[path] = [f"# Timeline {year}", "", *self._fact_rows(path, years[year])]
        return pages

    def _index(self, years: Mapping[str, Sequence[Fact]]) -> Iterator[str]:
        if self.opinions:
            label = _count(len(self.opinions), "opinion")
            yield from _section("Opinions", [f"- {self._link(_INDEX, label, _OPINIONS)}"])
        timeline = [(year, f"timeline/{year}", len(facts)) for year, facts in years.items()]
        counted = [(e.name, self.paths[e.slug], len(self.by_entity[e.slug])) for e in self.entities]
        counted.sort(key=lambda row: (-row[2], row[0]))
        for heading, rows in (("Timeline", timeline), ("Entities", counted)):
            lines = [
                self._row(self._link(_INDEX, label, path), [_count(number, "fact")])
                for label, path, number in rows
            ]
            yield from _section(heading, lines)

    def _entity_page(self, path: str, entity: Entity) -> Iterator[str]:
        also = [f"- {self._escaped(name)}" for name in entity.aliases if name != entity.name]
        opinions = [o for o in self.opinions if entity.name in o.entities]
        if also:
            yield from _section("Also called", also)
        if opinions:
            yield from _section("Opinions", self._opinion_rows(path, opinions))
        yield from _section("Facts", self._fact_rows(path, self.by_entity[entity.slug]))

    def _fact_rows(self, path: str, facts: Sequence[Fact]) -> list[str]:
        rows = []
        for fact in sorted(facts, key=lambda f: (_day(f) or date.min, f.id), reverse=True):
            day, sure = _day(fact), fact.confidence
            about = [day.isoformat() if day else "undated", fact.kind.value]
            about += [] if sure is None else [f"{sure:.2f}"]
            about += [f"unconfirmed: {fact.origin.value}"] if fact.quarantined else []
            about += self._names(path, ((m.slug, m.name) for m in fact.mentions))
            about.append(self._escaped(str(fact.citation)))
            rows.append(self._row(self._escaped(fact.content), about))
        return rows

    def _opinion_rows(self, path: str, opinions: Sequence[Opinion]) -> list[str]:
        rows = []
        for opinion in opinions:
            lines = _count(len(opinion.evidence), "line of evidence", "lines of evidence")
            about = self._names(path, ((slugify(name), name) for name in opinion.entities))
            about += [f"{opinion.confidence:.2f}", opinion.trend.value, lines]
            about.append(self._escaped(str(opinion.source)))
            rows.append(self._row(self._escaped(opinion.statement), about))
        return rows

    def _names(self, path: str, names: Iterable[tuple[str, str]]) -> list[str]:
        """The names (slug and name), linked if they have a page."""
        return [
            self._link(path, name, self.paths[slug]) if slug in self.paths else self._escaped(name)
            for slug, name in {self.slugs.get(slug, slug): name for slug, name in names}.items()
        ]

    def _link(self, path: str, label: str, page: str) -> str:
        return f"[{self._escaped(label)}]({_relative_url(path, page, self.suffix)})"

    def _escaped(self, text: str) -> str:
        """The text with markup escaped; in Markdown, which people read, only if needed."""
        folded = " ".join(text.split())
        if self.suffix == ".html":
            return _PUNCTUATION.sub(r"\\\g<0>", folded)
        same = plain_text(folded) == folded and "<" not in folded and not _OPENS_BLOCK.match(folded)
        return folded if same else escape_markup(folded)

    def _row(self, text: str, about: Sequence[str]) -> str:
        """A list item with details on a second line."""
        below = " · ".join(about)
        return f"- {text}\n  <br>{below}" if self.suffix == ".md" else f"- {text}\\\n  _{below}_"


def _relative_url(path: str, page: str, suffix: str) -> str:
    return quote("../" * path.count("/") + page + suffix)


def _section(heading: str, rows: Sequence[str]) -> tuple[str, ...]:
    return ("", f"## {heading}", "", *rows)


def _day(fact: Fact) -> date | None:
    happened = fact.occurred and (fact.occurred.start or fact.occurred.end)
    return happened or fact.recorded


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


COLUMNS = (
    *("id", "kind", "text", "entities", "confidence", "recorded", "occurred_start"),
    *("occurred_end", "source", "origin", "quarantined"),
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def facts_csv(facts: Iterable[Fact]) -> str:
    """Entity names are joined by `; `."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for fact in facts:
        cells = (f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell for cell in _cells(fact))
        writer.writerow(cells)
    return buffer.getvalue()


def _cells(fact: Fact) -> list[str]:
    record = _record(fact)
    when = record["occurred"] or {"start": None, "end": None}
    record |= {
        "entities": "; ".join(record["entities"]),
        "occurred_start": when["start"],
        "occurred_end": when["end"],
        "quarantined": "yes" if fact.quarantined else "no",
    }
    return ["" if record[name] is None else str(record[name]) for name in COLUMNS]


def facts_jsonl(facts: Iterable[Fact]) -> str:
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
