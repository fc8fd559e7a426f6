"""The lattice: which tags each stretch of tokens may bear, and rules walking over them.

An edge says that the tokens from here to there may be read as a tag, in some languages. A rule is a
sequence of tags; its match adds an edge, so that later rules build on earlier ones. A match keeps
the languages that all its words share, so words of different languages never make a phrase.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from lorebank.dates.lexicon import ALL, Lexicon, Tokens, speaking
from lorebank.dates.spans import Cycle, Moment, Span, iso_week_days, month_days, one_day
from lorebank.records import Mutable, Record

_PUNCTUATION = {
    ",": "COMMA",
    "、": "COMMA",
    "，": "COMMA",
    "-": "DASH",
    "–": "DASH",
    "—": "DASH",
    "~": "DASH",
    "〜": "DASH",
    "～": "DASH",
    "至": "DASH",
    "/": "SLASH",
    ".": "DOT",
    "'": "APOSTROPHE",
}
_ORDINAL_SUFFIXES = frozenset(
    {"st", "nd", "rd", "th", "er", "ere", "re", "eme", "e", "o", "a", "º", "ª", "°", "de", "ste"}
)
_ORDINAL_SIGNS = frozenset("ºªoa")
_TELLING = 2
"""Common words that tell a text's language; one alone may be a word of another."""
_HOURS = frozenset(map(str, range(25)))
_ABBREVIATED = frozenset({"MONTH_SHORT", "MONTH", "WEEKDAY_SHORT", "WEEK_NUMBER", "AROUND"})
"""Tags whose words may end in the full stop of an abbreviation."""


class Edge(NamedTuple):
    """A reading of the tokens from its place up to `end`; a tuple, as each text makes hundreds."""

    tag: str
    value: Any
    languages: int
    end: int
    pieces: int = 1
    """How many readings of the lexicon it is made of."""


class Lattice(Mutable):
    """Edges by the token they begin at."""

    tokens: Tokens
    edges: list[list[Edge]]
    spoken: int = ALL
    """The languages that the text may be in, by its common words."""

    def holds(self, tags: frozenset[str]) -> bool:
        """Whether some stretch may be read as one of the tags."""
        return any(edge.tag in tags for edges in self.edges for edge in edges)

    def count(self, tags: frozenset[str]) -> int:
        """How many stretches may be, none overlapping, the longest at each place."""
        found = reached = 0
        for start, edges in enumerate(self.edges):
            ends = [edge.end for edge in edges if edge.tag in tags] if start >= reached else ()
            reached = max(ends, default=reached)
            found += bool(ends)
        return found

    def add(self, start: int, edge: Edge) -> None:
        if edge not in self.edges[start]:
            self.edges[start].append(edge)


class Rule(Record):
    """Tags in a row and what they make.

    `pattern`: tags by spaces; `?` behind one makes it optional, `|` separates alternatives; tags in
    lower case are matched but not handed to `build`. `build` takes the moment and the values of the
    upper-case tags, and returns the value of the new edge, or None for no match.
    """

    pattern: str
    build: Callable[..., Any]
    tag: str = "DATE"
    languages: int = ALL
    order: tuple[int, ...] = ()
    """The places of the values, where `build` takes them in another order than the text."""


_Item = tuple[Rule, Sequence[str], int, tuple[int, ...]]
"""A rule read up to a place: what of its pattern is left, how many values were matched, and which
of them are handed to `build`."""


class _Node(dict[str, "_Node | None"]):
    """Tags that may follow those matched so far → the node behind; made when first asked for."""

    __slots__ = ("_items", "rules")

    def __init__(self, items: Iterable[_Item]) -> None:
        self.rules: list[tuple[Rule, tuple[int, ...]]] = []
        self._items: list[_Item] = []
        for rule, pattern, depth, taken in items:
            for place, tags in enumerate(pattern):
                self._items.append((rule, pattern[place:], depth, taken))
                if not tags.endswith("?"):
                    break
            else:
                self.rules.append((rule, taken))

    def __missing__(self, tag: str) -> _Node | None:
        found: list[_Item] = []
        for rule, (tags, *rest), depth, taken in self._items:
            written = tags.rstrip("?").split("|")
            if tag in written or tag.lower() in written:
                found.append((rule, rest, depth + 1, (*taken, depth) if tag in written else taken))
        node = self[tag] = _Node(found) if found else None
        return node


class RuleTree:
    """Rules that share beginnings, matched together."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._root = _Node((rule, rule.pattern.split(), 0, ()) for rule in rules)

    def apply(self, lattice: Lattice, moment: Moment) -> None:
        """Add an edge for every match of every rule.

        From the end of the text, so that a rule may build on what stands behind: `1, 2, 3 May`.
        """
        root = self._root
        for start in range(len(lattice.edges) - 1, -1, -1):
            if any(root[edge.tag] is not None for edge in lattice.edges[start]):
                for edge in self._match(lattice, start, moment):
                    lattice.add(start, edge)

    def _match(self, lattice: Lattice, start: int, moment: Moment) -> list[Edge]:
        found: list[Edge] = []
        edges_at = lattice.edges
        count = len(edges_at)
        stack: list[tuple[int, _Node, int, int, tuple[Any, ...]]] = [
            (start, self._root, ALL, 0, ())
        ]
        while stack:
            index, node, languages, pieces, values = stack.pop()
            for rule, taken in node.rules:
                shared = languages & rule.languages
                if shared:
                    value = _build(rule, moment, [values[i] for i in taken])
                    if value is not None:
                        found.append(Edge(rule.tag, value, shared, index, pieces))
            if index >= count:
                continue
            for edge in reversed(edges_at[index]):  # the stack takes the first first
                shared = languages & edge.languages
                child = node[edge.tag] if shared else None
                if child is not None:
                    stack.append(
                        (edge.end, child, shared, pieces + edge.pieces, (*values, edge.value))
                    )
        return found


def read_tokens(tokens: Tokens, words: Lexicon) -> Lattice:
    """The lattice of what each token may mean by itself, in the languages the text may be in."""
    evidence, spoken = _languages(tokens.words, words.marks)
    tokens.split(words.inflected)
    spoken |= words.unmarked
    lattice = Lattice(tokens, [[] for _ in tokens.words], spoken)
    written = tokens.words
    for index, word in enumerate(written):
        edges = lattice.edges[index]
        if not word.isalpha():
            edges.extend(_sign_edges(tokens, index, word))
        behind = written[index + 1] if index + 1 < len(written) else ""
        for rest, tag, value, known, collides, capital in words.rows.get(word, ()):
            if rest and rest[0] != behind:  # most of the hundred that begin with `a`
                continue
            languages = known & spoken
            if not languages or (collides and not known & evidence):
                continue
            end = index + 1 + len(rest)
            if rest and tuple(written[index + 1 : end]) != rest:
                continue
            if capital and not tokens.text[tokens.starts[index]].isupper():
                continue
            edges.append(Edge(tag, value, languages, end))
            if tag == "HOUR" and end < len(written) and written[end] in _HOURS:
                edges.append(Edge("CLOCK", None, languages, end + 1))
            if tag in _ABBREVIATED and _dot_at(tokens, end):
                edges.append(Edge(tag, value, languages, end + 1))
    _add_numeric_dates(lattice)
    return lattice


def _sign_edges(tokens: Tokens, index: int, word: str) -> Iterator[Edge]:
    """The readings of a number or a punctuation mark."""
    tag = _PUNCTUATION.get(word)
    if tag:
        yield Edge(tag, None, ALL, index + 1)
    if word == "." and _dot_at(tokens, index + 1):
        yield Edge("DASH", None, ALL, index + 2)
    if word.isdecimal():
        yield from _number_edges(tokens, index)


def _languages(words: Sequence[str], marks: Mapping[str, tuple[int, ...]]) -> tuple[int, int]:
    """The languages that most common words of the text belong to, and those it may be in."""
    votes = count_marks(words, marks)
    most = max(votes.values(), default=0)
    evidence = sum(1 << index for index, count in votes.items() if count == most)
    if most < _TELLING:
        return evidence, ALL
    return evidence, sum(1 << index for index, count in votes.items() if 2 * count >= most)


def count_marks(words: Sequence[str], marks: Mapping[str, tuple[int, ...]]) -> dict[int, int]:
    """How many common words of each language, by its number, a text holds."""
    votes: dict[int, int] = {}
    for found in filter(None, map(marks.get, set(words))):
        for index in found:
            votes[index] = votes.get(index, 0) + 1
    return votes


def _number_edges(tokens: Tokens, index: int) -> Iterator[Edge]:
    digits = tokens.words[index]
    if len(digits) > 4:
        return
    number = int(digits)
    yield Edge("NUMBER", number, ALL, index + 1)
    ends = [index + 1]
    if _dot_at(tokens, index + 1):
        ends.append(index + 2)
        if tokens.adjacent(index + 2) and tokens.words[index + 2] in _ORDINAL_SIGNS:  # 1.º
            ends.append(index + 3)
    if tokens.adjacent(index + 1) and tokens.words[index + 1] in _ORDINAL_SUFFIXES:
        ends.append(index + 2)
    if len(digits) <= 2:
        yield Edge("TWO", number, ALL, index + 1)
        for end in ends:
            yield Edge("DAY", number, ALL, end)
            if end > index + 1:
                yield Edge("ORDINAL", number, ALL, end)
                tag = "DAY_DOT" if tokens.words[index + 1] == "." else "DAY_ORD"
                yield Edge(tag, number, ALL, end)
        yield Edge("MONTH_NUMBER", number, ALL, index + 1)
    elif len(digits) == 4 and 1900 <= number <= 2099:
        yield Edge("YR", number, ALL, index + 1)
        yield Edge("YEAR", number, ALL, index + 1)


def _dot_at(tokens: Tokens, index: int) -> bool:
    return index < len(tokens.words) and tokens.words[index] == "." and tokens.adjacent(index)


def _build(rule: Rule, moment: Moment, values: list[Any]) -> Any:
    try:
        return rule.build(moment, *(values[i] for i in rule.order) if rule.order else values)
    except (ValueError, OverflowError):  # no such day, or outside the years 1 to 9999
        return None


# Dates in digits: day first where both orders are possible; a number above 12 settles it.

_DOTTED, _DASHED = speaking("dotted_days"), speaking("dashed_days")
_HAN_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


def _one_day(year: str, month: str, day: str) -> Span:
    """A day; of two digits, a year up to 69 is of this century."""
    full = int(year) if len(year) > 2 else int(year) + (2000 if int(year) < 70 else 1900)
    return Span("day", one_day(date(full, int(month), int(day))))


def _day_first(match: re.Match[str]) -> Span | None:
    first, mark, second, year = match.groups()
    if len(year) == 2 and mark != "/" and not (len(first) == len(second) == 2):
        return None  # 3.11.24 is rather a version
    day, month = (second, first) if int(second) > 12 and mark != "." else (first, second)
    return _one_day(year, month, day)


def _month(match: re.Match[str]) -> Span:
    return Span("month", month_days(int(match[1]), int(match[2])))


def _week(match: re.Match[str]) -> Span:
    return Span("week", iso_week_days(int(match[1]), int(match[2])))


def _day_and_month(match: re.Match[str]) -> Span | None:
    first, second = int(match[1]), int(match[2])
    day, month = (second, first) if second > 12 and "/" in match[0] else (first, second)
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None

    return Span("day", cycle=Cycle(lambda year: one_day(date(year, month, day))))


def _han_year(match: re.Match[str]) -> int | None:
    year = int(match[0].translate(_HAN_DIGITS))
    return year if 1900 <= year <= 2099 else None


_CLOCK_BEHIND = r"(?:[T ]\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
_YEAR = r"(?:19|20)\d\d"
_Read = Callable[[re.Match[str]], object]
_JOINED = re.compile(r"\d-?[-/.w]\d", re.I)
"""What every text with one of `_JOINED_FORMS` holds: few lines do."""
_Form = tuple[str, _Read, str, int]
_WHOLE_DATE = rf"(?<!\d)(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_CLOCK_BEHIND}(?!\d)"
_JOINED_FORMS: tuple[_Form, ...] = (
    (_WHOLE_DATE, lambda match: _one_day(match[1], match[3], match[4]), "DATE", ALL),
    (r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)", _day_first, "DATE", ALL),
    (rf"(?<!\d)({_YEAR})-?[Ww](\d{{1,2}})(?!\d)", _week, "DATE", ALL),
    (rf"(?<![\d./-])({_YEAR})[-/](0[1-9]|1[0-2])(?![\d/-])", _month, "DATE", ALL),
    (rf"(?<![\w./-])(0[1-9]|1[0-2])/({_YEAR})(?![\d/-])",
     lambda match: Span("month", month_days(int(match[2]), int(match[1]))), "DATE", ALL),
    (r"(?<![\d./-])(?=..\.[01]\d|(?<=[^\W\d] )[\d.]+(?: \S|$))(\d\d?)\.(\d\d?)\.(?!\d)",
     _day_and_month, "DATE", _DOTTED),
    (r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?![\d])", _day_and_month, "DM", _DOTTED),
    (r"(?<![\d./-])(\d{1,2})\.(\d{1,2})\.(\d{2})(?![\d.]*\d)",
     lambda match: _one_day(match[3], match[2], match[1]), "DM_WEAK", _DOTTED),
    (r"(?<![\d./-])(\d{1,2})\.(\d{1,2})(?![\d.]*\d)", _day_and_month, "DM_WEAK", _DOTTED),
    (r"(?<![\d./])(?<![^\W\d]-)(\d\d?)/(\d\d?)(?![\d/]|\.\d)", _day_and_month, "DM", ALL),
    (r"(?<![\d./-])(?=0|../0)(\d\d)/(\d\d)(?![\d/]|\.\d)", _day_and_month, "DATE", ALL),
    (r"(?<![\w./-])(\d{1,2})-(\d{1,2})(?![\w-])", _day_and_month, "DM_BARE", _DASHED),
    (r"(?<![\w./-])(1[3-9]|[23]\d)-(\d{1,2})(?![\w-])", _day_and_month, "DM", _DASHED),
)  # fmt: skip
_OTHER_FORMS: tuple[_Form, ...] = (
    (r"(?<![\d.:])(?:[01]?\d|2[0-3])(?:(?::[0-5]\d|\.[0-5]\d(?!\.?\d))[hu]?|"
     r" ?[hu] ?(?:[0-5]\d)?|(?:[:.][0-5]\d)?['’][dt][ae]|"
     r"(?: ?[-–] ?\d\d?)?(?:[:.][0-5]\d)? ?[ap]\.?m\b)(?![\d:]|\w)",
     bool, "CLOCK", ALL),
    (r"[〇零一二三四五六七八九]{4}(?=年)", _han_year, "YR", ALL),
)  # fmt: skip
"""Dates in digits and hours: the form, what reads it, tag, languages."""


def _add_numeric_dates(lattice: Lattice) -> None:
    """Add an edge for every date in digits."""
    text, starts, ends = lattice.tokens.text, lattice.tokens.starts, lattice.tokens.ends
    forms = _JOINED_FORMS + _OTHER_FORMS if _JOINED.search(text) else _OTHER_FORMS
    for form, read, tag, languages in forms:
        for match in _compiled(form).finditer(text):
            first, last = bisect_left(starts, match.start()), bisect_left(ends, match.end())
            if starts[first : first + 1] != [match.start()] or ends[last] != match.end():
                continue
            try:
                value = read(match)
            except ValueError:
                continue
            if value is not None:
                if form == _WHOLE_DATE:  # nothing else: rules need not try its parts
                    lattice.edges[first : last + 1] = [[] for _ in range(first, last + 1)]
                lattice.add(first, Edge(tag, value, languages, last + 1))


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form, re.I)
