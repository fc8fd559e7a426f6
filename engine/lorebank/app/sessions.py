"""Transcripts of conversations: kept beside the index, read on in the background, searched.

Only search opens their store. No fact, opinion, page, proposal or boot pack is made of what stands
there, so that nothing an agent or a stranger said in a conversation can come to be believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.app.opened import OpenWorkspace, Progress, made_anew_when_damaged
from lorebank.domain import SearchHit, SyncReport
from lorebank.errors import PathRefused, UsageError
from lorebank.workspace.layout import (
    FORGOTTEN_PAGE,
    ensure_derived_folder,
    is_session_path,
    sessions_path,
)
from lorebank.workspace.text_file import read_text_file

if TYPE_CHECKING:
    from lorebank.conversations.export import Transcript, TranscriptExport
    from lorebank.conversations.files import SessionFile
    from lorebank.conversations.turns import Turn
    from lorebank.database.connection import Connection
    from lorebank.domain import Diagnostic
    from lorebank.forgetting.conversations import Conversations
    from lorebank.markdown.tombstones import Forgotten
    from lorebank.qmd.refresh import Timer

FOLLOW_S = 30.0
"""Seconds between two looks of a server at the transcripts."""


class Sessions(OpenWorkspace):
    """What is asked of transcripts, where `memory_search.sources` names them."""

    _session_connection: Connection | None = None
    _session_timer: Timer | None = None
    _is_over: Callable[[], bool] = staticmethod(lambda: False)

    def close(self) -> None:
        """Close the index, the store of transcripts and connections."""
        super().close()
        if self._session_timer is not None:
            self._session_timer.stop()
            self._session_timer = None
        if self._session_connection is not None:
            self._session_connection.close()
            self._session_connection = None

    @made_anew_when_damaged
    def sync_sessions(
        self,
        *,
        force: bool = False,
        full: bool = False,
        progress: Progress | None = None,
        now: date | None = None,
    ) -> SyncReport:
        """Read on what was added to the transcripts; `files` in the report counts them.

        A file that grew by less than `memory_search.sessions.delta_bytes` and `delta_lines` waits,
        unless `force` says otherwise; `full` reads everything anew. Where the settings do not name
        transcripts, nothing is read, and what was kept of them is deleted.
        """
        if not self.config.memory_search.searches_sessions:
            self._discard_sessions()
            return SyncReport()
        from lorebank.conversations.files import find_sessions
        from lorebank.conversations.sync import SessionRules, sync_sessions

        settings = self.config.memory_search.sessions
        found = find_sessions(self.root, self.config)
        rules = SessionRules(
            chunk_tokens=self.config.index.chunk_tokens,
            delta_bytes=settings.delta_bytes,
            delta_lines=settings.delta_lines,
            retention_days=settings.retention_days,
            forgotten=self._forgotten(),
        )
        return sync_sessions(
            self._session_store,
            found,
            rules,
            today=self._today(now),
            force=force,
            full=full,
            progress=progress,
            is_over=self._is_over,
        )

    def transcripts(self) -> Iterator[Transcript]:
        """The conversations of this agent as they may be exported, one after the other."""
        from lorebank.conversations.export import Transcript
        from lorebank.conversations.export import Turn as ExportedTurn
        from lorebank.conversations.files import find_sessions

        forgotten = self._forgotten()
        for file in find_sessions(self.root, self.config).files:
            turns = tuple(ExportedTurn(t.role.value, t.text) for t in _turns(file, forgotten))
            ended = datetime.fromtimestamp(file.mtime_ns / 1e9)
            yield Transcript(file.path, ended, turns)

    def export_transcripts(
        self, transcripts: Iterable[Transcript], *, now: datetime | None = None
    ) -> TranscriptExport:
        """Write conversations where the sidecar searches them, as `memory.qmd.sessions` says;
        `transcripts` gives those of this agent, and `sync` exports them.

        Raises `UsageError` where that is not enabled.
        """
        from lorebank.conversations.export import export_transcripts

        folder = self._sidecar.sessions_folder if self._sidecar else None
        if folder is None:
            raise UsageError(
                "conversations are not exported: memory.qmd.sessions.enabled is false",
                hint='set it, and memory.backend to "qmd", in your own settings',
            )
        days = self.config.memory.qmd.sessions.retention_days
        moment = now or datetime.now().astimezone().replace(tzinfo=None)
        return export_transcripts(transcripts, folder, retention_days=days, now=moment)

    def session_turns(self) -> Iterator[tuple[str, Turn]]:
        """What users and assistants said in every transcript of this agent, each turn with the path
        of its file; as it may be kept, without what is forgotten, and read from the files
        themselves.
        """
        from lorebank.conversations.files import find_sessions

        forgotten = self._forgotten()
        for file in find_sessions(self.root, self.config).files:
            for turn in _turns(file, forgotten):
                yield file.path, turn

    def _forgotten(self) -> Forgotten:
        """What this agent's transcripts are read without."""
        from lorebank.markdown.tombstones import NOTHING, parse_forgotten

        try:
            page = read_text_file(self.root, FORGOTTEN_PAGE)
        except PathRefused:  # no page of this workspace, and told with the other links
            return NOTHING
        return parse_forgotten(page.text, agent=self.config.index.agent_id)[0]

    def _conversations(self) -> Conversations | None:
        """The transcripts as forgetting reaches them; `None` where none are read."""
        exports = self._sidecar is not None and self._sidecar.sessions_folder is not None
        if not self.config.memory_search.searches_sessions and not exports:
            return None
        from lorebank.conversations.files import find_sessions
        from lorebank.forgetting.conversations import Conversations

        forgotten = self._forgotten()
        return Conversations(
            agent=self.config.index.agent_id,
            files=find_sessions(self.root, self.config).files,
            turns=lambda file: _turns(file, forgotten),
            settle=self._settle_conversations,
        )

    def _settle_conversations(self) -> str:
        """Bring what is kept of transcripts to what is forgotten, with nothing left behind; returns
        "" or why some of it may be left."""
        from lorebank.forgetting.rows import scrub

        self.sync_sessions(force=True)
        if self._sidecar is not None and self._sidecar.sessions_folder is not None:
            self.export_transcripts(self.transcripts())
            self._sidecar.note_change()
        return scrub(self._session_store) if self._searches_sessions else ""

    def _follow_sessions(self) -> None:
        """Read on in the background, now and again, until this Bank is closed.

        By a Bank of its own: a connection belongs to one thread, and no search waits for it.
        """
        if not self.config.memory_search.searches_sessions or self._session_timer is not None:
            return
        from lorebank.qmd.refresh import Timer

        other = type(self)(
            self.root,
            self.config,
            now=self._now,
            environ=self._environ,
            say=self._say,
            group=self.group,
        )

        def read_on() -> None:
            try:
                other._is_over = lambda: timer.is_stopped
                other.sync_sessions()
            except Exception as problem:  # a thread has nobody to raise to
                self._say(f"transcripts were not read: {problem}")
            finally:
                other.close()

        timer = self._session_timer = Timer(FOLLOW_S, read_on, at_once=True)
        timer.start()

    def _search_sessions(
        self, query: str, *, k: int, min_score: float, path: str | None
    ) -> tuple[SearchHit, ...]:
        """Hits in what was read of the transcripts so far; nothing is read now."""
        if not self._searches_sessions or (path is not None and not is_session_path(path)):
            return ()
        from lorebank.conversations.search import search_sessions

        below = None if path is None or "/" not in path.rstrip("/") else path
        return search_sessions(self._session_store, query, k=k, min_score=min_score, path=below)

    def _session_state(self) -> tuple[dict[str, int], tuple[Diagnostic, ...]]:
        """How much is kept, and what is odd; both empty where transcripts are not searched."""
        if not self.config.memory_search.searches_sessions:
            return {}, ()
        from lorebank.conversations.files import find_sessions
        from lorebank.conversations.store import session_counts, session_problems

        problems = find_sessions(self.root, self.config).problems
        store = self._session_store
        return session_counts(store), (*problems, *session_problems(store))

    @property
    def _searches_sessions(self) -> bool:
        return self.config.memory_search.searches_sessions and self._sessions_path.exists()

    @property
    def _sessions_path(self) -> Path:
        return sessions_path(self._index_path, self.config.index.agent_id)

    @property
    def _session_store(self) -> Connection:
        if self._session_connection is None:
            from lorebank.conversations.store import open_sessions

            ensure_derived_folder(self.root)
            self._session_connection = open_sessions(self._sessions_path)
        return self._session_connection

    def _discard_index(self) -> None:
        super()._discard_index()
        self._discard_sessions()

    def _discard_sessions(self) -> None:
        if self._sessions_path.exists():
            from lorebank.database.connection import discard_index

            self.close()
            discard_index(self._sessions_path)


def _turns(file: SessionFile, forgotten: Forgotten) -> Iterator[Turn]:
    """What was said in a file and is not forgotten; nothing where it is gone or cannot be read."""
    from lorebank.conversations.sync import read_session

    with suppress(OSError):
        for turn in read_session(file.place):
            if not forgotten.holds(file.path, turn.line, turn.day, turn.text):
                yield turn
