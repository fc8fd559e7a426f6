"""Folding letter by letter says what folding the whole text says, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.language.folding import _fold_whole, fold_letters


@given(st.text(max_size=12) | st.text("aeıİéÉñßŒΣςώйЁがｶﾞ한①¼…’\u00ad\u00a0\u0301", max_size=12))
def test_a_text_folds_alike_by_letter_and_whole(text: str) -> None:
    by_letter = fold_letters(text)
    assert by_letter is None or by_letter == _fold_whole(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Café STRAẞE", "cafe strasse"),
        ("Ёлка ΣΟΦΊΑΣ", "елка σοφιασ"),
        ("東京タワー", "東京タワー"),
        ("e\u0301", None),
        ("İ", None),
        ("ｶﾞ", None),
    ],
)
def test_marks_are_left_to_the_whole_text(text: str, folded: str | None) -> None:
    assert fold_letters(text) == folded
