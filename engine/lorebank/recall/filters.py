"""Filters: what a flag or a field of the question asks for, as days, kinds and names.

A filter that is not understood is an error, never "no filter". In the text of a question stand
fields and exclusions: `kind:opinion`, `tag:home`, `-word`, `NOT "a phrase"`. They are what search
boxes have in common, and nothing cleverer: only a minus glued to a word, or `NOT` in capitals,
leaves something out; "without" and "not" are words like others. A minus before a digit (`-5`) or a
second minus (`--force`) is no exclusion, and nothing inside quotation marks is. A pasted command is
a string: where the text has an option (`--force`, `-x`, `-aHx`), where a plain word follows a
`-word`, or where the notes hold one with its minus (`java -version`), that minus is no exclusion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from lorebank.dates.query import parse_bound
from lorebank.domain.facts import FactKind, Interval, Origin
from lorebank.errors import UsageError
from lorebank.index.finding import Selection
from lorebank.index.items import NOTE
from lorebank.language.folding import fold, slugify
from lorebank.language.words import stop_words, words
from lorebank.records import Record

NameLookup = Callable[[Sequence[str]], Mapping[str, tuple[str, str]]]
"""Folded names → those that are entities, as `(entity slug, display name)`."""

DATE_HINT = "use 2025-11-27, 30d, 'last week' or 'November 2025'"


class Filters(Record):
    """Nothing outside of these may be answered."""

    wanted: Selection = Selection()
    unwanted: Selection = Selection()
    """`-word`, `NOT word`, `-"a phrase"`, `-kind:note`."""


def parse_tag(text: str) -> str:
    """A tag as tags are kept: folded, without the `#` before it."""
    return fold(text.removeprefix("#").strip("/"))


def parse_item_kind(kind: FactKind | str) -> str:
    """A kind of hit by its word, or a kind of fact by its letter; `UsageError` for anything else.

    >>> parse_item_kind("O")
    'opinion'
    """
    wanted = kind.strip().lower()
    if wanted == NOTE:
        return NOTE
    for known in FactKind:
        if wanted in (known.value, known.letter.lower()):
            return known.value
    choices = ", ".join(f"{known.value} ({known.letter})" for known in FactKind)
    raise UsageError(f"unknown kind '{kind}'", hint=f"use one of {choices}, {NOTE}")


def parse_origin(text: str) -> str:
    """An origin by its word; `UsageError` for anything else."""
    word = text.strip().lower()
    if word not in set(Origin):
        raise UsageError(f"unknown origin '{text}'", hint=f"use one of {', '.join(Origin)}")
    return word


def parse_day(
    value: date | str | None, today: date, flag: str, *, side: str = "start"
) -> date | None:
    """A day given as a date or as text; for a longer span, its first or last day (`side`)."""
    if value is None or isinstance(value, date):
        return value
    day = parse_bound(value, today, side=side)
    if day is None:
        raise UsageError(f"--{flag} '{value}' is not a date that can be understood", hint=DATE_HINT)
    return day


def parse_single_day(value: date | str | None, today: date, flag: str) -> date | None:
    """As `parse_day`; raises `UsageError` for what names more days than one, as "friday-ish" does:
    a line stands in the log of one day."""
    first = parse_day(value, today, flag)
    if first != parse_day(value, today, flag, side="end"):
        raise UsageError(f"--{flag} '{value}' does not name one day", hint=DATE_HINT)
    return first


def parse_interval(
    since: date | str | None, until: date | str | None, today: date
) -> Interval | None:
    """The span between two flags, both days included; `None` where neither was given."""
    first = parse_day(since, today, "since")
    last = parse_day(until, today, "until", side="end")
    if first is None and last is None:
        return None
    if first is not None and last is not None and last < first:
        raise UsageError(
            f"--until {last} lies before --since {first}", hint="exchange the two days"
        )
    return Interval(first, last)


# -- fields in the text of a question -----------------------------------------------------------

QUOTED = r'"[^"]+"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|»[^«]+«|「[^」]+」'
_FIELDS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "entity": ("entities", str),
    "kind": ("kinds", parse_item_kind),
    "tag": ("tags", parse_tag),
    "origin": ("origins", parse_origin),
    "by": ("authors", str),
    "path": ("paths", lambda place: place.partition("#L")[0]),
}
"""Field → the part of a `Selection` that lists what it asks for, and how a value is read."""
_TIMES = ("since", "until", "after", "before", "on")
_KEYS = "|".join((*_FIELDS, "source", *_TIMES))
_ELSEWHERE = "author|created|date|file|from|has|in|is|modified|status|title|to|type|year"
_PIECE = re.compile(
    rf"(?<!\S)(?P<no>-|NOT\s+)?(?P<key>(?i:{_KEYS})):(?P<value>{QUOTED}|[^\s\"]+)"
    rf"|(?<!\S)(?:-|NOT\s+)(?:(?P<phrase>{QUOTED})|(?P<word>[@#]?[^\W\d_][^\s\"]+))"
    rf"|(?P<quoted>{QUOTED})"
)
_OPTION = re.compile(r"(?<!\S)(?:--\w|-(?:[A-Za-z]{1,2}|[a-z]+[A-Z]\w*)(?!\S))")
"""What only a command has: `--force`, `-x`, `-la`, `-aHx`."""
_GOES_ON = re.compile(r"\s+(?![-–#@]|NOT\s)[\w./~$]")
_EMPTY = re.compile(rf"(?<!\S)-?({_KEYS}):(?!\S)", re.IGNORECASE)
_FOREIGN = re.compile(rf"(?<!\S)-?({_ELSEWHERE}):(?=[^\s/])", re.IGNORECASE)


def read_fields(
    text: str,
    now: date,
    filters: Filters,
    lookup: NameLookup,
    notes: list[str],
    stands: Callable[[str], bool] = lambda option: False,
) -> tuple[str, Filters]:
    """Take fields and exclusions out of the text and into the filters; `notes` gets what to say.

    `stands` says whether the notes hold a `-word` as it is typed. Raises `UsageError` for a field
    whose value makes no sense.
    """
    reader = _FieldReader(text, now, filters, lookup)
    reader.is_command = bool(_OPTION.search(text)) or any(
        stands(f"-{_bare(piece['word'])}")
        for piece in _PIECE.finditer(text)
        if piece["word"] and piece.group().startswith("-")
    )
    plain = _PIECE.sub(reader.read, text)
    left_out = reader.unwanted.words
    alone = reader.wanted == Selection() and reader.unwanted == Selection(words=left_out)
    if left_out and alone and not words(plain):
        # Everything but a word is no answer to anything; a lone `-crash` is a word typed oddly.
        plain, found = " ".join(left_out), filters
        reader.notes.append(
            "nothing is asked for beside what to leave out; it was searched as words"
        )
    else:
        for empty in _EMPTY.finditer(plain):
            reader.notes.append(f"'{empty[1]}:' has no value after its colon; it was left aside")
        for foreign in _FOREIGN.finditer(plain):
            reader.notes.append(f"'{foreign[1]}:' is no field here; it was searched as words")
        plain, found = _EMPTY.sub(" ", plain), Filters(reader.wanted, reader.unwanted)
    notes += dict.fromkeys(reader.notes)
    return plain, found


def unquoted(text: str) -> str:
    """A value without the quotation marks around it."""
    return text[1:-1] if re.fullmatch(QUOTED, text) else text


def _bare(word: str) -> str:
    return word.strip().rstrip(".,;:!?)")


def exclusions(unwanted: Selection) -> Iterator[tuple[str, Selection]]:
    """Each exclusion as a question would write it, without the minus, and alone: `tea`,
    `"a phrase"`, `kind:note`."""
    for word in unwanted.words:
        yield (f'"{word}"' if " " in word else word), Selection(words=(word,))
    for key, (name, _) in _FIELDS.items():
        for value in getattr(unwanted, name):
            only: Any = (value,)
            yield f"{key}:{value}", Selection(**{name: only})


class _FieldReader:
    """One pass over a question, piece by piece."""

    def __init__(self, text: str, now: date, filters: Filters, lookup: NameLookup) -> None:
        self.text = text
        self.is_command = False
        self.now = now
        self.wanted, self.unwanted = filters.wanted, filters.unwanted
        self.lookup = lookup
        self.notes: list[str] = []

    def read(self, piece: re.Match[str]) -> str:
        """Note what a piece asks for; returns what stays in its place."""
        written = piece.group()
        if piece["quoted"] or (written.startswith("NOT") and self.text.isupper()):
            return written
        if piece["key"]:
            self._read_field(piece["key"].lower(), unquoted(piece["value"]), bool(piece["no"]))
        elif written.startswith("-") and self._is_of_command(piece):
            return written
        else:
            self._leave_out(_bare(unquoted(piece["phrase"] or piece["word"])))
        return " "

    def _is_of_command(self, piece: re.Match[str]) -> bool:
        """Whether a minus is an option's, and not meant for what follows it."""
        if self.is_command:
            return True
        word = piece["word"] or ""
        goes_on = _GOES_ON.match(self.text, piece.end())
        field = goes_on is not None and _PIECE.match(self.text, goes_on.end() - 1)
        return word.isascii() and word.isalpha() and goes_on is not None and not field

    def _read_field(self, key: str, value: str, excluded: bool) -> None:
        key = "path" if key == "source" else key
        if key in _TIMES and excluded:
            raise UsageError(
                f"-{key}:{value} leaves out a time, which is not possible",
                hint="use since:, until:, before: or after: to say what is wanted",
            )
        if key in _TIMES:
            self._narrow(key, value)
        elif excluded:
            self.unwanted = self._with_field(self.unwanted, key, value)
        elif key == "path":  # one at a time, the last one said
            self.wanted = self._with_field(replace(self.wanted, paths=()), key, value)
        else:
            self.wanted = self._with_field(self.wanted, key, value)

    def _with_field(self, selection: Selection, key: str, value: str) -> Selection:
        """A selection that asks for what a field says as well."""
        name, read = _FIELDS[key]
        asked = self._slug(value) if key == "entity" else read(value)
        listed: Any = (*getattr(selection, name), asked)
        return replace(selection, **{name: listed})

    def _leave_out(self, words: str) -> None:
        if words[:1] in ("@", "#"):
            key = "entity" if words.startswith("@") else "tag"
            self.unwanted = self._with_field(self.unwanted, key, words)
        elif fold(words) in stop_words():
            self.notes.append(f"'{words}' stands nearly everywhere; it was not left out")
        elif words:
            self.unwanted = replace(self.unwanted, words=(*self.unwanted.words, words))

    def _slug(self, name: str) -> str:
        slug = slugify(name.removeprefix("@"))
        known = self.lookup([slug]).get(slug)
        if known is None:
            self.notes.append(f"no entity '{name.removeprefix('@')}' is known")
        return known[0] if known else slug

    def _narrow(self, key: str, value: str) -> None:
        first = parse_bound(value, self.now, side="start")
        last = parse_bound(value, self.now, side="end")
        if first is None or last is None:
            raise UsageError(f"{key}:{value} is not a date that can be understood", hint=DATE_HINT)
        day = timedelta(days=1)
        interval = self.wanted.interval or Interval(None, None)
        narrowed = {
            "since": replace(interval, start=first),
            "after": replace(interval, start=last + day),
            "until": replace(interval, end=last),
            "before": replace(interval, end=first - day),
            "on": Interval(first, last),
        }
        self.wanted = replace(self.wanted, interval=narrowed[key])
