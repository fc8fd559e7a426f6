"""Names of files that every system accepts and the workspace reads: no disk.

"What? A: plan/2024"  →  "What- A- plan/2024"
"CON"                 →  "CON_"
a name of 300 bytes   →  its first 100 bytes and eight letters that tell it from others
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from hashlib import blake2b

_LONGEST = 120
"""Bytes of one part; a name of 255 has no room for a suffix, and some systems allow 143."""
_MOST_PARTS = 12
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_PERCENT_CODE = re.compile(r"%(?=[0-9A-Fa-f]{2})")
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³])(?=\.|\Z)", re.IGNORECASE)


def safe_path(name: str) -> str:
    """The name with each of its parts fit for any file system; never empty, absolute or `..`."""
    parts = [part for part in map(_safe_part, name.split("/")) if part]
    if len(parts) > _MOST_PARTS:
        parts = [*parts[: _MOST_PARTS - 2], short_hash("/".join(parts[:-1])), parts[-1]]
    return "/".join(parts) or "untitled"


def free_path(path: str, key: str, taken: Container[str]) -> str:
    """The path, or one that no other takes in any case of its letters; the same for the same key.

    `taken` holds paths as `str.casefold` and NFC make them.
    """
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
    """Eight letters that stand for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _safe_part(part: str) -> str:
    text = unicodedata.normalize("NFC", part)
    text = _PERCENT_CODE.sub("-", _FORBIDDEN.sub("-", text))
    text = "".join(char for char in text if char.isprintable())
    text = re.sub(r"\s+", " ", text).strip(" ").lstrip(".").rstrip(". ")
    if _DEVICE.match(text):
        text = _DEVICE.sub(lambda found: f"{found[0]}_", text, count=1)
    encoded = text.encode("utf-8")
    if len(encoded) <= _LONGEST:
        return text
    kept = encoded[: _LONGEST - 20].decode("utf-8", "ignore").rstrip(". ")
    return f"{kept}-{short_hash(part)}"
