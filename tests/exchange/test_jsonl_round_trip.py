"""A fact that goes out as JSONL comes in as the same fact."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.domain.facts import EvidenceMark, Fact, FactKind, Mention, Stance
from lorebank.exchange.notes import plain_fact, retain_line
from lorebank.exchange.prose import clean
from lorebank.exchange.read_jsonl import read_line
from lorebank.exchange.writers import facts_jsonl
from lorebank.language.folding import slugify
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
from support import WORDS_ONLY

_WORDS = (
    *("@Peter", "[[Ana|her]]", "**", "`code`", "<b>", "&lt;", "tea", "茶を飲む", "🌊"),
    *("(+o-3f2a)", "O(c=0.9) @X:", "- ", "# ", "| a | b |", "(origin: agent)", "\\*", "é", "1. "),
    "https://e.org/@a",
)  # fmt: skip
_TEXTS = st.lists(st.sampled_from(_WORDS) | st.text(max_size=12), min_size=1, max_size=6).map(
    " ".join
)
_NAMES = st.sampled_from(("Peter", "The Castle", "Ana Ruiz", "東京", "C++", "R&D", "a_b"))


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    text = " ".join(clean(draw(_TEXTS)).split())
    assume(text)
    names = draw(st.lists(_NAMES, max_size=3, unique_by=slugify))
    return plain_fact(
        draw(st.sampled_from(FactKind)),
        text,
        [Mention(name, slugify(name), subject=True) for name in names],
        confidence=draw(st.none() | st.sampled_from((0.0, 0.05, 0.5, 0.95, 1.0))),
        day=draw(st.none() | st.dates(date(1990, 1, 1), date(2040, 1, 1))),
        marks=draw(st.sampled_from(((), (EvidenceMark(Stance.AGAINST, "o-3f2a"),)))),
        details=draw(st.sampled_from(((), ("Last reinforced: 2025-11-21",)))),
    )


def said(fact: Fact) -> tuple[object, ...]:
    return (
        *(fact.kind, fact.content, set(fact.slugs), set(fact.subjects), fact.confidence),
        *(fact.marks, fact.details),
    )


@given(facts())
def test_a_fact_is_the_same_fact_after_both_ways(fact: Fact) -> None:
    read, problems = read_line(facts_jsonl([fact]).encode())
    assert read is not None
    # What looks like a secret is masked on its way in; all else is as it was.
    assume(not problems)
    assert (said(read), read.recorded) == (said(fact), fact.recorded)
    text = f"# Day\n\n## Retain\n{retain_line(read)}\n"
    (again,) = extract_facts(
        read_document(text, "memory/2025-11-27.md"), recorded=fact.recorded
    ).facts
    assert said(replace(again, id="")) == said(fact)


@given(st.dictionaries(st.text(max_size=8) | st.sampled_from(("text", "kind", "entities", "date",
    "confidence", "recorded", "marks", "details", "subjects")), st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner,
    max_size=3), max_leaves=4)))  # fmt: skip
def test_no_line_is_too_odd_to_be_read(said: dict[str, object]) -> None:
    fact, problems = read_line(json.dumps(said).encode())
    assert fact is not None or problems
    if fact is not None:
        assert "\n" not in retain_line(replace(fact, details=()))


@pytest.mark.parametrize("fixture", ["harbour", "messy", "year"])
def test_a_whole_bank_comes_back(
    fixture: str, tmp_path: Path, copy_fixture: Callable[[str], Path]
) -> None:
    def keyed(path: Path) -> set[tuple[object, ...]]:
        records = map(json.loads, path.read_text("utf-8").splitlines())
        keys = ("kind", "text", "confidence", "recorded", "occurred", "details", "marks")
        return {
            (*(str(each.get(key)) for key in keys), *sorted(map(slugify, each["entities"])))
            for each in records
        }

    here = Bank.open(copy_fixture(fixture), environ=WORDS_ONLY, now=date(2026, 1, 10))
    (tmp_path / "there" / "memory").mkdir(parents=True)
    there = Bank.open(tmp_path / "there", environ=WORDS_ONLY, now=date(2026, 1, 10))
    out = here.export("jsonl", tmp_path / "facts.jsonl", quarantined=True)
    report = there.import_notes(tmp_path / "facts.jsonl")
    back = there.export("jsonl", tmp_path / "back.jsonl", quarantined=True)
    assert (report.left_out, back.facts) == ((), out.facts)
    assert keyed(tmp_path / "back.jsonl") == keyed(tmp_path / "facts.jsonl")
