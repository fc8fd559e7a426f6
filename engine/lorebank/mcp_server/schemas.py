"""What the tools return, as types: the output schemas that clients see are made of these.

They describe the envelopes of `to_dict`, additive only: a client may meet keys that are not here.
"""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class Span(TypedDict):
    start: str | None
    end: str | None


class EvidenceRow(TypedDict):
    id: str
    source: str
    stance: str
    date: str
    delta: float
    content: str
    reason: str


class HitRow(TypedDict):
    id: str
    kind: str
    timestamp: str | Span | None
    recorded: str | None
    entities: list[str]
    content: str
    confidence: float | None
    status: str
    superseded_by: str | None
    source: str
    score: float
    snippet: str
    why: dict[str, Any]
    evidence: list[EvidenceRow]
    repeats: list[str]
    origin: str
    quarantined: bool
    context: list[str]
    bank: NotRequired[str]


class BankPartRow(TypedDict):
    bank: str
    workspace: str
    results: int
    evidence: str | None
    error: str | None
    hint: str | None


class RecallResult(TypedDict):
    schema_version: int
    query: dict[str, Any]
    hits: list[HitRow]
    evidence: str
    total: int
    total_exact: bool
    truncated: bool
    tokens: int
    index: dict[str, Any]
    retrievers: dict[str, Any]
    notes: list[str]
    banks: NotRequired[list[BankPartRow]]


class FactRow(TypedDict):
    id: str
    kind: str
    timestamp: str | Span | None
    recorded: str | None
    entities: list[str]
    content: str
    confidence: float | None
    source: str
    origin: str
    quarantined: bool


class RetainResult(TypedDict):
    fact: FactRow
    related: list[InboxRow]
    """What the new line may restate, contradict or replace, to be ruled on."""


class RememberResult(TypedDict):
    place: str
    reason: str
    text: str
    source: str
    fact_id: str | None
    warning: str


class MovedOpinion(TypedDict):
    id: str
    statement: str
    before: float | None
    after: float


class Problem(TypedDict):
    path: str
    line: int
    code: str
    message: str


class HunkRow(TypedDict):
    id: str
    path: str


class ReflectResult(TypedDict):
    changed: list[str]
    dry_run: bool
    facts_read: int
    journal: str | None
    run: str | None
    resumed: str | None
    commit: str | None
    held: list[str]
    rejected: int
    hunks: list[HunkRow]
    opinions_moved: list[MovedOpinion]
    rules_alone: str
    problems: list[Problem]
    diff: str


class EntityRow(TypedDict):
    slug: str
    name: str
    aliases: list[str]
    type: str | None
    type_reason: str
    first_seen: str | None
    last_seen: str | None
    facts: int
    page: str | None


class OpinionRow(TypedDict):
    id: str
    statement: str
    entities: list[str]
    confidence: float
    trend: str
    status: str
    superseded_by: str | None
    supersedes: list[str]
    pinned: float | None
    last_updated: str | None
    source: str
    evidence: list[EvidenceRow]
    history: list[list[str | float]]


class NeighbourRow(TypedDict):
    entity: str
    shared: int
    why: str
    source: str


class PropertyRow(FactRow):
    relation: str
    about: str | None


class OpinionOfEntity(OpinionRow):
    role: str


class FactOfEntity(FactRow):
    status: str
    superseded_by: str | None


class NamedInRow(TypedDict):
    content: str
    recorded: str | None
    source: str


class QuestionRow(TypedDict):
    kind: str
    text: str
    sources: list[str]


class EntityResult(TypedDict):
    entity: EntityRow
    properties: list[PropertyRow]
    opinions: list[OpinionOfEntity]
    facts: list[FactOfEntity]
    neighbours: list[NeighbourRow]
    named_in: list[NamedInRow]
    questions: list[QuestionRow]
    tokens: int
    truncated: bool


class OpinionsResult(TypedDict):
    opinions: list[OpinionRow]
    total: int


class TimelineResult(TypedDict):
    facts: list[FactRow]
    total: int


class SnippetRow(TypedDict):
    path: str
    start_line: int
    end_line: int
    source: str
    score: float
    snippet: str
    heading: str
    provider: str
    model: str
    fallback: str | None
    origin: str
    quarantined: bool
    corpus: str
    context: list[str]
    bank: NotRequired[str]


class MemorySearchResult(TypedDict):
    query: str
    results: list[SnippetRow]
    citations: bool
    provider: str
    model: str
    fallback: str | None
    backend: str
    note: str


class SearchOfBanksResult(TypedDict):
    query: str
    hits: list[SnippetRow]
    banks: list[BankPartRow]


class MemoryGetResult(TypedDict):
    path: str
    start_line: int
    end_line: int
    total_lines: int
    text: str


class CoreWriteResult(TypedDict):
    path: str
    action: str
    start_line: int
    end_line: int
    tokens: int
    limit_tokens: int
    warning: str


class DirectiveRow(TypedDict):
    text: str
    source: str
    heading: str


class StatusResult(TypedDict):
    workspace: str
    index: dict[str, Any]
    counts: dict[str, int]
    embedder: dict[str, Any]
    vector_search: str
    backend: str
    sidecar: dict[str, Any]
    last_reflection: str | None
    rules_alone: str
    directives: list[DirectiveRow]
    problems: list[Problem]


class PackPartRow(TypedDict):
    title: str
    path: str
    text: str
    tokens: int
    truncated: bool


class BootPackResult(TypedDict):
    text: str
    parts: list[PackPartRow]
    tokens: int
    token_budget: int
    group: bool
    left_out: list[str]


class PairRow(TypedDict):
    fact: FactRow
    opinion: str
    statement: str
    confidence: float
    score: float
    reason: str


class UnsureResult(TypedDict):
    pairs: list[PairRow]
    total: int


class RulingResult(TypedDict):
    fact: FactRow
    opinion: OpinionRow
    stance: str | None
    before: float
    source: str | None


class InboxLineRow(TypedDict):
    id: str | None
    text: str
    source: str | None
    day: str | None


class InboxRow(TypedDict):
    id: str
    kind: str
    older: InboxLineRow | None
    newer: InboxLineRow | None
    reason: str
    choices: list[str]
    effect: dict[str, str]


class InboxResult(TypedDict):
    items: list[InboxRow]
    total: int


class DecisionRow(TypedDict):
    id: str
    kind: str
    verdict: str
    by: str | None
    day: str | None
    source: str
    about: list[str]


class RuledResult(TypedDict):
    decisions: list[DecisionRow]
