"""One JSON value of a transcript → who said what in it, whatever host wrote it.

Known are OpenClaw's sessions (`{"type": "message", "message": {…}}`), Claude Code's (`{"type":
"user", "message": {…}, "uuid": …}`), Codex' (`{"payload": {…}}`) and plain messages: `role` and
`content`, `from` and `value`, alone or in a list under `messages`. Kept is the text of users and
assistants. System prompts, tools and their output, thinking, pictures, summaries that a host made,
and what agents said among themselves are left out; fields that nobody knows are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"


class Utterance(NamedTuple):
    """One message as it stands in the file."""

    role: Role
    text: str
    day: date | None
    """Of its own time stamp, in the zone that is written there."""
    id: str
    """As its host numbers it; empty where it does not."""


_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "model": Role.ASSISTANT,
}
_ASIDE = frozenset({"isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "thought"})
_LISTS = frozenset({"messages", "conversations", "conversation", "turns"})
_ENVELOPES = ("message", "payload")
_ENVELOPE_TYPES = frozenset({"message", "response_item", *_ROLES})
"""Of others, such as progress and hooks, the message within is no turn of this conversation."""
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_CONTENTS = ("content", "text", "value", "parts")
_STAMPS = ("timestamp", "created_at", "createdAt", "create_time", "ts", "time", "date")
_IDS = ("uuid", "id", "message_id", "messageId")
_DEPTH = 4
"""Lists within lists; chosen by hand, so that a hostile value ends somewhere."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 10**11
"""A number of seconds that large would be after the year 5000."""
_YEARS = range(1970, 2200)


def utterances_in(value: object) -> Iterator[Utterance]:
    """The messages of users and assistants in one value, in their order."""
    yield from _utterances(value, None, "", _DEPTH)


def _utterances(value: object, day: date | None, id: str, depth: int) -> Iterator[Utterance]:
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from _utterances(each, day, f"{id}#{position}" if id else "", depth - 1)
        return
    if not isinstance(value, dict) or depth < 0 or _is_aside(value):
        return
    day = _day(value) or day
    id = _id(value) or id
    for name in value.keys() & _LISTS:
        if isinstance(value[name], list):
            yield from _utterances(value[name], day, id, depth - 1)
            return
    role = _role(value)
    if role is not None and (text := _text(value)):
        yield Utterance(role, text, day, id)
    elif "role" not in value and _is_envelope(value):
        for name in _ENVELOPES:
            if isinstance(inner := value.get(name), dict):
                for said in _utterances(_with_role(inner, value), day, id, depth - 1):
                    yield said._replace(id=id or said.id, day=day or said.day)
                return


def _is_envelope(value: Mapping[str, Any]) -> bool:
    sort = value.get("type", "message")
    return isinstance(sort, str) and sort in _ENVELOPE_TYPES


def _is_aside(value: Mapping[str, Any]) -> bool:
    marked = not _ASIDE.isdisjoint(value) and any(value.get(mark) is True for mark in _ASIDE)
    return marked or value.get("channel") == "analysis"


def _role(value: Mapping[str, Any]) -> Role | None:
    """Its role as it says; `type` where nothing else names one."""
    author = value.get("author")
    role = value.get("role", author.get("role") if isinstance(author, dict) else author)
    for name in (role, value.get("from"), value.get("sender"), value.get("type")):
        if isinstance(name, str):
            return _ROLES.get(name.strip().lower())
    return None


def _with_role(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message whose host names the role on the envelope alone."""
    named = outer.get("type", "message")
    return inner if "role" in inner or named not in _ROLES else {**inner, "role": named}


def _text(value: Mapping[str, Any]) -> str:
    for name in _CONTENTS:
        if (content := value.get(name)) is not None:
            return "\n\n".join(_pieces(content, _DEPTH))
    return ""


def _pieces(content: object, depth: int) -> Iterator[str]:
    """The texts of a content: a text, a block, or a list of them."""
    if isinstance(content, str):
        if content.strip():
            yield content
    elif isinstance(content, list):
        for block in content if depth else ():
            yield from _pieces(block, depth - 1)
    elif isinstance(content, dict) and depth and not _is_aside(content):
        sort = content.get("type", content.get("content_type"))
        if sort is None or (isinstance(sort, str) and sort in _TEXT_BLOCKS):
            inner = next((content[n] for n in ("text", "value", "parts") if n in content), None)
            yield from _pieces(inner, depth - 1)


def _id(value: Mapping[str, Any]) -> str:
    for name in _IDS:
        if isinstance(found := value.get(name), str | int) and found != "":
            return str(found)
    return ""


def _day(value: Mapping[str, Any]) -> date | None:
    for name in _STAMPS:
        if (found := value.get(name)) is not None and (day := _day_of(found)):
            return day
    return None


def _day_of(stamp: object) -> date | None:
    """The day of an ISO time, or of seconds or milliseconds since 1970; `None` for all else."""
    try:
        if isinstance(stamp, str) and not stamp.strip().replace(".", "", 1).isdigit():
            day = date.fromisoformat(stamp.strip()[:10])
        elif isinstance(stamp, bool) or not isinstance(stamp, str | int | float):
            return None
        else:
            seconds = float(stamp)
            seconds /= 1000 if abs(seconds) >= _MILLISECONDS_FROM else 1
            day = (_EPOCH + timedelta(seconds=seconds)).date()
    except (ValueError, OverflowError):
        return None
    return day if day.year in _YEARS else None
