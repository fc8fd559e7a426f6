"""The settings of the QMD sidecar: the command that searches in place of the built-in engine.

All that names a command, a place or a cadence is the user's alone. A workspace may ask for fewer
and shorter snippets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from lorebank.config_rules import (
    COMMAND,
    FLAG,
    PATH,
    duration,
    is_location,
    one_of,
    setting,
    tables,
    users_own,
    whole_number,
)
from lorebank.records import dataclass

_NAME = r"[a-z0-9][a-z0-9-]{0,63}"
_RESERVED = r"memory-root|sessions|extra-\d+"
"""What collections of our own are called."""
_PATTERN = r"[^\x00-\x1f\\]+"
_TIMEOUT_MS = whole_number(1, 86_400_000)


def _is_collection(row: Mapping[str, Any]) -> bool:
    return (
        is_location(row["path"])
        and bool(re.fullmatch(_NAME, row.get("name", "unnamed")))
        and not re.fullmatch(_RESERVED, row.get("name", "unnamed"))
        and bool(re.fullmatch(_PATTERN, row.get("pattern", "*")))
        and not row.get("pattern", "").startswith(("/", "-", ".."))
    )


def _are_collections(rows: list[object]) -> bool:
    known: list[Mapping[str, Any]] = [row for row in rows if isinstance(row, dict)]
    names = [row["name"] for row in known if "name" in row]
    return all(map(_is_collection, known)) and len(names) == len(set(names))


_COLLECTIONS = users_own(
    tables(
        "a list of tables {path, pattern, name}: path inside the workspace or absolute, name in "
        "small letters, digits and '-', none twice",
        required={"path": str},
        optional={"pattern": str, "name": str},
        accepts=_are_collections,
    )
)


@dataclass(frozen=True, slots=True)
class QmdSessionSettings:
    """Conversations as a collection of their own."""

    enabled: bool = setting(False, users_own(FLAG))
    retention_days: int = setting(0, users_own(whole_number(0, 36_500)))
    """Exports of conversations that ended longer ago are removed; 0 keeps all."""
    export_dir: str = setting("", PATH)
    """Where the exports are kept; empty for a folder beside the sidecar's index."""


@dataclass(frozen=True, slots=True)
class QmdUpdateSettings:
    """When the sidecar's index follows the files, and how long each command may take."""

    interval: str = setting("5m", users_own(duration()))
    """Time between two updates; `0` for none but those asked for."""
    debounce_ms: int = setting(15_000, users_own(whole_number(0, 86_400_000)))
    """Least time between two updates, however much changed."""
    on_boot: bool = setting(True, users_own(FLAG))
    """Update when a server starts, before the first search."""
    wait_for_boot_sync: bool = setting(False, users_own(FLAG))
    """Search waits for an update that is due; otherwise it runs in the background."""
    embed_interval: str = setting("60m", users_own(duration()))
    """Time between two runs of `qmd embed`, which only the search modes with vectors need."""
    command_timeout_ms: int = setting(30_000, users_own(_TIMEOUT_MS))
    """For what manages collections."""
    update_timeout_ms: int = setting(120_000, users_own(_TIMEOUT_MS))
    embed_timeout_ms: int = setting(120_000, users_own(_TIMEOUT_MS))


@dataclass(frozen=True, slots=True)
class QmdLimitSettings:
    """What one search may bring, and how long it may take."""

    max_results: int = setting(6, whole_number(1, 1000))
    max_snippet_chars: int = setting(700, whole_number(50, 700))
    max_injected_chars: int = setting(4000, whole_number(50, 1_000_000))
    """All snippets of a search together."""
    timeout_ms: int = setting(4000, users_own(_TIMEOUT_MS))


@dataclass(frozen=True, slots=True)
class QmdSettings:
    """The `qmd` command, used where `memory.backend` is `qmd`."""

    command: str = setting("qmd", users_own(COMMAND))
    """What is run."""
    search_mode: str = setting("search", users_own(one_of("search", "vsearch", "query")))
    """By words, by meaning, or both reranked; the latter two fetch models at their first use."""
    include_default_memory: bool = setting(True, users_own(FLAG))
    """Search the workspace's own memory, besides `paths`."""
    paths: tuple[Mapping[str, str], ...] = setting((), _COLLECTIONS)
    """Further folders and files, as `{path, pattern, name}`; without a pattern, all Markdown."""
    sessions: QmdSessionSettings = field(default_factory=QmdSessionSettings)
    update: QmdUpdateSettings = field(default_factory=QmdUpdateSettings)
    limits: QmdLimitSettings = field(default_factory=QmdLimitSettings)
