"""Forgetting: lines cut out of the notes, out of every page made of them, and out of the index.

In this order, so that a kill at any instant leaves something that the next run finishes: the undo
store, the files one by one, the index, the store of transcripts, the name of the run. A file that
another process is writing is read and planned again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath

from lorebank.database.connection import Connection, IndexProblem
from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ForgetReport
from lorebank.errors import ConcurrentEdit, NotFound, WorkspaceError
from lorebank.forgetting.conversations import Conversations, ForgottenTurns
from lorebank.forgetting.planning import CutPlan, plan_cuts
from lorebank.forgetting.rows import (
    derived_counts,
    embedding_hashes,
    opinions_moved,
    scrub,
)
from lorebank.forgetting.selection import Order, Selected, select_lines
from lorebank.forgetting.undo import Cut, keep, read_run, store_of
from lorebank.generation.kept import forget_generated
from lorebank.index.embedding_cache import EmbeddingCache
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
        turns, selected = self._turns_meant(order), self._select(order)
        plan = plan_cuts(self.root, selected, order, turns)
        return self._report(selected, plan, turns, None, dry_run=True)

    def forget(self, order: Order, *, today: date, resumed: Sequence[str] = ()) -> ForgetReport:
        """Cut what the order means. `resumed` are the runs that `resume` finished just before: an
        order that names what only they held is done already."""
        turns = self._turns_meant(order)
        try:
            selected = self._select(order)
        except NotFound:
            if not resumed:
                raise
            selected = Selected()
        plan = plan_cuts(self.root, selected, order, turns)
        if not plan.cuts:
            name = resumed[-1] if resumed else None
            return self._report(selected, plan, turns, name, dry_run=False)
        report = self._report(
            selected, plan, turns, store_of(self.root).next_name(today.isoformat()), dry_run=False
        )
        assert report.run is not None
        hashes = self._cut(report.run, order, selected, plan, turns)
        self._finish(report.run, hashes)
        return report.with_problems(self.problems)

    def resume(self) -> tuple[str, ...]:
        """Finish runs that were killed; returns their names."""
        store = store_of(self.root)
        names = [name for name in store.names() if store.is_pending(name)]
        for name in names:
            run = read_run(self.root, name)
            for path, cut in run.cuts.items():
                if (read_if_exists(self.root / path) or b"") == cut.before and not self._write(
                    path, cut
                ):
                    self._report_problem(path, "is being changed by somebody else; forget it again")
            self._finish(name, run.hashes)
        return tuple(names)

    def _select(self, order: Order) -> Selected:
        return select_lines(self.index(), self.root, self.files(), order)

    def _turns_meant(self, order: Order) -> ForgottenTurns:
        if self.conversations is not None:
            return self.conversations.select(order)
        if order.is_of_conversations:
            hint = "they are where memory_search.sources names sessions"
            raise NotFound(f"no transcript {order.source}: none are read", hint=hint)
        return ForgottenTurns()

    def _cut(
        self, name: str, order: Order, selected: Selected, plan: CutPlan, turns: ForgottenTurns
    ) -> tuple[str, ...]:
        """Write the store, then the files; returns the keys of what was embedded of them."""
        done: dict[str, Cut] = {}
        texts = list(plan.texts)
        hashes: set[str] = set()
        for _ in range(_ATTEMPTS):
            hashes |= embedding_hashes(self.index(), plan.cuts)
            wanted = {**done, **_joined(done, plan.cuts)}
            keep(self.root, name, wanted, texts, sorted(hashes))
            missed = [path for path, cut in plan.cuts.items() if not self._write(path, cut)]
            done = {path: cut for path, cut in wanted.items() if path not in missed or path in done}
            if not missed:
                break
            self.sync()
            plan = plan_cuts(self.root, self._select_again(order, selected), order, turns)
            texts += [text for text in plan.texts if text not in texts]
        else:
            for path in missed:
                self._report_problem(path, "is being changed by somebody else; forget it again")
            keep(self.root, name, done, texts, sorted(hashes))
        return tuple(sorted(hashes))

    def _select_again(self, order: Order, before: Selected) -> Selected:
        try:
            return self._select(order)
        except NotFound:  # the last of its lines is gone already
            return Selected(lines=before.lines)

    def _finish(self, name: str, hashes: Iterable[str]) -> None:
        """Bring index and cache to what the files say now, with nothing left behind.

        Raises `WorkspaceError` where the disk fails; the run stays pending, for `resume`.
        """
        try:
            self._clean(name, hashes)
        except (IndexProblem, OSError) as error:
            raise WorkspaceError(
                f"the notes are cut, but {self.root / DERIVED_FOLDER} may still hold traces of "
                f"run {name}: {error}",
                hint="make sure that the disk has room and may be written, then forget again: "
                "that finishes this run first",
            ) from error

    def _clean(self, name: str, hashes: Iterable[str]) -> None:
        cuts = read_run(self.root, name).cuts
        with append_lock(self.root):
            for folder in {self.root / PurePosixPath(path).parent for path in cuts}:
                remove_temporaries(folder)
        self.sync()
        forget_generated(self.root)
        if self.cache is not None and self.cache.exists():
            gone = set(hashes) - embedding_hashes(self.index())
            with EmbeddingCache(self.cache) as cache:
                cache.drop(gone)
        if reason := scrub(self.index()):
            self._report_problem(
                ".memory", f"{reason}; traces may be left there until the next forget"
            )
        of_conversations = self.conversations if FORGOTTEN_PAGE in cuts else None
        if of_conversations is not None and (reason := of_conversations.apply()):
            self._report_problem(
                "sessions", f"{reason}; traces may be left there until the next forget"
            )
        store_of(self.root).finish(name)

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

    def _report(
        self,
        selected: Selected,
        plan: CutPlan,
        turns: ForgottenTurns,
        run: str | None,
        *,
        dry_run: bool,
    ) -> ForgetReport:
        ids = {line.id for line in selected.lines if line.id}
        return ForgetReport(
            run=run,
            dry_run=dry_run,
            lines=tuple(selected.lines),
            files=tuple(path for path, cut in sorted(plan.cuts.items()) if cut.after is None),
            pages=plan.pages,
            derived=derived_counts(self.index(), [line.source for line in selected.lines]),
            opinions=tuple(opinions_moved(self.index(), ids)),
            in_git=in_repository(self.root),
            problems=(*plan.problems, *self.problems),
            said=turns.turns,
        )


def _joined(done: Mapping[str, Cut], cuts: Mapping[str, Cut]) -> dict[str, Cut]:
    """The cuts with the oldest bytes of each file as those before."""
    return {
        path: Cut(done[path].before, cut.after, done[path].derived and cut.derived)
        if path in done
        else cut
        for path, cut in cuts.items()
    }
