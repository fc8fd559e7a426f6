"""A template pack, a folder or a zip of one, read within limits and written.

`template.toml` describes the template; every error in it is reported:

    name = "deadlines"
    title = "Deadlines"
    description = "One sentence for the list."

    [[pages]]
    path = "bank/pages/deadlines.md"
    title = "Deadlines"
    question = "What is due, to whom, and when?"
    words = ["due", "deadline*"]

A pack may come from anybody. Only `template.toml` and Markdown files below `workspace/` inside a
workspace's memory are read; a path to anywhere else, a link, an encrypted or an oversized entry
rejects the whole pack before anything is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from pathlib import Path
from typing import Any

from lorebank.errors import (
    ConcurrentEdit,
    ConfigurationError,
    NotFound,
    PathRefused,
    WorkspaceError,
)
from lorebank.records import Record
from lorebank.settings.files import parse_toml
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.given import open_source
from lorebank.workspace.layout import GENERATED_FOLDERS
from lorebank.workspace.paths import refuse_outside_memory
from lorebank.workspace.run_store import pack
from lorebank.workspace.standing import StandingPage, is_standing_path, own_settings, standing_page

MANIFEST = "template.toml"
MAX_FILES = 500
"""A pack is a start, not an archive."""
MAX_FILE_BYTES = 1_000_000
"""Bytes."""
MAX_PACK_BYTES = 8_000_000
"""All files, unpacked."""
_CONTENT = "workspace/"


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME_CHARACTERS = 60
"""It is typed on the command line."""
_MAX_SETTING_CHARACTERS = 400
"""For templates, which may come from anybody; pages have no limit."""
_MAX_PROBLEMS_SHOWN = 5
"""Problems named in one message."""


class Template(Record):
    name: str
    title: str
    description: str
    pages: tuple[StandingPage, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Workspace path → content, besides the standing pages."""


def read_manifest(data: bytes, origin: str) -> Template:
    """The manifest; raises `ConfigurationError` with its problems."""
    found, problems = check_manifest(data)
    if found is not None:
        return found
    left = len(problems) - _MAX_PROBLEMS_SHOWN
    more = f" (and {left} more)" if left > 0 else ""
    raise ConfigurationError(f"{origin}: {'; '.join(problems[:_MAX_PROBLEMS_SHOWN])}{more}")


def check_manifest(data: bytes) -> tuple[Template | None, tuple[str, ...]]:
    """The manifest, or every problem as `key: expected …, not …`."""
    try:
        table = parse_toml(data.decode("utf-8-sig"))
    except ValueError as error:
        return None, (f"is not TOML: {error}",)
    problems = _unknown_keys(table, ("name", "title", "description", "pages"))
    name = str(table.get("name", ""))
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME_CHARACTERS:
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
        wrong += _unknown_keys(settings, StandingPage.__annotations__)
        for key, value in settings.items():
            if isinstance(value, str) and len(value) > _MAX_SETTING_CHARACTERS:
                wrong.append(f"{key}: expected at most {_MAX_SETTING_CHARACTERS} characters")
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
    return Template(name, title, description, tuple(pages.values())), ()


def _unknown_keys(table: Mapping[str, Any], known: Iterable[str]) -> list[str]:
    odd = table.keys() - set(known)
    return [f"{key}: expected no key of that name, not {table[key]!r}" for key in sorted(odd)]


def _leads_outside(path: str) -> bool:
    try:
        refuse_outside_memory(path)
    except PathRefused:
        return True
    return False


def read_pack(source: Path) -> tuple[bytes, dict[str, bytes]]:
    """The raw manifest, and workspace path → content in order of path."""
    if not source.exists():
        hint = "name a folder or a zip with template.toml"
        raise NotFound(f"{source}: no such template", hint=hint)
    with closing(open_source(source)) as given:
        if given.paths == ("",):
            raise WorkspaceError(f"{source}: is not a readable zip archive")
        for problem in given.left_out:
            if problem.code == "entry-refused" or _belongs_to_pack(problem.path):
                raise PathRefused(f"{source}: {problem.path!r} {problem.message}")
        paths = sorted(filter(_belongs_to_pack, given.paths))
        if MANIFEST not in paths:
            hint = "a template is a folder with that file"
            raise NotFound(f"{source}: holds no {MANIFEST}", hint=hint)
        if len(paths) > MAX_FILES + 1:
            raise WorkspaceError(f"{source}: holds more than {MAX_FILES} files")
        files: dict[str, bytes] = {}
        for path in paths:
            name = path.removeprefix(_CONTENT)
            if path != MANIFEST:
                _check_name(name, source)
            if any(name.casefold() == other.casefold() for other in files):
                raise WorkspaceError(f"{source}: holds {name} twice")
            try:
                files[name] = given.read(path, MAX_FILE_BYTES)
            except OSError as error:
                raise WorkspaceError(f"{source}: {path}: {error.strerror}") from error
            if sum(map(len, files.values())) > MAX_PACK_BYTES:
                raise WorkspaceError(f"{source}: holds more than {MAX_PACK_BYTES // 10**6} MB")
    manifest = files.pop(MANIFEST)
    for name, content in files.items():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise WorkspaceError(f"{source}: {name} is not UTF-8 at byte {error.start}") from None
    return manifest, files


def _belongs_to_pack(path: str) -> bool:
    return path == MANIFEST or f"{path}/".startswith(_CONTENT)


def _check_name(path: str, source: Path) -> None:
    try:
        refuse_outside_memory(path)
    except PathRefused as error:
        raise PathRefused(f"{source}: {_CONTENT}: {error.message}", hint=error.hint) from None
    if path.casefold().startswith(tuple(f"{folder}/" for folder in GENERATED_FOLDERS)):
        raise PathRefused(f"{source}: {path} is a folder of reflect; templates may not write there")


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
        "pages": list(map(own_settings, pages)),
    }
    found = {MANIFEST: tomlkit.dumps(manifest).encode()}
    return found | {f"workspace/{path}": content for path, content in sorted(files.items())}


def write_pack(target: Path, files: Mapping[str, bytes]) -> None:
    """Raises `WorkspaceError` if the target exists."""
    if os.path.lexists(target):
        raise WorkspaceError(f"{target}: already exists", hint="choose another place")
    try:
        if target.suffix.lower() == ".zip":
            write_atomic(target, pack(files), expected=None)
            return
        for path, content in files.items():
            write_atomic(target / path, content, expected=None)
    except ConcurrentEdit as error:
        raise WorkspaceError(error.message) from error
