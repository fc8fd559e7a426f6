"""A thread that does something again and again until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

__all__ = ["Timer"]


class Timer(Thread):
    """Calls `job` every `interval_s` seconds, the first time after one interval."""

    def __init__(self, interval_s: float, job: Callable[[], None]) -> None:
        super().__init__(name="lorebank-qmd", daemon=True)
        self._interval_s = interval_s
        self._job = job
        self._stopped = Event()

    def run(self) -> None:
        while not self._stopped.wait(self._interval_s):
            self._job()

    def stop(self) -> None:
        """Return once no call is running."""
        self._stopped.set()
        self.join()
