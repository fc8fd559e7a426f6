"""Answers: hits, entity views, agendas, and those of several banks."""

from __future__ import annotations

from dataclasses import field
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.domain.facts import (
    NOBODY,
    Author,
    Citation,
    Day,
    Entity,
    Evidence,
    Fact,
    FactStatus,
    Interval,
    Neighbour,
    Opinion,
    Origin,
)
from lorebank.records import Record, as_json, record_to_dict_with, written_as


class Query(Record):
    """How a question was understood; `to_dict` is the envelope's `query`."""

    text: str
    terms: tuple[str, ...] = ()
    """Content words that the lexical retriever searched, folded."""
    entities: tuple[str, ...] = ()
    """Display names of the entities found in the question or asked for by a flag."""
    interval: Interval | None = None
    kinds: tuple[str, ...] = ()
    """Kinds of facts asked for, `note` for prose."""
    intent: tuple[str, ...] = ()
    """Any of `entity`, `temporal`, `opinion`, `identifier`; otherwise `lexical`."""
    as_of: date | None = None
    tags: tuple[str, ...] = ()
    """Tags that a hit must all have."""
    path: str | None = None
    """The file or folder of the hits."""
    excluded: tuple[str, ...] = ()
    """Exclusions: `tea`, `"a phrase"`, `kind:note`."""
    origins: tuple[str, ...] = ()
    """Allowed origins of a hit; `trusted` leaves out what is in quarantine."""


class Hit(Record):
    """One cited answer to a question."""

    id: str
    kind: str
    """A fact's kind, or `note` for prose."""
    content: str
    source: Citation
    score: float
    """How likely it answers, in 0..1; of several banks, by its rank. The hits are in this order but
    where a newer line leads an older one that matches better, or days or tasks are asked for."""
    entities: tuple[str, ...] = ()
    confidence: float | None = None
    """An opinion's present confidence, else the one the writer gave, else `None`."""
    recorded: date | None = None
    occurred: Interval | None = None
    """The first time in the text."""
    times: tuple[Interval, ...] = ()
    """All times in the text, in order."""
    status: FactStatus = FactStatus.LIVE
    superseded_by: str | None = None
    questioned_by: str | None = None
    """The id of a newer line with a similar meaning that may contradict it; not judged yet."""
    until: date | None = None
    """The day it was replaced by a newer line, if any."""
    why: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Per retriever that found it: `{"lexical": {"rank": 1, "terms": [...]}, …}`."""
    evidence: tuple[Evidence, ...] = ()
    snippet: str = ""
    """The matching lines, at most 700 characters."""
    repeats: tuple[Citation, ...] = ()
    """Other places with the same statement, which are not separate hits."""
    origin: Origin = Origin.OWNER
    quarantined: bool = False
    """Whether it is untrusted and unconfirmed."""
    context: tuple[str, ...] = ()
    """The owner's descriptions of its folders and file, outermost first."""
    bank: str = ""
    """The bank it is in, if several were asked together."""
    author: Author = NOBODY

    @property
    def place(self) -> str:
        """Its citation, after the bank if several were asked: `work:memory/a.md#L3`."""
        return f"{self.bank}:{self.source}" if self.bank else str(self.source)

    @property
    def standing(self) -> str:
        """Its state if it is (`superseded since 2026-02-02`) or may be outdated."""
        if self.status is FactStatus.LIVE:
            return f"older; {self.questioned_by} may say otherwise" if self.questioned_by else ""
        return f"{self.status.value} since {self.until}" if self.until else self.status.value

    @property
    def timestamp(self) -> date | Interval | None:
        """When it happened, if the text says so; otherwise the day it was written."""
        return self.occurred or self.recorded

    @written_as(occurred="timestamp")
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
    """The reason in words: the filter, the missing words, the rank."""
    id: str | None = None
    source: Citation | None = None
    content: str = ""
    rank: int | None = None
    """Its rank among all candidates, from 1."""
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
    """Whether it is used when no workspace is named and none is near."""

    to_dict = record_to_dict_with(is_default="default")


class BankPart(Record):
    """The part of one bank in a common answer."""

    bank: str
    workspace: str
    """Absolute path."""
    results: int = 0
    """How many of the results are from it."""
    evidence: str | None = None
    """How well it answers alone; `None` if not requested."""
    error: str = ""
    """Why it could not be asked; empty if it could."""
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
    """What was misunderstood, ignored or assumed."""
    total_exact: bool = True
    """False if a retriever reached its limit: `total` is then a lower bound."""
    why_not: Absence | None = None
    """The answer to `why_not`, if given."""
    banks: tuple[BankPart, ...] = ()
    """If several banks were asked: the part of each, in that order."""

    @written_as(retrievers_used="retrievers.used", retrievers_skipped="retrievers.skipped")
    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
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
    """At most 700 characters, with the match."""
    heading: str = ""
    provider: str = "none"
    model: str = ""
    fallback: str | None = None
    context: tuple[str, ...] = ()
    """The owner's descriptions of its folders and file, outermost first."""
    bank: str = ""
    """The bank it is in, if several were asked together."""
    origin: Origin = Origin.OWNER
    """The least trusted origin of its lines."""
    quarantined: bool = False
    corpus: str = "memory"
    """`memory`, or `sessions` for conversations, which `get` does not open."""

    @property
    def source(self) -> Citation:
        return Citation(self.path, self.start_line, self.end_line)

    @property
    def place(self) -> str:
        """Its citation, after the bank if several were asked."""
        return f"{self.bank}:{self.source}" if self.bank else str(self.source)

    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict() | {"source": str(self.source)}
        if not self.bank:
            del fields["bank"]
        return fields


class FileText(Record):
    """What `get` returns: the text of a memory file, whole or by lines."""

    path: str
    text: str
    start_line: int
    """1-based."""
    end_line: int
    total_lines: int


class Property(Record):
    """A property of an entity, stated by a fact that no newer one has replaced."""

    relation: str
    """`residence`, `employer`, `phone`, …"""
    about: str
    """The related person or thing, folded (`mother`); empty for the entity itself."""
    fact: Fact

    @written_as(fact="")
    def to_dict(self) -> dict[str, Any]:
        return {"relation": self.relation, "about": self.about or None, **self.fact.to_dict()}


class NamedIn(Record):
    """A line that names an entity without marking it as a mention."""

    content: str
    source: Citation
    day: date | None

    to_dict = record_to_dict_with(day="recorded")


class Timeline(Record):
    """What happened, newest first."""

    facts: tuple[Fact, ...]
    prose: tuple[NamedIn, ...] = ()
    """Passages that name the entity asked for."""


class OpenQuestion(Record):
    """A question about an entity that its notes leave open."""

    kind: str
    """`contradiction` (two facts that cannot both hold), `disputed` (an opinion with evidence both
    ways) or `identity` (it may be the same as another)."""
    text: str
    sources: tuple[Citation, ...]


class EntityView(Record):
    """Everything known of one entity, as in the `entity` command."""

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
    tokens: int = 0
    truncated: bool = False
    """Whether the token budget left something out."""
    screen: tuple[str, ...] = ()
    """The first screen of its page, as lines of Markdown."""

    @property
    def superseded(self) -> dict[str, str]:
        """Of the facts: id → id of what replaces it."""
        return {fact.id: fact.superseded_by for fact in self.facts if fact.superseded_by}

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

        `opinions` carry `role` (`held` or `about`); every entry has a `source` or `sources`.
        """
        held = {opinion.id for opinion in self.held}
        fields = super().to_dict()
        fields["opinions"] = [
            {**o.to_dict(), "role": "held" if o.id in held else "about"} for o in self.opinions
        ]
        return fields


class BeliefStep(Record):
    """How an opinion's confidence changed on one day, and by which part of the rule."""

    date: Day
    before: float | None
    """`None` on the day that opened it."""
    after: float
    words: str
    """The inputs of the rule in words."""
    lines: tuple[Evidence, ...]
    """Empty if it was only changed by hand."""


class GraphNode(Record):
    """An entity in the graph of entities that share facts."""

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
    """Betweenness, 0..1: the share of shortest paths through it."""


class GraphEdge(Record):
    """Two entities that share facts; `a` is the alphabetically first."""

    a: str
    b: str
    weight: int
    """How many facts mention both."""
    source: Citation
    """The newest of these facts."""
    bridge: bool
    """Whether removing it would disconnect the graph."""


class EntityGraph(Record):
    """The graph of entities that share facts."""

    nodes: tuple[GraphNode, ...]
    """The most central first."""
    edges: tuple[GraphEdge, ...]
    """The strongest first."""

    @property
    def bridges(self) -> tuple[GraphEdge, ...]:
        """The edges whose removal would disconnect the graph."""
        return tuple(edge for edge in self.edges if edge.bridge)


class Ending(Record):
    """What took the place of a fact or an opinion, and whose ruling that was."""

    id: str
    text: str
    source: Citation
    since: date | None
    ruling: Citation | None = None
    """Where somebody ruled so; none where the newer line says it itself."""
    ruled_by: str = ""
    ruled_on: date | None = None


class Explanation(Record):
    """The history of a fact or an opinion, as `explain` shows it."""

    fact: Fact | None
    opinion: Opinion | None
    places: tuple[Citation, ...]
    """Every line that states it."""
    moved: tuple[tuple[str, Evidence], ...] = ()
    """For a fact: the opinions (by id) that it moved, and how."""
    steps: tuple[BeliefStep, ...] = ()
    """For an opinion: each day of its confidence, oldest first."""
    ending: Ending | None = None
    """For what holds no longer."""

    def to_dict(self) -> dict[str, Any]:
        moved = [{"opinion": opinion, **line.to_dict()} for opinion, line in self.moved]
        return super().to_dict() | {"moved": moved}


class SearchOfBanks(Record):
    """What `search` found in several banks."""

    query: str
    hits: tuple[SearchHit, ...]
    """Merged by rank; `score` is each bank's own."""
    banks: tuple[BankPart, ...]


class OpinionsOfBanks(Record):
    opinions: tuple[tuple[str, Opinion], ...]
    """`(bank, opinion)`, the surest first."""
    banks: tuple[BankPart, ...]

    def to_dict(self) -> dict[str, Any]:
        opinions = [{"bank": bank, **opinion.to_dict()} for bank, opinion in self.opinions]
        return {"opinions": opinions, "banks": as_json(self.banks)}


class EntitiesOfBanks(Record):
    """What several banks know of one name."""

    views: tuple[tuple[str, EntityView], ...]
    """`(bank, view)`, in the order the banks were asked."""
    banks: tuple[BankPart, ...]

    @written_as(views="entities")
    def to_dict(self) -> dict[str, Any]:
        views = [{"bank": bank, **view.to_dict()} for bank, view in self.views]
        return {"entities": views, "banks": as_json(self.banks)}


class AgendaKind(StrEnum):
    """What an entry of the agenda is."""

    EVENT = "event"
    """Something that takes place, whoever does it."""
    TASK = "task"
    PROMISE = "promise"


class AgendaItem(Record):
    """One appointment, task or promise."""

    text: str
    source: Citation
    when: Interval | None
    """When it takes place or is due; `None` if the line names no day."""
    kind: AgendaKind
    overdue: bool = False
    """Due before the day asked about, and still open."""
    open: bool = False
    """For tasks and promises: still to be done."""
    entities: tuple[str, ...] = ()
    """Slugs of the entities that it names."""
    subject: str = ""
    """The subject's name, if the text omits it."""
    perhaps_done: Citation | None = None
    """Of a task: the newest later line that may say that it is done."""
    perhaps_moved: Citation | None = None
    """Of an appointment: the newest later line that may move it to another day."""
    perhaps_off: Citation | None = None
    """Of an appointment: the newest later line that may call it off."""

    @property
    def order(self) -> tuple[bool, date, Citation]:
        """Overdue first, then by day, then undated."""
        day = self.when and (self.when.start or self.when.end)
        return not self.overdue, day or date.max, self.source

    @property
    def doubt(self) -> tuple[str, Citation] | None:
        """A word for why it may be obsolete, and the line it comes from."""
        said = (("off?", self.perhaps_off), ("done?", self.perhaps_done))
        doubts = (*said, ("moved?", self.perhaps_moved))
        return next(((word, place) for word, place in doubts if place), None)

    @property
    def told(self) -> str:
        """The text after its subject."""
        return f"{self.subject}: {self.text}" if self.subject else self.text


class Agenda(Record):
    """Coming and open items as of a day."""

    day: date
    until: date
    items: tuple[AgendaItem, ...]
    """Overdue first, then by day, then undated."""
    doubtful: tuple[AgendaItem, ...] = ()
    """In the same order: what a newer line may have settled, and tasks of logs overdue for days."""
