"""Where the sidecar keeps what is its own: among the user's other caches, a folder a workspace.

Not in the workspace: qmd runs commands that its own configuration names, and a workspace may come
from anybody.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from lorebank.providers.user_cache import cache_directory
from lorebank.qmd.collections import Collection
from lorebank.qmd.process import QmdFailed
from lorebank.records import dataclass
from lorebank.workspace.layout import own_name


@dataclass(frozen=True, slots=True)
class Home:
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


@dataclass(frozen=True, slots=True)
class State:
    """What was done in a home, and when, in seconds since the epoch."""

    command: str = ""
    """The program that did it; another one starts over."""
    collections: tuple[Collection, ...] = ()
    updated: float = 0.0
    embedded: float = 0.0
    attempted: float = 0.0
    problem: str = ""
    """Why the last attempt failed; empty where it did not."""

    @classmethod
    def read(cls, home: Home) -> State:
        """What the home says; an unreadable state is none."""
        try:
            known = json.loads(home.state_file.read_text("utf-8"))
            return cls(
                command=str(known["command"]),
                collections=read_collections(known["collections"]),
                updated=float(known["updated"]),
                embedded=float(known["embedded"]),
                attempted=float(known["attempted"]),
                problem=str(known["problem"]),
            )
        except (OSError, ValueError, TypeError, KeyError):
            return cls()

    def write(self, home: Home) -> None:
        """Put it in the home whole. Raises `QmdFailed`."""
        text = json.dumps(asdict(self) | {"collections": collection_rows(self.collections)})
        temporary = home.state_file.with_suffix(f".{os.getpid()}")
        try:
            temporary.write_text(text, "utf-8")
            temporary.replace(home.state_file)
        except OSError as error:
            raise QmdFailed(f"{home.state_file}: cannot be written: {error.strerror}") from error


def collection_rows(collections: Sequence[Collection]) -> list[dict[str, str]]:
    """Collections as JSON holds them."""
    return [{"name": c.name, "folder": str(c.folder), "pattern": c.pattern} for c in collections]


def read_collections(rows: Sequence[Mapping[str, str]]) -> tuple[Collection, ...]:
    """Collections from what `collection_rows` made."""
    return tuple(Collection(r["name"], Path(r["folder"]), r["pattern"]) for r in rows)


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
