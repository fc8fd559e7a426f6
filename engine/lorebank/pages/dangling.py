"""What leads nowhere: links, citations and wikilinks of pages. Text in, findings out.

Code is passed over, and so is whatever leads out of the workspace: it is not ours to look up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from lorebank.domain import Citation, RotFinding, RotKind
from lorebank.markdown.mentions import WIKILINK, code_spans, is_day_link, link_title
from lorebank.markdown.source import FenceScanner, split_lines

_LINK = re.compile(
    r"\]\((?:<(?P<angled>[^<>\n]+)>|(?P<plain>[^\s()<>]+))"
    r"(?:\s+(?P<quote>[\"'])[^\"'\n]{0,300}(?P=quote))?\s*\)"
)
_WIKILINK = re.compile(WIKILINK)
_CITATION = re.compile(
    r"(?<![\w/(\[.-])(?P<path>(?:memory|bank)/[^\s()\[\]#`'\"]+\.md)#L(?P<line>\d+)"
)
_FRAGMENT = re.compile(r"\AL(?P<start>\d+)(?:-L?(?P<end>\d+))?\Z")
_SCHEME = re.compile(r"\A(?:[a-z][a-z0-9+.-]*:|//|#)", re.IGNORECASE)

LineCount = Callable[[str], int | None]
"""Workspace path → how many lines its file has; `None` where there is none."""


def dangling_links(
    pages: Mapping[str, str], *, lines_of: LineCount, is_known: Callable[[str], bool]
) -> Iterator[RotFinding]:
    """The findings of some pages (path → text); `is_known` says whether a wikilink's name leads
    anywhere."""
    for path, text in pages.items():
        fences = FenceScanner()
        for number, line in enumerate(split_lines(text), start=1):
            if not fences.feed(line):
                for shown, reason in _of_line(path, line, lines_of, is_known):
                    place = Citation(path, number, number)
                    yield RotFinding(RotKind.DANGLING, "", shown, place, reason)


def _of_line(
    page: str, line: str, lines_of: LineCount, is_known: Callable[[str], bool]
) -> Iterator[tuple[str, str]]:
    bare = _without_code(line)
    for link in _LINK.finditer(bare):
        target = link["angled"] or link["plain"]
        reason = None if _SCHEME.match(target) else _target_problem(page, target, lines_of)
        if reason:
            yield target, reason
    for wikilink in _WIKILINK.finditer(bare):
        name = link_title(wikilink["title"])
        if is_day_link(name):
            continue
        if not is_known(name) and lines_of(_in_folder(page, f"{name}.md") or "") is None:
            yield wikilink.group(), "no entity and no page has this name"
    for cited in _CITATION.finditer(line):
        reason = _line_problem(cited["path"], int(cited["line"]), lines_of)
        if reason:
            yield cited.group(), reason


def _without_code(line: str) -> str:
    """The line with blanks in place of its code spans."""
    for start, end, _ in code_spans(line):
        line = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return line


def _target_problem(page: str, target: str, lines_of: LineCount) -> str | None:
    path, _, fragment = target.partition("#")
    inside = _in_folder(page, unquote(path))
    if inside is None or not inside.lower().endswith(".md"):
        return None
    lines = _FRAGMENT.match(fragment)
    return _line_problem(inside, int(lines["end"] or lines["start"]) if lines else 0, lines_of)


def _in_folder(page: str, path: str) -> str | None:
    """A path relative to a page as one of the workspace; `None` where it leads out of it."""
    found = normpath(join(dirname(page), path))
    return None if path.startswith("/") or found.startswith("..") else found


def _line_problem(path: str, line: int, lines_of: LineCount) -> str | None:
    count = lines_of(path)
    if count is None:
        return "there is no such file"
    return f"the file has only {count} lines" if line > count else None
