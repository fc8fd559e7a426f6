"""The git commit of what a run wrote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lorebank.domain import Diagnostic, ReflectReport
from lorebank.nightly.hunks import REJECTED_PATH
from lorebank.workspace.git import CommitRefused, commit_files


def commit_run(root: Path, report: ReflectReport, *, run_programs: bool = False) -> ReflectReport:
    """The report with the commit's hash; where git refuses, with a problem that says why."""
    paths = [*report.changed, *([report.journal] if report.journal else [])]
    if (root / REJECTED_PATH).is_file():
        paths.append(REJECTED_PATH)
    try:
        message = commit_message(report)
        made = commit_files(root, paths, message, run_programs=run_programs)
        return replace(report, commit=made)
    except CommitRefused as problem:
        diagnostic = Diagnostic("bank", 0, "not-committed", f"no commit was made: {problem}")
        return replace(report, problems=(*report.problems, diagnostic))


def commit_message(report: ReflectReport) -> str:
    """A subject with the run and its numbers, and the opinions that moved."""
    pages, moved = len(report.changed), len(report.opinions_moved)
    subject = f"Reflect {report.run}: {pages} page{'s' * (pages != 1)}"
    if not moved:
        return subject
    subject += f", {moved} opinion{'s' * (moved != 1)} moved"
    lines = [
        f"{'new' if before is None else f'{before:.2f}'} -> {after:.2f}  {' '.join(said.split())}"
        for _, said, before, after in report.opinions_moved
    ]
    return "\n\n".join([subject, "\n".join(lines)])
