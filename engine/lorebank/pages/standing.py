"""Standing questions: pages whose question reflect answers anew from the notes, by citation alone.

An answer's lines come from two places. What recall finds for the question counts where the answer
as a whole has evidence; where it has none nothing is taken from it. And where the page names words
or kinds, the facts that hold them: a question such as "what was decided?" asks for a sort of line,
which no likeness between question and line tells. Superseded facts are left out.

The lines stand newest first under dates of their own, in one managed block. So the same facts give
the same bytes, and a page without news is not touched (`standing_memory` sees to it that an
embedder which comes or goes is no news); one that nothing answers gets no block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Protocol

from lorebank.database.connection import Connection
from lorebank.domain import Answer, Diagnostic, Fact, Hit, OpinionStatus
from lorebank.errors import NotFound, ProviderError, UsageError
from lorebank.generation.writing import Writer
from lorebank.markdown.blocks import find_blocks
from lorebank.pages.edits import PageEdit, plan_page_edit
from lorebank.pages.pages import BankContent
from lorebank.pages.standing_answer import AnswerLine, answer_body
from lorebank.pages.standing_memory import FoundHits, StandingMemory
from lorebank.pages.standing_moved import moved_opinion_lines
from lorebank.pages.standing_pages import read_standing_pages
from lorebank.pages.standing_selection import Selector, current_facts
from lorebank.pages.standing_written import (
    WRITTEN_BLOCK,
    WrittenAnswer,
    write_answer,
    written_body,
)
from lorebank.records import dataclass
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.standing import StandingPage

ANSWER_BLOCK = "answer"
UNANSWERED = "Nothing in the notes answers this at present."
_NEAR_BEST = 0.5
"""A hit counts whose score is at least this share of the best one's."""
_OF_WEAK = 3
"""So many hits of an answer whose evidence is weak."""
_NOTE = "note"


class Ask(Protocol):
    """Recall, as a standing question needs it."""

    def __call__(
        self,
        query: str,
        *,
        k: int,
        since: date | str | None,
        entities: Sequence[str],
        now: date,
    ) -> Answer:
        """The answer on the newest day recorded."""


@dataclass(frozen=True, slots=True)
class _Asked:
    page: StandingPage
    selector: Selector
    hits: tuple[Hit, ...]
    weak: bool
    written: WrittenAnswer | None = None
    """What a model wrote of this answer's lines, where one was asked."""


@dataclass(frozen=True, slots=True)
class StandingAnswers:
    """What recall and the pages' own settings say, before any page is planned."""

    asked: tuple[_Asked, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The pages that may change."""
        return tuple(each.page.path for each in self.asked)


def ask_standing(
    root: Path,
    read: Callable[[], BankContent],
    ask: Ask | None,
    memory: Connection | None = None,
) -> StandingAnswers:
    """Ask every standing question of the workspace; without `ask`, only by words and kinds.

    All facts are `read` only where there is a question.

    Phrases such as "last week" are read on the newest day recorded, never on the day of the run.
    With an index as `memory`, recall is asked again only where there is news.
    """
    pages, problems = read_standing_pages(root)
    content = read() if pages else None
    today = content.newest if content else None
    if content is None or today is None:
        return StandingAnswers((), problems)
    known = None
    if memory is not None:
        held = (fact.id for fact in current_facts(content))
        known = StandingMemory.open(memory, held, today)
    found: list[_Asked] = []
    odd = list(problems)
    for page in pages:
        try:
            selector = Selector.of(page, content.entities, today)
            hits = _recalled(page, ask, today, known)
        except (NotFound, UsageError) as problem:
            message = f"{problem.message}; the page was left alone"
            odd.append(Diagnostic(page.path, 1, "question-setting", message))
            continue
        found.append(_Asked(page, selector, hits.hits, hits.weak))
    if known is not None:
        known.save()
    return StandingAnswers(tuple(found), tuple(odd))


def _recalled(
    page: StandingPage, ask: Ask | None, today: date, known: StandingMemory | None
) -> FoundHits:
    kept = known.recalled(page) if known else None
    if kept is not None:
        return kept
    found = _hits(page, ask, today)
    if known is not None:
        known.keep(page, found)
    return found


def plan_answers(
    content: BankContent, answers: StandingAnswers, old: Mapping[str, str | None]
) -> tuple[PageEdit, ...]:
    """The edits that put the answers on their pages; pages without news are left out."""
    current = current_facts(content)
    edits = (_edit(each, content, current, old) for each in answers.asked)
    return tuple(edit for edit in edits if edit is not None and edit.changes)


def answer_lines(
    asked: _Asked, content: BankContent, current: Sequence[Fact]
) -> tuple[AnswerLine, ...]:
    """The lines of one answer, newest first; each fact and each text once.

    Hits of weak evidence are better than nothing, and count only where there is nothing else.
    """
    names = {slug: entity.name for slug, entity in content.entities.items()}
    selector = asked.selector
    if selector.moved:
        name = names.get(selector.entity, "")
        moved = moved_opinion_lines(content.opinions, name=name, since=selector.since)
        return tuple(moved[: asked.page.k])
    held = _confidences(content)
    listed = [(fact.id, _of_fact(fact, names, held)) for fact in selector.newest(current)]
    chooses = bool(selector.phrases or selector.kinds or selector.ahead)
    hits = () if asked.weak and (listed or chooses) else asked.hits
    by_id = {fact.id: fact for fact in current}
    lines: dict[str, AnswerLine] = {}
    for hit in hits:
        if not selector.takes_kind(hit.kind):
            continue
        if hit.kind == _NOTE:
            lines[hit.id] = _of_note(hit)
        elif hit.id in by_id:
            lines[hit.id] = _of_fact(by_id[hit.id], names, held)
    for name, line in listed:
        if len(lines) >= asked.page.k:
            break
        lines.setdefault(name, line)
    return tuple(sorted(_each_text_once(lines.values()), key=AnswerLine.newest_first))


def write_answers(
    answers: StandingAnswers,
    content: BankContent,
    old: Mapping[str, str | None],
    writer: Writer | None,
) -> StandingAnswers:
    """The answers with what a model makes of those that changed; without a writer, as they are.

    A model that cannot be asked is told once, and no answer is left out for it.
    """
    if writer is None:
        return answers
    current = current_facts(content)
    written: dict[str, WrittenAnswer] = {}
    problems = list(answers.problems)
    for each in answers.asked:
        lines = answer_lines(each, content, current)
        if not lines or _is_told(each, lines, current, old.get(each.page.path)):
            continue
        try:
            found, told = write_answer(each.page, lines, writer)
        except ProviderError as problem:
            problems.append(Diagnostic(each.page.path, 0, "generator-failed", problem.message))
            break
        problems += told
        if found is not None:
            written[each.page.path] = found
    asked = (replace(each, written=written.get(each.page.path)) for each in answers.asked)
    return StandingAnswers(tuple(asked), tuple(problems))


def _is_told(
    asked: _Asked, lines: Sequence[AnswerLine], current: Sequence[Fact], text: str | None
) -> bool:
    """Whether the page has these very lines, and words for them."""
    if text is None:
        return True
    bodies = {block.name: block.body for block in find_blocks(text, asked.page.path)[0]}
    same = bodies.get(ANSWER_BLOCK, "").replace("\r\n", "\n") == _body(asked, lines, current)
    return same and WRITTEN_BLOCK in bodies


def _body(asked: _Asked, lines: Sequence[AnswerLine], current: Sequence[Fact]) -> str:
    weak = asked.weak and not asked.selector.newest(current)
    return answer_body(lines, page=asked.page.path, weak=weak) or UNANSWERED


def _edit(
    asked: _Asked, content: BankContent, current: Sequence[Fact], old: Mapping[str, str | None]
) -> PageEdit | None:
    text = old.get(asked.page.path)
    if text is None:
        return None
    path = asked.page.path
    lines = answer_lines(asked, content, current)
    blocks = {block.name: block.body for block in find_blocks(text, path)[0]}
    if not lines and ANSWER_BLOCK not in blocks:
        return None
    bodies = {ANSWER_BLOCK: _body(asked, lines, current)}
    if asked.written is not None:
        bodies[WRITTEN_BLOCK] = written_body(asked.written, lines, page=path)
    is_news = blocks.get(ANSWER_BLOCK, "").replace("\r\n", "\n") != bodies[ANSWER_BLOCK]
    is_stale = is_news and asked.written is None and WRITTEN_BLOCK in blocks
    return plan_page_edit(path, text, bodies, drop=(WRITTEN_BLOCK,) if is_stale else ())


def _hits(page: StandingPage, ask: Ask | None, today: date) -> FoundHits:
    """The hits that answer the question."""
    if ask is None or page.moved:
        return FoundHits()
    answer = ask(
        page.question,
        k=page.k,
        since=page.since or None,
        entities=(page.entity,) if page.entity else (),
        now=today,
    )
    if answer.evidence == "none" or not answer.hits:
        return FoundHits()
    weak = answer.evidence == "weak"
    least = answer.hits[0].score * _NEAR_BEST
    near = [hit for hit in answer.hits if hit.score >= least and _may_answer(hit)]
    return FoundHits(tuple(near[:_OF_WEAK] if weak else near), weak)


def _may_answer(hit: Hit) -> bool:
    """Prose of the bank is none: standing pages' own words, rules, lines that reflect moves."""
    return hit.kind != _NOTE or not hit.source.path.startswith(f"{BANK_FOLDER}/")


def _confidences(content: BankContent) -> dict[str, float]:
    """Fact id → the confidence of the opinion that it states, for those that are held."""
    return {
        line.fact_id: opinion.confidence
        for opinion in content.opinions
        if opinion.status is OpinionStatus.LIVE
        for line in opinion.evidence
        if line.reason in ("stated", "restated")
    }


def _of_fact(fact: Fact, names: Mapping[str, str], held: Mapping[str, float]) -> AnswerLine:
    subject = next(iter(fact.subjects), "")
    return AnswerLine(
        text=fact.content,
        source=fact.citation,
        recorded=fact.recorded,
        occurred=fact.occurred,
        subject=names.get(subject, ""),
        id=fact.id,
        tail=f"{held[fact.id]:.2f}" if fact.id in held else "",
    )


def _of_note(hit: Hit) -> AnswerLine:
    return AnswerLine(hit.content, hit.source, hit.recorded, hit.occurred, id=hit.id)


def _each_text_once(lines: Iterable[AnswerLine]) -> Iterable[AnswerLine]:
    kept: dict[tuple[str, str], AnswerLine] = {}
    for line in lines:
        kept.setdefault((line.subject, " ".join(line.text.split())), line)
    return kept.values()
