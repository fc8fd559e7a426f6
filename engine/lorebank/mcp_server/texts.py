"""The short texts a model reads: one block a result, each line with its citation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from lorebank.domain import (
    Answer,
    Fact,
    FactStatus,
    Hit,
    Hunk,
    Inbox,
    Interval,
    Opinion,
    ReflectReport,
    SearchHit,
    Status,
    UnsureQueue,
)
from lorebank.recall.context_lines import untold

_DIFF_CHARACTERS = 6000


def answer_text(answer: Answer) -> str:
    """Numbered hits, then how well they answer and what was not understood."""
    told: set[str] = set()
    lines = []
    for number, hit in enumerate(answer.hits, start=1):
        lines.append(f"{number}. {_hit(hit)}")
        lines += context_lines(hit.context, told)
    lines.append(_verdict(answer))
    lines += [f"note: {note}" for note in answer.notes]
    return "\n".join(lines)


def passage_text(hits: Sequence[SearchHit]) -> str:
    """One block a passage: where it stands and its score, its context once, the snippet."""
    told: set[str] = set()
    blocks = [
        "\n".join(
            [
                f"{f'{hit.bank}:' if hit.bank else ''}{hit.path}:{hit.start_line}-{hit.end_line}"
                f" ({hit.score:.2f}){unconfirmed(hit)}",
                *context_lines(hit.context, told),
                hit.snippet.strip(),
            ]
        )
        for hit in hits
    ]
    return "\n\n".join(blocks) or "No passage found."


def context_lines(context: Sequence[str], told: set[str]) -> list[str]:
    """What the folder and file of a hit are about, once in an answer; adds it to `told`."""
    fresh = untold(context, told)
    told.update(fresh)
    return [f"   context: {' › '.join(fresh)}"] if fresh else []


def _hit(hit: Hit) -> str:
    marks = [hit.kind, _when(hit.timestamp), unconfirmed(hit).strip()]
    if hit.confidence is not None:
        marks.append(f"c={hit.confidence:.2f}")
    if hit.status is not FactStatus.LIVE:
        marks.append(hit.status.value)
    about = f"{', '.join(hit.entities)}: " if hit.entities else ""
    content = " ".join(hit.content.split())
    return f"{about}{content} ({', '.join(filter(None, marks))}) [{hit.place}]"


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
    lines = [
        f"- {_when(fact.occurred or fact.recorded)} {' '.join(fact.content.split())}"
        f" ({fact.kind.value}{', superseded' if fact.id in superseded else ''}{unconfirmed(fact)})"
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
        f" {about}{opinion.statement} ({_counted(opinion)}) [{opinion.source}]"
    )


def _counted(opinion: Opinion) -> str:
    stances = [evidence.stance.value for evidence in opinion.evidence]
    return f"{stances.count('for')} for, {stances.count('against')} against"


def reflect_text(report: ReflectReport, hunks: Sequence[Hunk]) -> str:
    """What a reflection changed; under a dry run those hunks, each with the id that names it."""
    problems = [
        f"problem: {p.path}{f':{p.line}' * bool(p.line)} {p.message}" for p in report.problems
    ]
    if not report.changed:
        said = f"Nothing to change after reading {report.facts_read} facts."
        return "\n".join([said, *problems])
    did = "would change" if report.dry_run else "changed"
    lines = [f"{did} {len(report.changed)} pages: {', '.join(report.changed)}"]
    lines += [
        f"- {oid} {'new' if before is None else f'{before:.2f}'} → {after:.2f} {statement}"
        for oid, statement, before, after in report.opinions_moved
    ]
    if report.run:
        lines.append(f"run {report.run}; `lorebank reflect --undo` takes it back")
    if report.dry_run:
        lines += ["", hunks_text(hunks, limit=_DIFF_CHARACTERS)]
    return "\n".join([*lines, *problems])


def hunks_text(hunks: Sequence[Hunk], *, limit: int) -> str:
    """Each hunk with its id and page; past `limit` characters only which others there are."""
    shown: list[str] = []
    room = limit
    for hunk in hunks:
        block = f"{hunk.id} {hunk.path}\n```diff\n{hunk.diff.strip(chr(10))}\n```"
        if len(block) > room:
            break
        shown.append(block)
        room -= len(block)
    rest = [f"- {hunk.id} {hunk.path}" for hunk in hunks[len(shown) :]]
    if rest:
        shown.append("\n".join(["not shown; name them in `accept` to see only them:", *rest]))
    return "\n\n".join(shown)


def status_text(status: Status) -> str:
    """What is indexed, how fresh it is, and every problem."""
    counts = ", ".join(f"{number} {name}" for name, number in status.counts.items())
    fresh = "fresh" if status.fresh else f"stale: {status.stale_reason}"
    lines = [f"{status.workspace}: {counts}", f"index {fresh}"]
    embedder = status.embedder
    lines.append(f"embedder {embedder.get('provider')} {embedder.get('model') or ''}".rstrip())
    if status.sidecar:
        lines.append(f"search by {status.backend} {status.sidecar['reason']}".rstrip())
    lines += [f"problem: {problem}" for problem in status.problems]
    return "\n".join(lines)


def unsure_text(queue: UnsureQueue) -> str:
    """Each pair with both ids, as settle takes them."""
    lines = [
        f"- {pair.fact.id} {' '.join(pair.fact.content.split())} [{pair.fact.citation}]"
        f" ~ {pair.opinion_id} {pair.statement}"
        for pair in queue.pairs
    ]
    return "\n".join(_with_rest(lines, queue.total, "pair"))


def inbox_text(inbox: Inbox) -> str:
    """One block an item: what is asked, both lines, and the verdicts."""
    blocks = []
    for item in inbox.items:
        sides = [
            f"  {name}: {line.text} [{line.source}]"
            for name, line in (("older", item.older), ("newer", item.newer))
            if line is not None
        ]
        head = f"{item.id} {item.kind.value}: {item.reason}"
        verdicts = [f"  {verdict}: {effect}" for verdict, effect in item.effect.items()]
        blocks.append("\n".join([head, *sides, *verdicts]))
    return "\n".join(_with_rest(blocks, inbox.total, "items")) or "nothing waits"


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
