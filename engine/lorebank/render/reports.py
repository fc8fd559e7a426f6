"""Reports as text: sync, status, reflect, bench, schedule, settings, exchange."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.render.text import (
    INDENT,
    SEPARATOR,
    Look,
    blocks,
    clean,
    count,
    count_of,
    more_line,
    size_phrase,
)

if TYPE_CHECKING:
    from lorebank.domain.facts import Diagnostic, SyncReport
    from lorebank.domain.reports import (
        BenchReport,
        HealthFinding,
        ReflectReport,
        Status,
        UndoReport,
    )
    from lorebank.exchange.importing import ImportReport
    from lorebank.nightly.hunks import Change
    from lorebank.schedule.install import Scheduled
    from lorebank.schedule.job import ScheduleRecord
    from lorebank.templates.pack import Template

PAGE_SKIPPED = "page-skipped"
SHOWN = 20
"""More files or opinions are only counted, unless all are requested."""
_LABEL = 11
_HUNK_LINES = 6
"""Shown lines per hunk: three hunks fill half a screen."""


def sync_lines(look: Look, report: SyncReport, *, everything: bool = False) -> list[str]:
    changes = [look.good("+ ") + look.clean_line(path) for path in report.added]
    changes += [look.warn("~ ") + look.clean_line(path) for path in report.changed]
    changes += [look.bad("- ") + look.clean_line(path) for path in report.removed]
    counts = (("added", report.added), ("changed", report.changed), ("removed", report.removed))
    moves = [f"{len(paths):,} {verb}" for verb, paths in counts if paths]
    parts = (
        f"{count(report.files, 'file')}, {count(report.facts, 'fact')}",
        ", ".join(moves) or "nothing changed",
        f"{report.embedded:,} embedded" if report.embedded else "",
        f"{report.pending:,} not embedded" if report.pending else "",
    )
    return [*_first(changes, everything), SEPARATOR.join(filter(None, parts))]


def _first(lines: Sequence[str], everything: bool, indent: str = "") -> list[str]:
    shown = lines if everything else lines[:SHOWN]
    return [*shown, *more_line(len(shown), len(lines), " (--verbose lists them)", indent)]


def embedder_lines(look: Look, report: SyncReport) -> list[str]:
    """Why texts were not embedded by the configured embedder, for stderr."""
    if not report.embedder_problem:
        return []
    remedy = f"hint: {report.embedder_remedy}" if report.embedder_remedy else ""
    lines = filter(None, [f"note: {report.embedder_problem}", remedy])
    return look.hanging(lines)


def reflect_lines(look: Look, report: ReflectReport, *, everything: bool = False) -> list[str]:
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
    notes = [
        f"journal: {report.journal}" if report.journal else "",
        f"resumed interrupted run {report.resumed}" if report.resumed else "",
        f"{count(report.rejected, 'change')} left out" if report.rejected else "",
        f"commit: {report.commit[:12]}" if report.commit else "",
        look.dim(look.hint(f"to take it back: lorebank reflect --undo {report.run}"))
        if report.run
        else "",
    ]
    notes = [note for note in notes if note]
    return [*lines, *([""] if notes else []), *notes]


def undo_lines(look: Look, report: UndoReport) -> list[str]:
    lines = [f"run {report.run} undone: {count(len(report.restored), 'file')} as before"]
    lines += [f"{INDENT}{look.clean_line(path)}" for path in report.restored]
    if report.kept:
        lines += ["", look.warn("changed since, left as they are")]
        lines += [f"{INDENT}{look.clean_line(path)}" for path in report.kept]
    return lines


def reflect_log_line(report: ReflectReport, moment: datetime) -> str:
    left = sum(problem.code == PAGE_SKIPPED for problem in report.problems)
    parts = [
        f"{count(report.facts_read, 'fact')} read",
        f"{count(len(report.changed), 'page')} changed",
        f"{count(len(report.opinions_moved), 'opinion')} moved",
        f"journal {report.journal}" if report.journal else "",
        f"run {report.resumed} completed" if report.resumed else "",
        f"{count(left, 'page')} left alone" if left else "",
    ]
    summary = ", ".join(part for part in parts if part)
    return f"{moment.isoformat(timespec='seconds')} reflect: {summary}"


def _moves(look: Look, report: ReflectReport, everything: bool) -> list[str]:
    moves = sorted(report.opinions_moved, key=_move_sort_key)
    blocks = ["\n".join(look.move(text, old, new)) for _, text, old, new in moves]
    return [line for block in _first(blocks, everything, INDENT) for line in block.split("\n")]


def _move_sort_key(moved: tuple[str, str, float | None, float]) -> tuple[bool, float, str]:
    """Largest moves first, then new opinions by confidence."""
    _, statement, before, after = moved
    size = after if before is None else abs(after - before)
    return before is None, -round(size, 4), statement


def change_lines(look: Look, change: Change) -> list[str]:
    """A change to decide on: its text, then its pages with their other lines."""
    lines = look.paragraph(change.text, INDENT, first="")
    for hunk in change.hunks:
        lines.append(INDENT + look.dim(look.clean_line(hunk.path)))
        more = change.other_lines(hunk)
        for line in more[:_HUNK_LINES]:
            paint = look.good if line.startswith("+") else look.bad
            lines.append(INDENT * 2 + paint(look.clean_line(line)))
        if len(more) > _HUNK_LINES:
            rest = count(len(more) - _HUNK_LINES, "line")
            lines.append(f"{INDENT * 2}… and {rest} more (d shows them)")
    return lines


def patch_lines(look: Look, patch: str) -> list[str]:
    """A unified diff, coloured on a terminal."""
    if not look.terminal:
        return patch.removesuffix("\n").split("\n") if patch else []
    lines = (clean(line) for line in patch.removesuffix("\n").split("\n"))
    painted = {"+++": look.strong, "---": look.strong, "@@": look.accent}
    painted |= {"+": look.good, "-": look.bad}
    ways = painted.items()
    return [next((paint(x) for begin, paint in ways if x.startswith(begin)), x) for x in lines]


def status_lines(look: Look, status: Status) -> list[str]:
    counts, rules, vectors = dict(status.counts), status.directives, status.vector_search
    lint = counts.pop("lint", 0)
    held = [count_of(n, what) for what, n in counts.items() if n or what != "pending"]
    place = status.workspace + (f" ({status.form})" if status.form else "")
    never = look.hint("never (lorebank reflect --dry-run shows a first)")
    rows = (
        ("workspace", look.clean_line(place)),
        ("index", _index_state(look, status)),
        ("holds", ", ".join(held) if status.synced_at else "nothing yet"),
        ("embedder", _embedder_state(look, status)),
        ("vectors", vectors),
        ("signals", ", ".join(name for name, state in status.signals.items() if state == "on")),
        *(
            ("", f"{name.replace('_', ' ')} {state}")
            for name, state in status.signals.items()
            if state != "on" and name != "meaning"  # of which `embedder` speaks
        ),
        ("search", _engine_state(look, status) if status.sidecar else ""),
        ("rules", f"{count(len(rules), 'directive')} in {rules[0].source.path}" if rules else ""),
        ("beliefs", f"words alone: {status.rules_alone}" if status.rules_alone else ""),
        ("lint", look.hint(f"{count(lint, 'finding')} (lorebank lint shows them)") if lint else ""),
        ("reflected", status.last_reflection or never),
    )
    lines = []
    for label, value in rows:
        if value:
            first, *rest = look.paragraph(value, " " * _LABEL)
            lines += [look.dim(label) + first[len(label) :], *rest]
    return lines + status_problem_lines(look, status.problems)


def _engine_state(look: Look, status: Status) -> str:
    about = status.sidecar
    if about["reason"]:
        return look.clean_line(f"built-in, as qmd does not answer: {about['reason']}")
    parts = [f"qmd {about['mode']}", f"updated {_minute(about['updated'])}"]
    if about["problem"]:
        parts.append(look.clean_line(f"the last update failed: {about['problem']}"))
    return SEPARATOR.join(parts)


def _index_state(look: Look, status: Status) -> str:
    state = "fresh" if status.fresh else f"stale: {status.stale_reason}"
    synced = f"synced {_minute(status.synced_at)}" if status.synced_at else "never synced"
    return SEPARATOR.join((state, synced, size_phrase(status.index_bytes)))


def _minute(stamp: str) -> str:
    """`2025-11-27 03:30` from an ISO time."""
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
    if not about.get("available", True) or reason:
        return f"{name}: {reason or 'not available'}; only words and names are matched"
    serving = about.get("serving")
    if waiting := about.get("waiting"):
        left = count(int(str(waiting)), "text")
        until = f"reflect, watch or the MCP server has embedded {left}"
        return f"{name}; {serving} answers until {until}"
    if serving and serving != f"{about.get('provider')}/{about.get('model')}":
        return f"{name}; {serving} is used until everything is embedded again: run lorebank index"
    return f"{name}; {about['lacks']}" if about.get("lacks") else name


def health_lines(look: Look, findings: Sequence[HealthFinding]) -> Iterator[str]:
    for finding in findings:
        mark = look.strong("repaired") if finding.fixed else look.warn(finding.check)
        place = f"{finding.source}: " if finding.source else ""
        yield f"{mark}  {place}{finding.message}"
        if not finding.fixed:
            yield look.dim(f"    {finding.remedy}")


def status_problem_lines(look: Look, problems: Sequence[Diagnostic]) -> list[str]:
    """Problems grouped by code, with one remedy per group."""
    if not problems:
        return [look.dim("problems") + "   none"]
    lines = ["", look.warn(count(len(problems), "problem"))]
    by_code: dict[str, list[Diagnostic]] = {}
    for problem in problems:
        by_code.setdefault(problem.code, []).append(problem)
    for code, alike in by_code.items():
        lines += look.problems(alike)
        lines += look.dim_paragraph(f"remedy: {remedy(code)}", INDENT * 2)
    return lines


def remedy(code: str) -> str:
    return REMEDIES.get(code, "open the file at that line and correct it")


REMEDIES = {
    "long-line": "break it into lines",
    "many-mentions": "mention the important names on separate lines",
    "many-dates": "split the file",
    "many-lines": "split the file",
    "block-duplicate": "keep one of the two blocks and remove the markers of the other",
    "block-nested": "end the outer block before the inner one begins",
    "block-stray-end": "remove the end marker, or put its begin marker back",
    "block-unclosed": "put the end marker back; the page is not changed until then",
    "context-long": "shorten `context:` in the front matter; the rest is not shown",
    "confirmation-unread": "write `confirm f-…`, or a path in backticks, or `all imported`",
    "core-over-budget": "shorten memory.md, or raise reflect.core_token_budget",
    "comment-unclosed": "close the comment with -->",
    "confidence-not-a-number": "write the confidence as a number: O(c=0.9)",
    "confidence-out-of-range": "write the confidence between 0 and 1: O(c=0.9)",
    "date-invalid": "rename the file to the day it was written",
    "decision-unread": "write `accept p-…` or `reject p-… (day: reason)`",
    "extra-path-missing": "create it, or take it out of workspace.extra_paths",
    "fact-empty": "write a sentence after the kind and the names, or remove the line",
    "forgotten-unread": "write `forget`, the transcript in backticks, and `of` its agent",
    "front-matter-duplicate": "keep the key once",
    "front-matter-unread": "write `key: value`, or a list on one line",
    "generated-unread": "delete it, unless you have a copy; the next answers replace it",
    "generator-failed": "the cited lines stand without it; check the generator settings",
    "hand-edit-kept": "nothing to do; move the lines where you want them",
    "identity-circle": "remove one of the joins named above from bank/identity.md",
    "identity-contradiction": "remove the join or the `distinct` line from bank/identity.md",
    "identity-two-pages": "keep the alias on one of the pages",
    "identity-two-targets": "remove the wrong line",
    "identity-unknown-name": "correct the name, or remove the line",
    "interrupted": "run `lorebank reflect`, or any other command that writes: it is finished first",
    "kind-missing": "put W, B, O or S before the first name; it is read as W until then",
    "kind-unknown": "use W (world), B (experience), O (opinion) or S (observation)",
    "ledger-unread": "write alias, merge, split, distinct, rename or dismiss, then the @names",
    "lone-cr": "save the file with LF or CRLF line ends",
    "name-not-utf8": "rename the file with a UTF-8 name",
    "nested-workspace": "name it in workspace.extra_paths to read it here, too",
    "not-a-file": "move it out of the memory folders",
    "not-a-folder": "name a folder or a Markdown file in workspace.extra_paths",
    "left": "remove it manually (repack archives)",
    "left-maybe": "if it is a real match, run forget --match",
    "left-name": "rename the file or folder",
    "left-unsearched": "search it manually",
    "left-with-host": "it is not read again; delete it in your host",
    "not-forgotten": "remove it manually, or run lorebank forget again",
    "origin-unknown": "write owner, agent, session, imported or untrusted, or rename the key",
    "not-committed": "fix what git reports, then commit the pages yourself",
    "page-busy": "run reflect again when nobody is editing the page",
    "page-skipped": "put a plain UTF-8 file there; reflect does not change the page until then",
    "proposal-unread": "delete the block; reflect proposes it again while it has evidence",
    "private-unclosed": "close the span with </private>; what it hides is not read until then",
    "question-setting": "correct that setting in the page's front matter",
    "reranker-silent": "correct recall.reranker.model_path, or remove it",
    "secret-redacted": "nothing to do; only your file contains it; if it is no secret, end the line"
    " with <!-- not a secret -->",
    "sentence-dropped": "nothing to do; what the cited lines do not support is left out",
    "ruling-unread": "write `f-… for|against|unrelated o-… (day: reason)` with complete ids",
    "session-folder-missing": "correct memory_search.sessions.paths, or wait until it exists",
    "session-line-half": "nothing to do; the conversation is still being written",
    "session-line-long": "nothing to do; no turn is that long",
    "session-line-unread": "nothing to do; the other lines are read",
    "session-nul": "nothing to do; left by a crash, harmless",
    "session-replaced": "nothing to do; the new content is indexed",
    "session-turn-cut": "nothing to do; only the transcript has the rest",
    "session-turn-repeated": "nothing to do; hosts repeat lines when they resume a conversation",
    "session-utf8": "nothing to do; undecodable bytes are read as �",
    "symlink-ignored": "replace the link by the file; links are never followed",
    "unreadable": "check its permissions and that it is still there",
    "vanish-limit": "restore the missing logs, or allow it with reflect --force",
    "utf8-invalid": "save the file as UTF-8; until then undecodable bytes are read as �",
}


_VARIANTS = {
    "cloze": "without its most distinctive words",
    "half": "with half of its words",
    "relation": "whom it is about, and its commonest words",
    "typo": "without its most distinctive words, one letter off",
    "all": "all of these",
}


def bench_lines(look: Look, report: BenchReport) -> list[str]:
    if not report.rows:
        return ["no sentence here is long enough to ask about"]
    facts = count(report.facts, "fact") if report.facts else ""
    prose = count(report.passages, "sentence of prose", "sentences of prose")
    sentences = " and ".join(filter(None, [facts, prose if report.passages else ""]))
    lines = [f"asked for {sentences} of this workspace (seed {report.seed})", ""]
    lines.append(look.dim(f"{'':<14}{'asked':>6}{'R@1':>8}{'R@5':>8}{'R@10':>8}{'MRR':>8}"))
    for variant, rows in groupby(report.rows, key=lambda row: row.variant):
        lines.append(look.strong(_VARIANTS[variant]))
        for row in rows:
            shares = (row.recall_at_1, row.recall_at_5, row.recall_at_10, row.mrr)
            figures = "".join(f"{share:>8.2f}" for share in shares)
            lines.append(f"{INDENT}{row.engine:<12}{row.questions:>6}{figures}")
    lines += ["", f"recall took {report.p50_ms:.1f} ms (p50), {report.p95_ms:.1f} ms (p95)"]
    seen = count(report.lines, "line")
    return [*lines, f"with {', '.join(report.retrievers_used)}; grep saw {seen}"]


def template_lines(look: Look, templates: Iterable[Template]) -> list[str]:
    def block(each: Template) -> Iterator[str]:
        yield look.strong(each.name)
        yield from look.paragraph(each.description, INDENT)
        for page in each.pages:
            yield from look.paragraph(page.question, INDENT * 2, first=f"{INDENT}? ")

    return blocks(map(block, templates))


DEFAULT_ORIGIN = "default"


def value_text(value: object) -> str:
    """A value as `config set` takes it: `true`, `0.7`, `a, b`, `[{path = "a"}]`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list) and any(isinstance(item, dict) for item in value):
        from lorebank.settings.files import toml_text

        return toml_text(tuple(value))
    if isinstance(value, tuple | list):
        return ", ".join(map(value_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    return str(value)


def setting_lines(look: Look, rows: Sequence[tuple[str, object, str]]) -> list[str]:
    lines = []
    for key, value, origin in rows:
        shown = look.clean_line(f"{key} = {value_text(value)}".rstrip())
        origin = "" if origin == DEFAULT_ORIGIN else f"  {look.dim(f'({look.clean_line(origin)})')}"
        lines.append(f"{shown}{origin}")
    return lines


def path_lines(look: Look, paths: Mapping[str, Path]) -> list[str]:
    column = max(map(len, paths), default=0)
    missing = look.dim("  (not there)")
    return [
        f"{place:<{column}}  {look.clean_line(str(path))}{'' if path.exists() else missing}"
        for place, path in paths.items()
    ]


def printed_lines(written: Mapping[str, str]) -> list[str]:
    """The texts; several each below a comment with its path."""
    return blocks(
        [*([f"# {path}"] if len(written) > 1 else []), *text.removesuffix("\n").split("\n")]
        for path, text in written.items()
    )


def schedule_lines(
    look: Look, found: Sequence[Scheduled], record: ScheduleRecord | None, missed: datetime | None
) -> list[str]:
    rows = [("scheduled", _where(look, each)) for each in found] or [("scheduled", "not at all")]
    if record is not None:
        last = record.last_run.isoformat(" ", "minutes") if record.last_run else "none yet"
        late = look.warn(missed.isoformat(" ", "minutes")) if missed else "none"
        how = "the next command runs it" if record.catch_up else "only reported"
        rows += [("last run", last), ("missed", late), ("catch-up", how)]
    return [f"{look.dim(f'{label:<{_LABEL}}')}{text}" for label, text in rows]


def _where(look: Look, each: Scheduled) -> str:
    at = f"at {each.at:%H:%M}" if each.at else "at a time set by hand"
    doubt = "" if each.active is not False else look.warn(", not active: install it again")
    files = f": {', '.join(map(str, each.files))}" if each.files else ""
    return f"{at}, by {each.system}{doubt}{files}"


_SHOWN_FILES = 10
_SHOWN_A_REASON = 3


def import_lines(look: Look, report: ImportReport) -> list[str]:
    new = "would be added" if report.dry_run else "added"
    changed = "would be updated" if report.dry_run else "updated"
    counts = (
        f"{count(len(report.added), 'file')} {new}, {len(report.updated)} {changed},"
        f" {report.unchanged} unchanged"
    )
    lines = [look.strong(look.clean_line(f"{report.form} → {report.folder}/")), counts]
    lines += _shown_paths(look, [*report.added, *report.updated])
    for title, paths in (
        ("changed at the source, but edited here and left as they are:", report.edited),
        ("deleted here, not imported again:", report.removed),
        ("gone from the source, kept:", report.gone),
    ):
        if paths:
            lines += [title, *_shown_paths(look, paths)]
    if (report.added or report.updated) and not report.dry_run:
        lines.append("in quarantine until: lorebank confirm --source FILE, or --all-from imported")
    return lines


def left_out_lines(look: Look, report: ImportReport) -> list[str]:
    """What was left out or altered: each reason with its first places."""
    lines: list[str] = []
    for reason, number in report.reasons.items():
        found = [problem for problem in report.left_out if problem.code == reason]
        for problem in found[:_SHOWN_A_REASON]:
            place = f"{problem.path}:{problem.line}" if problem.line else problem.path
            lines.append(look.warn(look.clean_line(f"{place}: {problem.message} [{reason}]")))
        more = more_line(_SHOWN_A_REASON, number, f" [{reason}]", "")
        lines += map(look.warn, more)
    return lines


def _shown_paths(look: Look, paths: Sequence[str]) -> list[str]:
    shown = [INDENT + look.clean_line(path) for path in paths[:_SHOWN_FILES]]
    return shown + more_line(len(shown), len(paths))
