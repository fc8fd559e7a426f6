"""The `qmd` command, run in its own home with limits on time and output, and its collections.

Files outside the workspace's memory are named `qmd/<collection>/<path>`. The home is in the user's
cache, one per workspace. It is not in the workspace, which may come from anybody: qmd runs commands
from its own configuration.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO
from urllib.parse import unquote

from lorebank.errors import NotFound, PathRefused, ProviderError
from lorebank.records import Record
from lorebank.settings.files import cache_directory
from lorebank.settings.tables import Config, IndexSettings
from lorebank.workspace import layout
from lorebank.workspace.files import entries_below, relative_to_root
from lorebank.workspace.paths import resolve_memory_path, resolve_within

_MAX_OUTPUT_BYTES = 32 * 1024 * 1024
"""Chosen by hand: far above the largest answer, with the most hits that may be asked for."""
_OVERRIDING_VARIABLES = ("QMD_CONFIG_DIR", "INDEX_PATH")  # they would make qmd use another index
DEFAULT_AGENT = IndexSettings().agent_id
_ERROR = re.compile(r"(?:[A-Za-z]*error|fatal)\b\s*:", re.IGNORECASE)


class QmdFailed(ProviderError):
    """The sidecar did not answer; the message says why."""


class QmdMissing(QmdFailed):
    """The command is not installed."""


class Completed(Record):
    """The result of a command."""

    code: int
    output: str
    errors: str

    @property
    def reason(self) -> str:
        """The exit code with the first error line, or else the last line."""
        text = self.errors if self.errors.strip() else self.output
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        error_line = next(filter(_ERROR.match, lines), lines[-1] if lines else "")
        shown = "".join(c if c.isprintable() else " " for c in error_line)[:200]
        return f"exit code {self.code}" + (f": {shown}" if shown else "")


class Qmd(Record):
    """The command, and the folder it uses for one workspace and its readers."""

    command: str
    folder: Path
    environ: Mapping[str, str]

    @property
    def config_home(self) -> Path:
        """`XDG_CONFIG_HOME` of the command."""
        return self.folder / "xdg-config"

    @property
    def cache_home(self) -> Path:
        """`XDG_CACHE_HOME` of the command: its index, and its models."""
        return self.folder / "xdg-cache"

    @property
    def sessions(self) -> Path:
        """Default folder of exported conversations."""
        return self.folder / "sessions"

    @property
    def lock_file(self) -> Path:
        """Held while the index is updated."""
        return self.folder / "lock"

    @property
    def changed_at(self) -> float:
        """When the workspace was last seen to change; 0 for never."""
        try:
            return (self.folder / "changed").stat().st_mtime
        except OSError:
            return 0.0

    def note_change(self) -> None:
        mark, now = self.folder / "changed", time.time()
        try:
            mark.touch()
            os.utime(mark, (now, now))
        except OSError as error:
            raise QmdFailed(f"{mark}: cannot be written: {error.strerror}") from error

    def make_folders(self) -> None:
        """Create the folders, and link the models of the user's own qmd, if any."""
        own = self.cache_home / "qmd"
        try:
            self.config_home.mkdir(parents=True, exist_ok=True)
            own.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise QmdFailed(f"{self.folder}: cannot be made: {error.strerror}") from error
        caches = Path(self.environ.get("XDG_CACHE_HOME", ""))
        if not caches.is_absolute():
            caches = Path(self.environ.get("HOME", "/nonexistent"), ".cache")
        models = caches / "qmd" / "models"
        if models.is_dir() and not (own / "models").exists():
            with contextlib.suppress(OSError):
                (own / "models").symlink_to(models, target_is_directory=True)

    def run(self, *arguments: str, timeout_s: float) -> Completed:
        """Run a command. Raises `QmdMissing`, or `QmdFailed` on timeout, too much output, or if it
        cannot be started."""
        name = f"{self.command} {arguments[0]}"
        with TemporaryFile() as output, TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    [self.find(), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    cwd=self.folder.anchor,  # qmd takes a `.qmd` folder above as its home
                    env=self.environment(),
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise QmdFailed(f"{self.command} cannot be started: {error}") from error
            try:
                code = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                raise QmdFailed(f"{name} took longer than {timeout_s:g} s") from None
            finally:
                if process.returncode is None:
                    _kill(process)
            return Completed(code, _text_of(output, name), _text_of(errors, name))

    def find(self) -> str:
        """The program's absolute path. Raises `QmdMissing`."""
        found = shutil.which(self.command, path=self.environ.get("PATH", ""))
        if found is None or not Path(found).is_absolute():
            raise QmdMissing(
                f"the command {self.command} is not installed",
                hint="npm install -g @tobilu/qmd (Node 22 or later), or set memory.qmd.command",
            )
        return found

    def environment(self) -> dict[str, str]:
        """The user's environment with the sidecar's own homes."""
        kept = {
            name: text for name, text in self.environ.items() if name not in _OVERRIDING_VARIABLES
        }
        return kept | {
            "XDG_CONFIG_HOME": str(self.config_home),
            "XDG_CACHE_HOME": str(self.cache_home),
            "PWD": self.folder.anchor,
            "NO_COLOR": "1",
        }


def folder_for(root: Path, readers: str, environ: Mapping[str, str]) -> Path:
    """The folder of one agent or group for a workspace, so that no other searches its
    conversations. Raises `QmdFailed` if there is no cache folder."""
    caches = cache_directory(environ)
    if caches is None:
        raise QmdFailed("no cache folder was found", hint="set XDG_CACHE_HOME")
    own = layout.own_name(root)
    name = own if readers == DEFAULT_AGENT else f"{own}-{readers}"
    return caches / "qmd" / name


def _text_of(stream: IO[bytes], name: str) -> str:
    """The text of a temporary file; raises `QmdFailed` if it is too large."""
    if stream.seek(0, os.SEEK_END) > _MAX_OUTPUT_BYTES:
        raise QmdFailed(f"{name} printed more than {_MAX_OUTPUT_BYTES >> 20} MB")
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


PREFIX = "qmd/"
MEMORY = "memory-root"
SESSIONS = "sessions"
_ALL_MARKDOWN = "**/*.md"
_SPECIAL = re.compile(r"[*?\[\]{}()!,\\+@|]")
_PLACEHOLDER = re.compile(r"\{(?:YYYY|MM|DD)\}")
_MAX_FILES_COMPARED = 20_000  # when a path is spelled in qmd's own way


class Collection(Record):
    """One folder that qmd searches."""

    name: str
    folder: Path  # absolute
    pattern: str  # a glob below the folder


def collections_of(root: Path, config: Config, sessions: Path | None) -> tuple[Collection, ...]:
    """The configured collections that exist, the workspace's memory first; `sessions` is the folder
    of exported conversations, if they are searched."""
    settings = config.memory.qmd
    found: list[Collection] = []
    if settings.include_default_memory:
        outside = [
            path
            for path in config.workspace.extra_paths
            if Path(relative_to_root(root, path)).is_absolute()
        ]
        found.append(Collection(MEMORY, root, _memory_pattern(root, config)))
        found += [_collection(f"extra-{n}", Path(p), "") for n, p in enumerate(outside, start=1)]
    taken = {row["name"] for row in settings.paths if "name" in row}
    for number, row in enumerate(settings.paths, start=1):
        name = row.get("name") or _unique_name(f"custom-{number}", taken)
        found.append(_collection(name, root / Path(row["path"]).expanduser(), row.get("pattern")))
    if sessions is not None:
        found.append(Collection(SESSIONS, sessions, "*.md"))
    return tuple(collection for collection in found if collection.folder.is_dir())


def shown_path(root: Path, config: Config, collection: Collection, file: Path) -> str | None:
    """The shown path of a file that qmd found; `None` if it may not be shown."""
    names = [file.relative_to(root).as_posix()] if file.is_relative_to(root) else []
    names += [file.as_posix()]
    for name in names:
        try:
            resolve_memory_path(root, name, config)
        except PathRefused:
            continue
        return None if layout.is_generated(name) else name
    if collection.name == MEMORY:
        return None
    return f"{PREFIX}{collection.name}/{file.relative_to(collection.folder).as_posix()}"


def resolve(collections: Sequence[Collection], path: str) -> Path:
    """The file of `qmd/<collection>/<path>`.

    Raises `PathRefused` outside the collection's folder or for non-Markdown, `NotFound` for an
    unknown collection.
    """
    name, _, rest = path.removeprefix(PREFIX).partition("/")
    known = {collection.name: collection for collection in collections}
    if name not in known:
        hint = f"there is {', '.join(known)}" if known else "memory.qmd.paths names none"
        raise NotFound(f"no collection {name!r}", hint=hint)
    return resolve_within(known[name].folder, rest)


def locate(collection: Collection, path: str) -> Path | None:
    """The file behind a path as qmd spells it, if any.

    Some versions write paths in lower case with dashes; then the only file with that spelling is
    meant.
    """
    for spelling in dict.fromkeys((path, unquote(path))):
        try:
            file = resolve_within(collection.folder, spelling)
        except PathRefused:
            continue
        if file.is_file():
            return file
    below = (name for name, _ in entries_below(collection.folder, lambda _: None))
    every = islice(filter(layout.is_markdown, below), _MAX_FILES_COMPARED)
    alike = [name for name in every if _comparable(name) == _comparable(path)]
    return locate(collection, alike[0]) if len(alike) == 1 and alike[0] != path else None


def _comparable(path: str) -> str:
    return re.sub(r"[\W_]+", "-", path.casefold())


def _collection(name: str, place: Path, pattern: str | None) -> Collection:
    """A single file becomes its folder with the name as the pattern."""
    if place.is_file():
        return Collection(name, place.parent, _literal(place.name))
    return Collection(name, Path(os.path.normpath(place)), pattern or _ALL_MARKDOWN)


def _unique_name(wanted: str, taken: set[str]) -> str:
    name = wanted
    while name in taken:
        name += "-x"
    taken.add(name)
    return name


def _memory_pattern(root: Path, config: Config) -> str:
    """One glob for all memory inside the workspace."""
    parts = [
        "memory.md",
        "MEMORY.md",
        f"{layout.MEMORY_FOLDER}/{_ALL_MARKDOWN}",
        f"{layout.BANK_FOLDER}/{_ALL_MARKDOWN}",
    ]
    log = _PLACEHOLDER.sub("\0", config.workspace.log_pattern)
    parts.append(_literal(log).replace("\0", "*"))
    for path in config.workspace.extra_paths:
        inside = relative_to_root(root, path)
        if not PurePosixPath(inside).is_absolute():
            whole = _literal(inside)
            parts.append(whole if layout.is_markdown(inside) else f"{whole}/{_ALL_MARKDOWN}")
    return "{" + ",".join(dict.fromkeys(parts)) + "}"


def _literal(text: str) -> str:
    """A path as a glob: special characters match any character."""
    return _SPECIAL.sub("?", text)
