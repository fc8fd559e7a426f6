"""Writing a template pack: a folder, or a zip where the name ends so; never over anything."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lorebank.errors import ConcurrentEdit, WorkspaceError
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.pack_source import MANIFEST
from lorebank.workspace.standing import STANDING_LINES, StandingPage

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
    manifest = "\n".join(
        [
            f"name = {_text(name)}",
            f"title = {_text(title)}",
            f"description = {_text(description)}",
            *(line for page in pages for line in _page_lines(page)),
            "",
        ]
    )
    found = {MANIFEST: manifest.encode()}
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


def _page_lines(page: StandingPage) -> list[str]:
    settings = [
        f"path = {_text(page.path)}",
        f"title = {_text(page.title)}",
        f"question = {_text(page.question)}",
        f"words = {_list(page.words)}" if page.words else "",
        f"kinds = {_list(page.kinds)}" if page.kinds else "",
        f"entity = {_text(page.entity)}" if page.entity else "",
        f"since = {_text(page.since)}" if page.since else "",
        "ahead = true" if page.ahead else "",
        "moved = true" if page.moved else "",
        f"k = {page.k}" if page.k != STANDING_LINES else "",
    ]
    return ["", "[[pages]]", *(line for line in settings if line)]


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    """A TOML basic string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
