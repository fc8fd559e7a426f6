"""What is believed, why, since when and how well it held up."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import (
    all_option,
    as_of_option,
    complete_entity,
    fail_empty_option,
    interval_options,
    min_confidence_option,
)
from lorebank.cli.render.answers import failed_lines
from lorebank.cli.render.beliefs import (
    calibration_lines,
    change_lines,
    explanation_lines,
    opinion_lines,
    rot_lines,
    timeline_lines,
)
from lorebank.cli.render.rulings import ruling_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import OpinionsOfBanks, Stance
from lorebank.errors import UsageError

OPINIONS_EXAMPLES = """
lorebank opinions
lorebank opinions Peter --history
lorebank opinions Peter --as-of 2025-12-01 --min-confidence 0.6
lorebank opinions --changed --since 90d
"""
DEFAULT_SPAN = "90d"


@command("opinions", examples=OPINIONS_EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@as_of_option
@click.option("--history", is_flag=True, help="Show the confidence day by day.")
@click.option("--changed", is_flag=True, help="Show what changed its mind, and by which lines.")
@click.option("--since", metavar="DAY", help="With --changed: from that day on; 90d without this.")
@min_confidence_option
@all_option
@fail_empty_option
@pass_session
def opinions(
    session: Session,
    entity: tuple[str, ...],
    as_of: str | None,
    history: bool,
    changed: bool,
    since: str | None,
    min_confidence: float | None,
    every_bank: bool,
    fail_empty: bool,
) -> int:
    """Show beliefs with their confidence and evidence.

    The surest first; + marks a line that spoke for it, − one that spoke against. With ENTITY, only
    those it holds or that are about it. --changed compares what was believed before --since with
    what is believed now, or on the day of --as-of.
    """
    name = " ".join(entity) or None
    if changed:
        if history or min_confidence is not None or every_bank:
            raise UsageError("--changed goes with no --history, --min-confidence or --all")
        return _show_changes(session, name, since, as_of, fail_empty=fail_empty)
    if since is not None:
        raise UsageError("--since goes with --changed", hint="lorebank timeline has one, too")
    if every_bank:
        with session.banks() as banks:
            merged = banks.opinions(name, as_of=as_of, min_confidence=min_confidence)
        return _show_merged_opinions(session, merged, history=history, fail_empty=fail_empty)
    with session.bank() as bank:
        found = bank.opinions(name, as_of=as_of, min_confidence=min_confidence)
    if session.json:
        session.show_json({"opinions": [each.to_dict() for each in found]})
    else:
        session.show(opinion_lines(session.look, found, history=history))
        if not found:
            session.note([_no_opinions(name, as_of, min_confidence)])
    return 1 if fail_empty and not found else 0


def _show_merged_opinions(
    session: Session, found: OpinionsOfBanks, *, history: bool, fail_empty: bool
) -> int:
    if session.json:
        session.show_json(found.to_dict())
    else:
        rows, banks = [o for _, o in found.opinions], [bank for bank, _ in found.opinions]
        session.show(opinion_lines(session.look, rows, history=history, banks=banks))
        session.note(failed_lines(session.error_look, found.banks))
    return 1 if fail_empty and not found.opinions else 0


def _show_changes(
    session: Session, name: str | None, since: str | None, as_of: str | None, *, fail_empty: bool
) -> int:
    with session.bank() as bank:
        diff = bank.belief_changes(name, since=since or DEFAULT_SPAN, as_of=as_of)
    if session.json:
        session.show_json(diff.to_dict())
    else:
        session.show(change_lines(session.look, diff))
    return 1 if fail_empty and not diff.changes else 0


def _no_opinions(name: str | None, as_of: str | None, min_confidence: float | None) -> str:
    about = f" of or about {name}" if name else ""
    day = f" as of {as_of}" if as_of else ""
    sure = f" with a confidence of {min_confidence} or more" if min_confidence else ""
    return f"no opinion{about}{day}{sure}; a line O(c=0.9) @Name: … in a log states one"


EXPLAIN_EXAMPLES = """
lorebank explain o-3f2a
lorebank explain f-91c04d22aa
"""


@command("explain", examples=EXPLAIN_EXAMPLES)
@click.argument("id_", metavar="ID")
@pass_session
def explain(session: Session, id_: str) -> None:
    """Tell the whole story of a fact or an opinion.

    A fact: its lines as written, and the opinions it moved. An opinion: each step of its
    confidence with the line behind it. The beginning of an ID is enough.
    """
    with session.bank() as bank:
        story = bank.explain(id_)
    if session.json:
        session.show_json(story.to_dict())
    else:
        session.show(explanation_lines(session.look, story))


TIMELINE_EXAMPLES = """
lorebank timeline --since 2025-11-01
lorebank timeline Peter --since 90d --until 2025-12-01
"""


@command("timeline", examples=TIMELINE_EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@interval_options
@fail_empty_option
@pass_session
def timeline(
    session: Session,
    entity: tuple[str, ...],
    since: str | None,
    until: str | None,
    fail_empty: bool,
) -> int:
    """Show facts by when they happened.

    Newest first. A fact stands on the day its own text names, else on the day it was written.
    """
    name = " ".join(entity) or None
    with session.bank() as bank:
        facts = bank.timeline(name, since=since, until=until)
    if session.json:
        session.show_json({"facts": [fact.to_dict() for fact in facts]})
    else:
        session.show(timeline_lines(session.look, facts))
        if not facts:
            session.note([_no_facts(name, since, until)])
    return 1 if fail_empty and not facts else 0


def _no_facts(name: str | None, since: str | None, until: str | None) -> str:
    about = f" about {name}" if name else ""
    span = " ".join(
        f"{word} {day}" for word, day in (("since", since), ("until", until)) if day is not None
    )
    return f"no fact{about}{f' {span}' if span else ''}"


ROT_EXAMPLES = """
lorebank rot
lorebank rot --json
"""


@command("rot", examples=ROT_EXAMPLES)
@pass_session
def rot(session: Session) -> None:
    """Show what in the bank has gone off.

    Opinions that are contradicted, held up by superseded facts, thin or stale; old lines that were
    never recalled; and links, citations and marks that lead nowhere. Nothing is changed.
    """
    with session.bank() as bank:
        report = bank.rot()
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(rot_lines(session.look, report, everything=session.verbose))


CALIBRATION_EXAMPLES = """
lorebank calibration
lorebank calibration Peter --as-of 2025-12-01
"""


@command("calibration", examples=CALIBRATION_EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@as_of_option
@pass_session
def calibration(session: Session, entity: tuple[str, ...], as_of: str | None) -> None:
    """Show how often a confidence held up.

    Of the opinions that stood at about 0.8 on some day, how often did the next day that spoke of
    them speak for them? The same for every other confidence that was tried.
    """
    with session.bank() as bank:
        found = bank.calibration(" ".join(entity) or None, as_of=as_of)
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(calibration_lines(session.look, found))


EVIDENCE_EXAMPLES = """
lorebank reflect --unsure
lorebank evidence f-1a2b3c4d5e against
lorebank evidence f-1a2b unrelated o-3f2a --reason "another relay"
lorebank evidence f-1a2b o-3f2a --undo
"""
STANCES = tuple(stance.value for stance in Stance)


@command("evidence", examples=EVIDENCE_EXAMPLES)
@click.argument("fact", metavar="FACT")
@click.argument("rest", nargs=-1, metavar="for|against|unrelated [OPINION]")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stands on the line.")
@click.option("--undo", is_flag=True, help="Take the ruling on the pair back.")
@pass_session
def evidence(session: Session, fact: str, rest: tuple[str, ...], reason: str, undo: bool) -> None:
    """Settle what a fact says of an opinion.

    FACT and OPINION are ids, or beginnings of them. OPINION may be left out where the fact waits
    with one only. The ruling is a line of bank/evidence.md; deleting it undoes it.
    """
    stance, opinion = _parts(rest, undo=undo)
    with session.bank() as bank:
        if undo:
            ruling = bank.unsettle(fact, opinion)
        else:
            ruling = bank.settle(fact, stance, opinion, reason=reason)
    if session.json:
        session.show_json(ruling.to_dict())
    else:
        session.show(ruling_lines(session.look, ruling))


def _parts(rest: tuple[str, ...], *, undo: bool) -> tuple[str, str | None]:
    """The stance and the opinion; under --undo a stance may be left out, and says nothing."""
    stance = rest[0].lower() if rest and rest[0].lower() in STANCES else ""
    others = rest[1:] if stance else rest
    if not stance and not undo:
        raise UsageError("say what the fact is to the opinion", hint=" or ".join(STANCES))
    if len(others) > 1:
        raise UsageError(f"one opinion at a time, not {len(others)}")
    return stance, others[0] if others else None
