"""Every error lorebank raises, as one tree; the exit code and the JSON code stand on the class.

A message says what happened, where (`path:line` where there is one); `hint` says what to do.
"""

from __future__ import annotations

import errno
from typing import ClassVar, Self

_REMEDIES = {
    errno.ENOSPC: "free some space on that disk, then run it again",
    getattr(errno, "EDQUOT", errno.ENOSPC): "your quota on that disk is used up: free some space",
    errno.EROFS: "the disk is mounted read-only: mount it for writing, or work on a copy elsewhere",
    errno.EACCES: "give yourself the right to write there, then run it again",
    errno.EPERM: "give yourself the right to write there, then run it again",
    errno.EIO: "the disk fails: copy the notes to another one",
}


def remedy_on_disk(problem: OSError) -> str:
    """What to do about a file that cannot be written; empty where that is not known."""
    return _REMEDIES.get(problem.errno or 0, "")


class LorebankError(Exception):
    """The root of the tree; catching it catches everything lorebank raises on purpose."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_dict(self) -> dict[str, dict[str, str]]:
        """The object printed under `--json`: `{"error": {"code", "message", "hint"}}`."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class UsageError(LorebankError):
    """A flag, an argument or a call that cannot be understood; never treated as "no filter"."""

    code = "usage"
    exit_code = 2


class WorkspaceError(LorebankError):
    """The workspace folder is missing, unreadable or not writable."""

    code = "workspace"
    exit_code = 3

    @classmethod
    def on_disk(cls, place: object, problem: OSError, what: str = "cannot be written") -> Self:
        return cls(f"{place}: {what}: {problem.strerror}", hint=remedy_on_disk(problem))


class NotWritable(WorkspaceError):
    """A folder is read-only, or its disk is full."""


class ConfigurationError(WorkspaceError):
    """A settings file or a setting is invalid; the message names file, key and expectation."""

    code = "configuration"


class PathRefused(WorkspaceError):
    """A path that leaves the workspace's memory, is a symbolic link, or is not Markdown."""

    code = "path_refused"


class NotFound(LorebankError):
    """No fact, opinion, entity or file has that name; the hint lists the nearest ones."""

    code = "not_found"


class IndexUnusable(LorebankError):
    """The index cannot be opened and could not be rebuilt from the Markdown files."""

    code = "index_unusable"
    exit_code = 4


class LockHeld(LorebankError):
    """Another process holds the workspace's writer lock."""

    code = "lock_held"
    exit_code = 5


class ConcurrentEdit(LorebankError):
    """A file changed between reading and writing; it was left as it is."""

    code = "concurrent_edit"


class CoreMemoryFull(LorebankError):
    """A write would make the core memory too large; the hint says what could move to the bank."""

    code = "core_memory_full"


class ProviderError(LorebankError):
    """An embedder or a generator failed, answered nonsense, or is not installed."""

    code = "provider"


class Offline(ProviderError):
    """A provider on another machine was not asked, since nothing may leave this one."""

    code = "offline"


class ScheduleError(LorebankError):
    """The system's scheduler is missing, or refused what it was given."""

    code = "schedule"
