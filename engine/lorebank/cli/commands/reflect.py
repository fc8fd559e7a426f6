"""`lorebank reflect`: bring the pages of the bank up to date from the facts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import command
from lorebank.cli.render.inbox import decision_lines
from lorebank.cli.render.reports import (
    PAGE_SKIPPED,
    patch_lines,
    reflect_lines,
    reflect_log_line,
    undo_lines,
)
from lorebank.cli.render.rulings import unsure_lines
from lorebank.cli.render.text import problem_lines
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write
from lorebank.errors import UsageError

if TYPE_CHECKING:
    from lorebank.app.bank import Bank
    from lorebank.domain import ReflectReport

DIFFERENT = 6
TROUBLE = 1
EXAMPLES = """
lorebank reflect --dry-run
lorebank reflect --since 7d
lorebank reflect --diff --dry-run > tonight.patch
lorebank reflect --interactive
lorebank reflect --undo
lorebank reflect --date 2025-12-01
lorebank reflect --infer
lorebank reflect --unsure
"""
LAST = "last"
_TROUBLES = frozenset(
    {PAGE_SKIPPED, "vanish-limit", "page-busy", "page-unwritable", "run-lost", "not-committed"}
)


@command("reflect", examples=EXAMPLES)
@click.option("--since", metavar="DAY", help="Only entities with facts from that day on.")
@click.option("--date", "day", metavar="DAY", help="The day it speaks for; today without this.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would change.")
@click.option("--diff", is_flag=True, help="Print the patch in place of the summary.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 6 if something would change.")
@click.option("-i", "--interactive", is_flag=True, help="Accept or reject hunk by hunk.")
@click.option("--accept", metavar="HUNK", multiple=True, help="Make only these changes.")
@click.option("--reject", metavar="HUNK", multiple=True, help="Leave these out, now and later.")
@click.option("--force", is_flag=True, help="Let more entries vanish than reflect.max_vanish.")
@click.option("--commit", is_flag=True, help="Make one git commit of the pages written.")
@click.option(
    "--undo",
    metavar="RUN",
    is_flag=False,
    flag_value=LAST,
    help="Take a run back, byte for byte; the last one where none is named.",
)
@click.option("--infer", is_flag=True, help="Suggest retain lines for logs that have none.")
@click.option("--unsure", is_flag=True, help="List the pairs no rule signs; nothing else is done.")
@click.option("--judge", is_flag=True, help="With --unsure: let the generator settle them.")
@click.option("-k", "limit", type=click.IntRange(1), default=20, metavar="N", help="Pairs listed.")
@pass_session
def reflect(session: Session, /, check: bool, diff: bool, **options: Any) -> int:
    """Bring the pages of the bank up to date from the facts.

    Entity pages, opinions and a journal page, written between markers; what you wrote around them
    stays. Where nothing is new, no file is touched. A rejected change stays away until its
    evidence changes; `bank/reflections/rejected.md` lists such changes. With --quiet, as a
    scheduler calls it, a run prints one line for a log, and fails with 1 where it had to leave a
    page alone.
    """
    undo, limit = options.pop("undo"), options.pop("limit")
    unsure, judge = options.pop("unsure"), options.pop("judge")
    if judge and not unsure:
        raise UsageError("--judge needs --unsure", hint="lorebank reflect --unsure --judge")
    if unsure:
        return _judge(session, limit) if judge else _show_unsure(session, limit)
    with session.bank() as bank:
        if undo is not None:
            return _undo(session, bank, undo, force=options["force"])
        interactive = options.pop("interactive")
        options["dry_run"] = options["dry_run"] or check
        accept = options.pop("accept") or None
        if interactive:
            accept, rejected = _ask(session, bank, options)
            options["reject"] = (*options["reject"], *rejected)
        report = bank.reflect(accept=accept, **options)
    if options["since"] is None and options["day"] is None and not report.dry_run:
        _keep_in_mind(session)
    if session.json:
        session.show_json(report.to_dict())
    elif session.quiet and not diff and not report.dry_run:
        return _log(session, report)
    else:
        _show(session, report, diff=diff)
    if check and report.changed:
        return DIFFERENT
    return TROUBLE if any(p.code in _TROUBLES - {PAGE_SKIPPED} for p in report.problems) else 0


def _keep_in_mind(session: Session) -> None:
    """A schedule that waited for this run has missed nothing any more."""
    from lorebank.schedule.record import note_run

    session.reflected = True
    if session.opened is not None:
        note_run(session.opened, session.moment)


def _log(session: Session, report: ReflectReport) -> int:
    session.show([reflect_log_line(report, session.moment)])
    troubles = [problem for problem in report.problems if problem.code in _TROUBLES]
    write(problem_lines(session.error_look, troubles), sys.stderr)
    return TROUBLE if troubles else 0


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
        session.show_json({"decisions": [each.to_dict() for each in settled]})
    else:
        session.show(decision_lines(session.look, settled, undone=False))
    return 0


def _undo(session: Session, bank: Bank, run: str, *, force: bool) -> int:
    report = bank.undo_reflect(None if run == LAST else run, force=force)
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(undo_lines(session.look, report))
    return TROUBLE if report.kept else 0


def _ask(
    session: Session, bank: Bank, options: dict[str, Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids of the hunks that are accepted, and of those that are rejected for good.

    Nothing is locked meanwhile: a hunk that reads differently by the end is left for next time.
    """
    if not session.can_ask:
        raise UsageError(
            "--interactive asks at a terminal, and there is none",
            hint="name hunks with --accept and --reject; --dry-run --json lists them",
        )
    hunks = bank.reflect(**{**options, "dry_run": True}).hunks
    accepted: list[str] = []
    rejected: list[str] = []
    answer = ""
    for number, hunk in enumerate(hunks, start=1):
        if answer not in ("all", "quit"):
            session.note(["", session.error_look.strong(f"{hunk.path}  {number} of {len(hunks)}")])
            session.note(patch_lines(session.error_look, hunk.diff))
            answer = _answer()
        if answer in ("yes", "all"):
            accepted.append(hunk.id)
        elif answer == "no":
            rejected.append(hunk.id)
    return tuple(accepted), tuple(rejected)


def _answer() -> str:
    """`yes`, `no` (for good), `later`, `all` (this and the rest) or `quit` (the rest later)."""
    words = {"y": "yes", "n": "no", "l": "later", "a": "all", "q": "quit"}
    while True:
        said = click.prompt(
            "Make this change? [y]es, [n]o, [l]ater, [a]ll, [q]uit",
            default="l",
            show_default=False,
            err=True,
        )
        word = words.get(said.strip().lower()[:1])
        if word:
            return word


def _show(session: Session, report: ReflectReport, *, diff: bool) -> None:
    if diff:
        session.show(patch_lines(session.look, report.diff()))
        session.note(reflect_lines(session.error_look, report, everything=session.verbose))
    else:
        session.show(reflect_lines(session.look, report, everything=session.verbose))
    session.note(problem_lines(session.error_look, report.problems))
