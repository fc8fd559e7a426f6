"""An ending ends the one line that it speaks of; where it may be several, all are asked about."""

from collections.abc import Callable
from pathlib import Path

from lorebank import Bank
from support import WORDS_ONLY


def live(bank: Bank) -> set[str]:
    return {fact.content for fact in bank.timeline("Nora") if not fact.superseded_by}


def test_of_several_lines_none_ends_before_somebody_rules(write_log: Callable[..., Path]) -> None:
    older = ("Works at the dairy.", "Buys her cheese at the dairy.")
    write_log("2026-01-02", *(f"- W @Nora: {said}" for said in older))
    root = write_log("2026-02-02", "- W @Nora: Left the dairy.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert live(bank) == {*older, "Left the dairy."}
        items = {item.older.text: item for item in bank.inbox("replacement").items if item.older}
        assert set(items) == set(older)
        assert {item.reason for item in items.values()} == {
            "it says that something is over, and may speak of this or of another line"
        }
        bank.rule({items[older[0]].id: "replaces"}, by="Nora")
        assert live(bank) == {older[1], "Left the dairy."}
        [left] = bank.inbox("replacement").items
        bank.rule({left.id: "both"}, by="Nora")
        assert live(bank) == {older[1], "Left the dairy."}
        assert bank.inbox("replacement").items == ()


def test_one_statement_written_twice_ends_twice(write_log: Callable[..., Path]) -> None:
    write_log("2026-01-02", "- W @Nora: Works at the dairy.")
    write_log("2026-01-20", "- W @Nora: Works at the dairy.")
    root = write_log("2026-02-02", "- W @Nora: Left the dairy.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert live(bank) == {"Left the dairy."}


def test_another_club_than_the_one_named_is_left_alone(write_log: Callable[..., Path]) -> None:
    write_log("2026-01-02", "- W @Nora: Is a member of the bowls club.")
    write_log("2026-01-03", "- W @Nora: Is a member of the tennis club.")
    root = write_log("2026-02-02", "- W @Nora: Quit the tennis club.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert live(bank) == {"Is a member of the bowls club.", "Quit the tennis club."}


def test_a_named_home_and_another_home_are_both_asked_about(
    write_log: Callable[..., Path],
) -> None:
    older = ("Vit avec Paul dans le studio de la rue Vauban.", "Lives on a houseboat.")
    write_log("2026-01-02", *(f"- W @Nora: {said}" for said in older))
    root = write_log("2026-02-02", "- W @Nora: A déménagé du studio de la rue Vauban.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert live(bank) > set(older)
        asked = {item.older.text for item in bank.inbox("replacement").items if item.older}
        assert asked == set(older)
