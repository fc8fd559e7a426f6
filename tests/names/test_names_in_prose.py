"""Known names in running text: words of their own in every script, the longest first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.language.folding import slugify
from lorebank.names.prose import NameFinder, NamePattern, pattern_of
from lorebank.names.types import guess_type
from support import golden

NAMES = [
    *("Ann", "Anna", "Java", "JavaScript", "The Castle", "Node.js", "C++", "New York", "IT"),
    *("Will", "warelay", "Łukasz", "Groß", "Mary Ann", "São Paulo", "Иван"),
    *("東京", "京都", "東京都", "田中", "王伟", "北京", "張小明", "김민수", "アンナ"),
]
FINDER = NameFinder([p for name in NAMES if (p := pattern_of(slugify(name), name))])


@golden("names.md")
def test_names_found(text: str, names: list[str]) -> None:
    assert [spotted.slug for spotted in FINDER.find(text)] == names


def test_a_given_name_inside_a_longer_one_is_another_person() -> None:
    assert [s.start for s in FINDER.find("Ann Smith came; Ann too.")] == [16]


@pytest.mark.parametrize(
    ("name", "excluded", "expected"),
    [
        ("Peter", (), NamePattern("peter", "peter", "P")),
        ("IT", (), NamePattern("it", "it", "IT")),
        ("the-castle", (), NamePattern("the-castle", "the castle", "")),
        ("Will", (), None),
        ("C", (), None),
        ("moss", ("moss",), None),
        ("12", (), None),
    ],
)
def test_what_is_looked_for(
    name: str, excluded: tuple[str, ...], expected: NamePattern | None
) -> None:
    assert pattern_of(slugify(name), name, frozenset(excluded)) == expected


@given(st.text(alphabet="AnJavSmithCßéŁ東京都田中張小明김アー -_'’.@/`+#\n", max_size=40))
def test_what_is_found_is_a_known_name_and_never_overlaps(text: str) -> None:
    found = FINDER.find(text)
    assert {spotted.slug for spotted in found} <= {slugify(name) for name in NAMES}
    ends = [0, *(spotted.end for spotted in found)]
    assert all(spotted.start >= end for spotted, end in zip(found, ends, strict=False))


@golden("names.md")
def test_types(
    names: list[str], relations: tuple[str, ...], values_of: tuple[str, ...], expected: str | None
) -> None:
    guess = guess_type(names, relations, values_of)
    assert (guess[0] if guess else None) == expected
