"""Items about a line and an opinion of one holder.

Of a line that states no opinion: is it for the opinion, against it, or about something else? Of an
opinion of the holder's own: does it say the same, does it replace the older one, or do both stand?
Either way the verdict is a line of `bank/evidence.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lorebank.beliefs.forming import holder_of
from lorebank.domain import (
    Decision,
    Fact,
    FactKind,
    InboxItem,
    InboxKind,
    InboxLine,
    Opinion,
    Relation,
    Stance,
)
from lorebank.inbox.sources import (
    Desk,
    Source,
    Verdict,
    add_ledger_line,
    item_id,
    ledger_text,
    line_of_fact,
    remove_ledger_lines,
)
from lorebank.index.items import facts_by_id
from lorebank.index.opinions import load_opinions
from lorebank.index.unsure import load_unsure
from lorebank.markdown.ledger import EvidenceRuling, format_evidence_line, parse_evidence_lines
from lorebank.workspace.layout import EVIDENCE_PAGE

_STANCES = {
    Relation.SAME: Stance.FOR,
    Relation.REPLACES: Stance.AGAINST,
    Relation.BOTH: Stance.UNRELATED,
}
_RELATIONS = {stance: relation for relation, stance in _STANCES.items()}
_CONFLICT = "its words disagree"
"""The reason for which two opinions are asked about as a replacement first."""


def _waiting(desk: Desk, fact: Fact | None = None) -> Iterator[InboxItem]:
    rows = load_unsure(desk.connection, fact=fact.id if fact else None)
    ids = sorted({row.opinion for row in rows})
    opinions = {opinion.id: opinion for opinion in load_opinions(desk.connection, ids=ids)}
    for row in rows:
        facts = facts_by_id(desk.connection, row.fact)
        opinion = opinions.get(row.opinion)
        if facts and opinion is not None and opinion.evidence:
            states = _states(facts[0], opinion)
            kind = InboxKind.EVIDENCE
            if states:
                conflict = row.reason == _CONFLICT
                kind = InboxKind.REPLACEMENT if conflict else InboxKind.RESTATEMENT
            yield InboxItem(
                id=_id(row.opinion, row.fact),
                kind=kind,
                older=_first_statement(opinion),
                newer=line_of_fact(facts[0]),
                reason=row.reason,
                effect=_of_two_opinions(opinion) if states else _of_evidence(opinion),
                weight=row.score,
            )


def _states(fact: Fact, opinion: Opinion) -> bool:
    """Whether a line is an opinion of the same holder."""
    holder = holder_of(fact)
    return fact.kind is FactKind.OPINION and holder == next(iter(opinion.entities), "")


def _of_evidence(opinion: Opinion) -> Mapping[str, str]:
    return {
        "for": f"raises the confidence, now {opinion.confidence:.2f}",
        "against": f"lowers the confidence, now {opinion.confidence:.2f}",
        "unrelated": "changes nothing, and is not asked again",
    }


def _of_two_opinions(opinion: Opinion) -> Mapping[str, str]:
    return {
        "same": "they become one opinion; the newer line pulls its confidence",
        "replaces": f"the older one ({opinion.confidence:.2f}) ends on the newer one's day",
        "both": "both stand, and are not asked about again",
    }


def _id(opinion: str, fact: str) -> str:
    return item_id(InboxKind.EVIDENCE, opinion, fact)


def _first_statement(opinion: Opinion) -> InboxLine:
    first = opinion.evidence[0]
    return InboxLine(opinion.statement, first.source, first.date, opinion.id)


def _rule(desk: Desk, verdict: Verdict) -> None:
    older, newer = verdict.item.older, verdict.item.newer
    assert older is not None and newer is not None and newer.source is not None
    evidence = verdict.item.kind is InboxKind.EVIDENCE
    stance = Stance(verdict.choice) if evidence else _STANCES[Relation(verdict.choice)]
    ruling = EvidenceRuling(
        newer.id, stance, older.id, desk.today, "", newer.source, newer.source, verdict.by
    )
    add_ledger_line(desk, EVIDENCE_PAGE, format_evidence_line(ruling), title="Evidence")


def _again(desk: Desk, decision: Decision, choice: str, by: str) -> None:
    fact, opinion = decision.about
    stated = decision.kind is not InboxKind.EVIDENCE
    stance = _STANCES[Relation(choice)] if stated else Stance(choice)
    known = facts_by_id(desk.connection, fact)
    place = known[0].citation if known else None
    ruling = EvidenceRuling(fact, stance, opinion, desk.today, "", decision.source, place, by)
    add_ledger_line(desk, EVIDENCE_PAGE, format_evidence_line(ruling), title="Evidence")


def _settled(desk: Desk) -> Iterator[Decision]:
    text = ledger_text(desk, EVIDENCE_PAGE)
    for ruling in parse_evidence_lines(text, EVIDENCE_PAGE)[0]:
        facts = facts_by_id(desk.connection, ruling.fact_id)
        states = bool(facts) and facts[0].kind is FactKind.OPINION
        verdict = _RELATIONS[ruling.stance].value if states else ruling.stance.value
        yield Decision(
            id=_id(ruling.opinion_id, ruling.fact_id),
            kind=_kind_of(ruling.stance) if states else InboxKind.EVIDENCE,
            verdict=verdict,
            by=ruling.by,
            day=ruling.day,
            source=ruling.citation,
            about=(ruling.fact_id, ruling.opinion_id),
        )


def _kind_of(stance: Stance) -> InboxKind:
    return InboxKind.REPLACEMENT if stance is Stance.AGAINST else InboxKind.RESTATEMENT


SOURCE = Source(
    frozenset({InboxKind.EVIDENCE, InboxKind.RESTATEMENT, InboxKind.REPLACEMENT}),
    _waiting,
    _rule,
    _settled,
    remove_ledger_lines,
    about=_waiting,
    again=_again,
)
