"""The short texts a model reads: one block a result, each line with its citation."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from lorebank.domain.answers import Answer, EntityView, Explanation, Hit, SearchHit
from lorebank.domain.facts import Entity, Fact, InboxItem, Interval, Opinion, Origin
from lorebank.domain.judgments import Inbox
from lorebank.domain.reports import ForgetReport, Hunk, ReflectReport, Status
from lorebank.errors import UsageError
from lorebank.language.words import estimate_tokens
from lorebank.markdown.origin import as_recalled
from lorebank.recall.snippets import not_yet_shown, snippet

REVIEW_TOKENS = 3_800
"""Of a page to be reviewed; with what hosts put around it below 4,000, which all of them accept."""
_NAMED_IN = 3
"""Lines that only name it, of those in the structured result."""
_LENGTHS = (400, 240, 160, 110, 80)
"""Characters that each hit may take, tried in turn; 80 still tells whether to read on."""


def answer_text(answer: Answer, budget: int) -> str:
    """Numbered hits inside a budget, then how well they answer and what was not understood.

    Where the hits do not fit whole, the longest are clipped around what was asked; hits are left
    out only where even clipped ones do not fit.
    """
    notes = [_verdict(answer), *(f"note: {note}" for note in answer.notes)]
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
        if length == _LENGTHS[0]:
            lines += context_lines(hit.context, shown)
    if count < len(answer.hits):
        lines.append(f"… {len(answer.hits) - count} more; ask for less, or raise token_budget")
    return lines


def passage_text(hits: Sequence[SearchHit]) -> str:
    """One block a passage: where it stands and its score, its context once, the snippet."""
    shown: set[str] = set()
    blocks = [
        "\n".join(
            [
                f"{f'{hit.bank}:' if hit.bank else ''}{hit.path}:{hit.start_line}-{hit.end_line}"
                f" ({hit.score:.2f}){unconfirmed(hit)}",
                *context_lines(hit.context, shown),
                hit.snippet.strip(),
            ]
        )
        for hit in hits
    ]
    return "\n\n".join(blocks) or "No passage found."


def context_lines(context: Sequence[str], shown: set[str]) -> list[str]:
    """What the folder and file of a hit are about, once in an answer; adds it to `shown`."""
    fresh = not_yet_shown(context, shown)
    shown.update(fresh)
    return [f"   context: {' › '.join(fresh)}"] if fresh else []


def _hit(hit: Hit, content: str) -> str:
    marks = [hit.kind, _when(hit.timestamp), _whose(hit)]
    if hit.confidence is not None:
        marks.append(f"c={hit.confidence:.2f}")
    if hit.standing:
        marks.append(hit.standing)
    unnamed = [name for name in hit.entities if name.casefold() not in content.casefold()]
    about = f"{', '.join(unnamed)}: " if unnamed else ""
    return f"{hit.id} {about}{content} ({', '.join(filter(None, marks))}) [{hit.place}]"


def _whose(said: Hit | Fact) -> str:
    """Whose word it is, where that is not the owner's."""
    if said.origin is Origin.AGENT:
        return f"by {said.author.agent or 'an agent'}"
    return unconfirmed(said).strip()


def unconfirmed(said: Hit | Fact | SearchHit) -> str:
    """The mark of what nobody vouches for, and whose word it is; empty for what is trusted."""
    return f" unconfirmed: {said.origin.value}" if said.quarantined else ""


def _verdict(answer: Answer) -> str:
    if not answer.hits:
        return "Nothing in memory answers this."
    shown = f"{len(answer.hits)} of {answer.total} shown" if answer.truncated else "all shown"
    return f"evidence: {answer.evidence}; {shown}"


def fact_lines(
    facts: Sequence[Fact], total: int, superseded: Mapping[str, str] = MappingProxyType({})
) -> str:
    """One line a fact; says how many more there are. `superseded`: id → id of what replaces it."""
    over = dict.fromkeys(superseded, "superseded")
    lines = [
        f"- {fact.id} {_when(fact.occurred or fact.recorded)} {' '.join(fact.content.split())}"
        f" ({', '.join(filter(None, [fact.kind.value, over.get(fact.id), _whose(fact)]))})"
        f" [{fact.citation}]"
        for fact in facts
    ]
    return "\n".join(_with_rest(lines, total, "fact"))


def opinion_text(opinions: Sequence[Opinion], total: int) -> str:
    """One line an opinion with its confidence, trend and evidence counted."""
    return "\n".join(_with_rest([_opinion(o) for o in opinions], total, "opinion"))


def _opinion(opinion: Opinion) -> str:
    about = f"{', '.join(opinion.entities)}: " if opinion.entities else ""
    return (
        f"- {opinion.id} c={opinion.confidence:.2f} {opinion.trend.value}"
        f" {about}{opinion.statement} ({_counted(opinion)}{_resting_on(opinion)})"
        f" [{opinion.source}]"
    )


def _counted(opinion: Opinion) -> str:
    stances = [evidence.stance.value for evidence in opinion.evidence]
    return f"{stances.count('for')} for, {stances.count('against')} against"


def _resting_on(opinion: Opinion) -> str:
    return "" if opinion.origin is Origin.OWNER else f"; on {opinion.origin.value}'s word alone"


def reflect_blocks(report: ReflectReport, hunks: Sequence[Hunk]) -> list[str]:
    """What a reflection changed; under a dry run each hunk with the id that names it."""
    problems = [
        f"problem: {p.path}{f':{p.line}' * bool(p.line)} {p.message}" for p in report.problems
    ]
    if not report.changed:
        return [f"Nothing to change after reading {report.facts_read} facts.", *problems]
    did = "would change" if report.dry_run else "changed"
    lines = [f"{did} {len(report.changed)} pages: {', '.join(report.changed)}"]
    lines += [
        f"- {oid} {'new' if before is None else f'{before:.2f}'} → {after:.2f} {statement}"
        for oid, statement, before, after in report.opinions_moved
    ]
    if report.run:
        lines.append(f"run {report.run}; undo takes it back")
    return [*lines, *(hunk_blocks(hunks) if report.dry_run else ()), *problems]


def hunk_blocks(hunks: Sequence[Hunk]) -> list[str]:
    """Each change with the hunks that make it, a page and an id each."""
    from lorebank.nightly.hunks import changes_of

    blocks = []
    for change in changes_of(hunks):
        places = [f"{h.id} {h.path}\n```diff\n{h.diff.strip(chr(10))}\n```" for h in change.hunks]
        blocks.append("\n".join([f"## {change.text}", *places]))
    return blocks


def inbox_blocks(inbox: Inbox) -> list[str]:
    """Each item: its id, both lines, why it waits, and what each verdict would do."""
    return [inbox_item(item) for item in inbox.items] or ["Nothing waits for a decision."]


def inbox_item(item: InboxItem) -> str:
    """One item."""
    lines = [f"{item.id} {item.kind.value}: {item.reason}"]
    for name, line in (("older", item.older), ("newer", item.newer)):
        if line is not None:
            place = f" [{line.source}]" if line.source else ""
            whose = f"{', '.join(line.about)}: " if line.about else ""
            by = f" (written by {line.by})" if line.by else ""
            lines.append(f"  {name}: {whose}{' '.join(line.text.split())}{by}{place}")
    lines += [f"  {verdict}: {effect}" for verdict, effect in item.effect.items()]
    return "\n".join(lines)


def status_text(status: Status) -> str:
    """What is indexed, how fresh it is, and every problem."""
    counts = ", ".join(f"{number} {name}" for name, number in status.counts.items())
    fresh = "fresh" if status.fresh else "not looked at: the next question reads what changed"
    lines = [f"{status.workspace}: {counts}", f"index {fresh}"]
    embedder = status.embedder
    lines.append(f"embedder {embedder.get('provider')} {embedder.get('model') or ''}".rstrip())
    if status.sidecar:
        lines.append(f"search by {status.backend} {status.sidecar['reason']}".rstrip())
    lines += [f"problem: {problem}" for problem in status.problems]
    return "\n".join(lines)


def _when(when: date | Interval | None) -> str:
    if isinstance(when, Interval):
        days = [day.isoformat() if day else "" for day in (when.start, when.end)]
        return days[0] if days[0] == days[1] else " – ".join(days).strip()
    return when.isoformat() if when else "undated"


def _with_rest(lines: Iterable[str], total: int, noun: str) -> list[str]:
    shown = list(lines)
    if not shown:
        return [f"No {noun}s."]
    if total > len(shown):
        shown.append(f"… and {total - len(shown)} more; narrow the question or raise the limit")
    return shown


def entity_text(view: EntityView) -> str:
    """A page of Markdown with a section for each part of the view that is not empty."""
    entity = view.entity
    parts = [f"# {entity.name}\n{_seen(entity)}"]
    parts += [f"## {title}\n{text}" for title, text in _sections(view) if text]
    if view.truncated:
        parts.append("… cut to the budget; raise token_budget or narrow since and until")
    return "\n\n".join(parts)


def _seen(entity: Entity) -> str:
    also = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    days = dict.fromkeys(day.isoformat() for day in (entity.first_seen, entity.last_seen) if day)
    seen = ", ".join([f"{entity.facts} facts", *([" to ".join(days)] if days else [])])
    return ", ".join(filter(None, [entity.type or "", also, seen, entity.page or ""]))


def _sections(view: EntityView) -> Iterator[tuple[str, str]]:
    now = (f"- {' '.join(p.fact.content.split())} [{p.fact.citation}]" for p in view.properties)
    yield "Now", "\n".join(dict.fromkeys(now))
    for title, opinions in (("Opinions", view.held), ("Opinions of others about it", view.about)):
        yield title, opinion_text(opinions, len(opinions)) if opinions else ""
    yield "Open", "\n".join(_questions(view))
    yield "Facts", fact_lines(view.facts, len(view.facts), view.superseded) if view.facts else ""
    yield "Named in", "\n".join(f"- {n.content} [{n.source}]" for n in view.named_in[:_NAMED_IN])
    yield "Related", ", ".join(f"{n.entity.name} ({n.shared})" for n in view.neighbours)


def _questions(view: EntityView) -> Iterator[str]:
    for question in view.questions:
        places = "".join(f" [{place}]" for place in question.sources)
        yield f"- {question.kind}: {question.text}{places}"


def explanation_text(story: Explanation) -> str:
    """A fact or an opinion with its lines, its author and what moved or was moved."""
    if story.opinion is not None:
        lines = [opinion_text([story.opinion], 1)]
        lines += [
            f"- {e.date} {e.stance.value} {e.delta:+.2f} {' '.join(e.content.split())} [{e.source}]"
            for e in story.opinion.evidence
        ]
        return "\n".join(lines)
    assert story.fact is not None
    author = ", ".join(f"{key} {value}" for key, value in story.fact.author.to_dict().items())
    lines = [fact_lines([story.fact], 1), f"written by: {author or story.fact.origin.value}"]
    lines += [f"also [{place}]" for place in story.places if place != story.fact.citation]
    lines += [f"moved {oid} by {e.delta:+.2f} on {e.date}" for oid, e in story.moved]
    return "\n".join(lines)


def forget_text(report: ForgetReport) -> str:
    """Each line that goes, and how to take it back."""
    if not report.lines and not report.said:
        return "Nothing to forget."
    does = "would cut" if report.dry_run else "cut"
    lines = [f"{does} {len(report.lines)} lines and what pages tell of them"]
    lines += [f"- {line.id} {line.text} [{line.source}]" for line in report.lines]
    lines += [f"- said: {line.text} [{line.source}]" for line in report.said]
    lines += [
        f"loses {lost} of {total} lines: {oid} {s}" for oid, s, lost, total in report.opinions
    ]
    lines.append("call again with dry_run=false" if report.dry_run else f"run {report.run}")
    return "\n".join(lines)


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

    return cut(bisect_right(range(1, len(lines)), budget, key=cost))


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
