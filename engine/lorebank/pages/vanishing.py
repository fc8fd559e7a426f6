"""The brake: which entries of a page an edit would take away, and whether those are too many.

An entry is a cited line of a managed block, or an opinion's block. It vanishes when nothing on the
new page says the same and no new line cites the same place. What a newer fact superseded does not
count: it is not lost but replaced. Nor does, on a page that only selects (the answer to a standing
question), a line that still stands where it was cited: it is not lost but no longer the answer. A
log folder that was moved, or read only by half, would empty page after page otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.opinion_page import OPINIONS_PATH, is_opinion_block
from lorebank.pages.edits import PageEdit

_LINK = re.compile(r"\[((?:\\.|[^\]\\])*#L\d+(?:-L\d+)?)\]\(")
_ESCAPE = re.compile(r"\\(.)")
_TAIL = re.compile(r"(?: \((?:(?:in part )?superseded|retracted)[^()]*\))? \(\[.*\Z")
_LEVEL = re.compile(r" · (?:\*\*)?[01]\.\d\d\b.*\Z")
_LEAD = re.compile(r"\A- (?:(?:since |until )?\d{4}-\d{2}-\d{2}(?: to \d{4}-\d{2}-\d{2})? · )?")
_RELATED = "related"


def vanishing_lines(
    edit: PageEdit,
    *,
    share: float,
    replaced: Callable[[Collection[str]], Collection[str]] = lambda _: (),
    standing: Collection[str] = (),
) -> tuple[tuple[str, ...], int] | None:
    """`(the entries that would go, of how many)` where more than `share` of them would, else
    `None`; one entry may always go. `replaced` picks the sentences that a newer fact supersedes,
    and is asked only where too many seem to go; `standing` are places (`path#L12`) of which
    nothing is lost."""
    if edit.old is None or (edit.path != OPINIONS_PATH and _loses_nothing(edit)):
        return None
    before, after = _entries(edit.old), _entries(edit.new or "")
    fresh = {place for entry, place in after.items() if entry not in before and place}
    gone = [
        entry
        for entry, place in before.items()
        if entry not in after and place not in fresh and place not in standing
    ]
    most = max(1, int(len(before) * share))
    if len(gone) > most:
        held = replaced(gone)
        gone = [entry for entry in gone if entry not in held]
    return (tuple(gone), len(before)) if len(gone) > most else None


def _loses_nothing(edit: PageEdit) -> bool:
    """Whether at most one line goes that could be an entry: no need to know what each says."""
    gone = set((edit.old or "").splitlines()).difference((edit.new or "").splitlines())
    return sum(line.startswith("- ") for line in gone) <= 1


def _entries(text: str) -> dict[str, str]:
    """What each entry says → the place that it cites; an opinion's block cites none."""
    found: dict[str, str] = {}
    for block in find_blocks(text)[0]:
        if is_opinion_block(block.name):
            title = next((x for x in block.body.splitlines() if x.startswith("#")), "")
            found[f"{title.lstrip('# ').rstrip()} ({block.name})"] = block.name
        elif block.name != _RELATED:
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
