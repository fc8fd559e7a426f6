"""Proposals as text: the lines they would change, why, and on what they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lorebank.cli.render.text import INDENT, Look, part_lines

if TYPE_CHECKING:
    from lorebank.domain import Proposal, ProposalDecision

SHOWN_GROUNDS = 3


def proposal_lines(look: Look, proposals: Sequence[Proposal]) -> list[str]:
    """One block a proposal, under the file that it would change."""
    if not proposals:
        return ["no proposal is open"]
    lines: list[str] = []
    target = ""
    for proposal in proposals:
        if proposal.target != target:
            target = proposal.target
            lines += ["", look.strong(look.clean_line(target))] if lines else [look.strong(target)]
        lines += _block(look, proposal)
    decide = "lorebank proposals accept ID, or reject ID"
    return [*lines, "", look.dim(decide)]


def _block(look: Look, proposal: Proposal) -> list[str]:
    lines = []
    for sign, text, style in (("-", proposal.old, look.bad), ("+", proposal.new, look.good)):
        if text:
            shown = look.paragraph(f"{sign} {text}", INDENT * 2, first=INDENT)
            lines += [style(line) for line in shown]
    lines += part_lines(look, [proposal.why.rstrip("."), proposal.id], INDENT * 2)
    shown_grounds = proposal.grounds[-SHOWN_GROUNDS:]
    for ground in shown_grounds:
        day = ground.day.isoformat() if ground.day else ""
        lines += part_lines(look, [day, str(ground.source)], INDENT * 2)
    return lines


def decision_lines(look: Look, decision: ProposalDecision) -> list[str]:
    """What was done, on one line or two."""
    proposal = decision.proposal
    if not decision.accepted:
        return [f"{proposal.id} rejected"]
    place = decision.source if decision.source else proposal.target
    text = proposal.new or f"removed: {proposal.old}"
    return [look.clean_line(f"{proposal.id} accepted: {place}"), *look.paragraph(text, INDENT)]
