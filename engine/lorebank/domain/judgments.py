"""Pending and past decisions: the inbox, proposals, names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.domain.facts import Citation, Diagnostic, Entity, InboxItem, InboxKind, digest
from lorebank.records import Record, record_to_dict_with


class ProposalAction(StrEnum):
    """What accepting a proposal does."""

    ADD = "add"
    """A line to the core memory."""
    REPLACE = "replace"
    """A line of the core memory by another."""
    REMOVE = "remove"
    """Lines that follow one another from a file, the core memory or a log."""
    RETAIN = "retain"
    """A fact line to the retain section of a log."""


class Ground(Record):
    """A line that supports a proposal."""

    source: Citation
    content: str
    day: date | None = None
    fact_id: str = ""
    """Empty if the line is prose."""

    to_dict = record_to_dict_with(fact_id="id", day="date")


class Proposal(Record):
    """An edit to be accepted by a person before it is written."""

    id: str
    """`p-` and 8 hex digits."""
    action: ProposalAction
    target: str
    """Workspace path of the file that it would edit."""
    old: str
    """The exact line to be removed (several with newlines between), or empty."""
    new: str
    """The line to be added, or empty."""
    why: str
    grounds: tuple[Ground, ...]
    """Oldest first."""

    to_dict = record_to_dict_with(grounds="evidence")


def proposal_id(*parts: str) -> str:
    """The same id for the same parts."""
    return "p-" + digest("\n".join(parts), 4)


class Directive(Record):
    """A rule of the owner, from `bank/directives.md`; evidence does not change it."""

    text: str
    source: Citation
    heading: str = ""
    """The headings above it, joined by ` > `."""


class NameStep(Record):
    """One step of resolving a name."""

    step: str
    """`slug`, `ledger`, `front matter`, `folding`, `writing` or `context`, tried in this order."""
    note: str
    found: bool
    source: Citation | None = None
    """The line that says so, where a line does."""


class NameReason(Record):
    """Why a name means, or may mean, an entity."""

    name: str
    reason: str
    source: Citation | None = None


class NameResolution(Record):
    """The entity of a name, and how it was found."""

    written: str
    entity: Entity | None
    """`None` if no entity is certain."""
    steps: tuple[NameStep, ...]
    """Up to the first that found somebody."""
    names: tuple[NameReason, ...] = ()
    """The entity's other names, each with why it is one."""
    proposals: tuple[NameReason, ...] = ()
    """If no entity is certain: candidates, the likeliest first."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"entity": self.entity.name if self.entity else None}


class LedgerChange(Record):
    """What a decision about names changed, or would change under `dry_run`."""

    line: str
    """The ledger line, without its bullet: `merge @Bob → @Robert (2026-01-03)`."""
    changed: tuple[str, ...]
    """Workspace paths of the pages written, in order; empty if already decided."""
    patch: str
    """A unified diff of the ledger and of the pages that move with it."""
    dry_run: bool
    before: tuple[str, ...] = ()
    """The slugs of the entities before the decision."""
    after: tuple[str, ...] = ()
    """The slugs after the decision; one if merged."""
    problems: tuple[Diagnostic, ...] = ()
    """Pages that could not be moved."""

    to_dict = record_to_dict_with(patch="diff")


class Audit(Record):
    """The proposals of an identity audit; nothing is merged."""

    duplicates: tuple[tuple[str, str, str], ...]
    """`(slug, slug, reason)`."""
    findings: tuple[AuditFinding, ...] = ()
    """All findings: `duplicates` with evidence, and the other kinds."""


class AuditFinding(Record):
    """One thing about names that a person should look at."""

    kind: str
    """`duplicate`, `dangling` (mentioned once, without a page), `unmentioned` (a page without
    mentions) or `hub` (so many facts that it may be several entities)."""
    names: tuple[str, ...]
    """Display names: both of a duplicate, else one."""
    reason: str
    evidence: tuple[Citation, ...]
    """The newest lines that name them, or the page."""
    commands: tuple[str, ...]
    """What settles it, either way."""


class JudgeRecord(Record):
    """The track record of one judge."""

    name: str
    verdicts: int
    """Verdicts in the ledgers, overruled or not."""
    overruled: int
    """Those on which a different verdict of another judge is in force."""
    shared: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Other judge → number of items both ruled on, and of equal verdicts."""

    def to_dict(self) -> dict[str, Any]:
        shared = {name: {"items": n, "alike": alike} for name, (n, alike) in self.shared.items()}
        return super().to_dict() | {"shared": shared}


class Inbox(Record):
    """Pending decisions, newest first, then by weight."""

    items: tuple[InboxItem, ...]
    total: int
    """All pending items, shown or not."""
    unlikely: int = 0
    """Weak matches that are not included."""


class Decision(Record):
    """A verdict in its ledger."""

    id: str
    """Of the inbox item."""
    kind: InboxKind
    verdict: str
    by: str
    """Who ruled, if the line says so."""
    day: date | None
    source: Citation
    """The ledger line; removing it takes the verdict back."""
    about: tuple[str, ...] = ()
    """Ids or names in the line."""
    is_void: bool = False
    """Whether a line or opinion it rules on no longer exists, so that it has no effect."""

    to_dict = record_to_dict_with(empty_as_null=("by",))


class Comparison(Record):
    """What a model says of a pair on which somebody ruled; it decides nothing."""

    standing: Decision
    verdict: str
    by: str
    """The model."""
