"""Keeping a workspace: its index, its templates, imports and exports."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from lorebank.app.conversations import export_transcripts, session_state, sync_sessions, transcripts
from lorebank.app.questions import fallbacks, signals
from lorebank.app.workspace import (
    Day,
    OpenWorkspace,
    Progress,
    checked_keywords,
    with_vocabulary_table,
)
from lorebank.beliefs import materialise
from lorebank.database import connection
from lorebank.domain.facts import Diagnostic, Fact, FactKind, OpinionStatus, SyncReport
from lorebank.domain.judgments import Directive
from lorebank.domain.reports import Status
from lorebank.errors import NotFound, NotWritable
from lorebank.forgetting.undo import interrupted
from lorebank.index.items import facts_by_time
from lorebank.index.status import differences, file_problems, index_counts, refused_texts
from lorebank.index.sync import stale_paths, sync_files
from lorebank.index.vectors import damage_of_vectors, damaged_vectors
from lorebank.names.entities import list_entities
from lorebank.pages.standing_pages import read_directives, read_standing_pages
from lorebank.recall.filters import parse_day
from lorebank.retain.kinds import parse_kind
from lorebank.templates.pack import MANIFEST, init_workspace, pack_files, read_manifest, write_pack
from lorebank.workspace.layout import DIRECTIVES_PAGE, ensure_derived_folder
from lorebank.workspace.run_store import has_interrupted

if TYPE_CHECKING:
    from lorebank.exchange.exporting import ExportReport
    from lorebank.exchange.importing import ImportReport


def sync(
    ws: OpenWorkspace, *, full: bool = False, embed: bool = True, progress: Progress | None = None
) -> SyncReport:
    """Bring the index up to date with the files; `full` reads every file again.

    So are transcripts, where the settings name them, however little was added to them.

    The lexical index is complete before the first text is embedded, so that a recall in
    another process never waits for a model.
    """
    if damage := _damage(ws):
        ws.replace_index(connection.DamagedIndex[0](damage[0]))
    if has_interrupted(ws.root):
        with ws.writing():
            pass
    reading = connection.read_meta(ws.index, "reading")
    if ws.in_memory:
        raise NotWritable(ws.in_memory, hint="make .memory writable, or free some space")
    if reading not in (None, ws.read_settings.fingerprint()):
        ws.say("headings or chunk sizes changed: every file is read again")
    report = ws.sync_files(full=full, progress=progress).with_sessions(
        sync_sessions(ws, force=True, full=full, progress=progress)
    )
    if not embed:
        return replace(report, pending=ws.meaning.pending(ws.index))
    embedded = ws.meaning.embed(ws.index, progress=progress)
    ws.embed_pending_statements()
    if ws.sidecar is not None:
        if ws.sidecar.sessions_folder is not None:
            export_transcripts(ws, transcripts(ws))
        ws.sidecar.refresh(progress)
    problem, remedy = ws.meaning.trouble(ws.index)
    return replace(
        report,
        problems=(*report.problems, *refused_texts(ws.index)),
        embedded=embedded,
        pending=ws.meaning.pending(ws.index),
        embedder_problem=problem,
        embedder_remedy=remedy,
    )


def _damage(ws: OpenWorkspace) -> tuple[str, ...]:
    try:
        found = connection.integrity_problems(ws.index)
        if not found and (count := damaged_vectors(ws.index)):
            found = (f"damaged: {damage_of_vectors(count)}",)
        return found
    except connection.IndexProblem as problem:
        if not connection.is_damage(problem):
            raise
        return (f"damaged: {problem}",)


def catch_up(ws: OpenWorkspace) -> SyncReport:
    """What a program of long life does in the background: sync what changed, read transcripts
    on, embed what is new."""
    report = ws.sync_files()
    if ws.sidecar is None:  # which has timers of its own
        report = report.with_sessions(sync_sessions(ws))
    embedded = ws.meaning.embed(ws.index, thorough=True)
    ws.embed_pending_statements()
    pending = ws.meaning.pending(ws.index)
    return replace(report, embedded=embedded, pending=pending)


def check(ws: OpenWorkspace) -> tuple[str, ...]:
    """Differences between the index and one rebuilt from the files; empty where it is sound."""
    from tempfile import TemporaryDirectory

    damage = _damage(ws)
    if damage:
        return damage
    ws.embed_pending_statements()
    with TemporaryDirectory() as folder:
        fresh = with_vocabulary_table(connection.open_index(Path(folder) / "index.sqlite"))
        try:
            sync_files(fresh, ws.root, ws.walk, ws.read_settings)
            materialise.refresh_opinions(fresh, ws.root, None, ws.config.reflect, ws.vectors_of)
            return differences(ws.index, fresh)
        finally:
            fresh.close()


def status(ws: OpenWorkspace) -> Status:
    """What is indexed, with what, how fresh, and what is wrong."""
    found = ws.walk()
    stale = stale_paths(ws.index, ws.root, found)
    synced_at = connection.read_meta(ws.index, "synced_at")
    files = "1 file" if len(stale) == 1 else f"{len(stale)} files"
    state = "changed since the last sync" if synced_at else "found, none indexed yet"
    turns, session_problems = session_state(ws)
    problems = sorted(
        {*file_problems(ws.index), *found.problems, *session_problems},
        key=lambda p: (p.path, p.line, p.code, p.message),
    )
    if ws.in_memory:
        problems.insert(0, Diagnostic(str(ws.index_path), 0, "index-in-memory", ws.in_memory))
    about = None if ws.sidecar is None else ws.sidecar.describe(ws.index)
    problems[:0] = [
        *(found for *_, found in interrupted(ws.root)),
        *refused_texts(ws.index),
        *fallbacks(ws),
    ]
    if reason := getattr(ws.reranker, "problem", ""):
        problems.insert(0, Diagnostic("reranker", 0, "reranker-silent", reason))
    reports = sorted((ws.root / "bank" / "reflections").glob("????-??-??.md"))
    status = Status(
        workspace=str(ws.root),
        fresh=not stale,
        stale_reason=f"{files} {state} ({stale[0]}): run `lorebank index`" if stale else "",
        synced_at=synced_at,
        counts=index_counts(ws.index) | turns,
        embedder=ws.meaning.describe(ws.index),
        vector_search=ws.vectors.describe(),
        signals=signals(ws),
        index_bytes=ws.index_path.stat().st_size if ws.index_path.exists() else 0,
        last_reflection=reports[-1].stem if reports else None,
        problems=tuple(problems),
        directives=directives(ws),
        rules_alone=ws.rules_alone,
        form=ws.form,
    )
    return status if about is None else replace(status, backend=about.pop("engine"), sidecar=about)


def directives(ws: OpenWorkspace) -> tuple[Directive, ...]:
    """The owner's hard rules, one a list item of `bank/directives.md`, in their order."""
    return read_directives(ws.root)


def import_template(ws: OpenWorkspace, source: str, *, dry_run: bool = False) -> tuple[str, ...]:
    """Lay what a template brings and this workspace has not into it; returns these paths.

    `source` as in `init`. Nothing is overwritten; with `dry_run` nothing is written.
    """
    ensure_derived_folder(ws.root)
    with nullcontext() if dry_run else ws.writing():
        return tuple(init_workspace(ws.root, source, dry_run=dry_run))


def export_template(
    ws: OpenWorkspace,
    name: str,
    target: str | Path,
    *,
    title: str = "",
    description: str = "",
    directives: bool = False,
    dry_run: bool = False,
) -> tuple[str, ...]:
    """Write this workspace's standing questions as a template: a folder, or a zip by its name.

    Questions and their settings only, never an answer or a note; the directives where asked
    for. Returns the paths within the template. Raises `WorkspaceError` where `target` is taken.
    """
    pages, _ = read_standing_pages(ws.root)
    files = {DIRECTIVES_PAGE: (ws.root / DIRECTIVES_PAGE).read_bytes()} if directives else {}
    if not pages and not files:
        raise NotFound("no page of this workspace asks a question", hint="see lorebank template -h")
    shown = title or name.replace("-", " ").capitalize()
    told = description or f"{len(pages)} standing questions."
    pack = pack_files(name, shown, told, pages, files)
    read_manifest(pack[MANIFEST], MANIFEST)  # refuses what no import would take
    if not dry_run:
        write_pack(Path(target).expanduser(), pack)
    return tuple(pack)


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
    from lorebank.exchange.importing import import_source

    given = Path(source).expanduser()
    with nullcontext() if dry_run else ws.writing():
        report = import_source(ws.root, ws.config, given, form=form, name=name, dry_run=dry_run)
    if not dry_run:
        ws.sync_files()
    return report


class ExportKeywords(TypedDict, total=False):
    """Which facts are exported; see `Bank.export`."""

    entity: str | None
    """Only those that name it."""
    kinds: Sequence[FactKind | str]
    since: Day
    quarantined: bool
    """Include what is in quarantine."""
    now: date | None


def export(
    ws: OpenWorkspace,
    form: str = "jsonl",
    target: str | Path | None = None,
    *,
    force: bool = False,
    **which: Unpack[ExportKeywords],
) -> ExportReport:
    """Write facts as `jsonl` or `csv`, or the bank as `markdown` pages or a `site` of HTML.

    Tables come back as `ExportReport.text` without a `target`. The facts are those of an `entity`,
    of these `kinds`, `since` a day; what is in quarantine stays unless `quarantined`, private text
    is in no export. `WorkspaceError` where the target holds anything, unless `force`.
    """
    from lorebank.exchange.exporting import export_bank

    which = checked_keywords("export", which, ExportKeywords)
    now, slug = which.get("now"), ws.slug_of(which.get("entity"))
    kinds = set(filter(None, map(parse_kind, which.get("kinds", ())))) or set(FactKind)
    since = parse_day(which.get("since"), ws.day(now), "since")

    def is_recent(fact: Fact) -> bool:
        last = (fact.occurred and fact.occurred.end) or fact.recorded
        return since is None or (last is not None and last >= since)

    facts = facts_by_time(ws.index, entity=slug, interval=None)[::-1]
    opinions = ws.opinions(slug, None, now) if FactKind.OPINION in kinds else ()
    return export_bank(
        form,
        [fact for fact in facts if fact.kind in kinds and is_recent(fact)],
        list_entities(ws.index),
        [opinion for opinion in opinions if opinion.status is OpinionStatus.LIVE],
        quarantined=which.get("quarantined", False),
        target=None if target is None else Path(target).expanduser(),
        force=force,
    )
