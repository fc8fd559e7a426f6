"""Reading JSON5 (https://spec.json5.org): JSON as people write it, with comments, bare names and
commas at the end. It is rewritten as JSON, line for line, which the standard library then reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_DEEPEST = 200
_BLANK = r"(?:[\s\ufeff]|//[^\n\r\u2028\u2029]*|/\*.*?\*/)"
_TOKEN = re.compile(
    rf"(?P<blank>{_BLANK}+)"
    rf"|(?P<comma>,(?={_BLANK}*[\]}}]))"
    r"|(?P<mark>[\[\]{}:,])"
    r"""|(?P<text>"(?:[^"\\\n\r]|\\\r\n|\\.)*"|'(?:[^'\\\n\r]|\\\r\n|\\.)*')"""
    r"|(?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN"
    r"|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))(?![\w$])"
    r"|(?P<name>(?:[^\W\d]|[$_]|\\u[0-9a-fA-F]{4})(?:[\w$\u200c\u200d]|\\u[0-9a-fA-F]{4})*)"
    rf"(?:(?={_BLANK}*(?P<colon>:))|)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\r\n|.))", re.DOTALL)
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_ESCAPES |= dict.fromkeys(("\n", "\r\n", "\r", "\u2028", "\u2029"), "")
_MESSAGES = {
    "Expecting value": "a value",
    "Expecting property name enclosed in double quotes": "a name",
    "Extra data": "the end of the text",
}


def loads(text: str) -> Any:
    """The value a JSON5 text says; `ValueError` with line and expectation where it says none.

    Of a name that is given twice the last value counts, as in JSON.
    """
    try:
        return json.loads("".join(_as_json(text)))
    except json.JSONDecodeError as problem:
        what = _MESSAGES.get(problem.msg, problem.msg.removeprefix("Expecting "))
        raise ValueError(f"line {problem.lineno}: expected {what}") from problem


def _as_json(text: str) -> Iterator[str]:
    at, depth, before = 0, 0, "["
    while at < len(text):
        token = _TOKEN.match(text, at)
        piece = token[0] if token else text[at]
        kind = token.lastgroup if token else ""
        if depth > _DEEPEST:
            raise _expected(text, at, f"no more than {_DEEPEST} levels")
        if token is None or (kind == "name" and piece not in ("true", "false", "null")):
            what = f"the text to end with {piece}" if piece in "'\"" else f"a value, not {piece!r}"
            raise _expected(text, at, what)
        if kind == "blank":
            yield "\n" * piece.count("\n") or " "
        elif kind in ("text", "colon"):
            try:
                yield json.dumps(_unescaped(piece[1:-1] if kind == "text" else piece))
            except ValueError as problem:
                raise _expected(text, at, str(problem)) from problem
            yield "\n" * piece.count("\n")
        elif kind == "number":
            yield _number(piece)
        elif kind != "comma" or before in "[{:,":  # the last comma of a list that is not empty
            depth += (piece in "[{") - (piece in "]}")
            yield piece
        before = before if kind == "blank" else piece
        at = token.end()


def _expected(text: str, at: int, what: str) -> ValueError:
    line = text.count("\n", 0, at) + 1
    return ValueError(f"line {line}: expected {what}")


def _unescaped(text: str) -> str:
    def letter(found: re.Match[str]) -> str:
        if digits := found[1] or found[2]:
            return chr(int(digits, 16))
        if found[3] in "xu":
            raise ValueError(f"hexadecimal digits after \\{found[3]}")
        return _ESCAPES.get(found[3], found[3])

    read = _ESCAPE.sub(letter, text)
    # Two halves of a character beyond the basic plane make one.
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _number(text: str) -> str:
    sign, bare = "-" if text.startswith("-") else "", text.lstrip("+-")
    if bare.isdigit() or bare.startswith(("I", "N")):
        return sign + (bare.lstrip("0") or "0")
    return f"{sign}{int(bare, 16) if bare[:2] in ('0x', '0X') else float(bare)}"
