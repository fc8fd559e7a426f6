"""`lorebank entity NAME --json`: its fields by name and kind. They may only be added to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from lorebank import Bank
from support import WORDS_ONLY


class Exact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class EntityRow(Exact):
    slug: str
    name: str
    aliases: list[str]
    type: str | None
    type_reason: str
    first_seen: str | None
    last_seen: str | None
    facts: int
    page: str | None


class FactRow(Exact):
    id: str
    kind: str
    timestamp: str | dict[str, str | None] | None
    recorded: str | None
    entities: list[str]
    content: str
    confidence: float | None
    source: str
    origin: str
    quarantined: bool
    author: dict[str, str]


class PropertyRow(FactRow):
    relation: str
    about: str | None


class ListedFact(FactRow):
    status: str
    superseded_by: str | None


class NeighbourRow(Exact):
    entity: str
    shared: int
    why: str
    source: str


class NamedInRow(Exact):
    content: str
    recorded: str | None
    source: str


class QuestionRow(Exact):
    kind: str
    text: str
    sources: list[str]


class EntityAnswer(Exact):
    entity: EntityRow
    properties: list[PropertyRow]
    opinions: list[dict[str, Any]]
    facts: list[ListedFact]
    neighbours: list[NeighbourRow]
    named_in: list[NamedInRow]
    questions: list[QuestionRow]
    tokens: int
    truncated: bool


@pytest.mark.parametrize("workspace", ["harbour", "year", "messy"])
def test_every_answer_has_these_fields_and_no_others(
    workspace: str, copy_fixture: Callable[[str], Path]
) -> None:
    with Bank.open(copy_fixture(workspace), environ=WORDS_ONLY) as bank:
        for entity in bank.entities():
            for budget in (None, 80):
                view = bank.entity(entity.slug, token_budget=budget)
                answer = EntityAnswer.model_validate(json.loads(json.dumps(view.to_dict())))
                assert answer.entity.slug == entity.slug
                assert budget is None or answer.tokens <= budget or not answer.facts
