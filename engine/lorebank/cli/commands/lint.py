"""`lorebank lint`: lines that are better written otherwise, and their fixes."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.domain import LintFinding

EXAMPLES = """
lorebank lint
lorebank lint --fix
lorebank lint --undo
"""
FOUND = 6
"""The exit code of a check that found something."""


@command("lint", examples=EXAMPLES)
@click.option("--fix", is_flag=True, help="Rewrite the lines that need no judgement.")
@click.option("--undo", is_flag=True, help="Take the last fixes back.")
@pass_session
def lint(session: Session, fix: bool, undo: bool) -> None:
    """Look for lines that are misread, or nearly.

    Headings that almost open a retain section, typed lines outside of one, unknown kinds and
    confidences, names cut short, facts about nobody, duplicates, prose among facts. A line below a
    finding is what --fix would make of it. Exits with 6 where something is left to do.
    """
    with session.bank() as bank:
        if undo:
            restored = bank.undo_lint()
            if session.json:
                session.show_json(restored.to_dict())
            else:
                session.show(session.look.clean_line(path) for path in restored.restored)
            return
        report = bank.lint(fix=fix)
    if session.json:
        session.show_json(report.to_dict())
    else:
        for finding in report.findings:
            session.show(_lines(session, finding, fixed=fix))
        fixable = sum(bool(finding.fix) for finding in report.findings)
        session.note([_summary(len(report.findings), fixable, report.run)])
    if any(not (fix and finding.fix) for finding in report.findings):
        raise click.exceptions.Exit(FOUND)


def _lines(session: Session, finding: LintFinding, *, fixed: bool) -> list[str]:
    place = f"{finding.source.path}:{finding.source.start_line}"
    lines = [session.look.clean_line(f"{place}: {finding.message} [{finding.code}]")]
    mark = "fixed" if fixed else "fix"
    return lines + [
        f"  {mark}: {session.look.clean_line(part)}" for part in finding.fix.split("\n") if part
    ]


def _summary(found: int, fixable: int, run: str | None) -> str:
    if run is not None:
        return f"{fixable} of {found} findings fixed as {run}; lorebank lint --undo takes that back"
    return (
        f"{found} findings, {fixable} with a fix (lorebank lint --fix)"
        if found
        else "nothing found"
    )


command = lint
