"""What the owner lets in and lets go: confirming, forgetting."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from lorebank.app.conversations import conversations, sync_sessions
from lorebank.app.workspace import Day, OpenWorkspace, rebuild_index_if_corrupt
from lorebank.domain.reports import ConfirmReport, ForgetReport, PurgeReport, UndoReport
from lorebank.errors import NotFound
from lorebank.forgetting.forget import Forgetting
from lorebank.forgetting.selection import Order
from lorebank.forgetting.undo import purge, restore
from lorebank.forgetting.undo import purge as purge_kept
from lorebank.index.items import load_facts
from lorebank.language.folding import slugify
from lorebank.recall.filters import parse_day
from lorebank.trust.confirmations import (
    Choice,
    chosen,
    format_confirmation,
    take_back,
    write_confirmations,
)
from lorebank.trust.quarantine import quarantined_items
from lorebank.workspace.layout import FORGOTTEN_PAGE
from lorebank.workspace.lock import WriterLock


@rebuild_index_if_corrupt
def confirm(
    ws: OpenWorkspace,
    *ids: str,
    source: str = "",
    all_from: str = "",
    reason: str = "",
    undo: bool = False,
    now: date | None = None,
) -> ConfirmReport:
    """Vouch for what is in quarantine: facts or passages by id, a file or lines of it
    (`source`), or all of an origin (`all_from="imported"`); a line of `bank/confirmed.md` each.

    From then on it counts like the owner's own word. `undo` takes the lines off again, which
    restores exactly what was before. Raises `NotFound` for what no note says.
    """
    ws.refuse_in_group("what the bank lets in and lets go")
    choice = Choice(ids, source, all_from)
    with WriterLock(ws.root):
        ws.sync_files()
        before = quarantined_items(ws.index)
        lines = chosen(ws.index, choice, day=ws.day(now), reason=reason)
        places = () if undo else write_confirmations(ws.root, lines)
        if undo:
            take_back(ws.root, lines)
        ws.sync_files()
    moved = before ^ quarantined_items(ws.index)
    facts = load_facts(ws.index, moved)
    return ConfirmReport(
        line="\n".join(format_confirmation(line).removeprefix("- ") for line in lines),
        source=places[0][1] if places else None,
        facts=facts,
        passages=len(moved) - len(facts),
    )


@rebuild_index_if_corrupt
def forget(
    ws: OpenWorkspace,
    *ids: str,
    entity: str = "",
    source: str = "",
    match: str = "",
    before: Day = None,
    dry_run: bool = False,
    purge: bool = False,
    now: date | None = None,
) -> ForgetReport:
    """Cut lines out of the notes, of the pages made of them and of the index; see
    `ForgetReport`.

    What goes: facts, passages or opinions by id; all that names an `entity`, with its page; a
    file or lines of it (`source`); every line that holds a text (`match`). `before` narrows
    that to notes of earlier days; alone, it means those notes. With `dry_run` nothing is
    written. What is cut is kept for `undo_forget` until it is purged: at once with `purge`.

    Where transcripts are read, so goes what was said in them, but by id: they themselves are
    left as they are, and lines of `bank/forgotten.md` keep them from being read again.
    """
    ws.refuse_in_group("what the bank lets in and lets go")
    today = ws.day(now)
    day = parse_day(before, today, "before")
    with WriterLock(ws.root):
        ws.sync_files()
        forgetting = open_forgetting(ws)
        resumed = () if dry_run else forgetting.resume()
        try:
            named = _named_to_forget(ws, entity, forgetting) if entity else ("", (), "")
        except NotFound:
            if not resumed:
                raise
            named = (slugify(entity), (entity,), "")  # forgotten by the run just resumed
        order = Order(ids, *named, source=source, match=match, before=day)
        order.check()
        if dry_run:
            return forgetting.preview(order)
        report = forgetting.forget(order, today=today, resumed=resumed)
        if purge and report.run:
            report = replace(report, purged=purge_kept(ws.root, report.run))
    return report


@rebuild_index_if_corrupt
def undo_forget(ws: OpenWorkspace, run: str | None = None, *, force: bool = False) -> UndoReport:
    """Give the notes of a run (the last where `None`) their lines back, byte for byte.

    Raises `NotFound` where nothing is kept of it, `ConcurrentEdit` where a note was changed
    since, other than by appending; with `force` such notes are left alone and named.
    """
    with WriterLock(ws.root):
        report = restore(ws.root, run, force=force)
        ws.sync_files()
        if FORGOTTEN_PAGE in report.restored:
            sync_sessions(ws, force=True)
    return report


def purge_forgotten(ws: OpenWorkspace, run: str | None = None) -> PurgeReport:
    """Drop what is kept of forgotten lines, of one run or of all; there is no way back then."""
    with WriterLock(ws.root):
        ws.sync_files()
        open_forgetting(ws).resume()
        return purge(ws.root, run)


def _named_to_forget(
    ws: OpenWorkspace, name: str, forgetting: Forgetting
) -> tuple[str, tuple[str, ...], str]:
    """Slug, names and page of an entity; conversations may name one that no note does."""
    try:
        known = ws.find_entity(name)
    except NotFound:
        spoken = forgetting.conversations
        if spoken is None or not spoken.name(name):
            raise
        return slugify(name), (name,), ""
    return known.slug, (known.name, *known.aliases), known.page or ""


def open_forgetting(ws: OpenWorkspace) -> Forgetting:
    return Forgetting(
        lambda: ws.index,
        ws.root,
        files=lambda: ws.walk().files,
        sync=ws.sync_files,
        cache=ws.cache_path(),
        conversations=conversations(ws),
    )
