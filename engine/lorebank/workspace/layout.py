"""Where things are in a workspace: pages, folders, logs and their days, the derived folder.

Paths are relative to the workspace, with `/` between parts. A name carries a day when it matches
the log pattern, or begins with a date anywhere outside `bank/`:

    memory/2026-02-10.md             → 2026-02-10, the daily log
    memory/2026-02-10-router.md      → 2026-02-10
    memory/work/2026-02-01-1317.md   → 2026-02-01
    memory/network.md                → no day: evergreen
    memory/2026-02-31.md             → no day, and a diagnostic
"""

from __future__ import annotations

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
"""What reflect reports about itself; never read as memory."""
SESSION_FOLDERS = ("qmd/sessions/", "memory/sessions/")
"""Where conversations are kept: as exported for the sidecar is cited, and in the workspace."""
DEFAULT_LOG_PATTERN = "memory/{YYYY}-{MM}-{DD}.md"
_DIGITS = {"{YYYY}": ("year", 4), "{MM}": ("month", 2), "{DD}": ("day", 2)}
_SUFFIX = r"(?:[^/0-9][^/]*)?"
"""What may follow a date in a name: `-router`, ` Thursday`, `-1317`; never one more digit."""
_DATED_NAME = re.compile(
    r"(?P<year>[0-9]{4})(?P<mark>[-_.]?)(?P<month>[0-9]{2})(?P=mark)(?P<day>[0-9]{2})(?![0-9])"
)


class FileRole(StrEnum):
    """What a memory file is to the workspace."""

    CORE = "core"
    LOG = "log"
    NOTE = "note"
    BANK = "bank"
    LEDGER = "ledger"
    """`LEDGER_PAGES`: decisions, not facts."""
    DIRECTIVES = "directives"
    """`bank/directives.md`: the owner's rules, which are prose and no facts."""
    EXTRA = "extra"


class NamedDay(NamedTuple):
    """What the name of a file says about its day."""

    day: date | None = None
    is_log: bool = False
    """Whether the name fits the log pattern, with a suffix or without."""
    problem: Diagnostic | None = None
    """`date-invalid` where the name holds a date that no calendar has."""


class LogPattern(Record):
    """Where daily logs are: `memory/{YYYY}-{MM}-{DD}.md`, `journals/{YYYY}_{MM}_{DD}.md`, ….

    `*` stands for any text inside one part: `{YYYY}/{MM}-*/{YYYY}-{MM}-{DD}.md`.
    """

    text: str
    parts: tuple[re.Pattern[str], ...]
    """One expression a part of the path; a walk opens only the folders that match theirs."""
    _whole: re.Pattern[str]

    @classmethod
    @cache
    def compile(cls, text: str = DEFAULT_LOG_PATTERN) -> LogPattern:
        """A pattern as `workspace.log_pattern` accepts it."""
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
        """The path of one day's log; where the pattern has a `*`, it stands for nothing."""
        path = self.text.replace("{YYYY}", f"{day.year:04}").replace("*", "")
        return path.replace("{MM}", f"{day.month:02}").replace("{DD}", f"{day.day:02}")


def _expression(pattern: str) -> str:
    """A regular expression for a pattern; a placeholder that comes again must say the same."""
    expression = re.escape(pattern).replace(r"\*", "[^/]*")
    for placeholder, (name, width) in _DIGITS.items():
        group = f"(?P<{name}>[0-9]{{{width}}})"
        first, *others = expression.split(re.escape(placeholder))
        expression = first + "".join(
            (f"(?P={name})" if number else group) + part for number, part in enumerate(others)
        )
    return expression


def named_day(path: str, pattern: LogPattern) -> NamedDay:
    """Everything a path says about its day; see the module's table."""
    if found := pattern.match(path):
        return _day_of(found, path, is_log=True)
    found = _DATED_NAME.match(path.rpartition("/")[2])
    if found is None or path.startswith(f"{BANK_FOLDER}/"):
        return NamedDay()
    named = _day_of(found, path, is_log=False)
    # Eight digits in a row that are no date are a number, not a mistake.
    return named if found["mark"] or named.day else NamedDay()


def _day_of(found: re.Match[str], path: str, *, is_log: bool) -> NamedDay:
    shown = "-".join(found.group("year", "month", "day"))
    try:
        return NamedDay(date.fromisoformat(shown), is_log)
    except ValueError:
        message = f"the name holds {shown}, which is no date; the file is read as undated"
        return NamedDay(problem=Diagnostic(path, 0, "date-invalid", message))


def is_markdown(name: str) -> bool:
    """Whether a file of that name is read at all."""
    return name[-3:].lower() == ".md" and len(name) > len(".md")


def is_core(path: str) -> bool:
    """Whether a path is the core memory: `memory.md`, also written `MEMORY.md`."""
    return path.casefold() == CORE_FILE


def is_owners(path: str) -> bool:
    """Whether a page is the owner's alone, or made from such pages or from conversations; however
    its case is written, since there are disks that do not tell."""
    path = path.casefold()
    return is_core(path) or is_generated(path) or path in LEDGER_PAGES or is_said(path)


def is_said(path: str) -> bool:
    return path.startswith(SESSION_FOLDERS)


def is_generated(path: str) -> bool:
    """Whether a path is, or is inside, a folder that reflect only reports into."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in GENERATED_FOLDERS)


def role_of(path: str, named: NamedDay) -> FileRole:
    """What a file inside the workspace is, from its path."""
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
    """Whether a path is a transcript's, or a folder's of them, as search cites it."""
    return path.rstrip("/") == SESSIONS_FOLDER or path.startswith(f"{SESSIONS_FOLDER}/")


def is_transcript(path: str) -> bool:
    """Whether a path is one transcript's, as search cites it."""
    return is_session_path(path) and path.lower().endswith(TRANSCRIPT_ENDING)


_NAME_DIGITS = 8
"""Hex digits by which folders of the same name differ."""


def existing_folder(path: Path, *, hint: str, shown: str = "") -> Path:
    """The folder, absolute and with links on the way to it resolved; else `WorkspaceError`, which
    names it as `shown`."""
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
    """`.memory/`, made where it is missing; `WorkspaceError` where it is a link."""
    folder = root / DERIVED_FOLDER
    if folder.is_symlink():
        raise WorkspaceError(
            f"{folder}: is a symbolic link, which is never followed",
            hint="remove the link; everything in .memory/ is derived and will be rebuilt",
        )
    try:
        folder.mkdir(exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists() and not ignore.is_symlink():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise NotWritable(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def index_path(root: Path, setting: str, agent_id: str = "main") -> Path:
    """Where a workspace's index is: in `.memory/`, or where `index.path` says.

    There `{workspace}` stands for the folder's name and a few letters that tell folders of the
    same name apart, so that no two workspaces share an index; `{agent_id}` for the agent's id, with
    these letters where the path holds no `{workspace}`.
    """
    if not setting:
        return root / DERIVED_FOLDER / "index.sqlite"
    name = own_name(root)
    agent = agent_id if "{workspace}" in setting else f"{agent_id}-{name[-_NAME_DIGITS:]}"
    return Path(setting.replace("{agent_id}", agent).replace("{workspace}", name)).expanduser()


def own_name(root: Path) -> str:
    """A workspace's name for what is kept of it elsewhere: the folder's, and a mark of its path."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    mark = blake2b(
        str(root).encode("utf-8", "surrogateescape"), digest_size=_NAME_DIGITS // 2
    ).hexdigest()
    return f"{root.name or 'root'}-{mark}"


def sessions_path(index: Path, agent_id: str) -> Path:
    """Where an agent's transcripts are kept: beside the index, a file for each agent."""
    return index.with_name(f"{index.stem}-sessions-{agent_id}{index.suffix}")
