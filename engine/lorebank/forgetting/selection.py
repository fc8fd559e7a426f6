"""What is to be forgotten: the lines and files that an order means, found in index and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path

from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation
from lorebank.domain.reports import ForgottenLine
from lorebank.errors import NotFound, UsageError
from lorebank.forgetting.rows import (
    KnownItem,
    items_matching,
    items_of_entity,
    items_of_opinion,
    ledger_lines_of_entity,
    paths_before,
)
from lorebank.language.folding import fold
from lorebank.markdown.source import decode, split_lines
from lorebank.records import Record, dataclass
from lorebank.trust.quarantine import item_of_id, place_named
from lorebank.workspace.files import SourceFile, read_bytes
from lorebank.workspace.layout import FORGOTTEN_PAGE, FileRole, is_markdown, is_session_path


class Order(Record):
    """What to forget: one of the first four; `before` narrows it, or stands alone."""

    ids: tuple[str, ...] = ()
    """Of facts, passages (`n-…`) or opinions (`o-…`): the lines that state them."""
    entity: str = ""
    """A slug: all lines that name it, its page, the decisions about its names."""
    names: tuple[str, ...] = ()
    """What that entity is called, for what was said of it in conversations."""
    page: str = ""
    """The page of that entity, where it has one."""
    source: str = ""
    """A file, or lines of it; a transcript or a folder of them as search cites it."""
    match: str = ""
    """Every line that holds this text, whatever its case and accents."""
    before: date | None = None
    """Only what was written down on an earlier day; alone, the whole notes of those days, and all
    that was said on them."""

    @property
    def is_of_conversations(self) -> bool:
        """Whether no note is meant."""
        path = self.source.partition("#")[0]
        return is_session_path(path) and not is_markdown(path)

    def check(self) -> None:
        """`UsageError` unless it means one thing."""
        given = sum(map(bool, (self.ids, self.entity, self.source, self.match.strip())))
        if given > 1 or (given == 0 and self.before is None):
            raise UsageError(
                "say what to forget: ids, --entity, --source, --match or --before",
                hint="lorebank forget f-1a2b3c4d5e --dry-run",
            )


@dataclass(slots=True)
class Selected:
    """Lines and whole files, as they were found."""

    lines: list[ForgottenLine] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Paths of files that go as a whole."""

    def places(self, path: str) -> list[Citation]:
        """The lines of one file."""
        return [line.source for line in self.lines if line.source.path == path]


def select_lines(
    connection: Connection, root: Path, files: Sequence[SourceFile], order: Order
) -> Selected:
    """Everything that the order means; the caller has synced. `NotFound` for unknown ids."""
    order.check()
    selected = Selected()
    if order.is_of_conversations:
        return selected
    if order.source:
        _take_source(connection, root, files, order.source, selected)
    elif order.match:
        _take_matches(connection, root, files, order.match, selected)
    elif order.entity:
        _take_items(items_of_entity(connection, order.entity), selected)
        for place in ledger_lines_of_entity(connection, order.entity):
            _take_lines(root, place, selected)
        if order.page:
            _take_file(connection, root, order.page, selected)
    elif order.ids:
        for text in order.ids:
            _take_items(_of_id(connection, text), selected)
    if order.before is not None:
        early = set(paths_before(connection, order.before))
        if not (order.ids or order.entity or order.source or order.match):
            for path in sorted(early):
                _take_file(connection, root, path, selected)
        selected.lines = [line for line in selected.lines if line.source.path in early]
        selected.files = [path for path in selected.files if path in early]
    selected.lines = sorted(dict.fromkeys(selected.lines), key=lambda line: (line.source, line.id))
    return selected


def _of_id(connection: Connection, text: str) -> list[KnownItem]:
    if text.startswith("o-"):
        found = items_of_opinion(connection, text)
        if not found:
            raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")
        return found
    return items_matching(connection, "i.id = ?", (item_of_id(connection, text)[0],))


def _take_items(items: Iterable[KnownItem], selected: Selected) -> None:
    selected.lines += [ForgottenLine(place, text, id_, kind) for id_, kind, text, place in items]


def _take_source(
    connection: Connection, root: Path, files: Sequence[SourceFile], source: str, into: Selected
) -> None:
    place = place_named(source)
    if place.path not in {file.path for file in files}:
        raise NotFound(f"no file {place.path}", hint="paths are relative to the workspace")
    if not place.start_line:
        _take_file(connection, root, place.path, into)
        return
    _take_items(_items_in(connection, place), into)
    _take_lines(root, place, into)


def _take_file(connection: Connection, root: Path, path: str, into: Selected) -> None:
    into.files.append(path)
    _take_items(items_matching(connection, "f.path = ?", (path,)), into)
    _take_lines(root, Citation(path, 1, 10**9), into)


def _take_lines(root: Path, place: Citation, into: Selected) -> None:
    """Lines that no fact or passage takes: headings, tables, code, what is private."""
    covered = {
        number
        for line in into.lines
        if line.source.path == place.path
        for number in range(line.source.start_line, line.source.end_line + 1)
    }
    lines = _read_lines(root, place.path)
    for number, text in enumerate(lines[place.start_line - 1 : place.end_line], place.start_line):
        if number not in covered and text.strip():
            into.lines.append(ForgottenLine(Citation(place.path, number, number), text.strip()))


def _take_matches(
    connection: Connection, root: Path, files: Sequence[SourceFile], text: str, into: Selected
) -> None:
    sought = fold(text.strip())
    for file in files:
        if file.path == FORGOTTEN_PAGE:
            continue  # it keeps forgotten what is
        hit = [n for n, line in _numbered(root, file) if sought in fold(line)]
        if file.role in (FileRole.BANK, FileRole.LEDGER) and hit:
            hit = _outside_blocks(root, file.path, hit)
        for number in hit:
            place = Citation(file.path, number, number)
            _take_items(_items_in(connection, place), into)
            _take_lines(root, place, into)
    _take_items(_spanning(connection, sought), into)


def _spanning(connection: Connection, sought: str) -> list[KnownItem]:
    """Facts and passages that hold the text across the end of a line."""
    every = items_matching(connection, "i.end_line > i.start_line", ())
    return [item for item in every if sought in fold(" ".join(item[2].split()))]


def _items_in(connection: Connection, place: Citation) -> list[KnownItem]:
    return items_matching(
        connection,
        "f.path = ? AND i.start_line <= ? AND i.end_line >= ?",
        (place.path, place.end_line, place.start_line),
    )


def _outside_blocks(root: Path, path: str, numbers: Sequence[int]) -> list[int]:
    """Of some lines of a page those that a person wrote: managed blocks are mended."""
    from lorebank.markdown.blocks import find_blocks

    text = "\n".join(_read_lines(root, path))
    managed = [(block.first_line, block.last_line) for block in find_blocks(text)[0]]
    return [n for n in numbers if not any(first <= n <= last for first, last in managed)]


def _numbered(root: Path, file: SourceFile) -> Iterable[tuple[int, str]]:
    return enumerate(_read_lines(root, file.path), start=1)


def _read_lines(root: Path, path: str) -> list[str]:
    try:
        source = SourceFile(path, 0, 0, None, FileRole.NOTE)
        return split_lines(decode(read_bytes(root, source), path)[0])
    except OSError:
        return []
