"""What search finds of a file: passages of prose, and overlapping chunks for embedding.

A passage is a paragraph, a list item with short nested text, a table row with its header names, a
stretch of a code fence. Headings alone, front matter, comments, private and managed text give none.

Chunks are cut before headings, between blocks, between list items, between lines, in this order of
liking; a code fence that fits stays whole. A chunk's text is exactly the lines that it cites, less
what is hidden; only a single line larger than a whole chunk is cut inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorebank.domain.facts import Chunk, Citation, Passage
from lorebank.language.words import estimate_tokens
from lorebank.markdown.document import Document, Node, read_document
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import soft_split
from lorebank.records import Record

_MAX_LINES = 6
_MAX_CHARACTERS = 700
_MAX_CODE_LINES = 12


def extract_passages(
    text: str,
    path: str,
    *,
    fact_lines: Sequence[tuple[int, int]] = (),
    document: Document | None = None,
) -> tuple[Passage, ...]:
    """The passages of a file in the order of their lines; `fact_lines` are 1-based, inclusive.

    The text of prose is plain and folded to one line; that of code keeps its lines. Give
    `document` where the file was read already; `text` is then not looked at.
    """
    document = document or read_document(text, path)
    return tuple(_PassageReader(document, fact_lines).read())


class _PassageReader:
    def __init__(self, document: Document, fact_lines: Sequence[tuple[int, int]]) -> None:
        self.document = document
        self.taken = {line - 1 for first, last in fact_lines for line in range(first, last + 1)}

    def read(self) -> Iterator[Passage]:
        for node, heading in zip(self.document.nodes, self.document.headings, strict=True):
            if node.kind != "heading":
                yield from self._passages(node, heading)

    def _passages(self, node: Node, heading: str) -> Iterator[Passage]:
        if node.kind == "item":
            yield from self._item(node, heading)
        elif node.kind == "table":
            yield from self._rows(node, heading)
        elif node.kind in ("fence", "code"):
            yield from self._code(node, heading)
        elif node.kind in ("paragraph", "heading"):
            yield from self._prose(node.text.split("\n"), node.start, heading)
        else:
            for child in node.children:
                yield from self._passages(child, heading)

    def _item(self, node: Node, heading: str) -> Iterator[Passage]:
        """A short item whole; the parts of a long one by themselves."""
        free = not any(line in self.taken for line in range(node.start, node.end))
        if free and len(node.children) > 1 and node.end - node.start <= _MAX_LINES:
            said = " ".join(_texts(node))
            if len(said) <= _MAX_CHARACTERS:
                yield from self._passage(said, node.start, node.end, heading)
                return
        for child in node.children:
            yield from self._passages(child, heading)

    def _prose(self, lines: Sequence[str], start: int, heading: str) -> Iterator[Passage]:
        """Runs of lines that fit; a line too long by itself is cut, each part citing it."""
        first, size = start, 0
        for number, line in enumerate(lines, start=start):
            taken = number in self.taken
            if taken or number - first >= _MAX_LINES or size + len(line) > _MAX_CHARACTERS:
                yield from self._run(lines, start, first, number, heading)
                first, size = number + taken, 0
            size += 0 if taken else len(line) + 1
        yield from self._run(lines, start, first, start + len(lines), heading)

    def _run(
        self, lines: Sequence[str], start: int, first: int, end: int, heading: str
    ) -> Iterator[Passage]:
        if end <= first:
            return
        said = plain_text("\n".join(lines[first - start : end - start]))
        for part in soft_split(said, _MAX_CHARACTERS):
            yield from self._passage(part, first, end, heading)

    def _rows(self, table: Node, heading: str) -> Iterator[Passage]:
        header, *rows = table.children
        names = [plain_text(cell) for cell in header.cells]
        for row in rows:
            if row.start in self.taken:
                continue
            cells = [plain_text(cell) for cell in row.cells]
            named = [
                f"{name}: {cell}" if name else cell
                for name, cell in zip(names, cells, strict=False)
                if cell
            ]
            for part in soft_split("; ".join(named), _MAX_CHARACTERS):
                yield from self._passage(part, row.start, row.end, heading)
        if not rows and header.start not in self.taken:
            yield from self._passage("; ".join(names), header.start, header.end, heading)

    def _code(self, node: Node, heading: str) -> Iterator[Passage]:
        start = node.start + (node.kind == "fence")
        lines = node.text.split("\n")
        if lines[-1] == "":
            lines.pop()
        first, size = 0, 0
        for index, line in enumerate(lines):
            if index - first >= _MAX_CODE_LINES or (size and size + len(line) > _MAX_CHARACTERS):
                yield from self._code_run(lines, start, first, index, heading)
                first, size = index, 0
            size += len(line) + 1
        yield from self._code_run(lines, start, first, len(lines), heading)

    def _code_run(
        self, lines: Sequence[str], start: int, first: int, end: int, heading: str
    ) -> Iterator[Passage]:
        while end > first and not lines[end - 1].strip():
            end -= 1
        while first < end and not lines[first].strip():
            first += 1
        if self.taken.isdisjoint(range(start + first, start + end)):
            for part in soft_split("\n".join(lines[first:end]), _MAX_CHARACTERS):
                yield from self._passage(part, start + first, start + end, heading)

    def _passage(self, said: str, start: int, end: int, heading: str) -> Iterator[Passage]:
        if said.strip():
            yield Passage(
                said, Citation(self.document.path, start + 1, max(end, start + 1)), heading
            )


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


class _Stretch(Record):
    """Lines that are not cut apart unless they must be."""

    start: int
    end: int
    tokens: int
    heading: str
    is_heading: bool = False


def chunk_document(
    text: str,
    path: str,
    *,
    target_tokens: int = 400,
    overlap_tokens: int = 80,
    document: Document | None = None,
) -> tuple[Chunk, ...]:
    """The chunks of a file, in order; about `target_tokens` each, sharing `overlap_tokens` at most.

    Give `document` where the file was read already; `text` is then not looked at.
    """
    document = document or read_document(text, path)
    target = max(target_tokens, 1)
    overlap = max(min(overlap_tokens, target // 2), 0)
    stretches = [
        stretch
        for node, heading in zip(document.nodes, document.headings, strict=True)
        for stretch in _stretches(document, node, heading, target)
    ]
    chunks: list[Chunk] = []
    for group in _groups(stretches, target, overlap):
        chunks.extend(_chunks(document, group, target))
    return tuple(chunks)


def _stretches(document: Document, node: Node, heading: str, target: int) -> Iterator[_Stretch]:
    """A block cut down to what fits into a chunk."""
    tokens = _tokens(document, node.start, node.end)
    if tokens <= target:
        if tokens:
            yield _Stretch(node.start, node.end, tokens, heading, node.kind == "heading")
        return
    position = node.start
    for child in node.children if _covers(node) else ():
        yield from _line_stretches(document, position, child.start, heading)
        yield from _stretches(document, child, heading, target)
        position = max(position, child.end)
    yield from _line_stretches(document, position, node.end, heading)


def _line_stretches(document: Document, start: int, end: int, heading: str) -> Iterator[_Stretch]:
    for line in range(start, end):
        if tokens := _tokens(document, line, line + 1):
            yield _Stretch(line, line + 1, tokens, heading)


def _tokens(document: Document, start: int, end: int) -> int:
    source = document.source(start, end)
    return estimate_tokens(source) if source.strip() else 0


def _covers(node: Node) -> bool:
    """Whether a node can be cut between its children: they follow each other line by line."""
    lines = [node.start, *[edge for child in node.children for edge in (child.start, child.end)]]
    return bool(node.children) and node.kind != "table" and lines == sorted(lines)


def _groups(stretches: Sequence[_Stretch], target: int, overlap: int) -> Iterator[list[_Stretch]]:
    """Runs of stretches that make one chunk each."""
    group: list[_Stretch] = []
    size = fresh = 0
    for stretch in stretches:
        full = size + stretch.tokens > target
        section_break = stretch.is_heading and size * 2 >= target
        if fresh and (full or section_break):
            yield group
            group = [] if section_break else _tail(group, overlap, target - stretch.tokens)
            size, fresh = sum(part.tokens for part in group), 0
        group.append(stretch)
        size += stretch.tokens
        fresh += 1
    if fresh:
        yield group


def _tail(group: Sequence[_Stretch], overlap: int, room: int) -> list[_Stretch]:
    """The last stretches of a chunk that the next one repeats."""
    kept: list[_Stretch] = []
    left = min(overlap, room)
    for stretch in reversed(group[1:]):
        left -= stretch.tokens
        if left < 0:
            break
        kept.insert(0, stretch)
    return kept


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
