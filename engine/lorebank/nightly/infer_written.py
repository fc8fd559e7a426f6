"""Facts that a chat model reads out of a log's prose, each held to the sentences it cites.

A log is sent once: what was kept of the answer is remembered by a digest of its sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date
from typing import Any

from lorebank.domain import Diagnostic, Fact, FactKind
from lorebank.errors import ProviderError
from lorebank.generation.grounding import CitedLine
from lorebank.generation.judging import InferredFact, facts_in_prose
from lorebank.generation.writing import Writer
from lorebank.language.folding import fold
from lorebank.nightly.infer import Sentence, stated_fact
from lorebank.pages.generated_memory import GeneratedMemory, digest
from lorebank.records import dataclass

_AT_ONCE = 60
"""Sentences in one question to the model."""
_AUTHOR = frozenset(
    {"i", "me", "we", "us", "ich", "wir", "yo", "nosotros", "eu", "je", "nous", "io", "noi", "ik"}
    | {"wij", "我", "我们", "writer"}
)


@dataclass(frozen=True, slots=True)
class ReadFact:
    """A fact with the sentences it stands on."""

    fact: Fact
    sentences: tuple[Sentence, ...]
    model: str


@dataclass(slots=True)
class ProseReader:
    """Reads logs with a chat model, within one run; without one it only remembers."""

    memory: GeneratedMemory
    writer: Writer | None = None
    problems: list[Diagnostic] = field(default_factory=list)
    """Facts that were dropped, and a model that failed."""

    def read(
        self, path: str, sentences: Sequence[Sentence], day: date, names: Mapping[str, str]
    ) -> tuple[ReadFact, ...]:
        """The facts in a log's sentences, in their order; none where nothing is known of it."""
        found: list[ReadFact] = []
        for start in range(0, len(sentences), _AT_ONCE):
            some = sentences[start : start + _AT_ONCE]
            found += _facts(self._answer(path, some, day), some, day, names)
        return tuple(found)

    def _answer(self, path: str, sentences: Sequence[Sentence], day: date) -> Mapping[str, Any]:
        from lorebank.providers.ask import UnusableAnswer

        key = digest("infer", day, [s.text for s in sentences])
        known = self.memory.get(key)
        if known is not None or self.writer is None:
            return known or {}
        lines = [CitedLine(sentence.text, (day,)) for sentence in sentences]
        try:
            kept, dropped = facts_in_prose(self.writer, lines, day)
        except UnusableAnswer as problem:
            self.problems.append(Diagnostic(path, 0, "generator-failed", problem.message))
            return {}
        except ProviderError as problem:
            self.problems.append(Diagnostic(path, 0, "generator-failed", problem.message))
            self.writer = None
            return {}
        for each in dropped:
            told = f"{each.reason}: {each.text!r}"
            self.problems.append(Diagnostic(path, 0, "sentence-dropped", told))
        answer = {"model": self.writer.model, "facts": [_row(each) for each in kept]}
        self.memory.keep(key, answer)
        return answer


def _row(fact: InferredFact) -> list[Any]:
    return [fact.kind.letter, fact.about, fact.text, list(fact.lines)]


def _facts(
    answer: Mapping[str, Any], sentences: Sequence[Sentence], day: date, names: Mapping[str, str]
) -> Iterator[ReadFact]:
    letters = {kind.letter: kind for kind in FactKind}
    for letter, about, text, numbers in answer.get("facts", ()):
        cited = tuple(sentences[number] for number in numbers)
        subject = "" if fold(about) in _AUTHOR else about
        fact = stated_fact(letters[letter], text, subject, cited, day, names)
        yield ReadFact(fact, cited, answer["model"])
