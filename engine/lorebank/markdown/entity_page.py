"""Entity pages: what their files are called, the frame of a first page, a page moved into another.

A page's name is the entity's, made safe for every file system: no reserved characters or device
names, no leading dot, at most 120 bytes, and no two that differ only in case.

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

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from lorebank.language.folding import fold
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.plain import escape_inline
from lorebank.markdown.source import split_lines
from lorebank.records import Record

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
        paths[slug] = f"{ENTITY_FOLDER}/{name}.md"
    return paths


def new_entity_page(name: str) -> str:
    """The frame of a page that does not exist yet: a title; front matter and blocks are added."""
    return f"# {escape_inline(name)}\n"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def _with_suffix(name: str, digest: str) -> str:
    room = _MAX_BYTES - _HASH_DIGITS - 1
    cut = name.encode()[:room].decode(errors="ignore").rstrip("-. ")
    return f"{cut}-{digest}"


_BEGIN = re.compile(
    r"<!-- lorebank:moved (?P<flags>(?:glued |marked )*)(?P<path>[^<>\n]+?)"
    r"(?: -->\n|\n(?P<head>[^<>]*)\n-->\n)"
)
_HEADING = re.compile(r"\n(?:## From [^\n]*\n\n)?\Z")
_TITLE = re.compile(r"\A\s*(?:#[ \t][^\n]*)?\s*\Z")
_GLUED = "glued "
_MARKED = "marked "
_UTF8_MARK = "\ufeff"


class MovedPage(Record):
    """A page found inside another one."""

    path: str  # where it was, and goes back to
    text: str  # what it goes back with: its text as it was, and what was edited since
    start: int  # offset in the page that holds it, heading included
    end: int
    line: int  # 1-based line of the page that holds it


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


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
