"""Facts that end: by an explicit ending, a writer's mark, or a ruling; undone by taking it out."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank, FactStatus
from lorebank.supersede.endings import (
    beginnings,
    beginnings_ended,
    ends,
    may_end,
    read_change,
    read_stated,
)
from lorebank.supersede.properties import Slot, literals, read_slots
from lorebank.supersede.slots import ends_value, same_value
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


def test_a_value_announced_for_later_replaces_the_other_from_its_day(tmp_path: Path) -> None:
    logs = {
        "2026-01-02": "W @Kit: Lives in Ghent.",
        "2026-02-02": "W @Kit: From 15 March Kit lives in Porto.",
        "2026-02-20": "W @Kit: Still lives in Ghent with two cats.",
    }
    with _bank(tmp_path, logs) as bank:
        assert _status(bank, "lives in Ghent", "2026-01-02") is FactStatus.LIVE
        current = {p.fact.content for p in bank.entity("Kit").properties}
        assert current == {"Lives in Ghent.", "Still lives in Ghent with two cats."}
        there = date(2026, 3, 15)
        assert _status(bank, "lives in Ghent", "2026-02-20", now=there) is FactStatus.SUPERSEDED
        assert _status(bank, "lives in Porto", "2026-02-02", now=there) is FactStatus.LIVE
        bank.reflect(now=TODAY)
        page = tmp_path / "bank/entities/Kit.md"
        now, _, coming = page.read_text("utf-8").partition("**Coming up**")
        assert "Porto" not in now
        assert "from 2026-03-15 · From 15 March Kit lives in Porto." in coming
        bank.reflect(now=there)
        shown = page.read_text("utf-8").partition("## Timeline")[0].splitlines()
        [line] = [line for line in shown if "Ghent" in line]
        assert "From 15 March Kit lives in Porto." in line.partition(" · until 2026-03-15: ")[0]
        assert "Still lives in Ghent" in line.partition(" · until 2026-03-15: ")[2]


def test_a_ruling_waits_for_the_day_that_the_newer_line_names(tmp_path: Path) -> None:
    logs = {
        "2026-01-02": "W @Mill: Open daily from 10 to 16.",
        "2026-02-02": "W @Mill: From 15 March it is open 10 to 15.",
    }
    with _bank(tmp_path, logs) as bank:
        bank.sync()
        old, new = sorted(bank.timeline("Mill"), key=lambda f: f.citation.path)
        (tmp_path / "bank").mkdir(exist_ok=True)
        ruling = f"- {new.id} replaces {old.id} (2026-02-03 by Ana)\n"
        (tmp_path / "bank/decisions.md").write_text(ruling, "utf-8")
        assert _status(bank, "open daily", "2026-01-02") is FactStatus.LIVE
        later = _status(bank, "open daily", "2026-01-02", now=date(2026, 3, 15))
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
        [line] = [line for line in page.splitlines() if "Plays in a band" in line]
        present, _, past = line.partition(" · until 2026-02-02: ")
        assert present.startswith("- Gave up the band.")
        assert past.startswith("Plays in a band.")
        assert [h.content for h in bank.recall("what does Kit play?").hits] == ["Gave up the band."]


# -- slots: which property of whom a sentence fixes, ends, or leaves alone -----------------------


def read(text: str, *, bounded: bool = False) -> list[tuple[str, str, str]]:
    """`@Name: text` → `(about, relation, value)` of each slot."""
    name, _, content = text[1:].partition(": ") if text.startswith("@") else ("", "", text)
    names = (name,) if name else ()
    slots = read_slots(
        content, subjects=tuple(n.lower() for n in names), names=names, bounded=bounded
    )
    assert all(slot.subject == name.lower() for slot in slots)
    return [(slot.about, slot.relation, slot.value) for slot in slots]


@golden("supersede.md")
def test_a_known_relation_is_read_in_many_languages(text: str, relation: str, value: str) -> None:
    assert (relation, value) in [slot[1:] for slot in read(text)]


@golden("supersede.md")
def test_a_definite_attribute_has_one_value(text: str, slot: tuple[str, str, str]) -> None:
    assert read(text) == [slot]


@golden("supersede.md")
def test_what_is_over_is_no_value(text: str, values: list[str]) -> None:
    assert [value for _, _, value in read(text)] == values


def test_the_value_left_behind_is_told() -> None:
    [slot] = read_slots("Moved from Berlin to Lisbon in May", subjects=("p",), names=("P",))
    assert (slot.value, slot.old) == ("lisbon", "berlin")


@golden("supersede.md")
def test_what_is_likely_past_or_one_of_several_fixes_nothing(text: str) -> None:
    assert read(text) == []


def test_of_a_time_with_an_end_nothing_is_said_to_hold_after_it() -> None:
    stay = "@Runa: Lives in Cádiz from 3 to 30 March"
    assert read(stay) != []
    assert read(stay, bounded=True) == []
    assert read("@Runa: Moved to Cádiz in March", bounded=True) != []


def test_whose_relative_it_is_about_is_told_apart() -> None:
    assert read("@Peter: His mother lives in Rome") == [("mother", "residence", "rome")]
    assert read("@Peter: Her son lives in Rome") == [("son", "residence", "rome")]


@golden("supersede.md")
def test_a_finer_value_is_the_same_value(one: str, other: str, same: bool) -> None:
    assert same_value(one, other) is same
    assert same_value(other, one) is same


@golden("supersede.md")
def test_what_is_over_takes_what_is_finer_with_it(ended: str, value: str, takes: bool) -> None:
    assert ends_value(ended, value) is takes


WORDS = ("gave", "up", "sold", "no", "longer", "red", "boat", "boats", "smoking", "and", "left")
SAID = st.lists(st.sampled_from(WORDS)).map(" ".join)


@given(newer=SAID, older=SAID)
def test_what_ends_a_line_is_never_screened_out(newer: str, older: str) -> None:
    change, begun = read_change(newer), beginnings(older)
    if change and ends(change, read_stated(older)):
        assert may_end(change, begun)
        assert begun & beginnings_ended(change)


@given(st.text(max_size=300))
def test_no_text_raises(content: str) -> None:
    for slot in read_slots(content, subjects=("x",), names=("X",)):
        assert isinstance(slot, Slot)
        assert slot.value


def test_a_sentence_that_a_relation_matches_holds_one_of_its_literals() -> None:
    assert literals(r"\b(?:lives?|is based)(?: now)? in (?P<v>.+)") == {"live", "is based"}
    assert literals(r"(?:a|b)?x+y") == {"x"}
    assert literals(r"\w+|mill") == {""}
