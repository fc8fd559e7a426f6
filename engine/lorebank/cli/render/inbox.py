"""The inbox and verdicts on its items, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lorebank.cli.render.text import INDENT, Look, day_phrase, part_lines

if TYPE_CHECKING:
    from lorebank.domain import Decision, Inbox, InboxItem, InboxLine

EMPTY = "nothing waits for a decision"


def inbox_lines(look: Look, inbox: Inbox) -> list[str]:
    """One block an item, and how one is settled."""
    if not inbox.items:
        return [EMPTY]
    lines = [line for item in inbox.items for line in [*item_lines(look, item), ""]]
    rest = inbox.total - len(inbox.items)
    more = [f"… and {rest:,} more (-k shows them)"] if rest else []
    how = "lorebank inbox ID VERDICT settles one; lorebank inbox rule goes through them"
    return [*lines, *more, look.dim(how)]


def related_lines(look: Look, items: Sequence[InboxItem]) -> list[str]:
    """A line an older line that a new one may restate or replace, and how to say so."""
    lines = []
    for item in items:
        older = f"“{item.older.text}” ({item.older.source})" if item.older else ""
        lines += look.paragraph(f"beside it stands {older}")
        lines += look.paragraph(f"lorebank inbox {item.id} {'|'.join(item.choices)}", INDENT)
    return lines


def item_lines(look: Look, item: InboxItem) -> list[str]:
    """What is asked, both lines with their places, and the verdicts with what each changes."""
    head = f"{item.id} {look.strong(item.kind.value)}"
    lines = [head, *look.dim_paragraph(item.reason)]
    lines += _side(look, "older", item.older) + _side(look, "newer", item.newer)
    for verdict, effect in item.effect.items():
        lines += look.paragraph(f"{verdict}: {effect}", INDENT * 3, first=INDENT * 2)
    return lines


def _side(look: Look, name: str, line: InboxLine | None) -> list[str]:
    if line is None:
        return []
    place = str(line.source) if line.source else ""
    return [
        *look.paragraph(f"{name}: {line.text}", INDENT * 2, first=INDENT),
        *part_lines(look, [day_phrase(line.day) if line.day else "", place, line.id], INDENT * 2),
    ]


def decision_lines(look: Look, decisions: Iterable[Decision], *, undone: bool) -> list[str]:
    """One line a verdict: what was ruled, by whom, and the ledger line that says so."""
    shown: list[str] = []
    for each in decisions:
        verb = "taken back: " if undone else ""
        parts: Sequence[str] = [
            f"{each.id} {verb}{each.verdict}",
            f"by {each.by}" if each.by else "",
            each.day.isoformat() if each.day else "",
            "" if undone else str(each.source),
        ]
        shown.append(look.clean_line("  ".join(part for part in parts if part)))
    return shown or ["no verdict stands"]
