"""What an import brought and an export wrote, as text."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.phrases import count
from lorebank.exchange.reports import ImportReport

_SHOWN = 10
_SHOWN_A_REASON = 3


def import_lines(look: Look, report: ImportReport) -> list[str]:
    """Where it lies, what is new, and what was left as its owner has it."""
    new = "would be added" if report.dry_run else "added"
    changed = "would be updated" if report.dry_run else "updated"
    counts = (
        f"{count(len(report.added), 'file')} {new}, {len(report.updated)} {changed},"
        f" {report.unchanged} unchanged"
    )
    lines = [look.strong(look.clean_line(f"{report.form} → {report.folder}/")), counts]
    lines += _paths(look, [*report.added, *report.updated])
    for said, paths in (
        ("edited here, left alone although the source changed:", report.edited),
        ("thrown away here, not brought back:", report.removed),
        ("gone from the source, kept:", report.gone),
    ):
        if paths:
            lines += [said, *_paths(look, paths)]
    if (report.added or report.updated) and not report.dry_run:
        lines.append("in quarantine until: lorebank confirm --source FILE, or --all-from imported")
    return lines


def left_out_lines(look: Look, report: ImportReport) -> list[str]:
    """What did not come, or not as it was: each reason with its first places."""
    lines: list[str] = []
    for reason, number in report.reasons.items():
        found = [problem for problem in report.left_out if problem.code == reason]
        for problem in found[:_SHOWN_A_REASON]:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            lines.append(look.warn(look.clean_line(f"{place}: {problem.message} [{reason}]")))
        if number > _SHOWN_A_REASON:
            lines.append(look.warn(f"… and {number - _SHOWN_A_REASON:,} more [{reason}]"))
    return lines


def _paths(look: Look, paths: Sequence[str]) -> list[str]:
    shown = [INDENT + look.clean_line(path) for path in paths[:_SHOWN]]
    more = len(paths) - _SHOWN
    return [*shown, f"{INDENT}… and {more:,} more"] if more > 0 else shown
