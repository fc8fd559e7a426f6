"""Opinions, facts and their histories, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import groupby

from lorebank.beliefs.fold import STEP
from lorebank.domain.answers import (
    Agenda,
    AgendaItem,
    BeliefStep,
    Explanation,
    NamedIn,
    OpinionsOfBanks,
    Timeline,
)
from lorebank.domain.facts import Fact, Opinion, OpinionStatus, Origin, Trend, superseded_phrase
from lorebank.domain.reports import (
    BeliefDiff,
    Calibration,
    ChangeKind,
    RotKind,
    RotReport,
)
from lorebank.render.text import (
    INDENT,
    UNSEEN,
    Look,
    blocks,
    confidence_phrase,
    count,
    excerpt,
    more_line,
    signed,
    whose,
)

SHOWN_EVIDENCE = 5
"""Chosen by hand: a block per opinion should fit a screen several times."""
BAR_WIDTH = 20
"""Columns: .05 of confidence each."""
_MARGIN = " " * 7
_ARROWS = {Trend.STRENGTHENING: " ↑", Trend.WEAKENING: " ↓"}


def opinion_lines(
    look: Look,
    opinions: Sequence[Opinion],
    *,
    history: bool = False,
    banks: Sequence[str] = (),
    shown: int = SHOWN_EVIDENCE,
) -> list[str]:
    """One block per opinion with the newest `shown` lines of evidence and, of `banks`, its own."""

    def block(opinion: Opinion, bank: str) -> list[str]:
        # Do not repeat the statement as its own evidence.
        alone = [each.source for each in opinion.evidence] == [opinion.source]
        lines = opinion_block(look, opinion, evidence=0 if alone else shown, bank=bank)
        days = opinion.history if history else ()
        return [*lines, *(_MARGIN + day_line(look, day, confidence) for day, confidence in days)]

    return blocks(map(block, opinions, banks or [""] * len(opinions)))


def opinion_block(
    look: Look, opinion: Opinion, *, evidence: int, indent: str = "", bank: str = ""
) -> list[str]:
    """Confidence and statement, a dim line of details, then the newest `evidence` lines."""
    shown = f"{confidence_phrase(opinion.confidence)}{_ARROWS.get(opinion.trend, '')}"
    indent += look.bullet
    lead = f"{indent}{shown:<{len(_MARGIN)}}"
    margin = " " * len(indent) + ("" if look.for_model else _MARGIN)
    first, *rest = look.paragraph(opinion.statement, margin, first=lead)
    lines = [indent + look.strong(shown) + first[len(indent) + len(shown) :], *rest]
    stances = [each.stance.value for each in opinion.evidence] if look.for_model else []
    counted = f"{stances.count('for')} for, {stances.count('against')} against" if stances else ""
    lines += look.parts([bank, *_about_whom(opinion), counted], margin)
    older = len(opinion.evidence) - evidence
    for each in opinion.evidence[-evidence:] if evidence else ():
        lines.append(look.evidence(each, margin, known=opinion.statement))
    if evidence and older > 0:
        more = look.hint(f"… {older} earlier: lorebank explain {opinion.id}")
        lines.append(look.dim(margin + more))
    return lines


def _about_whom(opinion: Opinion) -> list[str]:
    parts = [", ".join(opinion.entities), opinion.trend.value]
    if opinion.origin is not Origin.OWNER:
        parts.append(f"on {opinion.origin.value}'s word alone")
    if opinion.status is not OpinionStatus.LIVE:
        by = superseded_phrase(opinion.superseded_since, opinion.superseded_by)
        parts.append(by or opinion.status.value)
    elif opinion.not_judged:
        parts.append(f"{opinion.not_judged} newer not judged")
    if opinion.pinned is not None:
        parts.append(f"pinned at {confidence_phrase(opinion.pinned)}")
    if opinion.last_updated is not None:
        parts.append(f"updated {opinion.last_updated}")
    return [*parts, str(opinion.source), opinion.id]


def day_line(look: Look, day: date, confidence: float) -> str:
    """`2025-11-18 0.70 ██████████████░░░░░░`."""
    shown = f"{look.dim(day.isoformat())} {confidence_phrase(confidence)}"
    return shown if look.for_model else f"{shown} {bar(look, confidence)}"


def bar(look: Look, confidence: float) -> str:
    filled = round(confidence * BAR_WIDTH)
    return "█" * filled + look.dim("░" * (BAR_WIDTH - filled))


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
    RotKind.OUTDATED: "Based on superseded facts",
    RotKind.SINGLE_SOURCE: "From a single file",
    RotKind.STALE: "Stale",
    RotKind.UNRECALLED: "Never recalled",
    RotKind.DANGLING: "Broken references",
}
_DEEPER = INDENT * 2
SHOWN_FINDINGS = 10
"""More findings of a kind are only counted, unless all are requested."""


def step_lines(look: Look, opinion: Opinion, steps: Sequence[BeliefStep]) -> list[str]:
    if not steps:
        return []
    lines = ["", look.title("Confidence by day")]
    for step in steps:
        lines.append(INDENT + day_line(look, step.date, step.after))
        lines += look.dim_paragraph(step.words, _DEEPER)
        for line in step.lines:
            lines.append(look.evidence(line, _DEEPER))
            read_as = f"read as {line.reason}" if line.reason else ""
            lines += look.parts([read_as, line.fact_id], INDENT * 3)
    if abs(steps[-1].after - opinion.confidence) >= UNSEEN:
        faded = f"read as {confidence_phrase(opinion.confidence)}, faded without evidence since"
        lines += look.dim_paragraph(faded, INDENT)
    return [*lines, "", *look.dim_paragraph(_RULE, "")]


def change_lines(look: Look, diff: BeliefDiff) -> list[str]:
    span = f"{diff.since} – {diff.until}"
    lines = [look.dim(f"{span}: {count(len(diff.changes), 'opinion')} changed")]
    for kind, changes in groupby(diff.changes, key=lambda change: change.kind):
        lines += ["", look.strong(_CHANGE_TITLES[kind])]
        for change in changes:
            margin = " " * len(f"{INDENT}0.00 → 0.00  ")
            opinion, new = change.opinion, change.successor
            lines += look.move(opinion.statement, change.before, change.after)
            lines += look.parts([", ".join(opinion.entities), opinion.id], margin)
            lines += look.paragraph(f"now: {new.statement} ({new.id})", margin) if new else []
            lines += [look.evidence(e, margin, known=opinion.statement) for e in change.moved]
    return lines


def rot_lines(look: Look, report: RotReport, *, everything: bool = False) -> list[str]:
    looked = f"{count(report.opinions, 'opinion')} and {count(report.pages, 'page')} checked"
    lines = [look.dim(f"{report.day}: {looked}, {count(len(report.findings), 'finding')}")]
    if report.unrecalled is None:
        lines += look.dim_paragraph(
            "lines never recalled are not listed: recalls have been noted for less than a month", ""
        )
    for kind, grouped in groupby(report.findings, key=lambda finding: finding.kind):
        findings = list(grouped)
        of = report.unrecalled if kind is RotKind.UNRECALLED else None
        number = len(findings) if of is None else of
        lines += ["", look.strong(f"{_ROT_TITLES[kind]} ({number:,})")]
        shown = findings if everything else findings[:SHOWN_FINDINGS]
        for finding in shown:
            sure = confidence_phrase(finding.confidence)
            lead = f"{INDENT}{sure}  " if sure else INDENT
            margin = " " * len(lead)
            lines += look.paragraph(finding.text, margin, first=lead)
            lines += look.parts([finding.reason, str(finding.source), finding.id], margin)
        more = " (--verbose lists them)" if len(shown) < len(findings) else ", newer ones"
        lines += more_line(len(shown), number, more)
    return lines


def calibration_lines(look: Look, found: Calibration) -> list[str]:
    """The reliability table, the score, and whether there are enough trials."""
    judges: list[str] = []
    for each in found.judges:
        rows = each.shared.items()
        shared = [f"; with {other} {alike} of {items} alike" for other, (items, alike) in rows]
        said = f"{each.name}: {count(each.verdicts, 'verdict')}, {each.overruled} overruled"
        judges += look.paragraph("".join([said, *shared]))
    untried = count(found.untried, "opinion")
    if not found.trials:
        none = "and on none did a later day bring independent evidence"
        return [f"nothing to judge by: {untried}, {none}", *judges]
    lines = [look.dim("stood at  trials  held   95 % interval")]
    for row in found.bins:
        figures = f"{row.trials:>6}  {row.share:.2f}   {row.low:.2f} – {row.high:.2f}"
        lines.append(f"about {row.about:.1f}  {figures}   {bar(look, row.share)}")
    held = f"{found.held} of {count(found.trials, 'trial')} held"
    opinions = count(found.opinions, "opinion")
    lines += ["", *look.paragraph(f"{held}, on {opinions}; {untried} never tried")]
    always = f"{found.held / found.trials:.2f} every time would give {found.base_brier:.3f}"
    lines.append(f"Brier score {found.brier:.3f}; {always}")
    if not found.enough:
        lines += look.paragraph(
            look.warn("too little to judge by:") + " fewer than 30 trials are not meaningful"
        )
    return lines + judges


_DATE_COLUMN = " " * 12


def timeline_lines(look: Look, told: Timeline, limit: int | None = None) -> list[str]:
    """The newest first, `limit` at most; of one day facts before prose."""
    lines: list[str] = []
    column = INDENT if look.for_model else _DATE_COLUMN
    entries: list[Fact | NamedIn] = [*told.facts, *told.prose]
    if told.prose:
        entries.sort(key=lambda entry: _starts(entry) or date.min, reverse=True)
    for entry in entries[:limit]:
        day = _starts(entry)
        shown = day.isoformat() if day else "undated"
        first, *rest = look.paragraph(excerpt(entry.content), column, first=f"{shown:<12}")
        lines += [look.bullet + look.accent(shown) + first[len(shown) :], *rest]
        if isinstance(entry, NamedIn):
            lines += look.byline(["prose"], entry.source, indent=column)
            continue
        end = entry.occurred.end if entry.occurred else None
        until = f"until {end}" if end and end != day else ""
        names = ", ".join(dict.fromkeys(mention.name for mention in entry.mentions))
        parts = [entry.standing, until, whose(entry), entry.kind.value]
        parts += [confidence_phrase(entry.confidence), names, entry.id if look.for_model else ""]
        lines += look.byline(parts, entry.citation, indent=column)
    return lines


def _starts(fact: Fact | NamedIn) -> date | None:
    if isinstance(fact, NamedIn):
        return fact.day
    if fact.occurred is None:
        return fact.recorded
    return fact.occurred.start or fact.occurred.end or fact.recorded


def explanation_lines(look: Look, story: Explanation) -> list[str]:
    lines: list[str] = []
    if story.fact is not None:
        lines += look.fact(story.fact, with_id=True)
        raw = story.fact.raw.rstrip("\n").split("\n")
        lines += look.section("As written", [x for r in raw for x in look.paragraph(r, INDENT)])
    if story.opinion is not None:
        lines += opinion_block(look, story.opinion, evidence=0)
        lines += step_lines(look, story.opinion, story.steps)
    if (end := story.ending) is not None and story.fact is not None:  # an opinion names it above
        parts = [f"since {end.since}" if end.since else "", end.id]
        if end.ruling is not None:
            by = f" by {end.ruled_by}" if end.ruled_by else ""
            on = f" on {end.ruled_on}" if end.ruled_on else ""
            parts.append(f"ruled{by}{on} ({end.ruling})")
        text = look.paragraph(end.text, INDENT, first=INDENT)
        byline = look.byline(parts, end.source, indent=INDENT * 2)
        lines += look.section("Superseded", [*text, *byline])
    if len(story.places) > 1:
        lines += look.section("Found at", [f"{INDENT}{place}" for place in story.places])
    if story.moved:
        lines += ["", look.title("Moved")]
        for opinion_id, evidence in story.moved:
            why = f" ({evidence.reason})" if evidence.reason else ""
            lines.append(f"{INDENT}{opinion_id}  {signed(evidence.delta)}  {evidence.date}{why}")
    return lines


def merged_opinion_lines(look: Look, found: OpinionsOfBanks, *, history: bool) -> list[str]:
    banks, rows = zip(*found.opinions, strict=True) if found.opinions else ((), ())
    return opinion_lines(look, rows, history=history, banks=banks)


_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\([^)]*\)")


def page_lines(look: Look, page: str) -> list[str]:
    """Markdown for a terminal: bare citations, no emphasis, no escapes."""
    plain = re.sub(r"\\(.)", r"\1", _LINK.sub(r"\1", page).replace("**", ""))
    return [look.clean_line(line) for line in plain.split("\n")]


def agenda_lines(look: Look, agenda: Agenda) -> Iterator[str]:
    yield from _agenda_items(look, agenda.items)
    if agenda.doubtful:
        yield from ("", look.title("Perhaps over"))
        yield from _agenda_items(look, agenda.doubtful)
    if any(item.perhaps_done for item in agenda.doubtful):
        yield look.dim("done? is settled by a tick in the words of the entry: `- [x] …` in a log")


def _agenda_items(look: Look, items: Sequence[AgendaItem]) -> Iterator[str]:
    for item in items:
        late = look.warn("overdue ") if item.overdue else ""
        yield f"{_due(item):12} {late}{look.clean_line(item.told)}"
        doubt = f" · {item.doubt[0]} {item.doubt[1]}" if item.doubt else ""
        yield look.dim(f"             {item.kind.value} · {item.source}{doubt}")


def _due(item: AgendaItem) -> str:
    if item.when is None:
        return "open"
    return str(item.when.start) if item.when.start else f"by {item.when.end}"
