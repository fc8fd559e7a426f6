"""`lorebank doctor`: what is wrong, and the repairs that are safe."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.phrases import count
from lorebank.cli.session import Session, pass_session

WRONG = 6
EXAMPLES = """
lorebank doctor
lorebank doctor --fix
lorebank doctor --json
"""


@command("doctor", examples=EXAMPLES)
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
@pass_session
def doctor(session: Session, fix: bool) -> int:
    """Find what is wrong, and repair what is safe to repair.

    Looks at permissions, what killed runs left, the index (as a database, and row by row against
    the files), managed blocks, notes and ledgers, citations that lead nowhere, the embedder and
    the schedule. Exits with 6 while anything is wrong. Your notes are never changed.
    """
    with session.bank() as bank:
        findings = bank.doctor(fix=fix, moment=session.moment)
    left = [finding for finding in findings if not finding.fixed]
    if session.json:
        session.show_json({"findings": [finding.to_dict() for finding in findings]})
        return WRONG if left else 0
    look = session.look
    for finding in findings:
        mark = look.strong("repaired") if finding.fixed else look.warn(finding.check)
        place = f"{finding.source}: " if finding.source else ""
        session.show([f"{mark}  {place}{finding.message}"])
        if not finding.fixed:
            session.show([look.dim(f"    {finding.remedy}")])
    if left:
        session.note([f"{count(len(left), 'problem')} left"])
    else:
        session.note(["nothing is wrong" if not findings else "everything found was repaired"])
    return WRONG if left else 0


command = doctor
