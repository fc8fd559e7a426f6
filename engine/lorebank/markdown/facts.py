"""Facts: the items of retain sections, and typed lines of bank pages, with place and identity.

Every item stands alone: whatever is odd in one becomes a diagnostic and leaves its neighbours be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b

from lorebank.domain import Citation, Diagnostic, Fact, FactKind
from lorebank.language.folding import fold
from lorebank.markdown.document import Document, Node, heading_paths, read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.fact_lines import FactLine, parse_fact_line
from lorebank.markdown.opinion_tables import opinion_rows
from lorebank.markdown.plain import plain_text
from lorebank.markdown.sections import opens_retain

__all__ = [
    "RETAIN_HEADINGS",
    "FactExtraction",
    "extract_facts",
    "fact_id",
    "format_fact",
    "parse_fact_line",
]

RETAIN_HEADINGS: tuple[str, ...] = (
    "Retain",
    "Retener",
    "Reter",
    "Behalten",
    "Retenir",
    "保留",
    "留存",
    "Panatilihin",
)
"""The words that open a retain section, in the languages the memory design is published in."""

_DETAIL = re.compile(
    r"(?:evidence|last[ _](?:reinforced|updated|confirmed|seen)|reinforced|contradicted|updated)"
    r"\s*[:：]",
    re.IGNORECASE,
)
_MAYBE_TYPED = re.compile(r"[\W_]*[A-Za-zＡ-Ｚａ-ｚ][\s*_~`:：(（,\])）】]")
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class FactExtraction:
    """The facts of one file, what was odd, and which lines they take."""

    facts: tuple[Fact, ...]
    diagnostics: tuple[Diagnostic, ...]
    fact_lines: tuple[tuple[int, int], ...]
    """1-based inclusive line ranges, in order."""


def extract_facts(
    text: str,
    path: str,
    *,
    recorded: date | None,
    headings: Sequence[str] = RETAIN_HEADINGS,
    everywhere: bool = False,
    document: Document | None = None,
) -> FactExtraction:
    """All facts of a file in the order of their lines; never raises.

    `recorded` is the log's own day. With `everywhere` (bank pages) a list item or paragraph
    outside a retain section is a fact too where it begins with a kind and a mention or a `c=`.
    Give `document` where the file was read already; `text` is then not looked at.
    """
    document = document or read_document(text, path)
    reader = _FactReader(document, recorded, frozenset(fold(word) for word in headings), everywhere)
    return reader.read()


def fact_id(kind: FactKind, recorded: date | None, slugs: Sequence[str], content: str) -> str:
    """`f-` and 10 hex digits of what a fact says, so edits elsewhere in its file change nothing.

    Letter case, width, diacritics, punctuation and the order of mentions do not count.
    """
    said = " ".join(re.findall(r"\w+", fold(content))) or content
    parts = (kind.value, recorded.isoformat() if recorded else "", ",".join(sorted(slugs)), said)
    source = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return f"f-{blake2b(source, digest_size=5).hexdigest()}"


@dataclass(slots=True)
class _Item:
    """The lines and texts that make one fact: its own, and those nested below it."""

    start: int
    end: int
    pieces: list[str]
    details: list[str] = field(default_factory=list)


class _FactReader:
    """Walks a document's blocks once."""

    def __init__(
        self, document: Document, recorded: date | None, words: frozenset[str], everywhere: bool
    ) -> None:
        self.document = document
        self.recorded = recorded
        self.words = words
        self.everywhere = everywhere
        self.facts: list[Fact] = []
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)

    def read(self) -> FactExtraction:
        self._section(self.document.nodes, self.document.headings, "")
        ranges = [(f.citation.start_line, f.citation.end_line) for f in self.facts]
        return FactExtraction(
            tuple(self.facts), tuple(self.diagnostics), tuple(dict.fromkeys(ranges))
        )

    def _section(self, nodes: Sequence[Node], paths: Sequence[str], above: str) -> None:
        """Sibling blocks, with the retain sections among them."""
        retain_level = 0
        hidden_title = ""
        taken = -1
        for index, node in enumerate(nodes):
            path = " > ".join(part for part in (above, paths[index]) if part)
            if node.kind == "heading" and not self._is_underlined_fact(node):
                if retain_level and node.level <= retain_level:
                    retain_level = 0
                if not retain_level and opens_retain(node.text, self.words):
                    retain_level, hidden_title = node.level, path
                continue
            if index <= taken:
                continue
            shown = _without_title(path, hidden_title) if retain_level else path
            if retain_level or self.everywhere:
                taken = self._facts_of(nodes, index, shown, in_retain=bool(retain_level))
            elif node.kind == "list":
                self._outlined(node, path)

    def _outlined(self, node: Node, path: str) -> None:
        """Retain sections in an outliner's file, where headings stand in list items."""
        for item in node.children:
            if any(child.kind == "heading" for child in item.children):
                self._section(item.children, heading_paths(item.children), path)
            else:
                for child in item.children:
                    if child.kind == "list":
                        self._outlined(child, path)

    def _is_underlined_fact(self, node: Node) -> bool:
        """A typed paragraph right above `---` is a fact above a rule, not a heading."""
        return node.setext and _typed(node.text)

    def _facts_of(self, nodes: Sequence[Node], index: int, path: str, *, in_retain: bool) -> int:
        """Read one block; returns the index of the last sibling block that it took."""
        node = nodes[index]
        if node.kind == "list":
            for item in node.children:
                self._list_item(item, path, in_retain=in_retain)
        elif node.kind in ("paragraph", "heading"):
            return self._paragraph(nodes, index, path, in_retain=in_retain)
        elif node.kind == "table":
            self._table(node, path)
        elif node.kind == "code" and in_retain:
            self._indented_list(node, path)
        return index

    def _list_item(self, node: Node, path: str, *, in_retain: bool) -> None:
        if self._is_label(node, in_retain=in_retain):
            for child in node.children:
                if child.kind == "list":
                    for item in child.children:
                        self._list_item(item, path, in_retain=in_retain)
        elif in_retain or _begins_typed(node):
            gathering = _Gathering(self.document.lines, node)
            for child in node.children:
                gathering.take(child)
            for fact_item in gathering.items:
                self._add(fact_item, path)

    def _is_label(self, node: Node, *, in_retain: bool) -> bool:
        """Whether an untyped item only groups the typed items below it."""
        nested = [i for child in node.children if child.kind == "list" for i in child.children]
        if not nested or _begins_typed(node):
            return False
        return not in_retain or all(_begins_typed(item) for item in nested)

    def _paragraph(self, nodes: Sequence[Node], index: int, path: str, *, in_retain: bool) -> int:
        """Typed lines of a paragraph; what is indented below the last one belongs to it.

        Markdown joins an indented list with unindented items right below it to one list: only the
        indented items are the paragraph's.
        """
        node = nodes[index]
        gathering = _Gathering(self.document.lines, node)
        gathering.take(node)
        below: list[Node] = []
        if _stands_alone(gathering.items[-1], in_retain=in_retain):
            while index + 1 < len(nodes) and not below:
                following = nodes[index + 1]
                if following.kind == "list":
                    mine = [item for item in following.children if gathering.encloses(item)]
                    if not mine:
                        break
                    below = following.children[len(mine) :]
                    for item in mine:
                        gathering.take(item)
                elif following.kind == "code":
                    gathering.take(following)
                else:
                    break
                index += 1
        for fact_item in gathering.items:
            if _stands_alone(fact_item, in_retain=in_retain):
                self._add(fact_item, path)
        for item in below:
            self._list_item(item, path, in_retain=in_retain)
        return index

    def _indented_list(self, node: Node, path: str) -> None:
        """List items indented so far that Markdown takes them for code."""
        for number, line in enumerate(node.text.split("\n")):
            bullet = _BULLET.match(line)
            if bullet is not None and not bullet["indent"]:
                start = node.start + number
                end = start + 1
                pieces = [line[bullet.end() :]]
                for more in node.text.split("\n")[number + 1 :]:
                    if not more[:1].isspace():
                        break
                    pieces.append(_BULLET.sub("", more, count=1).strip())
                    end += 1
                self._add(_Item(start, end, pieces), path)

    def _table(self, node: Node, path: str) -> None:
        for row, text, details in opinion_rows(node):
            details = [plain_text(detail) for detail in details]
            self._add(_Item(row.start, row.end, [text], details), path)

    def _add(self, item: _Item, path: str) -> None:
        document = self.document
        while item.end > item.start + 1 and not document.lines[item.end - 1].strip():
            item.end -= 1
        line = parse_fact_line("\n".join(item.pieces))
        place = Citation(document.path, item.start + 1, item.end)
        for code, message in line.problems:
            self.diagnostics.append(Diagnostic(document.path, item.start + 1, code, message))
        if line.content:
            self.facts.append(self._fact(line, place, item, path))

    def _fact(self, line: FactLine, place: Citation, item: _Item, path: str) -> Fact:
        slugs = tuple(mention.slug for mention in line.mentions)
        return Fact(
            id=fact_id(line.kind, self.recorded, slugs, line.content),
            kind=line.kind,
            content=line.content,
            raw=self.document.source(item.start, item.end),
            citation=place,
            mentions=line.mentions,
            confidence=line.confidence,
            recorded=self.recorded,
            marks=line.marks,
            heading=path,
            details=tuple(detail for detail in item.details if detail),
        )


def _without_title(path: str, title_path: str) -> str:
    """The heading path without the retain heading itself."""
    above = title_path.rpartition(" > ")[0]
    below = path[len(title_path) :].removeprefix(" > ")
    return " > ".join(part for part in (above, below) if part)


def _typed(text: str, *, lone_letter: bool = False) -> bool:
    if _MAYBE_TYPED.match(text) is None:
        return False
    line = parse_fact_line(text)
    return line.is_typed or (lone_letter and line.has_kind and line.has_colon)


def _begins_typed(item: Node) -> bool:
    first = item.children[0] if item.children else None
    return first is not None and first.kind == "paragraph" and _typed(first.text)


def _stands_alone(item: _Item, *, in_retain: bool) -> bool:
    return bool(item.pieces) and _typed(item.pieces[0], lone_letter=in_retain)


class _Gathering:
    """Collects what belongs to a fact, and cuts where a line begins a typed fact of its own.

    Markdown takes an unindented line below a list item for its continuation; where that line says
    `W @Peter: …` its bullet was forgotten, and it must not be swallowed by its neighbour.
    """

    def __init__(self, lines: Sequence[str], node: Node) -> None:
        self.lines = lines
        self.indent = _indent(lines[node.start])
        self.items = [_Item(node.start, node.end, [])]

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
                self._say(_BULLET.sub("", line, count=1).strip())
        elif node.kind == "row":
            item.pieces.append(" ".join(node.cells))
        for child in node.children:
            self.take(child)

    def _take_line(self, number: int, line: str, end: int) -> None:
        current = self.items[-1]
        if number > current.start and self._begins_fact(number, line):
            current.end = number
            self.items.append(_Item(number, end, [line]))
            return
        bullet = _BULLET.match(line) if number > current.start else None
        self._say(line[bullet.end() :] if bullet else line)

    def _begins_fact(self, number: int, line: str) -> bool:
        source = self.lines[number]
        if _indent(source) > self.indent or _BULLET.match(source):
            return False
        return _typed(line) and parse_fact_line(line).has_colon

    def _say(self, line: str) -> None:
        item = self.items[-1]
        if item.pieces and _DETAIL.match(plain_text(line)):
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
