"""Lists of one-line items, thousands of them: a rule that tells them without trying all others.

A line that begins with `- ` and a letter opens an item, and its text can open no block of its own.
A list of nothing else, up to the end of the text or to what cannot go on with it, is told by one
pattern a line; any other is left to the parser's own rule, with the same outcome.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock

FLAT_LIST = "flat_list"
"""One token for a whole list, the texts of its items in `meta["items"]`: the parser's own five
tokens an item took half the time of reading a log."""
_ITEM = re.compile(r"- (?=[^\W\d_])[^\t]*[^\s\x00-\x1f\x7f-\x9f\u180e\u200b\ufeff] *")
"""What ends in some other blank than spaces is left to the parser, which trims it its own way."""


def flat_list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The rule, to be tried before `list`; whether such a list begins in the line `start`."""
    if silent or state.level or state.blkIndent:
        return False
    stop = start
    while stop < end and _ITEM.fullmatch(_line(state, stop)):
        stop += 1
    if stop - start < 2 or not _is_over(state, stop, end):
        return False
    token = state.push(FLAT_LIST, "", 0)
    token.map = [start, stop]
    token.meta["items"] = [_line(state, line)[2:].rstrip(" ") for line in range(start, stop)]
    state.line = stop
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]]


def _is_over(state: StateBlock, stop: int, end: int) -> bool:
    """Whether the list cannot go on: nothing follows, or behind an empty line what is no item."""
    following = stop
    while following < end and state.isEmpty(following):
        following += 1
    if following >= end:
        return True
    return following > stop and re.match(r"[^\s\-]", _line(state, following)) is not None
