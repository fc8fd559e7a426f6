"""Which program a source comes from, recognised by its content, and the reader of each form."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from lorebank.errors import UsageError
from lorebank.exchange.conversations import conversation_files
from lorebank.exchange.notes import Read
from lorebank.exchange.prose import split_front_matter
from lorebank.exchange.read_basic_memory import has_observations, read_basic_memory
from lorebank.exchange.read_chatgpt import is_chatgpt, read_chatgpt
from lorebank.exchange.read_claude import is_claude, read_claude
from lorebank.exchange.read_jsonl import TEXT_KEYS, read_jsonl
from lorebank.exchange.read_logseq import read_logseq
from lorebank.exchange.read_obsidian import read_obsidian
from lorebank.exchange.source import BrokenJson, Source, json_values

_SAMPLE = 200
"""Notes looked at to distinguish basic-memory from Obsidian."""
_PERMALINK = re.compile(r"^permalink:", re.MULTILINE)
_HINT = "say what it is: --as obsidian, logseq, chatgpt, claude, basic-memory or jsonl"


READERS: dict[str, Callable[[Source], Read]] = {
    "obsidian": read_obsidian,  # also any folder of Markdown
    "logseq": read_logseq,
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "basic-memory": read_basic_memory,
    "jsonl": read_jsonl,
}
WHOLE_FORMS = ("chatgpt", "claude")
"""Of an account there is one: each new export of it is the same source, whatever its name."""


def form_of(source: Source) -> str:
    """The form of a source by what it holds; `UsageError` where it cannot be recognised."""
    if source.paths == ("",):
        return _form_of_file(source, "")
    tops = {path.split("/")[0] for path in source.paths}
    if "logseq" in tops or {"journals", "pages"} <= tops:
        return "logseq"
    if files := conversation_files(source):
        return _form_of_file(source, files[0])
    notes = [path for path in source.below(".md") if not path.startswith(".")]
    if _is_basic_memory(source, notes[:_SAMPLE]):
        return "basic-memory"
    if notes or ".obsidian" in tops:
        return "obsidian"
    if any(path.lower().endswith((".jsonl", ".ndjson")) for path in source.paths):
        return "jsonl"
    if not source.paths:
        raise UsageError(f"{source.root}: holds no files", hint="was it exported at all?")
    raise UsageError(f"{source.root}: no known program wrote this", hint=_HINT)


def _form_of_file(source: Source, path: str) -> str:
    shown = path or str(source.root)
    try:
        _, first = next(json_values(source.read(path)), (1, None))
    except (BrokenJson, OSError) as error:
        if _is_jsonl(source, path):
            return "jsonl"
        raise UsageError(f"{shown}: no known program wrote this: {error}", hint=_HINT) from None
    inner = first.get("conversations") if isinstance(first, dict) else None
    first = inner[0] if isinstance(inner, list) and inner else first
    if is_chatgpt(first):
        return "chatgpt"
    if is_claude(first):
        return "claude"
    if _has_text(first):
        return "jsonl"
    if first is None:
        raise UsageError(f"{shown}: is an empty export", hint=_HINT)
    raise UsageError(f"{shown}: no known program wrote this", hint=_HINT)


def _is_jsonl(source: Source, path: str) -> bool:
    """Whether the first line that is no blank is an object with a text."""
    try:
        first = source.read(path).lstrip().partition(b"\n")[0]
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
