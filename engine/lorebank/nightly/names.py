"""Decisions about names: one line of `bank/identity.md` written or taken off, with its pages.

A decision is refused where the ledger would contradict itself; what already stands is not written
twice. Taking a line off undoes it exactly: who is who is worked out from the lines that are left.

The page of a merged name moves into the page of the name that stays, under a heading that names its
origin, and goes back byte for byte (`markdown.entity_page`) when the ledger line is deleted:
nothing that a person wrote is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation, Diagnostic, Mention
from lorebank.domain.judgments import LedgerChange
from lorebank.domain.reports import ReflectReport
from lorebank.errors import NotFound, UsageError, WorkspaceError
from lorebank.index.reading import ledger_rows
from lorebank.index.sync import gc_paused
from lorebank.language.folding import slugify
from lorebank.markdown.entity_page import find_moved, move_in, take_out
from lorebank.markdown.ledger import (
    Ledger,
    LedgerAction,
    LedgerEntry,
    add_entry,
    format_entry,
    parse_ledger,
    without_lines,
)
from lorebank.names import entities
from lorebank.names.resolve import Decision, resolve_names, rule
from lorebank.names.who import resolve_name
from lorebank.pages.edits import PageEdit, read_pages
from lorebank.records import Record
from lorebank.workspace.git import unified
from lorebank.workspace.layout import IDENTITY_PAGE
from lorebank.workspace.paths import read_text_file
from lorebank.workspace.run_store import Change, apply_change

_NEW_LEDGER = "# Identity\n\n"
_HARMLESS = frozenset({"identity-unknown-name"})


def decision_entry(
    action: LedgerAction | str, names: Sequence[str], today: date, reason: str = ""
) -> LedgerEntry:
    """A decision about names as written; the last name is the one that stays (`merge Bob Robert`),
    `distinct` and `dismiss` have no direction. `UsageError` for what is no decision."""
    try:
        action = LedgerAction(action.lower())
    except ValueError:
        hint = f"one of {', '.join(LedgerAction)}"
        raise UsageError(f"no decision {action!r}", hint=hint) from None
    bare = (n.strip().removeprefix("@").removeprefix("[[").removesuffix("]]") for n in names)
    mentions = tuple(Mention(name, slugify(name)) for name in (" ".join(b.split()) for b in bare))
    for name, mention in zip(names, mentions, strict=True):
        if not mention.slug:
            raise UsageError(f"{name!r} is no name")
    may_be_one = action in (LedgerAction.SPLIT, LedgerAction.DISMISS)
    wanted = "one or two names" if may_be_one else "two names"
    alone = may_be_one and len(mentions) == 1
    if not alone and len(mentions) != 2:
        raise UsageError(
            f"{action.value} needs {wanted}", hint=f"lorebank entity {action.value} -h"
        )
    same = len({mention.slug for mention in mentions}) < len(mentions)
    if same and (action is not LedgerAction.RENAME or mentions[0].name == mentions[1].name):
        raise UsageError(f"{names[0]!r} and {names[1]!r} are one name already")
    return LedgerEntry(action, mentions, today, " ".join(reason.split()), Citation("", 0, 0))


@gc_paused()
def decide(
    connection: Connection,
    root: Path,
    entry: LedgerEntry,
    *,
    undo: bool = False,
    dry_run: bool = False,
) -> LedgerChange:
    """The caller holds the lock, has synced, and syncs afterwards. Raises as `decision_entry`."""
    entry, page, ledger = _plan_line(connection, root, entry, undo)
    uses, standing = entities.name_uses(connection), entities.decisions(connection)
    rows = [
        row for e in ledger.entries for row in ledger_rows(e) if row.action != entities.SPELLING
    ]
    planned = [
        *(decision for decision in standing if decision.path != IDENTITY_PAGE),
        *(Decision(row.action, row.slug, row.target, IDENTITY_PAGE, row.line) for row in rows),
    ]
    before, after = resolve_names(uses, standing), resolve_names(uses, planned)
    moves = plan_page_moves(root, entities.page_moves(connection, after))
    edits = [edit for edit in (page, *moves.edits) if edit.changes]
    if not dry_run:
        write_page_edits(root, edits)
    slugs = [name.slug for name in entry.names]
    was, now = (
        # Each once; none for a name not known yet.
        tuple(dict.fromkeys(r.entity_of[slug] for slug in slugs if slug in r.entity_of))
        for r in (before, after)
    )
    return LedgerChange(
        line=format_entry(entry).removeprefix("- "),
        changed=tuple(edit.path for edit in edits),
        patch="".join(unified(edit.old, edit.new, edit.path) for edit in edits),
        dry_run=dry_run,
        before=was,
        after=now,
        problems=moves.problems,
    )


def _plan_line(
    connection: Connection, root: Path, entry: LedgerEntry, undo: bool
) -> tuple[LedgerEntry, PageEdit, Ledger]:
    """The decision, the edit of the ledger, which changes nothing where the line stands, and what
    the ledger then says."""
    data = read_text_file(root, IDENTITY_PAGE).data
    old = None if data is None else data.decode("utf-8")
    text = _NEW_LEDGER if old is None else old
    ledger = parse_ledger(text, IDENTITY_PAGE)
    standing = [e for e in ledger.entries if _same(e, entry)]
    if undo:
        if not standing:
            line = format_entry(entry).removeprefix("- ").split(" (")[0]
            raise NotFound(
                f"no line of {IDENTITY_PAGE} says: {line}",
                hint="a line that names more than these is taken off by hand",
            )
        less = without_lines(text, [e.citation for e in standing])
        page = PageEdit(IDENTITY_PAGE, old, None if less == _NEW_LEDGER else less)
        return standing[-1], page, parse_ledger(less, IDENTITY_PAGE)
    if standing:
        return standing[-1], PageEdit(IDENTITY_PAGE, old, old), ledger
    _check(connection, entry, text)
    try:
        new, ledger = add_entry(text, entry, ledger, IDENTITY_PAGE)
        return entry, PageEdit(IDENTITY_PAGE, old, new), ledger
    except ValueError as problem:
        raise WorkspaceError(f"{IDENTITY_PAGE}: {problem}", hint="mend the file") from problem


def _same(one: LedgerEntry, other: LedgerEntry) -> bool:
    if one.action is not other.action:
        return False
    mine, theirs = ([name.slug for name in e.names] for e in (one, other))
    if one.action is LedgerAction.RENAME:
        return [name.name for name in one.names] == [name.name for name in other.names]
    if one.action in (LedgerAction.DISTINCT, LedgerAction.DISMISS):
        return len(mine) == len(theirs) and set(mine) == set(theirs)
    return mine == theirs


def _check(connection: Connection, entry: LedgerEntry, text: str) -> None:
    """Refuse a line that names nobody, contradicts the ledger, or makes names go in a circle."""
    used = frozenset(use.slug for use in entities.name_uses(connection))
    before = entities.decisions(connection)
    pages = {d.slug for d in before if d.action == "page"}
    listed = {d.slug for d in before} | {d.target for d in before}
    must_be = {LedgerAction.ALIAS: entry.names[-1:], LedgerAction.RENAME: entry.names[:1]}
    for name in must_be.get(entry.action, entry.names):
        if name.slug not in used | pages | listed:
            near = entities.nearest_names(connection, name.name)
            hint = f"nearest: {', '.join(near)}" if near else "`lorebank entity` lists them"
            raise NotFound(f"no entity {name.name!r}", hint=hint)
    if entry.action is LedgerAction.RENAME and entry.names[1].slug in used | pages:
        old, new = entry.names
        if resolve_name(connection, old.name).entity != resolve_name(connection, new.name).entity:
            raise UsageError(
                f"there is an entity {new.name!r} already; nothing was written",
                hint=f"`lorebank entity merge {old.name!r} {new.name!r}` makes the two one",
            )
    line = text.count("\n") + 2
    *others, target = entry.names
    target_slug = target.slug if others else ""
    fresh = [
        Decision(entry.action.value, name.slug, target_slug, IDENTITY_PAGE, line)
        for name in (others or [target])
    ]
    known = {(p.path, p.line, p.code) for p in rule(before, used).problems}
    for problem in rule([*before, *fresh], used).problems:
        if (
            problem.code not in _HARMLESS
            and (problem.path, problem.line, problem.code) not in known
        ):
            where = "" if problem.line == line else f" ({problem.path}:{problem.line})"
            raise UsageError(
                f"{problem.message}{where}; nothing was written",
                hint=f"take back what is against it first: see {IDENTITY_PAGE}",
            )


class PlannedMoves(Record):
    """The page edits that put every page where the ledger wants it, in the order of writing: a
    text stands in its new place before it leaves the old one."""

    edits: tuple[PageEdit, ...]
    problems: tuple[Diagnostic, ...]

    def merged_into(self, report: ReflectReport) -> ReflectReport:
        """A run's report with these moves; of a run that was not dry they are in it already."""
        edits = self.edits if report.dry_run else ()
        paths = [edit.path for edit in edits]
        patch = "".join(unified(edit.old, edit.new, edit.path) for edit in edits)
        return replace(
            report,
            changed=tuple(dict.fromkeys([*paths, *report.changed])),
            patch=patch + report.patch,
            problems=(*self.problems, *report.problems),
        )


def plan_page_moves(root: Path, moves: Sequence[entities.PageMove]) -> PlannedMoves:
    """Plan the moves on the pages as they are now; a page that cannot be read stays where it is."""
    wanted = {path for move in moves for path in (move.path, move.home)}
    pages, odd = read_pages(root, wanted)
    problems = list(odd)
    old = dict.fromkeys(wanted - {problem.path for problem in odd}) | {
        path: page.data.decode("utf-8") for path, page in pages.items()
    }
    new: dict[str, str | None] = dict(old)
    written: list[str] = []
    for move in moves:
        if move.path in new and move.home in new:
            reason = _move_back(move, new) if move.back else _move(move, new)
            if reason:
                problems.append(Diagnostic(move.path, 0, "page-not-moved", reason))
            else:
                order = (move.path, move.home) if move.back else (move.home, move.path)
                written += [path for path in order if path not in written]
    edits = tuple(PageEdit(path, old[path], new[path]) for path in written)
    return PlannedMoves(tuple(edit for edit in edits if edit.changes), tuple(problems))


def write_page_edits(root: Path, edits: Sequence[PageEdit]) -> None:
    """Write the pages in order, each only over what it was planned from."""
    for edit in edits:
        apply_change(root / edit.path, Change.of_texts(edit.old, edit.new))


def _move(move: entities.PageMove, pages: dict[str, str | None]) -> str:
    """Returns why the page cannot be moved."""
    text, home = pages[move.path], pages[move.home]
    if text is None or home is None:
        return "" if text is None else f"{move.home} is gone"
    inside = _inside(home, move.path)
    if inside is None:
        pages[move.home] = move_in(home, move.path, text, title=move.title)
    elif inside != text:
        return f"another text of it stands in {move.home} already; make one of the two"
    pages[move.path] = None
    return ""


def _move_back(move: entities.PageMove, pages: dict[str, str | None]) -> str:
    """Returns why the page cannot be taken out."""
    home = pages[move.home]
    if home is None or _inside(home, move.path) is None:
        return ""
    rest, text = take_out(home, move.path)
    present = pages[move.path]
    if present is not None and present != text:
        return f"its text stays in {move.home}: a new page has its place by now"
    pages[move.path], pages[move.home] = text, rest
    return ""


def _inside(home: str, path: str) -> str | None:
    return next((moved.text for moved in find_moved(home) if moved.path == path), None)
