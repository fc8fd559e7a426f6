"""Proposals as blocks of a page and decisions as lines of a ledger: what is written reads back."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Citation
from lorebank.domain.judgments import Ground, Proposal, ProposalAction
from lorebank.markdown.blocks import render_block
from lorebank.markdown.ledger import added_line, without_lines
from lorebank.markdown.proposal_pages import (
    CORE_PROPOSALS,
    ProposalRuling,
    decided,
    format_ruling,
    parse_proposals,
    parse_rulings,
    render_proposal,
)
from support import golden

SAID = Ground(
    Citation("memory/2025-11-18.md", 8, 8),
    "Prefers `short` <b>",
    date(2025, 11, 18),
    "f-0123456789",
)
PROSE = Ground(Citation("memory/2025-11-19.md", 3, 4), "We decided (twice) so.")
LINES = {
    ProposalAction.ADD: ("", "- Peter: Prefers ``` short. (memory/2025-11-18.md#L8)"),
    ProposalAction.REPLACE: ("* Lives in Bergen", "* Lives in Bremen"),
    ProposalAction.REMOVE: ("- +odd -line  ", ""),
    ProposalAction.RETAIN: ("", "- O(c=0.9) @Peter: Likes tea."),
}


@golden("markdown.md")
def test_a_proposal_reads_back(action: ProposalAction) -> None:
    old, new = LINES[action]
    proposal = Proposal(
        "p-3f2a1b2c", action, "memory.md", old, new, "Said on 4 days.", (SAID, PROSE)
    )
    text = render_block(proposal.id, render_proposal(proposal, CORE_PROPOSALS))
    assert parse_proposals(text, CORE_PROPOSALS) == ((proposal,), ())
    windows = text.replace("\n", "\r\n")
    assert parse_proposals(windows, CORE_PROPOSALS) == ((proposal,), ())


lines = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=60)


@given(lines, lines)
def test_any_line_survives_the_page(old: str, new: str) -> None:
    proposal = Proposal(
        "p-3f2a1b2c", ProposalAction.REPLACE, "memory.md", f"- {old}", f"- {new}", "Why.", ()
    )
    text = render_block(proposal.id, render_proposal(proposal, CORE_PROPOSALS))
    assert parse_proposals(text, CORE_PROPOSALS)[0] == (proposal,)


def test_a_block_that_lost_its_diff_is_reported() -> None:
    text = render_block("p-3f2a1b2c", "### Add to `memory.md`\n\nNo diff here.")
    proposals, (problem,) = parse_proposals(text, CORE_PROPOSALS)
    assert (proposals, problem.code, problem.line) == ((), "proposal-unread", 1)


def test_decisions_read_back_and_prose_is_reported() -> None:
    ruling = ProposalRuling(
        "p-3f2a1b2c", False, frozenset({"f-0123456789", "f-9876543210"}), date(2026, 1, 4), "no"
    )
    line = format_ruling(ruling)
    assert line == "- reject p-3f2a1b2c on f-0123456789 f-9876543210 (2026-01-04: no)"
    rulings, problems = parse_rulings(f"{line}\n- accept p-00000000\n- perhaps\n")
    assert rulings == (ruling, ProposalRuling("p-00000000", True, frozenset()))
    assert [(p.code, p.line) for p in problems] == [("decision-unread", 3)]


@golden("markdown.md")
def test_a_decision_holds_until_there_is_new_evidence(
    id: str, facts: list[str], expected: bool
) -> None:
    ruling = ProposalRuling("p-3f2a1b2c", False, frozenset({"f-0123456789"}))
    assert decided([ruling], id, facts) is expected


@golden("markdown.md")
def test_a_ledger_line_is_added_and_taken_back(text: str, expected: str, line: int) -> None:
    added, place = added_line(text, "- x", title="Evidence")
    assert (added, place) == (expected, line)
    left = without_lines(added, [Citation("", place, place)])
    assert left.split() == (text or "# Evidence").split()
