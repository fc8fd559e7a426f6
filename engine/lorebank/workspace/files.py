"""Find the memory files of a workspace: `memory.md`, `memory/`, `bank/` without reflect's reports,
daily logs and extra paths; in them every `.md` file whose name does not begin with a dot.

Links are not followed, nested workspaces only read if the settings name them. Whatever is left out
for another reason than its name is reported.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from datetime import date
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from lorebank.domain.facts import Diagnostic
from lorebank.errors import WorkspaceError
from lorebank.records import Mutable, Record
from lorebank.settings.tables import Config
from lorebank.workspace.layout import (
    BANK_FOLDER,
    DERIVED_FOLDER,
    MEMORY_FOLDER,
    FileRole,
    LogPattern,
    is_core,
    is_generated,
    is_markdown,
    named_day,
    role_of,
)

_MAX_FILES_COUNTED = 1_000  # for a hint; a home directory may have a million
_WINDOWS_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT of the Windows SDK
_MISSING = "an extra path of the settings is missing"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


class SourceFile(NamedTuple):
    """One memory file as the walk saw it."""

    path: str
    """Relative to the workspace with `/` between parts; absolute for an extra file outside it."""
    size: int
    """Bytes."""
    mtime_ns: int
    """The later of mtime and ctime."""
    recorded: date | None
    """The day in its name."""
    role: FileRole


class WalkResult(Record):
    """The memory files, sorted by path, and problems."""

    files: tuple[SourceFile, ...]
    problems: tuple[Diagnostic, ...]


def walk(root: Path, config: Config) -> WalkResult:
    """Every memory file of the workspace; `WorkspaceError` only if `root` is no folder."""
    if not root.is_dir():
        raise WorkspaceError(f"{root}: is not a folder", hint="lorebank init makes a workspace")
    exclude = frozenset(path.strip("/") for path in config.workspace.exclude)
    run = _Walk(root, LogPattern.compile(config.workspace.log_pattern), exclude)
    for entry in run._entries(""):
        if is_core(entry.name):
            run._visit(entry, entry.name)
    for folder in (MEMORY_FOLDER, BANK_FOLDER):
        if run.is_plain_folder(folder, missing_is_fine=True):
            run.visit_below(folder)
    run.visit_matching("", run.pattern.parts)
    for path in config.workspace.extra_paths:
        run.visit_extra(relative_to_root(root, path))
    files = tuple(run.files[path] for path in sorted(run.files))
    if not files:
        run.problems |= _markdown_elsewhere(root)
    return WalkResult(files, tuple(sorted(run.problems, key=lambda p: (p.path, p.code))))


def _markdown_elsewhere(root: Path) -> set[Diagnostic]:
    """If there are no memory files: a hint to Markdown elsewhere."""
    below = (file.relative_to(root) for file in islice(root.glob("**/*.md"), _MAX_FILES_COUNTED))
    found = [file for file in below if not any(part.startswith(".") for part in file.parts)]
    if not found:
        return set()
    many = "1 Markdown file lies" if len(found) == 1 else f"{len(found)} Markdown files lie"
    message = (
        f"{many} outside of memory/ and bank/ and are not read, such as"
        f" {found[0].as_posix()}; move them, or set workspace.extra_paths"
    )
    return {Diagnostic(".", 0, "no-memory", message)}


def relative_to_root(root: Path, path: str) -> str:
    """An extra path in the form of memory paths: relative if inside the workspace."""
    full = Path(os.path.normpath(Path(path).expanduser()))
    if not full.is_absolute():
        return PurePosixPath(path).as_posix()
    real = Path(os.path.realpath(full.parent)) / full.name
    inside = next((each for each in (full, real) if each.is_relative_to(root)), None)
    return full.as_posix() if inside is None else inside.relative_to(root).as_posix()


def is_workspace(folder: Path | str) -> bool:
    """Whether a folder has an index of its own."""
    return _is_folder(Path(folder) / DERIVED_FOLDER)


def _is_folder(path: Path | str) -> bool:
    """As `Path.is_dir`, which raises without permission."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file for reading; raises `OSError` for links and anything else."""
    descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _BINARY)
    with os.fdopen(descriptor, "rb") as handle:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        yield handle


def read_bytes(root: Path, source: SourceFile) -> bytes:
    """`OSError` as `open_regular`."""
    with open_regular(root / source.path) as handle:
        return handle.read()


def content_hash(content: bytes) -> str:
    """32 hex digits."""
    from hashlib import blake2b  # imports OpenSSL, which recall does not need

    return blake2b(content, digest_size=16).hexdigest()


def is_link(entry: os.DirEntry[str] | os.stat_result) -> bool:
    """Whether an entry is a symbolic link or a Windows junction."""
    if isinstance(entry, os.DirEntry):
        if entry.is_symlink():
            return True
        return os.name == "nt" and is_link(entry.stat(follow_symlinks=False))
    return stat.S_ISLNK(entry.st_mode) or getattr(entry, "st_reparse_tag", 0) == _WINDOWS_JUNCTION


class _Walk(Mutable):
    root: Path
    pattern: LogPattern
    exclude: frozenset[str]
    files: dict[str, SourceFile] = field(default_factory=dict)
    problems: set[Diagnostic] = field(default_factory=set)

    def visit_extra(self, path: str) -> None:
        if path == ".":
            self.visit_below("")
            return
        parents = PurePosixPath(path).parents if not Path(path).is_absolute() else ()
        for parent in reversed([p.as_posix() for p in parents if p.as_posix() != "."]):
            if not self.is_plain_folder(parent):
                return
        if is_markdown(path) and not _is_folder(self._full(path)):
            folder, _, name = path.rpartition("/")
            found = [entry for entry in self._entries(folder) if entry.name == name]
            if not found:
                self._report(path, "extra-path-missing", _MISSING)
            for entry in found:
                self._visit(entry, path)
        elif self.is_plain_folder(path):
            self.visit_below(path)

    def visit_below(self, folder: str) -> None:
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            prefix = f"{folder}/" if folder else ""
            generated = is_generated(folder)
            for entry in self._entries(folder):
                name = entry.name
                if name[0] == ".":
                    continue
                path = prefix + name
                # The common case first: a walk precedes every answer.
                if name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    if not generated and len(name) > len(".md"):
                        self._visit_file(entry, path)
                elif entry.is_dir(follow_symlinks=False) and not is_link(entry):
                    if (inner := self._below(path)) is not None:
                        waiting.append(inner)
                else:
                    self._visit(entry, path)

    def _below(self, path: str) -> str | None:
        """The memory path of a folder to descend into; `None` if it is left out."""
        if is_generated(path) or path in self.exclude:
            return None
        full = self._full(path)
        folder = Path(path)
        if folder.is_absolute() and os.path.realpath(full) == os.path.realpath(self.root):
            return ""  # an extra path around the workspace, whose files keep their names
        if is_workspace(full):
            message = "is a separate workspace, and is not read as part of this one"
            self._report(path, "nested-workspace", message)
            return None
        return path

    def visit_matching(self, folder: str, parts: tuple[re.Pattern[str], ...]) -> None:
        """Logs matching the pattern outside the folders that are walked anyway."""
        for entry in self._entries(folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if path in (MEMORY_FOLDER, BANK_FOLDER) or not parts[0].match(entry.name):
                continue
            if len(parts) == 1:
                self._visit(entry, path)
            elif is_link(entry):
                self._report_link(path)
            elif entry.is_dir(follow_symlinks=False):
                self.visit_matching(path, parts[1:])

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self._full(folder)) as entries:
                yield from entries
        except OSError as error:
            message = f"the folder cannot be read: {error.strerror}"
            self._report(folder or ".", "unreadable", message)

    def _visit(self, entry: os.DirEntry[str], path: str) -> None:
        """Add an entry that is not a folder, or report why not."""
        if is_link(entry):
            if is_markdown(path) or entry.is_dir():
                self._report_link(path)
            return
        if not is_markdown(path) or is_generated(path):
            return
        if entry.is_file(follow_symlinks=False):
            self._visit_file(entry, path)
        elif not entry.is_dir(follow_symlinks=False):
            self._report(path, "not-a-file", "is a pipe, socket or device and is not read")

    def _visit_file(self, entry: os.DirEntry[str], path: str) -> None:
        if path in self.files or path in self.exclude:
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._report(path, "unreadable", f"the file cannot be read: {error.strerror}")
            return
        if not path.isprintable() and shown_path(path) != path:
            self._report(path, "name-not-utf8", "the name is not UTF-8; rename the file")
            return
        day, role, problem = _day_and_role(path, self.pattern.text)
        if problem:
            self.problems.add(problem)
        # A file restored with its old mtime, as by `cp -p`, still has a new ctime.
        changed = max(status.st_mtime_ns, status.st_ctime_ns)
        self.files[path] = SourceFile(path, status.st_size, changed, day, role)

    def is_plain_folder(self, path: str, *, missing_is_fine: bool = False) -> bool:
        """Whether the path is a folder and not a link; anything else is reported."""
        try:
            status = os.lstat(self._full(path))
        except FileNotFoundError:
            if not missing_is_fine:
                self._report(path, "extra-path-missing", _MISSING)
            return False
        except OSError as error:
            self._report(path, "unreadable", f"the folder cannot be read: {error.strerror}")
            return False
        if is_link(status):
            self._report_link(path)
            return False
        if not stat.S_ISDIR(status.st_mode):
            self._report(path, "not-a-folder", "is neither a folder nor a Markdown file")
            return False
        return True

    def _full(self, path: str) -> str:
        return str(self.root / path)

    def _report_link(self, path: str) -> None:
        self._report(path, "symlink-ignored", "is a symbolic link, which is never followed")

    def _report(self, path: str, code: str, message: str) -> None:
        self.problems.add(Diagnostic(shown_path(path), 0, code, message))


@lru_cache(maxsize=65_536)
def _day_and_role(path: str, pattern: str) -> tuple[date | None, FileRole, Diagnostic | None]:
    named = named_day(path, LogPattern.compile(pattern))
    return named.day, role_of(path, named), named.problem


def shown_path(path: str) -> str:
    """A printable path: non-UTF-8 bytes are written as `\\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def entries_below(
    folder: Path, report: Callable[[Diagnostic], object]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Each regular file below a folder by relative path; anything else is reported."""
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError as error:
            path = place.relative_to(folder).as_posix()
            report(Diagnostic(path, 0, "unreadable", f"cannot be read: {error.strerror}"))
            continue
        for entry in entries:
            path = Path(entry.path).relative_to(folder).as_posix()
            if is_link(entry):
                odd = ("symlink-ignored", "is a symbolic link, which is never followed")
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
                continue
            elif not entry.is_file(follow_symlinks=False):
                odd = ("not-a-file", "is a pipe, socket or device and is not read")
            elif shown_path(path) != path:
                odd = ("name-not-utf8", "the name is not UTF-8; rename the file")
            else:
                yield path, entry
                continue
            report(Diagnostic(shown_path(path), 0, *odd))
