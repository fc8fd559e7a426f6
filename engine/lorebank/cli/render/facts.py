"""Facts as text: a timeline, and the story of one fact or opinion."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.lookback import step_lines
from lorebank.cli.render.opinions import opinion_block, signed
from lorebank.cli.render.phrases import byline, confidence_phrase, fact_block, unconfirmed
from lorebank.domain import Explanation, Fact

_DATE_COLUMN = " " * 12


def timeline_lines(look: Look, facts: Sequence[Fact]) -> list[str]:
    """The day in a column of its own, the sentence beside it, its byline below."""
    lines: list[str] = []
    for fact in facts:
        day = _starts(fact)
        shown = day.isoformat() if day else "undated"
        first, *rest = look.paragraph(fact.content, _DATE_COLUMN, first=f"{shown:<12}")
        lines += [look.accent(shown) + first[len(shown) :], *rest]
        lines += byline(look, _timeline_parts(fact), fact.citation, indent=_DATE_COLUMN)
    return lines


def _starts(fact: Fact) -> date | None:
    if fact.occurred is None:
        return fact.recorded
    return fact.occurred.start or fact.occurred.end or fact.recorded


def _timeline_parts(fact: Fact) -> list[str]:
    end = fact.occurred.end if fact.occurred else None
    return [
        f"until {end}" if end and end != _starts(fact) else "",
        unconfirmed(fact),
        fact.kind.value,
        "" if fact.confidence is None else confidence_phrase(fact.confidence),
        ", ".join(dict.fromkeys(mention.name for mention in fact.mentions)),
    ]


def explanation_lines(look: Look, story: Explanation) -> list[str]:
    """A fact with its lines and what it moved; an opinion with each step of its confidence."""
    lines: list[str] = []
    if story.fact is not None:
        lines += fact_block(look, story.fact, with_id=True)
        lines += _source_lines(look, story.fact)
    if story.opinion is not None:
        lines += opinion_block(look, story.opinion, evidence=0)
        lines += step_lines(look, story.opinion, story.steps)
    if len(story.places) > 1:
        lines += ["", look.strong("Stands at"), *(f"{INDENT}{place}" for place in story.places)]
    if story.moved:
        lines += ["", look.strong("Moved")]
        for opinion_id, evidence in story.moved:
            why = f" ({evidence.reason})" if evidence.reason else ""
            lines.append(f"{INDENT}{opinion_id}  {signed(evidence.delta)}  {evidence.date}{why}")
    return lines


def _source_lines(look: Look, fact: Fact) -> list[str]:
    lines = ["", look.strong("As written")]
    for raw in fact.raw.rstrip("\n").split("\n"):
        lines += look.paragraph(raw, INDENT)
    return lines
