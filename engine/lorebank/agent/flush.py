"""The pre-compaction check: whether it is time to store what lasts, and the words that ask for it.

A host tells how many tokens its conversation has. The reminder is due from
`context_window - reserve_tokens_floor - soft_threshold_tokens` on, once a compaction cycle. A
cycle is told by the host's own count of compactions where it gives one, and otherwise by the
conversation having shrunk since the last reminder.
"""

from __future__ import annotations

import re

from lorebank.domain import record_to_dict, record_to_dict_with
from lorebank.records import dataclass
from lorebank.settings.tables import CompactionSettings, MemoryFlushSettings

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


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as its host tells it."""

    tokens: int
    """How many its context holds by now."""
    context_window: int
    compactions: int | None = None
    """How often it was compacted; `None` where the host does not count."""
    id: str = "main"


@dataclass(frozen=True, slots=True)
class FlushState:
    """What is remembered of a conversation's last reminder."""

    tokens: int
    compactions: int | None = None
    reminder_due: bool = False
    """A compaction came before the reminder did: it is given right after."""

    to_dict = record_to_dict


@dataclass(frozen=True, slots=True)
class Flush:
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
