"""What is to be forgotten: the lines and files that an order means, and the turns of conversations.

A transcript is its host's: it is read and never written. Lines of `bank/forgotten.md` keep what was
said from being read again; a line of which one turn goes is not read at all.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field
from datetime import date
from functools import cache
from itertools import groupby
from pathlib import Path

from lorebank.conversations.sync import SessionFile
from lorebank.conversations.turns import Turn
from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation
from lorebank.domain.reports import ForgottenLine
from lorebank.errors import NotFound, UsageError
from lorebank.forgetting.words import Finder, readable, text_of, word_finder
from lorebank.index.opinions import OPENED_BY
from lorebank.language.statements import sentence_spans
from lorebank.markdown.forgotten import Tombstone, format_tombstone, message_key
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import split_lines
from lorebank.records import Mutable, Record
from lorebank.trust.quarantine import KnownItem, item_of_id, items_matching, place_named
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
_BULLET = re.compile(r"\A[\s>]*(?:[-*+]\s+)?")
_ITEM = re.compile(r"(?P<indent>[\s>]*)(?:[-*+]|\d{1,9}[.)])(?=\s)")
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
    """Every line that holds these words, whatever their case and accents; see `word_finder`."""
    before: date | None = None
    """Only what was written down on an earlier day; alone, the whole notes of those days, and all
    that was said on them."""

    @property
    def is_of_conversations(self) -> bool:
        """Whether no note is meant."""
        path = self.source.partition("#")[0]
        return is_session_path(path) and not is_markdown(path)

    @property
    def finder(self) -> Finder | None:
        """What its words or names are found by, where it has any."""
        return Finder(self.names, self.match) if self.names or self.match.strip() else None

    @property
    def digest(self) -> str:
        """The same for an order given again, and tells nothing of it."""
        from hashlib import blake2b  # brings OpenSSL

        given = repr((self.ids, self.entity, self.source, self.match, self.before))
        return blake2b(given.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

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
    return Selected() if order.is_of_conversations else _Search(connection, root, files).run(order)


class _Search:
    """What one order means, gathered in `into`."""

    def __init__(self, connection: Connection, root: Path, files: Sequence[SourceFile]) -> None:
        self.connection = connection
        self.root = root
        self.files = files
        self.into = Selected()
        self.lines_of = cache(self._lines_of)

    def run(self, order: Order) -> Selected:
        into = self.into
        if order.source:
            place = place_named(order.source)
            if place.path not in {file.path for file in self.files}:
                raise NotFound(f"no file {place.path}", hint="paths are relative to the workspace")
            if place.start_line:
                self._take_lines(place.path, range(place.start_line, place.end_line + 1))
            else:
                self._take_file(place.path)
        elif order.finder is not None:
            self._take_found(order, order.finder)
        for text in order.ids:
            self._take_items(self._of_id(text))
        if order.before is not None:
            rows = select(self.connection, _BEFORE, (order.before,))
            early = {path for (path,) in rows}
            if not (order.ids or order.entity or order.source or order.match):
                for path in sorted(early):
                    self._take_file(path)
            into.lines = [line for line in into.lines if line.source.path in early]
            into.files = [path for path in into.files if path in early]
        into.lines = sorted(dict.fromkeys(into.lines), key=lambda line: (line.source, line.id))
        self._keep_marks()
        return into

    def _of_id(self, text: str) -> list[KnownItem]:
        if not text.startswith("o-"):
            item = item_of_id(self.connection, text)[0]
            return items_matching(self.connection, "i.id = ?", (item,))
        if found := items_matching(self.connection, _STATING, (text,)):
            return found
        raise NotFound(f"no opinion '{text}'", hint="`lorebank opinions` lists them with ids")

    def _take_items(self, items: Iterable[KnownItem]) -> None:
        self.into.lines += [ForgottenLine(at, text, id_, kind) for id_, kind, text, at in items]

    def _take_naming(self, item: KnownItem, is_named: Callable[[str], object]) -> None:
        """A fact as a whole; of a paragraph, the sentences that name somebody."""
        id_, kind, _, place = item
        text = "\n".join(self.lines_of(place.path)[place.start_line - 1 : place.end_line])
        spans = list(sentence_spans(text)) if kind == "note" else []
        gone = [span for span in spans if is_named(text[slice(*span)])]
        if not gone or len(gone) == len(spans):
            return self._take_items([item])
        said = " ".join(text[slice(*span)].strip() for span in gone)
        self.into.lines.append(ForgottenLine(place, plain_text(readable(said)), id_, kind))
        for start, end in reversed(gone):
            begin = start or len(text) - len(_BULLET.sub("", text))
            text = text[:begin] + "\n" * text.count("\n", start, end) + text[end:]
        self.into.kept[place] = text
        return None

    def _take_file(self, path: str) -> None:
        self.into.files.append(path)
        self._take_lines(path, range(1, 10**9))

    def _take_lines(self, path: str, wanted: Container[int]) -> None:
        """Some lines of a file, and the rest of the fact, or of the list item without the items
        nested in it, that each is part of. Of a paragraph these lines go alone."""
        lines = self.lines_of(path)
        items = items_matching(self.connection, "f.path = ?", (path,))
        spans = [range(item[3].start_line, min(item[3].end_line, len(lines)) + 1) for item in items]
        facts = [span for item, span in zip(items, spans, strict=True) if item[1] != "note"]
        gone = _with_their_items(lines, {n for n, _ in enumerate(lines, 1) if n in wanted}, facts)
        covered: set[int] = set()
        for item, span in zip(items, spans, strict=True):
            says = {number for number in span if lines[number - 1].strip()}
            if says and says <= gone:
                self._take_items([item])
                covered |= says
        said = {number for span in spans for number in span}
        for number in sorted(gone - covered):
            text, kind = readable(lines[number - 1]).strip(), "note" if number in said else ""
            self.into.lines.append(ForgottenLine(Citation(path, number, number), text, kind=kind))

    def _keep_marks(self) -> None:
        """A list item that goes keeps its mark where one nested in it stays."""
        into = self.into
        places = sorted({line.source for line in into.lines} - {*into.kept})
        for path, group in groupby(places, lambda place: place.path):
            lines, found = self.lines_of(path), list(group)
            gone = {n for place in found for n in range(place.start_line, place.end_line + 1)}
            stay = [n for n, line in enumerate(lines, 1) if line.strip() and n not in gone]
            for place in found if path not in into.files else ():
                mark = _ITEM.match(lines[place.start_line - 1])
                below = stay[bisect(stay, place.start_line) :][:1]
                if mark and below and _indent(lines[below[0] - 1]) > len(mark["indent"]):
                    more = place.end_line - place.start_line
                    into.kept[place] = f"{mark.group()} …" + "\n" * more

    def _take_found(self, order: Order, finder: Finder) -> None:
        """Every line that holds the words or a name; of an entity, also what the index knows to
        name it, and of a paragraph only the sentences that do."""
        is_named = word_finder(order.names)
        for item in items_matching(self.connection, _NAMING, (order.entity,)):
            self._take_naming(item, is_named)
        passages = "f.path = ? AND i.kind = 'note'"
        for file in self.files:
            path, hit = file.path, self._lines_meant(file, finder)
            found = (
                items_matching(self.connection, passages, (path,)) if hit and order.entity else ()
            )
            for item in found:
                own = {*range(item[3].start_line, item[3].end_line + 1)}
                if not hit.isdisjoint(own):
                    self._take_naming(item, is_named)
                    hit -= own
            if hit:
                self._take_lines(path, hit)
        if order.page:
            self._take_file(order.page)

    def _lines_meant(self, file: SourceFile, finder: Finder) -> set[int]:
        """The lines of a file that certainly hold what is meant; managed blocks are mended."""
        if file.path == FORGOTTEN_PAGE:
            return set()  # it keeps forgotten what is
        lines = self.lines_of(file.path)
        hit = {number for number, is_sure in finder.lines(lines).items() if is_sure}
        if hit and file.role in (FileRole.BANK, FileRole.LEDGER):
            from lorebank.markdown.blocks import find_blocks

            for block in find_blocks("\n".join(lines))[0]:
                hit -= {*range(block.first_line, block.last_line + 1)}
        return hit

    def _lines_of(self, path: str) -> list[str]:
        try:
            text, _ = text_of(read_bytes(self.root, SourceFile(path, 0, 0, None, FileRole.NOTE)))
            return split_lines(text.removeprefix("\ufeff"))
        except OSError:
            return []


def _with_their_items(lines: Sequence[str], wanted: set[int], facts: Iterable[range]) -> set[int]:
    """Lines with the other lines of their facts and list items; blank ones are left out."""
    first: dict[int, int] = {}
    begun, indent = 0, 0
    for number, line in enumerate(lines, start=1):
        if mark := _ITEM.match(line):
            begun, indent = number, len(mark["indent"])
        elif not line.strip() or _indent(line) <= indent:
            begun = 0
        first[number] = begun or number
    begins = {first[number] for number in wanted if lines[number - 1].strip()}
    gone = {number for number in first if first[number] in begins}
    facts = sorted((span for span in facts if span), key=lambda span: span.start)
    innermost = {number: span.start for span in facts for number in span}
    for span in facts:
        own = [n for n in span if innermost[n] == span.start and lines[n - 1].strip()]
        nested = {n for n in own if first[n] > span.start and _ITEM.match(lines[first[n] - 1])}
        if not gone.isdisjoint({*own} - nested):
            gone.update(own)
    return gone


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


_SHOWN = 100
"""Characters of a turn that are shown, so that its owner recognises it."""


class ForgottenTurns(Record):
    """Turns that an order means."""

    turns: tuple[ForgottenLine, ...] = ()
    """Their places and first words."""
    tombstones: tuple[str, ...] = ()
    """The lines that forget them."""


class Conversations(Record):
    """The transcripts of the agent that asks."""

    agent: str
    files: Sequence[SessionFile]
    turns: Callable[[SessionFile], Iterator[Turn]]
    """What of a transcript is not forgotten yet."""
    apply: Callable[[], str]
    """Bring every store of them to what is forgotten; returns "" or what may be left."""

    def name(self, name: str) -> bool:
        """Whether any turn holds a name."""
        is_named = word_finder([name])
        return any(is_named(turn.text) for file in self.files for turn in self.turns(file))

    def select(self, order: Order) -> ForgottenTurns:
        """The turns of an order by path and line; `NotFound` for a transcript that is not there."""
        if order.ids:
            return ForgottenTurns()
        files, place = self.files, None
        if order.source:
            place = place_named(order.source)
            files = [file for file in files if f"{file.path}/".startswith(f"{place.path}/")]
            if not files:
                hint = "transcripts are cited as sessions/….jsonl"
                raise NotFound(f"no transcript {place.path}", hint=hint)
        is_meant = _test_of(order, place)
        turns: list[ForgottenLine] = []
        tombstones: list[str] = []
        for file in files:
            said = list(self.turns(file))
            lines = {turn.line for turn in said if is_meant(turn, file)}
            if not lines:
                continue
            turns += [_shown(file.path, turn) for turn in said if turn.line in lines]
            tombstones += [
                format_tombstone(each, self.agent)
                for each in _tombstones(file, said, lines, order, place)
            ]
        return ForgottenTurns(tuple(turns), tuple(tombstones))


def _test_of(order: Order, place: Citation | None) -> Callable[[Turn, SessionFile], bool]:
    holds = word_finder(order.names, order.match) if order.finder else None
    lines = range(place.start_line, place.end_line + 1) if place and place.start_line else None

    def is_meant(turn: Turn, file: SessionFile) -> bool:
        if lines is not None and turn.line not in lines:
            return False
        if order.before is not None and (turn.day or file.day) >= order.before:
            return False
        return holds is None or bool(holds(turn.text))

    return is_meant


def _tombstones(
    file: SessionFile, said: Sequence[Turn], lines: set[int], order: Order, place: Citation | None
) -> Iterator[Tombstone]:
    """A line for a whole transcript or for its early days, else one for each run of turns."""
    by_place = place is None or not place.start_line
    if by_place and not order.entity and not order.match:
        undated = max(lines) if order.before and file.day < order.before else 0
        yield Tombstone(file.path, min(1, undated), undated, order.before)
        return
    for is_cut, turns in groupby(said, lambda turn: turn.line in lines):
        if is_cut:
            run = list(turns)
            keys = dict.fromkeys(filter(None, (message_key(turn.text) for turn in run)))
            yield Tombstone(file.path, run[0].line, run[-1].line, keys=tuple(keys))


def _shown(path: str, turn: Turn) -> ForgottenLine:
    words = " ".join(turn.text.split())
    text = words if len(words) <= _SHOWN else words[: _SHOWN - 1].rstrip() + "…"
    return ForgottenLine(Citation(path, turn.line, turn.line), text, kind=turn.role.value)
