"""Reading JSON5: JSON as people write it, with comments, bare names and commas at the end.

The grammar is that of https://spec.json5.org. Errors name the line.
"""

from __future__ import annotations

import re
from typing import Any

_DEEPEST = 200
_BLANK = re.compile(r"(?:[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*", re.DOTALL)
_NAME = re.compile(r"(?:[^\W\d]|[$_]|\\u[0-9a-fA-F]{4})(?:\w|[$_\u200c\u200d]|\\u[0-9a-fA-F]{4})*")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_PLAIN = {quote: re.compile(rf"[^\\\n\r{quote}]+") for quote in "'\""}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_WORDS = {"true": True, "false": False, "null": None}


def loads(text: str) -> Any:
    """The value a JSON5 text says; `ValueError` with line and expectation where it says none.

    Of a name that is given twice the last value counts, as in JSON.
    """
    reader = _Reader(text)
    value = reader.value(0)
    reader.blank()
    if reader.at < len(text):
        raise reader.expected("the end of the text")
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def expected(self, what: str) -> ValueError:
        line = self.text.count("\n", 0, self.at) + 1
        found = self.text[self.at : self.at + 1]
        return ValueError(
            f"line {line}: expected {what}, not {found!r}"
            if found
            else f"line {line}: expected {what}, and the text ends"
        )

    def blank(self) -> None:
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]

    def take(self, mark: str) -> bool:
        self.blank()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise self.expected(f"no more than {_DEEPEST} levels")
        if self.take("{"):
            return self.table(depth)
        if self.take("["):
            return self.items(depth)
        first = self.text[self.at : self.at + 1]
        if first and first in "'\"":
            return self.string()
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            self._ends()
            return _number(number[0])
        name = _NAME.match(self.text, self.at)
        if name and name[0] in _WORDS:
            self.at = name.end()
            return _WORDS[name[0]]
        raise self.expected("a value")

    def table(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self.take("}"):
            name = self.name()
            if not self.take(":"):
                raise self.expected("':'")
            found[name] = self.value(depth + 1)
            if not self.take(","):
                if not self.take("}"):
                    raise self.expected("',' or '}'")
                break
        return found

    def items(self, depth: int) -> list[Any]:
        found: list[Any] = []
        while not self.take("]"):
            found.append(self.value(depth + 1))
            if not self.take(","):
                if not self.take("]"):
                    raise self.expected("',' or ']'")
                break
        return found

    def name(self) -> str:
        self.blank()
        if self.text[self.at : self.at + 1] in ("'", '"'):
            return self.string()
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise self.expected("a name")
        self.at = name.end()
        return re.sub(r"\\u(.{4})", lambda found: chr(int(found[1], 16)), name[0])

    def string(self) -> str:
        quote = self.text[self.at]
        self.at += 1
        parts: list[str] = []
        while not self.text.startswith(quote, self.at):
            if plain := _PLAIN[quote].match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
            elif self.text.startswith("\\", self.at):
                parts.append(self.escape())
            else:
                raise self.expected(f"the text to end with {quote}")
        self.at += 1
        # Two halves of a character beyond the basic plane make one.
        return "".join(parts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def escape(self) -> str:
        self.at += 1
        mark = self.text[self.at : self.at + 1]
        length = {"x": 2, "u": 4}.get(mark, 0)
        if length:
            digits = self.text[self.at + 1 : self.at + 1 + length]
            if not re.fullmatch(f"[0-9a-fA-F]{{{length}}}", digits):
                raise self.expected(f"{length} hexadecimal digits after \\{mark}")
            self.at += 1 + length
            return chr(int(digits, 16))
        if self.text.startswith("\r\n", self.at):
            self.at += 2
            return ""
        self.at += 1
        if mark in ("\n", "\r", "\u2028", "\u2029"):
            return ""
        return _ESCAPES.get(mark, mark)

    def _ends(self) -> None:
        """A number does not run into a word."""
        if _NAME.match(self.text, self.at):
            raise self.expected("the number to end")


def _number(text: str) -> int | float:
    sign = -1 if text.startswith("-") else 1
    bare = text.lstrip("+-")
    if bare[:2] in ("0x", "0X"):
        return sign * int(bare, 16)
    if bare.isdigit() and len(bare) < 1000:
        return sign * int(bare)
    return sign * float(bare.replace("Infinity", "inf"))
