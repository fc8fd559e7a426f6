"""The order of an answer: the newest truth first, and nothing said twice.

People seldom say that something is over; they say what holds now, in other words. Two hits that
answer one question about as well, by the same words of it, are taken for an older and a newer
answer. Nobody has judged the two, so nothing is hidden: the newer leads, and the older says so.

Of questions for what holds now by other hands (36 on two workspaces, 56 on chats) a right line
leads in 55 and one that no longer holds in 8; by nearness of the two lines in meaning, whatever is
asked, in 47 and 15, and 64 other questions on those chats lose 8 right first lines by it. Nearness
tells little more: what contradicts a line is no less like it than what repeats it.

Two steps are optional, and off by default. Temporal decay multiplies a score by
`exp(-ln 2 / half_life * age)`; undated items (core memory, evergreen notes) never decay. MMR picks,
one by one, the item with the greatest `lambda * relevance - (1 - lambda) * similarity to what was
picked`, similarity being Jaccard's over words. Carbonell and Goldstein, "The Use of MMR", SIGIR
1998. Relevance is in 0..1 and linear in the evidence: how far the log-odds of the score lie above
those of one in a million, as a share of the best. Of probabilities the second is often a tenth of
the first, and lambda would do nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from lorebank.domain.facts import FactKind
from lorebank.index.items import NOTE, Item
from lorebank.index.slots import trust_of
from lorebank.index.succession import Successor
from lorebank.index.vectors import vectors_by_text
from lorebank.language.words import content_words, words
from lorebank.recall.scoring import DEFAULT_WEIGHTS, SIGNS, log_odds
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from lorebank.recall.candidates import Pool
    from lorebank.recall.pipeline import Found

AMONG = 8
"""Hits that are compared with each other."""
_LEAST_SHARED, _LEAST_SHARED_IN_PROSE = 0.6, 0.5
"""What the newer of two hits holds of the words asked for that the older holds, by rarity; less
where one of them is prose, which says things in its own words, and other things beside."""
_MOST_LOST, _MOST_LOST_IN_PROSE = 0.8, 1.5
"""Log-odds by which it may be the less likely answer. Of facts that tell several things of one name
(FactConsolidation) those that lose more are about another; from 1 to 2 prose does about as well."""
_LEAST_ALIKE = 0.25
"""The cosine of what two hits say, or the share of the shorter one's words that the other holds
where a vector is missing: the least by which they may be about one thing."""
_NEAR, _MOST_MEANING_LOST = 0.45, 0.5
"""Facts about one subject that are so near in meaning, the newer of which comes as near to the
question but for so many log-odds, need not share its words: `sleeps in the loft`, `has a bedroom
over the butcher's`."""
_MEANING = SIGNS.index("meaning")

Judged = Callable[[], Collection[tuple[str, str]]]
"""Ids of facts, newer and older, of which somebody said that both hold."""
_POOL = 4
"""Items that MMR chooses among, for each that is wanted."""
_BOX = re.compile(r"\A\s*[-*+]\s+\[.\]\s")


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def is_box(text: str) -> bool:
    """Whether a text is an item of a check list."""
    return _BOX.match(text) is not None


def collapse_repeats(
    order: Sequence[int], items: Mapping[int, Item]
) -> tuple[list[int], dict[int, list[int]]]:
    """The items without repeats, in order; and each kept item → those that repeat it.

    A repeat has the same words in the same order about the same entities, whatever the
    punctuation, the case and the day of writing; two that name different times of their own are
    different events. A passage that has no word more than a fact, and the names before its colon,
    repeats it: the fact takes its place. Of a task or an opinion noted on several days the newest
    line stands: it says whether it is open, or what its holder thinks by now. What is in quarantine
    repeats nothing but its like.
    """
    facts: dict[object, int] = {}
    said: dict[tuple[bool, str], int] = {}
    homes: dict[int, int] = {}
    notes = {number for number in order if items[number].kind == NOTE}
    opinions = [number for number in order if items[number].kind == "opinion"]
    others = [number for number in order if items[number].kind not in (NOTE, "opinion")]
    opinions.sort(key=lambda n: items[n].recorded or date.min, reverse=True)
    for number in (*others, *opinions):
        item = items[number]
        text = _spoken(item.content)
        key = item.quarantined, text, item.entities, item.times and item.times[0]
        homes[number] = first = facts.setdefault(key, number)
        if notes:
            said.setdefault((item.quarantined, text), first)
            text = _spoken(f"{' '.join(item.names)} {item.content}")
            said.setdefault((item.quarantined, text), first)
    tasks = [number for number in order if number in notes and is_box(items[number].content)]
    for number in sorted(tasks, key=lambda n: _written(items[n]), reverse=True):
        said.setdefault((items[number].quarantined, _spoken(items[number].content)), number)
    kept: dict[int, None] = {}
    repeats: dict[int, list[int]] = {}
    for number in order:
        if number in notes:
            item = items[number]
            home = said.setdefault((item.quarantined, _spoken(item.content)), number)
        else:
            home = homes[number]
        kept.setdefault(home)
        if home != number:
            repeats.setdefault(home, []).append(number)
    return list(kept), repeats


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def _spoken(text: str) -> str:
    """The words of a text and nothing else, without the box of a task; a text without any (`!!!`)
    as it stands."""
    return " ".join(words(_BOX.sub("", text))) or text.strip()


def _written(item: Item) -> tuple[date, str, int]:
    return item.recorded or date.min, item.path, item.start_line


def apply_decay(
    scores: Mapping[int, float], items: Mapping[int, Item], now: date, half_life_days: float
) -> dict[int, float]:
    """Scores with decay by age: half is left after one half-life; the future does not decay."""
    rate = math.log(2.0) / half_life_days
    return {
        number: score * (math.exp(-rate * max(0, (now - day).days)) if day else 1.0)
        for number, score in scores.items()
        for day in [items[number].recorded]
    }


def rerank_mmr(
    order: Sequence[int],
    scores: Mapping[int, float],
    items: Mapping[int, Item],
    mmr_lambda: float,
    k: int,
) -> list[int]:
    """The `k` that MMR picks, then the rest; both by score, as they were."""
    left = list(order[: _POOL * k])
    evidence = {item: log_odds(scores[item]) - log_odds(0.0) for item in left}
    best = max(evidence.values(), default=0.0) or 1.0
    tokens = {item: frozenset(words(items[item].content)) for item in left}
    picked: list[int] = []

    def worth(item: int) -> float:
        alike = max((_jaccard(tokens[item], tokens[other]) for other in picked), default=0.0)
        return mmr_lambda * evidence[item] / best - (1.0 - mmr_lambda) * alike

    while left and len(picked) < k:
        picked.append(max(left, key=worth))
        left.remove(picked[-1])
    return sorted(order, key=lambda item: item not in picked)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


class Current(Record):
    """An order with the newest truth first."""

    order: list[int]
    items: Mapping[int, Item]
    replaced: Mapping[int, Successor]
    hidden: int = 0
    """How many replaced facts would have been shown that share a word with the question."""
    newer: Mapping[int, int] = field(default_factory=dict)
    """Item → a newer one, near in meaning, that may say otherwise; nobody has judged the two."""


def lead_with_successors(
    order: Sequence[int],
    items: Mapping[int, Item],
    replaced: Mapping[int, Successor],
    terms: Sequence[str],
    k: int,
) -> Current:
    """Put each successor where the first fact that it replaces stood, and hide that fact.

    A replaced fact stays, marked, just below its successor where the question names its very
    value or it is a turn of a dialogue, which says more than the value; and in its own place where
    `items` does not hold the successor.
    """
    asked = {word for term in terms for word in words(term)}
    placed: dict[int, None] = {}
    hidden = 0
    for place, number in enumerate(order):
        successor = replaced.get(number)
        if successor is None or successor.item not in items:
            placed.setdefault(number)
            continue
        placed.setdefault(successor.item)
        if items[number].dialogue or asked & set(words(successor.old_value)):
            placed.setdefault(number)
        elif place < k and asked & _words_of_item(items[number]):
            hidden += 1
    return Current(list(placed), items, replaced, hidden)


def _words_of_item(item: Item) -> set[str]:
    return {*words(item.content), *(word for name in item.names for word in words(name))}


def newer_hits(
    found: Found, order: Sequence[int], chances: Mapping[int, float], judged: Judged
) -> dict[int, list[int]]:
    """Each of these hits → the newer ones that answer the question as well, the newest first.

    `order` holds what may be current: dated facts and passages that nothing replaces. `chances` is
    how likely each of them answers.
    """
    items, compared = found.pool.items, _Compared(found, order, chances)
    newer: dict[int, list[int]] = {}
    both: Collection[tuple[str, str]] | None = None
    for old in order:
        later = [new for new in order if compared.leads(new, old)]
        if later:
            both = judged() if both is None else both
            if any((items[new].id, items[old].id) in both for new in later):
                # What is known of an agent's line does not put it before the owner's.
                later = [n for n in later if trust_of(items[n]) > trust_of(items[old])]
        if later:
            later.sort(key=lambda n: standing(items[n], compared.today), reverse=True)
            newer[old] = later
    return newer


def newest_first(order: Iterable[int], newer: Mapping[int, Sequence[int]]) -> list[int]:
    """The order with each hit behind those that `newer` has for it."""
    return list(dict.fromkeys(n for old in order for n in (*newer.get(old, ()), old)))


def may_be_outdated(item: Item) -> bool:
    """Whether a newer line may say otherwise, or it may say otherwise of an older one."""
    return item.recorded is not None and not item.dialogue and not item.quarantined


def standing(item: Item, today: date) -> tuple[int, bool, date, int, int]:
    """Greater is what leads: the owner's word before any of an agent's, what holds before what is
    announced for a coming day, then the newest."""
    occurred, written = item.occurred, item.recorded or date.min
    is_announced = occurred is not None and occurred.announces(written)
    holds = not (is_announced and any(time.begins_after(today) for time in item.times))
    return trust_of(item), holds, written, item.file, item.ordinal


class _Compared:
    """Hits of one question, and what tells whether two are answers to the same."""

    def __init__(self, found: Found, order: Sequence[int], chances: Mapping[int, float]) -> None:
        self._pool, self._signs = found.pool, found.signs
        self.today = found.pool.request.now
        self._log_odds = {n: log_odds(chances[n]) for n in order}
        understood = found.pool.request.understood
        asked, rarity = set(understood.subject_terms), found.pool.rarity
        self._rarity = [rarity[t] if t in asked else 0.0 for t in understood.terms]
        self._asks_all = not asked
        self._vectors = _vectors(self._pool, order)

    def leads(self, newer: int, older: int) -> bool:
        """Whether the first of two hits is to stand before the other: it comes later, and answers
        what the other does about as well. Of one day only the facts of one log have an order."""
        one, other = self._pool.items[newer], self._pool.items[older]
        slot = self._pool.lists["slot"]
        if older in slot and newer not in slot:
            return False  # a job says nothing of the home that is asked for
        if other.kind == FactKind.EXPERIENCE:
            return False  # what happened stays true
        are_facts = NOTE not in (one.kind, other.kind)
        if are_facts:
            if (one.kind == FactKind.OPINION) != (other.kind == FactKind.OPINION):
                return False
            if one.subjects and other.subjects and one.subjects.isdisjoint(other.subjects):
                return False
        later, earlier = standing(one, self.today), standing(other, self.today)
        if later[:3] > earlier[:3]:
            return self._by_words(newer, older) or self._by_meaning(newer, older)
        is_below = are_facts and later[:4] == earlier[:4] and later > earlier
        return is_below and self._by_words(newer, older)

    def _by_words(self, newer: int, older: int) -> bool:
        is_prose = NOTE in (self._pool.items[newer].kind, self._pool.items[older].kind)
        most = _MOST_LOST_IN_PROSE if is_prose else _MOST_LOST
        least = _LEAST_SHARED_IN_PROSE if is_prose else _LEAST_SHARED
        if self._log_odds[older] - self._log_odds[newer] > most:
            return False
        words = self._held(older)
        shared = self._weight(words & self._held(newer))
        if not shared or shared < least * self._weight(words):
            return False
        return self._likeness(newer, older) >= _LEAST_ALIKE

    def _by_meaning(self, newer: int, older: int) -> bool:
        """The same of two facts on one subject; where all that somebody thinks is asked for, all
        opinions are alike."""
        one, other = self._pool.items[newer], self._pool.items[older]
        if one.subjects.isdisjoint(other.subjects):
            return False
        if self._asks_all and one.kind == FactKind.OPINION:
            return True
        if not {newer, older} <= self._signs.keys() & self._vectors.keys():
            return False
        lost = self._signs[older][_MEANING] - self._signs[newer][_MEANING]
        is_as_near = DEFAULT_WEIGHTS.meaning * lost <= _MOST_MEANING_LOST
        return is_as_near and self._likeness(newer, older) >= _NEAR

    def _likeness(self, one: int, other: int) -> float:
        if one in self._vectors and other in self._vectors:
            return float(self._vectors[one] @ self._vectors[other])
        ours, theirs = (set(content_words(self._pool.items[n].content)) for n in (one, other))
        return len(ours & theirs) / (min(len(ours), len(theirs)) or 1)

    def _held(self, number: int) -> int:
        held = self._pool.held.get(number)
        return 0 if held is None else held.own

    def _weight(self, mask: int) -> float:
        return sum(rarity for n, rarity in enumerate(self._rarity) if mask >> n & 1)


def _vectors(pool: Pool, numbers: Collection[int]) -> dict[int, NDArray[float32]]:
    """The vectors of what these items say, without the names that stand before it."""
    known: dict[str, NDArray[float32]] = pool.request.items.derived("vectors of contents")
    texts = {n: pool.items[n].content for n in numbers}
    if unknown := set(texts.values()) - known.keys():
        known |= vectors_by_text(pool.request.vectors_of, unknown)
    return {n: known[text] for n, text in texts.items() if text in known}
