"""Parse one line of a transcript into turns that may be kept, and problems.

Supported are OpenClaw's sessions (`{"type": "message", "message": {…}}`), Claude Code's (`{"type":
"user", "message": {…}, "uuid": …}`), Codex' (`{"payload": {…}}`) and plain messages: `role` and
`content`, `from` and `value`, single or in a list under `messages`. Kept is the text of users and
assistants, without system prompts, tools and their output, thinking, summaries by the host and
messages between agents; unknown fields are ignored.

Removed are text in a host's own tags, encoded data, recalled text, private spans and control
characters; secrets are masked. Only LF ends a line; overlong lines are skipped without being
loaded, and the last line may be incomplete. Problems are reported by code, never raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, BinaryIO, NamedTuple

from lorebank.language.secrets import redact
from lorebank.markdown.hidden import without_private
from lorebank.markdown.origin import strip_recalled
from lorebank.records import Record


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"


class Utterance(NamedTuple):
    """One message of the file."""

    role: Role
    text: str
    day: date | None  # of its time stamp, in the zone written there
    id: str  # the host's id, if any


_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "model": Role.ASSISTANT,
}
_META_FLAGS = frozenset(
    {"isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "thought"}
)
_LIST_KEYS = frozenset({"messages", "conversations", "conversation", "turns"})
_ENVELOPES = ("message", "payload")
_ENVELOPE_TYPES = frozenset({"message", "response_item", *_ROLES})
"""Messages inside other types, such as progress and hooks, are not turns."""
_TEXT_BLOCKS = frozenset({"text", "input_text", "output_text"})
_CONTENT_KEYS = ("content", "text", "value", "parts")
_TIME_KEYS = ("timestamp", "created_at", "createdAt", "create_time", "ts", "time", "date")
_ID_KEYS = ("uuid", "id", "message_id", "messageId")
_DEPTH = 4  # nesting limit against hostile values; chosen by hand
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS_FROM = 10**11  # as seconds this would be after the year 5000
_YEARS = range(1970, 2200)


def utterances_in(value: object) -> Iterator[Utterance]:
    """The messages of users and assistants in one value, in order."""
    yield from _utterances(value, None, "", _DEPTH)


def _utterances(value: object, day: date | None, id: str, depth: int) -> Iterator[Utterance]:
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from _utterances(each, day, f"{id}#{position}" if id else "", depth - 1)
        return
    if not isinstance(value, dict) or depth < 0 or _is_meta(value):
        return
    day = _day(value) or day
    id = _id(value) or id
    for name in value.keys() & _LIST_KEYS:
        if isinstance(value[name], list):
            yield from _utterances(value[name], day, id, depth - 1)
            return
    role = _role(value)
    if role is not None and (text := _text(value)):
        yield Utterance(role, text, day, id)
    elif "role" not in value and _is_envelope(value):
        for name in _ENVELOPES:
            if isinstance(inner := value.get(name), dict):
                for utterance in _utterances(_with_role(inner, value), day, id, depth - 1):
                    yield utterance._replace(id=id or utterance.id, day=day or utterance.day)
                return


def _is_envelope(value: Mapping[str, Any]) -> bool:
    type_name = value.get("type", "message")
    return isinstance(type_name, str) and type_name in _ENVELOPE_TYPES


def _is_meta(value: Mapping[str, Any]) -> bool:
    marked = not _META_FLAGS.isdisjoint(value) and any(
        value.get(mark) is True for mark in _META_FLAGS
    )
    return marked or value.get("channel") == "analysis"


def _role(value: Mapping[str, Any]) -> Role | None:
    """Its role; from `type` only if nothing else names one."""
    author = value.get("author")
    role = value.get("role", author.get("role") if isinstance(author, dict) else author)
    for name in (role, value.get("from"), value.get("sender"), value.get("type")):
        if isinstance(name, str):
            return _ROLES.get(name.strip().lower())
    return None


def _with_role(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> Mapping[str, Any]:
    """For hosts that name the role only on the envelope."""
    named = outer.get("type", "message")
    return inner if "role" in inner or named not in _ROLES else {**inner, "role": named}


def _text(value: Mapping[str, Any]) -> str:
    for name in _CONTENT_KEYS:
        if (content := value.get(name)) is not None:
            return "\n\n".join(_pieces(content, _DEPTH))
    return ""


def _pieces(content: object, depth: int) -> Iterator[str]:
    """The texts of a text, a block, or a list of them."""
    if isinstance(content, str):
        if content.strip():
            yield content
    elif isinstance(content, list):
        for block in content if depth else ():
            yield from _pieces(block, depth - 1)
    elif isinstance(content, dict) and depth and not _is_meta(content):
        type_name = content.get("type", content.get("content_type"))
        if type_name is None or (isinstance(type_name, str) and type_name in _TEXT_BLOCKS):
            inner = next((content[n] for n in ("text", "value", "parts") if n in content), None)
            yield from _pieces(inner, depth - 1)


def _id(value: Mapping[str, Any]) -> str:
    for name in _ID_KEYS:
        if isinstance(found := value.get(name), str | int) and found != "":
            return str(found)
    return ""


def _day(value: Mapping[str, Any]) -> date | None:
    for name in _TIME_KEYS:
        if (found := value.get(name)) is not None and (day := _day_of(found)):
            return day
    return None


def _day_of(stamp: object) -> date | None:
    """The day of an ISO time, or of seconds or milliseconds since 1970, if valid."""
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


MAX_LINE_BYTES = 16 * 2**20  # pictures in a conversation take a few million


class TranscriptOffset(Record):
    """How far a file was read."""

    offset: int  # bytes
    lines: int  # line ends


START = TranscriptOffset(0, 0)


class Line(Record):
    """One line without its end."""

    number: int  # 1-based
    data: bytes  # empty if the line is too long
    end: TranscriptOffset  # where the next line starts
    too_long: bool
    ended: bool  # whether it has its line end; else it may still grow


def lines_of(
    handle: BinaryIO, start: TranscriptOffset = START, *, longest: int = MAX_LINE_BYTES
) -> Iterator[Line]:
    """The lines from `start` on; at most `longest` bytes of a line are held in memory."""
    handle.seek(start.offset)
    offset, number = start.offset, start.lines
    while data := handle.readline(longest + 1):
        size, ended = len(data), data.endswith(b"\n")
        too_long = size > longest and not ended
        while too_long and not ended and (rest := handle.readline(longest)):
            size, ended = size + len(rest), rest.endswith(b"\n")
        offset, number = offset + size, number + 1
        end = TranscriptOffset(offset, number if ended else number - 1)
        yield Line(number, b"" if too_long else data.removesuffix(b"\n"), end, too_long, ended)


MAX_TURN_CHARACTERS = 256_000  # longer ones were pasted, not said
_HOST_TAGS = (
    *("system-reminder", "system_reminder", "system", "environment_context", "user_instructions"),
    *("local-command-stdout", "local-command-stderr", "local-command-caveat", "command-name"),
    *("command-message", "bash-stdout", "bash-stderr", "user-prompt-submit-hook", "tool_result"),
    *("ide_opened_file", "ide_selection", "ide_diagnostics", "task-notification", "tool_use"),
    *("thinking", "think", "antml:thinking", "reasoning", "function_results", "tool_call"),
)
_OPENED = re.compile(rf"<({'|'.join(map(re.escape, _HOST_TAGS))})(?:\s[^<>]*)?>", re.IGNORECASE)
_KEPT_TAGS = re.compile(r"</?(?:command-args|bash-input)>")
_METADATA = re.compile(
    r"^[A-Z][\w ]{2,60} \(untrusted[^()\n]{0,60}\):\n```json\n(?:(?!```).*\n){0,200}```[ \t]*$",
    re.MULTILINE,
)
_MESSAGE_ID = re.compile(r"^\[message_id: [^\]\n]{1,120}\][ \t]*$", re.MULTILINE)
_DATA_URI = re.compile(r"data:[\w/+.;=-]{0,120};base64,[A-Za-z0-9+/=_%-]*")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{200,}+={0,2}|(?:[A-Za-z0-9+/]{60,}+={0,2}\r?\n){3,}+")
_MIN_ENCODED_WORD = 60  # `_ENCODED` cannot match without a word of this length
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_EMPTY_REPLIES = frozenset(
    {
        *("NO_REPLY", "HEARTBEAT_OK", "[Request interrupted by user]", "(no content)"),
        *("[Request interrupted by user for tool use]", "No response requested."),
    }
)


def clean_turn(text: str) -> tuple[str, list[str]]:
    """The text as it may be stored and shown, or an empty one; and codes of `PROBLEMS`."""
    if len(text) > MAX_TURN_CHARACTERS or "base64" in text:
        text = _DATA_URI.sub("", text)
    if max(map(len, text.split()), default=0) >= _MIN_ENCODED_WORD:
        text = _ENCODED.sub("", text)
    odd = ["session-turn-cut"] if len(text) > MAX_TURN_CHARACTERS else []
    text = _plain(text[:MAX_TURN_CHARACTERS])
    text = strip_recalled(text).text
    if "<" in text:
        text = without_private(_KEPT_TAGS.sub("", _without_host_tags(text)))
    text = _BLANK_LINES.sub("\n\n", _MESSAGE_ID.sub("", _METADATA.sub("", text))).strip()
    if not text or text in _EMPTY_REPLIES:
        return "", odd
    redacted = redact(text)
    return redacted.text, ["secret-redacted"] * bool(redacted.secrets) + odd


def _plain(text: str) -> str:
    """The text with LF line ends, without control characters and lone surrogates."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.replace("\n", " ").isprintable():
        return text
    return _CONTROL.sub("", _ANSI.sub("", text) if "\x1b" in text else text)


def _without_host_tags(text: str) -> str:
    """The text without elements of these tags; unclosed tags are plain text."""
    low = text.lower()
    if len(low) != len(text):
        low = text
    pieces: list[str] = []
    kept = position = 0
    unclosed: set[str] = set()
    while opened := _OPENED.search(text, position):
        name = opened[1].lower()
        position = opened.end()
        if name in unclosed or text[opened.start() - 1 : opened.start()] == "`":
            continue
        close = low.find(f"</{name}>", position)
        if close < 0:
            unclosed.add(name)
            continue
        pieces.append(text[kept : opened.start()])
        kept = position = close + len(name) + 3
    return "".join([*pieces, text[kept:]]) if kept else text


PROBLEMS = {
    "session-line-half": "the last line is incomplete; it is read once it is complete",
    "session-line-long": "a line is too long to hold a turn; it is skipped",
    "session-line-unread": "a line is not a JSON object; it is skipped",
    "session-nul": "a line contains NUL bytes; it is read without them",
    "session-replaced": "the file was replaced; it was read from the start",
    "session-turn-cut": f"a turn is kept to its first {MAX_TURN_CHARACTERS:,} characters",
    "session-turn-repeated": "a message is repeated; it is kept once",
    "session-utf8": "a line is not UTF-8; undecodable bytes are read as �",
    "secret-redacted": "a secret is kept out of the index",
}
"""Problems of transcripts: code → message."""
_DECODER = json.JSONDecoder(strict=False)


class Turn(Record):
    """A message reduced to what may be kept."""

    role: Role
    text: str
    line: int = 0  # 1-based
    day: date | None = None  # of its time stamp, if any
    id: str = ""  # the host's id, if any


class ReadLine(Record):
    """The turns of one line, and codes of `PROBLEMS`."""

    turns: tuple[Turn, ...] = ()
    odd: tuple[str, ...] = ()
    whole: bool = True  # false for an incomplete last line


def read_line(line: Line) -> ReadLine:
    """The turns of a line; an incomplete last line is not whole."""
    odd: list[str] = []
    try:
        values = _values(line, odd)
    except ValueError:
        return _UNREAD if line.ended else _PARTIAL
    if line.too_long:
        return _TOO_LONG if line.ended else _PARTIAL
    turns = []
    for utterance in (utterance for value in values for utterance in utterances_in(value)):
        text, codes = clean_turn(utterance.text)
        odd += codes
        if text:
            turns.append(Turn(utterance.role, text, line.number, utterance.day, utterance.id))
    return ReadLine(tuple(turns), tuple(odd))


_UNREAD = ReadLine(odd=("session-line-unread",))
_TOO_LONG = ReadLine(odd=("session-line-long",))
_PARTIAL = ReadLine(odd=("session-line-half",), whole=False)


def _values(line: Line, odd: list[str]) -> list[object]:
    """The JSON values: several if line ends were lost. Raises `ValueError`."""
    data = line.data
    if b"\0" in data:
        odd.append("session-nul")
        data = data.replace(b"\0", b"")
    data = data.strip(b"\xef\xbb\xbf \t\r" if line.number == 1 else b" \t\r")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        odd.append("session-utf8")
        text = data.decode("utf-8", "replace")
    values = list[object]()
    while text:
        try:
            value, end = _DECODER.raw_decode(text)
        except RecursionError as problem:
            raise ValueError("nested too deeply") from problem
        if not isinstance(value, dict | list):
            raise ValueError("neither an object nor a list")
        values.append(value)
        text = text[end:].lstrip(" \t\r")
    return values


def turns_of(handle: BinaryIO) -> Iterator[Turn]:
    seen: set[tuple[str, str]] = set()
    for line in lines_of(handle):
        for turn in read_line(line).turns:
            if turn.id and (turn.id, turn.text) in seen:
                continue
            seen.add((turn.id, turn.text))
            yield turn
