"""The nightly job and what settles its doubts: runs, undo, rulings, proposals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from lorebank.app.asking import Asking
from lorebank.app.opened import Day, made_anew_when_damaged
from lorebank.domain import (
    Citation,
    Diagnostic,
    Fact,
    Opinion,
    ReflectReport,
    Ruling,
    Stance,
    UndoReport,
    UnsureQueue,
)
from lorebank.errors import ProviderError, UsageError
from lorebank.index.items import facts_by_id
from lorebank.index.unsure import load_unsure
from lorebank.names.entities import resolution
from lorebank.recall.filters import parse_day
from lorebank.workspace.atomic import temporaries_below
from lorebank.workspace.lock import WriterLock
from lorebank.workspace.recalled import settle_recalled

if TYPE_CHECKING:
    from lorebank.generation.writing import Writer
    from lorebank.nightly.page_moves import PlannedMoves
    from lorebank.nightly.undo import BegunRun


class Reflection(Asking):
    """Reflect, the unsure queue and proposals."""

    def reflect(
        self,
        *,
        since: Day = None,
        day: Day = None,
        dry_run: bool = False,
        infer: bool = False,
        force: bool = False,
        accept: Collection[str] | None = None,
        reject: Collection[str] = (),
        commit: bool = False,
        now: date | None = None,
    ) -> ReflectReport:
        """Bring the pages under `bank/` up to date from the facts; see `ReflectReport`.

        `since` limits the run to entities with facts recorded from that day on. `day` is the day
        it speaks for: facts recorded later are left out. `dry_run` writes nothing. `infer`
        suggests retain lines for logs without a retain section, as proposals. `accept` and
        `reject` name hunks of an earlier dry run: with `accept` nothing else is changed, what is
        in `reject` is not proposed again until it reads differently. `force` lets more of a page
        vanish than `reflect.max_vanish`. `commit` makes one git commit of what was written. A run
        that was killed is completed first.
        """
        self._refuse_in_group("reflecting")
        from lorebank.generation.writing import open_writer
        from lorebank.nightly.run import RunOptions, reflect_workspace
        from lorebank.nightly.under_way import refuse_linked_bank, resume_run

        today = parse_day(day, self._today(now), "date") or self._today(now)
        options = RunOptions(
            today=today,
            since=parse_day(since, today, "since"),
            until=today if day is not None else None,
            dry_run=dry_run,
            infer=infer,
            force=force,
            accept=None if accept is None else frozenset(accept),
            reject=frozenset(reject),
            ask=partial(
                self.recall,
                as_of=today if day is not None else None,
                trusted_only=True,
                remember=False,
            ),
        )
        models = open_writer(self.config, self._environ, self._say, self._all_names)
        with WriterLock(self.root), models as writer:
            refuse_linked_bank(self.root)
            resumed = None if dry_run else resume_run(self.root)
            if not dry_run:
                for left in temporaries_below(self.root):
                    left.unlink(missing_ok=True)  # of killed writers: the living hold the lock
            self._sync_words()
            self._judge_waiting()
            if writer is not None and self.config.generator.judges and not dry_run:
                self._judge_pairs(writer, today)
            moved, begun = self._settle_pages(today, dry_run=dry_run)
            options = replace(
                options,
                writer=writer,
                begun=begun,
                vectors_of=self._vectors_of,
            )
            report = reflect_workspace(self._index, self.root, self.config, options)
            report = resumed.told_with(report) if resumed else report
            report = _with_unknown_hunks(report, {*(accept or ()), *reject})
            if commit and report.run is not None:
                from lorebank.nightly.commit import commit_run

                report = commit_run(
                    self.root, report, run_programs=self.config.reflect.run_git_programs
                )
            if not dry_run:
                settle_recalled(self.root)
        if report.changed and not dry_run:
            self._sync_words()
        return replace(moved.told_with(report), rules_alone=self._rules_alone)

    def _judge_pairs(self, writer: Writer, today: date) -> None:
        """Have the generator rule on what waits; a night without it is no reason to stop."""
        from lorebank.inbox.judge import judge

        try:
            if judge(self._open_desk(today), writer, k=writer.budget.calls):
                self._sync_words()
        except ProviderError as problem:
            self._say(f"the inbox was not judged: {problem.message}")

    def undo_reflect(self, run: str | None = None, *, force: bool = False) -> UndoReport:
        """Give every page of a reflect run (the last where `None`) the bytes it had before it.

        Raises `ConcurrentEdit` where a page was changed since; with `force` such pages are left
        alone and named. Raises `NotFound` for a run of which nothing is kept.
        """
        from lorebank.nightly.under_way import forget_run
        from lorebank.nightly.undo import undo_run

        with WriterLock(self.root):
            report = undo_run(self.root, run, force=force)
            forget_run(self.root, report.run)
        self._sync_words()
        return report

    @made_anew_when_damaged
    def unsure(self, entity: str | None = None, *, k: int = 20) -> UnsureQueue:
        """Pairs of an opinion and a fact near it that no rule signs, the best first.

        `entity`: only opinions held by it or about it. `k` pairs at most.
        """
        from lorebank.beliefs.unsure import unsure_queue

        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        return unsure_queue(self._index, limit=k, entity=slug)

    def settle(
        self,
        fact: str,
        stance: Stance | str,
        opinion: str | None = None,
        *,
        reason: str = "",
        now: date | None = None,
    ) -> Ruling:
        """Say what a fact is to an opinion: a line of `bank/evidence.md`, wherever it came from.

        `fact` and `opinion` are ids or unique beginnings; `opinion` may be left out where one pair
        of the fact waits. An earlier ruling on the pair is replaced.
        """
        from lorebank.beliefs.by_hand import write_ruling

        stance = _stance(stance)
        with WriterLock(self.root):
            self._sync_words()
            said = self._fact(fact)
            before = self._opinion_of_pair(said, opinion)
            if before.source in {f.citation for f in facts_by_id(self._index, said.id)}:
                raise UsageError(
                    f"{said.id} states {before.id} itself",
                    hint="write `retracted` into its entry on bank/opinions.md to drop the opinion",
                )
            day = self._today(now)
            source = write_ruling(self.root, said, before.id, stance, day=day, reason=reason)
            self._sync_words()
        return self._ruling(said, before, stance, source)

    def unsettle(self, fact: str, opinion: str | None = None) -> Ruling:
        """Take back what was ruled on a pair, as deleting its line does."""
        from lorebank.beliefs.by_hand import read_rulings, take_back

        with WriterLock(self.root):
            self._sync_words()
            said = self._fact(fact)
            if opinion is None:
                ruled = [r.opinion_id for r in read_rulings(self.root) if r.fact_id == said.id]
                opinion = self._only_one(said, ruled)
            before = self._opinion_with_id(self._opinion_id(opinion))
            take_back(self.root, said.id, before.id)
            self._sync_words()
        return self._ruling(said, before, None, None)

    def _settle_pages(self, today: date, *, dry_run: bool) -> tuple[PlannedMoves, BegunRun | None]:
        """Put the pages of names that were merged or parted by hand where they belong; where one
        moves, the run has begun with that."""
        from lorebank.names.entities import page_moves
        from lorebank.nightly.page_moves import begin_run, plan_page_moves, write_page_edits

        moves = plan_page_moves(self.root, page_moves(self._index, resolution(self._index)))
        if not moves.edits or dry_run:
            return moves, None
        begun = begin_run(self.root, moves.edits, today)
        write_page_edits(self.root, moves.edits)
        self._sync_words()
        return moves, begun

    def _opinion_of_pair(self, fact: Fact, opinion: str | None) -> Opinion:
        """The opinion named, else the one with which the fact waits for a judge."""
        if opinion is None:
            rows = load_unsure(self._index, fact=fact.id)
            opinion = self._only_one(fact, [row.opinion for row in rows])
        return self._opinion_with_id(self._opinion_id(opinion))

    def _only_one(self, fact: Fact, opinions: Sequence[str]) -> str:
        """The one opinion that a call without any can mean."""
        if len(set(opinions)) == 1:
            return opinions[0]
        near = ", ".join(dict.fromkeys(opinions)) or "lorebank opinions lists them with ids"
        raise UsageError(f"name the opinion that {fact.id} is judged on", hint=near)

    def _ruling(
        self, fact: Fact, before: Opinion, stance: Stance | None, source: Citation | None
    ) -> Ruling:
        after = self._opinion_with_id(before.id)
        return Ruling(fact, after, stance, before.confidence, source)


def _with_unknown_hunks(report: ReflectReport, named: Collection[str]) -> ReflectReport:
    """The report, which says of hunks that were named and are not proposed that they are not."""
    unknown = sorted(set(named) - {hunk.id for hunk in report.hunks})
    said = "is not proposed: it reads otherwise by now, was settled, or its page is left alone"
    problems = [Diagnostic("bank", 0, "no-hunk", f"{hunk} {said}") for hunk in unknown]
    return replace(report, problems=(*report.problems, *problems))


def _stance(stance: Stance | str) -> Stance:
    try:
        return Stance(stance)
    except ValueError:
        raise UsageError(
            f"unknown stance '{stance}'", hint=f"use one of {', '.join(Stance)}"
        ) from None
