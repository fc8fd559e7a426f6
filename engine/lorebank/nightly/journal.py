"""The journal, `bank/reflections/YYYY-MM-DD.md`: what a run changed, why, and by which lines; and
the git commit of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.domain.facts import Citation, Diagnostic, Evidence, Opinion
from lorebank.domain.judgments import OpenPair
from lorebank.domain.reports import ReflectReport
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.opinion_page import OPINIONS_PATH, is_opinion_block, kept_by_hand
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.nightly.hunks import REJECTED_PATH
from lorebank.pages.edits import PageEdit
from lorebank.records import Record
from lorebank.workspace.git import CommitRefused, commit_files

JOURNAL_FOLDER = "bank/reflections"
_STANDING = re.compile(r"· \*\*([01]\.\d\d)\*\*(?: \w+)?(?: · (\d{4}-\d{2}-\d{2}))?")
_REINFORCED = re.compile(r"(?m)^- (?:Last reinforced|Updated): (\d{4}-\d{2}-\d{2})")
_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)#L(\d+)(?:-L(\d+))?\]\(")
_SOURCES = 8
"""Of a page with more sources than that, the rest are counted."""


class Moved(Record):
    """An opinion whose confidence a run changed or that it first tells of; `before` is `None` where
    it is new, and what the owner's own line says where one stands on the page."""

    opinion: Opinion
    before: float | None
    after: float
    evidence: tuple[Evidence, ...] = ()
    """What the page had not yet told of it."""


def journal_path(today: date) -> str:
    """The page of the run's own day."""
    return f"{JOURNAL_FOLDER}/{today.isoformat()}.md"


def moved_opinions(edits: Iterable[PageEdit], opinions: Sequence[Opinion]) -> tuple[Moved, ...]:
    """Opinions whose confidence the opinions page now tells otherwise, new ones included."""
    page = next((edit for edit in edits if edit.path == OPINIONS_PATH), None)
    if page is None or page.new is None:
        return ()
    before, after = _told(page.old or ""), _told(page.new)
    found = []
    for opinion in sorted(opinions, key=lambda o: o.id):
        told, now = before.get(opinion.id), after.get(opinion.id)
        if now is None or (told is not None and told[0] == now[0]):
            continue
        known = told[1] if told else ""
        fresh = tuple(
            line
            for line in opinion.evidence
            if line.date.isoformat() > known and line.source.path != OPINIONS_PATH
        )
        by_hand = kept_by_hand(opinion) and opinion.history
        first = round(opinion.history[0][1], 2) if by_hand else None
        found.append(Moved(opinion, told[0] if told else first, now[0], fresh))
    return tuple(found)


def _told(page: str) -> dict[str, tuple[float, str]]:
    """Opinion id → the confidence that its entry names, and since what day."""
    told: dict[str, tuple[float, str]] = {}
    for block in find_blocks(page)[0]:
        if is_opinion_block(block.name) and (found := _STANDING.search(block.body)):
            day = found[2] or next(iter(_REINFORCED.findall(block.body)), "")
            told[block.name] = (float(found[1]), day)
    return told


class JournalEntry(Record):
    """What the journal of a day says of one run, once it is known which pages were written."""

    day: date
    number: int
    """The run's, within its day."""
    opinions: tuple[str, ...]
    """Of the opinions that moved; told where the opinions page was written."""
    unsure: tuple[str, ...]
    pages: Mapping[str, str]
    """Page → its line."""
    left: tuple[str, ...]

    def is_in(self, journal: str) -> bool:
        """Whether a journal has this entry."""
        return f"\n## Run {self.number}\n" in journal.replace("\r\n", "\n")

    def added_to(self, journal: str, written: Collection[str]) -> str:
        """The journal with this entry at its end, telling of the pages written."""
        title = f"# Reflection {self.day.isoformat()}"
        head = journal.rstrip("\n") + "\n" if journal else f"{title}\n"
        sections = (
            ("Opinions", self.opinions if OPINIONS_PATH in written else ()),
            ("Unsure", self.unsure),
            ("Pages", tuple(line for path, line in self.pages.items() if path in written)),
            ("Left alone", self.left),
        )
        told = [f"### {name}\n\n" + "\n".join(lines) for name, lines in sections if lines]
        return head + "\n" + "\n\n".join([f"## Run {self.number}", *told]) + "\n"

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> JournalEntry:
        """The entry of a dictionary made by `to_dict`."""
        return cls(
            date.fromisoformat(told["day"]),
            int(told["number"]),
            tuple(map(str, told["opinions"])),
            tuple(map(str, told["unsure"])),
            {str(path): str(line) for path, line in told["pages"].items()},
            tuple(map(str, told["left"])),
        )


def journal_entry(
    today: date,
    edits: Iterable[PageEdit],
    moved: Iterable[Moved],
    unsure: Iterable[OpenPair] = (),
    *,
    number: int,
    problems: Iterable[Diagnostic] = (),
    rejected: int = 0,
) -> JournalEntry:
    """The entry of a run; `unsure` are pairs that wait for a judge."""
    path = journal_path(today)
    left = [f"- `{p.path}`: {escape_inline(p.message)}" for p in problems]
    if rejected:
        hunks = "1 change" if rejected == 1 else f"{rejected} changes"
        left.append(f"- {hunks} left out: rejected by hand ([rejected.md](rejected.md))")
    return JournalEntry(
        today,
        number,
        tuple(_moved_lines(m, path) for m in moved),
        tuple(_unsure_line(u, path) for u in unsure),
        {e.path: _page_line(e, path) for e in sorted(edits, key=lambda e: e.path)},
        tuple(left),
    )


def _moved_lines(moved: Moved, path: str) -> str:
    step = "new" if moved.before is None else f"{moved.before:.2f}"
    said = escape_inline(moved.opinion.statement)
    holder = moved.opinion.entities[0] if moved.opinion.entities else ""
    said = f"{escape_inline(holder)}: {said}" if holder else said
    now = f", now `{moved.opinion.superseded_by}`" if moved.opinion.superseded_by else ""
    lines = [
        f"- {step} → **{moved.after:.2f}** · {said}{moved.opinion.origin.note} "
        f"(`{moved.opinion.id}`{now})"
    ]
    known = moved.opinion.statement
    lines += [_evidence_line(e, path, known) for e in moved.evidence]
    if not moved.evidence and moved.before is not None:
        lines.append("  - no new line: older ones were changed, taken out or judged anew")
    return "\n".join(lines)


def _unsure_line(unsure: OpenPair, path: str) -> str:
    fact = unsure.fact
    said, near = escape_inline(fact.content), escape_inline(unsure.statement)
    return (
        f"- {said}{fact.origin.note} ({citation_link(fact.citation, path)}, `{fact.id}`)\n"
        f"  - {unsure.reason}: {near} (`{unsure.opinion_id}`)"
    )


def _evidence_line(evidence: Evidence, path: str, known: str) -> str:
    """What a line did, in its own words where they are not those of the opinion."""
    link = citation_link(evidence.source, path)
    delta = "" if not evidence.delta else f" {evidence.delta:+.3f}".replace("-", "−")
    reason = f" ({evidence.reason})" if evidence.reason else ""
    said = "" if evidence.content in ("", known) else f"{escape_inline(evidence.content)} "
    where = f"({link})" if said else link
    day = evidence.date.isoformat()
    return f"  - {evidence.stance.value}{delta}{reason}, {day}: {said}{where}"


def _page_line(edit: PageEdit, journal: str) -> str:
    if edit.new is None:
        return f"- `{edit.path}`: removed, nothing speaks of it any more"
    old, new = set((edit.old or "").split("\n")), set(edit.new.split("\n"))
    gone, come = _cited(old - new), _cited(new - old)
    lines = "1 line" if len(come) == 1 else f"{len(come)} lines"
    what = f"{lines} added, {len(gone)} removed" if gone or come else "details"
    what = f"new, {lines}" if edit.old is None else what
    fresh = sorted(set(come.values()))
    links = [citation_link(place, journal) for place in fresh[:_SOURCES]]
    if len(fresh) > _SOURCES:
        links.append(f"{len(fresh) - _SOURCES} more")
    return f"- `{edit.path}`: {what}" + (f" · from {', '.join(links)}" if links else "")


def _cited(lines: Iterable[str]) -> dict[str, Citation]:
    """Each cited line, and the first place it cites."""
    found: dict[str, Citation] = {}
    for line in lines:
        if match := _LINK.search(line):
            path = match[1].replace("\\[", "[").replace("\\]", "]")
            start = int(match[2])
            found[line] = Citation(path, start, int(match[3] or start))
    return found


def commit_run(root: Path, report: ReflectReport, *, run_programs: bool = False) -> ReflectReport:
    """The report with the commit's hash; where git refuses, with a problem that says why."""
    paths = [*report.changed, *([report.journal] if report.journal else [])]
    if (root / REJECTED_PATH).is_file():
        paths.append(REJECTED_PATH)
    pages, moved = len(report.changed), len(report.opinions_moved)
    message = f"Reflect {report.run}: {pages} page{'s' * (pages != 1)}"
    if moved:
        message += f", {moved} opinion{'s' * (moved != 1)} moved\n"
    for _, said, before, after in report.opinions_moved:
        step = "new" if before is None else f"{before:.2f}"
        message += f"\n{step} -> {after:.2f}  {' '.join(said.split())}"
    try:
        made = commit_files(root, paths, message, run_programs=run_programs)
        return replace(report, commit=made)
    except CommitRefused as problem:
        diagnostic = Diagnostic("bank", 0, "not-committed", f"no commit was made: {problem}")
        return replace(report, problems=(*report.problems, diagnostic))
