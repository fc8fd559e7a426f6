"""Looking back as text: the steps of a belief, what changed, what went off, how often it held."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.opinions import UNSEEN, bar, day_line, evidence_line
from lorebank.cli.render.phrases import confidence_phrase, count, part_lines
from lorebank.domain import (
    BeliefChange,
    BeliefDiff,
    BeliefStep,
    Calibration,
    CalibrationBin,
    ChangeKind,
    JudgeRecord,
    Opinion,
    RotFinding,
    RotKind,
    RotReport,
)
from lorebank.reflect.beliefs import STEP

_RULE = (
    f"the rule: z is the normal quantile of the confidence; a clear line moves it by {STEP},"
    " further lines of a day by less; the first confidence named is taken over, later ones pull"
    " towards it"
)
_CHANGE_TITLES = {
    ChangeKind.SUPERSEDED: "Superseded",
    ChangeKind.FELL: "Fell below 0.50",
    ChangeKind.WEAKER: "Weaker",
    ChangeKind.STRONGER: "Stronger",
    ChangeKind.NEW: "New",
}
_ROT_TITLES = {
    RotKind.CONTRADICTED: "Contradicted",
    RotKind.OUTDATED: "Held up by superseded facts",
    RotKind.SINGLE_SOURCE: "On the word of one file",
    RotKind.STALE: "Stale",
    RotKind.UNRECALLED: "Never recalled",
    RotKind.DANGLING: "Leads nowhere",
}
_DEEPER = INDENT * 2
SHOWN = 10
"""More findings of one kind than that are counted, unless all are asked for."""


def step_lines(look: Look, opinion: Opinion, steps: Sequence[BeliefStep]) -> list[str]:
    """Day by day: the confidence, how the rule came to it, and the lines behind it."""
    if not steps:
        return []
    lines = ["", look.strong("Confidence by day")]
    for step in steps:
        lines.append(INDENT + day_line(look, step.date, step.after))
        lines += look.dim_paragraph(step.words, _DEEPER)
        for line in step.lines:
            lines.append(evidence_line(look, line, _DEEPER))
            lines += part_lines(look, [_read_as(line.reason), line.fact_id], INDENT * 3)
    if abs(steps[-1].after - opinion.confidence) >= UNSEEN:
        faded = f"read as {confidence_phrase(opinion.confidence)}, faded without evidence since"
        lines += look.dim_paragraph(faded, INDENT)
    return [*lines, "", *look.dim_paragraph(_RULE, "")]


def _read_as(reason: str) -> str:
    return f"read as {reason}" if reason else ""


def change_lines(look: Look, diff: BeliefDiff) -> list[str]:
    """What changed its mind, by kind, each from → to with the lines that moved it."""
    span = f"{diff.since} – {diff.until}"
    lines = [look.dim(f"{span}: {count(len(diff.changes), 'opinion')} changed")]
    for kind, changes in groupby(diff.changes, key=lambda change: change.kind):
        lines += ["", look.strong(_CHANGE_TITLES[kind])]
        for change in changes:
            lines += _change_block(look, change)
    return lines


def _change_block(look: Look, change: BeliefChange) -> list[str]:
    start = " new" if change.before is None else confidence_phrase(change.before)
    end = confidence_phrase(change.after)
    rose = change.before is None or change.after >= change.before
    lead = f"{INDENT}{start} → {end}  "
    margin = " " * len(lead)
    first, *rest = look.paragraph(change.opinion.statement, margin, first=lead)
    style = look.good if rose else look.bad
    lines = [f"{INDENT}{start} → {style(end)}{first[len(lead) - 2 :]}", *rest]
    lines += part_lines(look, [", ".join(change.opinion.entities), change.opinion.id], margin)
    if change.successor is not None:
        new = change.successor
        lines += look.paragraph(f"now: {new.statement} ({new.id})", margin)
    known = change.opinion.statement
    return [*lines, *(evidence_line(look, line, margin, known=known) for line in change.moved)]


def rot_lines(look: Look, report: RotReport, *, everything: bool = False) -> list[str]:
    """The findings by kind, the surest opinions first, each with its reason and its place."""
    looked = f"{count(report.opinions, 'opinion')} and {count(report.pages, 'page')} looked at"
    lines = [look.dim(f"{report.day}: {looked}, {count(len(report.findings), 'finding')}")]
    if report.unrecalled is None:
        lines += look.dim_paragraph(
            "what is never recalled is not known: answers were noted for less than a month", ""
        )
    for kind, grouped in groupby(report.findings, key=lambda finding: finding.kind):
        findings = list(grouped)
        of = report.unrecalled if kind is RotKind.UNRECALLED else None
        number = len(findings) if of is None else of
        lines += ["", look.strong(f"{_ROT_TITLES[kind]} ({number:,})")]
        shown = findings if everything else findings[:SHOWN]
        for finding in shown:
            lines += _finding_block(look, finding)
        if len(shown) < number:
            more = " (--verbose lists them)" if len(shown) < len(findings) else ", newer ones"
            lines.append(f"{INDENT}… and {number - len(shown):,} more{more}")
    return lines


def _finding_block(look: Look, finding: RotFinding) -> list[str]:
    sure = "" if finding.confidence is None else f"{confidence_phrase(finding.confidence)}  "
    lead = INDENT + sure
    margin = " " * len(lead)
    lines = look.paragraph(finding.text, margin, first=lead)
    return lines + part_lines(look, [finding.reason, str(finding.source), finding.id], margin)


def calibration_lines(look: Look, found: Calibration) -> list[str]:
    """The reliability table, the score, and a plain word on whether that is enough to judge by."""
    judges = [line for record in found.judges for line in _judge_lines(look, record)]
    if not found.trials:
        return [_untried(found), *judges]
    lines = [look.dim("stood at  trials  held   95 % interval")]
    lines += [_bin_line(look, each) for each in found.bins]
    lines += ["", *look.paragraph(_held_of(found)), _score(found)]
    if not found.enough:
        lines += look.paragraph(
            look.warn("too little to judge by:") + " fewer than 30 trials say next to nothing"
        )
    return lines + judges


def _judge_lines(look: Look, record: JudgeRecord) -> list[str]:
    told = f"{record.name}: {count(record.verdicts, 'verdict')}, {record.overruled} overruled"
    shared = [
        f"; with {other} {alike} of {items} alike"
        for other, (items, alike) in record.shared.items()
    ]
    return look.paragraph("".join([told, *shared]))


def _held_of(found: Calibration) -> str:
    share = f"{found.held} of {count(found.trials, 'trial')} held"
    untried = f"{count(found.untried, 'opinion')} never tried"
    return f"{share}, on {count(found.opinions, 'opinion')}; {untried}"


def _score(found: Calibration) -> str:
    share = found.held / found.trials
    return (
        f"Brier score {found.brier:.3f}; {share:.2f} every time would give {found.base_brier:.3f}"
    )


def _bin_line(look: Look, each: CalibrationBin) -> str:
    interval = f"{each.low:.2f} – {each.high:.2f}"
    return (
        f"about {each.about:.1f}  {each.trials:>6}  {each.share:.2f}   {interval}   "
        f"{bar(look, each.share)}"
    )


def _untried(found: Calibration) -> str:
    return (
        f"nothing to judge by: {count(found.untried, 'opinion')}, and on none did a later day bring"
        " independent evidence"
    )
