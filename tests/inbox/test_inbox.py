"""The inbox: what waits is listed, ruled on in signed ledger lines, and taken back exactly."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.facts import InboxKind
from lorebank.errors import ConcurrentEdit, NotFound, UsageError
from support import WORDS_ONLY, snapshot

TODAY = date(2026, 1, 9)
LOG = """\
## Retain
- O(c=0.8) @Mara: Prefers the northern tower for the release party.
- W @Stephan-Berg: Rents the small boathouse.
- W @Stefan-Berg: Owns a red kayak.
"""
LATER = """\
## Retain
- W @Mara: The northern tower hosted the release party again.
"""
IMPORTED = """\
---
origin: imported
---
## Retain
- W @Mara: Keeps two parrots.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory/imported").mkdir(parents=True)
    (tmp_path / "memory/2026-01-02.md").write_text(LOG, "utf-8")
    (tmp_path / "memory/2026-01-05.md").write_text(LATER, "utf-8")
    (tmp_path / "memory/imported/old.md").write_text(IMPORTED, "utf-8")
    return tmp_path


def test_every_kind_comes_with_choices_and_what_they_change(root: Path) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        items = {item.kind: item for item in bank.inbox().items}
    assert items[InboxKind.NAME].choices == ("same", "distinct")
    assert items[InboxKind.QUARANTINE].choices == ("confirm", "reject")
    for item in items.values():
        assert item.reason
        assert all(item.effect.values())
        assert item.newer is not None


def test_ids_are_the_same_in_a_fresh_index(root: Path) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        first = bank.inbox()
    shutil.rmtree(root / ".memory")
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        assert bank.inbox() == first


@pytest.mark.parametrize("choice", [0, -1])
def test_verdicts_survive_the_index_and_are_taken_back_exactly(root: Path, choice: int) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        waiting = bank.inbox()
        before = snapshot(root)
        ruled = bank.rule({i.id: i.choices[choice] for i in waiting.items}, by="Ana", now=TODAY)
        assert {d.id for d in ruled} == {item.id for item in waiting.items}
        assert {d.by for d in ruled} == {"Ana"}
        assert bank.inbox().total == 0
    shutil.rmtree(root / ".memory")
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        assert bank.inbox().total == 0
        assert bank.decisions() == ruled
        with pytest.raises(UsageError, match="'i-' matches several ids"):
            bank.unrule(["i-"])
        assert bank.decisions() == ruled
        bank.unrule(by="Ana")
        assert bank.inbox() == waiting
    assert snapshot(root) == before


def test_a_verdict_is_dropped_when_its_line_changes(root: Path) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        [item] = bank.inbox("quarantine").items
        bank.rule({item.id: "reject"}, by="Ana")
        assert bank.inbox("quarantine").total == 0
        (root / "memory/imported/old.md").write_text(IMPORTED.replace("two", "three"), "utf-8")
        bank.sync()
        assert bank.inbox("quarantine").total == 1


def test_nothing_is_written_where_one_verdict_cannot_be(root: Path) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        one, *_ = bank.inbox().items
        before = snapshot(root)
        with pytest.raises(NotFound, match="i-0000000000"):
            bank.rule({one.id: one.choices[0], "i-0000000000": "same"}, by="Ana")
        with pytest.raises(UsageError, match="no verdict 'perhaps'"):
            bank.rule({one.id: "perhaps"}, by="Ana")
        with pytest.raises(UsageError, match="judge's name"):
            bank.rule({one.id: one.choices[0]}, by="(:)")
        assert snapshot(root) == before


def test_only_the_verdicts_of_one_judge_are_taken_back(root: Path) -> None:
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        one, other, *_ = bank.inbox().items
        bank.rule({one.id: one.choices[0]}, by="Ana")
        bank.rule({other.id: other.choices[0]}, by="a (nightly): model")
        [taken] = bank.unrule(by="a (nightly): model")
        assert taken.id == other.id
        assert [d.by for d in bank.decisions()] == ["Ana"]
        with pytest.raises(NotFound):
            bank.unrule(by="Bo")


def test_an_accepted_edit_is_undone_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-01-02.md").write_text(
        "## Retain\n- W @Mara: Rents the `old` boathouse on the quay.\n", "utf-8"
    )
    (tmp_path / "memory/2026-01-05.md").write_text(
        "## Retain\n- W @Mara: Gave up the boathouse.\n", "utf-8"
    )
    core = "# Memory\n\n- Mara has the `old` boathouse.\n- Tea at four.\n"
    (tmp_path / "memory.md").write_text(core, "utf-8")
    with Bank.open(tmp_path, now=TODAY, environ=WORDS_ONLY) as bank:
        bank.sync()
        bank.reflect(now=TODAY)
        waiting = bank.inbox("proposal")
        [item] = waiting.items
        assert item.older is not None
        assert str(item.older.source) == "memory.md#L3"
        pages = (tmp_path / "bank/proposals/memory.md").read_bytes()
        bank.rule({item.id: "accept"}, by="Ana")
        assert "Gave up the boathouse" in (tmp_path / "memory.md").read_text("utf-8")
        bank.unrule([item.id])
        assert (tmp_path / "memory.md").read_text("utf-8") == core
        bank.reflect(now=TODAY)
        assert (tmp_path / "bank/proposals/memory.md").read_bytes() == pages
        assert bank.inbox("proposal") == waiting

        bank.rule({item.id: "accept"}, by="Ana")
        changed = (tmp_path / "memory.md").read_text("utf-8").replace("Mara", "Mara K.")
        (tmp_path / "memory.md").write_text(changed, "utf-8")
        with pytest.raises(ConcurrentEdit):
            bank.unrule([item.id])
        assert (tmp_path / "memory.md").read_text("utf-8") == changed


def test_what_is_said_again_with_its_name_is_not_asked_about(root: Path) -> None:
    said = {"06": "Is allergic to walnuts.", "07": "Ana is allergic to walnuts"}
    for day, line in said.items():
        log = root / f"memory/2026-01-{day}.md"
        log.write_text(f"## Retain\n- W @Ana: {line}\n", "utf-8")
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        waiting = bank.inbox(InboxKind.REPLACEMENT).items
    assert said["07"] not in {item.newer.text for item in waiting if item.newer}


def test_what_pages_show_as_one_line_is_not_asked_about(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    sizes = {11: "3.1", 12: "3.1", 13: "3.2", 14: "3.3"}
    for day, size in sizes.items():
        log = f"## Retain\n- W @Attic: The nightly copy finished, {size} GB.\n"
        (tmp_path / f"memory/2026-02-{day}.md").write_text(log, "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 2, 15)) as bank:
        assert bank.inbox().items == ()


def test_what_somebody_did_may_end_what_is_said_of_a_thing_it_names(root: Path) -> None:
    said = {"06": "@Selkie: Lies at the pier in Fossgate.", "07": "@Lou: @Selkie left the pier."}
    for day, line in said.items():
        kind = "W" if day == "06" else "B"
        (root / f"memory/2026-01-{day}.md").write_text(f"## Retain\n- {kind} {line}\n", "utf-8")
    with Bank.open(root, now=TODAY, environ=WORDS_ONLY) as bank:
        pairs = {(i.older.text, i.newer.text) for i in bank.inbox().items if i.older and i.newer}
    assert ("Lies at the pier in Fossgate.", "Selkie left the pier.") in pairs


def test_a_property_without_a_day_ends_by_verdict_only(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Odile.md").write_text("---\nemployer: Larkfield Mills\n---\n", "utf-8")
    news = "## Retain\n- W @Odile: No longer works at Larkfield Mills.\n"
    (tmp_path / "2026-01-07.md").write_text(news, "utf-8")
    with Bank.open(tmp_path, now=TODAY, environ=WORDS_ONLY) as bank:

        def shown() -> list[str]:
            return [hit.content for hit in bank.recall("Larkfield Mills").hits]

        [item] = [i for i in bank.inbox().items if i.older and i.older.text.startswith("employer")]
        assert "employer: Larkfield Mills" in shown()
        bank.rule({item.id: "replaces"}, by="Ana")
        assert shown() == ["No longer works at Larkfield Mills."]
        bank.unrule([item.id])
        assert "employer: Larkfield Mills" in shown()


def test_a_line_that_was_ruled_on_is_not_asked_about_with_the_next(tmp_path: Path) -> None:
    lines = {"02": "Rents a flat in Fossgate.", "03": "Swims on Fridays in June."}
    lines["06"] = "Has a new flat in Fossgate, swims nearby."
    (tmp_path / "memory").mkdir()
    for day, line in lines.items():
        log = tmp_path / f"memory/2026-01-{day}.md"
        log.write_text(f"## Retain\n- W @Ana: {line}\n", "utf-8")
    with Bank.open(tmp_path, now=TODAY, environ=WORDS_ONLY) as bank:
        [asked] = [i for i in bank.inbox().items if i.newer and i.newer.text == lines["06"]]
        assert asked.older and asked.older.text == lines["02"]
        bank.rule({asked.id: "both"}, by="Ana")
        assert lines["06"] not in {i.newer.text for i in bank.inbox().items if i.newer}


def test_a_page_that_is_a_folder_keeps_no_other_item_back(tmp_path: Path) -> None:
    (tmp_path / "bank" / "confirmed.md").mkdir(parents=True)
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert bank.inbox().items == ()
