"""`bank/confirmed.md`: what the owner vouches for, one decision a line.

    - confirm f-1a2b3c4d5e (2026-01-04: memory/imported/ana.md#L12: checked with her)
    - confirm `memory/imported/ana.md` (2026-01-04)
    - confirm all imported (2026-01-04: my own old vault)
    - reject f-5e4d3c2b1a (2026-01-05 by Ana)

A rejection keeps a sentence out and keeps it from being asked about again. Deleting a line undoes
it. A file that is confirmed is trusted in what is added to it later as well;
a sentence confirmed by its id is trusted as it reads, wherever it stands.
"""

from __future__ import annotations

import re
from datetime import date
from enum import StrEnum

from lorebank.domain import Citation, Diagnostic, Origin
from lorebank.markdown.document import Document
from lorebank.markdown.ledger import note_text, read_decisions, split_note
from lorebank.records import dataclass

_LINE = re.compile(
    r"\s*[*_]*(?P<verb>confirm|reject)[*_]*\s*:?\s+"
    r"(?:`?(?P<id>[fn]-[0-9a-f]{10})`?|all[ -](?P<origin>[a-z]+)"
    r"|`(?P<path>[^`\n]+)`|(?P<bare>\S+\.md))(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


class Target(StrEnum):
    """What a confirmation speaks of."""

    ID = "id"
    PATH = "path"
    ORIGIN = "origin"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """One line: what is confirmed, since when and why."""

    target: Target
    value: str
    """An id (`f-…`, `n-…`), a path, or the name of an origin."""
    day: date | None
    reason: str
    citation: Citation
    """Of the line itself."""
    rejected: bool = False
    """The owner will not vouch for it; only for an id."""


def parse_confirmations(
    text: str, path: str, *, document: Document | None = None
) -> tuple[tuple[Confirmation, ...], tuple[Diagnostic, ...]]:
    """The confirmations of a page in order; list items that confirm nothing are reported."""
    return read_decisions(text, path, _confirmation, "confirmation-unread", document)


def _confirmation(line: str, place: Citation) -> Confirmation | str:
    said = _LINE.match(line)
    target = _target(said) if said else None
    rejected = said is not None and said["verb"].lower() == "reject"
    if said is None or target is None or (rejected and target[0] is not Target.ID):
        return (
            "not a confirmation; write `confirm f-…`, a path in backticks, or all imported;"
            " or `reject f-…`"
        )
    _, day, reason = split_note(said["rest"])
    return Confirmation(*target, day, reason, place, rejected)


def format_confirmation(confirmation: Confirmation) -> str:
    """The list item that is read as this confirmation."""
    shown = {
        Target.ID: confirmation.value,
        Target.PATH: f"`{confirmation.value}`",
        Target.ORIGIN: f"all {confirmation.value}",
    }[confirmation.target]
    verb = "reject" if confirmation.rejected else "confirm"
    return f"- {verb} {shown}{note_text(confirmation.day, confirmation.reason)}"


def _target(said: re.Match[str]) -> tuple[Target, str] | None:
    if said["id"]:
        return Target.ID, said["id"].lower()
    if said["origin"]:
        word = said["origin"].lower()
        known = word in set(Origin) and not Origin(word).trusted
        return (Target.ORIGIN, word) if known else None
    return Target.PATH, said["path"] or said["bare"]
