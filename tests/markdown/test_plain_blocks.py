"""Blocks read without the parser are those that the parser finds."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorebank.markdown.document import (
    _blocks,
    _nodes,
    _parser,
    _stretches,
    plain_blocks,
    read_document,
)
from lorebank.markdown.facts import extract_facts

LINES = (
    "- alpha",
    "- W @[[X]]: y",
    "- @Ana: z",
    "- beta  ",
    "- é o",
    "- 名前",
    "-  two",
    "- [x] z",
    "- 1. a",
    "- 12:30 lunch",
    "- ---",
    "---",
    "===",
    "",
    "",
    "  ",
    "   - nested",
    "  cont",
    "lazy",
    "words  ",
    '"said"',
    "2025 was",
    "12) x",
    "a | b",
    "# One",
    "## H  ",
    "## H ##",
    "#tag",
    "* star",
    "> q",
    "```",
    "~~~~",
    "    ```",
    "- a | b",
    "|---|",
    "1. one",
    "-",
    "-\ttab",
    "- a\tb",
    "- x\u00a0",
    "\u00a0- y",
    "\u00a0",
    "- y\ufeff",
    "- q\x1c",
    "x\x0b",
)


@given(st.lists(st.sampled_from(LINES), max_size=12).map("\n".join))
@example("- alpha\n- beta")
@example("lazy\n- alpha\n- beta\n\n## H")
@example("- alpha\n- beta\nlazy")
@example("- alpha\n- beta\n\n- gamma")
@example("words  \nlazy  \n\n- alpha\n\n  cont")
@example("```\n\nlazy\n\n    ```\n\nlazy\n```\n\nlazy")
def test_a_file_is_read_as_the_parser_reads_it(source: str) -> None:
    lines = source.split("\n")
    expected = _nodes(_parser().parse(f"{source}\n"), lines)
    assert [node for ends in _stretches(lines) for node in _blocks(lines, *ends)] == expected


def test_prose_needs_no_parser() -> None:
    lines = ["# Day", "", "Went out.", "Came back.", "", "## Retain", "- W @Ana: Sings.", "- one"]
    [(start, _), *_] = _stretches(lines)
    assert start == 0
    assert all(plain_blocks(lines, *stretch) is not None for stretch in _stretches(lines))


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_each_item_of_a_deep_list_is_read_by_itself(indent: str) -> None:
    """The parser's own limit dropped what stands ten levels deep."""
    lines = [f"{indent * depth}- W @Joris: Keeps lamp {depth}." for depth in range(200)]
    document = read_document("\n".join(["## Retain", *lines]), "a.md")
    found = extract_facts(document, recorded=None, headings=("Retain",))
    assert [fact.content for fact in found.facts] == [f"Keeps lamp {n}." for n in range(200)]
    assert [fact.citation.start_line for fact in found.facts] == [n + 2 for n in range(200)]
