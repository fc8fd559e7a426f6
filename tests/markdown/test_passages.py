"""Passages: the prose between the facts, a few lines each."""

import pytest

from lorebank.markdown.document import read_document
from lorebank.markdown.passages import extract_passages


def _read(text: str, *fact_lines: tuple[int, int]) -> list[tuple[str, str]]:
    passages = extract_passages(read_document(text, "a.md"), fact_lines=fact_lines)
    return [(str(passage.citation).partition("#")[2], passage.text) for passage in passages]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("# Only a heading\n", []),
        ("One **bold**\nline.\n\nTwo.\n", [("L1-L2", "One bold line."), ("L4", "Two.")]),
        ("- a\n- b\n  - c\n", [("L1", "a"), ("L2-L3", "b c")]),
        ("> quoted @Ana\n", [("L1", "quoted Ana")]),
        ("| Who | What |\n|---|---|\n| Ana | tea |\n", [("L3", "Who: Ana; What: tea")]),
        ("```sh\nls -l\n\ncd\n```\n", [("L2-L4", "ls -l\n\ncd")]),
        ("---\nk: v\n---\nbody\n", [("L4", "body")]),
        ("<!-- no -->\nyes <private>no</private>\n", [("L2", "yes")]),
        ("a\r\nb\r\n", [("L1-L2", "a b")]),
    ],
)
def test_what_is_a_passage(text: str, passages: list[tuple[str, str]]) -> None:
    assert _read(text) == passages


def test_lines_of_facts_are_left_out_of_lists_and_paragraphs() -> None:
    text = "- fact\n- prose\n\nline one\nfact two\nline three\n"
    assert _read(text, (1, 1), (5, 5)) == [
        ("L2", "prose"),
        ("L4", "line one"),
        ("L6", "line three"),
    ]


def test_a_long_item_gives_its_parts() -> None:
    text = "- top\n" + "".join(f"  - sub {n}\n" for n in range(7))
    assert _read(text) == [("L1", "top"), *[(f"L{n + 2}", f"sub {n}") for n in range(7)]]


def test_a_long_paragraph_is_cut_between_lines() -> None:
    text = "".join(f"line {n}\n" for n in range(8))
    assert [place for place, _ in _read(text)] == ["L1-L6", "L7-L8"]


def test_a_long_line_is_cut_after_sentences_and_each_part_cites_it() -> None:
    text = " ".join(f"Sentence number {n} ends here." for n in range(60))
    parts = _read(text)
    assert {place for place, _ in parts} == {"L1"}
    assert all(len(part) <= 700 and part.endswith(".") for _, part in parts)
    assert " ".join(part for _, part in parts) == text


def test_a_passage_knows_its_headings() -> None:
    passages = extract_passages(read_document("# A\n## B\ntext\n# C\nmore\n", "a.md"))
    assert [passage.heading for passage in passages] == ["A > B", "C"]
