"""A progress line on stderr, drawn only where a person watches."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from lorebank.cli.session import Session

BAR_WIDTH = 24
REDRAW_S = 0.08
_CLEAR = "\r\x1b[2K"


class Progress:
    """Call it with `(stage, done, total)`; leaving the `with` block clears the line."""

    def __init__(self, session: Session) -> None:
        self._shown = not session.quiet and session.error_look.terminal
        self._drawn_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn_at:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._shown or now - self._drawn_at < REDRAW_S:
            return
        self._drawn_at = now
        sys.stderr.write(_CLEAR + progress_line(stage, done, total))
        sys.stderr.flush()


def progress_line(stage: str, done: int, total: int) -> str:
    """`reading  ████████░░░░  120/240`."""
    share = min(done / total, 1.0) if total > 0 else 0.0
    filled = int(share * BAR_WIDTH)
    return f"{stage}  {'█' * filled}{'░' * (BAR_WIDTH - filled)}  {done:,}/{total:,}"
