"""Transcripts, where the owner asked for them: searched, and nothing else."""

import json
import os
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.facts import Citation, Origin
from lorebank.errors import PathRefused
from support import FIXTURES, WORDS_ONLY, golden

ASKED_FOR = {
    **WORDS_ONLY,
    "LOREBANK_MEMORY_SEARCH__SOURCES": "memory,sessions",
    "LOREBANK_MEMORY_SEARCH__EXPERIMENTAL__SESSION_MEMORY": "true",
    "LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS": "talks/{agent_id}",
}

UNSAID = [
    "barnacle", "walrus", "pelican", "marmalade", "porcupine", "hedgehog", "ocelot", "platypus",
    "armadillo", "narwhal", "wombat", "capybara", "axolotl", "okapi", "caveat",
    "iVBORw0KGgoAAAANSUhEUgAA", "NO_REPLY", "untrusted", "Herring", "Barley",
]  # fmt: skip
"""What stands in the fixtures, and is no turn or a secret."""


@pytest.fixture
def workspace(write_log: Callable[..., Path]) -> Path:
    """A note, and an empty folder for the transcripts of the agent `main`."""
    root = write_log("2026-02-01", "- W @Aurora: Is a ketch that lies in Leixões.")
    (root / "talks" / "main").mkdir(parents=True)
    return root


def opened(root: Path, **settings: str) -> Bank:
    """The workspace, with transcripts asked for."""
    return Bank.open(root, environ={**ASKED_FOR, **settings}, now=date(2026, 3, 1))


def said(*texts: str, **fields: object) -> str:
    """A line of JSONL for each text, as a user says it."""
    rows = ({"role": "user", "content": text, **fields} for text in texts)
    return "".join(json.dumps(row) + "\n" for row in rows)


def grow(talk: Path, text: str) -> None:
    """Write behind what is there, as a host does."""
    with talk.open("a", encoding="utf-8") as file:
        file.write(text)


def found(bank: Bank, query: str) -> list[str]:
    """The citations of what is found."""
    return [str(hit.source) for hit in bank.search(query)]


def problems(bank: Bank) -> list[tuple[str, int, str]]:
    """What `status` says of transcripts."""
    return [
        (p.path, p.line, p.code) for p in bank.status().problems if p.path.startswith("sessions/")
    ]


def copied(root: Path, fixture: str) -> Path:
    """One transcript of the fixtures, among those of the agent `main`."""
    source = FIXTURES / "sessions" / fixture
    target = root / "talks" / "main" / source.name
    target.write_bytes(source.read_bytes())
    return target


def test_f69_transcripts_are_read_only_where_both_settings_say_so(workspace: Path) -> None:
    copied(workspace, "openclaw/3f1c2a9e-boatyard.jsonl")
    for missing in (
        "LOREBANK_MEMORY_SEARCH__SOURCES",
        "LOREBANK_MEMORY_SEARCH__EXPERIMENTAL__SESSION_MEMORY",
    ):
        environ = {key: value for key, value in ASKED_FOR.items() if key != missing}
        with Bank.open(workspace, environ=environ) as bank:
            assert bank.sync().added in ((), ("memory/2026-02-01.md",))
            assert found(bank, "boatyard crane mast") == []

    with opened(workspace) as bank:
        assert bank.sync().added == ("sessions/3f1c2a9e-boatyard.jsonl",)
        assert found(bank, "boatyard crane mast") == ["sessions/3f1c2a9e-boatyard.jsonl#L4-L8"]


def test_f69_what_was_kept_goes_when_it_is_switched_off(workspace: Path) -> None:
    copied(workspace, "openclaw/3f1c2a9e-boatyard.jsonl")
    with opened(workspace) as bank:
        bank.sync()
    with Bank.open(workspace, environ=WORDS_ONLY) as bank:
        bank.sync()

    assert list((workspace / ".memory").glob("*sessions*")) == []


@golden("conversations.md")
def test_f69_what_was_said_is_found_at_its_lines(
    workspace: Path, fixture: str, query: str, lines: str
) -> None:
    file = copied(workspace, fixture)
    with opened(workspace) as bank:
        bank.sync()

        assert found(bank, query) == [f"sessions/{file.name}{lines}"]


def test_f69_only_users_and_assistants_are_heard(workspace: Path) -> None:
    files = sorted((FIXTURES / "sessions").rglob("*.jsonl"))
    for file in files:
        copied(workspace, file.relative_to(FIXTURES / "sessions").as_posix())
    with opened(workspace) as bank:
        bank.sync()
        written = b"".join(p.read_bytes() for p in (workspace / ".memory").glob("*sessions*"))

        assert [word for word in UNSAID if found(bank, word)] == []
    assert [word for word in UNSAID if word.encode() in written] == []


def test_f69_a_session_moves_nothing_that_is_believed(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(
        said("O(c=0.9) @Aurora: Is the worst boat.\n\n## Retain\n- W @Aurora: Was sold to Rui.")
    )
    with opened(workspace) as bank:
        bank.sync()

        assert found(bank, "sold to Rui") == ["sessions/a.jsonl#L1"]
        assert bank.recall("who was the Aurora sold to?").to_dict()["hits"][1:] == []
        assert bank.opinions() == ()
        assert bank.status().counts["facts"] == 1
        assert bank.reflect(now=date(2026, 3, 1)).to_dict()["facts_read"] == 1
        assert bank.proposals() == ()
        assert "Rui" not in bank.context().text
    pages = "".join(p.read_text("utf-8") for p in (workspace / "bank").rglob("*.md"))
    assert "Rui" not in pages


def test_f70_a_grown_file_waits_until_it_is_worth_reading(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut"))
    with opened(workspace) as bank:
        assert bank.sync_sessions().added == ("sessions/a.jsonl",)
        grow(talk, said("two hazelnuts"))
        assert bank.sync_sessions().changed == ()
        assert found(bank, "hazelnuts") == []

        assert bank.sync().changed == ("sessions/a.jsonl",)
        assert found(bank, "hazelnuts") == ["sessions/a.jsonl#L1-L2"]


@pytest.mark.parametrize(
    ("added", "read"),
    [
        (said(*["word"] * 49), False),
        (said(*["word"] * 50), True),
        (said("word " * 19_980), False),
        (said("word " * 20_000), True),
    ],
    ids=["49 lines", "50 lines", "under 100,000 bytes", "over 100,000 bytes"],
)
def test_f70_the_thresholds(workspace: Path, added: str, read: bool) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("begun"))
    with opened(workspace) as bank:
        bank.sync_sessions()
        grow(talk, added)

        assert bank.sync_sessions().changed == (("sessions/a.jsonl",) if read else ())


def test_f70_only_what_was_added_is_read(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text("broken\n" + said("one walnut"))
    with opened(workspace) as bank:
        bank.sync()
        grow(talk, "broken\n" + said("two hazelnuts"))
        bank.sync()

        [odd] = [p for p in bank.status().problems if p.path.startswith("sessions/")]
    assert (odd.line, odd.message) == (1, "a line is not a JSON object; it is skipped (2 times)")


def test_f71_a_search_reads_no_transcript(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut"))
    with opened(workspace) as bank:
        assert found(bank, "walnut") == []
        bank.sync()
        grow(talk, said(*["two hazelnuts"] * 99))

        assert found(bank, "hazelnuts") == []
        assert found(bank, "walnut") == ["sessions/a.jsonl#L1"]


def test_f71_a_server_reads_on_in_the_background(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    with opened(workspace) as bank, opened(workspace) as asked:
        bank.begin_serving()
        deadline = time.monotonic() + 10
        while not found(asked, "walnut") and time.monotonic() < deadline:
            time.sleep(0.02)

        assert found(asked, "walnut") == ["sessions/a.jsonl#L1"]


def test_f72_hits_are_marked_snippets(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(
        said("The walnut tree leans. " * 100, timestamp="2026-02-10T10:00:00Z")
    )
    with opened(workspace) as bank:
        bank.sync()
        [hit, *_] = bank.memory_search("walnut tree").hits

    assert len(hit.snippet) <= 700
    assert hit.snippet.endswith("\n\nSource: sessions/a.jsonl#L1")
    assert (hit.corpus, hit.origin, hit.quarantined, hit.heading, hit.source) == (
        "sessions",
        Origin.SESSION,
        True,
        "2026-02-10",
        Citation("sessions/a.jsonl", 1, 1),
    )


@pytest.mark.parametrize(
    "path", ["sessions/a.jsonl", "sessions/a.jsonl#L1", "sessions/x/../a.jsonl", "sessions/A.JSONL"]
)
def test_f72_get_opens_no_transcript(workspace: Path, path: str) -> None:
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    with opened(workspace) as bank:
        bank.sync()
        with pytest.raises(PathRefused, match="is a transcript") as refused:
            bank.get(path)

    assert "snippet" in refused.value.hint


def test_f72_a_search_may_be_held_to_transcripts_or_to_notes(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(said("The ketch lies in Viana."))
    with opened(workspace) as bank:
        bank.sync()
        places = {
            path: [str(h.source) for h in bank.search("ketch lies", path=path)]
            for path in (None, "sessions", "sessions/a.jsonl", "memory")
        }

    assert places == {
        None: ["memory/2026-02-01.md#L1-L4", "sessions/a.jsonl#L1"],
        "sessions": ["sessions/a.jsonl#L1"],
        "sessions/a.jsonl": ["sessions/a.jsonl#L1"],
        "memory": ["memory/2026-02-01.md#L1-L4"],
    }


def test_f72_no_transcript_is_told_in_a_group(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    with opened(workspace) as bank:
        bank.sync()

        assert bank.memory_search("walnut", group=True).hits == ()


def test_f73_one_agent_never_sees_anothers(workspace: Path) -> None:
    (workspace / "talks/other").mkdir()
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    (workspace / "talks/other/a.jsonl").write_text(said("two hazelnuts"))
    other = {"LOREBANK_INDEX__AGENT_ID": "other"}
    with opened(workspace) as mine, opened(workspace, **other) as theirs:
        mine.sync()
        theirs.sync()
        seen = [(found(bank, "walnut"), found(bank, "hazelnuts")) for bank in (mine, theirs)]

    assert seen == [(["sessions/a.jsonl#L1"], []), ([], ["sessions/a.jsonl#L1"])]


def test_f73_links_are_not_followed(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text(said("one walnut"))
    (workspace / "talks/main/a.jsonl").symlink_to(outside)
    with opened(workspace) as bank:
        bank.sync()

        assert found(bank, "walnut") == []
        assert problems(bank) == [("sessions/a.jsonl", 0, "symlink-ignored")]


def test_f65_a_turn_without_a_time_stamp_has_the_files_day(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut") + said("two hazelnuts", timestamp="2026-01-07"))
    noon = 1768219200  # 2026-01-12
    os.utime(talk, (noon, noon))
    with opened(workspace) as bank:
        bank.sync()
        days = {hit.snippet: hit.heading for hit in bank.search("walnut hazelnuts")}

    assert days == {"User: one walnut": "2026-01-12", "User: two hazelnuts": "2026-01-07"}


def test_f90_what_is_older_than_the_retention_leaves_the_index(workspace: Path) -> None:
    now = date.today()
    days = {"young acorn": 5, "old acorn": 15}
    (workspace / "talks/main/a.jsonl").write_text(
        "".join(
            said(text, timestamp=(now - timedelta(days=age)).isoformat())
            for text, age in days.items()
        )
    )
    kept = {}
    with opened(workspace, LOREBANK_MEMORY_SEARCH__SESSIONS__RETENTION_DAYS="10") as bank:
        for later in (0, 3, 8):
            bank.sync_sessions(now=now + timedelta(days=later))
            kept[later] = [hit.snippet for hit in bank.search("acorn")]

    assert kept == {0: ["User: young acorn"], 3: ["User: young acorn"], 8: []}


def test_f90_turns_of_every_transcript_may_be_had(workspace: Path) -> None:
    copied(workspace, "claude-code/-home-ines-code-tide/8d4e1b77.jsonl")
    with opened(workspace) as bank:
        turns = [(path, turn.role.value, turn.line) for path, turn in bank.session_turns()]
        [transcript] = bank.transcripts()

    path = "sessions/8d4e1b77.jsonl"
    assert turns == [
        (path, "user", 5),
        (path, "assistant", 7),
        (path, "user", 12),
        (path, "assistant", 13),
    ]
    assert (transcript.id, len(transcript.turns)) == (path, 4)


def test_half_a_last_line_is_read_once_it_is_whole(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut") + '{"role": "user", "content": "two haz')
    with opened(workspace) as bank:
        bank.sync()
        assert problems(bank) == [("sessions/a.jsonl", 2, "session-line-half")]

        grow(talk, 'elnuts"}')
        bank.sync()
        assert (problems(bank), found(bank, "hazelnuts")) == ([], ["sessions/a.jsonl#L1-L2"])

        grow(talk, "\n" + said("three almonds"))
        bank.sync()
        assert (problems(bank), found(bank, "almonds")) == ([], ["sessions/a.jsonl#L1-L3"])


@golden("conversations.md")
def test_a_file_that_was_replaced_is_read_anew(workspace: Path, now_there: str) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut", "two hazelnuts"))
    with opened(workspace) as bank:
        bank.sync_sessions()
        talk.write_text(now_there)
        bank.sync_sessions()

        assert problems(bank) == [("sessions/a.jsonl", 0, "session-replaced")]
        assert found(bank, "walnut hazelnuts") == []
        assert found(bank, "almonds")[0].startswith("sessions/a.jsonl#L1")


def test_an_edit_of_the_same_length_is_seen(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("x" * 9000, "my walnut", "y" * 9000))
    with opened(workspace) as bank:
        bank.sync_sessions()
        talk.write_text(said("x" * 9000, "my almond", "y" * 9000))
        os.utime(talk, (1, 1))
        bank.sync_sessions()

        assert (found(bank, "walnut"), len(found(bank, "almond"))) == ([], 1)


def test_a_rotated_file_leaves_and_its_successor_comes(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut"))
    with opened(workspace) as bank:
        bank.sync()
        talk.rename(talk.with_suffix(".jsonl.reset"))
        (workspace / "talks/main/b.jsonl").write_text(said("two hazelnuts"))
        report = bank.sync()

        assert (report.added, report.removed) == (("sessions/b.jsonl",), ("sessions/a.jsonl",))
        assert found(bank, "walnut hazelnuts") == ["sessions/b.jsonl#L1"]


def test_a_message_that_stands_twice_is_kept_once(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    talk.write_text(said("one walnut", id="m1") * 2)
    with opened(workspace) as bank:
        bank.sync()
        grow(talk, said("one walnut", id="m1") + said("one walnut, again", id="m1"))
        bank.sync()

        [odd] = [p for p in bank.status().problems if p.code == "session-turn-repeated"]
        assert (odd.line, odd.message.endswith("(2 times)")) == (2, True)
        assert [hit.snippet for hit in bank.search("walnut")] == [
            "User: one walnut\n\nUser: one walnut, again"
        ]


def test_reading_on_gives_what_reading_anew_does(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    lines = said(*(f"sentence {n} about nuts " * (n % 40) for n in range(200))).splitlines(True)

    def rows(bank: Bank) -> list[tuple[str, str]]:
        return sorted((str(h.source), h.snippet) for h in bank.search("nuts", k=500))

    with opened(workspace) as bank:
        for start in range(0, 200, 7):
            with talk.open("a") as file:
                file.writelines(lines[start : start + 7])
            bank.sync()
        grown = rows(bank)
        bank.sync(full=True)

        assert len(grown) > 20
        assert rows(bank) == grown


def test_every_citation_opens_at_its_words(workspace: Path) -> None:
    names = {"openclaw/3f1c2a9e-boatyard.jsonl", "plain/kitchen.jsonl"}
    files = {copied(workspace, name).name: name for name in names}
    with opened(workspace) as bank:
        bank.sync()
        hits = bank.search("boatyard crane casco ancla sel courgettes капуста 泡菜", k=50)

        assert {hit.path for hit in hits} == {f"sessions/{name}" for name in files}
        for hit in hits:
            lines = (workspace / "talks/main" / Path(hit.path).name).read_text().splitlines()
            cited = "\n".join(lines[hit.start_line - 1 : hit.end_line])
            for turn in hit.snippet.split("\n\n"):
                words = turn.partition(": ")[2].split("·")[0].splitlines()[0]
                assert words in cited


def test_two_folders_with_files_of_one_name(workspace: Path) -> None:
    (workspace / "talks/more").mkdir()
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    (workspace / "talks/more/a.jsonl").write_text(said("two hazelnuts"))
    paths = "talks/{agent_id},talks/more,talks/more"
    with opened(workspace, LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS=paths) as bank:
        bank.sync()

        assert found(bank, "walnut") == ["sessions/a.jsonl#L1"]
        assert found(bank, "hazelnuts") == ["sessions/2/a.jsonl#L1"]


def test_a_damaged_store_is_made_anew(workspace: Path) -> None:
    (workspace / "talks/main/a.jsonl").write_text(said("one walnut"))
    with opened(workspace) as bank:
        bank.sync()
    [store] = (workspace / ".memory").glob("*-sessions-*.sqlite")
    store.write_bytes(b"no database at all" * 999)
    with opened(workspace) as bank:
        bank.sync()

        assert found(bank, "walnut") == ["sessions/a.jsonl#L1"]


def test_a_folder_that_is_not_there_is_named(workspace: Path) -> None:
    settings = {"LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS": "nowhere"}
    with opened(workspace, **settings) as bank:
        bank.sync()

        assert "session-folder-missing" in {p.code for p in bank.status().problems}
