"""A template pack, a folder or a zip of one, read within limits and written.

`template.toml` says what the template is; every mistake in it is named:

    name = "deadlines"
    title = "Deadlines"
    description = "One sentence for the list."

    [[pages]]
    path = "bank/pages/deadlines.md"
    title = "Deadlines"
    question = "What is due, to whom, and when?"
    words = ["due", "deadline*"]

A pack may come from anybody. What is taken is `template.toml` and the Markdown files below
`workspace/` whose names lead into the memory of a workspace; a name that leads anywhere else, a
link, an encrypted or an oversized entry refuses the whole pack, and nothing has been written then.
"""

from __future__ import annotations

import io
import os
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lorebank.errors import (
    ConcurrentEdit,
    ConfigurationError,
    NotFound,
    PathRefused,
    WorkspaceError,
)
from lorebank.records import Record, record_to_dict
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.files import is_link
from lorebank.workspace.layout import GENERATED_FOLDERS
from lorebank.workspace.paths import refuse_outside_memory
from lorebank.workspace.standing import StandingPage, is_standing_path, standing_page

MANIFEST = "template.toml"
MOST_FILES = 500
"""A pack is pages to begin with, not an archive."""
LARGEST_FILE = 1_000_000
"""Bytes."""
LARGEST_PACK = 8_000_000
"""Bytes of all files of a pack, unpacked."""
_MOST_ENTRIES = 4 * MOST_FILES
_CONTENT = "workspace/"


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 60
"""Characters of a template's name: it is a word of a command."""
_LONGEST_SETTING = 400
"""Characters: a template may come from anybody; a page's owner may write as much as he likes."""
_SHOWN = 5
"""Problems named in one message."""


class Manifest(Record):
    """A template's own description, checked."""

    name: str
    title: str
    description: str
    pages: tuple[StandingPage, ...]


def read_manifest(data: bytes, origin: str) -> Manifest:
    """The manifest; `ConfigurationError` names file, key and what was expected."""
    found, problems = check_manifest(data)
    if found is not None:
        return found
    more = f" (and {len(problems) - _SHOWN} more)" if len(problems) > _SHOWN else ""
    raise ConfigurationError(f"{origin}: {'; '.join(problems[:_SHOWN])}{more}")


def check_manifest(data: bytes) -> tuple[Manifest | None, tuple[str, ...]]:
    """The manifest, or every mistake in it as `key: expected …, not …`."""
    try:
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return None, (f"is not TOML: {error}",)
    problems = _unknown(table, ("name", "title", "description", "pages"))
    name = str(table.get("name", ""))
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        expected = "small letters and digits with single hyphens between, such as my-template"
        problems.append(f"name: expected {expected}, not {name!r}")
    title, description = (str(table.get(key, "")).strip() for key in ("title", "description"))
    for key, text in (("title", title), ("description", description)):
        if not text or re.search(r"[\r\n]", text):
            problems.append(f"{key}: expected one line of text, not {text[:60]!r}")
    pages: dict[str, StandingPage] = {}
    tables = table.get("pages", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        return None, (*problems, "pages: expected a list of tables")
    for number, settings in enumerate(tables, start=1):
        path = str(settings.get("path", ""))
        page, wrong = standing_page(path, settings)
        wrong += _unknown(settings, StandingPage.__annotations__)
        for key, value in settings.items():
            if isinstance(value, str) and len(value) > _LONGEST_SETTING:
                wrong.append(f"{key}: expected at most {_LONGEST_SETTING} characters")
        if _leads_outside(path) or not is_standing_path(path):
            expected = "a Markdown file below bank/ that has no other use"
            wrong.append(f"path: expected {expected}, not {path!r}")
        if path.casefold() in pages:
            wrong.append(f"path: expected each path once; {path} stands twice")
        problems += [f"pages.{number}.{each}" for each in wrong]
        if page is not None:
            pages[path.casefold()] = page
    if problems:
        return None, tuple(problems)
    return Manifest(name, title, description, tuple(pages.values())), ()


def _unknown(table: Mapping[str, Any], known: Iterable[str]) -> list[str]:
    odd = table.keys() - set(known)
    return [f"{key}: expected no key of that name, not {table[key]!r}" for key in sorted(odd)]


def _leads_outside(path: str) -> bool:
    try:
        refuse_outside_memory(path)
    except PathRefused:
        return True
    return False


class PackFiles(Record):
    """What a pack holds, not yet understood."""

    origin: str
    """Where the manifest was found, as messages name it."""
    manifest: bytes
    files: dict[str, bytes]
    """Workspace path → content, in order of path."""


def read_pack_files(source: Path) -> PackFiles:
    """Everything a pack brings.

    `NotFound` where there is no pack, `PathRefused` for a name that leads out of the memory,
    `WorkspaceError` for what is too large or cannot be read.
    """
    if source.is_dir():
        return _gathered(_folder_entries(source), str(source))
    if source.is_file():
        try:
            with zipfile.ZipFile(source) as archive:
                return _gathered(_zip_entries(archive, source), str(source))
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
            raise WorkspaceError(f"{source}: is not a readable zip archive: {error}") from None
        except OSError as error:
            raise WorkspaceError(f"{source}: cannot be read: {error.strerror}") from error
    raise NotFound(f"{source}: no such template", hint="name a folder or a zip with template.toml")


def _gathered(entries: Iterator[tuple[str, bytes]], origin: str) -> PackFiles:
    manifest: bytes | None = None
    files: dict[str, bytes] = {}
    seen: set[str] = set()
    size = 0
    for name, content in entries:
        size += len(content)
        if size > LARGEST_PACK:
            raise WorkspaceError(f"{origin}: holds more than {LARGEST_PACK // 10**6} MB")
        if name == MANIFEST:
            manifest = content
            continue
        path = name.removeprefix(_CONTENT)
        if path.casefold() in seen:
            raise WorkspaceError(f"{origin}: holds {path} twice")
        seen.add(path.casefold())
        if len(seen) > MOST_FILES:
            raise WorkspaceError(f"{origin}: holds more than {MOST_FILES} files")
        files[path] = _checked(path, content, origin)
    if manifest is None:
        raise NotFound(f"{origin}: holds no {MANIFEST}", hint="that file makes a folder a template")
    return PackFiles(f"{origin}/{MANIFEST}", manifest, dict(sorted(files.items())))


def _checked(path: str, content: bytes, origin: str) -> bytes:
    try:
        refuse_outside_memory(path)
    except PathRefused as error:
        raise PathRefused(f"{origin}: {_CONTENT}: {error.message}", hint=error.hint) from None
    if path.casefold().startswith(tuple(f"{folder}/" for folder in GENERATED_FOLDERS)):
        raise PathRefused(f"{origin}: {path} is where reflect reports; no template writes there")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WorkspaceError(f"{origin}: {path} is not UTF-8 at byte {error.start}") from None
    return content


def _folder_entries(folder: Path) -> Iterator[tuple[str, bytes]]:
    content = folder / _CONTENT.rstrip("/")
    for file in (folder / MANIFEST, content, *([] if content.is_symlink() else content.rglob("*"))):
        if not os.path.lexists(file):
            continue
        if is_link(file.lstat()):
            raise PathRefused(f"{file}: is a symbolic link, which is never followed")
        if file.is_file():
            if file.stat().st_size > LARGEST_FILE:
                raise WorkspaceError(f"{file}: is larger than {LARGEST_FILE // 10**6} MB")
            yield file.relative_to(folder).as_posix(), file.read_bytes()
        elif not file.is_dir():
            raise PathRefused(f"{file}: is not a regular file")


def _zip_entries(archive: zipfile.ZipFile, source: Path) -> Iterator[tuple[str, bytes]]:
    """The entries, without the one folder that many archives wrap them in."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > _MOST_ENTRIES:
        raise WorkspaceError(f"{source}: holds more than {_MOST_ENTRIES} entries")
    wrapper = _wrapper([entry.filename for entry in entries])
    for entry in entries:
        name = entry.filename.removeprefix(wrapper)
        if ".." in PurePosixPath(name).parts or entry.filename.startswith(("/", "\\")):
            raise PathRefused(f"{source}: {entry.filename!r} leads out of the archive")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise PathRefused(f"{source}: {entry.filename!r} is a symbolic link")
        if name == MANIFEST or name.startswith(_CONTENT):  # a README beside them is for people
            yield name, _unpacked(archive, entry, source)


def _wrapper(names: list[str]) -> str:
    if MANIFEST in names:
        return ""
    inner = [name for name in names if name.count("/") == 1 and name.endswith(f"/{MANIFEST}")]
    return inner[0].removesuffix(MANIFEST) if len(inner) == 1 else ""


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: Path) -> bytes:
    """The entry's bytes, read no further than the limit whatever its header claims."""
    if entry.flag_bits & 0x1:
        raise WorkspaceError(f"{source}: {entry.filename!r} is encrypted")
    with archive.open(entry) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise WorkspaceError(
            f"{source}: {entry.filename!r} is larger than {LARGEST_FILE // 10**6} MB"
        )
    return content


_ZIP_DAY = (1980, 1, 1, 0, 0, 0)
"""The same pack is the same bytes on any day."""


def pack_files(
    name: str,
    title: str,
    description: str,
    pages: Sequence[StandingPage],
    files: Mapping[str, bytes],
) -> dict[str, bytes]:
    """Pack path → content; `files` are given by workspace path."""
    import tomlkit

    manifest = {
        "name": name,
        "title": title,
        "description": description,
        "pages": [_settings(page) for page in pages],
    }
    found = {MANIFEST: tomlkit.dumps(manifest).encode()}
    return found | {f"workspace/{path}": content for path, content in sorted(files.items())}


def write_pack(target: Path, files: Mapping[str, bytes]) -> None:
    """Write the pack; `WorkspaceError` where something is in its place already."""
    if os.path.lexists(target):
        raise WorkspaceError(f"{target}: is there already", hint="name another place")
    try:
        if target.suffix.lower() == ".zip":
            write_atomic(target, _zipped(files), expected=None)
            return
        for path, content in files.items():
            write_atomic(target / path, content, expected=None)
    except ConcurrentEdit as error:
        raise WorkspaceError(error.message) from error


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _ZIP_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def _settings(page: StandingPage) -> dict[str, Any]:
    """What a page says otherwise than a page does that says nothing."""
    plain = record_to_dict(StandingPage("", "", ""))
    return {key: value for key, value in record_to_dict(page).items() if value != plain[key]}
