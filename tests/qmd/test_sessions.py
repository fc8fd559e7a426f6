"""F90: conversations become a collection of their own, sanitised."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from lorebank import Bank, NotFound, Origin, UsageError
from lorebank.conversations.export import (
    Transcript,
    TranscriptExport,
    export_transcripts,
    transcript_text,
)
from lorebank.conversations.turns import Role, Turn
from qmd_program import Opener, Program
from support import golden

NOW = datetime(2026, 2, 10, 12)
TALK = Transcript(
    "agent:main:telegram:direct:7",
    datetime(2026, 2, 9, 18, 30),
    (Turn(Role.USER, "Where is the boat?\n\nTell me."), Turn(Role.ASSISTANT, "At pier nine.")),
)


def test_f90_turns_are_lines() -> None:
    assert transcript_text(TALK) == (
        "<!-- conversation exported by lorebank -->\n\n"
        "# Conversation agent:main:telegram:direct:7, 2026-02-09 18:30\n\n"
        "User: Where is the boat? Tell me.\n"
        "Assistant: At pier nine.\n"
    )


@golden("qmd.md")
def test_f90_what_is_private_secret_or_no_text_is_left_out(said: str, kept: str) -> None:
    lines = transcript_text(Transcript("t", NOW, (Turn(Role.USER, said),))).split("\n")
    assert lines[4:] == [f"User: {kept}", ""]


def test_f90_an_empty_turn_is_none() -> None:
    turn = Turn(Role.ASSISTANT, " \n <private>x</private>")
    text = transcript_text(Transcript("t", NOW, (turn,)))
    assert "Assistant" not in text


def test_f90_old_conversations_go_and_files_of_others_stay(tmp_path: Path) -> None:
    old = Transcript("old", datetime(2026, 1, 1), (Turn(Role.USER, "Old."),))
    (tmp_path / "mine.md").write_text("# Conversation x, 2020-01-01 00:00\n")
    first = export_transcripts([TALK, old], tmp_path, retention_days=0, now=NOW)
    assert len(first.written) == 2
    again = export_transcripts([TALK, old], tmp_path, retention_days=0, now=NOW)
    assert again == TranscriptExport((), ())
    later = export_transcripts([TALK, old], tmp_path, retention_days=30, now=NOW)
    assert later.written == () and [name[:4] for name in later.removed] == ["old-"]
    assert len(list(tmp_path.glob("*.md"))) == 2


def test_f90_a_conversation_of_which_nothing_is_left_goes(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("User: My own.\n")
    first = export_transcripts([TALK], tmp_path, retention_days=0, now=NOW)
    emptied = Transcript(TALK.id, TALK.ended, ())
    later = export_transcripts([emptied], tmp_path, retention_days=0, now=NOW)
    assert later == TranscriptExport((), first.written)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.md"]


def test_f90_a_hostile_id_stays_in_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    names = ("../../etc/passwd", "/abs", "a\0b", "con", "." * 300, "ü" * 300, "", "-rf")
    report = export_transcripts(
        [Transcript(name, NOW, TALK.turns) for name in names], folder, retention_days=0, now=NOW
    )
    assert len(report.written) == len(names)
    assert sorted(report.written) == sorted(path.name for path in folder.iterdir())
    assert list(tmp_path.iterdir()) == [folder]


def test_f90_exports_are_a_collection_that_is_searched_and_read(
    open_bank: Opener, program: Program
) -> None:
    bank = open_bank(qmd__sessions__enabled="true")
    name = bank.export_transcripts([TALK], now=NOW).written[0]
    program.finds({"file": f"qmd://sessions/{name}", "line": 6, "score": 0.4})
    hit = bank.search("where is the boat")[0]
    assert (hit.path, hit.snippet) == (f"qmd/sessions/{name}", "Assistant: At pier nine.")
    assert (hit.origin, hit.quarantined, hit.corpus) == (Origin.SESSION, True, "sessions")
    assert "pier nine" in bank.get(hit.path).text
    added = json.dumps(program.calls)
    assert '"--name", "sessions", "--mask", "*.md"' in added
    assert bank.status().sidecar["collections"] == ["memory-root", "sessions"]


def test_f90_conversations_are_their_agents_and_no_groups(
    open_bank: Opener, program: Program, workspace: Path
) -> None:
    settings = {"qmd__sessions__enabled": "true"}
    bank = open_bank(**settings)
    name = bank.export_transcripts([TALK], now=NOW).written[0]
    found = {"file": f"qmd://sessions/{name}", "line": 6}
    program.finds(found, {"file": "qmd://memory-root/bank/decisions.md", "line": 1})
    (workspace / "bank").mkdir()
    (workspace / "bank/decisions.md").write_text("The boat is decided.\n")
    place = f"qmd/sessions/{name}"
    assert [hit.path for hit in bank.search("boat")] == [place, "bank/decisions.md"]
    for shared in ({"group": True}, {"session_key": "agent:main:whatsapp:group:7"}):
        assert bank.memory_search("boat", **shared).hits == ()
    environ = {**open_bank.environ, "LOREBANK_MEMORY__QMD__SESSIONS__ENABLED": "true"}
    with Bank.open(workspace, environ=environ, group=True) as group:
        assert group.memory_search("boat").hits == ()
        with pytest.raises(NotFound):
            group.get(place)
    open_bank.environ = {**open_bank.environ, "LOREBANK_INDEX__AGENT_ID": "other"}
    other = open_bank(**settings)
    assert [hit.path for hit in other.search("boat")] == ["bank/decisions.md"]
    assert other.status().sidecar["home"] != bank.status().sidecar["home"]


def test_p16_what_is_forgotten_of_a_conversation_leaves_its_export(
    open_bank: Opener, environ: dict[str, str], workspace: Path, tmp_path: Path
) -> None:
    environ["LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS"] = "talks"
    talk = workspace / "talks" / "a.jsonl"
    talk.parent.mkdir()
    lines = ({"role": "user", "content": text} for text in ("One walnut.", "Two plums."))
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
    place = tmp_path / "exported"
    bank = open_bank(qmd__sessions__enabled="true", qmd__sessions__export_dir=str(place))
    bank.export_transcripts(bank.transcripts(), now=NOW)
    [file] = place.glob("*.md")
    bank.forget(match="walnut", purge=True)
    assert [line for line in file.read_text().split("\n") if "User" in line] == ["User: Two plums."]
    bank.forget(source="sessions/a.jsonl", purge=True)
    assert list(place.iterdir()) == []


def test_f90_exports_may_be_kept_elsewhere(open_bank: Opener, tmp_path: Path) -> None:
    place = tmp_path / "talks"
    bank = open_bank(qmd__sessions__enabled="true", qmd__sessions__export_dir=str(place))
    name = bank.export_transcripts([TALK], now=NOW).written[0]
    assert (place / name).is_file()


def test_f90_off_by_default(open_bank: Opener) -> None:
    with pytest.raises(UsageError, match="are not exported"):
        open_bank().export_transcripts([TALK])
