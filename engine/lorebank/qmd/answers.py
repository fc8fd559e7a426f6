"""Parse qmd's output, and read the lines it names.

The sidecar indexes whole files, so its quotes are not shown: the lines are read from the files
without private or generated text, and places with nothing else are dropped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lorebank.domain.answers import SearchHit
from lorebank.domain.facts import Origin
from lorebank.language.secrets import redact
from lorebank.language.words import content_words, words
from lorebank.markdown.hidden import hide
from lorebank.markdown.source import decode
from lorebank.qmd.program import SESSIONS, Collection, locate, shown_path
from lorebank.recall.search import search_terms
from lorebank.recall.snippets import snippet
from lorebank.records import Record
from lorebank.settings.tables import Config

_SCHEME = "qmd://"
_NO_RESULTS = re.compile(r"^(?:\W*(?:warn(?:ing)?|info|qmd)\W+)*no results found\.?$", re.I | re.M)
_HUNK = re.compile(r"\A@@ -(\d{1,9})(?:,(\d{1,9}))? @@")
_REJECTED = re.compile(
    r"(?:unknown|unrecogni[sz]ed|unsupported|invalid|unexpected) (?:option|flag|argument|command)"
    r"|flag provided but not defined|no such (?:option|command)",
    re.IGNORECASE,
)
_TYPED_PREFIX = re.compile(r"\A\s*(lex|vec|hyde|intent|expand)\s*:\s*", re.IGNORECASE)
_WORD = re.compile(r'-?"[^"]*"|[^\s"]+')
_MAX_HIT_LINES = 1000  # per hit; a longer range in qmd's answer is a bug
_MAX_QUESTION_CHARACTERS = 2000  # longer ones may exceed what a command line can hold


class UnreadableAnswer(ValueError):
    """The output is not what `--json` promises."""


class QmdMatch(Record):
    """A place that qmd found."""

    collection: str
    path: str  # within the collection, as qmd spells it
    first_line: int  # 1-based
    last_line: int
    score: float  # 0..1


def read_answer(output: str) -> tuple[QmdMatch, ...]:
    """The matches, best first, ignoring text around the JSON. Raises `UnreadableAnswer`."""
    text = output.strip()
    rows = _rows(text)
    if rows is None:
        if _NO_RESULTS.search(text):
            return ()
        shown = " ".join(text.split())[:80]
        raise UnreadableAnswer(f"no JSON in {shown!r}" if shown else "it printed nothing")
    found = [place for place in map(_match, rows) if place is not None]
    if rows and not found:
        raise UnreadableAnswer("no result in the JSON names a file")
    return tuple(found)


def is_flag_rejection(errors: str) -> bool:
    """Whether this build of qmd rejects a flag or command as unknown."""
    return bool(_REJECTED.search(errors))


def format_question(mode: str, question: str) -> str:
    """The question for a search mode, on one line.

    `search` requires every word, so stop words would hide matches: they are dropped unless there
    are no others; quoted phrases stay. `query` has a syntax of typed lines, which is disabled.

    >>> question_for("search", 'what is the password of "the old router"?')
    'password "the old router"'
    """
    plain = question[:_MAX_QUESTION_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    line = " ".join("".join(c if c.isprintable() else " " for c in plain).split())
    if mode == "search":
        content = set(content_words(line))
        kept = [w for w in _WORD.findall(line) if w.endswith('"') or content & set(words(w))]
        return " ".join(word.rstrip(".,;:!?") for word in kept) or line
    return _TYPED_PREFIX.sub(r"\1 ", line) if mode == "query" else line


def _rows(text: str) -> list[Any] | None:
    """The first JSON list of results in a text, if any."""
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


def _match(row: dict[str, Any]) -> QmdMatch | None:
    name = row.get("file")
    if not isinstance(name, str):
        return None
    place = name.removeprefix(_SCHEME).partition("?index=")[0]
    collection, slash, path = place.partition("/")
    if not (collection and slash and path):
        return None
    first, last = _lines(row)
    return QmdMatch(collection, path, first, last, _score(row.get("score")))


def _lines(row: dict[str, Any]) -> tuple[int, int]:
    """The lines of the snippet, or else the line of the match."""
    hunk = _HUNK.match(str(row.get("snippet") or ""))
    if hunk:
        first = max(1, int(hunk[1]))
        return first, first + min(max(1, int(hunk[2] or 1)), _MAX_HIT_LINES) - 1
    line = row.get("line")
    first = line if isinstance(line, int) and 0 < line < 10**9 else 1
    return first, first


def _score(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return min(1.0, max(0.0, float(value)))


_MIN_SNIPPET_ROOM = 50  # a shorter snippet is useless
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*\Z")


class QmdQuery(Record):
    query: str
    k: int
    min_score: float = 0.0
    path: str | None = None  # only this file, or below this folder
    sessions: bool = True  # whether exported conversations may be shown


def to_search_hits(
    found: Iterable[QmdMatch],
    request: QmdQuery,
    *,
    root: Path,
    config: Config,
    collections: Sequence[Collection],
    mode: str,
) -> tuple[SearchHit, ...]:
    """The hits, best first, within `memory.qmd.limits`."""
    known = {c.name: c for c in collections if request.sessions or c.name != SESSIONS}
    terms = search_terms(request.query)
    limits = config.memory.qmd.limits
    hits: list[SearchHit] = []
    room = limits.max_injected_chars
    for place in found:
        if len(hits) == min(request.k, limits.max_results) or room < _MIN_SNIPPET_ROOM:
            break
        hit = _hit(place, root, config, known)
        if (
            hit is None
            or not _passes_filters(hit, request)
            or any(
                (
                    hit.path == h.path
                    and hit.start_line <= h.end_line
                    and h.start_line <= hit.end_line
                )
                for h in hits
            )
        ):
            continue
        cut = snippet(hit.snippet, terms, limit=min(limits.max_snippet_chars, room))
        room -= min(room, len(cut))
        hits.append(replace(hit, snippet=cut, provider="qmd", model=mode))
    return tuple(hits)


def _hit(
    place: QmdMatch, root: Path, config: Config, known: Mapping[str, Collection]
) -> SearchHit | None:
    """A match with its whole text; `None` if nothing may be shown."""
    collection = known.get(place.collection)
    file = locate(collection, place.path) if collection else None
    path = shown_path(root, config, collection, file) if collection and file else None
    if file is None or path is None:
        return None
    try:
        text, _ = decode(file.read_bytes(), path)
    except OSError:
        return None
    lines = hide(text, path)[0].split("\n")
    span = range(place.first_line, min(place.last_line, len(lines)) + 1)
    filled = [number for number in span if lines[number - 1].strip()]
    if not filled:
        return None
    first, last = filled[0], filled[-1]
    shown = redact("\n".join(line.rstrip() for line in lines[first - 1 : last])).text
    hit = SearchHit(path, first, last, place.score, shown, _heading(lines[:first]))
    if place.collection != SESSIONS:
        return hit
    return replace(hit, origin=Origin.SESSION, quarantined=True, corpus=SESSIONS)


def _heading(lines: Sequence[str]) -> str:
    """The last heading in some lines."""
    found = (match[1] for line in reversed(lines) if (match := _HEADING.match(line)))
    return next(found, "")


def _passes_filters(hit: SearchHit, request: QmdQuery) -> bool:
    below = (request.path or "").rstrip("/")
    return hit.score >= request.min_score and (
        request.path is None or hit.path == below or hit.path.startswith(f"{below}/")
    )
