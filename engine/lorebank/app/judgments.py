"""The inbox: what waits for a judgment, ruling on it, and taking verdicts back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

from lorebank.app.workspace import OpenWorkspace, member_of, rebuild_index_if_corrupt
from lorebank.domain.facts import InboxKind
from lorebank.domain.judgments import Decision, Inbox, Proposal, ProposalDecision
from lorebank.errors import ConfigurationError, UsageError
from lorebank.generation.writing import open_writer
from lorebank.inbox.owner import accept
from lorebank.inbox.registry import settled, signature, take_back, waiting
from lorebank.inbox.sources import Desk
from lorebank.nightly.proposals import find_proposal, open_proposals, record
from lorebank.workspace.lock import WriterLock


@rebuild_index_if_corrupt
def inbox(
    ws: OpenWorkspace,
    kind: InboxKind | str | None = None,
    k: int | None = None,
    now: date | None = None,
) -> Inbox:
    """What waits for a decision, newest and weightiest first: pairs of lines, names, proposed
    edits, facts in quarantine; of one `kind` only, `k` items at most."""
    if k is not None and k < 1:
        raise UsageError(f"k must be at least 1, not {k}")
    ws.freshen()
    return waiting(
        _desk(ws, now), kind=None if kind is None else member_of(InboxKind, kind, "kind"), k=k
    )


@rebuild_index_if_corrupt
def rule(
    ws: OpenWorkspace, verdicts: Mapping[str, str], *, by: str, now: date | None = None
) -> tuple[Decision, ...]:
    """Settle items: id (or a unique beginning) → one of the item's `choices`.

    Each becomes one ledger line under `bank/`, signed `by` and dated; `unrule` takes it back
    exactly. What is settled is not asked again unless a line it rests on changes. Nothing is
    written where one of the verdicts cannot be.
    """
    from lorebank.inbox.registry import rule, settled

    with WriterLock(ws.root):
        ws.sync_files()
        desk = _desk(ws, now)
        before = {decision.id for decision in settled(desk)}
        rule(desk, verdicts, by=by)
        ws.sync_files()
        return tuple(each for each in settled(desk) if each.id not in before)


@rebuild_index_if_corrupt
def unrule(
    ws: OpenWorkspace,
    ids: Collection[str] | None = None,
    *,
    by: str | None = None,
    now: date | None = None,
) -> tuple[Decision, ...]:
    """Take verdicts back: those on these items, all `by` a name, or both. Returns them."""
    with WriterLock(ws.root):
        ws.sync_files()
        taken = take_back(_desk(ws, now), ids=ids, by=by)
        ws.sync_files()
    return taken


@rebuild_index_if_corrupt
def decisions(
    ws: OpenWorkspace, by: str | None = None, now: date | None = None
) -> tuple[Decision, ...]:
    """The verdicts that stand, all or those `by` a name, as their ledgers have them."""
    ws.freshen()
    signer = None if by is None else signature(by)
    return tuple(d for d in settled(_desk(ws, now)) if signer is None or d.by == signer)


def proposals(ws: OpenWorkspace) -> tuple[Proposal, ...]:
    """Edits that wait for a decision, as they stand under `bank/proposals/`."""
    return open_proposals(ws.root)[0]


def accept_proposal(ws: OpenWorkspace, id: str, *, now: date | None = None) -> ProposalDecision:
    """Make the edit that a proposal describes: in the core memory, or a fact line in a log.

    `id` may be a unique beginning. Nothing is written where the line to change, or what the
    proposal stands on, is not what it was: `ConcurrentEdit`.
    """
    with WriterLock(ws.root):
        ws.sync_files()
        proposal = find_proposal(ws.root, id)
        source = accept(_desk(ws, now), proposal)
        ws.sync_files()
    return ProposalDecision(proposal, True, source)


def reject_proposal(
    ws: OpenWorkspace, id: str, *, reason: str = "", now: date | None = None
) -> ProposalDecision:
    """Drop a proposal; it comes back only when new lines speak for it."""
    with WriterLock(ws.root):
        proposal = find_proposal(ws.root, id)
        record(ws.root, proposal, accepted=False, day=ws.day(now), reason=reason)
    return ProposalDecision(proposal, False, None)


def _desk(ws: OpenWorkspace, now: date | None) -> Desk:
    ws.refuse_in_group("the inbox")
    return ws.open_desk(now)


def judge(ws: OpenWorkspace, *, k: int = 20, now: date | None = None) -> tuple[Decision, ...]:
    """Have the generator of the settings rule on what it is sure of among `k` pairs of lines.

    Its verdicts are signed with its name: `unrule(by=…)` takes them all back. Raises
    `ConfigurationError` where no generator is named, `ProviderError` where it fails.
    """
    from lorebank.inbox.registry import judge, settled

    models = open_writer(ws.config, ws.environ, ws.say, ws.all_names, ws.given_generator)
    with WriterLock(ws.root), models as writer:
        if writer is None:
            raise ConfigurationError(
                "no generator is named", hint="set generator.provider in your own settings"
            )
        ws.sync_files()
        ruled = judge(_desk(ws, now), writer, k=k)
        ws.sync_files()
        return tuple(each for each in settled(_desk(ws, now)) if each.id in ruled)
