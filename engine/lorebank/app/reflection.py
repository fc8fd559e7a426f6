"""The nightly job and what settles its doubts: runs, undo, rulings, proposals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TypedDict, Unpack

from lorebank.app.questions import recall
from lorebank.app.workspace import (
    Day,
    OpenWorkspace,
    member_of,
    rebuild_index_if_corrupt,
    refuse_unknown,
)
from lorebank.beliefs.by_hand import read_rulings, take_back, write_ruling
from lorebank.beliefs.materialise import unsure_queue
from lorebank.domain.facts import Citation, Diagnostic, Fact, Opinion, Stance
from lorebank.domain.judgments import Ruling, UnsureQueue
from lorebank.domain.reports import ReflectReport, UndoReport
from lorebank.errors import ProviderError, UsageError
from lorebank.generation.writing import Writer, open_writer
from lorebank.inbox.registry import judge
from lorebank.index.items import facts_by_id
from lorebank.index.opinions import load_unsure
from lorebank.names.entities import page_moves
from lorebank.names.entity_rows import resolution
from lorebank.nightly.names import PlannedMoves, plan_page_moves, write_page_edits
from lorebank.nightly.run import RunOptions, reflect_workspace
from lorebank.nightly.run_record import (
    KilledRun,
    RunRecord,
    begin_run,
    killed_run,
    refuse_linked_bank,
    undo_run,
)
from lorebank.recall.filters import parse_day
from lorebank.workspace.atomic import temporaries_below
from lorebank.workspace.lock import WriterLock, append_lock
from lorebank.workspace.recalled import compact_recalled


class ReflectKeywords(TypedDict, total=False):
    """How a reflect run goes about it; see `Bank.reflect`."""

    since: Day
    """Only entities with facts recorded from that day on."""
    day: Day
    """The day it speaks for: facts recorded later are left out."""
    dry_run: bool
    """Write nothing."""
    infer: bool
    """Suggest retain lines as proposals, as the setting `reflect.infer` does."""
    force: bool
    """Let more of a page vanish than `reflect.max_vanish`."""
    accept: Collection[str] | None
    """Hunks of an earlier dry run: nothing else is changed."""
    reject: Collection[str]
    """Hunks that are not proposed again until they read differently."""
    commit: bool
    """Make one git commit of what was written."""
    now: date | None


@rebuild_index_if_corrupt
def reflect(ws: OpenWorkspace, **how: Unpack[ReflectKeywords]) -> ReflectReport:
    """Bring the pages under `bank/` up to date from the facts; see `ReflectReport`.

    Keywords: `since`, `day`, `dry_run`, `infer`, `force`, `accept`, `reject`, `commit` and `now`;
    `lorebank.app.reflection.ReflectKeywords` says what each means. What a run that was killed had
    written counts as this run's.
    """
    refuse_unknown("reflect", how, ReflectKeywords)
    ws.refuse_in_group("reflecting")
    day, now = how.get("day"), ws.day(how.get("now"))
    dry_run, commit = how.get("dry_run", False), how.get("commit", False)
    accept, reject = how.get("accept"), how.get("reject", ())
    today = parse_day(day, now, "date") or now
    until = today if day is not None else None
    options = RunOptions(
        today=today,
        since=parse_day(how.get("since"), today, "since"),
        until=until,
        dry_run=dry_run,
        infer=how.get("infer", False) or ws.config.reflect.infer,
        force=how.get("force", False),
        accept=None if accept is None else frozenset(accept),
        reject=frozenset(reject),
        ask=partial(recall, ws, as_of=until, trusted_only=True, remember=False),
    )
    models = open_writer(ws.config, ws.environ, ws.say, ws.all_names, ws.given_generator)
    with WriterLock(ws.root), models as writer:
        refuse_linked_bank(ws.root)
        killed = None if dry_run else killed_run(ws.root)
        if not dry_run:
            with append_lock(ws.root):  # the living hold one of the two locks
                for left in temporaries_below(ws.root):
                    left.unlink(missing_ok=True)
        ws.sync_files()
        ws.judge_waiting()
        if writer is not None and ws.config.generator.judges and not dry_run:
            _judge_pairs(ws, writer, today)
        moved, begun = settle_pages(ws, today, killed, dry_run=dry_run)
        options = replace(options, writer=writer, begun=begun, vectors_of=ws.vectors_of)
        report = reflect_workspace(ws.index, ws.root, ws.config, options)
        if killed is not None:
            report = replace(
                report,
                run=report.run or killed.name,
                resumed=killed.name,
                journal=report.journal or killed.journal,
                problems=(*killed.problems, *report.problems),
            )
        report = moved.merged_into(report)
        report = _with_unknown_hunks(report, {*(accept or ()), *reject})
        if commit and report.run is not None:
            from lorebank.nightly.journal import commit_run

            report = commit_run(ws.root, report, run_programs=ws.config.reflect.run_git_programs)
        if not dry_run:
            compact_recalled(ws.root)
    if report.changed and not dry_run:
        ws.sync_files()
    return replace(report, rules_alone=ws.rules_alone)


def _judge_pairs(ws: OpenWorkspace, writer: Writer, today: date) -> None:
    """Have the generator rule on what waits; a night without it is no reason to stop."""
    try:
        if judge(ws.open_desk(today), writer, k=writer.budget.calls):
            ws.sync_files()
    except ProviderError as problem:
        ws.say(f"the inbox was not judged: {problem.message}")


@rebuild_index_if_corrupt
def undo_reflect(ws: OpenWorkspace, run: str | None = None, *, force: bool = False) -> UndoReport:
    """Give every page of a reflect run (the last where `None`) the bytes it had before it.

    Raises `ConcurrentEdit` where a page was changed since; with `force` such pages are left
    alone and named. Raises `NotFound` for a run of which nothing is kept.
    """
    with WriterLock(ws.root):
        report = undo_run(ws.root, run, force=force)
    ws.sync_files()
    return report


@rebuild_index_if_corrupt
def unsure(ws: OpenWorkspace, entity: str | None = None, *, k: int = 20) -> UnsureQueue:
    """Pairs of an opinion and a fact near it that no rule signs, the best first.

    `entity`: only opinions held by it or about it. `k` pairs at most.
    """
    if k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    ws.freshen()
    slug = ws.slug_of(entity)
    return unsure_queue(ws.index, limit=k, entity=slug)


def settle(
    ws: OpenWorkspace,
    fact: str,
    stance: Stance | str,
    opinion: str | None = None,
    *,
    reason: str = "",
    now: date | None = None,
) -> Ruling:
    """Say what a fact is to an opinion: a line of `bank/evidence.md`, wherever it came from.

    `fact` and `opinion` are ids or unique beginnings; `opinion` may be left out where one pair
    of the fact waits. An earlier ruling on the pair is replaced.
    """
    stance = member_of(Stance, stance, "stance")
    with WriterLock(ws.root):
        ws.sync_files()
        stated = ws.find_fact(fact)
        before = _opinion_of_pair(ws, stated, opinion)
        if before.source in {f.citation for f in facts_by_id(ws.index, stated.id)}:
            raise UsageError(
                f"{stated.id} states {before.id} itself",
                hint="write `retracted` into its entry on bank/opinions.md to drop the opinion",
            )
        day = ws.day(now)
        source = write_ruling(ws.root, stated, before.id, stance, day=day, reason=reason)
        ws.sync_files()
    return _ruling(ws, stated, before, stance, source)


def unsettle(ws: OpenWorkspace, fact: str, opinion: str | None = None) -> Ruling:
    """Take back what was ruled on a pair, as deleting its line does."""
    with WriterLock(ws.root):
        ws.sync_files()
        stated = ws.find_fact(fact)
        if opinion is None:
            ruled = [r.opinion_id for r in read_rulings(ws.root) if r.fact_id == stated.id]
            opinion = _only_one(ws, stated, ruled)
        before = ws.opinion_with_id(ws.full_opinion_id(opinion))
        take_back(ws.root, stated.id, before.id)
        ws.sync_files()
    return _ruling(ws, stated, before, None, None)


def settle_pages(
    ws: OpenWorkspace, today: date, killed: KilledRun | None = None, *, dry_run: bool = False
) -> tuple[PlannedMoves, RunRecord | None]:
    """Put the pages of names that were merged or parted by hand where they belong; where one
    moves, or a run was `killed`, the run has begun with that."""
    moves = plan_page_moves(ws.root, page_moves(ws.index, resolution(ws.index)))
    if dry_run:
        return moves, None
    begun = begin_run(ws.root, today, killed, moves.edits)
    if moves.edits:
        write_page_edits(ws.root, moves.edits)
        ws.sync_files()
    return moves, begun


def _opinion_of_pair(ws: OpenWorkspace, fact: Fact, opinion: str | None) -> Opinion:
    """The opinion named, else the one with which the fact waits for a judge."""
    if opinion is None:
        rows = load_unsure(ws.index, fact=fact.id)
        opinion = _only_one(ws, fact, [row.opinion for row in rows])
    return ws.opinion_with_id(ws.full_opinion_id(opinion))


def _only_one(ws: OpenWorkspace, fact: Fact, opinions: Sequence[str]) -> str:
    """The one opinion that a call without any can mean."""
    if len(set(opinions)) == 1:
        return opinions[0]
    near = ", ".join(dict.fromkeys(opinions)) or "lorebank opinions lists them with ids"
    raise UsageError(f"name the opinion that {fact.id} is judged on", hint=near)


def _ruling(
    ws: OpenWorkspace, fact: Fact, before: Opinion, stance: Stance | None, source: Citation | None
) -> Ruling:
    after = ws.opinion_with_id(before.id)
    return Ruling(fact, after, stance, before.confidence, source)


def _with_unknown_hunks(report: ReflectReport, named: Collection[str]) -> ReflectReport:
    """The report, which says of hunks that were named and are not proposed that they are not."""
    unknown = sorted(set(named) - {hunk.id for hunk in report.hunks})
    reason = "is not proposed: it reads otherwise by now, was settled, or its page is left alone"
    problems = [Diagnostic("bank", 0, "no-hunk", f"{hunk} {reason}") for hunk in unknown]
    return replace(report, problems=(*report.problems, *problems))
