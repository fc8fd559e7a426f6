"""Taking a run back: the bytes of each page before a run, kept in `.memory/undo/<run>.zip`.

Lint and retain keep theirs the same way, each in a folder of its own (`area`) and with any memory
file; a run of reflect is only ever taken back on pages of the bank.

They are on disk before the first page is written, so a run that was killed can be taken back as
well. They are derived: without them the pages are as good as before, only the way back is gone.
A page that is no longer what the run made of it is never overwritten. A secret that somebody wrote
on a page is not copied: it is masked in the copy, and taken from the page itself on the way back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from lorebank.domain import UndoReport
from lorebank.errors import ConcurrentEdit
from lorebank.language.secrets import find_secrets, redact
from lorebank.records import dataclass
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.run_store import MANIFEST, Change, RunStore, check_restorable, put_back

KEPT_RUNS = 30
"""Runs whose changes can be undone: a month of nights."""
_MASKS = "masks.json"
Mask = tuple[list[tuple[int, int]], str | None]
"""Where the secrets of a page stood, in characters, and the digest of the page with them."""


@dataclass(frozen=True, slots=True)
class BegunRun:
    """A run that has changed files already."""

    name: str
    changes: Mapping[str, Change]


def undo_store(root: Path, area: str = "") -> RunStore:
    """The archives of reflect, or of another command (`area`)."""
    return RunStore(root, f"undo/{area}" if area else "undo")


def next_run(root: Path, day: str, journal: str = "", area: str = "") -> str:
    """A name for the run: the day and a number that neither a journal nor an archive bears."""
    told = [int(number) for number in re.findall(r"^## Run (\d+)", journal, re.MULTILINE)]
    return undo_store(root, area).next_name(day, told)


def keep_for_undo(root: Path, run: str, changes: Mapping[str, Change], area: str = "") -> None:
    """Keep what the files held, under the name of the run; the oldest runs are dropped."""
    entries: dict[str, bytes] = {}
    manifest: dict[str, dict[str, str | None]] = {}
    masks: dict[str, Mask] = {}
    for number, (path, change) in enumerate(sorted(changes.items())):
        name = None if change.before is None else str(number)
        manifest[path] = {"before": name, "after": _digest(change.after)}
        if name is not None and change.before is not None:
            entries[name], mask = masked(change.before)
            if mask is not None:
                masks[path] = mask
    entries[MANIFEST] = json.dumps(manifest, ensure_ascii=False).encode()
    entries[_MASKS] = json.dumps(masks, ensure_ascii=False).encode()
    store = undo_store(root, area)
    store.write(run, entries)
    for old in store.names()[:-KEPT_RUNS]:
        store.drop(old)


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
    changes: dict[str, Change] = {}
    edited: list[str] = []
    for path, (before, after) in _read(root, store, name, bank_only=not area).items():
        present = read_if_exists(root / path)
        # A run that was killed wrote only some of its pages; the others are as they were.
        if present == before or _digest(present) == after:
            changes[path] = Change(present, before)
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


def _read(
    root: Path, store: RunStore, run: str, *, bank_only: bool
) -> dict[str, tuple[bytes | None, str | None]]:
    """Path → the bytes before, and the digest of those after."""
    found: dict[str, tuple[bytes | None, str | None]] = {}
    with store.reading(run) as entries:
        masks = json.loads(entries.get(_MASKS, b"{}"))
        for path, entry in json.loads(entries[MANIFEST]).items():
            check_restorable(root, path, below=BANK_FOLDER if bank_only else "")
            kept = None if entry["before"] is None else entries[entry["before"]]
            if kept is not None and path in masks:
                kept = unmasked(kept, read_if_exists(root / path) or b"", masks[path])
            found[path] = (kept, entry["after"])
    return found


def masked(data: bytes) -> tuple[bytes, Mask | None]:
    """A copy without the secrets that stand in it, and what brings them back."""
    found = redact(_text(data))
    kept = found.text.encode("utf-8", "surrogateescape")
    spans = [(secret.start, secret.end) for secret in found.secrets]
    return kept, (spans, _digest(data)) if spans else None


def unmasked(kept: bytes, present: bytes, mask: Mask) -> bytes:
    """A masked copy with the secrets that still stand on the page; `ValueError` where one is gone.

    A run never touches what a person wrote, so that they stand there in the same order.
    """
    page, text = _text(present), _text(kept)
    spans, whole = mask
    pieces: list[str] = []
    position = 0
    for (start, end), secret in zip(spans, find_secrets(page), strict=False):
        pieces += (text[position:start], page[secret.start : secret.end])
        position = end
    data = "".join([*pieces, text[position:]]).encode("utf-8", "surrogateescape")
    if _digest(data) != whole:
        raise ValueError("a secret that stood on a page is gone from it")
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _digest(data: bytes | None) -> str | None:
    return None if data is None else blake2b(data, digest_size=16).hexdigest()
