"""Values of a large JSON array, one at a time: memory holds the largest of them, not the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

BROKEN = "invalid-json"
"""The code of what ends the reading of a file."""

_READ = 1 << 20
"""Bytes read at a time."""
LARGEST_VALUE = 256_000_000
"""Characters of one value."""
_WHITE = re.compile(r"[ \t\r\n]*")
_ENDS = frozenset(",]} \t\r\n")
_AT_THE_END = 16
"""A literal, number or escape that is cut off stands so near to the end of what was read."""


class BrokenJson(Exception):
    """The text is no JSON from here on."""

    def __init__(self, message: str, line: int, column: int, offset: int) -> None:
        super().__init__(f"{message} at line {line}, column {column} (character {offset})")
        self.line = line
        """1-based, as `column` is; `offset` is 0-based."""


def json_values(stream: BinaryIO) -> Iterator[tuple[int, Any]]:
    """`(line, value)` of each element of the array that a stream holds; of any other value, itself.

    Raises `BrokenJson` where the text ends early or is no JSON; what came before it stands.
    """
    text = _Text(stream)
    if text.peek() != "[":
        yield text.line, text.value()
        text.expect_end()
        return
    text.skip(1)
    if text.peek() == "]":
        text.skip(1)
    else:
        while True:
            text.peek()
            yield text.line, text.value()
            mark = text.peek()
            if mark not in (",", "]"):
                raise text.broken("the array ends early" if not mark else "expected , or ]")
            text.skip(1)
            if mark == "]":
                break
    text.expect_end()


class _Text:
    """The part of a stream that is read and not yet understood."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._json = json.JSONDecoder()
        self._buffer = ""
        self._position = 0
        self._ended = False
        self._offset = 0
        self._column = 1
        self.line = 1

    def peek(self) -> str:
        """The next character that is not white space; "" at the end."""
        while True:
            found = _WHITE.match(self._buffer, self._position)
            assert found is not None
            self.skip(found.end() - self._position)
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._more(_READ):
                return ""

    def skip(self, count: int) -> None:
        """Go on, and keep count of lines."""
        end = self._position + count
        lines = self._buffer.count("\n", self._position, end)
        last = self._buffer.rfind("\n", self._position, end)
        self.line += lines
        self._column = end - last if lines else self._column + count
        self._offset += count
        self._position = end

    def value(self) -> Any:
        """The value that begins here."""
        wanted = _READ
        while True:
            try:
                value, end = self._json.raw_decode(self._buffer, self._position)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string")
                cut = cut or error.pos >= len(self._buffer) - _AT_THE_END
                past = error.pos - self._position
                if not cut or not self._more(wanted):
                    self.skip(past)
                    raise self.broken(error.msg.removesuffix(" at")) from None
            except (RecursionError, ValueError) as error:
                raise self.broken(f"cannot be read ({error})") from None
            else:
                length = end - self._position
                # Of `0.5`, a number, there may be only `0` or `0.` so far.
                cut = end >= len(self._buffer) - _AT_THE_END and self._buffer[end:][:1] not in _ENDS
                if not cut or not self._more(_READ):
                    self.skip(length)
                    return value
            # Twice as much each time: a value of any size is parsed a few times, not a thousand.
            wanted = max(_READ, len(self._buffer) - self._position)
            if wanted > LARGEST_VALUE:
                raise self.broken("one value is larger than 256 MB")

    def expect_end(self) -> None:
        if self.peek():
            raise self.broken("something follows the end of the value")

    def broken(self, message: str) -> BrokenJson:
        return BrokenJson(message, self.line, self._column, self._offset)

    def _more(self, wanted: int) -> bool:
        """Read on; whether there was anything."""
        if self._ended:
            return False
        data = self._stream.read(wanted)
        self._ended = not data
        fresh = self._decoder.decode(data, final=not data)
        self._buffer = self._buffer[self._position :] + fresh
        self._position = 0
        return bool(fresh) or not self._ended
