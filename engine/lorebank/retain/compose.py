"""Composing a fact from what a caller gives: a sentence, typed or not, and flags that win."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.domain import Citation, EvidenceMark, Fact, FactKind, Mention
from lorebank.errors import UsageError
from lorebank.language.folding import slugify
from lorebank.markdown.facts import fact_id, format_fact, parse_fact_line
from lorebank.retain.append import one_paragraph

__all__ = ["compose_fact", "fact_line", "parse_kind"]


def parse_kind(kind: FactKind | str | None) -> FactKind | None:
    """A kind by its name or its letter; `UsageError` for anything else."""
    if kind is None or isinstance(kind, FactKind):
        return kind
    for known in FactKind:
        if kind.strip().lower() in (known.value, known.letter.lower()):
            return known
    choices = ", ".join(f"{known.value} ({known.letter})" for known in FactKind)
    raise UsageError(f"unknown kind '{kind}'", hint=f"use one of {choices}")


def compose_fact(
    text: str,
    *,
    kind: FactKind | None,
    entities: Sequence[str],
    confidence: float | None,
    day: date,
    marks: Sequence[EvidenceMark],
) -> Fact:
    """The fact that a text states; `- O(c=0.9) @Peter: …` is understood, flags win over it."""
    sentence = one_paragraph(text)
    if not sentence:
        raise UsageError("nothing to retain: the text is empty", hint="give a whole sentence")
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise UsageError(
            f"confidence {confidence:g} is outside 0..1", hint="use a number such as 0.8"
        )
    parsed = parse_fact_line(sentence)
    if not parsed.content:
        raise UsageError("nothing to retain: no sentence after the mentions", hint="add one")
    given = tuple(_mention(name) for name in entities)
    subjects = {mention.slug for mention in given}
    mentions = given + tuple(m for m in parsed.mentions if m.slug not in subjects)
    stated = parsed.confidence if confidence is None else confidence
    chosen = kind or parsed.kind or (FactKind.OPINION if stated is not None else FactKind.WORLD)
    return Fact(
        id=fact_id(chosen, day, tuple(dict.fromkeys(m.slug for m in mentions)), parsed.content),
        kind=chosen,
        content=parsed.content,
        raw=sentence,
        citation=Citation("", 0, 0),
        mentions=mentions,
        confidence=stated,
        recorded=day,
        marks=(*parsed.marks, *marks),
    )


def fact_line(fact: Fact) -> str:
    """The line to write, as the parser reads it back."""
    return format_fact(fact)


def _mention(name: str) -> Mention:
    plain = name.strip().removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    if not slug or any(letter in plain for letter in "[]|\n\r"):
        raise UsageError(
            f"'{name}' is no name of an entity", hint="use a name such as Peter or 'The Castle'"
        )
    return Mention(plain, slug, subject=True)
