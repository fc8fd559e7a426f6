"""`lorebank reflect`: bring the pages of the bank up to date from the facts."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.phrases import problem_lines
from lorebank.cli.render.reports import patch_lines, reflect_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import ReflectReport

DIFFERENT = 6
EXAMPLES = """
lorebank reflect --dry-run
lorebank reflect --since 7d
lorebank reflect --diff --dry-run > tonight.patch
lorebank reflect --date 2025-12-01
"""


@command("reflect", examples=EXAMPLES)
@click.option("--since", metavar="DAY", help="Only entities with facts from that day on.")
@click.option("--date", "day", metavar="DAY", help="The day it speaks for; today without this.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would change.")
@click.option("--diff", is_flag=True, help="Print the patch in place of the summary.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 6 if something would change.")
@pass_session
def reflect(
    session: Session, since: str | None, day: str | None, dry_run: bool, diff: bool, check: bool
) -> int:
    """Bring the pages of the bank up to date from the facts.

    Entity pages, opinions and a journal page, written between markers; what you wrote around them
    stays. Where nothing is new, no file is touched.
    """
    with session.bank() as bank:
        report = bank.reflect(since=since, day=day, dry_run=dry_run or check)
    if session.json:
        session.show_json(report.to_dict())
    else:
        _show(session, report, diff=diff)
    return DIFFERENT if check and report.changed else 0


def _show(session: Session, report: ReflectReport, *, diff: bool) -> None:
    if diff:
        session.show(patch_lines(session.look, report.diff()))
        session.note(reflect_lines(session.error_look, report, everything=session.verbose))
    else:
        session.show(reflect_lines(session.look, report, everything=session.verbose))
    session.note(problem_lines(session.error_look, report.problems))


command = reflect
