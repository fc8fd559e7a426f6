"""Retain sections: which headings open one, and where each begins and ends."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lorebank.language.folding import fold
from lorebank.markdown.document import Document, Node
from lorebank.markdown.plain import plain_text
from lorebank.records import dataclass

_NUMBERING = re.compile(r"[\W_]*(?:\d+[.)]\s+)?[\W_]*")
_AFTER_WORD = re.compile(r"\s*+(?:\Z|(?![-'’][^\W_])[\W_])")


@dataclass(frozen=True, slots=True)
class Section:
    """A retain section by its lines, 1-based and inclusive; the heading is its first line."""

    start_line: int
    end_line: int


def opens_retain(heading: str, words: Collection[str]) -> bool:
    """Whether a heading's first word is one of `words` (folded), alone or before punctuation."""
    title = fold(plain_text(heading))
    start = _NUMBERING.match(title)
    title = title[start.end() :] if start else title
    return any(title.startswith(word) and _AFTER_WORD.match(title, len(word)) for word in words)


def retain_sections(document: Document, *, headings: Sequence[str]) -> tuple[Section, ...]:
    """The retain sections that stand at the top level of a file, in order."""
    words = frozenset(fold(word) for word in headings)
    found: list[Section] = []
    opened: Node | None = None
    for node in document.nodes:
        if node.kind != "heading" or (opened is not None and node.level > opened.level):
            continue
        if opened is not None:
            found.append(Section(opened.start + 1, node.start))
        opened = node if opens_retain(node.text, words) else None
    if opened is not None:
        found.append(Section(opened.start + 1, len(document.lines)))
    return tuple(found)
