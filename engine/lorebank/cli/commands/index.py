"""The index and the health of a workspace."""

from __future__ import annotations

from typing import Any

import click

from lorebank.cli.command import command, flag, option
from lorebank.cli.session import FOUND, Progress, Session
from lorebank.domain.facts import SyncReport
from lorebank.index.meaning import FETCH
from lorebank.render import reports
from lorebank.render.text import count

SHOWN_PROBLEMS = 10


@command("index")
@flag("--full", "Read every file again, changed or not.")
@flag("--check", "Compare with a rebuild; exit with 6 if they differ.")
def index(session: Session, full: bool, check: bool) -> int:
    """Only changed files are read. The index is a cache: deleting .memory/ loses nothing. Exit
    code 1: the configured embedder failed on a text, which is then found by words alone.

    Examples:
        lorebank index
        lorebank index --full
        lorebank index --check && echo the index is what the files say
    """
    if check:
        with session.bank() as bank:
            differences = bank.check()
        counted = count(len(differences), "difference")
        session.result(
            differences,
            lambda look, found: [x for e in found for x in look.paragraph(e, "  ", first="")],
            key="differences",
            nothing="the index is what a rebuild from the files would give",
            notes=[f"{counted}; lorebank index --full mends the index"],
        )
        return FOUND if differences else 0
    with session.bank() as bank, Progress(session) as progress:
        report = bank.sync(full=full, progress=progress)
        allowed = not bank.config.embedder.offline
    look = session.error_look
    notes = reports.embedder_lines(look, report)
    if report.problems:
        limit = 0 if session.verbose else SHOWN_PROBLEMS
        notes.append(look.warn(count(len(report.problems), "problem")))
        notes += look.problems(report.problems, limit=limit)
    code = session.result(report, reports.sync_lines, notes=notes, everything=session.verbose)
    failed = allowed and report.embedder_problem and report.embedder_remedy != FETCH
    return 1 if failed else code


@command("watch")
def watch(session: Session) -> None:
    """Reads and embeds changed files 1.5 seconds after the last change; network folders, which
    report no changes, are polled. A running `mcp` server does the same.

    Examples:
        lorebank watch
        lorebank watch -w ~/notes --quiet
    """
    from lorebank.app.watching import Watcher, keep_up

    def show_sync(report: SyncReport) -> None:
        done = {"added": report.added, "changed": report.changed, "removed": report.removed}
        parts = [f"{len(paths)} {name}" for name, paths in done.items() if paths]
        if report.embedded:
            parts.append(f"{report.embedded} embedded")
        if session.json:
            session.show_json(report.to_dict())
        elif parts:
            session.show([", ".join(parts)])

    with session.bank() as bank:
        watcher = Watcher(bank.root, session.say)
        watcher.start()
        session.note([f"watching {bank.root}; Ctrl-C ends it"])
        try:
            show_sync(bank.catch_up())
            keep_up(bank.catch_up, watcher, show_sync, session.say)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(130) from None
        finally:
            watcher.stop()


@command("status")
def status(session: Session) -> int:
    """Every problem is shown with its place and a remedy. Exit code 7: a fallback is in use, words
    in place of the embedder or the built-in engine in place of qmd.

    Examples:
        lorebank status
        lorebank status --json
    """
    with session.bank() as bank:
        found = bank.status()
        session.result(found, reports.status_lines)
        return session.code_of(bank, found)


@command("doctor")
@flag("--fix", "Repair what can be repaired safely.")
def doctor(session: Session, fix: bool) -> int:
    """Checks permissions, interrupted runs, the index (as a database, and row by row against the
    files), managed blocks, notes and ledgers, broken citations, the embedder and the schedule.
    Exit code 6: something is wrong. Your notes are never changed.

    Examples:
        lorebank doctor
        lorebank doctor --fix
        lorebank doctor --json
    """
    with session.bank() as bank:
        findings = bank.doctor(fix=fix, moment=session.moment)
    left = sum(not finding.fixed for finding in findings)
    ends = f"{count(left, 'problem')} left" if left else "everything found was repaired"
    nothing = "nothing is wrong"
    session.result(findings, reports.health_lines, key="findings", nothing=nothing, notes=[ends])
    return FOUND if left else 0


@command("bench")
@option(
    "--n",
    "n",
    "At most this many sentences.",
    type=click.IntRange(1),
    default=200,
    metavar="N",
    show_default=True,
)
@option("--seed", "Which sentences.", type=int, default=0, metavar="N", show_default=True)
def bench(session: Session, /, **sample: Any) -> None:
    """Takes facts (or sentences of prose, if there are few facts), drops some of their words and
    searches for the rest: how often is the sentence found first, among five, among ten, compared
    with grep? It measures recall by the notes' own words, not by paraphrase. No note is changed.

    Examples:
        lorebank bench
        lorebank bench --n 50 --seed 7 --json
    """
    with session.bank() as bank, Progress(session) as progress:
        report = bank.bench(progress=progress, **sample)
    session.result(report, reports.bench_lines)
