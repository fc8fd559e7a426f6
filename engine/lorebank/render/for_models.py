"""Rendering for models only: one-line hits within a budget, hunks with ids, paging."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from lorebank.domain.answers import Answer, Hit
from lorebank.domain.reports import Hunk, ReflectReport
from lorebank.errors import UsageError
from lorebank.markdown.origin import as_recalled
from lorebank.recall.snippets import newly_shown, snippet
from lorebank.render.reports import reflect_lines
from lorebank.render.text import MODEL, day_phrase, in_words_of_tools, whose

REVIEW_TOKENS = 3_800
"""Per page of a review: with what hosts add, below the 4,000 that all of them accept."""
_LEADING = 3
"""Hits that keep their length the longest; chosen by hand."""
_LENGTHS = ((400, 400), (240, 240), (240, 110), (240, 60), (160, 60))
"""Characters for each of the leading and of the other hits, tried in turn; 60 show whether to read
on. On two workspaces by other authors nine in ten hits fit in 160, and 119 of 135 right lines
arrive whole in 480 tokens; 21 when all hits were cut equally, down to 45."""


def answer_text(answer: Answer, budget: int) -> str:
    """Hits within a budget, then how well they answer, and notes. Later hits are clipped around the
    query terms, then dropped: one complete answer is worth more than ten clipped ones."""
    hits = len(answer.hits)
    for lengths in _LENGTHS:
        text = _render_hits(answer, hits, lengths)
        if not hits or tokens_sent(as_recalled(text)) <= budget:
            return text

    def cost(count: int) -> int:
        return tokens_sent(as_recalled(_render_hits(answer, count, lengths)))

    count = bisect_right(range(1, hits), budget, key=cost)
    if count:
        return _render_hits(answer, count, lengths)
    least = _render_hits(answer, 1, (0, 0))
    return least if tokens_sent(as_recalled(least)) <= budget else _render_hits(answer, 0, (0, 0))


def _render_hits(answer: Answer, count: int, lengths: tuple[int, int]) -> str:
    shown: set[str] = set()
    lines = []
    for place, hit in enumerate(answer.hits[:count]):
        length = lengths[place >= _LEADING]
        clipped = snippet(" ".join(hit.content.split()), answer.query.terms, limit=max(length, 40))
        lines.append(_hit(hit, clipped))
        if lengths == _LENGTHS[0] and (fresh := newly_shown(hit.context, shown)):
            lines.append(f"   context: {' › '.join(fresh)}")
    if count < len(answer.hits):
        lines.append("… ask for less, or raise token_budget")
    told = answer.notes if count or not answer.hits else ()  # of what is not shown there is no room
    notes = (f"note: {in_words_of_tools(note)}" for note in told)
    return "\n".join([*lines, _verdict(answer, count), *notes])


def _hit(hit: Hit, content: str) -> str:
    sure = "" if hit.confidence is None else f"c={hit.confidence:.2f}"
    day = day_phrase(hit.timestamp)
    day = "" if day in str(hit.place) else day  # that of its log
    marks = filter(None, [hit.kind, day, whose(hit), sure, hit.standing])
    unnamed = [name for name in hit.entities if name.casefold() not in content.casefold()]
    about = f"{', '.join(unnamed)}: " if unnamed else ""
    return f"{hit.id} {about}{content} ({', '.join(marks)}) [{hit.place}]"


def _verdict(answer: Answer, count: int) -> str:
    if not answer.hits:
        return "Nothing in memory answers this."
    is_whole = count == len(answer.hits) and not answer.truncated
    shown = "all shown" if is_whole else f"{count} of {max(answer.total, len(answer.hits))} shown"
    return f"evidence: {answer.evidence}; {shown}"


def reflect_blocks(report: ReflectReport, hunks: Sequence[Hunk]) -> list[str]:
    """What a reflection changed; for a dry run each hunk with its id."""
    return [
        *reflect_lines(MODEL, report, everything=True),
        *(hunk_blocks(hunks) if report.dry_run else ()),
        *MODEL.problems(report.problems),
    ]


def hunk_blocks(hunks: Sequence[Hunk]) -> list[str]:
    from lorebank.nightly.hunks import changes_of

    blocks = []
    for change in changes_of(hunks):
        places = [f"{h.id} {h.path}\n```diff\n{h.shown}\n```" for h in change.hunks]
        blocks.append("\n".join([f"## {change.text}", *places]))
    return blocks


_PIECES = re.compile(
    r"\\[ntr\"]| (?=\d)|memory\b|\.md\b|(?P<word>[A-Za-z]+)"
    r"|(?P<other>[^\W\d_]+)|\d{1,3}|\n|[^\S\n]{2,}|[^\w\s]|_"
)
"""Pieces like those of model tokenizers: words, up to three digits, single signs, and common parts
of citations."""


def tokens_sent(text: str) -> int:
    """An upper bound of a text's tokens as escaped JSON: at most a quarter above o200k's count."""
    total = 0
    for found in _PIECES.finditer(json.dumps(text, ensure_ascii=False)):
        word, other = found["word"], found["other"]
        if other and other >= "\u2e80":  # unspaced: a letter is a word
            total += len(other)
        else:
            total += -(-len(word) // 5) if word else -(-len(other) // 2) if other else 1
    return total


def fitted(budget: int, make: Callable[[int], str]) -> str:
    """`make(budget)`, whose own token count may differ, made to fit the budget as sent."""
    text = make(budget)
    cost = tokens_sent(as_recalled(text))
    return text if cost <= budget else make(budget * budget // cost)


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
    while kept and _indent(lines[kept]) > _indent(lines[kept - 1]):  # keep citations
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
