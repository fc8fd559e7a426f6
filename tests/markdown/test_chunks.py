"""Chunks: whole lines, exact citations, cuts where a reader would cut."""

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Chunk, Citation
from lorebank.language.words import estimate_tokens
from lorebank.markdown.document import read_document
from lorebank.markdown.passages import chunk_document

_WORDS = "the kettle and the lamp stand on the table near the door"


def _places(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.citation.start_line, chunk.citation.end_line) for chunk in chunks]


def test_a_short_file_is_one_chunk_of_its_own_lines() -> None:
    text = "# Day\n\nSome talk.\n\n- one\n- two\n"
    assert chunk_document(read_document(text, "a.md")) == (
        Chunk("# Day\n\nSome talk.\n\n- one\n- two", Citation("a.md", 1, 6), "Day"),
    )


def test_front_matter_comments_private_and_managed_text_are_left_out() -> None:
    text = (
        "---\nk: v\n---\nseen <private>pin</private> end\n<!-- note -->\n"
        "<!-- lorebank:begin s sha=1 -->\ngenerated\n<!-- lorebank:end s -->\nlast\n"
    )
    (chunk,) = chunk_document(read_document(text, "a.md"))
    assert chunk.citation == Citation("a.md", 4, 9)
    assert chunk.text.split() == ["seen", "end", "last"]


def test_a_chunk_ends_before_a_heading_once_it_is_half_full() -> None:
    text = f"# A\n\n{_WORDS}\n\n# B\n\n{_WORDS}\n"
    chunks = chunk_document(read_document(text, "a.md"), target_tokens=24, overlap_tokens=4)
    assert _places(chunks) == [(1, 3), (5, 7)]
    assert [chunk.heading for chunk in chunks] == ["A", "B"]


def test_neighbouring_chunks_share_lines() -> None:
    text = "".join(f"- item {n} {_WORDS}\n" for n in range(6))
    chunks = chunk_document(read_document(text, "a.md"), target_tokens=60, overlap_tokens=20)
    assert _places(chunks) == [(1, 3), (3, 5), (5, 6)]


def test_a_fence_that_fits_is_not_cut() -> None:
    fence = "```\n" + "x = 1\n" * 12 + "```"
    text = f"{_WORDS}\n\n{_WORDS}\n\n{fence}\n"
    chunks = chunk_document(read_document(text, "a.md"), target_tokens=40, overlap_tokens=8)
    assert fence in chunks[-1].text


def test_a_line_larger_than_a_chunk_is_cut_and_each_part_cites_it() -> None:
    line = " ".join(f"word{n}" for n in range(400))
    chunks = chunk_document(
        read_document(f"a\n\n{line}\n", "a.md"), target_tokens=100, overlap_tokens=20
    )
    assert set(_places(chunks)[1:]) == {(3, 3)}
    assert all(chunk.text in line for chunk in chunks[1:])
    assert chunks[-1].text.endswith("word399")


def test_unspaced_scripts_are_cut_too() -> None:
    chunks = chunk_document(
        read_document("咖啡馆关门。" * 200, "a.md"), target_tokens=100, overlap_tokens=10
    )
    assert len(chunks) > 10
    assert all(estimate_tokens(chunk.text) <= 101 for chunk in chunks)


_BLOCKS = "# H\n;- item\n;  - sub\n;```\n;> quote\n;<!-- x -->;<private>;</private>;para\n"
_SPACES = ("\n", "\t", "\r\n", "\r")
_TABLE = "| a | b |\n|---|---|\n| c | d |\n"
_PIECES = st.sampled_from([*_BLOCKS.split(";"), *_SPACES, _TABLE, "word " * 30, "手" * 40])


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from([400, 40, 5]))
def test_each_chunk_is_the_text_of_its_lines_and_no_line_is_lost(text: str, target: int) -> None:
    document = read_document(text, "a.md")
    chunks = chunk_document(document, target_tokens=target, overlap_tokens=target // 5)
    covered: set[int] = set()
    for chunk in chunks:
        first, last = chunk.citation.start_line, chunk.citation.end_line
        covered.update(range(first, last + 1))
        assert chunk.text in document.source(first - 1, last)
    written = {n for n, line in enumerate(document.lines, start=1) if line.strip()}
    assert written <= covered
