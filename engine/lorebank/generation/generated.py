"""The shapes that answers of chat models are held to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

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
