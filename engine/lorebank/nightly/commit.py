"""Changes of pages after a run: those that a person declined, and the commit of the rest.

- `h-3f2a1b2c4d` bank/entities/Peter.md (2025-12-10): Lives in Lisbon.

Such a change is not made and not proposed again until it would read differently, that is, until
its evidence changed. Taking the line out of the file lets it be proposed again. A rejection is
about the page only: what is believed follows the evidence, and a pin or a `retracted` on
`bank/opinions.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.domain import Diagnostic, Hunk, ReflectReport
from lorebank.markdown.plain import escape_inline
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


REJECTED_PATH = "bank/reflections/rejected.md"
_HEAD = """# Rejected

Changes that reflect proposed and somebody declined. They are not made until they would read
differently; taking a line out lets the change be proposed again.

"""
_LINE = re.compile(r"^[-*]\s+`?(?P<id>h-[0-9a-f]{10})\b", re.MULTILINE)
_SHOWN = 120
_MARKUP = re.compile(r"\s*\(?\[[^\]]*\]\([^()]*\)[^)]*\)?|^[-+]\s*(?:- )?|<!--.*-->|^[-+]\*\*.*")


def parse_rejections(text: str) -> frozenset[str]:
    """The ids of the hunks that the page names."""
    return frozenset(match["id"] for match in _LINE.finditer(text))


def with_rejections(text: str, hunks: Iterable[Hunk], day: date) -> str:
    """The page with these hunks added to it; those it names already are not added again."""
    known = parse_rejections(text)
    lines = [
        f"- `{hunk.id}` {hunk.path} ({day.isoformat()}): {_gist(hunk)}\n"
        for hunk in hunks
        if hunk.id not in known
    ]
    head = text if text.endswith("\n") or not text else f"{text}\n"
    return (head or _HEAD) + "".join(lines) if lines else text


def _gist(hunk: Hunk) -> str:
    """The first line that comes, else the first that goes, as plain text."""
    lines = hunk.diff.split("\n")
    ordered = [x for x in lines if x[:1] == "+"] + [x for x in lines if x[:1] == "-"]
    plain = (_MARKUP.sub("", line).strip(" #") for line in ordered)
    gist = next((text for text in plain if any(c.isalnum() for c in text)), "")
    return escape_inline(gist if len(gist) <= _SHOWN else gist[: _SHOWN - 1] + "…")
