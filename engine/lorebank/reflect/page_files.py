"""The bank's pages as files: read as bytes, told as bytes again, and remembered.

Of each page that is as it should be the index remembers what it was made from and what it held. A
run looks only at pages of which either changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lorebank.domain import Diagnostic
from lorebank.index.connection import Connection, select, transaction
from lorebank.index.meta import read_meta, write_meta
from lorebank.reflect.edits import PageEdit
from lorebank.workspace.files import content_hash
from lorebank.workspace.paths import is_linked

__all__ = ["Page", "SettledPages", "encoded", "read_pages"]

_UTF8_MARK = b"\xef\xbb\xbf"
_SETTLED = "settled_pages"


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was read."""

    data: bytes
    text: str
    mark: bytes
    """The byte order mark that it begins with, or nothing."""


def read_pages(root: Path, paths: Iterable[str]) -> tuple[dict[str, Page], tuple[Diagnostic, ...]]:
    """Those of the pages that exist, by path, and those that cannot be read as text."""
    pages: dict[str, Page] = {}
    problems: list[Diagnostic] = []
    for path in sorted(set(paths)):
        if is_linked(root, path):
            message = "is reached by a symbolic link; left alone"
            problems.append(Diagnostic(path, 0, "page-skipped", message))
            continue
        try:
            data = (root / path).read_bytes()
        except FileNotFoundError:
            continue
        mark = _UTF8_MARK if data.startswith(_UTF8_MARK) else b""
        try:
            pages[path] = Page(data, data[len(mark) :].decode("utf-8"), mark)
        except UnicodeDecodeError as problem:
            message = f"invalid UTF-8 at byte {problem.start}; the page was left alone"
            problems.append(Diagnostic(path, 0, "page-skipped", message))
    return pages, tuple(problems)


def encoded(edit: PageEdit, page: Page | None) -> bytes | None:
    """The bytes an edit makes of the page; `None` where it is to go."""
    return None if edit.new is None else (page.mark if page else b"") + edit.new.encode("utf-8")


class SettledPages:
    """What each page was last made from, and the hash of what it held then."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        stored = json.loads(read_meta(connection, _SETTLED) or "{}")
        self._before: dict[str, tuple[str, str]] = {p: (a, b) for p, (a, b) in stored.items()}
        self._now = dict(self._before)
        self._files = dict(
            select(connection, "SELECT path, hash FROM files WHERE substr(path, 1, 5) = 'bank/'")
        )

    def is_settled(self, path: str, made_from: str) -> bool:
        """Whether the page holds what this content makes of it, as the last sync saw it."""
        known = self._before.get(path)
        return known is not None and known == (made_from, self._files.get(path))

    def is_newer(self, path: str, page: Page | None) -> bool:
        """Whether the page was changed after the last sync."""
        return page is not None and self._files.get(path) != content_hash(page.data)

    def settle(self, path: str, made_from: str, data: bytes | None) -> None:
        """Remember what a page was made from; `None` where there is none."""
        self._now.pop(path, None)
        if data is not None:
            self._now[path] = (made_from, content_hash(data))

    def unsettle(self, path: str) -> None:
        """Look at the page again next time."""
        self._now.pop(path, None)

    def keep(self, paths: Mapping[str, object]) -> None:
        """Store what is known of these pages, and forget others."""
        now = {path: known for path, known in self._now.items() if path in paths}
        if now != self._before:
            with transaction(self._connection):
                write_meta(self._connection, _SETTLED, json.dumps(now, ensure_ascii=False))
