"""Reports of commands."""

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
    """A line of the notes that should be written differently."""

    source: Citation
    code: str
    """Stable, kebab-case; `engine/docs/notes.md` lists them."""
    message: str
    fix: str = ""
    """The corrected line; empty if a person has to decide."""


class LintReport(Record):
    """The findings of `lint`, and its fixes."""

    findings: tuple[LintFinding, ...]
    changed: tuple[str, ...] = ()
    """Files that fixes were written into."""
    run: str | None = None
    """The name for undoing them."""


class Status(Record):
    """State of the index, the embedder, and problems."""

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
    """Who compares vectors (numpy), and whether sqlite-vec can be loaded for your own SQL."""
    index_bytes: int
    last_reflection: str | None
    problems: tuple[Diagnostic, ...]
    directives: tuple[Directive, ...] = ()
    """The owner's hard rules."""
    rules_alone: str = ""
    """Why opinions are compared by words only; empty if vectors are used."""
    backend: str = "builtin"
    """The engine that ranks passages for `search`: `builtin` or `qmd`."""
    signals: dict[str, str] = field(default_factory=dict)
    """What ranks answers (words, meaning, reranker, mmr, temporal_decay): `on`, or why not and what
    it would bring."""
    form: str = ""
    """The recognised form of another program's folder: `Obsidian vault`; else empty."""
    sidecar: dict[str, Any] = field(default_factory=dict)
    """Where `qmd` is set: reason, mode, home, collections, updated, embedded, problem."""

    to_dict = record_to_dict_with(
        fresh="index.fresh",
        stale_reason="index.reason",
        synced_at="index.synced_at",
        index_bytes="index.bytes",
    )


class Hunk(Record):
    """One change of one page, to be accepted or rejected on its own."""

    id: str
    """`h-` and 10 hex digits, a hash of page and changed lines."""
    path: str
    diff: str
    """Removed (`-`) and added (`+`) lines with context."""
    newer: tuple[str, ...] = ()
    """The lines that replace what it cites."""

    @property
    def shown(self) -> str:
        """The diff without the marks of managed blocks."""
        lines = self.diff.strip("\n").split("\n")
        return "\n".join(li for li in lines if not li[1:].startswith("<!-- lorebank:"))


class UndoReport(Record):
    """What undoing a run restored."""

    run: str
    restored: tuple[str, ...]
    """Workspace paths restored byte for byte."""
    kept: tuple[str, ...] = ()
    """Paths not restored, since they were changed after the run."""


class ReflectReport(Record):
    """What one reflect run changed, or would change under `dry_run`."""

    changed: tuple[str, ...]
    """Workspace paths of the pages written, sorted."""
    patch: str
    """A unified diff of all pages; empty if nothing changed."""
    journal: str | None
    """Path of the journal page under `bank/reflections/`, if there were changes."""
    dry_run: bool
    facts_read: int
    opinions_moved: tuple[tuple[str, str, float | None, float], ...] = ()
    """`(id, statement, confidence before or None where new, confidence after)`."""
    problems: tuple[Diagnostic, ...] = ()
    """Hand edits kept, pages skipped or held back, with their place."""
    run: str | None = None
    """The name of this run for `undo`: `2025-12-10-1`; `None` if nothing was written."""
    resumed: str | None = None
    """An interrupted run that was completed first; its pages are in `changed`."""
    hunks: tuple[Hunk, ...] = ()
    """The patch in pieces that can be accepted or rejected."""
    held: tuple[str, ...] = ()
    """Pages left unchanged because too many of their entries would disappear."""
    rejected: int = 0
    """Hunks left out, since a person rejected them, now or earlier."""
    commit: str | None = None
    """The git commit of the run, if any."""
    rules_alone: str = ""
    """Why opinions were compared by words only; empty if vectors were used."""

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
    """What a confirmation, or its undo, changed."""

    line: str
    """The line of `bank/confirmed.md` without its bullet: `confirm f-… (2026-01-04)`."""
    source: Citation | None
    """Its place; `None` after an undo."""
    facts: tuple[Fact, ...]
    """The facts affected, oldest first."""
    passages: int
    """Passages of prose affected."""


class ForgottenLine(Record):
    """Lines that are cut, or would be."""

    source: Citation
    text: str
    id: str = ""
    """Of the fact or passage, if any."""
    kind: str = ""

    @classmethod
    def of(cls, path: str, line: int, text: str) -> ForgottenLine:
        """One line of a page."""
        return cls(Citation(path, line, line), text.strip())

    to_dict = record_to_dict_with(empty_as_null=("id", "kind"))


class ForgetReport(Record):
    """The result of `forget`, or of its dry run."""

    run: str | None
    """Its name for `--undo` and `--purge`; `None` if nothing was cut."""
    dry_run: bool
    lines: tuple[ForgottenLine, ...]
    """Lines of notes that are cut."""
    files: tuple[str, ...]
    """Files that are deleted."""
    pages: tuple[ForgottenLine, ...]
    """Lines of bank pages that are cut with them, by their earlier line number."""
    derived: dict[str, int]
    """Numbers of index rows from the lines: facts, passages, chunks, vectors, evidence, unsure."""
    opinions: tuple[tuple[str, str, int, int], ...]
    """`(id, statement, lines lost, lines before)` of each affected opinion."""
    in_git: bool
    """Whether git history, which is not changed, may contain older versions of the files."""
    problems: tuple[Diagnostic, ...] = ()
    """What could not be cut."""
    purged: PurgeReport | None = None
    said: tuple[ForgottenLine, ...] = ()
    """Turns removed from every store of conversations: the line of the (unchanged) transcript, the
    first words, and the speaker (`kind`)."""
    proposed: tuple[ForgottenLine, ...] = ()
    """Lines of others than the agent: the owner is asked in the inbox."""
    searched: int | None = None
    """Files searched for what remains (in `problems`); `None` without a text to seek."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        undone = ("not-forgotten", "left", "left-name")
        return not any(each.code in undone for each in self.problems)

    def with_problems(self, problems: Sequence[Diagnostic]) -> ForgetReport:
        """The report with further problems."""
        return replace(self, problems=tuple(dict.fromkeys((*self.problems, *problems))))

    def to_dict(self) -> dict[str, Any]:
        keys = ("id", "statement", "lost", "lines")
        opinions = [dict(zip(keys, row, strict=True)) for row in self.opinions]
        return super().to_dict() | {"opinions": opinions}


class PurgeReport(Record):
    """Undo data that was deleted."""

    runs: tuple[str, ...]
    """Runs of `forget` that can no longer be undone."""
    copies: tuple[str, ...]
    """Runs of reflect whose copies of pages contained a forgotten text."""
    mended: tuple[str, ...] = ()
    """Other runs of `forget`, from whose undo data a forgotten text was removed."""
    unread: tuple[str, ...] = ()
    """Files in the workspace that are not notes, and were not searched."""


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
    """At the end of the span."""
    before: float | None
    """`None` if it was not held yet."""
    after: float
    moved: tuple[Evidence, ...]
    """The lines within the span that bear on it, oldest first."""
    successor: Opinion | None = None

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
    """Why something may no longer be true."""

    CONTRADICTED = "contradicted"
    """Still held, although recent or as much evidence contradicts it."""
    OUTDATED = "outdated"
    """Supported by a superseded fact."""
    SINGLE_SOURCE = "single-source"
    """Held for more than a month, with evidence from one file."""
    STALE = "stale"
    """Without evidence for more than 90 days."""
    UNRECALLED = "never-recalled"
    """More than 90 days old, and never recalled since recalls are recorded."""
    DANGLING = "dangling"
    """A broken link, citation, mark or ruling."""


class RotFinding(Record):
    """Something that may no longer be true."""

    kind: RotKind
    id: str
    """The opinion's or fact's id; empty for a line of a page."""
    text: str
    """The opinion's statement, or the broken reference."""
    source: Citation
    """The place to look at first."""
    reason: str
    confidence: float | None = None


class RotReport(Record):
    """What in a bank may no longer be true, as of a day."""

    day: date
    opinions: int
    """How many live opinions were checked."""
    pages: int
    """How many pages were searched for broken references."""
    findings: tuple[RotFinding, ...]
    """By kind as `RotKind` lists them; the surest opinions first."""
    unrecalled: int | None = None
    """How many old facts and opinions were never recalled; `None` if unknown."""


class CalibrationBin(Record):
    """How opinions of about one confidence fared."""

    about: float
    """The middle of the bin; it reaches .05 to either side."""
    stated: float
    """The mean confidence of its trials."""
    trials: int
    held: int
    """How often the next independent evidence supported the opinion."""
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
    """How many opinions had at least one trial."""
    untried: int
    """How many had none."""
    trials: int
    held: int
    brier: float | None
    """The mean squared error of the confidences, 0 best; `None` without trials."""
    base_brier: float | None
    """The same for always predicting the overall share."""
    enough: bool
    """Whether there are enough trials to judge by."""
    judges: tuple[JudgeRecord, ...] = ()
    """Every signer of verdicts, the most overruled first."""


class BenchRow(Record):
    """How well one engine found the sentences of one variant of questions."""

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
    """How well a workspace's own sentences are found from parts of them, compared with grep.

    The questions use the words of the notes, so neither paraphrase nor reasoning is tested.
    """

    seed: int
    facts: int
    """Facts searched for."""
    passages: int
    """Sentences of prose, if there were too few facts."""
    lines: int
    """Lines searched by grep."""
    rows: tuple[BenchRow, ...]
    p50_ms: float
    """Median milliseconds of a recall."""
    p95_ms: float
    retrievers_used: tuple[str, ...]


class HealthFinding(Record):
    """One problem."""

    check: str
    """`permissions`, `interrupted`, `records`, `index`, `pages`, `notes`, `links`, `embedder`,
    `schedule`."""
    source: str
    """The file, with its line if known."""
    message: str
    remedy: str
    fixed: bool = False
