"""Confirmations and what was forgotten, as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lorebank.cli.render.text import INDENT, Look, count, fact_block

if TYPE_CHECKING:
    from lorebank.domain import ConfirmReport, ForgetReport, ForgottenLine, PurgeReport, UndoReport

_SHOWN = 10


def confirm_lines(look: Look, report: ConfirmReport) -> list[str]:
    """The line that stands now or no more, and the facts whose standing it changed."""
    done = "confirmed" if report.source else "in quarantine again"
    moved = f"{count(len(report.facts), 'fact')} and {count(report.passages, 'passage')} {done}"
    lines = [f"{moved}: {report.source}" if report.source else moved]
    for fact in report.facts[:_SHOWN]:
        lines += fact_block(look, fact, indent=INDENT)
    if len(report.facts) > _SHOWN:
        lines.append(f"{INDENT}… and {len(report.facts) - _SHOWN:,} more")
    return lines


def forget_lines(look: Look, report: ForgetReport) -> list[str]:
    """Every line that goes, with its place; then what of the index goes with them."""
    if not report.lines and not report.pages and not report.said:
        return [f"finished run {report.run}" if report.run else "nothing to forget"]
    does = "would cut" if report.dry_run else "cut"
    lines = []
    if report.lines or report.pages:
        lines.append(look.strong(f"{does} {_counted(report.lines, 'entry', 'entries', 'file')}"))
    for line in report.lines:
        lines += _cut_line(look, line)
    lines += [f"{INDENT}{path} (the whole file)" for path in report.files]
    lines += _page_lines(look, report)
    lines += _said_lines(look, report, apart=bool(lines))
    if report.opinions:
        lines += ["", look.strong("opinions that they bear on")]
        for id_, statement, lost, total in report.opinions:
            lines += look.paragraph(
                f"{id_}  loses {lost} of {count(total, 'line')}: {statement}",
                INDENT * 2,
                first=INDENT,
            )
    rows = ", ".join(f"{number} {name}" for name, number in report.derived.items() if number)
    if rows:
        lines += ["", f"of the index: {rows}"]
    return [*lines, *_what_next(report)]


def _page_lines(look: Look, report: ForgetReport) -> list[str]:
    """What goes from pages: line by line before it is done, by number afterwards."""
    if not report.pages:
        return []
    if report.dry_run:
        lines = ["", look.strong("would cut from pages made of them")]
        return [*lines, *(part for line in report.pages for part in _cut_line(look, line))]
    paths = ", ".join(_paths(report.pages))
    said = f"and {count(len(report.pages), 'line')} of pages made of them: {paths}"
    return look.paragraph(said, INDENT, first="")


def _said_lines(look: Look, report: ForgetReport, *, apart: bool) -> list[str]:
    """What goes of conversations: turn by turn before it is done, by number afterwards."""
    if not report.said:
        return []
    does = "would forget" if report.dry_run else "forgot"
    counted = _counted(report.said, "turn", "turns", "conversation")
    lines = [""] * apart + [look.strong(f"{does} {counted}")]
    if report.dry_run:
        for line in report.said:
            lines += _cut_line(look, line)
    else:
        lines += [f"{INDENT}{look.clean_line(path)}" for path in _paths(report.said)]
    said = (
        "The transcripts are left as they are, being your host's; lines of bank/forgotten.md keep"
        " them from being read again."
    )
    return [*lines, *look.paragraph(said)]


def _cut_line(look: Look, line: ForgottenLine) -> list[str]:
    shown = " ".join(line.text.split())
    head = f"{line.source}  {line.id}".rstrip()
    return [INDENT + look.dim(look.clean_line(head)), *look.paragraph(shown, INDENT * 2)]


def _counted(lines: Sequence[ForgottenLine], one: str, more: str, place: str) -> str:
    return f"{count(len(lines), one, more)} of {count(len(_paths(lines)), place)}"


def _paths(lines: Sequence[ForgottenLine]) -> list[str]:
    return list(dict.fromkeys(line.source.path for line in lines))


def _what_next(report: ForgetReport) -> list[str]:
    lines = [""]
    if report.dry_run:
        lines.append("nothing was cut; without --dry-run it is")
    elif report.purged:
        lines += purge_lines(report.purged)
    else:
        lines.append(
            f"kept as run {report.run}: --undo {report.run} puts it back, --purge drops it"
        )
    if report.in_git:
        lines.append("git's history may still hold these lines; it is left alone")
    return lines


def restored_lines(report: UndoReport) -> list[str]:
    """The files that have their lines back, and those that were left alone."""
    files = count(len(report.restored), "file")
    lines = [f"run {report.run} put back: {files}", *(f"{INDENT}{p}" for p in report.restored)]
    if report.kept:
        lines += ["changed since, left alone:", *(f"{INDENT}{path}" for path in report.kept)]
    return lines


def purge_lines(report: PurgeReport) -> list[str]:
    """What is kept no longer."""
    if not report.runs:
        return ["nothing forgotten is kept"]
    lines = [f"dropped for good: {', '.join(report.runs)}"]
    if report.copies:
        lines.append(f"and the copies of pages kept by reflect: {', '.join(report.copies)}")
    return lines
