"""Find the workspace of a command, and recognise folders of other programs by their own files:
Obsidian vaults, Logseq graphs, flat folders of dated notes.

A folder with `memory/` is a workspace; a core memory alone is not, as `remember` may write one into
a vault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from lorebank.errors import UsageError, WorkspaceError
from lorebank.records import dig
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, MEMORY_FOLDER, existing_folder

_MAX_ENTRIES_SCANNED = 2_000  # when looking for dated names; a flat folder has one early
_MIN_DATED_NOTES = 2  # in a subfolder: a single dated note may be the minutes of a meeting
_DATED = re.compile(
    r"(?:\d{4}(?P<mark>[-_.]?)\d{2}(?P=mark)\d{2}"
    r"|(?P<first>\d{2})(?P<dot>[-_.])(?P<second>\d{2})(?P=dot)\d{4})(?!\d).*\.md\Z",
    re.IGNORECASE,
)
_MOMENT = {"YYYY": "{YYYY}", "MM": "{MM}", "DD": "{DD}"}
_TOKEN = re.compile(r"\[([^\]]*)\]|YYYY|MM|DD|[A-Za-z]+")


class FolderForm(NamedTuple):
    """The layout of another program's folder."""

    name: str  # for display: `Obsidian vault`
    log_pattern: str
    exclude: tuple[str, ...] = ()  # folders without notes: templates, backups
    notes: str = "."  # the folder with the notes


def recognise(root: Path, *, below: bool = True) -> FolderForm | None:
    """`None` for a workspace, and for an unknown folder."""
    if (root / MEMORY_FOLDER).is_dir():
        return None
    if (root / ".obsidian").is_dir():
        vault = vault_settings(lambda path: (root / path).read_bytes())
        name = f"{_pattern(vault.daily_format)}.md"
        pattern = f"{vault.daily_folder}/{name}" if vault.daily_folder else name
        return FolderForm("Obsidian vault", pattern, vault.templates)
    if _is_graph(root):
        return FolderForm("Logseq graph", "journals/{YYYY}_{MM}_{DD}.md", ("logseq",))
    entries = _entries(root)
    if pattern := _dated_pattern(entries, 1):
        return FolderForm("folder of dated notes", pattern)
    folders = [each for each in entries if below and each.is_dir() and _may_hold_notes(each)]
    found = [(f.name, p) for f in folders if (p := _dated_pattern(_entries(f), _MIN_DATED_NOTES))]
    if len(found) != 1:
        return None
    [(name, pattern)] = found
    return FolderForm(f"folder of dated notes ({name}/)", f"{name}/{pattern}", notes=name)


def _is_graph(folder: Path) -> bool:
    return (folder / "logseq").is_dir() and (folder / "journals").is_dir()


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(islice(folder.iterdir(), _MAX_ENTRIES_SCANNED))
    except OSError:
        return []


def _dated_pattern(entries: list[Path], least: int) -> str:
    """The log pattern of dated notes; empty with fewer than `least`."""
    found = [match for entry in entries if (match := _DATED.match(entry.name))]
    marks = [match["mark"] for match in found if match["mark"] is not None]
    if marks:
        return f"{{YYYY}}{marks[0]}{{MM}}{marks[0]}{{DD}}.md" if len(marks) >= least else ""
    if len(found) < least:
        return ""
    # Only a number above twelve shows which one is the day: `13-03-2026.md`.
    over = [any(match[part] > "12" for match in found) for part in ("first", "second")]
    first = {(True, False): "{DD}", (False, True): "{MM}"}.get((over[0], over[1]))
    second = "{MM}" if first == "{DD}" else "{DD}"
    return f"{first}{found[0]['dot']}{second}{found[0]['dot']}{{YYYY}}.md" if first else ""


def _may_hold_notes(folder: Path) -> bool:
    own = any((folder / mark).is_dir() for mark in (BANK_FOLDER, DERIVED_FOLDER))
    return folder.name[0] not in "._" and not folder.is_symlink() and not own


class VaultSettings(NamedTuple):
    """Settings of an Obsidian vault."""

    daily_folder: str = ""
    daily_format: str = "YYYY-MM-DD"  # of moment.js
    templates: tuple[str, ...] = ()  # the folders of templates, and the template of daily notes


def vault_settings(read: Callable[[str], bytes]) -> VaultSettings:
    """From `.obsidian/`, read by `read`: core plug-in for daily notes, or Periodic Notes."""

    def stored(path: str, *key: str) -> Any:
        try:
            return dig(json.loads(read(f".obsidian/{path}")), *key)
        except (OSError, ValueError, RecursionError):
            return None

    def text(value: object, otherwise: str = "") -> str:
        return value if isinstance(value, str) and value.strip() else otherwise

    daily = {key: stored("daily-notes.json", key) for key in ("folder", "format", "template")}
    if stored("plugins/periodic-notes/data.json", "daily", "enabled"):
        for key in daily:
            daily[key] = stored("plugins/periodic-notes/data.json", "daily", key) or daily[key]
    templates = (
        text(stored("templates.json", "folder")).strip("/"),
        text(stored("plugins/templater-obsidian/data.json", "templates_folder")).strip("/"),
    )
    of_days = text(daily["template"]).strip("/").removesuffix(".md")
    folder, form = text(daily["folder"]).strip("/"), text(daily["format"], "YYYY-MM-DD")
    return VaultSettings(
        folder, form, (*filter(None, templates), *([f"{of_days}.md"] if of_days else []))
    )


def _pattern(moment: str) -> str:
    """A moment.js format as a log pattern; non-numeric parts (`dddd`) match any text."""
    pattern = _TOKEN.sub(
        lambda found: _MOMENT.get(found.group(), "*") if found[1] is None else found[1],
        moment.strip("/"),
    )
    whole = all(token in pattern for token in _MOMENT.values())
    return pattern if whole else "{YYYY}-{MM}-{DD}"


_MARKS = (DERIVED_FOLDER, MEMORY_FOLDER, BANK_FOLDER, ".obsidian")
_HINT = "`lorebank init DIR` makes a workspace; `--workspace DIR` or `--bank NAME` names one"


def find_workspace(
    path: Path | None, environ: Mapping[str, str], *, bank: str | None = None
) -> Path:
    """The workspace folder, absolute and with links resolved.

    `path` or `bank` (a registered name), and then `LOREBANK_WORKSPACE`, name it. Otherwise it is
    the nearest folder, from the current one upwards, with `.memory/`, `memory/` or `bank/`, or that
    is a vault or graph; else the current one if it has dated notes; else the user's default bank;
    else the current one if one subfolder has dated notes. Raises `WorkspaceError` without any.
    """
    if bank is not None:
        if path is not None:
            raise UsageError("a folder and a bank are both named", hint="give one of them")
        from lorebank.workspace.registry import load_registry  # where a bank is named

        return load_registry(environ).root(bank)
    if path is not None:
        return existing_folder(path, hint=_HINT)
    if named := environ.get("LOREBANK_WORKSPACE"):
        shown = f"{named} (from LOREBANK_WORKSPACE)"
        return existing_folder(Path(named), hint=_HINT, shown=shown)
    return _nearest(environ)


def _nearest(environ: Mapping[str, str]) -> Path:
    try:
        start = Path.cwd()
    except OSError as error:
        raise WorkspaceError("the current folder no longer exists", hint=_HINT) from error
    for folder in (start, *start.parents):
        if any((folder / mark).is_dir() for mark in _MARKS) or _is_graph(folder):
            return folder.resolve()
    from lorebank.workspace.registry import load_registry  # where no workspace is near

    if recognise(start, below=False):
        return start.resolve()
    registry = load_registry(environ)
    if registry.default:
        return registry.root(registry.default.name)
    if recognise(start):
        return start.resolve()
    raise WorkspaceError(f"no workspace in {start} or any folder above it", hint=_HINT)
