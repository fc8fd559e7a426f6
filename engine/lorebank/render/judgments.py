"""The inbox, verdicts, confirmations, and what was forgotten, as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lorebank.render.text import INDENT, MODEL, Look, count, count_of, more_line

if TYPE_CHECKING:
    from lorebank.domain.facts import InboxItem, InboxLine
    from lorebank.domain.judgments import Comparison, Decision, Inbox
    from lorebank.domain.reports import ConfirmReport, ForgetReport, ForgottenLine, PurgeReport

EMPTY = "nothing waits for a decision"


def inbox_lines(look: Look, inbox: Inbox) -> list[str]:
    pairs = "1 pair of lines" if inbox.unlikely == 1 else f"{inbox.unlikely} pairs of lines"
    left = [look.dim(f"{pairs} with a weak match: --all")] if inbox.unlikely else []
    if not inbox.items:
        return [EMPTY, *left]
    lines = [line for item in inbox.items for line in [*item_lines(look, item), ""]]
    more = more_line(len(inbox.items), inbox.total, " (-k shows them)", "")
    how = "lorebank inbox ID VERDICT decides one; lorebank inbox rule goes through them"
    return [*lines, *more, *left, look.dim(how)]


def related_lines(look: Look, items: Sequence[InboxItem]) -> list[str]:
    """Older lines that a new one may restate or replace, with the command to decide."""
    lines = []
    for item in items:
        older = f"“{item.older.text}” ({item.older.source})" if item.older else ""
        lines += look.paragraph(f"related: {older}")
        lines += look.paragraph(f"lorebank inbox {item.id} {'|'.join(item.choices)}", INDENT)
    return lines


def item_lines(look: Look, item: InboxItem) -> list[str]:
    """The question, both lines with their places, and the verdicts with their effects."""
    head = f"{item.id} {look.strong(item.kind.value)}"
    lines = [head, *look.dim_paragraph(item.reason)]
    is_pair = item.older and item.newer and item.kind.value != "name"
    older, newer = ("older: ", "newer: ") if is_pair else ("", "")
    lines += _side(look, older, item.older) + _side(look, newer, item.newer)
    for verdict, effect in item.effect.items():
        lines += look.paragraph(f"{verdict}: {effect}", INDENT * 3, first=INDENT * 2)
    return lines


def inbox_blocks(inbox: Inbox) -> list[str]:
    """Each item for a model; weak matches come last."""
    items = sorted(inbox.items, key=lambda item: not item.is_likely)
    return ["\n".join(item_lines(MODEL, item)) for item in items] or [EMPTY]


def _side(look: Look, label: str, line: InboxLine | None) -> list[str]:
    if line is None:
        return []
    by, day = f"written by {line.by}" if line.by else "", str(line.day or "")
    source = line.source
    place = source.path if source and not source.start_line else str(source or "")  # no line yet
    parts = [", ".join(line.about), by, day, place, line.id]
    text = look.paragraph(f"{label}{line.text}", INDENT * 2, first=INDENT)
    return [*text, *look.parts(parts, INDENT * 2)]


def verdict_lines(look: Look, decisions: Iterable[Decision], *, undone: bool = False) -> list[str]:
    """One line per verdict: ruling, judge, and ledger line."""

    def verdict_line(each: Decision) -> str:
        done = f"{each.id} {'taken back: ' if undone else ''}{each.verdict}"
        parts = [done, f"by {each.by}" if each.by else "", str(each.day or "")]
        gone = "what it rules on no longer exists" if each.is_void else ""
        parts += [] if undone else [str(each.source), gone]
        return look.clean_line("  ".join(filter(None, parts)))

    return list(map(verdict_line, decisions)) or ["no verdicts"]


def comparison_lines(look: Look, found: Sequence[Comparison]) -> list[str]:
    """One line a pair: what stands and what the model says; then on how many they agree."""
    lines = []
    for each in found:
        stands = f"{each.standing.id} {each.standing.verdict}"
        said = "agrees" if each.verdict == each.standing.verdict else f"says {each.verdict}"
        by = f"by {each.standing.by}" if each.standing.by else ""
        parts = [stands, by, f"{each.by} {said}", str(each.standing.source)]
        lines.append(look.clean_line("  ".join(filter(None, parts))))
    alike = sum(each.verdict == each.standing.verdict for each in found)
    return [*lines, f"{alike} of {len(found)} alike"] if lines else ["nothing to compare with"]


_SHOWN = 10


def confirm_lines(look: Look, report: ConfirmReport) -> list[str]:
    done = "confirmed" if report.source else "in quarantine again"
    moved = f"{count(len(report.facts), 'fact')} and {count(report.passages, 'passage')} {done}"
    lines = [f"{moved}: {report.source}" if report.source else moved]
    for fact in report.facts[:_SHOWN]:
        lines += look.fact(fact, indent=INDENT)
    return lines + more_line(_SHOWN, len(report.facts))


def forget_lines(look: Look, report: ForgetReport, *, undo: str = "") -> list[str]:
    """Every line that is cut, with its place. `undo` tells a model how to put it back."""
    if report.proposed:
        asked = "would be asked about" if report.dry_run else "was asked in the inbox about"
        counted = _counted(report.proposed, "entry", "entries", "file")
        lines = [look.strong(f"the owner {asked} {counted}")]
        lines += [part for line in report.proposed for part in _cut_line(look, line)]
        own = replace(report, proposed=())
        return lines + (forget_lines(look, own, undo=undo) if own.lines else [])
    if not report.lines and not report.pages and not report.said:
        done = f"finished run {report.run}" if report.run else "nothing to forget"
        purged = purge_lines(look, report.purged) if report.purged else []
        return [done, *purged, *_search_lines(report)]
    does = "would cut" if report.dry_run else "cut"
    lines = []
    if report.lines or report.pages:
        lines.append(look.strong(f"{does} {_counted(report.lines, 'entry', 'entries', 'file')}"))
    for line in report.lines:
        lines += _cut_line(look, line)
    lines += [f"{INDENT}{path} (the whole file)" for path in report.files]
    if report.pages and report.dry_run and not look.for_model:
        lines += ["", look.strong("would cut from pages made of them")]
        lines += [part for line in report.pages for part in _cut_line(look, line)]
    elif report.pages:
        paths = ", ".join(_paths(report.pages))
        text = f"and {count(len(report.pages), 'line')} of pages made of them: {paths}"
        lines += look.paragraph(text, INDENT, first="")
    if report.said:
        does = "would forget" if report.dry_run else "forgot"
        counted = _counted(report.said, "turn", "turns", "conversation")
        lines += [""] * bool(lines) + [look.strong(f"{does} {counted}")]
        lines += (
            [part for line in report.said for part in _cut_line(look, line)]
            if report.dry_run
            else [f"{INDENT}{look.clean_line(path)}" for path in _paths(report.said)]
        )
        lines += look.paragraph(_TRANSCRIPTS)
    if report.opinions:
        lines += ["", look.strong("affected opinions")]
        for id_, statement, lost, total in report.opinions:
            told = f"{id_}  loses {lost} of {count(total, 'line')}: {statement}"
            lines += look.paragraph(told, INDENT * 2, first=INDENT)
    rows = ", ".join(count_of(number, name) for name, number in report.derived.items() if number)
    if rows:
        lines += ["", f"from the index: {rows}"]
    lines.append("")
    if report.dry_run:
        lines.append(look.hint("nothing was cut; without --dry-run exactly these lines are"))
    elif report.purged:
        lines += purge_lines(look, report.purged)
    else:
        ways = undo or f"--undo {report.run} puts it back, --purge drops it"
        lines.append(f"kept as run {report.run}: {ways}")
    lines += _search_lines(report)
    if report.in_git:
        lines.append("Git history may still contain these lines; it is not changed")
    return lines


_TRANSCRIPTS = (
    "The transcripts are left as they are, being your host's; lines of bank/forgotten.md keep"
    " them from being read again."
)


def _cut_line(look: Look, line: ForgottenLine) -> list[str]:
    shown = " ".join(line.text.split())
    head = f"{line.source}  {line.id}".rstrip()
    return [INDENT + look.dim(look.clean_line(head)), *look.paragraph(shown, INDENT * 2)]


def _counted(lines: Sequence[ForgottenLine], one: str, more: str, place: str) -> str:
    return f"{count(len(lines), one, more)} of {count(len(_paths(lines)), place)}"


def _paths(lines: Sequence[ForgottenLine]) -> list[str]:
    return list(dict.fromkeys(line.source.path for line in lines))


def _search_lines(report: ForgetReport) -> list[str]:
    if report.searched is None:
        return []
    left = sum(each.code.startswith("left") for each in report.problems)
    what = f"left in {count(left, 'place')}, see below" if left else "nothing is left"
    return [f"searched {count(report.searched, 'file')}: {what}"]


def purge_lines(look: Look, report: PurgeReport) -> list[str]:
    lines = ["no undo data is kept"] if not (report.runs or report.mended) else []
    if report.runs:
        lines.append(f"dropped for good: {', '.join(report.runs)}")
    if report.mended:
        lines.append(f"and these lines from the undo data of {', '.join(report.mended)}")
    if report.copies:
        lines.append(f"and the copies of pages kept by reflect: {', '.join(report.copies)}")
    if report.unread:
        shown = ", ".join(map(look.clean_line, report.unread[:_SHOWN]))
        more = f" and {len(report.unread) - _SHOWN} more" if len(report.unread) > _SHOWN else ""
        lines.append(f"not searched, as these are not notes: {shown}{more}")
    return lines
