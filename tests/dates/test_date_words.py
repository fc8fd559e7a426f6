"""The lexicon made of the languages' files."""

from lorebank.dates.holidays import holidays
from lorebank.dates.lexicon import lexicon


def test_readings_are_longest_first() -> None:
    rests = [len(rest) for rest, *_ in lexicon().rows["the"]]
    assert rests == sorted(rests, reverse=True)


def test_every_holiday_that_a_language_names_has_days() -> None:
    rows = (row for found in lexicon().rows.values() for row in found)
    named = {value for _, tag, value, *_ in rows if tag == "HOLIDAY"}
    assert named <= holidays().keys()
