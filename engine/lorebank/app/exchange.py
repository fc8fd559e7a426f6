"""What comes in from other programs, and what goes out to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from lorebank.app.workspace import Day, OpenWorkspace, rebuild_index_if_corrupt
from lorebank.domain.facts import FactKind, OpinionStatus
from lorebank.exchange.exporting import ExportFilter, ExportReport, export_bank
from lorebank.exchange.importing import ImportReport, import_source
from lorebank.index.items import facts_by_time
from lorebank.names.entities import list_entities
from lorebank.recall.filters import parse_day
from lorebank.retain.kinds import parse_kind
from lorebank.workspace.lock import WriterLock


def import_notes(
    ws: OpenWorkspace,
    source: str | Path,
    *,
    form: str | None = None,
    name: str = "",
    dry_run: bool = False,
) -> ImportReport:
    """Bring in an Obsidian vault, a Logseq graph, an export of ChatGPT or Claude, a folder of
    basic-memory, or JSONL; `form` is detected from the content unless given.

    Everything lies in `memory/imported/<form>/<name>` and is in quarantine until confirmed. A
    second import changes nothing; a changed source updates the files nobody has edited here.
    Raises `NotFound`, `WorkspaceError` or `UsageError` where the source cannot be read at all.
    """
    path = Path(source).expanduser()
    if dry_run:
        return import_source(ws.root, ws.config, path, form=form, name=name, dry_run=True)
    with WriterLock(ws.root):
        report = import_source(ws.root, ws.config, path, form=form, name=name)
    ws.sync_files()
    return report


@rebuild_index_if_corrupt
def export(
    ws: OpenWorkspace,
    form: str = "jsonl",
    target: str | Path | None = None,
    *,
    entity: str | None = None,
    kinds: Sequence[FactKind | str] = (),
    since: Day = None,
    quarantined: bool = False,
    force: bool = False,
    now: date | None = None,
) -> ExportReport:
    """Write facts as `jsonl` or `csv`, or the bank as `markdown` pages or a `site` of HTML.

    Tables come back as `ExportReport.text` without a `target`. What is in quarantine stays
    unless `quarantined`; private text is in no export. `WorkspaceError` where the target holds
    anything, unless `force`.
    """
    ws.freshen()
    slug = ws.slug_of(entity)
    wanted = ExportFilter(
        kinds=tuple(found for kind in kinds if (found := parse_kind(kind)) is not None),
        since=parse_day(since, ws.day(now), "since"),
        quarantined=quarantined,
    )
    opinions = ws.opinions(slug, None, now)
    return export_bank(
        form,
        facts_by_time(ws.index, entity=slug, interval=None)[::-1],
        list_entities(ws.index),
        [opinion for opinion in opinions if opinion.status is OpinionStatus.LIVE],
        wanted=wanted,
        target=None if target is None else Path(target).expanduser(),
        force=force,
    )
