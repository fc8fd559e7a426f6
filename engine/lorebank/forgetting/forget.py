"""Forgetting: lines cut out of the notes, out of every page made of them, and out of the index.

In this order, so that a kill at any instant leaves something that the next command finishes: the
undo store, the files one by one, the index, the store of transcripts, the name of the run. What
another process writes into a file meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePosixPath

from lorebank.database.connection import Connection, IndexProblem
from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ForgetReport
from lorebank.errors import ConcurrentEdit, NotFound, WorkspaceError
from lorebank.forgetting.conversations import Conversations, ForgottenTurns
from lorebank.forgetting.planning import CutPlan, mender, plan_cuts
from lorebank.forgetting.proof import places_left
from lorebank.forgetting.rows import derived_counts, embedding_hashes, opinions_moved, scrub
from lorebank.forgetting.selection import Order, Selected, select_lines
from lorebank.forgetting.undo import Cut, KeptRun, carried, keep, read_run, store_of
from lorebank.forgetting.words import Copies, bytes_of, text_of
from lorebank.generation.writing import forget_generated
from lorebank.index.embedding_cache import EmbeddingCache
from lorebank.markdown.forgotten import Traces
from lorebank.workspace.atomic import read_if_exists, remove_temporaries, replace_bytes
from lorebank.workspace.files import SourceFile
from lorebank.workspace.git import in_repository
from lorebank.workspace.layout import DERIVED_FOLDER, FORGOTTEN_PAGE
from lorebank.workspace.lock import append_lock

_ATTEMPTS = 4
"""Retries for a file that another process is writing."""


@dataclass
class Forgetting:
    """One call, by a caller that holds the workspace's lock and has synced."""

    index: Callable[[], Connection]
    """Asked for each time: `sync` rebuilds a damaged index."""
    root: Path
    files: Callable[[], Sequence[SourceFile]]
    sync: Callable[[], object]
    cache: Path | None
    """Where vectors are cached, whether or not there is such a file."""
    conversations: Conversations | None = None
    """Transcripts, where any are read."""
    problems: list[Diagnostic] = field(default_factory=list)

    def preview(self, order: Order) -> ForgetReport:
        """What `forget` would cut; nothing is written."""
        plan = plan_cuts(self.root, self._select(order), order, self._turns_meant(order))
        return self._report(plan, None, dry_run=True)

    def forget(self, order: Order, *, today: date, done: Sequence[str] = ()) -> ForgetReport:
        """Cut what the order means. `done` are runs of the same order: it may name what only they
        held."""
        turns = self._turns_meant(order)
        try:
            selected = self._select(order)
        except NotFound:
            if not done:
                raise
            selected = Selected()
        plan = plan_cuts(self.root, selected, order, turns)
        if not plan.cuts:
            name = done[-1] if done else None
            return self._report(plan, name)
        name = store_of(self.root).next_name(today.isoformat())
        report = self._report(plan, name)
        hashes = tuple(sorted(embedding_hashes(self.index(), plan.cuts)))
        run = KeptRun(name, True, plan.cuts, plan.texts, hashes, order.digest)
        keep(self.root, run)
        with naming(f"`lorebank forget` (run {name})", name):
            edited = self._write_cuts(run)
        for path in edited:
            self._report_problem(path, "was edited meanwhile; forget it again")
        self._finish(run)
        return report.with_problems(self.problems)

    def resume(self, name: str) -> tuple[str, ...]:
        """Finish a run that was killed or failed; returns files that were edited so that what is
        left to cut of them cannot be told."""
        run = read_run(self.root, name)
        edited = self._write_cuts(run)
        self._finish(run)
        return edited

    def prove(self, order: Order, report: ForgetReport, *, is_purged: bool) -> ForgetReport:
        """The report with how much was searched for what an order names, or for the lines that
        went, and what is left of it."""
        texts = [line.text for line in report.lines if line.id]
        finder = order.finder or (Copies(texts) if texts else None)
        if finder is None:
            return report
        hosts = [file.place for file in self.conversations.files] if self.conversations else []
        searched, left = places_left(self.root, finder, self.index(), hosts, is_purged=is_purged)
        return replace(report.with_problems(left), searched=searched)

    def _select(self, order: Order) -> Selected:
        return select_lines(self.index(), self.root, self.files(), order)

    def _turns_meant(self, order: Order) -> ForgottenTurns:
        if self.conversations is not None:
            return self.conversations.select(order)
        if order.is_of_conversations:
            hint = "they are where memory_search.sources names sessions"
            raise NotFound(f"no transcript {order.source}: none are read", hint=hint)
        return ForgottenTurns()

    def _write_cuts(self, run: KeptRun) -> tuple[str, ...]:
        """Write what of a run is not written yet; returns the files where that cannot be told."""
        edited = []
        for path, cut in run.cuts.items():
            for _ in range(_ATTEMPTS):
                present = read_if_exists(self.root / path)
                if present == cut.after or (present is None and cut.before):
                    break
                rest = _rest_of(path, cut, present or b"", run.texts)
                if rest is not None and self._write(path, rest):
                    break
            else:
                edited.append(path)
        return tuple(edited)

    def _finish(self, run: KeptRun) -> None:
        """Bring index and cache to what the files say now, with nothing left behind.

        Raises `WorkspaceError` where the disk fails; the run stays pending, for `resume`.
        """
        try:
            left = {}
            with append_lock(self.root):
                for folder in {self.root / PurePosixPath(path).parent for path in run.cuts}:
                    remove_temporaries(folder)
            self.sync()
            forget_generated(self.root)
            if self.cache is not None and self.cache.exists():
                gone = set(run.hashes) - embedding_hashes(self.index())
                with EmbeddingCache(self.cache) as cache:
                    cache.drop(gone)
            left[DERIVED_FOLDER] = scrub(self.index())
            if self.conversations is not None and FORGOTTEN_PAGE in run.cuts:
                left["sessions"] = self.conversations.apply()
            for place, reason in left.items():
                if reason:
                    message = f"{reason}; traces may be left there until the next forget"
                    self._report_problem(place, message)
            store_of(self.root).finish(run.name)
        except (IndexProblem, OSError) as error:
            raise WorkspaceError(
                f"the notes are cut, but {self.root / DERIVED_FOLDER} may still hold traces of "
                f"run {run.name}: {error}",
                hint="make sure that the disk has room and may be written: the next command that "
                "writes finishes this run first",
            ) from error

    def _write(self, path: str, cut: Cut) -> bool:
        """Whether the file was cut; not where it is no longer what was read."""
        try:
            # A page of forgotten lines may be new; a file that goes may have been empty.
            before = cut.before if cut.after is None else cut.before or None
            replace_bytes(self.root / path, cut.after, expected=before)
        except ConcurrentEdit:
            return read_if_exists(self.root / path) == cut.after
        return True

    def _report_problem(self, path: str, message: str) -> None:
        self.problems.append(Diagnostic(path, 0, "not-forgotten", message))

    def _report(self, plan: CutPlan, run: str | None, *, dry_run: bool = False) -> ForgetReport:
        ids = {line.id for line in plan.lines if line.id}
        return ForgetReport(
            run=run,
            dry_run=dry_run,
            lines=plan.lines,
            files=tuple(path for path, cut in sorted(plan.cuts.items()) if cut.after is None),
            pages=plan.pages,
            derived=derived_counts(self.index(), [line.source for line in plan.lines]),
            opinions=tuple(opinions_moved(self.index(), ids)),
            in_git=in_repository(self.root),
            problems=(*plan.problems, *self.problems),
            said=plan.said,
        )


@contextmanager
def naming(what: str, forget: str = "") -> Iterator[None]:
    """Say in an error what stays unfinished by it, and of a run of `forget` how to take it back."""
    try:
        yield
    except WorkspaceError as error:
        back = f"; or take it back with `lorebank forget --undo {forget}`" if forget else ""
        raise type(error)(
            f"{what} is unfinished: {error.message}",
            hint=f"mend that, and the next command that writes finishes it{back}",
        ) from error


def _rest_of(path: str, cut: Cut, present: bytes, texts: Sequence[str]) -> Cut | None:
    """What a run that was interrupted has still to do in a file; `None` where that cannot be told,
    since the file was edited."""
    if present == cut.before:
        return cut
    after = None if cut.after is None else carried(cut.before, cut.after, present)
    if after is None and cut.derived:
        text, encoding = text_of(present)
        after = bytes_of(mender(path)(text, Traces(texts=tuple(texts))).text, encoding)
    return None if after is None else Cut(present, after)
