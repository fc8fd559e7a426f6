"""The bank's pages as files: bytes in, text to plan with, bytes out again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lorebank.domain import Diagnostic
from lorebank.pages.edits import PageEdit
from lorebank.records import dataclass
from lorebank.workspace.paths import is_linked

_UTF8_MARK = b"\xef\xbb\xbf"


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
        except OSError as error:
            message = f"cannot be read: {error.strerror}; it was left alone"
            problems.append(Diagnostic(path, 0, "page-skipped", message))
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
