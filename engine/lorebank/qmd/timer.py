"""A thread that does something again and again until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread


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
        """Whether it was told to stop; a long job asks."""
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
