"""One reflect run: read, plan, show as a patch, write page by page, keep a journal.

Every page is written atomically and only if it still is what was read; one that changed meanwhile
is read and planned again. A run that is killed leaves whole pages, and is completed before the next
one begins (`under_way`). A night on which no page changes writes nothing, no journal either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from functools import cached_property
from pathlib import Path

from lorebank.beliefs.nearness import VectorsOf
from lorebank.beliefs.unsure import unsure_queue
from lorebank.database.connection import Connection
from lorebank.domain import Diagnostic, Hunk, OpenPair, ReflectReport
from lorebank.generation.kept import KeptAnswers, ModelInRun
from lorebank.generation.writing import Writer
from lorebank.index.items import item_places, recorded_since
from lorebank.index.sync import known_hash
from lorebank.markdown.headings import RETAIN_HEADINGS
from lorebank.markdown.opinion_page import OPINIONS_PATH
from lorebank.markdown.proposal_pages import PROPOSAL_PAGES
from lorebank.nightly.hunks import (
    REJECTED_PATH,
    hunks_of,
    parse_rejections,
    with_rejections,
    without_hunks,
)
from lorebank.nightly.journal import journal_entry, journal_path, moved_opinions
from lorebank.nightly.proposals import Proposing, plan_proposal_edits, read_core_memory
from lorebank.nightly.suggest import suggest_lines
from lorebank.nightly.under_way import complete, refuse_linked_bank, write_pages
from lorebank.nightly.undo import RunRecord, next_run, undo_store
from lorebank.pages.content import read_content
from lorebank.pages.digests import TODAY_PATH
from lorebank.pages.edits import Page, PageEdit, encoded, read_pages, vanishing_lines
from lorebank.pages.pages import BankContent, PagePlan
from lorebank.pages.relocation import relocate
from lorebank.pages.standing import Ask, ask_standing, plan_answers
from lorebank.records import Record, dataclass
from lorebank.settings.tables import Config
from lorebank.trust.quarantine import quarantined_lines
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.files import content_hash
from lorebank.workspace.git import unified
from lorebank.workspace.paths import is_linked
from lorebank.workspace.run_store import Change

MAX_ROUNDS = 5
"""Line numbers settle in two or three rounds."""
UNSURE_NAMED = 5
"""Pairs of the unsure queue that a journal names."""
_ATTEMPTS = 4
"""So often a page that somebody else is writing is read and planned again."""
_NAMED = 5


class RunOptions(Record):
    """How a run is to go."""

    today: date
    since: date | None = None
    """Only pages of entities with facts recorded from that day on, and the digests."""
    until: date | None = None
    """Facts recorded later are left out: the pages are those of that day."""
    dry_run: bool = False
    force: bool = False
    """Whether more of a page may vanish than the settings allow."""
    accept: frozenset[str] | None = None
    """Make no other changes than these hunks."""
    reject: frozenset[str] = frozenset()
    """Hunks to leave out, now and until they read differently."""
    infer: bool = False
    """Suggest retain lines for logs without a retain section."""
    ask: Ask | None = None
    """Answers the standing questions."""
    writer: Writer | None = None
    """Puts the answers in words."""
    vectors_of: VectorsOf | None = None
    """Tells how near texts are in meaning; `None` where words decide alone."""
    begun: RunRecord | None = None
    """The run as far as it has come: the pages that the ledger moved."""


class _Planned(Record):
    """The changes of a run, and what it leaves alone."""

    plan: PagePlan
    pages: dict[str, Page]
    edits: tuple[PageEdit, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    """Those not rejected earlier, rejected ones of this run included."""
    problems: tuple[Diagnostic, ...] = ()
    held: tuple[str, ...] = ()
    rejected: int = 0


def reflect_workspace(
    connection: Connection, root: Path, config: Config, options: RunOptions
) -> ReflectReport:
    """Bring the bank's pages up to date; the caller holds the workspace's lock and has synced."""
    refuse_linked_bank(root)
    run = _Run(connection, root, config, options)
    planned = run.plan(None)
    if options.dry_run:
        return run.report(planned, planned.edits)
    written = run.write(planned)
    return run.report(planned, written)


class _Run:
    """One run, from what the index holds to pages on disk."""

    def __init__(
        self, connection: Connection, root: Path, config: Config, options: RunOptions
    ) -> None:
        self.root = root
        self.config = config
        self.options = options
        self.connection = connection
        self.kept = KeptAnswers.open(root)
        # A page of an earlier day gets no new words, and keeps those that fit it.
        self.model = ModelInRun(self.kept, options.writer if options.until is None else None)
        self.content = read_content(
            connection, root, config, options.today, options.until, options.vectors_of
        )
        kept = self.kept if options.until is None else None
        self.answers = ask_standing(connection, root, self.content, options.ask, kept)
        self.proposing = self._proposing()
        self.rejections = _read_text(root, REJECTED_PATH)
        self.declined = parse_rejections(self.rejections)
        self.name: str | None = None
        self.journal = journal_path(options.today)
        self.problems: list[Diagnostic] = []

    def plan(self, only: set[str] | None) -> _Planned:
        """What to change, with citations that hold after it is written."""
        content = self.content
        for _ in range(MAX_ROUNDS):
            planned = self._plan_once(content, only)
            moved = relocate(content, planned.edits, headings=self._headings)
            if moved is content:
                break
            content = moved
        self.kept.save()
        return planned

    def write(self, planned: _Planned) -> tuple[PageEdit, ...]:
        """Write the pages, those that changed meanwhile after another look; then the journal."""
        new_rejections = with_rejections(
            self.rejections,
            [hunk for hunk in planned.hunks if hunk.id in self.options.reject],
            self.options.today,
        )
        begun = self.options.begun
        if begun is not None:
            self.name = begun.name
        if planned.edits or new_rejections != self.rejections:
            journal = _read_text(self.root, self.journal)
            self.name = self.name or next_run(self.root, self.options.today.isoformat(), journal)
            return self._write(planned, new_rejections)
        if begun is not None:
            undo_store(self.root).finish(begun.name)
        return ()

    def _write(self, planned: _Planned, new_rejections: str) -> tuple[PageEdit, ...]:
        """Carry a plan out, round by round, until no page changed while it was planned."""
        first = planned
        edits = {edit.path: edit for edit in planned.edits}
        changes: dict[str, Change] = {}
        if new_rejections != self.rejections:
            before = read_if_exists(self.root / REJECTED_PATH)
            changes[REJECTED_PATH] = Change(before, new_rejections.encode("utf-8"))
        for attempt in range(1, _ATTEMPTS + 1):
            changes |= {edit.path: _change(edit, planned) for edit in planned.edits}
            run = self._record(first, edits, changes)
            found = write_pages(self.root, run)
            missed = set(found.changed)
            again = missed - {OPINIONS_PATH, REJECTED_PATH} if attempt < _ATTEMPTS else set()
            self.problems += [_busy(path) for path in sorted(missed - again)]
            for path in missed:
                edits.pop(path, None)
                del changes[path]
            if not again:
                break
            planned = self.plan(again)
            edits |= {edit.path: edit for edit in planned.edits}
        self.problems += [*found.problems, *complete(self.root, run, found.written)]
        return tuple(edits[path] for path in sorted(found.written) if path in edits)

    def _record(
        self, planned: _Planned, edits: Mapping[str, PageEdit], changes: Mapping[str, Change]
    ) -> RunRecord:
        assert self.name is not None
        entry = journal_entry(
            self.options.today,
            edits.values(),
            moved_opinions(edits.values(), planned.plan.content.opinions),
            self._unsure(),
            number=int(self.name.rpartition("-")[2]),
            problems=[p for p in planned.problems if p.code == "vanish-limit"],
            rejected=planned.rejected,
        )
        moved = self.options.begun.moved if self.options.begun else {}
        return RunRecord(self.name, dict(changes), moved, entry)

    def _unsure(self) -> list[OpenPair]:
        """The first pairs that wait for a judge; of lines that the day asked about knows."""
        until = self.options.until
        return [
            pair
            for pair in unsure_queue(self.connection, limit=UNSURE_NAMED).pairs
            if until is None or pair.fact.recorded is None or pair.fact.recorded <= until
        ]

    def report(self, planned: _Planned, edits: Sequence[PageEdit]) -> ReflectReport:
        moved = moved_opinions(edits, planned.plan.content.opinions)
        return ReflectReport(
            changed=tuple(edit.path for edit in edits),
            patch="".join(unified(edit.old, edit.new, edit.path) for edit in edits),
            journal=self.journal if edits and not self._is_journal_linked() else None,
            dry_run=self.options.dry_run,
            facts_read=len(self.content.facts),
            opinions_moved=tuple(
                (m.opinion.id, m.opinion.statement, m.before, m.after) for m in moved
            ),
            problems=(
                *planned.problems,
                *self.proposing.problems,
                *self.answers.problems,
                *self.model.problems,
                *self.problems,
            ),
            run=self.name,
            hunks=planned.hunks,
            held=planned.held,
            rejected=planned.rejected,
        )

    @cached_property
    def _places(self) -> frozenset[str]:
        """Where something is read: a page may stop telling of it, nothing is lost."""
        return item_places(self.connection)

    def _is_newer(self, path: str, page: Page | None) -> bool:
        """Whether the page was changed after the last sync."""
        return page is not None and known_hash(self.connection, path) != content_hash(page.data)

    def _proposing(self) -> Proposing:
        root, config = self.root, self.config
        core, problems = read_core_memory(root, config.reflect.core_token_budget)
        model = self.model if self.options.infer else ModelInRun(self.kept)
        suggested = suggest_lines(
            root,
            config,
            lambda: self.content.facts,
            self.content.entities,
            core.rulings,
            self._headings,
            everywhere=self.options.infer,
            model=model,
            quarantined=quarantined_lines(self.connection),
        )
        return Proposing(core, suggested, problems)

    @property
    def _headings(self) -> tuple[str, ...]:
        return (*RETAIN_HEADINGS, *self.config.retain.headings)

    def _plan_once(self, content: BankContent, only: set[str] | None) -> _Planned:
        plan = PagePlan(content, self.model if self.config.generator.summaries else None)
        paths = set(plan.paths) if only is None else plan.paths.keys() & only
        if self.options.since is not None:
            since = self.options.since.isoformat()
            paths &= plan.of_entities(recorded_since(self.connection, since))
        others = {*PROPOSAL_PAGES, *self.answers.paths}
        others = others if only is None else others & only
        pages, problems = read_pages(self.root, paths | others)
        found = _Findings(list(problems))
        if self._is_newer(OPINIONS_PATH, pages.get(OPINIONS_PATH)):
            # What somebody decides on it this moment is not yet in the confidences.
            found.problems.append(_busy(OPINIONS_PATH))
        skipped = {problem.path for problem in found.problems}
        for path in sorted(paths - skipped):
            page = pages.get(path)
            edit = plan.edit(path, page.text if page else None)
            if edit.changes:
                self._take(edit, found)
        old = {path: page.text for path, page in pages.items()}
        for edit in (
            *plan_proposal_edits(content, self.proposing, old, plan.threads.repeated),
            *plan_answers(content, self.answers, old, self.model),
        ):
            if edit.path in others - skipped:
                self._take(edit, found)
        found.edits.sort(key=lambda edit: edit.path)
        return _Planned(
            plan,
            pages,
            tuple(found.edits),
            tuple(found.hunks),
            tuple(found.problems),
            tuple(found.held),
            found.rejected,
        )

    def _take(self, edit: PageEdit, found: _Findings) -> None:
        """Add an edit to the plan, less what was rejected; not at all where it takes too much."""
        declined = self.declined
        asked = [hunk for hunk in hunks_of(edit) if hunk.id not in declined]
        accept, reject = self.options.accept, self.options.reject
        shown, count = without_hunks(
            edit,
            lambda id: id in declined or id in reject or (accept is not None and id not in accept),
        )
        vanishing = None
        if not self.options.force and edit.path not in (*PROPOSAL_PAGES, TODAY_PATH):
            vanishing = vanishing_lines(
                shown,
                share=self.config.reflect.max_vanish,
                standing=self._places,
            )
        if vanishing is not None:
            found.held.append(edit.path)
            found.problems.append(_held_back(edit.path, *vanishing))
            return
        found.hunks += asked
        found.rejected += count
        if shown.changes:
            found.edits.append(shown)
            found.problems += edit.diagnostics

    def _is_journal_linked(self) -> bool:
        return is_linked(self.root, self.journal)


@dataclass(slots=True)
class _Findings:
    """A plan while it is being made."""

    problems: list[Diagnostic]
    edits: list[PageEdit] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    rejected: int = 0


def _change(edit: PageEdit, planned: _Planned) -> Change:
    page = planned.pages.get(edit.path)
    return Change(page.data if page else None, encoded(edit, page))


def _busy(path: str) -> Diagnostic:
    message = "is being changed by somebody else; the next run sees to it"
    return Diagnostic(path, 0, "page-busy", message)


def _held_back(path: str, gone: Sequence[str], of: int) -> Diagnostic:
    named = "; ".join(f"“{line}”" for line in gone[:_NAMED])
    more = f"; and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    message = f"{len(gone)} of {of} entries would vanish, the page was left alone: {named}{more}"
    return Diagnostic(path, 0, "vanish-limit", message)


def _read_text(root: Path, path: str) -> str:
    """The text of a page of the engine's own, empty where there is none."""
    if is_linked(root, path):
        return ""
    try:
        return (root / path).read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
