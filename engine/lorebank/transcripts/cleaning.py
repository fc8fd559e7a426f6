"""What somebody said, as it may be kept: without what a host put in, recalled text and secrets.

Gone are reminders and outputs that a host wraps in tags of its own, pictures and other encoded
bytes, text that memory itself gave out, private spans, control characters; secrets are masked.
"""

from __future__ import annotations

import re

from lorebank.language.secrets import redact
from lorebank.markdown.hidden import without_private
from lorebank.markdown.recalled import strip_recalled
from lorebank.records import dataclass

LONGEST_TURN = 256_000
"""Characters; what is longer was pasted, not said."""

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
_LEAST_ENCODED = 60
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufeff]")
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_GAPS = ("\n\n\n", "\n ", "\n\t")
_SILENT = frozenset(
    {
        *("NO_REPLY", "HEARTBEAT_OK", "[Request interrupted by user]", "(no content)"),
        *("[Request interrupted by user for tool use]", "No response requested."),
    }
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What is left of a turn."""

    text: str
    """Empty where nothing is."""
    secrets: tuple[str, ...] = ()
    """Kinds of what was masked."""
    cut: bool = False
    """Whether the end of a very long turn is left out."""


def clean_turn(text: str) -> Cleaned:
    """The text as it may be stored and shown."""
    if len(text) > LONGEST_TURN or "base64" in text:
        text = _DATA_URI.sub("", text)
    if max(map(len, text.split()), default=0) >= _LEAST_ENCODED:
        text = _ENCODED.sub("", text)
    cut = len(text) > LONGEST_TURN
    text = _plain(text[:LONGEST_TURN])
    text = strip_recalled(text).text
    if "<" in text:
        text = without_private(_KEPT_TAGS.sub("", _without_host_tags(text)))
    if "(untrusted" in text:
        text = _METADATA.sub("", text)
    if "[message_id" in text:
        text = _MESSAGE_ID.sub("", text)
    if any(gap in text for gap in _GAPS):
        text = _BLANK_LINES.sub("\n\n", text)
    text = text.strip()
    if not text or text in _SILENT:
        return Cleaned("", cut=cut)
    redacted = redact(text)
    return Cleaned(redacted.text, tuple(secret.kind for secret in redacted.secrets), cut)


def _plain(text: str) -> str:
    """The text with LF line ends, and without what moves a terminal or no encoding can write."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.replace("\n", " ").isprintable():
        return text
    return _CONTROL.sub("", _ANSI.sub("", text) if "\x1b" in text else text)


def _without_host_tags(text: str) -> str:
    """The text without the elements of these tags; one that is never closed is a word like any."""
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
