"""F08, F09: what one is asked to remember is written to disk, in the place where it belongs."""

from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, UsageError
from lorebank.agent.authored import route
from support import WORDS_ONLY, golden


@golden("agent.md")
def test_f08_where_a_text_belongs(text: str, place: str, kept: str) -> None:
    found = route(text)
    assert (found.place.value, found.text) == (place, kept)


def test_a_place_can_be_named_and_must_be_known() -> None:
    assert route("Always be kind", to="log").place.value == "log"
    with pytest.raises(UsageError):
        route("x", to="everywhere")


def test_f09_remember_writes_to_disk_and_is_recalled(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    day = date(2025, 12, 10)
    with Bank.open(tmp_path, now=day, environ=WORDS_ONLY) as bank:
        places = [
            str(bank.remember(text).source)
            for text in (
                "Remember that @Ana prefers rye bread",
                "Always answer in Spanish",
                "Working on the parser right now",
            )
        ]
        assert places == ["memory/2025-12-10.md#L4", "memory.md#L1", "memory/2025-12-10.md#L8"]
        for place, line in zip(places, ("rye bread", "Spanish", "parser"), strict=True):
            assert line in bank.get(place).text
        assert bank.recall("what does Ana prefer?").hits[0].content == "Ana prefers rye bread"
    assert (tmp_path / "memory/2025-12-10.md").read_text() == (
        "# 2025-12-10\n\n## Retain\n- O @Ana: Ana prefers rye bread\n\n## Notes\n\n"
        "- Working on the parser right now\n"
    )


@golden("agent.md")
def test_an_order_goes_below_the_heading_for_orders(
    tmp_path: Path, page: str, order: str, heading: str
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory.md").write_text(page, "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert bank.remember(order).place == "core"
    lines = [line for line in (tmp_path / "memory.md").read_text("utf-8").split("\n") if line]
    assert lines[lines.index(heading) + 1] == f"- {order}"


LOGS = [
    ("", "- note\n"),
    ("# Day\n", "# Day\n\n- note\n"),
    ("# Day\n\n- one\n", "# Day\n\n- one\n- note\n"),
    ("# Day\n\n- one", "# Day\n\n- one\n- note\n"),
    ("Prose.\n\n## Retain\n- W x\n", "Prose.\n\n## Retain\n- W x\n\n## Notes\n\n- note\n"),
    ("## Retain\n- W x\n\n## Later\ntext\n", "## Retain\n- W x\n\n## Later\ntext\n\n- note\n"),
    (
        "a\r\n\r\n## Retain\r\n- W x\r\n",
        "a\r\n\r\n## Retain\r\n- W x\r\n\r\n## Notes\r\n\r\n- note\r\n",
    ),
]


@pytest.mark.parametrize(("before", "after"), LOGS)
def test_f03_a_note_is_added_and_nothing_else_changes(
    tmp_path: Path, before: str, after: str
) -> None:
    log = tmp_path / "memory/2025-12-10.md"
    log.parent.mkdir()
    log.write_bytes(before.encode())
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        facts = len(bank.timeline())
        place = bank.log("note")
        assert len(bank.timeline()) == facts
        assert "- note" in bank.get(str(place)).text
    assert log.read_bytes() == after.encode()


@golden("agent.md")
def test_a_note_cannot_open_a_retain_section(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        bank.log(text)
        assert bank.timeline() == ()
