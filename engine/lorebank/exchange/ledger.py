"""`.memory/imports.json`: what was imported from where, so that what its owner threw away stays so.

Derived like all of `.memory/`: without it an import still knows its files by their front matter,
and only brings back what was deleted.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.derived import ensure_derived_folder

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
    said = _read(root).get(name)
    if not isinstance(said, dict) or not isinstance(said.get("written"), list):
        return ImportLedger()
    written = frozenset(key for key in said["written"] if isinstance(key, str))
    return ImportLedger(str(said.get("location", "")), written)


def write_ledger(root: Path, name: str, ledger: ImportLedger) -> None:
    """Keep it; nothing is written where it says what it said."""
    if ledger == read_ledger(root, name):
        return
    file = ensure_derived_folder(root) / _NAME
    said = _read(root)
    said[name] = {"location": ledger.location, "written": sorted(ledger.written)}
    before = file.read_bytes() if file.exists() else None
    write_atomic(file, json.dumps(said, ensure_ascii=False, indent=1).encode(), expected=before)


def _hash(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def _read(root: Path) -> dict[str, Any]:
    try:
        found = json.loads((root / ".memory" / _NAME).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
