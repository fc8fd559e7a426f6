"""Whose word a text is: what a file's front matter and a mark on a line say about their origin.

    ---
    origin: imported
    ---
    - W @Ana: Lives in Porto. (origin: agent)

A text may say that it deserves less trust than the place it stands in, never more: of folder, front
matter and mark the least trusted counts. Only the owner's `bank/confirmed.md` lifts that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lorebank.domain import Diagnostic, Origin
from lorebank.markdown.front_matter import FrontMatterValue

ORIGIN_FOLDERS = {
    "memory/imported": Origin.IMPORTED,
    "memory/sessions": Origin.SESSION,
    "memory/untrusted": Origin.UNTRUSTED,
}
"""What lies in these folders is of that origin, whatever the settings add."""
_MARK = re.compile(
    rf"[^\S\n]*\(origin:[ \t]*(?P<origin>{'|'.join(Origin)})\)(?=[.。]?[^\S\n]*$)",
    re.IGNORECASE | re.MULTILINE,
)


def origin_mark(origin: Origin) -> str:
    """The mark that stands at the end of a line; the owner's own word needs none."""
    return "" if origin is Origin.OWNER else f" (origin: {origin.value})"


def read_origin_mark(text: str) -> tuple[str, Origin | None]:
    """A text without its marks, and the least trusted of them; `None` where there is none."""
    if "origin:" not in text.lower():
        return text, None
    origin: Origin | None = None
    for found in _MARK.finditer(text):
        origin = Origin(found["origin"].lower()).least_trusted(origin)
    return (_MARK.sub("", text), origin) if origin else (text, None)


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
