"""Items about facts in quarantine: does the owner vouch for them?

A rejection is remembered beside the confirmations, so that the fact stays out and is not asked
about again.
"""

from __future__ import annotations

from collections.abc import Iterator

from lorebank.domain import Decision, InboxItem, InboxKind
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
from lorebank.index.items import load_facts
from lorebank.markdown.ledger import signed, split_signature
from lorebank.trust.confirmations import (
    Confirmation,
    Target,
    format_confirmation,
    parse_confirmations,
)
from lorebank.trust.quarantine import quarantined_items
from lorebank.workspace.layout import CONFIRMED_PAGE

_KIND = InboxKind.QUARANTINE
_WEIGHT = 0.25
"""Below the pairs of lines of the same day: an import brings many at once."""


def _waiting(desk: Desk) -> Iterator[InboxItem]:
    known = {decision.id for decision in _settled(desk)}
    facts = {
        fact.id: fact for fact in load_facts(desk.connection, quarantined_items(desk.connection))
    }
    for fact in facts.values():
        if item_id(_KIND, fact.id) in known:
            continue
        yield InboxItem(
            id=item_id(_KIND, fact.id),
            kind=_KIND,
            older=None,
            newer=line_of_fact(fact),
            reason=f"{fact.origin.value}: nobody has vouched for it",
            effect={
                "confirm": "it counts like your own word",
                "reject": "it stays out of beliefs and pages, and is not asked about again",
            },
            weight=_WEIGHT,
        )


def _rule(desk: Desk, verdict: Verdict) -> None:
    newer = verdict.item.newer
    assert newer is not None and newer.source is not None
    line = Confirmation(
        Target.ID,
        newer.id,
        desk.today,
        signed(verdict.by, str(newer.source)),
        newer.source,
        rejected=verdict.choice == "reject",
    )
    add_ledger_line(desk, CONFIRMED_PAGE, format_confirmation(line), title="Confirmed")


def _settled(desk: Desk) -> Iterator[Decision]:
    for line in parse_confirmations(ledger_text(desk, CONFIRMED_PAGE), CONFIRMED_PAGE)[0]:
        if line.target is Target.ID:
            yield Decision(
                id=item_id(_KIND, line.value),
                kind=_KIND,
                verdict="reject" if line.rejected else "confirm",
                by=split_signature(line.reason)[0],
                day=line.day,
                source=line.citation,
                about=(line.value,),
            )


SOURCE = Source(frozenset({_KIND}), _waiting, _rule, _settled, remove_ledger_lines)
