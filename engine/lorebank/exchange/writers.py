"""The forms of an export: facts as CSV (RFC 4180) or JSONL, pages as Markdown or HTML.

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
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from lorebank.domain import Fact, Stance
from lorebank.exchange.pages import INDEX, Link, Page, Row, Section
from lorebank.markdown.plain import escape_markup, plain_text

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
