"""The contents of notes: facts, tasks, opinions, entities, and inbox items about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.records import Record, as_json, record_to_dict_with, written_as

Day = date  # for fields called `date`, which would shadow the type
LONGEST_MONTH = 31  # days; the next or last repetition of a day of the month is not further away
LONGEST_READ = 20_000
"""Characters of a line or question; the rest is only searched as text, not parsed."""
LONGEST_FACT = 320
"""Characters; chosen by hand: a fact is a sentence that stands alone, not a paragraph."""


def digest(text: str, size: int) -> str:
    """A hash of a text as hexadecimal digits, two for each of `size` bytes."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


class FactKind(StrEnum):
    """The kind of a fact, written as a letter in retain sections."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"

    @property
    def letter(self) -> str:
        """W, B, O or S."""
        return _KIND_LETTERS[self]


_KIND_LETTERS = {
    FactKind.WORLD: "W",
    FactKind.EXPERIENCE: "B",
    FactKind.OPINION: "O",
    FactKind.OBSERVATION: "S",
}


class FactStatus(StrEnum):
    """Whether a fact is current, superseded by a newer one, or retracted by its author."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class Origin(StrEnum):
    """The source of a sentence, most trusted first."""

    OWNER = "owner"
    AGENT = "agent"
    """Written by an agent for the owner: trusted like the owner, and named on the line."""
    SESSION = "session"
    """From a conversation, not written into the notes."""
    IMPORTED = "imported"
    UNTRUSTED = "untrusted"

    @property
    def trusted(self) -> bool:
        """Whether it counts without confirmation."""
        return self in (Origin.OWNER, Origin.AGENT)

    @property
    def note(self) -> str:
        """A suffix for sentences that are not the owner's."""
        return "" if self is Origin.OWNER else f" ({self.value}'s word)"

    @property
    def rank(self) -> int:
        """0 for the most trusted."""
        return list(Origin).index(self)

    def least_trusted(self, other: Origin | None) -> Origin:
        """The less trusted of two origins."""
        return self if other is None or self.rank >= other.rank else other


class Author(Record):
    """Who wrote a line for the owner; all fields may be empty."""

    agent: str = ""
    client: str = ""
    """The program it ran in, unless that is the agent's name."""
    session: str = ""
    user: str = ""
    """The user it wrote for, in a bank with several users."""
    written: date | None = None
    """The day it was written, if different from the log's."""

    def to_dict(self) -> dict[str, str]:
        """Only what is known."""
        return {key: value for key, value in super().to_dict().items() if value}


NOBODY = Author()


class OpinionStatus(StrEnum):
    """Whether an opinion is still held."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class Stance(StrEnum):
    """How a fact bears on an opinion."""

    FOR = "for"
    AGAINST = "against"
    UNRELATED = "unrelated"


class Trend(StrEnum):
    """The direction of an opinion's confidence, from the dates of its evidence."""

    NEW = "new"
    STRENGTHENING = "strengthening"
    STABLE = "stable"
    WEAKENING = "weakening"
    STALE = "stale"


_CITATION = re.compile(r"\A(?P<path>.+?)#L(?P<start>\d+)(?:-L?(?P<end>\d+))?\Z", re.DOTALL)


class Citation(Record, order=True):
    """The place of a sentence: `memory/2025-11-27.md#L12`, or `…#L12-L15` for several lines.

    >>> str(Citation("memory/2025-11-27.md", 12, 12))
    'memory/2025-11-27.md#L12'
    """

    path: str
    """Relative to the workspace, with `/` between parts on every system."""
    start_line: int
    """1-based."""
    end_line: int
    """1-based, inclusive; equal to `start_line` for one line."""

    def __str__(self) -> str:
        if self.end_line <= self.start_line:
            return f"{self.path}#L{self.start_line}"
        return f"{self.path}#L{self.start_line}-L{self.end_line}"

    json_value = __str__

    @classmethod
    def parse(cls, text: str) -> Citation:
        """Read `path#L12` or `path#L12-L15`; `ValueError` for anything else."""
        found = _CITATION.match(text)
        if found is None:
            raise ValueError(f"not a citation: {text!r}")
        start = int(found["start"])
        return cls(found["path"], start, int(found["end"] or start))


class Interval(Record):
    """A span of whole days, both included; `None` is an open side."""

    start: date | None
    end: date | None

    def begins_after(self, day: date) -> bool:
        return self.start is not None and self.start > day

    def announces(self, written: date) -> bool:
        """Whether a text of that day gives a future start, the surest sign of a change."""
        return self.end is None and self.begins_after(written)

    def overlaps(self, other: Interval) -> bool:
        """Whether the two spans share a day."""
        starts_in_time = self.start is None or other.end is None or self.start <= other.end
        ends_in_time = self.end is None or other.start is None or other.start <= self.end
        return starts_in_time and ends_in_time


class Diagnostic(Record):
    """A problem found in a user's text: its place, and how the text was read."""

    path: str
    line: int
    """1-based; 0 for the whole file."""
    code: str
    """Stable, kebab-case: `kind-unknown`, `confidence-out-of-range`, …"""
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.code}]"


class Mention(Record):
    """A name in a fact that points to an entity."""

    name: str
    """As written, without `@` and brackets: `The Castle`."""
    slug: str
    """The folded name: `the-castle`."""
    subject: bool = False
    """Whether it is before the colon: the fact is about it."""


class EvidenceMark(Record):
    """`(+o-3f2a)` or `(-o-3f2a)`: the opinion that a line supports or contradicts."""

    stance: Stance
    opinion_id: str


class Fact(Record):
    """One sentence of a retain section, with everything parsed from its line."""

    id: str
    """`f-` and 10 hex digits, from kind, day, mention slugs and normalised text."""
    kind: FactKind
    content: str
    """Plain text: no kind letter, leading mentions, marks or markup; HTML entities decoded."""
    raw: str
    """The source lines, unchanged."""
    citation: Citation
    mentions: tuple[Mention, ...] = ()
    confidence: float | None = None
    """The writer's confidence in the sentence, 0..1; `None` if unset."""
    recorded: date | None = None
    """The log's own day; `None` in an undated file."""
    occurred: Interval | None = None
    """The first time in the text, resolved against `recorded`."""
    times: tuple[Interval, ...] = ()
    """All times in the text, in order."""
    marks: tuple[EvidenceMark, ...] = ()
    ends: tuple[str, ...] = ()
    """Ids of facts that this one ends, as marked by the writer."""
    heading: str = ""
    """The headings above the fact's section, joined by ` > `."""
    details: tuple[str, ...] = ()
    """Nested lines kept as evidence: `Evidence: "…" (2026-02-04)`, `Last reinforced: …`."""
    origin: Origin = Origin.OWNER
    quarantined: bool = False
    """Whether it is untrusted and unconfirmed: flagged, and not evidence."""
    author: Author = NOBODY
    related: tuple[InboxItem, ...] = field(default=(), compare=False)
    """After `retain`: inbox items about what it may restate, contradict or replace."""
    superseded_by: str | None = field(default=None, compare=False)
    """Id of the fact that replaces it, or of the opinion that replaces its own."""
    superseded_since: date | None = field(default=None, compare=False)
    """The day from which it no longer holds."""
    is_new: bool = field(default=True, compare=False)
    """After `retain`: false if the log already had it, and nothing was written."""

    @property
    def oldest_first(self) -> tuple[date, str, int]:
        """Sort key: undated facts first, then by day and place."""
        return self.recorded or date.min, self.citation.path, self.citation.start_line

    @property
    def standing(self) -> str:
        """Shown with it if it no longer holds: `superseded since 2026-02-02 by f-…`."""
        return superseded_phrase(self.superseded_since, self.superseded_by)

    @property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of all mentions, in order, each once."""
        return tuple(dict.fromkeys([m.slug for m in self.mentions]))

    @property
    def subjects(self) -> tuple[str, ...]:
        """The slugs of the mentions before the colon, in order, each once."""
        return tuple(dict.fromkeys([m.slug for m in self.mentions if m.subject]))

    @written_as(citation="source", mentions="entities", occurred="timestamp")
    def to_dict(self) -> dict[str, Any]:
        """One fact as `timeline`, `entity` and `explain` print it."""
        return {
            "id": self.id,
            "kind": self.kind.value,
            "timestamp": as_json(self.occurred or self.recorded),
            "recorded": as_json(self.recorded),
            "entities": list(dict.fromkeys(m.name for m in self.mentions)),
            "content": self.content,
            "confidence": self.confidence,
            "source": str(self.citation),
            "origin": self.origin.value,
            "quarantined": self.quarantined,
            "author": self.author.to_dict(),
            "status": "superseded" if self.superseded_by else "live",
            "superseded_by": self.superseded_by,
            "superseded_since": as_json(self.superseded_since),
        }


def superseded_phrase(since: date | None, by: str | None) -> str:
    """What a line that no longer holds says of that; empty where nothing replaces it."""
    day = f" since {since}" if since else ""
    return f"superseded{day} by {by}" if by else ""


class TaskState(StrEnum):
    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


PROMISE = "promise"


class Task(Record):
    """Something to be done: a ticked or open box, a `TODO:`, or a promise made in a sentence."""

    text: str
    """Plain text without box, keyword and the metadata of task plug-ins."""
    state: TaskState
    """As written; `index.tasks` also applies later lines."""
    citation: Citation
    due: Interval | None = None
    kind: str = "task"
    """`task`, or `PROMISE` for a sentence that promises something."""
    recorded: date | None = None
    """The day of its log."""
    entities: tuple[str, ...] = ()
    """Slugs of the entities that it names."""
    perhaps_done: Citation | None = None
    """A later tick that may be about it."""


class Passage(Record):
    """A paragraph or list item of prose that is no fact: what a hit of kind `note` cites."""

    text: str
    citation: Citation
    heading: str = ""


class Chunk(Record):
    """About 400 tokens of a file, the unit of chunk search and embedding."""

    text: str
    citation: Citation
    heading: str = ""


class Evidence(Record):
    """One dated fact that moved an opinion's confidence."""

    fact_id: str
    source: Citation
    stance: Stance
    date: Day
    delta: float
    """Signed change of the confidence."""
    content: str = ""
    reason: str = ""
    """Why it has this stance: `stated`, `restated`, `mark`, `negation`, `slot`, …"""

    to_dict = record_to_dict_with(fact_id="id")


class Opinion(Record):
    """A preference or judgement of a holder, with its confidence from the evidence."""

    id: str
    """`o-` and hex digits, from holder and first statement."""
    statement: str
    entities: tuple[str, ...]
    """Display names: the holder, then what the opinion is about."""
    confidence: float
    """In (0, 1)."""
    trend: Trend
    evidence: tuple[Evidence, ...]
    """Oldest first."""
    history: tuple[tuple[date, float], ...]
    """The confidence at the end of each day that moved it, oldest first."""
    last_updated: date | None
    source: Citation
    """Where it was first stated."""
    status: OpinionStatus = OpinionStatus.LIVE
    superseded_by: str | None = None
    superseded_since: Day | None = None
    """The day on which its holder put the other in its place."""
    not_judged: int = 0
    """How many newer lines may bear on it that nobody has judged."""
    pinned: float | None = None
    """A confidence set by hand on `bank/opinions.md`, overriding the evidence."""
    supersedes: tuple[str, ...] = ()
    """Opinions that this one replaced."""
    origin: Origin = Origin.OWNER
    """The most trusted origin among the supporting lines."""


class Entity(Record):
    """A person, place, organisation, project or thing that facts mention."""

    slug: str
    name: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    first_seen: date | None = None
    last_seen: date | None = None
    facts: int = 0
    """How many facts mention it."""
    type_reason: str = ""
    """`front matter`, or the rule that inferred the type."""
    page: str | None = None
    """Workspace path of its page under `bank/entities/`, if any."""


class Neighbour(Record):
    """An entity that shares facts with another."""

    entity: Entity
    shared: int
    """How many facts mention both."""
    source: Citation
    """The newest of these facts."""
    why: str = ""
    """The text of that fact."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"entity": self.entity.name}


class InboxKind(StrEnum):
    """The kind of decision that an inbox item waits for."""

    EVIDENCE = "evidence"
    RESTATEMENT = "restatement"
    REPLACEMENT = "replacement"
    NAME = "name"
    PROPOSAL = "proposal"
    QUARANTINE = "quarantine"
    CONFLICT = "conflict"


class Relation(StrEnum):
    """A ruling on how a newer line relates to an older one."""

    SAME = "same"
    REPLACES = "replaces"
    BOTH = "both"


class InboxLine(Record):
    """One side of an item."""

    text: str
    source: Citation | None
    day: date | None = None
    id: str = ""
    """Id of the fact or opinion, or the name; empty for an edit."""
    about: tuple[str, ...] = ()
    """Names of its subjects, or of the holder."""
    by: str = ""
    """The agent that wrote it; empty for the owner's own line."""

    to_dict = record_to_dict_with(empty_as_null=("id", "by"))


_PAIRS = frozenset({InboxKind.EVIDENCE, InboxKind.RESTATEMENT, InboxKind.REPLACEMENT})
LIKELY = 0.25
"""The weight above which a pair is likely about one thing. Of 60 pairs by another author, the newer
line restates or ends the older in 26 of the 39 above it and in 4 of the 21 below; in four months of
a third author's log all 40 of 76 pairs below it were about different things."""


class InboxItem(Record):
    """A decision that the engine leaves to a person or a model."""

    id: str
    """`i-` and 10 hex digits, a hash of the kind and its subject: stable."""
    kind: InboxKind
    older: InboxLine | None
    newer: InboxLine | None
    reason: str
    effect: Mapping[str, str]
    """Verdict → what it would change."""
    weight: float = 0.0
    """0..1: importance; ranks the items of one day."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The verdicts that `Bank.rule` takes."""
        return tuple(self.effect)

    @property
    def is_likely(self) -> bool:
        """Whether it is worth a person's time: not for weakly matching pairs."""
        return self.kind not in _PAIRS or self.weight >= LIKELY

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict() | {"choices": list(self.choices)}
        del fields["weight"]
        return fields


class SyncReport(Record):
    """What one sync did; `problems` lists each file that could not be read completely."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    files: int = 0
    facts: int = 0
    embedded: int = 0
    """Texts embedded in this run; texts found in the embedding cache do not count."""
    pending: int = 0
    """Texts not embedded yet."""
    embedder_problem: str = ""
    """Why the configured embedder failed; else empty."""
    embedder_remedy: str = ""
    """What to do about it."""

    def with_sessions(self, sessions: SyncReport) -> SyncReport:
        """The report of notes and transcripts together."""
        return replace(
            self,
            added=(*self.added, *sessions.added),
            changed=(*self.changed, *sessions.changed),
            removed=(*self.removed, *sessions.removed),
            problems=(*self.problems, *sessions.problems),
        )
