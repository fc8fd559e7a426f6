"""A standing answer in a model's words, each sentence with the lines it was checked against.

It stands in a block of its own below the cited lines, which need no model. It is written anew only
when those lines change; where no model is there any more, words for older lines are taken away.
"""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.domain import Diagnostic
from lorebank.generation.grounding import CitedLine
from lorebank.generation.writing import Writer
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.pages.standing_answer import AnswerLine
from lorebank.records import dataclass
from lorebank.workspace.standing import StandingPage

WRITTEN_BLOCK = "in-words"


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """Sentences with the ids of the lines they stand on."""

    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    model: str


def write_answer(
    page: StandingPage, lines: Sequence[AnswerLine], writer: Writer
) -> tuple[WrittenAnswer | None, tuple[Diagnostic, ...]]:
    """What the model says of these lines, and what is to be told of it: sentences dropped.

    `None` where it gives no usable answer; `ProviderError` where it cannot be asked any more.
    """
    from lorebank.providers.ask import UnusableAnswer

    try:
        written = writer.write("answer", page.question, [cited_line(line) for line in lines])
    except UnusableAnswer as problem:
        return None, (Diagnostic(page.path, 0, "generator-failed", problem.message),)
    told = tuple(
        Diagnostic(page.path, 0, "sentence-dropped", f"{each.reason}: {each.text!r}")
        for each in written.dropped
    )
    sentences = tuple((s.text, tuple(lines[n].id for n in s.lines)) for s in written.sentences)
    return WrittenAnswer(sentences, written.model), told


def written_body(written: WrittenAnswer, lines: Sequence[AnswerLine], *, page: str) -> str:
    """The body of the block; `lines` are those of the answer, as they are cited now.

    Where no sentence could stand it says so, so that the same lines are not asked about again.
    """
    model = escape_inline(written.model)
    if not written.sentences:
        return f"*{model} wrote nothing that these lines bear out.*"
    places = {line.id: line.source for line in lines}
    told = []
    for text, ids in written.sentences:
        links = ", ".join(citation_link(places[id], page) for id in ids if id in places)
        told.append(f"{escape_inline(text)} ({links})")
    return "\n".join([*told, "", f"*Written by {model} from the lines above.*"])


def cited_line(line: AnswerLine) -> CitedLine:
    """The line as a model is shown it and a sentence is held to it."""
    occurred = line.occurred
    days = (line.day, line.recorded, occurred and occurred.start, occurred and occurred.end)
    text = f"{line.subject}: {line.text}" if line.subject else line.text
    return CitedLine(text, tuple(dict.fromkeys(day for day in days if day)))
