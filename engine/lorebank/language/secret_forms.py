"""What a secret's own form says: keys and tokens by who issues them, headers, checksums, blocks.

The kinds are those that gitleaks, detect-secrets and trufflehog look for; the table is in our own
words. As there, a line is read against a form only where it holds one of the form's hints: all of
them are sought in one pass over the text.

A card and an account number carry a checksum (Luhn, ISO 7064 mod 97), so that an ordinary number of
the same length is mistaken for one in ten or one in ninety-seven cases.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from lorebank.language.secret_values import is_mixed, is_password, is_placeholder, is_random

_HEADS = "AKIA ASIA AIza eyJ SG. AGE-SECRET-KEY- whsec_ sk-"
"""Beginnings of tokens that are not among the prefixes."""
_TELLING_HEAD = 4
_SPLIT = re.compile(
    r"(?P<head>[\w.-]{7,80})"
    r"(?:[\"']\s?\+\s{0,8}[\"']|[ \t\\+>…]{0,3}(?:[ \t]|\r?\n)[ \t\\+>…]{0,3})"
    r"(?P<tail>[\w-]{4,80})"
)
_WORD = re.compile(r"(?:[A-Za-z]?[a-z]+|[\d-]+)\Z")  # what follows a whole token: a word, a date
_DRAWN = r"[A-Za-z0-9_][\w+/-]{14,}(?:\.[\w-]{6,}){0,4}={0,2}"
_UNKNOWN_ISSUER = re.compile(
    r"(?<![\w/.-])(?P<prefix>[A-Za-z][A-Za-z0-9]{1,12}[_-](?:[A-Za-z0-9]{2,10}[_-]){0,3})"
    r"(?P<value>[A-Za-z0-9]{24,})(?![\w./-])"
)
"""As most issuers make tokens now: who and what it is for, and what was drawn."""
_TELLING_PREFIX = re.compile(r"(?i)key|tok|secret|live|test|prod|api|pat|sk|pk|auth")

_CARD = re.compile(r"(?<![\w.,-])(?P<value>[2-6]\d{3}(?:[ \xa0-]?\d){8,15})(?![\w-]|[.,]\d)")
_ACCOUNT = re.compile(
    r"(?<![A-Za-z0-9])(?P<value>[A-Z]{2}\d{2}(?:[ \xa0-]?[A-Z0-9]){11,30}"
    r"|[a-z]{2}\d{2}(?:[ \xa0-]?(?:[a-z]{4}|\d{4})){2,7}(?: ?\d{1,3})?)(?![A-Za-z0-9])"
)
BREAKS_NUMBER = re.compile(rb"\n(?=[ \t>]{0,8}[0-9][0-9A-Z -]{3,40}\r?(?:\n|\Z))")
"""The break of a number over two lines; the second holds nothing else."""
_REST_OF_NUMBER = re.compile(r"[ \t>]{0,8}(?P<rest>[0-9A-Z -]{3,40}[0-9A-Z])[ \t]*\r?(?=\n|\Z)")
_LONGER_HALF = 8  # characters: a list of short numbers is none
_PRODUCT_KEY = re.compile(
    r"(?<![\w-])(?=[\d-]*[A-Za-z])(?=[A-Za-z-]*\d)"
    r"(?P<value>[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){4})(?![\w-])"
)
_PUTTY_KEY = re.compile(
    r"(?:PuTTY-User-Key-File-\d(?:[^\n]*\n){1,80}?)?Private-Lines: *\d+[ \t]*"
    r"(?:\r?\n[A-Za-z0-9+/=]{4,}(?=\r?\n|\Z))+(?:\r?\nPrivate-MAC: *[0-9a-f]+)?"
)
_KEY_BLOCK = re.compile(
    r"-----BEGIN (?P<label>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
    r"(?:.*?-----END (?P=label)-----|(?:[ \t>]*\r?\n[ \t>]*[A-Za-z0-9+/=:,\- ]{8,}(?=\r?\n|\Z))*)",
    re.DOTALL,
)


class Form(NamedTuple):
    """A form of secrets: the kind, what a line that holds one holds in small letters, how it is
    written (group `value`), and which of what is written so counts."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    counts: Callable[[str], bool]


def _is_typed(value: str) -> bool:
    return is_password(value, "", quoted=True)


def _is_drawn(value: str) -> bool:
    return is_random(value, sure=True)


def _is_login(value: str) -> bool:
    """Whether it is `user:password` in base64."""
    try:
        decoded = b64decode(value, validate=True)
    except ValueError:
        return False
    return re.fullmatch(rb"[!-9;-~]+:[ -~]+", decoded) is not None


_COUNTS: dict[str, Callable[[str], bool]] = {
    "any": bool,
    "typed": _is_typed,
    "drawn": _is_drawn,
    "login": _is_login,
    "drawn-with-digit": lambda value: any(map(str.isdigit, value)) and _is_drawn(value),
    "mixed-case": lambda value: (
        is_mixed(value, stated=False) and value.lower() != value != value.upper()
    ),
}


@cache
def _table() -> Mapping[str, Any]:
    import tomllib  # not needed to import this module

    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def forms() -> tuple[Form, ...]:
    """Those that are read where one of their hints stands."""
    return tuple(
        Form(
            row["kind"],
            tuple(row["hints"]),
            re.compile("".join(row["pattern"])),
            _COUNTS[row["counts"]],
        )
        for row in _table()["forms"]
    )


@cache
def _tokens() -> re.Pattern[str]:
    """One expression for all issuers; `lastgroup` names the kind where the prefix does not."""
    named = ((kind.replace("-", "_"), "".join(said)) for kind, said in _table()["tokens"].items())
    kinds = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in named)
    prefixes = "|".join(map(re.escape, sorted(_kind_of_prefix(), key=len, reverse=True)))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{kinds}|(?P<prefix>{prefixes})(?P<drawn>{_DRAWN}))")


@cache
def _kind_of_prefix() -> dict[str, str]:
    return {
        prefix: kind
        for kind, prefixes in _table()["prefixes"].items()
        for prefix in prefixes.split()
    }


def _token_kind(token: re.Match[str]) -> str | None:
    """The kind of a token; None: only its prefix looks like one."""
    if token["prefix"] is None:
        return None if is_placeholder(token.group()) else str(token.lastgroup).replace("_", "-")
    return _kind_of_prefix()[token["prefix"]] if _is_drawn(token["drawn"]) else None


def tokens(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each token and key in a line."""
    for token in _tokens().finditer(line):
        kind = _token_kind(token)
        if kind is not None:
            yield kind, *token.span()
    for found in _UNKNOWN_ISSUER.finditer(line):
        sure = _TELLING_PREFIX.search(found["prefix"]) is not None
        if any(map(str.isdigit, found["value"])) and is_random(found["value"], sure=sure):
            yield "token", *found.span()
    for found in _PRODUCT_KEY.finditer(line):
        yield "product-key", *found.span()


def numbers(line: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of each card and account number in a line."""
    for found in _CARD.finditer(line):
        digits = re.sub(r"\D", "", found.group())
        if len(digits) in (13, 14, 15, 16, 19) and _luhn(digits) and len(set(digits)) > 1:
            yield "card-number", *found.span()
    for found in _ACCOUNT.finditer(line):
        places = [at for at in range(*found.span()) if line[at].isalnum()]
        number = "".join(line[at] for at in places).upper()
        for length in range(len(places), 14, -1):
            end = places[length - 1] + 1
            if not line[end : end + 1].isalnum() and _mod_97(number[:length]):
                yield "bank-account", places[0], end
                break


def broken_number(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of both halves of a card or account number that is broken in two: the
    line of the second begins at `at`."""
    first = text.rfind("\n", 0, at - 1) + 1
    above, below = text[first:at].rstrip(), _REST_OF_NUMBER.match(text, at)
    if below is None or not above[-1:].isalnum():
        return
    begin, cut = below.start("rest"), len(above)
    for kind, start, end in numbers(f"{above} {below['rest']}"):
        halves = (cut - start, end - cut - 1)
        if min(halves) > 0 and max(halves) >= _LONGER_HALF:
            yield kind, first + start, first + cut
            yield kind, begin, begin + halves[1]


def heads() -> list[str]:
    """Beginnings of tokens, long enough to tell one that goes on after a break."""
    return [*(head for head in _kind_of_prefix() if len(head) >= _TELLING_HEAD), *_HEADS.split()]


def split_token(text: str, start: int) -> tuple[str, int, int] | None:
    """Kind, start and end of a token that begins there and was broken in two: by a mail program, a
    second message, a `+` of a program."""
    found = _SPLIT.match(text, start)
    if found is None or found["tail"].isdigit() or _WORD.match(found["tail"]):
        return None
    whole = _tokens().fullmatch(found["head"] + found["tail"])
    kind = _token_kind(whole) if whole is not None else None
    return (kind, *found.span()) if kind is not None else None


def key_blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of private keys that go over several lines."""
    if any(each in text for each in ("PRIVATE KEY", "Private-Lines", "OpenVPN Static key")):
        for pattern in (_KEY_BLOCK, _PUTTY_KEY):
            for block in pattern.finditer(text):
                yield "private-key", *block.span()


def _luhn(digits: str) -> bool:
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def _mod_97(account: str) -> bool:
    return int("".join(str(int(c, 36)) for c in account[4:] + account[:4])) % 97 == 1
