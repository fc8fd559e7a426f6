"""Answers of several banks made into one. Pure.

Scores of two banks say nothing of each other: each is measured against its own notes. So hits are
merged by rank, one of each bank in turn, with two rules about evidence:

* A bank whose evidence is `weak` begins `WEAK_DELAY` rounds later than one whose evidence is
  `strong`: its best hit stands beside the others' third.
* A bank whose evidence is `none` is left out as soon as another has any: what only touches the
  question pushes nothing aside. Where none has any, all take turns.

A sentence that stands in several banks is one hit, at its best place: a copy is no second witness.
The merged score is that of reciprocal rank fusion, `61 / (60 + rank)`, so that it sinks in order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from lorebank.domain.answers import Answer, BankPart, Hit, Query, SearchHit
from lorebank.recall.scoring import NONE, STRONG, WEAK
from lorebank.recall.snippets import within_budget
from lorebank.records import Record

T = TypeVar("T")
_RRF_K = 60
"""As in Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion", SIGIR 2009."""
WEAK_DELAY = 2
"""Rounds."""
_DELAYS = {STRONG: 0, WEAK: WEAK_DELAY, NONE: 0}
_FAR_BELOW = 0.5
"""A bank whose best passage scores less than this share of the best of all begins later."""


class Asked(Record, Generic[T]):
    """A bank that was asked, and what it said; nothing where it failed."""

    part: BankPart
    said: T | None = None


class _Placed(NamedTuple, Generic[T]):
    """A result at its merged place."""

    result: T
    bank: str
    rank: int
    """In its own bank, from 1."""
    score: float
    also: list[str]
    """Other banks that say the same."""


def merge_answers(
    asked: Sequence[Asked[Answer]], text: str, *, k: int, token_budget: int | None = None
) -> Answer:
    """One answer out of those of several banks; banks that failed are among its `banks`."""
    answers = {each.part.bank: each.said for each in asked if each.said is not None}
    heard = {bank: answer for bank, answer in answers.items() if answer.evidence != NONE} or answers
    placed = _in_turn(
        {bank: (answer.hits, _DELAYS.get(answer.evidence, 0)) for bank, answer in heard.items()},
        key=lambda hit: (hit.kind, hit.recorded, " ".join(hit.content.split())),
    )
    texts = ((each.result.content, each.result.context) for each in placed[:k])
    count, tokens = within_budget(texts, token_budget)
    hits = tuple(_marked(each) for each in placed[:count])
    repeated = sum(len(answer.hits) for answer in heard.values()) - len(placed)
    total = sum(answer.total for answer in heard.values()) - repeated
    levels = {answer.evidence for answer in answers.values()}
    used = [name for answer in answers.values() for name in answer.retrievers_used]
    synced = [str(a.index["synced_at"]) for a in answers.values() if a.index.get("synced_at")]
    fresh = all(answer.index.get("fresh") for answer in answers.values())
    return Answer(
        query=_merged_query(text, [answer.query for answer in answers.values()]),
        hits=hits,
        evidence=next((level for level in (STRONG, WEAK) if level in levels), NONE),
        total=total,
        total_exact=all(answer.total_exact for answer in heard.values()),
        truncated=len(hits) < total,
        tokens=tokens,
        index={"fresh": fresh, "synced_at": min(synced, default=None)},
        retrievers_used=tuple(dict.fromkeys(used)),
        retrievers_skipped=_merged_skips(answers),
        notes=_merged_notes(asked, answers, heard),
        banks=tuple(
            replace(
                each.part,
                results=sum(hit.bank == each.part.bank for hit in hits),
                evidence=each.said.evidence if each.said is not None else None,
            )
            for each in asked
        ),
    )


def merge_searches(
    asked: Sequence[Asked[tuple[SearchHit, ...]]], *, k: int
) -> tuple[SearchHit, ...]:
    """The passages of several banks, at most `k`, each with its bank and its own score.

    Within a round the bank goes first whose best passage holds more of what was asked.
    """
    found = {each.part.bank: each.said for each in asked if each.said}
    best = max((hits[0].score for hits in found.values()), default=0.0)
    turns = {
        bank: (hits, WEAK_DELAY if hits[0].score < best * _FAR_BELOW else 0)
        for bank, hits in sorted(found.items(), key=lambda entry: -entry[1][0].score)
    }
    placed = _in_turn(turns, key=lambda hit: " ".join(hit.snippet.split()))
    return tuple(replace(each.result, bank=each.bank) for each in placed[:k])


def _in_turn(
    turns: Mapping[str, tuple[Sequence[T], int]], key: Callable[[T], Hashable]
) -> list[_Placed[T]]:
    """The results of all banks, each with the rounds it waits: the best rank first, within a rank
    the banks as given. Results of one `key` are one."""
    entries = [
        (rank + delay, rank, bank, result)
        for bank, (results, delay) in turns.items()
        for rank, result in enumerate(results, start=1)
    ]
    entries.sort(key=lambda entry: entry[0])
    first: dict[Hashable, _Placed[T]] = {}
    for round_, rank, bank, result in entries:
        score = (_RRF_K + 1) / (_RRF_K + round_)
        placed = first.setdefault(key(result), _Placed(result, bank, rank, score, []))
        if bank not in (placed.bank, *placed.also):
            placed.also.append(bank)
    return list(first.values())


def _marked(placed: _Placed[Hit]) -> Hit:
    hit = placed.result
    turn = {"rank": placed.rank, **({"also": placed.also} if placed.also else {})}
    return replace(hit, bank=placed.bank, score=placed.score, why={**hit.why, "bank": turn})


def _merged_query(text: str, queries: Sequence[Query]) -> Query:
    """What the banks understood, together: names are known to some of them only."""
    if not queries:
        return Query(text)
    first = queries[0]
    return replace(
        first,
        terms=tuple(dict.fromkeys(term for query in queries for term in query.terms)),
        entities=tuple(dict.fromkeys(name for query in queries for name in query.entities)),
        intent=tuple(dict.fromkeys(each for query in queries for each in query.intent)),
    )


def _merged_notes(
    asked: Sequence[Asked[Answer]], answers: Mapping[str, Answer], heard: Mapping[str, Answer]
) -> tuple[str, ...]:
    """What failed first, then the banks' notes, then which banks have no answer."""
    parts = [each.part for each in asked if each.part.error]
    failed = [f"{p.bank}: {p.error}{f'; {p.hint}' if p.hint else ''}" for p in parts]
    notes = _by_bank({bank: answer.notes for bank, answer in answers.items()}, len(answers))
    quiet = ", ".join(bank for bank in answers if bank not in heard)
    return (*failed, *notes, *([f"nothing in {quiet} answers this"] if quiet else ()))


def _merged_skips(answers: Mapping[str, Answer]) -> dict[str, str]:
    """Retriever → why it was skipped, by bank where the banks give different reasons."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for bank, answer in answers.items():
        for name, reason in answer.retrievers_skipped.items():
            reasons.setdefault(name, {})[bank] = [reason]
    return {name: "; ".join(_by_bank(each, len(answers))) for name, each in reasons.items()}


def _by_bank(lines: Mapping[str, Sequence[str]], asked: int) -> Iterator[str]:
    """Each line once, with the banks that say it, unless all that were asked do."""
    sayers: dict[str, list[str]] = {}
    for bank, said in lines.items():
        for line in dict.fromkeys(said):
            sayers.setdefault(line, []).append(bank)
    for line, banks in sayers.items():
        yield line if len(banks) == asked else f"{', '.join(banks)}: {line}"
