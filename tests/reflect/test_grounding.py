"""Which sentences stand on their lines, and which are dropped, with the reason."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.generation.writing import CitedLine, ungrounded
from support import golden

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


def reason(sentence: str, cited: str) -> str:
    return ungrounded(sentence, [LINES[key] for key in cited.split()], NAMES)


@golden("beliefs.md")
def test_what_the_lines_say_stands(sentence: str, cited: str) -> None:
    assert reason(sentence, cited) == ""


@golden("beliefs.md")
def test_what_the_lines_do_not_say_falls(sentence: str, cited: str, expected: str) -> None:
    found = reason(sentence, cited)
    assert found and found.startswith(expected)


@given(st.text(max_size=200), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_is_judged(sentence: str, texts: list[str]) -> None:
    assert isinstance(ungrounded(sentence, [CitedLine(text) for text in texts], NAMES), str)


@golden("beliefs.md")
def test_a_line_stands_on_itself(key: str) -> None:
    assert ungrounded(LINES[key].text, [LINES[key]], NAMES) == ""
