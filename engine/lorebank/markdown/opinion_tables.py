"""Opinion tables: `| Opinion | Confidence | Evidence | Updated |`, a fact a row.

Columns may stand in any order; header words are matched without case. What other columns say is
kept as details, so no cell is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorebank.language.folding import fold
from lorebank.markdown.document import Node
from lorebank.markdown.fact_items import DETAIL
from lorebank.markdown.fact_lines import parse_confidence, parse_fact_line
from lorebank.markdown.mentions import find_mentions, mention_source
from lorebank.markdown.plain import plain_text

_STATEMENT = frozenset(("opinion", "statement", "belief", "preference", "judgement", "judgment"))
_CONFIDENCE = frozenset(("confidence", "c", "conf", "conf."))
_HOLDER = frozenset(("holder", "who", "entity", "entities", "subject", "person", "about"))
_PERCENT = re.compile(r"(?P<number>\d{1,3}(?:[.,]\d+)?)\s*[%％]\Z")


def opinion_rows(table: Node) -> Iterator[tuple[Node, str, list[str]]]:
    """Per row its node, the fact line it amounts to, and its other cells as `Header: text`.

    Nothing where the table has no opinion and confidence columns.
    """
    if not table.children:
        return
    header, *rows = table.children
    names = [fold(plain_text(cell)).strip() for cell in header.cells]
    statement = _column(names, _STATEMENT)
    confidence = _column(names, _CONFIDENCE)
    if statement is None or confidence is None:
        return
    holder = _column(names, _HOLDER)
    for row in rows:
        cells = [*row.cells, *[""] * (len(names) - len(row.cells))]
        if not cells[statement].strip():
            continue
        text = _fact_line(cells[statement], cells[confidence], cells[holder] if holder else "")
        yield row, text, _details(header.cells, cells, {statement, confidence, holder})


def _column(names: list[str], wanted: frozenset[str]) -> int | None:
    return next((index for index, name in enumerate(names) if name in wanted), None)


def _fact_line(statement: str, confidence: str, holder: str) -> str:
    said = parse_fact_line(statement)
    if said.has_kind and said.has_confidence:
        return statement
    subject = _subject(holder) if not said.has_subject else ""
    if said.has_kind:
        statement = re.sub(r"\A\W*[A-Za-z]\W*?(?=[\s:：@\[])[\s:：]*", "", statement, count=1)
    value = _confidence(confidence)
    prefix = f"O(c={value})" if value else "O"
    if subject:
        return f"{prefix} {subject}: {statement}"
    return f"{prefix} {statement}" if said.has_subject else f"{prefix}: {statement}"


def _subject(holder: str) -> str:
    if not holder.strip():
        return ""
    if find_mentions(holder):
        return holder.strip()
    return mention_source(plain_text(holder))


def _confidence(cell: str) -> str:
    """The cell as a number for `c=`; a percentage counts, dashes and blanks say nothing."""
    value = plain_text(cell).strip("() ")
    value = re.sub(r"\Ac\s*=\s*", "", value, flags=re.IGNORECASE)
    percent = _PERCENT.match(value)
    if percent is not None:
        share = parse_confidence(str(float(percent["number"].replace(",", ".")) / 100))
        return value if share is None else f"{share:g}"
    if not value.strip("-–—?"):
        return ""
    return re.sub(r"[()（）\s]+", " ", value)[:40]


def _details(names: list[str], cells: list[str], used: set[int | None]) -> list[str]:
    return [
        f"{_detail_name(plain_text(name))}: {cell.strip()}"
        for index, (name, cell) in enumerate(zip(names, cells, strict=False))
        if index not in used and cell.strip().strip("-–—")
    ]


def _detail_name(header: str) -> str:
    """A column's name as the start of a detail: `Why` → `Evidence (Why)`."""
    if DETAIL.match(f"{header}:"):
        return header
    return f"Evidence ({re.sub(r'[():：]', ' ', header).strip()})"
