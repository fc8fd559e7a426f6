"""Passages: the prose between the facts, a few lines each."""

from lorebank.markdown.document import read_document
from lorebank.markdown.passages import extract_passages
from support import golden


def _read(text: str, *fact_lines: tuple[int, int]) -> list[tuple[str, str]]:
    passages = extract_passages(read_document(text, "a.md"), fact_lines=fact_lines)
    return [(str(passage.citation).partition("#")[2], passage.text) for passage in passages]


@golden("markdown.md")
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


def test_lines_that_end_their_sentences_stand_alone_and_wrapped_ones_do_not() -> None:
    diary = "Slow morning, fog.\nPaid the boiler man (80 euros).\nKlara has a cold!\n"
    assert [place for place, _ in _read(diary)] == ["L1", "L2", "L3"]
    wrapped = "Slow morning, fog. Paid the\nboiler man. Klara has a cold and\nstays at home.\n"
    assert [place for place, _ in _read(wrapped)] == ["L1-L3"]
    told = "The API allows 100 calls.\nIt was raised to 250.\nVera asked for that.\n"
    assert [place for place, _ in _read(told)] == ["L1-L2", "L3"]
    item = "- Dentist on Tuesday.\n  Bring the card.\n"
    assert [place for place, _ in _read(item)] == ["L1-L2"]


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


def test_behind_the_first_thousands_short_passages_are_joined_with_their_neighbours() -> None:
    text = "a\n\n" * 21_000 + "# Mill\n\n" + "b c\n\n" * 200 + "- b *c* d\n"
    found = extract_passages(read_document(text, "a.md"))
    assert len(found) < 20_100
    assert " ".join(each.text for each in found) == " ".join(
        ["a"] * 21_000 + ["b c"] * 200 + ["b c d"]
    )
    lines = text.split("\n")
    for each in found:
        cited = lines[each.citation.start_line - 1 : each.citation.end_line]
        assert " ".join(" ".join(cited).replace("*", "").split()).removeprefix("- ") == each.text
        assert each.heading == ("Mill" if "b" in each.text else "")


def test_what_stands_behind_more_marks_than_a_dozen_is_read() -> None:
    assert _read("> - " * 30 + "3.5 kg stand.\n\n" + "> " * 40 + "So.\n") == [
        ("L1", "3.5 kg stand."),
        ("L3", "So."),
    ]
