"""Tokens, stop words, identifiers, token estimates; folding and slugs."""

from hypothesis import example, given
from hypothesis import strategies as st

from lorebank.language.folding import _fold_whole, fold, fold_letters, slugify
from lorebank.language.words import content_words, estimate_tokens, identifiers, searchable, words
from support import golden


@golden("words.md")
def test_text_is_cut_into_folded_tokens(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@golden("words.md")
def test_words_that_say_nothing_alone_are_left_out(text: str, expected: list[str]) -> None:
    assert content_words(text) == expected


@golden("words.md")
def test_an_identifier_is_found_whole(identifier: str) -> None:
    assert identifiers(f"see {identifier}, please") == [identifier]


def test_plain_words_are_no_identifiers() -> None:
    assert identifiers("What does Peter prefer on Monday at 5?") == []


@golden("words.md")
def test_a_long_run_of_one_piece_is_read_to_its_end(piece: str) -> None:
    """With backtracking patterns these took minutes each."""
    text = piece * 20_000
    assert all(token in text for token in identifiers(f"{text} src/foo.py")[:-1])
    assert identifiers(f"{text} src/foo.py")[-1] == "src/foo.py"


@given(st.text())
def test_what_is_searched_for_is_what_was_stored(text: str) -> None:
    assert words(searchable(text)) == words(text)


@given(st.text())
@example("E\u05ad\u0300")
@example("\u0435\u200b\u0308")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@golden("words.md")
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(max_size=12) | st.text("aeıİéÉñßŒΣςώйЁがｶﾞ한①¼…’\u00ad\u00a0\u0301", max_size=12))
def test_a_text_folds_alike_by_letter_and_whole(text: str) -> None:
    by_letter = fold_letters(text)
    assert by_letter is None or by_letter == _fold_whole(text)


@golden("words.md")
def test_marks_are_left_to_the_whole_text(text: str, folded: str | None) -> None:
    assert fold_letters(text) == folded


@golden("words.md")
def test_vowel_signs_stay_and_accents_go(name: str, slug: str) -> None:
    assert slugify(name) == slug
