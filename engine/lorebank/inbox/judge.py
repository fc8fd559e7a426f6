"""A chat model at the inbox: it rules on pairs of lines as an agent or a person would.

Names, proposed edits and facts in quarantine are the owner's to decide: a model is not asked. Its
verdicts are signed with its name, so `take_back` undoes them all at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lorebank.domain import InboxItem, InboxKind
from lorebank.inbox.registry import rule, signature, waiting
from lorebank.inbox.sources import Desk

if TYPE_CHECKING:
    from lorebank.reflect.writing import Writer

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


def _verdicts(writer: Writer, items: Iterable[InboxItem]) -> Iterator[tuple[str, str]]:
    from lorebank.providers.budget import BudgetSpent
    from lorebank.providers.json_answers import UnusableAnswer
    from lorebank.reflect.judging import judge_evidence, judge_relation

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
