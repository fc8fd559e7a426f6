"""Edits of the core memory: the one line that was meant, and every other byte as it was."""

import pytest

from lorebank.domain.facts import Citation
from lorebank.domain.judgments import Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit
from lorebank.markdown.owner_pages import CoreLine, edit_core, read_core


def edit(action: ProposalAction, old: str = "", new: str = "") -> Proposal:
    return Proposal("p-3f2a1b2c", action, "memory.md", old, new, "", ())


ADD, REPLACE, REMOVE = ProposalAction.ADD, ProposalAction.REPLACE, ProposalAction.REMOVE


@pytest.mark.parametrize(
    ("text", "proposal", "expected", "line"),
    [
        ("", edit(ADD, new="- x"), "## Learned\n\n- x\n", 3),
        ("# Core\n\n- a\n", edit(ADD, new="- x"), "# Core\n\n- a\n\n## Learned\n\n- x\n", 7),
        ("Me.  ", edit(ADD, new="- x"), "Me.  \n\n## Learned\n\n- x\n", 5),
        (
            "## Learned\n\n- a\n\n## Rules\n\n- r\n",
            edit(ADD, new="- x"),
            "## Learned\n\n- a\n- x\n\n## Rules\n\n- r\n",
            4,
        ),
        ("## Learned\r\n\r\n- a\r\n", edit(ADD, new="- x"), "## Learned\r\n\r\n- a\r\n- x\r\n", 4),
        ("- a\r\n- b  \r\n- c\r\n", edit(REPLACE, "- b  ", "- x"), "- a\r\n- x\r\n- c\r\n", 2),
        ("- a\n- b\n- c\n", edit(REMOVE, "- b"), "- a\n- c\n", None),
        ("- a\n- x\n", edit(ADD, new="- x"), "- a\n- x\n", 2),
        ("- x\n", edit(REPLACE, "- b", "- x"), "- x\n", 1),
        ("- a\n", edit(REMOVE, "- b"), "- a\n", None),
    ],
)
def test_edits(text: str, proposal: Proposal, expected: str, line: int | None) -> None:
    assert edit_core(text, proposal) == (expected, line)
    assert edit_core(expected, proposal)[0] == expected


@pytest.mark.parametrize("text", ["- a\n", "- b\n- a\n- b\n"], ids=["gone", "twice"])
def test_a_line_that_is_not_there_once_is_not_guessed(text: str) -> None:
    with pytest.raises(ConcurrentEdit):
        edit_core(text, edit(REPLACE, "- b", "- x"))


def test_items_of_one_line_are_read_with_their_citation() -> None:
    text = (
        "# Core\n\nProse.\n\n- **Peter** decides.\n- Likes tea. (memory/2025-11-18.md#L8)\n"
        "- wrapped\n  line\n- with\n  - nested (later)\n"
    )
    assert read_core(text) == (
        CoreLine(5, "- **Peter** decides.", "Peter decides.", None),
        CoreLine(
            6,
            "- Likes tea. (memory/2025-11-18.md#L8)",
            "Likes tea.",
            Citation("memory/2025-11-18.md", 8, 8),
        ),
        CoreLine(10, "  - nested (later)", "nested (later)", None),
    )
