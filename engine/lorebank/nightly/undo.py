"""Runs on record: `.memory/undo/<run>.zip` holds each page before and after a run.

The record is on disk, marked as pending, before the first page is written: a run that was killed
is completed from it (`under_way`) or taken back. Lint and retain keep theirs the same way, each in
a folder of its own (`area`) and with any memory file; a run of reflect only ever writes pages of
the bank. Records are derived: without them the pages are as good, only the way back is gone.

A page that is no longer what the run made of it is never overwritten. A secret that somebody wrote
on a page is not copied: it is masked in the record, and taken from the page itself on the way back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field, replace
from hashlib import blake2b
from pathlib import Path

from lorebank.domain.reports import UndoReport
from lorebank.errors import ConcurrentEdit
from lorebank.language.secrets import find_secrets, redact
from lorebank.nightly.journal import JournalEntry
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.run_store import MANIFEST, Change, RunStore, check_restorable, put_back

KEPT_RUNS = 30
"""Runs whose changes can be undone: a month of nights."""


class RunRecord(Record):
    """What a run changes."""

    name: str
    changes: Mapping[str, Change]
    moved: Mapping[str, Change] = field(default_factory=dict)
    """What it changed before the rest: pages that the ledger moved."""
    entry: JournalEntry | None = None
    """What the journal will say of it; `None` before the run is planned."""
    lost: tuple[str, ...] = ()
    """Pages whose bytes cannot be told any more, since a secret on them is gone."""

    def from_start(self) -> dict[str, Change]:
        """Each file as it was before the run began, and as the run leaves it."""
        whole = {**self.moved, **self.changes}
        return {
            path: replace(change, before=self.moved[path].before) if path in self.moved else change
            for path, change in whole.items()
        }


def undo_store(root: Path, area: str = "") -> RunStore:
    """The records of reflect, or of another command (`area`)."""
    return RunStore(root, f"undo/{area}" if area else "undo")


def next_run(root: Path, day: str, journal: str = "", area: str = "") -> str:
    """A name for the run: the day and a number that neither a journal nor a record bears."""
    told = [int(number) for number in re.findall(r"^## Run (\d+)", journal, re.MULTILINE)]
    return undo_store(root, area).next_name(day, told)


def save_run(root: Path, run: RunRecord, *, area: str = "", pending: bool = False) -> None:
    """Put a run on record, in place of what is there of it; the oldest runs are dropped."""
    entries: dict[str, bytes] = {}
    manifest = {
        "changes": _stored(entries, "page", run.changes),
        "moved": _stored(entries, "moved", run.moved),
        "entry": run.entry.to_dict() if run.entry else None,
    }
    entries[MANIFEST] = json.dumps(manifest, ensure_ascii=False).encode()
    store = undo_store(root, area)
    store.write(run.name, entries, pending=pending)
    for old in store.names()[:-KEPT_RUNS]:
        store.drop(old)


def load_run(root: Path, name: str, area: str = "") -> RunRecord:
    """A run on record; `NotFound` where it is damaged, `PathRefused` where it names a file that is
    no page of the bank: the record may be anybody's."""
    with undo_store(root, area).reading(name) as entries:
        manifest = json.loads(entries[MANIFEST])
        lost: list[str] = []
        below = "" if area else BANK_FOLDER
        changes, moved = (
            _read(root, entries, manifest[key], lost, below) for key in ("changes", "moved")
        )
        entry = manifest["entry"] and JournalEntry.from_dict(manifest["entry"])
        return RunRecord(name, changes, moved, entry, tuple(lost))


def undo_run(root: Path, run: str | None, *, force: bool = False, area: str = "") -> UndoReport:
    """Give every file of a run (the last where `None`) the bytes it had before.

    Raises `NotFound` where nothing is kept of it, `ConcurrentEdit` where a page was changed since;
    with `force`, such pages are left alone and named.
    """
    store = undo_store(root, area)
    name = store.find(
        run,
        none="no run can be undone",
        hint=f"runs are kept from the next `lorebank {area or 'reflect'}` on",
    )
    record = load_run(root, name, area)
    changes: dict[str, Change] = {}
    edited = list(record.lost)
    for path, change in record.from_start().items():
        present = read_if_exists(root / path)
        # A run that was killed wrote only some of its pages; the others are as they were, or as
        # the ledger moved them.
        moved = record.moved.get(path, change)
        if present in (change.before, moved.after, change.after):
            changes[path] = Change(present, change.before)
        else:
            edited.append(path)
    if edited and not force:
        raise ConcurrentEdit(
            f"changed since run {name}: {', '.join(edited)}; nothing was undone",
            hint=f"undo later runs first, or restore the others with --undo {name} --force"
            if not area
            else "edit the file by hand",
        )
    report = put_back(root, name, changes, edited)
    store.drop(name)
    return report


class _SecretGone(Exception):
    """A secret that stood on a page is not there any more."""


_Mask = tuple[list[tuple[int, int]], str]
"""Where the secrets of a page stood, in characters, and the digest of the page with them."""
_Side = tuple[str, _Mask | None]
"""The name in the archive, and what brings back the secrets that were masked."""


def _stored(
    entries: dict[str, bytes], prefix: str, changes: Mapping[str, Change]
) -> dict[str, list[_Side | None]]:
    """Add the bytes before and after to `entries`; path → their names."""
    stored: dict[str, list[_Side | None]] = {}
    for number, (path, change) in enumerate(changes.items()):
        stored[path] = []
        for side, data in (("before", change.before), ("after", change.after)):
            name = f"{prefix}-{number}-{side}"
            if data is not None:
                entries[name], mask = _masked(data)
            stored[path].append(None if data is None else (name, mask))
    return stored


def _read(
    root: Path,
    entries: Mapping[str, bytes],
    stored: Mapping[str, list[_Side | None]],
    lost: list[str],
    below: str,
) -> dict[str, Change]:
    found: dict[str, Change] = {}
    for path, sides in stored.items():
        check_restorable(root, path, below=below)
        present = read_if_exists(root / path) or b""
        try:
            found[path] = Change(*(_unmasked(entries, side, present) for side in sides))
        except _SecretGone:
            lost.append(path)
    return found


def _masked(data: bytes) -> tuple[bytes, _Mask | None]:
    """A copy without the secrets that stand in it, and what brings them back."""
    found = redact(_text(data))
    kept = found.text.encode("utf-8", "surrogateescape")
    spans = [(secret.start, secret.end) for secret in found.secrets]
    return kept, (spans, _digest(data)) if spans else None


def _unmasked(entries: Mapping[str, bytes], side: _Side | None, present: bytes) -> bytes | None:
    """The bytes of one side, with the secrets that still stand on the page: a run never touches
    what a person wrote, so that they are there in the same order."""
    if side is None or side[1] is None:
        return side and entries[side[0]]
    page, text = _text(present), _text(entries[side[0]])
    spans, whole = side[1]
    pieces: list[str] = []
    position = 0
    for (start, end), secret in zip(spans, find_secrets(page), strict=False):
        pieces += (text[position:start], page[secret.start : secret.end])
        position = end
    data = "".join([*pieces, text[position:]]).encode("utf-8", "surrogateescape")
    if _digest(data) != whole:
        raise _SecretGone
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
