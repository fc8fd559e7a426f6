"""Secrets in text: where they stand and of what kind, and the text without them.

What is found: what has the form of a secret (`secret_forms`: keys and tokens by who issues them,
cards and accounts by their checksums, private key blocks, headers, passwords in URLs), and what the
words around call one (`secret_names`: passwords, PINs, door codes, seed phrases, in each language).
A redacted text is as long as it was, line for line, so every citation of it holds.

One pass over the text finds all hints and names; only lines that hold one are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any

from lorebank.language.secret_forms import (
    BREAKS_NUMBER,
    Form,
    broken_number,
    forms,
    heads,
    key_blocks,
    numbers,
    split_token,
    tokens,
)
from lorebank.language.secret_names import Name, secrets_named, seed_phrases, spellings
from lorebank.records import Record

MASK = "·"  # one for each character; it is no letter to a search and no mark to Markdown
NOT_SECRET = "<!-- not a secret -->"
"""At the end of a line, its owner's word that nothing on it is to be masked."""
_MARKED = re.compile(rf"[^\n]*{NOT_SECRET}\s*$", re.MULTILINE)
_LINE_BELOW = re.compile(r"(?:\r?\n[ \t]*){1,2}[^\r\n]{1,200}")
_BROKEN_OFF = re.compile(
    r"[ \t]*\r?\n[ \t]*(?=[^\s\d]*\d)(?=[^\sA-Za-z]*[A-Za-z])"
    r"[\w+/-]{16,200}={0,2}(?=[ \t]*(?:\r?\n|\Z))"
)
"""Below a token that ends its line, a line of nothing but letters and digits: its second half."""
_MOST_NAMES = 20_000
"""Of secrets in a text; from the line that names more on, all is masked, unread. A line of which
its owner says that it holds none does not count."""
_LONGEST_HEAD = 1_000  # characters; it may be a row of names without end
_AROUND_CELL = " \t*_`\"'"
_RUN = 20  # letters, digits, `_` or `-` in a row that every token has somewhere
_TOKEN_BYTES = bytes(
    ord("a") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_-") else ord(" ")
    for code in range(256)
)
_MAY_HOLD_NUMBER = re.compile(rb"[0-9]{2}[ -]?[0-9A-Z]{4}[ -]?[0-9]{2}")
"""Fixed runs that every card and account has."""
_PROGRAM_NAME = re.compile(r"[A-Z]{1,8}\Z")
"""What may stand right before a name in capitals: `PGPASSWORD`."""

Mark = Name | Form | int | Callable[[str], Iterator[tuple[str, int, int]]]
"""What says that a line may hold a secret: a name, the hint of a form, where a token begins that
may go on after a break, or what finds those without a hint."""


class Secret(Record):
    """One secret: what kind it is and where; never the secret itself."""

    kind: str  # `github-token`, `password`, `private-key`, …
    start: int  # offset in characters
    end: int


class Redacted(Record):
    """A text with its secrets masked, of the same length, and what was masked."""

    text: str
    secrets: tuple[Secret, ...]


def redact(text: str, looked_at: str | None = None) -> Redacted:
    """The text with each character of a secret masked; line endings stay. `looked_at` is the same
    text with those parts blank that are known to hold no secret."""
    secrets = find_secrets(text if looked_at is None else looked_at)
    pieces: list[str] = []
    position = 0
    for secret in secrets:
        masked = re.sub(r"[^\r\n]", MASK, text[secret.start : secret.end])
        pieces += (text[position : secret.start], masked)
        position = secret.end
    return Redacted("".join([*pieces, text[position:]]) if pieces else text, secrets)


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets of a text by place, none within another.

    >>> [(s.kind, s.start) for s in find_secrets("key AKIAIOSFODNN7EXAMPLE, see wiki")]
    [('aws-key', 4)]
    """
    found = [Secret(kind, start, end) for kind, start, end in key_blocks(text)]
    data = text.encode("latin-1", "replace")  # a byte a character
    for at in BREAKS_NUMBER.finditer(data):
        found += [Secret(*number) for number in broken_number(text, at.end())]
    seeds: list[tuple[int, bool]] = []
    left = _MOST_NAMES
    for start, line, marks in _lines(text, data):
        left -= sum(isinstance(mark, Name) for mark in marks)
        if left < 0:
            found.append(Secret("all from here on: split the file", start, len(text)))
            break
        here = list(_formed(line, marks))
        if names := _outermost([mark for mark in marks if isinstance(mark, Name)], start):
            here += secrets_named(line, names)
            found += [Secret(*below) for below in _in_columns(text, start, line, names)]
            for name in names:
                if "seed" in name.kinds or "weak_seed" in name.kinds:
                    seeds.append((start + name.end, "seed" not in name.kinds))
        found += [Secret(kind, start + begins, start + ends) for kind, begins, ends in here]
        for head in (mark for mark in marks if isinstance(mark, int)):
            if (token := split_token(text, head)) is not None:
                found.append(Secret(*token))
    for number, secret in enumerate(found):
        if secret.kind == "token" and (rest := _BROKEN_OFF.match(text, secret.end)):
            found[number] = Secret(secret.kind, secret.start, rest.end())
    for begins, ends in seed_phrases(text, seeds):
        if not _MARKED.match(text, ends):
            found.append(Secret("seed-phrase", begins, ends))
    return _apart(found)


def _formed(line: str, marks: list[Mark]) -> Iterator[tuple[str, int, int]]:
    for find in (tokens, numbers):
        if find in marks:
            yield from find(line)
    for form in dict.fromkeys(mark for mark in marks if isinstance(mark, Form)):
        for found in form.pattern.finditer(line):
            if form.counts(found["value"]):
                yield form.kind, *found.span("value")


def _lines(text: str, data: bytes) -> Iterator[tuple[int, str, list[Mark]]]:
    """Start and text of each line that may hold a secret, and what in it says so; a line of which
    its owner says that it holds none is left out."""
    marks = sorted(_marks(text, data), key=itemgetter(0))
    at = 0
    while at < len(marks):
        start = text.rfind("\n", 0, marks[at][0]) + 1
        end = text.find("\n", marks[at][0])
        end = end if end >= 0 else len(text)
        first = at
        while at < len(marks) and marks[at][0] < max(end, start + 1):
            at += 1
        line, found = text[start:end].rstrip(), marks[first:at]
        if line.endswith(NOT_SECRET):
            continue
        ends_named = isinstance(found[-1][1], Name) and found[-1][1].end == start + len(line)
        goes_on = ends_named or line.endswith((":", "="))
        below = _LINE_BELOW.match(text, end) if goes_on else None
        is_beside = below and ends_named and _indent(below.group()) <= _indent(line)
        if below and not (is_beside or below.group().endswith(NOT_SECRET)):
            line = text[start : below.end()]  # `password:`, and the password below
        yield start, line, [mark for _, mark in found]


def _indent(line: str) -> int:
    bare = line.lstrip("\r\n")
    return len(bare) - len(bare.lstrip(" \t"))


def _in_columns(
    text: str, start: int, line: str, names: list[Name]
) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of secrets in the rows below a line that heads columns with their names,
    in a table or in values set apart by tabs, semicolons or commas."""
    mark = next((mark for mark in "|\t;," if mark in line), "")
    if not mark or len(line) > _LONGEST_HEAD:
        return
    heads: dict[int, Name] = {}
    for name in names:
        begin, end = line.rfind(mark, 0, name.start) + 1, line.find(mark, name.end)
        cell = line[begin : end if end >= 0 else None]
        if cell.strip(_AROUND_CELL) == line[name.start : name.end]:
            heads[line.count(mark, 0, name.start)] = name
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    if not heads or above.count(mark) == line.count(mark):  # a row itself
        return
    at = text.find("\n", start) + 1
    while 0 < at < len(text):
        end = text.find("\n", at)
        row = text[at : end if end >= 0 else len(text)].rstrip()
        if row.count(mark) != line.count(mark):
            return
        cells = row.split(mark) if not row.endswith(NOT_SECRET) else []
        for column, name in heads.items() if cells else ():
            cell = cells[column].strip(_AROUND_CELL)
            if " " not in cell or "pin" in name.kinds:
                head = f"{line[name.start : name.end]}→"
                place = at + row.find(cell, len(mark.join([*cells[:column], ""]))) - len(head)
                value = Name(name.kinds, 0, name.end - name.start)
                for kind, begins, ends in secrets_named(head + cell, [value]):
                    yield kind, place + begins, place + ends
        at = end + 1


def _marks(text: str, data: bytes) -> Iterator[tuple[int, Mark]]:
    """Where in the text something says that a line may hold a secret, and what it is."""
    for place in _long_runs(data):
        yield place, tokens
    for number in _MAY_HOLD_NUMBER.finditer(data):
        yield number.start(), numbers
    low = text.lower()
    if len(low) != len(text):
        low = "".join(char.lower()[0] for char in text)
    formed: dict[str, int] = {}
    for last, (hint, hinted, begins_token, names) in _automaton().iter(low):
        start, end = last + 1 - len(hint), last + 1
        if begins_token and not text[start - 1 : start].isalnum():
            yield start, start
        if hinted and start > formed.get(hint, -1):  # a line is read against a form once
            formed[hint] = text.find("\n", start) % (len(text) + 1)
            for form in hinted:
                yield start, form
        # A name of several languages has a row of each.
        kinds = dict.fromkeys(kind for kind, *way in names if _stands_alone(text, start, end, *way))
        if kinds:
            goes_on = hint[-1] < "\u2e80" and any(way[2] for way in names)
            while goes_on and text[end : end + 1].isalpha():
                end += 1
            yield start, Name(tuple(kinds), start, end)


def _stands_alone(
    text: str, start: int, end: int, goes_before: bool, goes_on: bool, capitals: bool
) -> bool:
    """Whether a name is a word of its own there, as its language has it."""
    if capitals and not text[start:end].isupper():
        return False
    if not goes_on and text[end : end + 1].isalpha():
        return False
    before = text[max(0, start - 9) : start]
    if goes_before or not before[-1:].isalnum():
        return True
    if text[start].isupper() and before[-1].islower():  # `dbPassword`
        return True
    return text[start:end].isupper() and _PROGRAM_NAME.search(before) is not None


def _outermost(names: list[Name], start: int) -> list[Name]:
    """The names of a line that are in no longer one, by their place in the line."""
    kept: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start, -name.end)):
        if not kept or name.end > kept[-1].end:
            kept.append(name)
    return [Name(name.kinds, name.start - start, name.end - start) for name in kept]


@cache
def _automaton() -> Any:
    """An automaton that finds all hints and names in one pass over a text in small letters."""
    import ahocorasick  # an extension module, not needed to import this one

    automaton = ahocorasick.Automaton()
    by_hint: dict[str, list[Form]] = {}
    for form in forms():
        for hint in form.hints:
            by_hint.setdefault(hint, []).append(form)
    begin = {head.lower() for head in heads()}
    for hint in {*by_hint, *begin, *spellings()}:
        row = (hint, by_hint.get(hint, ()), hint in begin, spellings().get(hint, ()))
        automaton.add_word(hint, row)
    automaton.make_automaton()
    return automaton


def _long_runs(data: bytes) -> Iterator[int]:
    """Where twenty or more letters and digits in a row begin."""
    runs = data.translate(_TOKEN_BYTES)
    sought = b"a" * _RUN
    place = runs.find(sought)
    while place >= 0:
        end = runs.find(b" ", place)
        run = data[place : end if end >= 0 else len(data)].strip(b"-_")
        if run and not (run.isalpha() and run.islower()):
            yield place
        place = runs.find(sought, end) if end >= 0 else -1


def _apart(found: list[Secret]) -> tuple[Secret, ...]:
    """By place; of two that overlap, the wider takes in the other."""
    kept: list[Secret] = []
    for secret in sorted(found, key=lambda s: (s.start, -s.end)):
        if kept and secret.start < kept[-1].end:
            if secret.end > kept[-1].end:
                kept[-1] = Secret(kept[-1].kind, kept[-1].start, secret.end)
            continue
        kept.append(secret)
    return tuple(kept)
