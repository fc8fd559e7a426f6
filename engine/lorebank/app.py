"""class Bank: the composition root. Every interface calls this and nothing below it.

A Bank is one workspace, opened. It opens the index when it first needs it and loads an embedder
when a question first needs meaning. One Bank belongs to one thread. What a recall does not need
(the parsers, the writers, reflect) is imported by the method that does: a recall from the command
line is over before those imports would be.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property, partial, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from lorebank.config import Config, load_config
from lorebank.domain import (
    Answer,
    Audit,
    BeliefDiff,
    BenchReport,
    Calibration,
    Citation,
    Directive,
    Entity,
    EntityGraph,
    EntityView,
    EvidenceMark,
    Explanation,
    Fact,
    FactKind,
    FileText,
    LedgerChange,
    NameResolution,
    Opinion,
    OpinionStatus,
    Proposal,
    ProposalAction,
    ProposalDecision,
    ReflectReport,
    RotReport,
    Ruling,
    SearchHit,
    Stance,
    Status,
    SyncReport,
    Trend,
    UndoReport,
    UnsureQueue,
)
from lorebank.errors import ConfigurationError, NotFound, UsageError, WorkspaceError
from lorebank.index import connection as store
from lorebank.index.chunks import select_chunks
from lorebank.index.entities import (
    display_names,
    list_entities,
    lookup_names,
    nearest_names,
    resolution,
)
from lorebank.index.items import facts_by_id, facts_by_place, facts_by_time
from lorebank.index.lexical import prepare_connection
from lorebank.index.meaning import Meaning, QueryVector
from lorebank.index.meta import read_meta
from lorebank.index.opinions import load_opinions, opinions_moved_by
from lorebank.index.read_settings import ReadSettings
from lorebank.index.selection import known_tags, select_items
from lorebank.index.spelling import respell_names
from lorebank.index.sync import stale_paths, sync_files
from lorebank.index.unsure import load_unsure
from lorebank.index.vectors import VectorIndex
from lorebank.index.vocabulary import Vocabulary, index_words
from lorebank.language.folding import fold
from lorebank.markdown.headings import RETAIN_HEADINGS
from lorebank.providers.accounts import Setup
from lorebank.providers.user_cache import cache_directory
from lorebank.recall.filters import Filters, parse_day, parse_interval, parse_item_kind
from lorebank.recall.meaning import needs_meaning
from lorebank.recall.pipeline import RecallOptions, recall
from lorebank.recall.request import Request
from lorebank.recall.understand import Understood, understand
from lorebank.reflect import materialise
from lorebank.retain.kinds import parse_kind
from lorebank.workspace.derived import ensure_derived_folder, index_path
from lorebank.workspace.discover import find_workspace
from lorebank.workspace.files import WalkResult, walk
from lorebank.workspace.layout import LogPattern, named_day
from lorebank.workspace.lock import WriterLock

if TYPE_CHECKING:
    from lorebank.agent.boot_pack import BootPack
    from lorebank.agent.core_memory import CoreWrite
    from lorebank.agent.flush import Flush
    from lorebank.agent.memory_search import MemorySearch
    from lorebank.agent.remember import Remembered
    from lorebank.index.connection import Connection
    from lorebank.reflect.page_moves import PlannedMoves

__all__ = ["Bank"]

Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]
Day = date | str | None
P = ParamSpec("P")
R = TypeVar("R")

LEAST_CANDIDATES = 80
"""Items that each retriever may return, however few are wanted."""
_WALK_SHARE = 0.04
"""Looking for changed files may take this share of the time between two looks."""


def _warn(line: str) -> None:
    """Where nobody listens, Python's logging does, which prints warnings unless told otherwise."""
    import logging

    logging.getLogger("lorebank").warning(line)


def _made_anew_when_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """A method that may be begun again: the index it met was damaged, and is made anew for it."""

    @wraps(method)
    def begun_again(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except store.DamagedIndex:
            bank = args[0]
            assert isinstance(bank, Bank)
            bank._discard_index()
            return method(*args, **kwargs)

    return begun_again


class Bank:
    """A workspace of Markdown notes that can be asked.

    >>> with Bank.open("~/notes") as bank:            # doctest: +SKIP
    ...     answer = bank.recall("what does Peter prefer?", k=5)

    `now` is the day on which relative phrases are read ("last week"); it can be given to `open` or
    to any call, and is today otherwise. Days are `datetime.date` or text such as `2025-11-27`,
    `30d`, `last week`; text that is not understood raises `UsageError`.
    """

    def __init__(
        self,
        root: Path,
        config: Config,
        *,
        now: date | None = None,
        created: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        say: Say = _warn,
    ) -> None:
        self.root = root
        self.config = config
        self.created: tuple[str, ...] = tuple(created)
        """What `init` made, as workspace paths."""
        self._now = now
        self._connection: Connection | None = None
        self._say = say
        self._environ = os.environ if environ is None else environ
        self._meaning = Meaning(
            Setup(config.embedder, config.providers, self._environ, say), self._cache_path
        )
        self._next_walk = 0.0
        self._index_inode: int | None = None

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        now: date | None = None,
        environ: Mapping[str, str] | None = None,
        offline: bool = False,
        say: Say = _warn,
    ) -> Bank:
        """Open the workspace at `path`; without one, that of `LOREBANK_WORKSPACE` or the nearest
        folder upwards that holds `.memory/`, `memory/` or `bank/`. Raises `WorkspaceError`.

        `offline` sends nothing to another machine, whatever the settings say. `say` is told,
        before it happens, what is sent where, and what has to be embedded anew.
        """
        environment = os.environ if environ is None else environ
        root = find_workspace(None if path is None else Path(path), environment)
        config = load_config(root, environment)
        if offline:
            config = replace(config, embedder=replace(config.embedder, offline=True))
        return cls(root, config, now=now, environ=environment, say=say)

    @classmethod
    def init(
        cls,
        path: str | Path,
        *,
        template: str = "default",
        now: date | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Bank:
        """Lay out a workspace and open it; what is there already stays as it is.

        `template` is the name of a shipped template, or the path of a folder or zip that holds one.
        """
        from lorebank.workspace.scaffold import init_workspace

        root = Path(path).expanduser().resolve()
        created = init_workspace(root, template)
        environment = os.environ if environ is None else environ
        config = load_config(root, environment)
        return cls(root, config, now=now, created=created, environ=environment)

    @staticmethod
    def plan_init(path: str | Path, *, template: str = "default") -> tuple[str, ...]:
        """What `init` would make, as workspace paths; nothing is written."""
        from lorebank.workspace.scaffold import init_workspace

        return tuple(init_workspace(Path(path).expanduser().resolve(), template, dry_run=True))

    def close(self) -> None:
        """Close the index and connections; the Bank may be used again and opens them anew."""
        self._meaning.close()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self.__dict__.pop("_vectors", None)
            self.__dict__.pop("_vocabulary", None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- index ---------------------------------------------------------------------------------

    def sync(
        self, *, full: bool = False, embed: bool = True, progress: Progress | None = None
    ) -> SyncReport:
        """Bring the index up to date with the files; `full` reads every file again.

        The lexical index is complete before the first text is embedded, so that a recall in
        another process never waits for a model.
        """
        reading = read_meta(self._index, "reading")
        if reading not in (None, self._read_settings.fingerprint()):
            self._say("headings or chunk sizes changed: every file is read and cut anew")
        report = self._sync_words(full=full, progress=progress)
        embedded = self._meaning.embed(self._index, progress=progress) if embed else 0
        return replace(report, embedded=embedded, pending=self._meaning.pending(self._index))

    def check(self) -> tuple[str, ...]:
        """What an index made anew from the files would hold differently; empty where nothing."""
        from tempfile import TemporaryDirectory

        from lorebank.index.compare import differences

        with TemporaryDirectory() as folder:
            fresh = _open(Path(folder) / "index.sqlite")
            try:
                sync_files(fresh, self.root, self._walk, self._read_settings)
                materialise.refresh_opinions(fresh, self.root, None, self.config.reflect)
                return differences(self._index, fresh)
            finally:
                fresh.close()

    @_made_anew_when_damaged
    def status(self) -> Status:
        """What is indexed, with what, how fresh, and what is wrong."""
        from lorebank.index.status import read_status

        found = walk(self.root, self.config)
        stale = stale_paths(self._index, self.root, found)
        return read_status(
            self._index,
            self.root,
            stale=stale,
            walk_problems=found.problems,
            embedder=self._meaning.describe(self._index),
            vector_search=self._vectors.describe(),
            index_path=self._index_path,
            directives=self.directives(),
        )

    def directives(self) -> tuple[Directive, ...]:
        """The owner's hard rules, one a list item of `bank/directives.md`, in their order."""
        from lorebank.reflect.directives import read_directives

        return read_directives(self.root)

    # -- templates -----------------------------------------------------------------------------

    def import_template(self, source: str, *, dry_run: bool = False) -> tuple[str, ...]:
        """Lay what a template brings and this workspace has not into it; returns these paths.

        `source` as in `init`. Nothing is overwritten; with `dry_run` nothing is written.
        """
        from lorebank.workspace.scaffold import init_workspace

        ensure_derived_folder(self.root)
        if dry_run:
            return self.plan_init(self.root, template=source)
        with WriterLock(self.root):
            return tuple(init_workspace(self.root, source))

    def export_template(
        self,
        name: str,
        target: str | Path,
        *,
        title: str = "",
        description: str = "",
        directives: bool = False,
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Write this workspace's standing questions as a template: a folder, or a zip by its name.

        Questions and their settings only, never an answer or a note; the directives where asked
        for. Returns the paths within the template. Raises `WorkspaceError` where `target` is taken.
        """
        from lorebank.reflect.template_export import export_pack

        return export_pack(
            self.root,
            name,
            Path(target).expanduser(),
            title=title,
            description=description,
            directives=directives,
            dry_run=dry_run,
        )

    # -- retain --------------------------------------------------------------------------------

    def retain(
        self,
        text: str,
        *,
        kind: FactKind | str | None = None,
        entities: Sequence[str] = (),
        confidence: float | None = None,
        day: Day = None,
        for_: Sequence[str] = (),
        against: Sequence[str] = (),
        now: date | None = None,
    ) -> Fact:
        """Append a fact under the retain section of a day's log and return it with its citation.

        `text` may be a typed line itself (`O(c=0.9) @Peter: …`); what is given by name wins.
        `for_` and `against` are ids of opinions it speaks to.
        """
        from lorebank.markdown.facts import format_fact
        from lorebank.retain.compose import compose_fact

        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
        marks = [EvidenceMark(Stance.FOR, self._opinion_id(o)) for o in for_]
        marks += [EvidenceMark(Stance.AGAINST, self._opinion_id(o)) for o in against]
        fact = compose_fact(
            text,
            kind=parse_kind(kind),
            entities=entities,
            confidence=confidence,
            day=recorded,
            marks=marks,
        )
        path = LogPattern.compile(self.config.workspace.log_pattern).path_for(recorded)
        with WriterLock(self.root):
            line = self._append(path, format_fact(fact), recorded)
        self._sync_words()
        return facts_by_place(self._index, path, line) or replace(
            fact, citation=Citation(path, line, line)
        )

    add = retain

    def log(self, text: str, *, day: Day = None, now: date | None = None) -> Citation:
        """Append a note to a day's log, as context of that day and no fact; where it stands."""
        from lorebank.retain.notes import append_note, new_note_log
        from lorebank.workspace.text_edit import edit_text

        today = self._today(now)
        recorded = parse_day(day, today, "date") or today
        path = LogPattern.compile(self.config.workspace.log_pattern).path_for(recorded)
        places: list[Citation] = []

        def add(before: str | None) -> str:
            log = new_note_log(recorded) if before is None else before
            done = append_note(log, text, path=path, headings=self._read_settings.retain_headings)
            last = done.line + text.strip().count("\n")
            places.append(Citation(path, done.line, last))
            return done.text

        with WriterLock(self.root):
            edit_text(self.root, path, self.config, add)
        self._sync_words()
        return places[-1]

    def memory_write(
        self,
        action: str,
        text: str = "",
        *,
        old: str = "",
        line: int | None = None,
        section: str = "",
    ) -> CoreWrite:
        """Change the core memory: `append` a text (at the end of `section`, where given), `replace`
        `old`, which must stand there exactly once, or `insert` before `line`.

        Warns when the page grows large and raises `CoreMemoryFull` past its limit.
        """
        from lorebank.agent.core_memory import CoreEdit, CoreLimits, edit_core, measured
        from lorebank.workspace.text_edit import core_path, edit_text

        path = core_path(self.root)
        settings = self.config.core_memory
        limits = CoreLimits(settings.warn_tokens, settings.limit_tokens)
        edit = CoreEdit(action, text, old=old, line=line, section=section)
        reports: list[CoreWrite] = []

        def change(before: str | None) -> str:
            edited = edit_core(before or "", edit)
            reports.append(measured(before or "", edited, limits, path=path, action=action))
            return edited.text

        with WriterLock(self.root):
            edit_text(self.root, path, self.config, change)
        self._sync_words()
        return reports[-1]

    def remember(self, text: str, *, to: str = "auto", now: date | None = None) -> Remembered:
        """Write down what one was asked to remember, where it belongs: orders into the core memory,
        decisions, preferences and durable facts into the retain section of today's log, context of
        the day into the log as a note. `to` names the place: `core`, `fact` or `log`.
        """
        from lorebank.agent.remember import remember

        return remember(self, text, to=to, now=now)

    # -- asking --------------------------------------------------------------------------------

    @_made_anew_when_damaged
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
        token_budget: int | None = None,
        include_superseded: bool = False,
        explain: bool = False,
        why_not: str | None = None,
        now: date | None = None,
    ) -> Answer:
        """Answer a question from facts and prose, with citations; see `Answer`.

        `k` hits at most, `token_budget` estimated tokens at most (at least one hit is given).
        `as_of` answers from what was recorded by that day, with the confidence believed then.
        `kinds` are kinds of facts or `note` for prose; every one of `tags` must be borne; `path` is
        a file or the beginning of a path. `explain` adds to each hit's `why` what every part of
        its score is worth; `why_not`, an id or `path#L12`, is answered in `Answer.why_not`.
        """
        today = self._today(now)
        wanted = self.config.recall.k if k is None else k
        if wanted < 1:
            raise UsageError(f"k must be at least 1, not {wanted}")
        self._freshen()
        filters = Filters(
            interval=parse_interval(since, until, today),
            entities=tuple(self._entity(name).slug for name in entities),
            kinds=tuple(parse_item_kind(kind) for kind in kinds),
            min_confidence=min_confidence,
            as_of=parse_day(as_of, today, "as-of", side="end"),
            path=path,
            tags=tuple(fold(tag.removeprefix("#").strip("/")) for tag in tags),
        )
        understood = understand(
            query,
            now=today,
            filters=filters,
            lookup=lambda slugs: lookup_names(self._index, slugs),
            respell=lambda words: respell_names(self._vocabulary, words),
        )
        question = self._question_vector(understood)
        request = Request(
            understood=understood,
            connection=self._index,
            vocabulary=self._vocabulary,
            now=today,
            limit=max(LEAST_CANDIDATES, wanted * self.config.recall.candidate_multiplier),
            within=select_items(
                self._index, understood.filters.wanted, understood.filters.unwanted
            ),
            vectors=self._vectors,
            query_vector=question.vector,
        )
        answer = recall(
            request,
            replace(
                self._recall_options(wanted, token_budget, include_superseded),
                explain=explain,
                why_not=why_not,
            ),
            beliefs=lambda facts: materialise.beliefs(
                self._index, self.root, facts, understood.filters.as_of, self.config.reflect
            ),
            skipped={"semantic": question.skipped} if question.skipped else {},
            index=self._freshness(),
            notes=self._notes_on(understood.filters),
        )
        if question.fallback is None:
            return answer
        return replace(answer, notes=(*answer.notes, question.fallback))

    @_made_anew_when_damaged
    def search(
        self, query: str, *, k: int = 10, min_score: float = 0.0, path: str | None = None
    ) -> tuple[SearchHit, ...]:
        """Chunk search over all notes: snippets of at most 700 characters with path and lines."""
        from lorebank.recall.search import search_chunks

        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        self._freshen()
        question = self._meaning.query(self._index, query)
        hits = search_chunks(
            self._index,
            query,
            k=k,
            min_score=min_score,
            within=None if path is None else select_chunks(self._index, path),
            vectors=self._vectors,
            query_vector=question.vector,
            provider=question.provider,
            model=question.model,
        )
        return tuple(replace(hit, fallback=question.fallback) for hit in hits)

    def memory_search(
        self,
        query: str,
        *,
        k: int = 6,
        min_score: float = 0.0,
        path: str | None = None,
        group: bool = False,
    ) -> MemorySearch:
        """`search` as a model gets it: each snippet cites its lines, as `memory.citations` says."""
        from lorebank.agent.memory_search import memory_search_result

        hits = self.search(query, k=k, min_score=min_score, path=path)
        citations = self.config.memory.citations
        return memory_search_result(query, hits, citations=citations, group=group)

    @_made_anew_when_damaged
    def context(
        self, *, token_budget: int | None = None, group: bool = False, now: date | None = None
    ) -> BootPack:
        """The boot pack: directives, core memory, today and yesterday, top opinions, proposals.

        Inside `token_budget` estimated tokens (`context.token_budget` without one). In a `group`
        the core memory and the proposals for it are left out.
        """
        from lorebank.agent.boot_sources import boot_pack

        budget = self.config.context.token_budget if token_budget is None else token_budget
        today = self._today(now)
        return boot_pack(
            self.root,
            self.config,
            self.opinions(now=today),
            self.proposals(),
            today=today,
            token_budget=budget,
            group=group,
        )

    def flush(
        self,
        tokens: int,
        *,
        context_window: int,
        compactions: int | None = None,
        session: str = "main",
        writable: bool = True,
        now: date | None = None,
    ) -> Flush:
        """Whether a host's conversation is near its compaction and what lasts should be stored.

        True once a compaction cycle, told by `compactions` (how many there were) or by the
        conversation having shrunk. `writable=False` says that the agent cannot write here.
        """
        from lorebank.agent.session_states import check_flush

        return check_flush(
            self.root,
            self.config,
            tokens,
            context_window=context_window,
            compactions=compactions,
            session=session,
            writable=writable,
            today=self._today(now),
        )

    def session_hook(
        self, event: str, *, session: str = "main", source: str = "", now: date | None = None
    ) -> str:
        """What a host's hook prints: for `session-start` the boot pack, with the flush prompt where
        the conversation was just compacted (`source="compact"`); for `pre-compact` nothing.
        """
        from lorebank.agent.session_hooks import session_hook

        return session_hook(self, event, session=session, source=source, today=self._today(now))

    @_made_anew_when_damaged
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
            return self.recall(question, k=DEPTH, include_superseded=True, now=now)

        return run_bench(self._vocabulary, ask, n=n, seed=seed, progress=progress)

    def get(
        self, path: str, *, start_line: int | None = None, lines: int | None = None
    ) -> FileText:
        """The text of a memory file, whole or by lines; `path` may carry `#L10-L20`.

        Raises `PathRefused` for whatever is outside the workspace's memory, `NotFound` for a file
        that is not there.
        """
        from lorebank.workspace.excerpt import read_excerpt

        return read_excerpt(self.root, path, self.config, start_line=start_line, lines=lines)

    @_made_anew_when_damaged
    def entities(self) -> tuple[Entity, ...]:
        """Every entity, the most mentioned first."""
        self._freshen()
        return list_entities(self._index)

    @_made_anew_when_damaged
    def entity(
        self,
        name: str,
        *,
        since: Day = None,
        until: Day = None,
        token_budget: int | None = None,
        now: date | None = None,
    ) -> EntityView:
        """All that is known of one entity; `NotFound` with the nearest names for an unknown one.

        `token_budget` estimated tokens at most: what matters most is kept (see `EntityView`).
        """
        from lorebank.index.entity_view import entity_view

        self._freshen()
        entity = self._entity(name)
        return entity_view(
            self._index,
            entity,
            opinions=self._opinions(entity.slug, None, now),
            interval=parse_interval(since, until, self._today(now)),
            token_budget=token_budget,
        )

    @_made_anew_when_damaged
    def resolve(self, name: str, *, context: Sequence[str] = ()) -> NameResolution:
        """Whom a name stands for and how that was found, step by step; never fails.

        `context`, names of entities it was met with, only ranks what is proposed.
        """
        from lorebank.index.who import resolve_name

        self._freshen()
        return resolve_name(
            self._index, name, context=[self._entity(other).slug for other in context]
        )

    @_made_anew_when_damaged
    def opinions(
        self,
        entity: str | None = None,
        *,
        as_of: Day = None,
        min_confidence: float | None = None,
        now: date | None = None,
    ) -> tuple[Opinion, ...]:
        """Beliefs with confidence, trend, evidence and history: those held now and surest first,
        stale ones after them, superseded and retracted ones last.

        `as_of` folds only the evidence recorded by that day.
        """
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        day = parse_day(as_of, self._today(now), "as-of", side="end")
        found = self._opinions(slug, day, now)
        return tuple(o for o in found if min_confidence is None or o.confidence >= min_confidence)

    @_made_anew_when_damaged
    def timeline(
        self,
        entity: str | None = None,
        *,
        since: Day = None,
        until: Day = None,
        now: date | None = None,
    ) -> tuple[Fact, ...]:
        """Facts by when they happened, newest first."""
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        return facts_by_time(
            self._index, entity=slug, interval=parse_interval(since, until, self._today(now))
        )

    @_made_anew_when_damaged
    def explain(self, id: str, *, now: date | None = None) -> Explanation:
        """The story of a fact (`f-…`) or an opinion (`o-…`); a unique beginning is enough."""
        self._freshen()
        if id.startswith("o-"):
            from lorebank.reflect.lookback import steps_of

            opinion = self._named(load_opinions(self._index, opinion_id=self._opinion_id(id)))[0]
            dated = materialise.as_read(opinion, self._today(now), self.config.reflect)
            steps = steps_of(self._index, dated, self.config.reflect.prior)
            return Explanation(fact=None, opinion=dated, places=(opinion.source,), steps=steps)
        facts = facts_by_id(self._index, id)
        if not facts:
            raise NotFound(f"no fact or opinion '{id}'", hint="ids are shown by recall --json")
        if len({fact.id for fact in facts}) > 1:
            near = ", ".join(sorted({fact.id for fact in facts})[:5])
            raise UsageError(f"'{id}' is the beginning of several ids", hint=near)
        return Explanation(
            fact=facts[0],
            opinion=None,
            places=tuple(fact.citation for fact in facts),
            moved=opinions_moved_by(self._index, facts[0].id),
        )

    # -- looking back --------------------------------------------------------------------------

    @_made_anew_when_damaged
    def belief_changes(
        self,
        entity: str | None = None,
        *,
        since: Day = "90d",
        as_of: Day = None,
        now: date | None = None,
    ) -> BeliefDiff:
        """What changed its mind since a day: new, stronger, weaker, fallen and superseded opinions,
        each from → to with the lines that moved it.

        `since` is read on the day of `as_of`, which is today without it.
        """
        from lorebank.reflect.changes import belief_diff

        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        until = parse_day(as_of, self._today(now), "as-of", side="end") or self._today(now)
        first = parse_day(since, until, "since") or date.min
        if first > until:
            raise UsageError(f"--since {first} lies after {until}", hint="name an earlier day")
        eve = first - timedelta(days=1) if first > date.min else first
        before = self._opinions(slug, eve, now)
        after = self._opinions(slug, until, now)
        return belief_diff(before, after, since=first, until=until)

    @_made_anew_when_damaged
    def rot(self, *, now: date | None = None) -> RotReport:
        """What has gone off: opinions that are contradicted, outdated, thin or stale, and links,
        citations, marks and rulings that lead nowhere."""
        from lorebank.reflect.lookback import rot_report

        self._freshen()
        today = self._today(now)
        opinions = self._opinions(None, today, now)
        return rot_report(self._index, self.root, self._walk().files, opinions, day=today)

    @_made_anew_when_damaged
    def calibration(
        self, entity: str | None = None, *, as_of: Day = None, now: date | None = None
    ) -> Calibration:
        """How often opinions that stood at about .8, or any other confidence, were borne out by the
        next independent evidence."""
        from lorebank.reflect.lookback import calibration

        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        day = parse_day(as_of, self._today(now), "as-of", side="end") or self._today(now)
        return calibration(self._index, self._opinions(slug, day, now), day=day)

    @_made_anew_when_damaged
    def graph(self) -> EntityGraph:
        """Who is seen with whom: components, communities, bridges and centrality."""
        from lorebank.index.entity_graph import entity_graph

        self._freshen()
        return entity_graph(self._index)

    def export_graph(self, form: str) -> str:
        """The graph as `graphml`, `json`, `mermaid` or `dot`."""
        from lorebank.index.entity_graph import export_graph

        return export_graph(self.graph(), form)

    @_made_anew_when_damaged
    def audit(self) -> Audit:
        """What about names deserves a look: pairs that may be one entity (proposed, not merged),
        dangling mentions, pages nobody mentions, hubs; each with evidence and what settles it."""
        from lorebank.index.audit import audit_names

        self._freshen()
        return audit_names(self._index)

    def decide(
        self,
        action: str,
        *names: str,
        reason: str = "",
        undo: bool = False,
        dry_run: bool = False,
        now: date | None = None,
    ) -> LedgerChange:
        """Write one decision about names into `bank/identity.md`, or take it off with `undo`.

        `action` is `alias`, `merge`, `rename` (the first name goes into the second), `distinct`,
        `dismiss`, or `split` (one name from another, or from all). The page of a merged name moves
        into that of the name that stays, and back. A line that stands already changes nothing.
        """
        from lorebank.reflect.decide import decide, parse_action

        with WriterLock(self.root):
            self._sync_words()
            change = decide(
                self._index,
                self.root,
                parse_action(action),
                names,
                today=self._today(now),
                reason=reason,
                undo=undo,
                dry_run=dry_run,
                nearest=lambda name: nearest_names(self._index, name),
            )
        if change.changed and not dry_run:
            self._sync_words()
        return change

    # -- reflect -------------------------------------------------------------------------------

    def reflect(
        self,
        *,
        since: Day = None,
        day: Day = None,
        dry_run: bool = False,
        infer: bool = False,
        force: bool = False,
        accept: Collection[str] | None = None,
        reject: Collection[str] = (),
        commit: bool = False,
        now: date | None = None,
    ) -> ReflectReport:
        """Bring the pages under `bank/` up to date from the facts; see `ReflectReport`.

        `since` limits the run to entities with facts recorded from that day on. `day` is the day
        it speaks for: facts recorded later are left out. `dry_run` writes nothing. `infer`
        suggests retain lines for logs without a retain section, as proposals. `accept` and
        `reject` name hunks of an earlier dry run: with `accept` nothing else is changed, what is
        in `reject` is not proposed again until it reads differently. `force` lets more of a page
        vanish than `reflect.max_vanish`. `commit` makes one git commit of what was written.
        """
        from lorebank.reflect.run import RunOptions, reflect_workspace
        from lorebank.reflect.writing import open_writer

        today = parse_day(day, self._today(now), "date") or self._today(now)
        options = RunOptions(
            today=today,
            since=parse_day(since, today, "since"),
            until=today if day is not None else None,
            dry_run=dry_run,
            infer=infer,
            force=force,
            accept=None if accept is None else frozenset(accept),
            reject=frozenset(reject),
            ask=partial(self.recall, as_of=today if day is not None else None),
        )
        models = open_writer(self.config, self._environ, self._say, self._all_names)
        with WriterLock(self.root), models as writer:
            self._sync_words()
            moved = self._settle_pages(dry_run=dry_run)
            report = reflect_workspace(
                self._index, self.root, self.config, replace(options, writer=writer)
            )
            if commit and report.run is not None:
                from lorebank.reflect.commit import commit_run

                report = commit_run(self.root, report)
        if report.changed and not dry_run:
            self._sync_words()
        return moved.told_with(report)

    def undo_reflect(self, run: str | None = None, *, force: bool = False) -> UndoReport:
        """Give every page of a reflect run (the last where `None`) the bytes it had before it.

        Raises `ConcurrentEdit` where a page was changed since; with `force` such pages are left
        alone and named. Raises `NotFound` for a run of which nothing is kept.
        """
        from lorebank.reflect.undo import undo_run

        with WriterLock(self.root):
            report = undo_run(self.root, run, force=force)
        self._sync_words()
        return report

    @_made_anew_when_damaged
    def unsure(self, entity: str | None = None, *, k: int = 20) -> UnsureQueue:
        """Pairs of an opinion and a fact near it that no rule signs, the best first.

        `entity`: only opinions held by it or about it. `k` pairs at most.
        """
        from lorebank.reflect.unsure_queue import unsure_queue

        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        return unsure_queue(self._index, limit=k, entity=slug)

    def settle(
        self,
        fact: str,
        stance: Stance | str,
        opinion: str | None = None,
        *,
        reason: str = "",
        now: date | None = None,
    ) -> Ruling:
        """Say what a fact is to an opinion: a line of `bank/evidence.md`, wherever it came from.

        `fact` and `opinion` are ids or unique beginnings; `opinion` may be left out where one pair
        of the fact waits. An earlier ruling on the pair is replaced.
        """
        from lorebank.reflect.rulings import write_ruling

        stance = _stance(stance)
        with WriterLock(self.root):
            self._sync_words()
            said = self._fact(fact)
            before = self._opinion_of_pair(said, opinion)
            if before.source in {f.citation for f in facts_by_id(self._index, said.id)}:
                raise UsageError(
                    f"{said.id} states {before.id} itself",
                    hint="write `retracted` into its entry on bank/opinions.md to drop the opinion",
                )
            day = self._today(now)
            source = write_ruling(self.root, said, before.id, stance, day=day, reason=reason)
            self._sync_words()
        return self._ruling(said, before, stance, source)

    def judge(self, *, k: int = 20, now: date | None = None) -> tuple[Ruling, ...]:
        """Have the chat model of the settings settle what it is sure of among `k` unsure pairs.

        Each ruling is a line of `bank/evidence.md` signed with the model's name; deleting it undoes
        it. Raises `ConfigurationError` where no generator is named, `ProviderError` where it fails.
        """
        from lorebank.reflect.judging import judge_pairs
        from lorebank.reflect.writing import open_writer

        queue = self.unsure(k=k)
        with open_writer(self.config, self._environ, self._say, self._all_names) as writer:
            if writer is None:
                raise ConfigurationError(
                    "no generator is named", hint="set generator.provider in your own settings"
                )
            return tuple(
                self.settle(
                    pair.fact.id, verdict.stance, pair.opinion_id, reason=verdict.reason, now=now
                )
                for pair, verdict in judge_pairs(writer, queue.pairs)
            )

    def unsettle(self, fact: str, opinion: str | None = None) -> Ruling:
        """Take back what was ruled on a pair, as deleting its line does."""
        from lorebank.reflect.rulings import read_rulings, take_back

        with WriterLock(self.root):
            self._sync_words()
            said = self._fact(fact)
            if opinion is None:
                ruled = [r.opinion_id for r in read_rulings(self.root) if r.fact_id == said.id]
                opinion = self._only_one(said, ruled)
            before = self._opinion_with_id(self._opinion_id(opinion))
            take_back(self.root, said.id, before.id)
            self._sync_words()
        return self._ruling(said, before, None, None)

    def proposals(self) -> tuple[Proposal, ...]:
        """Edits that wait for a decision, as they stand under `bank/proposals/`."""
        from lorebank.reflect.proposals import open_proposals

        return open_proposals(self.root)[0]

    def accept_proposal(self, id: str, *, now: date | None = None) -> ProposalDecision:
        """Make the edit that a proposal describes: in the core memory, or a fact line in a log.

        `id` may be a unique beginning. Nothing is written where the line to change, or what the
        proposal stands on, is not what it was: `ConcurrentEdit`.
        """
        from lorebank.reflect.proposals import (
            accept_core_edit,
            check_grounds,
            find_proposal,
            record,
        )

        with WriterLock(self.root):
            self._sync_words()
            proposal = find_proposal(self.root, id)
            check_grounds(self.root, self._index, proposal)
            if proposal.action is ProposalAction.RETAIN:
                source = self._retain_line(proposal)
            else:
                source = accept_core_edit(self.root, proposal)
            record(self.root, proposal, accepted=True, day=self._today(now))
            self._sync_words()
        return ProposalDecision(proposal, True, source)

    def reject_proposal(
        self, id: str, *, reason: str = "", now: date | None = None
    ) -> ProposalDecision:
        """Drop a proposal; it comes back only when new lines speak for it."""
        from lorebank.reflect.proposals import find_proposal, record

        with WriterLock(self.root):
            proposal = find_proposal(self.root, id)
            record(self.root, proposal, accepted=False, day=self._today(now), reason=reason)
        return ProposalDecision(proposal, False, None)

    # -- inside --------------------------------------------------------------------------------

    def _settle_pages(self, *, dry_run: bool) -> PlannedMoves:
        """Put the pages of names that were merged or parted by hand where they belong."""
        from lorebank.index.page_places import page_moves
        from lorebank.reflect.page_moves import plan_page_moves, write_page_edits

        moves = plan_page_moves(self.root, page_moves(self._index, resolution(self._index)))
        if moves.edits and not dry_run:
            write_page_edits(self.root, moves.edits)
            self._sync_words()
        return moves

    @property
    def _index(self) -> Connection:
        if self._connection is None:
            ensure_derived_folder(self.root)
            self._connection = _open(self._index_path)
            self._index_inode = _inode(self._index_path)
        return self._connection

    def _look_at_index(self) -> None:
        """Let go of an index that was deleted under us; the next use makes it anew."""
        if self._connection is not None and _inode(self._index_path) != self._index_inode:
            self.close()

    def _discard_index(self) -> None:
        self.close()
        store.discard_index(self._index_path)

    @property
    def _index_path(self) -> Path:
        return index_path(self.root, self.config.index.path)

    @cached_property
    def _vectors(self) -> VectorIndex:
        return VectorIndex(
            self._index,
            enabled=self.config.vector.enabled,
            extension_path=self.config.vector.extension_path,
        )

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._index)

    @property
    def _read_settings(self) -> ReadSettings:
        return ReadSettings(
            retain_headings=(*RETAIN_HEADINGS, *self.config.retain.headings),
            chunk_tokens=self.config.index.chunk_tokens,
            chunk_overlap=self.config.index.chunk_overlap,
            plain_mentions=self.config.mentions.in_prose,
            not_mentions=self.config.mentions.exclude,
        )

    def _today(self, now: date | None) -> date:
        return now or self._now or date.today()

    def _walk(self) -> WalkResult:
        return walk(self.root, self.config)

    @_made_anew_when_damaged
    def _sync_words(self, *, full: bool = False, progress: Progress | None = None) -> SyncReport:
        self._look_at_index()
        result = sync_files(
            self._index,
            self.root,
            self._walk,
            self._read_settings,
            full=full,
            progress=progress,
        )
        if result.entities or result.all_opinions or result.decisions:
            holders = None if result.all_opinions else result.entities
            materialise.refresh_opinions(self._index, self.root, holders, self.config.reflect)
        return result.report

    def _freshen(self) -> None:
        """Sync before an answer, unless files were looked at just now."""
        if not self.config.recall.auto_sync or time.monotonic() < self._next_walk:
            return
        started = time.monotonic()
        self._sync_words()
        spent = time.monotonic() - started
        self._next_walk = started + spent / _WALK_SHARE

    def _question_vector(self, understood: Understood) -> QueryVector:
        """The question's vector; none where words and links are enough."""
        if not needs_meaning(understood):
            return QueryVector(skipped="the question names only entities, times or identifiers")
        return self._meaning.query(self._index, understood.meaning)

    def _cache_path(self) -> Path:
        if self.config.embedder.cache.shared and (folder := cache_directory()):
            return folder / "embeddings.sqlite"
        return ensure_derived_folder(self.root) / "embeddings.sqlite"

    def _notes_on(self, filters: Filters) -> tuple[str, ...]:
        tags = (*filters.tags, *filters.excluded.tags)
        unknown = dict.fromkeys(tags) if tags else {}
        known = known_tags(self._index, tuple(unknown))
        return tuple(f"nothing is tagged '{tag}'" for tag in unknown if tag not in known)

    def _recall_options(
        self, k: int, token_budget: int | None, include_superseded: bool
    ) -> RecallOptions:
        settings = self.config.recall
        return RecallOptions(
            k=k,
            token_budget=token_budget,
            include_superseded=include_superseded,
            fusion=settings.fusion,
            text_weight=settings.text_weight,
            vector_weight=settings.vector_weight,
            half_life_days=settings.temporal_decay.half_life_days
            if settings.temporal_decay.enabled
            else None,
            mmr_lambda=settings.mmr.lambda_ if settings.mmr.enabled else None,
        )

    def _freshness(self) -> dict[str, object]:
        synced_at = read_meta(self._index, "synced_at")
        fresh = self.config.recall.auto_sync
        if not fresh:
            fresh = not stale_paths(self._index, self.root, walk(self.root, self.config))
        return {"fresh": fresh, "synced_at": synced_at}

    def _entity(self, name: str) -> Entity:
        from lorebank.index.who import resolve_name

        found = resolve_name(self._index, name)
        if found.entity is None:
            near = [each.name for each in found.proposals] or nearest_names(self._index, name)
            hint = f"nearest: {', '.join(near)}" if near else "`lorebank entity` lists all"
            raise NotFound(f"no entity '{name}'", hint=hint)
        return found.entity

    def _all_names(self) -> list[str]:
        return [name for e in list_entities(self._index) for name in (e.name, *e.aliases)]

    def _opinions(
        self, slug: str | None, as_of: date | None, now: date | None
    ) -> tuple[Opinion, ...]:
        today = as_of or self._today(now)
        found = (
            load_opinions(self._index, entity=slug)
            if as_of is None
            else materialise.opinions_as_of(
                self._index, self.root, slug, as_of, self.config.reflect
            )
        )
        dated = self._named(
            [materialise.as_read(opinion, today, self.config.reflect) for opinion in found]
        )
        return tuple(sorted(dated, key=_held_first))

    def _named(self, opinions: Sequence[Opinion]) -> tuple[Opinion, ...]:
        """Opinions with display names in place of slugs."""
        slugs = {slug for opinion in opinions for slug in opinion.entities}
        names = display_names(self._index, slugs)
        return tuple(
            replace(o, entities=tuple(names.get(slug, slug) for slug in o.entities))
            for o in opinions
        )

    def _fact(self, text: str) -> Fact:
        """The fact of an id or of a unique beginning of it."""
        facts = facts_by_id(self._index, text)
        if not facts:
            raise NotFound(f"no fact '{text}'", hint="ids are shown by recall --json")
        if len({fact.id for fact in facts}) > 1:
            near = ", ".join(sorted({fact.id for fact in facts})[:5])
            raise UsageError(f"'{text}' is the beginning of several ids", hint=near)
        return facts[0]

    def _opinion_with_id(self, id: str) -> Opinion:
        return self._named(load_opinions(self._index, opinion_id=id))[0]

    def _opinion_of_pair(self, fact: Fact, opinion: str | None) -> Opinion:
        """The opinion named, else the one with which the fact waits for a judge."""
        if opinion is None:
            rows = load_unsure(self._index, fact=fact.id)
            opinion = self._only_one(fact, [row.opinion for row in rows])
        return self._opinion_with_id(self._opinion_id(opinion))

    def _only_one(self, fact: Fact, opinions: Sequence[str]) -> str:
        """The one opinion that a call without any can mean."""
        if len(set(opinions)) == 1:
            return opinions[0]
        near = ", ".join(dict.fromkeys(opinions)) or "lorebank opinions lists them with ids"
        raise UsageError(f"name the opinion that {fact.id} is judged on", hint=near)

    def _ruling(
        self, fact: Fact, before: Opinion, stance: Stance | None, source: Citation | None
    ) -> Ruling:
        after = self._opinion_with_id(before.id)
        return Ruling(fact, after, stance, before.confidence, source)

    def _opinion_id(self, text: str) -> str:
        """The whole id of an opinion from a beginning of it."""
        self._freshen()
        found = [o.id for o in load_opinions(self._index, opinion_id=text)]
        if not found:
            raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")
        if len(found) > 1 and text not in found:
            raise UsageError(f"'{text}' is the beginning of several ids", hint=", ".join(found[:5]))
        return text if text in found else found[0]

    def _retain_line(self, proposal: Proposal) -> Citation | None:
        """Append the line of a proposal to its log, unless it stands there already."""
        from lorebank.workspace.paths import resolve_memory_path

        named = named_day(proposal.target, LogPattern.compile(self.config.workspace.log_pattern))
        if named.day is None or proposal.target.startswith("bank/"):
            raise UsageError(f"{proposal.target} is no log")
        log = resolve_memory_path(self.root, proposal.target, self.config)
        lines = log.read_text("utf-8-sig", errors="replace").splitlines() if log.exists() else []
        if proposal.new in lines:
            line = lines.index(proposal.new) + 1
        else:
            line = self._append(proposal.target, proposal.new, named.day)
        return Citation(proposal.target, line, line)

    def _append(self, path: str, line: str, day: date) -> int:
        """Write a fact line into a log; returns its line number."""
        from lorebank.retain.append import append_fact_line, new_log
        from lorebank.workspace.atomic import write_atomic
        from lorebank.workspace.paths import resolve_memory_path

        file = resolve_memory_path(self.root, path, self.config)
        before = file.read_bytes() if file.exists() else None
        mark = b"\xef\xbb\xbf" if before and before.startswith(b"\xef\xbb\xbf") else b""
        try:
            text = new_log(day) if before is None else before[len(mark) :].decode("utf-8")
        except UnicodeDecodeError as problem:
            raise WorkspaceError(
                f"{path} is not valid UTF-8 at byte {problem.start + len(mark)}; nothing written",
                hint="mend the file, then retain again",
            ) from problem
        appended = append_fact_line(
            text, line, path=path, headings=self._read_settings.retain_headings
        )
        write_atomic(file, mark + appended.text.encode("utf-8"), expected=before)
        return appended.line


def _stance(stance: Stance | str) -> Stance:
    try:
        return Stance(stance)
    except ValueError:
        raise UsageError(
            f"unknown stance '{stance}'", hint=f"use one of {', '.join(Stance)}"
        ) from None


def _held_first(opinion: Opinion) -> tuple[bool, bool, float, str]:
    """Opinions still held before others, those with recent evidence before stale ones."""
    live = opinion.status is OpinionStatus.LIVE
    return not live, opinion.trend is Trend.STALE, -opinion.confidence, opinion.id


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _open(path: Path) -> Connection:
    connection = store.open_index(path)
    prepare_connection(connection)
    index_words(connection)
    return connection
