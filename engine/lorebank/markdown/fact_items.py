"""What belongs to one fact: its own lines, further paragraphs, nested items, kept evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from lorebank.markdown.document import Node
from lorebank.markdown.fact_lines import begins_typed, parse_fact_line
from lorebank.markdown.plain import plain_text
from lorebank.records import Mutable

DETAIL = re.compile(
    r"(?:evidence(?: \([^()\n]*\))?|last[ _](?:reinforced|updated|confirmed|seen)|reinforced"
    r"|contradicted|updated)\s*[:：]",
    re.IGNORECASE,
)
BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, for lines that the parser did not take for one."""


class FactItem(Mutable):
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
        """Whether a list item stands further right than the fact's first line or is evidence of it
        (`- Last reinforced: 2026-02-04`); indented code always belongs to it."""
        if node.kind != "item":
            return node.kind == "code"
        is_detail = DETAIL.match(plain_text(own_text(node))) is not None
        return is_detail or _indent(self.lines[node.start]) > self.indent

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


def own_text(item: Node) -> str:
    """The first paragraph of a list item."""
    first = item.children[0] if item.children else None
    return first.text if first is not None and first.kind == "paragraph" else ""


def _indent(line: str) -> int:
    """The columns of white space a line begins with; a tab reaches to the next fourth column."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _as_code_span(code: str) -> str:
    """A fence as inline code, so that nothing in it reads as markup or a mention."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {' '.join(code.split())} {ticks}" if code.strip() else ""
