"""Facts: the items of retain sections, and typed lines elsewhere, with place and identity.

Every item stands alone: whatever is odd in one becomes a diagnostic and leaves its neighbours be.
Inside a retain section every list item is a fact. Outside, a line has to be unmistakable: a kind, a
mention and a colon, or a kind with a confidence and a mention. Legends that explain the format and
templates that wait to be filled in are facts nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import date
from itertools import takewhile
from typing import Any

from lorebank.domain.facts import Citation, Diagnostic, Fact, FactKind, Mention, Origin, digest
from lorebank.language.folding import fold
from lorebank.markdown import sections
from lorebank.markdown.document import Document, Node
from lorebank.markdown.fact_lines import ADVICE, FactLine, begins_typed, parse_fact_line
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.opinion_page import decides
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import parse_day
from lorebank.markdown.tasks import begins_task
from lorebank.records import Mutable, Record

_LABEL_LEVEL = 7  # of a section that a bold or labelled line opens: any heading ends it
_MOST_LABELLED = 12  # names above a list that each of its facts is about
_LONG_SECTION = 40
"""Lines after which a section is reported as long, as the specification of lint has it."""
_LEGEND = re.compile(
    r"\W*(?P<letter>[WBOS])[*_`)\]]{0,3}(?:\(c[^()\n]{0,20}\))?[*_`)\]]{0,3}\s*"
    r"(?:=|≙|→|->|stands for|means|\((?P=letter)\w[^()\n]*\)\s*[:：])",
    re.IGNORECASE,
)
_LEGEND_PART = re.compile(
    r"(?:\A\W*|[,;/|·•][ \t]*|[ \t][–—-][ \t])"
    r"(?:`(?P<code>[WBOS])`|(?P<letter>[WBOS])[*_`]{0,3}(?:\(c[^()\n]{0,20}\))?[*_`]{0,3}\s*[:：=])"
)
"""One of several letters that an item explains: `W: fact, B: experience`."""
_LEGEND_LETTER = re.compile(
    r"\W*(?P<letter>[WBOS])[*_`)\]]{0,3}(?P<c>\(c[^()\n]{0,20}\))?[*_`)\]]{0,3}\s*[:：–—-]"
    r"[ \t]+(?P<word>[^\s.!?。]+)(?:[ \t]+[^\s.!?。]+){0,5}[ \t]*\Z",
    re.IGNORECASE,
)
"""A letter and a few words that are no sentence: `W: facts about the world`, `O(c=1.0): sure`."""
_ISO_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_DETAIL = re.compile(
    r"(?:evidence(?: \([^()\n]*\))?|last[ _](?:reinforced|updated|confirmed|seen)|reinforced"
    r"|contradicted|updated)\s*[:：]",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, for lines that the parser did not take for one."""


class FactExtraction(Record):
    """The facts of one file, what was odd, and which lines they take."""

    facts: tuple[Fact, ...]
    diagnostics: tuple[Diagnostic, ...]
    """What may have been misread."""
    fact_lines: tuple[tuple[int, int], ...]
    """1-based inclusive line ranges, in order; a label that stands for a retain heading is one."""
    advice: tuple[Diagnostic, ...] = ()
    """What was understood and is better written otherwise; for `lorebank lint`."""


def extract_facts(
    document: Document,
    *,
    recorded: date | None,
    headings: Sequence[str] = sections.RETAIN_HEADINGS,
    everywhere: bool = False,
) -> FactExtraction:
    """All facts of a file in the order of their lines; never raises.

    `recorded` is the log's own day. Without `headings` only what `everywhere` admits is a fact;
    with `everywhere` (bank pages) every list item or paragraph is one that begins with a kind and
    a mention or a `c=`, and its day is that of its heading.
    """
    return _FactReader(
        document, recorded, sections.folded_headings(tuple(headings)), everywhere
    ).read()


def fact_id(kind: FactKind, recorded: date | None, slugs: Sequence[str], content: str) -> str:
    """`f-` and 10 hex digits of what a fact says, so edits elsewhere in its file change nothing.

    Letter case, width, diacritics, a full stop at the end and the order of mentions do not count.
    """
    said = " ".join(fold(content).split()).rstrip(" .。")
    parts = (kind.value, recorded.isoformat() if recorded else "", ",".join(sorted(slugs)), said)
    return "f-" + digest("\x1f".join(parts), 5)


_NOWHERE = Citation("", 0, 0)


def new_fact(
    kind: FactKind,
    content: str,
    mentions: Sequence[Mention],
    day: date | None,
    citation: Citation = _NOWHERE,
    **more: Any,
) -> Fact:
    """A fact in these words, with its id; of mentions with one slug the first counts."""
    distinct: dict[str, Mention] = {}
    for mention in mentions:
        distinct.setdefault(mention.slug, mention)
    id, named = fact_id(kind, day, tuple(distinct), content), tuple(distinct.values())
    return replace(Fact(id, kind, content, content, citation, named, recorded=day), **more)


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
        self.advice: list[Diagnostic] = []
        self.typed: set[int] = set()
        """Lines with a kind."""
        self.labels: list[tuple[int, int]] = []
        self.in_retain = False
        """Whether the block that is read stands in a retain section."""

    def read(self) -> FactExtraction:
        self._section(self.document.nodes, self.document.headings, "")
        ranges = [(f.citation.start_line, f.citation.end_line) for f in self.facts]
        return FactExtraction(
            tuple(self.facts),
            tuple(self.diagnostics),
            tuple(sorted({*ranges, *self.labels})),
            tuple(self.advice),
        )

    def _advise(self, line: int, code: str, message: str) -> None:
        """Note something about a line, 0-based."""
        self.advice.append(Diagnostic(self.document.path, line + 1, code, message))

    def _section(self, nodes: Sequence[Node], paths: Sequence[str], above: str) -> None:
        """Sibling blocks, with the retain sections among them."""
        around = self.in_retain
        retain_level = opened = 0
        hidden_title = ""
        taken = -1
        for index, node in enumerate(nodes):
            path = " > ".join(part for part in (above, paths[index]) if part)
            if node.kind == "heading":
                if retain_level and node.level <= retain_level:
                    self._close(opened, node.start)
                    retain_level = 0
                if not retain_level and sections.opens_retain(node.text, self.words):
                    retain_level, hidden_title, opened = node.level, path, node.start
                elif not retain_level:
                    self._remark_slip(node, node.text)
                continue
            if index <= taken:
                continue
            if node.kind == "paragraph" and retain_level in (0, _LABEL_LEVEL):
                title = sections.label_title(node.text)
                if sections.is_retain_title(title, self.words):
                    message = (
                        f"'{node.text.strip()}' is read as a heading; write it as one: ## Retain"
                    )
                    # As a heading it would take in what stands below the next label.
                    after = map(nodes.__getitem__, range(index + 1, len(nodes)))
                    below = takewhile(lambda each: each.kind != "heading", after)
                    ended = any(
                        n.kind == "paragraph" and sections.label_title(n.text) for n in below
                    )
                    self._advise(node.start, "label-section" if ended else "heading-label", message)
                    self.labels.append((node.start + 1, node.end))
                    retain_level, hidden_title, opened = _LABEL_LEVEL, "", node.start
                    continue
                if retain_level and title:
                    retain_level = 0
                if title and [each.kind for each in nodes[index + 1 : index + 2]] == ["list"]:
                    self._remark_slip(node, title)
            shown = _without_title(path, hidden_title) if retain_level else path
            self.in_retain = bool(retain_level)
            taken = self._facts_of(nodes, index, shown)
        if retain_level:
            self._close(opened, nodes[-1].end)
        self.in_retain = around

    def _remark_slip(self, node: Node, title: str) -> None:
        """Remark on a title that is a retain heading but for one letter."""
        if meant := sections.looks_like_retain(title, self.words):
            shown, meant = plain_text(title), meant.capitalize()
            message = f"'{shown}' opens no retain section; if {meant} is meant, say so"
            self._advise(node.start, "heading-slip", message)

    def _remark_unread(self, start: int, lines: Sequence[str]) -> None:
        """Remark on lines that are facts but for a colon: `W @Lena has a cold` may be prose."""
        for number, text in enumerate(lines, start=start):
            line = self._typed_elsewhere(text)
            if line and line.kind is not FactKind.OPINION and not _is_clear(line):
                name = line.mentions[0].name
                message = f"read as prose; for a fact about {name} write a colon behind @{name}"
                self._advise(number, "typed-unread", message)

    def _close(self, start: int, end: int) -> None:
        """Remark on a section that ends, by its first line and the line after its last."""
        if self.typed.isdisjoint(range(start, end)):  # whoever wrote it uses no kinds
            lines = range(start + 1, end + 1)
            found = self.diagnostics
            found[:] = [d for d in found if d.code != "kind-missing" or d.line not in lines]
        if (length := end - start - 1) > _LONG_SECTION:
            message = f"a retain section of {length} lines is hard to review; keep what matters"
            self._advise(start, "section-long", message)

    def _facts_of(self, nodes: Sequence[Node], index: int, path: str) -> int:
        """Read one block; returns the index of the last sibling block that it took."""
        node = nodes[index]
        if node.kind == "list":
            is_read = self.in_retain or self.everywhere
            legend = _legend(node.children) if is_read else frozenset()
            for position, item in enumerate(node.children):
                if position not in legend:
                    self._list_item(item, path)
        elif node.kind == "paragraph":
            return self._paragraph(nodes, index, path)
        elif node.kind == "table" and self.in_retain:
            self._advise(node.start, "table-in-section", "a table holds no facts; use a list")
        elif node.kind == "code" and self.in_retain:
            self._indented_list(node, path)
        elif node.kind == "fence" and self.words:
            last = self.document.lines[node.end - 1].strip()
            if node.end - node.start < 2 or last[:3] not in ("```", "~~~"):
                message = "a code fence is never closed; what follows is read as code, not as facts"
                self._advise(node.start, "fence-unclosed", message)
        return index

    def _list_item(self, node: Node, path: str, about: tuple[Mention, ...] = ()) -> None:
        """One item; `about` are the names that an item around it gives to all below it."""
        if not self.in_retain and self._is_retain_heading(node):
            self._nested_section(node, path)
            return
        text = _own_text(node)
        is_task = begins_task(text)
        if is_task:
            pass  # what is nested below it, or stands right below, may be facts
        elif self.in_retain:
            nested = [
                item for part in node.children if part.kind == "list" for item in part.children
            ]
            label = self._label(node, nested) if nested else None
            if label is not None:
                for item in nested:
                    self._list_item(item, path, label or about)
                return
            if _is_code_example(text):
                return
        elif not self._counts(text):
            self._remark_unread(node.start, text.split("\n")[:1])
            self._inside_prose(node, path)
            return
        gathering = _Gathering(self.document.lines, node, self._stands_apart)
        for child in node.children:
            gathering.take(child)
        for position, fact_item in enumerate(gathering.items):
            if position:
                message = "a fact without its list marker; begin the line with `- `"
                self._advise(fact_item.start, "line-dress", message)
            if position or not is_task:
                self._add(fact_item, path, about)
        for item in gathering.apart:
            self._list_item(item, path, about)

    def _is_retain_heading(self, item: Node) -> bool:
        """Whether an item is the heading of the list nested in it, as in an outline."""
        first, *others = item.children or (None,)
        if first is None or not any(each.kind == "list" for each in others):
            return False
        if first.kind == "heading":
            return sections.opens_retain(first.text, self.words)
        title = sections.label_title(first.text) if first.kind == "paragraph" else ""
        return bool(title) and sections.is_retain_title(title, self.words)

    def _nested_section(self, item: Node, path: str) -> None:
        """A retain section whose heading is a list item, with what is nested in it."""
        heading = item.children[0]
        self.labels.append((heading.start + 1, heading.end))
        self.in_retain = True
        for index in range(1, len(item.children)):
            self._facts_of(item.children, index, path)
        self._close(item.start, item.end)
        self.in_retain = False

    def _label(self, node: Node, nested: Sequence[Node]) -> tuple[Mention, ...] | None:
        """The names in an item that only groups typed items below it; None where it is a fact."""
        text = _own_text(node)
        if begins_typed(text):
            return None
        if all(begins_typed(_own_text(item)) for item in nested):
            return ()
        mentions = find_mentions(text)
        bare = text
        for _, start, end in reversed(mentions):
            bare = bare[:start] + bare[end:]
        lines = [parse_fact_line(_own_text(item)) for item in nested]
        if not mentions or any(char.isalnum() for char in bare):
            return None
        if not all(line.has_kind and line.has_colon for line in lines):
            return None
        message = "the name stands above its facts; write it into each: - W @Name: …"
        self._advise(node.start, "line-dress", message)
        if len(mentions) > _MOST_LABELLED:
            message = f"names more than {_MOST_LABELLED} above a list, which is read as about those"
            self._advise(node.start, "many-mentions", message)
        return tuple(replace(named, subject=True) for named, _, _ in mentions[:_MOST_LABELLED])

    def _inside_prose(self, node: Node, path: str) -> None:
        """Typed lines inside a list item that is no fact itself."""
        for index, child in enumerate(node.children):
            for item in child.children if child.kind == "list" else ():
                self._list_item(item, path)
            if child.kind == "paragraph" and "\n" in child.text:
                self._paragraph(node.children[: index + 1], index, path)

    def _stands_apart(self, node: Node) -> bool:
        """Whether an item nested in a fact is a fact or a task of its own, and no part of it."""
        text = _own_text(node)
        return begins_task(text) or (begins_typed(text) if self.in_retain else self._counts(text))

    def _counts(self, text: str) -> bool:
        """Whether a line outside every retain section is a fact."""
        if self.everywhere:
            return begins_typed(text)
        line = self._typed_elsewhere(text)
        return line is not None and _is_clear(line)

    def _typed_elsewhere(self, text: str) -> FactLine | None:
        """A line outside a retain section that names its kind and whom it is about; else None."""
        if not self.words or ("@" not in text and "[[" not in text and "\uff20" not in text):
            return None
        text = text[sections.label_length(text, self.words) :]
        if not begins_typed(text):
            return None
        line = parse_fact_line(text)
        understood = not any(code == "kind-unknown" for code, _ in line.problems)
        return line if understood and line.has_subject else None

    def _paragraph(self, nodes: Sequence[Node], index: int, path: str) -> int:
        """Typed lines of a paragraph; what is indented below the last one belongs to it.

        Markdown joins an indented list with unindented items right below it to one list: only the
        indented items are the paragraph's.
        """
        node = nodes[index]
        gathering = _Gathering(self.document.lines, node, self._stands_apart)
        gathering.take(node)
        below: list[Node] = []
        if self._stands_alone(gathering.items[-1]):
            while index + 1 < len(nodes) and not below:
                following = nodes[index + 1]
                parts = following.children if following.kind == "list" else [following]
                mine = list(takewhile(gathering.encloses, parts))
                if not mine:
                    break
                below = parts[len(mine) :]
                for part in mine:
                    gathering.take(part)
                index += 1
        for fact_item in gathering.items:
            if self._stands_alone(fact_item):
                self._add(fact_item, path)
            elif not self.in_retain:
                self._remark_unread(fact_item.start, fact_item.pieces)
            elif not begins_task(fact_item.pieces[0]) and not "".join(
                fact_item.pieces
            ).rstrip().endswith((":", "：")):
                message = "prose in a retain section is no fact; begin it with `- W @Name: `"
                self._advise(fact_item.start, "prose-in-section", message)
        for item in (*gathering.apart, *below):
            self._list_item(item, path)
        return index

    def _stands_alone(self, item: _FactItem) -> bool:
        if not item.pieces:
            return False
        first = item.pieces[0]
        if length := sections.label_length(first, self.words):
            if not self._counts(first):
                return False
            message = "a fact on the line of its heading; give the heading a line of its own"
            self._advise(item.start, "heading-label", message)
            item.pieces[0] = first[length:]
            return True
        line = parse_fact_line(first)
        if self.in_retain:
            return line.is_typed or (line.has_kind and line.has_colon)
        return self._counts(first)

    def _indented_list(self, node: Node, path: str) -> None:
        """List items indented so far that Markdown takes them for code."""
        items: list[_FactItem] = []
        for number, line in enumerate(node.text.split("\n"), start=node.start):
            bullet = _BULLET.match(line)
            if bullet is not None and not bullet["indent"]:
                items.append(_FactItem(number, number + 1, [line[bullet.end() :]]))
            elif items and line[:1].isspace():
                items[-1].pieces.append(_BULLET.sub("", line, count=1).strip())
                items[-1].end = number + 1
        for item in items:
            self._add(item, path)

    def _add(self, item: _FactItem, path: str, about: tuple[Mention, ...] = ()) -> None:
        document = self.document
        while item.end > item.start + 1 and not document.lines[item.end - 1].strip():
            item.end -= 1
        line = parse_fact_line("\n".join(item.pieces))
        if about and not line.has_subject:
            line = replace(line, mentions=(*about, *line.mentions), has_subject=True)
        if line.is_template or line.is_struck:
            return
        place = Citation(document.path, item.start + 1, item.end)
        if line.has_kind:
            self.typed.add(item.start)
        for code, message in line.problems:
            kept = self.advice if code in ADVICE else self.diagnostics
            kept.append(Diagnostic(document.path, item.start + 1, code, message))
        if line.content:
            if not self.everywhere:
                self._review(item, line)
                self._remark_unread(item.start + 1, item.pieces[1:])
            self.facts.append(self._fact(line, place, item, path))

    def _review(self, item: _FactItem, line: FactLine) -> None:
        """Advice on a fact that was understood."""
        if not self.in_retain:
            message = (
                "a typed line outside a retain section; it counts, and belongs under ## Retain"
            )
            self._advise(item.start, "typed-elsewhere", message)
        if not line.mentions:
            self._advise(
                item.start, "fact-about-nobody", "nobody is named; recall finds @names best"
            )
        elif line.has_subject and not line.has_colon:
            if whole := line.whole_name:
                message = f"the name ends at @{line.mentions[0].name}; is @[[{whole}]] meant?"
                self._advise(item.start, "name-cut-short", message)
            elif line.mentions[0].subject and not line.content.startswith(line.mentions[0].name):
                name, first = line.mentions[0].name, line.content.split()[0]
                message = f"a colon is missing behind @{name}"
                if first[0].isupper():  # `@Tante Grete sings`, `@Lena Sings`: only a person knows
                    message += f", or @[[{name} {first}]] is meant"
                self._advise(item.start, "line-dress", message)
        if len(line.content.split()) == 1 and line.content.isascii():
            self._advise(item.start, "fragment", "one word is no sentence that stands alone")

    def _fact(self, line: FactLine, place: Citation, item: _FactItem, path: str) -> Fact:
        slugs = tuple(mention.slug for mention in line.mentions)
        recorded = self.recorded
        if recorded is None and self.everywhere:
            recorded = _day_by_hand(path, item.details)
        return Fact(
            id=fact_id(line.kind, recorded, slugs, line.content),
            kind=line.kind,
            content=line.content,
            raw=self.document.source(item.start, item.end),
            citation=place,
            mentions=line.mentions,
            confidence=line.confidence,
            recorded=recorded,
            marks=line.marks,
            ends=line.ends,
            heading=path,
            details=tuple(detail for detail in item.details if detail),
            origin=line.origin or Origin.OWNER,
            author=line.author,
        )


def _day_by_hand(path: str, details: Sequence[str]) -> date | None:
    """The day that a page kept by hand gives a line: in the nearest heading that names one
    (`## 2026-02-02: Foundation`), else the first that its evidence names."""
    for heading in reversed(path.split(" > ")):
        if days := iso_days(heading):
            return days[0]
    return min((day for detail in details for day in iso_days(detail)), default=None)


def iso_days(text: str) -> list[date]:
    """The days that a text names as `2026-02-02`, in its order."""
    return [day for written in _ISO_DAY.findall(text) if (day := parse_day(written))]


def _without_title(path: str, title_path: str) -> str:
    """The heading path without the retain heading itself."""
    above = title_path.rpartition(" > ")[0]
    below = path[len(title_path) :].removeprefix(" > ")
    return " > ".join(part for part in (above, below) if part)


def _is_clear(line: FactLine) -> bool:
    """Whether a line with a kind and a name cannot be mistaken for prose."""
    return line.has_colon or line.has_confidence


def _is_code_example(text: str) -> bool:
    """Whether an item is a typed line in backticks: somebody shows the format."""
    text = text.strip()
    return text[:1] == "`" == text[-1:] and begins_typed(text.strip("`").strip())


def _legend(items: Sequence[Node]) -> frozenset[int]:
    """The items of a list that explain the format: `W = world fact`, and what goes on with it; or
    three letters or grades with a few words each, of which one alone may be a fact about nobody;
    or one with the word for its kind, `O: opinion with confidence c`."""
    found: set[int] = set()
    letters: dict[str, int] = {}
    for position, item in enumerate(items):
        text = _own_text(item)
        if find_mentions(text):
            continue
        letter = _LEGEND_LETTER.match(text)
        parts = {part["code"] or part["letter"] for part in _LEGEND_PART.finditer(text)}
        if len(parts) > 1 or _LEGEND.match(text) or (position - 1 in found and letter is None):
            found.add(position)
        elif letter:
            letters[letter["c"] or letter["letter"].upper()] = position
            if fold(letter["word"]) in sections.KIND_WORDS:
                found.add(position)
    return frozenset(found.union(letters.values() if len(letters) > 2 else ()))


class _FactItem(Mutable):
    """The lines and texts that make one fact: its own, and those nested below it."""

    start: int
    end: int
    pieces: list[str]
    details: list[str] = field(default_factory=list)


class _Gathering:
    """Collects what belongs to a fact, and cuts where a line begins a typed fact of its own.

    Markdown takes an unindented line below a list item for its continuation; where that line says
    `W @Peter: …` its bullet was forgotten, and it must not be swallowed by its neighbour.
    """

    def __init__(
        self, lines: Sequence[str], node: Node, stands_apart: Callable[[Node], bool]
    ) -> None:
        self.lines = lines
        self.indent = _indent(lines[node.start])
        self.stands_apart = stands_apart
        self.items = [_FactItem(node.start, node.start + 1, [])]
        self.apart: list[Node] = []
        """Nested items that are facts or tasks of their own."""

    def encloses(self, node: Node) -> bool:
        """Whether a list item stands further right than the fact's first line or is evidence of it
        (`- Last reinforced: 2026-02-04`); indented code always belongs to it."""
        if node.kind != "item":
            return node.kind == "code"
        is_detail = _DETAIL.match(plain_text(_own_text(node))) is not None
        return is_detail or _indent(self.lines[node.start]) > self.indent

    def take(self, node: Node) -> None:
        """Add what a block says, nested blocks included."""
        item = self.items[-1]
        if node.kind == "item" and self.stands_apart(node):
            self.apart.append(node)
            return
        if not node.children:
            item.end = max(item.end, node.end)
        if node.kind in ("paragraph", "heading"):
            for number, line in enumerate(node.text.split("\n"), start=node.start):
                self._take_line(number, line, node.end)
        elif node.kind == "fence":
            item.pieces.append(_as_code_span(node.text))
        elif node.kind == "code":
            for line in node.text.split("\n"):
                self._say(_BULLET.sub("", line, count=1).strip())
        elif node.kind == "row":
            item.pieces.append(" ".join(node.cells))
        for child in node.children:
            self.take(child)

    def _take_line(self, number: int, line: str, end: int) -> None:
        current = self.items[-1]
        if number > current.start and self._begins_fact(number, line):
            current.end = number
            self.items.append(_FactItem(number, end, [line]))
            return
        bullet = _BULLET.match(line) if number > current.start else None
        self._say(line[bullet.end() :] if bullet else line)

    def _begins_fact(self, number: int, line: str) -> bool:
        source = self.lines[number]
        if _indent(source) > self.indent or _BULLET.match(source):
            return False
        return begins_typed(line) and _is_clear(parse_fact_line(line))

    def _say(self, line: str) -> None:
        item = self.items[-1]
        said = plain_text(line)
        if item.pieces and (_DETAIL.match(said) or self._overrules(said)):
            item.details.append(said)
        else:
            item.pieces.append(line)

    def _overrules(self, line: str) -> bool:
        """Whether the line is `pin: 0.8` or `retracted`, below an opinion."""
        first = self.items[-1].pieces[0]
        return decides(line, {}) and parse_fact_line(first).kind is FactKind.OPINION


def _own_text(item: Node) -> str:
    """The first paragraph of a list item."""
    first = item.children[0] if item.children else None
    return first.text if first is not None and first.kind == "paragraph" else ""


def _indent(line: str) -> int:
    """The columns of white space a line begins with; a tab reaches to the next fourth column."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _as_code_span(code: str) -> str:
    """A fence as inline code, so that nothing in it reads as markup or a mention."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {' '.join(code.split())} {ticks}" if code.strip() else ""
