"""The value types of lorebank: one noun, one type, from the parser to the answer.

All are frozen and slotted. Days are `datetime.date`; an `Interval` includes both of its days.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.records import Record, as_json, record_to_dict_with

Day = date
"""For fields called `date`, which would hide the type from whoever reads the annotations."""


class FactKind(StrEnum):
    """What sort of sentence a fact is; the letter written in a retain section maps to it."""

    WORLD = "world"
    EXPERIENCE = "experience"
    OPINION = "opinion"
    OBSERVATION = "observation"

    @property
    def letter(self) -> str:
        """The letter that stands for this kind in a retain section: W, B, O or S."""
        return _KIND_LETTERS[self]


_KIND_LETTERS = {
    FactKind.WORLD: "W",
    FactKind.EXPERIENCE: "B",
    FactKind.OPINION: "O",
    FactKind.OBSERVATION: "S",
}


class FactStatus(StrEnum):
    """Whether a fact still holds: a newer one may have superseded it, its author retracted it."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


class Origin(StrEnum):
    """Whose word a sentence is; the further down, the less it is trusted."""

    OWNER = "owner"
    AGENT = "agent"
    """Written by an agent on the owner's behalf: trusted like the owner's word, and named."""
    SESSION = "session"
    """Said in a conversation, and written down by nobody."""
    IMPORTED = "imported"
    UNTRUSTED = "untrusted"

    @property
    def trusted(self) -> bool:
        """Whether it counts without being confirmed."""
        return self in (Origin.OWNER, Origin.AGENT)

    @property
    def note(self) -> str:
        """What stands behind a sentence that is not the owner's own; else empty."""
        return "" if self is Origin.OWNER else f" ({self.value}'s word)"

    @property
    def rank(self) -> int:
        """0 for what is trusted most."""
        return list(Origin).index(self)

    def least_trusted(self, other: Origin | None) -> Origin:
        """Of two origins the one that is trusted less: nothing vouches for itself."""
        return self if other is None or self.rank >= other.rank else other


class Author(Record):
    """Who wrote a line on the owner's behalf; all empty where nobody is named."""

    agent: str = ""
    client: str = ""
    """The program it ran in, as it introduced itself; empty where that is the agent's name."""
    session: str = ""
    user: str = ""
    """On whose behalf, where a bank has several users."""
    written: date | None = None
    """The day it was really written, where the log is of another one."""

    def to_dict(self) -> dict[str, str]:
        """Only what is known."""
        return {key: value for key, value in super().to_dict().items() if value}


NOBODY = Author()
"""The author of a line that names none."""


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
    """Where an opinion's confidence is going, from the dates of its evidence."""

    NEW = "new"
    STRENGTHENING = "strengthening"
    STABLE = "stable"
    WEAKENING = "weakening"
    STALE = "stale"


_CITATION = re.compile(r"\A(?P<path>.+?)#L(?P<start>\d+)(?:-L?(?P<end>\d+))?\Z", re.DOTALL)


class Citation(Record, order=True):
    """Where a sentence stands: `memory/2025-11-27.md#L12`, or `…#L12-L15` for several lines.

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

    def overlaps(self, other: Interval) -> bool:
        """Whether the two spans share a day."""
        starts_in_time = self.start is None or other.end is None or self.start <= other.end
        ends_in_time = self.end is None or other.start is None or other.start <= self.end
        return starts_in_time and ends_in_time


class Diagnostic(Record):
    """One odd thing found in a user's text, with its place and what was made of it."""

    path: str
    line: int
    """1-based; 0 where the whole file is meant."""
    code: str
    """Stable, kebab-case: `kind-unknown`, `confidence-out-of-range`, …"""
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message} [{self.code}]"


class LintFinding(Record):
    """A line of the notes that is better written otherwise."""

    source: Citation
    code: str
    """Stable, kebab-case; `engine/docs/notes.md` lists them."""
    message: str
    fix: str = ""
    """What the line would become; empty where a person has to decide."""


class LintReport(Record):
    """What `lint` found, and which run of fixes it wrote."""

    findings: tuple[LintFinding, ...]
    changed: tuple[str, ...] = ()
    """Files that fixes were written into."""
    run: str | None = None
    """The name under which they can be taken back."""


class Mention(Record):
    """A name in a fact that points to an entity."""

    name: str
    """As written, without `@` and brackets: `The Castle`."""
    slug: str
    """The folded name: `the-castle`."""
    subject: bool = False
    """True where it stands before the colon: the fact is about it."""


class EvidenceMark(Record):
    """`(+o-3f2a)` or `(-o-3f2a)`: the writer says what opinion a line speaks for or against."""

    stance: Stance
    opinion_id: str


class Fact(Record):
    """One narrative sentence of a retain section, with all that its line says."""

    id: str
    """`f-` and 10 hex digits, from kind, day, mention slugs and normalised text."""
    kind: FactKind
    content: str
    """Plain text: no kind letter, leading mentions, marks or markup; HTML entities decoded."""
    raw: str
    """The source lines as they stand in the file."""
    citation: Citation
    mentions: tuple[Mention, ...] = ()
    confidence: float | None = None
    """The writer's confidence in the sentence, 0..1; `None` where unset."""
    recorded: date | None = None
    """The log's own day; `None` in an undated file."""
    occurred: Interval | None = None
    """The first time that the text itself names, resolved against `recorded`."""
    times: tuple[Interval, ...] = ()
    """All the times that it names, in its order."""
    marks: tuple[EvidenceMark, ...] = ()
    ends: tuple[str, ...] = ()
    """Ids of facts that hold no longer because of this one, as the writer says."""
    heading: str = ""
    """The headings above the fact's section, joined by ` > `."""
    details: tuple[str, ...] = ()
    """Nested lines kept as evidence: `Evidence: "…" (2026-02-04)`, `Last reinforced: …`."""
    origin: Origin = Origin.OWNER
    quarantined: bool = False
    """Whether it is neither trusted nor confirmed: shown, marked so, and believed by nobody."""
    author: Author = NOBODY
    related: tuple[InboxItem, ...] = field(default=(), compare=False)
    """Of a fact just retained: what it may restate, contradict or replace, to be ruled on."""

    @property
    def oldest_first(self) -> tuple[date, str, int]:
        """What puts facts in order: undated ones first, then by day and place."""
        return self.recorded or date.min, self.citation.path, self.citation.start_line

    @property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of all mentions, in order, each once."""
        return tuple(dict.fromkeys(m.slug for m in self.mentions))

    @property
    def subjects(self) -> tuple[str, ...]:
        """The slugs of the mentions before the colon, in order, each once."""
        return tuple(dict.fromkeys(m.slug for m in self.mentions if m.subject))

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
        }


class TaskState(StrEnum):
    """Whether a task is still to be done."""

    OPEN = "open"
    DONE = "done"
    CANCELLED = "cancelled"


PROMISE = "promise"


class Task(Record):
    """Something to be done: a ticked or open box, a `TODO:`, or a promise made in a sentence."""

    text: str
    """Plain text without box, keyword and the metadata of task plug-ins."""
    state: TaskState
    """What the line says; `index.tasks` also knows what a later line ticked off."""
    citation: Citation
    due: Interval | None = None
    kind: str = "task"
    """`task`, or `PROMISE` for a sentence that promises something."""
    recorded: date | None = None
    """The day of its log."""
    entities: tuple[str, ...] = ()
    """Slugs of the entities that it names."""


class Passage(Record):
    """A paragraph or list item of prose that is no fact: what a hit of kind `note` cites."""

    text: str
    citation: Citation
    heading: str = ""


class Chunk(Record):
    """A stretch of a file of about 400 tokens: what chunk search ranks and embedders see."""

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
    """How far it moved the confidence, signed."""
    content: str = ""
    reason: str = ""
    """Why it was read so: `stated`, `restated`, `mark`, `negation`, `slot`, …"""

    to_dict = record_to_dict_with(fact_id="id")


class Opinion(Record):
    """A preference or judgement somebody holds, with the confidence the evidence gives it."""

    id: str
    """`o-` and hex digits, from holder and first statement."""
    statement: str
    entities: tuple[str, ...]
    """Display names: holder first, then what it is about."""
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
    pinned: float | None = None
    """A confidence set by hand on `bank/opinions.md`; it wins over the evidence."""
    supersedes: tuple[str, ...] = ()
    """Opinions that this one took the place of."""
    origin: Origin = Origin.OWNER
    """Whose word it rests on: of the lines for it the most trusted counts."""


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
    """Why it has its type: `front matter`, where a person wrote it, else the rule that found it."""
    page: str | None = None
    """Workspace path of its page under `bank/entities/`, where there is one."""


class Query(Record):
    """What was understood of a question; `to_dict` is the envelope's `query`."""

    text: str
    terms: tuple[str, ...] = ()
    """Content words that the lexical retriever searched, folded."""
    entities: tuple[str, ...] = ()
    """Display names of the entities found in the question or asked for by a flag."""
    interval: Interval | None = None
    kinds: tuple[str, ...] = ()
    """Kinds of facts asked for, `note` for prose."""
    intent: tuple[str, ...] = ()
    """Any of `entity`, `temporal`, `opinion`, `identifier`; `lexical` where none stands out."""
    as_of: date | None = None
    tags: tuple[str, ...] = ()
    """What a hit must bear, every one."""
    path: str | None = None
    """The file or folder a hit must stand in."""
    excluded: tuple[str, ...] = ()
    """What no hit may hold: `tea`, `"a phrase"`, `kind:note`."""
    origins: tuple[str, ...] = ()
    """Whose word a hit may be; `trusted` where nothing in quarantine may be one."""


class Hit(Record):
    """One cited answer to a question."""

    id: str
    kind: str
    """A fact's kind, or `note` for prose."""
    content: str
    source: Citation
    score: float
    """Comparable within one answer only; the best hit has the highest."""
    entities: tuple[str, ...] = ()
    confidence: float | None = None
    """An opinion's present confidence, else the one the writer gave, else `None`."""
    recorded: date | None = None
    occurred: Interval | None = None
    """The first time that the text names."""
    times: tuple[Interval, ...] = ()
    """All the times that it names, in its order."""
    status: FactStatus = FactStatus.LIVE
    superseded_by: str | None = None
    until: date | None = None
    """The day from which it holds no longer, where a newer line replaces it."""
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Per retriever that found it: `{"lexical": {"rank": 1, "terms": [...]}, …}`."""
    evidence: tuple[Evidence, ...] = ()
    snippet: str = ""
    """The matching lines, at most 700 characters."""
    repeats: tuple[Citation, ...] = ()
    """Where else the same is said; those lines are no hits of their own."""
    origin: Origin = Origin.OWNER
    quarantined: bool = False
    """Whether it is neither trusted nor confirmed: something somebody wrote, and no more."""
    context: tuple[str, ...] = ()
    """What its folders and its file are about, as their owner wrote it; outermost first."""
    bank: str = ""
    """The bank it stands in, where several were asked together."""
    author: Author = NOBODY

    @property
    def place(self) -> str:
        """Its citation, and before it the bank where several were asked: `work:memory/a.md#L3`."""
        return f"{self.bank}:{self.source}" if self.bank else str(self.source)

    @property
    def standing(self) -> str:
        """Shown with it where it holds no longer: `superseded since 2026-02-02`."""
        if self.status is FactStatus.LIVE:
            return ""
        return f"{self.status.value} since {self.until}" if self.until else self.status.value

    @property
    def timestamp(self) -> date | Interval | None:
        """When it happened if the text says so, else the day it was written."""
        return self.occurred or self.recorded

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        del fields["times"], fields["occurred"]
        if not self.bank:
            del fields["bank"]
        return fields | {"timestamp": as_json(self.timestamp), "why": self.why}


class Absence(Record):
    """Why one fact or passage is not among the hits of an answer."""

    asked: str
    """The id or citation that was asked about."""
    reason: str
    """`unknown`, `filtered`, `not-matched`, `outside-time`, `repeat`, `superseded`, `no-evidence`,
    `below-k`, `budget`; or `shown`, when it is there."""
    detail: str
    """The same for a person, with what it was: the filter, the words it lacks, its rank."""
    id: str | None = None
    source: Citation | None = None
    content: str = ""
    rank: int | None = None
    """Its place among all that could be shown, from 1."""
    score: float | None = None
    last_score: float | None = None
    """The score of the last hit shown."""
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    """As `Hit.why`."""


class RegisteredBank(Record):
    """A workspace that a user has named."""

    name: str
    path: str
    """Absolute."""
    is_default: bool = False
    """Whether it is meant where nothing names a workspace and none is near."""

    to_dict = record_to_dict_with(is_default="default")


class BankPart(Record):
    """What one of several banks had to say."""

    bank: str
    workspace: str
    """Absolute path."""
    results: int = 0
    """How many of the results shown are its own."""
    evidence: str | None = None
    """How well it answers a question alone; `None` where that was not asked."""
    error: str = ""
    """Why it could not be asked; empty where it was."""
    hint: str = ""
    """What to do about it."""

    to_dict = record_to_dict_with(empty_as_null=("error", "hint"))


class Answer(Record):
    """What `recall` returns; `to_dict` is the published JSON envelope."""

    query: Query
    hits: tuple[Hit, ...]
    evidence: str
    """`strong`, `weak` or `none`: how well the hits answer the question as a whole."""
    total: int
    """How many hits there were before `k` and the token budget cut the list."""
    truncated: bool
    tokens: int
    """Estimated tokens of the hits' contents, and of each context once."""
    index: dict[str, Any]
    retrievers_used: tuple[str, ...]
    retrievers_skipped: dict[str, str]
    """Retriever → why it did not run."""
    notes: tuple[str, ...] = ()
    """What was not understood, left out or assumed."""
    total_exact: bool = True
    """False where a retriever gave as many as it may: `total` is then the least there are."""
    why_not: Absence | None = None
    """Where it was asked why something is not there."""
    banks: tuple[BankPart, ...] = ()
    """Where several banks were asked together: what each had to say, in the order asked."""

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict() | {"hits": [hit.to_dict() for hit in self.hits]}
        used, skipped = fields.pop("retrievers_used"), fields.pop("retrievers_skipped")
        absent = [name for name in ("why_not", "banks") if not fields[name]]
        for name in absent:
            del fields[name]
        return {"schema_version": 1, **fields, "retrievers": {"used": used, "skipped": skipped}}


class SearchHit(Record):
    """One chunk found by `search` (`memory_search`)."""

    path: str
    start_line: int
    end_line: int
    score: float
    """0..1."""
    snippet: str
    """At most 700 characters, holding the match."""
    heading: str = ""
    provider: str = "none"
    model: str = ""
    fallback: str | None = None
    context: tuple[str, ...] = ()
    """What its folders and its file are about, as their owner wrote it; outermost first."""
    bank: str = ""
    """The bank it stands in, where several were asked together."""
    origin: Origin = Origin.OWNER
    """The least trusted of what the snippet's lines come from."""
    quarantined: bool = False
    corpus: str = "memory"
    """`memory`, or `sessions`: what was said in a conversation, which `get` does not open."""

    @property
    def source(self) -> Citation:
        return Citation(self.path, self.start_line, self.end_line)

    @property
    def place(self) -> str:
        """Its citation, and before it the bank where several were asked."""
        return f"{self.bank}:{self.source}" if self.bank else str(self.source)

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict() | {"source": str(self.source)}
        if not self.bank:
            del fields["bank"]
        return fields


class SyncReport(Record):
    """What one sync did; every file that could not be read whole is a problem here."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    files: int = 0
    facts: int = 0
    embedded: int = 0
    """Texts embedded in this run; texts found in the embedding cache do not count."""
    pending: int = 0
    """Texts that still wait for an embedding."""
    embedder_problem: str = ""
    """Why the embedder that was chosen did not embed; empty where it did."""
    embedder_remedy: str = ""
    """What to do about it."""

    def with_sessions(self, sessions: SyncReport) -> SyncReport:
        """This report of notes, and what was read of transcripts."""
        return replace(
            self,
            added=(*self.added, *sessions.added),
            changed=(*self.changed, *sessions.changed),
            removed=(*self.removed, *sessions.removed),
            problems=(*self.problems, *sessions.problems),
        )


class FileText(Record):
    """What `get` returns: the text of a memory file, whole or by lines."""

    path: str
    text: str
    start_line: int
    """1-based."""
    end_line: int
    total_lines: int


class Neighbour(Record):
    """An entity that shares facts with another."""

    entity: Entity
    shared: int
    """How many facts mention both."""
    source: Citation
    """The newest of these facts."""
    why: str = ""
    """What that fact says."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"entity": self.entity.name}


class Property(Record):
    """What a fact fixes about an entity and no newer fact has replaced."""

    relation: str
    """`residence`, `employer`, `phone`, …"""
    about: str
    """Of what of the entity, in folded words (`mother`); empty for the entity itself."""
    fact: Fact

    def to_dict(self) -> dict[str, Any]:
        return {"relation": self.relation, "about": self.about or None, **self.fact.to_dict()}


class NamedIn(Record):
    """A line that names an entity without marking it: a weaker mention."""

    content: str
    source: Citation
    day: date | None

    to_dict = record_to_dict_with(day="recorded")


class OpenQuestion(Record):
    """Something about an entity that its notes leave open."""

    kind: str
    """`contradiction` (two facts that cannot both hold), `disputed` (an opinion with evidence both
    ways) or `identity` (it may be the same as another)."""
    text: str
    sources: tuple[Citation, ...]


class EntityView(Record):
    """All that is known of one entity, as the `entity` command shows it."""

    entity: Entity
    facts: tuple[Fact, ...]
    """The timeline, newest first."""
    opinions: tuple[Opinion, ...]
    """Those it holds and those about it; see `held` and `about`."""
    neighbours: tuple[Neighbour, ...]
    """Strongest first."""
    properties: tuple[Property, ...] = ()
    """Current facts by relation."""
    named_in: tuple[NamedIn, ...] = ()
    """Newest first."""
    questions: tuple[OpenQuestion, ...] = ()
    superseded: dict[str, str] = field(default_factory=dict)
    """Of the facts: id → id of the newer fact that replaces it."""
    tokens: int = 0
    """Estimated tokens of all that is shown."""
    truncated: bool = False
    """Whether a token budget left something out."""

    @property
    def held(self) -> tuple[Opinion, ...]:
        """The opinions that the entity holds."""
        return tuple(o for o in self.opinions if o.entities[:1] == (self.entity.name,))

    @property
    def about(self) -> tuple[Opinion, ...]:
        """The opinions of others about the entity."""
        return tuple(o for o in self.opinions if o.entities[:1] != (self.entity.name,))

    def to_dict(self) -> dict[str, Any]:
        """The envelope of `entity --json`.

        `opinions` carry `role` (`held` or `about`); `facts` carry `status`; every entry has a
        `source` or `sources`.
        """
        held = {opinion.id for opinion in self.held}
        fields = super().to_dict()
        del fields["superseded"]
        fields["opinions"] = [
            {**o.to_dict(), "role": "held" if o.id in held else "about"} for o in self.opinions
        ]
        fields["facts"] = [
            {
                **fact.to_dict(),
                "status": "superseded" if fact.id in self.superseded else "live",
                "superseded_by": self.superseded.get(fact.id),
            }
            for fact in self.facts
        ]
        return fields


class BeliefStep(Record):
    """What one day did to an opinion's confidence, and by which part of the rule."""

    date: Day
    before: float | None
    """`None` on the day that opened it."""
    after: float
    words: str
    """The inputs of the rule on that day, as a sentence."""
    lines: tuple[Evidence, ...]
    """Empty on a day on which only a hand moved it."""


class GraphNode(Record):
    """An entity in the graph of who is seen with whom."""

    slug: str
    name: str
    type: str | None
    facts: int
    component: int
    """From 1, the largest first; so are communities."""
    community: int
    degree: int
    """Shared facts, summed over its neighbours."""
    centrality: float
    """Betweenness, 0..1: how many shortest ways between others lead over it."""


class GraphEdge(Record):
    """Two entities that share facts; `a` is the alphabetically first."""

    a: str
    b: str
    weight: int
    """How many facts mention both."""
    source: Citation
    """The newest of these facts."""
    bridge: bool
    """Whether nothing else links what is on its one side with what is on the other."""


class EntityGraph(Record):
    """Who is seen with whom."""

    nodes: tuple[GraphNode, ...]
    """The most central first."""
    edges: tuple[GraphEdge, ...]
    """The strongest first."""

    @property
    def bridges(self) -> tuple[GraphEdge, ...]:
        """The edges that alone hold parts of the graph together."""
        return tuple(edge for edge in self.edges if edge.bridge)


class Explanation(Record):
    """A fact's or an opinion's whole story, as `explain` tells it."""

    fact: Fact | None
    opinion: Opinion | None
    places: tuple[Citation, ...]
    """Every line that says it."""
    moved: tuple[tuple[str, Evidence], ...] = ()
    """For a fact: the opinions (by id) that it moved, and how."""
    steps: tuple[BeliefStep, ...] = ()
    """For an opinion: each day of its confidence, oldest first."""

    def to_dict(self) -> dict[str, Any]:
        moved = [{"opinion": opinion, **line.to_dict()} for opinion, line in self.moved]
        return super().to_dict() | {"moved": moved}


class OpenPair(Record):
    """A fact near an opinion that no rule signs: somebody has to say what it says of it."""

    fact: Fact
    opinion_id: str
    statement: str
    confidence: float
    score: float
    """0..1: how likely it is worth a look."""
    reason: str
    """Why the line is asked about: `names it`, `alike in meaning`, `its words disagree`, …"""

    to_dict = record_to_dict_with(opinion_id="opinion")


class UnsureQueue(Record):
    """The pairs that wait for a judge, the best first."""

    pairs: tuple[OpenPair, ...]
    total: int
    """How many wait, shown or not."""


class Ruling(Record):
    """What somebody decided on a pair, and what became of the opinion."""

    fact: Fact
    opinion: Opinion
    """As it is after the ruling."""
    stance: Stance | None
    """`None` where the ruling was taken back."""
    before: float
    """The opinion's confidence before."""
    source: Citation | None
    """Its line in `bank/evidence.md`."""


class ProposalAction(StrEnum):
    """What accepting a proposal does."""

    ADD = "add"
    """A line to the core memory."""
    REPLACE = "replace"
    """A line of the core memory by another."""
    REMOVE = "remove"
    """A line from the core memory."""
    RETAIN = "retain"
    """A fact line to the retain section of a log."""


class Ground(Record):
    """A line that a proposal stands on."""

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
    """The line to go, exactly as it stands there; empty where none goes."""
    new: str
    """The line to come; empty where none comes."""
    why: str
    grounds: tuple[Ground, ...]
    """Oldest first."""

    to_dict = record_to_dict_with(grounds="evidence")


class ProposalDecision(Record):
    """A proposal that a person decided on."""

    proposal: Proposal
    accepted: bool
    source: Citation | None
    """Where the accepted line stands; `None` where one went or the proposal was rejected."""


class Directive(Record):
    """A hard rule of the owner's, from `bank/directives.md`; no evidence moves it."""

    text: str
    source: Citation
    heading: str = ""
    """The headings it stands under, joined by ` > `."""


class Status(Record):
    """What is indexed, with what, and what is wrong; `problems` name their remedy."""

    workspace: str
    fresh: bool
    stale_reason: str
    synced_at: str | None
    """Local time, ISO 8601."""
    counts: dict[str, int]
    """files, facts, entities, opinions, chunks, passages, quarantined, vectors."""
    embedder: dict[str, Any]
    """provider, model, dimension, available, reason."""
    vector_search: str
    """`sqlite-vec` or `exact scan`, with the reason."""
    index_bytes: int
    last_reflection: str | None
    problems: tuple[Diagnostic, ...]
    directives: tuple[Directive, ...] = ()
    """The owner's hard rules."""
    rules_alone: str = ""
    """Why words alone decide what is near an opinion; empty where vectors help."""
    backend: str = "builtin"
    """The engine that ranks passages for `search`: `builtin` or `qmd`."""
    form: str = ""
    """What another program's folder was recognised as: `Obsidian vault`; else empty."""
    sidecar: dict[str, Any] = field(default_factory=dict)
    """Where the settings name `qmd`: reason, mode, home, collections, updated, embedded, problem;
    else empty."""

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        index = {"fresh": "fresh", "reason": "stale_reason", "synced_at": "synced_at"}
        index["bytes"] = "index_bytes"
        return fields | {"index": {key: fields.pop(name) for key, name in index.items()}}


class Hunk(Record):
    """One change of one page, to be accepted or rejected on its own."""

    id: str
    """`h-` and 10 hex digits, of the page and of the lines that go and come."""
    path: str
    diff: str
    """The lines that go (`-`) and come (`+`), with a few around them."""


class UndoReport(Record):
    """What taking a reflect run back restored."""

    run: str
    restored: tuple[str, ...]
    """Workspace paths that are again, byte for byte, what they were before the run."""
    kept: tuple[str, ...] = ()
    """Paths left alone, since they were changed after the run."""


class ReflectReport(Record):
    """What one reflect run changed, or would change under `dry_run`."""

    changed: tuple[str, ...]
    """Workspace paths of the pages written, sorted."""
    patch: str
    """A unified diff of all pages; empty where nothing changed."""
    journal: str | None
    """Path of the journal page under `bank/reflections/`; `None` on a night without news."""
    dry_run: bool
    facts_read: int
    opinions_moved: tuple[tuple[str, str, float | None, float], ...] = ()
    """`(id, statement, confidence before or None where new, confidence after)`."""
    problems: tuple[Diagnostic, ...] = ()
    """Hand edits kept, pages skipped or held back, with their place."""
    run: str | None = None
    """What `undo` calls this run: `2025-12-10-1`; `None` where nothing was written."""
    resumed: str | None = None
    """An earlier run that was killed, and was completed first; its pages are among `changed`."""
    hunks: tuple[Hunk, ...] = ()
    """The patch in pieces that can be accepted or rejected."""
    held: tuple[str, ...] = ()
    """Pages left alone, since too many of their entries would vanish."""
    rejected: int = 0
    """Hunks left out, since a person rejected them, now or earlier."""
    commit: str | None = None
    """The git commit that holds the run, where one was asked for and made."""
    rules_alone: str = ""
    """Why words alone decided what is near an opinion; empty where vectors helped."""

    def diff(self) -> str:
        """The patch, as `git apply` reads it."""
        return self.patch

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        fields["diff"] = fields.pop("patch")
        fields["hunks"] = [{"id": hunk.id, "path": hunk.path} for hunk in self.hunks]
        keys = ("id", "statement", "before", "after")
        fields["opinions_moved"] = [
            dict(zip(keys, row, strict=True)) for row in self.opinions_moved
        ]
        return fields


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
    """Whom a name stands for, and how that was found."""

    written: str
    entity: Entity | None
    """`None` where nobody is surely meant."""
    steps: tuple[NameStep, ...]
    """Up to the first that found somebody."""
    names: tuple[NameReason, ...] = ()
    """The entity's other names, each with why it is one."""
    proposals: tuple[NameReason, ...] = ()
    """Where nobody is surely meant: whom it may mean, the likeliest first."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"entity": self.entity.name if self.entity else None}


class SearchOfBanks(Record):
    """What `search` found in several banks."""

    query: str
    hits: tuple[SearchHit, ...]
    """Merged by rank; `score` is each bank's own."""
    banks: tuple[BankPart, ...]


class OpinionsOfBanks(Record):
    """The opinions of several banks."""

    opinions: tuple[tuple[str, Opinion], ...]
    """`(bank, opinion)`, the surest first."""
    banks: tuple[BankPart, ...]

    def to_dict(self) -> dict[str, Any]:
        opinions = [{"bank": bank, **opinion.to_dict()} for bank, opinion in self.opinions]
        return {"opinions": opinions, "banks": as_json(self.banks)}


class EntitiesOfBanks(Record):
    """What several banks know of one name; what each means by it is its own."""

    views: tuple[tuple[str, EntityView], ...]
    """`(bank, view)`, in the order the banks were asked."""
    banks: tuple[BankPart, ...]

    def to_dict(self) -> dict[str, Any]:
        views = [{"bank": bank, **view.to_dict()} for bank, view in self.views]
        return {"entities": views, "banks": as_json(self.banks)}


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


class ConfirmReport(Record):
    """What a confirmation let out of quarantine, or what taking one back put there again."""

    line: str
    """What stands on `bank/confirmed.md`, without its bullet: `confirm f-… (2026-01-04)`."""
    source: Citation | None
    """Where it stands; `None` where it was taken back."""
    facts: tuple[Fact, ...]
    """The facts whose standing changed, oldest first."""
    passages: int
    """How many passages of prose changed with them."""


class ForgottenLine(Record):
    """A line or several that are cut, or would be."""

    source: Citation
    text: str
    id: str = ""
    """Of the fact or passage; empty where the line is none."""
    kind: str = ""

    @classmethod
    def of(cls, path: str, line: int, text: str) -> ForgottenLine:
        """One line of a page."""
        return cls(Citation(path, line, line), text.strip())

    to_dict = record_to_dict_with(empty_as_null=("id", "kind"))


class ForgetReport(Record):
    """What was forgotten, or would be under `dry_run`."""

    run: str | None
    """Its name for `--undo` and `--purge`; `None` where nothing was cut."""
    dry_run: bool
    lines: tuple[ForgottenLine, ...]
    """The lines of notes that go."""
    files: tuple[str, ...]
    """The files that go as a whole."""
    pages: tuple[ForgottenLine, ...]
    """The lines of bank pages that go with them, by their number before the cut."""
    derived: dict[str, int]
    """How many rows of the index come from the lines: facts, passages, chunks, vectors, evidence,
    unsure."""
    opinions: tuple[tuple[str, str, int, int], ...]
    """`(id, statement, lines lost, lines it had)` of each opinion that they bear on."""
    in_git: bool
    """Whether older versions of the files may stand in git's history, which is left alone."""
    problems: tuple[Diagnostic, ...] = ()
    """What could not be cut."""
    purged: PurgeReport | None = None
    said: tuple[ForgottenLine, ...] = ()
    """What was said in conversations and goes from every store of them: the line of the transcript,
    which is left as it is, the first words, and whose they are (`kind`)."""

    def with_problems(self, problems: Sequence[Diagnostic]) -> ForgetReport:
        """The report with what went wrong after it was made."""
        known = dict.fromkeys((*self.problems, *problems))
        return replace(self, problems=tuple(known))

    def to_dict(self) -> dict[str, Any]:
        keys = ("id", "statement", "lost", "lines")
        opinions = [dict(zip(keys, row, strict=True)) for row in self.opinions]
        return super().to_dict() | {"opinions": opinions}


class PurgeReport(Record):
    """What was kept of forgotten lines and is no more."""

    runs: tuple[str, ...]
    """Runs of forgetting that cannot be taken back any longer."""
    copies: tuple[str, ...]
    """Runs of reflect whose copies of pages held a forgotten text, and went."""


class ChangeKind(StrEnum):
    """What became of an opinion over a span of days."""

    SUPERSEDED = "superseded"
    """Another took its place."""
    FELL = "fell"
    """From .5 or above to below it."""
    WEAKER = "weaker"
    STRONGER = "stronger"
    NEW = "new"


class BeliefChange(Record):
    """One opinion that is not what it was."""

    kind: ChangeKind
    opinion: Opinion
    """As it stood at the end of the span."""
    before: float | None
    """`None` where it was not held yet."""
    after: float
    moved: tuple[Evidence, ...]
    """The lines within the span that bear on it, oldest first."""
    successor: Opinion | None = None
    """What took its place."""

    def to_dict(self) -> dict[str, Any]:
        new = self.successor
        return {
            "change": self.kind.value,
            "id": self.opinion.id,
            "statement": self.opinion.statement,
            "entities": list(self.opinion.entities),
            "before": as_json(self.before),
            "after": as_json(self.after),
            "moved": as_json(self.moved),
            "successor": {"id": new.id, "statement": new.statement} if new else None,
        }


class BeliefDiff(Record):
    """What changed its mind between two days, both included."""

    since: date
    until: date
    changes: tuple[BeliefChange, ...]
    """By kind as `ChangeKind` lists them, then the greatest moves first."""


class AgendaKind(StrEnum):
    """What an entry of the agenda is."""

    EVENT = "event"
    """Something that takes place, whoever does it."""
    TASK = "task"
    PROMISE = "promise"


class AgendaItem(Record):
    """One thing that is to come or to be done."""

    text: str
    source: Citation
    when: Interval | None
    """When it takes place or is due; `None` where the line names no day."""
    kind: AgendaKind
    overdue: bool = False
    """Due before the day asked about, and still open."""
    open: bool = False
    """Whether somebody still has to do it: tasks and promises."""
    entities: tuple[str, ...] = ()
    """Slugs of the entities that it names."""


class Agenda(Record):
    """What is to come from a day on, and what is open."""

    day: date
    until: date
    items: tuple[AgendaItem, ...]
    """What is overdue first, then by day, then what names no day."""


class RotKind(StrEnum):
    """What deserves a second look, and why."""

    CONTRADICTED = "contradicted"
    """Still held, although what came last or as often speaks against it."""
    OUTDATED = "outdated"
    """Held up by a fact that a newer one has replaced."""
    SINGLE_SOURCE = "single-source"
    """Held for more than a month, on the word of one file."""
    STALE = "stale"
    """Without evidence for more than 90 days."""
    UNRECALLED = "never-recalled"
    """More than 90 days old, and never given as an answer for as long as answers were noted."""
    DANGLING = "dangling"
    """A link, citation, mark or ruling that leads nowhere."""


class RotFinding(Record):
    """One thing that deserves a second look."""

    kind: RotKind
    id: str
    """The opinion's or fact's id; empty for a line of a page."""
    text: str
    """The opinion's statement, or what leads nowhere."""
    source: Citation
    """Where to look first."""
    reason: str
    confidence: float | None = None


class RotReport(Record):
    """What in a bank has gone off, as of a day."""

    day: date
    opinions: int
    """How many live opinions were checked."""
    pages: int
    """How many pages were searched for what leads nowhere."""
    findings: tuple[RotFinding, ...]
    """By kind as `RotKind` lists them; the surest opinions first."""
    unrecalled: int | None = None
    """How many facts and opinions old enough were never recalled, of which the oldest are among
    the findings; `None` where that is not known."""


class CalibrationBin(Record):
    """What came of the opinions that stood at about one confidence."""

    about: float
    """The middle of the bin; it reaches .05 to either side."""
    stated: float
    """The mean confidence of its trials."""
    trials: int
    held: int
    """How often the next independent evidence spoke for the opinion."""
    low: float
    high: float
    """The 95 % interval of the share that held (Wilson's)."""

    @property
    def share(self) -> float:
        return self.held / self.trials

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"share": as_json(self.share)}


class JudgeRecord(Record):
    """How the verdicts of one judge fared."""

    name: str
    verdicts: int
    """How many stand in the ledgers, overruled or not."""
    overruled: int
    """On how many of these another judge ruled otherwise later."""
    shared: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Other judge → on how many items both ruled, and on how many of them alike."""

    def to_dict(self) -> dict[str, Any]:
        shared = {name: {"items": n, "alike": alike} for name, (n, alike) in self.shared.items()}
        return super().to_dict() | {"shared": shared}


class Calibration(Record):
    """How often a confidence held up against the next independent evidence."""

    day: date
    bins: tuple[CalibrationBin, ...]
    """Least sure first; none without trials."""
    opinions: int
    """How many opinions were put to at least one trial."""
    untried: int
    """How many were not: no other day spoke of them."""
    trials: int
    held: int
    brier: float | None
    """The mean squared error of the confidences, 0 best; `None` without trials."""
    base_brier: float | None
    """The same for always saying the share that held: what knowing nothing more would give."""
    enough: bool
    """Whether there are enough trials to judge by."""
    judges: tuple[JudgeRecord, ...] = ()
    """Of every name that signed a verdict, those overruled most often first."""


class BenchRow(Record):
    """How well one engine led questions of one variant back to their sentences."""

    engine: str
    """`lorebank` or `grep`."""
    variant: str
    """`cloze`, `half`, `relation`, `typo`; or `all`."""
    questions: int
    recall_at_1: float
    """The share of questions whose sentence came first; 0..1, as are the others."""
    recall_at_5: float
    recall_at_10: float
    mrr: float
    """Mean reciprocal rank over the first ten."""


class BenchReport(Record):
    """How well a workspace's own sentences are found again from parts of them, beside grep.

    It measures remembering by words, not answering: the questions are made of the very words of
    the notes, so that no paraphrase and no reasoning is tried, and grep does well.
    """

    seed: int
    facts: int
    """How many facts were asked for."""
    passages: int
    """How many sentences of prose, where there were not facts enough."""
    lines: int
    """How many lines grep looked through."""
    rows: tuple[BenchRow, ...]
    p50_ms: float
    """Half of the recalls took at most so long, in milliseconds."""
    p95_ms: float
    retrievers_used: tuple[str, ...]


class InboxKind(StrEnum):
    """What sort of decision an item of the inbox waits for."""

    EVIDENCE = "evidence"
    RESTATEMENT = "restatement"
    REPLACEMENT = "replacement"
    NAME = "name"
    PROPOSAL = "proposal"
    QUARANTINE = "quarantine"
    CONFLICT = "conflict"


class Relation(StrEnum):
    """What a newer line is to an older one, as somebody ruled."""

    SAME = "same"
    REPLACES = "replaces"
    BOTH = "both"
    """Both hold, side by side."""


class InboxLine(Record):
    """One side of an item: a text and where it stands."""

    text: str
    source: Citation | None
    day: date | None = None
    id: str = ""
    """Id of the fact or opinion, or the name; empty for an edit."""

    to_dict = record_to_dict_with(empty_as_null=("id",))


class InboxItem(Record):
    """A judgment that the engine will not make by itself."""

    id: str
    """`i-` and 10 hex digits, from the kind and what it rests on: the same in every run."""
    kind: InboxKind
    older: InboxLine | None
    newer: InboxLine | None
    reason: str
    """Why it was found."""
    effect: Mapping[str, str]
    """Verdict → what it would change."""
    weight: float = 0.0
    """0..1: how much hangs on it; ranks items of one day."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The verdicts that `Bank.rule` takes."""
        return tuple(self.effect)

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict() | {"choices": list(self.choices)}
        del fields["weight"]
        return fields


class Inbox(Record):
    """What waits for a decision: newest first, of one day the weightiest first."""

    items: tuple[InboxItem, ...]
    total: int
    """How many wait, shown or not."""


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

    to_dict = record_to_dict_with(empty_as_null=("by",))
