"""Taking a name apart, and the sounds, looks and slips of its letters."""

import pytest

from lorebank.names.keys import roman_value
from lorebank.names.lexicon import (
    groups,
    han_families,
    latinise,
    legal_forms,
    look,
    sound,
    surnames,
    titles,
)
from lorebank.names.readings import read_name, split_full_name
from lorebank.names.verdicts import Edit, one_edit
from support import golden


@golden("names.md")
def test_the_words_of_a_name(written: str, tokens: tuple[str, ...]) -> None:
    assert read_name(written).tokens == tokens


@golden("names.md")
def test_the_legal_form_of_a_name(written: str, stem: str, form: str | None) -> None:
    reading = read_name(written)
    assert (reading.joined, reading.legal and reading.legal.name) == (stem, form)


@golden("names.md")
def test_where_a_full_name_without_spaces_is_cut(token: str, parts: tuple[str, str] | None) -> None:
    assert split_full_name(token) == parts


@golden("names.md")
def test_other_scripts_in_latin_letters(token: str, latin: str) -> None:
    assert latinise(token) == latin


@golden("names.md")
def test_spellings_of_one_sound_share_a_key(a: str, b: str) -> None:
    assert sound(a) == sound(b) != ""


def test_scripts_without_a_latin_sound_have_no_sound_key() -> None:
    assert (sound("田中"), sound("محمد")) == ("", "")


def test_letters_that_look_alike_are_compared_as_latin() -> None:
    assert look("реtеr".casefold()) == "peter"


@pytest.mark.parametrize(
    ("a", "b", "edit"),
    [
        ("gate", "gaet", Edit(2, "te", "et")),
        ("baker", "barker", Edit(2, "", "r")),
        ("jon", "jan", Edit(1, "o", "a")),
        ("abc", "abc", None),
        ("abcd", "badc", None),
        ("a", "abc", None),
    ],
)
def test_one_edit(a: str, b: str, edit: Edit | None) -> None:
    assert one_edit(a, b) == edit


@golden("names.md")
def test_roman_numerals(token: str, value: int | None) -> None:
    assert roman_value(token) == value


def test_the_tables_hold_what_they_are_read_for() -> None:
    assert set(groups()["bob"]) & set(groups()["robert"])
    assert "齋藤".translate(han_families()) == "斉藤".translate(han_families())
    assert not set(groups()["alejandro"]) & set(groups()["alejandra"])
    assert (titles()["herr"], titles()["frau"], titles()["dr"]) == ("m", "f", "-")
    assert legal_forms()[("incorporated",)].name == "Inc"
    assert surnames()["田中"] == ("tanaka",)
