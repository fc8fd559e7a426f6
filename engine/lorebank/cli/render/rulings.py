"""The unsure queue and rulings on it, as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lorebank.cli.render.text import INDENT, Look, confidence_phrase, day_phrase, part_lines

if TYPE_CHECKING:
    from lorebank.domain import OpenPair, Ruling, UnsureQueue


def unsure_lines(look: Look, queue: UnsureQueue) -> list[str]:
    """One block a pair: the fact, the opinion it is near, and the ids that settle it."""
    if not queue.pairs:
        return ["no line waits for a judge"]
    lines = [line for pair in queue.pairs for line in [*_pair_lines(look, pair), ""]]
    rest = queue.total - len(queue.pairs)
    more = f"… and {rest:,} more (-k shows them)" if rest else ""
    settle = "lorebank evidence FACT for|against|unrelated [OPINION] settles one"
    return [*lines, *filter(None, [more]), look.dim(settle)]


def _pair_lines(look: Look, pair: OpenPair) -> Iterable[str]:
    fact = pair.fact
    yield from look.paragraph(fact.content)
    day = day_phrase(fact.recorded)
    yield from part_lines(look, [day, str(fact.citation), fact.id, pair.reason], INDENT)
    said = f"{confidence_phrase(pair.confidence)}  {pair.statement}"
    yield from look.paragraph(said, INDENT + " " * 8, first=f"{INDENT}? ")
    yield from part_lines(look, [pair.opinion_id], INDENT + " " * 8)


def ruling_lines(look: Look, ruling: Ruling) -> list[str]:
    """What was decided, and where it left the opinion."""
    opinion = ruling.opinion
    verb = ruling.stance.value if ruling.stance else "taken back"
    before, after = confidence_phrase(ruling.before), confidence_phrase(opinion.confidence)
    moved = f"{before} → {after}" if before != after else f"{after}, as before"
    head = f"{ruling.fact.id} {verb}: {moved}"
    return [
        *look.paragraph(head),
        *look.paragraph(opinion.statement, INDENT),
        *part_lines(look, [opinion.id, str(ruling.source) if ruling.source else ""], INDENT),
    ]
