"""What an agent's host calls: the boot pack, search for a model, flush and hooks."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from lorebank.agent.boot_pack import LEAST_BUDGET, build_boot_pack, pack_sources, waiting_sources
from lorebank.agent.flush import (
    HostSession,
    check_flush,
    flush_prompts,
    note_compaction,
    take_reminder,
)
from lorebank.app.conversations import follow_sessions
from lorebank.app.questions import SearchLimits, for_group, recall, search
from lorebank.app.workspace import OpenWorkspace
from lorebank.beliefs.materialise import unsure_pairs
from lorebank.domain.facts import LIKELY
from lorebank.errors import UsageError
from lorebank.markdown.origin import as_recalled
from lorebank.markdown.proposal_pages import REFLECTED_PROPOSALS
from lorebank.nightly.proposals import open_proposals
from lorebank.render.for_models import answer_text
from lorebank.trust.quarantine import lines_without_owner

if TYPE_CHECKING:
    from lorebank.agent.boot_pack import BootPack
    from lorebank.agent.flush import Flush
    from lorebank.agent.memory_search import MemorySearch

_OF_CORE = 12
"""Passages that the core memory may take of a search; a page of its size has fewer."""
HOOK_TOKENS = 2000
"""Hosts cut what a hook prints at some 10,000 characters."""
PROMPT_TOKENS = 300
"""What is recalled at each prompt: five short hits, since it is paid for with every one."""
CONTEXT_WINDOW = 200_000
"""Tokens of the models that hosts with these hooks run; hooks do not name theirs."""
_TAIL_BYTES = 200_000
"""Of a transcript: the last answer's count of tokens stands near its end."""
_COMPACTED = "The conversation was just compacted."
_WRITE = "`retain` is a tool of the memory server; the file, where there is none, is {file}."


def memory_search(
    ws: OpenWorkspace,
    query: str,
    *,
    k: int = 6,
    group: bool = False,
    session_key: str | None = None,
    **limits: Unpack[SearchLimits],
) -> MemorySearch:
    """`search` as a model gets it: each snippet cites its lines, as `memory.citations` says.

    Keywords beside those shown: `min_score`, `path` and `sessions`, as of `search`. In a `group`
    the core memory, and what it says of the workspace, is left out. `session_key` names the host's
    conversation: where `memory.scope` denies it, nothing is searched, and a warning says so.
    Without one the caller answers for it. In a `group` transcripts are not searched either: what
    the owner said elsewhere stays there.
    """
    from lorebank.agent.memory_search import conversation_of, denied_search, memory_search_result

    conversation = conversation_of(session_key) if session_key else None
    if conversation and (denied := denied_search(query, conversation, ws.config.memory)):
        ws.say(denied.note)
        return denied
    shared = group or ws.group or bool(conversation and conversation.is_shared)
    if shared:
        limits["sessions"] = False
    hits = search(ws, query, k=k + _OF_CORE if shared else k, **limits)
    return memory_search_result(
        query,
        for_group(ws, hits)[:k] if shared else hits,
        citations=ws.config.memory.citations,
        group=shared,
        problem=ws.sidecar.problem if ws.sidecar else None,
        backend="qmd" if ws.sidecar and not ws.sidecar.problem else "builtin",
    )


def begin_serving(ws: OpenWorkspace) -> None:
    """What a server of long life does before its first call; `close` ends it.

    The sidecar, where there is one, is updated and then kept up to date by a timer; so are
    transcripts, where the settings name them.
    """
    follow_sessions(ws)
    if ws.sidecar is not None:
        ws.sidecar.start()


def context(
    ws: OpenWorkspace,
    *,
    token_budget: int | None = None,
    group: bool = False,
    now: date | None = None,
) -> BootPack:
    """The boot pack: directives, core memory, today and yesterday, top opinions, proposals, and
    how much waits in the inbox.

    Inside `token_budget` estimated tokens (`context.token_budget` without one). In a `group`
    the core memory and what waits for the owner are left out.
    """
    budget = ws.config.context.token_budget if token_budget is None else token_budget
    if budget < LEAST_BUDGET:
        raise UsageError(f"a boot pack needs {LEAST_BUDGET} tokens at least, not {budget}")
    today = ws.day(now)
    group = group or ws.group
    proposals = open_proposals(ws.root, REFLECTED_PROPOSALS)[0]
    waiting = [] if group else waiting_sources(proposals, ws.judgments_waiting(today))
    pairs = [p for p in unsure_pairs(ws.index) if p[0].score >= LIKELY]
    newer = {opinion.id: fact.citation for _, fact, opinion in reversed(pairs)}
    # No list of phrases finds each order that a line of an agent's may hold, and every session
    # begins with the days.
    days = [ws.log_path(day) for day in (today, today - timedelta(days=1))]
    sources = pack_sources(
        ws.root,
        ws.config,
        {opinion: newer.get(opinion.id) for opinion in ws.opinions_now(None, today)},
        waiting,
        today=today,
        group=group,
        left_out=lines_without_owner(ws.index, days),
    )
    citations = ws.config.memory.citations
    cites = citations == "on" or (citations == "auto" and not group)
    return build_boot_pack(sources, token_budget=budget, group=group, cites=cites)


def flush(
    ws: OpenWorkspace,
    tokens: int,
    *,
    context_window: int,
    compactions: int | None = None,
    session: str = "main",
    writable: bool = True,
    now: date | None = None,
) -> Flush:
    """Whether a host's conversation is near its compaction and what lasts should be stored.

    True once a compaction cycle, detected by `compactions` (how many there were) or by the
    conversation having shrunk. `writable=False` says that the agent cannot write here.
    """
    told = HostSession(session, tokens, context_window, compactions)
    return check_flush(ws.root, ws.config, told, writable=writable, today=ws.day(now))


def session_hook(
    ws: OpenWorkspace,
    event: str,
    *,
    session: str = "main",
    source: str = "",
    prompt: str = "",
    transcript: str = "",
    now: date | None = None,
) -> str:
    """What a host's hook prints: for `session-start` the boot pack, with the flush prompt where
    the conversation was just compacted (`source="compact"`); for `prompt` what memory knows of
    it, and the flush prompt where the `transcript` says that a compaction is near; for
    `session-end` what waits in the inbox; for `pre-compact` nothing.
    """
    today = ws.day(now)
    if event == "session-start":
        budget = min(ws.config.context.token_budget, HOOK_TOKENS)
        pack = context(ws, token_budget=budget, now=today).text
        settings = ws.config.compaction.memory_flush
        due = take_reminder(ws.root, session)
        if not (due and source == "compact" and settings.enabled):
            return pack
        prompts = flush_prompts(settings, ws.log_path(today))
        return "\n".join(filter(None, [pack, _COMPACTED, *prompts])) + "\n"
    if event == "prompt":
        return _before_prompt(ws, session, prompt, transcript, today)
    if event == "pre-compact":
        note_compaction(ws.root, session)
        return ""
    if event == "session-end":
        from lorebank.app.rulings import inbox

        waiting = inbox(ws, now=today).total
        return f"{waiting} items wait in the inbox: lorebank inbox\n" if waiting else ""
    known = "session-start, prompt, pre-compact, session-end"
    raise UsageError(f"unknown event '{event}'", hint=f"use one of {known}")


def _before_prompt(
    ws: OpenWorkspace, session: str, prompt: str, transcript: str, today: date
) -> str:
    parts = []
    if prompt.strip():
        answer = recall(ws, prompt, k=5, remember=False, now=today)
        if answer.hits and answer.evidence == "strong":
            parts.append(as_recalled(answer_text(answer, PROMPT_TOKENS)))
    tokens = tokens_of(Path(transcript)) if transcript else 0
    if tokens:
        found = flush(ws, tokens, context_window=CONTEXT_WINDOW, session=session, now=today)
        if found.due:
            written = _WRITE.format(file=ws.root / ws.log_path(today))
            parts += [found.system_prompt, found.prompt, written]
    return "\n".join([*parts, ""]) if parts else ""


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
