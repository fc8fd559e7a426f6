"""The Markdown of a standing answer: cited lines, newest first, grouped by whom they are about."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.domain import Citation, Interval
from lorebank.language.folding import fold
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.records import dataclass

_GROUP = 2
"""A subject with so many lines gets a heading of its own."""
_LONGEST = 400
"""Characters of one line; a longer one is cut at a word."""
_ELSE = "Also"


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One line of an answer with its place."""

    text: str
    source: Citation
    recorded: date | None
    occurred: Interval | None = None
    subject: str = ""
    """Whom it is about, as a name; empty for prose."""
    id: str = ""
    """Of the fact, passage or opinion it shows."""
    tail: str = ""
    """What follows the text: the confidence, or the way it went."""

    @property
    def day(self) -> date | None:
        """The day it happened where the text says so, else the day it was written."""
        occurred = self.occurred
        return (occurred and (occurred.start or occurred.end)) or self.recorded

    def newest_first(self) -> tuple[int, int, str, int]:
        """A key to sort by."""
        day, recorded = self.day or date.min, self.recorded or date.min
        return (-day.toordinal(), -recorded.toordinal(), self.source.path, self.source.start_line)


def answer_body(lines: Sequence[AnswerLine], *, page: str, weak: bool = False) -> str:
    """The body of the managed block, empty for no lines; `lines` are newest first."""
    if not lines:
        return ""
    by_subject: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_subject.setdefault(line.subject, []).append(line)
    headed = {name for name, own in by_subject.items() if name and len(own) >= _GROUP}
    parts = ["The evidence is weak."] if weak else []
    if not headed or len(by_subject) == 1:
        parts.append(_list(lines, page, named=True))
        return "\n\n".join(parts)
    for name in (name for name in by_subject if name in headed):
        parts.append(f"**{escape_inline(name)}**\n\n{_list(by_subject[name], page, named=False)}")
    rest = [line for line in lines if line.subject not in headed]
    if rest:
        parts.append(f"**{_ELSE}**\n\n{_list(rest, page, named=True)}")
    return "\n\n".join(parts)


def _list(lines: Sequence[AnswerLine], page: str, *, named: bool) -> str:
    return "\n".join(
        f"- {_when(line)} · {escape_inline(_told(line, named=named))}"
        f"{f' · {line.tail}' if line.tail else ''} ({citation_link(line.source, page)})"
        for line in lines
    )


def _told(line: AnswerLine, *, named: bool) -> str:
    text = _cut(" ".join(line.text.split()))
    if not named or not line.subject or fold(text).startswith(fold(line.subject)):
        return text
    return f"{line.subject}: {text}"


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"


def _when(line: AnswerLine) -> str:
    occurred = line.occurred
    if occurred is None or not (occurred.start or occurred.end):
        return line.recorded.isoformat() if line.recorded else "undated"
    if occurred.start is None:
        return f"until {occurred.end}"
    if occurred.end is None:
        return f"since {occurred.start}"
    if occurred.start == occurred.end:
        return f"{occurred.start}"
    return f"{occurred.start} to {occurred.end}"
