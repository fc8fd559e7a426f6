"""One import: notes of a source become files of the workspace, and none of the owner's is lost.

`.memory/imports.json` holds what was imported from where, so that what its owner threw away stays
away.

Derived like all of `.memory/`: without it an import still knows its files by their front matter,
and only brings back what was deleted.

A file is found again by what its front matter says it is, wherever below the import's folder it
stands by now. It is written over only while it reads as it was written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from lorebank.domain import Diagnostic
from lorebank.errors import ConcurrentEdit, PathRefused, UsageError, WorkspaceError
from lorebank.exchange.forms import READERS, WHOLE_FORMS, Form, form_of
from lorebank.exchange.notes import (
    ImportedNote,
    comparable,
    free_path,
    imported_from,
    is_untouched,
    render_note,
    safe_path,
    written_hash,
)
from lorebank.exchange.reports import ImportReport
from lorebank.exchange.source import BROKEN, Source, open_source
from lorebank.records import dataclass
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.files import is_link
from lorebank.workspace.layout import ensure_derived_folder
from lorebank.workspace.paths import resolve_memory_path

_NAME = "imports.json"


@dataclass(frozen=True, slots=True)
class ImportLedger:
    """What is known of one import from earlier runs."""

    location: str = ""
    """Where the source lay."""
    written: frozenset[str] = frozenset()
    """Hashes of the keys of all notes that were ever written."""

    def knows(self, key: str) -> bool:
        return _hash(key) in self.written

    def with_notes(self, location: str, keys: set[str]) -> ImportLedger:
        return ImportLedger(location, self.written | {_hash(key) for key in keys})


def read_ledger(root: Path, name: str) -> ImportLedger:
    """The ledger of the import of that name; empty where there is none or it cannot be read."""
    said = _read_entries(root).get(name)
    if not isinstance(said, dict) or not isinstance(said.get("written"), list):
        return ImportLedger()
    written = frozenset(key for key in said["written"] if isinstance(key, str))
    return ImportLedger(str(said.get("location", "")), written)


def write_ledger(root: Path, name: str, ledger: ImportLedger) -> None:
    """Keep it; nothing is written where it says what it said."""
    if ledger == read_ledger(root, name):
        return
    file = ensure_derived_folder(root) / _NAME
    said = _read_entries(root)
    said[name] = {"location": ledger.location, "written": sorted(ledger.written)}
    before = file.read_bytes() if file.exists() else None
    write_atomic(file, json.dumps(said, ensure_ascii=False, indent=1).encode(), expected=before)


def _hash(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _read_entries(root: Path) -> dict[str, Any]:
    try:
        found = json.loads((root / ".memory" / _NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


IMPORTS = "memory/imported"
"""Whatever lies here is of origin `imported`."""


def import_source(
    root: Path,
    config: Config,
    path: Path,
    *,
    form: str | None = None,
    name: str = "",
    dry_run: bool = False,
) -> ImportReport:
    """Bring a source into the workspace; call it with the writer lock held, and sync afterwards.

    `UsageError` where its form is not recognised, or another source of that name was imported.
    """
    source = open_source(path)
    try:
        chosen = _chosen(form) or form_of(source)
        run = _Import(root, config, source, chosen, _import_name(source, chosen, name))
        return run.report(dry_run=dry_run)
    finally:
        source.close()


def _chosen(form: str | None) -> Form | None:
    if form is None:
        return None
    try:
        return Form(form)
    except ValueError:
        known = ", ".join(Form)
        raise UsageError(f"'{form}' is no form of an import", hint=f"one of {known}") from None


def _import_name(source: Source, form: Form, name: str) -> str:
    if name or form not in WHOLE_FORMS:
        return f"{form}/{safe_path((name or source.name).replace('/', '-'))}"
    return form.value


@dataclass(slots=True)
class _Import:
    """The state of one run."""

    root: Path
    config: Config
    source: Source
    form: Form
    name: str
    """`obsidian/Notes`, `chatgpt`: the folder below `IMPORTS`."""
    found: dict[str, str] = field(default_factory=dict)
    """What was imported before: note → workspace path."""
    taken: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    left_out: list[Diagnostic] = field(default_factory=list)

    @property
    def folder(self) -> str:
        return f"{IMPORTS}/{self.name}"

    def report(self, *, dry_run: bool) -> ImportReport:
        ledger = read_ledger(self.root, self.name)
        location = str(self.source.root.resolve())
        self._refuse_another(ledger, location)
        resolve_memory_path(self.root, f"{self.folder}/x.md", self.config)
        self._look_around()
        self.left_out += self.source.left_out
        for note in READERS[self.form](self.source):
            if isinstance(note, Diagnostic):
                self.left_out.append(note)
            else:
                self._take(note, ledger, dry_run=dry_run)
        if not dry_run:
            write_ledger(self.root, self.name, ledger.with_notes(location, self.seen))
        complete = not any(each.code in (BROKEN, "unreadable") for each in self.left_out)
        gone = sorted(path for key, path in self.found.items() if key not in self.seen)
        return ImportReport(
            form=self.form.value,
            folder=self.folder,
            added=tuple(self.added),
            updated=tuple(self.updated),
            unchanged=self.unchanged,
            edited=tuple(self.edited),
            removed=tuple(self.removed),
            gone=tuple(gone) if complete else (),
            left_out=tuple(self.left_out),
            complete=complete,
            dry_run=dry_run,
        )

    def _refuse_another(self, ledger: ImportLedger, location: str) -> None:
        """Two vaults called `Notes` are two; one that moved is the same."""
        if self.form in WHOLE_FORMS or ledger.location in ("", location):
            return
        if Path(ledger.location).exists():
            raise UsageError(
                f"another source was imported as {self.name}: {ledger.location}",
                hint="give this one a name of its own with --name",
            )

    def _look_around(self) -> None:
        """Know the files that are there, and which notes they are."""
        for path in _files_below(self.root, self.folder):
            self.taken.add(comparable(path))
            text = _read(self.root / path)
            source = imported_from(text) if text is not None else None
            if source is not None and source.startswith(f"{self.name}:"):
                self.found.setdefault(source, path)

    def _take(self, note: ImportedNote, ledger: ImportLedger, *, dry_run: bool) -> None:
        key = f"{self.name}:{note.key}"
        key = " ".join(key.split())
        if key in self.seen:
            message = "has the same identity as an earlier one; left out"
            self.left_out.append(Diagnostic(note.place, 0, "said-twice", message))
            return
        self.seen.add(key)
        text = render_note(note, key)
        path = self.found.get(key)
        try:
            if path is not None:
                self._compare(path, text, dry_run=dry_run)
            elif ledger.knows(key):
                self.removed.append(note.place)
            else:
                self._add(note, key, text, dry_run=dry_run)
        except (ConcurrentEdit, PathRefused, WorkspaceError, OSError) as error:
            self.left_out.append(Diagnostic(note.place, 0, "not-written", str(error)))

    def _compare(self, path: str, text: str, *, dry_run: bool) -> None:
        """Bring a file up to date, unless there is nothing new or it is its owner's by now."""
        file = resolve_memory_path(self.root, path, self.config)
        data = file.read_bytes()
        present = _decoded(data)
        if written_hash(present) == written_hash(text):
            self.unchanged += 1
        elif not is_untouched(present):
            self.edited.append(path)
        else:
            if not dry_run:
                write_atomic(file, text.encode("utf-8"), expected=data)
            self.updated.append(path)

    def _add(self, note: ImportedNote, key: str, text: str, *, dry_run: bool) -> None:
        wished = f"{self.folder}/{safe_path(note.name)}.md"
        path = free_path(wished, key, self.taken)
        file = resolve_memory_path(self.root, path, self.config)
        if not dry_run:
            write_atomic(file, text.encode("utf-8"), expected=None)
        self.taken.add(comparable(path))
        self.added.append(path)


def _files_below(root: Path, folder: str) -> Iterator[str]:
    """The Markdown files of a folder by path; links are not followed."""
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            entries = sorted(os.scandir(root / current), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{current}/{entry.name}"
            if is_link(entry):
                continue
            if entry.is_dir():
                waiting.append(path)
            elif entry.name.lower().endswith(".md"):
                yield path


def _read(file: Path) -> str | None:
    """A file's text; `None` for one that is no UTF-8, which no import wrote."""
    try:
        return _decoded(file.read_bytes())
    except (OSError, UnicodeDecodeError):
        return None


def _decoded(data: bytes) -> str:
    """The text as it was written: a mark or line ends that a system added are no edit."""
    return data.decode("utf-8-sig").replace("\r\n", "\n")
