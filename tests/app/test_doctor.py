"""The doctor finds each kind of damage, repairs what is safe, and changes no note."""

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from lorebank import Bank
from lorebank.errors import NotFound
from lorebank.render.reports import REMEDIES
from support import FIXTURES


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES / "harbour", tmp_path / "ws")
    with Bank.open(tmp_path / "ws") as bank:
        bank.sync(embed=False)
        bank.reflect()
    return tmp_path / "ws"


def found(root: Path, *, fix: bool = False) -> list[tuple[str, str, bool]]:
    with Bank.open(root) as bank:
        return [(f.check, f.source, f.fixed) for f in bank.doctor(fix=fix)]


def test_a_sound_workspace_has_no_findings(root: Path) -> None:
    assert found(root) == []


def test_an_index_that_says_something_else_is_rebuilt(root: Path) -> None:
    connection = apsw.Connection(str(root / ".memory/index.sqlite"))
    connection.execute("UPDATE items SET content = 'Prefers long replies.' WHERE kind = 'opinion'")
    connection.close()
    assert {check for check, *_ in found(root)} == {"index"}
    assert all(fixed for *_, fixed in found(root, fix=True))
    assert found(root) == []


def test_leftovers_of_a_killed_writer_are_removed_only_when_asked(root: Path) -> None:
    left = root / "memory" / ".2025-11-27.md.0123456789ab.lorebank-tmp"
    left.write_text("half", encoding="utf-8")
    place = left.relative_to(root).as_posix()
    assert found(root) == [("interrupted", place, False)]
    assert left.exists()
    assert found(root, fix=True) == [("interrupted", place, True)]
    assert not left.exists()


@pytest.mark.parametrize("area", ["undo", "undo/lint", "forgotten"])
def test_a_record_that_cannot_be_read_is_named_and_kept(root: Path, area: str) -> None:
    record = root / ".memory" / area / "2026-01-01-8.pending.zip"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_bytes(b"PK\x03\x04 cut off")
    assert found(root) == [("interrupted", record.relative_to(root).as_posix(), False)]
    [finding] = found(root, fix=True)
    assert finding[2] is False
    assert (root / finding[1]).read_bytes() == b"PK\x03\x04 cut off"
    assert found(root) == [finding]


@pytest.mark.parametrize("name", ["generated.json", "schedule.json", "recalled.log"])
def test_a_file_that_no_rebuild_brings_back_is_named_where_it_is_garbage(
    root: Path, name: str
) -> None:
    (root / ".memory" / name).write_bytes(b"\x91\x02 garbage \xff")
    assert found(root, fix=True) == [("records", f".memory/{name}", False)]
    with Bank.open(root) as bank:
        problems = [p.path for p in bank.reflect().problems]
    assert problems == ([f".memory/{name}"] if name == "generated.json" else [])


def test_broken_marks_and_dead_citations_are_named_and_left_alone(root: Path) -> None:
    page = root / "bank/entities/Peter.md"
    broken = page.read_text("utf-8").replace("<!-- lorebank:end summary -->", "", 1)
    page.write_text(broken, encoding="utf-8")
    log = root / "memory/2025-12-20.md"
    log.write_text("# Sat\n\n## Retain\n- W @Peter: See memory/2025-11-27.md#L900.\n", "utf-8")
    checks = {check for check, *_ in found(root, fix=True)}
    assert "pages" in checks
    assert page.read_text("utf-8") == broken


def test_status_and_doctor_say_the_same_of_a_secret(root: Path) -> None:
    log = root / "memory/2025-12-20.md"
    log.write_text("# Sat\n\nThe wifi password is Hk7-pq92-Lzz.\n", "utf-8")
    with Bank.open(root) as bank:
        [finding] = bank.doctor()
    assert (finding.source, finding.remedy) == (
        "memory/2025-12-20.md#L3",
        REMEDIES["secret-redacted"],
    )


def test_a_folder_in_place_of_a_page_is_a_finding_not_a_crash(root: Path) -> None:
    (root / "bank/opinions.md").unlink()
    (root / "bank/opinions.md").mkdir()
    assert ("pages", "bank/opinions.md", False) in found(root)


LOG = (
    "# Day\r\n\r\n## Retian\r\n• W @Lena: Sings *loudly*.\r\n"
    "- W @Bo: Rows far.\r\n- W @Bo: Rows far.\r\n"
)


@pytest.fixture
def slips(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-01-02.md").write_bytes(LOG.encode())
    return tmp_path


def codes(bank: Bank) -> list[str]:
    return [finding.code for finding in bank.lint().findings]


def test_fixes_are_written_and_taken_back_byte_for_byte(slips: Path) -> None:
    log = slips / "memory" / "2026-01-02.md"
    with Bank.open(slips) as bank:
        before = [fact.id for fact in bank.timeline()]
        report = bank.lint(fix=True)
        assert report.changed == ("memory/2026-01-02.md",)
        assert log.read_bytes() == (
            b"# Day\r\n\r\n## Retain\r\n- W @Lena: Sings *loudly*.\r\n"
            b"- W @Bo: Rows far.\r\n- W @Bo: Rows far.\r\n"
        )
        assert [fact.id for fact in bank.timeline()] == before
        assert codes(bank) == ["duplicate"]
        bank.undo_lint()
        assert log.read_bytes() == LOG.encode()
        with pytest.raises(NotFound):
            bank.undo_lint()


def test_a_mark_whose_id_nothing_has_is_named(write_log: Callable[..., Path]) -> None:
    write_log("2026-01-02", "- W @Kit: Rows on Tuesdays.")
    with Bank.open(write_log("2026-01-03", "- O(c=0.8) @Kit: Likes rowing.")) as bank:
        [fact] = [f for f in bank.timeline("Kit") if f.kind.value == "world"]
        [opinion] = bank.opinions()
    root = write_log(
        "2026-02-02",
        f"- W @Kit: Rows on Thursdays. (ends {fact.id}) (+{opinion.id})",
        "- W @Kit: Rows on Fridays. (ends f-0000000000)",
        "- W @Kit: Bought a boat. (+o-00000000)",
    )
    with Bank.open(root) as bank:
        found = bank.lint().findings
    assert [(str(each.source), each.code) for each in found] == [
        ("memory/2026-02-02.md#L5", "mark-unknown"),
        ("memory/2026-02-02.md#L6", "mark-unknown"),
    ]


def test_status_counts_findings_without_calling_them_problems(slips: Path) -> None:
    with Bank.open(slips) as bank:
        bank.sync()
        status = bank.status()
        assert status.counts["lint"] == len(bank.lint().findings)
        assert status.problems == ()


def test_lint_alone_writes_nothing(slips: Path) -> None:
    with Bank.open(slips) as bank:
        assert "heading-slip" in codes(bank)
    assert (slips / "memory" / "2026-01-02.md").read_bytes() == LOG.encode()


def test_a_line_that_a_fix_lays_bare_is_fixed_with_it(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02")
    log = root / "memory" / "2026-01-02.md"
    log.write_text(
        "Retain: W @Kit: Rows on Tuesdays.\nS @Kit: Sculls on Fridays in May.\n", encoding="utf-8"
    )
    with Bank.open(root) as bank:
        assert bank.lint(fix=True).changed == ("memory/2026-01-02.md",)
        assert (
            log.read_text(encoding="utf-8")
            == "## Retain\n- W @Kit: Rows on Tuesdays.\n- S @Kit: Sculls on Fridays in May.\n"
        )
        assert codes(bank) == []
        bank.undo_lint()
    assert (
        log.read_text(encoding="utf-8")
        == "Retain: W @Kit: Rows on Tuesdays.\nS @Kit: Sculls on Fridays in May.\n"
    )
