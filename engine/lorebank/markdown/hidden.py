"""What in a file is never prose: front matter, comments, private and managed text; secrets.

All are overwritten with spaces, so offsets and line numbers stay right for what is left. Privacy
goes first and wins: a private tag counts in fences and comments too. One that is never closed hides
its paragraph or list item where text stands before and behind it on its line (`PIN <private>7733`),
and the rest of the file where it opens a block. An unclosed comment hides nothing, for it would
take all its neighbours with it.

Files are the owner's and stay as they are; nothing that is made of them holds what is masked here.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator

from lorebank.domain.facts import Diagnostic
from lorebank.language.secrets import redact
from lorebank.markdown.blocks import blank_spans, find_blocks
from lorebank.markdown.front_matter import PROGRAM_KEY, PROPERTY, front_matter_lines
from lorebank.markdown.mentions import code_spans
from lorebank.markdown.source import FenceScanner, line_of, lines_outside_fences, split_lines

Span = tuple[int, int]
_PRIVATE = re.compile(r"<\s*(?P<close>/?)\s*private\b(?P<rest>[^<>]*)>", re.IGNORECASE)
_MARKERS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*")
_BLOCK = re.compile(r"[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|-{3})")
"""What ends the paragraph above it: a list item, a heading, a rule."""
_OPAQUE = re.compile(
    r"^[ \t]*<(?P<tag>pre|script|style|textarea)\b(?:.*?)</(?P=tag)\s*>",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)

_CONFLICT = re.compile(r"(?:<{7} |>{7} |\|{7} |={7}\s*\Z)")


def hide(text: str, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text, same length and lines, with front matter, comments, private and managed text and
    the marks of a merge conflict blank, and what was odd about it.

    Raw HTML whose text is no Markdown (`<pre>`, `<script>`, `<style>`) is blank as well.
    """
    diagnostics: list[Diagnostic] = []
    visible = text
    if "<" in text:
        visible = blank_spans(visible, _private_spans(visible, path, diagnostics))
        blocks, problems = find_blocks(visible, path)
        diagnostics += problems
        visible = blank_spans(visible, [(block.start, block.end) for block in blocks])
        if "<!--" in visible:
            visible = blank_spans(visible, _comment_spans(visible, path, diagnostics))
        if "<<<<<<<" in visible:
            visible = blank_spans(visible, _conflict_spans(visible, path, diagnostics))
        if "</" in visible:
            visible = blank_spans(visible, [found.span() for found in _OPAQUE.finditer(visible)])
    if text.startswith("---"):
        count = front_matter_lines(split_lines(text))
        length = sum(len(line) + 1 for line in visible.split("\n")[:count])
        visible = blank_spans(visible, [(0, length)])
    if "::" in visible:
        visible = blank_spans(visible, _property_spans(visible))
    return visible, tuple(diagnostics)


def _property_spans(text: str) -> Iterator[Span]:
    """What hides that a line is a property of Logseq, so that it is prose: the second colon of
    `telefone:: 912`, and all of what the program keeps for itself (`id:: 6f1c…`)."""
    for offset, line in lines_outside_fences(text):
        if found := PROPERTY.match(line):
            is_program = PROGRAM_KEY.match(found["key"])
            start, end = (found.start("key"), len(line)) if is_program else found.span("mark")
            yield offset + start, offset + end


def without_private(text: str) -> str:
    """The text with what stands in `<private>…</private>` blank, lines and length kept."""
    return blank_spans(text, _private_spans(text, "", [])) if "<" in text else text


def private_parts(text: str) -> tuple[str, str]:
    """A text without its private spans, and those spans as they stand."""
    spans = _private_spans(text, "", []) if "<" in text else []
    public, start = "", 0
    for left, right in spans:
        public, start = public + text[start:left] + " ", right
    return (public + text[start:]).strip(), " ".join(text[left:right] for left, right in spans)


def leaves_private_open(text: str) -> bool:
    """Whether a text opens a private span that it does not close."""
    open_ended: list[Diagnostic] = []
    _private_spans(text, "", open_ended)
    return bool(open_ended)


def _private_spans(text: str, path: str, diagnostics: list[Diagnostic]) -> list[Span]:
    depth = start = closed = 0
    spans: list[Span] = []
    unclosed: list[re.Match[str]] = []
    for tag in _PRIVATE.finditer(text):
        if tag["close"]:
            if depth == 1:
                spans.append((start, tag.end()))
            depth = max(depth - 1, 0)
            closed, unclosed = tag.end(), unclosed[:1] if depth else []
        elif not tag["rest"].endswith("/") and not (depth == 0 and _is_quoted(text, tag)):
            start = tag.start() if depth == 0 else start
            unclosed.append(tag)
            depth += 1
    hidden = 0
    for tag in unclosed:
        if tag.start() < hidden:
            continue
        # Which of several tags a later </private> closes is unknown: all up to it stays hidden.
        hidden = max(_unclosed_end(text, tag), closed)
        spans.append((tag.start(), hidden))
        first, last = line_of(text, tag.start()), line_of(text, max(hidden - 1, tag.start()))
        message = f"<private> is never closed; what stands up to line {last} is left out"
        diagnostics.append(Diagnostic(path, first, "private-unclosed", message))
    return spans


def _unclosed_end(text: str, tag: re.Match[str]) -> int:
    """How far a tag hides that nothing closes: its paragraph or item, where it stands inside a
    line; else, and where a code fence follows, the rest of the text."""
    line_start = text.rfind("\n", 0, tag.start()) + 1
    begin = _MARKERS.match(text, line_start, tag.start())
    end = _line_end(text, tag.end())
    if (begin and begin.end() == tag.start()) or not text[tag.end() : end].strip():
        return len(text)
    indent = _indent(text[line_start : tag.start()])
    is_apart, offset = False, end
    while offset < len(text):
        line = text[offset + 1 : (offset := _line_end(text, offset + 1))]
        if not line.strip():
            is_apart = True
        elif _indent(line) <= indent and (is_apart or _BLOCK.match(line)):
            break
        elif "```" in line or "~~~" in line:
            return len(text)
        else:
            end = offset
    return end


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return end if end >= 0 else len(text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_quoted(text: str, tag: re.Match[str]) -> bool:
    """Whether the tag alone stands between backticks: somebody writes about it."""
    return text[tag.start() - 1 : tag.start()] == "`" and text[tag.end() : tag.end() + 1] == "`"


def _comment_spans(text: str, path: str, diagnostics: list[Diagnostic]) -> list[Span]:
    """Comments outside code fences and code spans; what a comment hides opens no fence."""
    spans: list[Span] = []
    fences = FenceScanner()
    offset = hidden_until = 0
    for line in text.split("\n"):
        if offset >= hidden_until and not fences.feed(line) and "<!--" in line:
            for start in _comment_starts(line, offset):
                if start < hidden_until:
                    continue
                end = text.find("-->", start + 4)
                if end < 0:
                    message = "a comment is never closed; its text is read as prose"
                    where = line_of(text, start)
                    diagnostics.append(Diagnostic(path, where, "comment-unclosed", message))
                    return [*spans, (start, start + 4)]
                hidden_until = end + 3
                spans.append((start, hidden_until))
        offset += len(line) + 1
    return spans


def _conflict_spans(text: str, path: str, diagnostics: list[Diagnostic]) -> list[Span]:
    """The marks that an unfinished merge left: `<<<<<<< a`, and those that go with it."""
    spans: list[Span] = []
    is_open = False
    for offset, line in lines_outside_fences(text):
        if _CONFLICT.match(line) and (is_open or line[0] == "<"):
            if line[0] == "<":
                message = "a merge was left unfinished here; both its sides count until you mend it"
                where = line_of(text, offset)
                diagnostics.append(Diagnostic(path, where, "merge-conflict", message))
            spans.append((offset, offset + len(line)))
            is_open = line[0] != ">"
    return spans


def _comment_starts(line: str, offset: int) -> list[int]:
    code = code_spans(line)
    return [
        offset + found.start()
        for found in re.finditer("<!--", line)
        if not any(left <= found.start() < right for left, right, _ in code)
    ]


def without_own_blocks(text: str) -> str:
    """A page with the blocks blank that reflect wrote and nobody edited. They are made of facts
    that were masked when they were read: no secret need be looked for there."""
    return blank_spans(text, [(b.start, b.end) for b in find_blocks(text)[0] if not b.edited])


def redacted_page(
    text: str, path: str, looked_at: str | None = None
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text with its secrets masked, of the same length and lines; and where they stand.

    What is reported names the kind, never the secret. `looked_at` as for `redact`.
    """
    redacted = redact(text, looked_at)
    if not redacted.secrets:
        return text, ()
    ends = [found.end() for found in re.finditer("\n", text)]
    return redacted.text, tuple(
        Diagnostic(
            path,
            bisect(ends, secret.start) + 1,
            "secret-redacted",
            f"a secret ({secret.kind}) is kept out of the index",
        )
        for secret in redacted.secrets
    )


def shareable(text: str) -> str:
    """The text as a model may read it: private parts blank, secrets masked; lines as they were."""
    return redact(without_private(text)).text
