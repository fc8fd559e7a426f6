"""Managed blocks: the only text reflect may write on a bank page, and the check on who wrote it.

    <!-- lorebank:begin summary sha=1f2e3d4c5b6a -->
    …
    <!-- lorebank:end summary -->

The checksum is taken over the body, so a body whose checksum differs was edited by hand. A begin
marker inside a code fence is an example, not a marker. Inside a block only its own end marker
counts: a fence left open by hand in a body cannot swallow the rest of the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from hashlib import sha256

from lorebank.domain.facts import Diagnostic
from lorebank.markdown.source import FenceScanner, newline_style, split_lines
from lorebank.records import Record

_MARKER = re.compile(
    r"[ \t]*<!--[ \t]*lorebank:(?P<side>begin|end)[ \t]+(?P<name>[\w.-]+)"
    r"(?:[ \t]+sha=(?P<sha>[0-9a-zA-Z…]*))?[ \t]*-->[ \t]*\Z"
)
_PRINTED = re.compile(r"[^\n\r]+")


class Block(Record):
    """One managed block as it stands in a text."""

    name: str
    sha: str  # the checksum written in the begin marker; empty where it has none
    body: str  # the text between the markers, without the line ending before the end marker
    start: int  # offset of the begin marker's line
    end: int  # offset after the end marker, its line ending not included
    first_line: int  # 1-based line of the begin marker
    last_line: int  # 1-based line of the end marker

    @property
    def edited(self) -> bool:
        """Whether the body is not what its checksum was taken of; an empty body never is."""
        if not self.body.strip():
            return False
        return self.sha != body_checksum(self.body)


def body_checksum(body: str) -> str:
    """The first 12 hex digits of the SHA-256 of a body with its line endings as LF."""
    return sha256(body.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_blocks(text: str, path: str = "") -> tuple[tuple[Block, ...], tuple[Diagnostic, ...]]:
    """The managed blocks of a page in order, and what is wrong with other markers.

    Unclosed blocks, stray end markers, begin markers inside a block and a second block of one name
    are reported and are no blocks: what they hold stays the person's own text.
    """
    if "lorebank:" not in text:
        return (), ()
    blocks: dict[str, Block] = {}
    problems: list[Diagnostic] = []

    def report(line: int, code: str, name: str, what: str) -> None:
        message = f"managed block '{name}' {what}; its text is left alone"
        problems.append(Diagnostic(path, line, code, message))

    fences = FenceScanner()
    begin: re.Match[str] | None = None
    start = first_line = body_start = offset = 0
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.removesuffix("\r")
        marker = _MARKER.match(content) if "lorebank:" in content else None
        if (begin is None and fences.feed(content)) or marker is None:
            pass
        elif begin is None and marker["side"] == "begin":
            begin, first_line, start = marker, number, offset
            body_start = min(offset + len(line) + 1, len(text))
        elif begin is None:
            report(number, "block-stray-end", marker["name"], "ends but never begins")
        elif marker["side"] == "begin":
            report(number, "block-nested", marker["name"], f"begins inside block {begin['name']}")
        elif marker["name"] != begin["name"]:
            report(number, "block-stray-end", marker["name"], f"ends inside block {begin['name']}")
        else:
            name, sha, end = begin["name"], begin["sha"] or "", offset + marker.end()
            body = text[body_start:offset].removesuffix("\n").removesuffix("\r")
            if name in blocks:
                report(first_line, "block-duplicate", name, "stands on the page twice")
            else:
                blocks[name] = Block(name, sha, body, start, end, first_line, number)
            begin = None
        offset += len(line) + 1
    if begin is not None:
        report(first_line, "block-unclosed", begin["name"], "is never closed")
    return tuple(blocks.values()), tuple(problems)


def broken_names(problems: Iterable[Diagnostic]) -> frozenset[str]:
    """The names of blocks that `find_blocks` reported."""
    return frozenset(problem.message.split("'")[1] for problem in problems)


def is_marker(line: str) -> bool:
    return _MARKER.match(line) is not None


def render_block(name: str, body: str) -> str:
    """The block as text with LF line endings and none at its end.

    `ValueError` where the body holds a line that reads as a marker of this block.
    """
    body = body.replace("\r\n", "\n")
    for line in body.split("\n"):
        if is_marker(line):
            raise ValueError(f"the body of block {name!r} holds a marker line: {line!r}")
    middle = f"{body}\n" if body else ""
    begin = f"<!-- lorebank:begin {name} sha={body_checksum(body)} -->"
    return f"{begin}\n{middle}<!-- lorebank:end {name} -->"


def place_blocks(text: str, bodies: Mapping[str, str], below: Mapping[str, int]) -> str:
    """The text with each of these blocks right below a line (1-based), wherever it stood before."""
    for block in reversed(find_blocks(text)[0]):
        if block.name in below and block.first_line != below[block.name] + 1:
            lines = text.split("\n")
            text = "\n".join([*lines[: block.first_line - 1], *lines[block.last_line :]])
            below = {
                name: line - (block.last_line - block.first_line + 1) * (line > block.last_line)
                for name, line in below.items()
            }
    standing = {block.name for block in find_blocks(text)[0]}
    newline = newline_style(text)
    lines = text.split("\n")
    for name, line in sorted(below.items(), key=lambda pair: -pair[1]):
        if name not in standing:
            if line == len(lines):
                lines.append("")
            before = lines[line - 1].removesuffix("\r")
            rendered = render_block(name, bodies[name])
            lines[line - 1] = newline.join([before, rendered.replace("\n", newline)]) + (
                "\r" if newline == "\r\n" else ""
            )
    return replace_blocks("\n".join(lines), {name: bodies[name] for name in below})


def replace_blocks(text: str, bodies: Mapping[str, str], *, placed: Collection[str] = ()) -> str:
    """The text with the named blocks' bodies replaced; a missing block goes before the first that
    follows it in `bodies` and is not `placed` by a line of the text; to the end where there is
    none, or where somebody wrote below a block.

    Every byte outside the named blocks stays, and the page's own line endings are used inside. A
    block whose body and checksum are as wanted stays byte for byte. A name whose markers are
    broken (`find_blocks` reports it) is left alone: nothing is guessed about its extent.
    """
    blocks, problems = find_blocks(text)
    newline = newline_style(text)
    found = {block.name: block for block in blocks}
    broken = broken_names(problems)
    wanted = {name: render_block(name, body) for name, body in bodies.items()}
    before: dict[str, str] = {}
    following = ""
    starts = [*(block.start for block in blocks[1:]), len(text)]
    is_kept = any(text[b.end : n].strip() for b, n in zip(blocks, starts, strict=False))
    for name in [name for name in reversed(wanted) if name not in broken]:
        if name in found:
            following = following if name in placed or is_kept else name
        elif following:
            new = (wanted.pop(name) + "\n\n").replace("\n", newline)
            before[following] = new + before.get(following, "")
    pieces: list[str] = []
    position = 0
    for block in blocks:
        if block.name in wanted and block.name not in broken:
            current, rendered = text[block.start : block.end], wanted[block.name]
            if current.replace("\r\n", "\n") != rendered:
                current = rendered.replace("\n", newline)
            pieces += (text[position : block.start], before.get(block.name, ""), current)
            position = block.end
    pieces.append(text[position:])
    # Markers inside a replaced block went with its body, so their names are only missing.
    replaced = [block for block in blocks if block.name in wanted and block.name not in broken]
    broken = broken_names(
        problem
        for problem in problems
        if not any(block.first_line < problem.line < block.last_line for block in replaced)
    )
    missing = [wanted[name] for name in wanted if name not in found and name not in broken]
    return _append("".join(pieces), missing, newline)


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with ordered spans overwritten with spaces, line endings kept."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        pieces += (text[position:start], _PRINTED.sub(lambda m: " " * len(m[0]), text[start:end]))
        position = end
    return "".join([*pieces, text[position:]]) if pieces else text


def _append(text: str, rendered: list[str], newline: str) -> str:
    if not rendered:
        return text
    scanner = FenceScanner()
    for line in split_lines(text):
        scanner.feed(line)
    if text and not text.endswith("\n"):
        text += "\n" if text.endswith("\r") else newline
    if scanner.closing:
        # An open fence runs to the end of the page; left open it would hide the new markers.
        text += scanner.closing + newline
    for block in rendered:
        if text and not text.endswith(newline * 2):
            text += newline
        text += block.replace("\n", newline) + newline
    return text
