"""Text that a chat model writes from cited lines, of which only grounded sentences are kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, cached_property
from importlib import resources

from lorebank.generation.grounding import CitedLine, ungrounded
from lorebank.language.secrets import redact
from lorebank.providers.ask import Budget
from lorebank.providers.protocols import Generator, Prompt, Turn
from lorebank.records import Record, dataclass
from lorebank.settings.tables import Config

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_BREAK = "\n---\n"
_LONGEST_SENTENCE = 600
"""Characters."""


class Sentence(Record):
    """A sentence with the lines it stands on, by their place in the list given, from 0."""

    text: str
    lines: tuple[int, ...]


class Dropped(Record):
    """A sentence that was not kept, and why."""

    text: str
    reason: str


class Written(Record):
    """What a model wrote, checked."""

    sentences: tuple[Sentence, ...]
    dropped: tuple[Dropped, ...]
    model: str
    """`ollama/llama3.1`."""


@dataclass
class Writer:
    """A chat model with what this run may still spend on it; opened at its first use."""

    load: Callable[[], Generator]
    budget: Budget
    answer_tokens: int = 1500
    known: Callable[[], Collection[str]] = tuple
    """The names known to the bank."""

    @cached_property
    def generator(self) -> Generator:
        return self.load()

    @cached_property
    def names(self) -> Collection[str]:
        return self.known()

    @property
    def model(self) -> str:
        """Provider and model, as a verdict or a text is signed."""
        return f"{self.generator.name}/{self.generator.model}"

    def prompt(self, job: str, **values: str) -> Prompt:
        """The prompt of a job with its values, without secrets: it may leave this machine."""
        safe = {name: redact(value).text for name, value in values.items()}
        system, question = fill_prompt(job, **safe)
        return Prompt(system, (Turn("user", question),), self.answer_tokens)

    def write(self, job: str, subject: str, lines: Sequence[CitedLine]) -> Written:
        """Have a text written about `subject` (`answer`, `summary`) from these lines.

        Raises `ProviderError` where the model fails, `BudgetSpent` where no call is left.
        """
        from lorebank.generation.generated import WrittenText
        from lorebank.providers.ask import ask_json

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
        """Why a sentence may not be kept; empty where it may."""
        missing = [number for number in numbers if not 1 <= number <= len(lines)]
        if missing:
            return f"there is no line {missing[0]}"
        if len(text) > _LONGEST_SENTENCE:
            return "it is too long for a sentence"
        return ungrounded(text, [lines[number - 1] for number in numbers], self.names)


def fill_prompt(job: str, **values: str) -> tuple[str, str]:
    """The standing orders and the question of a job; a value is never read for places itself.

    `KeyError` for a place without a value.
    """
    system, _, question = _text(job).partition(_BREAK)
    return system.strip(), _PLACE.sub(lambda place: values[place[1]], question).strip()


@cache
def _text(job: str) -> str:
    return resources.files("lorebank.generation").joinpath(f"prompts/{job}.md").read_text("utf-8")


def numbered(lines: Sequence[CitedLine]) -> str:
    """The lines as a prompt shows them: `3. (2026-01-05) Ana: Lives in Porto.`"""
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
) -> Iterator[Writer | None]:
    """The writer of the settings, with a fresh budget; None where nothing is to be generated.

    Nothing is loaded, nor `names` asked for, before something is to be written.
    """
    settings = config.generator
    if settings.provider == "none":
        yield None
        return

    def load() -> Generator:
        from lorebank.providers.registry import GeneratorSetup, load_generator

        setup = GeneratorSetup(settings, config.providers, environ, say, config.embedder.offline)
        generator = load_generator(setup)
        assert generator is not None
        opened.callback(generator.cancel)
        return generator

    with ExitStack() as opened:
        budget = Budget(settings.max_calls, settings.max_tokens)
        yield Writer(load, budget, settings.answer_tokens, names)
