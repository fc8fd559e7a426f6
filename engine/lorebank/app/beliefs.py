"""Opinions: what is believed, why, since when, and how well it held up."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from lorebank.app.opened import Day, OpenWorkspace, made_anew_when_damaged
from lorebank.beliefs import materialise
from lorebank.beliefs.outcome import STALE_DAYS
from lorebank.domain import BeliefDiff, Calibration, Explanation, Opinion, RotReport
from lorebank.errors import NotFound, UsageError
from lorebank.index.items import facts_by_id
from lorebank.index.opinions import load_opinions, opinions_moved_by, surest_opinions
from lorebank.recall.filters import parse_day
from lorebank.workspace.recalled import read_recalled


class Beliefs(OpenWorkspace):
    """What is asked of opinions and their history."""

    @made_anew_when_damaged
    def opinions(
        self,
        entity: str | None = None,
        *,
        as_of: Day = None,
        min_confidence: float | None = None,
        now: date | None = None,
    ) -> tuple[Opinion, ...]:
        """Beliefs with confidence, trend, evidence and history: those held now and surest first,
        stale ones after them, superseded and retracted ones last.

        `as_of` folds only the evidence recorded by that day.
        """
        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        day = parse_day(as_of, self._today(now), "as-of", side="end")
        found = self._opinions(slug, day, now)
        return tuple(o for o in found if min_confidence is None or o.confidence >= min_confidence)

    def _surest_opinions(self, count: int, today: date) -> tuple[Opinion, ...]:
        """The opinions held today and not stale, surest first; `count` are enough."""
        if self.config.reflect.fade_half_life_days:
            return self._opinions(None, None, today)
        first = today - timedelta(days=min(STALE_DAYS, (today - date.min).days))
        found = surest_opinions(self._index, count, first, today)
        return self._named([materialise.as_read(o, today, self.config.reflect) for o in found])

    @made_anew_when_damaged
    def explain(self, id: str, *, now: date | None = None) -> Explanation:
        """The story of a fact (`f-…`) or an opinion (`o-…`); a unique beginning is enough."""
        self._freshen()
        if id.startswith("o-"):
            from lorebank.nightly.lookback import steps_of

            opinion = self._named(load_opinions(self._index, opinion_id=self._opinion_id(id)))[0]
            dated = materialise.as_read(opinion, self._today(now), self.config.reflect)
            steps = steps_of(self._index, dated, self.config.reflect.prior)
            return Explanation(fact=None, opinion=dated, places=(opinion.source,), steps=steps)
        facts = facts_by_id(self._index, id)
        if not facts:
            raise NotFound(f"no fact or opinion '{id}'", hint="ids are shown by recall --json")
        if len({fact.id for fact in facts}) > 1:
            near = ", ".join(sorted({fact.id for fact in facts})[:5])
            raise UsageError(f"'{id}' is the beginning of several ids", hint=near)
        return Explanation(
            fact=facts[0],
            opinion=None,
            places=tuple(fact.citation for fact in facts),
            moved=opinions_moved_by(self._index, facts[0].id),
        )

    @made_anew_when_damaged
    def belief_changes(
        self,
        entity: str | None = None,
        *,
        since: Day = "90d",
        as_of: Day = None,
        now: date | None = None,
    ) -> BeliefDiff:
        """What changed its mind since a day: new, stronger, weaker, fallen and superseded opinions,
        each from → to with the lines that moved it.

        `since` is read on the day of `as_of`, which is today without it.
        """
        from lorebank.beliefs.history import belief_diff

        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        until = parse_day(as_of, self._today(now), "as-of", side="end") or self._today(now)
        first = parse_day(since, until, "since") or date.min
        if first > until:
            raise UsageError(f"--since {first} lies after {until}", hint="name an earlier day")
        eve = first - timedelta(days=1) if first > date.min else first
        before = self._opinions(slug, eve, now)
        after = self._opinions(slug, until, now)
        return belief_diff(before, after, since=first, until=until)

    @made_anew_when_damaged
    def rot(self, *, now: date | None = None) -> RotReport:
        """What has gone off: opinions that are contradicted, outdated, thin or stale, lines that
        were never recalled, and links, citations, marks and rulings that lead nowhere."""
        from lorebank.nightly.lookback import rot_report

        self._freshen()
        today = self._today(now)
        opinions = self._opinions(None, today, now)
        recalled = read_recalled(self.root) if self.config.recall.remember_uses else None
        files = self._walk().files
        return rot_report(self._index, self.root, files, opinions, recalled, day=today)

    @made_anew_when_damaged
    def calibration(
        self, entity: str | None = None, *, as_of: Day = None, now: date | None = None
    ) -> Calibration:
        """How often opinions that stood at about .8, or any other confidence, were borne out by the
        next independent evidence, and how often each judge's verdicts were overruled."""
        from lorebank.inbox.judge import judge_records
        from lorebank.inbox.registry import settled
        from lorebank.nightly.lookback import calibration

        self._freshen()
        slug = None if entity is None else self._entity(entity).slug
        day = parse_day(as_of, self._today(now), "as-of", side="end") or self._today(now)
        found = calibration(self._index, self._opinions(slug, day, now), day=day)
        return replace(found, judges=judge_records(settled(self._open_desk(now))))
