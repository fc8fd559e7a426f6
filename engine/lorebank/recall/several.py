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

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from lorebank.domain import Answer, BankPart, Hit, Query, SearchHit
from lorebank.recall.scoring import NONE, STRONG, WEAK
from lorebank.recall.snippets import within_budget
from lorebank.records import dataclass

T = TypeVar("T")
_RRF_K = 60
"""As in Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion", SIGIR 2009."""
WEAK_DELAY = 2
"""Rounds."""
_DELAYS = {STRONG: 0, WEAK: WEAK_DELAY, NONE: 0}
_FAR_BELOW = 0.5
"""A bank whose best passage scores less than this share of the best of all begins later."""


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """A bank that was asked, and what it said; nothing where it failed."""

    part: BankPart
    said: T | None = None


@dataclass(frozen=True, slots=True)
class _Turn(Generic[T]):
    """One bank's results in its own order, and the rounds it waits before its first."""

    bank: str
    results: Sequence[T]
    delay: int = 0


@dataclass(frozen=True, slots=True)
class _Placed(Generic[T]):
    """A result at its merged place."""

    result: T
    bank: str
    rank: int
    """In its own bank, from 1."""
    score: float
    also: tuple[str, ...]
    """Other banks that say the same."""


def merge_answers(
    asked: Sequence[Asked[Answer]], text: str, *, k: int, token_budget: int | None = None
) -> Answer:
    """One answer out of those of several banks; banks that failed are among its `banks`."""
    answers = {each.part.bank: each.said for each in asked if each.said is not None}
    heard = {bank: answer for bank, answer in answers.items() if answer.evidence != NONE} or answers
    turns = [
        _Turn(bank, answer.hits, _DELAYS.get(answer.evidence, 0)) for bank, answer in heard.items()
    ]
    placed = take_turns(turns, key=lambda hit: (hit.kind, hit.recorded, _words_of(hit.content)))
    texts = ((each.result.content, each.result.context) for each in placed[:k])
    count, tokens = within_budget(texts, token_budget)
    hits = tuple(_marked(each) for each in placed[:count])
    total = sum(answer.total for answer in heard.values())
    total -= sum(len(answer.hits) for answer in heard.values()) - len(placed)
    levels = [answer.evidence for answer in answers.values()]
    return Answer(
        query=_merged_query(text, [answer.query for answer in answers.values()]),
        hits=hits,
        evidence=next((level for level in (STRONG, WEAK) if level in levels), NONE),
        total=total,
        total_exact=all(answer.total_exact for answer in heard.values()),
        truncated=len(hits) < total,
        tokens=tokens,
        index=_merged_index([answer.index for answer in answers.values()]),
        retrievers_used=tuple(
            dict.fromkeys(name for answer in answers.values() for name in answer.retrievers_used)
        ),
        retrievers_skipped=_merged_skips(
            {bank: answer.retrievers_skipped for bank, answer in answers.items()}
        ),
        notes=_merged_notes(asked, {bank: answer.notes for bank, answer in answers.items()}, heard),
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
    turns = [
        _Turn(bank, hits, WEAK_DELAY if hits[0].score < best * _FAR_BELOW else 0)
        for bank, hits in sorted(found.items(), key=lambda entry: -entry[1][0].score)
    ]
    placed = take_turns(turns, key=lambda hit: _words_of(hit.snippet))
    return tuple(replace(each.result, bank=each.bank) for each in placed[:k])


def take_turns(turns: Sequence[_Turn[T]], *, key: Callable[[T], Hashable]) -> list[_Placed[T]]:
    """All results, the best rank first and the banks in the order given within a rank; results of
    one `key` are one."""
    entries = sorted(
        (
            (rank + turn.delay, position, rank, turn.bank, result)
            for position, turn in enumerate(turns)
            for rank, result in enumerate(turn.results, start=1)
        ),
        key=lambda entry: entry[:3],
    )
    homes: dict[Hashable, list[str]] = {}
    for *_, bank, result in entries:
        homes.setdefault(key(result), []).append(bank)
    placed: list[_Placed[T]] = []
    for place, _, rank, bank, result in entries:
        banks = homes.pop(key(result), None)
        if banks is not None:
            others = tuple(dict.fromkeys(each for each in banks if each != bank))
            placed.append(_Placed(result, bank, rank, (_RRF_K + 1) / (_RRF_K + place), others))
    return placed


def _words_of(text: str) -> str:
    return " ".join(text.split())


def _marked(placed: _Placed[Hit]) -> Hit:
    hit = placed.result
    turn = {"rank": placed.rank, **({"also": list(placed.also)} if placed.also else {})}
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


def _merged_index(indexes: Sequence[Mapping[str, object]]) -> dict[str, object]:
    synced = [str(index["synced_at"]) for index in indexes if index.get("synced_at")]
    return {
        "fresh": all(index.get("fresh") for index in indexes),
        "synced_at": min(synced, default=None),
    }


def _merged_notes(
    asked: Sequence[Asked[Answer]],
    notes: Mapping[str, Sequence[str]],
    heard: Mapping[str, Answer],
) -> tuple[str, ...]:
    """What failed first, then the banks' notes, then which banks have no answer."""
    failed = [
        f"{part.bank}: {part.error}" + (f"; {part.hint}" if part.hint else "")
        for part in [each.part for each in asked if each.part.error]
    ]
    quiet = [bank for bank in notes if bank not in heard]
    unheard = [f"nothing in {', '.join(quiet)} answers this"] if quiet else []
    said = [_by_bank(line, banks, notes) for line, banks in _sayers(notes).items()]
    return (*failed, *said, *unheard)


def _merged_skips(skips: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Retriever → why it was skipped, by bank where the banks give different reasons."""
    names = dict.fromkeys(name for reasons in skips.values() for name in reasons)
    merged: dict[str, str] = {}
    for name in names:
        given = {bank: [reasons[name]] for bank, reasons in skips.items() if name in reasons}
        merged[name] = "; ".join(
            _by_bank(reason, banks, skips) for reason, banks in _sayers(given).items()
        )
    return merged


def _sayers(lines: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Line → the banks that say it."""
    sayers: dict[str, list[str]] = {}
    for bank, said in lines.items():
        for line in dict.fromkeys(said):
            sayers.setdefault(line, []).append(bank)
    return sayers


def _by_bank(line: str, banks: Sequence[str], asked: Mapping[str, object]) -> str:
    """A line with the banks that say it, unless all of them do."""
    return line if len(banks) == len(asked) else f"{', '.join(banks)}: {line}"
