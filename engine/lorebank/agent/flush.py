"""When the reminder to store what lasts is due, and what is kept of each conversation for that.

It is due from `context_window - reserve_tokens_floor - soft_threshold_tokens` on, once a compaction
cycle: told by the host's own count of compactions, else by the conversation having shrunk. Without
the file in `.memory/` a reminder may come once more than needed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from lorebank.domain.facts import Origin
from lorebank.errors import UsageError
from lorebank.markdown.origin import origin_mark
from lorebank.records import Record, record_to_dict_with
from lorebank.settings.tables import Config, MemoryFlushSettings
from lorebank.workspace.atomic import read_if_exists, read_json, write_atomic
from lorebank.workspace.layout import LogPattern, ensure_derived_folder
from lorebank.workspace.lock import WriterLock

NO_REPLY = "NO_REPLY"  # what a model answers where there is nothing to store and nothing to say
SYSTEM_PROMPT = (
    "Session nearing compaction. Store durable memories now. You may reply,"
    f" but usually {NO_REPLY} is right."
)
PROMPT = (
    "Store decisions, preferences and durable facts with the tool `retain`; without that tool write"
    " them to {log} under `## Retain`, each line with"
    f" `{origin_mark(Origin.AGENT).strip()}` at its end. Reply with {NO_REPLY} if nothing to store."
)
"""A line without the mark would count as the owner's own word."""
_HINT = f"Reply with {NO_REPLY} if nothing is to be said."
_SHRUNK = 0.9  # estimates of one conversation waver; a compaction cuts it by far more than a tenth
_TOKEN = re.compile(rf"(?<![\w-]){NO_REPLY}(?![\w-])")
_LEADING = re.compile(rf"\A[\s*_`\"'(\[]*{NO_REPLY}(?![\w-])")
_TRAILING = re.compile(rf"(?<![\w-]){NO_REPLY}[\s*_`\"')\].!。]*\Z")


class Flush(Record):
    """Whether to ask the model now, and with which words."""

    due: bool
    reason: str
    """`due`, or `below-threshold`, `done-this-cycle`, `disabled`, `not-writable`,
    `window-too-small`."""
    threshold: int
    tokens: int
    session: str
    system_prompt: str = ""
    prompt: str = ""

    to_dict = record_to_dict_with(due="flush")


class HostSession(NamedTuple):
    name: str
    tokens: int
    context_window: int
    compactions: int | None = None


def check_flush(
    root: Path, config: Config, session: HostSession, *, writable: bool, today: date
) -> Flush:
    """Decide for one conversation and remember it; writes nothing where it cannot."""
    if session.tokens < 0 or session.context_window < 1:
        raise UsageError("tokens and context window are counts of tokens", hint="see --help")
    settings = config.compaction.memory_flush
    reserved = config.compaction.reserve_tokens_floor + settings.soft_threshold_tokens
    threshold = session.context_window - reserved
    if not settings.enabled:
        reason = "disabled"
    elif not (writable and _is_writable(root)):
        reason = "not-writable"
    elif threshold <= 0:
        reason = "window-too-small"
    else:
        reason = _decide(root, session, threshold)
    flush = Flush(reason == "due", reason, threshold, session.tokens, session.name)
    if not flush.due:
        return flush
    log_path = LogPattern.compile(config.workspace.log_pattern).path_for(today)
    system_prompt, prompt = flush_prompts(settings, log_path)
    return replace(flush, system_prompt=system_prompt, prompt=prompt)


def _decide(root: Path, session: HostSession, threshold: int) -> str:
    with WriterLock(root):
        last = _load(root).get(session.name)
        is_new = last is None or _is_new_cycle(last, session, threshold)
        if session.tokens >= threshold and is_new:
            counts = {"tokens": session.tokens, "compactions": session.compactions}
            _remember(root, session.name, counts)
            return "due"
        if is_new:
            _remember(root, session.name, None)
        return "below-threshold" if session.tokens < threshold else "done-this-cycle"


def _is_new_cycle(last: Mapping[str, Any], session: HostSession, threshold: int) -> bool:
    if last.get("reminder_due"):
        return True
    before = last.get("compactions")
    if session.compactions is not None and isinstance(before, int):
        return session.compactions != before
    return session.tokens < threshold or session.tokens < _SHRUNK * last["tokens"]


def flush_prompts(settings: MemoryFlushSettings, log_path: str) -> tuple[str, str]:
    """The system prompt and the user prompt; each of them mentions `NO_REPLY`."""
    system_prompt = settings.system_prompt or SYSTEM_PROMPT
    return _worded(system_prompt, log_path), _worded(settings.prompt or PROMPT, log_path)


def deliverable(reply: str) -> str:
    """What of a model's reply the user is to see: nothing, where it begins or ends `NO_REPLY`."""
    if _LEADING.search(reply) or _TRAILING.search(reply):
        return ""
    return reply


def _worded(text: str, log_path: str) -> str:
    text = text.replace("{log}", log_path)
    return text if _TOKEN.search(text) else f"{text}\n\n{_HINT}"


_FILE = "sessions.json"
_KEPT = 500  # so many conversations are remembered, those checked last
_REMINDER_DUE = {"tokens": 0, "compactions": None, "reminder_due": True}
"""A compaction came before the reminder did: it is given right after."""


def note_compaction(root: Path, session: str) -> None:
    """The reminder is due after it; hosts tell one compaction several times."""
    if not _is_writable(root):
        return
    with WriterLock(root):
        last = _load(root).get(session)
        if last is None:
            _remember(root, session, _REMINDER_DUE)
        elif not last.get("reminder_due"):
            _remember(root, session, None)


def take_reminder(root: Path, session: str) -> bool:
    """Whether the reminder is due after a compaction; it is not due a second time."""
    if not _load(root).get(session, {}).get("reminder_due") or not _is_writable(root):
        return False
    with WriterLock(root):
        _remember(root, session, None)
    return True


def _is_writable(root: Path) -> bool:
    """Whether the workspace and its logs can be written."""
    folders = (root, root / "memory", root / ".memory")
    return all(os.access(folder, os.W_OK) for folder in folders if folder.exists())


def _remember(root: Path, session: str, state: Mapping[str, Any] | None) -> None:
    """Keep the state of a conversation, or forget the conversation; with the writer lock held."""
    before = _load(root)
    entries = {key: entry for key, entry in before.items() if key != session}
    if state is not None:
        entries[session] = state
    if entries == before:
        return
    kept = dict(list(entries.items())[-_KEPT:])
    file = ensure_derived_folder(root) / _FILE
    text = json.dumps(kept, indent=1) + "\n"
    write_atomic(file, text.encode(), expected=read_if_exists(file))


def _load(root: Path) -> dict[str, Mapping[str, Any]]:
    found = read_json(root / ".memory" / _FILE)
    entries = found.items() if isinstance(found, dict) else ()
    return {
        session: entry
        for session, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("tokens"), int)
    }
