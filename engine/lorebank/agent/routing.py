"""Where "remember this" goes: the core memory, a fact in today's log, or a plain note there.

Rules, no model: cues of nine languages in `routing.toml`. What is said to be remembered and shows
no sign of belonging to the day alone is taken to last, and becomes a fact: a fact is found by
recall and costs nothing until then, while the core memory is read in every conversation and takes
only what is an order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from lorebank.domain import FactKind
from lorebank.errors import UsageError
from lorebank.language.folding import fold
from lorebank.markdown.fact_lines import begins_typed
from lorebank.records import dataclass

_BULLET = re.compile(r"\A\s*[-*+]\s+")
_BEFORE_COMMAND = r"(?:(?:please|bitte|no|nao|ne|non)\s+)?(?:(?:me|mi|nos|nous)\s+|\w['’])?"
"""`Ne m'appelle jamais`, `No me llames nunca`; on folded text."""
_REQUEST_END = r"[\s:,;.!\-–—、，：]*"


class Place(StrEnum):
    """Where a text to be remembered is written."""

    CORE = "core"
    """`memory.md`: orders that hold in every conversation."""
    FACT = "fact"
    """The retain section of today's log: decisions, preferences, what lasts."""
    LOG = "log"
    """A note in today's log: context of the day."""


@dataclass(frozen=True, slots=True)
class Route:
    """A place, why, and the text without the words that asked to remember it."""

    place: Place
    reason: str
    text: str
    kind: FactKind | None = None
    """For a fact whose text does not say its kind."""


def route(text: str, *, to: str = "auto") -> Route:
    """Where a text belongs; `to` names the place outright (`core`, `fact`, `log`)."""
    body = _BULLET.sub("", text.strip())
    stripped = _without_request(body)
    if to != "auto":
        if to not in [place.value for place in Place]:
            raise UsageError(f"unknown place '{to}'", hint="use auto, core, fact or log")
        return Route(Place(to), "as asked", stripped, _kind(stripped))
    if begins_typed(body):
        return Route(Place.FACT, "it is written as a fact", body)
    cues = _cues()
    folded = fold(stripped)
    if cues["order"].search(folded) or _commands().match(folded):
        return Route(Place.CORE, "an order for every conversation", stripped)
    if cues["decision"].search(folded):
        return Route(Place.FACT, "a decision", stripped, FactKind.WORLD)
    if cues["preference"].search(folded):
        return Route(Place.FACT, "a preference", stripped, FactKind.OPINION)
    if cues["context"].search(folded):
        return Route(Place.LOG, "context of the day", stripped)
    return Route(Place.FACT, "a durable fact", stripped, FactKind.WORLD)


def _kind(text: str) -> FactKind | None:
    if begins_typed(text):
        return None
    return FactKind.OPINION if _cues()["preference"].search(fold(text)) else FactKind.WORLD


def _without_request(text: str) -> str:
    """`Remember this: the key is under the mat` → `the key is under the mat`."""
    found = _cues()["request"].match(text)
    rest = text[found.end() :].strip() if found else text
    return rest or text


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, list[str]]]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("routing.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _commands() -> re.Pattern[str]:
    """`Antworte mir immer …`: a verb that begins the text and orders, and how often soon after."""
    table = _table()
    of_languages = [
        f"(?:{_any_of(table['command'][language])})(?:\\s+\\w+){{0,2}}?\\s+(?:{_any_of(often)})"
        for language, often in table["often"].items()
    ]
    return re.compile(rf"{_BEFORE_COMMAND}(?:{'|'.join(of_languages)})")


def _any_of(phrases: Sequence[str]) -> str:
    return "|".join(
        re.escape(fold(phrase.rstrip("*"))) + (r"\w*" if phrase.endswith("*") else _edge("a"))
        for phrase in phrases
    )


@lru_cache(maxsize=1)
def _cues() -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for name, languages in _table().items():
        phrases = [phrase for phrases in languages.values() for phrase in phrases]
        if name == "request":
            heads = "|".join(sorted(map(_request, phrases), key=len, reverse=True))
            found[name] = re.compile(rf"(?:{heads}){_REQUEST_END}", re.IGNORECASE)
        else:
            found[name] = re.compile("|".join(_bounded(fold(phrase)) for phrase in phrases))
    return found


def _request(phrase: str) -> str:
    return re.escape(phrase).replace(r"\ ", r"\s+") + _edge(phrase[-1])


def _bounded(phrase: str) -> str:
    """A phrase as whole words; `^` before it binds it to the beginning, `*` ends an open word."""
    start = r"\A" if phrase.startswith("^") else ""
    open_end = phrase.endswith("*")
    body = phrase.strip("^*")
    before = "" if start or not _is_spaced(body[0]) else r"(?<!\w)"
    after = "" if open_end else _edge(body[-1])
    return start + before + re.escape(body).replace(r"\ ", r"\s+") + after


def _edge(letter: str) -> str:
    return r"(?!\w)" if _is_spaced(letter) else ""


def _is_spaced(letter: str) -> bool:
    """Whether words of its script stand apart."""
    return letter.isalnum() and ord(letter) < 0x2E80
