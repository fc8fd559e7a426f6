"""The small phrases that several renderings share: days, confidences, the line under a fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.text import display_width, wrap
from lorebank.domain import Citation, Diagnostic, Fact, Hit, Interval, SearchHit

SEPARATOR = " · "


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 fact`, `2 facts`, `2 entities`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def day_phrase(when: date | Interval | None) -> str:
    """A day or a span of days: `2025-11-27 – 2025-12-01`, `since 2025-11-27`, `undated`."""
    if when is None:
        return "undated"
    if isinstance(when, date):
        return when.isoformat()
    if when.start and when.end:
        span = f"{when.start} – {when.end}"
        return when.start.isoformat() if when.start == when.end else span
    if when.start:
        return f"since {when.start}"
    return f"until {when.end}" if when.end else "any time"


def confidence_phrase(confidence: float) -> str:
    """Two decimals: `0.95`."""
    return f"{confidence:.2f}"


def unconfirmed(said: Fact | Hit | SearchHit) -> str:
    """The mark of what nobody vouches for, and whose word it is; empty for what is trusted."""
    return f"unconfirmed: {said.origin.value}" if said.quarantined else ""


def size_phrase(size: int) -> str:
    """A file's size: `12 kB`, `1.4 MB`."""
    if size < 1_000_000:
        return f"{(size + 999) // 1000} kB"
    return f"{size / 1_000_000:.1f} MB"


def byline(
    look: Look, parts: Iterable[str], source: Citation | str, *, indent: str = INDENT
) -> list[str]:
    """The dim line under a sentence; its source ends it."""
    return part_lines(look, [*parts, str(source)], indent)


def part_lines(look: Look, parts: Iterable[str], indent: str) -> list[str]:
    """Dim parts with dots between, broken between parts where they fit, empty ones left out."""
    lines: list[str] = []
    line = ""
    for part in filter(None, map(look.clean_line, parts)):
        longer = f"{line}{SEPARATOR}{part}" if line else part
        if line and display_width(indent + longer) > look.width:
            lines.append(line)
            longer = part
        line = longer
    wrapped = [each for line in [*lines, line] for each in wrap(line, look.width, indent)]
    return [indent + look.dim(line[len(indent) :]) for line in wrapped]


def fact_block(look: Look, fact: Fact, *, indent: str = "", with_id: bool = False) -> list[str]:
    """A fact's sentence with its byline."""
    parts = [
        unconfirmed(fact),
        fact.kind.value,
        day_phrase(fact.occurred or fact.recorded),
        "" if fact.confidence is None else confidence_phrase(fact.confidence),
        ", ".join(dict.fromkeys(mention.name for mention in fact.mentions)),
        fact.id if with_id else "",
    ]
    return [
        *look.paragraph(fact.content, indent),
        *byline(look, parts, fact.citation, indent=indent + INDENT),
    ]


def problem_lines(look: Look, problems: Sequence[Diagnostic], *, limit: int = 0) -> list[str]:
    """Each problem as `path:line: what`, set back; beyond `limit` (0: none) only their number."""
    shown = problems[:limit] if limit else problems
    lines = []
    for problem in shown:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        lines += look.paragraph(f"{place}: {problem.message}", INDENT * 2, first=INDENT)
    if len(shown) < len(problems):
        rest = len(problems) - len(shown)
        lines.append(f"{INDENT}… and {rest:,} more (lorebank status lists them)")
    return lines
