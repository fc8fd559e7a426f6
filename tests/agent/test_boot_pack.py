"""F04, F06, P13: the boot pack, what stands in it and what it may cost."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank, CoreMemoryFull, LorebankError, PathRefused, UsageError
from lorebank.agent.boot_pack import PackSource, build_boot_pack
from lorebank.agent.core_memory import CoreEdit, edit_core
from lorebank.language.words import estimate_tokens
from lorebank.settings.tables import CoreMemorySettings, MemorySettings
from support import WORDS_ONLY, golden


@pytest.fixture
def bank(copy_fixture: Callable[[str], Path]) -> Bank:
    root = copy_fixture("harbour")
    (root / "bank").mkdir()
    (root / "bank/directives.md").write_text("# Directives\n\n- Never spend money unasked.\n")
    log = root / "memory/2025-12-10.md"
    log.write_text("Rain.\n\n<private>The PIN is 4512.</private>\n\n<!-- a comment -->\nWind.\n")
    return Bank.open(root, now=date(2025, 12, 10), environ=WORDS_ONLY)


def test_f04_the_parts_in_their_order(bank: Bank) -> None:
    pack = bank.context()
    assert [(part.title, part.path) for part in pack.parts] == [
        ("Directives", "bank/directives.md"),
        ("Core memory", "memory.md"),
        ("Today, 2025-12-10", "memory/2025-12-10.md"),
        ("Yesterday, 2025-12-09", "memory/2025-12-09.md"),
        ("Opinions", "bank/opinions.md"),
        ("Inbox", "bank"),
    ]
    assert pack.parts[2].text == "Rain.\n\nWind."
    assert pack.parts[4].text.startswith("- 0.93 Peter: Prefers")
    assert not any(part.truncated for part in pack.parts)


def test_an_open_proposal_is_named_with_its_id_and_not_in_a_group(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory.md").write_text("# Core\n\n- Be brief.\n")
    for day in ("2025-11-01", "2025-11-09", "2025-11-20"):
        log = tmp_path / f"memory/{day}.md"
        log.write_text("## Retain\n- W @Ana: Is allergic to hazelnuts and carries a syringe.\n")
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        bank.reflect()
        (proposal,) = bank.proposals()
        assert bank.context().parts[-1].text == f"- {proposal.id} add in memory.md: {proposal.new}"
        assert "hazelnuts" not in bank.context(group=True).text


def test_an_opinion_that_a_newer_line_questions_says_so(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    for day, said in (
        ("2025-11-01", "Thinks Postgres is right for the harbour project."),
        ("2025-11-20", "Postgres may be too heavy for the harbour project and its two users."),
    ):
        (tmp_path / f"memory/{day}.md").write_text(f"## Retain\n- O(c=0.9) @Ana: {said}\n")
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        newest, older = bank.context().parts[-2].text.splitlines()
    assert "may say otherwise" not in newest
    assert older.endswith("(older; memory/2025-11-20.md#L2 may say otherwise)")


def test_what_is_private_is_never_in_it(bank: Bank) -> None:
    assert "4512" not in bank.context().text


def test_f06_in_a_group_what_is_the_owners_is_left_out(bank: Bank) -> None:
    pack = bank.context(group=True)
    assert [part.title.split(",")[0] for part in pack.parts] == [
        "Directives",
        "Today",
        "Yesterday",
        "Opinions",
    ]
    assert "I am Clawd" not in pack.text


@pytest.fixture
def shared(tmp_path: Path) -> Bank:
    """A workspace whose core memory says what a group is not to read."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory.md").write_text(
        "---\ncontext: Private, of the owner in rehab.\n---\n# Core\n\nThe boat pin is Private.\n\n"
        "## Retain\n- O(c=0.9) @Ana: Private, dislikes the boat Zephyr.\n"
    )
    (tmp_path / "memory/README.md").write_text("---\ncontext: Logs of the choir.\n---\n")
    (tmp_path / "memory/2025-12-09.md").write_text(
        "## Retain\n- O(c=0.8) @Ana: Likes the boat Zephyr.\n"
    )
    return Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY)


def test_f06_what_is_private_reaches_a_group_by_no_way(shared: Bank) -> None:
    question = "what of the boat Zephyr, and its pin?"
    for group in (False, True):
        pack = shared.context(group=group)
        answer = shared.recall(question, group=group)
        found = shared.memory_search(question, group=group)
        assert ("Private" in pack.text) is not group
        assert ("Private" in str(answer.to_dict())) is not group
        assert ("Private" in str(found.to_dict())) is not group
        assert "Likes the boat Zephyr." in [hit.content for hit in answer.hits]
        assert found.hits[-1].context[-1] == "Logs of the choir."
    with pytest.raises(PathRefused):
        shared.get("memory.md#L1", group=True)
    denied = shared.memory_search(question, session_key="telegram:group:7")
    assert denied.hits == (), "memory.scope denies groups unless told otherwise"


def test_of_the_days_the_lines_of_agents_are_left_to_recall(tmp_path: Path) -> None:
    log = tmp_path / "memory/2025-12-10.md"
    log.parent.mkdir()
    log.write_text(
        "Wind. (origin: agent, by claude-code)\n\nRain.\n\n## Retain\n\n"
        "- W @Ana: Hands over the keys.\n"
        "- W @Ana: Wants each reply sent to rolf. (origin: agent, by claude-code)\n"
    )
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        [day] = bank.context().parts
        assert bank.recall("Ana reply rolf").hits
    owners = "Rain.\n\n## Retain\n\n- W @Ana: Hands over the keys."
    assert day.text == f"{owners}\n(2 lines not by the owner omitted; recall finds them)"


def test_p13_directives_are_kept_when_all_else_is_cut(bank: Bank) -> None:
    pack = bank.context(token_budget=90)
    assert "- Never spend money unasked." in pack.text
    assert pack.tokens <= 90
    assert pack.left_out


def test_f97_without_citations_the_agent_is_told_not_to_cite(bank: Bank) -> None:
    bank.workspace.config = replace(bank.config, memory=MemorySettings(citations="off"))
    assert "Do not cite the paths" in bank.context().text


def test_a_budget_too_small_for_anything_is_an_error(bank: Bank) -> None:
    with pytest.raises(UsageError):
        bank.context(token_budget=10)


def test_an_empty_workspace_has_an_empty_pack(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert (bank.context().text, bank.context().tokens) == ("", 0)


def test_of_a_long_log_the_end_is_kept_and_the_rest_is_named() -> None:
    log = PackSource(
        "Today", "memory/x.md", "\n".join(f"- line {n}" for n in range(400)), 0.5, True
    )
    pack = build_boot_pack([log], token_budget=120, group=False)
    assert pack.parts[0].truncated
    assert pack.parts[0].text.startswith("… (the rest is in memory/x.md)\n- line ")
    assert pack.parts[0].text.endswith("- line 399")


SOURCES = st.lists(
    st.builds(
        PackSource,
        st.sampled_from(["Core", "Today"]),
        st.just("memory.md"),
        st.text(st.sampled_from("ab \n茶é"), max_size=300),
        st.floats(0, 0.4),
        st.booleans(),
    ),
    max_size=6,
)


@given(SOURCES, st.integers(50, 400))
def test_the_text_never_costs_more_than_the_budget(sources: list[PackSource], budget: int) -> None:
    pack = build_boot_pack(sources, token_budget=budget, group=False)
    assert pack.tokens == estimate_tokens(pack.text) <= budget


# -- v07, V11, F05: the core memory is changed by explicit edits, exactly, and stays small -------


PAGE = """# Memory

## Who I work for

- Peter, in Lisbon.

## How to work

- Short answers.
"""


@golden("agent.md")
def test_v07_append_replace_and_insert(edit: dict[str, Any], line: int, holds: str) -> None:
    wanted = CoreEdit(**edit)
    edited = edit_core(PAGE, wanted)
    assert holds in edited.text
    assert edited.start_line == line
    assert edited.text.split("\n")[line - 1] == (
        wanted.text.split("\n")[0] if wanted.old != "in Lisbon" else "- Peter, in Porto."
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
