"""Items that are the owner's to decide: two names, a proposed edit, a fact in quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lorebank.domain.facts import Citation, InboxItem, InboxKind, InboxLine
from lorebank.domain.judgments import Decision, Ground, Proposal, ProposalAction
from lorebank.errors import ConcurrentEdit, UsageError
from lorebank.inbox.sources import (
    InboxContext,
    Source,
    Verdict,
    add_ledger_line,
    item_id,
    ledger_text,
    line_of_fact,
    remove_ledger_lines,
)
from lorebank.index.items import facts_by_id, facts_by_place, load_facts
from lorebank.language.folding import slugify
from lorebank.markdown.ledger import LedgerAction, parse_ledger, signed, split_signature
from lorebank.markdown.proposal_pages import DECISIONS_PATH, LineEdit, parse_rulings
from lorebank.names.who import audit_names
from lorebank.nightly.names import decide, decision_entry
from lorebank.nightly.proposals import accept_edit, check_grounds, open_proposals, record
from lorebank.trust.quarantine import (
    Confirmation,
    Target,
    format_confirmation,
    parse_confirmations,
    quarantined_items,
)
from lorebank.workspace.layout import CONFIRMED_PAGE, IDENTITY_PAGE, LogPattern, named_day
from lorebank.workspace.paths import read_text_file, resolve_memory_path, write_text_file

_NAME_VERDICTS = {LedgerAction.MERGE: "same", LedgerAction.DISTINCT: "distinct"}
_WEIGHTS = {InboxKind.PROPOSAL: 0.75, InboxKind.NAME: 0.5, InboxKind.QUARANTINE: 0.25}
"""Above the pairs of lines of the same day: the core memory is read in every conversation. Between
the sure and the faint pairs: names. Below them: an import brings many at once."""


def _name_waiting(context: InboxContext) -> Iterator[InboxItem]:
    for finding in audit_names(context.connection).findings:
        if finding.kind != "duplicate":
            continue
        one, other = finding.names
        places = iter(finding.evidence)
        yield InboxItem(
            id=_name_id(one, other),
            kind=InboxKind.NAME,
            older=_name_line(context, one, next(places, None)),
            newer=_name_line(context, other, next(reversed(finding.evidence), None)),
            reason=finding.reason,
            effect={
                "same": f"both become one entity; the page of {one} moves to {other}",
                "distinct": "they stay apart, and are not asked about again",
            },
            weight=_WEIGHTS[InboxKind.NAME],
        )


def _name_id(one: str, other: str) -> str:
    return item_id(InboxKind.NAME, *sorted((slugify(one), slugify(other))))


def _name_line(context: InboxContext, name: str, place: Citation | None) -> InboxLine:
    fact = facts_by_place(context.connection, place.path, place.start_line) if place else None
    return InboxLine(name, place, fact.recorded if fact else None, name)


def _name_rule(context: InboxContext, verdict: Verdict) -> None:
    newer, older = verdict.about
    action = LedgerAction.MERGE if verdict.choice == "same" else LedgerAction.DISTINCT
    _decide(context, action, (older, newer), reason=signed(verdict.by, ""))


def _name_settled(context: InboxContext) -> Iterator[Decision]:
    for entry in parse_ledger(ledger_text(context, IDENTITY_PAGE), IDENTITY_PAGE).entries:
        if entry.action in _NAME_VERDICTS and len(entry.names) == 2:
            names = tuple(name.name for name in entry.names)
            verdict, by = _NAME_VERDICTS[entry.action], split_signature(entry.reason)[0]
            line = entry.day, entry.citation
            yield Decision(_name_id(*names), InboxKind.NAME, verdict, by, *line, names)


def _name_take_back(context: InboxContext, decisions: Sequence[Decision]) -> None:
    actions = {word: action for action, word in _NAME_VERDICTS.items()}
    for decision in decisions:
        _decide(context, actions[decision.verdict], decision.about, undo=True)


def _decide(
    context: InboxContext,
    action: LedgerAction,
    names: Sequence[str],
    *,
    reason: str = "",
    undo: bool = False,
) -> None:
    entry = decision_entry(action, names, context.today, reason)
    decide(context.connection, context.root, entry, undo=undo)


NAMES = Source(
    frozenset({InboxKind.NAME}), _name_waiting, _name_rule, _name_settled, _name_take_back
)


def _proposal_waiting(context: InboxContext) -> Iterator[InboxItem]:
    for proposal in open_proposals(context.root)[0]:
        last = proposal.grounds[-1] if proposal.grounds else None
        yield InboxItem(
            id=_proposal_id(proposal.id, (ground.fact_id for ground in proposal.grounds)),
            kind=InboxKind.PROPOSAL,
            older=_old_line(context, proposal),
            newer=_edit(context, proposal, last),
            reason=proposal.why,
            effect={
                "accept": f"{proposal.action.value}s the line in {proposal.target}",
                "reject": "drops it; it comes back only with new evidence",
            },
            weight=_WEIGHTS[InboxKind.PROPOSAL],
        )


def _proposal_id(proposal_id: str, facts: Iterable[str]) -> str:
    return item_id(InboxKind.PROPOSAL, proposal_id, *sorted(filter(None, facts)))


def _old_line(context: InboxContext, proposal: Proposal) -> InboxLine | None:
    if not proposal.old:
        return None
    lines = [line.removesuffix("\r") for line in ledger_text(context, proposal.target).split("\n")]
    old = proposal.old.split("\n")
    place = next((n for n in range(len(lines)) if lines[n : n + len(old)] == old), -1) + 1
    last = place and place + len(old) - 1
    return InboxLine(proposal.old, Citation(proposal.target, place, last))


def _edit(context: InboxContext, proposal: Proposal, last: Ground | None) -> InboxLine:
    place = last.source if last else Citation(proposal.target, 0, 0)
    known = facts_by_id(context.connection, last.fact_id) if last and last.fact_id else ()
    by = known[0].author.agent if known else ""
    return InboxLine(proposal.new, place, last.day if last else None, proposal.id, by=by)


def _proposal_rule(context: InboxContext, verdict: Verdict) -> None:
    [proposal] = (each for each in open_proposals(context.root)[0] if each.id in verdict.about)
    accepted = verdict.choice == "accept"
    edit = _accept(context, proposal) if accepted else None
    record(context.root, proposal, accepted=accepted, day=context.today, by=verdict.by, edit=edit)


def _accept(context: InboxContext, proposal: Proposal) -> LineEdit:
    """`ConcurrentEdit` where the line to change, or what it rests on, is not what it was."""
    check_grounds(context.root, context.connection, proposal)
    before = ledger_text(context, proposal.target)
    path = proposal.target
    if proposal.action is ProposalAction.RETAIN:
        day = named_day(path, LogPattern.compile(context.config.workspace.log_pattern)).day
        if day is None or path.startswith("bank/"):
            raise UsageError(f"{path} is no log")
        log = resolve_memory_path(context.root, path, context.config)
        lines = log.read_text("utf-8-sig", errors="replace").splitlines() if log.exists() else []
        if proposal.new not in lines:
            context.append(path, proposal.new, day)
    else:
        accept_edit(context.root, proposal, context.config)
    return LineEdit.between(path, before, ledger_text(context, path))


def _proposal_settled(context: InboxContext) -> Iterator[Decision]:
    for ruling in parse_rulings(ledger_text(context, DECISIONS_PATH))[0]:
        assert ruling.citation is not None
        id_ = _proposal_id(ruling.id, ruling.fact_ids)
        verdict = "accept" if ruling.accepted else "reject"
        line = ruling.by, ruling.day, ruling.citation
        yield Decision(id_, InboxKind.PROPOSAL, verdict, *line, (ruling.id,))


def _proposal_take_back(context: InboxContext, decisions: Sequence[Decision]) -> None:
    """Undo the edits that were made, the last one first, then forget the verdicts."""
    edits = {r.citation: r.edit for r in parse_rulings(ledger_text(context, DECISIONS_PATH))[0]}
    texts: dict[str, str] = {}
    for decision in sorted(decisions, key=lambda d: -d.source.start_line):
        if decision.verdict != "accept":
            continue
        edit = edits.get(decision.source)
        path = edit.path if edit else ""
        text = texts[path] if path in texts else ledger_text(context, path) if path else ""
        left = edit.undone(text) if edit else None
        if left is None:
            raise ConcurrentEdit(
                f"{decision.about[0]}: what it put into {path or 'the file'} has changed since;"
                " nothing was undone",
                hint=f"mend the line there, then delete {decision.source}",
            )
        texts[path] = left
    for path, text in texts.items():
        write_text_file(context.root, read_text_file(context.root, path), text)
    remove_ledger_lines(context, decisions)


PROPOSALS = Source(
    frozenset({InboxKind.PROPOSAL}),
    _proposal_waiting,
    _proposal_rule,
    _proposal_settled,
    _proposal_take_back,
)


def _quarantine_waiting(context: InboxContext) -> Iterator[InboxItem]:
    known = {decision.id for decision in _quarantine_settled(context)}
    facts = {
        fact.id: fact
        for fact in load_facts(context.connection, quarantined_items(context.connection))
    }
    for fact in facts.values():
        if item_id(InboxKind.QUARANTINE, fact.id) in known:
            continue
        yield InboxItem(
            id=item_id(InboxKind.QUARANTINE, fact.id),
            kind=InboxKind.QUARANTINE,
            older=None,
            newer=line_of_fact(fact),
            reason=f"{fact.origin.value}: nobody has vouched for it",
            effect={
                "confirm": "it counts like your own word",
                "reject": "it stays out of beliefs and pages, and is not asked about again",
            },
            weight=_WEIGHTS[InboxKind.QUARANTINE],
        )


def _quarantine_rule(context: InboxContext, verdict: Verdict) -> None:
    [id] = verdict.about
    place = facts_by_id(context.connection, id)[0].citation
    reason, is_rejected = signed(verdict.by, str(place)), verdict.choice == "reject"
    line = Confirmation(Target.ID, id, context.today, reason, place, is_rejected)
    add_ledger_line(context, CONFIRMED_PAGE, format_confirmation(line), title="Confirmed")


def _quarantine_settled(context: InboxContext) -> Iterator[Decision]:
    for line in parse_confirmations(ledger_text(context, CONFIRMED_PAGE), CONFIRMED_PAGE)[0]:
        if line.target is Target.ID:
            kind, verdict = InboxKind.QUARANTINE, "reject" if line.rejected else "confirm"
            place = split_signature(line.reason)[0], line.day, line.citation
            yield Decision(item_id(kind, line.value), kind, verdict, *place, (line.value,))


QUARANTINE = Source(
    frozenset({InboxKind.QUARANTINE}),
    _quarantine_waiting,
    _quarantine_rule,
    _quarantine_settled,
    remove_ledger_lines,
)
