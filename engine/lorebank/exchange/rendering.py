"""An imported note as a file: whose word it is, where it came from, and a hash of what was written.

    ---
    aliases: [Annie]
    origin: imported
    imported-from: "obsidian:Notes/People/Ana.md"
    imported-hash: 5f0c…
    ---

The hash tells whether its owner edited the file since: an edited one is never written over.
"""

from __future__ import annotations

import re
from hashlib import blake2b

from lorebank.domain import Origin
from lorebank.exchange.notes import ImportedNote
from lorebank.exchange.prose import split_front_matter
from lorebank.markdown.front_matter import (
    FrontMatterValue,
    parse_front_matter,
    set_front_matter_keys,
)

FROM = "imported-from"
_HASH = "imported-hash"
_HASH_LINE = re.compile(r"^imported-hash:[^\n]*\n", re.MULTILINE)


def render_note(note: ImportedNote, source: str) -> str:
    """The text of the file; `source` names the import and what of it this note is."""
    said = parse_front_matter(split_front_matter(note.text)[0])[0]
    keys: dict[str, FrontMatterValue | None] = dict(note.front_matter)
    origin = said.get("origin")
    if isinstance(origin, str) and origin.lower() != Origin.IMPORTED:
        keys["origin-in-source"] = origin
    keys |= {"origin": Origin.IMPORTED.value, FROM: source, _HASH: None}
    text = set_front_matter_keys(note.text, keys)
    return set_front_matter_keys(text, {_HASH: _digest(text)})


def imported_from(text: str) -> str | None:
    """Which note of which import a file is; `None` for a file that was never imported."""
    found = parse_front_matter(split_front_matter(text)[0])[0].get(FROM)
    return found if isinstance(found, str) else None


def written_hash(text: str) -> str | None:
    """The hash that a file carries of what was written."""
    found = parse_front_matter(split_front_matter(text)[0])[0].get(_HASH)
    return found if isinstance(found, str) else None


def is_untouched(text: str) -> bool:
    """Whether a file reads as it was written."""
    return written_hash(text) == _digest(_HASH_LINE.sub("", text, count=1))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=8).hexdigest()
