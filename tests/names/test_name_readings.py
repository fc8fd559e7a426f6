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


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        ("@peter_steinberger", ("peter", "steinberger")),
        ("[[The Castle|home]]", ("the", "castle")),
        ("TheCastle", ("the", "castle")),
        ("Dr. Baker, Tom", ("tom", "baker")),
        ("Baker, Dr. Tom", ("tom", "baker")),
        ("J. R. R. Tolkien", ("jrr", "tolkien")),
        ("J.R.R.Tolkien", ("jrr", "tolkien")),
        ("U.S.A.", ("usa",)),
        ("Anna Weber, Ph.D.", ("anna", "weber")),
        ("John Smith Jr.", ("john", "smith")),
        ("GPT-4o", ("gpt", "4", "o")),
        ("Python 3.11", ("python", "3.11")),
        ("main.py", ("main.py",)),
        ("C++", ("c++",)),
        ("DR Congo", ("dr", "congo")),
        ("Peter's", ("peter",)),
        ("Peter's sister", ("peters", "sister")),
        ("田中太郎さん", ("田中太郎",)),
        ("김민수 씨", ("김민수",)),
        ("г-н Иван Петров", ("иван", "петров")),
        ("😀", ()),
        ("", ()),
    ],
)
def test_the_words_of_a_name(written: str, tokens: tuple[str, ...]) -> None:
    assert read_name(written).tokens == tokens


@pytest.mark.parametrize(
    ("written", "stem", "form"),
    [
        ("Acme, Inc.", "acme", "Inc"),
        ("acme-ag", "acme", "AG"),
        ("Barilla S.p.A.", "barilla", "SpA"),
        ("Novo Nordisk A/S", "novonordisk", "AS"),
        ("Müller GmbH & Co. KG", "muller", "GmbH & Co KG"),
        ("株式会社ソラコム", "ソラコム", "株式会社"),
        ("㈱ソラコム", "ソラコム", "株式会社"),
        ("华星有限公司", "华星", "有限公司"),
        ("ООО Ромашка", "ромашка", "ООО"),
        ("PT Telkom", "telkom", "PT"),
        ("Bali Spa", "balispa", None),
        ("Plan A B", "planab", None),
        ("The Limited", "thelimited", None),
        ("Inc", "inc", None),
    ],
)
def test_the_legal_form_of_a_name(written: str, stem: str, form: str | None) -> None:
    reading = read_name(written)
    assert (reading.joined, reading.legal and reading.legal.name) == (stem, form)


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("田中太郎", ("田中", "太郎")),
        ("王小明", ("王", "小明")),
        ("김민수", ("김", "민수")),
        ("田中", None),
        ("東京都", None),
        ("京都大学", None),
        ("Tom", None),
    ],
)
def test_where_a_full_name_without_spaces_is_cut(token: str, parts: tuple[str, str] | None) -> None:
    assert split_full_name(token) == parts


@pytest.mark.parametrize(
    ("token", "latin"),
    [
        ("чайковский", "chaykovskiy"),
        ("αθηνα", "athina"),
        ("たなか", "tanaka"),
        ("キャッチャー", "kyaccha"),
        ("しゅうじ", "shuuji"),
        ("ファン", "fan"),
        ("田中", "田中"),
    ],
)
def test_other_scripts_in_latin_letters(token: str, latin: str) -> None:
    assert latinise(token) == latin


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("чайковский", "tchaikovsky"),
        ("юрий", "yuri"),
        ("mueller", "muller"),
        ("stephan", "stefan"),
        ("екатеринбург", "yekaterinburg"),
        ("catherine", "katherine"),
    ],
)
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


@pytest.mark.parametrize(
    ("token", "value"), [("iv", 4), ("xvi", 16), ("mcmxc", 1990), ("iiii", None), ("li2", None)]
)
def test_roman_numerals(token: str, value: int | None) -> None:
    assert roman_value(token) == value


def test_the_tables_hold_what_they_are_read_for() -> None:
    assert set(groups()["bob"]) & set(groups()["robert"])
    assert "齋藤".translate(han_families()) == "斉藤".translate(han_families())
    assert not set(groups()["alejandro"]) & set(groups()["alejandra"])
    assert (titles()["herr"], titles()["frau"], titles()["dr"]) == ("m", "f", "-")
    assert legal_forms()[("incorporated",)].name == "Inc"
    assert surnames()["田中"] == ("tanaka",)
