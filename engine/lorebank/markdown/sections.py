"""Sections by their headings: which open one of facts, or of orders, in whatever dress."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from lorebank.language.folding import fold
from lorebank.languages import spellings

RETAIN_HEADINGS = spellings("headings", "retain")
"""The words that open a retain section, in every language that names one."""
ORDER_HEADINGS = spellings("headings", "orders")
"""The words that open the section of the core memory that says how to work."""
KIND_WORDS = frozenset(map(fold, spellings("headings", "kinds")))
"""What the kinds of facts are called."""
PLACEHOLDERS = spellings("headings", "placeholder")
"""What stands for a name in a template: `@Name`."""


_NUMBERING = re.compile(r"[\W_]*(?:\d+[.)]\s+)?[\W_]*")
_AFTER_WORD = re.compile(r"\s*+(?:\Z|(?![-'’][^\W_])[\W_])")
_BOLD = re.compile(r"\s*(?:\*\*|__)(?P<title>[^*_\n]+)(?:\*\*|__)\s*[:：]?\s*\Z")
_HASHES = re.compile(r"\s*#{1,6}(?P<title>[^#\s].*)\Z")
_LABEL = re.compile(r"\s*(?:[*_]{1,3})?(?P<title>[^:：\n]{1,40}?)\s*[:：](?:[*_]{1,3})?")
_SHORTEST_SLIP = 6  # letters from which on a slip (`Retian`) is unlike other words; `Rete` is not


def opens_retain(heading: str, words: Collection[str]) -> bool:
    """Whether a heading begins with one of `words` (folded), alone or before punctuation."""
    title = _bare(heading)
    return title.startswith(tuple(words)) and any(
        title.startswith(word) and _AFTER_WORD.match(title, len(word)) for word in words
    )


def looks_like_retain(heading: str, words: Collection[str]) -> str:
    """The one of `words` that a heading is with one slip of the pen; else nothing.

    Another word may be as near (`Retail`), so it opens no section and is only pointed out.
    """
    title = _bare(heading).rstrip(" :：.")
    if len(title) < _SHORTEST_SLIP - 1:
        return ""
    from rapidfuzz import distance, process  # most files have no heading that long

    near = process.extractOne(
        title, _long_words(frozenset(words)), scorer=distance.OSA.distance, score_cutoff=1
    )
    return near[0] if near and near[1] else ""


@lru_cache(maxsize=8)
def _long_words(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if len(word) >= _SHORTEST_SLIP))


def label_title(text: str) -> str:
    """What a paragraph that stands for a heading says (`**Shopping**`, `Shopping:`); else empty."""
    found = _BOLD.match(text) or _HASHES.match(text) or _LABEL.fullmatch(text.rstrip())
    return found["title"] if found else ""


def is_retain_title(title: str, words: Collection[str]) -> bool:
    """Whether a label is one of `words` (folded) and nothing else."""
    return _bare(title).strip(" :：") in words


@lru_cache(maxsize=8)
def folded_headings(headings: tuple[str, ...]) -> frozenset[str]:
    """The words that open a section, folded once: a process reads many files with the same ones."""
    return frozenset(map(fold, headings))


def label_length(text: str, words: Collection[str]) -> int:
    """How much of a line is a label before what it says: `Retain: ` of `Retain: W @Ana: …`."""
    found = _LABEL.match(text)
    return found.end() if found is not None and is_retain_title(found["title"], words) else 0


@lru_cache(maxsize=256)  # the same few headings come again in log after log
def _bare(heading: str) -> str:
    """A title folded, without ornaments and numbering before it."""
    from lorebank.markdown.plain import plain_text  # questions need the words alone

    title = fold(plain_text(heading))
    start = _NUMBERING.match(title)
    return title[start.end() :] if start else title
