"""The unsure queue: lines near a belief that the rules will not sign, for a person to settle.

A person reads this queue, so it is short: a line enters when it names most of what the opinion is
about, or is alike in meaning where an embedder tells, and what is listed first says little else and
bears a cue. Lines that ask, suppose or quote are no candidates. Where the trained head has looked
at a pair, the nearer it comes to a sign the earlier the pair is listed, with the side it leans to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date

from lorebank.domain import Fact
from lorebank.records import dataclass
from lorebank.reflect.candidates import Nearness, nearness
from lorebank.reflect.outcome import Belief
from lorebank.reflect.stance import Judgement
from lorebank.reflect.stance_head import Chances

Similarity = Callable[[str, str], float]
"""0..1, of two texts."""

_UNSIGNED = frozenset({"no cue", "cues disagree", "cues doubted"})
_NAMED = 0.6
"""The least share of what the opinion is about that a line has to name."""
_ALIKE = 0.6
_LIKELY = 0.6
"""The chance of either sign from which the head's leaning is told."""
_CLOSE = 0.75
"""The chance of either sign from which a line waits whatever it names."""
_ENOUGH = 0.65
_OF_ONE_OPINION = 3
_LIMIT = 60


@dataclass(frozen=True, slots=True)
class UnsurePair:
    """A line near an opinion that the rules will not sign."""

    fact: Fact
    opinion_id: str
    statement: str
    score: float
    """0..1: how likely it is worth a look."""
    reason: str
    """`cues disagree`, `no cue` (it names the object, no cue stands with it), `cues doubted` (the
    head does not believe them) or `alike`; and, where the head leans to one, `leans against`."""


def unsure_pair(
    belief: Belief,
    fact: Fact,
    found: Judgement,
    similarity: Similarity | None = None,
    chances: Chances | None = None,
) -> UnsurePair | None:
    """The pair as an entry of the queue; `None` where it is not worth a person's look."""
    if found.reason not in _UNSIGNED:
        return None
    near = nearness(belief.statement, fact.content, belief.holder)
    reason = found.reason
    share = near.share
    if share < _NAMED and similarity is not None:
        alike = similarity(belief.statement, fact.content)
        share, reason = (alike, "alike") if alike >= _ALIKE else (share, reason)
    score = _score(share, near, disagree=reason in ("cues disagree", "cues doubted"))
    worth_a_look = share >= _NAMED and score >= _ENOUGH
    if chances is not None:
        worth_a_look = worth_a_look or chances.signed >= _CLOSE
        score = round((score + chances.signed) / 2, 3)
        reason = f"{reason}, leans {chances.leaning}" if chances.signed >= _LIKELY else reason
    if not worth_a_look:
        return None
    return UnsurePair(fact, belief.id, belief.statement, score, reason)


def best_first(pairs: Iterable[UnsurePair]) -> tuple[UnsurePair, ...]:
    """The queue: highest score, then newest; at most a few of one opinion."""
    ranked = sorted(
        pairs,
        key=lambda pair: (
            -pair.score,
            -(pair.fact.recorded or date.min).toordinal(),
            pair.opinion_id,
            pair.fact.id,
        ),
    )
    taken: Counter[str] = Counter()
    told: set[tuple[str, str]] = set()
    queue: list[UnsurePair] = []
    for pair in ranked:
        line = (pair.opinion_id, pair.fact.content)
        if taken[pair.opinion_id] < _OF_ONE_OPINION and line not in told:
            told.add(line)
            taken[pair.opinion_id] += 1
            queue.append(pair)
    return tuple(queue[:_LIMIT])


def _score(share: float, near: Nearness, *, disagree: bool) -> float:
    cue = 1.0 if disagree or near.has_cue else 0.0
    return round(0.5 * share + 0.25 * near.focus + 0.25 * cue, 3)
