"""What every part of a Bank stands on: the open workspace, its index, its embedder, its clock.

What an answer does not need (parsers, writers, reflect) is imported by the method that does, so
that a recall from the command line does not wait for it.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, timedelta
from enum import StrEnum
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar, Unpack, cast

from lorebank.database import connection as store
from lorebank.database.connection import Connection, read_meta
from lorebank.domain.facts import Entity, Fact, InboxKind, Opinion, OpinionStatus, SyncReport, Trend
from lorebank.errors import LorebankError, NotFound, NotWritable, PathRefused, UsageError
from lorebank.index.sync import (
    ReadSettings,
    gc_paused,
    has_all_rows,
    stale_paths,
    sync_files,
)
from lorebank.languages import spellings
from lorebank.names.entities import display_names, list_entities, nearest_names
from lorebank.settings.tables import Config
from lorebank.workspace.files import WalkResult, walk
from lorebank.workspace.layout import (
    LogPattern,
    ensure_derived_folder,
    index_path,
    is_core,
    is_generated,
    is_said,
    sessions_path,
    why_unwritable,
)
from lorebank.workspace.lock import WriterLock

if TYPE_CHECKING:
    from lorebank.app.watching import Watcher
    from lorebank.inbox.sources import InboxContext
    from lorebank.index.items import ItemCache
    from lorebank.index.lexical import Postings, Vocabulary
    from lorebank.index.meaning import EmbeddingService
    from lorebank.index.vectors import VectorIndex, VectorsOf
    from lorebank.pages.facts import BankContent
    from lorebank.providers.protocols import Embedder, Generator, Reranker
    from lorebank.providers.registry import Setup
    from lorebank.qmd.refresh import Timer
    from lorebank.qmd.sidecar import Sidecar
    from lorebank.settings.config import Change as Setting
    from lorebank.workspace.run_store import Change

Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]
Day = date | str | None
P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K", bound=Mapping[str, Any])
E = TypeVar("E", bound=StrEnum)

_WALK_SHARE = 0.04
"""The share of a server's time that walking for changed files may take."""
SWEEP_S = 30.0
"""Seconds between two walks while a watcher runs: watching can fail silently."""
HEADING_LOOKBACK_DAYS = 30
"""Days before a log in which one like it is looked for: who writes logs writes one a month."""
_QUICK_CHECK_MAX_BYTES = 4 * 2**20
"""Of an index: its pages are looked at in some 3 ms."""
_LOCKED_RETRY_S = 60.0
"""Seconds for which an index that another process held is kept in memory."""
_LONGEST_GAP_S = 1.0
"""Most seconds between two walks without a watcher: an edit is seen within 2 s, walk included."""


def log_warning(line: str) -> None:
    import logging

    logging.getLogger("lorebank").warning(line)


def member_of(kind: type[E], text: E | str, what: str) -> E:
    try:
        return kind(text)
    except ValueError:
        raise UsageError(f"unknown {what} '{text}'", hint=f"use one of {', '.join(kind)}") from None


def refuse_other_than_text(text: object, what: str) -> None:
    if not isinstance(text, str):
        raise UsageError(f"{what} must be text, not {text!r}")


def checked_count(k: object) -> int:
    if not isinstance(k, int) or k < 1:
        raise UsageError(f"k must be at least 1, not {k!r}")
    return k


def checked_keywords(function: str, given: K, known: type) -> K:
    """The keywords as a `TypedDict` has them: a name alone is a sequence of one.

    `TypeError`, as Python raises it, for a keyword that it does not name.
    """
    checked: dict[str, Any] = dict(given)
    for name, value in given.items():
        if name not in known.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
        declared = getattr(known.__annotations__[name], "__forward_arg__", "")
        if isinstance(value, str) and declared.startswith(("Sequence[", "Collection[")):
            checked[name] = (value,)
    return cast("K", checked)


def listed(names: str | Iterable[str]) -> Collection[str]:
    """Several names; a name alone is one, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def with_index_repair(method: Callable[P, R]) -> Callable[P, R]:
    """Retry a method with a sound index: rebuilt where it was damaged, in memory where it cannot be
    written. Rows of a damaged one are read as anything, so any error is looked into."""

    @wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        ws = args[0]
        assert isinstance(ws, OpenWorkspace)
        for _ in range(2):  # rows of two times, and then a damaged file
            try:
                return method(*args, **kwargs)
            except LorebankError:
                raise
            except Exception as problem:
                if not ws.replace_index(problem):
                    raise
        return method(*args, **kwargs)

    return run


def synced_first(question: Callable[..., R]) -> Callable[..., R]:
    """The same for a question, answered from an index that is up to date with the files."""

    def answer(ws: OpenWorkspace, *args: Any, **kwargs: Any) -> R:
        ws.sync_if_stale()
        return question(ws, *args, **kwargs)

    return with_index_repair(answer)


class Resources(TypedDict, total=False):
    """What an open workspace works with, beside its settings; see `Bank.open`."""

    now: date | None
    say: Say
    group: bool
    embedder: Embedder | None
    generator: Generator | None
    reranker: Reranker | None


class Opening(Resources, total=False):
    """What a bank is opened with, beside its place; see `Bank.open`."""

    environ: Mapping[str, str] | None
    offline: bool
    flags: Sequence[Setting]


RECOGNISED = "recognised: "


class OpenWorkspace:
    """A workspace, opened by one thread: resources, and how a caller's names and ids are read."""

    def __init__(
        self,
        root: Path,
        config: Config,
        *,
        created: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        **given: Unpack[Resources],
    ) -> None:
        given = checked_keywords("open", given, Resources)
        embedder, generator = given.get("embedder"), given.get("generator")
        self.group = group = given.get("group", False)
        """Whether it serves a group: the core memory and conversations are not there at all, in an
        index of its own, so that nothing derived from them can leak."""
        if embedder is not None:
            config = replace(config, embedder=replace(config.embedder, provider=embedder.name))
        if generator is not None:
            config = replace(config, generator=replace(config.generator, provider=generator.name))
        self.root = root
        self.config = without_private_sources(config) if group else config
        self.given_embedder = embedder
        self.given_generator = generator
        self.given_reranker = given.get("reranker")
        self.created: tuple[str, ...] = tuple(created)
        """What `init` made, as workspace paths."""
        self.now = given.get("now")
        self._connection: Connection | None = None
        self.session_connection: Connection | None = None
        self.session_timer: Timer | None = None
        self.is_over: Callable[[], bool] = lambda: False
        """Whether long work in the background should end."""
        self.say = given.get("say", log_warning)
        self.environ = os.environ if environ is None else environ
        self.next_walk = 0.0
        self._next_sweep = 0.0
        self._is_fresh = False
        self.changes_seen: int | None = None
        self.watcher: Watcher | None = None
        """Reports changed files; without one the workspace is walked."""
        self._index_inode: int | None = None
        self.in_memory = ""
        """Why the index is kept in memory; empty where it is the file."""
        self._in_memory_until = math.inf
        self._seen_version = 0
        self.wait_ms = store.BUSY_TIMEOUT_MS
        """How long another process that holds the index is waited for."""

    def close(self) -> None:
        opened = vars(self)
        for each in (self.session_timer, opened.get("sidecar")):
            if each is not None:
                each.stop()
        for each in (self.session_connection, opened.get("meaning"), self._connection):
            if each is not None:
                each.close()
        self.session_timer = self.session_connection = self._connection = None
        for of_index in ("vectors", "vocabulary", "postings", "items"):
            opened.pop(of_index, None)

    @property
    def index(self) -> Connection:
        if self._connection is None:
            self._connection = self._opened_index()
            self._index_inode = _inode(self.index_path)
            self._seen_version = store.seen_version(self._connection)
            if not has_all_rows(self._connection):
                raise store.DamagedIndex[0]("rows are missing from it")
            if not self.in_memory:
                self._check_integrity(self._connection)
        return self._connection

    @property
    def form(self) -> str:
        """What the folder was recognised as; empty for a workspace of our own."""
        origin = self.config.origins.get("workspace.log_pattern", "")
        return origin.removeprefix(RECOGNISED) if origin.startswith(RECOGNISED) else ""

    def _opened_index(self) -> Connection:
        if self.form and not self.index_path.exists():
            self.say(f"{self.root} is read in place as {self.form}; nothing in it is changed")
        if not self.in_memory:
            try:
                if self.index_path.is_relative_to(self.root):
                    ensure_derived_folder(self.root)
                return with_vocabulary_table(
                    store.open_index(
                        self.index_path, on_damage=self._tell_damage, wait_ms=self.wait_ms
                    )
                )
            except NotWritable as problem:
                self._keep_in_memory(problem)
                if self.is_locked_elsewhere and not self.wait_ms and problem.__cause__:
                    raise problem.__cause__ from None
        return with_vocabulary_table(store.open_in_memory(self.index_path))

    def _drop_stale_connection(self) -> None:
        """Close the connection to an index that was deleted or replaced, or may be free again."""
        if self.in_memory and time.monotonic() > self._in_memory_until:
            self.in_memory = ""
            self.close()
        elif self._connection is not None and _inode(self.index_path) != self._index_inode:
            self.close()

    def replace_index(self, problem: Exception) -> bool:
        """Rebuild a damaged index, or go on in memory; whether asking again may help."""
        is_damage = store.is_damage(problem)
        if not is_damage and isinstance(problem, (*store.UnwritableIndex, *store.BusyIndex)):
            is_left_out = isinstance(problem, store.BusyIndex) and not self.wait_ms
            if self.in_memory or is_left_out:
                return False
            self._keep_in_memory(problem)
            return True
        if not is_damage:
            if self._connection is None:
                return False
            if self._seen_version != (now := store.seen_version(self._connection)):
                self._seen_version = now
                return True  # another process wrote meanwhile: rows of two times were met
            if not (damage := store.integrity_problems(self._connection)):
                return False
            problem = store.DamagedIndex[0](damage[0])
        self._tell_damage(problem)
        self.discard_index()
        return True

    def _check_integrity(self, connection: Connection) -> None:
        """Look at all pages once a day, at those of a small file whenever it is opened."""
        today = date.today().isoformat()
        is_due = read_meta(connection, "checked") != today
        with self.without_waiting():
            is_small = self.index_path.stat().st_size < _QUICK_CHECK_MAX_BYTES
            damage = (
                store.integrity_problems(connection, words=is_due) if is_due or is_small else ()
            )
            if damage:
                raise store.DamagedIndex[0](damage[0])
            if is_due:
                store.write_meta(connection, "checked", today)

    @property
    def is_locked_elsewhere(self) -> bool:
        """Whether another process holds the index, so that it is kept in memory for a while."""
        return bool(self.in_memory) and self._in_memory_until < math.inf

    @contextmanager
    def without_waiting(self) -> Iterator[None]:
        """Inside, nobody who holds the index is waited for: what needs it is left out."""
        waited = self.wait_ms
        if self._connection is not None:
            self._connection.set_busy_timeout(0)
        self.wait_ms = 0
        try:
            with suppress(*store.BusyIndex):
                yield
        finally:
            self.wait_ms = waited
            if self._connection is not None:
                self._connection.set_busy_timeout(self.wait_ms)

    def _tell_damage(self, problem: Exception) -> None:
        self.say(f"the index was damaged ({problem}); it is rebuilt from the Markdown files")

    def _keep_in_memory(self, problem: Exception) -> None:
        self.close()
        held = isinstance(problem.__cause__ or problem, store.BusyIndex)
        self._in_memory_until = time.monotonic() + _LOCKED_RETRY_S if held else math.inf
        reason = ("" if held else why_unwritable(self.index_path.parent)) or problem
        self.in_memory = f"the index cannot be written ({reason}); it is kept in memory"
        self.next_walk = 0.0
        self.say(self.in_memory)

    @contextmanager
    def writing(self, *, finish: bool = True) -> Iterator[tuple[str, ...]]:
        """Hold the lock of writers; what a killed forget or undo left half done is finished first
        unless told not to. Gives the names of these forgets."""
        with WriterLock(self.root):
            yield self.finish_interrupted() if finish else ()

    def finish_interrupted(self) -> tuple[str, ...]:
        """The same for a caller that holds the lock; what a group serves is its owner's to mend."""
        from lorebank.workspace.run_store import has_interrupted

        if self.group or not has_interrupted(self.root):
            return ()
        from lorebank.app.rulings import finish_interrupted

        return finish_interrupted(self)

    def unindexed_files(self) -> tuple[str, ...]:
        """Files in the workspace that are none of its notes and pages, hidden ones aside."""
        known = {file.path for file in self.walk().files}
        found = []
        for folder, below, names in os.walk(self.root):
            below[:] = [name for name in below if not name.startswith(".")]
            paths = ((Path(folder) / name).relative_to(self.root) for name in names)
            found += [path.as_posix() for path in paths if not path.name.startswith(".")]
        return tuple(sorted(p for p in found if p not in known and not is_generated(p)))

    def discard_index(self) -> None:
        """Delete the index; the next question reads the files again, however lately they were."""
        self.close()
        store.discard_index(self.index_path)
        self.next_walk = 0.0
        self.discard_sessions()

    def discard_sessions(self) -> None:
        if self.sessions_path.exists():
            self.close()
            store.discard_index(self.sessions_path)

    @property
    def searches_sessions(self) -> bool:
        """Whether transcripts are searched, and some were read."""
        return self.config.memory_search.searches_sessions and self.sessions_path.exists()

    @property
    def sessions_path(self) -> Path:
        return sessions_path(self.index_path, self.config.index.agent_id)

    @property
    def session_store(self) -> Connection:
        if self.session_connection is None:
            from lorebank.conversations.store import open_sessions

            ensure_derived_folder(self.root)
            self.session_connection = open_sessions(self.sessions_path)
        return self.session_connection

    @property
    def index_path(self) -> Path:
        path = index_path(self.root, self.config.index.path, self.config.index.agent_id)
        return path.with_name(f"{path.stem}-group{path.suffix}") if self.group else path

    @cached_property
    def meaning(self) -> EmbeddingService:
        from lorebank.index.meaning import EmbeddingService

        return EmbeddingService(self.embedder_setup, self.cache_path, self.given_embedder)

    @cached_property
    def embedder_setup(self) -> Setup:
        from lorebank.providers.registry import Setup

        return Setup(self.config.embedder, self.config.providers, self.environ, self.say)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The cross-encoder that the caller brought, or that the settings name."""
        path = self.config.recall.reranker.model_path
        if self.given_reranker is not None or not path:
            return self.given_reranker
        from lorebank.providers.registry import load_reranker

        return load_reranker(Path(path).expanduser())

    @cached_property
    def vectors(self) -> VectorIndex:
        from lorebank.index.vectors import VectorIndex

        return VectorIndex(
            self.index,
            enabled=self.config.vector.enabled,
            extension_path=self.config.vector.extension_path,
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        from lorebank.index.lexical import Vocabulary

        return Vocabulary(self.index)

    @cached_property
    def postings(self) -> Postings:
        from lorebank.index.lexical import Postings

        return Postings(self.vocabulary)

    @cached_property
    def items(self) -> ItemCache:
        from lorebank.index.items import ItemCache

        return ItemCache(self.index)

    @cached_property
    def sidecar(self) -> Sidecar | None:
        """The search engine beside the built-in one, where the settings name it."""
        if self.config.memory.backend != "qmd":
            return None
        from lorebank.qmd.sidecar import Sidecar

        return Sidecar(self.root, self.config, self.environ, self.say, self.group)

    @property
    def read_settings(self) -> ReadSettings:
        return ReadSettings(
            retain_headings=(*spellings("headings", "retain"), *self.config.retain.headings),
            chunk_tokens=self.config.index.chunk_tokens,
            chunk_overlap=self.config.index.chunk_overlap,
            plain_mentions=self.config.mentions.in_prose,
            not_mentions=self.config.mentions.exclude,
            origins=tuple(sorted(self.config.origin.folders.items())),
        )

    def day(self, now: date | None) -> date:
        return now or self.now or date.today()

    def log_path(self, day: date) -> str:
        return LogPattern.compile(self.config.workspace.log_pattern).path_for(day)

    def walk(self) -> WalkResult:
        found = walk(self.root, self.config)
        if not self.group:
            return found
        shown = (f for f in found.files if not (is_core(f.path) or is_said(f.path)))
        return replace(found, files=tuple(shown))

    def refuse_in_group(self, what: str) -> None:
        if self.group:
            raise PathRefused(f"{what} is not available in a group")

    @with_index_repair
    @gc_paused()
    def sync_files(self, *, full: bool = False, progress: Progress | None = None) -> SyncReport:
        from lorebank.index.opinions import stance_model_changed

        self._drop_stale_connection()
        result = sync_files(
            self.index, self.root, self.walk, self.read_settings, full=full, progress=progress
        )
        model_changed = stance_model_changed(self.index, has_vectors=self.vectors_of is not None)
        if result.entities or result.all_opinions or result.decisions or model_changed:
            from lorebank.beliefs.materialise import refresh_opinions

            holders = None if result.all_opinions else result.entities
            refresh_opinions(self.index, self.root, holders, self.config.reflect, self.vectors_of)
        report = result.report
        if self.sidecar is not None and (report.added or report.changed or report.removed):
            self.sidecar.note_change()
        return report

    @cached_property
    def vectors_of(self) -> VectorsOf | None:
        """Tells how near opinions and lines are in meaning; `None` where words decide alone."""
        if self.builtin_problem:
            return None
        return lambda texts: self.meaning.known_vectors(texts)

    @cached_property
    def builtin_problem(self) -> str:
        """Why the built-in model makes no vectors here that are kept; empty where it does."""
        from lorebank.providers.registry import builtin_problem

        return builtin_problem(self.embedder_setup)

    @property
    def rules_alone(self) -> str:
        """Why words alone decide what is near an opinion; empty where vectors help."""
        return self.builtin_problem or self.meaning.trouble(self.index)[0]

    def embed_pending_statements(self) -> None:
        """Embed the lines about holders of opinions that nobody has embedded yet."""
        from lorebank.beliefs import materialise

        if self.vectors_of is not None:
            materialise.reform_pending(
                self.index,
                self.root,
                self.config.reflect,
                self.vectors_of,
                lambda texts: len(self.meaning.embed_texts(texts)),
            )

    def sync_if_stale(self) -> None:
        """Sync before an answer, unless nothing changed since the last look or it was just now."""
        self._drop_stale_connection()
        started, watcher = time.monotonic(), self.watcher
        is_watched = watcher and watcher.is_watching and started <= self._next_sweep
        changes = watcher.changes if watcher and is_watched else None  # else files are walked
        is_filled = read_meta(self.index, "synced_at") is not None
        self._seen_version = store.seen_version(self.index)
        self._is_fresh = changes is not None and changes == self.changes_seen
        waits = self._is_fresh or (changes is None and started < self.next_walk)
        if is_filled and (not self.config.recall.auto_sync or waits):
            return
        self.sync_files()
        self._is_fresh, self.changes_seen = True, changes
        self.next_walk = started + min((time.monotonic() - started) / _WALK_SHARE, _LONGEST_GAP_S)
        self._next_sweep = started + SWEEP_S

    def cache_path(self) -> Path | None:
        from lorebank.settings.files import cache_directory

        if self.config.embedder.cache.shared and (folder := cache_directory()):
            return folder / "embeddings.sqlite"
        return None if self.in_memory else ensure_derived_folder(self.root) / "embeddings.sqlite"

    def freshness(self) -> dict[str, object]:
        synced_at = read_meta(self.index, "synced_at")
        fresh = self._is_fresh
        if not self.config.recall.auto_sync:
            fresh = not stale_paths(self.index, self.root, self.walk())
        return {"fresh": fresh, "synced_at": synced_at}

    def slug_of(self, name: str | None) -> str | None:
        return None if name is None else self.find_entity(name).slug

    def find_entity(self, name: str) -> Entity:
        from lorebank.names.who import resolve_name

        found = resolve_name(self.index, name)
        if found.entity is None:
            near = [each.name for each in found.proposals] or nearest_names(self.index, name)
            others = "`lorebank entity` lists all; `lorebank recall` searches every line"
            hint = f"nearest: {', '.join(near)}" if near else others
            raise NotFound(f"no entity '{name}'", hint=hint)
        return found.entity

    def all_names(self) -> list[str]:
        return [name for e in list_entities(self.index) for name in (e.name, *e.aliases)]

    def opinions(
        self, slug: str | None, as_of: date | None, now: date | None
    ) -> tuple[Opinion, ...]:
        from lorebank.beliefs import materialise
        from lorebank.index.opinions import load_opinions, with_unjudged

        today, rules = as_of or self.day(now), self.config.reflect
        if as_of is None:
            found = with_unjudged(self.index, load_opinions(self.index, entity=slug))
        else:
            found = materialise.opinions_as_of(
                self.index, self.root, slug, as_of, rules, self.vectors_of
            )
        dated = [materialise.for_display(opinion, today, rules) for opinion in found]
        return tuple(sorted(self.with_display_names(dated, as_of), key=opinion_sort_key))

    def opinions_now(self, slug: str | None, now: date | None) -> tuple[Opinion, ...]:
        """The same, with the newer of two that are near in meaning first, as recall has them."""
        from lorebank.index.opinions import judged_together
        from lorebank.index.slots import AGENTS_TRUST
        from lorebank.index.succession import Dated, newer_lines, put_newer_first
        from lorebank.index.vectors import vectors_by_text

        found = {opinion.id: opinion for opinion in self.opinions(slug, None, now)}
        lines = []
        for opinion in found.values():
            said = [e for e in opinion.evidence if e.reason in ("stated", "restated")]
            if said and opinion.status is OpinionStatus.LIVE:
                last = said[-1]
                when = last.date, last.source.path, last.source.start_line
                about = opinion.entities[:1]
                line = Dated(opinion.id, last.fact_id, about, when, is_opinion=True)
                is_agents = opinion.origin.value == "agent"
                lines.append(line._replace(trust=AGENTS_TRUST) if is_agents else line)
        vectors = vectors_by_text(self.vectors_of, [o.statement for o in found.values()])
        near = {o.id: vectors[o.statement] for o in found.values() if o.statement in vectors}
        told = [line.fact for line in lines]
        newer = newer_lines(lines, lambda _: near, lambda: judged_together(self.index, told))
        return tuple(found[id_] for id_ in put_newer_first(found, newer))

    def with_display_names(
        self, opinions: Sequence[Opinion], as_of: date | None = None
    ) -> tuple[Opinion, ...]:
        """Opinions with display names in place of slugs, those of the day asked about."""
        slugs = {slug for opinion in opinions for slug in opinion.entities}
        if as_of is None:
            names = display_names(self.index, slugs)
        else:
            from lorebank.names.entity_rows import display_names_on  # few ask about another day

            names = display_names_on(self.index, slugs, as_of)
        return tuple(
            replace(o, entities=tuple(names.get(slug, slug) for slug in o.entities))
            for o in opinions
        )

    def find_fact(self, text: str, what: str = "fact") -> Fact:
        """The fact of an id or of a unique beginning of it; `what` else is looked for by it."""
        from lorebank.index.items import facts_by_id

        facts = facts_by_id(self.index, text)
        if not facts:
            raise NotFound(f"no {what} '{text}'", hint="ids are shown by recall --json")
        if len({fact.id for fact in facts}) > 1:
            near = ", ".join(sorted({fact.id for fact in facts})[:5])
            raise UsageError(f"'{text}' matches several ids", hint=near)
        return facts[0]

    def full_opinion_id(self, text: str) -> str:
        """The whole id of an opinion from a beginning of it."""
        from lorebank.index.opinions import load_opinions

        self.sync_if_stale()
        found = [o.id for o in load_opinions(self.index, opinion_id=text)]
        if not found:
            raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")
        if len(found) > 1 and text not in found:
            raise UsageError(f"'{text}' matches several ids", hint=", ".join(found[:5]))
        return text if text in found else found[0]

    def inbox_context(self, now: date | None) -> InboxContext:
        from lorebank.inbox.sources import InboxContext

        place = self.root, self.config, self.day(now)
        return InboxContext(lambda: self.index, *place, self.append_fact, self.builtin_vectors)

    def judgments_waiting(
        self, day: date, content: BankContent | None = None, *, embed: bool = False
    ) -> int:
        """How many judgments wait in the inbox, apart from proposals: those a run writes itself,
        so that its own page would be out of date as soon as it is written, and from unlikely pairs.

        Only with `embed` are lines embedded to count them: a session begins with this, but the page
        of a night must say what the inbox will. Where the `content` is at hand that pages are made
        of, nothing is read again."""
        from lorebank.inbox.registry import waiting

        context = self.inbox_context(day)
        if not embed:
            context = replace(context, vectors_of=self.vectors_of or (lambda texts: {}))
        if content is not None:
            context = replace(context, known=(content.facts, content.over))
        items = waiting(context, likely=True).items
        return sum(item.kind is not InboxKind.PROPOSAL for item in items)

    def builtin_vectors(self, texts: Sequence[str]) -> Mapping[str, bytes]:
        """The vectors of texts by the built-in embedder, embedding those it has not seen."""
        return {} if self.builtin_problem or not texts else self.meaning.embed_texts(texts)

    def retain_title(self, day: date, text: str = "") -> str:
        """What a retain section is called in a day's log `text`, else in the log before it."""
        from lorebank.retain.compose import retain_title
        from lorebank.workspace.paths import is_linked

        headings = self.read_settings.retain_headings
        title = retain_title(text, headings)
        for back in range(1, min(HEADING_LOOKBACK_DAYS, (day - date.min).days) + 1):
            path = self.log_path(day - timedelta(days=back))
            if not title and (self.root / path).is_file() and not is_linked(self.root, path):
                title = retain_title((self.root / path).read_text("utf-8", "replace"), headings)
        return title or "Retain"

    def append_fact(self, path: str, line: str, day: date, *, undo: str = "") -> int:
        """Write a fact line into a log, kept for undo in that area; returns its line number."""
        from lorebank.retain.compose import append_fact_line, new_log, refuse_unread
        from lorebank.workspace.paths import edit_text
        from lorebank.workspace.run_store import Change

        headings = self.read_settings.retain_headings
        lines: list[int] = []

        def add(before: str | None) -> str:
            text = new_log(day) if before is None else before
            title = self.retain_title(day, text)
            appended, number = append_fact_line(
                text, line, path=path, headings=headings, title=title
            )
            refuse_unread(appended, number, path=path, headings=headings)
            lines.append(number)
            return appended

        change = Change(*edit_text(self.root, path, self.config, add))
        if undo:
            self.keep_for_undo(undo, {path: change})
        return lines[-1]

    def keep_for_undo(
        self, area: str, changes: Mapping[str, Change], day: date | None = None
    ) -> str:
        """Keep what files were before they were written into; the name of the run."""
        from lorebank.nightly.run_record import RunRecord, next_run, save_run

        run = next_run(self.root, self.day(day).isoformat(), area=area)
        save_run(self.root, RunRecord(run, changes), area=area)
        return run


def without_private_sources(config: Config) -> Config:
    search, qmd = replace(config.memory_search, sources=("memory",)), config.memory.qmd
    qmd = replace(qmd, sessions=replace(qmd.sessions, enabled=False))
    return replace(config, memory_search=search, memory=replace(config.memory, qmd=qmd))


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def with_vocabulary_table(connection: Connection) -> Connection:
    """The connection with the temporary tables that questions need; closed where that fails."""
    from lorebank.index.lexical import index_words

    try:
        index_words(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def opinion_sort_key(opinion: Opinion) -> tuple[bool, bool, bool, float, int, str]:
    """Opinions still held before others, those with recent evidence before stale ones, the owner's
    before those on an agent's word alone; of two alike the newer word first."""
    live, day = opinion.status is OpinionStatus.LIVE, opinion.last_updated or date.min
    stale = opinion.trend is Trend.STALE
    is_agents = opinion.origin.value == "agent"
    return not live, stale, is_agents, -opinion.confidence, -day.toordinal(), opinion.id
