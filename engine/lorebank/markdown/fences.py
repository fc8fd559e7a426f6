"""Which lines of a text stand in code fences, told by a line scan without a full parse."""

from __future__ import annotations

import re

_OPENING = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<run>`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSING = re.compile(r"[ \t>]*(?P<run>`{3,}|~{3,})[ \t]*\Z")


class FenceScanner:
    """Fed line by line, says of each whether it belongs to a code fence.

    Fences in list items and block quotes count as well.
    """

    __slots__ = ("closing",)

    def __init__(self) -> None:
        self.closing = ""
        """The run that would close the open fence; empty outside a fence."""

    def feed(self, line: str) -> bool:
        """Whether this line opens, continues or closes a fence."""
        if self.closing:
            closing = _CLOSING.match(line)
            if closing is not None and closing["run"].startswith(self.closing):
                self.closing = ""
            return True
        opening = _OPENING.match(line) if "```" in line or "~~~" in line else None
        if opening is None:
            return False
        self.closing = opening["run"]
        return True
