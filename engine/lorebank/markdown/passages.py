"""What search finds of a file: passages of prose, and overlapping chunks for embedding.

A passage is a paragraph, or each of its lines where they end their sentences as in a diary, a list
item with short nested text, a table row with its header names, a stretch of a code fence. Headings
alone, front matter, comments, private and managed text give none.

Chunks are cut before headings, between blocks, between list items, between lines, in this order of
liking; a code fence that fits stays whole. A chunk's text is exactly the lines that it cites, less
what is hidden; only a single line larger than a whole chunk is cut inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lorebank.domain.facts import Chunk, Citation, Passage
from lorebank.language.statements import leaning_words
from lorebank.language.words import estimate_tokens, words
from lorebank.markdown.document import Document, Node
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import soft_split

_MAX_LINES = 6
_MAX_CHARACTERS = 700
_MAX_CODE_LINES = 12
_FEWEST_WHOLE, _MOST_ENDED = 3, 0.8
"""Lines of a paragraph, and the share of them that end a sentence, where each says a thing of its
own; a last line without its full stop is no wrapped one. By hand."""
_STOPS, _BEHIND_STOP = (".", "!", "?", "…", "。", "！", "？"), " \t\r)]\"'”’»*_"
_MARKS = 8
"""Characters on the lines of a passage that are none of its words: an indent and `- [ ] `. Where
there are more, joined lines would not hold what was said."""
_MOST_ALONE, _MOST_JOINED = 20_000, 100
"""Passages of a file that stand for themselves; behind them, lines of neighbours that are joined.
Chosen by hand: what is shown of a hit, a snippet of 700 characters, holds a passage whole."""


def extract_passages(
    document: Document, *, fact_lines: Sequence[tuple[int, int]] = ()
) -> tuple[Passage, ...]:
    """The passages of a file in the order of their lines; `fact_lines` are 1-based, inclusive.

    The text of prose is plain and folded to one line; that of code keeps its lines.
    """
    return tuple(_PassageReader(document, fact_lines).read())


class _PassageReader:
    def __init__(self, document: Document, fact_lines: Sequence[tuple[int, int]]) -> None:
        self.document = document
        self.taken = {line - 1 for first, last in fact_lines for line in range(first, last + 1)}
        self.found: list[Passage] = []
        self.heading = ""

    def read(self) -> list[Passage]:
        for node, heading in zip(self.document.nodes, self.document.headings, strict=True):
            self.heading = heading
            if node.kind != "heading":
                self._read(node)
        return self.found

    def _read(self, node: Node, *, in_item: bool = False) -> None:
        if node.kind == "table":
            self._rows(node)
        elif node.kind in ("fence", "code", "rest"):
            start = node.start + (node.kind == "fence")
            most = _MOST_JOINED if node.kind == "rest" else _MAX_CODE_LINES
            for text, first, end in self._runs(node.text.split("\n"), start, most):
                self._add(text, first, end)
        elif node.kind in ("paragraph", "heading"):
            start, lines = node.start, node.text.split("\n")
            for part in [lines] if in_item else _parts(lines):
                for text, first, end in self._runs(part, start, _MAX_LINES):
                    self._add(plain_text(text), first, end)
                start += len(part)
        elif node.kind == "item" and len(node.children) > 1 and (whole := self._short_item(node)):
            self._add(whole, node.start, node.end)
        else:
            for child in node.children:
                self._read(child, in_item=node.kind == "item")

    def _short_item(self, node: Node) -> str:
        """What an item of several parts says in all; empty where it is long or holds facts."""
        lines = range(node.start, node.end)
        if len(lines) > _MAX_LINES or not self.taken.isdisjoint(lines):
            return ""
        said = " ".join(_texts(node))
        return said if len(said) <= _MAX_CHARACTERS else ""

    def _runs(self, lines: Sequence[str], start: int, most: int) -> Iterator[tuple[str, int, int]]:
        """Runs of lines that fit and are no facts, each with its first line and the one behind."""
        run: list[str] = []
        for number, line in enumerate(lines, start=start):
            full = len(run) >= most or sum(map(len, run)) + len(run) + len(line) > _MAX_CHARACTERS
            if run and (full or number in self.taken):
                yield _placed(run, number)
                run = []
            if number not in self.taken and (run or line.strip()):
                run.append(line)
        if run:
            yield _placed(run, start + len(lines))

    def _rows(self, table: Node) -> None:
        header, *rows = table.children
        names = [plain_text(cell) if rows else "" for cell in header.cells]
        for row in rows or [header]:
            if row.start in self.taken:
                continue
            cells = [plain_text(cell) for cell in row.cells]
            named = [
                f"{name}: {cell}" if name else cell
                for name, cell in zip(names, cells, strict=False)
                if cell
            ]
            self._add("; ".join(named), row.start, row.end)

    def _add(self, said: str, start: int, end: int) -> None:
        """A passage, or several with one citation where a single line is too long."""
        last = self.found[-1] if len(self.found) > _MOST_ALONE else None
        if last and last.heading == self.heading:
            first, above = last.citation.start_line - 1, last.citation.end_line
            fits = len(last.text) + len(said) < _MAX_CHARACTERS and end - first < _MOST_JOINED
            is_bare = len(self.document.source(start, end)) < len(said) + _MARKS
            if fits and is_bare and self.taken.isdisjoint(range(above, end)):
                said, start = f"{self.found.pop().text} {said}", first
        place = Citation(self.document.path, start + 1, max(end, start + 1))
        parts = soft_split(said, _MAX_CHARACTERS)
        self.found += [Passage(part, place, self.heading) for part in parts if part.strip()]


def _parts(lines: Sequence[str]) -> list[list[str]]:
    """The lines of a paragraph one by one, where they end their sentences as those that a margin
    cuts do not; a line that leans on the one above (`It was raised …`) stays with it."""
    ended = [line.rstrip(_BEHIND_STOP).endswith(_STOPS) for line in lines if line.strip()]
    if len(ended) < _FEWEST_WHOLE or sum(ended) < _MOST_ENDED * len(ended):
        return [list(lines)]
    parts: list[list[str]] = []
    for line in lines:
        first = next(iter(words(line)), "")
        if parts and (not first or first in leaning_words() or line[:1].islower()):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts


def _placed(run: list[str], end: int) -> tuple[str, int, int]:
    """Lines before the line `end`, less blank ones at their end, with their place."""
    while not run[-1].strip():
        run.pop()
        end -= 1
    return "\n".join(run), end - len(run), end


def _texts(node: Node) -> Iterator[str]:
    """What a node and all below it say, in plain text."""
    if node.kind in ("fence", "code"):
        yield " ".join(node.text.split())
    elif node.kind == "row":
        yield from (plain_text(cell) for cell in node.cells)
    elif node.text:
        yield plain_text(node.text)
    for child in node.children:
        yield from _texts(child)


class _Stretch(NamedTuple):
    """Lines that are not cut apart unless they must be."""

    start: int
    end: int
    tokens: int
    heading: str
    is_heading: bool = False


def chunk_document(
    document: Document, *, target_tokens: int = 400, overlap_tokens: int = 80
) -> tuple[Chunk, ...]:
    """The chunks of a file in order, of about `target_tokens`, sharing `overlap_tokens` at most."""
    target = max(target_tokens, 1)
    overlap = max(min(overlap_tokens, target // 2), 0)
    stretches = [
        stretch
        for node, heading in zip(document.nodes, document.headings, strict=True)
        for stretch in _stretches(document, node, heading, target)
    ]
    groups = _groups(stretches, target, overlap)
    return tuple(chunk for group in groups for chunk in _chunks(document, group, target))


def _stretches(document: Document, node: Node, heading: str, target: int) -> Iterator[_Stretch]:
    """A block cut down to what fits into a chunk."""
    tokens = _tokens(document, node.start, node.end)
    if tokens <= target:
        if tokens:
            yield _Stretch(node.start, node.end, tokens, heading, node.kind == "heading")
        return
    edges = [edge for child in node.children for edge in (child.start, child.end)]
    in_order = [node.start, *edges] == sorted([node.start, *edges]) and node.kind != "table"
    position = node.start
    for child in node.children if in_order else ():
        yield from _lines(document, position, child.start, heading)
        yield from _stretches(document, child, heading, target)
        position = max(position, child.end)
    yield from _lines(document, position, node.end, heading)


def _lines(document: Document, start: int, end: int, heading: str) -> Iterator[_Stretch]:
    for line in range(start, end):
        if tokens := _tokens(document, line, line + 1):
            yield _Stretch(line, line + 1, tokens, heading)


def _tokens(document: Document, start: int, end: int) -> int:
    source = document.source(start, end)
    return estimate_tokens(source) if source.strip() else 0


def _groups(stretches: Sequence[_Stretch], target: int, overlap: int) -> Iterator[list[_Stretch]]:
    """Runs of stretches that make one chunk each; the next one repeats the last of them."""
    group: list[_Stretch] = []
    size = repeated = 0
    for stretch in stretches:
        full = size + stretch.tokens > target
        section_break = stretch.is_heading and size * 2 >= target
        if len(group) > repeated and (full or section_break):
            yield group
            left = 0 if section_break else min(overlap, target - stretch.tokens)
            repeated = 0
            while repeated < len(group) - 1 and (left := left - group[-1 - repeated].tokens) >= 0:
                repeated += 1
            group = group[len(group) - repeated :]
            size = sum(part.tokens for part in group)
        group.append(stretch)
        size += stretch.tokens
    if len(group) > repeated:
        yield group


def _chunks(document: Document, group: Sequence[_Stretch], target: int) -> Iterator[Chunk]:
    start, end = group[0].start, group[-1].end
    heading = next((part.heading for part in group if not part.is_heading), group[0].heading)
    place = Citation(document.path, start + 1, end)
    source = document.source(start, end)
    if len(group) > 1 or end - start > 1 or group[0].tokens <= target:
        yield Chunk(source, place, heading)
        return
    width = max(target * len(source) // group[0].tokens, 1)
    for part in soft_split(source, width):
        if part.strip():
            yield Chunk(part, place, heading)
