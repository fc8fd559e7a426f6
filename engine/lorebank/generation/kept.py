"""What was asked and what was kept of the answer, by a digest of the question:
`.memory/generated.json`.

The same lines are sent to a chat model once, and a night without news asks nothing. The file
outlives a rebuild of the index; deleting it costs calls only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from lorebank.domain.facts import Diagnostic
from lorebank.errors import ConcurrentEdit, ProviderError, WorkspaceError
from lorebank.generation.writing import Dropped, Writer
from lorebank.records import Mutable
from lorebank.workspace.atomic import read_if_exists, write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder
from lorebank.workspace.paths import is_linked

_PATH = f"{DERIVED_FOLDER}/generated.json"
_MOST = 20_000
"""Answers kept, some 20 MB; those kept longest ago are dropped."""


def digest(*parts: object) -> str:
    """The same for the same parts; JSON keeps them apart."""
    text = json.dumps(parts, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def forget_generated(root: Path) -> None:
    """Drop every answer: what a model made of a line says it in words of its own."""
    (root / _PATH).unlink(missing_ok=True)


class KeptAnswers(Mutable):
    """Answers as JSON has them, by what was asked."""

    root: Path
    before: bytes | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    is_changed: bool = False

    @classmethod
    def open(cls, root: Path) -> KeptAnswers:
        """What is kept; nothing where the file is absent, linked or damaged."""
        try:
            before = None if is_linked(root, _PATH) else read_if_exists(root / _PATH)
            answers = json.loads(before or b"{}")
        except (WorkspaceError, ValueError, RecursionError):
            return cls(root)
        return cls(root, before, answers if isinstance(answers, dict) else {})

    def get(self, key: str) -> Any:
        return self.answers.get(key)

    def keep(self, key: str, answer: Any) -> None:
        self.answers.pop(key, None)
        self.answers[key] = answer
        self.is_changed = True

    def save(self) -> None:
        """Store what was added; where that cannot be, it is asked again some day."""
        if not self.is_changed:
            return
        kept = dict(list(self.answers.items())[-_MOST:])
        data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
        try:
            ensure_derived_folder(self.root)
            write_atomic(self.root / _PATH, data, expected=self.before)
        except (ConcurrentEdit, WorkspaceError):
            return
        self.before, self.is_changed = data, False


class ModelInRun(Mutable):
    """A chat model within one run, asked once about the same lines; without one, what it said in
    earlier runs."""

    kept: KeptAnswers
    writer: Writer | None = None
    problems: list[Diagnostic] = field(default_factory=list)
    """Sentences that were dropped, and a model that failed."""
    failed: set[str] = field(default_factory=set)

    def ask(
        self, path: str, key: str, question: Callable[[Writer], tuple[Any, Sequence[Dropped]]]
    ) -> Any:
        """The answer kept under a key, else what the model says now and is kept; `None` where it
        says nothing usable or is not asked.

        An unreachable model is reported once and not asked again in this run.
        """
        from lorebank.generation.generated import UnusableAnswer

        known = self.kept.get(key)
        if known is not None or self.writer is None or key in self.failed:
            return known
        try:
            answer, dropped = question(self.writer)
        except ProviderError as problem:
            self.problems.append(Diagnostic(path, 0, "generator-failed", problem.message))
            self.failed.add(key)
            if not isinstance(problem, UnusableAnswer):
                self.writer = None
            return None
        self.problems += (
            Diagnostic(path, 0, "sentence-dropped", f"{each.reason}: {each.text!r}")
            for each in dropped
        )
        self.kept.keep(key, answer)
        return answer
