"""Fields, exclusions, phrases and slips of a question: what is taken, what is said of the rest."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank, UsageError
from lorebank.domain.facts import FactKind
from lorebank.index.finding import Selection
from lorebank.recall.filters import Filters, read_fields
from support import WORDS_ONLY, golden

NOW = date(2025, 12, 10)
NAMES = {"peter": ("peter", "Peter"), "the-castle": ("the-castle", "The Castle")}


def read(text: str) -> tuple[str, Filters, tuple[str, ...]]:
    notes: list[str] = []
    plain, filters = read_fields(
        text, NOW, Filters(), lambda slugs: {s: NAMES[s] for s in slugs if s in NAMES}, notes
    )
    return " ".join(plain.split()), filters, tuple(notes)


@golden("questions.md")
def test_only_a_glued_minus_and_capital_not_leave_out(
    text: str, left: str, excluded: dict[str, Any]
) -> None:
    assert read(text) == (left, Filters(unwanted=Selection(**excluded)), ())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("tea tag:#Home tag:work/mail", Selection(tags=("home", "work/mail"))),
        ("tea kind:note KIND:W", Selection(kinds=("note", FactKind.WORLD))),
        ("tea source:memory/2025-11-27.md#L12", Selection(paths=("memory/2025-11-27.md",))),
        ('tea path:"memory/my notes"', Selection(paths=("memory/my notes",))),
    ],
)
def test_a_field_becomes_a_filter(text: str, wanted: Selection) -> None:
    assert read(text) == ("tea", Filters(wanted), ())


@golden("questions.md")
def test_what_was_not_understood_is_said(text: str, left: str, note: str) -> None:
    plain, _, notes = read(text)
    assert (plain, notes) == (left, (note,))


@pytest.mark.parametrize("text", ["tea -since:2025-01-01", "tea -kind:rumour", "tea kind:rumour"])
def test_a_field_that_cannot_be_meant_is_an_error(text: str) -> None:
    with pytest.raises(UsageError):
        read(text)


LINES = (
    "- W @Peter: The boiler in the cellar hums #home/heating.",
    "- O(c=0.8) @Peter: Likes green tea more than black tea #food",
    "- W @Zdenka: The green door hums when the boiler runs.",
    "- B @Zdenka: Painted the door green.",
    "- W The tea is in `#code`, see https://tea.org/#part and issue #42.",
)
TAGGED = "---\ntags: [Garden, home]\n---\n# Beds\n\nThe tea roses want water.\n"


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    root = tmp_path_factory.mktemp("fields")
    (root / "memory").mkdir()
    (root / "memory" / "2025-12-01.md").write_text(
        "\n".join(["# Monday", "", "## Retain", *LINES, ""]), "utf-8"
    )
    (root / "memory" / "garden.md").write_text(TAGGED, "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as opened:
        yield opened


def lines(bank: Bank, query: str) -> set[int]:
    return {hit.source.start_line for hit in bank.recall(query, k=20).hits}


@golden("questions.md")
def test_a_filter_holds_for_every_hit(bank: Bank, query: str, found: set[int]) -> None:
    assert lines(bank, query) == found


@golden("questions.md")
def test_what_is_to_be_left_out_is_in_no_hit(
    bank: Bank, query: str, found: set[int], left_out: set[int]
) -> None:
    shown = lines(bank, query)
    assert (shown & left_out, shown & found) == (set(), found)


@pytest.mark.parametrize(
    "command", ["kotlinc -verbose", "clang -Weverything", "brew list -pinned", "kotlinc -verbose!"]
)
def test_a_command_that_the_notes_hold_is_a_string(tmp_path: Path, command: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/tools.md").write_text(
        "Ran kotlinc -verbose and clang -Weverything.\n\nTried `brew list -pinned`.\n\n"
        "The brew list of the kotlinc and clang people.\n",
        "utf-8",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        answer = bank.recall(command)
    assert command.split()[-1].strip("!") in answer.hits[0].content
    assert answer.query.excluded == answer.notes == ()


def test_flags_say_the_same_as_fields(bank: Bank) -> None:
    flagged = bank.recall("tea", tags=["#Garden"], path="memory", kinds=["note"])
    written = bank.recall("tea tag:garden path:memory kind:note")
    assert [h.id for h in flagged.hits] == [h.id for h in written.hits] != []
    assert flagged.query.tags == ("garden",)
    assert flagged.query.path == "memory"


def test_what_is_left_out_is_shown(bank: Bank) -> None:
    answer = bank.recall('tea -coffee -"black tea" -kind:note -@Peter')
    excluded = answer.query.to_dict()["excluded"]
    assert excluded == ["coffee", '"black tea"', "entity:peter", "kind:note"]
    assert "lines with 'black tea' were left out" in answer.notes


def test_an_unknown_tag_is_said(bank: Bank) -> None:
    assert bank.recall("tea tag:Hoem").notes == ("nothing is tagged 'hoem'",)


def test_a_phrase_found_whole_comes_first_and_one_found_nowhere_is_said(bank: Bank) -> None:
    assert bank.recall('"green door"').hits[0].source.start_line == 6
    note = "nothing holds the phrase 'door boiler' whole; its words were searched"
    assert bank.recall('"door boiler"').notes == (note,)
    assert bank.recall('"green door"').notes == ()


@golden("questions.md")
def test_a_slip_in_a_name_is_read_aloud(
    bank: Bank, query: str, notes: tuple[str, ...], entities: tuple[str, ...]
) -> None:
    answer = bank.recall(query)
    assert (answer.notes, answer.query.entities) == (notes, entities)


def test_a_name_near_two_others_is_left_alone(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-12-01", "- W @Marta: Has a dog.", "- W @Marla: Has a cat.")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as twins:
        assert twins.recall("Marna pet").notes == ()


@golden("questions.md")
def test_no_question_is_an_internal_error(bank: Bank, query: str) -> None:
    answer = bank.recall(query, why_not="memory/2025-12-01.md#L4", explain=True)
    assert answer.why_not is not None


def test_by_finds_what_an_agent_or_user_wrote(write_log: Callable[..., Path]) -> None:
    root = write_log(
        "2026-03-02",
        "- W @Ilse: Sold the kayak. (origin: agent, by claude-code, session 3f2a, for ana)",
        "- W @Ilse: Bought a kayak. (origin: agent, by planner)",
        "- W @Ilse: Repaired the kayak.",
    )
    with Bank.open(root, environ=WORDS_ONLY) as bank:

        def found(question: str) -> set[str]:
            return {hit.content.split()[0] for hit in bank.recall(question).hits}

        assert found("kayak by:Claude-Code") == {"Sold"}
        assert found("kayak by:3f2a") == found("kayak by:ana") == {"Sold"}
        assert found("kayak by:claude") == set()
        assert found("kayak -by:planner") == {"Sold", "Repaired"}
