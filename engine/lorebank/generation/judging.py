"""A chat model as judge of two texts, and as reader of facts in plain prose.

Both are narrow: values in, a checked value out, nothing stored. A verdict is stored by those who
ask for it, signed with its model, where a person can read it and take it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from lorebank.domain.facts import FactKind
from lorebank.generation.writing import CitedLine, Dropped, Writer, numbered
from lorebank.language.words import words
from lorebank.records import Record

if TYPE_CHECKING:
    from pydantic import BaseModel

_T = TypeVar("_T", bound="BaseModel")
_LETTERS = {kind.letter: kind for kind in FactKind}


class InferredFact(Record):
    """A fact that a model read out of prose, grounded in these lines (by place, from 0)."""

    kind: FactKind
    about: str
    """A name that stands in the lines, or empty."""
    text: str
    lines: tuple[int, ...]


def judge_evidence(writer: Writer, opinion: str, line: str) -> str | None:
    """Whether a line speaks `for` or `against` an opinion or is `unrelated`; `None` where the model
    is not sure: it gave a sign and no words of the line to show for it.

    Raises `ProviderError` where the model fails, `BudgetSpent` where no call is left.
    """
    from lorebank.generation.generated import StanceAnswer

    answer = _judged(writer, StanceAnswer, "stance", opinion=opinion, fact=line)
    shown = answer.stance == "unrelated" or _is_quoted(answer.words, line)
    return answer.stance if shown else None


def judge_relation(writer: Writer, older: str, newer: str) -> str | None:
    """Whether the newer of two opinions says the `same`, `replaces` the older, or `both` stand;
    `None` and errors as for `judge_evidence`."""
    from lorebank.generation.generated import RelationAnswer

    answer = _judged(writer, RelationAnswer, "relation", older=older, newer=newer)
    shown = answer.verdict == "both" or _is_quoted(answer.words, newer)
    return answer.verdict if shown else None


def _judged(writer: Writer, shape: type[_T], job: str, **texts: str) -> _T:
    from lorebank.providers.ask import ask_json

    flat = {name: " ".join(text.split()) for name, text in texts.items()}
    return ask_json(writer.generator, writer.prompt(job, **flat), shape, writer.budget)


def facts_in_prose(
    writer: Writer, lines: Sequence[CitedLine], day: date
) -> tuple[tuple[InferredFact, ...], tuple[Dropped, ...]]:
    """Facts in the prose of one day, each grounded in the lines it cites, and what was dropped."""
    from lorebank.generation.generated import InferredFacts
    from lorebank.providers.ask import ask_json

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
    own, said = words(quoted), words(fact)
    size = len(own)
    return bool(own) and any(said[i : i + size] == own for i in range(len(said) - size + 1))
