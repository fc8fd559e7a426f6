"""An imported note: its name, its retain lines, the file it becomes.

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
"""Of one path part. Some systems allow 143; this leaves room for a suffix."""
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_PERCENT_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³])(?=\.|\Z)", re.IGNORECASE)


def safe_path(name: str) -> str:
    """A path valid on every file system; never empty, absolute or with `..`."""
    return "/".join(filter(None, map(_safe_part, name.split("/")))) or "untitled"


def free_path(path: str, key: str, taken: Container[str]) -> str:
    """The path, or one derived from the key if it is taken; `taken` holds `comparable` paths."""
    if comparable(path) not in taken:
        return path
    stem = path.removesuffix(".md")
    number = 0
    while comparable(found := f"{stem}-{short_hash(f'{key}{number or str()}')}.md") in taken:
        number += 1
    return found


def comparable(path: str) -> str:
    """A path as case-insensitive file systems compare it."""
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
    """A file to be written, as Markdown of this workspace."""

    key: str
    """Stable across imports: a path in the vault, a conversation's id."""
    name: str
    """Preferred path below the import folder, with `/`, without `.md`."""
    text: str
    """With `\\n` line ends and the front matter of the source, if any."""
    place: str
    """Its place in the source, for reports."""
    day: date | None = None
    """Its day, with which the file name begins."""
    front_matter: Mapping[str, FrontMatterValue] = field(default_factory=dict)
    """Added to that of the source."""


NoteStream = Iterator[ImportedNote | Diagnostic]
"""Notes in a stable order, interleaved with diagnostics of what was left out."""


def entity_mention(name: str, *, subject: bool = True) -> Mention | None:
    """The mention of another program's name; `None` if it is unusable."""
    plain = " ".join(name.split()).removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    return Mention(plain, slug, subject=subject) if slug and len(plain) <= 200 else None


def make_fact(kind: FactKind, text: str, subject: Mention) -> Fact:
    mentions = (subject, *(m for m, _, _ in find_mentions(text)))
    return new_fact(kind, plain_text(text), mentions, None)


def retain_line(fact: Fact) -> str:
    """Names missing from the text are put before the colon."""
    line = format_fact(fact)
    read = {mention.slug for mention in parse_fact_line(line.split("\n")[0][2:]).mentions}
    if read >= set(fact.slugs):
        return line
    named = tuple(replace(m, subject=m.subject or m.slug not in read) for m in fact.mentions)
    return format_fact(replace(fact, mentions=named))


SOURCE_KEY = "imported-from"
HASH_KEY = "imported-hash"
_HASH_LINE = re.compile(r"^imported-hash:[^\n]*\n", re.MULTILINE)


def render_note(note: ImportedNote, source: str) -> str:
    """The text of the file; `source` identifies the import and the note."""
    own = parse_front_matter(split_front_matter(note.text)[0])[0]
    keys: dict[str, FrontMatterValue | None] = dict(note.front_matter)
    origin = own.get("origin")
    if isinstance(origin, str) and origin.lower() != Origin.IMPORTED:
        keys["origin-in-source"] = origin
    keys |= {"origin": Origin.IMPORTED.value, SOURCE_KEY: source, HASH_KEY: None}
    text = set_front_matter_keys(note.text, keys)
    return set_front_matter_keys(text, {HASH_KEY: _digest(text)})


def front_matter_text(text: str, key: str) -> str | None:
    """What the front matter says of an import: its `SOURCE_KEY` or `HASH_KEY`."""
    found = parse_front_matter(split_front_matter(text)[0])[0].get(key)
    return found if isinstance(found, str) else None


def imported_from(text: str) -> str | None:
    return front_matter_text(text, SOURCE_KEY)


def is_untouched(text: str) -> bool:
    """Whether a file is as it was written."""
    return front_matter_text(text, HASH_KEY) == _digest(_HASH_LINE.sub("", text, count=1))


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8"), digest_size=8).hexdigest()
