"""Items about names: do two names stand for one entity?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorebank.domain import Citation, Decision, InboxItem, InboxKind, InboxLine
from lorebank.inbox.sources import Desk, Source, Verdict, item_id, ledger_text
from lorebank.index.items import facts_by_place
from lorebank.language.folding import slugify
from lorebank.markdown.ledger import LedgerAction, parse_ledger, signed, split_signature
from lorebank.names.audit import audit_names
from lorebank.nightly.decide import decide, decision_entry
from lorebank.workspace.layout import IDENTITY_PAGE

_KIND = InboxKind.NAME
_WORDS = {LedgerAction.MERGE: "same", LedgerAction.DISTINCT: "distinct"}
_WEIGHT = 0.5
"""Names are ranked between the sure and the faint pairs of lines of their day."""


def _waiting(desk: Desk) -> Iterator[InboxItem]:
    for finding in audit_names(desk.connection).findings:
        if finding.kind != "duplicate":
            continue
        one, other = finding.names
        places = iter(finding.evidence)
        yield InboxItem(
            id=_id(one, other),
            kind=_KIND,
            older=_line(desk, one, next(places, None)),
            newer=_line(desk, other, next(reversed(finding.evidence), None)),
            reason=finding.reason,
            effect={
                "same": f"both become one entity; the page of {one} moves to {other}",
                "distinct": "they stay apart, and are not asked about again",
            },
            weight=_WEIGHT,
        )


def _id(one: str, other: str) -> str:
    return item_id(_KIND, *sorted((slugify(one), slugify(other))))


def _line(desk: Desk, name: str, place: Citation | None) -> InboxLine:
    fact = facts_by_place(desk.connection, place.path, place.start_line) if place else None
    return InboxLine(name, place, fact.recorded if fact else None, name)


def _rule(desk: Desk, verdict: Verdict) -> None:
    older, newer = verdict.item.older, verdict.item.newer
    assert older is not None and newer is not None
    action = LedgerAction.MERGE if verdict.choice == "same" else LedgerAction.DISTINCT
    _decide(desk, action, (older.id, newer.id), reason=signed(verdict.by, ""))


def _settled(desk: Desk) -> Iterator[Decision]:
    for entry in parse_ledger(ledger_text(desk, IDENTITY_PAGE), IDENTITY_PAGE).entries:
        if entry.action in _WORDS and len(entry.names) == 2:
            names = tuple(name.name for name in entry.names)
            yield Decision(
                id=_id(*names),
                kind=_KIND,
                verdict=_WORDS[entry.action],
                by=split_signature(entry.reason)[0],
                day=entry.day,
                source=entry.citation,
                about=names,
            )


def _take_back(desk: Desk, decisions: Sequence[Decision]) -> None:
    actions = {word: action for action, word in _WORDS.items()}
    for decision in decisions:
        _decide(desk, actions[decision.verdict], decision.about, undo=True)


def _decide(
    desk: Desk, action: LedgerAction, names: Sequence[str], *, reason: str = "", undo: bool = False
) -> None:
    entry = decision_entry(action, names, desk.today, reason)
    decide(desk.connection, desk.root, entry, undo=undo)


SOURCE = Source(frozenset({_KIND}), _waiting, _rule, _settled, _take_back)
