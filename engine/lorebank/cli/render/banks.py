"""Named workspaces as text, and what each of several had to say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.text import display_width
from lorebank.domain import BankPart, RegisteredBank


def bank_lines(look: Look, rows: Sequence[tuple[RegisteredBank, bool]]) -> list[str]:
    """Name and folder; marked are the default, and folders that are gone."""
    column = max((display_width(bank.name) for bank, _ in rows), default=0)
    lines = []
    for bank, there in rows:
        name = bank.name + " " * (column - display_width(bank.name))
        marks = ["default"] if bank.is_default else []
        marks += [] if there else [f"gone: lorebank bank remove {bank.name} forgets it"]
        mark = f"  {look.dim(f'({said})')}" if (said := "; ".join(marks)) else ""
        lines.append(f"{look.strong(name)}  {look.clean_line(bank.path)}{mark}")
    return lines


def failed_lines(look: Look, parts: Iterable[BankPart]) -> list[str]:
    """The banks that could not be asked, each with its reason and remedy."""
    lines: list[str] = []
    for part in parts:
        if part.error:
            lines += look.paragraph(f"{part.bank}: {part.error}", INDENT, first="")
            lines += (
                look.paragraph(f"hint: {part.hint}", INDENT * 2, first=INDENT) if part.hint else []
            )
    return [look.warn(line) for line in lines]
