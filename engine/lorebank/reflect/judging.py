"""A chat model as judge and as reader: the stance of a line nobody signs, facts in plain prose.

Both are narrow: values in, a checked value out, nothing stored. A verdict is stored by those who
ask for it, with the name of its model, where a person can read and delete it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from lorebank.domain import FactKind, OpenPair, Stance
from lorebank.language.words import words
from lorebank.providers.budget import BudgetSpent
from lorebank.records import dataclass
from lorebank.reflect.grounding import CitedLine
from lorebank.reflect.writing import Dropped, Writer, numbered

_LETTERS = {kind.letter: kind for kind in FactKind}


@dataclass(frozen=True, slots=True)
class StanceVerdict:
    """What a model says of one pair."""

    stance: Stance
    words: str
    """The words of the fact that decide it; empty for `unrelated`."""
    model: str
    """`ollama/llama3.1`."""
    sure: bool = True
    """False where the model gave a sign and no words of the fact to show for it."""

    @property
    def reason(self) -> str:
        """For the note of a line in `bank/evidence.md`."""
        quoted = f': "{self.words}"' if self.words else ""
        return f"judged by {self.model}{quoted}"


@dataclass(frozen=True, slots=True)
class InferredFact:
    """A fact that a model read out of prose, grounded in these lines (by place, from 0)."""

    kind: FactKind
    about: str
    """A name that stands in the lines, or empty."""
    text: str
    lines: tuple[int, ...]


def judge_stance(writer: Writer, opinion: str, fact: str) -> StanceVerdict:
    """Whether a fact speaks for or against an opinion.

    A sign without words of the fact to show for it is none: not sure means unrelated. Raises
    `ProviderError` where the model fails, `BudgetSpent` where no call is left.
    """
    from lorebank.providers.answers import ask_json
    from lorebank.reflect.generated import StanceAnswer

    prompt = writer.prompt("stance", opinion=" ".join(opinion.split()), fact=" ".join(fact.split()))
    answer = ask_json(writer.generator, prompt, StanceAnswer, writer.budget)
    stance = Stance(answer.stance)
    quoted = " ".join(answer.words.split())
    if stance is Stance.UNRELATED or not _is_quoted(quoted, fact):
        return StanceVerdict(Stance.UNRELATED, "", writer.model, stance is Stance.UNRELATED)
    return StanceVerdict(stance, quoted, writer.model)


def judge_pairs(
    writer: Writer, pairs: Iterable[OpenPair]
) -> Iterator[tuple[OpenPair, StanceVerdict]]:
    """The pairs of the unsure queue that the model is sure of, as far as the budget goes.

    Where it gives no usable answer the pair is left for a person. Raises `ProviderError` where the
    model cannot be asked.
    """
    from lorebank.providers.answers import UnusableAnswer

    for pair in pairs:
        names = ", ".join(mention.name for mention in pair.fact.mentions if mention.subject)
        told = f"{names}: {pair.fact.content}" if names else pair.fact.content
        try:
            verdict = judge_stance(writer, pair.statement, told)
        except UnusableAnswer:
            continue
        except BudgetSpent:
            return
        if verdict.sure:
            yield pair, verdict


def facts_in_prose(
    writer: Writer, lines: Sequence[CitedLine], day: date
) -> tuple[tuple[InferredFact, ...], tuple[Dropped, ...]]:
    """Facts in the prose of one day, each grounded in the lines it cites, and what was dropped."""
    from lorebank.providers.answers import ask_json
    from lorebank.reflect.generated import InferredFacts

    prompt = writer.prompt("infer", day=day.isoformat(), lines=numbered(lines))
    answer = ask_json(writer.generator, prompt, InferredFacts, writer.budget)
    kept: list[InferredFact] = []
    dropped: list[Dropped] = []
    for each in answer.facts:
        text, about = " ".join(each.text.split()), " ".join(each.about.split()).lstrip("@")
        reason = writer.refused(text, each.lines, lines)
        if not reason and about and not _is_named(about, each.lines, lines):
            reason = f"its lines do not name {about}"
        if reason:
            dropped.append(Dropped(text, reason))
        else:
            numbers = tuple(n - 1 for n in dict.fromkeys(each.lines))
            kept.append(InferredFact(_LETTERS[each.kind], about, text, numbers))
    return tuple(kept), tuple(dropped)


def _is_named(name: str, numbers: Sequence[int], lines: Sequence[CitedLine]) -> bool:
    return any(_is_quoted(name, lines[number - 1].text) for number in numbers)


def _is_quoted(quoted: str, fact: str) -> bool:
    own, said = words(quoted), words(fact)
    size = len(own)
    return bool(own) and any(said[i : i + size] == own for i in range(len(said) - size + 1))
