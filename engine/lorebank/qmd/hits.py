"""From the places that qmd names to hits: read from the files, as they are now.

The sidecar indexes whole files. So what it quotes is not shown: the lines it names are read again,
without what is private or generated, and a place that holds nothing else is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lorebank.config import Config
from lorebank.domain import SearchHit
from lorebank.markdown.hidden import hide
from lorebank.markdown.source import decode
from lorebank.qmd.answers import Found
from lorebank.qmd.collections import Collection, locate, shown_path
from lorebank.recall.search import search_terms
from lorebank.recall.snippets import snippet
from lorebank.records import dataclass

_LEAST = 50
"""With less room than this a snippet says nothing."""
_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t#]*\Z")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search asks for."""

    query: str
    k: int
    min_score: float = 0.0
    path: str | None = None
    """Only that file, or what is below that folder."""


def as_hits(
    found: Iterable[Found],
    wanted: Wanted,
    *,
    root: Path,
    config: Config,
    collections: Sequence[Collection],
    mode: str,
) -> tuple[SearchHit, ...]:
    """The hits, best first, within `memory.qmd.limits`."""
    known = {collection.name: collection for collection in collections}
    terms = search_terms(wanted.query)
    limits = config.memory.qmd.limits
    hits: list[SearchHit] = []
    room = limits.max_injected_chars
    for place in found:
        if len(hits) == min(wanted.k, limits.max_results) or room < _LEAST:
            break
        hit = _hit(place, root, config, known)
        if hit is None or not _is_wanted(hit, wanted) or any(_overlaps(hit, h) for h in hits):
            continue
        cut = snippet(hit.snippet, terms, limit=min(limits.max_snippet_chars, room))
        room -= min(room, len(cut))
        hits.append(replace(hit, snippet=cut, provider="qmd", model=mode))
    return tuple(hits)


def _hit(
    place: Found, root: Path, config: Config, known: Mapping[str, Collection]
) -> SearchHit | None:
    """A place with its whole text; `None` where nothing of it may be shown, or is there."""
    collection = known.get(place.collection)
    file = locate(collection, place.path) if collection else None
    path = shown_path(root, config, collection, file) if collection and file else None
    if file is None or path is None:
        return None
    try:
        text, _ = decode(file.read_bytes(), path)
    except OSError:
        return None
    lines = hide(text, path).text.split("\n")
    span = range(place.first_line, min(place.last_line, len(lines)) + 1)
    filled = [number for number in span if lines[number - 1].strip()]
    if not filled:
        return None
    first, last = filled[0], filled[-1]
    shown = "\n".join(line.rstrip() for line in lines[first - 1 : last])
    return SearchHit(path, first, last, place.score, shown, _heading(lines[:first]))


def _heading(lines: Sequence[str]) -> str:
    """The heading that the last of some lines stands under."""
    found = (match[1] for line in reversed(lines) if (match := _HEADING.match(line)))
    return next(found, "")


def _is_wanted(hit: SearchHit, wanted: Wanted) -> bool:
    below = (wanted.path or "").rstrip("/")
    return hit.score >= wanted.min_score and (
        wanted.path is None or hit.path == below or hit.path.startswith(f"{below}/")
    )


def _overlaps(one: SearchHit, other: SearchHit) -> bool:
    return (
        one.path == other.path
        and one.start_line <= other.end_line
        and other.start_line <= one.end_line
    )
