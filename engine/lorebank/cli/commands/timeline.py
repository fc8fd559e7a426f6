"""`lorebank timeline`: facts by when they happened."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import complete_entity, fail_empty_option, interval_options
from lorebank.cli.render.facts import timeline_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import fact_to_dict

EXAMPLES = """
lorebank timeline --since 2025-11-01
lorebank timeline Peter --since 90d --until 2025-12-01
"""


@command("timeline", examples=EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@interval_options
@fail_empty_option
@pass_session
def timeline(
    session: Session,
    entity: tuple[str, ...],
    since: str | None,
    until: str | None,
    fail_empty: bool,
) -> int:
    """Show facts by when they happened.

    Newest first. A fact stands on the day its own text names, else on the day it was written.
    """
    name = " ".join(entity) or None
    with session.bank() as bank:
        facts = bank.timeline(name, since=since, until=until)
    if session.json:
        session.show_json({"facts": [fact_to_dict(fact) for fact in facts]})
    else:
        session.show(timeline_lines(session.look, facts))
        if not facts:
            session.note([_nothing(name, since, until)])
    return 1 if fail_empty and not facts else 0


def _nothing(name: str | None, since: str | None, until: str | None) -> str:
    about = f" about {name}" if name else ""
    span = " ".join(
        f"{word} {day}" for word, day in (("since", since), ("until", until)) if day is not None
    )
    return f"no fact{about}{f' {span}' if span else ''}"


command = timeline
