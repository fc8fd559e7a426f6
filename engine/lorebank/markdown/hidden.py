"""What in a file is never prose: front matter, comments, private spans, managed blocks.

All are overwritten with spaces, so offsets and line numbers stay right for what is left. Privacy
goes first and wins: a private tag counts in fences and comments too, and an unclosed one hides the
rest of the file. An unclosed comment hides nothing, for it would take all its neighbours with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorebank.domain import Diagnostic
from lorebank.markdown.blocks import blank, find_blocks
from lorebank.markdown.fences import outside_fences
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.inline import code_spans
from lorebank.markdown.source import line_of, split_lines

__all__ = ["HiddenText", "hide"]

_PRIVATE = re.compile(r"<\s*(?P<close>/?)\s*private\b(?P<rest>[^<>]*)>", re.IGNORECASE)
_OPAQUE = re.compile(
    r"^[ \t]*<(?P<tag>pre|script|style|textarea)\b(?:.*?)</(?P=tag)\s*>",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A text with all that is no prose overwritten, and what was odd about it."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


def hide(text: str, path: str) -> HiddenText:
    """The text, same length and lines, with front matter, comments, private and managed text blank.

    Raw HTML whose text is no Markdown (`<pre>`, `<script>`, `<style>`) is blank as well.
    """
    diagnostics: list[Diagnostic] = []
    visible = text
    if "<" in text:
        visible = _without_private(visible, path, diagnostics)
        blocks, problems = find_blocks(visible, path)
        diagnostics += problems
        for block in blocks:
            visible = blank(visible, block.start, block.end)
        if "<!--" in visible:
            visible = _without_comments(visible, path, diagnostics)
        for opaque in _opaque_spans(visible):
            visible = blank(visible, *opaque)
    if text.startswith("---"):
        lines = visible.split("\n")
        count = front_matter_lines(split_lines(text))
        visible = blank(visible, 0, sum(len(line) + 1 for line in lines[:count]))
    return HiddenText(visible, tuple(diagnostics))


def _without_private(text: str, path: str, diagnostics: list[Diagnostic]) -> str:
    depth = start = 0
    spans: list[tuple[int, int]] = []
    for tag in _PRIVATE.finditer(text):
        if tag["close"]:
            if depth == 1:
                spans.append((start, tag.end()))
            depth = max(depth - 1, 0)
        elif not tag["rest"].endswith("/") and not (depth == 0 and _is_quoted(text, tag)):
            start = tag.start() if depth == 0 else start
            depth += 1
    if depth:
        spans.append((start, len(text)))
        message = "<private> is never closed; the rest of the file is left out"
        diagnostics.append(Diagnostic(path, line_of(text, start), "private-unclosed", message))
    for span in spans:
        text = blank(text, *span)
    return text


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag alone stands between backticks: somebody writes about it."""
    return text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`"


def _without_comments(text: str, path: str, diagnostics: list[Diagnostic]) -> str:
    position = 0
    for start in _comment_starts(text):
        if start < position:
            continue
        end = text.find("-->", start + 4)
        if end < 0:
            message = "a comment is never closed; its text is read as prose"
            line = line_of(text, start)
            diagnostics.append(Diagnostic(path, line, "comment-unclosed", message))
            return blank(text, start, start + 4)
        position = end + 3
        text = blank(text, start, position)
    return text


def _comment_starts(text: str) -> list[int]:
    """Offsets of `<!--` outside code fences and code spans.

    A fence inside a comment is none, so the lines of a comment do not feed the fence scan: they
    are blanked one comment at a time, the longest first reading being the document's own order.
    """
    starts: list[int] = []
    offsets = [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    for number, line in outside_fences(text.split("\n")):
        if "<!--" not in line:
            continue
        code = [(left, right) for left, right, _ in code_spans(line)]
        for found in re.finditer("<!--", line):
            if not any(left <= found.start() < right for left, right in code):
                starts.append(offsets[number] + found.start())
    return starts


def _opaque_spans(text: str) -> list[tuple[int, int]]:
    if "<" not in text:
        return []
    return [found.span() for found in _OPAQUE.finditer(text)]
