"""An imported note: its name, its retain lines, and the file it becomes.

"What? A: plan/2024"  →  "What- A- plan/2024"
"CON"                 →  "CON_"
a name of 300 bytes   →  its first 100 bytes and eight letters of a hash

---
    aliases: [Annie]
    origin: imported
    imported-from: "obsidian:Notes/People/Ana.md"
    imported-hash: 5f0c…
    ---

The hash shows whether its owner edited the file since: an edited one is never written over.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from dataclasses import field, replace
from datetime import date
from hashlib import blake2b

from lorebank.domain.facts import Diagnostic, Fact, FactKind, Mention, Origin
from lorebank.exchange.prose import split_front_matter
from lorebank.language.folding import slugify
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.fact_lines import parse_fact_line
from lorebank.markdown.facts import new_fact
from lorebank.markdown.front_matter import (
    FrontMatterValue,
    parse_front_matter,
    set_front_matter_keys,
)
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.plain import plain_text
from lorebank.records import Record

_MAX_NAME_BYTES = 120
"""Bytes of one part; a name of 255 has no room for a suffix, and some systems allow 143."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_PERCENT_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³])(?=\.|\Z)", re.IGNORECASE)


def safe_path(name: str) -> str:
    """The name with each of its parts fit for any file system; never empty, absolute or `..`."""
    return "/".join(filter(None, map(_safe_part, name.split("/")))) or "untitled"


def free_path(path: str, key: str, taken: Container[str]) -> str:
    """The path, or another for this key where it is taken, as `comparable` makes it."""
    if comparable(path) not in taken:
        return path
    stem = path.removesuffix(".md")
    number = 0
    while comparable(found := f"{stem}-{short_hash(f'{key}{number or str()}')}.md") in taken:
        number += 1
    return found


def comparable(path: str) -> str:
    """A path as file systems compare it that know no case."""
    return unicodedata.normalize("NFC", path).casefold()


def short_hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _safe_part(part: str) -> str:
    text = unicodedata.normalize("NFC", part)
    text = _PERCENT_CODE.sub("-", _FORBIDDEN.sub("-", text))
    text = "".join(char for char in text if char.isprintable())
    text = re.sub(r"\s+", " ", text).strip(". ")
    if _DEVICE.match(text):
        text = _DEVICE.sub(lambda found: f"{found[0]}_", text, count=1)
    encoded = text.encode("utf-8")
    if len(encoded) <= _MAX_NAME_BYTES:
        return text
    kept = encoded[: _MAX_NAME_BYTES - 20].decode("utf-8", "ignore").rstrip(". ")
    return f"{kept}-{short_hash(part)}"


class ImportedNote(Record):
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


NoteStream = Iterator[ImportedNote | Diagnostic]
"""Notes in a stable order, and between them what was left out and why."""


def entity_mention(name: str, *, subject: bool = True) -> Mention | None:
    """The mention of a name as another program gives it; `None` for what names nothing."""
    plain = " ".join(name.split()).removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    return Mention(plain, slug, subject=subject) if slug and len(plain) <= 200 else None


def make_fact(kind: FactKind, text: str, subject: Mention) -> Fact:
    mentions = (subject, *(m for m, _, _ in find_mentions(text)))
    return new_fact(kind, plain_text(text), mentions, None)


def retain_line(fact: Fact) -> str:
    """A name that the text of the fact does not hold stands before the colon."""
    line = format_fact(fact)
    read = {mention.slug for mention in parse_fact_line(line.split("\n")[0][2:]).mentions}
    if read >= set(fact.slugs):
        return line
    named = tuple(replace(m, subject=m.subject or m.slug not in read) for m in fact.mentions)
    return format_fact(replace(fact, mentions=named))


SOURCE_KEY = "imported-from"
_HASH_KEY = "imported-hash"
_HASH_LINE = re.compile(r"^imported-hash:[^\n]*\n", re.MULTILINE)


def render_note(note: ImportedNote, source: str) -> str:
    """The text of the file; `source` names the import and what of it this note is."""
    own = parse_front_matter(split_front_matter(note.text)[0])[0]
    keys: dict[str, FrontMatterValue | None] = dict(note.front_matter)
    origin = own.get("origin")
    if isinstance(origin, str) and origin.lower() != Origin.IMPORTED:
        keys["origin-in-source"] = origin
    keys |= {"origin": Origin.IMPORTED.value, SOURCE_KEY: source, _HASH_KEY: None}
    text = set_front_matter_keys(note.text, keys)
    return set_front_matter_keys(text, {_HASH_KEY: _digest(text)})


def imported_from(text: str) -> str | None:
    return _front_matter_text(text, SOURCE_KEY)


def written_hash(text: str) -> str | None:
    return _front_matter_text(text, _HASH_KEY)


def _front_matter_text(text: str, key: str) -> str | None:
    found = parse_front_matter(split_front_matter(text)[0])[0].get(key)
    return found if isinstance(found, str) else None


def is_untouched(text: str) -> bool:
    """Whether a file reads as it was written."""
    return written_hash(text) == _digest(_HASH_LINE.sub("", text, count=1))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=8).hexdigest()
