"""`bank/confirmed.md`: what the owner vouches for, one decision a line, read, written, taken back.

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
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Diagnostic, Origin
from lorebank.errors import NotFound, UsageError
from lorebank.markdown import ledger
from lorebank.markdown.document import Document
from lorebank.records import Record
from lorebank.trust.quarantine import item_of_id, items_in_lines, place_named
from lorebank.workspace.layout import CONFIRMED_PAGE
from lorebank.workspace.paths import read_text_file, write_text_file

_LINE = re.compile(
    r"\s*[*_]*(?P<verb>confirm|reject)[*_]*\s*:?\s+"
    r"(?:`?(?P<id>[fn]-[0-9a-f]{10})`?|all[ -](?P<origin>[a-z]+)"
    r"|`(?P<path>[^`\n]+)`|(?P<bare>\S+\.md))(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)


class Target(StrEnum):
    ID = "id"
    PATH = "path"
    ORIGIN = "origin"


class Confirmation(Record):
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
    return ledger.read_decisions(text, path, _confirmation, "confirmation-unread", document)


def _confirmation(line: str, place: Citation) -> Confirmation | str:
    said = _LINE.match(line)
    target = _target(said) if said else None
    rejected = said is not None and said["verb"].lower() == "reject"
    if said is None or target is None or (rejected and target[0] is not Target.ID):
        return (
            "not a confirmation; write `confirm f-…`, a path in backticks, or all imported;"
            " or `reject f-…`"
        )
    _, day, reason = ledger.split_note(said["rest"])
    return Confirmation(*target, day, reason, place, rejected)


def format_confirmation(confirmation: Confirmation) -> str:
    """The list item that is read as this confirmation."""
    shown = {
        Target.ID: confirmation.value,
        Target.PATH: f"`{confirmation.value}`",
        Target.ORIGIN: f"all {confirmation.value}",
    }[confirmation.target]
    verb = "reject" if confirmation.rejected else "confirm"
    return f"- {verb} {shown}{ledger.note_text(confirmation.day, confirmation.reason)}"


class Choice(Record):
    ids: tuple[str, ...] = ()
    """Ids of facts or passages, or unique beginnings of them."""
    source: str = ""
    """A file, or lines of it: `memory/imported/ana.md#L12-L15`."""
    origin: str = ""
    """All of an origin: `imported`."""


def chosen(
    connection: Connection, choice: Choice, *, day: date, reason: str
) -> tuple[Confirmation, ...]:
    """The lines that confirm a choice; `NotFound` for what no note says."""
    if sum(map(bool, (choice.ids, choice.source, choice.origin))) != 1:
        raise UsageError("name ids, or --source, or --all-from", hint="lorebank confirm f-1a2b")
    nowhere = Citation(CONFIRMED_PAGE, 0, 0)
    said = " ".join(reason.split())

    def line(target: Target, value: str, note: str = "") -> Confirmation:
        whole = ": ".join(filter(None, [note, said]))
        return Confirmation(target, value, day, whole, nowhere)

    if choice.origin:
        suspect = [each.value for each in Origin if not each.trusted]
        if choice.origin not in suspect:
            hint = f"one of {', '.join(suspect)}"
            raise UsageError(f"nothing from '{choice.origin}' is in quarantine", hint=hint)
        return (line(Target.ORIGIN, choice.origin),)
    if choice.ids:
        found = [item_of_id(connection, text.strip()) for text in choice.ids]
        return tuple(line(Target.ID, id_, str(place)) for id_, place in found)
    source = place_named(choice.source)
    if source.start_line:
        rows = items_in_lines(connection, source)
        if not rows:
            raise NotFound(f"nothing stands at {choice.source}")
        return tuple(line(Target.ID, id_, str(place)) for id_, _, _, place in rows)
    if not select(connection, "SELECT 1 FROM files WHERE path = ?", (source.path,)):
        raise NotFound(f"no file {source.path}", hint="paths are relative to the workspace")
    return (line(Target.PATH, source.path),)


def write_confirmations(
    root: Path, lines: Sequence[Confirmation]
) -> tuple[tuple[Confirmation, Citation], ...]:
    """Write lines that do not stand there yet; each with its place, in order."""
    file = read_text_file(root, CONFIRMED_PAGE)
    text = file.text
    for line in lines:
        if not _standing(text, line):
            text, _ = ledger.added_line(text, format_confirmation(line), title="Confirmed")
    write_text_file(root, file, text)
    return tuple((line, _standing(text, line)[-1].citation) for line in lines)


def revoke(root: Path, lines: Sequence[Confirmation]) -> None:
    """Take lines off; `NotFound` where none of them stands there."""
    file = read_text_file(root, CONFIRMED_PAGE)
    found = [known for line in lines for known in _standing(file.text, line)]
    if not found:
        raise NotFound(
            f"{CONFIRMED_PAGE} does not confirm {', '.join(line.value for line in lines)}",
            hint="what a file or an origin lets in is taken back by --source or --all-from",
        )
    write_text_file(root, file, ledger.without_lines(file.text, [each.citation for each in found]))


def _standing(text: str, line: Confirmation) -> list[Confirmation]:
    known, _ = parse_confirmations(text, CONFIRMED_PAGE)
    return [
        each
        for each in known
        if (each.target, each.value) == (line.target, line.value) and not each.rejected
    ]


def _target(said: re.Match[str]) -> tuple[Target, str] | None:
    if said["id"]:
        return Target.ID, said["id"].lower()
    if said["origin"]:
        word = said["origin"].lower()
        known = word in set(Origin) and not Origin(word).trusted
        return (Target.ORIGIN, word) if known else None
    return Target.PATH, said["path"] or said["bare"]
