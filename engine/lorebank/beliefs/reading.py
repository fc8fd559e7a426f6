"""What a sentence says of its objects: its clauses, with a sign where words tell one.

A clause is cut at punctuation and conjunctions. Its *objects* are the words left when cue words
(`[stance]` of the language's file) and stop words are taken out; its *sign* is what its attitude
words say of them (`likes`, `a waste`), turned over by each negation. Of a comparison the objects
are what is preferred, `less` what it is preferred to. No grammar is read beyond that: a clause
whose words disagree has no sign.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from lorebank.language.folding import fold
from lorebank.language.words import COMMON_START, same_word, stop_words_of
from lorebank.languages import Sections, compiled, split
from lorebank.records import Record

_CUES = (
    "not", "over", "mind", "like", "dislike", "good", "bad", "turn", "still", "prefer",
    "choose", "switch", "than", "from", "to", "say", "split",
)  # fmt: skip
_FLAGS = frozenset({"over", "mind", "turn", "still", "prefer", "switch"})
_FIRST = "en"  # the language of a text whose words tell none
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_IS_HAN = re.compile(f"[{_HAN}]")
_HAN_RUN = re.compile(f"[{_HAN}]+|[a-z0-9]{{2,}}")
_WORD = re.compile(r"\w+(?:['-]\w+)*")
_RUN = re.compile(r"\w+")
_STEM = 3  # no cue with an open end has fewer letters before it
_BREAK = re.compile(r"[;:.,!?—–()\"“”«»，。；：！？、]|\s-\s")
_ELISION = re.compile(
    r"(?<![\w'])(?:l|d|j|m|t|s|c|qu|un|dell|all|nell|sull|quest|dall)'(?=\w\w)|(?<![\w'])n'(?=\w\w)"
)
MOST_HOLDING = 100
"""Readings that a word leads to, the newest, beside those about the very same: a word that more
opinions of one holder name tells none of them. 1 MB of opinions of one holder took over 500 s
without a bound, 53 s with 500, 16 s with 100; PrefEval's opinions are the same with either."""
_KEPT = 4_096
"""Texts kept as read, 1 KB each: a line is compared with several opinions of its holder."""


class Clause(Record):
    """One statement of a sentence."""

    objects: tuple[str, ...]
    less: tuple[str, ...] = ()
    """What the objects are preferred to."""
    sign: int = 0
    """1 for, -1 against the objects; 0 where nothing is said for or against them."""
    denied: bool = False
    """Whether it holds an odd number of negations."""
    mixed: bool = False
    """Whether its attitude words disagree."""
    flags: frozenset[str] = frozenset()
    """`over` (no longer), `mind` (changed his mind), `turn` (now), `still`, `prefer` (one over
    others), `switch` (from one to another)."""


class Reading(Record):
    """A text as clauses."""

    language: str
    clauses: tuple[Clause, ...]
    flags: frozenset[str]
    """Those of all clauses."""
    objects: tuple[str, ...]
    """What any clause speaks of, preferred or not, each once."""
    chosen: tuple[str, ...]
    """The objects of its clauses."""
    less: tuple[str, ...]
    """What those are preferred to."""
    clauses_in: float
    """How many of its smallest clauses that has objects are as much as the whole."""
    compared: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """All words before and behind the first `than`, without those on both sides."""


@lru_cache(maxsize=_KEPT)
def read(text: str, names: frozenset[str] = frozenset()) -> Reading:
    """The clauses of a text; `names` are words that name the holder and say nothing."""
    folded = _normal(text)
    code = _language_of(text, folded)
    lexicon = _lexicons()[code]
    clauses: list[Clause] = []
    marks = sorted(_marks(folded, lexicon), key=lambda mark: mark[:2])
    switches = any(cue and "switch" in lexicon.cues(cue) for _, _, cue in marks)
    builder = _Builder(code, lexicon, names, switches=switches)
    place = 0
    for start, end, cue in marks:
        if start < place:
            continue
        builder.plain(folded[place:start])
        place = end
        if cue is None or "split" in lexicon.cues(cue):
            clauses += builder.close()
        else:
            builder.cue(lexicon.cues(cue))
    builder.plain(folded[place:])
    clauses += builder.close()
    joined = tuple(_joined(clauses))
    flags = frozenset().union(*(clause.flags for clause in joined))
    chosen = tuple(dict.fromkeys(word for c in joined for word in c.objects))
    less = tuple(dict.fromkeys(word for c in joined for word in c.less))
    objects = dict.fromkeys(word for c in joined for word in (*c.objects, *c.less))
    smallest = min((len(c.objects) for c in joined if c.objects), default=1)
    than = next((m for m in marks if m[2] and "than" in lexicon.cues(m[2])), None)
    sides = (folded[: than[0]], folded[than[1] :]) if than else ("", "")
    before, behind = (frozenset(_WORD.findall(side)) for side in sides)
    compared = before - behind, behind - before
    size = len(objects) / smallest
    return Reading(code, joined, flags, tuple(objects), chosen, less, size, compared)


def denies(text: str) -> bool:
    """Whether a text holds a negation or says that something ended."""
    folded = _normal(text)
    lexicon = _lexicons()[_language_of(text, folded)]
    return any("not" in lexicon.cues(m.group()) for m in lexicon.pattern.finditer(folded))


def shared(one: Iterable[str], other: Collection[str]) -> float:
    """0..1: which share of the words the other has in some form; 0 for no words."""
    words, held = tuple(one), 0
    if not words or not other:
        return 0.0
    starts = _by_start(tuple(other))
    for word in words:
        alike = starts.get(word[: COMMON_START - 1])
        if alike and any(same_word(word, each) for each in alike):
            held += 1
    return held / len(words)


@lru_cache(maxsize=_KEPT)
def _by_start(words: tuple[str, ...]) -> dict[str, list[str]]:
    """The words by the letters that forms of one have in common."""
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(word[: COMMON_START - 1], []).append(word)
    return found


def flags_of(text: str, names: frozenset[str], among: frozenset[str]) -> frozenset[str]:
    """Which of these flags a text raises; most raise none, and are not read for it."""
    if not _IS_HAN.search(text):
        tokens, needed = _tokens(_normal(text)), _needed(among)
        firsts = needed.keys() & tokens
        if not any(others <= tokens for first in firsts for others in needed[first]):
            return frozenset()
    return read(text, names).flags & among


class WordIndex:
    """Which of the readings added have words of a text in some form: an inverted index."""

    def __init__(self) -> None:
        self._by_start: dict[str, dict[str, deque[int]]] = {}
        """What forms of a word have in common → word → numbers of the newest readings."""
        self._by_all: dict[frozenset[str], deque[int]] = {}
        """All words of a reading → numbers of the newest that have these and no other."""

    def add(self, number: int, words: Collection[str]) -> None:
        """Add the words, each once, of a reading."""
        self._by_all.setdefault(frozenset(words), deque(maxlen=MOST_HOLDING)).append(number)
        for word in words:
            alike = self._by_start.setdefault(word[: COMMON_START - 1], {})
            alike.setdefault(word, deque(maxlen=MOST_HOLDING)).append(number)

    def find(self, words: Collection[str]) -> dict[int, list[int]]:
        """Reading → how many of its words are among these, and of these among its."""
        found: dict[int, list[int]] = {}
        seen: set[str] = set()
        for word in words:
            held: set[int] = set()
            for other, numbers in self._by_start.get(word[: COMMON_START - 1], {}).items():
                if not same_word(word, other):
                    continue
                held.update(numbers)
                if other not in seen:
                    seen.add(other)
                    for number in numbers:
                        found.setdefault(number, [0, 0])[0] += 1
            for number in held:
                found[number][1] += 1
        if words:  # however many hold one of them, what is about the very same is met
            found |= {n: [len(words)] * 2 for n in self._by_all.get(frozenset(words), ())}
        return found


class _Builder:
    """The clause that is being read."""

    def __init__(
        self, code: str, lexicon: _Lexicon, names: frozenset[str], *, switches: bool
    ) -> None:
        self._code, self._lexicon, self._names, self._switches = code, lexicon, names, switches
        self._reset()

    def _reset(self) -> None:
        self._sides: tuple[list[str], list[str]] = ([], [])
        self._signs: list[int] = []
        self._negations = 0
        self._flags: set[str] = set()
        self._side = 0
        self._chosen = False

    def plain(self, text: str) -> None:
        own = self._sides[self._side]
        if self._lexicon.unspaced:
            for run in _HAN_RUN.findall(text):
                is_han = _IS_HAN.match(run) is not None
                own += [run[i : i + 2] for i in range(len(run) - 1)] if is_han else [run]
            return
        for word in _WORD.findall(text):
            word = word.removesuffix("'s")
            says_nothing = word in self._lexicon.stops or word in self._names
            if not says_nothing and (len(word) > 1 or word.isdigit()):
                own.append(word)

    def cue(self, cues: frozenset[str]) -> None:
        if "not" in cues and not (self._code == "fr" and self._negations):  # ne … pas is one
            self._negations += 1
        self._signs += [1] if cues & {"like", "good"} else []
        self._signs += [-1] if cues & {"dislike", "bad"} else []
        begun = bool(self._sides[0])
        if self._switches and self._switch(cues):
            return
        if ("than" in cues and (begun or self._signs)) or ("to" in cues and begun and self._chosen):
            self._side = 1
        self._chosen = self._chosen or "choose" in cues
        self._flags |= cues & _FLAGS

    def _switch(self, cues: frozenset[str]) -> bool:
        """Whether a cue marks the two ends of a switch: `from tea to coffee`."""
        if "from" in cues and not self._sides[1]:
            self._side = 1
        elif self._sides[1] and cues & {"to", "switch"}:
            self._side = 0
        if "switch" in cues:
            self._signs.append(1)
            self._flags |= {"switch", "prefer", "turn"}
        return bool(cues & {"from", "to", "switch"})

    def close(self) -> list[Clause]:
        """The clause as far as it goes, and a new one is begun."""
        objects, less = (tuple(dict.fromkeys(side)) for side in self._sides)
        denied = bool(self._negations % 2)
        mixed = len(set(self._signs)) > 1
        sign = 0 if mixed or not self._signs else self._signs[0] * (-1 if denied else 1)
        if sign > 0 and not denied and not self._negations and "over" in self._flags:
            self._flags.discard("over")  # `wants more`: nothing ended
        elif "over" in self._flags and not self._negations and sign == 0:
            self._flags.discard("over")
        found = Clause(objects, less, sign, denied, mixed, frozenset(self._flags))
        empty = not (objects or less or self._signs or self._flags or self._negations)
        self._reset()
        return [] if empty else [found]


def _joined(clauses: Iterable[Clause]) -> list[Clause]:
    """Clauses of a sign without objects joined to a neighbour of objects without a sign: `The new
    chef? A tyrant.`"""
    out: list[Clause] = []
    for clause in clauses:
        before = out[-1] if out else None
        if before is not None and _fits(before, clause):
            out[-1] = Clause(
                before.objects or clause.objects,
                before.less or clause.less,
                before.sign or clause.sign,
                before.denied != clause.denied,
                flags=before.flags | clause.flags,
            )
            while not clause.objects and len(out) > 1 and _only_names(out[-2]):
                named = out.pop(-2).objects  # Saturday's market, in our street: dreadful
                out[-1] = replace(out[-1], objects=(*named, *out[-1].objects))
        else:
            out.append(clause)
    return out


def _only_names(clause: Clause) -> bool:
    return clause == Clause(clause.objects)


def _fits(one: Clause, other: Clause) -> bool:
    bare_sign = one.sign != 0 and not one.objects and other.sign == 0 and bool(other.objects)
    bare_object = one.sign == 0 and bool(one.objects) and other.sign != 0 and not other.objects
    return (bare_sign or bare_object) and not (one.mixed or other.mixed)


class _Lexicon:
    """The cue words of a language."""

    def __init__(self, code: str, cues: dict[str, frozenset[str]]) -> None:
        self.by_cue = cues
        self.stops = stop_words_of(code)
        self.unspaced = any(_IS_HAN.search(cue) for cue in cues)
        forms = {cue: re.escape(cue).replace(r"\ ", r"\s+").replace(r"\*", r"\w*") for cue in cues}
        by_letter: dict[str, list[str]] = {}  # a tenth of the time of trying each cue at each word
        for cue in sorted(cues, key=lambda cue: (-len(cue), cue)):
            by_letter.setdefault(forms[cue][0], []).append(forms[cue][1:])
        either = "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in by_letter.items())
        self.pattern = re.compile(either if self.unspaced else rf"(?<!\w)(?:{either})(?!\w)")
        self.open_ended = [(re.compile(forms[c]), kinds) for c, kinds in cues.items() if "*" in c]
        self.begin = frozenset(_parts(cue)[0] for cue in cues)
        """What a text without any of it among its `_tokens` holds no cue."""

    def cues(self, text: str) -> frozenset[str]:
        """What a match of the pattern may be."""
        cue = " ".join(text.split())
        if cue in self.by_cue:
            return self.by_cue[cue]
        return next((cues for form, cues in self.open_ended if form.fullmatch(cue)), frozenset())


def _tokens(folded: str) -> set[str]:
    """The runs of letters of a text, and how each begins."""
    runs = set(_RUN.findall(folded))
    return runs | {run[:_STEM] for run in runs}


def _parts(cue: str) -> list[str]:
    """What has to be among the tokens of a text that holds a cue."""
    parts = [part for word in cue.split() for part in re.findall(r"\w+\*?", word)]
    return [part[:_STEM] if part.endswith("*") else part for part in parts]


@cache
def _needed(flags: frozenset[str]) -> dict[str, list[set[str]]]:
    """First part of a cue that raises one of these flags, in any language → its other parts."""
    found: dict[str, list[set[str]]] = {}
    for lexicon in _lexicons().values():
        for cue, kinds in lexicon.by_cue.items():
            if kinds & flags and not lexicon.unspaced:
                first, *others = _parts(cue)
                found.setdefault(first, []).append(set(others))
    return found


@cache
def _lexicons() -> dict[str, _Lexicon]:
    return {code: _Lexicon(code, cues) for code, cues in compiled("stance", _tables).items()}


def _tables(languages: Sections) -> dict[str, Any]:
    """Language → cue → what it may be."""
    found = {}
    for code, section in languages.items():
        cues: dict[str, set[str]] = {}
        for kind in _CUES:
            for cue in split(section.get(kind, "")):
                cues.setdefault(" ".join(_normal(cue).split()), set()).add(kind)
        found[code] = {cue: frozenset(kinds) for cue, kinds in cues.items()}
    return found


def _marks(folded: str, lexicon: _Lexicon) -> Iterable[tuple[int, int, str | None]]:
    for found in _BREAK.finditer(folded):
        yield found.start(), found.end(), None
    for found in lexicon.pattern.finditer(folded):
        yield found.start(), found.end(), found.group()


def _normal(text: str) -> str:
    """Folded, with `n't` and elided articles as words of their own."""
    folded = fold(text.replace("’", "'")).replace("can't", "cannot").replace("won't", "will n't")
    folded = folded.replace("n't", " n't")
    return _ELISION.sub(lambda found: "n " if found.group() == "n'" else "", folded)


def _language_of(text: str, folded: str) -> str:
    """The language with the most stop words and cues in a text."""
    lexicons = _lexicons()
    if _IS_HAN.search(text):
        return "zh"
    words, tokens = set(_WORD.findall(folded)), _tokens(folded)
    best, most = _FIRST, -1.0
    for code in (_FIRST, *lexicons):
        lexicon = lexicons[code]
        if lexicon.unspaced:
            continue
        found = () if lexicon.begin.isdisjoint(tokens) else lexicon.pattern.findall(folded)
        cues = [cue for cue in found if cue not in lexicon.stops]
        # A cue says less about the language than a stop word: many cues are words of two languages.
        votes = len(words & lexicon.stops) + 0.6 * len(cues)
        if votes > most:
            best, most = code, votes
    return best
