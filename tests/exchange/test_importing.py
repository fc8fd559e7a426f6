"""Importing twice, after changes on either side, and what quarantine makes of it."""

import json
import shutil
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, UsageError
from support import FIXTURES, WORDS_ONLY

SOURCES = FIXTURES / "exchange"
NAMES = ("Vault", "graph", "chatgpt", "claude", "basic-memory", "facts.jsonl")
ANA = "memory/imported/obsidian/Vault/People/Ana Ruiz.md"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    (tmp_path / "workspace" / "memory").mkdir(parents=True)
    return Bank.open(tmp_path / "workspace", environ=WORDS_ONLY, now=date(2026, 1, 10))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    shutil.copytree(SOURCES / "Vault", tmp_path / "Vault")
    return tmp_path / "Vault"


def files(bank: Bank) -> dict[str, bytes]:
    found = (bank.root / "memory").rglob("*.md")
    return {path.relative_to(bank.root).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("name", NAMES)
def test_a_second_import_changes_nothing(bank: Bank, name: str) -> None:
    first = bank.import_notes(SOURCES / name)
    before = files(bank)
    again = bank.import_notes(SOURCES / name)
    assert set(before) == set(first.added) != set()
    assert (again.added, again.updated, again.edited, again.unchanged) == ((), (), (), len(before))
    assert files(bank) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_tells_the_same_and_writes_nothing(bank: Bank, name: str) -> None:
    told = bank.import_notes(SOURCES / name, dry_run=True)
    assert files(bank) == {}
    assert not (bank.root / ".memory" / "imports.json").exists()
    done = bank.import_notes(SOURCES / name)
    assert {**told.to_dict(), "dry_run": False} == done.to_dict()


@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_is_in_quarantine(bank: Bank, name: str) -> None:
    bank.import_notes(SOURCES / name)
    facts = bank.timeline()
    assert [fact for fact in facts if not fact.quarantined] == []
    assert {fact.origin.value for fact in facts} <= {"imported"}
    assert bank.opinions() == ()


def test_facts_keep_day_entities_and_confidence(bank: Bank) -> None:
    bank.import_notes(SOURCES / "Vault")
    (fact,) = [each for each in bank.timeline() if each.confidence]
    (stated,) = [each for each in bank.timeline() if not each.confidence]
    assert (stated.content, stated.slugs) == ("origin: Porto", ("ana-ruiz",))
    assert (fact.content, fact.slugs, fact.confidence, fact.recorded) == (
        "Prefers the early ferry.",
        ("ana-ruiz",),
        0.8,
        date(2024, 1, 15),
    )


def test_confirmed_it_counts(bank: Bank) -> None:
    bank.import_notes(SOURCES / "Vault")
    bank.confirm(all_from="imported")
    assert [opinion.statement for opinion in bank.opinions()] == ["Prefers the early ferry."]


def test_a_changed_source_updates_what_nobody_edited(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    (vault / "People" / "Ana Ruiz.md").write_text("Lives in Lisbon by now.")
    report = bank.import_notes(vault)
    assert (report.updated, report.unchanged) == ((ANA,), 2)
    assert "Lives in Lisbon by now." in (bank.root / ANA).read_text("utf-8")


def test_an_edited_file_is_never_written_over(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    mine = (bank.root / ANA).read_text("utf-8") + "\nShe plays the cello.\n"
    (bank.root / ANA).write_text(mine, "utf-8")
    assert bank.import_notes(vault).unchanged == 3
    (vault / "People" / "Ana Ruiz.md").write_text("Lives in Lisbon by now.")
    report = bank.import_notes(vault)
    assert (report.edited, report.updated) == ((ANA,), ())
    assert (bank.root / ANA).read_text("utf-8") == mine


def test_line_ends_and_marks_that_a_system_adds_are_no_edit(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    text = (bank.root / ANA).read_bytes()
    (bank.root / ANA).write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert bank.import_notes(vault).unchanged == 3
    (vault / "People" / "Ana Ruiz.md").write_text("Lives in Lisbon by now.")
    assert bank.import_notes(vault).updated == (ANA,)


def test_a_file_moved_within_its_folder_is_still_that_note(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    moved = (bank.root / ANA).with_name("Ana.md")
    (bank.root / ANA).rename(moved)
    before = files(bank)
    report = bank.import_notes(vault)
    assert (report.added, report.unchanged) == ((), 3)
    assert files(bank) == before


def test_what_was_thrown_away_is_not_brought_back(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    (bank.root / ANA).unlink()
    report = bank.import_notes(vault)
    assert (report.added, report.removed) == ((), ("People/Ana Ruiz.md",))
    assert not (bank.root / ANA).exists()


def test_what_is_gone_from_the_source_is_kept(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    (vault / "People" / "Ana Ruiz.md").unlink()
    report = bank.import_notes(vault)
    assert report.gone == (ANA,)
    assert (bank.root / ANA).exists()


def test_a_conversation_that_was_renamed_and_went_on_stays_one_file(
    bank: Bank, tmp_path: Path
) -> None:
    shutil.copytree(SOURCES / "chatgpt", tmp_path / "one")
    first = bank.import_notes(tmp_path / "one")
    export = json.loads((tmp_path / "one" / "conversations.json").read_text("utf-8"))
    export[0]["title"] = "Bread"
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "conversations.json").write_text(json.dumps(export), "utf-8")
    again = bank.import_notes(tmp_path / "two")
    assert (again.added, again.updated, again.unchanged) == ((), first.added[:1], 1)
    assert "# Bread\n" in (bank.root / first.added[0]).read_text("utf-8")


def test_two_vaults_of_one_name_are_two(bank: Bank, vault: Path, tmp_path: Path) -> None:
    bank.import_notes(vault)
    other = tmp_path / "elsewhere" / "Vault"
    other.mkdir(parents=True)
    (other / "Harbour office.md").write_text("Of another harbour.")
    before = files(bank)
    with pytest.raises(UsageError, match="another source was imported"):
        bank.import_notes(other, form="obsidian")
    assert files(bank) == before
    report = bank.import_notes(other, form="obsidian", name="Other")
    assert report.added == ("memory/imported/obsidian/Other/Harbour office.md",)


def test_a_vault_that_moved_is_the_same(bank: Bank, vault: Path, tmp_path: Path) -> None:
    bank.import_notes(vault)
    (tmp_path / "elsewhere").mkdir()
    moved = vault.rename(tmp_path / "elsewhere" / "Vault")
    assert bank.import_notes(moved).unchanged == 3


def test_a_file_of_the_owner_is_in_nobodys_way(bank: Bank, vault: Path) -> None:
    own = bank.root / "memory/imported/obsidian/Vault/people/ana ruiz.md"
    own.parent.mkdir(parents=True)
    own.write_text("Mine.")
    report = bank.import_notes(vault)
    assert own.read_text() == "Mine."
    assert [path for path in report.added if "Ana Ruiz" in path] != [ANA]


def test_without_the_derived_folder_an_import_knows_its_files(bank: Bank, vault: Path) -> None:
    bank.import_notes(vault)
    bank.close()
    shutil.rmtree(bank.root / ".memory")
    assert bank.import_notes(vault).unchanged == 3
