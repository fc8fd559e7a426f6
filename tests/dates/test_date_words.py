"""The prepared table of words is what the modules of the languages say."""

import os

from lorebank.dates.compiling import compiled_words
from lorebank.dates.lexicon import WORDS_FILE, lexicon


def test_table_is_made_of_the_languages() -> None:
    expected = compiled_words()
    if os.environ.get("LOREBANK_UPDATE_DATE_WORDS"):
        WORDS_FILE.write_text(expected, encoding="utf-8", newline="\n")
    assert WORDS_FILE.read_text(encoding="utf-8") == expected


def test_readings_are_longest_first() -> None:
    rests = [len(reading.rest) for reading in lexicon().readings("the")]
    assert rests == sorted(rests, reverse=True)
    assert lexicon().readings("zyx") == ()
