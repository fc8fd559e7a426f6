"""What is no prose (addresses, mail, paths) is left out in time in proportion to the text."""

import time

import pytest

from lorebank.names.prose import NameFinder, pattern_of

FLOOR_S = 0.01
MOST = 30
"""CPU times as long for a text ten times as long, where a quadratic expression takes 100."""


def finder() -> NameFinder:
    pattern = pattern_of("ilse", "Ilse")
    assert pattern is not None
    return NameFinder([pattern])


@pytest.mark.parametrize("unit", ["@", "./", "a@", "a-b.", "`)(", "a/", "http:/"])
def test_marks_repeated_take_time_in_proportion(unit: str) -> None:
    times = []
    for length in (3_000, 30_000):
        text = unit * (length // len(unit)) + " `x` Ilse"
        begun = time.process_time()
        assert [found.slug for found in finder().find(text)] == ["ilse"]
        times.append(time.process_time() - begun)
    assert times[1] / max(times[0], FLOOR_S) <= MOST


@pytest.mark.parametrize(
    "text",
    [
        "mail ilse@example.org about it",
        "(ilse@example.org), `x`ilse@example.org",
        "see https://example.org/Ilse and www.example.org/Ilse",
        "in ~/notes/Ilse.md, ./Ilse.md, (docs/Ilse/a.md)",
        "[page](pages/Ilse)",
    ],
)
def test_a_name_inside_an_address_or_a_path_is_none(text: str) -> None:
    assert finder().find(text) == []
