"""Questions: recall, search, the text of a file, a timeline, a benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from lorebank.app.opened import Day, Progress, made_anew_when_damaged
from lorebank.app.sessions import Sessions
from lorebank.database.connection import has_full_text
from lorebank.domain import (
    Agenda,
    Answer,
    BenchReport,
    Citation,
    Fact,
    FactKind,
    FileText,
    Hit,
    SearchHit,
    TaskState,
)
from lorebank.errors import PathRefused, UsageError
from lorebank.index.contexts import contexts_stated_in
from lorebank.index.items import NOTE, facts_by_time
from lorebank.index.lookup import find_items
from lorebank.index.meaning import QueryVector
from lorebank.index.selection import known_tags, select_items
from lorebank.index.spelling import respell_names
from lorebank.index.tasks import load_tasks
from lorebank.language.folding import fold
from lorebank.language.secrets import redact
from lorebank.names.entities import lookup_names
from lorebank.recall.candidates import Request, needs_meaning
from lorebank.recall.filters import (
    Excluded,
    Filters,
    parse_day,
    parse_interval,
    parse_item_kind,
    parse_origin,
)
from lorebank.recall.pipeline import RankOptions, RecallOptions, recall, weighted
from lorebank.recall.understand import Understood, understand
from lorebank.reflect import materialise
from lorebank.workspace.layout import LEDGER_PAGES, is_core, is_generated
from lorebank.workspace.recalled import note_recalled
from lorebank.workspace.text_file import core_path

H = TypeVar("H", Hit, SearchHit)
LEAST_WANTED = 10
"""Hits that chunk search gathers candidates for, however few are asked for."""
LEAST_CANDIDATES = 80
"""Items that each retriever may return, however few are wanted."""
NO_FULL_TEXT = "this SQLite was built without FTS5"


_PROPERTY = re.compile(r"(?<!\S)(?P<no>-?)(?P<field>[^\W\d][\w-]*:[^\s\"/]+)")


class Asking(Sessions):
    """What is asked of facts and prose."""

    @made_anew_when_damaged
    def recall(
        self,
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
        `Answer.why_not`.
        In a `group` the core memory, and what it says of the workspace, is left out.
        Which facts were given is noted in `.memory/` (`recall.remember_uses`), unless `remember` is
        false: for questions that nobody asked.
        """
        today = self._today(now)
        wanted = self.config.recall.k if k is None else k
        if wanted < 1:
            raise UsageError(f"k must be at least 1, not {wanted}")
        if min_confidence is not None and not 0 <= min_confidence <= 1:
            raise UsageError(f"min_confidence must be from 0 to 1, not {min_confidence}")
        self._freshen()
        filters = Filters(
            interval=parse_interval(since, until, today),
            entities=tuple(self._entity(name).slug for name in entities),
            kinds=tuple(parse_item_kind(kind) for kind in kinds),
            min_confidence=min_confidence,
            as_of=parse_day(as_of, today, "as-of", side="end"),
            path=path,
            tags=tuple(fold(tag.removeprefix("#").strip("/")) for tag in tags),
            origins=tuple(parse_origin(origin) for origin in origins),
            trusted_only=trusted_only,
            excluded=Excluded(paths=(core_path(self.root),))
            if group and not self.group
            else Excluded(),
        )
        request, question = self._request(self._with_properties(query), filters, wanted, today)
        understood = request.understood
        answer = recall(
            request,
            self._rank_options(),
            RecallOptions(wanted, token_budget, include_superseded, explain, why_not),
            beliefs=lambda facts: materialise.beliefs(
                self._index,
                self.root,
                facts,
                understood.filters.as_of,
                self.config.reflect,
                self._vectors_of,
            ),
            skipped=self._skipped(question),
            index=self._freshness(),
            notes=(
                *self._notes_on(understood.filters),
                *self._notes_on_retrievers(question),
                *filter(None, (self._in_memory,)),
            ),
        )
        answer = self._with_open_tasks(answer, query, wanted, today)
        if remember and answer.hits and self.config.recall.remember_uses:
            note_recalled(self.root, [hit.id for hit in answer.hits if hit.kind != NOTE], today)
        if group and not self.group:
            answer = replace(answer, hits=self._for_group(answer.hits))
        if question.fallback is None:
            return answer
        return replace(answer, notes=(*answer.notes, question.fallback))

    @made_anew_when_damaged
    def search(
        self,
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
        notes: tuple[SearchHit, ...] = ()
        settings = self.config.memory_search
        if "memory" in settings.sources or not settings.searches_sessions:
            notes = self._search_notes(query, k=k, min_score=min_score, path=path)
        if not (sessions and self._searches_sessions):
            return notes
        from lorebank.conversations.search import merge_hits

        said = self._search_sessions(query, k=k, min_score=min_score, path=path)
        return merge_hits(notes, said, k=k)

    def _search_notes(
        self, query: str, *, k: int, min_score: float, path: str | None
    ) -> tuple[SearchHit, ...]:
        self._freshen()
        if self._sidecar is None:
            return self._search_chunks(query, k, min_score, path)
        from lorebank.qmd.answers import Wanted

        self._sidecar.freshen()
        hits = self._sidecar.search(self._index, Wanted(query, k, min_score, path))
        if hits is not None:
            return hits
        built_in = self._search_chunks(query, k, min_score, path)
        return tuple(replace(hit, fallback=self._sidecar.problem) for hit in built_in)

    def _for_group(self, hits: tuple[H, ...]) -> tuple[H, ...]:
        """The hits without those of the core memory, and without what it says of the others."""
        core = core_path(self.root)
        private = contexts_stated_in(self._index, core)
        return tuple(
            replace(hit, context=tuple(text for text in hit.context if text not in private))
            for hit in hits
            if (hit.path if isinstance(hit, SearchHit) else hit.source.path) != core
        )

    def _search_chunks(
        self, query: str, k: int, min_score: float, path: str | None
    ) -> tuple[SearchHit, ...]:
        from lorebank.recall.search import search_chunks

        filters = Filters(path=path)
        request, question = self._request(query, filters, max(k, LEAST_WANTED), self._today(None))
        hits = search_chunks(request, self._rank_options(), k=k, min_score=min_score, path=path)
        return tuple(
            replace(
                hit,
                provider=question.provider,
                model=question.model,
                fallback=question.fallback,
            )
            for hit in hits
        )

    def get(
        self,
        path: str,
        *,
        start_line: int | None = None,
        lines: int | None = None,
        shared: bool = False,
        group: bool = False,
    ) -> FileText:
        """The text of a memory file, whole or by lines; `path` may carry `#L10-L20`.

        A path that begins with `qmd/`, as the sidecar's hits elsewhere do, is read from the
        collection it names. `shared` gives the text as a model may read it: private parts blank,
        secrets masked. Raises `PathRefused` for whatever is outside the workspace's memory and the
        collections, and in a `group` for the core memory; `NotFound` for a file that is not there.
        """
        from lorebank.markdown.redaction import shareable
        from lorebank.workspace.paths import read_excerpt

        group = group or self.group
        found = read_excerpt(
            self.root,
            path,
            self.config,
            start_line=start_line,
            lines=lines,
            elsewhere=self._in_collection,
            as_shown=_for_group if group else shareable if shared else str,
        )
        if group and _is_owners(found.path):
            raise PathRefused(f"{found.path} is not read in a group", hint="it is the owner's")
        return found

    def _in_collection(self, path: str) -> Path | None:
        """The file that the sidecar names so."""
        if self._sidecar is None or not path.startswith("qmd/"):
            return None
        return self._sidecar.resolve(path)

    @made_anew_when_damaged
    def timeline(
        self,
        entity: str | None = None,
        *,
        since: Day = None,
        until: Day = None,
        now: date | None = None,
    ) -> tuple[Fact, ...]:
        """Facts by when they happened, newest first; of an entity, those that only name it too."""
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        interval = parse_interval(since, until, self._today(now))
        return facts_by_time(self._index, entity=slug, interval=interval, named=True)

    @made_anew_when_damaged
    def today(self, now: date | None = None) -> str:
        """The morning page in Markdown, at most twenty lines: what is new, who changed their mind,
        what is due and overdue, what waits for a decision. Nothing is written."""
        from lorebank.reflect.content import read_content
        from lorebank.reflect.digests import TODAY_PATH
        from lorebank.reflect.pages import PagePlan

        self._refuse_in_group("the morning page")
        self._freshen()
        day = self._today(now)
        content = read_content(self._index, self.root, self.config, day, None, self._vectors_of)
        content = replace(content, waiting=self._judgments_waiting(day))
        return PagePlan(content).digest(TODAY_PATH)

    @made_anew_when_damaged
    def agenda(self, now: date | None = None, days: int = 14) -> Agenda:
        """What is to come in the next `days` days and what is open, overdue things first."""
        from lorebank.reflect.agenda import read_agenda

        if days < 0:
            raise UsageError(f"days must not be negative, not {days}")
        self._freshen()
        return read_agenda(self._index, self._today(now), days)

    @made_anew_when_damaged
    def bench(
        self,
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
        from lorebank.recall.bench.measures import DEPTH
        from lorebank.recall.bench.run import run_bench

        if n < 1:
            raise UsageError(f"n must be at least 1, not {n}")
        self._freshen()

        def ask(question: str) -> Answer:
            return self.recall(question, k=DEPTH, include_superseded=True, remember=False, now=now)

        return run_bench(self._vocabulary, ask, n=n, seed=seed, progress=progress)

    def _with_open_tasks(self, answer: Answer, query: str, wanted: int, today: date) -> Answer:
        """Where it was asked what is open: the open tasks first, what is due soonest before."""
        from lorebank.retain.kinds import said

        if not said(query, "asks_tasks"):
            return answer
        named = set(answer.query.entities)
        open_tasks = [
            (task, hit)
            for task in load_tasks(
                self._index, until=answer.query.as_of or today, state=TaskState.OPEN
            )
            for hit in self._hits_at(task.citation)
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

    def _hits_at(self, place: Citation) -> list[Hit]:
        items = self._items.load(find_items(self._index, str(place))[:1])
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

    def _with_properties(self, query: str) -> str:
        """Keys of front matter as the tags they are kept as: `status:draft` asks for
        `tag:status:draft` where any note says so, and stays a word where none does."""
        return _PROPERTY.sub(
            lambda found: (
                f"{found['no']}tag:{found['field']}"
                if known_tags(self._index, (fold(found["field"]),))
                else found.group()
            ),
            query,
        )

    def _request(
        self, query: str, filters: Filters, wanted: int, today: date
    ) -> tuple[Request, QueryVector]:
        """A question as understood, with what it is asked of; and who embedded it."""
        understood = understand(
            query,
            now=today,
            filters=filters,
            lookup=lambda slugs: lookup_names(self._index, slugs),
            respell=lambda words: respell_names(self._vocabulary, words),
        )
        question = self._question_vector(understood)
        filters = understood.filters
        request = Request(
            understood=understood,
            connection=self._index,
            vocabulary=self._vocabulary,
            postings=self._postings,
            items=self._items,
            now=today,
            limit=max(LEAST_CANDIDATES, wanted * self.config.recall.candidate_multiplier),
            within=select_items(self._index, filters.wanted, filters.unwanted),
            vectors=self._vectors,
            query_vector=question.vector,
            spread=question.spread,
        )
        return request, question

    def _question_vector(self, understood: Understood) -> QueryVector:
        """The question's vector; none where words and links are enough."""
        if not needs_meaning(understood):
            return QueryVector(skipped="the question names only entities, times or identifiers")
        return self._meaning.query(self._index, redact(understood.plain).text)

    def _skipped(self, question: QueryVector) -> dict[str, str]:
        """Retrievers that cannot run, each with its reason."""
        skipped = {"semantic": question.skipped} if question.skipped else {}
        return skipped if has_full_text(self._index) else {"lexical": NO_FULL_TEXT} | skipped

    def _notes_on_retrievers(self, question: QueryVector) -> Iterator[str]:
        if not has_full_text(self._index):
            yield f"no words are looked for: {NO_FULL_TEXT}"
        if question.missed:
            yield f"found by words alone: {question.skipped}"

    def _notes_on(self, filters: Filters) -> tuple[str, ...]:
        tags = (*filters.tags, *filters.excluded.tags)
        unknown = dict.fromkeys(tags) if tags else {}
        known = known_tags(self._index, tuple(unknown))
        return tuple(f"nothing is tagged '{tag}'" for tag in unknown if tag not in known)

    def _rank_options(self) -> RankOptions:
        settings = self.config.recall
        decay, mmr = settings.temporal_decay, settings.mmr
        return RankOptions(
            weights=weighted(settings.text_weight, settings.vector_weight),
            half_life_days=decay.half_life_days if decay.enabled else None,
            mmr_lambda=mmr.lambda_ if mmr.enabled else None,
        )


def _is_owners(path: str) -> bool:
    """Whether a page is the owner's alone, or tells of such pages."""
    return is_core(path) or is_generated(path) or path in LEDGER_PAGES


def _for_group(text: str) -> str:
    """A file's text as a group may read it: what pages tell of the core memory is in their managed
    blocks, which are blank here as private parts are."""
    from lorebank.markdown.hidden import hide
    from lorebank.markdown.redaction import shareable

    return shareable(hide(text, "").text)
