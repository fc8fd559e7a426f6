"""What one line says is over: things by their nouns, states by their kind, values by what is new.

    Gave up the choir.                → the choir
    The cast came off.                → the cast
    Smoking again, ten a day.         → the state "smoke free"
    Rent is 940 a month now.          → whatever else the rent was a month

A line that hedges ("they say …"), asks, denies, or tells of one occasion ("off sick this Saturday")
ends nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from lorebank.language.words import likely_languages, stop_words
from lorebank.records import dataclass
from lorebank.supersede.words_of_change import (
    GAP,
    by_first_token,
    months,
    states_by_first_token,
    tokens,
    vocabulary,
    weekdays,
)

T = TypeVar("T")
_CLAUSE = re.compile(
    r"(?<!\d)[.:](?=\s|\Z)|(?<=\D)[.:](?=\s|\Z)|[;!?,，。；！？、()（）]|\s[–—-]\s|…"
)
_SENTENCE = re.compile(r"(?<!\d)[.](?=\s|\Z)|(?<=\w\w)[.](?=\s|\Z)|[;!。；！]")
_QUESTION = re.compile(r"[?？]")
_PARENTHESIS = re.compile(r"[(（]([^)）]*)[)）]")
_NEGATION_REACH = 2
"""How many tokens before a cue a "not" still denies it: "did not quite give up"."""
_UNSPACED_WORD = 2
"""Most words of Chinese have two letters."""
_JOINT_REACH = 4
"""How far from an "and" the things stand that it joins: "nuts and to all cats"."""
_MOST_LIGHT = 4
"""How many articles, pronouns and prepositions may lie between a cue and its noun."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a line says is over, and how surely it says that anything changed."""

    objects: tuple[tuple[str, ...], ...] = ()
    """What is over: tokens that an older line must all have."""
    states: tuple[str, ...] = ()
    """Kinds of states that are over: `marriage`, `smoking`."""
    beside: tuple[str, ...] = ()
    """The other words of the clauses that say so."""
    values: tuple[tuple[str, str], ...] = ()
    """What holds now: `(value, unit)`, of a line that says that it is new."""
    about: tuple[str, ...] = ()
    """Of such a line, the words beside its values."""
    moved: tuple[str, ...] = ()
    """What takes place on another day than it was to; empty text for the entity itself."""
    is_announced: bool = False
    """Whether what ends may end later, on the day that the line names: "leaves in May"."""
    is_change: bool = False
    """Whether any word of change stands in it, certain or not."""

    @property
    def is_certain(self) -> bool:
        return bool(self.objects or self.states or self.values or self.moved)


@dataclass(frozen=True, slots=True)
class Stated:
    """What an older line says, as far as a change can speak of it."""

    words: tuple[str, ...]
    """Its tokens without the light ones."""
    states: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    has_day: bool
    """Whether it names a date or a day of the week."""
    joined: frozenset[str]
    """Those of its words that stand beside others, joined by "and": one may end alone."""


_CHANGES = ("ends", "announced", "instead", "no_more", "moved", "over", "new", "now")


@lru_cache(maxsize=4096)
def read_change(text: str, names: frozenset[str] = frozenset()) -> Change:
    """What a line says is over. `names` are the folded words of the entity that it is about."""
    reader = _Reader.of(text, names)
    is_change = any(reader.has(role, reader.all) for role in _CHANGES)
    objects: list[tuple[str, ...]] = []
    beside: list[str] = []
    states: list[str] = []
    moved: list[str] = []
    values: tuple[tuple[str, str], ...] = ()
    about: tuple[str, ...] = ()
    for sentence in _SENTENCE.split(text):
        said = tokens(sentence)
        if _QUESTION.search(sentence) or reader.has("unsure", _without_dates(said)):
            continue
        for clause in filter(None, map(tokens, _CLAUSE.split(sentence))):
            if reader.has("once", clause):
                continue
            if found := list(reader.objects(clause)):
                objects += found
                beside += (token for token in clause if not reader.is_light(token))
            states += reader.ended_states(clause)
            moved += reader.moved(clause)
            if not values and reader.has("now", clause) and not reader.has("also", clause):
                values = _values(clause, reader.is_light)
                about = tuple(t for t in clause if not reader.is_light(t))
        for inside in _PARENTHESIS.findall(sentence):
            objects += reader.former(tokens(inside))
    return Change(
        tuple(dict.fromkeys(objects)),
        tuple(dict.fromkeys(states)),
        tuple(dict.fromkeys(beside)),
        values,
        about if values else (),
        tuple(dict.fromkeys(moved)),
        reader.has("announced", reader.all),
        is_change or bool(objects or states),
    )


@lru_cache(maxsize=4096)
def read_stated(text: str, names: frozenset[str] = frozenset()) -> Stated:
    """What an older line says; `names` as for `read_change`."""
    reader = _Reader.of(text, names)
    words = tuple(t for t in reader.all if not reader.is_light(t))
    return Stated(
        words,
        tuple(dict.fromkeys(reader.states())),
        _values(reader.all, reader.is_light),
        any(token in weekdays() or token in months() for token in reader.all),
        frozenset(reader.joined(text)),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    all: tuple[str, ...]
    languages: tuple[str, ...]
    names: frozenset[str]

    @classmethod
    def of(cls, text: str, names: frozenset[str]) -> _Reader:
        found = tuple(tokens(text))
        if any("\u3400" <= token <= "\u9fff" for token in found):
            return cls(found, ("zh",), names)
        return cls(found, likely_languages(found), names)

    def is_light(self, token: str) -> bool:
        return token in stop_words() or token in self.names

    def cues(self, role: str, said: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """`(language, cue)` of the cues that may stand in `said`, the longest first."""
        for code in self.languages:
            begun = _begun(by_first_token(role, code), said)
            yield from ((code, cue) for cue in sorted(begun, key=lambda cue: (-len(cue), cue)))

    def has(self, role: str, said: Sequence[str]) -> bool:
        return any(_place(said, cue) is not None for _, cue in self.cues(role, said))

    def objects(self, clause: list[str]) -> Iterator[tuple[str, ...]]:
        """What the clause says is over."""
        taken: set[int] = set()
        yield from self._no_more(clause)
        for role in ("instead", "announced", "ends", "over", "apart"):
            for code, cue in self.cues(role, clause):
                place = _place(clause, cue[:1] if role == "apart" else cue)
                if place is None or place in taken or self._is_denied(clause, place, cue):
                    continue
                before = self._run(clause, 0, place)
                after = self._run(clause, place + len(cue), len(clause))
                # "The shop closed down in spring" closes no spring.
                alone = (
                    role in ("ends", "announced")
                    and before
                    and cue in by_first_token("over", code).get(cue[0], ())
                )
                if role == "over" or alone:
                    run, subject = before, None
                else:
                    run = self._between(clause, place, cue) if role == "apart" else after
                    subject = before
                if run is None or (role != "instead" and _is_only_a_day(clause[slice(*run)])):
                    continue  # "left on Monday" ends no Monday
                taken.add(place)
                thing = (*_object(clause[slice(*run)], code), *self._owner(clause, run))
                # Who or what does it has to be known as well: others may give up theirs.
                # A day and its month are telling enough.
                is_day = len(thing) > 1 and all(map(is_date, thing))
                yield thing if subject is None or is_day else (*thing, clause[subject[1] - 1])

    def _owner(self, clause: list[str], run: tuple[int, int]) -> Iterator[str]:
        """Whose it is, which has to be known as well: to sell "her mother's car" ends no car."""
        first, last = run
        if first > 1 and clause[first - 1] == "s" and not self.is_light(clause[first - 2]):
            yield clause[first - 2]
        joints = {of[0] for _, of in self.cues("of", clause)}
        rest = self._run(clause, last, len(clause))
        if rest is not None and clause[last] in joints:
            yield clause[rest[1] - 1]

    def moved(self, clause: list[str]) -> Iterator[str]:
        """What was put on another day: "picking moved to Thursday"."""
        for _, cue in self.cues("moved", clause):
            place = _place(clause, cue)
            after = None if place is None else self._run(clause, place + len(cue), len(clause))
            if after is not None and is_date(clause[after[0]]):
                subject = self._run(clause, 0, place or 0)
                yield clause[subject[1] - 1] if subject else ""
                return

    def _no_more(self, clause: list[str]) -> Iterator[tuple[str, ...]]:
        """All that "no longer works at the mill" names: the mill alone would be too little."""
        for _, cue in self.cues("no_more", clause):
            place = _place(clause, cue)
            if place is None:
                continue
            filled = [t for t, part in zip(clause[place:], cue, strict=False) if part == GAP]
            rest = (*clause[:place], *filled, *clause[place + len(cue) :])
            if thing := tuple(token for token in rest if not self.is_light(token)):
                yield thing
            return

    def former(self, inside: list[str]) -> Iterator[tuple[str, ...]]:
        """The value in "(was 10.20.4.11)"."""
        for code, cue in self.cues("was", inside):
            if tuple(inside[: len(cue)]) == cue:
                run = self._run(inside, len(cue), len(inside))
                if run:
                    yield _object(inside[slice(*run)], code)

    def ended_states(self, clause: list[str]) -> Iterator[str]:
        """States that end, where nobody but the entity itself stands before the words."""
        for code in self.languages:
            for state, cue in _begun(states_by_first_token(code)[1], clause):
                place = _place(clause, cue)
                if place is not None and all(
                    self.is_light(t) or is_date(t) for t in clause[:place]
                ):
                    yield state

    def states(self) -> Iterator[str]:
        for code in self.languages:
            for state, cue in _begun(states_by_first_token(code)[0], self.all):
                if _place(self.all, cue) is not None:
                    yield state

    def joined(self, text: str) -> Iterator[str]:
        """The tokens near an "and"."""
        joints = {joint[0] for _, joint in self.cues("and", self.all)}
        for clause in map(tokens, _CLAUSE.split(text)):
            for place, token in enumerate(clause):
                if token in joints and place:
                    yield from clause[max(0, place - _JOINT_REACH) : place + _JOINT_REACH + 1]

    def _run(self, clause: Sequence[str], start: int, end: int) -> tuple[int, int] | None:
        """The first run of nouns and what describes them; a possessor is passed over."""
        while True:
            first = start
            while first < end and self.is_light(clause[first]) and first - start <= _MOST_LIGHT:
                first += 1
            last = first
            while last < end and not self.is_light(clause[last]):
                last += 1
            if first == last:
                return None
            if last < len(clause) and clause[last] == "s":  # the neighbour's dog
                start = last + 1
                continue
            return first, last

    def _is_denied(self, clause: Sequence[str], place: int, cue: Sequence[str]) -> bool:
        before = clause[max(0, place - _NEGATION_REACH) : place]
        denials = {denial[0] for _, denial in self.cues("not", clause)}
        return not denials.isdisjoint(before) and cue[0] not in denials

    def _between(
        self, clause: list[str], place: int, cue: tuple[str, ...]
    ) -> tuple[int, int] | None:
        """What stands between the parts of a cue: "handed the committee to", "let the boat go"."""
        run = self._run(clause, place + 1, len(clause))
        if run is not None:
            for end in range(run[0] + 1, run[1] + 1):
                if tuple(clause[end : end + len(cue) - 1]) == cue[1:]:
                    return run[0], end
        return None


def _begun(table: Mapping[str, Sequence[T]], said: Iterable[str]) -> Iterator[T]:
    """The entries of a table by first token whose token was said."""
    for token in dict.fromkeys(said):
        yield from table.get(token, ())


def _object(run: list[str], language: str) -> tuple[str, ...]:
    """The noun of a run; of a date or number all of it, of an unspaced script the first word."""
    if language == "zh":
        return tuple(run[:_UNSPACED_WORD])
    if any(letter.isdigit() for token in run for letter in token):
        return tuple(run)
    return (run[0] if language in vocabulary()[2] else run[-1],)


def _place(said: Sequence[str], cue: Sequence[str]) -> int | None:
    first, length = cue[0], len(cue)
    for place, token in enumerate(said):
        if token == first and len(said) >= place + length:
            met = said[place : place + length]
            if all(a in (GAP, b) for a, b in zip(cue, met, strict=True)):
                return place
    return None


def _values(said: Sequence[str], is_light: object) -> tuple[tuple[str, str], ...]:
    """Numbers with the word behind them, and days of the week."""
    assert callable(is_light)
    found: list[tuple[str, str]] = []
    for place, token in enumerate(said):
        if token in weekdays():
            found.append((token.rstrip("s"), "weekday"))
        elif token[0].isdigit() and not _is_year(token):
            rest = [t for t in said[place + 1 : place + 3] if not is_light(t)]
            if ":" in token or "." in token:
                found.append((token, "clock" if ":" in token else "address"))
            elif rest:
                found.append((token, rest[0]))
    return tuple(found)


def is_date(token: str) -> bool:
    """Whether a token is a number, a weekday or a month."""
    return token[0].isdigit() or token in weekdays() or token in months()


def _without_dates(said: Sequence[str]) -> list[str]:
    """The tokens without months that stand beside a number: "22 May" hedges nothing."""
    return [
        token
        for place, token in enumerate(said)
        if token not in months()
        or not any(near[0].isdigit() for near in said[max(0, place - 1) : place + 2])
    ]


def _is_only_a_day(run: Sequence[str]) -> bool:
    """Whether nothing but a time is named; a longer number names a thing: port 7441."""
    return all(is_date(t) and (not t.isdigit() or len(t) < 4 or _is_year(t)) for t in run)


def _is_year(token: str) -> bool:
    return len(token) == 4 and token[:2] in ("19", "20")
