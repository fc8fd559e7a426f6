"""Questions: recall, search, and a benchmark of both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from lorebank.app.workspace import (
    Day,
    OpenWorkspace,
    Progress,
    checked_count,
    checked_keywords,
    refuse_other_than_text,
)
from lorebank.database.connection import has_full_text
from lorebank.domain.answers import Answer, Hit, SearchHit
from lorebank.domain.facts import Diagnostic, FactKind, Opinion
from lorebank.errors import NotFound, ProviderError, UsageError
from lorebank.index.chunks import contexts_stated_in
from lorebank.index.finding import Selection, known_tags, select_items, stands_in_text
from lorebank.index.items import NOTE
from lorebank.index.lexical import respell_names
from lorebank.index.opinions import beliefs_of_facts
from lorebank.index.vectors import QueryVector
from lorebank.language.folding import fold, slugify
from lorebank.language.words import words
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
from lorebank.recall.understand import understand
from lorebank.workspace.layout import is_owners
from lorebank.workspace.recalled import note_recalled

if TYPE_CHECKING:
    from lorebank.domain.reports import BenchReport

H = TypeVar("H", Hit, SearchHit)
LEAST_WANTED = 10
"""Hits that chunk search gathers candidates for, however few are asked for."""
_LEAST_CANDIDATES, _CANDIDATES_A_HIT = 120, 4
"""Items that each retriever may return unless `recall.candidate_multiplier` says otherwise: with 80
a few right turns of a long dialogue are never judged, with 200 more rivals than right lines come
in."""
NO_FULL_TEXT = "this SQLite was built without FTS5"


_PROPERTY = re.compile(r"(?<!\S)(?P<no>-?)(?P<field>[^\W\d][\w-]*:[^\s\"/]+)")


class RecallKeywords(TypedDict, total=False):
    """What a question is asked with; see `Bank.recall`."""

    k: int | None
    """At most this many hits; `recall.k` of the settings without it."""
    token_budget: int | None
    """At most this many estimated tokens; one hit is given in any case."""
    since: Day
    until: Day
    as_of: Day
    """Answer from what was recorded by that day, with the confidence believed then."""
    entities: Sequence[str] | None
    kinds: Sequence[FactKind | str] | None
    """Kinds of facts, or `note` for prose."""
    min_confidence: float | None
    tags: Sequence[str] | None
    """A hit bears every one."""
    path: str | None
    """A file, or the beginning of a path."""
    origins: Sequence[str] | None
    """Whose word a hit may be."""
    trusted_only: bool
    """Leave out what is in quarantine; else it is marked."""
    group: bool
    """Leave out the core memory, and what it says of others."""
    include_superseded: bool
    explain: bool
    """Add to each hit's `why` what every part of its score is worth."""
    why_not: str | None
    """An id or `path#L12` that is not among the hits: `Answer.why_not` says why."""
    remember: bool
    """Note in `.memory/` which facts were given, as `recall.remember_uses` says; false for
    questions that nobody asked."""
    now: date | None


def recall(ws: OpenWorkspace, query: str, **asked: Unpack[RecallKeywords]) -> Answer:
    """Answer a question from facts and prose, with citations; see `Answer`.

    `lorebank.app.questions.RecallKeywords` says what each keyword means.
    """
    refuse_other_than_text(query, "a question")
    asked = checked_keywords("recall", asked, RecallKeywords)
    today = ws.day(asked.get("now"))
    wanted = checked_count(ws.config.recall.k if asked.get("k") is None else asked.get("k"))
    hides_core = asked.get("group", False) and not ws.group
    filters = Filters(_selection(ws, asked, today), Selection(paths=_private(ws, hides_core)))
    request, question = build_request(ws, _with_properties(ws, query), filters, wanted, today)
    known_on = request.understood.filters.wanted.as_of
    skipped = {} if has_full_text(ws.index) else {"lexical": NO_FULL_TEXT}
    skipped |= {"semantic": question.skipped} if question.skipped else {}
    options = RecallOptions(
        wanted,
        asked.get("token_budget"),
        asked.get("include_superseded", False),
        asked.get("explain", False),
        asked.get("why_not"),
    )
    answer = answers.recall(
        _asking(request, query),
        _rank_options(ws),
        options,
        beliefs=lambda facts: _beliefs(ws, facts, known_on),
        skipped=skipped,
        index=ws.freshness(),
        notes=tuple(_notes(ws, request.understood.filters, question)),
    )
    if asked.get("remember", True) and answer.hits and ws.config.recall.remember_uses:
        note_recalled(ws.root, [hit.id for hit in answer.hits if hit.kind != NOTE], today)
    return replace(answer, hits=for_group(ws, answer.hits)) if hides_core else answer


def _selection(ws: OpenWorkspace, asked: RecallKeywords, today: date) -> Selection:
    least, path = asked.get("min_confidence"), asked.get("path")
    if least is not None and not 0 <= least <= 1:
        raise UsageError(f"min_confidence must be from 0 to 1, not {least}")
    return Selection(
        interval=parse_interval(asked.get("since"), asked.get("until"), today),
        entities=tuple(_slug_or_name(ws, name) for name in asked.get("entities") or ()),
        kinds=tuple(map(parse_item_kind, asked.get("kinds") or ())),
        min_confidence=least,
        as_of=parse_day(asked.get("as_of"), today, "as-of", side="end"),
        paths=() if path is None else (path,),
        tags=tuple(map(parse_tag, asked.get("tags") or ())),
        origins=tuple(map(parse_origin, asked.get("origins") or ())),
        trusted_only=asked.get("trusted_only", False),
    )


def _slug_or_name(ws: OpenWorkspace, name: str) -> str:
    """The slug of an entity, or of a name that stands in prose alone; else `NotFound`."""
    try:
        return ws.find_entity(name).slug
    except NotFound:
        slug = slugify(name.removeprefix("@"))
        held = Selection(names=(" ".join(words(slug)),))
        if not words(slug) or select_items(ws.index, held) == "[]":
            raise
        return slug


def _beliefs(ws: OpenWorkspace, facts: Sequence[str], as_of: date | None) -> Mapping[str, Opinion]:
    if facts and as_of is not None:
        from lorebank.beliefs.materialise import beliefs_on

        return beliefs_on(ws.index, ws.root, facts, as_of, ws.config.reflect, ws.vectors_of)
    known = ws.items.derived("beliefs")
    if missing := [fact for fact in facts if fact not in known]:
        known |= {**dict.fromkeys(missing), **beliefs_of_facts(ws.index, missing)}
    return {fact: known[fact] for fact in facts if known[fact] is not None}


class SearchLimits(TypedDict, total=False):
    """What limits a search; see `search`."""

    min_score: float
    path: str | None
    sessions: bool


def fallbacks(ws: OpenWorkspace) -> tuple[Diagnostic, ...]:
    """What answers in place of what is set, and why."""
    is_set = ws.given_embedder or ws.config.embedder.provider != "none"
    about = {"embedder": ws.meaning.silence(ws.index) if is_set else ""}
    if ws.sidecar and (reason := ws.sidecar.silence(ws.index)):
        about["qmd"] = f"{reason}; the built-in engine answers"
    return tuple(Diagnostic(who, 0, f"{who}-silent", why) for who, why in about.items() if why)


def signals(ws: OpenWorkspace) -> dict[str, str]:
    """What ranks answers: `on`, or why not and what it would bring."""
    recall, meaning = ws.config.recall, ws.meaning.describe(ws.index)
    silent = ws.meaning.silence(ws.index) or str(meaning["reason"])
    reranker = (
        "off: a model in the folder recall.reranker.model_path would read the best"
        f" {recall.reranker.candidates} lines with the question and order them"
    )
    if ws.reranker is not None:
        problem = getattr(ws.reranker, "problem", "")
        reranker = f"off ({problem})" if problem else "on"
    is_meant = meaning["available"] and not silent
    no_meaning = f"off ({silent}): lines that answer in other words are not found"
    no_mmr = "off: recall.mmr.enabled picks hits that differ"
    no_decay = "off: recall.temporal_decay.enabled prefers newer lines"
    return {
        "words": "on" if has_full_text(ws.index) else NO_FULL_TEXT,
        "meaning": "on" if is_meant else no_meaning,
        "reranker": reranker,
        "mmr": "on" if recall.mmr.enabled else no_mmr,
        "temporal_decay": "on" if recall.temporal_decay.enabled else no_decay,
    }


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
    refuse_other_than_text(query, "a query")
    k = checked_count(k)
    sessions = sessions and not ws.group
    settings, least = ws.config.memory_search, max(min_score, ws.config.recall.min_score)
    limits: dict[str, Any] = {"k": k, "min_score": least, "path": path}
    notes: tuple[SearchHit, ...] = ()
    if "memory" in settings.sources or not settings.searches_sessions:
        notes = _search_notes(ws, query, sessions=sessions, **limits)
    if not (sessions and ws.searches_sessions):
        return notes
    from lorebank.app.conversations import search_sessions
    from lorebank.conversations.search import merge_hits

    return merge_hits(notes, search_sessions(ws, query, **limits), k=k)


def _search_notes(
    ws: OpenWorkspace, query: str, *, k: int, min_score: float, path: str | None, sessions: bool
) -> tuple[SearchHit, ...]:
    """By the sidecar, or by the built-in engine where there is none or it fails."""
    from lorebank.recall.search import search_chunks

    failed = None
    if ws.sidecar is not None:
        ws.sidecar.sync_if_stale()
        limits: dict[str, Any] = {"k": k, "min_score": min_score, "path": path}
        found = ws.sidecar.search(ws.index, query, sessions=sessions, **limits)
        if found is not None:
            return found
        failed = ws.sidecar.problem
    filters = Filters(Selection(paths=() if path is None else (path,)))
    request, question = build_request(ws, query, filters, max(k, LEAST_WANTED), ws.day(None))
    hits = search_chunks(request, _rank_options(ws), k=k, min_score=min_score, path=path)
    by, reason = (question.provider, question.model), failed or _by_words_alone(question)
    return tuple(replace(hit, provider=by[0], model=by[1], fallback=reason) for hit in hits)


def _private(ws: OpenWorkspace, hides_core: bool) -> tuple[str, ...]:
    if not hides_core:
        return ()
    from lorebank.workspace.paths import core_path

    return (core_path(ws.root),)


def for_group(ws: OpenWorkspace, hits: tuple[H, ...]) -> tuple[H, ...]:
    """The hits without those of the owner's pages, and without what the core memory says of
    others."""
    [core] = _private(ws, True)
    private = contexts_stated_in(ws.index, core)
    return tuple(
        replace(hit, context=tuple(text for text in hit.context if text not in private))
        for hit in hits
        if not is_owners(hit.path if isinstance(hit, SearchHit) else hit.source.path)
    )


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

    def ask(question: str) -> Answer:
        return recall(ws, question, k=DEPTH, include_superseded=True, remember=False, now=now)

    return run_bench(ws.vocabulary, ask, n=n, seed=seed, progress=progress)


def _asking(request: Request, query: str) -> Request:
    """A request that knows whether tasks are asked for, and on what, or the birthdays of a time."""
    from lorebank.language.statements import yearly_words
    from lorebank.retain.kinds import asked_tasks, words_for_tasks

    terms, of_a_time = request.understood.subject_terms, request.understood.query.interval
    if asks_for := asked_tasks(query):
        on = tuple(term for term in terms if term not in words_for_tasks())
        return replace(request, asks_for=asks_for, tasks_on=on)
    is_of_days = of_a_time and yearly_words()[1].search(query)
    return replace(request, asks_for="days") if is_of_days else request


def _with_properties(ws: OpenWorkspace, query: str) -> str:
    """`status:draft` as `tag:status:draft`, where any note has that property."""
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
        stands=lambda option: stands_in_text(ws.index, option),
    )
    question = QueryVector(skipped="the question names only entities, times or identifiers")
    if needs_meaning(understood) and ws.config.embedder.provider == "none":
        question = QueryVector(skipped="switched off by embedder.provider = none")
    elif needs_meaning(understood):
        question = ws.meaning.query(ws.index, understood.plain)
    filters = understood.filters
    request = Request(
        understood=understood,
        connection=ws.index,
        vocabulary=ws.vocabulary,
        postings=ws.postings,
        items=ws.items,
        now=today,
        limit=wanted * ws.config.recall.candidate_multiplier
        or max(_LEAST_CANDIDATES, wanted * _CANDIDATES_A_HIT),
        within=select_items(ws.index, filters.wanted, filters.unwanted),
        vectors=ws.vectors,
        vectors_of=ws.builtin_vectors if question.vector is not None else ws.vectors_of,
        query_vector=question.vector,
        spread=question.spread,
    )
    return request, question


def _notes(ws: OpenWorkspace, filters: Filters, question: QueryVector) -> Iterator[str]:
    tags = tuple(dict.fromkeys((*filters.wanted.tags, *filters.unwanted.tags)))
    known = known_tags(ws.index, tags) if tags else ()
    yield from (f"lines with '{word}' were left out" for word in filters.unwanted.words)
    yield from (f"nothing is tagged '{tag}'" for tag in tags if tag not in known)
    if not has_full_text(ws.index):
        yield f"no words are looked for: {NO_FULL_TEXT}"
    yield from filter(None, (_by_words_alone(question), ws.in_memory))


def _by_words_alone(question: QueryVector) -> str | None:
    """Why another embedder, or none, answers than the one that is set."""
    return f"found by words alone: {question.skipped}" if question.missed else question.fallback


def _rank_options(ws: OpenWorkspace) -> RankOptions:
    settings = ws.config.recall
    decay, mmr = settings.temporal_decay, settings.mmr
    return RankOptions(
        weights=weighted(settings.text_weight, settings.vector_weight),
        half_life_days=decay.half_life_days if decay.enabled else None,
        mmr_lambda=mmr.lambda_ if mmr.enabled else None,
        rerank=partial(_rerank, ws) if ws.reranker is not None else None,
        rerank_candidates=settings.reranker.candidates,
        min_score=settings.min_score,
    )


def _rerank(ws: OpenWorkspace, query: str, texts: Sequence[str]) -> Sequence[float]:
    """What the reranker makes of the texts; all the same where it fails, which is said."""
    assert ws.reranker is not None
    try:
        return [float(score) for score in ws.reranker.scores(query, texts)]
    except ProviderError as problem:
        ws.say(f"not reranked: {problem}")
        return [0.0] * len(texts)
