"""`lorebank entity`: all that is known of one entity, a list of them, and decisions about names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

from lorebank.cli.command import (
    CommandGroup,
    all_option,
    budget_option,
    complete_entity,
    fail_empty_option,
    flag,
    group,
    interval_options,
    option,
)
from lorebank.cli.session import Session
from lorebank.errors import UsageError
from lorebank.render import entities as render
from lorebank.render.answers import failed_lines
from lorebank.render.reports import patch_lines

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


@group("entity", cls=EntityGroup)
def entity() -> None:
    """`lorebank entity NAME` is short for `lorebank entity show NAME`. NAME may be any of its
    names. A decision is one line of bank/identity.md: deleting it, or --undo, takes it back
    exactly.

    Examples:
        lorebank entity
        lorebank entity Peter --since 90d
        lorebank entity "The Castle" --json
        lorebank entity Pete --explain
        lorebank entity audit
        lorebank entity alias Pete Peter --reason "signs both ways"
        lorebank entity merge Bob Robert --dry-run
        lorebank entity split Acme-Inc Acme
        lorebank entity distinct 'Room 101' 'Room 102'
        lorebank entity rename Bob Robert
        lorebank entity dismiss Pete Peter
        lorebank entity --graph
    """


@entity.subcommand(_SHOW, examples="lorebank entity show Peter --since 90d")
@click.argument("name", nargs=-1, shell_complete=complete_entity)
@interval_options
@option("-k", "limit", "Newest facts shown.", type=click.IntRange(1), default=20, metavar="N")
@budget_option("At most this many estimated tokens; what is current comes first.")
@flag("--explain", "Explain, step by step, which entity NAME stands for.")
@flag("--graph", "Show which entities share facts; export writes the whole graph.")
@all_option
@fail_empty_option
def show(
    session: Session,
    /,
    name: tuple[str, ...],
    limit: int,
    explain: bool,
    graph: bool,
    every_bank: bool,
    **filters: Any,
) -> int:
    """Show all that is known of one entity, or list them.

    NAME may be any of its names. Without NAME every entity is listed, the most mentioned first.
    Under --json all facts are printed.
    """
    if every_bank and (graph or explain or not name):
        raise UsageError("--all needs a NAME and cannot be combined with --graph or --explain")
    if graph and name:
        raise UsageError("--graph takes no NAME", hint="lorebank entity --graph")
    if not name and not graph:
        if filters["since"] or filters["until"]:
            raise UsageError("--since and --until need a NAME", hint="lorebank entity NAME")
        if explain:
            raise UsageError("--explain needs a NAME", hint="lorebank entity NAME --explain")
    written = " ".join(name)
    if every_bank:
        with session.banks() as banks:
            found = banks.entity(written, **filters)
        known = any(view.facts for _, view in found.views)
        notes, lines = failed_lines(session.error_look, found.banks), render.merged_view_lines
        return session.result(found, lines, found=known, notes=notes, limit=limit)
    with session.bank() as bank:
        if graph:
            shape = bank.graph()
            return session.result(shape, render.graph_lines, found=shape.nodes)
        if not name:
            nothing = "no entity yet: a fact names one with @Name"
            return session.result(
                bank.entities(), render.entity_list_lines, key="entities", nothing=nothing
            )
        if explain:
            whom = bank.resolve(written)
            return session.result(whom, render.resolution_lines, found=whom.entity is not None)
        view = bank.entity(written, **filters)
    return session.result(view, render.entity_view_lines, found=view.facts, limit=limit)


@entity.subcommand("audit")
@fail_empty_option
def audit(session: Session) -> int:
    """List doubtful names, with evidence and the command that settles each.

    Likely duplicates, pages without mentions, dangling mentions, hubs. Nothing is changed.
    """
    with session.bank() as bank:
        found = bank.audit()
    nothing = "no doubtful names"
    return session.result(found, render.audit_lines, found=found.findings, nothing=nothing)


def _decision(action: str, names: tuple[str, str], help_text: str) -> None:
    """Add the subcommand of one decision; with that help."""

    def decide(session: Session, /, dry_run: bool, undo: bool, reason: str, **given: str) -> None:
        written = [given[name] for name in names if given[name] is not None]
        with session.bank() as bank:
            change = bank.decide(action, *written, reason=reason, undo=undo, dry_run=dry_run)
        session.result(change, render.ledger_change_lines, undo=undo)
        if not session.json:
            session.show(patch_lines(session.look, change.patch) if dry_run else ())
            session.note(session.error_look.problems(change.problems))

    options: list[Callable[[Any], Any]] = [
        flag("--undo", "Remove the line again."),
        flag("--dry-run", "Print what would change; write nothing."),
        option("--reason", "The reason, written on the line.", default="", metavar="TEXT"),
    ]
    for name in reversed(names):
        optional = name == "other" and action in ("split", "dismiss")
        options.append(click.argument(name, required=not optional, shell_complete=complete_entity))
    for add in options:
        decide = add(decide)
    entity.subcommand(action, help=help_text)(decide)


_decision("alias", ("alias", "name"), "Say that ALIAS is another name of NAME.")
_decision(
    "merge",
    ("name", "into"),
    "Merge NAME into the entity INTO; its page moves there with its text.",
)
_decision(
    "split", ("name", "other"), "Separate NAME from OTHER, or from all names it was merged with."
)
_decision("distinct", ("name", "other"), "Say that NAME and OTHER are different entities.")
_decision("rename", ("name", "new"), "Rename the entity NAME to NEW.")
_decision(
    "dismiss", ("name", "other"), "Drop the audit's finding about NAME and OTHER, or about NAME."
)
