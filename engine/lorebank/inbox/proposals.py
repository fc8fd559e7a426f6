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
from lorebank.errors import ConcurrentEdit, UsageError
from lorebank.inbox.sources import (
    Desk,
    Source,
    Verdict,
    item_id,
    ledger_text,
    remove_ledger_lines,
)
from lorebank.markdown.proposal_pages import DECISIONS_PATH, LineEdit, parse_rulings
from lorebank.nightly.proposals import (
    accept_core_edit,
    check_grounds,
    find_proposal,
    open_proposals,
    record,
)
from lorebank.workspace.layout import LogPattern, named_day
from lorebank.workspace.paths import read_text_file, resolve_memory_path, write_text_file

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
    if verdict.choice == "accept":
        accept(desk, proposal, by=verdict.by)
    else:
        record(desk.root, proposal, accepted=False, day=desk.today, by=verdict.by)


def accept(desk: Desk, proposal: Proposal, *, by: str = "") -> Citation | None:
    """Make the edit that a proposal describes; where the new line stands.

    `ConcurrentEdit` where the line to change, or what it rests on, is not what it was.
    """
    check_grounds(desk.root, desk.connection, proposal)
    before = ledger_text(desk, proposal.target)
    if proposal.action is ProposalAction.RETAIN:
        place: Citation | None = _retain_line(desk, proposal)
    else:
        place = accept_core_edit(desk.root, proposal)
    edit = LineEdit.between(proposal.target, before, ledger_text(desk, proposal.target))
    record(desk.root, proposal, accepted=True, day=desk.today, by=by, edit=edit)
    return place


def _retain_line(desk: Desk, proposal: Proposal) -> Citation:
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
    """Undo the edits that were made, the last one first, then forget the verdicts."""
    edits = {r.citation: r.edit for r in parse_rulings(ledger_text(desk, DECISIONS_PATH))[0]}
    texts: dict[str, str] = {}
    for decision in sorted(decisions, key=lambda d: -d.source.start_line):
        if decision.verdict != "accept":
            continue
        edit = edits.get(decision.source)
        path = edit.path if edit else ""
        text = texts[path] if path in texts else ledger_text(desk, path) if path else ""
        left = edit.undone(text) if edit else None
        if left is None:
            raise ConcurrentEdit(
                f"{decision.about[0]}: what it put into {path or 'the file'} has changed since;"
                " nothing was undone",
                hint=f"mend the line there, then delete {decision.source}",
            )
        texts[path] = left
    for path, text in texts.items():
        write_text_file(desk.root, read_text_file(desk.root, path), text)
    remove_ledger_lines(desk, decisions)


SOURCE = Source(frozenset({_KIND}), _waiting, _rule, _settled, _take_back)
