"""What a deed is done to: whether a line's deed is one to the object of an opinion at all.

A deed tells of what its doer thinks only where the object is what it is done to: not its subject
(`the stand-up starts at nine`), not the matter of something else (`a book about trains`), not for
somebody else's sake, and not in the object's absence.
"""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.reflect.covering import extras, free_words, names
from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Segment
from lorebank.reflect.targets import Target


def strays(target: Target, segment: Segment) -> tuple[float, float]:
    """The free words before what a deed is done to, and those right behind it.

    A noun behind a mere quality counts twice: it is what is meant (`a sharp | knife`). What follows
    a preposition after the object is circumstance (`a steak | at the team dinner`).
    Before it, where the deed takes its object through a preposition, so is what the preposition
    follows (`rewrote the parser in | Rust`); elsewhere that is the object (`ate a pie in Rome`).
    """
    items = segment.items
    named = [at for at, item in enumerate(items) if names(target, item)]
    if not named:
        return extras(target, segment), 0.0
    begin, end = named[0], named[-1] + 1
    while end < len(items) and not _opens_circumstance(items[end]):
        end += 1
    first = 0
    if segment.has("via"):
        first = next((at for at in range(begin, 0, -1) if "prep" in items[at - 1].cues), 0)
    before = free_words(target, segment, first, _whole(items, begin))
    behind = free_words(target, segment, named[-1] + 1, end)
    mere = len(target.objects) > 1 and bool(items[named[-1]].sides)
    return before, behind + 1 if behind and mere else behind


def _whole(items: Sequence[Item], begin: int) -> int:
    """Where what the object is part of begins (`a machine for | espresso`, `a chapter of`)."""
    at = begin
    while at and items[at - 1].article:
        at -= 1
    if not at or "part" not in items[at - 1].cues:
        return begin
    at -= 1
    while at and items[at - 1].stem and not items[at - 1].cues - {"scene", "weak"}:
        at -= 1
    return at


def _opens_circumstance(item: Item) -> bool:
    return bool(item.cues & {"prep", "bound"}) and not item.cues & {"about", "part"}


def opens_with(target: Target, segment: Segment) -> bool:
    """Whether the object is what the segment begins with: it does something, nobody does it."""
    opening = next((item for item in segment.items if not item.article), None)
    begins = bool(segment.items) and segment.items[0].first
    return (
        begins
        and opening is not None
        and not opening.cues & {"adopt", "do", "drop"}
        and names(target, opening)
    )


def is_done_at_its_hour(target: Target, segment: Segment) -> bool:
    """Whether something is done at the hour, or for as long, as a target of nothing else names.

    `Likes getting up early`, and `Was at the pool by six`. What begins with a noun is not done by
    the holder.
    """
    if target.basis != "attitude" or any(not item.opposed for item in target.objects):
        return False
    opening = next((item for item in segment.items if item.stem), None)
    measured = any("weak" in item.cues and item.sides for item in segment.items)
    articled = bool(segment.items) and segment.items[0].article
    return measured and opening is not None and not articled and not segment.has("others", "negate")


def is_of_length(target: Target, segment: Segment) -> bool:
    """Whether the object is liked for how long it lasts, which the segment tells."""
    sides = {side for item in segment.items if "brief" in item.cues for side in item.sides}
    brief = {item.stem for item in segment.items if "brief" in item.cues}
    return any(item.stem in brief or not item.opposed.isdisjoint(sides) for item in target.objects)


def is_only_about(target: Target, segment: Segment) -> bool:
    """Whether the object is only what something else is about (`bought a book about | trains`)."""
    items = segment.items
    begin = next((at for at, item in enumerate(items) if names(target, item)), 0)
    preps = [item for item in items[:begin] if "prep" in item.cues]
    return bool(preps) and "about" in preps[-1].cues


def is_for_another(segment: Segment) -> bool:
    """Whether something is done for somebody else's sake (`for his sister`)."""
    items = segment.items
    return any(
        "sake" in item.cues and any("others" in after.cues for after in items[at + 1 : at + 4])
        for at, item in enumerate(items)
    )


def is_done_without(target: Target, segment: Segment) -> bool:
    """Whether something else is done, and without the object (`left without his tea`)."""
    wanted = {item.stem for item in target.objects}
    lacking = [at for at, item in enumerate(segment.items) if "lacking" in item.cues]
    named = [at for at, item in enumerate(segment.items) if not wanted.isdisjoint(item.names)]
    return bool(lacking) and bool(named) and lacking[0] < named[0]


def is_wanted_without(target: Target, segment: Segment) -> bool:
    """Whether what is liked is something else that lacks the object (`coffee without sugar`)."""
    denials = sum("negate" in item.cues for item in segment.items)
    return denials == 1 and is_done_without(target, segment)
