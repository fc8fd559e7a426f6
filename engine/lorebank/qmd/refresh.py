"""Keep the sidecar's index up to date: what is due, and doing it, possibly in the background.

`qmd update` takes longer than a command, so it runs in a process that outlives it. The process gets
one JSON argument, without secrets, and records its result in the state file.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

from lorebank.errors import LorebankError
from lorebank.qmd.program import Collection, Completed, Qmd, QmdFailed
from lorebank.records import Record
from lorebank.settings.rules import seconds
from lorebank.settings.tables import QmdSettings, QmdUpdateSettings
from lorebank.workspace.lock import WriterLock

Progress = Callable[[str, int, int], None]
Steps = frozenset[str]  # a subset of `_STEPS`
_STEPS = ("collections", "update", "embed")  # in this order: declare the folders, read them, embed
_STATE = "state.json"
_RETRY_DELAY_S = 30.0  # pause after a failure, unless a refresh is requested; chosen by hand


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
        """Polled by long jobs."""
        return self._stopped.is_set()

    def run(self) -> None:
        if self._at_once:
            self._job()
        while not self._stopped.wait(self._interval_s):
            self._job()

    def stop(self) -> None:
        """Stop, and wait for a running call."""
        self._stopped.set()
        self.join()


class State(Record):
    """What was done, and when, in seconds since the epoch."""

    command: str = ""  # the program that did it; a different one starts over
    collections: tuple[Collection, ...] = ()
    updated: float = 0.0
    embedded: float = 0.0
    attempted: float = 0.0
    problem: str = ""  # why the last attempt failed; else empty

    @classmethod
    def read(cls, folder: Path) -> State:
        """The stored state; empty if it is unreadable."""
        try:
            known = json.loads((folder / _STATE).read_text("utf-8"))
            return cls(**known | {"collections": read_collections(known["collections"])})
        except (OSError, ValueError, TypeError, KeyError):
            return cls()

    def write(self, folder: Path) -> None:
        """Written atomically. Raises `QmdFailed`."""
        file = folder / _STATE
        temporary = file.with_suffix(f".{os.getpid()}")
        try:
            temporary.write_text(json.dumps(asdict(self), default=str), "utf-8")
            temporary.replace(file)
        except OSError as error:
            raise QmdFailed(f"{file}: cannot be written: {error.strerror}") from error


def read_collections(rows: Iterable[Mapping[str, str]]) -> tuple[Collection, ...]:
    return tuple(Collection(r["name"], Path(r["folder"]), r["pattern"]) for r in rows)


def due(
    state: State,
    wanted: tuple[Collection, ...],
    settings: QmdSettings,
    *,
    now: float,
    changed_at: float = 0.0,
) -> Steps:
    """The steps that are due; `changed_at` is when files were last seen to change.

    Changed files wait for the debounce only, everything else for its interval. Times in the future
    (the clock was set back) count as long ago.
    """
    timing = settings.update
    rest = _RETRY_DELAY_S if state.problem else timing.debounce_ms / 1000
    if 0 <= now - state.attempted < rest:
        return frozenset()
    called_for = {
        "collections": state.collections != wanted,
        "update": not state.updated
        or changed_at > state.updated
        or _has_elapsed(timing.interval, state.updated, now),
        "embed": settings.search_mode != "search"
        and _has_elapsed(timing.embed_interval, state.embedded, now),
    }
    return frozenset(step for step, is_due in called_for.items() if is_due)


def _has_elapsed(interval: str, moment: float, now: float) -> bool:
    length = seconds(interval)
    return length > 0 and not 0 <= now - moment < length


def refresh(
    qmd: Qmd,
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
    work: Steps,
    progress: Progress | None = None,
) -> State:
    """Run the steps and save the state after each. Raises `QmdFailed`, which is also saved."""
    state = replace(State.read(qmd.folder), attempted=time.time())
    try:
        program = qmd.find()
        if state.command != program:  # another program made the index: set up from scratch
            state = replace(state, command=program, collections=())
        if "collections" in work or not state.collections:
            work |= {"collections", "update"}
        steps = [step for step in _STEPS if step in work]
        for number, step in enumerate(steps):
            if progress:
                progress(f"qmd {step}", number, len(steps))
            began = time.time()
            if step == "collections":
                _sync_collections(qmd, state.collections, wanted, timing)
                state = replace(state, collections=wanted)
            elif step == "update":
                _run(qmd, step, timing.update_timeout_ms)
                state = replace(state, updated=began)
            else:
                _run(qmd, step, timing.embed_timeout_ms)
                state = replace(state, embedded=time.time())
            state.write(qmd.folder)
        state = replace(state, problem="")
    except QmdFailed as problem:
        state = replace(state, problem=problem.message)
        raise
    finally:
        state.write(qmd.folder)
    return state


def _sync_collections(
    qmd: Qmd,
    known: tuple[Collection, ...],
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
) -> None:
    """Remove old collections and add new ones; safe to repeat after a killed run."""
    limit = timing.command_timeout_ms / 1000
    for old in known:
        if old not in wanted:
            qmd.run("collection", "remove", old.name, timeout_s=limit)
    for new in wanted:
        if new in known:
            continue
        add = ("collection", "add", str(new.folder), "--name", new.name, "--mask", new.pattern)
        read_limit = timing.update_timeout_ms / 1000  # adding reads the folder as well
        first = qmd.run(*add, timeout_s=read_limit)
        if first.code:
            qmd.run("collection", "remove", new.name, timeout_s=limit)
            if qmd.run(*add, timeout_s=read_limit).code:
                _raise_if_failed(first, "collection add")


def _run(qmd: Qmd, name: str, timeout_ms: int) -> None:
    _raise_if_failed(qmd.run(name, timeout_s=timeout_ms / 1000), name)


def _raise_if_failed(done: Completed, name: str) -> None:
    if done.code:
        raise QmdFailed(f"qmd {name} failed: {done.reason}")


def start_in_background(
    qmd: Qmd,
    wanted: tuple[Collection, ...],
    timing: QmdUpdateSettings,
    work: Steps,
    *,
    asked: float,
) -> None:
    """Start a refresh, which does nothing if another process has updated since `asked`.

    Raises `QmdFailed` if no process can be started.
    """
    job = {
        "command": qmd.command,
        "folder": str(qmd.folder),
        "collections": [asdict(collection) for collection in wanted],
        "timing": asdict(timing),
        "work": sorted(work),
        "asked": asked,
    }
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lorebank.qmd.refresh", json.dumps(job, default=str)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=qmd.folder,  # never the workspace, whose files could be imported
            env={**os.environ, **qmd.environ},
            start_new_session=True,
        )
    except OSError as error:
        raise QmdFailed(f"the update cannot be started: {error.strerror}") from error
    Thread(target=process.wait, daemon=True).start()


def main(job: Mapping[str, Any], environ: Mapping[str, str]) -> None:
    """Run a job unless another process is running it or has done it."""
    qmd = Qmd(job["command"], Path(job["folder"]), environ)
    timing = QmdUpdateSettings(**job["timing"])
    with WriterLock(qmd.folder, timeout_s=0, file=qmd.lock_file):
        if State.read(qmd.folder).updated < job["asked"]:
            refresh(qmd, read_collections(job["collections"]), timing, frozenset(job["work"]))


if __name__ == "__main__":
    with contextlib.suppress(LorebankError):  # the state records what failed
        main(json.loads(sys.argv[1]), os.environ)
