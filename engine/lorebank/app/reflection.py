"""The nightly job: a run, and taking one back."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TypedDict, Unpack

from lorebank.app.questions import recall
from lorebank.app.workspace import Day, OpenWorkspace, checked_keywords
from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ReflectReport, UndoReport
from lorebank.generation.writing import Writer, open_writer
from lorebank.inbox.registry import judge
from lorebank.names.entities import page_moves
from lorebank.names.entity_rows import resolution
from lorebank.nightly.journal import commit_run
from lorebank.nightly.names import PlannedMoves, plan_page_moves, write_page_edits
from lorebank.nightly.run import RunOptions, reflect_workspace
from lorebank.nightly.run_record import (
    InterruptedRun,
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


def reflect(ws: OpenWorkspace, **how: Unpack[ReflectKeywords]) -> ReflectReport:
    """Bring the pages under `bank/` up to date from the facts; see `ReflectReport`.

    `lorebank.app.reflection.ReflectKeywords` says what each keyword means. What a run that was
    killed had written counts as this run's.
    """
    how = checked_keywords("reflect", how, ReflectKeywords)
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
    # Without a lock, which is a file: a dry run leaves a folder as it is.
    with nullcontext() if dry_run else ws.writing(), models as writer:
        refuse_linked_bank(ws.root)
        killed = None if dry_run else killed_run(ws.root)
        if not dry_run:
            with append_lock(ws.root):  # the living hold one of the two locks
                for left in temporaries_below(ws.root):
                    left.unlink(missing_ok=True)
        ws.sync_files()
        ws.embed_pending_statements()
        if writer is not None and ws.config.generator.judges and not dry_run:
            _judge_pairs(ws, writer, today)
        moved, begun = settle_pages(ws, today, killed, dry_run=dry_run)
        options = replace(options, writer=writer, begun=begun, vectors_of=ws.vectors_of)
        if until is None:
            options = replace(options, waiting=partial(ws.judgments_waiting, today, embed=True))
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
            report = commit_run(ws.root, report, run_programs=ws.config.reflect.run_git_programs)
        if not dry_run:
            compact_recalled(ws.root)
    if not dry_run:
        if report.changed:
            ws.sync_files()
        ws.meaning.embed(ws.index, thorough=True)
    return replace(report, rules_alone=ws.rules_alone)


def _judge_pairs(ws: OpenWorkspace, writer: Writer, today: date) -> None:
    """Have the generator rule on what waits; a night without it is no reason to stop."""
    judged = judge(ws.inbox_context(today), writer, k=writer.budget.calls)
    if judged.verdicts:
        ws.sync_files()
    if judged.failure is not None:
        ws.say(f"not all of the inbox was judged: {judged.failure.message}; {judged}")


def undo_reflect(ws: OpenWorkspace, run: str | None = None, *, force: bool = False) -> UndoReport:
    """Give every page of a reflect run (the last where `None`) the bytes it had before it.

    Raises `ConcurrentEdit` where a page was changed since; with `force` such pages are left
    alone and named. Raises `NotFound` for a run of which nothing is kept.
    """
    with WriterLock(ws.root):
        report = undo_run(ws.root, run, force=force)
    ws.sync_files()
    return report


def settle_pages(
    ws: OpenWorkspace, today: date, killed: InterruptedRun | None = None, *, dry_run: bool = False
) -> tuple[PlannedMoves, RunRecord | None]:
    """Move the pages of names that were merged or parted by hand; where one moves, or a run was
    `killed`, the run has begun with that."""
    moves = plan_page_moves(ws.root, page_moves(ws.index, resolution(ws.index)))
    if dry_run:
        return moves, None
    begun = begin_run(ws.root, today, killed, moves.edits)
    if moves.edits:
        write_page_edits(ws.root, moves.edits)
        ws.sync_files()
    return moves, begun


def _with_unknown_hunks(report: ReflectReport, named: Collection[str]) -> ReflectReport:
    """Say of hunks that were named and are not proposed that they are not."""
    unknown = sorted(set(named) - {hunk.id for hunk in report.hunks})
    reason = "is not proposed: it reads otherwise by now, was settled, or its page is left alone"
    problems = [Diagnostic("bank", 0, "no-hunk", f"{hunk} {reason}") for hunk in unknown]
    return replace(report, problems=(*report.problems, *problems))
