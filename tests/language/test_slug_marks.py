"""Which marks of letters a slug keeps: those that make another word."""

from __future__ import annotations

import pytest

from lorebank.language.folding import slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("राहुल", "राहुल"),
        ("राहूल शर्मा", "राहूल-शर्मा"),
        ("สมชาย", "สมชาย"),
        ("ที่นี่", "ที่นี่"),
        ("தமிழ்", "தமிழ்"),
        ("が", "が"),
        ("か\u3099", "が"),
        ("Йошкар-Ола", "йошкар-ола"),
        ("Ива\u0301н", "иван"),
        ("é́", "e"),
        ("❤\ufe0f Anna", "anna"),
        ("C++", "c++"),
    ],
)
def test_vowel_signs_stay_and_accents_go(name: str, slug: str) -> None:
    assert slugify(name) == slug
