"""What waits for a decision and what was decided: the inbox, proposals, names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.domain.facts import Citation, Diagnostic, Entity, InboxItem, InboxKind
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
    """Empty where the line is prose."""

    to_dict = record_to_dict_with(fact_id="id", day="date")


class Proposal(Record):
    """An edit that waits for a person: nothing of it is written until it is accepted."""

    id: str
    """`p-` and 8 hex digits."""
    action: ProposalAction
    target: str
    """Workspace path of the file that it would edit."""
    old: str
    """The line to go, exactly as it stands there; empty where none goes. Several to be removed have
    a newline in between."""
    new: str
    """The line to come; empty where none comes."""
    why: str
    grounds: tuple[Ground, ...]
    """Oldest first."""

    to_dict = record_to_dict_with(grounds="evidence")


def proposal_id(*parts: str) -> str:
    """The same id for the same parts."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    text = "\n".join(parts).encode("utf-8", "surrogatepass")
    return "p-" + blake2b(text, digest_size=4).hexdigest()


class Directive(Record):
    """A hard rule of the owner's, from `bank/directives.md`; no evidence moves it."""

    text: str
    source: Citation
    heading: str = ""
    """The headings it stands under, joined by ` > `."""


class NameStep(Record):
    """One step on the way from a name as written to its entity."""

    step: str
    """`slug`, `ledger`, `front matter`, `folding`, `writing` or `context`, tried in this order."""
    note: str
    """What it found, or that it found nothing."""
    found: bool
    source: Citation | None = None
    """The line that says so, where a line does."""


class NameReason(Record):
    """Why a name stands, or may stand, for an entity."""

    name: str
    reason: str
    source: Citation | None = None


class NameResolution(Record):
    """The entity that a name stands for, and how it was found."""

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
    """Workspace paths of the pages written, in that order; empty where it stood already."""
    patch: str
    """A unified diff of the ledger and of the pages that move with it."""
    dry_run: bool
    before: tuple[str, ...] = ()
    """The slugs of the entities that the names stood for."""
    after: tuple[str, ...] = ()
    """Those that they stand for with the decision; one where it joins them."""
    problems: tuple[Diagnostic, ...] = ()
    """Pages that could not be moved."""

    to_dict = record_to_dict_with(patch="diff")


class Audit(Record):
    """What an identity audit proposes; nothing here was merged."""

    duplicates: tuple[tuple[str, str, str], ...]
    """`(slug, slug, reason)`."""
    findings: tuple[AuditFinding, ...] = ()
    """All that deserves a look: `duplicates` again with their evidence, and the other kinds."""


class AuditFinding(Record):
    """One thing about names that a person should look at."""

    kind: str
    """`duplicate`, `dangling` (mentioned once, without a page), `unmentioned` (a page of somebody
    no note names) or `hub` (in so many facts that it may be several)."""
    names: tuple[str, ...]
    """Display names: both of a duplicate, else one."""
    reason: str
    evidence: tuple[Citation, ...]
    """The newest lines that name them, or the page."""
    commands: tuple[str, ...]
    """What settles it, either way."""


class JudgeRecord(Record):
    """How the verdicts of one judge fared."""

    name: str
    verdicts: int
    """How many stand in the ledgers, overruled or not."""
    overruled: int
    """On how many of these another judge's verdict stands that is different."""
    shared: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Other judge → on how many items both ruled, and on how many of them alike."""

    def to_dict(self) -> dict[str, Any]:
        shared = {name: {"items": n, "alike": alike} for name, (n, alike) in self.shared.items()}
        return super().to_dict() | {"shared": shared}


class Inbox(Record):
    """What waits for a decision: newest first, of one day the weightiest first."""

    items: tuple[InboxItem, ...]
    total: int
    """How many wait, shown or not."""
    unlikely: int = 0
    """How many pairs of lines that are little alike were left out, beside those."""


class Decision(Record):
    """A verdict as it stands in its ledger."""

    id: str
    """Of the inbox item that it settles."""
    kind: InboxKind
    verdict: str
    by: str
    """Who ruled; empty where the line does not say."""
    day: date | None
    source: Citation
    """The ledger line; removing it takes the verdict back."""
    about: tuple[str, ...] = ()
    """Ids or names that the line speaks of."""
    is_void: bool = False
    """Whether a line or opinion that it rules on is gone: it decides nothing any more."""

    to_dict = record_to_dict_with(empty_as_null=("by",))


class Comparison(Record):
    """What a model says of a pair on which somebody ruled; it decides nothing."""

    standing: Decision
    verdict: str
    by: str
    """The model."""
