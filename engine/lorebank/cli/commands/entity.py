"""`lorebank entity`: all that is known of one entity, a list of them, and decisions about names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.parameters import all_option, complete_entity, fail_empty_option, interval_options
from lorebank.cli.render.answers import failed_lines
from lorebank.cli.render.entities import (
    audit_lines,
    entity_list_lines,
    entity_view_lines,
    graph_lines,
    ledger_change_lines,
    resolution_lines,
)
from lorebank.cli.render.reports import patch_lines
from lorebank.cli.render.text import problem_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import EntitiesOfBanks, NameResolution
from lorebank.errors import UsageError

EXAMPLES = """
lorebank entity
lorebank entity Peter --since 90d
lorebank entity "The Castle" --json
lorebank entity Pete --explain
lorebank entity audit
lorebank entity merge Bob Robert --dry-run
lorebank entity --graph
"""
_GLOBAL_FLAGS = frozenset({"--json", "--quiet", "--offline", "--verbose"})
_SHOW = "show"


class EntityGroup(CommandGroup):
    """A group whose subcommand may be left out: what is no subcommand is a NAME to show."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = next((arg for arg in args if arg not in _GLOBAL_FLAGS), None)
        if first not in self.commands and first not in ("-h", "--help"):
            args = [_SHOW, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = complete_entity(ctx, self.params[0], incomplete)
        return [*names, *super().shell_complete(ctx, incomplete)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group("entity", cls=EntityGroup, examples=EXAMPLES)
def entity() -> None:
    """Show all that is known of one entity, or list them; decide about names.

    `lorebank entity NAME` is short for `lorebank entity show NAME`. NAME may be any of its names.
    A decision is one line of bank/identity.md: deleting it, or --undo, takes it back exactly.
    """


@entity.command(_SHOW, cls=Command, examples="lorebank entity show Peter --since 90d")
@click.argument("name", nargs=-1, shell_complete=complete_entity)
@interval_options
@click.option(
    "-k", "limit", type=click.IntRange(1), default=20, metavar="N", help="Newest facts shown."
)
@click.option(
    "--budget-tokens",
    "token_budget",
    type=click.IntRange(1),
    metavar="N",
    help="At most so many estimated tokens; what is current is kept first.",
)
@click.option("--explain", is_flag=True, help="Tell, step by step, whom NAME stands for.")
@click.option("--graph", is_flag=True, help="Show who is seen with whom; export writes it whole.")
@all_option
@fail_empty_option
@pass_session
def show(
    session: Session,
    /,
    name: tuple[str, ...],
    limit: int,
    explain: bool,
    graph: bool,
    every_bank: bool,
    fail_empty: bool,
    **filters: Any,
) -> int:
    """Show all that is known of one entity, or list them.

    NAME may be any of its names. Without NAME every entity is listed, the most mentioned first.
    Under --json all facts are printed.
    """
    if every_bank and (graph or explain or not name):
        raise UsageError("--all needs a NAME and goes with neither --graph nor --explain")
    if graph:
        if name:
            raise UsageError("--graph takes no NAME", hint="lorebank entity --graph")
        return _graph(session, fail_empty=fail_empty)
    if not name:
        if filters["since"] or filters["until"]:
            raise UsageError("--since and --until need a NAME", hint="lorebank entity NAME")
        if explain:
            raise UsageError("--explain needs a NAME", hint="lorebank entity NAME --explain")
        return _list(session, fail_empty=fail_empty)
    written = " ".join(name)
    if every_bank:
        with session.banks() as banks:
            found = banks.entity(written, **filters)
        return _show_merged(session, found, limit=limit, fail_empty=fail_empty)
    with session.bank() as bank:
        if explain:
            return _explain(session, bank.resolve(written), fail_empty=fail_empty)
        view = bank.entity(written, **filters)
    if session.json:
        session.show_json(view.to_dict())
    else:
        session.show(entity_view_lines(session.look, view, limit=limit))
    return 1 if fail_empty and not view.facts else 0


def _show_merged(session: Session, found: EntitiesOfBanks, *, limit: int, fail_empty: bool) -> int:
    if session.json:
        session.show_json(found.to_dict())
    else:
        for place, (bank, view) in enumerate(found.views):
            session.show([*([""] if place else []), session.look.accent(f"{bank}:")])
            session.show(entity_view_lines(session.look, view, limit=limit))
        session.note(failed_lines(session.error_look, found.banks))
    return 1 if fail_empty and not any(view.facts for _, view in found.views) else 0


def _explain(session: Session, found: NameResolution, *, fail_empty: bool) -> int:
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(resolution_lines(session.look, found))
    return 1 if fail_empty and found.entity is None else 0


def _graph(session: Session, *, fail_empty: bool) -> int:
    with session.bank() as bank:
        found = bank.graph()
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(graph_lines(session.look, found))
    return 1 if fail_empty and not found.nodes else 0


def _list(session: Session, *, fail_empty: bool) -> int:
    with session.bank() as bank:
        found = bank.entities()
    if session.json:
        session.show_json({"entities": [each.to_dict() for each in found]})
    else:
        session.show(entity_list_lines(session.look, found))
        if not found:
            session.note(["no entity yet: a fact names one with @Name"])
    return 1 if fail_empty and not found else 0


@entity.command("audit", cls=Command, examples="lorebank entity audit --json")
@fail_empty_option
@pass_session
def audit(session: Session, fail_empty: bool) -> int:
    """List what about names deserves a look, with evidence and the command that settles it.

    Likely duplicates, pages nobody mentions, dangling mentions, hubs. Nothing is changed.
    """
    with session.bank() as bank:
        found = bank.audit()
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(audit_lines(session.look, found))
        if not found.findings:
            session.note(["nothing about names needs a look"])
    return 1 if fail_empty and not found.findings else 0


def _decision(action: str, summary: str, names: Sequence[str], example: str) -> None:
    """Add the subcommand of one decision."""

    def decide(session: Session, reason: str, dry_run: bool, undo: bool, **given: str) -> None:
        written = [given[name] for name in names if given[name] is not None]
        with session.bank() as bank:
            change = bank.decide(action, *written, reason=reason, undo=undo, dry_run=dry_run)
        if session.json:
            session.show_json(change.to_dict())
            return
        session.show(ledger_change_lines(session.look, change, undo=undo))
        if dry_run:
            session.show(patch_lines(session.look, change.patch))
        session.note(problem_lines(session.error_look, change.problems))

    decorated: Callable[..., object] = pass_session(decide)
    decorated = click.option("--undo", is_flag=True, help="Take the line off again.")(decorated)
    decorated = click.option(
        "--dry-run", is_flag=True, help="Write nothing; print what would change."
    )(decorated)
    decorated = click.option(
        "--reason", default="", metavar="TEXT", help="Why; it stands on the line."
    )(decorated)
    for name in reversed(names):
        optional = name == "other" and action in ("split", "dismiss")
        decorated = click.argument(name, required=not optional, shell_complete=complete_entity)(
            decorated
        )
    entity.command(action, cls=Command, examples=example, help=summary)(decorated)


_decision(
    "alias",
    "Say that ALIAS is another name of NAME.",
    ("alias", "name"),
    'lorebank entity alias Pete Peter --reason "signs both ways"',
)
_decision(
    "merge",
    "Make NAME and INTO one entity, which goes by INTO; its page moves there with its text.",
    ("name", "into"),
    "lorebank entity merge Bob Robert --dry-run\nlorebank entity merge Bob Robert --undo",
)
_decision(
    "split",
    "Part NAME from OTHER, or from all names it was joined to.",
    ("name", "other"),
    "lorebank entity split Acme-Inc Acme",
)
_decision(
    "distinct",
    "Say that NAME and OTHER are two, whatever they look like.",
    ("name", "other"),
    "lorebank entity distinct 'Room 101' 'Room 102'",
)
_decision(
    "rename",
    "Let the entity NAME go by the name NEW.",
    ("name", "new"),
    "lorebank entity rename Bob Robert",
)
_decision(
    "dismiss",
    "Let the audit be silent about NAME and OTHER being one, or about NAME.",
    ("name", "other"),
    "lorebank entity dismiss Pete Peter",
)
