"""Text that recall gave out, marked so and told again when it comes back.

What a model is shown of memory stands between `<recalled-from-memory>` and its end tag. Pasted back
into something to be remembered, it is old: learned again, it would confirm itself. Pure; whatever
takes text in from a conversation asks `strip_recalled` first.
"""

from __future__ import annotations

import json
import re

from lorebank.records import dataclass

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
_SNIPPET = re.compile(r"\S+\.(?:md|jsonl):\d+-\d+ \(\d\.\d\d\)(?: unconfirmed: \w+)?[ \t]*\Z")
_SOURCE = re.compile(rf"Source: {_PLACE}[ \t]*\Z")
_VERDICT = re.compile(
    r"evidence: (?:strong|weak|none)(?:; .*)?\Z|note: showing \d+ of \d+.*\Z"
    r"|Nothing in memory answers this\.\Z"
)


@dataclass(frozen=True, slots=True)
class Stripped:
    """What is new in a text, and the lines that were recalled."""

    text: str
    removed: tuple[str, ...]
    """The recalled lines, blank ones left out."""


def as_recalled(text: str) -> str:
    """The text between the marks that say where it comes from; none within it survive."""
    inner = text.replace(_CLOSE, "").replace(_OPEN, "").strip("\n")
    return f"{_OPEN}\n{inner}\n{_CLOSE}"


def strip_recalled(text: str) -> Stripped:
    """The text without what recall, search or the boot pack printed, in any of their forms.

    A sentence that merely cites a line (`see memory/2025-11-27.md#L12`) is news and stays.
    """
    if _is_envelope(text):
        return Stripped("", _said(text))
    if not any(mark in text for mark in (".md", ".jsonl", _OPEN, "lorebank:")):
        return Stripped(text, ())
    removed: list[str] = []

    def cut(found: re.Match[str]) -> str:
        removed.extend(_said(found.group()))
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
    except ValueError:
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
            gone |= _snippet_below(lines, number)
        elif _SOURCE.match(line) and number not in gone:
            above = number - 1
            while above >= 0 and not lines[above].strip():
                above -= 1
            gone |= {number, *_paragraph_above(lines, above + 1, gone)}
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


def _snippet_below(lines: list[str], number: int) -> set[int]:
    """A snippet from its heading to the line that cites it, or to the end of its paragraph."""
    end = number + 1
    for below in range(number + 1, len(lines)):
        if _SNIPPET.match(lines[below]):
            break
        if _SOURCE.match(lines[below].rstrip("\r")):
            return set(range(number, below + 1))
    while end < len(lines) and lines[end].strip():
        end += 1
    return set(range(number, end))


def _said(text: str) -> tuple[str, ...]:
    return tuple(line for line in text.split("\n") if line.strip())
