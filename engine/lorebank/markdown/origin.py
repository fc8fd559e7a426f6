"""Whose word a text is: what a file's front matter and a mark on a line say about their origin.

    ---
    origin: imported
    ---
    - W @Ana: Lives in Porto. (origin: agent, by claude-code, session 3f2a)

A text may say that it deserves less trust than the place it stands in, never more: of folder, front
matter and mark the least trusted counts. Only the owner's `bank/confirmed.md` lifts that.

The mark of an agent names it as far as it is known: the agent (`by`), the program it ran in
(`via`), its conversation (`session`), on whose behalf (`for`), and the day it was really `written`
where the log is of another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date

from lorebank.domain import NOBODY, Author, Diagnostic, Origin
from lorebank.markdown.front_matter import FrontMatterValue

ORIGIN_FOLDERS = {
    "memory/imported": Origin.IMPORTED,
    "memory/sessions": Origin.SESSION,
    "memory/untrusted": Origin.UNTRUSTED,
}
"""What lies in these folders is of that origin, whatever the settings add."""
_PARTS = {"by": "agent", "via": "client", "session": "session", "for": "user"}
"""Word of a mark → field of `Author`, in the order in which they are written."""
_NAME = r"[\w.@+/:-]+"
_MARK = re.compile(
    rf"[^\S\n]*\(origin:[ \t]*(?P<origin>{'|'.join(Origin)})"
    rf"(?P<author>(?:,[ \t]*(?:{'|'.join(_PARTS)}|written)[ \t]+{_NAME})*)\)(?=[.。]?[^\S\n]*$)",
    re.IGNORECASE | re.MULTILINE,
)
_PART = re.compile(rf"(\w+)[ \t]+({_NAME})")
_UNNAMEABLE = re.compile(r"[^\w.@+/:-]+")
_LONGEST_NAME = 40
"""Characters: names come from programs, and a mark stays readable at the end of a line."""


def origin_mark(origin: Origin, author: Author = NOBODY) -> str:
    """The mark that stands at the end of a line; the owner's own word needs none."""
    if origin is Origin.OWNER:
        return ""
    return f" (origin: {', '.join([origin.value, *filter(None, [format_author(author)])])})"


def format_author(author: Author) -> str:
    """`by claude-code, session 3f2a`; empty for nobody."""
    named = [(word, _UNNAMEABLE.sub("-", getattr(author, key))) for word, key in _PARTS.items()]
    parts = [f"{word} {name[:_LONGEST_NAME]}" for word, name in named if name.strip("-")]
    if author.written:
        parts.append(f"written {author.written.isoformat()}")
    return ", ".join(parts)


def parse_author(text: str) -> Author:
    """The author that `format_author` wrote; parts that are not understood are left out."""
    said = {word.lower(): name for word, name in _PART.findall(text)}
    if not said:
        return NOBODY
    try:
        written = date.fromisoformat(said.get("written", ""))
    except ValueError:
        written = None
    return Author(**{key: said.get(word, "") for word, key in _PARTS.items()}, written=written)


def read_origin_mark(text: str) -> tuple[str, Origin | None, Author]:
    """A text without its marks, the least trusted of them (`None` where there is none), and the
    author that the last one names: marks are appended, so that earlier ones may be quoted."""
    if "origin:" not in text.lower():
        return text, None, NOBODY
    origin: Origin | None = None
    author = NOBODY
    for found in _MARK.finditer(text):
        origin = Origin(found["origin"].lower()).least_trusted(origin)
        author = parse_author(found["author"])
    return (_MARK.sub("", text), origin, author) if origin else (text, None, NOBODY)


def file_origin(
    path: str, front_matter: Mapping[str, FrontMatterValue], folders: Iterable[tuple[str, str]]
) -> tuple[Origin, tuple[Diagnostic, ...]]:
    """The origin of all that a file says, by its folder and its front matter.

    `folders` adds rules `(folder or file, origin)`; of those that fit, the longest counts.
    """
    rules = {**{f: o.value for f, o in ORIGIN_FOLDERS.items()}, **dict(folders)}
    fitting = [f for f in rules if path == f.rstrip("/") or path.startswith(f"{f.rstrip('/')}/")]
    by_place = Origin(rules[max(fitting, key=len)]) if fitting else Origin.OWNER
    written = front_matter.get("origin")
    if not isinstance(written, str) or not written.strip():
        return by_place, ()
    word = written.strip().lower()
    if word not in set(Origin):
        message = f"origin: {written} is none of {', '.join(Origin)}; it says nothing of trust"
        return by_place, (Diagnostic(path, 1, "origin-unknown", message),)
    return by_place.least_trusted(Origin(word)), ()
