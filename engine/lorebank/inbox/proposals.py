"""Items about proposed edits: make the edit, or drop it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lorebank.domain import (
    Citation,
    Decision,
    Ground,
    InboxItem,
    InboxKind,
    InboxLine,
    Proposal,
    ProposalAction,
)
from lorebank.errors import UsageError
from lorebank.inbox.sources import (
    Desk,
    Source,
    Verdict,
    item_id,
    ledger_text,
    remove_ledger_lines,
)
from lorebank.markdown.proposal_pages import DECISIONS_PATH, parse_rulings
from lorebank.reflect.proposals import (
    accept_core_edit,
    check_grounds,
    find_proposal,
    open_proposals,
    record,
)
from lorebank.workspace.layout import LogPattern, named_day
from lorebank.workspace.paths import resolve_memory_path

_KIND = InboxKind.PROPOSAL
_WEIGHT = 0.75
"""Above the pairs of lines of the same day: the core memory is read in every conversation."""


def _waiting(desk: Desk) -> Iterator[InboxItem]:
    for proposal in open_proposals(desk.root)[0]:
        last = proposal.grounds[-1] if proposal.grounds else None
        yield InboxItem(
            id=_id(proposal.id, (ground.fact_id for ground in proposal.grounds)),
            kind=_KIND,
            older=_old_line(desk, proposal),
            newer=_edit(proposal, last),
            reason=proposal.why,
            effect={
                "accept": f"{proposal.action.value}s the line in {proposal.target}",
                "reject": "drops it; it comes back only with new evidence",
            },
            weight=_WEIGHT,
        )


def _id(proposal_id: str, facts: Iterable[str]) -> str:
    return item_id(_KIND, proposal_id, *sorted(filter(None, facts)))


def _old_line(desk: Desk, proposal: Proposal) -> InboxLine | None:
    if not proposal.old:
        return None
    lines = [line.removesuffix("\r") for line in ledger_text(desk, proposal.target).split("\n")]
    place = lines.index(proposal.old) + 1 if proposal.old in lines else 0
    return InboxLine(proposal.old, Citation(proposal.target, place, place))


def _edit(proposal: Proposal, last: Ground | None) -> InboxLine:
    place = last.source if last else Citation(proposal.target, 0, 0)
    return InboxLine(proposal.new, place, last.day if last else None, proposal.id)


def _rule(desk: Desk, verdict: Verdict) -> None:
    newer = verdict.item.newer
    assert newer is not None
    proposal = find_proposal(desk.root, newer.id)
    accepted = verdict.choice == "accept"
    if accepted:
        check_grounds(desk.root, desk.connection, proposal)
        if proposal.action is ProposalAction.RETAIN:
            retain_line(desk, proposal)
        else:
            accept_core_edit(desk.root, proposal)
    record(desk.root, proposal, accepted=accepted, day=desk.today, by=verdict.by)


def retain_line(desk: Desk, proposal: Proposal) -> Citation:
    """Append the line of a proposal to its log, unless it stands there already."""
    named = named_day(proposal.target, LogPattern.compile(desk.config.workspace.log_pattern))
    if named.day is None or proposal.target.startswith("bank/"):
        raise UsageError(f"{proposal.target} is no log")
    log = resolve_memory_path(desk.root, proposal.target, desk.config)
    lines = log.read_text("utf-8-sig", errors="replace").splitlines() if log.exists() else []
    if proposal.new in lines:
        line = lines.index(proposal.new) + 1
    else:
        line = desk.append(proposal.target, proposal.new, named.day)
    return Citation(proposal.target, line, line)


def _settled(desk: Desk) -> Iterator[Decision]:
    for ruling in parse_rulings(ledger_text(desk, DECISIONS_PATH))[0]:
        assert ruling.citation is not None
        yield Decision(
            id=_id(ruling.id, ruling.fact_ids),
            kind=_KIND,
            verdict="accept" if ruling.accepted else "reject",
            by=ruling.by,
            day=ruling.day,
            source=ruling.citation,
            about=(ruling.id,),
        )


def _take_back(desk: Desk, decisions: Sequence[Decision]) -> None:
    for decision in decisions:
        if decision.verdict == "accept":
            raise UsageError(
                f"{decision.about[0]} was accepted: its edit stands in your own file",
                hint=f"mend the line there, then delete {decision.source}",
            )
    remove_ledger_lines(desk, decisions)


SOURCE = Source(frozenset({_KIND}), _waiting, _rule, _settled, _take_back)
