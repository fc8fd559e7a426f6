"""The language of a line, by the function and cue words it holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from lorebank.reflect.lexicon import language_files, language_table, languages
from lorebank.reflect.tokens import is_han, is_kana, tokens_of

_OPEN_ENDED = re.compile(r"\w+\*")
_TELLING = (
    "function",
    "negate",
    "like",
    "dislike",
    "good",
    "bad",
    "adopt",
    "drop",
    "say",
    "joins",
    "repeat",
    "change",
    "exclusive",
    "excess",
    "norm",
    "past",
    "scene",
    "weak",
)


@lru_cache(maxsize=4096)
def detect(text: str, beside: str = "") -> str | None:
    """The language with the most function and cue words in a text; `en` where none has any.

    What stands `beside` it counts half: a few words may be of several languages. `None` for a
    script no file covers.
    """
    script = _script(text)
    if script is not None:
        return script if script in language_files() else None
    counts = _counts(text)
    near = _counts(beside) if beside and _script(beside) is None else Counter()
    if not counts and not near:
        return "en"
    return max(languages(), key=lambda code: counts[code] + near[code] / 2)


def likely(text: str) -> tuple[str, ...]:
    """The languages a text may be of, judged by itself alone."""
    best = detect(text)
    if best is None or _script(text) is not None:
        return (best,) if best else ()
    counts = _counts(text)
    return tuple(
        c for c in languages() if c == best or (counts[c] and 2 * counts[c] >= counts[best])
    )


@lru_cache(maxsize=4096)
def _script(text: str) -> str | None:
    if is_kana(text):
        return "ja"
    return "zh" if is_han(text) else None


@lru_cache(maxsize=4096)
def _counts(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    known = _language_words()
    for _, token in tokens_of(text):
        counts.update(known.get(token, ()))
    return counts


@lru_cache(maxsize=1)
def _language_words() -> Mapping[str, tuple[str, ...]]:
    words: dict[str, list[str]] = {}
    for code in languages():
        table = language_table(code)
        if table.get("unspaced"):
            continue
        listed = "\n".join(str(table.get(key, "")) for key in ("forms", *_TELLING))
        own = {token for _, token in tokens_of(_OPEN_ENDED.sub(" ", listed))}
        for word in own:
            words.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in words.items()}
