"""What was given as an answer: appended, compacted, and never a claim where there is no record."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank.workspace import recalled
from lorebank.workspace.recalled import Recalled, compact_recalled, note_recalled, read_recalled

DAY = date(2026, 3, 1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".memory").mkdir()
    return tmp_path


def test_the_last_day_of_each_line_is_known(root: Path) -> None:
    note_recalled(root, ["f-1", "f-2"], DAY)
    note_recalled(root, ["f-2"], DAY + timedelta(5))
    note_recalled(root, ["f-1"], DAY - timedelta(5))  # a clock that went back
    assert read_recalled(root) == Recalled(
        DAY - timedelta(5), {"f-1": DAY, "f-2": DAY + timedelta(5)}
    )


def test_compacting_a_long_log_changes_nothing_that_is_known(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recalled, "_COMPACT_FROM_BYTES", 64_000)
    log = root / ".memory" / "recalled.log"
    for number in range(3_000):
        note_recalled(root, [f"f-{number % 700:010x}"], DAY + timedelta(number // 100))
    before, size = read_recalled(root), log.stat().st_size
    compact_recalled(root)
    assert log.stat().st_size < size / 2
    assert sorted(p.name for p in (root / ".memory").iterdir()) == ["recalled.log"]
    note_recalled(root, ["f-new"], DAY + timedelta(90))
    assert before is not None
    known = {**before.last, "f-new": DAY + timedelta(90)}
    assert read_recalled(root) == Recalled(DAY, known)


def test_damage_and_links_are_passed_over(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine\n")
    (root / ".memory" / "recalled.log").symlink_to(outside)
    note_recalled(root, ["f-1"], DAY)
    assert (outside.read_text(), read_recalled(root)) == ("mine\n", None)
    (root / ".memory" / "recalled.log").unlink()
    (root / ".memory" / "recalled.log").write_bytes(b"\xff\x00 nonsense\n2026-02-30 f-1\n")
    assert read_recalled(root) is None
    with (root / ".memory" / "recalled.log").open("ab") as log:
        log.write(b"since 2026-01-01\n2026-01-05 f-1\n\x91\xff\n2026-02-01 f-2\n")
    assert read_recalled(root) == Recalled(  # f-3 may have been on the damaged line
        date(2026, 2, 1), {"f-1": date(2026, 1, 5), "f-2": date(2026, 2, 1)}
    )
