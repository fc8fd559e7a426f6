"""Whose view a stretch of text tells: the holder's, or somebody else's."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Segment
from lorebank.reflect.targets import ATTITUDES, Target

_SUBJECT = 3
_TELLING = ATTITUDES | {"adopt", "drop"}
_PREDICATES = ATTITUDES | {"adopt", "drop", "say", "negate"}


def is_foreign(segment: Segment, target: Target, others: frozenset[str]) -> bool:
    """Whether the segment tells of somebody else: another name or `her sister` as its subject.

    A name is a capital that is no object of the opinion, before the cue that says what is thought;
    where it opens the sentence, only right before a cue.
    """
    wanted = {item.stem for item in target.objects}
    other_words = {part for slug in others for part in slug.split("-")}
    items = [item for item in segment.items if "function" not in item.cues]
    if _tells_of_others(segment, wanted) or _is_done_by_a_thing(segment, wanted):
        return True
    told = not segment.holder_first
    for position, item in enumerate(items):
        if item.cues & ATTITUDES:
            return False
        told = told or "say" in item.cues
        if not told:
            continue
        if not item.stem or item.stem in wanted or item.cues - {"weak"}:
            continue
        if item.token in other_words:
            return True
        follows = items[position + 1].cues if position + 1 < len(items) else frozenset()
        names = item.names.isdisjoint(wanted) and item.capital and _may_be_a_person(items, position)
        if names and (follows & _PREDICATES):
            return True
    return False


def _is_spoken_to(items: Sequence[Item], at: int) -> bool:
    """Whether somebody is only asked or warned, and does not think or do anything (`the team`)."""
    before = [item for item in items[:at] if not item.article]
    after = frozenset().union(*(item.cues for item in items[at + 1 : at + 3]))
    return (
        bool(before)
        and bool(before[-1].cues & {"bid", "like", "dislike"})
        and not after & (ATTITUDES | {"adopt", "do", "drop"})
    )


def _is_done_by_a_thing(segment: Segment, wanted: set[str]) -> bool:
    """Whether the line begins with whoever else likes it (`the dog hates baths`)."""
    items = segment.items
    if segment.holder_first or len(items) < _SUBJECT or not (items[0].first and items[0].article):
        return False
    subject, *rest = items[1:]
    if not subject.stem or subject.cues or not subject.names.isdisjoint(wanted):
        return False
    verb = next((item for item in rest if item.cues != {"function"}), None)
    return verb is not None and bool(verb.cues & {"like", "dislike"})


def _may_be_a_person(items: list[Item], position: int) -> bool:
    """Whether a capital says something: where all nouns have one, only after who says so."""
    item = items[position]
    if not item.common:
        return True
    return position == 0 or "say" in items[position - 1].cues


def is_told_by_another(segment: Segment, target: Target) -> bool:
    """Whether it opens what somebody else says (`her boss says`)."""
    wanted = {item.stem for item in target.objects}
    return segment.has("say") and not segment.holder_first and _tells_of_others(segment, wanted)


def _tells_of_others(segment: Segment, wanted: set[str]) -> bool:
    """Whether somebody else is more than whom the holder does a thing for or with."""
    told = reached = False
    items = segment.items
    for at, item in enumerate(items):
        others = "others" in item.cues and item.stem not in wanted
        if others and not reached and not _is_spoken_to(items, at):
            return True
        told = told or bool(item.cues & _TELLING)
        reached = told and (
            "prep" in item.cues or (reached and bool(item.cues & {"function", "scene"}))
        )
    return False
