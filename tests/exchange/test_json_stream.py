"""Values of an array, and where it is broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.exchange.source import BrokenJson, json_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def values(data: bytes) -> list[Any]:
    return [value for _, value in json_values(data)]


@given(st.lists(JSON), st.sampled_from((None, 1)), st.booleans())
def test_the_elements_of_an_array(
    expected: list[Any], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(expected, indent=indent, ensure_ascii=ascii_only)
    data = text.encode("utf-8", "surrogatepass")
    assert values(data) == json.loads(data.decode("utf-8", "replace"))


@given(JSON.filter(lambda value: not isinstance(value, list)))
def test_any_other_value_is_itself(expected: Any) -> None:
    assert values(json.dumps(expected).encode()) == [expected]


@pytest.mark.parametrize(
    ("text", "read", "where"),
    [
        ('[1,\n {"a": tru', [1], (2, 8)),
        ("[1 2]", [1], (1, 4)),
        ('["a"', ["a"], (1, 5)),
        ("[1]\n]", [1], (2, 1)),
        ("", [], (1, 1)),
        ('[\n\n"never closed', [], (3, 1)),
        ("[NaN, 1", [pytest.approx(float("nan"), nan_ok=True), 1], (1, 8)),
    ],
)
def test_where_it_is_broken(text: str, read: list[Any], where: tuple[int, int]) -> None:
    found: list[Any] = []
    with pytest.raises(BrokenJson) as broken:
        found.extend(value for _, value in json_values(text.encode()))
    line, column = where
    assert f"at line {line}, column {column} " in str(broken.value)
    assert broken.value.line == line


def test_lines_are_counted_through_values() -> None:
    data = b'\xef\xbb\xbf[\n{"a":\n1},\n\n2]'
    assert list(json_values(data)) == [(2, {"a": 1}), (5, 2)]
