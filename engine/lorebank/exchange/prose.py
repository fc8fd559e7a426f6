"""Text of another program, made fit to stand in a note: clean characters, code left alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from lorebank.domain import Diagnostic
from lorebank.markdown.fences import FenceScanner
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.hidden import without_private
from lorebank.markdown.inline_marks import code_spans
from lorebank.markdown.redaction import redacted_page

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LINE_ENDS = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_UNREAD_HEAD = re.compile(r"\A---[ \t]*\n(?P<inner>(?:(?!```)[^\n]*\n){0,100}?)---[ \t]*(?:\n|\Z)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S|[^\n]+\n=+[ \t]*(?:\n|\Z)")


def clean(text: str) -> str:
    """The text with `\\n` line ends, without control characters and halves of characters."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", whole))


def shareable_text(text: str, place: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text without private spans and secrets, line for line; and where secrets stood."""
    visible = without_private(text)
    masked, problems = redacted_page(visible, place)
    told = tuple(
        Diagnostic(p.path, p.line, p.code, p.message.replace("kept out of the index", "masked"))
        for p in problems
    )
    if visible == text:
        return masked, told
    line = next(n for n, (a, b) in enumerate(_pairs(text, visible), 1) if a != b)
    left_out = Diagnostic(place, line, "private", "private text is left out")
    return "\n".join(each.rstrip() for each in masked.split("\n")), (*told, left_out)


def _pairs(text: str, other: str) -> zip[tuple[str, str]]:
    return zip(text.split("\n"), other.split("\n"), strict=True)


def split_front_matter(text: str) -> tuple[str, str]:
    """The front matter with both its fences, "" where there is none; and what follows."""
    lines = text.split("\n")
    count = front_matter_lines(lines)
    head = "".join(f"{line}\n" for line in lines[:count])
    return head, "\n".join(lines[count:])


def fenced_front_matter(text: str) -> str:
    """What stands between two `---` at the top and is no front matter, as a block of code."""
    found = _UNREAD_HEAD.match(text)
    if found is None or split_front_matter(text)[0]:
        return text
    return f"```yaml\n{found['inner']}```\n{text[found.end() :]}"


def rewrite_prose(text: str, rewrite: Callable[[str], str]) -> str:
    """The text with `rewrite` applied to each stretch of a line that is no code."""
    fences = FenceScanner()
    return "\n".join(
        line if fences.feed(line) else _outside_spans(line, rewrite) for line in text.split("\n")
    )


def _outside_spans(line: str, rewrite: Callable[[str], str]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, _ in code_spans(line):
        pieces += (rewrite(line[position:start]), line[start:end])
        position = end
    return "".join([*pieces, rewrite(line[position:])])


def titled(body: str, title: str) -> str:
    """The body under a heading with its title, unless it begins with a heading of its own."""
    text = body.strip("\n")
    if _HEADING.match(text.lstrip()):
        return f"{text}\n"
    heading = " ".join(title.split())
    return f"# {heading}\n\n{text}\n" if text else f"# {heading}\n"
