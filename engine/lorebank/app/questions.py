"""Questions: recall, search, and a benchmark of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from lorebank.app.workspace import Day, OpenWorkspace, Progress, rebuild_index_if_corrupt
from lorebank.database.connection import has_full_text
from lorebank.domain.answers import Answer, Hit, SearchHit
from lorebank.domain.facts import Citation, FactKind, Opinion, TaskState
from lorebank.errors import ProviderError, UsageError
from lorebank.index.chunks import contexts_stated_in
from lorebank.index.finding import find_items
from lorebank.index.items import NOTE
from lorebank.index.meaning import QueryVector
from lorebank.index.opinions import beliefs_of_facts
from lorebank.index.selection import Selection, known_tags, select_items
from lorebank.index.vocabulary import respell_names
from lorebank.language.folding import fold
from lorebank.names.entities import lookup_names
from lorebank.recall import answer as answers
from lorebank.recall.answer import RecallOptions
from lorebank.recall.candidates import Request, needs_meaning
from lorebank.recall.filters import (
    Filters,
    parse_day,
    parse_interval,
    parse_item_kind,
    parse_origin,
    parse_tag,
)
from lorebank.recall.pipeline import RankOptions, weighted
from lorebank.recall.understand import Understood, understand
from lorebank.workspace.layout import is_owners
from lorebank.workspace.recalled import note_recalled

if TYPE_CHECKING:
    from lorebank.domain.reports import BenchReport

H = TypeVar("H", Hit, SearchHit)
LEAST_WANTED = 10
"""Hits that chunk search gathers candidates for, however few are asked for."""
LEAST_CANDIDATES = 120
"""Items that each retriever may return, however few are wanted: with 80 a few right turns of a long
dialogue are never judged, with 200 more rivals than right lines come in."""
NO_FULL_TEXT = "this SQLite was built without FTS5"


_PROPERTY = re.compile(r"(?<!\S)(?P<no>-?)(?P<field>[^\W\d][\w-]*:[^\s\"/]+)")


@rebuild_index_if_corrupt
def recall(
    ws: OpenWorkspace,
    query: str,
    *,
    k: int | None = None,
    since: Day = None,
    until: Day = None,
    as_of: Day = None,
    entities: Sequence[str] = (),
    kinds: Sequence[FactKind | str] = (),
    min_confidence: float | None = None,
    tags: Sequence[str] = (),
    path: str | None = None,
    origins: Sequence[str] = (),
    trusted_only: bool = False,
    group: bool = False,
    token_budget: int | None = None,
    include_superseded: bool = False,
    explain: bool = False,
    why_not: str | None = None,
    remember: bool = True,
    now: date | None = None,
) -> Answer:
    """Answer a question from facts and prose, with citations; see `Answer`.

    `k` hits at most, `token_budget` estimated tokens at most (at least one hit is given).
    `as_of` answers from what was recorded by that day, with the confidence believed then.
    `kinds` are kinds of facts or `note` for prose; every one of `tags` must be borne; `path` is
    a file or the beginning of a path. `origins` says whose word a hit may be, `trusted_only`
    leaves out what is in quarantine (else it is marked). `explain` adds to each hit's `why`
    what every part of its score is worth; `why_not`, an id or `path#L12`, is answered in
    `Answer.why_not`. In a `group` the core memory, and what it says of others, is left out.
    Which facts were given is noted in `.memory/` (`recall.remember_uses`), unless `remember` is
    false: for questions that nobody asked.
    """
    today = ws.day(now)
    wanted = ws.config.recall.k if k is None else k
    if wanted < 1:
        raise UsageError(f"k must be at least 1, not {wanted}")
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise UsageError(f"min_confidence must be from 0 to 1, not {min_confidence}")
    ws.freshen()
    selection = Selection(
        interval=parse_interval(since, until, today),
        entities=tuple(ws.find_entity(name).slug for name in entities),
        kinds=tuple(parse_item_kind(kind) for kind in kinds),
        min_confidence=min_confidence,
        as_of=parse_day(as_of, today, "as-of", side="end"),
        paths=() if path is None else (path,),
        tags=tuple(parse_tag(tag) for tag in tags),
        origins=tuple(parse_origin(origin) for origin in origins),
        trusted_only=trusted_only,
    )
    private = _private_pages(ws) if group and not ws.group else ()
    filters = Filters(selection, Selection(paths=private))
    request, question = build_request(ws, _with_properties(ws, query), filters, wanted, today)
    known_on = request.understood.filters.wanted.as_of
    answer = answers.recall(
        request,
        _rank_options(ws),
        RecallOptions(wanted, token_budget, include_superseded, explain, why_not),
        beliefs=lambda facts: _beliefs(ws, facts, known_on),
        skipped=_skipped(ws, question),
        index=ws.freshness(),
        notes=(
            *_notes_on(ws, request.understood.filters),
            *_notes_on_retrievers(ws, question),
            *filter(None, (ws.in_memory,)),
        ),
    )
    answer = _with_open_tasks(ws, answer, query, wanted, today)
    if remember and answer.hits and ws.config.recall.remember_uses:
        note_recalled(ws.root, [hit.id for hit in answer.hits if hit.kind != NOTE], today)
    if group and not ws.group:
        answer = replace(answer, hits=for_group(ws, answer.hits))
    if question.fallback is None:
        return answer
    return replace(answer, notes=(*answer.notes, question.fallback))


def _beliefs(ws: OpenWorkspace, facts: Sequence[str], as_of: date | None) -> Mapping[str, Opinion]:
    """Fact id → the opinion it states, as believed today or on the day asked about."""
    if as_of is None:
        return beliefs_of_facts(ws.index, facts)
    from lorebank.beliefs.materialise import beliefs_on

    return beliefs_on(ws.index, ws.root, facts, as_of, ws.config.reflect, ws.vectors_of)


@rebuild_index_if_corrupt
def search(
    ws: OpenWorkspace,
    query: str,
    *,
    k: int = 10,
    min_score: float = 0.0,
    path: str | None = None,
    sessions: bool = True,
) -> tuple[SearchHit, ...]:
    """Chunk search over all notes: snippets of at most 700 characters with path and lines.

    Where `memory.backend` is `qmd`, that ranks them; the built-in engine does whenever it
    fails, and each hit's `fallback` says why.

    Where `memory_search.sources` names transcripts, what was read of them so far is searched as
    well, unless `sessions` is false; `path` may be one as it is cited, or `sessions` for all.
    """
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    sessions = sessions and not ws.group
    notes: tuple[SearchHit, ...] = ()
    settings = ws.config.memory_search
    if "memory" in settings.sources or not settings.searches_sessions:
        notes = _search_notes(ws, query, k, min_score, path, sessions)
    if not (sessions and ws.searches_sessions):
        return notes
    from lorebank.app.conversations import search_sessions
    from lorebank.conversations.search import merge_hits

    session_hits = search_sessions(ws, query, k=k, min_score=min_score, path=path)
    return merge_hits(notes, session_hits, k=k)


def _search_notes(
    ws: OpenWorkspace, query: str, k: int, min_score: float, path: str | None, sessions: bool
) -> tuple[SearchHit, ...]:
    ws.freshen()
    if ws.sidecar is None:
        return _search_chunks(ws, query, k, min_score, path)
    ws.sidecar.freshen()
    hits = ws.sidecar.search(
        ws.index, query, k=k, min_score=min_score, path=path, sessions=sessions
    )
    if hits is not None:
        return hits
    built_in = _search_chunks(ws, query, k, min_score, path)
    return tuple(replace(hit, fallback=ws.sidecar.problem) for hit in built_in)


def _private_pages(ws: OpenWorkspace) -> tuple[str, ...]:
    """What no group is shown."""
    from lorebank.workspace.paths import core_path

    return (core_path(ws.root),)


def for_group(ws: OpenWorkspace, hits: tuple[H, ...]) -> tuple[H, ...]:
    """The hits without those of the owner's pages, and without what the core memory says of the
    others."""
    [core] = _private_pages(ws)
    private = contexts_stated_in(ws.index, core)
    return tuple(
        replace(hit, context=tuple(text for text in hit.context if text not in private))
        for hit in hits
        if not is_owners(hit.path if isinstance(hit, SearchHit) else hit.source.path)
    )


def _search_chunks(
    ws: OpenWorkspace, query: str, k: int, min_score: float, path: str | None
) -> tuple[SearchHit, ...]:
    from lorebank.recall.search import search_chunks

    filters = Filters(Selection(paths=() if path is None else (path,)))
    request, question = build_request(ws, query, filters, max(k, LEAST_WANTED), ws.day(None))
    hits = search_chunks(request, _rank_options(ws), k=k, min_score=min_score, path=path)
    return tuple(
        replace(
            hit,
            provider=question.provider,
            model=question.model,
            fallback=question.fallback,
        )
        for hit in hits
    )


@rebuild_index_if_corrupt
def bench(
    ws: OpenWorkspace,
    *,
    n: int = 200,
    seed: int = 0,
    now: date | None = None,
    progress: Progress | None = None,
) -> BenchReport:
    """How well questions made of the workspace's own sentences lead back to them, beside grep.

    `n` sentences at most, chosen by `seed`; each is asked for in several variants. Writes
    nothing but the index, which any recall brings up to date.
    """
    from lorebank.recall.bench import DEPTH, run_bench

    if n < 1:
        raise UsageError(f"n must be at least 1, not {n}")
    ws.freshen()

    def ask(question: str) -> Answer:
        return recall(ws, question, k=DEPTH, include_superseded=True, remember=False, now=now)

    return run_bench(ws.vocabulary, ask, n=n, seed=seed, progress=progress)


def _with_open_tasks(
    ws: OpenWorkspace, answer: Answer, query: str, wanted: int, today: date
) -> Answer:
    """Where it was asked what is open, or what the writer promised: that first, the soonest due
    before."""
    from lorebank.retain.kinds import said

    promises = said(query, "asks_promises")
    if not (promises or said(query, "asks_tasks")):
        return answer
    from lorebank.index.tasks import load_tasks

    named = set(answer.query.entities)
    open_tasks = [
        (task, hit)
        for task in load_tasks(
            ws.index,
            until=answer.query.as_of or today,
            state=TaskState.OPEN,
            own_promises=promises,
        )
        for hit in _hits_at(ws, task.citation)
        if not named or named & set(hit.entities)
    ]
    far = date.max
    open_tasks.sort(key=lambda each: (each[0].due and each[0].due.end) or far)
    best = max((hit.score for hit in answer.hits), default=0.0)
    first = tuple(
        replace(hit, score=best + 1.0, why={"tasks": {"rank": rank}})
        for rank, (_, hit) in enumerate(open_tasks, start=1)
    )
    if not first:
        return answer
    ids = {hit.id for hit in first}
    rest = tuple(hit for hit in answer.hits if hit.id not in ids)
    hits = (*first, *rest)[:wanted]
    total = max(answer.total, len(first) + len(rest))
    return replace(answer, hits=hits, total=total, evidence="strong")


def _hits_at(ws: OpenWorkspace, place: Citation) -> list[Hit]:
    items = ws.items.load(find_items(ws.index, str(place))[:1])
    return [
        Hit(
            id=item.id,
            kind=item.kind,
            content=item.content,
            source=item.citation,
            score=0.0,
            entities=item.names,
            recorded=item.recorded,
            occurred=item.occurred,
            snippet=item.content,
        )
        for item in items.values()
    ]


def _with_properties(ws: OpenWorkspace, query: str) -> str:
    """Keys of front matter as the tags they are kept as: `status:draft` asks for
    `tag:status:draft` where any note says so, and stays a word where none does."""
    return _PROPERTY.sub(
        lambda found: (
            f"{found['no']}tag:{found['field']}"
            if known_tags(ws.index, (fold(found["field"]),))
            else found.group()
        ),
        query,
    )


def build_request(
    ws: OpenWorkspace, query: str, filters: Filters, wanted: int, today: date
) -> tuple[Request, QueryVector]:
    """A question as understood, with what it is asked of; and who embedded it."""
    understood = understand(
        query,
        now=today,
        filters=filters,
        lookup=lambda slugs: lookup_names(ws.index, slugs),
        respell=lambda words: respell_names(ws.vocabulary, words),
    )
    question = _question_vector(ws, understood)
    filters = understood.filters
    request = Request(
        understood=understood,
        connection=ws.index,
        vocabulary=ws.vocabulary,
        postings=ws.postings,
        items=ws.items,
        now=today,
        limit=max(LEAST_CANDIDATES, wanted * ws.config.recall.candidate_multiplier),
        within=select_items(ws.index, filters.wanted, filters.unwanted),
        vectors=ws.vectors,
        query_vector=question.vector,
        spread=question.spread,
    )
    return request, question


def _question_vector(ws: OpenWorkspace, understood: Understood) -> QueryVector:
    """The question's vector; none where words and links are enough."""
    if not needs_meaning(understood):
        return QueryVector(skipped="the question names only entities, times or identifiers")
    return ws.meaning.query(ws.index, understood.plain)


def _skipped(ws: OpenWorkspace, question: QueryVector) -> dict[str, str]:
    """Retrievers that cannot run, each with its reason."""
    skipped = {"semantic": question.skipped} if question.skipped else {}
    return skipped if has_full_text(ws.index) else {"lexical": NO_FULL_TEXT} | skipped


def _notes_on_retrievers(ws: OpenWorkspace, question: QueryVector) -> Iterator[str]:
    if not has_full_text(ws.index):
        yield f"no words are looked for: {NO_FULL_TEXT}"
    if question.missed:
        yield f"found by words alone: {question.skipped}"


def _notes_on(ws: OpenWorkspace, filters: Filters) -> tuple[str, ...]:
    tags = (*filters.wanted.tags, *filters.unwanted.tags)
    unknown = dict.fromkeys(tags) if tags else {}
    known = known_tags(ws.index, tuple(unknown))
    return tuple(f"nothing is tagged '{tag}'" for tag in unknown if tag not in known)


def _rank_options(ws: OpenWorkspace) -> RankOptions:
    settings = ws.config.recall
    decay, mmr = settings.temporal_decay, settings.mmr
    return RankOptions(
        weights=weighted(settings.text_weight, settings.vector_weight),
        half_life_days=decay.half_life_days if decay.enabled else None,
        mmr_lambda=mmr.lambda_ if mmr.enabled else None,
        rerank=partial(_rerank, ws) if ws.reranker is not None else None,
        rerank_candidates=settings.reranker.candidates,
    )


def _rerank(ws: OpenWorkspace, query: str, texts: Sequence[str]) -> Sequence[float]:
    """What the reranker makes of the texts; all the same where it fails, which is said."""
    assert ws.reranker is not None
    try:
        return [float(score) for score in ws.reranker.scores(query, texts)]
    except ProviderError as problem:
        ws.say(f"not reranked: {problem}")
        return [0.0] * len(texts)
