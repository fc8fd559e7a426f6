"""Fields and exclusions of a question: `kind:opinion`, `tag:home`, `-word`, `NOT "a phrase"`.

What search boxes have in common, and nothing cleverer: only a minus glued to a word, or `NOT` in
capitals, leaves something out; "without" and "not" are words like others. A minus before a digit
(`-5`) or a second minus (`--force`) is no exclusion, and nothing inside quotation marks is. A
pasted command is a string: where the text has an option (`--force`, `-x`, `-aHx`), or a plain word
follows a `-word`, that minus is no exclusion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from lorebank.dates.query import parse_bound
from lorebank.domain.facts import Interval
from lorebank.errors import UsageError
from lorebank.index.selection import Selection
from lorebank.language.folding import fold, slugify
from lorebank.language.words import stop_words, words
from lorebank.recall.filters import (
    DATE_HINT,
    Filters,
    parse_item_kind,
    parse_origin,
    parse_tag,
)
from lorebank.records import dataclass

NameLookup = Callable[[Sequence[str]], Mapping[str, tuple[str, str]]]
"""Folded names → those that are entities, as `(entity slug, display name)`."""

QUOTED = r'"[^"]+"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|»[^«]+«|「[^」]+」'
_TIMES = ("since", "until", "after", "before", "on")
_KEYS = ("kind", "entity", "path", "source", "tag", "origin", "by", *_TIMES)
_ELSEWHERE = "author|created|date|file|from|has|in|is|modified|status|title|to|type|year"
_PIECE = re.compile(
    rf"(?<!\S)(?P<no>-|NOT\s+)?(?P<key>(?i:{'|'.join(_KEYS)})):(?P<value>{QUOTED}|[^\s\"]+)"
    rf"|(?<!\S)(?:-|NOT\s+)(?:(?P<phrase>{QUOTED})|(?P<word>[@#]?[^\W\d_][^\s\"]+))"
    rf"|(?P<quoted>{QUOTED})"
)
_OPTION = re.compile(r"(?<!\S)(?:--\w|-(?:[A-Za-z]{1,2}|[a-z]+[A-Z]\w*)(?!\S))")
"""What only a command has: `--force`, `-x`, `-la`, `-aHx`."""
_GOES_ON = re.compile(r"\s+(?![-–#@]|NOT\s)[\w./~$]")
_EMPTY = re.compile(rf"(?<!\S)-?({'|'.join(_KEYS)}):(?!\S)", re.IGNORECASE)
_FOREIGN = re.compile(rf"(?<!\S)-?({_ELSEWHERE}):(?=[^\s/])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fields:
    """A question without its fields, and what they asked for."""

    text: str
    filters: Filters
    notes: tuple[str, ...]


def read_fields(text: str, now: date, filters: Filters, lookup: NameLookup) -> Fields:
    """Take fields and exclusions out of the text and into the filters.

    Raises `UsageError` for a field whose value makes no sense.
    """
    reader = _Reader(text, now, filters, lookup)
    plain = _PIECE.sub(reader.read, text)
    left_out = reader.unwanted.words
    alone = reader.wanted == Selection() and reader.unwanted == Selection(words=left_out)
    if left_out and alone and not words(plain):
        # Everything but a word is no answer to anything; a lone `-crash` is a word typed oddly.
        note = "nothing is asked for beside what to leave out; it was searched as words"
        return Fields(" ".join(left_out), filters, (*reader.notes, note))
    for found in _EMPTY.finditer(plain):
        reader.notes.append(f"'{found[1]}:' has no value after its colon; it was left aside")
    for found in _FOREIGN.finditer(plain):
        reader.notes.append(f"'{found[1]}:' is no field here; it was searched as words")
    found_filters = Filters(reader.wanted, reader.unwanted)
    return Fields(_EMPTY.sub(" ", plain), found_filters, tuple(dict.fromkeys(reader.notes)))


def unquoted(text: str) -> str:
    """A value without the quotation marks around it."""
    return text[1:-1] if re.fullmatch(QUOTED, text) else text


class _Reader:
    """One pass over a question, piece by piece."""

    def __init__(self, text: str, now: date, filters: Filters, lookup: NameLookup) -> None:
        self.text = text
        self.shouting = text.isupper()
        self.is_command = bool(_OPTION.search(text))
        self.now = now
        self.wanted, self.unwanted = filters.wanted, filters.unwanted
        self.lookup = lookup
        self.notes: list[str] = []

    def read(self, piece: re.Match[str]) -> str:
        """Note what a piece asks for; returns what stays in its place."""
        if piece["quoted"] or (self.shouting and piece.group().startswith("NOT")):
            return piece.group()
        if piece["key"]:
            self._read_field(piece["key"].lower(), unquoted(piece["value"]), bool(piece["no"]))
        elif piece.group().startswith("-") and self._is_of_command(piece):
            return piece.group()
        else:
            self._leave_out(unquoted(piece["phrase"] or piece["word"]).strip().rstrip(".,;:!?)"))
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
        if key in _TIMES and excluded:
            raise UsageError(
                f"-{key}:{value} leaves out a time, which is not possible",
                hint="use since:, until:, before: or after: to say what is wanted",
            )
        if key in _TIMES:
            self._narrow(key, value)
        elif excluded:
            self.unwanted = self._with_field(self.unwanted, key, value)
        elif key in ("path", "source"):  # one at a time, the last one said
            self.wanted = self._with_field(replace(self.wanted, paths=()), key, value)
        else:
            self.wanted = self._with_field(self.wanted, key, value)

    def _with_field(self, selection: Selection, key: str, value: str) -> Selection:
        """A selection that asks for what a field says as well."""
        if key == "kind":
            return replace(selection, kinds=(*selection.kinds, parse_item_kind(value)))
        if key == "entity":
            return replace(selection, entities=(*selection.entities, self._slug(value)))
        if key == "tag":
            return replace(selection, tags=(*selection.tags, parse_tag(value)))
        if key == "origin":
            return replace(selection, origins=(*selection.origins, parse_origin(value)))
        if key == "by":
            return replace(selection, authors=(*selection.authors, value))
        return replace(selection, paths=(*selection.paths, value.partition("#L")[0]))

    def _leave_out(self, words: str) -> None:
        if words.startswith("@"):
            self.unwanted = self._with_field(self.unwanted, "entity", words)
        elif words.startswith("#"):
            self.unwanted = self._with_field(self.unwanted, "tag", words)
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
