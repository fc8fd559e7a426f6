"""Newest truth first: of facts that answer about the same thing, the newest leads.

Two facts are versions of one statement when they begin alike and differ in one stretch, the value
("The chair of the club is Ada" / "… is Grace"). Their order is settled by day, whichever ranked
higher, unless the question holds a word of a value: then it asks for that one. Nothing is moved
past a fact that is no version of it, so recency buries no better match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from lorebank.index.items import NOTE, Item
from lorebank.index.succession import Successor
from lorebank.language.words import words
from lorebank.records import dataclass

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    VectorsOf = Callable[[Sequence[int]], Mapping[int, NDArray[float32]]]

_LEAST_ALIKE = 0.5
_LEAST_BEGINNING = 2
_LONGEST_VALUE = 10
_ABOUT_AS_GOOD = 2.5
"""How far the score of an opinion may lie below another's, which it then may lead."""


_STATING = ("world", "experience", "observation")
_NEAR = 0.55
"""From this cosine on two lines about one subject are taken to speak of one thing; of the built-in
embedder's vectors. In two workspaces by other hands 21 of 35 questions for what holds now get the
right line first as before, and 2 one that no longer holds (3 before), of 194 others 2 more are
right; in a third workspace 11 of 15 (8 before) and 3 (6)."""
_AMONG = 8
"""Hits among which that is tried; further down, as many lines that hold are moved as others."""


@dataclass(frozen=True, slots=True)
class Current:
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
        elif place < k and asked & _said_words(items[number]):
            hidden += 1
    return Current(list(placed), items, replaced, hidden, newer)


def _said_words(item: Item) -> set[str]:
    return {*words(item.content), *(word for name in item.names for word in words(name))}


def newest_first(
    order: Sequence[int], items: Mapping[int, Item], terms: Sequence[str], depth: int
) -> list[int]:
    """The order with versions of one statement, among the first `depth`, put newest first."""
    asked = {word for term in terms for word in words(term)}
    head = list(order[:depth])
    _sort_places(head, _versions(head, items, asked), items)
    return [*head, *order[depth:]]


def newest_opinion_first(
    order: Sequence[int],
    items: Mapping[int, Item],
    scores: Mapping[int, float],
    about: Mapping[int, frozenset[str]],
) -> list[int]:
    """The order with opinions of one holder that answer about equally well put newest first.

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
            if (
                items[first].subjects == items[number].subjects
                and 2 * len(about[first] & about[number]) >= len(about[first])
                and scores[first] - scores[number] <= _ABOUT_AS_GOOD
            ):
                group.append(place)
                break
        else:
            groups.append([place])
    _sort_places(head, groups, items)
    return head


def lead_with_newer(
    order: Sequence[int],
    items: Mapping[int, Item],
    vectors: VectorsOf,
    both: Collection[tuple[str, str]],
) -> tuple[list[int], dict[int, int]]:
    """The order with the newest first of lines about one subject that are near in meaning; and
    each older one → the newer line that may say otherwise.

    Nobody has judged them, so nothing is hidden. Lines of one day hold side by side, and so do
    those of which somebody ruled that they do (`both`, pairs of ids).
    """
    by_subject: defaultdict[frozenset[str], list[int]] = defaultdict(list)
    for number in order[:_AMONG]:
        item = items[number]
        plain = item.kind in _STATING and not item.dialogue and not item.quarantined
        if plain and item.recorded and item.subjects:
            by_subject[item.subjects].append(number)
    groups = [group for group in by_subject.values() if len(group) > 1]
    known = vectors([number for group in groups for number in group]) if groups else {}
    newer: dict[int, int] = {}
    for group in groups:
        dated = sorted((n for n in group if n in known), key=lambda n: _when(items[n]))
        for place, old in enumerate(dated):
            for new in dated[place + 1 :]:  # the newest is met last, and counts
                ruled = (items[new].id, items[old].id) in both
                if ruled or items[new].recorded == items[old].recorded:
                    continue
                if float(known[new] @ known[old]) >= _NEAR:
                    newer[old] = new
    led: dict[int, None] = {}
    for number in order:
        if number in newer:
            led.setdefault(newer[number])
        led.setdefault(number)
    return list(led), newer


def _sort_places(
    head: list[int], groups: Sequence[Sequence[int]], items: Mapping[int, Item]
) -> None:
    """Put what stands at the places of each group newest first."""
    for places in groups:
        newest = sorted((head[place] for place in places), key=lambda n: _when(items[n]))[::-1]
        for place, number in zip(places, newest, strict=True):
            head[place] = number


def _when(item: Item) -> tuple[str, int, int]:
    return (item.recorded.isoformat() if item.recorded else "", item.file, item.ordinal)


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
