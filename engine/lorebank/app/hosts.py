"""What an agent's host calls: the boot pack, search for a model, flush and hooks."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.conversations import follow_sessions
from lorebank.app.questions import for_group, search
from lorebank.app.workspace import OpenWorkspace, rebuild_index_if_corrupt

if TYPE_CHECKING:
    from lorebank.agent.boot_pack import BootPack
    from lorebank.agent.flush import Flush
    from lorebank.agent.memory_search import MemorySearch

_OF_CORE = 12
"""Passages that the core memory may take of a search; a page of its size has fewer."""


def memory_search(
    ws: OpenWorkspace,
    query: str,
    *,
    k: int = 6,
    min_score: float = 0.0,
    path: str | None = None,
    group: bool = False,
    session_key: str | None = None,
    sessions: bool = True,
) -> MemorySearch:
    """`search` as a model gets it: each snippet cites its lines, as `memory.citations` says.

    In a `group` the core memory, and what it says of the workspace, is left out.
    `session_key` names the host's conversation: where `memory.scope` denies it, nothing is
    searched, and a warning says so. Without one the caller answers for it. In a `group`
    transcripts are not searched either: what the owner said elsewhere stays there.
    """
    from lorebank.agent.memory_search import conversation_of, denied_search, memory_search_result

    conversation = conversation_of(session_key) if session_key else None
    if conversation and (denied := denied_search(query, conversation, ws.config.memory)):
        ws.say(denied.note)
        return denied
    shared = group or ws.group or bool(conversation and conversation.is_shared)
    with_sessions = sessions and not shared
    wanted = k + _OF_CORE if shared else k
    hits = search(ws, query, k=wanted, min_score=min_score, path=path, sessions=with_sessions)
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


@rebuild_index_if_corrupt
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
    from lorebank.agent.boot_pack import boot_pack, waiting_sources
    from lorebank.markdown.proposal_pages import REFLECTED_PROPOSALS
    from lorebank.nightly.proposals import open_proposals
    from lorebank.trust.quarantine import quarantined_lines

    budget = ws.config.context.token_budget if token_budget is None else token_budget
    today = ws.day(now)
    group = group or ws.group
    ws.freshen()
    proposals = open_proposals(ws.root, REFLECTED_PROPOSALS)[0]
    waiting = [] if group else waiting_sources(proposals, ws.judgments_waiting(today))
    return boot_pack(
        ws.root,
        ws.config,
        ws.opinions(None, None, today),
        waiting,
        today=today,
        token_budget=budget,
        group=group,
        quarantined=quarantined_lines(ws.index),
    )


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
    from lorebank.agent.flush import check_flush

    return check_flush(
        ws.root,
        ws.config,
        tokens,
        context_window=context_window,
        compactions=compactions,
        session=session,
        writable=writable,
        today=ws.day(now),
    )
