"""When the reminder to store what lasts is due, and what is kept of each conversation for that.

A host tells how many tokens its conversation has. The reminder is due from
`context_window - reserve_tokens_floor - soft_threshold_tokens` on, once a compaction cycle. A
cycle is detected by the host's own count of compactions where it gives one, and otherwise by the
conversation having shrunk since the last reminder.

Derived like all of `.memory/`: without the file a reminder may come once more than needed, and a
file that cannot be read starts over.
"""

from __future__ import annotations

import json
import os
import re
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.errors import UsageError
from lorebank.records import Record, record_to_dict_with
from lorebank.settings.tables import CompactionSettings, Config, MemoryFlushSettings
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import LogPattern, ensure_derived_folder
from lorebank.workspace.lock import WriterLock

NO_REPLY = "NO_REPLY"
"""What a model answers where there is nothing to store and nothing to say."""
SYSTEM_PROMPT = (
    "Session nearing compaction. Store durable memories now. You may reply,"
    f" but usually {NO_REPLY} is right."
)
PROMPT = (
    "Write any lasting notes to {log} (decisions, preferences and durable facts under `## Retain`);"
    f" reply with {NO_REPLY} if nothing to store."
)
_HINT = f"Reply with {NO_REPLY} if nothing is to be said."
_SHRUNK = 0.9
"""Estimates of one conversation waver; a compaction cuts it by far more than a tenth."""
_TOKEN = re.compile(rf"(?<![\w-]){NO_REPLY}(?![\w-])")
_LEADING = re.compile(rf"\A[\s*_`\"'(\[]*{NO_REPLY}(?![\w-])")
_TRAILING = re.compile(rf"(?<![\w-]){NO_REPLY}[\s*_`\"')\].!。]*\Z")


class Session(Record):
    """A conversation as its host tells it."""

    tokens: int
    """How many its context holds by now."""
    context_window: int
    compactions: int | None = None
    """How often it was compacted; `None` where the host does not count."""
    id: str = "main"


class FlushState(Record):
    """What is remembered of a conversation's last reminder."""

    tokens: int
    compactions: int | None = None
    reminder_due: bool = False
    """A compaction came before the reminder did: it is given right after."""


class Flush(Record):
    """Whether to ask the model now, and with which words."""

    due: bool
    reason: str
    """`due`, or why not: `below-threshold`, `done-this-cycle`, `disabled`, `not-writable`,
    `window-too-small`."""
    threshold: int
    tokens: int
    session: str
    system_prompt: str = ""
    prompt: str = ""

    to_dict = record_to_dict_with(due="flush")


def decide_flush(
    session: Session,
    settings: CompactionSettings,
    state: FlushState | None,
    *,
    writable: bool,
    log_path: str,
) -> Flush:
    """Whether the reminder is due; `state` is what `next_state` gave for this conversation."""
    soft = settings.memory_flush.soft_threshold_tokens
    threshold = session.context_window - settings.reserve_tokens_floor - soft
    reason = _reason(session, settings.memory_flush, state, threshold, writable)
    system_prompt, prompt = flush_prompts(settings.memory_flush, log_path)
    due = reason == "due"
    return Flush(
        due=due,
        reason=reason,
        threshold=threshold,
        tokens=session.tokens,
        session=session.id,
        system_prompt=system_prompt if due else "",
        prompt=prompt if due else "",
    )


def next_state(session: Session, flush: Flush, state: FlushState | None) -> FlushState | None:
    """What to remember after a check; `None`: nothing, a new cycle has begun."""
    if flush.due:
        return FlushState(session.tokens, session.compactions)
    return None if state is not None and _is_new_cycle(session, state, flush.threshold) else state


def flush_prompts(settings: MemoryFlushSettings, log_path: str) -> tuple[str, str]:
    """The system prompt and the user prompt; each of them mentions `NO_REPLY`."""
    system_prompt = settings.system_prompt or SYSTEM_PROMPT
    prompt = settings.prompt or PROMPT
    return _worded(system_prompt, log_path), _worded(prompt, log_path)


def deliverable(reply: str) -> str:
    """What of a model's reply the user is to see: nothing, where it begins or ends `NO_REPLY`."""
    if _LEADING.search(reply) or _TRAILING.search(reply):
        return ""
    return reply


def _worded(text: str, log_path: str) -> str:
    text = text.replace("{log}", log_path)
    return text if _TOKEN.search(text) else f"{text}\n\n{_HINT}"


def _reason(
    session: Session,
    settings: MemoryFlushSettings,
    state: FlushState | None,
    threshold: int,
    writable: bool,
) -> str:
    if not settings.enabled:
        return "disabled"
    if not writable:
        return "not-writable"
    if threshold <= 0:
        return "window-too-small"
    if session.tokens < threshold:
        return "below-threshold"
    if state is not None and not _is_new_cycle(session, state, threshold):
        return "done-this-cycle"
    return "due"


def _is_new_cycle(session: Session, state: FlushState, threshold: int) -> bool:
    if session.compactions is not None and state.compactions is not None:
        return session.compactions != state.compactions
    return session.tokens < threshold or session.tokens < _SHRUNK * state.tokens


_FILE = "sessions.json"
_KEPT = 500
"""So many conversations are remembered, those checked last."""


def check_flush(
    root: Path,
    config: Config,
    tokens: int,
    *,
    context_window: int,
    compactions: int | None,
    session: str,
    writable: bool,
    today: date,
) -> Flush:
    """Decide for one conversation and remember what was decided; writes nothing where it cannot."""
    if tokens < 0 or context_window < 1:
        raise UsageError("tokens and context window are counts of tokens", hint="see --help")
    current = Session(tokens, context_window, compactions, session)
    can_write = writable and _is_writable(root)
    log_path = LogPattern.compile(config.workspace.log_pattern).path_for(today)
    if not can_write:
        return decide_flush(current, config.compaction, None, writable=False, log_path=log_path)
    with WriterLock(root):
        state = load_state(root, session)
        state = None if state is not None and state.reminder_due else state
        flush = decide_flush(current, config.compaction, state, writable=True, log_path=log_path)
        save_state(root, session, next_state(current, flush, state))
    return flush


def note_compaction(root: Path, session: str) -> None:
    """A host compacts a conversation now: the reminder is due afterwards, unless it came before.

    Hosts tell one compaction several times; that changes nothing.
    """
    if not _is_writable(root):
        return
    with WriterLock(root):
        state = load_state(root, session)
        if state is None:
            save_state(root, session, FlushState(0, reminder_due=True))
        elif not state.reminder_due:
            save_state(root, session, None)


def take_reminder(root: Path, session: str) -> bool:
    """Whether the reminder is due after a compaction; it is not due a second time."""
    state = load_state(root, session)
    if state is None or not state.reminder_due or not _is_writable(root):
        return False
    with WriterLock(root):
        save_state(root, session, None)
    return True


def _is_writable(root: Path) -> bool:
    """Whether the workspace and its logs can be written."""
    folders = (root, root / "memory", root / ".memory")
    return all(os.access(folder, os.W_OK) for folder in folders if folder.exists())


def load_state(root: Path, session: str) -> FlushState | None:
    """What `save_state` wrote last; `None` for a conversation that is not known."""
    entry = _load(root).get(session)
    if not isinstance(entry, dict) or not isinstance(entry.get("tokens"), int):
        return None
    compactions = entry.get("compactions")
    return FlushState(
        entry["tokens"],
        compactions if isinstance(compactions, int) else None,
        entry.get("reminder_due") is True,
    )


def save_state(root: Path, session: str, state: FlushState | None) -> None:
    """Remember the state of a conversation, or forget the conversation.

    Call it with the writer lock held.
    """
    entries = _load(root)
    before = dict(entries)
    entries.pop(session, None)
    if state is not None:
        entries[session] = state.to_dict()
    if entries == before:
        return
    kept = dict(list(entries.items())[-_KEPT:])
    file = ensure_derived_folder(root) / _FILE
    expected = file.read_bytes() if file.exists() else None
    write_atomic(file, (json.dumps(kept, indent=1) + "\n").encode(), expected=expected)


def _load(root: Path) -> dict[str, Any]:
    file = root / ".memory" / _FILE
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
