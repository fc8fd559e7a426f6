"""What is to be imported, as it lies on disk: a file, a folder or a zip archive, within limits.

It may come from anybody. Links are never followed and nothing is unpacked onto the disk; an entry
that leads out of the archive, is encrypted, or grows out of all proportion is left out and named.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from lorebank.domain.facts import Diagnostic
from lorebank.errors import NotFound, WorkspaceError
from lorebank.markdown.source import decode
from lorebank.records import Mutable
from lorebank.workspace.files import is_link

LARGEST_NOTE = 8_000_000
"""Bytes of one Markdown file."""
LARGEST_ENTRY = 2_000_000_000
"""Bytes of one file, unpacked, which is held in memory; chosen by hand."""
_MOST_ENTRIES = 200_000
"""Chosen by hand: far above any vault, far below what would fill the memory."""
_MOST_RATIO = 200
"""JSON and prose shrink to a tenth or so; a bomb to a thousandth."""
_RATIO_MATTERS = 10_000_000
"""Bytes; a small file may shrink a thousandfold without being a bomb."""


class Source(Mutable):
    """Files by their path in the source, `/` between parts, sorted."""

    root: Path
    name: str
    """What the source is called: of a folder its name, of a file the name without its suffix."""
    paths: tuple[str, ...] = ()
    left_out: list[Diagnostic] = field(default_factory=list)
    archive: zipfile.ZipFile | None = None
    entries: dict[str, zipfile.ZipInfo] = field(default_factory=dict)

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of one file; `OSError` where it cannot be read or has more than `limit`, or
        than any export."""
        limit = limit or LARGEST_ENTRY
        try:
            if self.archive is not None:
                with self.archive.open(self.entries[path]) as packed:
                    content = packed.read(limit + 1)
            else:
                file = self.root / path if path else self.root
                flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
                with os.fdopen(os.open(file, flags), "rb") as handle:
                    content = handle.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            raise OSError(0, f"the archive is damaged: {error}", path) from error
        if len(content) > limit:
            raise OSError(0, f"is larger than {limit // 1_000_000:,} MB", path)
        return content

    def text(self, path: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
        """A file's text with `\\n` line ends, and what was odd; `None` where it cannot be read."""
        try:
            data = self.read(path, LARGEST_NOTE)
        except OSError as error:
            return None, (self.unread(path, error),)
        if b"\0" in data[:8_000]:
            return None, (Diagnostic(path, 0, "not-text", "is no text in UTF-8; left out"),)
        text, problems = decode(data, path)
        return text.replace("\r\n", "\n").replace("\r", "\n"), problems

    def unread(self, path: str, error: OSError) -> Diagnostic:
        return Diagnostic(path or self.name, 0, "unreadable", f"cannot be read: {error.strerror}")

    def below(self, suffix: str) -> Iterator[str]:
        """The paths with that ending, whatever its case."""
        return (path for path in self.paths if path.lower().endswith(suffix))

    def close(self) -> None:
        if self.archive is not None:
            self.archive.close()


def open_source(path: Path) -> Source:
    """The source at a path; `NotFound` and `WorkspaceError` say what is wrong with it."""
    if path.is_dir():
        source = Source(path, path.resolve().name)
        source.paths = tuple(sorted(_walk(source, path)))
        return source
    if not path.exists():
        raise NotFound(f"{path}: no such file or folder", hint="name a folder, a zip or a file")
    if not path.is_file():
        raise WorkspaceError(f"{path}: is not a regular file")
    source = Source(path, path.stem)
    if not zipfile.is_zipfile(path):
        source.paths = ("",)
        return source
    try:
        source.archive = zipfile.ZipFile(path)
        source.entries = dict(_entries(source, source.archive))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise WorkspaceError(f"{path}: is not a readable zip archive: {error}") from error
    source.paths = tuple(sorted(source.entries))
    return source


def _walk(source: Source, root: Path) -> Iterator[str]:
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            source.left_out.append(source.unread(folder.relative_to(root).as_posix(), error))
            continue
        for entry in entries:
            path = Path(entry.path).relative_to(root).as_posix()
            if is_link(entry):
                message = "is a symbolic link, which is never followed"
                source.left_out.append(Diagnostic(_shown(path), 0, "symlink-ignored", message))
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                message = "is a pipe, socket or device and is not read"
                source.left_out.append(Diagnostic(_shown(path), 0, "not-a-file", message))
            elif _shown(path) != path:
                message = "the name is not UTF-8; rename the file"
                source.left_out.append(Diagnostic(_shown(path), 0, "name-not-utf8", message))
            else:
                yield path


def _entries(source: Source, archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The entries that are taken, by their path without the one folder that may wrap them all."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > _MOST_ENTRIES:
        raise WorkspaceError(f"{source.root}: holds more than {_MOST_ENTRIES:,} entries")
    sound = []
    for info in infos:
        if info.filename.startswith("__MACOSX/"):
            continue
        if problem := _refused(info):
            source.left_out.append(Diagnostic(_shown(info.filename), 0, "entry-refused", problem))
        else:
            sound.append(info)
    packed = sum(info.compress_size for info in sound)
    unpacked = sum(info.file_size for info in sound)
    if _is_bomb(packed, unpacked):
        raise WorkspaceError(
            f"{source.root}: its {len(sound):,} entries unpack to {unpacked:,} bytes "
            f"from {packed:,}",
            hint="no export shrinks like that; unpack it yourself and import the folder",
        )
    tops = {info.filename.split("/")[0] for info in sound if "/" in info.filename}
    wrapped = len(tops) == 1 and all("/" in info.filename for info in sound)
    wrapper = f"{tops.pop()}/" if wrapped else ""
    if wrapper and wrapper.rstrip("/") not in (".obsidian", "journals", "pages"):
        source.name = wrapper.rstrip("/")
    else:
        wrapper = ""
    for info in sound:
        yield info.filename.removeprefix(wrapper), info


def _is_bomb(packed: int, unpacked: int) -> bool:
    return unpacked > max(_RATIO_MATTERS, packed * _MOST_RATIO)


def _refused(info: zipfile.ZipInfo) -> str:
    """Why an entry is not taken; "" for one that is."""
    name = info.filename
    if name.startswith(("/", "\\")) or PureWindowsPath(name).drive:
        return "its name is absolute"
    if ".." in PurePosixPath(name).parts or ".." in PureWindowsPath(name).parts:
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a symbolic link, which is never followed"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.file_size > LARGEST_ENTRY:
        return "unpacks to more than 2 GB"
    if _is_bomb(info.compress_size, info.file_size):
        return f"unpacks to {info.file_size:,} bytes from {info.compress_size:,}"
    return ""


def _shown(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


BROKEN = "invalid-json"
"""The code of what ends the reading of a file."""
_WHITE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class BrokenJson(Exception):
    """The text is no JSON from here on."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.line = text.count("\n", 0, position) + 1
        """1-based, as the column is; the character is 0-based."""
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"{message} at line {self.line}, column {column} (character {position})")


def json_values(data: bytes) -> Iterator[tuple[int, Any]]:
    """`(line, value)` of each element of the array that is read; of any other value, itself.

    The text is held whole, its values one at a time. Raises `BrokenJson` where the text ends early
    or is no JSON; what came before it stands.
    """
    text = data.decode("utf-8-sig", "replace")
    del data  # as large again
    position, mark = _next(text, 0)
    line, counted = 1, 0
    is_array = mark == "["
    if is_array:
        position, mark = _next(text, position + 1)
    while not (is_array and mark == "]"):
        line, counted = line + text.count("\n", counted, position), position
        value, end = _value(text, position)
        yield line, value
        position, mark = _next(text, end)
        if not is_array:
            break
        if mark not in (",", "]"):
            wanted = "expected , or ]" if mark else "the array ends early"
            raise BrokenJson(wanted, text, position)
        if mark == ",":
            position, _ = _next(text, position + 1)
    if is_array:
        position, mark = _next(text, position + 1)
    if mark:
        raise BrokenJson("something follows the end of the value", text, position)


def _next(text: str, position: int) -> tuple[int, str]:
    """The place of the next character that is not white space, and it; "" at the end."""
    found = _WHITE.match(text, position)
    assert found is not None
    return found.end(), text[found.end() : found.end() + 1]


def _value(text: str, position: int) -> tuple[Any, int]:
    """The value that begins there, and where it ends."""
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError as error:
        raise BrokenJson(error.msg.removesuffix(" at"), text, error.pos) from None
    except (RecursionError, ValueError) as error:
        raise BrokenJson(f"cannot be read ({error})", text, position) from None
