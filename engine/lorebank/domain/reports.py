"""What commands report of what they did or found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import date
from enum import StrEnum
from typing import Any

from lorebank.domain.facts import Citation, Diagnostic, Evidence, Fact, Opinion
from lorebank.domain.judgments import Directive, JudgeRecord
from lorebank.records import Record, as_json, record_to_dict_with, written_as


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


class Status(Record):
    """What is indexed, by which embedder, and what is wrong."""

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
    """Why only words decide what is near an opinion; empty if vectors help."""
    backend: str = "builtin"
    """The engine that ranks passages for `search`: `builtin` or `qmd`."""
    form: str = ""
    """What another program's folder was recognised as: `Obsidian vault`; else empty."""
    sidecar: dict[str, Any] = field(default_factory=dict)
    """Where the settings name `qmd`: reason, mode, home, collections, updated, embedded, problem;
    else empty."""

    to_dict = record_to_dict_with(
        fresh="index.fresh",
        stale_reason="index.reason",
        synced_at="index.synced_at",
        index_bytes="index.bytes",
    )


class Hunk(Record):
    """One change of one page, to be accepted or rejected on its own."""

    id: str
    """`h-` and 10 hex digits, of the page and of the lines that go and come."""
    path: str
    diff: str
    """The lines that go (`-`) and come (`+`), with a few around them."""


class UndoReport(Record):
    """What undoing a run restored."""

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
    """Pages left unchanged because too many of their entries would disappear."""
    rejected: int = 0
    """Hunks left out, since a person rejected them, now or earlier."""
    commit: str | None = None
    """The git commit that holds the run, where one was asked for and made."""
    rules_alone: str = ""
    """Why only words decided what is near an opinion; empty if vectors helped."""

    def diff(self) -> str:
        """The patch, as `git apply` reads it."""
        return self.patch

    @written_as(patch="diff")
    def to_dict(self) -> dict[str, Any]:
        fields = super().to_dict()
        fields["diff"] = fields.pop("patch")
        fields["hunks"] = [{"id": hunk.id, "path": hunk.path} for hunk in self.hunks]
        keys = ("id", "statement", "before", "after")
        fields["opinions_moved"] = [
            dict(zip(keys, row, strict=True)) for row in self.opinions_moved
        ]
        return fields


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
    proposed: tuple[ForgottenLine, ...] = ()
    """Lines that an agent did not write: the owner is asked in the inbox whether they go."""
    searched: int | None = None
    """How many files were searched at the end for what an order names; `None` where it names
    nothing. What is left is among the problems."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left of what was to go."""
        undone = ("not-forgotten", "left", "left-name")
        return not any(each.code in undone for each in self.problems)

    def with_problems(self, problems: Sequence[Diagnostic]) -> ForgetReport:
        """The report with what went wrong after it was made."""
        return replace(self, problems=tuple(dict.fromkeys((*self.problems, *problems))))

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
    mended: tuple[str, ...] = ()
    """Other runs of forgetting: what they keep held a forgotten text, and does no more."""
    unread: tuple[str, ...] = ()
    """Files in the workspace that are none of its notes: nobody looked into them."""


class ChangeKind(StrEnum):
    """How an opinion changed over a span of days."""

    SUPERSEDED = "superseded"
    """Another opinion replaced it."""
    FELL = "fell"
    """From .5 or above to below it."""
    WEAKER = "weaker"
    STRONGER = "stronger"
    NEW = "new"


class BeliefChange(Record):
    """An opinion that changed."""

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

    @written_as(kind="change", opinion="")
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
    """The opinions that changed between two days, both included."""

    since: date
    until: date
    changes: tuple[BeliefChange, ...]
    """By kind as `ChangeKind` lists them, then the greatest moves first."""


class RotKind(StrEnum):
    """Why something may no longer be right."""

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
    """Something that may no longer be right."""

    kind: RotKind
    id: str
    """The opinion's or fact's id; empty for a line of a page."""
    text: str
    """The opinion's statement, or what leads nowhere."""
    source: Citation
    """The place to look at first."""
    reason: str
    confidence: float | None = None


class RotReport(Record):
    """What in a bank may no longer be right, as of a day."""

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


class Calibration(Record):
    """How well confidences predicted the next independent evidence."""

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
    """How well a workspace's own sentences are found again from parts of them, compared with grep.

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


class HealthFinding(Record):
    """One thing that is wrong."""

    check: str
    """`permissions`, `interrupted`, `index`, `pages`, `notes`, `links`, `embedder`, `schedule`."""
    source: str
    """The file, with its line where one is to blame."""
    message: str
    remedy: str
    fixed: bool = False
