"""`.memory/sessions.json`: what is remembered of hosts' conversations between two commands.

Derived like all of `.memory/`: without the file a reminder may come once more than needed, and a
file that makes no sense is begun anew.
"""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.agent.flush import Flush, FlushState, Session, decide_flush, next_state
from lorebank.errors import UsageError
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import LogPattern, ensure_derived_folder
from lorebank.workspace.lock import WriterLock

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
    told = Session(tokens, context_window, compactions, session)
    can_write = writable and _is_writable(root)
    log_path = LogPattern.compile(config.workspace.log_pattern).path_for(today)
    if not can_write:
        return decide_flush(told, config.compaction, None, writable=False, log_path=log_path)
    with WriterLock(root):
        state = load_state(root, session)
        state = None if state is not None and state.reminder_due else state
        flush = decide_flush(told, config.compaction, state, writable=True, log_path=log_path)
        save_state(root, session, next_state(told, flush, state))
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
