"""Slots: which property of whom a sentence fixes, ends, or leaves alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.supersede.properties import Slot, literals, read_slots
from lorebank.supersede.slots import ends_value, same_value


def read(text: str, *, bounded: bool = False) -> list[tuple[str, str, str]]:
    """`@Name: text` → `(about, relation, value)` of each slot."""
    name, _, content = text[1:].partition(": ") if text.startswith("@") else ("", "", text)
    names = (name,) if name else ()
    slots = read_slots(
        content, subjects=tuple(n.lower() for n in names), names=names, bounded=bounded
    )
    assert all(slot.subject == name.lower() for slot in slots)
    return [(slot.about, slot.relation, slot.value) for slot in slots]


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("@Peter: Lives in Berlin", "residence", "berlin"),
        ("@Peter: Peter now lives in Berlin with two cats", "residence", "berlin"),
        ("@Peter: Has moved to Lisbon", "residence", "lisbon"),
        ("@Peter: Moved to Lisbon in May", "residence", "lisbon"),
        ("@Ana: Vive en Cádiz desde 2020", "residence", "cadiz"),
        ("@Ana: Se mudó a Girona", "residence", "girona"),
        ("@Ines: Mora em Lisboa", "residence", "lisboa"),
        ("@Luc: S’est installé à Paris", "residence", "paris"),
        ("@Runa: Ist von Bergen nach Bremerhaven gezogen", "residence", "bremerhaven"),
        ("@Karl: Wohnt seit Mai in Köln", "residence", "koln"),
        ("@Ada: Abita a Torino", "residence", "torino"),
        ("@小明: 小明住在北京", "residence", "北京"),
        ("@小明: 搬到了上海", "residence", "上海"),
        ("@田中: 大阪に引っ越しました", "residence", "大阪"),
        ("@Peter: Works at Hooli as an engineer", "employer", "hooli"),
        ("@Peter: Joined Acme", "employer", "acme"),
        ("@Ines: Trabalha na Galp", "employer", "galp"),
        ("@Karl: Arbeitet bei Siemens", "employer", "siemens"),
        ("@Peter: Reports to Dr. Petersen", "manager", "dr petersen"),
        ("@Ana: Married to Bob", "spouse", "bob"),
        ("@Runa: Neue Telefonnummer seit 5. Juni: +49 155 5550 137", "phone", "+49155 5550137"),
        ("@Runa: Perdió el móvil; su número nuevo es +34 600 555 018.", "phone", "+34600555018"),
        ("@Ana: Her work email is ana@example.org", "email", "ana@example.org"),
    ],
)
def test_a_known_relation_is_read_in_many_languages(text: str, relation: str, value: str) -> None:
    assert (relation, value) in [slot[1:] for slot in read(text)]


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("The capital of Germany is Berlin.", ("capital of germany", "is", "berlin")),
        ("Acme's CEO is Jane Doe", ("acme ceo", "is", "jane doe")),
        ("@Acme: The CEO of Acme is Jane Doe", ("ceo", "is", "jane doe")),
        ("@Acme: CEO is Jane Doe", ("ceo", "is", "jane doe")),
        ("@Ana: Favourite colour is now blue", ("favourite colour", "is", "blue")),
        ("@Ana: Su jefe es Carlos", ("jefe", "is", "carlos")),
        ("@atlas: The build server is oak-1", ("build server", "is number", "oak-1")),
        ("@atlas: The weekly sync is on Mondays", ("weekly sync", "is date", "mondays")),
        ("@atlas: The weekly sync was moved to Tuesday", ("weekly sync", "is date", "tuesday")),
        ("@atlas: The weekly sync is in Oslo", ("weekly sync", "is in name", "oslo")),
        ("@atlas: The hall is 12 metres wide", ("hall", "is number metres wide", "12 metres wide")),
        ("@Ana: The rent went up to 950 euros", ("rent", "is", "950 euros")),
        ("@小明: 小明的老板现在是李总", ("小明的老板", "is", "李总")),
        ("日本の首都は東京です", ("日本の首都", "is", "東京")),
    ],
)
def test_a_definite_attribute_has_one_value(text: str, slot: tuple[str, str, str]) -> None:
    assert read(text) == [slot]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("@Peter: Is product manager of Hooli", ["hooli"]),
        ("@Peter: Is head of sales at Hooli", ["hooli"]),
        ("@Peter: Left Hooli; starts at Nordlyd on Monday", ["nordlyd"]),
        ("@Runa: Hat bei Meerohr angefangen und ist nicht mehr bei Nordlyd", ["meerohr"]),
        ("@Peter: No longer works at Hooli", []),
        ("@Peter: Doesn't work at Hooli anymore", []),
        ("@Karl: Wohnt nicht mehr in Köln", []),
    ],
)
def test_what_is_over_is_no_value(text: str, values: list[str]) -> None:
    assert [value for _, _, value in read(text)] == values


def test_the_value_left_behind_is_told() -> None:
    [slot] = read_slots("Moved from Berlin to Lisbon in May", subjects=("p",), names=("P",))
    assert (slot.value, slot.old) == ("lisbon", "berlin")


@pytest.mark.parametrize(
    "text",
    [
        "@Peter: Would like to live in Rome",
        "@Peter: Used to live in Rome",
        "@Peter: May move to Rome",
        "@Peter: Lived in Rome as a child",
        "@Peter: Does he live in Rome?",
        "@Peter: Also works at the Boathouse on Saturdays",
        "@Peter: Wants to join Acme",
        "@Peter: Moved the meeting to Tuesday",
        "@Peter: Moved to tears by the speech",
        "@Peter: Is a vegetarian",
        "@Peter: Speaks Spanish",
        "@Peter: Visited Paris",
        "@Peter: Has a dog called Rex",
        "@Peter: Peter's sister is Anna",
        "@Peter: The trip cost 300 euros",
        "@Peter: The roof is leaky",
        "The deadline is Monday",
        "Satyajit Ray's child is Tupac",
        "小明的朋友是小红",
        "小明的手机是黑色的",
        "@Peter: His boss is on leave",
        "@Peter: The landlord is nice",
        "@Peter: The budget is tight",
        "@Peter: The Wi-Fi password is on the fridge",
        "@Peter: The dog is a Labrador",
        "@Karl: Der Kater ist Diabetiker",
        "@Peter: Moved to the Payments team",
        "@Peter: Joined the Rust reading group",
        "@Peter: Joined Anna for lunch",
        "@Peter: Works for the Red Cross on weekends",
        "@Peter: Moves to Lisbon for two weeks",
        "@小明: 加入了读书会",
        "@atlas: The course starts at room 101",
        "@atlas: Switched the blog from Postgres to SQLite",
    ],
)
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


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("bergen", "bergen top floor", True),
        ("berlin", "lisbon", False),
        ("room 101", "room 102", False),
        ("jane doe", "doe", True),
    ],
)
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
