"""`lorebank index`: bring the index up to date with the files."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.progress import Progress
from lorebank.cli.render.phrases import count, problem_lines
from lorebank.cli.render.reports import difference_lines, embedder_lines, sync_lines
from lorebank.cli.session import Session, pass_session

DIFFERENT = 6
SHOWN_PROBLEMS = 10
EXAMPLES = """
lorebank index
lorebank index --full
lorebank index --check && echo the index is what the files say
"""


@command("index", examples=EXAMPLES)
@click.option("--full", is_flag=True, help="Read every file again, changed or not.")
@click.option("--check", is_flag=True, help="Compare with a rebuild; exit with 6 if they differ.")
@pass_session
def index(session: Session, full: bool, check: bool) -> int:
    """Bring the index up to date with the files.

    Only changed files are read. The index is a cache: deleting .memory/ loses nothing.
    """
    return _check(session) if check else _sync(session, full=full)


def _sync(session: Session, *, full: bool) -> int:
    with session.bank() as bank, Progress(session) as progress:
        report = bank.sync(full=full, progress=progress)
    if session.json:
        session.show_json(report.to_dict())
        return 0
    session.show(sync_lines(session.look, report, everything=session.verbose))
    look = session.error_look
    session.note(embedder_lines(look, report))
    if report.problems:
        limit = 0 if session.verbose else SHOWN_PROBLEMS
        session.note([look.warn(count(len(report.problems), "problem"))])
        session.note(problem_lines(look, report.problems, limit=limit))
    return 0


def _check(session: Session) -> int:
    with session.bank() as bank:
        differences = bank.check()
    if session.json:
        session.show_json({"differences": list(differences)})
    else:
        session.show(difference_lines(session.look, differences))
        session.note([_verdict(len(differences))])
    return DIFFERENT if differences else 0


def _verdict(differences: int) -> str:
    if not differences:
        return "the index is what a rebuild from the files would give"
    return f"{count(differences, 'difference')}; lorebank index --full mends the index"


command = index
