"""Decisions: the inbox, proposals, quarantine, and forgetting."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import command, complete_entity, date_option, flag, group, option
from lorebank.cli.session import FOUND, Session, ask_key, edit_source
from lorebank.domain.facts import InboxKind, Origin, Stance
from lorebank.errors import UsageError
from lorebank.render import judgments as render
from lorebank.render.reports import status_problem_lines, undo_lines

if TYPE_CHECKING:
    from lorebank.app.bank import Bank
    from lorebank.domain.judgments import Inbox

_SHOWN = 10
_VERDICTS = {
    "next": "leave it for another time",
    "edit": "open the newer line in your editor, then ask again",
    "quit": "stop here",
}


_by_option = option("--by", "Who rules; default: your user name.", metavar="NAME")


@command("inbox")
@click.argument("words", nargs=-1, metavar="[ID VERDICT]… | rule")
@option("--kind", "Only these.", type=click.Choice([each.value for each in InboxKind]))
@option("-k", "At most this many items.", type=click.IntRange(min=1), default=_SHOWN)
@flag("--all", "everything", "Include weak matches.")
@_by_option
@flag("--settled", "List the verdicts in force.")
@flag("--judge", "Let the generator rule where it is certain.")
@flag("--compare", "Show the generator's verdicts beside those of other judges.")
@flag("--undo", "Take back the verdicts on IDs, or all --by NAME.")
@date_option
def inbox(
    session: Session,
    words: tuple[str, ...],
    kind: str | None,
    k: int,
    everything: bool,
    by: str | None,
    settled: bool,
    judge: bool,
    compare: bool,
    undo: bool,
) -> int:
    """Newest first; weak matches only with --all. Each verdict is a signed line under bank/;
    deleting the line, or --undo, takes it back. `rule` goes through the items with single keys,
    on a terminal only. --compare writes nothing.

    Examples:
        lorebank inbox
        lorebank inbox i-3f2a91bc05 replaces
        lorebank inbox f-1a2b against p-3f2a accept
        lorebank inbox rule --kind evidence
        lorebank inbox --settled --by Ana
        lorebank inbox --undo i-3f2a91bc05
        lorebank inbox --undo --by night-model
    """
    if undo + settled + judge + compare > 1 or (words and (settled or judge or compare)):
        raise UsageError(
            "--settled, --judge, --compare and --undo exclude each other; only --undo takes ids"
        )
    with session.bank() as bank:
        if words == ("rule",) and not undo:
            _ask(session, partial(bank.inbox, kind, likely=not everything), bank, by)
            return 0
        if compare:
            compared = bank.compare_verdicts(k=k)
            return session.result(compared, render.comparison_lines, key="comparisons")
        if undo:
            shown = bank.unrule(list(words) or None, by=by)
        elif settled:
            shown = bank.decisions(by)
        elif judge:
            shown = bank.judge(k=k)
        elif words:
            if len(words) % 2:
                raise UsageError(f"no verdict for {words[-1]}", hint="lorebank inbox ID VERDICT …")
            verdicts = dict(zip(words[::2], map(str.lower, words[1::2]), strict=True))
            shown = bank.rule(verdicts, by=by or getpass.getuser())
        else:
            found = bank.inbox(kind, k=k, likely=not everything)
            return session.result(found, render.inbox_lines)
    return session.result(shown, render.verdict_lines, key="decisions", undone=undo)


def _ask(session: Session, waiting: Callable[[], Inbox], bank: Bank, by: str | None) -> None:
    """Go through the items, one key each; every ruling takes effect at once."""
    if not session.can_ask:
        hint = "lorebank inbox ID VERDICT settles an item"
        raise UsageError("going through the inbox needs a terminal", hint=hint)
    by = by or getpass.getuser()
    items = list(waiting().items)
    if not items:
        session.show([render.EMPTY])
    number = 0
    while number < len(items):
        item = items[number]
        session.show(["", *render.item_lines(session.look, item)])
        verdicts = {**_VERDICTS, **{word: item.effect.get(word, "") for word in item.choices}}
        verdict = ask_key(session, f"{number + 1} of {len(items)}", verdicts)
        if verdict == "quit":
            return
        if verdict == "edit":
            line = item.newer or item.older
            edit_source(session, bank.root, str(line.source if line else ""))
            items, number = list(waiting().items), 0
            continue
        if verdict != "next":
            session.show(render.verdict_lines(session.look, bank.rule({item.id: verdict}, by=by)))
        number += 1


@command("evidence")
@click.argument("fact", metavar="FACT")
@click.argument("rest", nargs=-1, metavar="for|against|unrelated [OPINION]")
@_by_option
@flag("--undo", "Take back the verdict on the pair.")
def evidence(session: Session, fact: str, rest: tuple[str, ...], by: str | None, undo: bool) -> int:
    """Short for `lorebank inbox`. FACT and OPINION are ids or their beginnings. OPINION may be left
    out if only one waits with the fact. The verdict is a line of bank/evidence.md; deleting the
    line undoes it.

    Examples:
        lorebank inbox --kind evidence
        lorebank evidence f-1a2b3c4d5e against
        lorebank evidence f-1a2b unrelated o-3f2a
        lorebank evidence f-1a2b o-3f2a --undo
    """
    stances = [word for word in rest if word.lower() in list(Stance)]
    if not undo and len(stances) != 1:
        raise UsageError("expected one verdict", hint=" or ".join(Stance))
    pair = " ".join([fact, *(word for word in rest if word not in stances)])
    if not undo:
        return _settle(session, [pair], stances[0].lower(), by)
    with session.bank() as bank:
        taken = bank.unrule([pair], by=by)
    return session.result(taken, render.verdict_lines, key="decisions", undone=True)


def _settle(session: Session, ids: Sequence[str], verdict: str, by: str | None) -> int:
    with session.bank() as bank:
        done = bank.rule(dict.fromkeys(ids, verdict), by=by or getpass.getuser())
    return session.result(done, render.verdict_lines, key="decisions")


@group("proposals", invoke_without_command=True)
@click.pass_context
def proposals(ctx: click.Context) -> None:
    """Short for `lorebank inbox`. Reflect writes them to bank/proposals/: lines for the core
    memory, and with --infer lines for the prose of logs. What you change there before accepting is
    what is accepted.

    Examples:
        lorebank proposals
        lorebank proposals accept p-3f2a
        lorebank proposals reject p-3f2a
    """
    if ctx.invoked_subcommand is None:
        session = ctx.ensure_object(Session)
        with session.bank() as bank:
            session.result(bank.inbox(InboxKind.PROPOSAL), render.inbox_lines)


_ids_argument = click.argument("ids", nargs=-1, required=True, metavar="ID…")


def _ruling(verdict: str, help_text: str) -> None:
    """Add the subcommand that rules so on proposals."""

    def settle(session: Session, ids: tuple[str, ...], by: str | None) -> int:
        return _settle(session, ids, verdict, by)

    proposals.subcommand(verdict, help=help_text)(_ids_argument(_by_option(settle)))


_ruling("accept", "Make the edits that these proposals describe.")
_ruling("reject", "Drop these proposals; they come back only with new evidence.")


@command("confirm")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@option("--source", "A file, or lines of it.", default="", metavar="PATH[#L10[-L20]]")
@option(
    "--all-from",
    "All of an origin.",
    type=click.Choice([origin.value for origin in Origin if not origin.trusted]),
)
@option("--reason", "The reason, written on the line.", default="", metavar="TEXT")
@flag("--undo", "Remove the confirmation again.")
def confirm(session: Session, /, ids: tuple[str, ...], all_from: str | None, **how: Any) -> int:
    """Imported, session and untrusted lines are flagged in recall and ignored by opinions and
    pages. What you confirm counts as your own from then on: a line of bank/confirmed.md records
    it, and deleting that line undoes it.

    Examples:
        lorebank confirm f-1a2b3c4d5e
        lorebank confirm --source memory/imported/ana.md#L12
        lorebank confirm --all-from imported --reason "my own old vault"
        lorebank confirm --source memory/imported/ana.md --undo
    """
    with session.bank() as bank:
        report = bank.confirm(*ids, all_from=all_from or "", **how)
    return session.result(report, render.confirm_lines)


@command("forget")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@option(
    "-e",
    "--entity",
    "All that names it, and its page.",
    default="",
    metavar="NAME",
    shell_complete=complete_entity,
)
@option("--source", "A file, a transcript, or lines of it.", default="", metavar="PATH[#L10[-L20]]")
@option("--match", "Lines with these words; Ann* for a part.", default="", metavar="TEXT")
@option("--before", "Only earlier days; used alone, everything before that day.", metavar="DAY")
@flag("--dry-run", "Show every line that would go; cut nothing.")
@flag("--undo", "undo", "Put back what a run cut: the last, or RUN.")
@flag("--purge", "Delete the undo data; used alone, of all runs.")
@flag("--force", "With --undo: skip notes that changed since.")
def forget(
    session: Session,
    /,
    ids: tuple[str, ...],
    dry_run: bool,
    undo: bool,
    purge: bool,
    force: bool,
    **selection: Any,
) -> int:
    """ID is that of a fact, a passage (n-…) or an opinion (o-…). A fact is cut whole, a list item
    without its nested items, a paragraph only by its matching lines. An empty line remains in
    place of each, so that other citations stay valid. What is cut is kept in .memory/forgotten for
    --undo until --purge deletes it, together with reflect's copies of pages. Git history and host
    transcripts are not edited; bank/forgotten.md makes lorebank ignore them.

    Examples:
        lorebank forget f-1a2b3c4d5e --dry-run
        lorebank forget --entity Peter
        lorebank forget --source memory/2025-11-27.md#L12-L14
        lorebank forget --source sessions/3f1c2a9e.jsonl
        lorebank forget --match "the old address" --purge
        lorebank forget --undo
        lorebank forget --purge
    """
    chosen = any(selection.values())
    with session.bank() as bank:
        if undo or (purge and not ids and not chosen):
            if chosen or dry_run or len(ids) > 1 or (undo and purge):
                raise UsageError("--undo and --purge take the name of a run and nothing else")
            run = ids[0] if ids else None
            if undo:
                return session.result(bank.undo_forget(run, force=force), undo_lines)
            return session.result(bank.purge_forgotten(run), render.purge_lines)
        report = bank.forget(*ids, dry_run=dry_run, purge=purge, **selection)
    notes = status_problem_lines(session.error_look, report.problems) if report.problems else ()
    session.result(report, render.forget_lines, notes=notes)
    return 0 if report.is_done else FOUND
