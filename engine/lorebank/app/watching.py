"""Noticing changed files as they change, and working off what follows from them. Network file
systems do not notify, so they are polled; a periodic sweep finds whatever is missed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from lorebank.app.workspace import SWEEP_S, Say, log_warning
from lorebank.domain.facts import SyncReport
from lorebank.errors import LorebankError
from lorebank.workspace.layout import DERIVED_FOLDER

QUIET_S = 1.5
"""After a change, so long without another before the background works: editors save in bursts."""
_STEP_MS = 50
"""Debounce: changes closer together than this count as one."""
_ALIVE_MS = 500
_REMOTE = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afpfs", "vboxsf", "drvfs")
)
"""Types of network file systems, which do not notify this machine of changes."""


class Watcher(Thread):
    """Counts how often files of a workspace changed; harmless where watching is not possible."""

    def __init__(self, root: Path, say: Say = log_warning) -> None:
        super().__init__(name="lorebank-watch", daemon=True)
        self._root = root
        self._say = say
        self._stopped = Event()
        self.changes = 0
        self.is_watching = False
        """Whether `changes` can be relied on."""
        self.news = Event()
        """Set with each change; whoever waits for it clears it."""

    def run(self) -> None:
        try:
            from watchfiles import watch
        except ImportError:
            return
        derived = str(self._root / DERIVED_FOLDER)
        try:
            for changed in watch(
                self._root,
                watch_filter=lambda _, path: not path.startswith(derived),
                debounce=int(QUIET_S * 1000),
                step=_STEP_MS,
                stop_event=self._stopped,
                rust_timeout=_ALIVE_MS,
                yield_on_timeout=True,
                force_polling=is_remote(self._root) or None,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                if changed or not self.is_watching:
                    self.changes += 1
                    self.is_watching = True
                    self.news.set()
        except Exception as problem:  # too many folders, a vanished root: the sweep goes on
            self._say(f"files are not watched: {problem}")
        finally:
            self.is_watching = False

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        self._stopped.set()
        self.news.set()
        if self.is_alive():
            self.join()


def is_remote(root: Path, mounts: Path = Path("/proc/mounts")) -> bool:
    """Whether a folder is on another machine, as far as the system says."""
    try:
        rows = [line.split() for line in mounts.read_text("utf-8", "replace").splitlines()]
    except OSError:
        return False
    found = [
        (len(row[1]), row[2])
        for row in rows
        if len(row) > 2 and (root == Path(row[1]) or Path(row[1]) in root.parents)
    ]
    return bool(found) and max(found)[1] in _REMOTE


def keep_up(
    catch_up: Callable[[], SyncReport],
    watcher: Watcher,
    on_sync: Callable[[SyncReport], None] = lambda report: None,
    say: Say = log_warning,
) -> None:
    """Sync and embed with each change, until the watcher is stopped."""
    while not watcher.is_stopped:
        if watcher.news.wait(SWEEP_S):
            seen = -1
            while watcher.changes != seen and not watcher.is_stopped:
                seen = watcher.changes
                time.sleep(QUIET_S)
        watcher.news.clear()
        if watcher.is_stopped:
            return
        try:
            on_sync(catch_up())
        except LorebankError as problem:  # another process holds the lock, a file is half written
            say(f"not brought up to date: {problem.message}")
