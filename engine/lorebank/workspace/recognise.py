"""What sort of folder this is, where it was not laid out by `init`: read in place, never changed.

An Obsidian vault, a Logseq graph and a flat folder of dated notes say by their own files where the
daily notes are. A folder with `memory/` or `memory.md` is a workspace and needs no guess.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from lorebank.workspace.layout import CORE_FILE, MEMORY_FOLDER

_LOOKED_AT = 2_000
"""Entries of a folder that are looked at for a dated name; a flat folder shows one early."""
_DATED = re.compile(r"\d{4}(?P<mark>[-_.]?)\d{2}(?P=mark)\d{2}(?!\d).*\.md\Z", re.IGNORECASE)
_MOMENT = {"YYYY": "{YYYY}", "MM": "{MM}", "DD": "{DD}"}
_TOKEN = re.compile(r"\[([^\]]*)\]|YYYY|MM|DD|[A-Za-z]+")


class FolderForm(NamedTuple):
    """A folder as its own program lays it out."""

    name: str
    """As it is told to people: `Obsidian vault`."""
    log_pattern: str
    exclude: tuple[str, ...] = ()
    """Folders that hold no notes: templates, backups."""


def recognise(root: Path) -> FolderForm | None:
    """What a folder is; `None` for a workspace, and for one that says nothing of itself."""
    if (root / MEMORY_FOLDER).is_dir() or (root / CORE_FILE).exists():
        return None
    if (root / ".obsidian").is_dir():
        return _obsidian(root)
    if (root / "logseq").is_dir() and (root / "journals").is_dir():
        return FolderForm("Logseq graph", "journals/{YYYY}_{MM}_{DD}.md", ("logseq",))
    try:
        names = [entry.name for entry in islice(root.iterdir(), _LOOKED_AT)]
    except OSError:
        return None
    dated = next((found for name in sorted(names) if (found := _DATED.match(name))), None)
    if dated is None:
        return None
    mark = dated["mark"]
    return FolderForm("folder of dated notes", f"{{YYYY}}{mark}{{MM}}{mark}{{DD}}.md")


def _obsidian(root: Path) -> FolderForm:
    """From `.obsidian/`: the core plug-in for daily notes, or Periodic Notes where it is used."""
    settings = root / ".obsidian"
    daily = _json(settings / "daily-notes.json")
    periodic = _json(settings / "plugins/periodic-notes/data.json").get("daily")
    if isinstance(periodic, dict) and periodic.get("enabled"):
        daily = {**daily, **{key: value for key, value in periodic.items() if value}}
    templates = (
        _json(settings / "templates.json").get("folder"),
        _json(settings / "plugins/templater-obsidian/data.json").get("templates_folder"),
    )
    folder = str(daily.get("folder") or "").strip("/")
    name = _pattern(str(daily.get("format") or "YYYY-MM-DD"))
    pattern = f"{folder}/{name}.md" if folder else f"{name}.md"
    found = [each.strip("/") for each in templates if isinstance(each, str) and each.strip("/")]
    return FolderForm("Obsidian vault", pattern, tuple(found))


def _pattern(moment: str) -> str:
    """A format of moment.js as a log pattern; what has no digits (`dddd`) is any text."""
    pattern = _TOKEN.sub(
        lambda found: _MOMENT.get(found.group(), "*") if found[1] is None else found[1],
        moment.strip("/"),
    )
    whole = all(token in pattern for token in _MOMENT.values())
    return pattern if whole else "{YYYY}-{MM}-{DD}"


def _json(file: Path) -> dict[str, Any]:
    """A settings file of the vault; an unreadable one says nothing."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
