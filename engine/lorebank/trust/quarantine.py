"""What is in quarantine, and `bank/confirmed.md`, whose lines let it out: one decision a line.

    - confirm f-1a2b3c4d5e (2026-01-04: memory/imported/ana.md#L12: checked with her)
    - confirm `memory/imported/ana.md` (2026-01-04)
    - confirm all imported (2026-01-04: my own old vault)
    - reject f-5e4d3c2b1a (2026-01-05 by Ana)

In quarantine is what is neither trusted by its origin nor confirmed; it is worked out in SQL after
each sync that wrote anything, so that deleting a line restores exactly what was before. A rejection
keeps a sentence out and keeps it from being asked about again. A file that is confirmed is trusted
in what is added to it later as well; a sentence confirmed by its id is trusted as it reads,
wherever it stands.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Diagnostic, Origin
from lorebank.errors import NotFound, UsageError
from lorebank.records import Record
from lorebank.workspace.layout import CONFIRMED_PAGE
from lorebank.workspace.paths import read_text_file, write_text_file

if TYPE_CHECKING:
    from lorebank.markdown.document import Document

_SUSPECT = "i.origin NOT IN ('owner', 'agent')"
"""What an index of its own finds; `Origin.trusted` says the same."""
_WANTED = """
    i.id NOT IN (SELECT value FROM confirmations WHERE target = 'id')
    AND i.origin NOT IN (SELECT value FROM confirmations WHERE target = 'origin')
    AND i.file NOT IN (SELECT f.file FROM files f JOIN confirmations c
                       ON c.target = 'path' AND c.value = f.path)
"""
_ITEMS = """
    SELECT i.id, i.kind, i.content, f.path, i.start_line, i.end_line
    FROM items i JOIN files f ON f.file = i.file
    WHERE {condition} ORDER BY f.path, i.ordinal
"""
KnownItem = tuple[str, str, str, Citation]  # id, kind, plain text, place


def insert_confirmations(
    connection: Connection, file: int, confirmations: Iterable[Confirmation]
) -> None:
    connection.executemany(
        "INSERT INTO confirmations (file, line, target, value) VALUES (?, ?, ?, ?)",
        [
            (file, c.citation.start_line, c.target.value, c.value)
            for c in confirmations
            if not c.rejected
        ],
    )


def refresh_quarantine(connection: Connection) -> tuple[set[str], frozenset[str]]:
    """The entities of facts let in or out ("" for none), and names these speak of."""
    changed = [
        item
        for (item,) in select(
            connection,
            f"SELECT i.item FROM items i WHERE {_SUSPECT} AND i.quarantined <> ({_WANTED})",
        )
    ]
    if not changed:
        return set(), frozenset()
    numbers = json.dumps(changed)
    connection.execute(
        "UPDATE items SET quarantined = 1 - quarantined"
        " WHERE item IN (SELECT value FROM json_each(?))",
        (numbers,),
    )
    mentioned = select(
        connection,
        "SELECT DISTINCT coalesce(m.entity, ''), coalesce(m.slug, '') FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value AND i.kind <> 'note'"
        " LEFT JOIN mentions m ON m.item = i.item",
        (numbers,),
    )
    valued = select(
        connection,
        "SELECT DISTINCT s.value_slug FROM json_each(?) w CROSS JOIN slots s ON s.item = w.value",
        (numbers,),
    )
    names = {slug for _, slug in mentioned} | {slug for (slug,) in valued}
    return {entity for entity, _ in mentioned}, frozenset(names - {"", None})


def lines_without_owner(
    connection: Connection, days: Collection[str] = ()
) -> Mapping[str, Sequence[tuple[int, int]]]:
    """Path → its lines in quarantine, 1-based and inclusive, and those of agents in these logs."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path, start, end in select(
        connection,
        "SELECT f.path, i.start_line, i.end_line FROM items i JOIN files f ON f.file = i.file"
        " WHERE i.quarantined = 1 OR (i.origin = 'agent' AND i.file IN (SELECT l.file FROM files l"
        "  WHERE l.path IN (SELECT value FROM json_each(?)))) ORDER BY f.path, i.ordinal",
        (days,),
    ):
        found[path].append((start, end))
    return found


def origins_in_lines(
    connection: Connection, places: Sequence[Citation]
) -> list[tuple[Origin, bool]]:
    """Of each place the least trusted origin, and whether any of it is in quarantine."""
    found: list[tuple[Origin, bool]] = []
    for place in places:
        rows = select(
            connection,
            "SELECT f.origin, 0 FROM files f WHERE f.path = ?1 UNION ALL"
            " SELECT i.origin, i.quarantined FROM items i JOIN files f ON f.file = i.file"
            " WHERE f.path = ?1 AND i.start_line <= ?3 AND i.end_line >= ?2",
            (place.path, place.start_line, place.end_line),
        )
        origin = Origin.OWNER
        for stored, _ in rows:
            origin = Origin(stored).least_trusted(origin)
        found.append((origin, any(quarantined for _, quarantined in rows)))
    return found


def place_named(source: str) -> Citation:
    """The lines that a source like `memory/a.md#L3-L5` names; from line 0 where it is a file."""
    try:
        return Citation.parse(source)
    except ValueError:
        return Citation(source.rstrip("/"), 0, 0)


def items_matching(
    connection: Connection, condition: str, bound: Sequence[object]
) -> list[KnownItem]:
    """The facts and passages that meet an SQL condition on `items i` and `files f`."""
    return [
        (id_, kind, text, Citation(path, start, end))
        for id_, kind, text, path, start, end in select(
            connection, _ITEMS.format(condition=condition), tuple(bound)
        )
    ]


def item_of_id(connection: Connection, text: str) -> tuple[str, Citation]:
    """The one id of a fact or passage that begins so, and where it stands first."""
    begins = "length(?1) > 2 AND substr(i.id, 1, length(?1)) = ?1"
    found: dict[str, Citation] = {}
    for id_, _, _, place in items_matching(connection, begins, (text,)):
        found.setdefault(id_, place)
    if not found:
        raise NotFound(f"no fact or passage '{text}'", hint="ids are shown by recall --json")
    if len(found) > 1:
        raise UsageError(f"'{text}' matches several ids", hint=", ".join(sorted(found)[:5]))
    return next(iter(found.items()))


def quarantined_items(connection: Connection) -> frozenset[int]:
    """The numbers of the facts and passages in quarantine."""
    rows = select(connection, "SELECT item FROM items WHERE quarantined = 1")
    return frozenset(item for (item,) in rows)


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
    from lorebank.markdown import ledger  # a search asks whose word a line is, and reads no page

    return ledger.read_decisions(text, path, _confirmation, "confirmation-unread", document)


def _confirmation(line: str, place: Citation) -> Confirmation | str:
    from lorebank.markdown.ledger import split_note

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
    from lorebank.markdown.ledger import note_text

    shown = {
        Target.ID: confirmation.value,
        Target.PATH: f"`{confirmation.value}`",
        Target.ORIGIN: f"all {confirmation.value}",
    }[confirmation.target]
    verb = "reject" if confirmation.rejected else "confirm"
    return f"- {verb} {shown}{note_text(confirmation.day, confirmation.reason)}"


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
        within = "f.path = ? AND i.start_line <= ? AND i.end_line >= ?"
        bound = source.path, source.end_line, source.start_line
        rows = items_matching(connection, within, bound)
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
    from lorebank.markdown.ledger import added_line

    file = read_text_file(root, CONFIRMED_PAGE)
    text = file.text
    for line in lines:
        if not _standing(text, line):
            text, _ = added_line(text, format_confirmation(line), title="Confirmed")
    write_text_file(root, file, text)
    return tuple((line, _standing(text, line)[-1].citation) for line in lines)


def withdraw_confirmations(root: Path, lines: Sequence[Confirmation]) -> None:
    """Take lines off; `NotFound` where none of them stands there."""
    from lorebank.markdown.ledger import without_lines

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


def _target(said: re.Match[str]) -> tuple[Target, str] | None:
    if said["id"]:
        return Target.ID, said["id"].lower()
    if said["origin"]:
        word = said["origin"].lower()
        known = word in set(Origin) and not Origin(word).trusted
        return (Target.ORIGIN, word) if known else None
    return Target.PATH, said["path"] or said["bare"]
