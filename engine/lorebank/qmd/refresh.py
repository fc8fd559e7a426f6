"""Keeping the sidecar's index up to date: what is due, doing it, and doing it in a process that
outlives the command.

A command answers in a fraction of a second and is gone; `qmd update` takes longer. The process is
given all it needs in one JSON argument, none of it secret; what came of it stands in the state.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from lorebank.errors import LorebankError
from lorebank.qmd.collections import Collection
from lorebank.qmd.home import Home, State, collection_rows, read_collections
from lorebank.qmd.process import Completed, QmdCommand, QmdFailed
from lorebank.records import dataclass
from lorebank.settings.rules import seconds
from lorebank.settings.tables import QmdSettings, QmdUpdateSettings
from lorebank.workspace.lock import WriterLock


class Timer(Thread):
    """Calls `job` every `interval_s` seconds, the first time after one interval or `at_once`."""

    def __init__(
        self, interval_s: float, job: Callable[[], None], *, at_once: bool = False
    ) -> None:
        super().__init__(name="lorebank-timer", daemon=True)
        self._interval_s = interval_s
        self._job = job
        self._at_once = at_once
        self._stopped = Event()

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to stop; a long job asks."""
        return self._stopped.is_set()

    def run(self) -> None:
        if self._at_once:
            self._job()
        while not self._stopped.wait(self._interval_s):
            self._job()

    def stop(self) -> None:
        """Return once no call is running."""
        self._stopped.set()
        self.join()


Progress = Callable[[str, int, int], None]
_REST_S = 30.0
"""After a failure nothing is attempted for so long, unless it is asked for."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done."""

    collections: bool = False
    """The folders are others than those that qmd knows."""
    update: bool = False
    embed: bool = False

    def __bool__(self) -> bool:
        return self.collections or self.update or self.embed


def due(
    state: State,
    wanted: tuple[Collection, ...],
    settings: QmdSettings,
    *,
    now: float,
    changed_at: float = 0.0,
) -> Work:
    """What a state and the time call for; at `changed_at` files were last seen to have changed.

    Files that changed wait for the debounce only, all else for its interval. Times in the future
    are those of a clock that was set back, and count as long ago.
    """
    timing = settings.update
    rest = _REST_S if state.problem else timing.debounce_ms / 1000
    if 0 <= now - state.attempted < rest:
        return Work()
    update = (
        not state.updated
        or changed_at > state.updated
        or _is_over(timing.interval, state.updated, now)
    )
    embed = settings.search_mode != "search" and _is_over(
        timing.embed_interval, state.embedded, now
    )
    return Work(state.collections != wanted, update, embed)


def _is_over(interval: str, moment: float, now: float) -> bool:
    length = seconds(interval)
    return length > 0 and not 0 <= now - moment < length


def refresh(
    command: QmdCommand,
    home: Home,
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
    work: Work,
    progress: Progress | None = None,
) -> State:
    """Do the work and write down what was done, after each step. `QmdFailed` names the step that
    failed, which the state records as well."""
    run = _Run(command, home, timing, replace(State.read(home), attempted=time.time()))
    try:
        steps = run.steps(wanted, work)
        for number, (name, step) in enumerate(steps):
            if progress:
                progress(f"qmd {name}", number, len(steps))
            step()
            run.state.write(home)
        run.state = replace(run.state, problem="")
    except QmdFailed as problem:
        run.state = replace(run.state, problem=problem.message)
        raise
    finally:
        run.state.write(home)
    return run.state


@dataclass(slots=True)
class _Run:
    """One refresh, and the state as it stands after each of its steps."""

    command: QmdCommand
    home: Home
    timing: QmdUpdateSettings
    state: State

    def steps(
        self, wanted: tuple[Collection, ...], work: Work
    ) -> list[tuple[str, Callable[[], None]]]:
        """The steps by name. A program that did not make the index is set up from scratch."""
        program = self.command.find()
        known = self.state.collections if self.state.command == program else ()
        self.state = replace(self.state, command=program, collections=known)
        found: list[tuple[str, Callable[[], None]]] = []
        if work.collections or not known:
            for old in known:
                if old not in wanted:
                    found.append((f"drop {old.name}", partial(self._drop, old)))
            for new in wanted:
                if new not in known:
                    found.append((f"add {new.name}", partial(self._add, new)))
            found.append(("collections", partial(self._register_collections, wanted)))
        if work.update or work.collections:
            found.append(("update", self._update))
        if work.embed:
            found.append(("embed", self._embed))
        return found

    def _drop(self, collection: Collection) -> None:
        done = self._manage("remove", collection.name)
        if done.code:
            raise _failure("collection remove", done)
        left = tuple(each for each in self.state.collections if each != collection)
        self.state = replace(self.state, collections=left)

    def _add(self, collection: Collection) -> None:
        """Declare a collection; one of that name that a killed run left is replaced."""
        folder, mask = str(collection.folder), collection.pattern
        arguments = ("add", folder, "--name", collection.name, "--mask", mask)
        first = self._manage(*arguments)
        if first.code:
            self._manage("remove", collection.name)
            if self._manage(*arguments).code:
                raise _failure("collection add", first)
        self.state = replace(self.state, collections=(*self.state.collections, collection))

    def _register_collections(self, wanted: tuple[Collection, ...]) -> None:
        self.state = replace(self.state, collections=wanted)

    def _update(self) -> None:
        began = time.time()
        self._do("update", self.timing.update_timeout_ms)
        self.state = replace(self.state, updated=began)

    def _embed(self) -> None:
        self._do("embed", self.timing.embed_timeout_ms)
        self.state = replace(self.state, embedded=time.time())

    def _manage(self, *arguments: str) -> Completed:
        adds = arguments[0] == "add"  # which reads the folder as well
        limit = self.timing.update_timeout_ms if adds else self.timing.command_timeout_ms
        return self.command.run("collection", *arguments, timeout_s=limit / 1000)

    def _do(self, name: str, timeout_ms: int) -> None:
        done = self.command.run(name, timeout_s=timeout_ms / 1000)
        if done.code:
            raise _failure(name, done)


def _failure(name: str, done: Completed) -> QmdFailed:
    return QmdFailed(f"qmd {name} failed: {done.reason}")


def begin(
    command: QmdCommand,
    home: Home,
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
    work: Work,
    *,
    asked: float,
) -> None:
    """Begin a refresh and return; one that another process began since `asked` is enough.

    Raises `QmdFailed` where no process can be started.
    """
    job = {
        "command": command.command,
        "home": str(home.folder),
        "collections": collection_rows(wanted),
        "timing": asdict(timing),
        "work": asdict(work),
        "asked": asked,
    }
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lorebank.qmd.refresh", json.dumps(job)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home.folder,  # never the workspace: what lies there is nobody's module
            env={**os.environ, **command.environ},
            start_new_session=True,
        )
    except OSError as error:
        raise QmdFailed(f"the update cannot be started: {error.strerror}") from error
    Thread(target=process.wait, daemon=True).start()


def main(job: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Do a job, unless another process is at it or did it meanwhile."""
    home = Home(Path(job["home"]))
    command = QmdCommand(job["command"], home.config_home, home.cache_home, environ)
    timing = QmdUpdateSettings(**job["timing"])
    with WriterLock(home.folder, timeout_s=0, file=home.lock_file):
        if State.read(home).updated < job["asked"]:
            wanted = read_collections(job["collections"])
            refresh(command, home, wanted, timing, Work(**job["work"]))


if __name__ == "__main__":
    with contextlib.suppress(LorebankError):  # the state records what failed
        main(json.loads(sys.argv[1]), os.environ)
