"""What models answer, checked before it is used: vectors, and JSON held to a pydantic model."""

from __future__ import annotations

import binascii
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.providers.budget import Budget
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Generator, Prompt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


_SHORTEST = 1e-6
"""A vector shorter than this points nowhere."""


def by_index(rows: Any, count: int) -> list[Any]:
    """The `embedding` of each row of an OpenAI-like answer, in the order of the texts.

    Rows say which text they are for and may stand in any order. `BadAnswer` where they are not as
    many as texts, or where two are for the same one.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadAnswer("answered without a list of embeddings")
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    if not any("index" in row for row in rows):
        return [row.get("embedding") for row in rows]
    placed = {row.get("index"): row.get("embedding") for row in rows}
    if set(placed) != set(range(count)):
        raise BadAnswer(f"answered with indexes that are not 0 to {count - 1}")
    return [placed[index] for index in range(count)]


def unit_vectors(rows: Sequence[Any], count: int, dimension: int) -> Floats:
    """Vectors of length 1 from lists of numbers or base64 of 32-bit floats: `(count, dimension)`.

    `dimension` 0 takes what comes, the same for all. `BadAnswer` for another count or dimension,
    for what is not a number, and for zero, which would be near to everything.
    """
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    vectors = [_vector(row) for row in rows]
    for vector in vectors:
        wanted = dimension or len(vectors[0])
        if len(vector) != wanted:
            raise BadAnswer(f"answered with a vector of {len(vector)} numbers, not {wanted}")
    matrix = np.array(vectors).reshape(count, -1)
    # Of the squares: not finite where a number is none, or too large for a vector.
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
    if not np.isfinite(squares).all():
        if np.isfinite(matrix).all():
            raise BadAnswer("answered with numbers too large for a vector")
        raise BadAnswer("answered with numbers that are none (NaN or infinite)")
    lengths = np.sqrt(squares)
    if count and float(lengths.min()) < _SHORTEST:
        raise BadAnswer("answered with a zero vector for a text that is not empty")
    found: Floats = (matrix / lengths[:, None].astype(matrix.dtype)).astype(np.float32, copy=False)
    return found


def _vector(row: Any) -> NDArray[np.floating[Any]]:
    if isinstance(row, str):
        try:
            raw = binascii.a2b_base64(row, strict_mode=True)
        except ValueError:
            raise BadAnswer("answered with an embedding that is not base64") from None
        if len(raw) % 4 or not raw:
            raise BadAnswer("answered with an embedding cut off in the middle")
        return np.frombuffer(raw, dtype="<f4")
    if not isinstance(row, list) or not row:
        raise BadAnswer("answered with an embedding that is no list of numbers")
    try:
        vector = np.array(row, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(())
    if vector.ndim != 1:
        raise BadAnswer("answered with an embedding that is no list of numbers")
    return vector


T = TypeVar("T", bound=BaseModel)
_ATTEMPTS = 2
_SHOWN = 4
"""Mistakes told to the model."""


class UnusableAnswer(ProviderError):
    """A model answered, twice, with what does not have the shape that was asked for."""


def ask_json(generator: Generator, prompt: Prompt, shape: type[T], budget: Budget) -> T:
    """The model's answer in this shape.

    An answer that does not fit is sent back once with what is wrong. Raises `UnusableAnswer`
    where the second does not fit either, `BudgetSpent` before a call that the budget forbids, and
    `ProviderError` where the model cannot be reached.
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
            problem = _told(error)
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


def _told(error: ValidationError) -> str:
    mistakes = []
    for each in error.errors(include_url=False)[:_SHOWN]:
        place = ".".join(str(part) for part in each["loc"])
        mistakes.append(f"{place}: {each['msg']}" if place else each["msg"])
    return "; ".join(mistakes)
