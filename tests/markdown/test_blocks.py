"""Managed blocks: only they are written, all else survives byte for byte."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorebank.markdown.blocks import (
    blank_spans,
    body_checksum,
    find_blocks,
    render_block,
    replace_blocks,
)

_SUMMARY = render_block("summary", "Ana lives in Lisbon.")
_MARKERS = (
    "<!-- lorebank:begin summary sha=1 -->",
    "<!-- lorebank:end summary -->",
    "<!-- lorebank:begin other -->",
    "<!-- lorebank:end other -->",
    "<!--",
    "<private>",
)
_PIECES = st.sampled_from(
    ["\n", "\r\n", "text", "```", "~~~", "  ", "---", "\t- item", "é手", "\r", _SUMMARY, *_MARKERS]
)
_PAGES = st.one_of(st.text(max_size=80), st.lists(_PIECES, max_size=25).map("".join))


def test_a_rendered_block_is_found_unedited() -> None:
    page = f"# Ana\n\n{_SUMMARY}\n\nBy hand.\n"
    (block,), problems = find_blocks(page, "bank/entities/Ana.md")
    assert problems == ()
    assert (block.name, block.body, block.edited) == ("summary", "Ana lives in Lisbon.", False)
    assert (block.first_line, block.last_line) == (3, 5)
    assert page[block.start : block.end] == _SUMMARY


def test_a_hand_edit_inside_a_block_shows() -> None:
    (block,), _ = find_blocks(_SUMMARY.replace("Lisbon", "Porto"))
    assert block.edited


def test_line_endings_are_no_edit() -> None:
    (block,), _ = find_blocks(render_block("s", "one\ntwo").replace("\n", "\r\n"))
    assert not block.edited


def test_a_block_without_a_checksum_is_edited_unless_empty() -> None:
    empty = "<!-- lorebank:begin s -->\n<!-- lorebank:end s -->"
    filled = "<!-- lorebank:begin s -->\ntext\n<!-- lorebank:end s -->"
    assert [block.edited for page in (empty, filled) for block in find_blocks(page)[0]] == [
        False,
        True,
    ]


def test_the_checksum_is_the_head_of_a_sha256() -> None:
    assert body_checksum("") == "e3b0c44298fc"


@pytest.mark.parametrize(
    ("page", "code", "line"),
    [
        ("x\n<!-- lorebank:begin s sha=1 -->\ntext", "block-unclosed", 2),
        ("<!-- lorebank:end s -->", "block-stray-end", 1),
        (f"{_SUMMARY}\n{_SUMMARY}", "block-duplicate", 4),
        (
            "<!-- lorebank:begin s -->\n<!-- lorebank:begin t -->\n<!-- lorebank:end s -->",
            "block-nested",
            2,
        ),
    ],
)
def test_broken_markers_are_reported(page: str, code: str, line: int) -> None:
    assert [(p.code, p.line) for p in find_blocks(page, "p.md")[1]] == [(code, line)]


def test_a_name_with_broken_markers_is_left_alone() -> None:
    page = "<!-- lorebank:begin summary sha=1 -->\nmine\n"
    assert replace_blocks(page, {"summary": "new"}) == page


def test_markers_inside_fences_are_examples() -> None:
    page = f"```\n{_SUMMARY}\n```\n"
    assert find_blocks(page) == ((), ())
    assert replace_blocks(page, {"summary": "new"}) == f"{page}\n{render_block('summary', 'new')}\n"


def test_missing_blocks_are_appended_in_order_after_an_open_fence_is_closed() -> None:
    page = replace_blocks("# Ana\n~~~~\ncode", {"b": "1", "a": "2"})
    assert page == (
        f"# Ana\n~~~~\ncode\n~~~~\n\n{render_block('b', '1')}\n\n{render_block('a', '2')}\n"
    )
    assert [block.name for block in find_blocks(page)[0]] == ["b", "a"]


def test_blocks_that_come_one_by_one_stand_in_the_order_of_those_that_came_at_once() -> None:
    bodies = {"a": "1", "b": "2", "c": "3"}
    at_once = replace_blocks("# Ana\n", bodies)
    for first in ("a", "b", "c"):
        page = replace_blocks("# Ana\n", {first: bodies[first]})
        assert replace_blocks(page, bodies) == at_once


def test_a_marker_inside_a_replaced_block_goes_with_its_body() -> None:
    page = "<!-- lorebank:begin a -->\n<!-- lorebank:begin b -->\nx\n<!-- lorebank:end a -->\n"
    written = replace_blocks(page, {"a": "1", "b": "2"})
    assert [(block.name, block.body) for block in find_blocks(written)[0]] == [
        ("a", "1"),
        ("b", "2"),
    ]
    assert replace_blocks(written, {"a": "1", "b": "2"}) == written


def test_the_pages_own_line_endings_are_used() -> None:
    page = replace_blocks("# Ana\r\n\r\ntext\r\n", {"s": "one\ntwo"})
    assert "\n" not in page.replace("\r\n", "")


def test_a_body_with_a_marker_line_is_refused() -> None:
    with pytest.raises(ValueError, match="marker line"):
        render_block("s", "text\n<!-- lorebank:end s -->")


def _blanked(page: str) -> str:
    return blank_spans(page, [(block.start, block.end) for block in find_blocks(page)[0]])


def test_blanking_keeps_every_line_in_its_place() -> None:
    page = f"above\n{_SUMMARY}\r\nbelow"
    lines = _blanked(page).split("\n")
    assert [line.strip() for line in lines] == ["above", "", "", "", "below"]


@given(_PAGES)
def test_blanking_keeps_length_and_line_endings(page: str) -> None:
    blanked = _blanked(page)
    assert len(blanked) == len(page)
    assert [i for i, c in enumerate(page) if c in "\r\n"] == [
        i for i, c in enumerate(blanked) if c in "\r\n"
    ]


@given(_PAGES, st.dictionaries(st.sampled_from(["summary", "other", "new"]), st.just("b\n- c")))
@example("\r\n<!--lorebank:end other-->\r", {"new": "b", "other": "b"})  # half a line end
def test_every_byte_outside_the_replaced_blocks_survives(page: str, bodies: dict[str, str]) -> None:
    written = replace_blocks(page, bodies)
    outside = _outside(page, bodies)
    assert _outside(written, bodies)[: len(outside)] == outside
    assert replace_blocks(written, bodies) == written


def _outside(page: str, bodies: dict[str, str]) -> str:
    pieces: list[str] = []
    position = 0
    for block in find_blocks(page)[0]:
        if block.name in bodies:
            pieces.append(page[position : block.start])
            position = block.end
    return "".join([*pieces, page[position:]])
