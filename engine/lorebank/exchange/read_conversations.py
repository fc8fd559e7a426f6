"""`conversations.json` of either maker, streamed: one conversation is in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import tzinfo
from pathlib import PurePosixPath
from typing import Any

from lorebank.domain import Diagnostic
from lorebank.exchange.conversations import Conversation, conversation_note
from lorebank.exchange.json_stream import BROKEN, BrokenJson, json_values
from lorebank.exchange.notes import Read
from lorebank.exchange.read_chatgpt import chatgpt_conversation, is_chatgpt
from lorebank.exchange.read_claude import claude_conversation, is_claude
from lorebank.exchange.source import Source

_CONVERSATIONS = re.compile(r"conversations?(?:[-_]\d+)?\.json\Z", re.IGNORECASE)


def conversation_files(source: Source) -> tuple[str, ...]:
    """The files of an export that hold conversations."""
    if source.paths == ("",):
        return source.paths
    return tuple(p for p in source.paths if _CONVERSATIONS.match(PurePosixPath(p).name))


def read_chatgpt(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of ChatGPT's export in their order; days are those of `zone`."""
    yield from _read(
        source,
        is_chatgpt,
        lambda value, place, line: chatgpt_conversation(value, place, line, zone),
    )


def read_claude(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of Claude's export in their order; days are those of `zone`."""
    yield from _read(
        source, is_claude, lambda value, place, line: claude_conversation(value, place, line, zone)
    )


def _read(
    source: Source,
    fits: Callable[[object], bool],
    conversation: Callable[[Any, str, int], Conversation],
) -> Read:
    files = conversation_files(source)
    for path in source.paths:
        if path not in files:
            yield Diagnostic(path, 0, "not-a-conversation", "holds no conversations; left out")
    for path in files:
        place = path or source.root.name
        try:
            with source.open(path) as stream:
                for line, value in _each(json_values(stream)):
                    if fits(value):
                        yield from conversation_note(conversation(value, place, line))
                    else:
                        message = "is no conversation of this form; left out"
                        yield Diagnostic(place, line, "not-a-conversation", message)
        except BrokenJson as error:
            yield Diagnostic(place, error.line, BROKEN, f"{error}; what came before it is imported")
        except OSError as error:
            yield source.unread(path, error)


def _each(values: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The conversations, also where the export wraps them in `{"conversations": […]}`."""
    for line, value in values:
        inner = value.get("conversations") if isinstance(value, dict) else None
        if isinstance(inner, list):
            yield from ((line, each) for each in inner)
        else:
            yield line, value
