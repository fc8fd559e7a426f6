"""Slots: which property of whom a sentence fixes, ends, or leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.supersede.properties import Slot, literals, read_slots
from lorebank.supersede.slots import ends_value, same_value
from support import golden


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
    assert read("@Jordi: Runa's younger brother Jordi lives in Girona") == [
        ("", "residence", "girona")
    ]


@golden("supersede.md")
def test_a_finer_value_is_the_same_value(one: str, other: str, same: bool) -> None:
    assert same_value(one, other) is same
    assert same_value(other, one) is same


@pytest.mark.parametrize(
    ("ended", "value", "takes"),
    [
        ("hooli", "hooli", True),
        ("hooli", "hooli berlin", True),
        ("hooli berlin", "hooli", False),
    ],
)
def test_what_is_over_takes_what_is_finer_with_it(ended: str, value: str, takes: bool) -> None:
    assert ends_value(ended, value) is takes


@given(st.text(max_size=300))
def test_no_text_raises(content: str) -> None:
    for slot in read_slots(content, subjects=("x",), names=("X",)):
        assert isinstance(slot, Slot)
        assert slot.value


def test_a_sentence_that_a_relation_matches_holds_one_of_its_literals() -> None:
    assert literals(r"\b(?:lives?|is based)(?: now)? in (?P<v>.+)") == {"live", "is based"}
    assert literals(r"(?:a|b)?x+y") == {"x"}
    assert literals(r"\w+|mill") == {""}
