"""What only a model needs: hits in a line each inside a budget, hunks with their ids, pages."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence

from lorebank.domain.answers import Answer, Hit
from lorebank.domain.reports import Hunk, ReflectReport
from lorebank.errors import UsageError
from lorebank.language.words import estimate_tokens
from lorebank.markdown.origin import as_recalled
from lorebank.recall.snippets import newly_shown, snippet
from lorebank.render.reports import reflect_lines
from lorebank.render.text import MODEL, day_phrase, in_words_of_tools, problem_lines, whose

REVIEW_TOKENS = 3_800
"""Of a page to be reviewed; with what hosts put around it below 4,000, which all of them accept."""
_LENGTHS = (400, 240, 160, 110, 80)
"""Characters that each hit may take, tried in turn; 80 still show whether to read on."""


def answer_text(answer: Answer, budget: int) -> str:
    """Numbered hits inside a budget, then how well they answer and what was not understood.

    Where the hits do not fit whole, the longest are clipped around what was asked; hits are left
    out only where even clipped ones do not fit.
    """
    notes = [_verdict(answer), *(f"note: {in_words_of_tools(note)}" for note in answer.notes)]
    for count in range(len(answer.hits), 0, -1):
        for length in _LENGTHS if count > 1 else (*_LENGTHS, 0):
            text = "\n".join([*_hits(answer, count, length), *notes])
            if tokens_sent(as_recalled(text)) <= budget or (count, length) == (1, 0):
                return text
    return "\n".join(notes)


def _hits(answer: Answer, count: int, length: int) -> list[str]:
    shown: set[str] = set()
    lines = []
    for number, hit in enumerate(answer.hits[:count], start=1):
        clipped = snippet(" ".join(hit.content.split()), answer.query.terms, limit=max(length, 40))
        lines.append(f"{number}. {_hit(hit, clipped)}")
        if length == _LENGTHS[0] and (fresh := newly_shown(hit.context, shown)):
            lines.append(f"   context: {' › '.join(fresh)}")
    if count < len(answer.hits):
        lines.append(f"… {len(answer.hits) - count} more; ask for less, or raise token_budget")
    return lines


def _hit(hit: Hit, content: str) -> str:
    sure = "" if hit.confidence is None else f"c={hit.confidence:.2f}"
    marks = filter(None, [hit.kind, day_phrase(hit.timestamp), whose(hit), sure, hit.standing])
    unnamed = [name for name in hit.entities if name.casefold() not in content.casefold()]
    about = f"{', '.join(unnamed)}: " if unnamed else ""
    return f"{hit.id} {about}{content} ({', '.join(marks)}) [{hit.place}]"


def _verdict(answer: Answer) -> str:
    if not answer.hits:
        return "Nothing in memory answers this."
    shown = f"{len(answer.hits)} of {answer.total} shown" if answer.truncated else "all shown"
    return f"evidence: {answer.evidence}; {shown}"


def reflect_blocks(report: ReflectReport, hunks: Sequence[Hunk]) -> list[str]:
    """What a reflection changed; under a dry run each hunk with the id that names it."""
    return [
        *reflect_lines(MODEL, report, everything=True),
        *(hunk_blocks(hunks) if report.dry_run else ()),
        *problem_lines(MODEL, report.problems),
    ]


def hunk_blocks(hunks: Sequence[Hunk]) -> list[str]:
    """Each change with the hunks that make it, a page and an id each."""
    from lorebank.nightly.hunks import changes_of

    blocks = []
    for change in changes_of(hunks):
        places = [f"{h.id} {h.path}\n```diff\n{h.diff.strip(chr(10))}\n```" for h in change.hunks]
        blocks.append("\n".join([f"## {change.text}", *places]))
    return blocks


def tokens_sent(text: str) -> int:
    """What a text costs inside the structured result, where line ends and quotes are escaped."""
    return estimate_tokens(json.dumps(text, ensure_ascii=False))


def within(text: str, budget: int, more: str) -> str:
    """The text cut by whole lines to a budget; `more` says how to get the rest."""
    if tokens_sent(as_recalled(text)) <= budget:
        return text
    lines = text.split("\n")

    def cut(count: int) -> str:
        return "\n".join([*lines[:count], f"… {more}"])

    def cost(count: int) -> int:
        return tokens_sent(as_recalled(cut(count)))

    kept = bisect_right(range(1, len(lines)), budget, key=cost)
    while kept and _indent(lines[kept]) > _indent(lines[kept - 1]):  # nothing without its citation
        kept -= 1
    return cut(kept)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def paged(blocks: Sequence[str], page: int, *, budget: int = REVIEW_TOKENS) -> str:
    """One page of the blocks, each whole where it fits on a page, and how to get the next."""
    pages: list[list[str]] = [[]]
    room = budget
    for block in blocks:
        block = within(block, budget, "cut; read the file with memory_get")
        cost = tokens_sent(block)
        if cost > room and pages[-1]:
            pages.append([])
            room = budget
        pages[-1].append(block)
        room -= cost
    if not 1 <= page <= len(pages):
        raise UsageError(f"there is no page {page}", hint=f"1 to {len(pages)}")
    shown = pages[page - 1]
    if page < len(pages):
        shown.append(f"page {page} of {len(pages)}; go on with page={page + 1}")
    return "\n".join(shown)
