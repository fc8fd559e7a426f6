"""What is to be forgotten: the lines and files that an order means, found in index and files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation
from lorebank.domain.reports import ForgottenLine
from lorebank.errors import NotFound, UsageError
from lorebank.forgetting.rows import KnownItem, items_matching
from lorebank.index.opinions import OPENED_BY
from lorebank.language.folding import fold
from lorebank.language.statements import sentence_spans
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import decode, split_lines
from lorebank.records import Mutable, Record
from lorebank.trust.quarantine import item_of_id, place_named
from lorebank.workspace.files import SourceFile, read_bytes
from lorebank.workspace.layout import FORGOTTEN_PAGE, FileRole, is_markdown, is_session_path

_NAMING = (
    "i.item IN (SELECT item FROM mentions WHERE entity = ?1"
    " UNION SELECT item FROM plain_mentions WHERE entity = ?1)"
)
"""Whatever names an entity, marked or in running text."""
_STATING = (
    "(i.id IN (SELECT fact FROM opinion_evidence WHERE opinion = ?1"
    " AND reason IN ('stated', 'restated'))"
    f" OR EXISTS (SELECT 1 FROM opinions o WHERE o.id = ?1 AND {OPENED_BY}))"
)
_DECISIONS_ON = (
    "SELECT DISTINCT f.path, n.line FROM names n JOIN files f ON f.file = n.file"
    " WHERE f.role = 'ledger' AND (n.slug IN (SELECT slug FROM aliases WHERE entity = ?1)"
    " OR n.target IN (SELECT slug FROM aliases WHERE entity = ?1)) ORDER BY 1, 2"
)
"""The lines of ledgers that decide about a name of an entity."""
_BULLET = re.compile(r"\A[\s>]*(?:[-*+]\s+)?")
_SEPARATORS = re.compile(r"[-_\s]+")
_BEFORE = "SELECT path FROM files WHERE recorded < ? AND role IN ('log', 'note')"


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


class Selected(Mutable):
    """Lines and whole files, as they were found."""

    lines: list[ForgottenLine] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    """Paths of files that go as a whole."""
    kept: dict[Citation, str] = field(default_factory=dict)
    """Lines of which only some sentences go → what stays, on as many lines."""

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
        is_named = name_finder(order.names)
        for item in items_matching(connection, _NAMING, (order.entity,)):
            _take_naming(root, item, is_named, selected)
        for path, line in select(connection, _DECISIONS_ON, (order.entity,)):
            _take_lines(connection, root, path, {line}, selected)
        if order.page:
            _take_file(connection, root, order.page, selected)
    elif order.ids:
        for text in order.ids:
            _take_items(_of_id(connection, text), selected)
    if order.before is not None:
        early = {path for (path,) in select(connection, _BEFORE, (order.before.isoformat(),))}
        if not (order.ids or order.entity or order.source or order.match):
            for path in sorted(early):
                _take_file(connection, root, path, selected)
        selected.lines = [line for line in selected.lines if line.source.path in early]
        selected.files = [path for path in selected.files if path in early]
    selected.lines = sorted(dict.fromkeys(selected.lines), key=lambda line: (line.source, line.id))
    return selected


def _of_id(connection: Connection, text: str) -> list[KnownItem]:
    if text.startswith("o-"):
        found = items_matching(connection, _STATING, (text,))
        if not found:
            raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")
        return found
    return items_matching(connection, "i.id = ?", (item_of_id(connection, text)[0],))


def _take_items(items: Iterable[KnownItem], selected: Selected) -> None:
    selected.lines += [ForgottenLine(place, text, id_, kind) for id_, kind, text, place in items]


def _take_naming(
    root: Path, item: KnownItem, is_named: Callable[[str], object], into: Selected
) -> None:
    """A fact as a whole; of a paragraph, the sentences that name somebody."""
    id_, kind, _, place = item
    text = "\n".join(_read_lines(root, place.path)[place.start_line - 1 : place.end_line])
    # A line with bytes that are no text could not be written back as it was.
    is_whole = kind != "note" or "\ufffd" in text
    spans = [] if is_whole else list(sentence_spans(text))
    gone = [span for span in spans if is_named(text[slice(*span)])]
    if not gone or len(gone) == len(spans):
        return _take_items([item], into)
    said = " ".join(text[slice(*span)].strip() for span in gone)
    into.lines.append(ForgottenLine(place, plain_text(said), id_, kind))
    for start, end in reversed(gone):
        begin = start or len(text) - len(_BULLET.sub("", text))
        text = text[:begin] + "\n" * text.count("\n", start, end) + text[end:]
    into.kept[place] = text
    return None


def _take_source(
    connection: Connection, root: Path, files: Sequence[SourceFile], source: str, into: Selected
) -> None:
    place = place_named(source)
    if place.path not in {file.path for file in files}:
        raise NotFound(f"no file {place.path}", hint="paths are relative to the workspace")
    if place.start_line:
        wanted = range(place.start_line, place.end_line + 1)
        _take_lines(connection, root, place.path, wanted, into)
    else:
        _take_file(connection, root, place.path, into)


def _take_file(connection: Connection, root: Path, path: str, into: Selected) -> None:
    into.files.append(path)
    _take_lines(connection, root, path, range(1, 10**9), into)


def _take_lines(
    connection: Connection, root: Path, path: str, wanted: Container[int], into: Selected
) -> None:
    """Some lines of a file: the facts and passages on them, and lines that none of these takes:
    headings, tables, code, what is private."""
    covered: set[int] = set()
    for item in items_matching(connection, "f.path = ?", (path,)):
        span = range(item[3].start_line, item[3].end_line + 1)
        if any(number in wanted for number in span):
            _take_items([item], into)
            covered.update(span)
    for number, text in enumerate(_read_lines(root, path), start=1):
        if number in wanted and number not in covered and text.strip():
            into.lines.append(ForgottenLine(Citation(path, number, number), text.strip()))


def _take_matches(
    connection: Connection, root: Path, files: Sequence[SourceFile], text: str, into: Selected
) -> None:
    sought = fold(text.strip())
    for file in files:
        if file.path == FORGOTTEN_PAGE:
            continue  # it keeps forgotten what is
        lines = enumerate(_read_lines(root, file.path), start=1)
        hit = {number for number, line in lines if sought in fold(line)}
        if file.role in (FileRole.BANK, FileRole.LEDGER) and hit:
            hit = _outside_blocks(root, file.path, hit)
        if hit:
            _take_lines(connection, root, file.path, hit, into)
    # Facts and passages may hold the text across the end of a line.
    every = items_matching(connection, "i.end_line > i.start_line", ())
    _take_items((item for item in every if sought in fold(" ".join(item[2].split()))), into)


def _outside_blocks(root: Path, path: str, numbers: Collection[int]) -> set[int]:
    """Of some lines of a page those that a person wrote: managed blocks are mended."""
    from lorebank.markdown.blocks import find_blocks

    text = "\n".join(_read_lines(root, path))
    managed = [(block.first_line, block.last_line) for block in find_blocks(text)[0]]
    return {n for n in numbers if not any(first <= n <= last for first, last in managed)}


def _read_lines(root: Path, path: str) -> list[str]:
    try:
        source = SourceFile(path, 0, 0, None, FileRole.NOTE)
        return split_lines(decode(read_bytes(root, source), path)[0])
    except OSError:
        return []


def name_finder(names: Iterable[str]) -> Callable[[str], object]:
    """Whether a text holds one of the names as a word, whatever its case and accents.

    A script without capitals writes words in a row, so there a name may stand within others.
    """
    found = []
    for name in dict.fromkeys(fold(name).strip() for name in names):
        words = [re.escape(word) for word in _SEPARATORS.split(name) if word]
        if words:
            before = r"(?<!\w)" if _ends_words(name[0]) else ""
            after = r"(?!\w)" if _ends_words(name[-1]) else ""
            found.append(f"{before}{_SEPARATORS.pattern.join(words)}{after}")
    pattern = re.compile("|".join(found) or r"(?!)")
    return lambda text: pattern.search(fold(text))


def _ends_words(letter: str) -> bool:
    return letter.isdigit() or letter.upper() != letter.lower()
