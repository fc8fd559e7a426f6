"""The lexicon made of the languages' files."""

from lorebank.dates.lexicon import lexicon


def test_readings_are_longest_first() -> None:
    rests = [len(reading.rest) for reading in lexicon().readings("the")]
    assert rests == sorted(rests, reverse=True)
    assert lexicon().readings("zyx") == ()
