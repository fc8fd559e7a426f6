"""Asking a chat model for JSON of a given shape, within the budget of a run; and the shapes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.providers.protocols import Generator, Prompt
from lorebank.records import Mutable

_Lines = Annotated[list[int], Field(max_length=50)]


class _Answer(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Sentence(_Answer):
    text: str
    lines: _Lines


class WrittenText(_Answer):
    """`answer.md` and `summary.md`."""

    sentences: Annotated[list[_Sentence], Field(max_length=40)]


class StanceAnswer(_Answer):
    """`stance.md`."""

    stance: Literal["for", "against", "unrelated"]
    words: str = ""


class RelationAnswer(_Answer):
    """`relation.md`."""

    verdict: Literal["same", "replaces", "both"]
    words: str = ""


class _InferredFact(_Answer):
    kind: Literal["W", "B", "O"]
    about: str = ""
    text: str
    lines: _Lines


class InferredFacts(_Answer):
    """`infer.md`."""

    facts: Annotated[list[_InferredFact], Field(max_length=40)]


class BudgetSpent(ProviderError):
    """The next call would exceed the budget of the run; it was not made."""


class Budget(Mutable):
    """What is left of a run's budget."""

    calls: int
    tokens: int  # of prompts and answers

    def reserve(self, tokens: int) -> None:
        """Reserve one call of about this many tokens; raises `BudgetSpent`."""
        if self.calls < 1:
            raise BudgetSpent(
                "the call budget of this run is spent",
                hint="raise generator.max_calls, or run again",
            )
        if tokens > self.tokens:
            raise BudgetSpent(
                "the token budget of this run is spent",
                hint="raise generator.max_tokens, or run again",
            )
        self.calls -= 1

    def spend(self, tokens: int) -> None:
        self.tokens = max(0, self.tokens - tokens)


T = TypeVar("T", bound=BaseModel)
_ATTEMPTS = 2  # a model that fails twice is not up to the task
_SHOWN = 4  # errors reported to the model


class UnusableAnswer(ProviderError):
    """A model answered twice in the wrong shape."""


def ask_json(generator: Generator, prompt: Prompt, shape: type[T], budget: Budget) -> T:
    """The model's answer in this shape; an invalid one is sent back once with its errors.

    Raises `UnusableAnswer` after the second, `BudgetSpent` before a call beyond the budget, and
    `ProviderError` if the model cannot be reached.
    """
    problem = ""
    for _ in range(_ATTEMPTS):
        budget.reserve(prompt.estimated_tokens + prompt.answer_tokens)
        completion = generator.complete(prompt)
        estimated = prompt.estimated_tokens + estimate_tokens(completion.text)
        budget.spend(estimated if completion.tokens is None else completion.tokens)
        try:
            return shape.model_validate_json(_object_in(completion.text))
        except ValidationError as error:
            problem = _mistakes(error)
        prompt = prompt.answered(
            completion.text,
            f"This cannot be used: {problem}. Answer again, with the JSON object alone.",
        )
    raise UnusableAnswer(
        f"{generator.name}/{generator.model}: answered twice with what cannot be used: {problem}",
        hint="try another generator.model",
    )


def _object_in(text: str) -> str:
    """The JSON object of an answer, without a fence or a remark around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _mistakes(error: ValidationError) -> str:
    mistakes = []
    for each in error.errors(include_url=False)[:_SHOWN]:
        place = ".".join(str(part) for part in each["loc"])
        mistakes.append(f"{place}: {each['msg']}" if place else each["msg"])
    return "; ".join(mistakes)
