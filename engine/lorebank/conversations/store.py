"""The store of conversations: how far each transcript was read, its chunks, its problems.

Chunks depend on the turns only: continuing an open chunk gives the same as reading everything at
once. A chunk covers one day; long turns are cut at sentence ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from pathlib import Path

from lorebank.conversations.turns import PROBLEMS, START, Role, TranscriptOffset, Turn
from lorebank.database.connection import Connection, has_full_text, open_index, select
from lorebank.domain.facts import Diagnostic
from lorebank.language.words import searchable
from lorebank.markdown.source import soft_split
from lorebank.records import Record

LABELS = {Role.USER: "User: ", Role.ASSISTANT: "Assistant: "}
_BETWEEN = "\n\n"


class TurnChunk(Record):
    """Consecutive turns, or part of a long one."""

    text: str  # each turn after its speaker
    start_line: int
    end_line: int
    day: date | None


def chunk_turns(
    turns: Iterable[Turn], longest: int, open_chunk: TurnChunk | None = None
) -> Iterator[TurnChunk]:
    """Chunks of at most `longest` characters; the first continues `open_chunk`."""
    current = open_chunk
    for turn in turns:
        label = LABELS[turn.role]
        for piece in filter(None, map(str.strip, soft_split(turn.text, longest - len(label)))):
            added = TurnChunk(label + piece, turn.line, turn.line, turn.day)
            if current is None:
                current = added
            elif current.day == added.day and (
                len(current.text) + len(_BETWEEN) + len(added.text) <= longest
            ):
                text = current.text + _BETWEEN + added.text
                current = replace(current, text=text, end_line=turn.line)
            else:
                yield current
                current = added
    if current is not None:
        yield current


_HASH_BUFFER_BYTES = 16 * 2**20  # FTS5's write buffer; its default is 1 MB


_SESSION = "session, path, place, size, mtime_ns, day, offset, lines, mark, turns"


class KnownSession(Record):
    """A transcript as of its last read."""

    session: int | None  # its number in the store; `None` before it is saved
    path: str
    place: str
    size: int = 0
    mtime_ns: int = 0
    day: str = ""
    read: TranscriptOffset = START
    mark: str = ""
    turns: int = 0


def open_sessions(path: Path) -> Connection:
    """The store at `path`; see `open_index`."""
    connection = open_index(path, "sessions.sql")
    if has_full_text(connection):
        known = connection.execute(
            "SELECT 1 FROM session_chunks_fts_config WHERE k = 'hashsize'"
        ).fetchone()
        if known is None:
            connection.execute(
                "INSERT INTO session_chunks_fts (session_chunks_fts, rank) VALUES ('hashsize', ?)",
                (_HASH_BUFFER_BYTES,),
            )
    return connection


def known_sessions(connection: Connection, path: str | None = None) -> dict[str, KnownSession]:
    """Path → what is known of a transcript, of all or of one."""
    query = f"SELECT {_SESSION} FROM sessions WHERE ?1 IS NULL OR path = ?1"
    found = {}
    for session, own, place, size, stamp, day, *read, mark, turns in select(
        connection, query, (path,)
    ):
        offset = TranscriptOffset(*read)
        found[own] = KnownSession(session, own, place, size, stamp, day, offset, mark, turns)
    return found


def save_session(connection: Connection, known: KnownSession) -> KnownSession:
    """Save how far a transcript was read; a new one gets its number."""
    seen = (known.session, known.path, known.place, known.size, known.mtime_ns, known.day)
    [(session,)] = select(
        connection,
        f"INSERT OR REPLACE INTO sessions ({_SESSION})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING session",
        (*seen, known.read.offset, known.read.lines, known.mark, known.turns),
    )
    return replace(known, session=session)


def delete_session(connection: Connection, session: int | None) -> None:
    _delete_chunks(connection, "SELECT chunk FROM session_chunks WHERE session = ?", (session,))
    for table in ("session_messages", "session_problems", "sessions"):
        connection.execute(f"DELETE FROM {table} WHERE session = ?", (session,))


def forget_before(connection: Connection, day: date) -> int:
    """Delete chunks before a day; returns how many."""
    return _delete_chunks(
        connection,
        "SELECT c.chunk FROM session_chunks c JOIN sessions s ON s.session = c.session"
        " WHERE coalesce(c.day, s.day) < ?",
        (day.isoformat(),),
    )


def _delete_chunks(connection: Connection, query: str, bound: tuple[object, ...]) -> int:
    gone = [(chunk,) for (chunk,) in select(connection, query, bound)]
    connection.executemany("DELETE FROM session_chunks_fts WHERE rowid = ?", gone)
    connection.executemany("DELETE FROM session_chunks WHERE chunk = ?", gone)
    return len(gone)


def take_last_chunk(connection: Connection, session: int | None) -> TurnChunk | None:
    """Remove and return the last chunk, to be continued."""
    found = select(
        connection,
        "SELECT chunk, text, start_line, end_line, day FROM session_chunks WHERE session = ?"
        " ORDER BY chunk DESC LIMIT 1",
        (session,),
    )
    for chunk, text, start, end, day in found:
        _delete_chunks(connection, "SELECT ?", (chunk,))
        return TurnChunk(text, start, end, date.fromisoformat(day) if day else None)
    return None


def add_chunks(connection: Connection, session: int | None, chunks: Iterable[TurnChunk]) -> None:
    first = connection.execute("SELECT coalesce(max(chunk), 0) + 1 FROM session_chunks").get
    rows = list(enumerate(chunks, start=int(first)))
    connection.executemany(
        "INSERT INTO session_chunks (chunk, session, start_line, end_line, day, text)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            (n, session, c.start_line, c.end_line, c.day.isoformat() if c.day else None, c.text)
            for n, c in rows
        ],
    )
    connection.executemany(
        "INSERT INTO session_chunks_fts (rowid, text) VALUES (?, ?)",
        [(number, _words_of(chunk.text)) for number, chunk in rows],
    )


def _words_of(text: str) -> str:
    """The text to index, without speakers."""
    for label in LABELS.values():
        text = text.replace(f"\n{label}", "\n").removeprefix(label)
    return text if text.isascii() else searchable(text)


def record_if_new(connection: Connection, session: int | None, turn: Turn) -> bool:
    """Returns whether the message is new in the transcript, and records it."""
    if not turn.id:
        return True
    digest = blake2b(f"{turn.id}\0{turn.text}".encode(), digest_size=8).digest()
    connection.execute(
        "INSERT OR IGNORE INTO session_messages (session, key) VALUES (?, ?)",
        (session, int.from_bytes(digest, "big", signed=True)),
    )
    return connection.changes() == 1


def add_problems(
    connection: Connection, session: int | None, found: Iterable[tuple[str, int]]
) -> None:
    """Count problems `(code, line)`, keeping the first line of each code."""
    connection.executemany(
        "INSERT INTO session_problems (session, code, line, count) VALUES (?, ?, ?, 1)"
        " ON CONFLICT DO UPDATE SET count = count + 1",
        [(session, code, line) for code, line in found],
    )


def drop_problem(connection: Connection, session: int | None, code: str) -> None:
    connection.execute(
        "DELETE FROM session_problems WHERE session = ? AND code = ?", (session, code)
    )


def session_problems(connection: Connection) -> tuple[Diagnostic, ...]:
    return tuple(
        Diagnostic(path, line, code, PROBLEMS[code] + (f" ({count:,} times)" if count > 1 else ""))
        for path, line, code, count in select(
            connection,
            "SELECT s.path, p.line, p.code, p.count FROM session_problems p"
            " JOIN sessions s ON s.session = p.session ORDER BY s.path, p.line, p.code",
        )
    )


def session_counts(connection: Connection) -> dict[str, int]:
    [(sessions, turns)] = select(
        connection, "SELECT count(*), coalesce(sum(turns), 0) FROM sessions"
    )
    return {"sessions": sessions, "session turns": turns}


class SessionChunk(Record):
    """Part of a transcript, as a search hit."""

    number: int
    path: str
    start_line: int
    end_line: int
    day: str  # ISO; of its turns, else of the file
    text: str


def load_session_chunks(connection: Connection, chunks: Sequence[int]) -> Iterator[SessionChunk]:
    """The chunks of these numbers, in their order; unknown numbers are left out."""
    found = {
        row[0]: SessionChunk(*row)
        for row in select(
            connection,
            "SELECT c.chunk, s.path, c.start_line, c.end_line, coalesce(c.day, s.day), c.text"
            " FROM session_chunks c JOIN sessions s ON s.session = c.session"
            " WHERE c.chunk IN (SELECT value FROM json_each(?))",
            (chunks,),
        )
    }
    return (found[number] for number in chunks if number in found)


def select_session_chunks(connection: Connection, path: str) -> str:
    """JSON list of the chunks of a transcript, or of the transcripts below a folder."""
    return str(
        connection.execute(
            "SELECT json_group_array(c.chunk) FROM session_chunks c"
            " JOIN sessions s ON s.session = c.session"
            " WHERE s.path = ?1 OR substr(s.path, 1, length(?1) + 1) = ?1 || '/'",
            (path.rstrip("/"),),
        ).get
    )
