"""What is said at the events of a host's session."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Protocol

from lorebank.agent.boot_pack import BootPack
from lorebank.agent.flush import flush_prompts
from lorebank.agent.session_states import note_compaction, take_reminder
from lorebank.config import Config
from lorebank.errors import UsageError
from lorebank.workspace.layout import LogPattern

HOOK_TOKENS = 2000
"""Hosts cut what a hook prints at some 10,000 characters."""
_COMPACTED = "The conversation was just compacted."


class Reader(Protocol):
    """What is asked for the boot pack: a `Bank`."""

    root: Path
    config: Config

    def context(self, *, token_budget: int | None = None, now: date | None = None) -> BootPack:
        """The boot pack."""


def session_hook(reader: Reader, event: str, *, session: str, source: str, today: date) -> str:
    """The text for one event; `UsageError` for an event that is not known."""
    if event == "pre-compact":
        note_compaction(reader.root, session)
        return ""
    if event != "session-start":
        raise UsageError(f"unknown event '{event}'", hint="use session-start or pre-compact")
    settings = reader.config.context
    pack = reader.context(token_budget=min(settings.token_budget, HOOK_TOKENS), now=today).text
    flush = reader.config.compaction.memory_flush
    due = take_reminder(reader.root, session)
    if not (due and source == "compact" and flush.enabled):
        return pack
    log = LogPattern.compile(reader.config.workspace.log_pattern).path_for(today)
    return "\n".join(filter(None, [pack, _COMPACTED, *flush_prompts(flush, log)])) + "\n"
