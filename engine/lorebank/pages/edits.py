"""Page edits: the new text of a page from its old text and the wanted bodies of its blocks.

Only the blocks named change. A block that a person edited is never overwritten in silence: lines
that are not the engine's own are moved below the block as plain text, under a visible note, where
they are the person's for good; what was kept is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from lorebank.domain import Diagnostic
from lorebank.markdown.blocks import Block, find_blocks, place_blocks, replace_blocks
from lorebank.records import dataclass

KEPT_NOTE = "> [!note] Kept from a hand edit of the block `{name}`:"


@dataclass(frozen=True, slots=True)
class PageEdit:
    """One page to be written."""

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
    kept: dict[str, list[str]] = {}
    for block in blocks:
        if block.edited and (block.name in bodies or block.name in drop):
            lines = _kept_lines(block, bodies.get(block.name, ""), own_notes)
            if lines:
                kept[block.name] = lines
                diagnostics.append(_report(path, block, len(lines)))
    text = _with_notes(text, blocks, kept, frozenset(drop))
    if below is not None and (places := below(text)):
        text = place_blocks(text, bodies, places)
    return PageEdit(path, old, replace_blocks(text, bodies), tuple(diagnostics))


def _kept_lines(
    block: Block, body: str, own_notes: Mapping[str, Sequence[str]] | None
) -> list[str]:
    if own_notes is not None and block.name in own_notes:
        return list(own_notes[block.name])
    written = {line.strip() for line in body.split("\n")}
    lines = block.body.replace("\r\n", "\n").split("\n")
    return [line for line in lines if line.strip() and line.strip() not in written]


def _report(path: str, block: Block, count: int) -> Diagnostic:
    lines = "1 line" if count == 1 else f"{count} lines"
    message = f"block {block.name!r} was edited by hand; {lines} kept below it"
    return Diagnostic(path, block.first_line, "hand-edit-kept", message)


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
            text = _without_block(text[: block.start], note, after, newline)
        elif note:
            text = text[: block.end] + newline * 2 + note + after
    return text


def _without_block(before: str, note: str, after: str, newline: str) -> str:
    """Takes the blank line with it that set the block apart, so that adding is undone exactly."""
    if note:
        return before + note + after
    if before.endswith(newline * 2):
        before = before.removesuffix(newline)
    return before + after.removeprefix(newline)
