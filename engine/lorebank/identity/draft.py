"""A name cut into words, before titles, endings and legal form are taken off."""

from __future__ import annotations

import re
from dataclasses import field

from lorebank.language.folding import fold
from lorebank.records import dataclass

_CHUNKS = re.compile(r"[^\s_\-\u2010-\u2015\u2212/\\:;!?\"“”„«»()\[\]{}<>*~|·・]+")
_PARTS = re.compile(r"\d+(?:[.,]\d+)*|\D+")
_CAMEL = re.compile(r"(?<=[^\W\dA-Z_])(?<!\AMc)(?=[A-Z])")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")
_LEADING_INITIALS = re.compile(r"((?:[^\W\d_]\.)+)([^\W\d_]{2}.*)")
_AMPERSAND = re.compile(r"(?<=\w)&(?=\w)")
_APOSTROPHES = str.maketrans("", "", "'’‘ʼ`´")
_BRACKETED_LEGAL = re.compile(r"[(（](株|有|주)[)）]")


@dataclass(slots=True)
class Draft:
    """Three lists in step: each word as written, folded, and whether it had a dot."""

    raw: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    dotted: list[bool] = field(default_factory=list)

    def add(self, raw: str, *, dotted: bool = False) -> None:
        """Append a word; one that is only punctuation is left out."""
        folded = fold(raw).translate(_APOSTROPHES).strip(".,")
        if folded.isalnum() or any(char.isalnum() or char in "+#&" for char in folded):
            self.raw.append(raw.strip(".,"))
            self.tokens.append(folded)
            self.dotted.append(dotted)

    def drop(self, start: int, stop: int) -> None:
        """Remove the words from `start` up to, not including, `stop`."""
        del self.raw[start:stop], self.tokens[start:stop], self.dotted[start:stop]


def split_words(text: str) -> Draft:
    """Cut at separators, at `camelCase` where the name is one word, and at figures."""
    draft = Draft()
    text = _AMPERSAND.sub(" & ", _BRACKETED_LEGAL.sub(r" \1 ", text))
    chunks = [chunk.strip(",") for chunk in _CHUNKS.findall(text)]
    for chunk in chunks:
        rest = _take_dotted_initials(draft, chunk) if "." in chunk else chunk
        pieces = _CAMEL.split(rest) if len(chunks) == 1 else [rest]
        for piece in pieces:
            for part in _PARTS.findall(piece):
                draft.add(part, dotted=chunk.endswith("."))
    return draft


def join_initials(draft: Draft) -> None:
    """Make one word of a run of initials: `J. R. R.`, `J.R.R.` and `JRR` become the same."""
    index = 0
    while index + 1 < len(draft.tokens):
        if _are_initials(draft, index):
            draft.raw[index] += draft.raw[index + 1]
            draft.tokens[index] += draft.tokens[index + 1]
            draft.dotted[index] = True
            draft.drop(index + 1, index + 2)
        else:
            index += 1


def _take_dotted_initials(draft: Draft, chunk: str) -> str:
    """Add `J.R.R.` as one word; what follows it in the chunk comes back."""
    glued = _LEADING_INITIALS.fullmatch(chunk)
    if glued is not None:
        draft.add(glued[1].replace(".", ""), dotted=True)
        return glued[2]
    if _INITIALS.fullmatch(chunk):
        draft.add(chunk.replace(".", ""), dotted=True)
        return ""
    return chunk


def _are_initials(draft: Draft, index: int) -> bool:
    first, second = draft.tokens[index], draft.tokens[index + 1]
    if len(second) != 1 or not first.isalpha() or not second.isalpha():
        return False
    after_figure = index > 0 and draft.tokens[index - 1][0].isdigit()
    one_case = draft.raw[index].isupper() or draft.raw[index].islower()
    return not after_figure and (len(first) == 1 or (draft.dotted[index] and one_case))
