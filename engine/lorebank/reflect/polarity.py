"""Polarity: the sign that the cues of one segment give to what it speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.records import dataclass

_SIGNS = {
    "like": ("attitude", 1),
    "dislike": ("attitude", -1),
    "norm": ("attitude", 1),
    "drop": ("habit", -1),
    "adopt": ("habit", 1),
    "do": ("habit", 1),
    "good": ("judgement", 1),
    "bad": ("judgement", -1),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One word or cue phrase of a segment."""

    stem: str
    """Empty for a phrase of several words and for function words."""
    cues: frozenset[str]
    token: str
    capital: bool
    first: bool
    """Whether it opens its sentence, where a capital says nothing."""
    near: frozenset[int] = frozenset()
    """The clusters of nearly one meaning it belongs to."""
    article: bool = False
    common: bool = False
    """Whether its language writes every noun with a capital."""
    owner: bool = False
    """Whether it is a name in the possessive (`Bengt's`)."""
    names: frozenset[str] = frozenset()
    """Its stem, and the stems of what it is a kind of."""
    sides: frozenset[tuple[int, int]] = frozenset()
    """The sides of opposite pairs it is on."""
    slots: frozenset[int] = frozenset()


def sign_of(
    items: Sequence[Item], *, negation_after: bool, concord: bool = False
) -> tuple[int, str]:
    """What a segment says of its object: +1, −1 or 0, and the class of cue that says so.

    An attitude counts before a change of habit, and that before a judgement; where cues of the
    class that counts disagree the sign is 0. A negation with nothing else is `negation`; with
    `concord` a second one denies no less. To end a thing after a brief while is to want it brief.
    """
    if _not_without(items):
        return 1, "attitude"
    totals: dict[str, list[int]] = {"attitude": [], "habit": [], "judgement": []}
    denied = settled = False
    last = ""
    held = 0
    brief = any("brief" in item.cues for item in items)
    for at, item in enumerate(items):
        cue = next((cue for cue in _SIGNS if cue in item.cues), "")
        if cue in ("good", "bad") and item.sides and _describes(items[at + 1 : at + 2]):
            continue
        if "negate" in item.cues and not settled:
            if negation_after and not cue and last and not denied and held == at - 1:
                _deny_last(totals, last)
                continue
            denied = concord or not denied
        if not cue:
            continue
        kind, sign = _SIGNS[cue]
        if cue == "drop" and brief:
            sign = 1
        if kind == "attitude" and last == "drop" and totals["habit"]:
            totals["habit"].pop()
            denied = not denied
        if cue == "drop" and last in ("like", "dislike") and not _named(items[held + 1 : at]):
            totals["attitude"][-1] *= -1
            continue
        held = at
        settled = concord and "denying" in item.cues
        totals[kind].append(-sign if denied else sign)
        if "negate" not in item.cues:
            denied = False
        last = cue
    kinds = [kind for kind in totals if totals[kind]]
    if not kinds and denied and _is_of_a_detail(items):
        return 0, "none"
    if not kinds:
        return (-1, "negation") if denied else (0, "none")
    if denied and _negation_reaches_back(items, negation_after=negation_after):
        totals[kinds[0]][-1] *= -1
    return _agreed(totals)


def _not_without(items: Sequence[Item]) -> bool:
    """Whether nothing goes without the object (`no merge without tests`)."""
    denials = [item for item in items if "negate" in item.cues]
    return len(denials) > 1 and "lacking" in denials[-1].cues and "lacking" not in denials[0].cues


def _deny_last(totals: dict[str, list[int]], cue: str) -> None:
    """Turn over what a negation right behind a verb denies (`mag kein Fleisch`)."""
    kind, _ = _SIGNS[cue]
    if totals[kind]:
        totals[kind][-1] *= -1


def _named(items: Sequence[Item]) -> bool:
    return any(item.stem and not item.cues for item in items)


def _describes(following: Sequence[Item]) -> bool:
    """Whether a quality stands before the thing that has it: `loud music` judges no music."""
    return any(item.stem and not item.cues for item in following)


def _negation_reaches_back(items: Sequence[Item], *, negation_after: bool) -> bool:
    at = max(i for i, item in enumerate(items) if "negate" in item.cues)
    if "lacking" in items[at].cues:
        signs = (i for i, item in enumerate(items[:at]) if _SIGNS.keys() & item.cues)
        cue = max(signs, default=-1)
        return not any(item.stem for item in items[cue + 1 : at])
    return negation_after or any(item.stem for item in items[at + 1 :])


def _is_of_a_detail(items: Sequence[Item]) -> bool:
    """Whether the only negation is a `without` that follows what the segment speaks of."""
    at = next(i for i, item in enumerate(items) if "negate" in item.cues)
    named = any(item.stem and not item.cues for item in items[:at])
    return named and "lacking" in items[at].cues


def _agreed(totals: dict[str, list[int]]) -> tuple[int, str]:
    for kind in ("attitude", "habit", "judgement"):
        signs = totals[kind]
        if signs:
            if len(set(signs)) > 1:
                return (0, "none") if kind != "habit" else (min(signs), "habit")
            rival = totals["judgement"] if kind == "habit" else []
            return (0, "none") if any(s != signs[0] for s in rival) else (signs[0], kind)
    return 0, "none"
