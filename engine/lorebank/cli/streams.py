"""Writing to stdout and stderr: text in any encoding, JSON, progress; a reader that has gone."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TextIO

if TYPE_CHECKING:
    from lorebank.cli.session import Session


class ReaderGone(Exception):
    """Nobody reads the pipe any more. A class of its own, as click exits with 1 on `EPIPE`."""


def write(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines; letters the stream's encoding lacks come out as backslash escapes."""
    target = sys.stdout if stream is None else stream
    if target is None:
        return
    with _reader_watched():
        for line in lines:
            target.write(f"{_encodable(line, target)}\n")


def write_json(payload: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Write one JSON object, as UTF-8 whatever the locale says."""
    import json

    write_raw(json.dumps(payload, ensure_ascii=False, indent=indent, default=str) + "\n")


def write_raw(text: str) -> None:
    """Write text as UTF-8, byte for byte: no newline is translated and none is added."""
    if sys.stdout is None:
        return
    encoded = text.encode("utf-8", "backslashreplace")
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(encoded.decode("utf-8"))
        return
    with _reader_watched():
        sys.stdout.flush()
        binary.write(encoded)


def flush() -> None:
    """Send off what is buffered."""
    with _reader_watched():
        for stream in _open_streams():
            stream.flush()


def discard() -> None:
    """Drop what is buffered and cannot be sent, so that Python does not fail on it at exit."""
    for stream in _open_streams():
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _open_streams() -> list[TextIO]:
    return [stream for stream in (sys.stdout, sys.stderr) if stream is not None]


@contextmanager
def _reader_watched() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as problem:
        raise ReaderGone from problem


def _encodable(line: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return line.encode(encoding, "backslashreplace").decode(encoding)


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

    def __exit__(self, *raised: object) -> None:
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
