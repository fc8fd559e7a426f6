"""What in a file is never prose: front matter, comments, private and managed text; secrets.

All are overwritten with spaces, so offsets and line numbers stay right for what is left. Privacy
goes first and wins: a private tag counts in fences and comments too, and an unclosed one hides the
rest of the file. An unclosed comment hides nothing, for it would take all its neighbours with it.

Files are the owner's and stay as they are; nothing that is made of them holds what is masked here.
"""

from __future__ import annotations

import re

from lorebank.domain.facts import Diagnostic
from lorebank.language.secrets import redact
from lorebank.markdown.blocks import blank_spans, find_blocks
from lorebank.markdown.front_matter import PROGRAM_KEY, PROPERTY, front_matter_lines
from lorebank.markdown.mentions import code_spans
from lorebank.markdown.source import FenceScanner, line_of, split_lines

Span = tuple[int, int]
_PRIVATE = re.compile(r"<\s*(?P<close>/?)\s*private\b(?P<rest>[^<>]*)>", re.IGNORECASE)
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
        visible = _with_plain_properties(visible)
    return visible, tuple(diagnostics)


def _with_plain_properties(text: str) -> str:
    """Properties of Logseq as prose: `telefone:: 912` says `telefone:  912`; what the program
    keeps for itself (`id:: 6f1c…`) is blank."""
    fences = FenceScanner()
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not fences.feed(line) and (found := PROPERTY.match(line)):
            start, end = found.span("mark")
            if PROGRAM_KEY.match(found["key"]):
                start, end = found.start("key"), len(line)
            lines[number] = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return "\n".join(lines)


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


def _private_spans(text: str, path: str, diagnostics: list[Diagnostic]) -> list[Span]:
    depth = start = 0
    spans: list[Span] = []
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
    return spans


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
    fences = FenceScanner()
    is_open, offset = False, 0
    for line in text.split("\n"):
        mark = None if fences.feed(line) else _CONFLICT.match(line)
        if mark is not None and (is_open or line[0] == "<"):
            if line[0] == "<":
                message = "a merge was left unfinished here; both its sides count until you mend it"
                where = line_of(text, offset)
                diagnostics.append(Diagnostic(path, where, "merge-conflict", message))
            spans.append((offset, offset + len(line)))
            is_open = line[0] != ">"
        offset += len(line) + 1
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
    own = [(b.start, b.end) for b in find_blocks(text)[0] if not b.edited]
    return blank_spans(text, own)


def redacted_page(
    text: str, path: str, looked_at: str | None = None
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text with its secrets masked, of the same length and lines; and where they stand.

    What is reported names the kind, never the secret. `looked_at` as for `redact`.
    """
    redacted = redact(text, looked_at)
    if not redacted.secrets:
        return text, ()
    return redacted.text, tuple(
        Diagnostic(
            path,
            line_of(text, secret.start),
            "secret-redacted",
            f"a secret ({secret.kind}) is kept out of the index",
        )
        for secret in redacted.secrets
    )


def shareable(text: str) -> str:
    """The text as a model may read it: private parts blank, secrets masked; lines as they were."""
    return redact(without_private(text)).text
