"""`lorebank reflect`: bring the pages of the bank up to date from the facts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import command, flag, option
from lorebank.cli.session import FOUND, Session, ask_key, edit_source, write
from lorebank.errors import UsageError
from lorebank.nightly.hunks import Change, changes_of
from lorebank.render.reports import (
    PAGE_SKIPPED,
    change_lines,
    patch_lines,
    reflect_lines,
    reflect_log_line,
    undo_lines,
)
from lorebank.schedule.job import note_run

if TYPE_CHECKING:
    from lorebank.app.bank import Bank

INCOMPLETE = 1
LAST = "last"
_AGAIN = (
    "the next run makes the same changes again, unless their evidence changes or you reject them:"
    " lorebank reflect -i"
)
_VERDICTS = {
    "yes": "make this change, in all its places",
    "no": "leave it out, now and until its evidence changes",
    "skip": "leave it for another time",
    "edit": "open the line behind it in your editor, then ask again",
    "diff": "show its places as they will read, in your pager",
    "quit": "stop here; what you accepted is written",
}
_FAILURE_CODES = frozenset(
    {PAGE_SKIPPED, "vanish-limit", "page-busy", "page-unwritable", "run-lost", "not-committed"}
)


@command("reflect")
@option("--since", "Only entities with facts from that day on.", metavar="DAY")
@option("--date", "day", "The day to reflect on; default: today.", metavar="DAY")
@flag("--dry-run", "Report what would change; write nothing.")
@flag("--diff", "Print the patch instead of the summary.")
@flag("--check", "Write nothing; exit with 6 if something would change.")
@flag("-i", "--interactive", "Decide change by change.")
@flag("--hunks", "With -i: decide page by page, hunk by hunk.")
@option("--accept", "Make only these changes.", metavar="HUNK", multiple=True)
@option("--reject", "Leave these out, now and later.", metavar="HUNK", multiple=True)
@flag("--force", "Ignore the reflect.max_vanish limit.")
@flag("--commit", "Make one git commit of the pages written.")
@option(
    "--undo",
    "Undo a run, byte for byte; default: the last.",
    metavar="RUN",
    is_flag=False,
    flag_value=LAST,
)
@flag("--infer", "Suggest retain lines from the prose of logs.")
def reflect(session: Session, /, check: bool, diff: bool, **options: Any) -> int:
    """Entity pages, opinions and a journal page, written between markers; what you wrote around
    them stays. Where nothing is new, no file is touched. A rejected change stays away until its
    evidence changes; `bank/reflections/rejected.md` lists such changes. With --quiet, as
    schedulers use it, a run prints one line for a log. Exit code 1: a page could not be written.

    Examples:
        lorebank reflect --dry-run
        lorebank reflect --since 7d
        lorebank reflect --diff --dry-run > tonight.patch
        lorebank reflect --interactive
        lorebank reflect --undo
        lorebank reflect --date 2025-12-01
        lorebank reflect --infer
    """
    undo = options.pop("undo")
    if undo is not None and (check or diff or any(options[k] for k in options.keys() - {"force"})):
        raise UsageError("--undo takes only the name of a run and --force")
    with session.bank() as bank:
        if undo is not None:
            undone = bank.undo_reflect(None if undo == LAST else undo, force=options["force"])
            session.result(undone, undo_lines, notes=[_AGAIN])
            return INCOMPLETE if undone.kept else 0
        interactive = options.pop("interactive")
        options["dry_run"] = options["dry_run"] or check
        accept = options.pop("accept") or None
        by_hunk = options.pop("hunks")
        if interactive:
            accept, rejected = _review(session, bank, options, by_hunk=by_hunk)
            options["reject"] = (*options["reject"], *rejected)
        report = bank.reflect(accept=accept, **options)
    if options["since"] is None and options["day"] is None and not report.dry_run:
        session.reflected = True  # a schedule that waited has missed nothing any more
        if session.opened is not None:
            note_run(session.opened, session.moment)
    failures = [problem for problem in report.problems if problem.code in _FAILURE_CODES]
    if session.json:
        session.show_json(report.to_dict())
    elif session.quiet and not diff and not report.dry_run:
        session.show([reflect_log_line(report, session.moment)])
        write(session.error_look.problems(failures), sys.stderr)
        return INCOMPLETE if failures else 0
    else:
        look = session.error_look if diff else session.look
        summary = reflect_lines(look, report, everything=session.verbose)
        session.show(patch_lines(session.look, report.diff()) if diff else summary)
        session.note(summary if diff else ())
        session.note(session.error_look.problems(report.problems))
    if check and report.changed:
        return FOUND
    return INCOMPLETE if any(p.code != PAGE_SKIPPED for p in failures) else 0


def _review(
    session: Session, bank: Bank, options: dict[str, Any], *, by_hunk: bool
) -> tuple[tuple[str, ...], list[str]]:
    """Ask until every change is decided, or the user quits: the hunks accepted and rejected.

    Nothing is locked meanwhile: a change that differs by the end is left for the next time.
    """
    if not session.can_ask:
        hint = "name hunks with --accept and --reject; --dry-run --json lists them"
        raise UsageError("--interactive needs a terminal", hint=hint)
    decided: dict[str, list[str]] = {"yes": [], "no": [], "skip": []}
    taken: set[str] = set()  # entities with all changes accepted

    def plan() -> list[Change]:
        known = {id_ for ids in decided.values() for id_ in ids}
        hunks = bank.reflect(**{**options, "dry_run": True}).hunks
        hunks = tuple(hunk for hunk in hunks if hunk.id not in known)
        groups = [[hunk] for hunk in hunks] if by_hunk else [hunks]
        return [change for group in groups for change in changes_of(group)]

    changes, number = plan(), 0
    while number < len(changes):
        change = changes[number]
        verdict = "yes"
        if taken.isdisjoint(change.about):
            session.show(["", *change_lines(session.look, change)])
            all_else = {"all": f"make it, and all else about {', '.join(change.about)}"}
            verdicts = _VERDICTS | (all_else if change.about else {})
            verdict = ask_key(session, f"{number + 1} of {len(changes)}", verdicts)
        if verdict == "quit":
            break
        if verdict == "edit":
            edit_source(session, bank.root, change.source or change.hunks[0].path)
            changes, number = plan(), 0
            continue
        if verdict == "diff":
            click.echo_via_pager("\n\n".join(f"{h.path}\n{h.shown}" for h in change.hunks))
            continue
        if verdict == "all":
            taken.update(change.about)
            verdict = "yes"
        decided[verdict] += [hunk.id for hunk in change.hunks]
        number += 1
    return tuple(decided["yes"]), decided["no"]
