"""What is never recalled: only old lines, and only where answers were noted for long enough."""

from datetime import date, timedelta
from pathlib import Path

from lorebank import Bank
from lorebank.domain.reports import RotKind

WRITTEN = date(2026, 1, 5)
LATER = WRITTEN + timedelta(120)
LOG = """## Retain
- W @Ana: Lives in Porto.
- W @Rui: Plays the cello.
- O(c=0.8) @Rui: Prefers trains to planes.
- O(c=0.8) @Ana: Likes olives.
"""


def bank_with(root: Path) -> Bank:
    (root / "memory").mkdir(parents=True)
    (root / "memory" / f"{WRITTEN}.md").write_text(LOG)
    return Bank.open(root)


def unrecalled(bank: Bank, day: date) -> tuple[int | None, list[str]]:
    report = bank.rot(now=day)
    found = [f.text for f in report.findings if f.kind is RotKind.UNRECALLED]
    return report.unrecalled, found


def test_without_a_record_nothing_is_claimed(tmp_path: Path) -> None:
    with bank_with(tmp_path) as bank:
        assert unrecalled(bank, LATER) == (None, [])


def test_old_lines_that_no_answer_gave_are_found(tmp_path: Path) -> None:
    with bank_with(tmp_path) as bank:
        bank.recall("where does Ana live?", k=1, now=WRITTEN)
        bank.recall("does Rui prefer trains or planes?", k=1, now=WRITTEN)
        assert unrecalled(bank, LATER) == (2, ["Likes olives.", "Plays the cello."])
        assert unrecalled(bank, WRITTEN + timedelta(60)) == (0, [])


def test_a_young_record_says_nothing(tmp_path: Path) -> None:
    with bank_with(tmp_path) as bank:
        bank.recall("where does Ana live?", k=1, now=LATER - timedelta(10))
        assert unrecalled(bank, LATER) == (None, [])


def test_questions_that_nobody_asked_are_not_noted(tmp_path: Path) -> None:
    with bank_with(tmp_path) as bank:
        bank.recall("where does Ana live?", remember=False, now=WRITTEN)
        bank.reflect(now=WRITTEN)
        assert not (tmp_path / ".memory" / "recalled.log").exists()


def test_the_record_survives_a_rebuild_and_can_be_switched_off(tmp_path: Path) -> None:
    with bank_with(tmp_path) as bank:
        bank.recall("where does Ana live?", k=1, now=WRITTEN)
        bank.sync(full=True)
        assert unrecalled(bank, LATER)[0] == 3
    (tmp_path / ".memory" / "config.toml").write_text("[recall]\nremember_uses = false\n")
    with Bank.open(tmp_path) as bank:
        size = (tmp_path / ".memory" / "recalled.log").stat().st_size
        bank.recall("where does Ana live?", k=1, now=WRITTEN)
        assert (tmp_path / ".memory" / "recalled.log").stat().st_size == size
        assert unrecalled(bank, LATER) == (None, [])
