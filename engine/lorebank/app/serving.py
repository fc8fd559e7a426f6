"""What an agent's host calls: the boot pack, search for a model, flush and hooks."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.beliefs import Beliefs
from lorebank.app.inbox import Judgments
from lorebank.app.opened import made_anew_when_damaged
from lorebank.app.reflection import Reflection
from lorebank.app.writing import Writing
from lorebank.domain import NOBODY, Author, Origin

if TYPE_CHECKING:
    from lorebank.agent.boot_pack import BootPack
    from lorebank.agent.flush import Flush
    from lorebank.agent.memory_search import MemorySearch
    from lorebank.agent.remember import Remembered

_OF_CORE = 12
"""Passages that the core memory may take of a search; a page of its size has fewer."""


class Serving(Beliefs, Judgments, Reflection, Writing):
    """What a host asks on behalf of its model."""

    def memory_search(
        self,
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
        from lorebank.agent.memory_search import denied_search, memory_search_result
        from lorebank.agent.session_scope import conversation_of

        conversation = conversation_of(session_key) if session_key else None
        if conversation and (denied := denied_search(query, conversation, self.config.memory)):
            self._say(denied.note)
            return denied
        shared = group or self.group or bool(conversation and conversation.is_shared)
        said = sessions and not shared
        wanted = k + _OF_CORE if shared else k
        hits = self.search(query, k=wanted, min_score=min_score, path=path, sessions=said)
        return memory_search_result(
            query,
            self._for_group(hits)[:k] if shared else hits,
            citations=self.config.memory.citations,
            group=shared,
            problem=self._sidecar.problem if self._sidecar else None,
            backend="qmd" if self._sidecar and not self._sidecar.problem else "builtin",
        )

    def begin_serving(self) -> None:
        """What a server of long life does before its first call; `close` ends it.

        The sidecar, where there is one, is updated and then kept up to date by a timer; so are
        transcripts, where the settings name them.
        """
        self._follow_sessions()
        if self._sidecar is not None:
            self._sidecar.start()

    @made_anew_when_damaged
    def context(
        self, *, token_budget: int | None = None, group: bool = False, now: date | None = None
    ) -> BootPack:
        """The boot pack: directives, core memory, today and yesterday, top opinions, proposals.

        Inside `token_budget` estimated tokens (`context.token_budget` without one). In a `group`
        the core memory and the proposals for it are left out.
        """
        from lorebank.agent.boot_pack import TOP_OPINIONS
        from lorebank.agent.boot_sources import boot_pack
        from lorebank.markdown.proposal_pages import REFLECTED_PROPOSALS
        from lorebank.reflect.proposals import open_proposals
        from lorebank.trust.quarantine import quarantined_lines

        budget = self.config.context.token_budget if token_budget is None else token_budget
        today = self._today(now)
        group = group or self.group
        self._freshen()
        return boot_pack(
            self.root,
            self.config,
            self._surest_opinions(TOP_OPINIONS, today),
            open_proposals(self.root, REFLECTED_PROPOSALS)[0],
            today=today,
            token_budget=budget,
            group=group,
            quarantined=quarantined_lines(self._index),
        )

    def remember(
        self,
        text: str,
        *,
        to: str = "auto",
        origin: Origin | str = Origin.OWNER,
        author: Author = NOBODY,
        now: date | None = None,
    ) -> Remembered:
        """Write down what one was asked to remember, where it belongs: orders into the core memory,
        decisions, preferences and durable facts into the retain section of today's log, context of
        the day into the log as a note. `to` names the place: `core`, `fact` or `log`.
        """
        from lorebank.agent.authored import is_order
        from lorebank.agent.remember import remember

        if author is not NOBODY and is_order(text):
            to = "core"  # where it becomes a proposal
        return remember(self, self._news(text), to=to, origin=origin, author=author, now=now)

    def flush(
        self,
        tokens: int,
        *,
        context_window: int,
        compactions: int | None = None,
        session: str = "main",
        writable: bool = True,
        now: date | None = None,
    ) -> Flush:
        """Whether a host's conversation is near its compaction and what lasts should be stored.

        True once a compaction cycle, told by `compactions` (how many there were) or by the
        conversation having shrunk. `writable=False` says that the agent cannot write here.
        """
        from lorebank.agent.session_states import check_flush

        return check_flush(
            self.root,
            self.config,
            tokens,
            context_window=context_window,
            compactions=compactions,
            session=session,
            writable=writable,
            today=self._today(now),
        )

    def session_hook(
        self,
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
        from lorebank.agent.session_hooks import HookEvent, session_hook

        told = HookEvent(event, session, source, prompt, transcript)
        return session_hook(self, told, today=self._today(now))
