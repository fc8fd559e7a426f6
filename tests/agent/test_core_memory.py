"""V07, V11, F05: the core memory is changed by explicit edits, exactly, and stays small."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank, CoreMemoryFull, LorebankError
from lorebank.agent.core_memory import CoreEdit, edit_core
from lorebank.settings.tables import CoreMemorySettings
from support import WORDS_ONLY

PAGE = """# Memory

## Who I work for

- Peter, in Lisbon.

## How to work

- Short answers.
"""

EDITS = [
    (
        CoreEdit("append", "- No calls before nine."),
        10,
        "- Short answers.\n- No calls before nine.\n",
    ),
    (
        CoreEdit("append", "- Speaks Portuguese.", section="who i work for"),
        6,
        "- Peter, in Lisbon.\n- Speaks Portuguese.\n\n## How to work\n",
    ),
    (
        CoreEdit("replace", "in Porto", old="in Lisbon"),
        5,
        "## Who I work for\n\n- Peter, in Porto.\n\n",
    ),
    (CoreEdit("replace", "", old="- Short answers.\n"), 9, "## How to work\n\n"),
    (CoreEdit("insert", "- Be kind.", line=9), 9, "\n- Be kind.\n- Short answers.\n"),
    (
        CoreEdit("insert", "Written by hand.\nTwo lines.", line=2),
        3,
        "# Memory\n\nWritten by hand.\n",
    ),
]


@pytest.mark.parametrize(("edit", "line", "holds"), EDITS)
def test_v07_append_replace_and_insert(edit: CoreEdit, line: int, holds: str) -> None:
    edited = edit_core(PAGE, edit)
    assert holds in edited.text
    assert edited.start_line == line
    assert edited.text.split("\n")[line - 1] == (
        edit.text.split("\n")[0] if edit.old != "in Lisbon" else "- Peter, in Porto."
    )


REFUSED = [
    (CoreEdit("replace", "x", old="- Short answer!"), "the nearest line is: - Short answers."),
    (CoreEdit("replace", "x", old="##"), "give more of the text around it, so that it stands once"),
    (CoreEdit("replace", "x", old=""), ""),
    (CoreEdit("insert", "x", line=99), "use 1 to 10"),
    (CoreEdit("insert", "x"), ""),
    (CoreEdit("append", "x", section="Nope"), "it has: Memory, Who I work for, How to work"),
    (CoreEdit("append", " \n"), ""),
    (CoreEdit("delete", "x"), "use append, replace, insert"),
]


@pytest.mark.parametrize(("edit", "hint"), REFUSED)
def test_v07_what_cannot_be_done_as_said_is_refused(edit: CoreEdit, hint: str) -> None:
    with pytest.raises(LorebankError) as caught:
        edit_core(PAGE, edit)
    assert caught.value.hint == hint


TEXTS = st.text(st.sampled_from("ab# -\n"), max_size=40)


@given(TEXTS, TEXTS, st.integers(1, 6))
def test_no_edit_loses_a_line_that_was_there(page: str, text: str, line: int) -> None:
    for edit in (CoreEdit("append", text), CoreEdit("insert", text, line=line)):
        try:
            after = edit_core(page, edit).text
        except LorebankError:
            continue
        left = iter(after.split("\n"))
        assert all(kept in left for kept in page.split("\n") if kept.strip())


def test_line_endings_of_the_page_are_kept() -> None:
    page = PAGE.replace("\n", "\r\n")
    added = edit_core(page, CoreEdit("append", "- One.\n- Two."))
    assert added.text == page + "- One.\r\n- Two.\r\n"
    changed = edit_core(page, CoreEdit("replace", "A\nB", old="Memory\n\n## Who"))
    assert changed.text.startswith("# A\r\nB I work for\r\n")


def _small(bank: Bank) -> None:
    bank.workspace.config = replace(
        bank.config, core_memory=CoreMemorySettings(warn_tokens=60, limit_tokens=90)
    )


def test_v11_it_warns_then_refuses_and_says_what_could_move(tmp_path: Path) -> None:
    (tmp_path / "memory.md").write_text(PAGE)
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        _small(bank)
        assert bank.memory_write("append", "- Likes tea.").warning == ""
        warned = bank.memory_write("append", "- " + "word " * 30)
        assert "of at most 90 tokens; move what is only needed now and then" in warned.warning
        assert "lines 7-11 (“How to work”, " in warned.warning
        before = (tmp_path / "memory.md").read_bytes()
        with pytest.raises(CoreMemoryFull) as caught:
            bank.memory_write("append", "- " + "word " * 60)
        assert "retain" in caught.value.hint
        assert (tmp_path / "memory.md").read_bytes() == before
        _shrunk = bank.memory_write("replace", "", old="- " + "word " * 30)
        assert _shrunk.tokens < warned.tokens


def test_f05_the_page_is_made_where_there_is_none_and_found_under_either_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        done = bank.memory_write("append", "# Memory\n\n- Short answers.")
        assert (done.path, done.start_line, done.end_line) == ("memory.md", 1, 3)
        assert (tmp_path / "memory.md").read_text() == "# Memory\n\n- Short answers.\n"
        (tmp_path / "memory.md").rename(tmp_path / "MEMORY.md")
        assert bank.memory_write("append", "- More.").path == "MEMORY.md"
        assert [entry.name for entry in tmp_path.glob("*.md")] == ["MEMORY.md"]
        assert bank.recall("short answers").hits
