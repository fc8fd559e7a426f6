"""What the tests share: constants, and opinions folded from a few strokes."""

from datetime import date
from pathlib import Path

from lorebank.beliefs.fold import DatedEvidence, Pin, fold_evidence
from lorebank.domain.facts import Citation, Evidence, Opinion, OpinionStatus, Stance, Trend

__all__ = ["FIXTURES", "WORDS_ONLY", "folded_opinion"]

FIXTURES = Path(__file__).parent.parent / "fixtures"
WORDS_ONLY = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
"""An environment without an embedder: fast, and the same on every machine."""


def folded_opinion(
    name: str,
    *strokes: tuple[str, str],
    pin: Pin | None = None,
    status: OpinionStatus = OpinionStatus.LIVE,
    superseded_by: str | None = None,
) -> Opinion:
    """An opinion under the real belief rule. A stroke is a day and `=0.8` (stated so), `=` (said
    without a number), `+` or `-` (a clear line); the first one opens it.

    Each line stands in the log of its day and has the id `f-<day><stroke>`.
    """
    folded: list[DatedEvidence] = []
    for position, (day, stroke) in enumerate(strokes):
        stated = float(stroke[1:]) if len(stroke) > 1 else None
        stance = Stance.AGAINST if stroke == "-" else Stance.FOR
        strength = 0.0 if position == 0 else 1.0
        source = f"memory/{day}.md"
        when = date.fromisoformat(day)
        folded.append(DatedEvidence(when, stance, f"f-{day}{stroke}", strength, stated, source))
    state = fold_evidence(folded, pins=(pin,) if pin else ())
    opening = f"f-{strokes[0][0]}{strokes[0][1]}"
    evidence = tuple(
        Evidence(
            step.fact_id,
            Citation(f"memory/{step.date}.md", 3, 3),
            step.stance,
            step.date,
            step.delta,
            reason=_reason(step.fact_id, opening),
        )
        for step in state.steps
    )
    return Opinion(
        id=f"o-{name}",
        statement=f"Thinks {name}.",
        entities=("Ada",),
        confidence=state.confidence,
        trend=Trend.STABLE,
        evidence=evidence,
        history=state.history,
        last_updated=state.history[-1][0],
        source=Citation(f"memory/{strokes[0][0]}.md", 3, 3),
        status=status,
        superseded_by=superseded_by,
        pinned=pin.confidence if pin else None,
    )


def _reason(fact_id: str, opening: str) -> str:
    if fact_id == opening:
        return "stated"
    return "restated" if "=" in fact_id else "attitude"
