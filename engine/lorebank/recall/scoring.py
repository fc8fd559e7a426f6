"""Scoring: how likely an item answers the question, in 0..1.

One linear model over signs that a person would look at too: how much of the question the
item holds, how near it comes in meaning, whether it is about the one named, of the time, the
property or the opinion asked for, whether somebody noted it as a fact. Its sum is the log-odds of
being a right answer; the order of an answer is the order of these scores, and the evidence level is
read from the best of them.

The weights are fitted by `tests/benchmarks/fit_ranking.py` to judged questions on notes and chat
logs that others wrote (development halves; held-out ones give the figures).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from functools import cache, lru_cache
from operator import mul

from lorebank.domain.facts import FactKind, Interval
from lorebank.index.finding import LEAST_SHARE
from lorebank.index.items import NOTE, Item
from lorebank.index.lexical import Held
from lorebank.language.folding import fold
from lorebank.recall.candidates import Pool
from lorebank.recall.resolve import definitions
from lorebank.records import Record

STRONG, WEAK, NONE = "strong", "weak", "none"


class Weights(Record):
    """What each sign, 0 where it is missing and 1 where it is whole, adds to the log-odds."""

    covered: float = 3.7
    """It holds the words asked for, by rarity."""
    around: float = 0.8
    """The lines beside it, its heading or its file hold words that it lacks."""
    verbatim: float = 3.5
    """It holds the whole question, or its quoted phrases, as typed: a word, a command, a code.
    Fitted at 1.2; at 3.5 a word that stands in one place comes before other forms of it, however
    near those are in meaning: the vector of one word says little."""
    meaning: float = 5.0
    """Standard deviations nearer in meaning than the notes at large, levelling off at about 6.
    Fitted at 4.3 on chat logs and notes, at 5.5 on notes alone; of 366 questions on five workspaces
    by other hands 224 have a right line first with 5, 220 with 3.4, 228 with 6; R@10 of LoCoMo
    falls with it."""
    named: float = 1.5
    """It is about those named, or has their names; one of whom nothing speaks counts as well.
    Fitted at 1.2; at 1.5 three more of 534 questions by other hands have a right line first."""
    slot: float = 6.0
    """It gives the very property asked for; the newest that does, all of it."""
    in_time: float = 1.3
    """It happened, or was written, in the time asked for."""
    dated: float = 1.4
    """It names a time, and the question asks when."""
    opinion: float = 1.6
    """It states an opinion of those named, and one is asked for; times the confidence today."""
    fact: float = 1.3
    """Somebody noted it as a fact."""
    length: float = 1.7
    """It is prose of many words (40 are 1), which may say in others what it lacks of those asked
    for. A vector of three words is near to much that they do not answer."""
    defining: float = 3.5
    """It says who or what the one is whom the question asks about as such. Not fitted: it leads."""
    question: float = -1.1
    """It asks, and does not tell."""
    quarantined: float = -3.0
    """It is quarantined and unconfirmed. Not fitted: more than being the newest can bring."""


DEFAULT_WEIGHTS = Weights()
SIGNS = tuple(each.name for each in fields(Weights))
BIAS = -7.6
"""Log-odds of an item without any sign."""
STRONG_FROM, WEAK_FROM = 0.7, 0.0009
"""Strong is what is more than twice as likely right as not: of questions asked of another workspace
1 or 2 in 100 get there, of those asked of their own 60 (`calibrate` in `fit_ranking.py`). Weak is
about what one shared word comes to."""
_SUBJECT = ("covered", "around", "verbatim", "meaning")
_DEVIATIONS = 6.0
"""So many standard deviations nearer than the notes at large is about as near as lines get."""
_TURNS = ((-1, 0.85), (1, 0.75), (-2, 0.7), (2, 0.6))
"""Turns away in a dialogue, and what a word counts that stands there first: the answer to "did you
buy the boat?" names no boat. Found by measurement on public chat logs, as are the next."""
_WRITTEN = 0.5
"""What was only written in the time asked for, beside 1 for what happened in it."""
_WRITTEN_NAME = 0.8
"""What the words of a name count, beside 1 for a fact about whom it names: as a link, which says
0.8 in `candidates`."""
_BESIDE_A_SUBJECT = 0.5
"""What is left of a name in a fact about others; 0 to .5 do about as well on public chat logs, 1
worse (R@10 of LoCoMo .808 against .805)."""
_LEAST_SHARE = math.sqrt(LEAST_SHARE)
"""A line that names a year does not say what happened in one of its months."""
_NEAR_TURNS = ((-1, 0.45), (1, 0.2), (-2, 0.07), (2, 0.07))
"""What the nearness of the turns beside counts for a turn: the ratio fitted on public chat logs."""
_WORDS = 40
"""Beyond as many words a passage says no more by being longer; 20 to 100 do about as well."""
_NEAR = 0.245
"""What shares no word with the question is nearer to it than this, or has nothing to do with it:
1.5 deviations."""
_MEANING_WITHOUT_WORDS, _MEANING_BY_WORDS = 0.22, 0.30
"""Without vectors: how near in meaning an item is taken to be that holds none of the words, and how
much nearer one that holds all: least squares over the candidates of 366 questions by others."""
_NOT_HELD, _NO_WORDS = Held(0, 0), (0.0, 0.0, 0.0)
_QUESTION_MARKS, _TRAILING_PUNCTUATION = ("?", "？", "؟"), " \"'”’»)\n"


Signs = Mapping[int, tuple[float, ...]]
"""Item → its signs, in the order of `SIGNS`."""


def score(pool: Pool, signs: Signs, weights: Weights = DEFAULT_WEIGHTS) -> dict[int, float]:
    """Item → how likely it answers the question; where only filters were given, all do, and the
    newest comes first."""
    if listed := pool.lists["listing"]:
        return {item: 1.0 - place / (2 * len(listed)) for place, item in enumerate(listed)}
    worth = [getattr(weights, name) for name in SIGNS]
    return {item: _chance(BIAS + sum(map(mul, worth, each))) for item, each in signs.items()}


def score_parts(signs: Sequence[float], weights: Weights) -> dict[str, float]:
    """What each sign adds to the log-odds, the greatest first; they sum to the score's own."""
    parts = {
        name: round(getattr(weights, name) * sign, 3)
        for name, sign in zip(SIGNS, signs, strict=True)
        if getattr(weights, name) * sign
    }
    return {"base": BIAS, **dict(sorted(parts.items(), key=lambda part: -abs(part[1])))}


def score_of_words(share: float, *, named: float = 1.0, verbatim: float = 0.0) -> float:
    """The score of what is known only to hold a share of the words asked for; `named`: whether it
    is somebody's word at all; `verbatim`: whether it holds the question as typed."""
    fitted = DEFAULT_WEIGHTS
    worth = fitted.covered + fitted.meaning * _MEANING_BY_WORDS
    return _chance(
        BIAS
        + fitted.meaning * _MEANING_WITHOUT_WORDS
        + fitted.named * named
        + fitted.verbatim * verbatim
        + worth * share
    )


def as_typed(text: str) -> str:
    """Folded, with one blank between its words."""
    return " ".join(fold(text).split())


def holds_typed(text: str, typed: str) -> bool:
    """Whether a text holds another as words of its own, both `as_typed`. No regular expression: one
    for each question took a twentieth of a recall to compile."""
    start = text.find(typed)
    while start >= 0:
        end = start + len(typed)
        around = text[max(0, start - 1) : start] + text[end : end + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        start = text.find(typed, start + 1)
    return False


def evidence_level(best: float) -> str:
    """What the score of the best item says of the whole answer."""
    return STRONG if best >= STRONG_FROM else WEAK if best >= WEAK_FROM else NONE


def log_odds(score: float) -> float:
    """The sum of which a score was made; of a certain one, that of nearly certain."""
    score = min(max(score, 1e-6), 1.0 - 1e-6)
    return math.log(score / (1.0 - score))


def _chance(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def subject_of(signs: Signs, weights: Weights) -> float:
    """What the best item's words and meaning add to the log-odds, whoever and whenever it is of."""
    places = [(SIGNS.index(name), getattr(weights, name)) for name in _SUBJECT]
    return max(
        (sum([weight * each[place] for place, weight in places]) for each in signs.values()),
        default=0.0,
    )


def signs_of(pool: Pool) -> Signs:
    """The signs of each candidate; without what has none of what is asked for."""
    understood, lists = pool.request.understood, pool.lists
    interval = understood.query.interval
    only_named = (
        not understood.subject_terms
        and not understood.relations  # else every line about the one named would answer
        and (understood.entities or interval is not None)
    )
    words = _Words(pool)
    wanted = bool(understood.entities)
    known = len(understood.entities)
    of_known = known / (known + len(understood.strangers)) if understood.strangers else 1.0
    defining = definitions(pool.request, pool.items) if _asks_for_portrait(pool) else {}
    nearness = pool.nearness
    slot, opinion = lists["slot"], lists["opinion"]
    found: dict[int, tuple[float, ...]] = {}
    for number, item in pool.items.items():
        covered, around, verbatim = words.of(item)
        named = (words.named(item) if wanted else 1.0) * of_known
        if number in defining:
            named = max(named, defining[number])
        share = _share_of_time(item, interval) if interval else 0.0
        if only_named and (interval is None or share >= _LEAST_SHARE):
            covered = max(covered, named)  # nothing else is asked
            if not defining:  # who somebody is stands below his name, in a heading
                around = min(around, 1.0 - covered)
        near = (
            _near(pool, item) if nearness else _MEANING_WITHOUT_WORDS + _MEANING_BY_WORDS * covered
        )
        unmatched = not (covered or around or number in slot or share or (wanted and named))
        if unmatched and near < _NEAR:
            continue  # nothing of what is asked for
        is_note = item.kind == NOTE
        found[number] = (
            covered,
            around,
            verbatim,
            near,
            named,
            slot.get(number, 0.0),
            share,
            float(bool(item.times)) if understood.wants_time else 0.0,
            opinion.get(number, 0.0),
            0.0 if is_note else 1.0,
            _length(item.content) * (1.0 - min(1.0, covered)) if is_note else 0.0,
            # Where no entity is named, as far as the words asked for are its name.
            defining.get(number, 0.0) * (1.0 if wanted else covered),
            _asks(item.content),
            float(item.quarantined),
        )
    return found


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def _asks(text: str) -> float:
    return float(text.rstrip(_TRAILING_PUNCTUATION).endswith(_QUESTION_MARKS))


class _Words:
    """How much of a question's words, and of its names, each item holds."""

    def __init__(self, pool: Pool) -> None:
        understood = pool.request.understood
        terms, subject = understood.terms, set(understood.subject_terms)
        asked = subject or terms  # without names, where more than names is asked
        self._held, self._codes = pool.held, pool.codes
        self._linked = pool.lists["entity"]
        self._turns = pool.turns
        self._rarity = [pool.rarity[term] if term in asked else 0.0 for term in terms]
        self._total = sum(self._rarity) or 1.0
        self._entities = frozenset(understood.entities)
        # Most items hold the terms, and name those asked for, in one of a few ways.
        self._share, self._named = cache(self._share_of), cache(self._named_by)

        def places(wanted: Collection[str]) -> int:
            return sum(1 << place for place, term in enumerate(terms) if term in wanted)

        self._roles = {slug: places(guess.role) for slug, guess in understood.perhaps.items()}
        self._names = places(set(terms) - subject)
        self._all, self._quoted = places(terms), places(understood.quoted)
        self._typed = as_typed(understood.plain)

    def of(self, item: Item) -> tuple[float, float, float]:
        """Share of the words that the item holds, and that only its surroundings do; whether it
        holds the question as typed."""
        held = self._held.get(item.item, _NOT_HELD)
        if held is _NOT_HELD and not (self._roles or item.dialogue):
            return _NO_WORDS
        seen = held.own
        if self._roles and item.item in self._linked:
            # Who has the role need not be called by it here.
            for slug in self._linked.reason(item.item)["path"]:
                seen |= self._roles.get(slug, 0)
        own = self._share(seen)
        for away, weight in _TURNS if item.dialogue else ():
            beside = self._held.get(self._turns.get((item.file, item.ordinal + away), -1))
            if beside is not None and beside.own & ~seen:
                own += weight * self._share(beside.own & ~seen)
                seen |= beside.own
        if not seen and not held.around:
            return _NO_WORDS
        verbatim = (
            self._quoted & held.own == self._quoted
            if self._quoted
            else held.own == self._all
            and (
                self._codes.get(item.item) == self._all
                or holds_typed(_as_typed(item.content), self._typed)
            )
        )
        around = self._share((held.own | held.around) & ~seen)
        return own, around, float(verbatim)

    def named(self, item: Item) -> float:
        """Share of the entities named that the item is about or names."""
        written = self._names & self._held.get(item.item, _NOT_HELD).own
        is_opinion = item.kind == FactKind.OPINION
        return self._named(self._linked.get(item.item, 0.0), written, item.subjects, is_opinion)

    def _named_by(
        self, linked: float, written: int, subjects: frozenset[str], is_opinion: bool
    ) -> float:
        found = linked / len(self._entities)
        if written:
            share = written.bit_count() / self._names.bit_count()
            found = max(found, share * _WRITTEN_NAME)
        if subjects.difference(self._roles):  # "Thanks, Ana!" is not about Ana
            about = len(self._entities & subjects) / len(self._entities)
            # Before the colon of an opinion stands who holds it, and no subject.
            found = max(about, found * (1.0 if is_opinion else _BESIDE_A_SUBJECT))
        return min(1.0, found)

    def _share_of(self, mask: int) -> float:
        return sum(r for place, r in enumerate(self._rarity) if mask >> place & 1) / self._total


def _near(pool: Pool, item: Item) -> float:
    """How near an item is in meaning, in 0..1; a turn of a dialogue with those beside it."""
    near = pool.nearness.get(item.item, 0.0)
    for away, weight in _NEAR_TURNS if item.dialogue else ():
        if beside := pool.neighbouring_turn(item, away):
            near += weight * pool.nearness.get(beside.item, 0.0)
    return math.tanh(near / _DEVIATIONS) if near > 0.0 else 0.0


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def _length(text: str) -> float:
    """How much a passage says by its length: the logarithm of its words, 1 from `_WORDS` on."""
    return min(1.0, math.log1p(len(text.split())) / math.log1p(_WORDS))


_as_typed = lru_cache(maxsize=16_384)(as_typed)


def _share_of_time(item: Item, interval: Interval) -> float:
    """How much of the time asked for an item is of: the root of the share of its own time that lies
    in it, or half for what was only written then."""
    shares = [0.0]
    if item.recorded is not None and Interval(item.recorded, item.recorded).overlaps(interval):
        shares.append(_WRITTEN)
    for time in item.times:
        first, last = time.start or time.end, time.end or time.start
        if first and last and Interval(first, last).overlaps(interval):
            inside = min(last, interval.end or last) - max(first, interval.start or first)
            shares.append(math.sqrt((inside.days + 1) / ((last - first).days + 1)))
    return max(shares)


def _asks_for_portrait(pool: Pool) -> bool:
    """Whether it is asked who or what somebody is, and nothing else that anything answers."""
    understood = pool.request.understood
    return understood.asks_who and not (
        (understood.entities and understood.subject_terms)
        or understood.order
        or understood.wants_opinion
        or understood.query.interval
        or understood.relations
        or pool.lists["slot"]
    )
