"""Page edits: the new text of a page from its old text and the wanted bodies of its blocks.

Only the blocks named change. A block that a person edited is never overwritten in silence: lines
that are not the engine's own are moved below the block as plain text, under a visible note, where
they are the person's for good; what was kept is reported.

An entry is a cited line of a managed block. It vanishes when nothing on the new page says the same
and no new line cites the same place. A line that still stands where it was cited does not count:
nothing is lost with it. A log folder that was moved, or read only by half, would empty page after
page otherwise.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.errors import PathRefused
from lorebank.markdown.blocks import (
    Block,
    broken_names,
    find_blocks,
    is_marker,
    place_blocks,
    replace_blocks,
)
from lorebank.markdown.source import decode
from lorebank.records import Record
from lorebank.workspace.paths import is_linked

KEPT_NOTE = "> [!note] Kept from a hand edit of the block `{name}`:"


class PageEdit(Record):
    path: str
    old: str | None
    """The text it was planned from; `None` where the page did not exist."""
    new: str | None
    """`None` where the page is to go."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Hand edits that were kept, and markers that could not be read."""

    @property
    def changes(self) -> bool:
        return self.old != self.new


def plan_page_edit(
    path: str,
    old: str | None,
    bodies: Mapping[str, str],
    *,
    frame: str = "",
    drop: Collection[str] = (),
    own_notes: Mapping[str, Sequence[str]] | None = None,
    below: Callable[[str], Mapping[str, int]] | None = None,
) -> PageEdit:
    """The edit that gives the page's blocks these bodies; `changes` is false without news.

    `frame` is the text a new page begins with; `drop` names blocks to take off the page. A hand
    edit is found by its checksum; of it, `own_notes` says which lines to keep (by block name),
    where it is left out all lines that the new body does not hold. `below` tells for a text which
    blocks belong right below which line of it; the others go to the end.
    """
    text = frame if old is None else old
    blocks, problems = find_blocks(text, path)
    diagnostics = list(problems)
    broken = broken_names(problems)
    drop = frozenset(drop) - broken
    kept: dict[str, list[str]] = {}
    for block in blocks:
        if block.edited and block.name not in broken and {block.name} & {*bodies, *drop}:
            lines = _kept_lines(block, bodies.get(block.name, ""), own_notes)
            if lines:
                kept[block.name] = lines
                count = "1 line" if len(lines) == 1 else f"{len(lines)} lines"
                message = f"block {block.name!r} was edited by hand; {count} kept below it"
                diagnostics.append(Diagnostic(path, block.first_line, "hand-edit-kept", message))
    text = _with_notes(text, blocks, kept, drop)
    places = below(text) if below is not None else {}
    if places:
        text = place_blocks(text, bodies, places)
    return PageEdit(path, old, replace_blocks(text, bodies, placed=places), tuple(diagnostics))


def _kept_lines(
    block: Block, body: str, own_notes: Mapping[str, Sequence[str]] | None
) -> list[str]:
    if own_notes is not None and block.name in own_notes:
        return list(own_notes[block.name])
    written = {line.strip() for line in body.split("\n")}
    lines = block.body.replace("\r\n", "\n").split("\n")
    own = [line for line in lines if line.strip() and line.strip() not in written]
    return [line for line in own if not is_marker(line)]  # it would begin a block below


def _with_notes(
    text: str, blocks: Sequence[Block], kept: Mapping[str, Sequence[str]], drop: Collection[str]
) -> str:
    """The text with dropped blocks taken out and the kept lines of others below them."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for block in reversed(blocks):
        after = text[block.end :]
        note = ""
        if block.name in kept:
            head = KEPT_NOTE.format(name=block.name)
            note = newline.join([head, "", *kept[block.name]])
        if block.name in drop:
            before = text[: block.start]
            if not note:
                # The blank line that set the block apart goes too: adding it is undone exactly.
                after = after.removeprefix(newline)
                if before.endswith(newline * 2):
                    before = before.removesuffix(newline)
            text = before + note + after
        elif note:
            text = text[: block.end] + newline * 2 + note + after
    return text


class Page(Record):
    text: str
    mark: bytes
    """The byte order mark that it begins with, or nothing."""

    @property
    def data(self) -> bytes:
        return self.mark + self.text.encode("utf-8")


def read_pages(root: Path, paths: Iterable[str]) -> tuple[dict[str, Page], tuple[Diagnostic, ...]]:
    """Those of the pages that exist, by path, and those that cannot be read as text."""
    pages: dict[str, Page] = {}
    problems: list[Diagnostic] = []
    for path in sorted(set(paths)):
        try:
            if is_linked(root, path):
                raise PathRefused("is reached by a symbolic link; left alone")
            data = (root / path).read_bytes()
            mark = BOM_UTF8 if data.startswith(BOM_UTF8) else b""
            pages[path] = Page(data[len(mark) :].decode("utf-8"), mark)
        except FileNotFoundError:
            continue
        except PathRefused as problem:
            message = problem.message
        except OSError as problem:
            message = f"cannot be read: {problem.strerror}; it was left alone"
        except UnicodeDecodeError as problem:
            message = f"invalid UTF-8 at byte {problem.start}; the page was left alone"
        else:
            continue
        problems.append(Diagnostic(path, 0, "page-skipped", message))
    return pages, tuple(problems)


def read_text(root: Path, path: str) -> str:
    """The text of a page, empty where there is none or a link leads elsewhere."""
    if is_linked(root, path):
        return ""
    try:
        return decode((root / path).read_bytes(), path)[0]
    except OSError:
        return ""


def encoded(edit: PageEdit, page: Page | None) -> bytes | None:
    return None if edit.new is None else (page.mark if page else b"") + edit.new.encode("utf-8")


_LINK = re.compile(r"\[((?:\\.|[^\]\\])*#L\d+(?:-L\d+)?)\]\(")
_ESCAPE = re.compile(r"\\(.)")
_TAIL = re.compile(r"(?: \((?:(?:in part )?superseded|retracted)[^()]*\))? \(\[.*\Z")
_LEVEL = re.compile(r" · (?:\*\*)?[01]\.\d\d\b.*\Z")
_LEAD = re.compile(r"\A- (?:(?:since |until )?\d{4}-\d{2}-\d{2}(?: to \d{4}-\d{2}-\d{2})? · )?")


def vanishing_lines(
    edit: PageEdit, *, share: float, standing: Callable[[], Collection[str]] = tuple
) -> tuple[tuple[str, ...], int] | None:
    """`(the entries that would go, of how many)` where more than `share` of them would, else
    `None`; one entry may always go. `standing` tells the places (`path#L12`) of which nothing is
    lost, where it matters."""
    if edit.old is None:
        return None
    before, after = _entries(edit.old), _entries(edit.new or "")
    fresh = {place for entry, place in after.items() if entry not in before and place}
    gone = [e for e, place in before.items() if e not in after and place not in fresh]
    most = max(1, int(len(before) * share))
    if len(gone) > most:
        lasting = standing()
        gone = [entry for entry in gone if before[entry] not in lasting]
    return (tuple(gone), len(before)) if len(gone) > most else None


def _entries(text: str) -> dict[str, str]:
    """What each entry says → the place that it cites."""
    found: dict[str, str] = {}
    for block in find_blocks(text)[0]:
        for line in block.body.splitlines():
            place = _LINK.search(line)
            if place and line.startswith("- "):
                found.setdefault(_said(line), _ESCAPE.sub(r"\1", place[1]))
    return found


def _said(line: str) -> str:
    said = _LEVEL.sub("", _TAIL.sub("", _LEAD.sub("", line))).strip()
    if said.startswith("~~") and "~~" in said[2:]:
        return said[2 : said.index("~~", 2)]
    return said
