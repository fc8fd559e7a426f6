"""What one line says is over, and whether that is what an older line states.

    Gave up the choir.                → the choir
    The cast came off.                → the cast
    Smoking again, ten a day.         → the state "smoke free"

A line that hedges ("they say …"), asks, denies, or tells of one occasion ("off sick this Saturday")
ends nothing; nor does one that may speak of another thing, or of one of several named side by side.
The words are those of `[change]` in the language files: few and plain. On 1,221 pairs by three
other hands four times as many phrases found hardly more, and were wrong in a quarter of the cases.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache

from lorebank.domain.facts import LONGEST_READ
from lorebank.language.folding import fold
from lorebank.language.statements import states_any, tells_clock
from lorebank.language.words import COMMON_START, likely_languages, same_word, stop_words_among
from lorebank.languages import Sections, compiled, sections, split
from lorebank.records import Record

_TOKEN = re.compile(
    r"\d+(?:[.:]\d+)+"  # 10.20.4.11, 17:30
    r"|[\u3040-\u30ff\u3400-\u9fff]"  # scripts without spaces: letter by letter
    r"|[^\W_]+(?:-[^\W_]+)*"  # sous-chef is no chef
)
_CLAUSE = re.compile(
    r"(?<!\d)[.:](?=\s|\Z)|(?<=\D)[.:](?=\s|\Z)|[;!?,，。；！？、()（）]|\s[–—-]\s|…"
)
_SENTENCE = re.compile(r"(?<!\d)[.](?=\s|\Z)|(?<=\w\w)[.](?=\s|\Z)|[;!。；！]")
_QUESTION = re.compile(r"[?？]")
_PARENTHESIS = re.compile(r"[(（]([^(（)）]*)[)）]")
_NEGATION_REACH = 2
"""How many tokens before a cue a "not" still denies it: "did not quite give up"."""
_UNSPACED_WORD = 2
"""Most words of Chinese have two letters."""
_JOINT_REACH = 4
"""How far from an "and" the things stand that it joins: "nuts and to all cats"."""
_MOST_LIGHT = 4
"""How many articles, pronouns and prepositions may lie between a cue and its noun."""
_STEM = COMMON_START - 1
"""Letters that all forms of one word have in common."""

_ANY_STATE = ""
"""Stands among beginnings for any state: of which one a line tells is not seen at once."""

Cue = tuple[str, ...]
"""The tokens of a phrase."""
Place = tuple[str, tuple[str, ...]]
"""The light word behind a noun and what it leads to: `("in", ("porto",))`."""
GAP = "*"
"""In a cue: any one token."""
_ROLES = (
    "announced", "ends", "instead", "no_more", "over", "was", "apart", "unsure", "once", "not",
    "and", "of",
)  # fmt: skip


class Thing(Record):
    """Something that a line says is over."""

    words: tuple[str, ...]
    """Tokens that an older line must all have, the noun first."""
    described: tuple[str, ...] = ()
    """The other tokens of the noun's run: "chess" of a chess club, "two" of two hens."""
    where: Place = ("", ())


class Change(Record):
    """What a line says is over."""

    objects: tuple[Thing, ...] = ()
    states: tuple[str, ...] = ()
    """Kinds of states that are over: `marriage`, `smoking`."""
    beside: tuple[str, ...] = ()
    """The other words of the clauses that say so."""
    is_announced: bool = False
    """Whether what ends may end later, on the day that the line names: "leaves in May"."""

    def __bool__(self) -> bool:
        return bool(self.objects or self.states)


class Stated(Record):
    """What an older line says, as far as a change can speak of it."""

    words: tuple[str, ...]
    """Its tokens without the light ones."""
    runs: tuple[tuple[tuple[str, ...], Place], ...]
    """The same as they stand side by side, each with what follows: ("rowing", "club")."""
    states: tuple[str, ...]
    is_allergy: bool
    """Whether it says what somebody cannot eat or take: to give it up, or throw it out, changes
    nothing of that."""
    joined: frozenset[str]
    """Those of its words that stand beside others, joined by "and": one may end alone."""


@lru_cache(maxsize=4096)
def without_plans(text: str) -> str:
    """What a line says beside sentences of what is only planned, offered, hoped or heard."""
    reader = _Reader.of(text[:LONGEST_READ], frozenset())
    said = _SENTENCE.split(text)
    return "; ".join(s for s in said if not reader.has("unsure", _without_dates(tokens(s))))


@lru_cache(maxsize=4096)
def read_change(text: str, names: frozenset[str] = frozenset()) -> Change:
    """What a line says is over. `names` are the folded words of the entity that it is about."""
    text = text[:LONGEST_READ]
    reader = _Reader.of(text, names)
    is_cut_anew = reader.languages == ("zh",)  # its clauses have other tokens
    if not is_cut_anew and _beginnings(reader.languages).isdisjoint(reader.all):
        return Change()
    objects: list[Thing] = []
    beside: list[str] = []
    states: list[str] = []
    for sentence in _SENTENCE.split(text):
        if _QUESTION.search(sentence) or reader.has("unsure", _without_dates(tokens(sentence))):
            continue
        for written in _CLAUSE.split(sentence):
            clause = tokens(written)
            if reader.has("once", clause) or tells_clock(written, reader.languages):
                continue  # left the mill at six
            if found := list(reader.objects(clause)):
                objects += found
                beside += (token for token in clause if not reader.is_light(token))
            states += reader.ended_states(clause)
        for inside in _PARENTHESIS.findall(sentence):
            objects += map(Thing, reader.former(tokens(inside)))
    return Change(
        tuple(dict.fromkeys(objects)),
        tuple(dict.fromkeys(states)),
        tuple(dict.fromkeys(beside)),
        reader.has("announced", reader.all),
    )


@lru_cache(maxsize=4096)
def read_stated(text: str, names: frozenset[str] = frozenset()) -> Stated:
    """What an older line says; `names` as for `read_change`."""
    text = text[:LONGEST_READ]
    reader = _Reader.of(text, names)
    states = (
        state for _, state, cue in reader.cues("states", reader.all) if _is_in(reader.all, cue)
    )
    return Stated(
        tuple(t for t in reader.all if not reader.is_light(t)),
        tuple(run for clause in _CLAUSE.split(text) for run in reader.runs(tokens(clause))),
        tuple(dict.fromkeys(states)),
        states_any(text, "allergy", reader.languages),
        frozenset(reader.joined(text)),
    )


def beginnings(text: str) -> frozenset[str]:
    """The beginnings of the words of a line, alike in all words that are alike; and the state that
    it may say."""
    return frozenset((_ANY_STATE, *(token[:_STEM] for token in tokens(text))))


def beginnings_ended(newer: Change) -> frozenset[str]:
    """Beginnings of words: a line that has none of them is not ended."""
    firsts = (token[:_STEM] for thing in newer.objects for token in thing.words[:1])
    return frozenset((*firsts, *((_ANY_STATE,) if newer.states else ())))


def may_end(newer: Change, begun: Collection[str]) -> bool:
    """Whether the newer line may end one with these `beginnings`: told at once of most lines."""
    things = newer.objects
    return bool(newer.states) or any(all(t[:_STEM] in begun for t in e.words) for e in things)


def ends(newer: Change, older: Stated) -> bool:
    """Whether the newer line ends the older one, beyond doubt.

    Of several things named side by side one may end alone; that is asked.
    """
    if ends_state(newer, older):
        return True
    if any(same_word(word, part) for word in newer.beside for part in older.joined):
        return False
    return any(
        all(_names_same_thing(older, token) for token in thing.words) and _may_be(thing, older)
        for thing in newer.objects
        if not older.is_allergy or len(thing.words) > 1
    )


def ends_state(newer: Change, older: Stated) -> bool:
    """Whether the newer line ends a state that the older one says, in whatever words."""
    return bool(set(newer.states) & {*older.states, *(("life",) if older.states else ())})


def _may_be(thing: Thing, older: Stated) -> bool:
    """Whether nothing that is said of the thing speaks against its being that of the older line:
    the chess club is not the rowing club, a house in Sintra is none in Porto."""
    for run, (by, led) in older.runs:
        noun = next((word for word in run if same_word(thing.words[0], word)), None)
        if noun is None:
            continue
        around = [word for word in run if word != noun]
        differs = thing.described and not _share(thing.described, (*around, *led))
        elsewhere = by and by == thing.where[0] and not _share(thing.where[1], led)
        if not differs and not elsewhere:
            return True
    return not any(same_word(thing.words[0], w) for run, _ in older.runs for w in run)


def _share(one: Iterable[str], other: Collection[str]) -> bool:
    return any(same_word(word, each) for word in one for each in other)


def _names_same_thing(older: Stated, token: str) -> bool:
    """Whether the older line names that very thing: one shop is not both of "two shops"."""
    return any(same_word(token, word) and len(word) <= len(token) for word in older.words)


def shared_words(one: Sequence[str], other: Sequence[str]) -> float:
    """Which share of the words of the shorter of two lines stands in the other, 0..1."""
    ours, theirs = sorted((one, other), key=len)
    begun = {word[:_STEM] for word in theirs}  # words that are alike begin alike
    near = [word for word in ours if word[:_STEM] in begun]
    found = sum(any(same_word(word, each) for each in theirs) for word in near)
    return found / len(ours) if ours else 0.0


class _Reader(Record):
    all: tuple[str, ...]
    languages: tuple[str, ...]
    light: frozenset[str]
    """Stop words of the languages, and the names of whom the line is about."""

    @classmethod
    def of(cls, text: str, names: frozenset[str]) -> _Reader:
        found = tuple(tokens(text))
        is_chinese = any("\u3400" <= token <= "\u9fff" for token in found)
        languages = ("zh",) if is_chinese else likely_languages(found)
        return cls(found, languages, stop_words_among(languages) | names)

    def is_light(self, token: str) -> bool:
        return token in self.light

    def cues(self, role: str, said: Iterable[str]) -> Iterator[tuple[str, str, Cue]]:
        """`(language, state, cue)` of the cues that may stand in `said`, the longest first."""
        table, spoken = _by_first_token(role), self.languages
        found = [cue for token in dict.fromkeys(said) if token in table for cue in table[token]]
        if found:  # of most roles no line holds any
            found = [cue for cue in found if cue[0] in spoken]
            found.sort(key=lambda cue: (spoken.index(cue[0]), -len(cue[2]), cue[2]))
        yield from found

    def has(self, role: str, said: Sequence[str]) -> bool:
        return any(_is_in(said, cue) for _, _, cue in self.cues(role, said))

    def first_words(self, role: str, said: Sequence[str]) -> set[str]:
        """The words of a role whose cues are one word: "and", "of", "not"."""
        return {cue[0] for _, _, cue in self.cues(role, said)}

    def objects(self, clause: list[str]) -> Iterator[Thing]:
        """What the clause says is over."""
        taken: set[int] = set()
        yield from map(Thing, self._no_more(clause))
        for role in ("instead", "announced", "ends", "over", "apart"):
            for code, _, cue in self.cues(role, clause):
                place = _place(clause, cue[:1] if role == "apart" else cue)
                if place is None or place in taken or self._is_denied(clause, place, cue):
                    continue
                run, subject = self._object_and_subject(role, code, clause, place, cue)
                if run is None or (role != "instead" and _is_only_a_day(clause[slice(*run)])):
                    continue  # "left on Monday" ends no Monday
                taken.add(place)
                noun = _noun(clause[slice(*run)], code)
                thing = (*noun, *self._owner(clause, run))
                # Who or what does it has to be known as well: others may give up theirs.
                # A day and its month are telling enough.
                is_day = len(thing) > 1 and all(map(_is_date, thing))
                whole = thing if subject is None or is_day else (*thing, clause[subject[1] - 1])
                described = (t for t in clause[slice(*run)] if t not in noun and not _is_date(t))
                where = ("", ()) if len(noun) > 1 else self._where(clause, run[1])
                yield Thing(whole, () if len(noun) > 1 else tuple(described), where)

    def _object_and_subject(
        self, role: str, code: str, clause: list[str], place: int, cue: Cue
    ) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
        """Where that stands which is over, and who or what is said to end it."""
        before = self._run(clause, 0, place)
        if role == "over":
            return before, None
        if role == "apart":
            return self._between(clause, place, cue), before
        # "The shop closed down in spring" closes no spring.
        if before and (code, "", cue) in _by_first_token("over").get(cue[0], ()):
            return before, None
        return self._run(clause, place + len(cue), len(clause)), before

    def _owner(self, clause: list[str], run: tuple[int, int]) -> Iterator[str]:
        """Whose it is, which has to be known as well: to sell "her mother's car" ends no car."""
        first, last = run
        if first > 1 and clause[first - 1] == "s" and not self.is_light(clause[first - 2]):
            yield clause[first - 2]
        rest = self._run(clause, last, len(clause))
        if rest is not None and clause[last] in self.first_words("of", clause):
            yield clause[rest[1] - 1]

    def runs(self, clause: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Place]]:
        """The tokens that say something as they stand side by side, each run with what follows."""
        first = 0
        while (run := self._run(clause, first, len(clause), reach=len(clause))) is not None:
            yield tuple(clause[slice(*run)]), self._where(clause, run[1])
            first = run[1]

    def _where(self, clause: Sequence[str], end: int) -> Place:
        """What stands behind a run that ends there, but for a day."""
        after = self._run(clause, end, len(clause))
        if after is None or after[0] == end:
            return "", ()
        led = tuple(token for token in clause[slice(*after)] if not _is_date(token))
        return (clause[end], led) if led else ("", ())

    def _no_more(self, clause: list[str]) -> Iterator[tuple[str, ...]]:
        """All that "no longer works at the mill" names: the mill alone would be too little."""
        for _, _, cue in self.cues("no_more", clause):
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
        for code, _, cue in self.cues("was", inside):
            if tuple(inside[: len(cue)]) == cue:
                run = self._run(inside, len(cue), len(inside))
                if run:
                    yield _noun(inside[slice(*run)], code)

    def ended_states(self, clause: list[str]) -> Iterator[str]:
        """States that end, where nobody but the entity itself stands before the words."""
        for _, state, cue in self.cues("states_end", clause):
            place = _place(clause, cue)
            if place is not None and all(self.is_light(t) or _is_date(t) for t in clause[:place]):
                yield state

    def joined(self, text: str) -> Iterator[str]:
        """The tokens near an "and"."""
        joints = self.first_words("and", self.all)
        for clause in map(tokens, _CLAUSE.split(text)):
            for place, token in enumerate(clause):
                if token in joints and place:
                    yield from clause[max(0, place - _JOINT_REACH) : place + _JOINT_REACH + 1]

    def _run(
        self, clause: Sequence[str], start: int, end: int, *, reach: int = _MOST_LIGHT
    ) -> tuple[int, int] | None:
        """The first run of nouns and what describes them; a possessor is passed over."""
        while True:
            first = start
            while first < end and self.is_light(clause[first]) and first - start <= reach:
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

    def _is_denied(self, clause: Sequence[str], place: int, cue: Cue) -> bool:
        before = clause[max(0, place - _NEGATION_REACH) : place]
        denials = self.first_words("not", clause)
        return not denials.isdisjoint(before) and cue[0] not in denials

    def _between(self, clause: list[str], place: int, cue: Cue) -> tuple[int, int] | None:
        """What stands between the parts of a cue: "handed the committee to", "let the boat go"."""
        run = self._run(clause, place + 1, len(clause))
        if run is not None:
            for end in range(run[0] + 1, run[1] + 1):
                if tuple(clause[end : end + len(cue) - 1]) == cue[1:]:
                    return run[0], end
        return None


def _noun(run: list[str], language: str) -> tuple[str, ...]:
    """The noun of a run; of a date or number all of it, of an unspaced script the first word."""
    if language == "zh":
        return tuple(run[:_UNSPACED_WORD])
    if any(letter.isdigit() for token in run for letter in token):
        return tuple(run)
    return (run[0] if language in _vocabulary()[1] else run[-1],)


def _place(said: Sequence[str], cue: Sequence[str]) -> int | None:
    first, length = cue[0], len(cue)
    for place, token in enumerate(said):
        if token == first and len(said) >= place + length:
            met = said[place : place + length]
            if all(a in (GAP, b) for a, b in zip(cue, met, strict=True)):
                return place
    return None


def _is_in(said: Sequence[str], cue: Cue) -> bool:
    return _place(said, cue) is not None


def _is_date(token: str) -> bool:
    return token[0].isdigit() or token in day_names() or token in _months()


def _without_dates(said: Sequence[str]) -> list[str]:
    """The tokens without months that stand beside a number: "22 May" hedges nothing."""
    return [
        token
        for place, token in enumerate(said)
        if token not in _months()
        or not any(near[0].isdigit() for near in said[max(0, place - 1) : place + 2])
    ]


def _is_only_a_day(run: Sequence[str]) -> bool:
    """Whether nothing but a time is named; a longer number names a thing: port 7441."""
    return all(_is_date(t) and not re.fullmatch(r"\d{5,}|(?!19|20)\d{4}", t) for t in run)


# -- the words of change -------------------------------------------------------------------------


def tokens(text: str) -> list[str]:
    """The folded tokens of a text; a hyphenated word is one, an address or a time of day too.

    >>> tokens("The sous-chef hasn't moved to 10.20.4.52")
    ['the', 'sous-chef', 'hasn', 't', 'moved', 'to', '10.20.4.52']
    """
    return _TOKEN.findall(fold(text))


@cache
def _by_first_token(role: str) -> dict[str, list[tuple[str, str, Cue]]]:
    """`(language, state, cue)` of a role, by the first token; most roles tell no state."""
    table: dict[str, list[tuple[str, str, Cue]]] = {}
    for (of, language), cues in _vocabulary()[0].items():
        for state, cue in cues if of == role else ():
            table.setdefault(cue[0], []).append((language, state, cue))
    return table


@cache
def _beginnings(languages: tuple[str, ...]) -> frozenset[str]:
    """The first tokens of all cues by which something ends; half of all lines hold none."""
    roles = {*_ROLES, "states_end"} - {"unsure", "once", "not", "and", "of"}
    cues = (row for key, row in _vocabulary()[0].items() if key[0] in roles and key[1] in languages)
    return frozenset(cue[0] for row in cues for _, cue in row)


def day_names() -> frozenset[str]:
    """The folded names of days of the week and months."""
    return _names("weekday", "weekday_plural", "month")


def _months() -> frozenset[str]:
    return _names("month", "month_short")


@cache
def _names(*entries: str) -> frozenset[str]:
    found = compiled("day_names", _read_day_names)
    return frozenset().union(*(found[entry] for entry in entries))


def _read_day_names(_: Sections) -> dict[str, frozenset[str]]:
    return {
        entry: frozenset(
            fold(spelling)
            for section in sections("dates").values()
            if "weekday" in section  # of other languages too little is read: Polish `maja`, Maja
            for spellings in section.get(entry, ())
            for spelling in split(spellings)
        )
        for entry in ("weekday", "weekday_plural", "month", "month_short")
    }


_Vocabulary = tuple[dict[tuple[str, str], tuple[tuple[str, Cue], ...]], frozenset[str]]
"""`(role, language)` → `(state, cue)`; languages whose nouns stand before what describes them, as
in Spanish."""


@cache
def _vocabulary() -> _Vocabulary:
    return compiled("change", _compile)


def _compile(found: Sections) -> _Vocabulary:
    cues: dict[tuple[str, str], tuple[tuple[str, Cue], ...]] = {}
    for code, section in found.items():
        for role in _ROLES:
            cues[role, code] = _cues({"": section.get(role, "")})
        for role in ("states", "states_end"):
            cues[role, code] = _cues(section.get(role, {}))
    heads_first = frozenset(code for code, section in found.items() if section["head"] == "first")
    return cues, heads_first


def _cues(phrases: dict[str, str]) -> tuple[tuple[str, Cue], ...]:
    found = {
        (state, tuple(t for part in cue.split() for t in ([GAP] if part == GAP else tokens(part))))
        for state, text in phrases.items()
        for cue in split(text)
    }
    return tuple(sorted(entry for entry in found if entry[1]))
