"""What is read out of a transcript, of every host, and what never is."""

import json
import os
from datetime import date
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank.conversations import sync as session_sync
from lorebank.conversations.store import chunk_turns, open_sessions, session_problems
from lorebank.conversations.sync import (
    FoundSessions,
    SessionFile,
    SessionRules,
    SyncScope,
    read_session,
    sync_sessions,
)
from lorebank.conversations.turns import (
    START,
    Role,
    TranscriptOffset,
    Turn,
    lines_of,
    read_line,
    turns_of,
    utterances_in,
)
from lorebank.database.connection import Connection, select
from lorebank.markdown.forgotten import (
    NOTHING,
    Forgotten,
    Tombstone,
    format_tombstone,
    message_key,
    parse_forgotten,
)
from support import FIXTURES, GOLDEN, golden

SESSIONS = FIXTURES / "sessions"


def turns(*entries: object) -> list[tuple[str, str]]:
    """Role and text of each turn of these entries, a line each."""
    data = "".join(json.dumps(entry) + "\n" for entry in entries).encode()
    return [(turn.role.value, turn.text) for turn in turns_of(BytesIO(data))]


@pytest.mark.parametrize("path", sorted(path.name for path in SESSIONS.rglob("*.jsonl")))
def test_what_is_read_of_a_transcript(path: str) -> None:
    """It stands in `golden/turns.md`: of each turn its line, role and day, then its text."""
    [file] = SESSIONS.rglob(path)
    told = [
        f"L{turn.line} {turn.role.value} {turn.day or '-'}\n{turn.text}"
        for turn in read_session(file)
    ]
    section = (GOLDEN / "turns.md").read_text("utf-8").partition(f"\n## {path}\n\n")[2]
    assert "\n\n".join(told) == section.partition("\n\n## ")[0].rstrip("\n")


@golden("conversations.md")
def test_who_says_what(entry: object, expected: list[tuple[str, str]]) -> None:
    assert turns(entry) == expected


@golden("conversations.md")
def test_what_is_kept_of_a_turn(said: str, kept: str | None) -> None:
    assert turns({"role": "user", "content": said}) == ([("user", kept)] if kept else [])


@golden("conversations.md")
def test_the_day_of_a_time_stamp(stamp: object, day: date | None) -> None:
    [said] = utterances_in({"role": "user", "content": "hi", "timestamp": stamp})

    assert said.day == day


@golden("conversations.md")
def test_odd_lines_are_named_and_never_fatal(
    data: bytes, texts: list[str], odd: tuple[str, ...]
) -> None:
    [line] = lines_of(BytesIO(data))
    read = read_line(line)

    assert ([turn.text for turn in read.turns], read.odd) == (texts, odd)


def test_a_line_that_is_too_long_is_skipped_without_being_held() -> None:
    handle = BytesIO(b"short\n" + b"x" * 103 + b"\nnext\n")

    read = [(line.number, line.data, line.too_long) for line in lines_of(handle, longest=60)]

    assert read == [(1, b"short", False), (2, b"", True), (3, b"next", False)]


def test_a_line_that_is_too_long_and_has_no_end_yet_is_read_again() -> None:
    [line] = lines_of(BytesIO(b"x" * 100), longest=60)

    assert (line.too_long, read_line(line).whole) == (True, False)


CONTENTS = st.lists(st.sampled_from([b"a", b"\n", b'{"role":"user","content":"x"}', b"\xff"]))


@given(CONTENTS.map(b"".join))
def test_lines_are_the_same_from_any_place(data: bytes) -> None:
    whole = list(lines_of(BytesIO(data)))

    for line in whole:
        if line.ended:
            assert list(lines_of(BytesIO(data), line.end)) == whole[line.number :]


@given(CONTENTS.map(b"".join))
def test_every_line_number_is_that_of_the_file(data: bytes) -> None:
    lines = data.split(b"\n")
    read = list(lines_of(BytesIO(data)))

    assert [lines[line.number - 1] for line in read] == [line.data for line in read]
    assert not read or read[-1].end == TranscriptOffset(len(data), data.count(b"\n"))
    assert TranscriptOffset(0, 0) == START


TURNS = st.lists(
    st.builds(
        Turn,
        st.sampled_from(Role),
        st.text("ab .\n", min_size=1, max_size=150).map(lambda text: text.strip() or "a"),
        st.integers(1, 99),
        st.sampled_from([None, date(2026, 1, 1), date(2026, 1, 2)]),
    )
)


@given(TURNS, TURNS)
def test_chunks_go_on_as_if_all_were_read_at_once(first: list[Turn], then: list[Turn]) -> None:
    whole = list(chunk_turns([*first, *then], 100))
    *done, last = list(chunk_turns(first, 100)) or [None]

    assert [*done, *chunk_turns(then, 100, last)] == whole
    assert all(len(chunk.text) <= 100 for chunk in whole)


@golden("conversations.md")
def test_no_text_takes_long_to_clean(said: str) -> None:
    import time

    started = time.process_time()
    turns({"role": "user", "content": said})

    assert time.process_time() - started < 4


# -- the page that says what of conversations is not read again ----------------------------------


A = "sessions/a.jsonl"
LONG = "something that takes a little longer to say"


def turn(line: int, day: date | None = None, text: str = "hm") -> Turn:
    return Turn(Role.USER, text, line, day)


def _holds(forgotten: Forgotten, path: str, each: Turn) -> bool:
    return forgotten.holds(path, each.line, each.day, each.text)


NAMES = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), max_size=20)


@given(
    NAMES.map(lambda name: f"sessions/{name}.jsonl"),
    st.one_of(st.just((0, 0)), st.tuples(st.integers(1, 9), st.integers(9, 99))),
    st.none() | st.dates(),
    st.lists(st.just("3f2a9c0d1e4b") | st.just("000000000000"), unique=True).map(tuple),
)
def test_a_line_reads_as_it_was_meant(
    path: str, lines: tuple[int, int], before: date | None, keys: tuple[str, ...]
) -> None:
    meant = Tombstone(path, *lines, before, keys)
    forgotten, problems = parse_forgotten(format_tombstone(meant, "main"), agent="main")
    assert (forgotten.tombstones, forgotten.keys) == ({path: (meant,)}, frozenset(keys))
    assert problems == ()


@golden("conversations.md")
def test_which_turns_a_line_means(line: str, held: list[bool]) -> None:
    forgotten, problems = parse_forgotten(f"# Forgotten\n\n{line}\n", agent="main")
    turns = [turn(1, date(2026, 1, 31)), turn(2, date(2026, 2, 1)), turn(3)]
    assert ([_holds(forgotten, A, each) for each in turns], problems) == (held, ())


def test_a_long_message_is_told_wherever_it_stands_a_short_one_is_not() -> None:
    long, short = turn(7, text=LONG), turn(8, text="yes")
    line = format_tombstone(Tombstone(A, 1, 2, keys=(message_key(long.text),)), "tide")
    forgotten, _ = parse_forgotten(line, agent="main")
    assert (message_key(short.text), LONG in line) == ("", False)
    assert (_holds(forgotten, "sessions/x.jsonl", long), _holds(forgotten, A, short)) == (
        True,
        False,
    )


@golden("conversations.md")
def test_an_item_that_forgets_nothing_is_told(line: str) -> None:
    forgotten, [problem] = parse_forgotten(f"\n{line}\n", "bank/forgotten.md", agent="main")
    assert forgotten == NOTHING
    assert (problem.path, problem.line, problem.code) == (
        "bank/forgotten.md",
        2,
        "forgotten-unread",
    )


def test_a_page_that_lets_all_pass_is_as_no_page() -> None:
    others, _ = parse_forgotten(f"- forget `{A}` of tide", agent="main")
    ours, _ = parse_forgotten(f"- forget `{A}` of main", agent="main")
    assert (others.fingerprint(), bool(ours.fingerprint())) == (NOTHING.fingerprint(), True)


# -- whatever hosts and crashes do to a transcript, the store says what the file says ------------


TODAY = date(2026, 3, 1)
RULES = SessionRules(chunk_tokens=12)
PATH = "sessions/a.jsonl"


def said(text: str, **fields: object) -> bytes:
    return json.dumps({"role": "user", "content": text, **fields}).encode() + b"\n"


def synced(store: Connection, file: Path, *, full: bool = False) -> None:
    seen = file.stat()
    found = SessionFile(PATH, file, seen.st_size, seen.st_mtime_ns)
    reach = SyncScope.FROM_START if full else SyncScope.ADDED
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
    assert session_sync._PIECE_BYTES <= offset < size
    sync_sessions(store, found, SessionRules(), today=TODAY)
    sync_sessions(whole, found, SessionRules(), today=TODAY)

    assert kept(store) == kept(whole)
    store.close()
    whole.close()
