"""What belongs to one fact: its lines, nested items, kept evidence; or a row of an opinion table.

The columns of such a table may stand in any order; header words are matched without case. What
other columns say is kept as details, so no cell is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field

from lorebank.language.folding import fold
from lorebank.markdown.document import Node
from lorebank.markdown.fact_lines import begins_typed, parse_confidence, parse_fact_line
from lorebank.markdown.mentions import find_mentions, mention_source
from lorebank.markdown.plain import plain_text
from lorebank.records import dataclass

DETAIL = re.compile(
    r"(?:evidence(?: \([^()\n]*\))?|last[ _](?:reinforced|updated|confirmed|seen)|reinforced"
    r"|contradicted|updated)\s*[:：]",
    re.IGNORECASE,
)
BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, for lines that the parser did not take for one."""


@dataclass(slots=True)
class FactItem:
    """The lines and texts that make one fact: its own, and those nested below it."""

    start: int
    end: int
    pieces: list[str]
    details: list[str] = field(default_factory=list)


class Gathering:
    """Collects what belongs to a fact, and cuts where a line begins a typed fact of its own.

    Markdown takes an unindented line below a list item for its continuation; where that line says
    `W @Peter: …` its bullet was forgotten, and it must not be swallowed by its neighbour.
    """

    def __init__(self, lines: Sequence[str], node: Node) -> None:
        self.lines = lines
        self.indent = _indent(lines[node.start])
        self.items = [FactItem(node.start, node.end, [])]

    def encloses(self, node: Node) -> bool:
        """Whether a block stands further right than the fact's first line."""
        return _indent(self.lines[node.start]) > self.indent

    def take(self, node: Node) -> None:
        """Add what a block says, nested blocks included."""
        item = self.items[-1]
        item.end = max(item.end, node.end)
        if node.kind in ("paragraph", "heading"):
            for number, line in enumerate(node.text.split("\n"), start=node.start):
                self._take_line(number, line, node.end)
        elif node.kind == "fence":
            item.pieces.append(_as_code_span(node.text))
        elif node.kind == "code":
            for line in node.text.split("\n"):
                self._say(BULLET.sub("", line, count=1).strip())
        elif node.kind == "row":
            item.pieces.append(" ".join(node.cells))
        for child in node.children:
            self.take(child)

    def _take_line(self, number: int, line: str, end: int) -> None:
        current = self.items[-1]
        if number > current.start and self._begins_fact(number, line):
            current.end = number
            self.items.append(FactItem(number, end, [line]))
            return
        bullet = BULLET.match(line) if number > current.start else None
        self._say(line[bullet.end() :] if bullet else line)

    def _begins_fact(self, number: int, line: str) -> bool:
        source = self.lines[number]
        if _indent(source) > self.indent or BULLET.match(source):
            return False
        return begins_typed(line) and parse_fact_line(line).has_colon

    def _say(self, line: str) -> None:
        item = self.items[-1]
        if item.pieces and DETAIL.match(plain_text(line)):
            item.details.append(plain_text(line))
        else:
            item.pieces.append(line)


def _indent(line: str) -> int:
    """The columns of white space a line begins with; a tab reaches to the next fourth column."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _as_code_span(code: str) -> str:
    """A fence as inline code, so that nothing in it reads as markup or a mention."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {' '.join(code.split())} {ticks}" if code.strip() else ""


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
        yield row, text, _cell_details(header.cells, cells, {statement, confidence, holder})


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


def _cell_details(names: list[str], cells: list[str], used: set[int | None]) -> list[str]:
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
