"""Words as stance reads them: cut, folded, and without their endings.

Each Han character is a word; what binds an article to a word (`l'`, `d'`) falls away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lorebank.language.folding import fold

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:['+#][^\W_{_HAN}]+)*[+#]*")
_ELIDED = re.compile(r"\A(?:l|d|n|j|m|t|s|c|qu|jusqu|lorsqu|puisqu|un|dell|all|nell)'(?=\w)")
_EMAIL = re.compile(r"\b[eE]-(?=[mM]ail)")
_ENCLITIC = re.compile(r"(?<=[a-zà-ÿ])-se\b")
_IS_HAN = re.compile(f"[{_HAN}]")
_KANA = re.compile("[\u3040-\u30ff]")

_STEM = 4
"""The letters that a second ending has to leave, and the length from which a word has any."""
_ENDINGS = 2


def tokens_of(text: str) -> list[tuple[str, str]]:
    """(as written, folded) for each word; each Han character is a word."""
    out: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(_EMAIL.sub("E", _ENCLITIC.sub("", text.replace("’", "'")))):
        written = match.group()
        folded = _ELIDED.sub("", fold(written))
        if folded.endswith("'s"):
            folded = folded[:-2]
        if written[:2].lower() == "n'":
            out.append(("n", "n"))
        if folded:
            out.append((written, folded))
    return out


def phrases(text: str) -> list[str]:
    parts = (" ".join(part.split()) for part in re.split(r"[,，、]", text))
    return [part for part in parts if part]


def phrase_tokens(text: str) -> tuple[str, ...]:
    tokens: list[str] = []
    for part in text.split():
        found = [folded for _, folded in tokens_of(part.rstrip("*"))] or [fold(part)]
        if part.endswith("*"):
            found[-1] += "*"
        tokens += found
    return tuple(tokens)


def stem_of(token: str, suffixes: Sequence[str]) -> str:
    """What is compared of a word: its first letters without its endings."""
    return without_ending(token, suffixes)[:8]


def without_ending(token: str, suffixes: Sequence[str]) -> str:
    """A word without its endings, one after the other while enough of it is left."""
    left = 3
    for _ in range(_ENDINGS):
        if len(token) < _STEM:
            return token
        if not token.endswith(tuple(suffixes)):
            break
        room = len(token) - left
        ending = next((s for s in suffixes if len(s) <= room and token.endswith(s)), "")
        if not ending:
            break
        token = token.removesuffix(ending)
        left = _STEM
    if len(token) > 3 and token[-1] == token[-2] and token[-1] not in "aeiouls":
        token = token[:-1]
    return token


def joined(tokens: Sequence[str], *, unspaced: bool) -> str:
    return ("" if unspaced else "_").join(tokens)


def is_han(text: str) -> bool:
    """Whether a Han character stands in a text."""
    return _IS_HAN.search(text) is not None


def is_kana(text: str) -> bool:
    """Whether a text is Japanese by its syllables."""
    return _KANA.search(text) is not None
