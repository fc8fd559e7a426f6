"""Facts as CSV (RFC 4180), for spreadsheets.

A cell that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line
end) gets an apostrophe in front, which spreadsheets do not show: what was imported may be anybody's
words. JSONL keeps every text as it is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from lorebank.domain import Fact

COLUMNS = (
    *("id", "kind", "text", "entities", "confidence", "recorded", "occurred_start"),
    *("occurred_end", "source", "origin", "quarantined"),
)
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def facts_csv(facts: Iterable[Fact]) -> str:
    """A line of column names, then one a fact; names of entities are joined by `; `."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for fact in facts:
        writer.writerow([_inert(cell) for cell in _cells(fact)])
    return buffer.getvalue()


def _cells(fact: Fact) -> tuple[str, ...]:
    start, end = (fact.occurred.start, fact.occurred.end) if fact.occurred else (None, None)
    return (
        fact.id,
        fact.kind.value,
        fact.content,
        "; ".join(dict.fromkeys(mention.name for mention in fact.mentions)),
        "" if fact.confidence is None else repr(fact.confidence),
        fact.recorded.isoformat() if fact.recorded else "",
        start.isoformat() if start else "",
        end.isoformat() if end else "",
        str(fact.citation),
        fact.origin.value,
        "yes" if fact.quarantined else "no",
    )


def _inert(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_RUN) else cell
