"""Untrusted sources (a file, a folder or a zip archive), read within limits: links are never
followed, nothing is unpacked onto the disk, and what is refused is reported."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path, PurePosixPath, PureWindowsPath

from lorebank.domain.facts import Diagnostic
from lorebank.errors import NotFound, WorkspaceError
from lorebank.records import Mutable
from lorebank.workspace.files import entries_below, open_regular, shown_path

MAX_ENTRY_BYTES = 2_000_000_000  # of one unpacked file, which is held in memory; chosen by hand
_MAX_ENTRIES = 200_000  # chosen by hand: far above any vault, far below memory limits
_MAX_RATIO = 200  # JSON and prose compress to about a tenth, a zip bomb to a thousandth
_RATIO_CHECKED_FROM = 10_000_000  # small files may compress a thousandfold without being a bomb


class Source(Mutable):
    """Files by their path in the source, `/` between parts, sorted."""

    root: Path
    name: str  # the name of the folder, or of the file without its suffix
    paths: tuple[str, ...] = ()
    left_out: list[Diagnostic] = field(default_factory=list)
    archive: zipfile.ZipFile | None = None
    entries: dict[str, zipfile.ZipInfo] = field(default_factory=dict)

    def read(self, path: str, limit: int | None = None) -> bytes:
        """One file; raises `OSError` if it is unreadable or larger than `limit`."""
        limit = limit or MAX_ENTRY_BYTES
        try:
            if self.archive is not None:
                with self.archive.open(self.entries[path]) as packed:
                    content = packed.read(limit + 1)
            else:
                with open_regular(self.root / path) as handle:
                    content = handle.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            raise OSError(0, f"is not a readable zip archive: {error}", path) from error
        if len(content) > limit:
            raise OSError(0, f"is larger than {limit // 1_000_000:,} MB", path)
        return content

    def unread(self, path: str, error: OSError) -> Diagnostic:
        return Diagnostic(path or self.name, 0, "unreadable", f"cannot be read: {error.strerror}")

    def below(self, suffix: str) -> Iterator[str]:
        return (path for path in self.paths if path.lower().endswith(suffix))

    def close(self) -> None:
        if self.archive is not None:
            self.archive.close()


def open_source(path: Path) -> Source:
    """Raises `NotFound` or `WorkspaceError`."""
    if path.is_dir():
        source = Source(path, path.resolve().name)
        source.paths = tuple(sorted(p for p, _ in entries_below(path, source.left_out.append)))
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


def _entries(source: Source, archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The accepted entries by path, without a single top folder around all of them."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > _MAX_ENTRIES:
        raise WorkspaceError(f"{source.root}: holds more than {_MAX_ENTRIES:,} entries")
    sound = []
    for info in infos:
        if info.filename.startswith("__MACOSX/"):
            continue
        if problem := _refused(info):
            source.left_out.append(
                Diagnostic(shown_path(info.filename), 0, "entry-refused", problem)
            )
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
    return unpacked > max(_RATIO_CHECKED_FROM, packed * _MAX_RATIO)


def _refused(info: zipfile.ZipInfo) -> str:
    """Why an entry is refused; empty if it is accepted."""
    name = info.filename
    if name.startswith(("/", "\\")) or PureWindowsPath(name).drive:
        return "its name is absolute"
    if ".." in PurePosixPath(name).parts or ".." in PureWindowsPath(name).parts:
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a symbolic link, which is never followed"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.file_size > MAX_ENTRY_BYTES:
        return "unpacks to more than 2 GB"
    if _is_bomb(info.compress_size, info.file_size):
        return f"unpacks to {info.file_size:,} bytes from {info.compress_size:,}"
    return ""
