"""Confirming: lines of `bank/confirmed.md` that let facts out of quarantine, and take it back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from lorebank.database.connection import Connection
from lorebank.domain import Citation, Origin
from lorebank.errors import NotFound, UsageError
from lorebank.markdown.ledger import added_line, without_lines
from lorebank.records import dataclass
from lorebank.trust.confirmations import (
    Confirmation,
    Target,
    format_confirmation,
    parse_confirmations,
)
from lorebank.trust.quarantine import ids_beginning, is_indexed, items_in_lines
from lorebank.workspace.layout import CONFIRMED_PAGE
from lorebank.workspace.paths import read_text_file, write_text_file


@dataclass(frozen=True, slots=True)
class Choice:
    """What to confirm; exactly one of them is given."""

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
        return (line(Target.ORIGIN, _suspect(choice.origin)),)
    if choice.ids:
        found = [_one(connection, text) for text in choice.ids]
        return tuple(line(Target.ID, id_, str(place)) for id_, place in found)
    path, first, last = _lines(choice.source)
    if first:
        rows = items_in_lines(connection, path, first, last)
        if not rows:
            raise NotFound(f"nothing stands at {choice.source}")
        return tuple(line(Target.ID, id_, str(place)) for id_, place in rows)
    if not is_indexed(connection, path):
        raise NotFound(f"no file {path}", hint="paths are relative to the workspace")
    return (line(Target.PATH, path),)


def write_confirmations(
    root: Path, lines: Sequence[Confirmation]
) -> tuple[tuple[Confirmation, Citation], ...]:
    """Write lines that do not stand there yet; each with its place, in order."""
    file = read_text_file(root, CONFIRMED_PAGE)
    text = file.text
    for line in lines:
        if not _standing(text, line):
            text, _ = added_line(text, format_confirmation(line), title="Confirmed")
    write_text_file(root, file, text)
    return tuple((line, _standing(text, line)[-1].citation) for line in lines)


def take_back(root: Path, lines: Sequence[Confirmation]) -> None:
    """Take lines off; `NotFound` where none of them stands there."""
    file = read_text_file(root, CONFIRMED_PAGE)
    found = [known for line in lines for known in _standing(file.text, line)]
    if not found:
        raise NotFound(
            f"{CONFIRMED_PAGE} does not confirm {', '.join(line.value for line in lines)}",
            hint="what a file or an origin lets in is taken back by --source or --all-from",
        )
    write_text_file(root, file, without_lines(file.text, [each.citation for each in found]))


def _standing(text: str, line: Confirmation) -> list[Confirmation]:
    known, _ = parse_confirmations(text, CONFIRMED_PAGE)
    return [
        each
        for each in known
        if (each.target, each.value) == (line.target, line.value) and not each.rejected
    ]


def _one(connection: Connection, text: str) -> tuple[str, Citation]:
    found = ids_beginning(connection, text.strip())
    if not found:
        raise NotFound(f"no fact or passage '{text}'", hint="ids are shown by recall --json")
    if len(found) > 1:
        near = ", ".join(id_ for id_, _ in found[:5])
        raise UsageError(f"'{text}' is the beginning of several ids", hint=near)
    return found[0]


def _suspect(origin: str) -> str:
    if origin not in set(Origin) or Origin(origin).trusted:
        choices = ", ".join(each.value for each in Origin if not each.trusted)
        raise UsageError(f"nothing from '{origin}' is in quarantine", hint=f"one of {choices}")
    return origin


def _lines(source: str) -> tuple[str, int, int]:
    """Path, first and last line; no lines where the whole file is meant."""
    try:
        place = Citation.parse(source)
    except ValueError:
        return source, 0, 0
    return place.path, place.start_line, place.end_line
