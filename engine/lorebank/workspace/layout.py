"""The layout of a workspace: pages, folders, logs and their days, the derived folder.

Paths are relative to the workspace, with `/`. A name has a day if it matches the log pattern, or
begins with a date outside `bank/`:

    memory/2026-02-10.md             → 2026-02-10, the daily log
    memory/2026-02-10-router.md      → 2026-02-10
    memory/work/2026-02-01-1317.md   → 2026-02-01
    memory/network.md                → no day: evergreen
    memory/2026-02-31.md             → no day, and a diagnostic
"""

from __future__ import annotations

import os
import re
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lorebank.domain.facts import Diagnostic
from lorebank.errors import NotWritable, WorkspaceError
from lorebank.records import Record

CORE_FILE = "memory.md"
MEMORY_FOLDER = "memory"
BANK_FOLDER = "bank"
DERIVED_FOLDER = ".memory"
SESSIONS_FOLDER = "sessions"
TRANSCRIPT_ENDING = ".jsonl"
IDENTITY_PAGE = "bank/identity.md"
EVIDENCE_PAGE = "bank/evidence.md"
DECISIONS_PAGE = "bank/decisions.md"
CONFIRMED_PAGE = "bank/confirmed.md"
FORGOTTEN_PAGE = "bank/forgotten.md"
LEDGER_PAGES = (IDENTITY_PAGE, EVIDENCE_PAGE, DECISIONS_PAGE, CONFIRMED_PAGE, FORGOTTEN_PAGE)
DIRECTIVES_PAGE = "bank/directives.md"
GENERATED_FOLDERS = ("bank/proposals", "bank/reflections")
"""Reports of reflect; never read as memory."""
SESSION_FOLDERS = ("qmd/sessions/", "memory/sessions/")
"""Conversations, exported for the sidecar (as cited) and in the workspace."""
DEFAULT_LOG_PATTERN = "memory/{YYYY}-{MM}-{DD}.md"
_FULL_BELOW_BYTES = 2**17
"""With less free space SQLite cannot even make its files."""
_DIGITS = {"{YYYY}": ("year", 4), "{MM}": ("month", 2), "{DD}": ("day", 2)}
_SUFFIX = r"(?:[^/0-9][^/]*)?"
"""After a date in a name: `-router`, ` Thursday`, `-1317`; never another digit."""
_DATED_NAME = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})(?![0-9])"
)


class FileRole(StrEnum):
    CORE = "core"
    LOG = "log"
    NOTE = "note"
    BANK = "bank"
    LEDGER = "ledger"  # `LEDGER_PAGES`: decisions, not facts
    DIRECTIVES = "directives"  # `bank/directives.md`: the owner's rules, read as prose
    EXTRA = "extra"


class NamedDay(NamedTuple):
    """The day in a file name."""

    day: date | None = None
    is_log: bool = False  # whether it matches the log pattern, with or without a suffix
    problem: Diagnostic | None = None  # `date-invalid` for an impossible date


class LogPattern(Record):
    """Where daily logs are: `memory/{YYYY}-{MM}-{DD}.md`; `*` stands for any text inside one
    part."""

    text: str
    parts: tuple[re.Pattern[str], ...]
    """One pattern per path part; a walk opens matching folders only."""
    _whole: re.Pattern[str]

    @classmethod
    @cache
    def compile(cls, text: str = DEFAULT_LOG_PATTERN) -> LogPattern:
        *folders, name = text.split("/")
        stem = name[: -len(".md")]
        ending = _SUFFIX + r"\.(?i:md)\Z"
        parts = [re.compile(_expression(folder) + r"\Z") for folder in folders]
        parts.append(re.compile(_expression(stem) + ending))
        whole = re.compile(_expression("/".join([*folders, stem])) + ending)
        return cls(text, tuple(parts), whole)

    def match(self, path: str) -> re.Match[str] | None:
        """The match with its groups `year`, `month` and `day`, valid date or not."""
        return self._whole.match(path)

    def path_for(self, day: date) -> str:
        """The path of one day's log; `*` becomes empty."""
        path = self.text.replace("{YYYY}", f"{day.year:04}").replace("*", "")
        return path.replace("{MM}", f"{day.month:02}").replace("{DD}", f"{day.day:02}")


def _expression(pattern: str) -> str:
    """A regular expression for a pattern; repeated placeholders must agree."""
    expression = re.escape(pattern).replace(r"\*", "[^/]*")
    for placeholder, (name, width) in _DIGITS.items():
        group = f"(?P<{name}>[0-9]{{{width}}})"
        first, *others = expression.split(re.escape(placeholder))
        expression = first + "".join(
            (f"(?P={name})" if number else group) + part for number, part in enumerate(others)
        )
    return expression


def named_day(path: str, pattern: LogPattern) -> NamedDay:
    """The day of a path; see the module's table."""
    if found := pattern.match(path):
        return _day_of(found, path, is_log=True)
    found = _DATED_NAME.match(path.rpartition("/")[2])
    if found is None or path.startswith(f"{BANK_FOLDER}/"):
        return NamedDay()
    named = _day_of(found, path, is_log=False)
    # Eight digits in a row that are not a date are a number, not a mistake.
    return named if found["mark"] or named.day else NamedDay()


def _day_of(found: re.Match[str], path: str, *, is_log: bool) -> NamedDay:
    shown = "-".join(found.group("year", "month", "day"))
    try:
        return NamedDay(date.fromisoformat(shown), is_log)
    except ValueError:
        message = f"the name contains {shown}, which is not a date; the file is read as undated"
        return NamedDay(problem=Diagnostic(path, 0, "date-invalid", message))


def is_markdown(name: str) -> bool:
    """Whether a file of that name is read at all."""
    return name[-3:].lower() == ".md" and len(name) > len(".md")


def is_core(path: str) -> bool:
    """Whether a path is the core memory: `memory.md`, also written `MEMORY.md`."""
    return path.casefold() == CORE_FILE


def is_owners(path: str) -> bool:
    """Whether a page, in any case, is the owner's alone, or made of such or of conversations."""
    path = path.casefold()
    return is_core(path) or is_generated(path) or path in LEDGER_PAGES or is_said(path)


def is_said(path: str) -> bool:
    return path.startswith(SESSION_FOLDERS)


def is_generated(path: str) -> bool:
    """Whether a path is, or is in, a folder of reflect's reports."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in GENERATED_FOLDERS)


def role_of(path: str, named: NamedDay) -> FileRole:
    if path.startswith(f"{MEMORY_FOLDER}/"):
        return FileRole.LOG if named.is_log else FileRole.NOTE
    if is_core(path):
        return FileRole.CORE
    if path in LEDGER_PAGES:
        return FileRole.LEDGER
    if path == DIRECTIVES_PAGE:
        return FileRole.DIRECTIVES
    if path.startswith(f"{BANK_FOLDER}/"):
        return FileRole.BANK
    return FileRole.LOG if named.is_log else FileRole.EXTRA


def is_session_path(path: str) -> bool:
    """Whether a cited path is a transcript or a folder of them."""
    return path.rstrip("/") == SESSIONS_FOLDER or path.startswith(f"{SESSIONS_FOLDER}/")


def is_transcript(path: str) -> bool:
    """Whether a cited path is a transcript."""
    return is_session_path(path) and path.lower().endswith(TRANSCRIPT_ENDING)


_NAME_DIGITS = 8  # hex digits that distinguish folders of the same name


def existing_folder(path: Path, *, hint: str, shown: str = "") -> Path:
    """The folder, absolute and with links resolved; raises `WorkspaceError` naming it `shown`."""
    shown = shown or str(path)
    try:
        root = path.expanduser().resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise WorkspaceError(f"{shown}: cannot be opened: {error}", hint=hint) from error
    if not is_folder:
        what = "is not a folder" if root.exists() else "no such folder"
        raise WorkspaceError(f"{shown}: {what}", hint=hint)
    return root


def ensure_derived_folder(root: Path) -> Path:
    """`.memory/`, created if missing; raises `WorkspaceError` if it is a link."""
    folder = root / DERIVED_FOLDER
    if folder.is_symlink():
        raise WorkspaceError(
            f"{folder}: is a symbolic link, which is never followed",
            hint="put the folder it leads to in its place, or remove the link for an empty one;"
            " what is kept there for undo exists nowhere else",
        )
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        # A full disk leaves it empty, and git would take what may hold private lines.
        if not ignore.is_symlink() and not (ignore.exists() and ignore.stat().st_size):
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise NotWritable.on_disk(folder, error, "cannot be made") from error
    return folder


def why_unwritable(folder: Path) -> str:
    """In plain words, where SQLite's say less; empty where it is not known."""
    from shutil import disk_usage  # not needed at start-up

    if not folder.is_dir():
        return ""
    if not os.access(folder, os.W_OK):
        return f"{folder} is read-only"
    return f"the disk of {folder} is full" if disk_usage(folder).free < _FULL_BELOW_BYTES else ""


def index_path(root: Path, setting: str, agent_id: str = "main") -> Path:
    """A workspace's index: in `.memory/`, or as `index.path` says.

    `{workspace}` is the folder's name with a hash, so that no two workspaces share an index;
    `{agent_id}` the agent's id, with that hash if the path has no `{workspace}`.
    """
    if not setting:
        return root / DERIVED_FOLDER / "index.sqlite"
    name = own_name(root)
    agent = agent_id if "{workspace}" in setting else f"{agent_id}-{name[-_NAME_DIGITS:]}"
    return Path(setting.replace("{agent_id}", agent).replace("{workspace}", name)).expanduser()


def own_name(root: Path) -> str:
    """A unique name of a workspace: the folder's name, and a hash of its path."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    mark = blake2b(
        str(root).encode("utf-8", "surrogateescape"), digest_size=_NAME_DIGITS // 2
    ).hexdigest()
    return f"{root.name or 'root'}-{mark}"


def sessions_path(index: Path, agent_id: str) -> Path:
    """The store of an agent's transcripts: next to the index, one file per agent."""
    return index.with_name(f"{index.stem}-sessions-{agent_id}{index.suffix}")
