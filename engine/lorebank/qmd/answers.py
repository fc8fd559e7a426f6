"""What `qmd … --json` prints, as places that it found. Pure."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from lorebank.language.words import content_words, words
from lorebank.records import dataclass

_SCHEME = "qmd://"
_NOTHING = re.compile(r"^(?:\W*(?:warn(?:ing)?|info|qmd)\W+)*no results found\.?$", re.I | re.M)
_HUNK = re.compile(r"\A@@ -(\d{1,9})(?:,(\d{1,9}))? @@")
_REJECTED = re.compile(
    r"(?:unknown|unrecogni[sz]ed|unsupported|invalid|unexpected) (?:option|flag|argument|command)"
    r"|flag provided but not defined|no such (?:option|command)",
    re.IGNORECASE,
)
_TYPED = re.compile(r"\A\s*(lex|vec|hyde|intent|expand)\s*:\s*", re.IGNORECASE)
_WORD = re.compile(r'-?"[^"]*"|[^\s"]+')
_MOST_LINES = 1000
_LONGEST_QUESTION = 2000
"""Characters; more than this is no question, and may be more than an argument can hold."""


class UnreadableAnswer(ValueError):
    """The output is not what `--json` promises."""


@dataclass(frozen=True, slots=True)
class Found:
    """A place that qmd found."""

    collection: str
    path: str
    """Within the collection, as qmd spells it."""
    first_line: int
    """1-based."""
    last_line: int
    score: float
    """0..1."""


def read_answer(output: str) -> tuple[Found, ...]:
    """The places in an output, best first; a banner or a warning around the JSON is overlooked.

    Raises `UnreadableAnswer`.
    """
    text = output.strip()
    rows = _rows(text)
    if rows is None:
        if _NOTHING.search(text):
            return ()
        shown = " ".join(text.split())[:80]
        raise UnreadableAnswer(f"no JSON in {shown!r}" if shown else "it printed nothing")
    found = [place for place in map(_found, rows) if place is not None]
    if rows and not found:
        raise UnreadableAnswer("no result in the JSON names a file")
    return tuple(found)


def is_flag_rejection(errors: str) -> bool:
    """Whether a build of qmd says that it does not know a flag or a command."""
    return bool(_REJECTED.search(errors))


def question_for(mode: str, question: str) -> str:
    """The question as a search mode takes it, on one line.

    `search` wants every word to be there, so that words without content would hide each match:
    they are left out, unless there are no others; phrases in quotes stay. `query` has a grammar
    of typed lines, which a question never means to write.

    >>> question_for("search", 'what is the password of "the old router"?')
    'password "the old router"'
    """
    plain = question[:_LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8")
    line = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    if mode == "search":
        telling = set(content_words(line))
        kept = [w for w in _WORD.findall(line) if w.endswith('"') or telling & set(words(w))]
        return " ".join(word.rstrip(".,;:!?") for word in kept) or line
    return _TYPED.sub(r"\1 ", line) if mode == "query" else line


def _rows(text: str) -> list[Any] | None:
    """The first JSON list of results in a text; `None` where there is none."""
    for value in _values(text):
        if isinstance(value, dict):
            value = value.get("results")
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            return value
    return None


def _values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    for start in re.finditer(r"^\s*[\[{]", text, re.MULTILINE):
        try:
            yield decoder.raw_decode(text, start.end() - 1)[0]
        except (ValueError, RecursionError):
            continue


def _found(row: dict[str, Any]) -> Found | None:
    name = row.get("file")
    if not isinstance(name, str):
        return None
    place = name.removeprefix(_SCHEME).partition("?index=")[0]
    collection, slash, path = place.partition("/")
    if not (collection and slash and path):
        return None
    first, last = _lines(row)
    return Found(collection, path, first, last, _score(row.get("score")))


def _lines(row: dict[str, Any]) -> tuple[int, int]:
    """The snippet's own lines; the line of the match where it does not tell."""
    hunk = _HUNK.match(str(row.get("snippet") or ""))
    if hunk:
        first = max(1, int(hunk[1]))
        return first, first + min(max(1, int(hunk[2] or 1)), _MOST_LINES) - 1
    line = row.get("line")
    first = line if isinstance(line, int) and 0 < line < 10**9 else 1
    return first, first


def _score(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(0.0, float(value)))
