"""Typed lines in odd dress: which count, which never do, and what lint says of them."""

from datetime import date

import pytest

from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import fixed_line
from lorebank.markdown.facts import FactExtraction, extract_facts
from lorebank.markdown.passages import extract_passages
from lorebank.markdown.sections import RETAIN_HEADINGS
from support import golden

DAY = date(2025, 3, 3)


def read(text: str) -> FactExtraction:
    return extract_facts(read_document(text, "memory/2025-03-03.md"), recorded=DAY)


def contents(text: str) -> list[str]:
    return [fact.content for fact in read(text).facts]


def advice(text: str) -> list[str]:
    return [found.code for found in read(text).advice]


@golden("markdown.md")
def test_a_heading_in_any_dress_opens_a_section(heading: str) -> None:
    assert contents(f"{heading}\n\n- the mill is shut\n") == ["the mill is shut"]


@golden("markdown.md")
def test_what_only_looks_like_one_opens_none(heading: str) -> None:
    assert contents(f"{heading}\n\n- the mill is shut\n") == []


@pytest.mark.parametrize("heading", ["## Retain", "Retain:", "**Behalten**", "### À retenir"])
def test_in_an_outline_the_heading_is_an_item(heading: str) -> None:
    text = (
        f"- {heading}\n\t- Sings in the @[[Harbour Choir]].\n\t- W @Lena: Is away.\n- Rain @Lena\n"
    )
    found = read(text)
    assert [fact.citation.start_line for fact in found.facts] == [2, 3]
    assert [each.code for each in found.advice] == []


def test_a_label_is_no_prose() -> None:
    text = "Rained.\n\n**Retain**\n- W @Lena: Sings loudly.\n"
    found = extract_passages(read_document(text, "a.md"), fact_lines=read(text).fact_lines)
    assert [passage.text for passage in found] == ["Rained."]


def test_a_bold_line_or_heading_ends_a_section_that_a_label_opened() -> None:
    assert contents("**Retain**\n\n- in\n\n**Shopping**\n\n- out\n") == ["in"]
    assert contents("Retain:\n\n- in\n\n### Shopping\n\n- out\n") == ["in"]


@golden("markdown.md")
def test_an_unmistakable_line_counts_wherever_it_stands(line: str) -> None:
    assert contents(f"Rain all day.\n\n{line}\n") == ["Sings."]


@golden("markdown.md")
def test_what_never_counts_outside_a_section(text: str) -> None:
    assert contents(text) == []


@golden("markdown.md")
def test_legends_and_templates_of_a_section_are_no_facts(legend: str) -> None:
    assert contents(f"## Retain\n{legend}\n- W @Lena: Sings.\n") == ["Sings."]


def test_a_long_line_to_sign_on_takes_no_time() -> None:
    text = f"## Retain\n- {'_' * 500} W\n- W @Lena: {'.' * 500}1\n- W @Lena: Sings.\n"
    assert contents(text)[-1] == "Sings."


def test_only_a_person_tells_a_longer_name_from_a_missing_colon() -> None:
    [found] = read("## Retain\n- W @Tante Grete sings loudly.\n").advice
    assert found.message == "a colon is missing behind @Tante, or @[[Tante Grete]] is meant"


def test_two_facts_about_nobody_are_no_legend() -> None:
    text = "## Retain\n- W: The gate sticks.\n- B: Oiled the gate.\n- O(c=0.6): It is ugly.\n"
    assert len(contents(text)) == 3


def test_a_name_above_its_facts_is_their_subject() -> None:
    facts = read("## Retain\n- @Lena\n  - W: Sings.\n  - O(c=0.6): Tea is better.\n").facts
    assert [(f.kind.letter, f.subjects, f.citation.start_line) for f in facts] == [
        ("W", ("lena",), 3),
        ("O", ("lena",), 4),
    ]


@golden("markdown.md")
def test_confidences_in_odd_dress(written: str, confidence: float) -> None:
    [fact] = read(f"## Retain\n- O({written}) @Lena: Tea is better.\n").facts
    assert fact.confidence == pytest.approx(confidence)


@golden("markdown.md")
def test_lint_names_what_is_better_written_otherwise(text: str, code: str) -> None:
    assert code in advice(text)


def test_a_plain_section_needs_no_advice_and_a_long_one_does() -> None:
    assert "section-long" in advice("## Retain\n" + "- W @Lena: Sings loudly.\n" * 41)
    text = "# Monday\n\n## Retain\n\n- W @Lena: Sings loudly.\n- O(c=0.7) @Lena: Tea is better.\n"
    assert advice(text) == []


@golden("markdown.md")
def test_a_fix_is_one_line_in_plain_dress(code: str, line: str, fixed: str) -> None:
    assert fixed_line(code, line, RETAIN_HEADINGS) == fixed


def test_a_typed_line_counts_wherever_it_is_nested() -> None:
    text = """\
## Retain
- O(c=0.8) @Orla: Prices must rise.
  - O(c=0.9) @Tomas: Prices must fall.
    - W @Kit: Heard both of them.
  - and soon
- W @Orla: Rents the mill.
  - [ ] pay by 2025-03-30
"""
    said = {f.content: (f.subjects, f.confidence) for f in read(text).facts}
    assert said == {
        "Prices must rise. and soon": (("orla",), 0.8),
        "Prices must fall.": (("tomas",), 0.9),
        "Heard both of them.": (("kit",), None),
        "Rents the mill.": (("orla",), None),
    }
    outside = "- W @Orla: Rents the mill.\n  - W Kit, who has no mark\n  - W @Tomas: Bakes.\n"
    assert contents(outside) == ["Rents the mill. W Kit, who has no mark", "Bakes."]
