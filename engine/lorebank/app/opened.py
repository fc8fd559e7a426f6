"""What every part of a Bank stands on: the open workspace, its index, its embedder, its clock.

It opens the index when it first needs it and loads an embedder when a question first needs
meaning. What an answer does not need (the parsers, the writers, reflect) is imported by the method
that does: a recall from the command line is over before those imports would be.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cached_property, partial, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

from lorebank.database import connection as store
from lorebank.database.connection import read_meta
from lorebank.domain import Entity, Fact, Opinion, OpinionStatus, SyncReport, Trend
from lorebank.errors import NotFound, NotWritable, PathRefused, UsageError
from lorebank.index.collector import collector_at_rest
from lorebank.index.items import ItemCache, facts_by_id
from lorebank.index.lexical import item_postings, prepare_connection
from lorebank.index.meaning import Meaning
from lorebank.index.opinions import load_opinions
from lorebank.index.read_settings import ReadSettings
from lorebank.index.sync import has_all_rows, stale_paths, sync_files
from lorebank.index.vectors import VectorIndex
from lorebank.index.vocabulary import Vocabulary, index_words
from lorebank.markdown.headings import RETAIN_HEADINGS
from lorebank.names.entities import display_names, list_entities, nearest_names
from lorebank.providers.accounts import Setup
from lorebank.providers.user_cache import cache_directory
from lorebank.reflect import materialise
from lorebank.reflect.nearness import FINGERPRINT
from lorebank.workspace.files import WalkResult, walk
from lorebank.workspace.layout import FileRole, ensure_derived_folder, index_path

if TYPE_CHECKING:
    from lorebank.app.watching import Watcher
    from lorebank.database.connection import Connection
    from lorebank.inbox.sources import Desk
    from lorebank.index.postings import Postings
    from lorebank.qmd.sidecar import Sidecar
    from lorebank.reflect.nearness import VectorsOf
    from lorebank.settings.tables import Config

Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]
Day = date | str | None
P = ParamSpec("P")
R = TypeVar("R")

_WALK_SHARE = 0.04
"""Looking for changed files may take this share of the time between two looks."""
SWEEP_S = 30.0
"""Between two looks where changes are told: watching can fail without saying so."""
_LONGEST_GAP_S = 1.0
"""Between two looks where nobody watches: with the look itself, an edit is seen within 2 s."""


def log_warning(line: str) -> None:
    """Where nobody listens, Python's logging does, which prints warnings unless told otherwise."""
    import logging

    logging.getLogger("lorebank").warning(line)


def made_anew_when_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """Retry a method once with a sound index: rebuilt where it was damaged, in memory where it
    cannot be written."""

    @wraps(method)
    def retried(*args: P.args, **kwargs: P.kwargs) -> R:
        bank = args[0]
        assert isinstance(bank, OpenWorkspace)
        try:
            return method(*args, **kwargs)
        except store.IndexProblem as problem:
            if not bank._replace_index(problem):
                raise
        return method(*args, **kwargs)

    return retried


RECOGNISED = "recognised: "
"""Begins the origin of settings that were read off a folder of another program."""


class OpenWorkspace:
    """A workspace, opened by one thread: the resources its methods share, and how names and ids
    given by a caller are read."""

    def __init__(
        self,
        root: Path,
        config: Config,
        *,
        now: date | None = None,
        created: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        say: Say = log_warning,
        group: bool = False,
    ) -> None:
        self.root = root
        self.config = without_private_sources(config) if group else config
        self.group = group
        """Whether it serves a group: the core memory and conversations are not there at all, in an
        index of its own, so that nothing that was made of them can be told."""
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
        self._next_sweep = 0.0
        self._is_fresh = False
        self._changes_seen: int | None = None
        self.watcher: Watcher | None = None
        """Who tells of changed files; without one they are looked for."""
        self._index_inode: int | None = None
        self._in_memory = ""
        """Why the index is kept in memory; empty where it is the file."""

    def close(self) -> None:
        """Close the index and connections; the Bank may be used again and opens them anew."""
        self._meaning.close()
        if (sidecar := self.__dict__.get("_sidecar")) is not None:
            sidecar.stop()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            for kept in ("_vectors", "_vocabulary", "_postings", "_items"):
                self.__dict__.pop(kept, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _index(self) -> Connection:
        if self._connection is None:
            self._connection = self._opened_index()
            self._index_inode = _inode(self._index_path)
            if not has_all_rows(self._connection):
                raise store.DamagedIndex[0]("rows are missing from it")
        return self._connection

    @property
    def _form(self) -> str:
        """What the folder was recognised as; empty for a workspace of our own."""
        origin = self.config.origins.get("workspace.log_pattern", "")
        return origin.removeprefix(RECOGNISED) if origin.startswith(RECOGNISED) else ""

    def _opened_index(self) -> Connection:
        if self._form and not self._index_path.exists():
            self._say(f"{self.root} is read in place as {self._form}; nothing in it is changed")
        if not self._in_memory:
            try:
                if self._index_path.is_relative_to(self.root):
                    ensure_derived_folder(self.root)
                return prepared(store.open_index(self._index_path, on_damage=self._tell_damage))
            except NotWritable as problem:
                self._keep_in_memory(problem)
        return prepared(store.open_in_memory(self._index_path))

    def _look_at_index(self) -> None:
        """Close the connection if the index file was deleted or replaced; it is reopened lazily."""
        if self._connection is not None and _inode(self._index_path) != self._index_inode:
            self.close()

    def _replace_index(self, problem: Exception) -> bool:
        """Rebuild a damaged index, or go on in memory where it cannot be written; whether either
        was done."""
        if store.is_damage(problem):
            self._tell_damage(problem)
            self._discard_index()
            return True
        if isinstance(problem, store.UnwritableIndex) and not self._in_memory:
            self._keep_in_memory(problem)
            return True
        return False

    def _tell_damage(self, problem: Exception) -> None:
        self._say(f"the index was damaged ({problem}); it is rebuilt from the Markdown files")

    def _keep_in_memory(self, problem: Exception) -> None:
        self.close()
        self._in_memory = f"the index cannot be written ({problem}); it is kept in memory"
        self._next_walk = 0.0
        self._say(self._in_memory)

    def _discard_index(self) -> None:
        """Delete the index; the next question reads the files again, however lately they were."""
        self.close()
        store.discard_index(self._index_path)
        self._next_walk = 0.0

    @property
    def _index_path(self) -> Path:
        path = index_path(self.root, self.config.index.path, self.config.index.agent_id)
        return path.with_name(f"{path.stem}-group{path.suffix}") if self.group else path

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

    @cached_property
    def _postings(self) -> Postings:
        return item_postings(self._index)

    @cached_property
    def _items(self) -> ItemCache:
        return ItemCache(self._index)

    @cached_property
    def _sidecar(self) -> Sidecar | None:
        """The search engine beside the built-in one, where the settings name it."""
        if self.config.memory.backend != "qmd":
            return None
        from lorebank.qmd.sidecar import Sidecar

        return Sidecar(self.root, self.config, self._environ, self._say)

    @property
    def _read_settings(self) -> ReadSettings:
        return ReadSettings(
            retain_headings=(*RETAIN_HEADINGS, *self.config.retain.headings),
            chunk_tokens=self.config.index.chunk_tokens,
            chunk_overlap=self.config.index.chunk_overlap,
            plain_mentions=self.config.mentions.in_prose,
            not_mentions=self.config.mentions.exclude,
            origins=tuple(sorted(self.config.origin.folders.items())),
        )

    def _today(self, now: date | None) -> date:
        return now or self._now or date.today()

    def _walk(self) -> WalkResult:
        found = walk(self.root, self.config)
        if not self.group:
            return found
        return replace(found, files=tuple(f for f in found.files if f.role is not FileRole.CORE))

    def _refuse_in_group(self, what: str) -> None:
        if self.group:
            raise PathRefused(f"{what} is the owner's: not in a group")

    @made_anew_when_damaged
    @collector_at_rest()
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
        judged_anew = materialise.is_judged_otherwise(self._index, self._vectors_of)
        if result.entities or result.all_opinions or result.decisions or judged_anew:
            holders = None if result.all_opinions else result.entities
            materialise.refresh_opinions(
                self._index, self.root, holders, self.config.reflect, self._vectors_of
            )
        report = result.report
        if self._sidecar is not None and (report.added or report.changed or report.removed):
            self._sidecar.note_change()
        return report

    @cached_property
    def _vectors_of(self) -> VectorsOf | None:
        """Tells how near opinions and lines are in meaning; `None` where words decide alone."""
        if self._meaning.builtin_problem():
            return None
        return partial(self._meaning.known_vectors, FINGERPRINT)

    @property
    def _rules_alone(self) -> str:
        """Why words alone decide what is near an opinion; empty where vectors help."""
        return self._meaning.builtin_problem() or self._meaning.trouble(self._index)[0]

    def _judge_waiting(self) -> None:
        """Embed the lines about holders of opinions that nobody has embedded yet."""
        if self._vectors_of is not None:
            materialise.form_waiting(
                self._index,
                self.root,
                self.config.reflect,
                self._vectors_of,
                partial(self._meaning.embed_texts, FINGERPRINT),
            )

    def _freshen(self) -> None:
        """Sync before an answer, unless nothing changed since the last look or it was just now."""
        self._look_at_index()
        started = time.monotonic()
        changes = self._changes_told()
        is_filled = read_meta(self._index, "synced_at") is not None
        self._is_fresh = changes is not None and changes == self._changes_seen
        waits = self._is_fresh or (changes is None and started < self._next_walk)
        if is_filled and (not self.config.recall.auto_sync or waits):
            return
        self._sync_words()
        self._is_fresh, self._changes_seen = True, changes
        spent = time.monotonic() - started
        self._next_walk = started + min(spent / _WALK_SHARE, _LONGEST_GAP_S)
        self._next_sweep = started + SWEEP_S

    def _changes_told(self) -> int | None:
        """How often files changed, as a watcher tells; `None` where a look is needed to know."""
        watcher = self.watcher
        if watcher is None or not watcher.is_watching or time.monotonic() > self._next_sweep:
            return None
        return watcher.changes

    def _cache_path(self) -> Path | None:
        if self.config.embedder.cache.shared and (folder := cache_directory()):
            return folder / "embeddings.sqlite"
        return None if self._in_memory else ensure_derived_folder(self.root) / "embeddings.sqlite"

    def _freshness(self) -> dict[str, object]:
        synced_at = read_meta(self._index, "synced_at")
        fresh = self._is_fresh
        if not self.config.recall.auto_sync:
            fresh = not stale_paths(self._index, self.root, self._walk())
        return {"fresh": fresh, "synced_at": synced_at}

    def _entity(self, name: str) -> Entity:
        from lorebank.names.who import resolve_name

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
                self._index, self.root, slug, as_of, self.config.reflect, self._vectors_of
            )
        )
        dated = self._named(
            [materialise.as_read(opinion, today, self.config.reflect) for opinion in found],
            as_of,
        )
        return tuple(sorted(dated, key=held_first))

    def _named(self, opinions: Sequence[Opinion], as_of: date | None = None) -> tuple[Opinion, ...]:
        """Opinions with display names in place of slugs, those of the day asked about."""
        slugs = {slug for opinion in opinions for slug in opinion.entities}
        if as_of is None:
            names = display_names(self._index, slugs)
        else:
            from lorebank.names.entity_rows import display_names_on  # few ask about another day

            names = display_names_on(self._index, slugs, as_of)
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

    def _opinion_id(self, text: str) -> str:
        """The whole id of an opinion from a beginning of it."""
        self._freshen()
        found = [o.id for o in load_opinions(self._index, opinion_id=text)]
        if not found:
            raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")
        if len(found) > 1 and text not in found:
            raise UsageError(f"'{text}' is the beginning of several ids", hint=", ".join(found[:5]))
        return text if text in found else found[0]

    def _open_desk(self, now: date | None) -> Desk:
        """What the sources of the inbox work with."""
        from lorebank.inbox.sources import Desk

        return Desk(
            self._index, self.root, self.config, self._today(now), self._append, self._alike_by
        )

    def _judgments_waiting(self, day: date) -> int:
        """How many judgments wait in the inbox, apart from proposals: those a run writes itself,
        so that its own page would be out of date as soon as it is written."""
        from lorebank.domain import InboxKind
        from lorebank.inbox.registry import waiting

        items = waiting(self._open_desk(day)).items
        return sum(item.kind is not InboxKind.PROPOSAL for item in items)

    def _alike_by(self, texts: Sequence[str]) -> Mapping[str, bytes]:
        """The vectors of texts by the built-in embedder, embedding those it has not seen."""
        if self._meaning.builtin_problem():
            return {}
        self._meaning.embed_texts(FINGERPRINT, texts)
        return self._meaning.known_vectors(FINGERPRINT, texts)

    def _append(self, path: str, line: str, day: date, *, undo: str = "") -> int:
        """Write a fact line into a log, kept for undo in that area; returns its line number."""
        from lorebank.retain.append import append_fact_line, new_log
        from lorebank.workspace.text_file import edit_text

        headings = self._read_settings.retain_headings
        lines: list[int] = []

        def add(before: str | None) -> str:
            text = new_log(day) if before is None else before
            appended = append_fact_line(text, line, path=path, headings=headings)
            lines.append(appended.line)
            return appended.text

        before, after = edit_text(self.root, path, self.config, add)
        if undo:
            from lorebank.reflect.undo import Change, keep_for_undo, next_run

            run = next_run(self.root, self._today(None).isoformat(), area=undo)
            keep_for_undo(self.root, run, {path: Change(before, after)}, area=undo)
        return lines[-1]


def without_private_sources(config: Config) -> Config:
    """The settings of a bank for a group: conversations are not searched, whatever they say."""
    search = replace(config.memory_search, sources=("memory",))
    qmd = config.memory.qmd
    sessions = replace(qmd.sessions, enabled=False)
    memory = replace(config.memory, qmd=replace(qmd, sessions=sessions))
    return replace(config, memory_search=search, memory=memory)


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None


def prepared(connection: Connection) -> Connection:
    """The connection with the temporary tables that questions need; closed where that fails."""
    try:
        prepare_connection(connection)
        index_words(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def held_first(opinion: Opinion) -> tuple[bool, bool, float, str]:
    """Opinions still held before others, those with recent evidence before stale ones."""
    live = opinion.status is OpinionStatus.LIVE
    return not live, opinion.trend is Trend.STALE, -opinion.confidence, opinion.id
