"""Facts: the items of retain sections, and typed lines of bank pages, with place and identity.

Every item stands alone: whatever is odd in one becomes a diagnostic and leaves its neighbours be.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from hashlib import blake2b
from itertools import takewhile

from lorebank.domain import Citation, Diagnostic, Fact, FactKind, Origin
from lorebank.language.folding import fold
from lorebank.markdown.document import Document, Node, heading_paths, read_document
from lorebank.markdown.fact_items import BULLET, FactItem, Gathering
from lorebank.markdown.fact_lines import FactLine, begins_typed, parse_fact_line
from lorebank.markdown.headings import RETAIN_HEADINGS
from lorebank.markdown.opinion_tables import opinion_rows
from lorebank.markdown.plain import plain_text
from lorebank.markdown.sections import opens_retain
from lorebank.markdown.tasks import begins_task
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class FactExtraction:
    """The facts of one file, what was odd, and which lines they take."""

    facts: tuple[Fact, ...]
    diagnostics: tuple[Diagnostic, ...]
    fact_lines: tuple[tuple[int, int], ...]
    """1-based inclusive line ranges, in order."""


def extract_facts(
    text: str,
    path: str,
    *,
    recorded: date | None,
    headings: Sequence[str] = RETAIN_HEADINGS,
    everywhere: bool = False,
    document: Document | None = None,
) -> FactExtraction:
    """All facts of a file in the order of their lines; never raises.

    `recorded` is the log's own day. With `everywhere` (bank pages) a list item or paragraph
    outside a retain section is a fact too where it begins with a kind and a mention or a `c=`.
    Give `document` where the file was read already; `text` is then not looked at.
    """
    document = document or read_document(text, path)
    reader = _FactReader(document, recorded, frozenset(fold(word) for word in headings), everywhere)
    return reader.read()


def fact_id(kind: FactKind, recorded: date | None, slugs: Sequence[str], content: str) -> str:
    """`f-` and 10 hex digits of what a fact says, so edits elsewhere in its file change nothing.

    Letter case, width, diacritics, a full stop at the end and the order of mentions do not count.
    """
    said = " ".join(fold(content).split()).rstrip(" .。")
    parts = (kind.value, recorded.isoformat() if recorded else "", ",".join(sorted(slugs)), said)
    source = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return f"f-{blake2b(source, digest_size=5).hexdigest()}"


class _FactReader:
    """Walks a document's blocks once."""

    def __init__(
        self, document: Document, recorded: date | None, words: frozenset[str], everywhere: bool
    ) -> None:
        self.document = document
        self.recorded = recorded
        self.words = words
        self.everywhere = everywhere
        self.facts: list[Fact] = []
        self.diagnostics: list[Diagnostic] = list(document.diagnostics)

    def read(self) -> FactExtraction:
        self._section(self.document.nodes, self.document.headings, "")
        ranges = [(f.citation.start_line, f.citation.end_line) for f in self.facts]
        return FactExtraction(
            tuple(self.facts), tuple(self.diagnostics), tuple(dict.fromkeys(ranges))
        )

    def _section(self, nodes: Sequence[Node], paths: Sequence[str], above: str) -> None:
        """Sibling blocks, with the retain sections among them."""
        retain_level = 0
        hidden_title = ""
        taken = -1
        for index, node in enumerate(nodes):
            path = " > ".join(part for part in (above, paths[index]) if part)
            if node.kind == "heading":
                if retain_level and node.level <= retain_level:
                    retain_level = 0
                if not retain_level and opens_retain(node.text, self.words):
                    retain_level, hidden_title = node.level, path
                continue
            if index <= taken:
                continue
            shown = _without_title(path, hidden_title) if retain_level else path
            if retain_level or self.everywhere:
                taken = self._facts_of(nodes, index, shown, in_retain=bool(retain_level))
            elif node.kind == "list":
                self._outlined(node, path)

    def _outlined(self, node: Node, path: str) -> None:
        """Retain sections in an outliner's file, where headings stand in list items."""
        for item in node.children:
            if any(child.kind == "heading" for child in item.children):
                self._section(item.children, heading_paths(item.children), path)
            else:
                for child in item.children:
                    if child.kind == "list":
                        self._outlined(child, path)

    def _facts_of(self, nodes: Sequence[Node], index: int, path: str, *, in_retain: bool) -> int:
        """Read one block; returns the index of the last sibling block that it took."""
        node = nodes[index]
        if node.kind == "list":
            for item in node.children:
                self._list_item(item, path, in_retain=in_retain)
        elif node.kind == "paragraph":
            return self._paragraph(nodes, index, path, in_retain=in_retain)
        elif node.kind == "table":
            self._table(node, path)
        elif node.kind == "code" and in_retain:
            self._indented_list(node, path)
        return index

    def _list_item(self, node: Node, path: str, *, in_retain: bool) -> None:
        if _begins_task(node):
            return
        if self._is_label(node, in_retain=in_retain):
            for child in node.children:
                if child.kind == "list":
                    for item in child.children:
                        self._list_item(item, path, in_retain=in_retain)
        elif in_retain or _begins_typed(node):
            gathering = Gathering(self.document.lines, node)
            for child in node.children:
                gathering.take(child)
            for fact_item in gathering.items:
                self._add(fact_item, path)

    def _is_label(self, node: Node, *, in_retain: bool) -> bool:
        """Whether an untyped item only groups the typed items below it."""
        nested = [i for child in node.children if child.kind == "list" for i in child.children]
        if not nested or _begins_typed(node):
            return False
        return not in_retain or all(_begins_typed(item) for item in nested)

    def _paragraph(self, nodes: Sequence[Node], index: int, path: str, *, in_retain: bool) -> int:
        """Typed lines of a paragraph; what is indented below the last one belongs to it.

        Markdown joins an indented list with unindented items right below it to one list: only the
        indented items are the paragraph's.
        """
        node = nodes[index]
        gathering = Gathering(self.document.lines, node)
        gathering.take(node)
        below: list[Node] = []
        if _stands_alone(gathering.items[-1], in_retain=in_retain):
            while index + 1 < len(nodes) and not below:
                following = nodes[index + 1]
                if following.kind == "list":
                    mine = list(takewhile(gathering.encloses, following.children))
                    if not mine:
                        break
                    below = following.children[len(mine) :]
                    for item in mine:
                        gathering.take(item)
                elif following.kind == "code":
                    gathering.take(following)
                else:
                    break
                index += 1
        for fact_item in gathering.items:
            if _stands_alone(fact_item, in_retain=in_retain):
                self._add(fact_item, path)
        for item in below:
            self._list_item(item, path, in_retain=in_retain)
        return index

    def _indented_list(self, node: Node, path: str) -> None:
        """List items indented so far that Markdown takes them for code."""
        items: list[FactItem] = []
        for number, line in enumerate(node.text.split("\n"), start=node.start):
            bullet = BULLET.match(line)
            if bullet is not None and not bullet["indent"]:
                items.append(FactItem(number, number + 1, [line[bullet.end() :]]))
            elif items and line[:1].isspace():
                items[-1].pieces.append(BULLET.sub("", line, count=1).strip())
                items[-1].end = number + 1
        for item in items:
            self._add(item, path)

    def _table(self, node: Node, path: str) -> None:
        for row, text, details in opinion_rows(node):
            details = [plain_text(detail) for detail in details]
            self._add(FactItem(row.start, row.end, [text], details), path)

    def _add(self, item: FactItem, path: str) -> None:
        document = self.document
        while item.end > item.start + 1 and not document.lines[item.end - 1].strip():
            item.end -= 1
        line = parse_fact_line("\n".join(item.pieces))
        place = Citation(document.path, item.start + 1, item.end)
        for code, message in line.problems:
            self.diagnostics.append(Diagnostic(document.path, item.start + 1, code, message))
        if line.content:
            self.facts.append(self._fact(line, place, item, path))

    def _fact(self, line: FactLine, place: Citation, item: FactItem, path: str) -> Fact:
        slugs = tuple(mention.slug for mention in line.mentions)
        return Fact(
            id=fact_id(line.kind, self.recorded, slugs, line.content),
            kind=line.kind,
            content=line.content,
            raw=self.document.source(item.start, item.end),
            citation=place,
            mentions=line.mentions,
            confidence=line.confidence,
            recorded=self.recorded,
            marks=line.marks,
            ends=line.ends,
            heading=path,
            details=tuple(detail for detail in item.details if detail),
            origin=line.origin or Origin.OWNER,
            author=line.author,
        )


def _without_title(path: str, title_path: str) -> str:
    """The heading path without the retain heading itself."""
    above = title_path.rpartition(" > ")[0]
    below = path[len(title_path) :].removeprefix(" > ")
    return " > ".join(part for part in (above, below) if part)


def _begins_typed(item: Node) -> bool:
    first = item.children[0] if item.children else None
    return first is not None and first.kind == "paragraph" and begins_typed(first.text)


def _begins_task(item: Node) -> bool:
    first = item.children[0] if item.children else None
    return first is not None and first.kind == "paragraph" and begins_task(first.text)


def _stands_alone(item: FactItem, *, in_retain: bool) -> bool:
    if not item.pieces:
        return False
    line = parse_fact_line(item.pieces[0])
    return line.is_typed or (in_retain and line.has_kind and line.has_colon)
