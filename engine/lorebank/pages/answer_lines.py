"""The lines of an answer as Markdown: cited, in the order of their page, by whom they are about.

Below them, in a block of their own, may stand a model's words for them, each sentence with the
lines it was checked against. The lines need no model; words for older lines are taken away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from lorebank.domain.facts import Citation, Interval
from lorebank.generation.writing import CitedLine, Dropped, ModelInRun, Writer, digest
from lorebank.language.folding import fold
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.pages.telling import span
from lorebank.records import Record

WRITTEN_BLOCK = "in-words"
_GROUP = 2
"""A subject with this many lines gets a heading of its own: fewer are no group."""
_LONGEST = 400
"""Characters of one line, about a paragraph; a longer one is cut at a word."""


class AnswerLine(Record):
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
    is_promise: bool = False
    """Whether somebody still has to keep it, by its day."""

    @property
    def day(self) -> date | None:
        """The day it happened where the text says so, else the day it was written."""
        occurred = self.occurred
        return (occurred and (occurred.start or occurred.end)) or self.recorded

    def newest_first(self) -> tuple[int, int, str, int]:
        day, recorded = self.day or date.min, self.recorded or date.min
        return (-day.toordinal(), -recorded.toordinal(), self.source.path, self.source.start_line)

    def soonest_first(self) -> tuple[date, str, int]:
        return (self.day or date.max, self.source.path, self.source.start_line)


def answer_body(lines: Sequence[AnswerLine], *, page: str, weak: bool = False) -> str:
    """The body of the managed block; `lines` are in the order of the page."""
    if not lines:
        return ""
    by_subject: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_subject.setdefault(line.subject, []).append(line)
    headed = [name for name, own in by_subject.items() if name and len(own) >= _GROUP]
    parts = ["The evidence is weak."] if weak else []
    if not headed or len(by_subject) == 1:
        return "\n\n".join([*parts, _list(lines, page, named=True)])
    for name in headed:
        parts.append(f"**{escape_inline(name)}**\n\n{_list(by_subject[name], page, named=False)}")
    rest = [line for line in lines if line.subject not in headed]
    if rest:
        parts.append(f"**Also**\n\n{_list(rest, page, named=True)}")
    return "\n\n".join(parts)


def _list(lines: Sequence[AnswerLine], page: str, *, named: bool) -> str:
    return "\n".join(
        f"- {_when(line)} · {escape_inline(_statement(line, named=named))}"
        f"{f' · {line.tail}' if line.tail else ''} ({citation_link(line.source, page)})"
        for line in lines
    )


def _statement(line: AnswerLine, *, named: bool) -> str:
    text = " ".join(line.text.split())
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
    if not named or not line.subject or fold(text).startswith(fold(line.subject)):
        return text
    return f"{line.subject}: {text}"


def _when(line: AnswerLine) -> str:
    if line.occurred is not None and (line.occurred.start or line.occurred.end):
        return span(line.occurred, open_start="by" if line.is_promise else "until")
    return line.recorded.isoformat() if line.recorded else "undated"


def in_words(
    model: ModelInRun, job: str, subject: str, lines: Sequence[AnswerLine], *, page: str
) -> str | None:
    """The body of the block with a model's words for these lines (`answer`, `summary`); `None`
    where it has none."""

    def write(writer: Writer) -> tuple[Any, Sequence[Dropped]]:
        written = writer.write(job, subject, [_cited_line(line) for line in lines])
        rows = [[s.text, [lines[n].id for n in s.lines]] for s in written.sentences]
        return {"model": written.model, "sentences": rows}, written.dropped

    key = digest(job, subject, [[line.id, line.text, line.day] for line in lines])
    answer = model.ask(page, key, write)
    return None if answer is None else _written_body(answer, lines, page)


def _written_body(answer: Mapping[str, Any], lines: Sequence[AnswerLine], page: str) -> str:
    """The sentences with their lines as they are cited now; where none could stand it says so, so
    that the same lines are not asked about again."""
    model = escape_inline(answer["model"])
    if not answer["sentences"]:
        return f"*{model} wrote nothing that these lines bear out.*"
    places = {line.id: line.source for line in lines}
    sentences = []
    for text, ids in answer["sentences"]:
        links = ", ".join(citation_link(places[id], page) for id in ids if id in places)
        sentences.append(f"{escape_inline(text)} ({links})")
    return "\n".join([*sentences, "", f"*Written by {model} from the lines above.*"])


def _cited_line(line: AnswerLine) -> CitedLine:
    """The line as a model is shown it and a sentence is held to it."""
    occurred = line.occurred
    days = (line.day, line.recorded, occurred and occurred.start, occurred and occurred.end)
    text = f"{line.subject}: {line.text}" if line.subject else line.text
    return CitedLine(text, tuple(dict.fromkeys(day for day in days if day)))
