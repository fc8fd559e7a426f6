"""Judges at the inbox: a chat model that rules as an agent or a person would, and how each fared.

Names, proposed edits and facts in quarantine are the owner's to decide: a model is not asked. Its
verdicts are signed with its name, so `take_back` undoes them all at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lorebank.domain import Decision, InboxItem, InboxKind, JudgeRecord
from lorebank.inbox.registry import rule, signature, waiting
from lorebank.inbox.sources import Desk

if TYPE_CHECKING:
    from lorebank.generation.writing import Writer

JUDGED = frozenset({InboxKind.EVIDENCE, InboxKind.RESTATEMENT, InboxKind.REPLACEMENT})


def judge(desk: Desk, writer: Writer, *, k: int) -> tuple[str, ...]:
    """Have the model rule on the first `k` pairs, as far as it is sure and the budget goes.

    Returns the ids of the items settled. The caller holds the writer's lock, and syncs afterwards.
    Raises `ProviderError` where the model cannot be asked.
    """
    items = [item for item in waiting(desk).items if item.kind in JUDGED][:k]
    verdicts = dict(_verdicts(writer, items))
    if verdicts:
        rule(desk, verdicts, by=signature(writer.model))
    return tuple(verdicts)


def judge_records(decisions: Iterable[Decision]) -> tuple[JudgeRecord, ...]:
    """How each judge fared, most overruled first; verdicts come in the order of the ledger."""
    by_item: dict[str, dict[str, str]] = {}
    verdicts: Counter[str] = Counter()
    overruled: Counter[str] = Counter()
    for decision in decisions:
        if not decision.by:
            continue
        verdicts[decision.by] += 1
        before = by_item.setdefault(decision.id, {})
        overruled.update(by for by, said in before.items() if said != decision.verdict)
        before[decision.by] = decision.verdict
    records = []
    for name, count in verdicts.items():
        shared: dict[str, tuple[int, int]] = {}
        for said in by_item.values():
            for other in said.keys() - {name} if name in said else ():
                items, alike = shared.get(other, (0, 0))
                shared[other] = items + 1, alike + (said[other] == said[name])
        records.append(JudgeRecord(name, count, overruled[name], dict(sorted(shared.items()))))
    return tuple(sorted(records, key=lambda r: (-r.overruled / r.verdicts, r.name)))


def _verdicts(writer: Writer, items: Iterable[InboxItem]) -> Iterator[tuple[str, str]]:
    from lorebank.generation.judging import judge_evidence, judge_relation
    from lorebank.providers.ask import BudgetSpent, UnusableAnswer

    for item in items:
        if item.older is None or item.newer is None:
            continue
        ask = judge_evidence if item.kind is InboxKind.EVIDENCE else judge_relation
        try:
            verdict = ask(writer, item.older.text, item.newer.text)
        except UnusableAnswer:
            continue
        except BudgetSpent:
            return
        if verdict is not None:
            yield item.id, verdict
