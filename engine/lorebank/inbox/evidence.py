"""Items about a line and an opinion: is the line for it, against it, or about something else?"""

from __future__ import annotations

from collections.abc import Iterator

from lorebank.domain import Decision, InboxItem, InboxKind, InboxLine, Opinion, Stance
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

_KIND = InboxKind.EVIDENCE
_REASONS = {"no cue": "it names what the opinion is about", "alike": "it is alike in meaning"}


def _waiting(desk: Desk) -> Iterator[InboxItem]:
    opinions = {opinion.id: opinion for opinion in load_opinions(desk.connection)}
    for row in load_unsure(desk.connection):
        facts = facts_by_id(desk.connection, row.fact)
        opinion = opinions.get(row.opinion)
        if facts and opinion is not None and opinion.evidence:
            yield InboxItem(
                id=item_id(_KIND, row.opinion, row.fact),
                kind=_KIND,
                older=_first_statement(opinion),
                newer=line_of_fact(facts[0]),
                reason=_REASONS.get(row.reason, row.reason),
                effect={
                    "for": f"raises the confidence, now {opinion.confidence:.2f}",
                    "against": f"lowers the confidence, now {opinion.confidence:.2f}",
                    "unrelated": "changes nothing, and is not asked again",
                },
                weight=row.score,
            )


def _first_statement(opinion: Opinion) -> InboxLine:
    first = opinion.evidence[0]
    return InboxLine(opinion.statement, first.source, first.date, opinion.id)


def _rule(desk: Desk, verdict: Verdict) -> None:
    older, newer = verdict.item.older, verdict.item.newer
    assert older is not None and newer is not None and newer.source is not None
    stance = Stance(verdict.choice)
    ruling = EvidenceRuling(
        newer.id, stance, older.id, desk.today, "", newer.source, newer.source, verdict.by
    )
    add_ledger_line(desk, EVIDENCE_PAGE, format_evidence_line(ruling), title="Evidence")


def _settled(desk: Desk) -> Iterator[Decision]:
    text = ledger_text(desk, EVIDENCE_PAGE)
    for ruling in parse_evidence_lines(text, EVIDENCE_PAGE).rulings:
        yield Decision(
            id=item_id(_KIND, ruling.opinion_id, ruling.fact_id),
            kind=_KIND,
            verdict=ruling.stance.value,
            by=ruling.by,
            day=ruling.day,
            source=ruling.citation,
            about=(ruling.fact_id, ruling.opinion_id),
        )


SOURCE = Source(_KIND, _waiting, _rule, _settled, remove_ledger_lines)
