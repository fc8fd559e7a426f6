"""What a chat model was asked and what of its answer was kept: `.memory/generated.json`.

By a digest of the very lines it was asked about, so that the same text is never sent twice, and a
night without news asks nothing. It outlives a rebuild of the index. Deleting it costs calls only.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import field
from pathlib import Path
from typing import Any

from lorebank.errors import ConcurrentEdit, WorkspaceError
from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder

_NAME = "generated.json"
_MOST = 20_000
"""Beyond that the answers kept longest ago are forgotten."""
_LARGEST = 64_000_000


def digest(*parts: object) -> str:
    """The same for the same parts; JSON tells them apart."""
    text = json.dumps(parts, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def forget_generated(root: Path) -> None:
    """Drop every answer: what a model made of a line says it in words of its own."""
    (root / DERIVED_FOLDER / _NAME).unlink(missing_ok=True)


@dataclass(slots=True)
class GeneratedMemory:
    """Answers by the digest of what was asked."""

    root: Path
    before: bytes | None = None
    kept: dict[str, Any] = field(default_factory=dict)
    is_new: bool = False

    @classmethod
    def open(cls, root: Path) -> GeneratedMemory:
        """What is remembered; nothing where the file is absent or damaged."""
        path = root / DERIVED_FOLDER / _NAME
        try:
            if path.is_symlink() or path.stat().st_size > _LARGEST:
                return cls(root)
            before = path.read_bytes()
        except OSError:
            return cls(root)
        try:
            kept = json.loads(before)
        except ValueError:
            kept = {}
        return cls(root, before, kept if isinstance(kept, dict) else {})

    def get(self, key: str) -> Any:
        """What was kept under a digest; `None` where nothing was."""
        return self.kept.get(key)

    def keep(self, key: str, value: Any) -> None:
        """Keep an answer, as JSON has it."""
        self.kept[key] = value
        self.is_new = True

    def save(self) -> None:
        """Store what was added; where that cannot be, the model is asked again some day."""
        if not self.is_new:
            return
        kept = dict(list(self.kept.items())[-_MOST:])
        data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
        try:
            folder = ensure_derived_folder(self.root)
            write_atomic(folder / _NAME, data, expected=self.before)
        except (ConcurrentEdit, WorkspaceError):
            return
        self.before, self.is_new = data, False
