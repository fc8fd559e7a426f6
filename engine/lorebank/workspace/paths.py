"""Resolve untrusted paths to memory files, and read or edit these."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from stat import S_ISDIR, S_ISREG

from lorebank.domain.answers import FileText
from lorebank.domain.facts import Citation
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, UsageError, WorkspaceError
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace import layout
from lorebank.workspace.atomic import read_if_exists, write_atomic
from lorebank.workspace.files import is_link, is_workspace, relative_to_root

_HINT = "give a Markdown file as recall cites it, such as memory/2025-11-27.md"
_MAX_PATH_CHARACTERS = 1024  # no note has a longer path
_PERCENT_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")


def resolve_memory_path(root: Path, text: str, config: Config | None = None) -> Path:
    """The `.md` file of a workspace path, in `memory/`, `bank/`, a daily log or an extra path; it
    need not exist. `PathRefused` for everything else: absolute paths (except into an extra path),
    `..`, hidden names, links on the way, and ambiguous spellings (backslashes, percent codes)."""
    if layout.is_transcript(text):
        raise PathRefused(
            f"{text!r} is a transcript, which only search shows, as snippets",
            hint="the snippet is all there is to read; notes are cited as memory/2025-11-27.md",
        )
    settings = (config or Config()).workspace
    extras = [relative_to_root(root, path) for path in settings.extra_paths]
    # The innermost extra path around it.
    within = [e for e in extras if e != "." and PurePosixPath(text).is_relative_to(e)]
    around = max(within, key=len, default="")

    _refuse_unsafe_text(text, within=around)
    if around and Path(around).is_absolute():
        file, base = Path(text), Path(around).parent
    else:
        path = _relative(text)
        if not _is_memory(path, layout.LogPattern.compile(settings.log_pattern), extras):
            raise _refused(text, "is outside the workspace's memory")
        file, base = root / path, root
    _without_links(base, file)
    below = root / around
    for folder in file.relative_to(below).parents:
        if folder.parts and is_workspace(below / folder):
            raise _refused(str(file), f"belongs to the workspace {below / folder}")
    return file


def refuse_outside_memory(text: str) -> None:
    """Raise `PathRefused` for a path that is not memory in any workspace, without disk access."""
    _refuse_unsafe_text(text)
    path = _relative(text)
    if path != text or not _is_memory(path, layout.LogPattern.compile(), []):
        raise _refused(text, "is outside the workspace's memory")


def resolve_within(folder: Path, text: str) -> Path:
    """As `resolve_memory_path`, for a relative path below a folder."""
    _refuse_unsafe_text(text)
    return _without_links(folder, folder / _relative(text))


def _relative(text: str) -> str:
    if text.startswith(("/", "~")) or PureWindowsPath(text).drive:
        raise _refused(text, "is absolute")
    return PurePosixPath(text).as_posix()


def _refuse_unsafe_text(text: str, *, within: str = "") -> None:
    """Hidden names are allowed in `within`, which comes from the settings."""
    if len(text) > _MAX_PATH_CHARACTERS:
        raise _refused(f"{text[:40]}…", f"is longer than {_MAX_PATH_CHARACTERS} characters")
    if not text.isprintable():
        raise _refused(text, "contains an unprintable character")
    if "\\" in text:
        raise _refused(text, "contains a backslash")
    if _PERCENT_ENCODED.search(text):
        raise _refused(text, "is percent-encoded")
    if os.name == "nt" and ":" in PureWindowsPath(text).as_posix()[2:]:
        raise _refused(text, "names a stream")
    parts = PurePosixPath(text).parts
    if ".." in parts:
        raise _refused(text, "contains '..'")
    if any(part.startswith(".") for part in parts[len(PurePosixPath(within).parts) :]):
        raise _refused(text, "is hidden")
    if not parts or text.endswith("/") or not layout.is_markdown(parts[-1]):
        raise _refused(text, "is not a Markdown file")


def _is_memory(path: str, pattern: layout.LogPattern, extras: list[str]) -> bool:
    return (
        layout.is_core(path)
        or path.startswith((f"{layout.MEMORY_FOLDER}/", f"{layout.BANK_FOLDER}/"))
        or pattern.match(path) is not None
        or any(PurePosixPath(path).is_relative_to(extra) for extra in extras)
    )


def _without_links(base: Path, file: Path) -> Path:
    """The file, after checking that nothing from `base` to it is a link."""
    step = base
    for part in file.relative_to(base).parts:
        step /= part
        try:
            status = os.lstat(step)
        except (FileNotFoundError, NotADirectoryError):
            break
        except OSError as error:
            raise _refused(str(file), f"cannot be looked at: {error.strerror}") from error
        if is_link(status):
            raise _refused(str(file), "is reached by a symbolic link")
        if not (S_ISREG(status.st_mode) or S_ISDIR(status.st_mode)):
            raise _refused(str(file), "is no regular file")  # reading a pipe would block
    return file


def _refused(text: str, reason: str) -> PathRefused:
    return PathRefused(f"{text!r} {reason}", hint=_HINT)


def is_linked(root: Path, path: str) -> bool:
    """Whether a workspace path, or one of its folders, is a link."""
    steps = [PurePosixPath(path), *PurePosixPath(path).parents]
    return any((root / step).is_symlink() for step in steps[:-1])


def read_excerpt(
    root: Path,
    path: str,
    config: Config,
    *,
    start_line: int | None = None,
    lines: int | None = None,
    elsewhere: Callable[[str], Path | None] = lambda path: None,
    as_shown: Callable[[str], str] = str,
) -> FileText:
    """Some lines of a file, by default to its end.

    `path` may include lines: `memory/2025-11-27.md#L10-L20`. `elsewhere` may resolve other paths.
    `as_shown` gets the whole text, since a private span may begin above the lines. Raises
    `PathRefused` outside the workspace's memory, `NotFound` for a missing file or line.
    """
    with suppress(ValueError):
        cited = Citation.parse(path)
        path, start_line = cited.path, cited.start_line
        lines = cited.end_line - cited.start_line + 1
    if (start_line is not None and start_line < 1) or (lines is not None and lines < 1):
        raise UsageError(
            "lines are counted from 1", hint="use path#L10-L20, or --from 10 --lines 11"
        )
    file = elsewhere(path) or resolve_memory_path(root, path, config)
    if file.is_relative_to(root):  # one spelling for the caller
        path = file.relative_to(root).as_posix()
    data = read_if_exists(file)
    if data is None:
        raise NotFound(f"no file {path}", hint="paths are relative to the workspace")
    text = as_shown(data.decode("utf-8-sig", errors="replace"))
    all_lines = text.split("\n")
    total = len(all_lines) - (all_lines[-1] == "")
    first = start_line or 1
    if first > max(total, 1):
        raise NotFound(f"{path} has {total} lines; there is no line {first}")
    last = total if lines is None else min(total, first + lines - 1)
    whole = start_line is None and lines is None
    shown = text if whole else "\n".join(all_lines[first - 1 : last])
    return FileText(path=path, text=shown, start_line=first, end_line=last, total_lines=total)


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextFile(Record):
    path: str  # relative to the workspace
    data: bytes | None  # `None` if there is no file
    text: str  # without a byte order mark; empty if there is no file


def read_text_file(root: Path, path: str) -> TextFile:
    """The file, never through a link; raises `WorkspaceError` if it is not UTF-8."""
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, which is never followed")
    data = read_if_exists(root / path)
    return TextFile(path, data, "" if data is None else _decoded(path, data))


def write_text_file(root: Path, file: TextFile, text: str) -> None:
    """Replace the text that was read, if changed; a byte order mark stays."""
    if text == file.text and file.data is not None:
        return
    data = _encoded(text, file.data)
    write_atomic(root / file.path, data, expected=file.data)


_ATTEMPTS = 20  # a concurrent save makes one fail; twenty in a row are no accident


def edit_text(
    root: Path, path: str, config: Config, edit: Callable[[str | None], str]
) -> tuple[bytes | None, bytes]:
    """Replace a file's text by `edit(text)` (`edit(None)` without a file), retrying after
    concurrent writes; returns the bytes before and after.

    A byte order mark stays. Raises `PathRefused` outside memory, `WorkspaceError` for non-UTF-8,
    `ConcurrentEdit` if the file keeps changing.
    """
    file = resolve_memory_path(root, path, config)
    for left in reversed(range(_ATTEMPTS)):
        before = read_if_exists(file)
        text = None if before is None else _decoded(path, before)
        after = _encoded(edit(text), before)
        if after == before:
            break
        try:
            write_atomic(file, after, expected=before)
            break
        except ConcurrentEdit:
            if not left:
                raise
    return before, after


def core_path(root: Path) -> str:
    """The core memory's file name; `memory.md` by default."""
    if (root / layout.CORE_FILE).exists():
        return layout.CORE_FILE
    found = sorted(entry.name for entry in root.iterdir() if layout.is_core(entry.name))
    return found[0] if found else layout.CORE_FILE


def _decoded(path: str, data: bytes) -> str:
    text = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as problem:
        place = problem.start + len(data) - len(text)
        raise WorkspaceError(
            f"{path} is not valid UTF-8 at byte {place}; nothing written",
            hint="fix the file, then write again",
        ) from problem


def _encoded(text: str, before: bytes | None) -> bytes:
    mark = _BYTE_ORDER_MARK if (before or b"").startswith(_BYTE_ORDER_MARK) else b""
    return mark + text.encode("utf-8")
