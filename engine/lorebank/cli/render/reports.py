"""Reports of runs as text: sync, reflect, status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.phrases import (
    SEPARATOR,
    confidence_phrase,
    count,
    problem_lines,
    size_phrase,
)
from lorebank.cli.render.remedies import remedy_for
from lorebank.cli.render.text import clean
from lorebank.domain import Diagnostic, ReflectReport, Status, SyncReport, UndoReport

PAGE_SKIPPED = "page-skipped"
SHOWN = 20
"""More files or opinions than that are counted, unless all are asked for."""
_LABEL = 11


def sync_lines(look: Look, report: SyncReport, *, everything: bool = False) -> list[str]:
    """What was read again, file by file, and a line of totals."""
    changes = [look.good("+ ") + look.clean_line(path) for path in report.added]
    changes += [look.warn("~ ") + look.clean_line(path) for path in report.changed]
    changes += [look.bad("- ") + look.clean_line(path) for path in report.removed]
    return [*_first(changes, everything), _totals(report)]


def _first(lines: Sequence[str], everything: bool, indent: str = "") -> list[str]:
    if everything or len(lines) <= SHOWN:
        return list(lines)
    rest = f"{indent}… and {len(lines) - SHOWN:,} more (--verbose lists them)"
    return [*lines[:SHOWN], rest]


def embedder_lines(look: Look, report: SyncReport) -> list[str]:
    """Why texts were not embedded, or not by the embedder that was chosen, for stderr."""
    if not report.embedder_problem:
        return []
    lines = [f"note: {report.embedder_problem}"]
    if report.embedder_remedy:
        lines.append(f"hint: {report.embedder_remedy}")
    return [part for line in lines for part in look.paragraph(line, INDENT, first="")]


def _totals(report: SyncReport) -> str:
    counts = (("added", report.added), ("changed", report.changed), ("removed", report.removed))
    moves = [f"{len(paths):,} {verb}" for verb, paths in counts if paths]
    parts = [
        f"{count(report.files, 'file')}, {count(report.facts, 'fact')}",
        ", ".join(moves) or "nothing changed",
        f"{report.embedded:,} embedded" if report.embedded else "",
        f"{report.pending:,} not embedded" if report.pending else "",
    ]
    return SEPARATOR.join(part for part in parts if part)


def difference_lines(look: Look, differences: Sequence[str]) -> list[str]:
    """What the index holds otherwise than a rebuild would."""
    return [line for each in differences for line in look.paragraph(each, INDENT, first="")]


def reflect_lines(look: Look, report: ReflectReport, *, everything: bool = False) -> list[str]:
    """How much was read, which pages changed, which opinions moved."""
    read = f"read {count(report.facts_read, 'fact')}"
    if not report.changed:
        left = len(report.hunks)
        waiting = f"{count(left, 'change')} left alone" if left else "nothing to change"
        return [f"{read}: {waiting}"]
    verb = "would change" if report.dry_run else "changed"
    lines = [f"{read}: {count(len(report.changed), 'page')} {verb}"]
    paths = [f"{INDENT}{look.clean_line(path)}" for path in report.changed]
    lines += _first(paths, everything, INDENT)
    if report.opinions_moved:
        lines += ["", look.strong("Opinions"), *_moves(look, report, everything)]
    notes = [f"journal: {report.journal}"] if report.journal else []
    if report.resumed:
        notes.append(f"run {report.resumed} had been interrupted, and is complete now")
    if report.rejected:
        notes.append(f"{count(report.rejected, 'change')} left out")
    if report.commit:
        notes.append(f"commit: {report.commit[:12]}")
    if report.run:
        notes.append(look.dim(f"to take it back: lorebank reflect --undo {report.run}"))
    return [*lines, *([""] if notes else []), *notes]


def undo_lines(look: Look, report: UndoReport) -> list[str]:
    """Which pages are again as they were before a run, and which were left alone."""
    lines = [f"run {report.run} undone: {count(len(report.restored), 'page')} as before"]
    lines += [f"{INDENT}{look.clean_line(path)}" for path in report.restored]
    if report.kept:
        lines += ["", look.warn("changed since, and left alone")]
        lines += [f"{INDENT}{look.clean_line(path)}" for path in report.kept]
    again = "the next run makes the same changes again, unless their evidence changes or you"
    return [*lines, "", *look.dim_paragraph(f"{again} reject them: lorebank reflect -i", "")]


def reflect_log_line(report: ReflectReport, moment: datetime) -> str:
    """One line for a log: when, how much was read, what changed, what was left alone."""
    left = sum(problem.code == PAGE_SKIPPED for problem in report.problems)
    parts = [
        f"{count(report.facts_read, 'fact')} read",
        f"{count(len(report.changed), 'page')} changed",
        f"{count(len(report.opinions_moved), 'opinion')} moved",
        f"journal {report.journal}" if report.journal else "",
        f"run {report.resumed} completed" if report.resumed else "",
        f"{count(left, 'page')} left alone" if left else "",
    ]
    told = ", ".join(part for part in parts if part)
    return f"{moment.isoformat(timespec='seconds')} reflect: {told}"


def _moves(look: Look, report: ReflectReport, everything: bool) -> list[str]:
    moves = sorted(report.opinions_moved, key=_by_move)
    blocks = ["\n".join(_moved(look, text, old, new)) for _, text, old, new in moves]
    return [line for block in _first(blocks, everything, INDENT) for line in block.split("\n")]


def _by_move(moved: tuple[str, str, float | None, float]) -> tuple[bool, float, str]:
    """The greatest moves first, then new opinions, the surest first."""
    _, statement, before, after = moved
    size = after if before is None else abs(after - before)
    return before is None, -round(size, 4), statement


def _moved(look: Look, statement: str, before: float | None, after: float) -> list[str]:
    start = " new" if before is None else confidence_phrase(before)
    end = confidence_phrase(after)
    lead = f"{INDENT}{start} → {end}  "
    first, *rest = look.paragraph(statement, " " * len(lead), first=lead)
    style = look.bad if before is not None and after < before else look.good
    return [f"{INDENT}{start} → {style(end)}{first[len(lead) - 2 :]}", *rest]


def patch_lines(look: Look, patch: str) -> list[str]:
    """A unified diff, coloured; untouched where nobody looks at it."""
    if not look.terminal:
        return patch.removesuffix("\n").split("\n") if patch else []
    return [_patch_line(look, clean(line)) for line in patch.removesuffix("\n").split("\n")]


def _patch_line(look: Look, line: str) -> str:
    if line.startswith(("+++", "---")):
        return look.strong(line)
    if line.startswith("@@"):
        return look.accent(line)
    if line.startswith("+"):
        return look.good(line)
    return look.bad(line) if line.startswith("-") else line


def status_lines(look: Look, status: Status) -> list[str]:
    """Workspace, freshness, contents, embedder, last reflection, and each problem with a remedy."""
    rows = [
        (
            "workspace",
            look.clean_line(status.workspace + (f" ({status.form})" if status.form else "")),
        ),
        ("index", _index_state(look, status)),
        ("holds", ", ".join(f"{number:,} {what}" for what, number in _held(status))),
        ("embedder", _embedder_state(look, status)),
        ("vectors", status.vector_search),
        *([("search", _engine_state(look, status))] if status.sidecar else []),
        *([("rules", _rules(status))] if status.directives else []),
        *([("beliefs", f"words alone: {status.rules_alone}")] if status.rules_alone else []),
        *([("lint", _lint(status))] if status.counts.get("lint") else []),
        ("reflected", status.last_reflection or "never (lorebank reflect --dry-run shows a first)"),
    ]
    lines = [part for label, value in rows for part in _row(look, label, value)]
    return lines + status_problem_lines(look, status.problems)


def _engine_state(look: Look, status: Status) -> str:
    """Who ranks passages: the sidecar, or why not, and when it was brought up to date."""
    about = status.sidecar
    if about["reason"]:
        return look.clean_line(f"built-in, as qmd does not answer: {about['reason']}")
    parts = [f"qmd {about['mode']}", f"updated {_minute(about['updated'])}"]
    if about["problem"]:
        parts.append(look.clean_line(f"the last update failed: {about['problem']}"))
    return SEPARATOR.join(parts)


def _lint(status: Status) -> str:
    return f"{count(status.counts['lint'], 'finding')} (lorebank lint shows them)"


def _rules(status: Status) -> str:
    """How many rules the owner gave, and where they stand."""
    return f"{count(len(status.directives), 'directive')} in {status.directives[0].source.path}"


def _held(status: Status) -> list[tuple[str, int]]:
    """The counts; what waits is named only where something does."""
    counted = [(what, n) for what, n in status.counts.items() if what != "lint"]
    return [(what, n) for what, n in counted if n or what != "pending"]


def _row(look: Look, label: str, value: str) -> list[str]:
    first, *rest = look.paragraph(value, " " * _LABEL, first=" " * _LABEL)
    return [look.dim(label) + first[len(label) :], *rest]


def _index_state(look: Look, status: Status) -> str:
    state = "fresh" if status.fresh else f"stale: {status.stale_reason}"
    synced = f"synced {_minute(status.synced_at)}" if status.synced_at else "never synced"
    return SEPARATOR.join((state, synced, size_phrase(status.index_bytes)))


def _minute(stamp: str) -> str:
    """An ISO time as a clock shows it: `2025-11-27 03:30`."""
    return stamp[:16].replace("T", " ")


def _embedder_state(look: Look, status: Status) -> str:
    about = status.embedder
    name = str(about.get("provider") or "none")
    if about.get("model"):
        name = f"{name} {about['model']}"
    if about.get("dimension"):
        name = f"{name}, {about['dimension']} dimensions"
    if about.get("endpoint"):
        name = f"{name} at {look.clean_line(str(about['endpoint']))}"
    if about.get("fallback"):
        return look.clean_line(f"{name}: {about['fallback']}")
    reason = about.get("reason")
    if about.get("available", True) and not reason:
        serving = about.get("serving")
        if serving and serving != f"{about.get('provider')}/{about.get('model')}":
            return f"{name}; {serving} serves until all is embedded anew: run lorebank index"
        return name
    return f"{name}: {reason or 'not available'}"


def status_problem_lines(look: Look, problems: Sequence[Diagnostic]) -> list[str]:
    """Each problem, and what to do about its sort once below the problems of that sort."""
    if not problems:
        return [look.dim("problems") + "   none"]
    lines = ["", look.warn(count(len(problems), "problem"))]
    by_code: dict[str, list[Diagnostic]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    for code, alike in by_code.items():
        lines += problem_lines(look, alike)
        lines += look.dim_paragraph(f"remedy: {remedy_for(code)}", INDENT * 2)
    return lines
