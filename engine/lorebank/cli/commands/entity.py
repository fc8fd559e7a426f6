"""`lorebank entity`: all that is known of one entity, or a list of them."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import complete_entity, fail_empty_option, interval_options
from lorebank.cli.render.entities import entity_list_lines, entity_view_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import entity_to_dict
from lorebank.errors import UsageError

EXAMPLES = """
lorebank entity
lorebank entity Peter --since 90d
lorebank entity "The Castle" --json
"""


@command("entity", examples=EXAMPLES)
@click.argument("name", nargs=-1, shell_complete=complete_entity)
@interval_options
@click.option(
    "-k", "limit", type=click.IntRange(1), default=20, metavar="N", help="Newest facts shown."
)
@fail_empty_option
@pass_session
def entity(
    session: Session,
    name: tuple[str, ...],
    since: str | None,
    until: str | None,
    limit: int,
    fail_empty: bool,
) -> int:
    """Show all that is known of one entity, or list them.

    NAME may be any of its names. Without NAME every entity is listed, the most mentioned first.
    Under --json all facts are printed.
    """
    if not name:
        if since or until:
            raise UsageError("--since and --until need a NAME", hint="lorebank entity NAME")
        return _list(session, fail_empty=fail_empty)
    with session.bank() as bank:
        view = bank.entity(" ".join(name), since=since, until=until)
    if session.json:
        session.show_json(view.to_dict())
    else:
        session.show(entity_view_lines(session.look, view, limit=limit))
    return 1 if fail_empty and not view.facts else 0


def _list(session: Session, *, fail_empty: bool) -> int:
    with session.bank() as bank:
        found = bank.entities()
    if session.json:
        session.show_json({"entities": [entity_to_dict(each) for each in found]})
    else:
        session.show(entity_list_lines(session.look, found))
        if not found:
            session.note(["no entity yet: a fact names one with @Name"])
    return 1 if fail_empty and not found else 0


command = entity
