"""Whose word a text is: the origin of a file or line, and what recall itself gave out.

    - W @Ana: Lives in Porto. (origin: agent, by claude-code, session 3f2a)

A text may say that it deserves less trust than the place it stands in, never more: of folder, front
matter and mark the least trusted counts. Only the owner's `bank/confirmed.md` lifts that.

The mark of an agent names it as far as it is known: the agent (`by`), the program it ran in
(`via`), its conversation (`session`), on whose behalf (`for`), and the day it was really `written`
where the log is of another one.

What a model is shown of memory stands between `<recalled-from-memory>` and its end tag. Pasted back
into something to be remembered, it is old: learned again, it would confirm itself. Pure; whatever
takes text in from a conversation asks `strip_recalled` first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from lorebank.domain.facts import NOBODY, Author, Diagnostic, Origin
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.markdown.source import parse_day
from lorebank.records import Record

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
    fields = {key: said.get(word, "") for word, key in _PARTS.items()}
    return Author(**fields, written=parse_day(said.get("written")))


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


_OPEN = "<recalled-from-memory>"
_CLOSE = "</recalled-from-memory>"
_PLACE = r"[^\s\[\]]*[^\s\[\]/]\.(?:md|jsonl)#L\d+(?:-L\d+)?"
_KINDS = r"(?:world|experience|opinion|observation|note)"
_BLOCKS = re.compile(
    rf"{re.escape(_OPEN)}.*?(?:{re.escape(_CLOSE)}|\Z)"
    r"|<!--\s*lorebank:context\b.*?(?:<!--\s*lorebank:end context\s*-->|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_HIT = re.compile(
    rf"[ \t]*(?:(?:[-*]|\d+\.)[ \t])?.*\((?:{_KINDS}\b[^()\n]*|\d+ for, \d+ against)\)"
    rf" \[{_PLACE}\][ \t]*\Z"
)
_BYLINE = re.compile(rf"[ \t]{{2,}}.*\b{_KINDS}\b.* · {_PLACE}[ \t]*\Z")
_SNIPPET = re.compile(rf"{_PLACE}  \d\.\d\d(?:  .*)?\Z")
"""The line above a passage of a search; its lines follow, with no empty one among them."""
_VERDICT = re.compile(
    r"evidence: (?:strong|weak|none)(?:; .*)?\Z|note: showing \d+ of \d+.*\Z"
    r"|Nothing in memory answers this\.\Z"
)


class Stripped(Record):
    """What is new in a text, and the lines that were recalled."""

    text: str
    removed: tuple[str, ...]  # the recalled lines, blank ones left out


def as_recalled(text: str) -> str:
    """The text between the marks that say where it comes from; none within it survive."""
    inner = text.replace(_CLOSE, "").replace(_OPEN, "").strip("\n")
    return f"{_OPEN}\n{inner}\n{_CLOSE}"


def strip_recalled(text: str) -> Stripped:
    """The text without what recall, search or the boot pack printed, in any of their forms.

    A sentence that merely cites a line (`see memory/2025-11-27.md#L12`) is news and stays.
    """
    if _is_envelope(text):
        return Stripped("", _filled_lines(text))
    if not any(mark in text for mark in (".md", ".jsonl", _OPEN, "lorebank:")):
        return Stripped(text, ())
    removed: list[str] = []

    def cut(found: re.Match[str]) -> str:
        removed.extend(_filled_lines(found.group()))
        return ""

    lines = _BLOCKS.sub(cut, text).split("\n")
    gone = _recalled_lines(lines)
    removed += [lines[number] for number in sorted(gone) if lines[number].strip()]
    if not removed:
        return Stripped(text, ())
    kept = [line for number, line in enumerate(lines) if number not in gone]
    return Stripped("\n".join(kept).strip("\n"), tuple(removed))


def _is_envelope(text: str) -> bool:
    """Whether the whole text is JSON as `--json` prints it."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and (
        "schema_version" in found or {"hits", "query"} <= found.keys() or "results" in found
    )


def _recalled_lines(lines: list[str]) -> set[int]:
    gone: set[int] = set()
    for number, line in enumerate(lines):
        line = line.rstrip("\r")
        if _HIT.match(line):
            gone.add(number)
        elif _BYLINE.match(line):
            gone |= {number, *_paragraph_above(lines, number, gone)}
        elif _SNIPPET.match(line):
            empty = (n for n in range(number, len(lines)) if not lines[n].strip())
            gone.update(range(number, next(empty, len(lines))))
    if gone:
        gone |= {number for number, line in enumerate(lines) if _VERDICT.match(line.strip())}
    return gone


def _paragraph_above(lines: list[str], number: int, gone: set[int]) -> set[int]:
    """The lines right above one, up to an empty one or one that is gone already."""
    found: set[int] = set()
    above = number - 1
    while above >= 0 and lines[above].strip() and above not in gone:
        found.add(above)
        above -= 1
    return found


def _filled_lines(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line.strip())
