"""Transcripts of conversations: kept beside the index, read on in the background, searched.

No fact, opinion, page, proposal or boot pack is made of them, so that nothing said by an agent or a
stranger comes to be believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime
from functools import partial
from typing import TYPE_CHECKING

from lorebank.app.workspace import OpenWorkspace, Progress, with_index_repair
from lorebank.domain.answers import SearchHit
from lorebank.domain.facts import Diagnostic, SyncReport
from lorebank.errors import PathRefused, UsageError
from lorebank.workspace.layout import FORGOTTEN_PAGE, is_session_path
from lorebank.workspace.paths import read_text_file

if TYPE_CHECKING:
    from lorebank.conversations.export import Transcript, TranscriptExport
    from lorebank.conversations.sync import SessionFile
    from lorebank.conversations.turns import Turn
    from lorebank.forgetting.selection import Conversations
    from lorebank.markdown.forgotten import Forgotten

FOLLOW_S = 30.0
"""Seconds between two looks of a server at the transcripts."""


@with_index_repair
def sync_sessions(
    ws: OpenWorkspace,
    *,
    force: bool = False,
    full: bool = False,
    progress: Progress | None = None,
    now: date | None = None,
) -> SyncReport:
    """Read on what was added to the transcripts; `files` in the report counts them.

    A file that grew by less than `memory_search.sessions.delta_bytes` and `delta_lines` waits,
    unless `force` says otherwise; `full` reads everything again. Where the settings do not name
    transcripts, nothing is read, and what was kept of them is deleted.
    """
    from lorebank.conversations.sync import find_sessions

    if not ws.config.memory_search.searches_sessions:
        ws.discard_sessions()
        return SyncReport()
    from lorebank.conversations.sync import SessionRules, SyncScope, sync_sessions

    settings = ws.config.memory_search.sessions
    rules = SessionRules(
        chunk_tokens=ws.config.index.chunk_tokens,
        delta_bytes=settings.delta_bytes,
        delta_lines=settings.delta_lines,
        retention_days=settings.retention_days,
        forgotten=_forgotten(ws),
    )
    reach = SyncScope.FROM_START if full else SyncScope.ADDED if force else SyncScope.DUE
    return sync_sessions(
        ws.session_store,
        find_sessions(ws.root, ws.config),
        rules,
        today=ws.day(now),
        reach=reach,
        progress=progress,
        is_over=ws.is_over,
    )


def transcripts(ws: OpenWorkspace) -> Iterator[Transcript]:
    """The conversations of this agent as they may be exported, one after the other."""
    from lorebank.conversations.export import Transcript
    from lorebank.conversations.sync import find_sessions

    forgotten = _forgotten(ws)
    for file in find_sessions(ws.root, ws.config).files:
        ended = datetime.fromtimestamp(file.mtime_ns / 1e9)
        yield Transcript(file.path, ended, tuple(_turns(file, forgotten)))


def export_transcripts(
    ws: OpenWorkspace, transcripts: Iterable[Transcript], *, now: datetime | None = None
) -> TranscriptExport:
    """Write conversations where the sidecar searches them, as `memory.qmd.sessions` says;
    `transcripts` gives those of this agent, and `sync` exports them.

    Raises `UsageError` where that is not enabled.
    """
    from lorebank.conversations.export import export_transcripts

    folder = ws.sidecar.sessions_folder if ws.sidecar else None
    if folder is None:
        raise UsageError(
            "conversations are not exported: memory.qmd.sessions.enabled is false",
            hint='set it, and memory.backend to "qmd", in your own settings',
        )
    days = ws.config.memory.qmd.sessions.retention_days
    moment = now or datetime.now().astimezone().replace(tzinfo=None)
    return export_transcripts(transcripts, folder, retention_days=days, now=moment)


def session_turns(ws: OpenWorkspace) -> Iterator[tuple[str, Turn]]:
    """What was said in this agent's transcripts and is not forgotten, with the file's path."""
    for transcript in transcripts(ws):
        yield from ((transcript.id, turn) for turn in transcript.turns)


def _forgotten(ws: OpenWorkspace) -> Forgotten:
    from lorebank.markdown.forgotten import NOTHING, parse_forgotten

    try:
        page = read_text_file(ws.root, FORGOTTEN_PAGE)
    except PathRefused:  # a symbolic link, which the walk reports
        return NOTHING
    return parse_forgotten(page.text, agent=ws.config.index.agent_id)[0]


def conversations(ws: OpenWorkspace) -> Conversations | None:
    """The transcripts as forgetting reaches them; `None` where none are read."""
    from lorebank.conversations.sync import find_sessions
    from lorebank.forgetting.selection import Conversations

    exports = ws.sidecar is not None and ws.sidecar.sessions_folder is not None
    if not ws.config.memory_search.searches_sessions and not exports:
        return None
    forgotten = _forgotten(ws)
    return Conversations(
        agent=ws.config.index.agent_id,
        files=find_sessions(ws.root, ws.config).files,
        turns=lambda file: _turns(file, forgotten),
        apply=partial(_settle_conversations, ws),
    )


def _settle_conversations(ws: OpenWorkspace) -> str:
    """Bring what is kept of transcripts to what is forgotten; returns "" or what may be left."""
    from lorebank.forgetting.rows import scrub

    sync_sessions(ws, force=True)
    if ws.sidecar is not None and ws.sidecar.sessions_folder is not None:
        export_transcripts(ws, transcripts(ws))
        ws.sidecar.note_change()
    return scrub(ws.session_store) if ws.searches_sessions else ""


def follow_sessions(ws: OpenWorkspace) -> None:
    """Read on in the background, by a Bank of its own, until this one is closed."""
    from lorebank.qmd.refresh import Timer

    if not ws.config.memory_search.searches_sessions or ws.session_timer is not None:
        return
    other = OpenWorkspace(
        ws.root, ws.config, now=ws.now, environ=ws.environ, say=ws.say, group=ws.group
    )

    def read_on() -> None:
        try:
            other.is_over = lambda: timer.is_stopped
            sync_sessions(other)
        except Exception as problem:  # a thread has nobody to raise to
            ws.say(f"transcripts were not read: {problem}")
        finally:
            other.close()

    timer = ws.session_timer = Timer(FOLLOW_S, read_on, at_once=True)
    timer.start()


def search_sessions(
    ws: OpenWorkspace, query: str, *, k: int, min_score: float, path: str | None
) -> tuple[SearchHit, ...]:
    """Hits in what was read of the transcripts so far; nothing is read now."""
    if not ws.searches_sessions or (path is not None and not is_session_path(path)):
        return ()
    from lorebank.conversations.search import search_sessions

    below = None if path is None or "/" not in path.rstrip("/") else path
    return search_sessions(ws.session_store, query, k=k, min_score=min_score, path=below)


def session_state(ws: OpenWorkspace) -> tuple[dict[str, int], tuple[Diagnostic, ...]]:
    """How much is kept, and what is odd; both empty where transcripts are not searched."""
    from lorebank.conversations.store import session_counts, session_problems
    from lorebank.conversations.sync import find_sessions

    if not ws.config.memory_search.searches_sessions:
        return {}, ()
    problems = find_sessions(ws.root, ws.config).problems
    store = ws.session_store
    return session_counts(store), (*problems, *session_problems(store))


def _turns(file: SessionFile, forgotten: Forgotten) -> Iterator[Turn]:
    """What was said in a file and is not forgotten; nothing where it is gone or cannot be read."""
    from lorebank.conversations.sync import read_session

    with suppress(OSError):
        for turn in read_session(file.place):
            if not forgotten.holds(file.path, turn.line, turn.day, turn.text):
                yield turn
