"""Adding lines to a ledger and taking them out, every other byte left as it is."""

from __future__ import annotations

from collections.abc import Iterable

from lorebank.domain import Citation
from lorebank.markdown.document import read_document
from lorebank.markdown.source import newline_style


def added_line(text: str, line: str, *, title: str) -> tuple[str, int]:
    """The ledger with a list item at the end of its last list, and the line it stands on (1-based).

    An empty ledger begins with `title` as its heading.
    """
    newline = newline_style(text)
    if not text.strip():
        return f"# {title}{newline}{newline}{line}{newline}", 3
    lines = text.split("\n")
    place = _after_last_list(text)
    if place is None:
        body = text if text.endswith("\n") else text + newline
        gap = "" if body.endswith(newline * 2) else newline
        return f"{body}{gap}{line}{newline}", (body + gap).count("\n") + 1
    before = "\n".join(lines[:place]).removesuffix("\r")
    after = "\n".join(lines[place:])
    return f"{before}{newline}{line}{newline}{after}", place + 1


def without_lines(text: str, places: Iterable[Citation]) -> str:
    """The ledger without the list items that stand in these places."""
    gone = {n for place in places for n in range(place.start_line, place.end_line + 1)}
    lines = text.split("\n")
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in gone)


def _after_last_list(text: str) -> int | None:
    """How many lines lie before and in the last list of the text."""
    ends = [node.end for node in read_document(text, "").nodes if node.kind == "list"]
    return ends[-1] if ends else None
