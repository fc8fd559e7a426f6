"""Answers and passages as text, and the banks they came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorebank.recall.snippets import newly_shown
from lorebank.render.text import (
    INDENT,
    SEPARATOR,
    Look,
    blocks,
    confidence_phrase,
    day_phrase,
    display_width,
    excerpt,
    times_phrase,
    unconfirmed,
    whose,
)

if TYPE_CHECKING:
    from lorebank.domain.answers import Answer, BankPart, Hit, Query, RegisteredBank, SearchHit


def answer_lines(look: Look, answer: Answer, *, explain: bool = False) -> list[str]:
    """One block per hit: the sentence, below it details and citation."""
    shown: set[str] = set()

    def block(hit: Hit) -> Iterator[str]:
        when, sure = times_phrase(hit) if hit.timestamp else "", confidence_phrase(hit.confidence)
        parts = [hit.standing, whose(hit), hit.kind, when, sure, ", ".join(hit.entities)]
        text = excerpt(hit.content, answer.query.terms)
        yield from [*look.paragraph(text), *look.byline(parts, hit.place)]
        yield from _context_line(look, hit.context, shown)
        yield from _why_lines(look, hit) if explain else ()

    return blocks(map(block, answer.hits))


def _context_line(look: Look, context: Sequence[str], shown: set[str]) -> list[str]:
    """The descriptions of folder and file on one line, unless shown before."""
    fresh = newly_shown(context, shown)
    text = look.cut(f"context: {' › '.join(fresh)}", look.width - len(INDENT))
    return [INDENT + look.dim(text)] if fresh else []


def absence_lines(look: Look, answer: Answer) -> list[str]:
    absence = answer.why_not
    if absence is None:
        return []
    title = f"{absence.asked}: {absence.reason}"
    lines = ["", look.strong(look.clean_line(title))] if answer.hits else [look.strong(title)]
    lines += look.paragraph(absence.detail, INDENT)
    if absence.source is not None:
        lines += look.paragraph(excerpt(absence.content), INDENT)
        reasons = [_reason(name, found) for name, found in absence.why.items()]
        lines += look.byline([absence.id or "", *reasons], absence.source)
    return lines


def _why_lines(look: Look, hit: Hit) -> list[str]:
    reasons = [_reason(name, found) for name, found in hit.why.items() if name != "score"]
    lines = look.parts([hit.id, f"score {hit.score:.2f}", *reasons], INDENT)
    worths = [f"{name} {worth:+.2f}" for name, worth in hit.why.get("score", {}).items()]
    lines += look.parts(worths, INDENT * 2)
    if hit.repeats:
        lines += look.parts([f"also said in {place}" for place in hit.repeats], INDENT * 2)
    for evidence in hit.evidence:
        lines.append(look.evidence(evidence, INDENT * 2, known=hit.content))
    return lines


def _reason(retriever: str, found: Any) -> str:
    if not isinstance(found, dict):
        return f"{retriever} {_shown(found)}"
    rank = f" #{found['rank']}" if "rank" in found else ""
    others = [f"{key} {_shown(value)}" for key, value in found.items() if key != "rank" and value]
    return f"{retriever}{rank}" + (f" ({'; '.join(others)})" if others else "")


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def answer_notes(
    look: Look, answer: Answer, *, budgeted: bool = False, known: Collection[str] = ()
) -> list[str]:
    """Notes for stderr, except those already `known`; `budgeted`: with a token budget."""
    notes = [f"note: {note}" for note in answer.notes if note not in known]
    if answer.evidence == "none" and answer.hits:
        notes.append(
            "note: nothing here answers the question; these lines are only loosely related"
        )
    elif answer.evidence == "weak" and answer.hits:
        notes.append("note: weak evidence; read the sources before relying on it")
    if answer.truncated:
        whole = f"{answer.total}; -k {answer.total} shows all"
        more = f"at least {answer.total}; -k {answer.total} shows them"
        shown = whole if answer.total_exact else more
        if budgeted:
            shown = f"{answer.total}; more fit a larger --budget-tokens or -k"
        notes.append(f"note: showing {len(answer.hits)} of {shown}")
    return list(map(look.dim, look.hanging(notes)))


def understood_lines(look: Look, answer: Answer) -> list[str]:
    lines = [f"understood: {SEPARATOR.join(_searched(answer.query)) or 'nothing to search for'}"]
    lines.append(f"read as: {', '.join(answer.query.intent) or 'lexical'}")
    lines.append(f"retrievers: {', '.join(answer.retrievers_used) or 'none'}")
    lines += [f"skipped {name}: {why}" for name, why in answer.retrievers_skipped.items()]
    return list(map(look.dim, look.hanging(lines)))


def _searched(query: Query) -> list[str]:
    parts = (
        ("words", query.terms),
        ("about", query.entities),
        ("", (day_phrase(query.interval),) if query.interval else ()),
        ("kind", query.kinds),
        ("tagged", query.tags),
        ("in", (query.path,) if query.path else ()),
        ("from", query.origins),
        ("without", query.excluded),
        ("as of", (str(query.as_of),) if query.as_of else ()),
    )
    return [f"{label} {', '.join(values)}".lstrip() for label, values in parts if values]


def nothing_found_lines(look: Look, answer: Answer, *, advice: Sequence[str]) -> list[str]:
    lines = [f"nothing found for “{answer.query.text}”"]
    if searched := _searched(answer.query):
        lines.append(f"searched: {SEPARATOR.join(searched)}")
    lines += [f"try: {each}" for each in advice]
    return look.hanging(lines)


def answer_markdown(answer: Answer) -> Iterator[str]:
    """One list item per hit with its citation, for prompts; each context is shown once."""
    shown: set[str] = set()
    for hit in answer.hits:
        when = times_phrase(hit) if hit.timestamp else ""
        sure = confidence_phrase(hit.confidence)
        parts = filter(None, [hit.kind, when, sure, hit.standing, whose(hit)])
        content = excerpt(" ".join(hit.content.split()), answer.query.terms)
        yield f"- {content} ({', '.join(parts)}) [{hit.place}]"
        if fresh := newly_shown(hit.context, shown):
            yield f"  context: {' › '.join(fresh)}"


def answer_paths(answer: Answer) -> Iterable[str]:
    return dict.fromkeys(hit.place for hit in answer.hits)


WRITERS: Mapping[str, Callable[[Answer], Iterable[str]]] = {
    "jsonl": lambda answer: (json.dumps(h.to_dict(), ensure_ascii=False) for h in answer.hits),
    "md": answer_markdown,
    "paths": answer_paths,
}
"""Formats of an answer that other programs read."""


def search_lines(look: Look, hits: Sequence[SearchHit]) -> list[str]:
    shown: set[str] = set()

    def block(hit: SearchHit) -> Iterator[str]:
        head = f"{look.accent(look.clean_line(hit.place))}  {look.dim(f'{hit.score:.2f}')}"
        heading = look.cut(hit.heading, max(20, look.width - len(hit.place) - 8))
        yield f"{head}  {look.dim(heading)}" if heading else head
        yield from _context_line(look, hit.context, shown)
        yield from look.parts([unconfirmed(hit)], INDENT) if hit.quarantined else ()
        snippet = look.paragraph(hit.snippet.strip("\n"), INDENT)
        yield from (line for line in snippet if line.strip())

    return blocks(map(block, hits))


def search_notes(look: Look, hits: Sequence[SearchHit], known: Collection[str] = ()) -> list[str]:
    """Why a fallback ranked them, except reasons already `known`."""
    fallbacks = dict.fromkeys(
        hit.fallback for hit in hits if hit.fallback and hit.fallback not in known
    )
    notes = [f"note: {reason}" for reason in fallbacks]
    return list(map(look.dim, look.hanging(notes)))


def bank_lines(look: Look, rows: Sequence[tuple[RegisteredBank, bool]]) -> list[str]:
    """Name and folder, marking the default and missing folders."""
    column = max((display_width(bank.name) for bank, _ in rows), default=0)
    lines = []
    for bank, there in rows:
        name = bank.name + " " * (column - display_width(bank.name))
        marks = ["default"] if bank.is_default else []
        marks += [] if there else [f"missing: lorebank bank remove {bank.name} removes it"]
        mark = f"  {look.dim(f'({note})')}" if (note := "; ".join(marks)) else ""
        lines.append(f"{look.strong(name)}  {look.clean_line(bank.path)}{mark}")
    return lines


def failed_lines(look: Look, parts: Iterable[BankPart]) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if part.error:
            lines += look.hanging([f"{part.bank}: {part.error}"])
            hint = look.paragraph(f"hint: {part.hint}", INDENT * 2, first=INDENT)
            lines += hint if part.hint else []
    return [look.warn(line) for line in lines]
