"""A file's bytes, block by block, as lines with their numbers and the place behind each.

Only LF ends a line. A line that is longer than any turn is told and skipped, without ever being
held whole; what stands behind the last line end is given as a line that may not be whole yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lorebank.records import dataclass

LONGEST_LINE = 16 * 2**20
"""Bytes. Pictures within a conversation take a few million."""


@dataclass(frozen=True, slots=True)
class Place:
    """How far a file was read, so that reading can go on there."""

    offset: int
    """Bytes that were read."""
    lines: int
    """Line ends among them."""
    skipping: bool = False
    """Whether that is inside of a line that is too long."""


START = Place(0, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end."""

    number: int
    """1-based."""
    data: bytes
    """Empty where the line is too long."""
    end: Place
    """Where reading goes on once this line is done with."""
    too_long: bool = False
    ended: bool = True
    """Whether a line end follows; without one, more of it may be written."""


def lines_of(
    blocks: Iterable[bytes], start: Place = START, *, longest: int = LONGEST_LINE
) -> Iterator[Line]:
    """The lines of a file whose bytes come in blocks, read from `start` on."""
    rest, offset, number, skipping = b"", start.offset, start.lines + 1, start.skipping
    for block in blocks:
        rest += block
        if skipping:
            end = rest.find(b"\n") + 1
            if not end:
                offset, rest = offset + len(rest), b""
                continue
            offset, rest, number, skipping = offset + end, rest[end:], number + 1, False
        *whole, rest = rest.split(b"\n")
        for data in whole:
            offset += len(data) + 1
            too_long = len(data) > longest
            yield Line(number, b"" if too_long else data, Place(offset, number), too_long)
            number += 1
        if len(rest) > longest:
            offset, rest, skipping = offset + len(rest), b"", True
            yield Line(number, b"", Place(offset, number - 1, skipping=True), too_long=True)
    if rest:
        yield Line(number, rest, Place(offset + len(rest), number - 1), ended=False)
