"""What a reader makes of a source: notes to be written, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import date

from lorebank.domain import Diagnostic
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class ImportedNote:
    """One file to be, as plain Markdown of this workspace."""

    key: str
    """What stays the same from one import to the next: a path in the vault, a conversation's id."""
    name: str
    """The path wished for below the folder of the import, `/` between parts, without `.md`."""
    text: str
    """Markdown with `\\n` line ends; the front matter of the source on top where it had any."""
    place: str
    """Where it stands in the source, as reports name it."""
    day: date | None = None
    """The day it is about; its file's name begins with it."""
    front_matter: Mapping[str, FrontMatterValue] = field(default_factory=dict)
    """Keys to be set besides those of the source."""


Read = Iterator[ImportedNote | Diagnostic]
"""Notes in a stable order, and between them what was left out and why."""
