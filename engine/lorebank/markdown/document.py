"""A Markdown file read once: what is hidden in it, its lines, its block structure.

Structure comes from markdown-it (CommonMark with tables), on a copy of the text in which all that
is no prose (front matter, comments, private spans, managed blocks) is overwritten with spaces, so
every line keeps its number. Three rules are off: inline (the line grammar is our own), reference
definitions (they would swallow lines) and HTML blocks (a heading inside `<div>` is a heading).

Most of a note are headings, paragraphs and lists without nesting, whose lines can be nothing else.
A stretch of only these (`plain_blocks`) is read by one pattern a line; any other is left to the
parser, with the same outcome. A line that begins with a letter behind a blank one begins a stretch:
nothing above it goes on there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from lorebank.domain.facts import Diagnostic
from lorebank.markdown.fact_lines import begins_typed
from lorebank.markdown.hidden import hide
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import newline_style, split_lines
from lorebank.records import Mutable, Record

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "row",
    "fence": "fence",
    "code_block": "code",
    "hr": "rule",
}


class Node(Mutable):
    """One block of a document."""

    kind: str
    """`heading paragraph list item quote table row fence code rule`, and `rest`: what stands
    behind the lines whose structure is read."""
    start: int
    """0-based first line."""
    end: int
    """0-based line after the last one that is not blank."""
    text: str = ""
    """Inline source of a heading or paragraph; the lines of a fence or code block."""
    level: int = 0
    """Of a heading, 1 to 6."""
    setext: bool = False
    """Whether a heading is underlined instead of marked with `#`."""
    children: list[Node] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    """Inline sources of a table row."""


class Document(Record):
    """A file's text and everything the extractors need of it."""

    path: str
    lines: tuple[str, ...]
    """The lines without their endings; what is hidden is spaces."""
    nodes: tuple[Node, ...]
    """The top-level blocks in order."""
    headings: tuple[str, ...]
    """Per node, the plain headings above it joined by ` > `; a heading's own text included."""
    diagnostics: tuple[Diagnostic, ...] = ()

    def source(self, start: int, end: int) -> str:
        """Some lines, 0-based and half-open, as they stand in the file."""
        return "\n".join(self.lines[start:end])


_DEEPEST = 120
_WIDEST = 96
"""Columns of an indent: what is nested more deeply stands side by side, each line for itself."""
_MARK = r"(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))"
_NESTED = re.compile(rf"\A({_MARK}{{12}}){_MARK}+")
"""More marks of lists and quotations than twelve on one line; the rest says nothing. Chosen by
hand: lists written by people nest four or five deep."""
MOST_LINES = 25_000
"""Not blank, whose structure is read; chosen by hand: ten a day for seven years. A megabyte of the
shortest facts has 170,000, which took 8 s of CPU."""
_MOST_COLUMNS = 500  # of a table; a wider one is read as lines
_LONGEST_HEADING = 500  # characters of a line of headings: it is kept with each line below them
_MANAGED = "<!-- lorebank:begin "


def read_document(text: str, path: str) -> Document:
    """Parse a file's text; never raises. Give the result to every extractor of the file."""
    hidden, problems = hide(text, path)
    lines = split_lines(hidden)
    # The parser looks at each character: long managed blocks, hidden as spaces, are cut short.
    shown = [line.strip() and line for line in lines] if _MANAGED in text else lines
    shown = [line if line[:1].isalpha() or not line else _with_less_nesting(line) for line in shown]
    source = "\n".join(shown).replace("\r", " ").replace("\0", "\ufffd").split("\n")
    filled = (number for number, line in enumerate(source) if line)
    first_unread = next(islice(filled, MOST_LINES, None), len(source))
    read, rest = source[:first_unread], source[first_unread:]
    nodes = [node for start, end in _stretches(read) for node in _blocks(read, start, end)]
    if rest:
        nodes.append(Node("rest", first_unread, len(source), "\n".join(rest)))
        message = f"holds over {MOST_LINES:,} lines; those behind are read as text alone"
        problems = (*problems, Diagnostic(path, first_unread + 1, "many-lines", message))
    return Document(path, tuple(lines), tuple(nodes), heading_paths(nodes), problems)


def _with_less_nesting(line: str) -> str:
    if not line[2:3].isalpha():
        line = _NESTED.sub(r"\1", line, count=1)
    if line[:1] not in " \t":
        return line
    bare = line.lstrip(" \t")
    indent = line[: len(line) - len(bare)].expandtabs(4)
    return " " * _WIDEST + bare if len(indent) > _WIDEST else line


def heading_paths(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Per node the headings it stands under, joined by ` > `."""
    open_headings: list[tuple[int, str]] = []
    paths: list[str] = []
    path = ""
    for node in nodes:
        if node.kind == "heading":
            while open_headings and open_headings[-1][0] >= node.level:
                open_headings.pop()
            open_headings.append((node.level, plain_text(node.text)))
            path = " > ".join(title for _, title in open_headings if title)[:_LONGEST_HEADING]
        paths.append(path)
    return tuple(paths)


@lru_cache(maxsize=2)
def _parser(*, tables: bool = True) -> MarkdownIt:
    """Imported here: a recall over an unchanged workspace parses nothing and need not pay 90 ms."""
    from markdown_it import MarkdownIt

    # Each level of a list takes two, and the default of 20 would drop what stands deeper.
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.disable(["inline", "text_join", "reference", "html_block"])
    return parser.enable("table") if tables else parser


def _stretches(lines: list[str]) -> Iterator[tuple[int, int]]:
    """First line and end of each stretch; none begins behind the first mark of a code fence."""
    start = 0
    for number, line in enumerate(lines):
        if line[:1].isalpha() or line[:1] == "#":
            if number and not lines[number - 1].strip(" \t"):
                yield start, number
                start = number
        elif "```" in line or "~~~" in line:
            break
    yield start, len(lines)


_LINE = re.compile(
    r"(?:(?P<heading>#{1,6}) +(?=[^#]*\Z)|(?P<item>- ))?"
    r"(?=[^\W\d_]|[@\[(\"'“„«¿]|\d++(?![.)]))"
    r"(?P<text>[^\t]*[^\s\x00-\x1f\x7f-\x9f\u180e\u200b\ufeff]) *|(?P<blank>[ \t]*)"
)
"""What ends in some other blank than spaces is left to the parser, which trims it its own way."""


def plain_blocks(lines: list[str], start: int, end: int) -> list[Node] | None:
    """The blocks of a stretch of only headings, paragraphs and items of one line; else None."""
    nodes: list[Node] = []
    above = ""
    for number in range(start, end):
        line = _LINE.fullmatch(lines[number])
        if line is None:
            return None
        heading, item, text, _ = line.groups()
        if text is None:
            above = "gap" if above in ("item", "gap") else ""
        elif heading:
            nodes.append(Node("heading", number, number + 1, text, len(heading)))
            above = ""
        elif item:
            if above == "gap":
                return None  # a list with blank lines in it
            if above != "item":
                nodes.append(Node("list", number, number))
            paragraph = Node("paragraph", number, number + 1, text)
            nodes[-1].children.append(Node("item", number, number + 1, children=[paragraph]))
            nodes[-1].end = number + 1
            above = "item"
        elif above == "item":
            return None  # the item goes on
        elif above == "text":
            nodes[-1].end = number + 1
        else:
            nodes.append(Node("paragraph", number, number + 1, text))
            above = "text"
    for node in nodes:
        if node.kind == "paragraph" and node.end - node.start > 1:
            node.text = "\n".join(lines[node.start : node.end]).rstrip(" ")
    return nodes


def _blocks(lines: list[str], start: int, end: int) -> list[Node]:
    nodes = plain_blocks(lines, start, end)
    if nodes is None:
        is_wide = any(line.count("|") > _MOST_COLUMNS for line in lines[start:end])
        tokens = _parser(tables=not is_wide).parse("\n".join(lines[start:end]) + "\n")
        nodes = _nodes(tokens, lines, start)
    return nodes


def _nodes(tokens: list[Token], lines: list[str], first: int = 0) -> list[Node]:
    """The blocks of the lines from the `first` on."""
    top: list[Node] = []
    stack: list[Node] = []
    kinds = _KINDS
    for token in tokens:
        kind = kinds.get(token.type)
        if kind is not None:
            node = _node(kind, token, lines, first)
            (stack[-1].children if stack else top).append(node)
            if token.nesting == 1:
                stack.append(node)
        elif token.type == "inline":
            if stack[-1].kind == "row":
                stack[-1].cells.append(token.content)
            else:
                _set_text(stack[-1], token.content)
        elif token.nesting == -1 and token.type.replace("_close", "_open") in kinds:
            stack.pop()
    return top


def _node(kind: str, token: Token, lines: list[str], first: int) -> Node:
    start, end = (first + line for line in token.map or (0, 0))
    end = min(end, len(lines))
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    node = Node(kind, start, end)
    if kind == "heading":
        node.level = int(token.tag[1])
        node.setext = token.markup in ("-", "=")
    elif kind in ("fence", "code"):
        node.text = token.content
    return node


def _set_text(node: Node, text: str) -> None:
    node.text = text
    if node.setext and begins_typed(text):
        # `W @Peter: …` right above `---` is a fact above a rule, whatever CommonMark says.
        node.kind, node.level, node.setext = "paragraph", 0, False
        node.end -= 1
    if node.kind == "paragraph":
        # Lines of exotic white space alone are stripped by the parser: count back from the end.
        node.start = max(node.start, node.end - text.count("\n") - 1)


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """The nodes and all below them, depth first."""
    for node in nodes:
        yield node
        yield from walk(node.children)


def last_section(document: Document, is_title: Callable[[str], bool]) -> tuple[int, int] | None:
    """The last top-level section whose heading fits: its first line and the line behind it."""
    found: tuple[int, int] | None = None
    opened: Node | None = None
    for node in document.nodes:
        if node.kind != "heading" or (opened is not None and node.level > opened.level):
            continue
        if opened is not None:
            found = opened.start, node.start
        opened = node if is_title(node.text) else None
    return found if opened is None else (opened.start, len(document.lines))


def append_to_section(
    text: str, line: str, is_title: Callable[[str], bool], opening: str, path: str = ""
) -> tuple[str, int]:
    """The text with a line (or several) at the end of the last section whose heading fits, and the
    number of that line, 1-based; without one, at the end below a heading that is `opening`."""
    newline = newline_style(text)
    written = line.replace("\n", newline) + newline
    section = last_section(read_document(text, path), is_title)
    if section is None:
        body = text if not text or text.endswith("\n") else text + newline
        gap = "" if not body.strip() or body.endswith(newline * 2) else newline
        head = f"{body}{gap}{opening}".replace("\r\n", "\n").replace("\n", newline)
        return head + written, head.count("\n") + 1
    lines = text.split("\n")
    first, last = section
    place = min(last, len(lines))
    while place > first + 1 and not lines[place - 1].strip():
        place -= 1
    head = "\n".join(lines[:place]).removesuffix("\r") + newline
    after = "\n".join(lines[place:])
    if not after.strip():
        after = after.lstrip("\r\n")
    elif not after.startswith(("\n", "\r")):
        after = newline + after
    return head + written + after, head.count("\n") + 1
