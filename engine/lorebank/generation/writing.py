"""Ask a chat model, and keep only what its cited lines support.

A sentence must cite existing lines; most of its content words, all of its numbers and all
capitalised words must be in them; and it may not negate what they affirm, or affirm what they all
negate; otherwise it is dropped. This check of words keeps new content out, but cannot detect every
distortion. As a judge of two texts the model has to quote; verdicts are stored by the caller,
signed with the model, and can be taken back.

Answers are cached by a digest of the prompt (`.memory/generated.json`), so that the same lines are
sent once. Deleting the file only costs calls.
"""

from __future__ import annotations

import calendar
import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from lorebank.beliefs.reading import denies
from lorebank.domain.facts import Diagnostic, FactKind
from lorebank.errors import ConcurrentEdit, ProviderError, WorkspaceError
from lorebank.language.folding import fold
from lorebank.language.secrets import redact
from lorebank.language.words import content_words, words
from lorebank.providers.protocols import Generator, Prompt, Turn
from lorebank.records import Mutable, Record
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import read_if_exists, write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder
from lorebank.workspace.paths import is_linked

if TYPE_CHECKING:
    from pydantic import BaseModel

    from lorebank.generation.generated import Budget


_MIN_SHARED_WORDS = 0.7
"""Least share of a sentence's content words in its lines, by hand: a summary connects them."""
_MIN_STEM, _MAX_ENDING = 4, 3
"""Letters that forms of one word share, and may differ by; by hand for "rewrite", "rewriting"."""
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"(?<![\w'’])(?=[^\W\d_])\w[\w'’.-]*")


class CitedLine(Record):
    """A line that a sentence may cite."""

    text: str  # with its subject, if the text itself omits it
    days: tuple[date, ...] = ()  # the days it was written on or mentions


def ungrounded(sentence: str, cited: Sequence[CitedLine], names: Collection[str] = ()) -> str:
    """Why its lines do not support a sentence; empty if they do.

    `names` are those known to the bank, which must be in the lines whatever their case.
    """
    if not cited:
        return "it cites no line"
    source_words = words("\n".join(line.text for line in cited))
    known = {part for line in cited for part in _numbers(line.text)}
    known |= {str(n) for line in cited for day in line.days for n in (day.year, day.month, day.day)}
    if number := next((number for number in _numbers(sentence) if number not in known), ""):
        return f"its lines have no {number}"
    if name := _missing_name(sentence, source_words, cited, names):
        return f"its lines do not name {name}"
    content = [word for word in content_words(sentence) if not word.isdigit()]
    if not content:
        return "it has no content words"
    found = sum(_contains_form(word, source_words) for word in content)
    if found < _MIN_SHARED_WORDS * len(content):
        return f"its lines contain {found} of its {len(content)} words"
    denied = [denies(line.text) for line in cited]
    if denies(sentence):
        return "" if any(denied) else "it denies what its lines affirm"
    return "it affirms what its lines deny" if all(denied) else ""


def _numbers(text: str) -> Iterable[str]:
    """The numbers of a text, leading zeros left out, dates and times also by their parts."""
    for found in _NUMBER.findall(fold(text)):
        parts = re.split(r"[:/]", found)
        yield from (part.lstrip("0") or "0" for part in parts)


def _missing_name(
    sentence: str, source_words: Sequence[str], cited: Sequence[CitedLine], names: Collection[str]
) -> str:
    days = [day for line in cited for day in line.days]
    known = {*source_words, *(fold(calendar.month_name[day.month]) for day in days)}
    known |= {fold(calendar.day_name[day.weekday()]) for day in days}
    padded = f" {' '.join(words(sentence))} "
    for name in names:
        own = words(name)
        is_named = own and f" {' '.join(own)} " in padded
        if is_named and not all(_contains_form(word, known) for word in own):
            return name
    content = set(content_words(sentence))
    for found in _WORD.finditer(sentence):
        written = found.group().rstrip(".'’-")
        parts = [word for word in words(written) if word in content]
        if written[0].isupper() and not all(_contains_form(word, known) for word in parts):
            return written
    return ""


def _contains_form(word: str, source_words: Collection[str]) -> bool:
    """Whether a word is among the others, up to a short ending."""
    for other in source_words:
        least = max(_MIN_STEM, max(len(word), len(other)) - _MAX_ENDING)
        if word == other or word[:least] == other[:least]:
            return True
    return False


_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_BREAK = "\n---\n"
_MAX_SENTENCE_CHARACTERS = 600
"""Chosen by hand: a longer one is a paragraph, whose parts need citations of their own."""


class Sentence(Record):
    """A sentence and its lines, as indexes into the list given."""

    text: str
    lines: tuple[int, ...]


class Dropped(Record):
    """A rejected sentence."""

    text: str
    reason: str


class Written(Record):
    """What a model wrote, checked."""

    sentences: tuple[Sentence, ...]
    dropped: tuple[Dropped, ...]
    model: str  # `ollama/llama3.1`


@dataclass
class Writer:
    """A chat model with the remaining budget of a run; opened at its first use."""

    load: Callable[[], Generator]
    budget: Budget
    answer_tokens: int = 1500
    known: Callable[[], Collection[str]] = tuple  # the names known to the bank

    @cached_property
    def generator(self) -> Generator:
        return self.load()

    @cached_property
    def names(self) -> Collection[str]:
        return self.known()

    @property
    def model(self) -> str:
        """Provider and model, the signature of verdicts and texts."""
        return f"{self.generator.name}/{self.generator.model}"

    def prompt(self, job: str, **values: str) -> Prompt:
        """The prompt of a job with its values, without secrets: it may leave this machine."""
        safe = {name: redact(value).text for name, value in values.items()}
        system, question = fill_prompt(job, **safe)
        return Prompt(system, (Turn("user", question),), self.answer_tokens)

    def write(self, job: str, subject: str, lines: Sequence[CitedLine]) -> Written:
        """Have a text (`answer`, `summary`) written about `subject` from these lines.

        Raises `ProviderError` or `BudgetSpent`.
        """
        from lorebank.generation.generated import WrittenText, ask_json

        prompt = self.prompt(job, question=subject, lines=numbered(lines))
        answer = ask_json(self.generator, prompt, WrittenText, self.budget)
        kept: list[Sentence] = []
        dropped: list[Dropped] = []
        for each in answer.sentences:
            text = " ".join(each.text.split())
            reason = self.refused(text, each.lines, lines)
            if reason:
                dropped.append(Dropped(text, reason))
            elif text:
                kept.append(Sentence(text, tuple(n - 1 for n in dict.fromkeys(each.lines))))
        return Written(tuple(kept), tuple(dropped), self.model)

    def refused(self, text: str, numbers: Sequence[int], lines: Sequence[CitedLine]) -> str:
        """Why a sentence is rejected; empty if it is not."""
        missing = [number for number in numbers if not 1 <= number <= len(lines)]
        if missing:
            return f"there is no line {missing[0]}"
        if len(text) > _MAX_SENTENCE_CHARACTERS:
            return "it is too long for a sentence"
        return ungrounded(text, [lines[number - 1] for number in numbers], self.names)


def fill_prompt(job: str, **values: str) -> tuple[str, str]:
    """System prompt and question of a job, with placeholders filled in (once, not in values)."""
    system, _, question = _prompt_text(job).partition(_BREAK)
    return system.strip(), _PLACEHOLDER.sub(lambda place: values[place[1]], question).strip()


@cache
def _prompt_text(job: str) -> str:
    return resources.files("lorebank.generation").joinpath(f"prompts/{job}.md").read_text("utf-8")


def numbered(lines: Sequence[CitedLine]) -> str:
    """`3. (2026-01-05) Ana: Lives in Porto.`"""
    return "\n".join(
        f"{number}. {f'({line.days[0]}) ' if line.days else ''}{' '.join(line.text.split())}"
        for number, line in enumerate(lines, start=1)
    )


@contextmanager
def open_writer(
    config: Config,
    environ: Mapping[str, str],
    say: Callable[[str], None],
    names: Callable[[], Collection[str]],
    given: Generator | None = None,
) -> Iterator[Writer | None]:
    """The configured writer with a new budget; None without a generator.

    `given` replaces the configured generator. It is loaded, and `names` called, on first use.
    """
    settings = config.generator
    if settings.provider == "none":
        yield None
        return

    def load() -> Generator:
        if given is not None:
            return given
        from lorebank.providers.registry import Setup, load_generator

        setup = Setup(config.embedder, config.providers, environ, say, generator=settings)
        generator = load_generator(setup)
        assert generator is not None
        opened.callback(generator.cancel)
        return generator

    from lorebank.generation.generated import Budget

    with ExitStack() as opened:
        budget = Budget(settings.max_calls, settings.max_tokens)
        yield Writer(load, budget, settings.answer_tokens, names)


_T = TypeVar("_T", bound="BaseModel")
_LETTERS = {kind.letter: kind for kind in FactKind}


class InferredFact(Record):
    """A fact that a model found in prose, with the indexes of its lines."""

    kind: FactKind
    about: str  # a name in the lines, or empty
    text: str
    lines: tuple[int, ...]


def judge_evidence(writer: Writer, opinion: str, line: str) -> str | None:
    """Whether a line is `for` or `against` an opinion or `unrelated`; `None` if the model could
    not quote the line for it. Raises `ProviderError` or `BudgetSpent`."""
    from lorebank.generation.generated import StanceAnswer

    answer = _judged(writer, StanceAnswer, "stance", opinion=opinion, fact=line)
    shown = answer.stance == "unrelated" or _is_quoted(answer.words, line)
    return answer.stance if shown else None


def judge_relation(writer: Writer, older: str, newer: str) -> str | None:
    """Whether the newer opinion says the `same`, `replaces`, or `both` hold."""
    from lorebank.generation.generated import RelationAnswer

    answer = _judged(writer, RelationAnswer, "relation", older=older, newer=newer)
    shown = answer.verdict == "both" or _is_quoted(answer.words, newer)
    return answer.verdict if shown else None


def _judged(writer: Writer, shape: type[_T], job: str, **texts: str) -> _T:
    from lorebank.generation.generated import ask_json

    flat = {name: " ".join(text.split()) for name, text in texts.items()}
    return ask_json(writer.generator, writer.prompt(job, **flat), shape, writer.budget)


def facts_in_prose(
    writer: Writer, lines: Sequence[CitedLine], day: date
) -> tuple[tuple[InferredFact, ...], tuple[Dropped, ...]]:
    """Facts in the prose of one day, each grounded in the lines it cites, and what was dropped."""
    from lorebank.generation.generated import InferredFacts, ask_json

    prompt = writer.prompt("infer", day=day.isoformat(), lines=numbered(lines))
    answer = ask_json(writer.generator, prompt, InferredFacts, writer.budget)
    kept: list[InferredFact] = []
    dropped: list[Dropped] = []
    for each in answer.facts:
        text, about = " ".join(each.text.split()), " ".join(each.about.split()).lstrip("@")
        reason = writer.refused(text, each.lines, lines)
        named = any(_is_quoted(about, lines[n - 1].text) for n in ([] if reason else each.lines))
        if not reason and about and not named:
            reason = f"its lines do not name {about}"
        if reason:
            dropped.append(Dropped(text, reason))
        else:
            numbers = tuple(n - 1 for n in dict.fromkeys(each.lines))
            kept.append(InferredFact(_LETTERS[each.kind], about, text, numbers))
    return tuple(kept), tuple(dropped)


def _is_quoted(quoted: str, fact: str) -> bool:
    own, source_words = words(quoted), words(fact)
    size = len(own)
    return bool(own) and any(
        source_words[i : i + size] == own for i in range(len(source_words) - size + 1)
    )


_PATH = f"{DERIVED_FOLDER}/generated.json"
_MAX_ANSWERS = 20_000  # some 20 MB; the oldest are dropped


def digest(*parts: object) -> str:
    """A hash; as JSON, so that the boundaries of the parts count."""
    text = json.dumps(parts, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def forget_generated(root: Path) -> None:
    """Delete all answers: they may repeat a forgotten line in other words."""
    (root / _PATH).unlink(missing_ok=True)


class KeptAnswers(Mutable):
    """Answers by the digest of the prompt."""

    root: Path
    before: bytes | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    is_changed: bool = False
    problems: tuple[Diagnostic, ...] = ()

    @classmethod
    def open(cls, root: Path) -> KeptAnswers:
        """The stored answers; empty if the file is missing, linked or damaged."""
        before, answers = None, None
        with suppress(WorkspaceError, ValueError, RecursionError):
            before = None if is_linked(root, _PATH) else read_if_exists(root / _PATH)
            answers = json.loads(before or b"{}")
        if isinstance(answers, dict):
            return cls(root, before, answers)
        problem = Diagnostic(_PATH, 0, "generated-unread", "cannot be read: models are asked again")
        return cls(root, before, problems=(problem,))

    def get(self, key: str) -> Any:
        return self.answers.get(key)

    def keep(self, key: str, answer: Any) -> None:
        self.answers.pop(key, None)
        self.answers[key] = answer
        self.is_changed = True

    def save(self) -> None:
        """Save new answers; best effort."""
        if not self.is_changed:
            return
        kept = dict(list(self.answers.items())[-_MAX_ANSWERS:])
        data = json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace")
        try:
            ensure_derived_folder(self.root)
            write_atomic(self.root / _PATH, data, expected=self.before)
        except (ConcurrentEdit, WorkspaceError):
            return
        self.before, self.is_changed = data, False


class ModelInRun(Mutable):
    """A chat model in one run with the answers of earlier runs, or those alone."""

    kept: KeptAnswers
    writer: Writer | None = None
    problems: list[Diagnostic] = field(default_factory=list)
    """Dropped sentences and failures of the model."""
    failed: set[str] = field(default_factory=set)

    def ask(
        self, path: str, key: str, question: Callable[[Writer], tuple[Any, Sequence[Dropped]]]
    ) -> Any:
        """The stored answer of a key, or a new one; `None` without a usable answer.

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
