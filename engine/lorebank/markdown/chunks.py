"""Chunks: a file cut into overlapping stretches of lines for chunk search and embedding.

Cuts fall before headings, between blocks, between list items, between lines, in this order of
liking; a code fence that fits stays whole. A chunk's text is exactly the lines that it cites, less
what is hidden; only a single line larger than a whole chunk is cut inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorebank.domain import Chunk, Citation
from lorebank.language.words import estimate_tokens
from lorebank.markdown.document import Document, Node, read_document
from lorebank.markdown.soft_split import soft_split
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class _Stretch:
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
    stretches = list(_Stretches(document, target).read())
    chunks: list[Chunk] = []
    for group in _groups(stretches, target, overlap):
        chunks.extend(_chunks(document, group, target, overlap))
    return tuple(chunks)


class _Stretches:
    """Cuts blocks down to what fits into a chunk."""

    def __init__(self, document: Document, target: int) -> None:
        self.document = document
        self.target = target

    def read(self) -> Iterator[_Stretch]:
        for node, heading in zip(self.document.nodes, self.document.headings, strict=True):
            yield from self._cut(node, heading)

    def _cut(self, node: Node, heading: str) -> Iterator[_Stretch]:
        tokens = self._tokens(node.start, node.end)
        if tokens <= self.target:
            if tokens:
                is_heading = node.kind == "heading"
                yield _Stretch(node.start, node.end, tokens, heading, is_heading)
        elif _covers(node):
            position = node.start
            for child in node.children:
                yield from self._lines(position, child.start, heading)
                yield from self._cut(child, heading)
                position = max(position, child.end)
            yield from self._lines(position, node.end, heading)
        else:
            yield from self._lines(node.start, node.end, heading)

    def _lines(self, start: int, end: int, heading: str) -> Iterator[_Stretch]:
        for line in range(start, end):
            if tokens := self._tokens(line, line + 1):
                yield _Stretch(line, line + 1, tokens, heading)

    def _tokens(self, start: int, end: int) -> int:
        source = self.document.source(start, end)
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


def _chunks(
    document: Document, group: Sequence[_Stretch], target: int, overlap: int
) -> Iterator[Chunk]:
    start, end = group[0].start, group[-1].end
    heading = next((part.heading for part in group if not part.is_heading), group[0].heading)
    place = Citation(document.path, start + 1, end)
    source = document.source(start, end)
    if len(group) > 1 or end - start > 1 or group[0].tokens <= target:
        yield Chunk(source, place, heading)
        return
    width = max(target * len(source) // group[0].tokens, 1)
    for part in soft_split(source, width, overlap=overlap * width // target):
        if part.strip():
            yield Chunk(part, place, heading)
