"""Pages of merged names: moved into the page of the name that stays, and back when it is undone.

Nothing that a person wrote is lost: the moved text stands in the other page under a heading that
names its origin, and goes back byte for byte (`markdown.entity_page`) when the ledger line is
deleted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ReflectReport
from lorebank.markdown.entity_page import find_moved, move_in, take_out
from lorebank.names.entities import PageMove
from lorebank.pages.edits import PageEdit
from lorebank.records import Record
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.git import unified


class PlannedMoves(Record):
    """The page edits that put every page where the ledger wants it, in the order of writing: a
    text stands in its new place before it leaves the old one."""

    edits: tuple[PageEdit, ...]
    problems: tuple[Diagnostic, ...]

    def merged_into(self, report: ReflectReport) -> ReflectReport:
        """A run's report with these moves; of a run that was not dry they are in it already."""
        edits = self.edits if report.dry_run else ()
        paths = [edit.path for edit in edits]
        patch = "".join(unified(edit.old, edit.new, edit.path) for edit in edits)
        return replace(
            report,
            changed=tuple(dict.fromkeys([*paths, *report.changed])),
            patch=patch + report.patch,
            problems=(*self.problems, *report.problems),
        )


def plan_page_moves(root: Path, moves: Sequence[PageMove]) -> PlannedMoves:
    """Plan the moves on the pages as they are now; a page that cannot be read stays where it is."""
    old: dict[str, str | None] = {}
    problems: list[Diagnostic] = []
    for path in sorted({path for move in moves for path in (move.path, move.home)}):
        try:
            old[path] = _read(root, path)
        except (OSError, UnicodeDecodeError) as problem:
            problems.append(Diagnostic(path, 0, "page-skipped", f"cannot be moved: {problem}"))
    new = dict(old)
    written: list[str] = []
    for move in moves:
        if move.path in new and move.home in new:
            reason = _move_back(move, new) if move.back else _move(move, new)
            if reason:
                problems.append(Diagnostic(move.path, 0, "page-not-moved", reason))
            else:
                order = (move.path, move.home) if move.back else (move.home, move.path)
                written += [path for path in order if path not in written]
    edits = tuple(PageEdit(path, old[path], new[path]) for path in written)
    return PlannedMoves(tuple(edit for edit in edits if edit.changes), tuple(problems))


def write_page_edits(root: Path, edits: Sequence[PageEdit]) -> None:
    """Write the pages in order, each only if it still is what it was planned from."""
    for edit in edits:
        file = root / edit.path
        expected = _bytes(edit.old)
        if edit.new is not None:
            write_atomic(file, edit.new.encode("utf-8"), expected=expected)
        elif expected is not None and file.read_bytes() == expected:
            file.unlink()


def _move(move: PageMove, pages: dict[str, str | None]) -> str:
    """Move a page into its home; returns why it cannot be."""
    text, home = pages[move.path], pages[move.home]
    if text is None or home is None:
        return "" if text is None else f"{move.home} is gone"
    inside = _inside(home, move.path)
    if inside is None:
        pages[move.home] = move_in(home, move.path, text, title=move.title)
    elif inside != text:
        return f"another text of it stands in {move.home} already; make one of the two"
    pages[move.path] = None
    return ""


def _move_back(move: PageMove, pages: dict[str, str | None]) -> str:
    """Take a page out of its home; returns why it cannot be."""
    home = pages[move.home]
    if home is None or _inside(home, move.path) is None:
        return ""
    rest, text = take_out(home, move.path)
    present = pages[move.path]
    if present is not None and present != text:
        return f"its text stays in {move.home}: a new page has its place by now"
    pages[move.path], pages[move.home] = text, rest
    return ""


def _inside(home: str, path: str) -> str | None:
    return next((moved.text for moved in find_moved(home) if moved.path == path), None)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8")


def _read(root: Path, path: str) -> str | None:
    """The page's text, a byte order mark included; `None` where there is none."""
    file = root / path
    if any((root / step).is_symlink() for step in [path, *map(str, Path(path).parents)][:-1]):
        raise OSError("it is reached by a symbolic link")
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
