"""One reflect run: read, plan, show as a patch, write page by page, keep a journal.

Every page is written atomically and only if it still is what was read; one that changed meanwhile
is read and planned again. A run that is killed leaves whole pages, which the next one takes over
(`run_record`). A night on which no page changes writes nothing, no journal either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cached_property
from itertools import islice
from pathlib import Path

from lorebank.beliefs.materialise import unsure_pairs
from lorebank.database.connection import Connection
from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import Hunk, ReflectReport
from lorebank.errors import NotFound
from lorebank.generation.writing import KeptAnswers, ModelInRun, Writer
from lorebank.index.items import item_places, recorded_since
from lorebank.index.sync import gc_paused, known_hash
from lorebank.index.vectors import VectorsOf
from lorebank.markdown.opinion_page import OPINIONS_PATH
from lorebank.markdown.proposal_pages import CORE_PROPOSALS, LOG_PROPOSALS, PROPOSAL_PAGES
from lorebank.markdown.sections import RETAIN_HEADINGS
from lorebank.nightly import run_record
from lorebank.nightly.hunks import (
    REJECTED_PATH,
    hunks_of,
    parse_rejections,
    with_newer,
    with_rejections,
    without_hunks,
)
from lorebank.nightly.journal import JOURNAL_FOLDER, journal_entry, journal_path, moved_opinions
from lorebank.nightly.proposals import plan_proposal_edits, read_core_memory, suggest_lines
from lorebank.pages.content import read_content, relocate
from lorebank.pages.core_memory import plan_core_proposals
from lorebank.pages.digests import ARCHIVE_FOLDER, TODAY_PATH
from lorebank.pages.edits import Page, PageEdit, encoded, read_pages, read_text, vanishing_lines
from lorebank.pages.facts import BankContent, newer_places
from lorebank.pages.pages import PagePlan
from lorebank.pages.standing import Ask, ask_standing, plan_answers
from lorebank.records import Mutable, Record
from lorebank.settings.tables import Config
from lorebank.trust.quarantine import lines_without_owner
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.files import content_hash
from lorebank.workspace.git import unified
from lorebank.workspace.paths import is_linked
from lorebank.workspace.run_store import Change

MAX_ROUNDS = 5
"""Line numbers settle in two or three rounds."""
UNSURE_NAMED = 5
"""Pairs nobody has judged that a journal names."""
_ATTEMPTS = 4
"""Retries for a page that another process is writing."""
_NAMED = 5


class RunOptions(Record):
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
    """Suggest retain lines for the prose of logs."""
    ask: Ask | None = None
    """Answers the standing questions."""
    writer: Writer | None = None
    """Puts the answers in words."""
    waiting: Callable[[BankContent], int] = lambda content: 0
    """Counts the decisions that wait in the inbox."""
    vectors_of: VectorsOf | None = None
    """Tells how near texts are in meaning; `None` where words decide alone."""
    begun: run_record.RunRecord | None = None
    """The run as far as it has come: pages that the ledger moved, or a killed run wrote."""


class _Planned(Mutable):
    """The changes of a run, and what it leaves alone."""

    plan: PagePlan
    pages: Mapping[str, Page]
    problems: list[Diagnostic]
    edits: list[PageEdit] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)
    """Those not rejected earlier, rejected ones of this run included."""
    held: list[str] = field(default_factory=list)
    """Pages of which too much would vanish."""
    rejected: int = 0


@gc_paused()
def reflect_workspace(
    connection: Connection, root: Path, config: Config, options: RunOptions
) -> ReflectReport:
    """Bring the bank's pages up to date; the caller holds the workspace's lock and has synced."""
    run_record.refuse_linked_bank(root)
    run = _Run(connection, root, config, options)
    planned = run.plan(None)
    if options.accept and options.accept.isdisjoint(hunk.id for hunk in planned.hunks):
        raise NotFound(
            f"no change {', '.join(sorted(options.accept))} is proposed; nothing was written",
            hint="`lorebank reflect --dry-run --json` lists the changes with their ids",
        )
    return run.report(planned, planned.edits if options.dry_run else run.write(planned))


class _Run:
    def __init__(
        self, connection: Connection, root: Path, config: Config, options: RunOptions
    ) -> None:
        self.root = root
        self.config = config
        self.options = options
        self.connection = connection
        self.headings = (*RETAIN_HEADINGS, *config.retain.headings)
        self.kept = KeptAnswers.open(root)
        # A page of an earlier day gets no new words, and keeps those that fit it.
        self.model = ModelInRun(self.kept, options.writer if options.until is None else None)
        content = read_content(
            connection, root, config, options.today, options.until, options.vectors_of
        )
        self.content = replace(content, waiting=options.waiting(content))
        kept = self.kept if options.until is None else None
        self.answers = ask_standing(connection, root, self.content, options.ask, kept)
        self.core, problems = read_core_memory(root, config.reflect.core_token_budget)
        self.suggested = suggest_lines(
            root,
            config,
            self.content,
            self.core.rulings,
            everywhere=options.infer,
            model=self.model if options.infer else ModelInRun(self.kept),
            quarantined=lines_without_owner(connection),
        )
        self.rejections = read_text(root, REJECTED_PATH)
        self.name: str | None = options.begun.name if options.begun else None
        self.journal = journal_path(options.today)
        self.problems = [*problems, *self.answers.problems, *self.kept.problems]

    def plan(self, only: set[str] | None) -> _Planned:
        """What to change, with citations that hold after it is written: what is written above a
        fact that is typed on a page moves it, so the pages are planned until no place moves."""
        content = self.content
        for _ in range(MAX_ROUNDS):
            planned = self._plan_once(content, only)
            moved = relocate(content, planned.edits, headings=self.headings)
            if moved is content:
                break
            content = moved
        self.kept.save()
        return planned

    def _plan_once(self, content: BankContent, only: set[str] | None) -> _Planned:
        model = self.model if self.config.generator.summaries else None
        plan = PagePlan(content, model)
        archives = (self.root / ARCHIVE_FOLDER).glob("*.md")  # one may have lost its last line
        paths = {*plan.paths, *(f"{ARCHIVE_FOLDER}/{file.name}" for file in archives)}
        if self.options.since is not None:
            since = self.options.since.isoformat()
            paths = plan.of_entities(recorded_since(self.connection, since))
        others = {*PROPOSAL_PAGES, *self.answers.paths}
        if only is not None:
            paths, others = paths & only, others & only
        pages, problems = read_pages(self.root, paths | others)
        planned = _Planned(plan, pages, list(problems))
        opinions = pages.get(OPINIONS_PATH)
        if opinions and content_hash(opinions.data) != known_hash(self.connection, OPINIONS_PATH):
            # What somebody decides on it this moment is not yet in the confidences.
            planned.problems.append(_busy(OPINIONS_PATH))
        skipped = {problem.path for problem in planned.problems}
        old = {path: page.text for path, page in pages.items()}
        of_bank = [plan.edit(path, old.get(path)) for path in sorted(paths - skipped)]
        proposals = {
            CORE_PROPOSALS: plan_core_proposals(content, self.core, plan.repeated),
            LOG_PROPOSALS: self.suggested,
        }
        edits = [
            *of_bank,
            *plan_proposal_edits(proposals, old),
            *plan_answers(content, self.answers, old, self.model),
        ]
        for edit in sorted(edits, key=lambda edit: edit.path):
            if edit.path not in (paths | others) - skipped:
                continue
            if edit.changes:
                self._take(edit, planned)
            else:
                planned.problems += edit.diagnostics
        return planned

    def _take(self, edit: PageEdit, planned: _Planned) -> None:
        """Add an edit to the plan, less what was rejected; not at all where it takes too much."""
        declined = parse_rejections(self.rejections)
        asked = [hunk for hunk in hunks_of(edit) if hunk.id not in declined]
        accept, reject = self.options.accept, declined | self.options.reject
        shown, count = without_hunks(
            edit, lambda id: id in reject or (accept is not None and id not in accept)
        )
        if not self.options.force and edit.path not in (*PROPOSAL_PAGES, TODAY_PATH):
            share = self.config.reflect.max_vanish
            vanishing = vanishing_lines(shown, share=share, standing=lambda: self._places)
            if vanishing is not None:
                planned.held.append(edit.path)
                planned.problems.append(_vanish_limit_problem(edit.path, *vanishing))
                return
        planned.hunks += asked
        planned.rejected += count
        if shown.changes:
            planned.edits.append(shown)
            planned.problems += edit.diagnostics

    @cached_property
    def _places(self) -> frozenset[str]:
        """Where something is read: a page may stop telling of it, nothing is lost."""
        return item_places(self.connection)

    def write(self, planned: _Planned) -> Sequence[PageEdit]:
        """Write the pages, round by round, until no page changed while it was planned; then the
        journal."""
        rejections = with_rejections(
            self.rejections,
            [hunk for hunk in planned.hunks if hunk.id in self.options.reject],
            self.options.today,
        )
        changes: dict[str, Change] = {}
        if rejections != self.rejections:
            before = read_if_exists(self.root / REJECTED_PATH)
            changes[REJECTED_PATH] = Change(before, rejections.encode("utf-8"))
        begun = self.options.begun
        if not planned.edits and not changes and not (begun and begun.earlier):
            if begun:  # a run that was killed before its first page, and is not needed any more
                run_record.undo_store(self.root).drop(begun.name)
                self.name = None
            return ()
        self.name = self.name or run_record.next_run(self.root, self.options.today.isoformat())
        earlier = self.options.begun.earlier if self.options.begun else {}
        first = planned
        for attempt in range(1, _ATTEMPTS + 1):
            changes |= {edit.path: _change(edit, planned) for edit in planned.edits}
            run = run_record.RunRecord(self.name, changes, earlier)
            found = run_record.write_pages(self.root, run)
            missed = set(found.changed)
            again = missed - {OPINIONS_PATH, REJECTED_PATH} if attempt < _ATTEMPTS else set()
            self.problems += [_busy(path) for path in sorted(missed - again)]
            for path in missed:
                del changes[path]
            if not again:
                break
            planned = self.plan(again)
        self.problems += found.problems
        run = replace(run, changes={path: changes[path] for path in found.written})
        edits = run.edits()
        entry = self._journal_entry(first, edits) if edits else None
        self.problems += run_record.complete_run(self.root, run, entry)
        return edits

    def _journal_entry(self, planned: _Planned, edits: Sequence[PageEdit]) -> str:
        assert self.name is not None
        until = self.options.until
        # Of the pairs that wait for a judge, lines that the day asked about knows, and that no
        # journal has named.
        stems = (file.stem for file in (self.root / JOURNAL_FOLDER).glob("*.md"))
        last = max((stem for stem in stems if stem < str(self.options.today)), default="")
        unsure = (
            (fact, opinion, row.reason)
            for row, fact, opinion in unsure_pairs(self.connection)
            if last <= str(fact.recorded or "") <= str(until or date.max)
        )
        return journal_entry(
            self.options.today,
            edits,
            moved_opinions(edits, planned.plan.content.opinions),
            list(islice(unsure, UNSURE_NAMED)),
            number=int(self.name.rpartition("-")[2]),
            problems=[p for p in planned.problems if p.code == "vanish-limit"],
            rejected=planned.rejected,
        )

    def report(self, planned: _Planned, edits: Sequence[PageEdit]) -> ReflectReport:
        moved = moved_opinions(edits, planned.plan.content.opinions)
        is_journaled = edits and not is_linked(self.root, self.journal)
        return ReflectReport(
            changed=tuple(edit.path for edit in edits),
            patch="".join(unified(edit.old, edit.new, edit.path) for edit in edits),
            journal=self.journal if is_journaled else None,
            dry_run=self.options.dry_run,
            facts_read=len(self.content.facts),
            opinions_moved=tuple(
                (m.opinion.id, m.opinion.statement, m.before, m.after) for m in moved
            ),
            problems=(*planned.problems, *self.model.problems, *self.problems),
            run=self.name,
            hunks=with_newer(planned.hunks, newer_places(planned.plan.content)),
            held=tuple(planned.held),
            rejected=planned.rejected,
        )


def _change(edit: PageEdit, planned: _Planned) -> Change:
    page = planned.pages.get(edit.path)
    return Change(page.data if page else None, encoded(edit, page))


def _busy(path: str) -> Diagnostic:
    message = "is being edited by another process; the next run will update it"
    return Diagnostic(path, 0, "page-busy", message)


def _vanish_limit_problem(path: str, gone: Sequence[str], of: int) -> Diagnostic:
    named = "; ".join(f"“{line}”" for line in gone[:_NAMED])
    more = f"; and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    message = f"{len(gone)} of {of} entries would vanish, the page was left alone: {named}{more}"
    return Diagnostic(path, 0, "vanish-limit", message)
