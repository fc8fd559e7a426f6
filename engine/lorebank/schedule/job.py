"""A nightly job: which workspace, at what time, by which command. Pure."""

from __future__ import annotations

import re
import unicodedata
from datetime import time
from hashlib import blake2b

from lorebank.errors import UsageError
from lorebank.records import dataclass

DEFAULT_AT = "03:30"
_AT = re.compile(r"\A([01]?[0-9]|2[0-3]):([0-5][0-9])\Z")

_UNFIT = frozenset({"Cc", "Cs"})
"""Control characters, and bytes of a path that are no text."""


@dataclass(frozen=True, slots=True)
class Job:
    """One workspace's nightly reflection."""

    workspace: str
    """Absolute path."""
    at: time
    """Local time, whole minutes."""
    python: str
    """Absolute path of the interpreter that has lorebank."""

    def __post_init__(self) -> None:
        for text in (self.workspace, self.python):
            if any(unicodedata.category(letter) in _UNFIT for letter in text):
                raise UsageError(
                    f"{text!r} cannot be scheduled: no scheduler takes such letters in a path",
                    hint="rename the folder",
                )

    @property
    def name(self) -> str:
        """What the job is called in every scheduler; a workspace has one."""
        return job_name(self.workspace)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line, word by word; `-P` keeps the folder it runs in off the import path."""
        run = ("-P", "-m", "lorebank", "-w", self.workspace, "reflect", "--quiet")
        return (self.python, *run)


def job_name(workspace: str) -> str:
    """`lorebank-` and 8 hex digits, from the workspace's absolute path.

    >>> job_name("/home/ada/notes")
    'lorebank-f1e74320'
    """
    path = workspace.encode("utf-8", "surrogatepass")
    return f"lorebank-{blake2b(path, digest_size=4).hexdigest()}"


def parse_at(text: str) -> time:
    """A time of day on a 24-hour clock: `03:30`, `3:30`; `UsageError` for anything else."""
    found = _AT.match(text.strip())
    if found is None:
        raise UsageError(f"--at {text!r} is not a time of day", hint="write it as 03:30")
    return time(int(found[1]), int(found[2]))
