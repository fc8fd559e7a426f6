"""The order of an answer: the newest truth first, and nothing said twice.

Two facts are versions of one statement when they begin alike and differ in one stretch, the value
("The chair of the club is Ada" / "… is Grace"). Their order is settled by day, whichever ranked
higher, unless the question holds a word of a value: then it asks for that one. Nothing is moved
past a fact that is no version of it, so recency buries no better match.

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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from functools import lru_cache

from lorebank.index.items import NOTE, Item
from lorebank.index.slots import trust_of
from lorebank.index.succession import Successor
from lorebank.language.words import words
from lorebank.recall.scoring import log_odds
from lorebank.records import Record

_POOL = 4
"""Items that MMR chooses among, for each that is wanted."""
_BOX = re.compile(r"\A\s*[-*+]\s+\[.\]\s")
_LEAST_ALIKE, _LEAST_BEGINNING, _LONGEST_VALUE = 0.5, 2, 10
"""Of two versions of one statement: what they share of the shorter at both ends, the words of the
beginning, the most words of a value. Chosen by hand, for short sentences on a property."""


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
    newer: Mapping[int, int],
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
    return Current(list(placed), items, replaced, hidden, newer)


def _words_of_item(item: Item) -> set[str]:
    return {*words(item.content), *(word for name in item.names for word in words(name))}


def newest_first(
    order: Sequence[int], items: Mapping[int, Item], terms: Sequence[str], depth: int
) -> list[int]:
    """The order with versions of one statement, among the first `depth`, put newest first."""
    asked = {word for term in terms for word in words(term)}
    head = list(order[:depth])
    _sort_places(head, _versions(head, items, asked), items)
    return [*head, *order[depth:]]


def _sort_places(
    head: list[int], groups: Sequence[Sequence[int]], items: Mapping[int, Item]
) -> None:
    """Put what stands at the places of each group newest first, the owner's before agents'."""
    for places in groups:
        newest = sorted((head[place] for place in places), key=lambda n: standing(items[n]))[::-1]
        for place, number in zip(places, newest, strict=True):
            head[place] = number


def standing(item: Item) -> tuple[int, date, int, int]:
    """The newest is the greatest, and the owner's word greater than any of an agent's."""
    return trust_of(item), item.recorded or date.min, item.file, item.ordinal


def _versions(head: Sequence[int], items: Mapping[int, Item], asked: set[str]) -> list[list[int]]:
    """Places in the head that hold versions of one statement, each place in one group at most."""
    alike: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, number in enumerate(head):
        item = items[number]
        if item.kind in (NOTE, "opinion") or item.recorded is None or item.quarantined:
            continue  # what is in quarantine is no newer truth
        begin = words(item.content)
        if len(begin) > _LEAST_BEGINNING:
            alike[(item.subjects, *begin[:_LEAST_BEGINNING])].append(place)
    groups: list[list[int]] = []
    for places in alike.values():
        if len(places) == 1:
            continue
        spoken = {place: words(items[head[place]].content) for place in places}
        while places:
            first, *others = places
            same = [p for p in others if _is_version(spoken[first], spoken[p], asked)]
            if same:
                groups.append([first, *same])
            places = [p for p in others if p not in same]
    return groups


def _is_version(one: Sequence[str], other: Sequence[str], asked: set[str]) -> bool:
    """Whether two sentences differ in one stretch only, and not in what was asked for."""
    shorter = min(len(one), len(other))
    begin = 0
    while begin < shorter and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    values = [text[begin : len(text) - end] for text in (one, other)]
    if begin + end < _LEAST_ALIKE * shorter or not all(values):
        return False
    if any(len(value) > _LONGEST_VALUE for value in values):
        return False
    told_apart = asked - {*one[:begin], *one[len(one) - end :]}
    return not any(word in told_apart for value in values for word in value)


def newest_opinion_first(
    order: Sequence[int], items: Mapping[int, Item], about: Mapping[int, frozenset[str]]
) -> list[int]:
    """The order with opinions of one holder on what is asked for put newest first.

    People change their minds without saying "no longer". `about` says what each opinion holds of
    the subject asked for, and only those that share half of it are compared.
    """
    head = list(order)
    groups: list[list[int]] = []
    for place, number in enumerate(head):
        if not about.get(number) or items[number].recorded is None or items[number].quarantined:
            continue
        for group in groups:
            first = head[group[0]]
            if items[first].subjects == items[number].subjects and 2 * len(
                about[first] & about[number]
            ) >= len(about[first]):
                group.append(place)
                break
        else:
            groups.append([place])
    _sort_places(head, groups, items)
    return head
