"""The rule for flat lists tells of every text what the parser's own rule tells of it."""

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lorebank.markdown.document import _nodes, _parser

LINES = (
    "- alpha",
    "- W @[[X]]: y",
    "- beta  ",
    "- é o",
    "- 名前",
    "-  two",
    "- [x] z",
    "- 1. a",
    "- ---",
    "---",
    "===",
    "",
    "  ",
    "   - nested",
    "  cont",
    "lazy",
    "## H",
    "* star",
    "> q",
    "```",
    "- a | b",
    "|---|",
    "1. one",
    "-",
    "-\ttab",
    "- a\tb",
    "- x\u00a0",
    "\u00a0- y",
    "- y\ufeff",
    "- q\x1c",
)


@given(st.lists(st.sampled_from(LINES), max_size=9).map("\n".join))
@example("- alpha\n- beta")
@example("lazy\n- alpha\n- beta\n\n## H")
@example("- alpha\n- beta\nlazy")
@example("- alpha\n- beta\n\n- gamma")
def test_a_flat_list_is_read_as_any_other(source: str) -> None:
    own = MarkdownIt("commonmark").enable("table")
    own.disable(["inline", "text_join", "reference", "html_block"])
    lines, text = source.split("\n"), f"{source}\n"
    assert _nodes(_parser().parse(text), lines) == _nodes(own.parse(text), lines)
