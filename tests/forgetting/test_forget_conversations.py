"""Forgetting what was said in conversations: no store keeps it, no sync brings it back."""

import json
import os
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from lorebank import Bank, NotFound
from lorebank.app.rulings import open_forgetting
from lorebank.workspace.layout import FORGOTTEN_PAGE
from support import WORDS_ONLY, golden

ASKED_FOR = {
    **WORDS_ONLY,
    "LOREBANK_MEMORY_SEARCH__SOURCES": "memory,sessions",
    "LOREBANK_MEMORY_SEARCH__EXPERIMENTAL__SESSION_MEMORY": "true",
    "LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS": "talks/{agent_id}",
}
OLD, NEW = "2026-01-05T10:00:00Z", "2026-02-20T10:00:00Z"
KETTLE = "Björn keeps a zweikanalig kettle on the boat"


def said(text: str, day: str = NEW, **fields: object) -> str:
    return json.dumps({"role": "user", "content": text, "timestamp": day, **fields}) + "\n"


def opened(root: Path, **settings: str) -> Bank:
    return Bank.open(root, environ={**ASKED_FOR, **settings}, now=date(2026, 3, 1))


def found(bank: Bank, text: str) -> list[str]:
    return [f"{h.path}#L{h.start_line}" for h in bank.search(text) if h.corpus == "sessions"]


def holding(root: Path, text: str) -> list[str]:
    """The files that hold a text, whatever they are, but for the transcripts themselves."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return [
        path.relative_to(root).as_posix()
        for path in files
        if text.encode() in path.read_bytes() and not path.is_relative_to(root / "talks")
    ]


def transcripts(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((root / "talks").rglob("*.jsonl"))}


@pytest.fixture
def workspace(write_log: Callable[..., Path]) -> Path:
    """Two conversations of the agent `main`, read into its store."""
    root = write_log("2026-02-01", "- W @Ada: Rowed a dinghy to Porto.")
    folder = root / "talks" / "main"
    folder.mkdir(parents=True)
    a = [said("ok", OLD), said("A walnut for Ada", OLD), said(KETTLE), said("ok"), said("the end")]
    b = [said("A hazelnut grows by the window here", OLD), said("An acorn by the very same window")]
    (folder / "a.jsonl").write_text("".join(a))
    (folder / "b.jsonl").write_text("".join(b))
    with opened(root) as bank:
        bank.sync()
        assert found(bank, "zweikanalig") == ["sessions/a.jsonl#L3"]
    assert holding(root, "zweikanalig")
    return root


ALL = ["a1", "a2", "a3", "a4", "a5", "b1", "b2"]
ORDERS = [
    ({"source": "sessions/a.jsonl"}, [f"a{n}" for n in (1, 2, 3, 4, 5)]),
    ({"source": "sessions/a.jsonl#L3-L4"}, ["a3", "a4"]),
    ({"source": "sessions"}, ["a1", "a2", "a3", "a4", "a5", "b1", "b2"]),
    ({"source": "sessions/a.jsonl", "before": "2026-02-01"}, ["a1", "a2"]),
    ({"before": "2026-01-31"}, ["a1", "a2", "b1"]),
    ({"entity": "Ada"}, ["a2"]),
    ({"entity": "bjorn"}, ["a3"]),
    ({"entity": "Björn", "before": "2026-02-01"}, []),
    ({"match": "by THE window"}, ["b1"]),
]


@pytest.mark.parametrize(("order", "gone"), ORDERS, ids=[str(order) for order, _ in ORDERS])
def test_what_is_forgotten_is_not_read_again(
    workspace: Path, order: dict[str, str], gone: list[str]
) -> None:
    before = transcripts(workspace)
    with opened(workspace) as bank:
        told = bank.forget(**order, dry_run=True).said
        assert not (workspace / FORGOTTEN_PAGE).exists()
        assert bank.forget(**order).said == told
        left = _places(bank)
        bank.sync(full=True)
        assert _places(bank) == left
        bank.workspace.discard_index()
        bank.sync()
        assert _places(bank) == left

    assert [f"{line.source.path[9]}{line.source.start_line}" for line in told] == gone
    assert left == [place for place in ALL if place not in gone]
    assert transcripts(workspace) == before


def _places(bank: Bank) -> list[str]:
    return [f"{path[9]}{turn.line}" for path, turn in bank.session_turns()]


@golden("conversations.md")
def test_no_byte_of_it_is_left_once_it_is_purged(workspace: Path, order: dict[str, str]) -> None:
    with opened(workspace) as bank:
        report = bank.forget(**order, purge=True)
        assert {left.code for left in report.problems} <= {"left-with-host"}
        assert found(bank, "zweikanalig") == []
        assert holding(workspace, "zweikanalig") == []
    assert holding(workspace, "zweikanalig") == []
    assert holding(workspace, "kettle") == []


def test_undo_lets_it_be_read_again(workspace: Path) -> None:
    with opened(workspace) as bank:
        bank.forget(match="zweikanalig")
        bank.forget(source="sessions/b.jsonl")
        first, second = (f"2026-03-01-{number}" for number in (1, 2))
        bank.undo_forget(first)
        assert found(bank, "zweikanalig") == ["sessions/a.jsonl#L3"]
        assert found(bank, "acorn") == []
        bank.undo_forget(second)
        assert found(bank, "acorn") == ["sessions/b.jsonl#L2"]
        assert not (workspace / FORGOTTEN_PAGE).exists()


def test_the_owner_may_delete_the_line_after_it_was_purged(workspace: Path) -> None:
    page = workspace / FORGOTTEN_PAGE
    with opened(workspace) as bank:
        bank.forget(match="zweikanalig", purge=True)
        [line] = [line for line in page.read_text().splitlines() if line.startswith("- ")]
        assert line.startswith("- forget `sessions/a.jsonl#L3` of main ")
        page.write_text(page.read_text().replace(line, ""))
        bank.sync()
        assert found(bank, "zweikanalig") == ["sessions/a.jsonl#L3"]


def test_a_line_that_says_nothing_is_told(workspace: Path) -> None:
    page = workspace / FORGOTTEN_PAGE
    page.parent.mkdir(exist_ok=True)
    page.write_text("# Forgotten\n\n- sessions/a.jsonl, please\n")
    with opened(workspace) as bank:
        bank.sync()
        problems = [(p.path, p.line, p.code) for p in bank.status().problems]
    assert (FORGOTTEN_PAGE, 3, "forgotten-unread") in problems


def test_a_copy_of_it_in_another_transcript_is_not_read_either(workspace: Path) -> None:
    with opened(workspace) as bank:
        bank.forget(source="sessions/a.jsonl#L3-L4")
        fork = workspace / "talks/main/fork.jsonl"
        fork.write_text(said("a preface") + said(KETTLE) + said("ok"))
        bank.sync()
        assert found(bank, "zweikanalig") == []
        assert [place for place in _places(bank) if place[0] == "f"] == ["f1", "f3"]


def test_what_is_said_afterwards_is_read(workspace: Path) -> None:
    talk = workspace / "talks/main/a.jsonl"
    with opened(workspace) as bank:
        bank.forget(before="2026-02-21")
        with talk.open("a") as file:
            file.write(said("A late chestnut", "2026-02-25T10:00:00Z"))
        bank.sync()
        assert found(bank, "chestnut") == ["sessions/a.jsonl#L6"]
        assert found(bank, "zweikanalig") == []


def test_talk_without_days_is_of_the_day_of_its_file(workspace: Path) -> None:
    talk = workspace / "talks/main/c.jsonl"
    talk.write_text('{"role": "user", "content": "an old plum"}\n')
    moment = datetime(2026, 1, 3).timestamp()
    os.utime(talk, (moment, moment))
    with opened(workspace) as bank:
        bank.sync()
        bank.forget(before="2026-01-04")
        with talk.open("a") as file:
            file.write('{"role": "user", "content": "a new pear"}\n')
        bank.sync()
        assert found(bank, "plum") == []
        assert found(bank, "pear") == ["sessions/c.jsonl#L2"]


def test_another_agents_conversations_are_another_matter(workspace: Path) -> None:
    other = workspace / "talks/tide"
    other.mkdir()
    (other / "a.jsonl").write_text(said("tide says walnut") + said(KETTLE))
    tide = {"LOREBANK_INDEX__AGENT_ID": "tide"}
    with opened(workspace, **tide) as bank:
        bank.sync()
    with opened(workspace) as bank:
        bank.forget(source="sessions/a.jsonl")
    with opened(workspace, **tide) as bank:
        bank.sync()
        assert found(bank, "zweikanalig") == ["sessions/a.jsonl#L1"]


def test_forgetting_goes_by_the_word_not_by_its_letters(workspace: Path) -> None:
    (workspace / "talks/main/n.jsonl").write_text(
        said("Adamant about it") + said("ADA's boat") + said("@ada") + said("我和阿达说话")
    )
    with opened(workspace) as bank:
        told = bank.forget(entity="Ada", source="", dry_run=True).said
        assert [str(line.source) for line in told] == [
            "sessions/a.jsonl#L2",
            "sessions/n.jsonl#L2",
            "sessions/n.jsonl#L3",
        ]
        [line] = bank.forget(entity="阿达", dry_run=True).said
        assert line.text == "我和阿达说话"


@pytest.mark.parametrize(
    "order", [{"source": "sessions/none.jsonl"}, {"entity": "Xanthippe"}], ids=str
)
def test_what_no_conversation_holds_is_refused(workspace: Path, order: dict[str, str]) -> None:
    with opened(workspace) as bank, pytest.raises(NotFound):
        bank.forget(**order)


def test_where_no_conversation_is_read_there_is_none(workspace: Path) -> None:
    with (
        Bank.open(workspace, environ=WORDS_ONLY, now=date(2026, 3, 1)) as bank,
        pytest.raises(NotFound, match="none are read"),
    ):
        bank.forget(source="sessions/a.jsonl")


def test_a_kill_before_the_store_was_cut_is_finished(workspace: Path) -> None:
    with opened(workspace) as bank:
        forgetting = open_forgetting(bank.workspace)
        conversations = forgetting.conversations
        assert conversations is not None

        class Killed(BaseException):
            pass

        def settle() -> str:
            raise Killed

        object.__setattr__(conversations, "apply", settle)
        from lorebank.forgetting.selection import Order

        with pytest.raises(Killed):
            forgetting.forget(Order(match="zweikanalig"), today=date(2026, 3, 1))
    assert holding(workspace, "zweikanalig")
    with opened(workspace) as bank:
        bank.purge_forgotten()
    assert holding(workspace, "zweikanalig") == []
