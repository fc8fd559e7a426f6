"""The journal, `bank/reflections/YYYY-MM-DD.md`: what a run changed, why, and by which lines; and
the git commit of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.domain.facts import Citation, Diagnostic, Evidence, Fact, Opinion
from lorebank.domain.reports import ReflectReport
from lorebank.markdown.opinion_page import OPINIONS_PATH, kept_by_hand, parse_opinion_page
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.nightly.hunks import REJECTED_PATH
from lorebank.pages.edits import PageEdit
from lorebank.records import Record
from lorebank.workspace.git import CommitRefused, commit_files

JOURNAL_FOLDER = "bank/reflections"
_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)#L(\d+)(?:-L(\d+))?\]\(")
_SOURCES = 8
"""Of a page with more sources than that, the rest are counted."""


class Moved(Record):
    """An opinion whose confidence a run changed or that it shows first; `before` is `None` where
    it is new, and what the owner's own line says where one stands on the page."""

    opinion: Opinion
    before: float | None
    after: float
    evidence: tuple[Evidence, ...] = ()
    """Evidence that the page did not show yet."""


def journal_path(day: date | str) -> str:
    return f"{JOURNAL_FOLDER}/{day}.md"


def moved_opinions(edits: Iterable[PageEdit], opinions: Sequence[Opinion]) -> tuple[Moved, ...]:
    """Opinions whose confidence the opinions page now shows changed, new ones included."""
    page = next((edit for edit in edits if edit.path == OPINIONS_PATH), None)
    if page is None or page.new is None:
        return ()
    before, after = _told(page.old or ""), _told(page.new)
    found = []
    for opinion in sorted(opinions, key=lambda o: o.id):
        told, now = before.get(opinion.id), after.get(opinion.id)
        if now is None and opinion.superseded_by in after:  # the line of that one names it
            if told is None and opinion.superseded_by in before:
                continue
            now = (round(opinion.confidence, 2), "")
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
    entries = parse_opinion_page(page)
    return {e.id: (e.confidence, e.day) for e in entries if e.confidence is not None}


def with_entry(journal: str, day: str, entry: str) -> str:
    head = journal.rstrip("\n") + "\n" if journal else f"# Reflection {day}\n"
    return f"{head}\n{entry}\n"


def run_numbers(journal: str) -> list[int]:
    return [int(number) for number in re.findall(r"^## Run (\d+)", journal, re.MULTILINE)]


def journal_entry(
    today: date,
    edits: Iterable[PageEdit],
    moved: Iterable[Moved],
    unsure: Iterable[tuple[Fact, Opinion, str]],
    *,
    number: int,
    problems: Iterable[Diagnostic],
    rejected: int,
) -> str:
    """What the journal says of a run; `unsure` are pairs that wait for a judge, and why."""
    path = journal_path(today)
    left = [f"- `{p.path}`: {escape_inline(p.message)}" for p in problems]
    if rejected:
        hunks = "1 change" if rejected == 1 else f"{rejected} changes"
        left.append(f"- {hunks} left out: rejected by hand ([rejected.md](rejected.md))")
    sections = {
        "Opinions": [_moved_lines(each, path) for each in moved],
        "Unsure": [_unsure_line(*each, path) for each in unsure],
        "Pages": [_page_line(each, path) for each in edits],
        "Left alone": left,
    }
    told = [f"### {name}\n\n" + "\n".join(rows) for name, rows in sections.items() if rows]
    return "\n\n".join([f"## Run {number}", *told])


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
        lines.append("  - no new line: older ones were changed, taken out or judged again")
    return "\n".join(lines)


def _unsure_line(fact: Fact, opinion: Opinion, reason: str, path: str) -> str:
    said, near = escape_inline(fact.content), escape_inline(opinion.statement)
    return (
        f"- {said}{fact.origin.note} ({citation_link(fact.citation, path)}, `{fact.id}`)\n"
        f"  - {reason}: {near} (`{opinion.id}`)"
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
        return f"- `{edit.path}`: removed"
    old, new = set((edit.old or "").split("\n")), set(edit.new.split("\n"))
    gone, come = _cited(old - new), _cited(new - old)
    lines = "1 line" if len(come) == 1 else f"{len(come)} lines"
    what = f"{lines} added, {len(gone)} removed" if gone or come else "details"
    what = f"new, {lines}" if edit.old is None else what
    fresh = sorted(set(come.values()))
    links = [citation_link(Citation(*place), journal) for place in fresh[:_SOURCES]]
    if len(fresh) > _SOURCES:
        links.append(f"{len(fresh) - _SOURCES} more")
    return f"- `{edit.path}`: {what}" + (f" · from {', '.join(links)}" if links else "")


def _cited(lines: Iterable[str]) -> dict[str, tuple[str, int, int]]:
    """Each cited line, and the first place it cites: path, first and last line."""
    found: dict[str, tuple[str, int, int]] = {}
    for line in lines:
        if match := _LINK.search(line):
            path = match[1].replace("\\[", "[").replace("\\]", "]")
            start = int(match[2])
            found[line] = path, start, int(match[3] or start)
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
