"""Where a text that is to be remembered belongs.

Rules, no model: the phrases of the `[routing]` sections of the language files. What is said to be
remembered and shows no sign of belonging to the day alone is taken to last, and becomes a fact: a
fact is found by recall and costs nothing until then, while the core memory is read in every
conversation and takes only what is an order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import cache

from lorebank.domain.facts import Citation, FactKind
from lorebank.errors import UsageError
from lorebank.language.folding import fold
from lorebank.language.statements import pattern_of
from lorebank.markdown.fact_lines import begins_typed
from lorebank.records import Record
from lorebank.retain.kinds import kind_of, phrases, said


class Remembered(Record):
    """What was written, where, and why there."""

    place: str
    """`core`, `fact` or `log`; `proposal` where the owner is asked first."""
    reason: str
    text: str
    source: Citation
    fact_id: str | None = None
    warning: str = ""
    """That the core memory grows too large."""


_BULLET = re.compile(r"\A\s*[-*+]\s+")
_BEFORE_COMMAND = r"(?:(?:please|bitte|no|nao|ne|non)\s+)?(?:(?:me|mi|nos|nous)\s+|\w['’])?"
"""`Ne m'appelle jamais`, `No me llames nunca`; on folded text."""
_UNSPACED = 0x2E80
"""From here on scripts write words without spaces."""
_REQUEST_END = r"[\s:,;.!\-–—、，：]*"


class Place(StrEnum):
    """Where a text to be remembered is written."""

    CORE = "core"
    """`memory.md`: orders that hold in every conversation."""
    FACT = "fact"
    """The retain section of today's log: decisions, preferences, what lasts."""
    LOG = "log"
    """A note in today's log: context of the day."""


class Route(Record):
    """A place, why, and the text without the words that asked to remember it."""

    place: Place
    reason: str
    text: str


def route(text: str, *, to: str = "auto") -> Route:
    """Where a text belongs; `to` names the place outright (`core`, `fact`, `log`)."""
    body = _BULLET.sub("", text.strip())
    stripped = _without_request(body)
    if to != "auto":
        if to not in [place.value for place in Place]:
            raise UsageError(f"unknown place '{to}'", hint="use auto, core, fact or log")
        return Route(Place(to), "as asked", stripped)
    if begins_typed(body):
        return Route(Place.FACT, "it is written as a fact", body)
    if said(stripped, "order") or _commands().match(fold(stripped)):
        return Route(Place.CORE, "an order for every conversation", stripped)
    if said(stripped, "decision"):
        return Route(Place.FACT, "a decision", stripped)
    if kind_of(stripped) is FactKind.OPINION:
        return Route(Place.FACT, "a preference", stripped)
    if said(stripped, "context"):
        return Route(Place.LOG, "context of the day", stripped)
    return Route(Place.FACT, "a durable fact", stripped)


def _without_request(text: str) -> str:
    """`Remember this: the key is under the mat` → `the key is under the mat`."""
    found = _requests().match(text)
    rest = text[found.end() :].strip() if found else text
    return rest or text


@cache
def _requests() -> re.Pattern[str]:
    """The words that ask to remember, as written, the longest first."""
    listed = [phrase for each in phrases("request").values() for phrase in each]
    heads = "|".join(map(_request, sorted(listed, key=len, reverse=True)))
    return re.compile(rf"(?:{heads}){_REQUEST_END}", re.IGNORECASE)


def _request(phrase: str) -> str:
    spaced = phrase[-1].isalnum() and ord(phrase[-1]) < _UNSPACED
    return re.escape(phrase).replace(r"\ ", r"\s+") + (r"(?!\w)" if spaced else "")


@cache
def _commands() -> re.Pattern[str]:
    """`Antworte mir immer …`: a verb that begins the text and orders, and how often soon after."""
    of_languages = [
        f"(?:{_any_of(phrases('command')[language])})(?:\\s+\\w+){{0,2}}?\\s+(?:{_any_of(often)})"
        for language, often in phrases("often").items()
    ]
    return re.compile(rf"{_BEFORE_COMMAND}(?:{'|'.join(of_languages)})")


def _any_of(listed: Sequence[str]) -> str:
    return "|".join(map(pattern_of, listed))
