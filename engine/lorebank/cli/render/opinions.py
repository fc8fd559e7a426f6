"""Opinions as text: what is believed, how firmly, and every line that moved it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.cli.render.look import Look
from lorebank.cli.render.phrases import confidence_phrase, part_lines
from lorebank.domain import Evidence, Opinion, OpinionStatus, Stance, Trend

SHOWN_EVIDENCE = 5
BAR_WIDTH = 20
UNSEEN = 0.005
"""A move that two decimals do not show; why the line was read so says more."""
_MARGIN = " " * 7
_ARROWS = {Trend.STRENGTHENING: " ↑", Trend.WEAKENING: " ↓"}


def opinion_lines(
    look: Look, opinions: Sequence[Opinion], *, history: bool = False, banks: Sequence[str] = ()
) -> list[str]:
    """One block an opinion, a blank line between; `banks` names the bank of each."""
    lines: list[str] = []
    for opinion, bank in zip(opinions, banks or [""] * len(opinions), strict=True):
        if lines:
            lines.append("")
        lines += opinion_block(look, opinion, evidence=_worth_showing(opinion), bank=bank)
        if history:
            lines += history_lines(look, opinion)
    return lines


def _worth_showing(opinion: Opinion) -> int:
    """None where the only evidence is the statement itself, whose source stands above anyway."""
    alone = [each.source for each in opinion.evidence] == [opinion.source]
    return 0 if alone else SHOWN_EVIDENCE


def opinion_block(
    look: Look, opinion: Opinion, *, evidence: int, indent: str = "", bank: str = ""
) -> list[str]:
    """Confidence and statement, the dim line below, then the newest `evidence` lines of it."""
    shown = f"{confidence_phrase(opinion.confidence)}{_ARROWS.get(opinion.trend, '')}"
    lead = f"{indent}{shown:<{len(_MARGIN)}}"
    first, *rest = look.paragraph(opinion.statement, indent + _MARGIN, first=lead)
    lines = [indent + look.strong(shown) + first[len(indent) + len(shown) :], *rest]
    lines += part_lines(look, [bank, *_about(opinion)], indent + _MARGIN)
    older = len(opinion.evidence) - evidence
    for each in opinion.evidence[-evidence:] if evidence else ():
        lines.append(evidence_line(look, each, indent + _MARGIN, known=opinion.statement))
    if evidence and older > 0:
        lines.append(look.dim(f"{indent}{_MARGIN}… {older} earlier: lorebank explain {opinion.id}"))
    return lines


def _about(opinion: Opinion) -> list[str]:
    parts = [", ".join(opinion.entities), opinion.trend.value]
    if opinion.status is not OpinionStatus.LIVE:
        by = f" by {opinion.superseded_by}" if opinion.superseded_by else ""
        parts.append(f"{opinion.status.value}{by}")
    if opinion.pinned is not None:
        parts.append(f"pinned at {confidence_phrase(opinion.pinned)}")
    if opinion.last_updated is not None:
        parts.append(f"updated {opinion.last_updated}")
    return [*parts, str(opinion.source), opinion.id]


def evidence_line(look: Look, evidence: Evidence, indent: str, *, known: str = "") -> str:
    """`+ 2025-12-01 +0.03 memory/2025-12-01.md#L9  the sentence`, cut to one line.

    A sentence that is `known`, as it stands above already, is left out.
    """
    sign = {Stance.FOR: look.good("+"), Stance.AGAINST: look.bad("−")}.get(evidence.stance, "·")
    moved = evidence.reason if abs(evidence.delta) < UNSEEN else ""
    head = f"{evidence.date} {moved or signed(evidence.delta)} {evidence.source}"
    room = look.width - len(indent) - len(head) - 4
    line = f"{indent}{sign} {look.dim(head)}"
    if evidence.content in ("", known) or room < 24:
        return line
    return f"{line}  {look.cut(evidence.content, room)}"


def signed(delta: float) -> str:
    """`+0.03`, `−0.06`."""
    return f"{'−' if delta < 0 else '+'}{abs(delta):.2f}"


def history_lines(look: Look, opinion: Opinion) -> list[str]:
    """The confidence at the end of each day that moved it, with a bar to compare by eye."""
    return [_MARGIN + day_line(look, day, confidence) for day, confidence in opinion.history]


def day_line(look: Look, day: date, confidence: float) -> str:
    """`2025-11-18 0.70 ██████████████░░░░░░`."""
    return f"{look.dim(day.isoformat())} {confidence_phrase(confidence)} {bar(look, confidence)}"


def bar(look: Look, confidence: float) -> str:
    """A share of 1 as a bar, to compare by eye."""
    filled = round(confidence * BAR_WIDTH)
    return "█" * filled + look.dim("░" * (BAR_WIDTH - filled))
