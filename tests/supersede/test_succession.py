"""Facts that end: by an explicit ending, a writer's mark, or a ruling; undone by taking it out."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, FactStatus
from support import WORDS_ONLY

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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Plays bass in a ska band.", "Gave up the band, too many late nights."),
        ("Plays bass in a ska band.", "Gave the band up on 3 May."),
        ("Chairs the reading circle.", "Handed the circle to her sister."),
        ("Spielt in einer Kapelle.", "Gab die Kapelle auf."),
        ("Keeps a kiosk at the station.", "The kiosk closed down in spring."),
        ("Wears a splint on the thumb.", "The splint came off."),
        ("Has a yearly gym membership.", "The gym membership was cancelled."),
        ("Keeps an old sofa in the shed.", "Threw out the old sofa."),
        ("Fährt einen roten Roller.", "Hat den Roller verkauft."),
        ("Tiene una moto verde.", "Vendió la moto."),
        ("Joue dans une fanfare.", "A quitté la fanfare."),
        ("Ha un negozio di fiori.", "Ha venduto il negozio."),
        ("Tem uma oficina no Porto.", "Vendeu a oficina."),
        ("Speelt in een fanfare.", "Is gestopt met de fanfare; fanfare is voorbij."),
        ("Is vegan.", "Eats meat again."),
        ("The gate opens at 8 hours.", "The gate opens at 7 hours now."),
        ("Works in the old mill.", "No longer works in the old mill."),
    ],
)
def test_an_explicit_ending_ends_what_it_speaks_of(tmp_path: Path, older: str, newer: str) -> None:
    logs = {"2026-01-02": f"W @Kit: {older}", "2026-02-02": f"W @Kit: {newer}"}
    with _bank(tmp_path, logs) as bank:
        assert _status(bank, older, "2026-01-02") is FactStatus.SUPERSEDED
        assert _status(bank, newer, "2026-02-02") is FactStatus.LIVE
        assert _status(bank, older, "2026-01-02", as_of=date(2026, 2, 1)) is FactStatus.LIVE
        (tmp_path / "memory/2026-02-02.md").unlink()
        assert _status(bank, older, "2026-01-02") is FactStatus.LIVE


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Plays bass in a ska band.", "They say Kit may have left the band."),
        ("Plays bass in a ska band.", "Thinks of giving up the band."),
        ("Plays bass in a ska band.", "May give the band up."),
        ("Plays bass in a ska band.", "Her brother gave up the band."),
        ("Plays bass in a ska band.", "Left the band's old van at the depot."),
        ("Plays bass in a ska band.", "Left on Monday for the coast."),
        ("Plays bass and drums in a band.", "Gave up the drums."),
        ("Runs two kiosks.", "The station kiosk closed down."),
        ("Keeps a kiosk at the station.", "The kiosk closed down for a week."),
        ("Fährt einen roten Roller.", "Will den Roller verkaufen, sagt sie."),
        ("Works in the old mill.", "No longer works in the new mill by the bridge."),
        ("Lives with her dog.", "Sold out of dog biscuits by ten."),
        ("Drives a red car.", "Sold her mother's car."),
        ("Sings on Tuesdays.", "Now sings on Thursdays as well."),
        ("Vive en una casa con huerto.", "Vendió la casa de su madre."),
    ],
)
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
