"""Taking a name apart, and the sounds, looks and slips of its letters."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.language.folding import slugify
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
from lorebank.names.resolve import NameUse, resolve_names
from lorebank.names.verdicts import Edit, Verdict, compare_names, one_edit, roman_value
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


# -- what two names are taken for, on the labelled pairs and rule by rule ------------------------


SAME, AMBIGUOUS, DIFFERENT = Verdict.SAME, Verdict.AMBIGUOUS, Verdict.DIFFERENT


FIXTURE = Path(__file__).parents[2] / "fixtures" / "names.tsv"
PAIRS = [
    tuple(line.split("\t")) for line in FIXTURE.read_text(encoding="utf-8").split("\n")[1:] if line
]


def test_no_labelled_pair_is_merged_that_is_not_the_same() -> None:
    merged = [pair for pair in PAIRS if compare_names(pair[0], pair[1])[0] is SAME]
    assert [pair for pair in merged if pair[2] != "same"] == []


def test_verdicts_on_the_labelled_pairs_reach_the_published_figures() -> None:
    right = Counter(label for a, b, label, _ in PAIRS if compare_names(a, b)[0] == label)
    total = Counter(label for _, _, label, _ in PAIRS)
    assert {label: right[label] / total[label] >= 0.98 for label in total} == {
        "same": True,
        "ambiguous": True,
        "different": True,
    }


@pytest.mark.parametrize(("a", "b"), [pair[:2] for pair in PAIRS])
def test_resolving_two_names_agrees_with_comparing_them(a: str, b: str) -> None:
    """The keys that find likely pairs among many names may not lose any."""
    if slugify(a) == slugify(b):
        return
    slugs = slugify(a), slugify(b)
    resolution = resolve_names([NameUse(slugs[0], a), NameUse(slugs[1], b)], [])
    merged = len(set(resolution.entity_of.values())) == 1
    found = SAME if merged else AMBIGUOUS if resolution.proposals else DIFFERENT
    assert found is compare_names(a, b)[0]


@golden("names.md")
def test_verdict_and_reason(a: str, b: str, verdict: Verdict, reason: str) -> None:
    assert compare_names(a, b) == compare_names(b, a) == (verdict, reason)


NAMES = st.one_of(
    st.text(max_size=24),
    st.text(alphabet="Ppeter'’. -_@[]|,&+#0179iIvVxXéßёが王김م", max_size=16),
    st.sampled_from([name for pair in PAIRS for name in pair[:2]]),
)


@given(NAMES, NAMES)
def test_comparing_is_symmetric_and_never_fails(a: str, b: str) -> None:
    assert compare_names(a, b) == compare_names(b, a)


@given(NAMES)
def test_a_name_is_the_same_as_itself(name: str) -> None:
    assert compare_names(name, name)[0] is SAME
