"""One import: notes of a source become files of the workspace.

Files are matched by their front matter, even if moved, and overwritten only if unchanged since they
were written. `.memory/imports.json` lists what was ever imported, so that deleted notes stay out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from lorebank.domain.facts import Diagnostic
from lorebank.errors import ConcurrentEdit, PathRefused, UsageError, WorkspaceError
from lorebank.exchange import conversations
from lorebank.exchange.notes import (
    HASH_KEY,
    ImportedNote,
    NoteStream,
    comparable,
    free_path,
    front_matter_text,
    imported_from,
    is_untouched,
    render_note,
    safe_path,
)
from lorebank.exchange.prose import split_front_matter
from lorebank.exchange.read_jsonl import TEXT_KEYS, read_jsonl
from lorebank.exchange.read_logseq import read_logseq
from lorebank.exchange.source import BROKEN, BrokenJson, json_values, note_text
from lorebank.exchange.vaults import has_observations, read_basic_memory, read_obsidian
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import read_if_exists, read_json, write_atomic
from lorebank.workspace.files import entries_below
from lorebank.workspace.given import Source, open_source
from lorebank.workspace.layout import ensure_derived_folder, is_markdown
from lorebank.workspace.paths import resolve_memory_path

_NAME = "imports.json"
_NOT_WRITTEN = "not-written"


def _read_ledger(root: Path) -> dict[str, Any]:
    """Name of an import → location of its source, and hashes of the keys of all notes written."""
    found = read_json(root / ".memory" / _NAME)
    return found if isinstance(found, dict) else {}


def _hash(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


class ImportReport(Record):
    """The result of an import, or of a dry run."""

    form: str
    """`obsidian`, `logseq`, `chatgpt`, `claude`, `basic-memory` or `jsonl`."""
    folder: str
    """Workspace folder of the imported files."""
    added: tuple[str, ...]
    """Workspace paths in source order, like the other lists."""
    updated: tuple[str, ...]
    """Files changed at the source and not edited here."""
    unchanged: int
    edited: tuple[str, ...]
    """Files changed at the source but edited here: left as they are."""
    removed: tuple[str, ...]
    """Source places of notes deleted here: not imported again."""
    gone: tuple[str, ...]
    """Files missing at the source: kept."""
    left_out: tuple[Diagnostic, ...]
    """What was left out or altered, and why; paths are those of the source."""
    complete: bool
    """Whether everything could be read and written."""
    dry_run: bool = False

    @property
    def reasons(self) -> Mapping[str, int]:
        """Counts by code, most frequent first."""
        return dict(Counter(each.code for each in self.left_out).most_common())

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"reasons": dict(self.reasons)}


IMPORTS = "memory/imported"
"""Everything here has the origin `imported`."""


def import_source(
    root: Path,
    config: Config,
    path: Path,
    *,
    form: str | None = None,
    name: str = "",
    dry_run: bool = False,
) -> ImportReport:
    """Requires the writer lock. Raises `UsageError` for an unknown format or a name in use."""
    if form is not None and form not in READERS:
        known = ", ".join(READERS)
        raise UsageError(f"'{form}' is not an import format", hint=f"one of {known}")
    with closing(open_source(path)) as source:
        chosen = form or detect_form(source)
        return _Import(root, config, source, chosen, name, dry_run=dry_run).report()


class _Import:
    """One run and its results so far."""

    def __init__(
        self, root: Path, config: Config, source: Source, form: str, name: str, *, dry_run: bool
    ) -> None:
        self.root = root
        self.config = config
        self.source = source
        self.form = form
        self.name = form
        """`obsidian/Notes`, `chatgpt`: the folder below `IMPORTS`."""
        if name or form not in ACCOUNT_FORMS:
            self.name += f"/{safe_path((name or source.name).replace('/', '-'))}"
        self.folder = f"{IMPORTS}/{self.name}"
        self.dry_run = dry_run
        entry = _read_ledger(root).get(self.name)
        entry = entry if isinstance(entry, dict) else {}
        self.location = str(entry.get("location", ""))
        written = entry.get("written")
        self.known = {str(key) for key in written} if isinstance(written, list) else set()
        self.found: dict[str, str] = {}
        """Earlier imported notes: key → workspace path."""
        self.used_paths: set[str] = set()
        self.seen: set[str] = set()
        self.failed: set[str] = set()
        """Notes that could not be written; the next import retries them."""
        self.outcome: dict[str, list[str]] = {
            k: [] for k in ("added", "updated", "edited", "removed")
        }
        self.unchanged = 0
        self.left_out: list[Diagnostic] = []

    def report(self) -> ImportReport:
        location = str(self.source.root.resolve())
        is_other_source = self.form not in ACCOUNT_FORMS and self.location not in ("", location)
        if is_other_source and Path(self.location).exists():  # else it was moved
            raise UsageError(
                f"another source was imported as {self.name}: {self.location}",
                hint="give this one a name of its own with --name",
            )
        resolve_memory_path(self.root, f"{self.folder}/x.md", self.config)
        self._scan_imported()
        self.left_out += self.source.left_out
        for note in READERS[self.form](self.source):
            if isinstance(note, Diagnostic):
                self.left_out.append(note)
            else:
                self._import_note(note)
        if not self.dry_run:
            self._write_ledger(location)
        complete = not any(
            each.code in (BROKEN, "unreadable", _NOT_WRITTEN) for each in self.left_out
        )
        missing_at_source = sorted(path for key, path in self.found.items() if key not in self.seen)
        return ImportReport(
            form=self.form,
            folder=self.folder,
            **{kind: tuple(paths) for kind, paths in self.outcome.items()},
            unchanged=self.unchanged,
            gone=tuple(missing_at_source) if complete else (),
            left_out=tuple(self.left_out),
            complete=complete,
            dry_run=self.dry_run,
        )

    def _write_ledger(self, location: str) -> None:
        """Add what was written to the ledger, if anything is new."""
        written = self.known | {_hash(key) for key in self.seen - self.failed}
        if (location, written) == (self.location, self.known):
            return
        file = ensure_derived_folder(self.root) / _NAME
        known = _read_ledger(self.root) | {
            self.name: {"location": location, "written": sorted(written)}
        }
        text = json.dumps(known, ensure_ascii=False, indent=1)
        write_atomic(file, text.encode(), expected=read_if_exists(file))

    def _scan_imported(self) -> None:
        """Find the existing files of this import and their notes."""
        for below, _ in entries_below(self.root / self.folder, lambda _: None):
            path = f"{self.folder}/{below}"
            if not is_markdown(path):
                continue
            self.used_paths.add(comparable(path))
            source = None
            with suppress(OSError, UnicodeDecodeError):  # imports write UTF-8
                source = imported_from(_decoded((self.root / path).read_bytes()))
            if source is not None and source.startswith(f"{self.name}:"):
                self.found.setdefault(source, path)

    def _import_note(self, note: ImportedNote) -> None:
        key = " ".join(f"{self.name}:{note.key}".split())
        if key in self.seen:
            message = "has the same identity as an earlier one; left out"
            self.left_out.append(Diagnostic(note.place, 0, "said-twice", message))
            return
        self.seen.add(key)
        text = render_note(note, key)
        path = self.found.get(key)
        try:
            if path is not None:
                data = resolve_memory_path(self.root, path, self.config).read_bytes()
                present = _decoded(data)
                if front_matter_text(present, HASH_KEY) == front_matter_text(text, HASH_KEY):
                    self.unchanged += 1
                elif not is_untouched(present):
                    self.outcome["edited"].append(path)
                else:
                    self._write(path, text, before=data)
                    self.outcome["updated"].append(path)
            elif _hash(key) in self.known:
                self.outcome["removed"].append(note.place)
            else:
                path = free_path(f"{self.folder}/{safe_path(note.name)}.md", key, self.used_paths)
                self._write(path, text, before=None)
                self.used_paths.add(comparable(path))
                self.outcome["added"].append(path)
        except (ConcurrentEdit, PathRefused, WorkspaceError, OSError) as error:
            self.failed.add(key)
            self.left_out.append(Diagnostic(note.place, 0, _NOT_WRITTEN, str(error)))

    def _write(self, path: str, text: str, *, before: bytes | None) -> None:
        file = resolve_memory_path(self.root, path, self.config)
        if not self.dry_run:
            write_atomic(file, text.encode("utf-8"), expected=before)


def _decoded(data: bytes) -> str:
    """A byte order mark or line ends added by a program do not count as edits."""
    return data.decode("utf-8-sig").replace("\r\n", "\n")


_SAMPLE = 200
"""Notes looked at to distinguish basic-memory from Obsidian."""
_PERMALINK = re.compile(r"^permalink:", re.MULTILINE)
_HINT = "name its format: --as obsidian, logseq, chatgpt, claude, basic-memory or jsonl"

READERS: dict[str, Callable[[Source], NoteStream]] = {
    "obsidian": read_obsidian,  # also any folder of Markdown
    "logseq": read_logseq,
    "chatgpt": conversations.read_chatgpt,
    "claude": conversations.read_claude,
    "basic-memory": read_basic_memory,
    "jsonl": read_jsonl,
}
ACCOUNT_FORMS = ("chatgpt", "claude")
"""One account each: every export of it is the same source, whatever its file name."""


def detect_form(source: Source) -> str:
    """The format of a source; raises `UsageError` if it is not recognised."""
    if source.paths == ("",):
        return _form_of_file(source, "")
    tops = {path.split("/")[0] for path in source.paths}
    if "logseq" in tops or {"journals", "pages"} <= tops:
        return "logseq"
    if files := conversations.conversation_files(source):
        return _form_of_file(source, files[0])
    notes = [path for path in source.below(".md") if not path.startswith(".")]
    texts = [t for path in notes[:_SAMPLE] if (t := note_text(source, path)[0]) is not None]
    linked = sum(_PERMALINK.search(split_front_matter(text)[0]) is not None for text in texts)
    if linked * 2 >= max(len(texts), 1) and any(map(has_observations, texts)):
        return "basic-memory"
    if notes or ".obsidian" in tops:
        return "obsidian"
    if any(path.lower().endswith((".jsonl", ".ndjson")) for path in source.paths):
        return "jsonl"
    if not source.paths:
        refused = f": {source.left_out[0].message}" if source.left_out else ""
        hint = "" if refused else "check that the export succeeded"
        raise UsageError(f"{source.root}: contains no readable files{refused}", hint=hint)
    raise UsageError(f"{source.root}: is not in a known format", hint=_HINT)


def _form_of_file(source: Source, path: str) -> str:
    shown = path or str(source.root)
    try:
        _, first = next(json_values(source.read(path)), (1, None))
    except (BrokenJson, OSError) as error:
        if _is_jsonl(source, path):
            return "jsonl"
        raise UsageError(f"{shown}: is not in a known format: {error}", hint=_HINT) from None
    inner = first.get("conversations") if isinstance(first, dict) else None
    first = inner[0] if isinstance(inner, list) and inner else first
    if conversations.is_chatgpt(first):
        return "chatgpt"
    if conversations.is_claude(first):
        return "claude"
    if _has_text(first):
        return "jsonl"
    if first is None:
        raise UsageError(f"{shown}: is an empty export", hint=_HINT)
    raise UsageError(f"{shown}: is not in a known format", hint=_HINT)


def _is_jsonl(source: Source, path: str) -> bool:
    """Whether the first non-blank line is an object with a text."""
    try:
        first = source.read(path).lstrip().partition(b"\n")[0]
        return _has_text(json.loads(first.decode("utf-8-sig")))
    except (OSError, ValueError, RecursionError):
        return (path or source.root.name).lower().endswith((".jsonl", ".ndjson"))


def _has_text(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in TEXT_KEYS)
