"""What an agent may write: where it belongs, and how its lines differ from the owner's.

Where a text belongs is told by rules, no model: the phrases of the `[routing]` sections of the
language files. What shows no sign of belonging to the day alone is taken to last and becomes a
fact, which is found by recall and costs nothing until then; the core memory is read in every
conversation and takes only what is an order. An agent's text is never the owner's word: each line
names its author, and a change of the core memory is proposed instead of written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from enum import StrEnum
from functools import cache
from html import unescape

from lorebank.agent.core_memory import CoreEdit
from lorebank.domain.facts import NOBODY, Author, Citation, FactKind, Origin
from lorebank.domain.judgments import Proposal, ProposalAction, proposal_id
from lorebank.errors import NotFound, UsageError
from lorebank.language.folding import fold
from lorebank.language.secrets import NOT_SECRET, redact
from lorebank.language.statements import pattern_of
from lorebank.markdown.fact_lines import begins_typed
from lorebank.markdown.hidden import shareable, without_private
from lorebank.markdown.origin import format_author, parse_author, read_origin_mark
from lorebank.names.lexicon import look
from lorebank.records import Record
from lorebank.retain.compose import without_heading
from lorebank.retain.kinds import holds_phrase, kind_of, phrases
from lorebank.workspace.layout import is_core


class Remembered(Record):
    """What was written, where, and why there."""

    place: str  # `core`, `fact` or `log`; `proposal` where the owner is asked first
    reason: str
    text: str
    source: Citation
    fact_id: str | None = None
    understood: str = ""  # of a fact or note: kind, whom, when; see `as_understood`
    warning: str = ""  # that the core memory grows too large


_BULLET = re.compile(r"\A\s*[-*+]\s+")
_BEFORE_COMMAND = r"(?:(?:please|bitte|no|nao|ne|non)\s+)?(?:(?:me|mi|nos|nous)\s+|\w['’])?"
"""`Ne m'appelle jamais`, `No me llames nunca`; on folded text."""
_OPENING = r"\W*(?:[^,.;:!?]{1,40},\s+)?"  # `Le dimanche, …`, `S'il te plaît, …`
_UNSPACED = 0x2E80  # from here on scripts write words without spaces
_REQUEST_END = r"[\s:,;.!\-–—、，：]*"


class Place(StrEnum):
    """Where a text to be remembered is written."""

    CORE = "core"  # `memory.md`: orders that hold in every conversation
    FACT = "fact"  # the retain section of today's log: decisions, preferences, what lasts
    LOG = "log"  # a note in today's log: context of the day


class Route(Record):
    place: Place
    reason: str
    text: str


def route(text: str, *, to: str = "auto") -> Route:
    """Where a text belongs; `to` names the place outright (`core`, `fact`, `log`)."""
    body = _BULLET.sub("", text.strip())
    asks = _requests().match(body)  # `Remember this: the key …` → `the key …`
    stripped = (body[asks.end() :].strip() if asks else "") or body
    if to != "auto":
        if to not in [place.value for place in Place]:
            raise UsageError(f"unknown place '{to}'", hint="use auto, core, fact or log")
        return Route(Place(to), "as asked", body if to == Place.LOG else stripped)
    if begins_typed(body):
        return Route(Place.FACT, "it is written as a fact", body)
    if holds_phrase(stripped, "order") or _commands().match(fold(stripped)):
        return Route(Place.CORE, "an order for every conversation", stripped)
    if holds_phrase(stripped, "decision"):
        return Route(Place.FACT, "a decision", stripped)
    if kind_of(stripped) is FactKind.OPINION:
        return Route(Place.FACT, "a preference", stripped)
    if holds_phrase(stripped, "context"):
        return Route(Place.LOG, "context of the day", stripped)
    return Route(Place.FACT, "a durable fact", stripped)


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
    """`Antworte mir immer …`: a verb that orders begins the text, or follows what it begins with
    and a comma; how often stands near it, or at the end."""
    of_languages: list[str] = []
    for language, listed in phrases("often").items():
        command, often = _any_of(phrases("command")[language]), _any_of(listed)
        of_languages.append(rf"(?:{command})(?:[\s'’-]+\w+){{0,2}}?\s+(?:{often})")
        of_languages.append(rf"(?:{often})\s+(?:\w+[\s'’-]+){{0,2}}?(?:{command})")
        of_languages.append(rf"(?:{command})[^.;:!?]{{0,60}}[\s,](?:{often})\W*\Z")
    return re.compile(rf"{_OPENING}{_BEFORE_COMMAND}(?:{'|'.join(of_languages)})")


def _any_of(listed: Sequence[str]) -> str:
    return "|".join(map(pattern_of, listed))


WINDOW_DAYS = 7
"""How far back an agent may date a line: "last week" is what conversations look back to."""
_LIST_MARKERS = "-*+ \t"
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
"""Soft hyphen, zero-width space and marks of direction; joiners stay, which scripts and emoji
need."""


def as_written_by(author: Author, origin: Origin, today: date, day: date) -> tuple[Origin, Author]:
    """Whose word a line is, and by whom; `UsageError` for an agent's day outside its window."""
    if author is not NOBODY:
        origin = origin.least_trusted(Origin.AGENT)
    if origin is not Origin.AGENT:
        return origin, author
    earliest = today - timedelta(days=WINDOW_DAYS)
    if not earliest <= day <= today:
        raise UsageError(
            f"{day} is not a day that an agent may write for; nothing was written",
            hint=f"leave the date out, or give one from {earliest} to {today}",
        )
    return origin, author if day == today else replace(author, written=today)


def is_order(text: str) -> bool:
    """Whether a line of a text belongs in the core memory; look-alike letters count as Latin."""
    lines = [_plain_item(line) for line in text.split("\n")]
    lines += [look(fold(line)) for line in lines if not line.isascii()]
    return any(route(line).place is Place.CORE for line in lines)


def admitted(text: str) -> str:
    """An agent's text without private parts, marks of origin and invisible characters, which hide a
    word from whoever looks for it; `UsageError` for a secret, whatever it says of it."""
    text = _INVISIBLE.sub("", text.replace(NOT_SECRET, ""))
    if "private" in (plain := _unescaped(text)).lower():
        text = plain
    shown = without_private(text)
    if shown != text:
        shown = "\n".join(" ".join(line.split()) for line in shown.split("\n")).strip()
        if not shown.strip(_LIST_MARKERS):
            raise UsageError("nothing was written: the text is private")
    if secrets := redact(shown).secrets:
        raise UsageError(
            f"nothing was written: the text holds a secret ({secrets[0].kind})",
            hint="write down where it is kept instead",
        )
    return read_origin_mark(shown)[0]


def _unescaped(text: str) -> str:
    """A text with its tags as tags: `&lt;private&gt;`, `&#60;…&#62;`, `&amp;lt;…&amp;gt;`."""
    while (plain := unescape(text)) != text:
        text = plain
    return text.translate({0xFF1C: "<", 0xFF1E: ">"})


def admitted_fact(text: str) -> str:
    """As `admitted`, for a fact: "ok" and "x" state nothing."""
    said = admitted(text)
    if not any(len(w) > 2 or w >= "\u2e80" or w.isdigit() for w in re.findall(r"\w+", said)):
        hint = "write one sentence that stands alone, with names"
        raise UsageError(f"nothing was written: '{said}' states nothing by itself", hint=hint)
    return said


def core_request(
    path: str, text: str, edit: CoreEdit, author: Author, today: date
) -> CoreEdit | tuple[Proposal, ...]:
    """What becomes of an agent's wish to change the core memory `text` at `path`: all is proposed
    to the owner, but for taking out a line that is marked as an agent's."""
    lines = [_plain_item(line) for line in admitted(edit.text).split("\n")]
    wanted = [line for line in lines if line]
    if typed := next((line for line in wanted if begins_typed(line)), None):
        raise UsageError(f"'{typed}' is a fact", hint="facts belong in the log: use retain")
    if edit.action == "replace":
        return _replacement(path, text, edit, wanted, _asked_by(author, today))
    if not wanted:
        raise UsageError("nothing to add", hint="give the line as text")
    return tuple(_proposal(path, "", f"- {line}", _asked_by(author, today)) for line in wanted)


def is_by(author: Author, lines: Iterable[str]) -> bool:
    """Whether the agent wrote all of these lines, by the mark that each ends in."""
    name = parse_author(format_author(author)).agent
    said = [read_origin_mark(line)[1:] for line in lines if line.strip()]
    return all(origin is Origin.AGENT and by.agent == name for origin, by in said)


def cut_request(path: str, lines: Sequence[str], author: Author, today: date) -> Proposal:
    old = "\n".join(lines)
    if shareable(old) != old:
        raise UsageError(
            f"a line of {path} holds what is private or secret; nothing was cut",
            hint="only the owner cuts that",
        )
    return _proposal(path, old, "", _asked_by(author, today))


def _asked_by(author: Author, today: date) -> str:
    return f"Asked for by {author.agent or 'an agent'} on {today}"


def _replacement(
    path: str, text: str, edit: CoreEdit, wanted: list[str], asked_by: str
) -> CoreEdit | tuple[Proposal, ...]:
    parts = [part.strip() for part in edit.old.split("\n") if part.strip()]
    touched = [line for line in text.split("\n") if any(part in line for part in parts)]
    if not touched:
        raise NotFound("the old text does not stand in the core memory")
    if len(touched) > 1 or len(wanted) > 1:
        raise UsageError("an agent replaces one line at a time")
    [line] = touched
    said, origin, _ = read_origin_mark(line)
    bare = said.strip().lstrip(_LIST_MARKERS)
    old = read_origin_mark(edit.old)[0].strip().lstrip(_LIST_MARKERS)
    new = bare.replace(old, wanted[0] if wanted else "", 1)
    if origin is Origin.AGENT and not new:
        return replace(edit, old=line, text="")
    marker = line[: len(line) - len(line.lstrip(_LIST_MARKERS))]
    return (_proposal(path, line, f"{marker}{new}" if new else "", asked_by),)


def _plain_item(line: str) -> str:
    """One line of an agent's text as a list item says it: no heading, no tag, no comment."""
    return without_heading(line.strip().lstrip(_LIST_MARKERS)).replace("<", "&lt;").strip()


def _proposal(path: str, old: str, new: str, why: str) -> Proposal:
    action = ProposalAction.ADD
    if old:
        action = ProposalAction.REPLACE if new else ProposalAction.REMOVE
    id = proposal_id(f"{'' if is_core(path) else path}{old}", new)
    return Proposal(id, action, path, old, new, why, ())
