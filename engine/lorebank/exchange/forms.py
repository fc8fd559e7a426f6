"""Which program a source comes from, recognised by its content, and the reader of each form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import tzinfo
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from lorebank.domain import Diagnostic
from lorebank.errors import UsageError
from lorebank.exchange.conversations import Conversation, conversation_note
from lorebank.exchange.notes import Read
from lorebank.exchange.prose import split_front_matter
from lorebank.exchange.read_basic_memory import has_observations, read_basic_memory
from lorebank.exchange.read_chatgpt import chatgpt_conversation, is_chatgpt
from lorebank.exchange.read_claude import claude_conversation, is_claude
from lorebank.exchange.read_jsonl import TEXT_KEYS, read_jsonl
from lorebank.exchange.read_logseq import read_logseq
from lorebank.exchange.read_obsidian import read_obsidian
from lorebank.exchange.source import BROKEN, BrokenJson, Source, json_values

_CONVERSATIONS = re.compile(r"conversations?(?:[-_]\d+)?\.json\Z", re.IGNORECASE)


def conversation_files(source: Source) -> tuple[str, ...]:
    """The files of an export that hold conversations."""
    if source.paths == ("",):
        return source.paths
    return tuple(p for p in source.paths if _CONVERSATIONS.match(PurePosixPath(p).name))


def read_chatgpt(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of ChatGPT's export in their order; days are those of `zone`."""
    yield from _read_conversations(
        source,
        is_chatgpt,
        lambda value, place, line: chatgpt_conversation(value, place, line, zone),
    )


def read_claude(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of Claude's export in their order; days are those of `zone`."""
    yield from _read_conversations(
        source, is_claude, lambda value, place, line: claude_conversation(value, place, line, zone)
    )


def _read_conversations(
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


_SAMPLE = 200
"""Notes looked at to distinguish basic-memory from Obsidian."""
_PERMALINK = re.compile(r"^permalink:", re.MULTILINE)
_HINT = "say what it is: --as obsidian, logseq, chatgpt, claude, basic-memory or jsonl"


class Form(StrEnum):
    """What can be imported."""

    OBSIDIAN = "obsidian"
    """Also any folder of Markdown."""
    LOGSEQ = "logseq"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    BASIC_MEMORY = "basic-memory"
    JSONL = "jsonl"


READERS: Mapping[Form, Callable[[Source], Read]] = MappingProxyType(
    {
        Form.OBSIDIAN: read_obsidian,
        Form.LOGSEQ: read_logseq,
        Form.CHATGPT: read_chatgpt,
        Form.CLAUDE: read_claude,
        Form.BASIC_MEMORY: read_basic_memory,
        Form.JSONL: read_jsonl,
    }
)
WHOLE_FORMS = (Form.CHATGPT, Form.CLAUDE)
"""Of an account there is one: each new export of it is the same source, whatever its name."""


def form_of(source: Source) -> Form:
    """The form of a source by what it holds; `UsageError` where it cannot be recognised."""
    if source.paths == ("",):
        return _form_of_file(source, "")
    tops = {path.split("/")[0] for path in source.paths}
    if "logseq" in tops or {"journals", "pages"} <= tops:
        return Form.LOGSEQ
    if files := conversation_files(source):
        return _form_of_file(source, files[0])
    notes = [path for path in source.below(".md") if not path.startswith(".")]
    if _is_basic_memory(source, notes[:_SAMPLE]):
        return Form.BASIC_MEMORY
    if notes or ".obsidian" in tops:
        return Form.OBSIDIAN
    if any(path.lower().endswith((".jsonl", ".ndjson")) for path in source.paths):
        return Form.JSONL
    if not source.paths:
        raise UsageError(f"{source.root}: holds no files", hint="was it exported at all?")
    raise UsageError(f"{source.root}: no known program wrote this", hint=_HINT)


def _form_of_file(source: Source, path: str) -> Form:
    shown = path or str(source.root)
    try:
        with source.open(path) as stream:
            first = next(islice(json_values(stream), 1), (1, None))[1]
    except (BrokenJson, OSError) as error:
        if _is_jsonl(source, path):
            return Form.JSONL
        raise UsageError(f"{shown}: no known program wrote this: {error}", hint=_HINT) from None
    inner = first.get("conversations") if isinstance(first, dict) else None
    first = inner[0] if isinstance(inner, list) and inner else first
    if is_chatgpt(first):
        return Form.CHATGPT
    if is_claude(first):
        return Form.CLAUDE
    if _has_text(first):
        return Form.JSONL
    if first is None:
        raise UsageError(f"{shown}: is an empty export", hint=_HINT)
    raise UsageError(f"{shown}: no known program wrote this", hint=_HINT)


def _is_jsonl(source: Source, path: str) -> bool:
    """Whether the first line that is no blank is an object with a text."""
    try:
        with source.open(path) as stream:
            lines = (line for line in iter(lambda: stream.readline(4_000_000), b""))
            first = next((line for line in lines if line.strip()), b"")
            return _has_text(json.loads(first.decode("utf-8-sig")))
    except (OSError, ValueError, RecursionError):
        return (path or source.root.name).lower().endswith((".jsonl", ".ndjson"))


def _has_text(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in TEXT_KEYS)


def _is_basic_memory(source: Source, notes: list[str]) -> bool:
    """Whether half of the notes carry what basic-memory puts on each, and one an observation."""
    texts = [text for path in notes if (text := source.text(path)[0]) is not None]
    signed = sum(_PERMALINK.search(split_front_matter(text)[0]) is not None for text in texts)
    return signed * 2 >= max(len(texts), 1) and any(map(has_observations, texts))
