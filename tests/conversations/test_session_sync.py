"""Whatever hosts and crashes do to a transcript, the store says what the file says."""

import json
import os
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank.conversations import sync as session_sync
from lorebank.conversations.files import FoundSessions, SessionFile
from lorebank.conversations.store import open_sessions, session_problems
from lorebank.conversations.sync import Reach, SessionRules, sync_sessions
from lorebank.database.connection import Connection, select

TODAY = date(2026, 3, 1)
RULES = SessionRules(chunk_tokens=12)
PATH = "sessions/a.jsonl"


def said(text: str, **fields: object) -> bytes:
    return json.dumps({"role": "user", "content": text, **fields}).encode() + b"\n"


def synced(store: Connection, file: Path, *, full: bool = False) -> None:
    seen = file.stat()
    found = SessionFile(PATH, file, seen.st_size, seen.st_mtime_ns)
    reach = Reach.FROM_START if full else Reach.ADDED
    sync_sessions(store, FoundSessions((found,), ()), RULES, today=TODAY, reach=reach)


def kept(store: Connection) -> list[tuple[object, ...]]:
    """Chunks and odd lines, but for the news that the file was another before."""
    chunks = select(
        store, "SELECT start_line, end_line, day, text FROM session_chunks ORDER BY chunk"
    )
    words = select(store, "SELECT rowid FROM session_chunks_fts('nut') ORDER BY rowid")
    odd = [(p.line, p.message) for p in session_problems(store) if p.code != "session-replaced"]
    return [*chunks, (len(words),), *sorted(odd)]


PIECES = st.sampled_from(
    [
        said("a nut"),
        said("another nut that takes more room than a chunk has " * 2),
        said("dated nut", timestamp="2026-02-02"),
        said("numbered nut", id="1"),
        said("clé secrète: password: Tr0ut-and-Barley-77"),
        b"broken\n",
        b'{"role": "user", "content": "ha',
        b'lf a nut"}\n',
        b"\xff\x00\n",
        b"\r\n",
        b"x" * 90 + b"\n",
        b'{"role": "user", "content": "no end of line"}',
        b'{"messages": [{"role": "user", "content": "nut"}, {"role": "bot", "content": "b"}]}\n',
    ]
)
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("grow"), st.lists(PIECES, max_size=4).map(b"".join)),
        st.tuples(st.just("replace"), st.lists(PIECES, max_size=3).map(b"".join)),
        st.tuples(st.just("shrink"), st.integers(0, 200)),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=60)
@given(DEEDS)
def test_reading_on_gives_what_reading_anew_would(deeds: list[tuple[str, bytes | int]]) -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.jsonl")
        file.touch()
        store, anew = (open_sessions(Path(folder, name)) for name in ("b.sqlite", "c.sqlite"))
        try:
            for moment, (deed, what) in enumerate(deeds, start=1):
                before = file.read_bytes()
                if isinstance(what, int):
                    file.write_bytes(before[: max(0, len(before) - what)])
                else:
                    file.write_bytes(before + what if deed == "grow" else what)
                os.utime(file, (moment, moment))
                synced(store, file)
                synced(anew, file, full=True)

                assert kept(store) == kept(anew)
        finally:
            store.close()
            anew.close()


def test_a_line_whose_end_was_lost_keeps_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(said("a nut")[:-1])
    store, anew = open_sessions(tmp_path / "b.sqlite"), open_sessions(tmp_path / "c.sqlite")
    synced(store, file)
    file.write_bytes(said("a nut")[:-1] + said("a plum") + said("a pear"))
    os.utime(file, (2, 2))
    synced(store, file)
    synced(anew, file)

    assert kept(store) == kept(anew)
    [chunk] = select(store, "SELECT text FROM session_chunks")
    assert chunk == ("User: a nut\n\nUser: a plum\n\nUser: a pear",)
    store.close()
    anew.close()


def test_a_large_file_is_read_in_pieces_that_a_kill_may_part(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(said(f"nut number {n} " + "and so on " * 50) for n in range(18_000)))
    store, whole = open_sessions(tmp_path / "b.sqlite"), open_sessions(tmp_path / "c.sqlite")
    seen = file.stat()
    found = FoundSessions((SessionFile(PATH, file, seen.st_size, seen.st_mtime_ns),), ())
    looks = 0

    def is_over() -> bool:
        nonlocal looks
        looks += 1
        return looks == 2

    sync_sessions(store, found, SessionRules(), today=TODAY, is_over=is_over)
    [(offset, size)] = select(store, "SELECT offset, size FROM sessions")
    assert session_sync._PIECE <= offset < size
    sync_sessions(store, found, SessionRules(), today=TODAY)
    sync_sessions(whole, found, SessionRules(), today=TODAY)

    assert kept(store) == kept(whole)
    store.close()
    whole.close()
