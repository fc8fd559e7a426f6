"""Edits of the core memory: the one line that was meant, and every other byte as it was."""

import pytest

from lorebank.domain.facts import Citation
from lorebank.domain.judgments import Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit
from lorebank.markdown.owner_pages import CoreLine, edit_core, read_core
from support import golden


def edit(action: ProposalAction, old: str = "", new: str = "") -> Proposal:
    return Proposal("p-3f2a1b2c", action, "memory.md", old, new, "", ())


@golden("markdown.md")
def test_edits_of_core_memory(
    text: str, action: ProposalAction, old: str, new: str, expected: str, line: int | None
) -> None:
    assert edit_core(text, edit(action, old, new)) == (expected, line)
    assert edit_core(expected, edit(action, old, new))[0] == expected


@pytest.mark.parametrize("text", ["- a\n", "- b\n- a\n- b\n"], ids=["gone", "twice"])
def test_a_line_that_is_not_there_once_is_not_guessed(text: str) -> None:
    with pytest.raises(ConcurrentEdit):
        edit_core(text, edit(ProposalAction.REPLACE, "- b", "- x"))


def test_items_of_one_line_are_read_with_their_citation() -> None:
    text = (
        "# Core\n\nProse.\n\n- **Peter** decides.\n- Likes tea. (memory/2025-11-18.md#L8)\n"
        "- wrapped\n  line\n- with\n  - nested (later)\n"
    )
    assert read_core(text) == (
        CoreLine(5, "- **Peter** decides.", "**Peter** decides.", "Peter decides.", None),
        CoreLine(
            6,
            "- Likes tea. (memory/2025-11-18.md#L8)",
            "Likes tea.",
            "Likes tea.",
            Citation("memory/2025-11-18.md", 8, 8),
        ),
        CoreLine(10, "  - nested (later)", "nested (later)", "nested (later)", None),
    )
