"""One workspace's sidecar: searching, updating, and pausing after failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from lorebank.database.connection import Connection
from lorebank.domain.answers import SearchHit
from lorebank.errors import LorebankError
from lorebank.index.breaker import Breaker
from lorebank.qmd import answers, program
from lorebank.qmd.program import DEFAULT_AGENT, Collection, Completed, Qmd, QmdFailed, QmdMissing
from lorebank.qmd.refresh import Progress, State, Steps, Timer, due, refresh, start_in_background
from lorebank.settings.rules import seconds
from lorebank.settings.tables import Config, QmdSettings
from lorebank.trust.quarantine import origins_in_lines
from lorebank.workspace.lock import WriterLock

_MIN_RESULTS = 20  # more than needed, since some matches may not be shown
_MIN_RESULTS_FILTERED = 200  # with a path filter, which most matches may miss
_NOT_READY = "its index is being built"

INDEX_DUE = "the next search, or lorebank index, builds its index"
"""The reason if it was never updated."""


@dataclass
class Sidecar:
    """`say` is called once for each distinct failure."""

    root: Path
    config: Config
    environ: Mapping[str, str]
    say: Callable[[str], None]
    group: bool = False
    """Whether it serves a group, whose index has no conversations."""
    problem: str | None = None
    """Why the built-in engine answered the last search, if it did."""
    _reported: set[str] = field(default_factory=set)
    _timer: Timer | None = None
    _plain_query: bool = False
    """Whether this build rejects the configured mode, so that `query` is used."""

    # -- asking --------------------------------------------------------------------------------

    def search(
        self,
        connection: Connection,
        query: str,
        *,
        k: int,
        min_score: float,
        path: str | None,
        sessions: bool,
    ) -> tuple[SearchHit, ...] | None:
        """The hits; `None` if the built-in engine must answer, for the reason in `problem`."""
        self.problem = None
        try:
            return self._search(connection, answers.QmdQuery(query, k, min_score, path, sessions))
        except LorebankError as failure:
            self.problem = f"qmd does not answer ({failure.message}): the built-in engine does"
            self._say_once(self.problem)
            return None

    def _search(self, connection: Connection, request: answers.QmdQuery) -> tuple[SearchHit, ...]:
        breaker = Breaker.read(connection, self._fingerprint)
        if breaker.is_open:
            raise QmdFailed(breaker.reason)
        self._qmd.find()
        if not self.collections:
            raise QmdFailed("no folder of memory.qmd exists")
        if not self._state.collections:
            raise QmdFailed(self._state.problem or _NOT_READY)
        if not answers.format_question(self._mode, request.query):
            return ()
        try:
            found = self._ask(request)
        except QmdMissing:
            raise
        except QmdFailed as failure:
            breaker.trip(connection, failure.message)
            raise
        breaker.close(connection)
        hits = answers.to_search_hits(
            found,
            request,
            root=self.root,
            config=self.config,
            collections=self.collections,
            mode=self._mode,
        )
        origins = origins_in_lines(connection, [hit.source for hit in hits])
        return tuple(
            hit if hit.quarantined else replace(hit, origin=origin, quarantined=quarantined)
            for hit, (origin, quarantined) in zip(hits, origins, strict=True)
        )

    def _ask(self, request: answers.QmdQuery) -> tuple[answers.QmdMatch, ...]:
        mode = self._mode
        done = self._run(mode, request)
        may_ask_plainly = mode != "query" and not self.config.embedder.offline
        if done.code and may_ask_plainly and answers.is_flag_rejection(done.errors or done.output):
            self._plain_query = True
            mode = self._mode
            done = self._run(mode, request)
        if done.code:
            raise QmdFailed(f"qmd {mode} ended with {done.reason}")
        try:
            return answers.read_answer(done.output)
        except answers.UnreadableAnswer as problem:
            raise QmdFailed(f"qmd {mode} gave no readable answer: {problem}") from problem

    def _run(self, mode: str, request: answers.QmdQuery) -> Completed:
        settings = self.config.memory.qmd
        count = max(_MIN_RESULTS if request.path is None else _MIN_RESULTS_FILTERED, request.k)
        question = answers.format_question(mode, request.query)
        arguments = (mode, "--json", "-n", str(count), "--", question)
        return self._qmd.run(*arguments, timeout_s=settings.limits.timeout_ms / 1000)

    @property
    def _mode(self) -> str:
        """The search mode; offline, the one that never downloads a model."""
        if self.config.embedder.offline:
            return "search"
        return "query" if self._plain_query else self.config.memory.qmd.search_mode

    # -- keeping fresh -------------------------------------------------------------------------

    def note_change(self) -> None:
        """Files changed: an update is due after the debounce."""
        with self._report_failures():
            self._qmd.make_folders()
            self._qmd.note_change()

    def sync_if_stale(self) -> None:
        """Before a search: run what is due, here or in the background; failures are reported."""
        with self._report_failures(), suppress(QmdMissing):  # the search will report it
            self._qmd.find()
            changed, now = self._qmd.changed_at, time.time()
            self._start_due(
                due(self._state, self.collections, self._settings, now=now, changed_at=changed)
            )

    def start(self) -> None:
        """When a server starts: update now, then at intervals."""
        if self._settings.update.on_boot:
            self.note_change()
        self.sync_if_stale()
        if (interval := seconds(self._settings.update.interval)) and self._timer is None:
            self._timer = Timer(interval, self.sync_if_stale)
            self._timer.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def refresh(self, progress: Progress | None = None) -> None:
        """Update everything and wait; failures are reported."""
        with self._report_failures():
            work = {"update"}
            if self._state.collections != self.collections:
                work.add("collections")
            if self._settings.search_mode != "search" and not self.config.embedder.offline:
                work.add("embed")
            self._refresh(frozenset(work), progress)

    def _start_due(self, work: Steps) -> None:
        if self.config.embedder.offline:
            work -= {"embed"}
        if not work:
            return
        if self._settings.update.wait_for_boot_sync:
            self._refresh(work)
            return
        now = time.time()
        self._qmd.make_folders()
        replace(self._state, attempted=now).write(self._qmd.folder)
        start_in_background(self._qmd, self.collections, self._settings.update, work, asked=now)

    def _refresh(self, work: Steps, progress: Progress | None = None) -> None:
        self._qmd.make_folders()
        patience = self._settings.update.update_timeout_ms / 1000
        with WriterLock(self._qmd.folder, timeout_s=patience, file=self._qmd.lock_file):
            timing = self._settings.update
            refresh(self._qmd, self.collections, timing, work, progress)

    # -- status --------------------------------------------------------------------------------

    def describe(self, connection: Connection) -> dict[str, Any]:
        """Which engine answers searches now, why, and the sidecar's home."""
        found: dict[str, Any] = {"engine": "builtin", "reason": "", "mode": self._mode}
        try:
            state = self._state
            found |= {
                "home": {
                    "XDG_CONFIG_HOME": str(self._qmd.config_home),
                    "XDG_CACHE_HOME": str(self._qmd.cache_home),
                },
                "collections": [collection.name for collection in state.collections],
                "updated": _stamp(state.updated),
                "embedded": _stamp(state.embedded),
                "problem": state.problem,
            }
            self._qmd.find()
            reason = Breaker.read(connection, self._fingerprint).reason
            if not state.collections:
                reason = state.problem or INDEX_DUE
        except LorebankError as failure:
            reason = failure.message
        return found | {"reason": reason, "engine": "builtin" if reason else "qmd"}

    def silence(self, connection: Connection) -> str:
        """Why it does not answer; empty if it does, or only awaits its first update."""
        reason: str = self.describe(connection)["reason"]
        return "" if reason == INDEX_DUE else reason

    def resolve(self, path: str) -> Path:
        return program.resolve(self.collections, path)

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        return program.collections_of(self.root, self.config, self.sessions_folder)

    @property
    def sessions_folder(self) -> Path | None:
        """Of exported conversations; `None` if they are not searched."""
        sessions = self._settings.sessions
        if not sessions.enabled:
            return None
        own = sessions.export_dir
        if not own:
            return self._qmd.sessions
        agent = self.config.index.agent_id
        return Path(own).expanduser() / ("" if agent == DEFAULT_AGENT else agent)

    @property
    def _settings(self) -> QmdSettings:
        return self.config.memory.qmd

    @property
    def _state(self) -> State:
        return State.read(self._qmd.folder)

    @cached_property
    def _qmd(self) -> Qmd:
        command = str(Path(self._settings.command).expanduser())
        agent = self.config.index.agent_id
        folder = program.folder_for(
            self.root, f"{agent}-group" if self.group else agent, self.environ
        )
        return Qmd(command, folder, self.environ)

    @property
    def _fingerprint(self) -> str:
        return f"qmd: {self._settings.command} {self._settings.search_mode}"

    @contextmanager
    def _report_failures(self) -> Iterator[None]:
        try:
            yield
        except LorebankError as failure:
            self._say_once(f"qmd: {failure.message}")

    def _say_once(self, line: str) -> None:
        if line not in self._reported:
            self._reported.add(line)
            self.say(line)


def _stamp(moment: float) -> str | None:
    """Local time, ISO 8601; `None` for never."""
    known = datetime.fromtimestamp(moment, UTC).astimezone()
    return known.isoformat(timespec="seconds") if moment else None
