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
from tempfile import TemporaryFile
from typing import IO

from lorebank.errors import ProviderError
from lorebank.records import Record
from lorebank.settings.files import cache_directory
from lorebank.settings.tables import IndexSettings
from lorebank.workspace.layout import own_name

_MOST_BYTES = 32 * 1024 * 1024
"""An output larger than this is no answer."""
_MISLEADING = ("QMD_CONFIG_DIR", "INDEX_PATH")
"""Variables that would make qmd use another index than that of its home."""
DEFAULT_AGENT = IndexSettings().agent_id
_ERROR = re.compile(r"(?:[A-Za-z]*error|fatal)\b\s*:", re.IGNORECASE)


class QmdFailed(ProviderError):
    """The sidecar did not answer; the message says why."""


class QmdMissing(QmdFailed):
    """The command is not installed."""


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


class Qmd(Record):
    """The command, and the folder for one workspace and its readers that it is run in."""

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
        """Exported conversations, where the settings name no other place."""
        return self.folder / "sessions"

    @property
    def lock_file(self) -> Path:
        """Held by whoever brings the index up to date."""
        return self.folder / "lock"

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

    def make_folders(self) -> None:
        """Make the folders, where models that the user's own qmd has are used as well."""
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
        """Run it to its end. `QmdMissing` where it is not there, `QmdFailed` where it takes longer
        than `timeout_s` seconds, cannot be started, or prints without end."""
        name = f"{self.command} {arguments[0]}"
        with TemporaryFile() as output, TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    [self.find(), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    cwd=self.folder.anchor,  # below a `.qmd` folder qmd takes that as its home
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
        """The user's environment, with the homes that are the sidecar's own."""
        kept = {name: text for name, text in self.environ.items() if name not in _MISLEADING}
        return kept | {
            "XDG_CONFIG_HOME": str(self.config_home),
            "XDG_CACHE_HOME": str(self.cache_home),
            "PWD": self.folder.anchor,
            "NO_COLOR": "1",
        }


def folder_for(root: Path, readers: str, environ: Mapping[str, str]) -> Path:
    """The folder of one agent, or of a group, for a workspace: no other searches its conversations.

    `QmdFailed` where the user has no folder for caches.
    """
    caches = cache_directory(environ)
    if caches is None:
        raise QmdFailed("no folder for caches is known", hint="set XDG_CACHE_HOME")
    name = own_name(root) if readers == DEFAULT_AGENT else f"{own_name(root)}-{readers}"
    return caches / "qmd" / name


def _text_of(stream: IO[bytes], name: str) -> str:
    """What was written into a temporary file; `QmdFailed` where it is no answer by its size."""
    if stream.seek(0, os.SEEK_END) > _MOST_BYTES:
        raise QmdFailed(f"{name} printed more than {_MOST_BYTES >> 20} MB")
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and all that it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
