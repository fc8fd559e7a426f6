"""A page that moved into another: put there under a heading, and taken out again byte for byte.

    ## From Bob (bank/entities/Bob.md)

    <!-- lorebank:moved bank/entities/Bob.md
    (its front matter)
    -->
    what people wrote on it
    <!-- lorebank:held bank/entities/Bob.md
    (a managed block)
    -->
    <!-- lorebank:moved-end bank/entities/Bob.md -->

What people wrote stands there as it was and may be edited there. What was never prose (front
matter, managed blocks) is held in comments, with `<`, `>` and `&` written as entities.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.generated_text import escape_inline
from lorebank.markdown.source import split_lines
from lorebank.records import dataclass

_BEGIN = re.compile(
    r"<!-- lorebank:moved (?P<flags>(?:glued |marked )*)(?P<path>[^<>\n]+?)"
    r"(?: -->\n|\n(?P<head>[^<>]*)\n-->\n)"
)
_HEADING = re.compile(r"\n(?:## From [^\n]*\n\n)?\Z")
_TITLE = re.compile(r"\A\s*(?:#[ \t][^\n]*)?\s*\Z")
_GLUED = "glued "
_MARKED = "marked "
_UTF8_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page found inside another one."""

    path: str
    """Where it was, and goes back to."""
    text: str
    """What it goes back with: its text as it was, and what was edited since."""
    start: int
    """Offset in the page that holds it, heading included."""
    end: int
    line: int
    """1-based line of the page that holds it."""


def move_in(home: str, path: str, text: str, *, title: str) -> str:
    """The page `home` with another page's text at its end; `take_out` gives both back.

    A text that people added nothing to but its title is held without a heading, out of sight.
    `ValueError` where `home` already holds a page of that path.
    """
    if any(moved.path == path for moved in find_moved(home)):
        raise ValueError(f"the text of {path} stands here already")
    flags = "" if home.endswith("\n") or not home else _GLUED
    if text.startswith(_UTF8_MARK):
        flags, text = flags + _MARKED, text.removeprefix(_UTF8_MARK)
    head, body = _in_parts(text, path)
    heading = f"## From {escape_inline(title)} ({path})\n\n" if body else ""
    name = _escaped(path)
    shown = f"\n{_escaped(head)}\n-->\n" if head else " -->\n"
    begin = f"<!-- lorebank:moved {flags}{name}{shown}"
    glue = "\n" if flags.startswith(_GLUED) else ""
    return f"{home}{glue}\n{heading}{begin}{body}\n<!-- lorebank:moved-end {name} -->\n"


def take_out(home: str, path: str) -> tuple[str, str]:
    """`(home without the page, the page)`; `KeyError` where it is not there."""
    for moved in find_moved(home):
        if moved.path == path:
            return home[: moved.start] + home[moved.end :], moved.text
    raise KeyError(path)


def find_moved(home: str) -> tuple[MovedPage, ...]:
    """The pages that a page holds, those inside held pages included, outermost first."""
    if "<!-- lorebank:moved " not in home:
        return ()
    found: list[MovedPage] = []
    for begin in _BEGIN.finditer(home):
        name = begin["path"]
        end_marker = f"\n<!-- lorebank:moved-end {name} -->\n"
        close = home.find(end_marker, begin.end() - 1)
        if close < 0:
            continue
        body = home[begin.end() : max(close, begin.end())]
        heading = _HEADING.search(home, 0, begin.start())
        start = heading.start() if heading else begin.start()
        end = close + len(end_marker)
        if _GLUED in begin["flags"] and end == len(home):
            start -= 1
        around = [outer.path for outer in found if outer.start < start and end <= outer.end]
        text = _unescaped(begin["head"] or "") + _whole(body, [*around, _unescaped(name)])
        if _MARKED in begin["flags"]:
            text = _UTF8_MARK + text
        line = home.count("\n", 0, begin.start()) + 1
        found.append(MovedPage(_unescaped(name), text, start, end, line))
    return tuple(found)


def _in_parts(text: str, path: str) -> tuple[str, str]:
    """What is held before the body, and the body: what people wrote, the rest held in place."""
    count = front_matter_lines(split_lines(text))
    top = sum(len(line) + 1 for line in text.split("\n")[:count])
    top = min(top, len(text))
    if "<!-- lorebank:moved" in text[:top]:
        top = 0
    pieces: list[str] = []
    prose: list[str] = []
    position = top
    for block in find_blocks(text, path)[0]:
        if "<!-- lorebank:moved" in block.body:
            continue
        between = text[position : block.start]
        held = _escaped(text[block.start : block.end])
        pieces += (between, f"<!-- lorebank:held {_escaped(path)}\n{held}\n-->")
        prose.append(between)
        position = block.end
    pieces.append(text[position:])
    prose.append(text[position:])
    if _TITLE.match("".join(prose)) or position < top:
        return text, ""
    return text[:top], "".join(pieces)


def _whole(body: str, paths: Sequence[str]) -> str:
    """The body with what it holds of these pages in place; of pages inside it nothing changes."""
    names = "|".join(re.escape(_escaped(path)) for path in paths)
    held = re.compile(rf"<!-- lorebank:held (?:{names})\n([^<>]*)\n-->")
    return held.sub(lambda found: _unescaped(found[1]), body)


_ENTITIES: Mapping[str, str] = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_ENTITY = re.compile("&amp;|&lt;|&gt;")
_LETTERS = {entity: letter for letter, entity in _ENTITIES.items()}
_SPECIAL = re.compile("[&<>]")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _ENTITIES[found.group()], text)


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda found: _LETTERS[found.group()], text)
