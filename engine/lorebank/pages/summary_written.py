"""An entity's summary in a model's words, each sentence with the lines it was checked against.

Off unless `generator.summaries` says otherwise. It stands in a block of its own; the cited lines of
the summary need no model. The same lines are sent once: what was kept is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from lorebank.domain import Diagnostic
from lorebank.errors import ProviderError
from lorebank.generation.writing import Writer
from lorebank.pages.generated_memory import GeneratedMemory, digest
from lorebank.pages.standing_answer import AnswerLine
from lorebank.pages.standing_written import WrittenAnswer, cited_line
from lorebank.records import dataclass

_FEWEST = 3
"""Fewer lines are as short as any words for them."""


@dataclass(slots=True)
class SummaryWords:
    """Words for summaries, within one run."""

    memory: GeneratedMemory
    writer: Writer | None
    problems: list[Diagnostic] = field(default_factory=list)
    """Sentences that were dropped, and a model that failed."""

    def wants(self, name: str, lines: Sequence[AnswerLine]) -> bool:
        """Whether the model is still to be asked about these lines."""
        if self.writer is None or len(lines) < _FEWEST:
            return False
        return self.memory.get(_key(name, lines)) is None

    def known(self, name: str, lines: Sequence[AnswerLine]) -> WrittenAnswer | None:
        """What was written of these lines."""
        return _read(self.memory.get(_key(name, lines)))

    def write(self, page: str, name: str, lines: Sequence[AnswerLine]) -> WrittenAnswer | None:
        """What the model says of these lines; `None` where it says nothing usable, or is not asked.

        A model that cannot be asked is told of once, and not asked again in this run.
        """
        from lorebank.providers.ask import UnusableAnswer

        if not self.wants(name, lines):
            return self.known(name, lines)
        assert self.writer is not None
        try:
            written = self.writer.write("summary", name, [cited_line(line) for line in lines])
        except UnusableAnswer as problem:
            self._tell(page, "generator-failed", problem.message)
            return None
        except ProviderError as problem:
            self._tell(page, "generator-failed", problem.message)
            self.writer = None
            return None
        for each in written.dropped:
            self._tell(page, "sentence-dropped", f"{each.reason}: {each.text!r}")
        rows = [[s.text, [lines[n].id for n in s.lines]] for s in written.sentences]
        self.memory.keep(_key(name, lines), {"model": written.model, "sentences": rows})
        return self.known(name, lines)

    def _tell(self, page: str, code: str, message: str) -> None:
        self.problems.append(Diagnostic(page, 0, code, message))


def _key(name: str, lines: Sequence[AnswerLine]) -> str:
    return digest("summary", name, [[each.id, each.text, each.day] for each in lines])


def _read(row: Any) -> WrittenAnswer | None:
    if not row:
        return None
    sentences = tuple((text, tuple(ids)) for text, ids in row["sentences"])
    return WrittenAnswer(sentences, row["model"])
