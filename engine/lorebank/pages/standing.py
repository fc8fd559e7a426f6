"""Standing questions: pages whose question reflect answers again from the notes, by citation alone.

An answer's lines come from two places. What recall finds for the question counts where the answer
as a whole has evidence; where it has none nothing is taken from it. And where the page names words
or kinds, the facts that hold them: a question such as "what was decided?" asks for a sort of line,
which no likeness between question and line tells. Superseded facts are left out.

The lines stand newest first under dates of their own, in one managed block; what lies ahead stands
soonest first, until its day is over. So the same facts give the same bytes, and a page without news
is not touched; one that nothing answers has no block.
What recall finds may also depend on whether an embedder answers tonight, so its hits are kept and
asked for again only when the question or anything that could answer it has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.database.connection import Connection
from lorebank.dates.query import parse_bound
from lorebank.domain.answers import Answer, Hit
from lorebank.domain.facts import (
    Citation,
    Diagnostic,
    Entity,
    Fact,
    FactKind,
    FactStatus,
    Interval,
    Opinion,
    OpinionStatus,
)
from lorebank.errors import NotFound, UsageError
from lorebank.generation.writing import KeptAnswers, ModelInRun, digest
from lorebank.index.sync import hashes_outside_bank
from lorebank.language.folding import fold, slugify
from lorebank.language.words import words
from lorebank.pages.answer_lines import WRITTEN_BLOCK, AnswerLine, answer_body, in_words
from lorebank.pages.edits import PageEdit, plan_page_edit
from lorebank.pages.facts import BankContent, known_facts, latest_wordings
from lorebank.pages.standing_pages import read_standing_pages
from lorebank.records import Record
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.standing import StandingPage

ANSWER_BLOCK = "answer"
_NEAR_BEST = 0.5
"""A hit counts whose score is at least this share of the best one's."""
_OF_WEAK = 3
"""So many hits of an answer whose evidence is weak."""
MOVED = 0.15
"""An opinion has moved whose confidence went as far as that at one time."""
_SHOWN = 6
"""Points of a history that are told: what fits on a line."""
_NOTE = "note"
_WITHDRAWN = OpinionStatus.RETRACTED


Ask = Callable[..., Answer]
"""Recall, as a standing question needs it: `query`, and by name `k`, `since`, `entities`, `now`."""


class _Asked(Record):
    """A standing page with its settings understood, and what recall found for its question."""

    page: StandingPage
    entity: str
    """A slug, or empty."""
    since: date | None
    today: date
    hits: Sequence[Sequence[Any]] = ()
    """The hits that count, as `_row` has them."""
    weak: bool = False

    @property
    def chooses(self) -> bool:
        """Whether the page's own words, kinds or days say which facts belong on it."""
        page = self.page
        return not page.moved and bool(page.words or page.kinds or page.ahead)

    def newest(self, facts: Iterable[Fact]) -> list[Fact]:
        if not self.chooses:
            return []
        phrases = [_phrase(text) for text in self.page.words]
        chosen = [fact for fact in facts if self._takes(fact, phrases)]
        return sorted(chosen, key=lambda f: (-(f.recorded or date.min).toordinal(), f.citation))

    def is_over(self, when: Interval | None) -> bool:
        """Whether it has passed, on a page that looks ahead."""
        last = (when.end or when.start) if when else None
        return self.page.ahead and last is not None and last < self.today

    def _takes(self, fact: Fact, phrases: Sequence[str]) -> bool:
        page, occurred = self.page, fact.occurred
        day = (occurred.end or occurred.start) if occurred else fact.recorded
        return (
            (not page.kinds or fact.kind.letter in page.kinds)
            and (not self.entity or self.entity in fact.slugs)
            and (self.since is None or (day is not None and day >= self.since))
            and (not page.ahead or (occurred is not None and not self.is_over(occurred)))
            and (not phrases or any(phrase in _phrase(f"{fact.content} ") for phrase in phrases))
        )


def _phrase(text: str) -> str:
    """The words with blanks around them, behind the last one only where it may not go on."""
    end = "" if text.endswith("*") else " "
    return f" {' '.join(words(text))}{end}"


class StandingAnswers(Record):
    """What recall and the pages' own settings say, before any page is planned."""

    asked: tuple[_Asked, ...] = ()
    problems: tuple[Diagnostic, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(each.page.path for each in self.asked)


def ask_standing(
    connection: Connection,
    root: Path,
    content: BankContent,
    ask: Ask | None,
    kept: KeptAnswers | None,
) -> StandingAnswers:
    """Ask every standing question of the workspace; without `ask`, only by words and kinds.

    Phrases such as "last week" are read on the newest day recorded; only what lies ahead is told by
    the day of the run.
    """
    pages, problems = read_standing_pages(root)
    newest = content.newest
    if not pages or newest is None:
        return StandingAnswers((), problems)
    held = sorted(fact.id for fact in current_facts(content))
    news = digest(newest, held, hashes_outside_bank(connection))
    found: list[_Asked] = []
    odd = list(problems)
    for page in pages:
        try:
            slug, since = _slug(page.entity, content.entities), _since(page, newest)
            asked = _Asked(page, slug, since, content.today)
            hits, weak = _recalled(page, ask, newest, kept, digest(news, repr(page)))
        except (NotFound, UsageError) as problem:
            message = f"{problem.message}; the page was left alone"
            odd.append(Diagnostic(page.path, 1, "question-setting", message))
            continue
        found.append(replace(asked, hits=hits, weak=weak))
    return StandingAnswers(tuple(found), tuple(odd))


def _since(page: StandingPage, today: date) -> date | None:
    day = parse_bound(page.since, today, side="start") if page.since else None
    if page.since and day is None:
        raise UsageError(f"since: expected a day such as 2025-11-27 or 90d, not {page.since!r}")
    return day


def _slug(name: str, entities: Mapping[str, Entity]) -> str:
    slug = slugify(name)
    if not name or slug in entities:
        return slug
    for entity in entities.values():
        if fold(name) in map(fold, entity.aliases):
            return entity.slug
    raise NotFound(f"entity: expected a name that the notes mention, not {name!r}")


def _recalled(
    page: StandingPage, ask: Ask | None, today: date, kept: KeptAnswers | None, key: str
) -> tuple[Sequence[Sequence[Any]], bool]:
    """The hits that answer the question and whether their evidence is weak, asked for or kept."""
    place = f"standing {page.path}"
    known = kept.get(place) if kept else None
    if known is not None and known[0] == key:
        return known[1], known[2]
    hits, weak = _hits(page, ask, today)
    rows = [_row(hit) for hit in hits]
    if kept is not None:
        kept.keep(place, [key, rows, weak])
    return rows, weak


def _hits(page: StandingPage, ask: Ask | None, today: date) -> tuple[list[Hit], bool]:
    if ask is None or page.moved:
        return [], False
    answer = ask(
        page.question,
        k=page.k,
        since=page.since or None,
        entities=(page.entity,) if page.entity else (),
        now=today,
    )
    if answer.evidence == "none" or not answer.hits:
        return [], False
    weak = answer.evidence == "weak"
    least = max(hit.score for hit in answer.hits) * _NEAR_BEST
    kinds = {kind.value for kind in FactKind if kind.letter in page.kinds}
    many = sum(hit.score >= least for hit in answer.hits)  # a newer line leads with a lower score
    near = [hit for hit in answer.hits[:many] if _may_answer(hit)]
    return [h for h in near[: _OF_WEAK if weak else None] if not kinds or h.kind in kinds], weak


def _may_answer(hit: Hit) -> bool:
    """Prose of the bank is none: standing pages' own words, rules, lines that reflect moves."""
    return hit.kind != _NOTE or not hit.source.path.startswith(f"{BANK_FOLDER}/")


def _row(hit: Hit) -> list[Any]:
    place, occurred = hit.source, hit.occurred
    days = (hit.recorded, occurred and occurred.start, occurred and occurred.end)
    text = [hit.content, place.path, place.start_line, place.end_line]
    return [hit.id, hit.kind, *text, *(day and day.isoformat() for day in days)]


def plan_answers(
    content: BankContent, answers: StandingAnswers, old: Mapping[str, str | None], model: ModelInRun
) -> tuple[PageEdit, ...]:
    """The edits that put the answers on their pages, in the words of a model where it has some;
    pages without news are left out."""
    current = current_facts(content) if answers.asked else ()
    edits = (
        _edit(each, _answer_lines(each, content, current), text, model)
        for each in answers.asked
        if (text := old.get(each.page.path)) is not None
    )
    return tuple(edit for edit in edits if edit.changes)


def _edit(asked: _Asked, lines: Sequence[AnswerLine], text: str, model: ModelInRun) -> PageEdit:
    page = asked.page
    if not lines:
        return plan_page_edit(page.path, text, {}, drop=(ANSWER_BLOCK, WRITTEN_BLOCK))
    weak = asked.weak and not asked.chooses
    bodies = {ANSWER_BLOCK: answer_body(lines, page=page.path, weak=weak)}
    written = in_words(model, "answer", page.question, lines, page=page.path)
    if written is not None:
        bodies[WRITTEN_BLOCK] = written
    return plan_page_edit(
        page.path, text, bodies, drop=() if written is not None else (WRITTEN_BLOCK,)
    )


def _answer_lines(
    asked: _Asked, content: BankContent, current: Sequence[Fact]
) -> tuple[AnswerLine, ...]:
    """Newest first, what lies ahead soonest first; hits of weak evidence count only where there is
    nothing else."""
    page = asked.page
    names = {slug: entity.name for slug, entity in content.entities.items()}
    if page.moved:
        moved = _moved_opinions(content.opinions, names.get(asked.entity, ""), asked.since)
        return tuple(moved[: page.k])
    held = _confidences(content)
    by_id = {fact.id: fact for fact in current}
    lines: dict[str, AnswerLine] = {}
    for row in () if asked.weak and asked.chooses else asked.hits:
        if row[1] == _NOTE:
            lines[row[0]] = _of_note(row)
        elif row[0] in by_id:
            lines[row[0]] = _of_fact(by_id[row[0]], names, held)
    for fact in asked.newest(current):
        if len(lines) >= page.k:
            break
        lines.setdefault(fact.id, _of_fact(fact, names, held))
    once: dict[tuple[str, str], AnswerLine] = {}
    promised = {item.source for item in content.coming if item.open}
    for line in lines.values():
        if not asked.is_over(line.occurred):
            line = replace(line, is_promise=line.source in promised)
            once.setdefault((line.subject, " ".join(line.text.split())), line)
    order = AnswerLine.soonest_first if page.ahead else AnswerLine.newest_first
    return tuple(sorted(once.values(), key=order))


def current_facts(content: BankContent) -> list[Fact]:
    """The facts that hold; of lines that state one opinion, the last."""
    last = latest_wordings(content.opinions)
    return [
        known.fact
        for known in known_facts(content)
        if known.status is FactStatus.LIVE and not known.in_part
        if last.get(known.fact.id, known.fact.id) == known.fact.id
    ]


def _confidences(content: BankContent) -> dict[str, float]:
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


def _of_note(row: Sequence[Any]) -> AnswerLine:
    id, _, text, path, first, last, *days = row
    recorded, start, end = (date.fromisoformat(day) if day else None for day in days)
    occurred = Interval(start, end) if start or end else None
    return AnswerLine(text, Citation(path, first, last), recorded, occurred, id=id)


def _moved_opinions(opinions: Iterable[Opinion], name: str, since: date | None) -> list[AnswerLine]:
    """One line an opinion that moved from `since` on; one withdrawn by hand is left out."""
    by_id = {opinion.id: opinion for opinion in opinions}
    lines = []
    for opinion in by_id.values():
        levels = [level for _, level in opinion.history] or [0.0]
        is_closed = opinion.status is OpinionStatus.SUPERSEDED
        has_moved = is_closed or max(levels) - min(levels) >= MOVED
        is_meant = not name or name in opinion.entities
        if has_moved and is_meant and opinion.evidence and opinion.status is not _WITHDRAWN:
            line = _moved_line(opinion, by_id)
            if since is None or (line.recorded or date.min) >= since:
                lines.append(line)
    return sorted(lines, key=AnswerLine.newest_first)


def _moved_line(opinion: Opinion, by_id: Mapping[str, Opinion]) -> AnswerLine:
    last = max(opinion.evidence, key=lambda e: (abs(e.delta) > 0, e.date, e.source))
    new = by_id.get(opinion.superseded_by or "")
    levels = [level for _, level in opinion.history]
    # The first and the last level, and those between at which the way turned.
    turns = [
        level
        for at, level in enumerate(levels)
        if at in (0, len(levels) - 1) or (levels[at - 1] - level) * (level - levels[at + 1]) < 0
    ]
    turns = turns if len(turns) <= _SHOWN else [turns[0], *turns[1 - _SHOWN :]]
    text = opinion.statement if new is None else f"{opinion.statement} Now: {new.statement}"
    return AnswerLine(
        text=text,
        source=last.source,
        recorded=last.date,
        subject=opinion.entities[0] if opinion.entities else "",
        id=opinion.id,
        tail=" → ".join(f"{level:.2f}" for level in turns),
    )
