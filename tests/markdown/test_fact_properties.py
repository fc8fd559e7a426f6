"""Facts of any text: nothing raises, citations hold, canonical lines read back."""

import random
import re
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Citation, EvidenceMark, Fact, FactKind, Mention, Stance
from lorebank.language.folding import slugify
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.facts import extract_facts, fact_id
from lorebank.markdown.passages import extract_passages
from lorebank.markdown.source import split_lines

_DAY = date(2025, 11, 27)
_INLINE = """- |* |1. |W |B |O |S |E |O(c=0.9) |O(c=|Ｏ（c=0.5）|@Peter| @Andy|[[The Castle]]
@[[A|b]]|@[[R&amp;D]]|: |：| likes |tea|`|``|**|*|_|~~|==|<b>|<private>|</private>|<!--|-->|&lt;
&amp;|\\|(+o-3f2a)|(-o-12)|## Retain|# X|---|===|```|~~~|> |手机|@手机 |é|[x] |✅ |Evidence: "q"
https://a.b/@c_d_e|a@b.com|@org/pkg|'s|.|,|(|)|[|](x)|@|@C++|@C#|_x_|@a_b|@O’Brien| and """
_LINES = (
    *("\n", "\n\n", "\r\n", "\r", "\t", "  ", "    ", "\x00", "\u2028", "\x0b", "\u200d"),
    "|",
    "| a | b |\n|---|---|\n| c | d |",
)
_PIECES = st.sampled_from([*_INLINE.replace("\n", "|").split("|"), *_LINES])
_MARKDOWN = st.lists(_PIECES, max_size=40).map("".join)
_TEXTS = st.one_of(st.text(max_size=200), _MARKDOWN, _MARKDOWN.map("## Retain\n{}".format))
_SEED = """# 2025-11-27

Talk about @Peter.

## Retain
- W @Peter: Currently in Marrakech (Nov 27–Dec 1, 2025) for Andy's birthday.
- O(c=0.95) @Peter: Prefers concise replies (&lt;1500 chars). (+o-3f2a)
  - Evidence: "short, please" (2025-11-20)

O(c=0.90) @Oscar: Likes `trains`.
  - Last reinforced: 2025-11-21
"""

_FACT_IDS = st.from_regex(r"f-[0-9a-f]{10}", fullmatch=True)


def _said(fact: Fact) -> tuple[object, ...]:
    return (
        fact.id,
        fact.kind,
        fact.content,
        fact.mentions,
        fact.confidence,
        fact.marks,
        fact.ends,
        fact.details,
    )


def _reread(fact: Fact) -> list[tuple[object, ...]]:
    text = f"## Retain\n{format_fact(fact)}\n"
    return [
        _said(other) for other in extract_facts(read_document(text, "x.md"), recorded=_DAY).facts
    ]


@given(_TEXTS, st.booleans())
def test_every_citation_holds_its_fact(text: str, everywhere: bool) -> None:
    document = read_document(text, "x.md")
    found = extract_facts(document, recorded=_DAY, everywhere=everywhere)
    count = len(split_lines(text))
    for fact in found.facts:
        first, last = fact.citation.start_line, fact.citation.end_line
        assert 1 <= first <= last <= count
        assert document.source(first - 1, last) == fact.raw
    assert all(0 <= diagnostic.line <= count for diagnostic in found.diagnostics)


@given(_TEXTS, st.booleans())
def test_the_canonical_line_of_any_fact_reads_back_as_that_fact(text: str, bank: bool) -> None:
    for fact in extract_facts(read_document(text, "x.md"), recorded=_DAY, everywhere=bank).facts:
        assert _reread(fact) == [_said(fact)]


_NAMES = st.sampled_from(
    ["Peter", "The Castle", "手机", "R&D", "C++", "José", "O'Brien", "x|y", "7"]
)
_CONFIDENCES = st.integers(0, 10**6).map(lambda millionths: millionths / 10**6)
_CONTENTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split())
)


@st.composite
def _facts(draw: st.DrawFn) -> Fact:
    names = draw(st.lists(_NAMES, unique_by=slugify, max_size=3))
    mentions = tuple(Mention(name, slugify(name), subject=True) for name in names)
    kind = draw(st.sampled_from(FactKind))
    content = draw(_CONTENTS.filter(bool))
    slugs = tuple(mention.slug for mention in mentions)
    marks = draw(
        st.lists(
            st.builds(
                EvidenceMark,
                st.sampled_from([Stance.FOR, Stance.AGAINST]),
                st.from_regex(r"o-[0-9a-f]{4,8}", fullmatch=True),
            ),
            unique=True,
            max_size=2,
        )
    )
    return Fact(
        id=fact_id(kind, _DAY, slugs, content),
        kind=kind,
        content=content,
        raw="",
        citation=Citation("x.md", 2, 2),
        mentions=mentions,
        confidence=draw(st.none() | _CONFIDENCES) if kind is FactKind.OPINION else None,
        recorded=_DAY,
        marks=tuple(marks),
        ends=tuple(draw(st.lists(_FACT_IDS, unique=True, max_size=2))),
    )


@given(_facts())
def test_a_fact_made_by_hand_survives_writing_and_reading(fact: Fact) -> None:
    assert _reread(fact) == [_said(fact)]


@given(st.randoms(use_true_random=False))
def test_damage_to_a_real_page_loses_no_line_but_its_own(chance: random.Random) -> None:
    """One line is replaced by noise that opens nothing; every other fact is read as before."""
    lines = _SEED.split("\n")
    hit = chance.choice([number for number, line in enumerate(lines) if line.startswith("- ")])
    noise = "".join(chance.choice("WBO()c=0.9@:*[]|&; \x00") for _ in range(20))
    lines[hit] = f"- {noise}"
    before = {
        fact.content for fact in extract_facts(read_document(_SEED, "x.md"), recorded=_DAY).facts
    }
    after = {
        fact.content
        for fact in extract_facts(read_document("\n".join(lines), "x.md"), recorded=_DAY).facts
    }
    assert len(before - after) <= 1


@given(_TEXTS)
def test_facts_and_passages_never_hold_private_text(text: str) -> None:
    hidden = f"{text}\n\n<private>\nxyzzy\n{text.replace('private>', '')}\nxyzzy\n"
    document = read_document(hidden, "x.md")
    found = extract_facts(document, recorded=_DAY, everywhere=True)
    shown = [fact.raw + fact.content for fact in found.facts]
    shown += [passage.text for passage in extract_passages(document)]
    assert not any("xyzzy" in part for part in shown)


def test_an_id_comes_from_what_is_said_not_from_how() -> None:
    ids = {
        fact_id(FactKind.WORLD, _DAY, ("ana", "bo"), "Moved to Café."),
        fact_id(FactKind.WORLD, _DAY, ("bo", "ana"), "moved  to CAFE"),
    }
    assert len(ids) == 1
    assert re.fullmatch(r"f-[0-9a-f]{10}", ids.pop())


def test_an_id_differs_by_kind_day_names_and_words() -> None:
    made = [
        fact_id(FactKind.WORLD, _DAY, ("ana",), "moved"),
        fact_id(FactKind.EXPERIENCE, _DAY, ("ana",), "moved"),
        fact_id(FactKind.WORLD, None, ("ana",), "moved"),
        fact_id(FactKind.WORLD, _DAY, ("bo",), "moved"),
        fact_id(FactKind.WORLD, _DAY, ("ana",), "stayed"),
    ]
    assert len(set(made)) == len(made)


def test_signs_that_carry_meaning_make_another_id() -> None:
    made = {fact_id(FactKind.WORLD, _DAY, (), f"Likes {name}") for name in ("C", "C++", "C#")}
    assert len(made) == 3


def test_edits_above_a_fact_leave_its_id() -> None:
    before = extract_facts(read_document(_SEED, "x.md"), recorded=_DAY).facts
    after = extract_facts(read_document(f"new line\n\n{_SEED}", "x.md"), recorded=_DAY).facts
    assert [fact.id for fact in before] == [fact.id for fact in after]
