"""The `qmd` command: run in a home of its own, within a time, within a size.

The home is among the user's other caches, a folder a workspace. Not in the workspace: qmd runs
commands that its own configuration names, and a workspace may come from anybody.
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
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import IO

from lorebank.errors import ProviderError
from lorebank.records import Record
from lorebank.settings.files import cache_directory
from lorebank.workspace.layout import own_name

_MOST_BYTES = 32 * 1024 * 1024
"""An output larger than this is no answer."""
_MISLEADING = ("QMD_CONFIG_DIR", "INDEX_PATH")
"""Variables that would make qmd use another index than that of its home."""
_ERROR = re.compile(r"(?:[A-Za-z]*error|fatal)\b\s*:", re.IGNORECASE)
_LAST_WORDS_S = 1.0
"""How long output is waited for once the command itself has ended."""


class QmdFailed(ProviderError):
    """The sidecar did not answer; the message says why."""


class QmdMissing(QmdFailed):
    """The command is not installed."""


class Home(Record):
    """The sidecar's folder for one workspace."""

    folder: Path

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
        """Exported conversations, where the settings name no other place."""
        return self.folder / "sessions"

    @property
    def state_file(self) -> Path:
        return self.folder / "state.json"

    @property
    def changed_at(self) -> float:
        """When files of the workspace were last seen to have changed; 0 for never."""
        try:
            return (self.folder / "changed").stat().st_mtime
        except OSError:
            return 0.0

    def note_change(self) -> None:
        """Files of the workspace changed just now."""
        mark, now = self.folder / "changed", time.time()
        try:
            mark.touch()
            os.utime(mark, (now, now))
        except OSError as error:
            raise QmdFailed(f"{mark}: cannot be written: {error.strerror}") from error

    @property
    def lock_file(self) -> Path:
        """Held by whoever brings the index up to date."""
        return self.folder / "lock"

    def make(self, environ: Mapping[str, str]) -> None:
        """Make the folders, where models that the user's own qmd has are used as well."""
        own = self.cache_home / "qmd"
        try:
            self.config_home.mkdir(parents=True, exist_ok=True)
            own.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise QmdFailed(f"{self.folder}: cannot be made: {error.strerror}") from error
        models = _users_models(environ)
        if models is not None and models.is_dir() and not (own / "models").exists():
            with contextlib.suppress(OSError):
                (own / "models").symlink_to(models, target_is_directory=True)


def home_of(root: Path, environ: Mapping[str, str]) -> Home:
    """The workspace's home. `QmdFailed` where the user has no folder for caches."""
    caches = cache_directory(environ)
    if caches is None:
        raise QmdFailed("no folder for caches is known", hint="set XDG_CACHE_HOME")
    return Home(caches / "qmd" / own_name(root))


def _users_models(environ: Mapping[str, str]) -> Path | None:
    caches = Path(environ.get("XDG_CACHE_HOME", ""))
    if caches.is_absolute():
        return caches / "qmd" / "models"
    home = environ.get("HOME")
    return Path(home, ".cache", "qmd", "models") if home else None


class Completed(Record):
    """How a command ended."""

    code: int
    output: str
    errors: str

    @property
    def reason(self) -> str:
        """The line that names an error, or else the last one that it said."""
        text = self.errors if self.errors.strip() else self.output
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        telling = next((line for line in lines if _ERROR.match(line)), lines[-1] if lines else "")
        said = "".join(c if c.isprintable() else " " for c in telling)[:200]
        return f"exit code {self.code}" + (f": {said}" if said else "")


class QmdCommand(Record):
    """The command and the home that it is run in."""

    command: str
    home: Home
    environ: Mapping[str, str]

    def run(self, *arguments: str, timeout_s: float) -> Completed:
        """Run it to its end. `QmdMissing` where it is not there, `QmdFailed` where it takes longer
        than `timeout_s` seconds, cannot be started, or prints without end."""
        program = self.find()
        try:
            process = subprocess.Popen(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.home.folder.anchor,  # below a `.qmd` folder qmd takes that for its home
                env=self.environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise QmdFailed(f"{self.command} cannot be started: {error}") from error
        return _wait(process, f"{self.command} {arguments[0]}", timeout_s)

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
        """The user's environment, with the homes that are the sidecar's own."""
        kept = {name: text for name, text in self.environ.items() if name not in _MISLEADING}
        return kept | {
            "XDG_CONFIG_HOME": str(self.home.config_home),
            "XDG_CACHE_HOME": str(self.home.cache_home),
            "PWD": self.home.folder.anchor,
            "NO_COLOR": "1",
        }


def _wait(process: subprocess.Popen[bytes], name: str, timeout_s: float) -> Completed:
    output, errors = _Reader(process, process.stdout), _Reader(process, process.stderr)
    readers = (output, errors)
    try:
        code = process.wait(timeout_s)
        for reader in readers:
            reader.join(_LAST_WORDS_S)
    except subprocess.TimeoutExpired:
        raise QmdFailed(f"{name} took longer than {timeout_s:g} s") from None
    finally:
        if process.returncode is None or any(reader.is_alive() for reader in readers):
            _end(process)
        for reader in readers:
            reader.join()
            reader.stream.close()
    if output.is_too_long or errors.is_too_long:
        raise QmdFailed(f"{name} printed more than {_MOST_BYTES >> 20} MB")
    return Completed(code, output.text, errors.text)


class _Reader(Thread):
    """Reads a stream to its end, so that the command never waits for a reader."""

    def __init__(self, process: subprocess.Popen[bytes], stream: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        assert stream is not None
        self.stream = stream
        self._process = process
        self._read = bytearray()
        self.start()

    def run(self) -> None:
        while not self.is_too_long and (part := os.read(self.stream.fileno(), 65536)):
            self._read += part
        if self.is_too_long:
            _end(self._process)

    @property
    def is_too_long(self) -> bool:
        return len(self._read) > _MOST_BYTES

    @property
    def text(self) -> str:
        return self._read.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and all that it started; what has ended already stays so."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
