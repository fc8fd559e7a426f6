"""The journal, `bank/reflections/YYYY-MM-DD.md`: what a run changed, and by which lines."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from lorebank.domain import Evidence, OpenPair, Opinion
from lorebank.markdown.generated_text import citation_link, escape_inline
from lorebank.reflect.edits import PageEdit

__all__ = ["JOURNAL_FOLDER", "Moved", "journal_path", "write_journal_text"]

JOURNAL_FOLDER = "bank/reflections"


@dataclass(frozen=True, slots=True)
class Moved:
    """An opinion whose confidence a run changed; `before` is `None` where it is new."""

    opinion: Opinion
    before: float | None
    after: float


def journal_path(today: date) -> str:
    """The page of the run's own day."""
    return f"{JOURNAL_FOLDER}/{today.isoformat()}.md"


def write_journal_text(
    before: str | None,
    today: date,
    edits: Sequence[PageEdit],
    moved: Sequence[Moved],
    unsure: Sequence[OpenPair] = (),
) -> str:
    """The journal with this run at its end; a day may have several.

    `unsure` are pairs that wait for a judge.
    """
    path = journal_path(today)
    head = before.rstrip("\n") + "\n" if before else f"# Reflection {today.isoformat()}\n"
    number = head.count("\n## Run ") + 1
    parts = [f"## Run {number}"]
    if moved:
        parts.append("### Opinions\n\n" + "\n".join(_moved_lines(m, path) for m in moved))
    if unsure:
        parts.append("### Unsure\n\n" + "\n".join(_unsure_line(u, path) for u in unsure))
    parts.append("### Pages\n\n" + "\n".join(_page_line(edit) for edit in edits))
    return head + "\n" + "\n\n".join(parts) + "\n"


def _moved_lines(moved: Moved, path: str) -> str:
    step = "new" if moved.before is None else f"{moved.before:.2f}"
    said = escape_inline(moved.opinion.statement)
    lines = [f"- {step} → **{moved.after:.2f}** · {said} (`{moved.opinion.id}`)"]
    lines += [_evidence_line(e, path) for e in moved.opinion.evidence]
    return "\n".join(lines)


def _unsure_line(unsure: OpenPair, path: str) -> str:
    fact = unsure.fact
    said, near = escape_inline(fact.content), escape_inline(unsure.statement)
    return (
        f"- {said} ({citation_link(fact.citation, path)}, `{fact.id}`)\n"
        f"  - {unsure.reason}: {near} (`{unsure.opinion_id}`)"
    )


def _evidence_line(evidence: Evidence, path: str) -> str:
    link = citation_link(evidence.source, path)
    delta = "" if not evidence.delta else f" {evidence.delta:+.3f}"
    return f"  - {evidence.stance.value}{delta}, {evidence.date.isoformat()}: {link}"


def _page_line(edit: PageEdit) -> str:
    if edit.old is None:
        return f"- `{edit.path}`: new"
    if edit.new is None:
        return f"- `{edit.path}`: removed, nothing speaks of it any more"
    changes = list(difflib.ndiff(edit.old.split("\n"), edit.new.split("\n")))
    added = sum(line.startswith("+ ") for line in changes)
    removed = sum(line.startswith("- ") for line in changes)
    return f"- `{edit.path}`: {added} lines added, {removed} removed"
