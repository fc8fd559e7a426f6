"""Tasks: `- [ ] send the rota`, `- [x] …`, `TODO: …`, each with its state and the day it is due.

Understood are the boxes of Markdown and Obsidian, the keywords of Logseq and Org, and the due dates
of the Tasks plug-in (`📅 2026-03-01`), of Dataview (`[due:: 2026-03-01]`) and of Org
(`DEADLINE: <2026-03-01>`), else the day that it is scheduled for. A day named only in words is left
to whoever knows the day of the log. Nothing in code or in a quotation is a task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lorebank.domain.facts import Citation, Interval, Task, TaskState
from lorebank.language.statements import sentence_spans
from lorebank.markdown.document import Document, Node
from lorebank.markdown.fact_lines import begins_typed, parse_fact_line
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import parse_day

_BOX = re.compile(r"\s*\[(?P<mark>[^\[\]\n])\][ \t]+(?=\S)")
_BOXES = {
    **dict.fromkeys(" />!?*<", TaskState.OPEN),
    **dict.fromkeys("xX", TaskState.DONE),
    "-": TaskState.CANCELLED,
}
"""Boxes as Obsidian's themes use them: `/` half done, `>` put off, `!` important."""
_KEYWORD = re.compile(
    r"\s*(?:(?P<word>TODO|DOING|NOW|LATER|WAITING|IN-PROGRESS|DONE|CANCELL?ED)(?::|(?=\s))"
    r"|(?P<spoken>[Tt][Oo]-?[Dd][Oo]):)[ \t]+(?:\[#[A-C]\][ \t]+)?(?=\S)"
)
_KEYWORDS = {
    "DONE": TaskState.DONE,
    "CANCELED": TaskState.CANCELLED,
    "CANCELLED": TaskState.CANCELLED,
}
_INSIDE = re.compile(r"(?:(?<=[.!?:] )TODO:?|(?<=[,;)–—-] )TODO:)[ \t]+(?=\w)")
"""Behind a sentence, or with a colon a part of one, that says what it is about: both are the task.
Elsewhere it is a word: `the FIXME, TODO and XXX markers`."""
_FIRST = frozenset(" \t\n[TtDNLWIC")  # what a box or a keyword begins with
_DAY = r"(?P<day>\d{4}-\d{2}-\d{2})"
_DUE, _SCHEDULED = (
    re.compile(
        rf"{sign}\ufe0f?\s*{_DAY}|\[{field}::\s*{_DAY.replace('day', 'field')}\s*\]"
        rf"|{keyword}:\s*<{_DAY.replace('day', 'org')}[^>\n]*>",
        re.IGNORECASE,
    )
    for sign, field, keyword in (("📅", "due", "DEADLINE"), ("⏳", "scheduled", "SCHEDULED"))
)
_METADATA = re.compile(
    r"\s*(?:[📅⏳🛫➕✅❌]\ufe0f?\s*\d{4}-\d{2}-\d{2}|[🔺⏫🔼🔽⏬🔁]\ufe0f?"
    r"|\[\w+::[^\]\n]*\]|(?:DEADLINE|SCHEDULED|CLOSED):\s*[<\[][^>\]\n]*[>\]])"
)


def find_tasks(document: Document) -> tuple[Task, ...]:
    """The tasks of a file in the order of their lines; `recorded` and days in words are unset."""
    return tuple(_tasks(document, document.nodes))


def begins_task(text: str) -> bool:
    """Whether the text of a list item or paragraph begins with a box or keyword of a task."""
    return _state(text) is not None


def _tasks(document: Document, nodes: Sequence[Node]) -> Iterator[Task]:
    path = document.path
    for node in nodes:
        if node.kind == "item":
            first, *rest = node.children or [Node("item", node.start, node.end)]
            if first.kind == "paragraph":
                end = _end(document, node.start, first)
                own = "\n".join(first.text.split("\n")[: end - first.start])
                yield from _task(path, own, first.start, end)
                yield from _lines(path, first, end)
                yield from _tasks(document, rest)
            else:
                yield from _tasks(document, node.children)
        elif node.kind == "list":
            yield from _tasks(document, node.children)
        elif node.kind == "paragraph":
            yield from _lines(path, node, node.start)


def _lines(path: str, node: Node, start: int) -> Iterator[Task]:
    """The tasks of a paragraph from a line on, each on a line of its own."""
    for number, line in enumerate(node.text.split("\n")[start - node.start :], start=start):
        yield from _task(path, line, number, number + 1)


def _end(document: Document, bullet: int, text: Node) -> int:
    """The line behind the last that belongs to an item: prose right below it, indented no further
    than its bullet, goes on with it for Markdown, but not for who wrote it."""

    def indent(line: int) -> int:
        return len(document.lines[line]) - len(document.lines[line].lstrip())

    for line in range(text.start + 1, text.end):
        if indent(line) <= indent(bullet) and not _METADATA.match(document.lines[line]):
            return line
    return text.end


def _task(path: str, text: str, start: int, end: int) -> Iterator[Task]:
    state = _state(text)
    is_inside = state is None and "TODO" in text and not begins_typed(text)
    if is_inside and (found := _INSIDE.search(text)):
        before = text[: found.start()]
        *_, (last, _) = sentence_spans(before)
        text, state = before[last:] + text[found.end() :], (TaskState.OPEN, 0)
    if state is None:
        return
    said = _METADATA.sub("", text[state[1] :])
    shown = parse_fact_line(said).content if begins_typed(said) else plain_text(said)
    if any(char.isalnum() for char in shown):
        due = _DUE.search(text) or _SCHEDULED.search(text)
        place = Citation(path, start + 1, max(end, start + 1))
        day = parse_day(due["day"] or due["field"] or due["org"]) if due else None
        yield Task(shown, state[0], place, due=Interval(day, day) if day else None)


def _state(text: str) -> tuple[TaskState, int] | None:
    """What a box or keyword says, and where the text behind it begins."""
    if text[:1] not in _FIRST:
        return None
    if (box := _BOX.match(text)) and box["mark"] in _BOXES:
        return _BOXES[box["mark"]], box.end()
    if keyword := _KEYWORD.match(text):
        return _KEYWORDS.get(keyword["word"] or "", TaskState.OPEN), keyword.end()
    return None
