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
from collections.abc import Iterator, Sequence
from functools import lru_cache

from lorebank.language.words import likely_languages, stop_words
from lorebank.records import dataclass
from lorebank.supersede.lexicon import months, tokens, vocabulary, weekdays

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
    is_change: bool = False
    """Whether any word of change stands in it, certain or not."""

    @property
    def is_certain(self) -> bool:
        return bool(self.objects or self.states or self.values)


@dataclass(frozen=True, slots=True)
class Stated:
    """What an older line says, as far as a change can speak of it."""

    words: tuple[str, ...]
    """Its tokens without the light ones."""
    states: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    joined: frozenset[str]
    """Those of its words that stand beside others, joined by "and": one may end alone."""


@lru_cache(maxsize=4096)
def read_change(text: str, names: frozenset[str] = frozenset()) -> Change:
    """What a line says is over. `names` are the folded words of the entity that it is about."""
    reader = _Reader.of(text, names)
    is_change = any(reader.has(role, reader.all) for role in ("ends", "over", "new", "now"))
    objects: list[tuple[str, ...]] = []
    beside: list[str] = []
    states: list[str] = []
    values: tuple[tuple[str, str], ...] = ()
    about: tuple[str, ...] = ()
    for sentence in _SENTENCE.split(text):
        said = tokens(sentence)
        if _QUESTION.search(sentence) or reader.has("unsure", said):
            continue
        for clause in filter(None, map(tokens, _CLAUSE.split(sentence))):
            if reader.has("once", clause):
                continue
            if found := list(reader.objects(clause)):
                objects += found
                beside += (token for token in clause if not reader.is_light(token))
            states += reader.ended_states(clause)
            if not values and reader.has("now", clause):
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
        is_change or bool(objects or states),
    )


@lru_cache(maxsize=4096)
def read_stated(text: str, names: frozenset[str] = frozenset()) -> Stated:
    """What an older line says; `names` as for `read_change`."""
    reader = _Reader.of(text, names)
    words = tuple(t for t in reader.all if not reader.is_light(t))
    return Stated(
        words,
        tuple(reader.states()),
        _values(reader.all, reader.is_light),
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

    def cues(self, role: str) -> Iterator[tuple[str, list[str]]]:
        """`(language, tokens of the cue)` in the languages that the line may be in."""
        for code in self.languages:
            for cue in _cues_of(role, code):
                yield code, cue.split()

    def has(self, role: str, said: Sequence[str]) -> bool:
        return any(_place(said, cue) is not None for _, cue in self.cues(role))

    def objects(self, clause: list[str]) -> Iterator[tuple[str, ...]]:
        """What the clause says is over."""
        taken: set[int] = set()
        yield from self._no_more(clause)
        for role in ("instead", "ends", "over", "handed"):
            for code, cue in self.cues(role):
                place = _place(clause, cue)
                if place is None or place in taken or self._is_denied(clause, place, cue):
                    continue
                taken.update(range(place, place + len(cue)))
                before = self._run(clause, 0, place)
                after = self._run(clause, place + len(cue), len(clause))
                # "The shop closed down in spring" closes no spring.
                alone = role == "ends" and before and " ".join(cue) in _cues_of("over", code)
                if role == "over" or alone:
                    run, subject = before, None
                else:
                    run = self._handed(clause, after) if role == "handed" else after
                    subject = before
                if run is None or (role != "instead" and _is_only_a_day(clause[slice(*run)])):
                    continue  # "left on Monday" ends no Monday
                thing = _object(clause[slice(*run)], code)
                # Who or what does it has to be known as well: others may give up theirs.
                yield thing if subject is None else (*thing, clause[subject[1] - 1])

    def _no_more(self, clause: list[str]) -> Iterator[tuple[str, ...]]:
        """All that "no longer works at the mill" names: the mill alone would be too little."""
        for _, cue in self.cues("no_more"):
            place = _place(clause, cue)
            if place is None:
                continue
            rest = (*clause[:place], *clause[place + len(cue) :])
            if thing := tuple(token for token in rest if not self.is_light(token)):
                yield thing
            return

    def former(self, inside: list[str]) -> Iterator[tuple[str, ...]]:
        """The value in "(was 10.20.4.11)"."""
        for code, cue in self.cues("was"):
            if inside[: len(cue)] == cue:
                run = self._run(inside, len(cue), len(inside))
                if run:
                    yield _object(inside[slice(*run)], code)

    def ended_states(self, clause: list[str]) -> Iterator[str]:
        """States that end, where nobody but the entity itself stands before the words."""
        for code in self.languages:
            for state, (_, ends) in vocabulary()[1].get(code, {}).items():
                for cue in map(str.split, ends):
                    place = _place(clause, cue)
                    if place is not None and all(
                        self.is_light(t) or is_date(t) for t in clause[:place]
                    ):
                        yield state
                        break

    def states(self) -> Iterator[str]:
        for code in self.languages:
            for state, (cues, _) in vocabulary()[1].get(code, {}).items():
                if any(_place(self.all, cue.split()) is not None for cue in cues):
                    yield state

    def joined(self, text: str) -> Iterator[str]:
        """The tokens near an "and"."""
        joints = {joint[0] for _, joint in self.cues("and")}
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
        denials = {denial[0] for _, denial in self.cues("not")}
        return not denials.isdisjoint(before) and cue[0] not in denials

    def _handed(self, clause: list[str], run: tuple[int, int] | None) -> tuple[int, int] | None:
        """What goes to somebody: "handed the committee to …", "let the boat go"."""
        if run is None:
            return None
        for place in range(run[0] + 1, run[1] + 1):
            if any(clause[place : place + len(to)] == to for _, to in self.cues("handed_to")):
                return run[0], place
        return None


def _cues_of(role: str, language: str) -> tuple[str, ...]:
    return vocabulary()[0][role].get(language, ())


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
        if token == first and list(said[place : place + length]) == list(cue):
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


def _is_only_a_day(run: Sequence[str]) -> bool:
    """Whether nothing but a time is named; a longer number names a thing: port 7441."""
    return all(is_date(t) and (not t.isdigit() or len(t) < 4 or _is_year(t)) for t in run)


def _is_year(token: str) -> bool:
    return len(token) == 4 and token[:2] in ("19", "20")
