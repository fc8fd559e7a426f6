"""Entity pages: what their files are called, and the frame that a first page is given.

A page's name is the entity's, made safe for every file system: no reserved characters or device
names, no leading dot, at most 120 bytes, and no two that differ only in case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from hashlib import blake2b

from lorebank.language.folding import fold
from lorebank.markdown.generated_text import escape_inline

ENTITY_FOLDER = "bank/entities"
BLOCKS = ("summary", "opinions", "timeline", "related")
"""The managed blocks of an entity page, in the order they stand on it."""

_MAX_BYTES = 120
_HASH_DIGITS = 6
_UNSAFE = re.compile(r'[/\\:*?"<>|#^\[\]\x00-\x1f\x7f\s]+')
_RESERVED = re.compile(r"\A(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|\Z)")


def entity_page_name(name: str) -> str:
    """The file name, without `.md`, of an entity's page: `The Castle` → `The-Castle`.

    Alone it says nothing of collisions: see `entity_page_paths`.
    """
    safe = _UNSAFE.sub("-", unicodedata.normalize("NFC", name))
    safe = "".join(char for char in safe if unicodedata.category(char) not in ("Cs", "Cf", "Co"))
    safe = re.sub(r"-{2,}", "-", safe).strip("-. ")
    if not safe:
        return f"entity-{_digest(name)}"
    if _RESERVED.match(safe.lower()):
        safe = f"{safe.split('.')[0]}-{_digest(name)}"
    if len(safe.encode()) > _MAX_BYTES:
        return _with_suffix(safe, _digest(name))
    return safe


def entity_page_paths(names: Mapping[str, str]) -> dict[str, str]:
    """Slug → path of its page, for the entities of a bank (slug → display name).

    Where two names come to one file (case, width and marks aside), the alphabetically first slug
    keeps the plain name and the others carry a digest of their slug: the same whatever the order.
    """
    taken: set[str] = set()
    paths: dict[str, str] = {}
    for slug in sorted(names):
        name = entity_page_name(names[slug])
        if fold(name) in taken:
            name = _with_suffix(name, _digest(slug))
        taken.add(fold(name))
        paths[slug] = page_path(name)
    return paths


def page_path(page_name: str) -> str:
    """`Peter` → `bank/entities/Peter.md`."""
    return f"{ENTITY_FOLDER}/{page_name}.md"


def new_entity_page(name: str) -> str:
    """The frame of a page that does not exist yet: a title; front matter and blocks are added."""
    return f"# {escape_inline(name)}\n"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def _with_suffix(name: str, digest: str) -> str:
    room = _MAX_BYTES - _HASH_DIGITS - 1
    cut = name.encode()[:room].decode(errors="ignore").rstrip("-. ")
    return f"{cut}-{digest}"
