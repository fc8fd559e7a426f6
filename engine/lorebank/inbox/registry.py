"""All kinds of items together: what waits, ruling on it, taking verdicts back, and who judged how.
A model is only asked about pairs of lines, and signs its verdicts with its name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from lorebank.domain.facts import InboxKind, InboxLine
from lorebank.domain.judgments import Comparison, Decision, Inbox, JudgeRecord
from lorebank.errors import NotFound, ProviderError, UsageError
from lorebank.generation.writing import judge_evidence, judge_relation
from lorebank.inbox.owner import NAMES, PROPOSALS, QUARANTINE
from lorebank.inbox.pairs import EVIDENCE, REPLACEMENTS, rank
from lorebank.inbox.sources import InboxContext, Source, Verdict, line_of_fact
from lorebank.index.items import facts_of_ids
from lorebank.index.opinions import load_opinions
from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.generation.writing import Writer


SOURCES: tuple[Source, ...] = (EVIDENCE, REPLACEMENTS, NAMES, PROPOSALS, QUARANTINE)
_RELATIONS = ("same", "replaces", "both")
CHOICES: Mapping[InboxKind, tuple[str, ...]] = {
    InboxKind.EVIDENCE: ("for", "against", "unrelated"),
    InboxKind.RESTATEMENT: _RELATIONS,
    InboxKind.REPLACEMENT: _RELATIONS,
}
"""Kinds of pairs of lines, which a model may judge, and the verdicts that may be given again on
what another judge has settled."""
_SAME_CHOICE = {"for": "same", "against": "replaces", "unrelated": "both"}
"""On two opinions of one holder the words for a line and an opinion are understood as well."""
_UNSIGNABLE = re.compile(r"[():\[\]<>`@*_\s]+")
"""What would end or dress a name inside a ledger line."""


def waiting(
    context: InboxContext,
    *,
    kind: InboxKind | None = None,
    k: int | None = None,
    likely: bool = False,
) -> Inbox:
    """What waits: newest first, of one day the weightiest first; `k` items at most, without pairs
    that are little alike where only what is `likely` is wanted."""
    found = (
        item
        for source in SOURCES
        if kind is None or kind in source.kinds
        for item in source.waiting(context)
    )
    items = sorted((item for item in found if kind in (None, item.kind)), key=rank)
    kept = [item for item in items if item.is_likely] if likely else items
    return Inbox(tuple(kept if k is None else kept[:k]), len(kept), len(items) - len(kept))


def rule(
    context: InboxContext, verdicts: Mapping[str, str], *, by: str, decides: bool = True
) -> None:
    """Write verdicts; nothing is written where one of them cannot be.

    An item is named as `_matches_prefixes` says. Where another judge ruled on it its verdict stays
    in the ledger, overruled. `NotFound` for an item that does not wait, `UsageError` for a verdict
    that it does not offer, or that is the owner's where the judge does not decide in the owner's
    name.
    """
    signer = signature(by)
    sources = {item.id: (item, source) for source in SOURCES for item in source.waiting(context)}
    sides = {id: (item.older, item.newer) for id, (item, _) in sources.items()}
    named = {id: (id, *(line.id for line in sides[id] if line)) for id in sources}
    ruled = {d.id: (d, source) for source in SOURCES for d in source.settled(context)}
    writes: list[Callable[[], None]] = []
    for text, choice in verdicts.items():
        waits = {i: each for i, each in sources.items() if _matches_prefixes(text, *named[i])}
        ended = {i: each for i, each in ruled.items() if _matches_prefixes(text, i, *each[0].about)}
        found = sorted(waits or ended)
        _refuse_several(text, found)
        if waits:
            item, source = waits[found[0]]
            if source is EVIDENCE and choice not in item.choices:
                choice = _SAME_CHOICE.get(choice, choice)
            if choice not in item.choices:
                raise _no_verdict(item.id, choice, item.choices)
            if not decides:
                _refuse_owners(choice, item.older, item.newer)
            about = tuple(line.id for line in (item.newer, item.older) if line and line.id)
            writes.append(partial(source.rule, context, Verdict(item.kind, about, choice, signer)))
            continue
        if not ended:
            raise NotFound(
                f"no item '{text}' waits; nothing was written",
                hint="another verdict or a newer line may have settled it: `lorebank inbox` lists"
                " what waits",
            )
        said, source = ended[found[0]]
        if (said.verdict, said.by) == (choice, signer):
            continue
        if not source.allows_second_ruling or said.by == signer:
            hint = f"take that back first: lorebank inbox --undo {text}"
            raise UsageError(f"{text} was settled as {said.verdict} at {said.source}", hint=hint)
        if choice not in CHOICES[said.kind]:
            raise _no_verdict(text, choice, CHOICES[said.kind])
        if not decides:
            newer, older = said.about
            known = facts_of_ids(context.connection, {newer, *_stating(context, older)}).values()
            lines = [line_of_fact(fact) for fact in known]
            news = next((line for line in lines if line.id == newer), None)
            _refuse_owners(choice, next((line for line in lines if line is not news), None), news)
        writes.append(partial(source.rule, context, Verdict(said.kind, said.about, choice, signer)))
    for write in writes:
        write()


_OWNERS = frozenset(("accept", "confirm"))  # verdicts that let in what waits for the owner's word


def _refuse_owners(choice: str, older: InboxLine | None, newer: InboxLine | None) -> None:
    """`UsageError` for what only the owner says: to let in, or to let an agent end his line."""
    overreaches = older is not None and newer is not None and newer.by and not older.by
    if choice in _OWNERS or (choice == "replaces" and overreaches):
        hint = "ask the owner to run `lorebank inbox`, or to start the server with --decides"
        raise UsageError("that is the owner's decision; nothing was written", hint=hint)


def _stating(context: InboxContext, older: str) -> tuple[str, ...]:
    """The fact of an id, or that which states the opinion of one."""
    opinions = load_opinions(context.connection, ids=[older]) if older.startswith("o-") else ()
    return tuple(o.evidence[0].fact_id for o in opinions if o.evidence) or (older,)


def _refuse_several(text: str, found: Sequence[str]) -> None:
    if len(found) > 1:
        raise UsageError(f"'{text}' matches several ids", hint=", ".join(found[:5]))


def _matches_prefixes(text: str, *ids: str) -> bool:
    """Whether each word of a text is the beginning of one of the ids: `i-3f2a`, `f-91c0 o-3f2a`."""
    words = text.split()
    return bool(words) and all(any(id.startswith(word) for id in ids) for word in words)


def _no_verdict(id: str, choice: str, choices: Sequence[str]) -> UsageError:
    return UsageError(f"{id}: no verdict '{choice}'", hint=f"use {', '.join(choices)}")


def settled(context: InboxContext) -> tuple[Decision, ...]:
    return tuple(decision for source in SOURCES for decision in source.settled(context))


def revoke(
    context: InboxContext, *, ids: Collection[str] | None = None, by: str | None = None
) -> tuple[Decision, ...]:
    """`NotFound` where there is none, `UsageError` where an id names several; nothing is undone."""
    if ids is None and by is None:
        raise UsageError("say which verdicts are taken back", hint="give ids, or by=NAME")
    signer = None if by is None else signature(by)
    standing = [each for each in settled(context) if signer is None or each.by == signer]
    for text in ids or ():
        _refuse_several(
            text, sorted({d.id for d in standing if _matches_prefixes(text, d.id, *d.about)})
        )
    taken: list[Decision] = []
    for source in SOURCES:
        found = [
            decision
            for decision in source.settled(context)
            if (
                ids is None
                or any(_matches_prefixes(id, decision.id, *decision.about) for id in ids)
            )
            and (signer is None or decision.by == signer)
        ]
        if found:
            source.revoke(context, found)
            taken += found
    if not taken:
        raise NotFound("no such verdict stands", hint="`lorebank inbox --settled` lists them")
    return tuple(taken)


def signature(by: str) -> str:
    """A name as it can stand in a ledger line; `UsageError` where nothing of it is left."""
    name = _UNSIGNABLE.sub(" ", by).strip()
    if not name:
        raise UsageError("a judge's name is required", hint='by="NAME"')
    return name


class Judged(Record):
    """What came of asking a model about pairs of lines."""

    verdicts: Mapping[str, str]  # id of the item → what the model is sure of
    unsure: int = 0  # answers that show no words of the newer line
    unusable: int = 0  # answers that are no verdict
    left: int = 0  # pairs not asked about: the calls of this run were spent
    failure: ProviderError | None = None  # why the model was asked no more, where it failed

    def __str__(self) -> str:
        sure = len(self.verdicts)
        counts = {
            "pairs judged": sure + self.unsure + self.unusable,
            "verdicts": sure,
            "not sure": self.unsure,
            "unusable answers": self.unusable,
            "left, as the calls of this run are spent": self.left,
        }
        first, *rest = (f"{name}: {number}" for name, number in counts.items())
        return "; ".join([first, *(part for part in rest if not part.endswith(": 0"))])


def judge(context: InboxContext, writer: Writer, *, k: int) -> Judged:
    """Rule as the model says on the first `k` pairs that wait; what it says before it fails
    stands."""
    pairs = [
        (item.id, item.kind, item.older.text, item.newer.text)
        for item in waiting(context).items
        if item.kind in CHOICES and item.older and item.newer
    ]
    judged = _ask(writer, pairs[:k])
    if judged.verdicts:
        rule(context, judged.verdicts, by=signature(writer.model))
    return judged


def compare(
    context: InboxContext, writer: Writer, *, k: int
) -> tuple[Judged, tuple[Comparison, ...]]:
    """What the model says of the `k` pairs on which others ruled last; nothing is written."""
    name = signature(writer.model)
    standing = {d.id: d for d in settled(context) if d.kind in CHOICES and not d.is_void}
    others = sorted(
        (each for each in standing.values() if each.by != name),
        key=lambda each: each.day or date.min,
        reverse=True,
    )
    pairs: list[tuple[str, InboxKind, str, str]] = []
    for each in others:
        newer, older = (_text_of(context, id) for id in each.about)
        if newer and older and len(pairs) < k:
            pairs.append((each.id, each.kind, older, newer))
    judged = _ask(writer, pairs)
    said = judged.verdicts.items()
    return judged, tuple(Comparison(standing[id], verdict, name) for id, verdict in said)


def _text_of(context: InboxContext, id: str) -> str:
    """What an opinion or a fact says; empty where it is gone."""
    if id.startswith("o-"):
        return next((o.statement for o in load_opinions(context.connection, ids=[id])), "")
    return next((f.content for f in facts_of_ids(context.connection, [id]).values()), "")


def judge_records(decisions: Iterable[Decision]) -> tuple[JudgeRecord, ...]:
    """How each judge fared, most overruled first; verdicts come in the order of the ledger."""
    ruled = [decision for decision in decisions if decision.by]
    standing = {decision.id: decision for decision in ruled}
    by_item: dict[str, dict[str, str]] = {}
    verdicts: Counter[str] = Counter()
    overruled: Counter[str] = Counter()
    for decision in ruled:
        verdicts[decision.by] += 1
        by_item.setdefault(decision.id, {})[decision.by] = decision.verdict
        last = standing[decision.id]
        overruled[decision.by] += last.by != decision.by and last.verdict != decision.verdict
    records = []
    for name, count in verdicts.items():
        shared: dict[str, tuple[int, int]] = {}
        for said in by_item.values():
            for other in said.keys() - {name} if name in said else ():
                items, alike = shared.get(other, (0, 0))
                shared[other] = items + 1, alike + (said[other] == said[name])
        records.append(JudgeRecord(name, count, overruled[name], dict(sorted(shared.items()))))
    return tuple(sorted(records, key=lambda r: (-r.overruled / r.verdicts, r.name)))


def _ask(writer: Writer, pairs: Sequence[tuple[str, InboxKind, str, str]]) -> Judged:
    """The model's verdicts on pairs: id, kind, the older and the newer text."""
    from lorebank.generation.generated import BudgetSpent, UnusableAnswer

    verdicts: dict[str, str] = {}
    unsure = unusable = 0
    for place, (id, kind, older, newer) in enumerate(pairs):
        ask = judge_evidence if kind is InboxKind.EVIDENCE else judge_relation
        try:
            verdict = ask(writer, older, newer)
        except UnusableAnswer:
            unusable += 1
        except BudgetSpent:
            return Judged(verdicts, unsure, unusable, left=len(pairs) - place)
        except ProviderError as failure:
            return Judged(verdicts, unsure, unusable, failure=failure)
        else:
            unsure += verdict is None
            verdicts |= {id: verdict} if verdict is not None else {}
    return Judged(verdicts, unsure, unusable)
