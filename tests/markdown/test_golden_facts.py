"""Every case of tests/golden/facts.md: what is written, and what is read from it."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from lorebank.domain.facts import Fact, Stance
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.facts import FactExtraction, extract_facts

_GOLDEN = Path(__file__).parent.parent / "golden" / "facts.md"
_CASE = re.compile(
    r"^## (?P<name>.+)\n(?:(?!~~~~~|## ).*\n)*"
    r"~~~~~ markdown(?P<bank> bank)?\n(?P<written>(?:.*\n)*?)~~~~~\n+"
    r"~~~~~ read\n(?P<read>(?:.*\n)*?)~~~~~\n",
    re.MULTILINE,
)
_SYMBOLS = str.maketrans({"␍": "\r", "␀": "\x00", "␉": "\t", "␠": " "})
_DAY = date(2025, 11, 27)


def _golden_cases() -> Iterator[ParameterSet]:
    for case in _CASE.finditer(_GOLDEN.read_text("utf-8")):
        written = case["written"].translate(_SYMBOLS)
        yield pytest.param(written, bool(case["bank"]), case["read"], id=case["name"])


_CASES = list(_golden_cases())


@pytest.mark.parametrize(("written", "bank", "read"), _CASES)
def test_what_is_written_is_read_as_the_case_says(written: str, bank: bool, read: str) -> None:
    assert extraction_as_text(_extract(written, bank)) == read


@pytest.mark.parametrize(("written", "bank", "read"), _CASES)
def test_each_fact_reads_back_from_its_canonical_line(written: str, bank: bool, read: str) -> None:
    for fact in _extract(written, bank).facts:
        again = extract_facts(
            read_document(f"## Retain\n{format_fact(fact)}\n", "again.md"), recorded=_DAY
        )
        assert [said(fact)] == [said(other) for other in again.facts]


def test_the_golden_file_has_no_case_that_the_test_overlooks() -> None:
    text = _GOLDEN.read_text("utf-8")
    assert len(re.findall(r"^## ", _without_fences(text), re.MULTILINE)) == len(_cases(text))
    assert len(_cases(text)) >= 60


def extraction_as_text(extraction: FactExtraction) -> str:
    lines: list[str] = []
    for fact in extraction.facts:
        lines += _fact_lines(fact)
    lines += [f"! L{found.line} {found.code}" for found in extraction.diagnostics]
    return "".join(f"{line}\n" for line in lines)


def said(fact: Fact) -> tuple[object, ...]:
    """All of a fact but where it stands."""
    return (
        fact.id,
        fact.kind,
        fact.content,
        fact.mentions,
        fact.confidence,
        fact.marks,
        fact.details,
    )


def _fact_lines(fact: Fact) -> Iterator[str]:
    place = str(fact.citation).partition("#")[2]
    confidence = "" if fact.confidence is None else f" {fact.confidence:g}"
    about = ", ".join(mention.name for mention in fact.mentions if mention.subject)
    others = ", ".join(mention.name for mention in fact.mentions if not mention.subject)
    yield (
        f"{place} {fact.kind.value}{confidence}"
        f"{f', about {about}' if about else ''}{f', mentions {others}' if others else ''}:"
    )
    yield f"  {fact.content}"
    for mark in fact.marks:
        yield f"  * {'for' if mark.stance is Stance.FOR else 'against'} {mark.opinion_id}"
    for detail in fact.details:
        yield f"  * {detail}"
    if fact.heading:
        yield f"  * under {fact.heading}"


def _extract(written: str, bank: bool) -> FactExtraction:
    path = "bank/opinions.md" if bank else "memory/2025-11-27.md"
    return extract_facts(read_document(written, path), recorded=_DAY, everywhere=bank)


def _cases(text: str) -> list[re.Match[str]]:
    return list(_CASE.finditer(text))


def _without_fences(text: str) -> str:
    return re.sub(r"^~~~~~ .*\n(?:.*\n)*?~~~~~\n", "", text, flags=re.MULTILINE)


def test_of_a_row_of_names_above_a_list_a_dozen_count_and_the_line_is_named() -> None:
    for count in (12, 13):
        names = " ".join(f"@N{number}" for number in range(count))
        text = f"## Retain\n- {names}\n  - W: It rained.\n  - W: It snowed.\n"
        found = extract_facts(read_document(text, "a.md"), recorded=None)
        assert [len(fact.mentions) for fact in found.facts] == [12, 12]
        assert ("many-mentions" in {each.code for each in found.advice}) == (count > 12)
