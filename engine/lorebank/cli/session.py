"""A command's workspace, day, and output."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import date, datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Mutable, as_json
from lorebank.render.text import Look

if TYPE_CHECKING:
    from lorebank.app.bank import Bank
    from lorebank.app.several import Banks
    from lorebank.settings.config import Change
    from lorebank.settings.tables import Config


class ReaderGone(Exception):
    """The reader closed the pipe. A separate class, since click exits with 1 on `EPIPE`."""


def write(lines: Iterable[str], stream: TextIO | None = None) -> None:
    """Write lines, with backslash escapes for letters the encoding lacks."""
    target = sys.stdout if stream is None else stream
    if target is None:
        return
    with _reader_watched():
        encoding = target.encoding or "utf-8"
        for line in lines:
            target.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def write_json(payload: Mapping[str, Any]) -> None:
    """Write one JSON object, as UTF-8 whatever the locale says."""
    import json

    write_raw(json.dumps(payload, ensure_ascii=False, indent=2, default=str) + "\n")


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
    with _reader_watched():
        for stream in _open_streams():
            stream.flush()


def discard() -> None:
    """Drop unsendable buffered output, so that Python does not fail at exit."""
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


BAR_WIDTH = 24
REDRAW_S = 0.08
"""Chosen by hand: twelve times a second looks continuous and costs nothing."""
_CLEAR = "\r\x1b[2K"


class Progress:
    """A progress bar, called with `(stage, done, total)`; cleared at the end of the block."""

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


SCHEMA_VERSION = 1
FOUND = 6
"""The exit code of a check that found something."""
FALLBACK_USED = 7
"""The exit code of an answer by a fallback."""
PIPE_WIDTH = 100
"""Without a terminal, so that output does not depend on one."""
WIDEST = 120
"""Longer lines are hard to read, however wide the terminal."""


class Session(Mutable):
    """One run of the command line."""

    workspace: str | None = None
    bank_name: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    offline: bool = False
    overrides: Sequence[str] = ()
    """Settings given with the command, each `key=value`."""
    opened: Path | None = None
    """The command's workspace, once opened."""
    warned: set[str] = field(default_factory=set)
    """Warnings printed by the workspace itself."""
    day: str | None = None
    """From `--date`, in place of today."""
    fail_empty: bool = False
    """Whether an empty result exits with 1."""
    reflected: bool = False
    """Whether the command itself was a reflect run."""

    def read_ahead(self, arguments: Sequence[str]) -> None:
        """Find out how to report errors, even if the arguments cannot be parsed."""
        before_text = list(takewhile("--".__ne__, arguments))
        self.json = "--json" in before_text
        self.verbose = "--verbose" in before_text

    def bank(self, *, group: bool = False) -> Bank:
        from lorebank.app.bank import Bank

        self._refuse_two_names()
        bank = Bank.open(
            self.workspace,
            bank=self.bank_name,
            now=self.now,
            flags=self.flags,
            say=self.say,
            group=group,
        )
        self.opened = bank.root
        return bank

    @property
    def flags(self) -> tuple[Change, ...]:
        from lorebank.settings.config import Change

        given = [text.partition("=") for text in self.overrides]
        if unclear := [key for key, equals, _ in given if not equals]:
            raise UsageError(
                f"--set {unclear[0]}: expected KEY=VALUE", hint="as in --set recall.k=5"
            )
        changes = [Change(key.strip(), value, "--set") for key, _, value in given]
        offline = [Change("embedder.offline", True, "--offline")] if self.offline else []
        return (*changes, *offline)

    def code_of(self, bank: Bank | Banks, found: object) -> int:
        """The exit code of an answer."""
        if self.fail_empty and not found:
            return 1
        return FALLBACK_USED if bank.fallbacks() else 0

    def banks(self) -> Banks:
        from lorebank.app.several import Banks

        if self.workspace or self.bank_name:
            flag = "--bank" if self.bank_name else "--workspace"
            raise UsageError(f"--all and {flag} are both given", hint="give one of them")
        return Banks.open(now=self.now, flags=self.flags, say=self.say)

    def say(self, line: str) -> None:
        """Print a note from the library."""
        self.warned.add(line)
        self.note([self.error_look.warn(self.error_look.clean_line(line))])

    def _refuse_two_names(self) -> None:
        if self.workspace and self.bank_name:
            raise UsageError("--workspace and --bank are both given", hint="give one of them")

    def find_root(self) -> Path:
        """The workspace's folder, without opening it."""
        from lorebank.workspace.discover import find_workspace

        self._refuse_two_names()
        named = Path(self.workspace) if self.workspace else None
        return find_workspace(named, os.environ, bank=self.bank_name)

    @property
    def moment(self) -> datetime:
        """The local time; with a given day, the time of `LOREBANK_NOW` or noon."""
        text = os.environ.get("LOREBANK_NOW", "").strip()
        if self.now is None:
            return datetime.now().astimezone().replace(tzinfo=None, microsecond=0)
        try:
            named = datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            named = datetime.combine(self.now, datetime.min.time())
        return named if len(text) > len("2025-11-27") else named.replace(hour=12)

    def settings(self) -> tuple[Path, Config]:
        from lorebank.settings.config import load_config

        root = self.find_root()
        return root, load_config(root, os.environ, self.flags)

    @property
    def now(self) -> date | None:
        """The day of `--date` or `LOREBANK_NOW`, if any."""
        text = os.environ.get("LOREBANK_NOW", "").strip()
        try:
            named = date.fromisoformat(text[:10]) if text else None
        except ValueError:
            raise ConfigurationError(
                f"LOREBANK_NOW is not a day: {text!r}", hint="write it as 2025-11-27"
            ) from None
        if self.day is None:
            return named
        from lorebank.recall.filters import parse_single_day

        return parse_single_day(self.day, named or date.today(), "date")

    @property
    def look(self) -> Look:
        return _look_of(sys.stdout)

    @property
    def error_look(self) -> Look:
        return _look_of(sys.stderr)

    @property
    def can_ask(self) -> bool:
        """Whether there is a terminal for questions."""
        streams = (sys.stdin, sys.stderr)
        return not self.json and all(s is not None and s.isatty() for s in streams)

    def show(self, lines: Iterable[str]) -> None:
        write(lines)

    def result(
        self,
        value: Any,
        lines: Callable[..., Iterable[str]],
        *,
        key: str = "",
        found: Any = None,
        nothing: str = "",
        notes: Iterable[str] = (),
        **how: Any,
    ) -> int:
        """Print a command's result and return the exit code.

        As JSON a record, or any value below `key`; else `lines(look, value, **how)`, followed by
        `notes`, or by `nothing` if `found` (by default `value`) is empty.
        """
        empty = not (value if found is None else found)
        if self.json:
            self.show_json({key: as_json(value)} if key else value.to_dict())
        else:
            self.show(lines(self.look, value, **how))
            self.note([nothing] if empty and nothing else notes)
        return int(self.fail_empty and empty)

    def print(
        self, payload: Mapping[str, Any], lines: Iterable[str] = (), notes: Iterable[str] = ()
    ) -> None:
        """Print the payload under `--json`; else lines on stdout and notes on stderr."""
        if self.json:
            self.show_json(payload)
            return
        self.show(lines)
        self.note(notes)

    def show_json(self, payload: Mapping[str, Any]) -> None:
        write_json({"schema_version": SCHEMA_VERSION, **payload})

    def note(self, lines: Iterable[str]) -> None:
        """Write notes, advice and problems to stderr, unless `--quiet`."""
        if not self.quiet:
            write(lines, sys.stderr)


pass_session = click.make_pass_decorator(Session, ensure=True)


def _look_of(stream: Any) -> Look:
    if stream is None or not stream.isatty():
        return Look(width=PIPE_WIDTH)
    import shutil

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
    return Look(width=min(width, WIDEST), colour=not plain, terminal=True)


def ask_key(session: Session, place: str, verdicts: Mapping[str, str]) -> str:
    """Ask for one of the verdicts (word → effect) by its first letter; `?` explains them."""
    keys = {word[0]: word for word in verdicts}
    shown = ", ".join(f"{key} {word}" for key, word in keys.items())
    prompt = session.look.dim(f"{place}: {shown}, ? help")
    session.show([prompt])
    while True:
        key = click.getchar().lower()
        if key in keys:
            return keys[key]
        if key == "?":
            width = max(map(len, verdicts))
            lines = [f"  {word:<{width}}  {does}".rstrip() for word, does in verdicts.items()]
            session.show([*lines, prompt])


def edit_source(session: Session, root: Path, source: str) -> None:
    path = source.partition("#")[0]
    session.show([f"opening {source}"])
    click.edit(filename=str(root / path))
