"""Which sentences stand on their lines, and which are dropped, with the reason."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.generation.writing import CitedLine, ungrounded

NAMES = ("Ana", "Ben", "The Castle", "Goose", "小王")
LINES = {
    "lisbon": CitedLine("Ana: Moved to Lisbon with 3 boxes.", (date(2026, 1, 20),)),
    "tea": CitedLine("Ana: Prefers green tea in the morning.", (date(2026, 1, 5),)),
    "coffee": CitedLine("Ana: No longer drinks coffee.", (date(2026, 2, 2),)),
    "hull": CitedLine("Ben: I agreed to paint the hull of the Goose in red.", (date(2026, 1, 20),)),
    "de": CitedLine("Ben: Hat das Boot am Freitag nicht gestrichen.", (date(2026, 1, 23),)),
    "es": CitedLine("Ana: Ya no bebe café, ahora prefiere el té verde.", (date(2026, 2, 2),)),
    "fr": CitedLine("Ana: A déménagé à Lisbonne avec trois cartons.", (date(2026, 1, 20),)),
    "zh": CitedLine("小王: 搬到了上海, 每天早上喝绿茶。", (date(2026, 1, 20),)),
}

STANDS = [
    ("Ana moved to Lisbon.", "lisbon"),
    ("Ana moved to Lisbon on 20 January 2026 with 3 boxes.", "lisbon"),
    ("On Tuesday Ana moved to Lisbon.", "lisbon"),
    ("Ana's move to Lisbon took 3 boxes.", "lisbon"),
    ("In the morning, Ana prefers green tea.", "tea"),
    ("Ana does not drink coffee.", "coffee"),
    ("Ana prefers green tea and no longer drinks coffee.", "tea coffee"),
    ("Ben agreed to paint the Goose's hull red.", "hull"),
    ("Ben hat das Boot nicht gestrichen.", "de"),
    ("Ana ya no bebe café y prefiere el té verde.", "es"),
    ("Ana a déménagé à Lisbonne avec trois cartons.", "fr"),
    ("小王搬到了上海。", "zh"),
]
FALLS = [
    ("Ana moved to Lisbon.", "", "it cites no line"),
    ("Ana moved to Porto.", "lisbon", "its lines do not name Porto"),
    ("Ben moved to Lisbon.", "lisbon", "its lines do not name Ben"),
    ("ben moved to lisbon.", "lisbon", "its lines do not name Ben"),
    ("Zoltan moved to Lisbon.", "lisbon", "its lines do not name Zoltan"),
    ("Ana moved to Lisbon with 4 boxes.", "lisbon", "its lines have no 4"),
    ("Ana moved to Lisbon in 2025.", "lisbon", "its lines have no 2025"),
    ("On 21 January Ana moved to Lisbon.", "lisbon", "its lines have no 21"),
    ("In March Ana moved to Lisbon.", "lisbon", "its lines do not name March"),
    ("Ana did not move to Lisbon.", "lisbon", "it denies what its lines affirm"),
    ("Ana drinks coffee.", "coffee", "it affirms what its lines deny"),
    ("Ana still drinks coffee.", "coffee", "it affirms what its lines deny"),
    ("Ana is an avid collector of rare orchids.", "tea", "its lines hold 1 of its 5 words"),
    ("Ben hat das Boot gestrichen.", "de", "it affirms what its lines deny"),
    ("Ben hat das Auto nicht gestrichen.", "de", "its lines do not name Auto"),
    ("Ana bebe café.", "es", "it affirms what its lines deny"),
    ("Ana n'a pas déménagé à Lisbonne.", "fr", "it denies what its lines affirm"),
    ("小王搬到了北京。", "zh", "its lines hold"),
    ("Yes.", "tea", ""),
    ("", "tea", "it says nothing"),
]


def reason(sentence: str, cited: str) -> str:
    return ungrounded(sentence, [LINES[key] for key in cited.split()], NAMES)


@pytest.mark.parametrize(("sentence", "cited"), STANDS)
def test_what_the_lines_say_stands(sentence: str, cited: str) -> None:
    assert reason(sentence, cited) == ""


@pytest.mark.parametrize(("sentence", "cited", "expected"), FALLS)
def test_what_the_lines_do_not_say_falls(sentence: str, cited: str, expected: str) -> None:
    found = reason(sentence, cited)
    assert found and found.startswith(expected)


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_is_judged(sentence: str, texts: list[str]) -> None:
    assert isinstance(ungrounded(sentence, [CitedLine(text) for text in texts], NAMES), str)


@pytest.mark.parametrize("key", LINES)
def test_a_line_stands_on_itself(key: str) -> None:
    assert ungrounded(LINES[key].text, [LINES[key]], NAMES) == ""
