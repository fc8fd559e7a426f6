"""The lattice: which tags each stretch of tokens may bear, and rules walking over them.

An edge says that the tokens from here to there may be read as a tag, in some languages. A rule is a
sequence of tags; its match adds an edge, so that later rules build on earlier ones. A match keeps
the languages that all its words share, so words of different languages never make a phrase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from lorebank.dates.lexicon import ALL, Lexicon
from lorebank.dates.spans import Moment
from lorebank.dates.tokens import Tokens

__all__ = ["Edge", "Lattice", "Rule", "RuleTree", "read_tokens"]

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
_ABBREVIATED = frozenset({"MON", "MONTH", "WDAY", "WEEK_NO", "AROUND"})
"""Tags whose words may end in the full stop of an abbreviation."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A reading of the tokens from its place up to `end`."""

    tag: str
    value: Any
    languages: int
    end: int
    pieces: int = 1
    """How many readings of the lexicon it is made of."""


@dataclass(slots=True)
class Lattice:
    """Edges by the token they begin at."""

    tokens: Tokens
    edges: list[list[Edge]]

    def add(self, start: int, edge: Edge) -> None:
        if edge not in self.edges[start]:
            self.edges[start].append(edge)


@dataclass(frozen=True, slots=True)
class Rule:
    """Tags in a row and what they make.

    `pattern`: tags by spaces; `?` behind one makes it optional, `|` separates alternatives; tags in
    lower case are matched but not handed to `build`. `build` takes the moment and the values of the
    upper-case tags, and returns the value of the new edge, or None for no match.
    """

    pattern: str
    build: Callable[..., Any]
    tag: str = "DATE"
    languages: int = ALL


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    rules: list[tuple[Rule, tuple[int, ...]]] = field(default_factory=list)


class RuleTree:
    """Rules that share beginnings, matched together."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._root = _Node()
        for rule in rules:
            for tags in _expand(rule.pattern):
                self._insert(rule, tags)

    def _insert(self, rule: Rule, tags: tuple[str, ...]) -> None:
        node = self._root
        for tag in tags:
            node = node.children.setdefault(tag.upper(), _Node())
        node.rules.append((rule, tuple(i for i, tag in enumerate(tags) if tag.isupper())))

    def apply(self, lattice: Lattice, moment: Moment) -> None:
        """Add an edge for every match of every rule."""
        first_tags = self._root.children
        found: list[tuple[int, Edge]] = []
        for start, edges in enumerate(lattice.edges):
            if any(edge.tag in first_tags for edge in edges):
                found.extend((start, edge) for edge in self._matches(lattice, start, moment))
        for start, edge in found:
            lattice.add(start, edge)

    def _matches(self, lattice: Lattice, start: int, moment: Moment) -> Iterator[Edge]:
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
                        yield Edge(rule.tag, value, shared, index, pieces)
            if index >= count or not node.children:
                continue
            for edge in reversed(edges_at[index]):  # the stack takes the first first
                child = node.children.get(edge.tag)
                if child is not None and languages & edge.languages:
                    stack.append(
                        (
                            edge.end,
                            child,
                            languages & edge.languages,
                            pieces + edge.pieces,
                            (*values, edge.value),
                        )
                    )


def read_tokens(tokens: Tokens, words: Lexicon) -> Lattice:
    """The lattice of what each token may mean by itself."""
    lattice = Lattice(tokens, [[] for _ in tokens.words])
    evidence = _evidence(tokens, words)
    for index, word in enumerate(tokens.words):
        edges = lattice.edges[index]
        tag = _PUNCTUATION.get(word)
        if tag:
            edges.append(Edge(tag, None, ALL, index + 1))
        if word == "." and _dot_at(tokens, index + 1):
            edges.append(Edge("DASH", None, ALL, index + 2))
        if word.isdecimal():
            edges.extend(_number_edges(tokens, index))
        for reading in words.readings.get(word, ()):
            end = index + 1 + len(reading.rest)
            if reading.rest and tuple(tokens.words[index + 1 : end]) != reading.rest:
                continue
            if reading.collides and not reading.languages & evidence:
                continue
            edges.append(Edge(reading.tag, reading.value, reading.languages, end))
            if reading.tag in _ABBREVIATED and _dot_at(tokens, end):
                edges.append(Edge(reading.tag, reading.value, reading.languages, end + 1))
    return lattice


def _evidence(tokens: Tokens, words: Lexicon) -> int:
    languages = 0
    for word in tokens.words:
        languages |= words.marks.get(word, 0)
    return languages


def _number_edges(tokens: Tokens, index: int) -> Iterator[Edge]:
    digits = tokens.words[index]
    if len(digits) > 4:
        return
    number = int(digits)
    yield Edge("NUM", number, ALL, index + 1)
    ends = [index + 1]
    if _dot_at(tokens, index + 1):
        ends.append(index + 2)
    if tokens.adjacent(index + 1) and tokens.words[index + 1] in _ORDINAL_SUFFIXES:
        ends.append(index + 2)
    if len(digits) <= 2:
        yield Edge("TWO", number, ALL, index + 1)
        for end in ends:
            if 1 <= number <= 31:
                yield Edge("DAY", number, ALL, end)
            if end > index + 1:
                yield Edge("ORD", number, ALL, end)
                if tokens.words[index + 1] != "." and 1 <= number <= 31:
                    yield Edge("DAY_ORD", number, ALL, end)
        if 1 <= number <= 12:
            yield Edge("MNUM", number, ALL, index + 1)
    elif len(digits) == 4 and 1900 <= number <= 2099:
        yield Edge("YR", number, ALL, index + 1)
        yield Edge("YEAR", number, ALL, index + 1)


def _dot_at(tokens: Tokens, index: int) -> bool:
    return index < len(tokens.words) and tokens.words[index] == "." and tokens.adjacent(index)


def _build(rule: Rule, moment: Moment, values: list[Any]) -> Any:
    try:
        return rule.build(moment, *values)
    except (ValueError, OverflowError):  # no such day, or outside the years 1 to 9999
        return None


def _expand(pattern: str) -> Iterator[tuple[str, ...]]:
    choices = []
    for item in pattern.split():
        optional = item.endswith("?")
        alternatives = item.rstrip("?").split("|")
        choices.append([*alternatives, ""] if optional else alternatives)
    for chosen in product(*choices):
        yield tuple(tag for tag in chosen if tag)
