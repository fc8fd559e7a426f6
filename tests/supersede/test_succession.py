"""Facts that end: by an explicit ending, a writer's mark, or a ruling; undone by taking it out."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from lorebank import Bank, FactStatus
from support import WORDS_ONLY, golden

TODAY = date(2026, 3, 1)


def _bank(root: Path, logs: Mapping[str, str]) -> Bank:
    (root / "memory").mkdir(exist_ok=True)
    for day, line in logs.items():
        (root / f"memory/{day}.md").write_text(f"## Retain\n- {line}\n", "utf-8")
    return Bank.open(root, now=TODAY, environ=WORDS_ONLY)


def _status(bank: Bank, question: str, day: str, **when: date) -> FactStatus:
    bank.sync()
    hits = bank.recall(question, k=9, include_superseded=True, **when).hits
    return next(h.status for h in hits if h.source.path == f"memory/{day}.md")


@golden("supersede.md")
def test_an_explicit_ending_ends_what_it_speaks_of(tmp_path: Path, older: str, newer: str) -> None:
    logs = {"2026-01-02": f"W @Kit: {older}", "2026-02-02": f"W @Kit: {newer}"}
    with _bank(tmp_path, logs) as bank:
        assert _status(bank, older, "2026-01-02") is FactStatus.SUPERSEDED
        assert _status(bank, newer, "2026-02-02") is FactStatus.LIVE
        assert _status(bank, older, "2026-01-02", as_of=date(2026, 2, 1)) is FactStatus.LIVE
        (tmp_path / "memory/2026-02-02.md").unlink()
        assert _status(bank, older, "2026-01-02") is FactStatus.LIVE


@golden("supersede.md")
def test_hearsay_parts_and_others_end_nothing(tmp_path: Path, older: str, newer: str) -> None:
    logs = {"2026-01-02": f"W @Kit: {older}", "2026-02-02": f"W @Kit: {newer}"}
    with _bank(tmp_path, logs) as bank:
        assert _status(bank, older, "2026-01-02") is FactStatus.LIVE


def test_an_ending_announced_for_later_waits_for_its_day(tmp_path: Path) -> None:
    logs = {
        "2026-01-02": "W @Kit: Account manager at Brook Mills.",
        "2026-02-02": "W @Kit: Leaves Brook Mills on 15 March 2026.",
    }
    with _bank(tmp_path, logs) as bank:
        assert _status(bank, "Brook Mills", "2026-01-02") is FactStatus.LIVE
        later = _status(bank, "Brook Mills", "2026-01-02", now=date(2026, 3, 15))
        assert later is FactStatus.SUPERSEDED


def test_a_writer_says_it_outright(tmp_path: Path) -> None:
    with _bank(tmp_path, {"2026-01-02": "W @Kit: Rows on Tuesdays."}) as bank:
        bank.sync()
        [old] = bank.timeline("Kit")
        new = bank.retain("W @Kit: Climbs these days.", replaces=old.id[:6], day="2026-02-02")
        assert new.ends == (old.id,)
        log = (tmp_path / new.citation.path).read_text("utf-8")
        assert f"- W @Kit: Climbs these days. (ends {old.id})" in log
        assert _status(bank, "Rows on Tuesdays", "2026-01-02") is FactStatus.SUPERSEDED
        assert bank.check() == ()
        (tmp_path / new.citation.path).unlink()
        assert _status(bank, "Rows on Tuesdays", "2026-01-02") is FactStatus.LIVE


def test_a_ruling_outweighs_what_was_read(tmp_path: Path) -> None:
    logs = {"2026-01-02": "W @Kit: Plays in a band.", "2026-02-02": "W @Kit: Gave up the band."}
    with _bank(tmp_path, logs) as bank:
        bank.sync()
        new, old = sorted(bank.timeline("Kit"), key=lambda f: f.citation.path, reverse=True)
        (tmp_path / "bank").mkdir(exist_ok=True)
        ledger = tmp_path / "bank/decisions.md"
        ledger.write_text(f"- {new.id} both {old.id} (2026-02-03 by Ana)\n", "utf-8")
        assert _status(bank, "Plays in a band", "2026-01-02") is FactStatus.LIVE
        before = date(2026, 2, 2)
        assert _status(bank, "Plays in a band", "2026-01-02", as_of=before) is FactStatus.SUPERSEDED
        assert bank.check() == ()


def test_what_ended_leaves_the_page_and_the_head_of_recall(tmp_path: Path) -> None:
    logs = {"2026-01-02": "W @Kit: Plays in a band.", "2026-02-02": "W @Kit: Gave up the band."}
    with _bank(tmp_path, logs) as bank:
        bank.sync()
        bank.reflect(now=TODAY)
        page = (tmp_path / "bank/entities/Kit.md").read_text("utf-8")
        summary, timeline = page.split("## Timeline")
        assert "Plays in a band" not in summary
        assert "~~Plays in a band.~~" in timeline
        assert [h.content for h in bank.recall("what does Kit play?").hits] == ["Gave up the band."]
