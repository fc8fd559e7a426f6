"""The inbox: what waits for a judgment, ruling on it, and taking verdicts back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.opened import OpenWorkspace, made_anew_when_damaged
from lorebank.domain import Decision, Inbox, InboxKind, Proposal, ProposalDecision
from lorebank.errors import ConfigurationError, UsageError
from lorebank.workspace.lock import WriterLock

if TYPE_CHECKING:
    from lorebank.inbox.sources import Desk


class Judgments(OpenWorkspace):
    """The inbox and the verdicts on its items."""

    @made_anew_when_damaged
    def inbox(
        self, kind: InboxKind | str | None = None, k: int | None = None, now: date | None = None
    ) -> Inbox:
        """What waits for a decision, newest and weightiest first: pairs of lines, names, proposed
        edits, facts in quarantine; of one `kind` only, `k` items at most."""
        from lorebank.inbox.registry import waiting

        if k is not None and k < 1:
            raise UsageError(f"k must be at least 1, not {k}")
        self._freshen()
        return waiting(self._desk(now), kind=None if kind is None else _kind(kind), k=k)

    def rule(
        self, verdicts: Mapping[str, str], *, by: str, now: date | None = None
    ) -> tuple[Decision, ...]:
        """Settle items: id (or a unique beginning) → one of the item's `choices`.

        Each becomes one ledger line under `bank/`, signed `by` and dated; `unrule` takes it back
        exactly. What is settled is not asked again unless a line it rests on changes. Nothing is
        written where one of the verdicts cannot be.
        """
        from lorebank.inbox.registry import rule, settled

        with WriterLock(self.root):
            self._sync_words()
            desk = self._desk(now)
            before = {decision.id for decision in settled(desk)}
            rule(desk, verdicts, by=by)
            self._sync_words()
            return tuple(each for each in settled(desk) if each.id not in before)

    def unrule(
        self,
        ids: Collection[str] | None = None,
        *,
        by: str | None = None,
        now: date | None = None,
    ) -> tuple[Decision, ...]:
        """Take verdicts back: those on these items, all `by` a name, or both. Returns them."""
        from lorebank.inbox.registry import take_back

        with WriterLock(self.root):
            self._sync_words()
            taken = take_back(self._desk(now), ids=ids, by=by)
            self._sync_words()
        return taken

    @made_anew_when_damaged
    def decisions(self, by: str | None = None, now: date | None = None) -> tuple[Decision, ...]:
        """The verdicts that stand, all or those `by` a name, as their ledgers have them."""
        from lorebank.inbox.registry import settled, signature

        self._freshen()
        signer = None if by is None else signature(by)
        return tuple(d for d in settled(self._desk(now)) if signer is None or d.by == signer)

    def proposals(self) -> tuple[Proposal, ...]:
        """Edits that wait for a decision, as they stand under `bank/proposals/`."""
        from lorebank.nightly.proposals import open_proposals

        return open_proposals(self.root)[0]

    def accept_proposal(self, id: str, *, now: date | None = None) -> ProposalDecision:
        """Make the edit that a proposal describes: in the core memory, or a fact line in a log.

        `id` may be a unique beginning. Nothing is written where the line to change, or what the
        proposal stands on, is not what it was: `ConcurrentEdit`.
        """
        from lorebank.inbox.proposals import accept
        from lorebank.nightly.proposals import find_proposal

        with WriterLock(self.root):
            self._sync_words()
            proposal = find_proposal(self.root, id)
            source = accept(self._desk(now), proposal)
            self._sync_words()
        return ProposalDecision(proposal, True, source)

    def reject_proposal(
        self, id: str, *, reason: str = "", now: date | None = None
    ) -> ProposalDecision:
        """Drop a proposal; it comes back only when new lines speak for it."""
        from lorebank.nightly.proposals import find_proposal, record

        with WriterLock(self.root):
            proposal = find_proposal(self.root, id)
            record(self.root, proposal, accepted=False, day=self._today(now), reason=reason)
        return ProposalDecision(proposal, False, None)

    def _desk(self, now: date | None) -> Desk:
        self._refuse_in_group("the inbox")
        return self._open_desk(now)

    def judge(self, *, k: int = 20, now: date | None = None) -> tuple[Decision, ...]:
        """Have the generator of the settings rule on what it is sure of among `k` pairs of lines.

        Its verdicts are signed with its name: `unrule(by=…)` takes them all back. Raises
        `ConfigurationError` where no generator is named, `ProviderError` where it fails.
        """
        from lorebank.generation.writing import open_writer
        from lorebank.inbox.judge import judge
        from lorebank.inbox.registry import settled

        models = open_writer(self.config, self._environ, self._say, self._all_names)
        with WriterLock(self.root), models as writer:
            if writer is None:
                raise ConfigurationError(
                    "no generator is named", hint="set generator.provider in your own settings"
                )
            self._sync_words()
            ruled = judge(self._desk(now), writer, k=k)
            self._sync_words()
            return tuple(each for each in settled(self._desk(now)) if each.id in ruled)


def _kind(kind: InboxKind | str) -> InboxKind:
    try:
        return InboxKind(kind)
    except ValueError:
        raise UsageError(f"no kind '{kind}'", hint=f"use one of {', '.join(InboxKind)}") from None
