"""What is said at the events of a host's session."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Protocol

from lorebank.agent.boot_pack import BootPack
from lorebank.agent.flush import Flush, flush_prompts, note_compaction, take_reminder
from lorebank.agent.texts import answer_text
from lorebank.domain.answers import Answer
from lorebank.domain.judgments import Inbox
from lorebank.errors import UsageError
from lorebank.markdown.origin import as_recalled
from lorebank.records import dataclass
from lorebank.settings.tables import Config
from lorebank.workspace.layout import LogPattern

EVENTS = ("session-start", "prompt", "pre-compact", "session-end")
HOOK_TOKENS = 2000
"""Hosts cut what a hook prints at some 10,000 characters."""
PROMPT_TOKENS = 300
"""What is recalled at each prompt: five short hits, since it is paid for with every one."""
CONTEXT_WINDOW = 200_000
"""Tokens of the models that hosts with these hooks run; hooks do not name theirs."""
_TAIL_BYTES = 200_000
"""Of a transcript: the last answer's count of tokens stands near its end."""
_COMPACTED = "The conversation was just compacted."
_WRITE = "Use the tool `retain` of the memory server, or write to {file}."


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event as the host tells it."""

    name: str
    session: str = "main"
    source: str = ""
    """Of a session's start: `compact` after a compaction."""
    prompt: str = ""
    """What the user is about to ask."""
    transcript: str = ""
    """The file of the conversation."""


class Reader(Protocol):
    """What is asked for the boot pack: a `Bank`."""

    @property
    def root(self) -> Path:
        """The workspace's folder."""

    @property
    def config(self) -> Config:
        """The settings in force."""

    def context(self, *, token_budget: int | None = None, now: date | None = None) -> BootPack:
        """The boot pack."""

    def recall(
        self, query: str, *, k: int | None = None, remember: bool = True, now: date | None = None
    ) -> Answer:
        """An answer from the notes."""

    def flush(
        self, tokens: int, *, context_window: int, session: str = "main", now: date | None = None
    ) -> Flush:
        """Whether what lasts should be stored now."""

    def inbox(self, *, now: date | None = None) -> Inbox:
        """What waits for a decision."""


def session_hook(reader: Reader, event: HookEvent, *, today: date) -> str:
    """The text for one event; `UsageError` for an event that is not known."""
    if event.name == "pre-compact":
        note_compaction(reader.root, event.session)
        return ""
    if event.name == "session-start":
        return _at_start(reader, event, today)
    if event.name == "prompt":
        return _before_prompt(reader, event, today)
    if event.name == "session-end":
        waiting = reader.inbox(now=today).total
        return f"{waiting} items wait in the inbox: lorebank inbox\n" if waiting else ""
    raise UsageError(f"unknown event '{event.name}'", hint=f"use one of {', '.join(EVENTS)}")


def _at_start(reader: Reader, event: HookEvent, today: date) -> str:
    settings = reader.config.context
    pack = reader.context(token_budget=min(settings.token_budget, HOOK_TOKENS), now=today).text
    flush = reader.config.compaction.memory_flush
    due = take_reminder(reader.root, event.session)
    if not (due and event.source == "compact" and flush.enabled):
        return pack
    prompts = flush_prompts(flush, _log(reader, today))
    return "\n".join(filter(None, [pack, _COMPACTED, *prompts])) + "\n"


def _before_prompt(reader: Reader, event: HookEvent, today: date) -> str:
    """What memory knows of a prompt; and, where the conversation is about to be compacted, the
    words that ask to store what lasts while it is still there."""
    said = []
    if event.prompt.strip():
        answer = reader.recall(event.prompt, k=5, remember=False, now=today)
        if answer.hits and answer.evidence == "strong":
            said.append(as_recalled(answer_text(answer, PROMPT_TOKENS)))
    tokens = tokens_of(Path(event.transcript)) if event.transcript else 0
    if tokens:
        flush = reader.flush(
            tokens, context_window=CONTEXT_WINDOW, session=event.session, now=today
        )
        if flush.due:
            file = reader.root / _log(reader, today)
            said += [flush.system_prompt, flush.prompt, _WRITE.format(file=file)]
    return "\n".join([*said, ""]) if said else ""


def tokens_of(transcript: Path) -> int:
    """How many tokens a conversation holds by its last answer; 0 where its file does not tell."""
    try:
        with transcript.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _TAIL_BYTES))
            lines = file.read().split(b"\n")
    except OSError:
        return 0
    for line in reversed(lines):
        try:
            usage = json.loads(line)["message"]["usage"]
            return sum(int(count) for key, count in usage.items() if key.endswith("_tokens"))
        except (ValueError, KeyError, TypeError):
            continue
    return 0


def _log(reader: Reader, today: date) -> str:
    return LogPattern.compile(reader.config.workspace.log_pattern).path_for(today)
