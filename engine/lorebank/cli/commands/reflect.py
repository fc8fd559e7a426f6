"""`lorebank reflect`: bring the pages of the bank up to date from the facts."""

from __future__ import annotations

import sys

import click

from lorebank.cli.command import command
from lorebank.cli.render.phrases import problem_lines
from lorebank.cli.render.reports import (
    PAGE_SKIPPED,
    patch_lines,
    reflect_lines,
    reflect_log_line,
)
from lorebank.cli.render.rulings import ruling_lines, unsure_lines
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write
from lorebank.domain import ReflectReport
from lorebank.errors import UsageError

DIFFERENT = 6
EXAMPLES = """
lorebank reflect --dry-run
lorebank reflect --since 7d
lorebank reflect --diff --dry-run > tonight.patch
lorebank reflect --date 2025-12-01
lorebank reflect --infer
lorebank reflect --unsure
"""


@command("reflect", examples=EXAMPLES)
@click.option("--since", metavar="DAY", help="Only entities with facts from that day on.")
@click.option("--date", "day", metavar="DAY", help="The day it speaks for; today without this.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would change.")
@click.option("--diff", is_flag=True, help="Print the patch in place of the summary.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 6 if something would change.")
@click.option("--infer", is_flag=True, help="Suggest retain lines for logs that have none.")
@click.option("--unsure", is_flag=True, help="List the pairs no rule signs; nothing else is done.")
@click.option("--judge", is_flag=True, help="With --unsure: let the generator settle them.")
@click.option("-k", "limit", type=click.IntRange(1), default=20, metavar="N", help="Pairs listed.")
@pass_session
def reflect(
    session: Session,
    since: str | None,
    day: str | None,
    dry_run: bool,
    diff: bool,
    check: bool,
    infer: bool,
    unsure: bool,
    judge: bool,
    limit: int,
) -> int:
    """Bring the pages of the bank up to date from the facts.

    Entity pages, opinions and a journal page, written between markers; what you wrote around them
    stays. Where nothing is new, no file is touched. With --quiet, as a scheduler calls it, a run
    prints one line for a log, and fails with 1 where it had to leave a page alone.
    """
    if judge and not unsure:
        raise UsageError("--judge needs --unsure", hint="lorebank reflect --unsure --judge")
    if unsure:
        return _judge(session, limit) if judge else _show_unsure(session, limit)
    with session.bank() as bank:
        report = bank.reflect(since=since, day=day, dry_run=dry_run or check, infer=infer)
    if since is None and day is None and not report.dry_run:
        _keep_in_mind(session)
    if session.json:
        session.show_json(report.to_dict())
    elif session.quiet and not diff and not report.dry_run:
        return _log(session, report)
    else:
        _show(session, report, diff=diff)
    return DIFFERENT if check and report.changed else 0


def _keep_in_mind(session: Session) -> None:
    """A schedule that waited for this run has missed nothing any more."""
    from lorebank.schedule.record import note_run

    session.reflected = True
    if session.opened is not None:
        note_run(session.opened, session.moment)


def _log(session: Session, report: ReflectReport) -> int:
    session.show([reflect_log_line(report, session.moment)])
    skipped = [problem for problem in report.problems if problem.code == PAGE_SKIPPED]
    write(problem_lines(session.error_look, skipped), sys.stderr)
    return 1 if skipped else 0


def _show_unsure(session: Session, limit: int) -> int:
    with session.bank() as bank:
        queue = bank.unsure(k=limit)
    if session.json:
        session.show_json(queue.to_dict())
    else:
        session.show(unsure_lines(session.look, queue))
    return 0


def _judge(session: Session, limit: int) -> int:
    with session.bank() as bank:
        settled = bank.judge(k=limit)
    if session.json:
        session.show_json({"settled": [ruling.to_dict() for ruling in settled]})
    else:
        session.show(line for ruling in settled for line in ruling_lines(session.look, ruling))
        session.note([f"{len(settled)} settled, in bank/evidence.md"])
    return 0


def _show(session: Session, report: ReflectReport, *, diff: bool) -> None:
    if diff:
        session.show(patch_lines(session.look, report.diff()))
        session.note(reflect_lines(session.error_look, report, everything=session.verbose))
    else:
        session.show(reflect_lines(session.look, report, everything=session.verbose))
    session.note(problem_lines(session.error_look, report.problems))


command = reflect
