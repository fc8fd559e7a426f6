"""Opinions and their history, timeline and agenda."""

from __future__ import annotations

from typing import Any

import click

from lorebank.cli.command import (
    all_option,
    as_of_option,
    command,
    date_option,
    entity_argument,
    fail_empty_option,
    flag,
    interval_options,
    min_confidence_option,
    option,
)
from lorebank.cli.session import Session
from lorebank.domain.answers import Timeline
from lorebank.errors import UsageError
from lorebank.render import beliefs as render
from lorebank.render.answers import failed_lines

DEFAULT_SPAN = "90d"


@command("opinions")
@entity_argument
@as_of_option
@flag("--history", "Show the confidence day by day.")
@flag("--changed", "Show which opinions changed, and by which lines.")
@option("--since", "With --changed: from that day on; default: 90d.", metavar="DAY")
@min_confidence_option
@all_option
@fail_empty_option
def opinions(
    session: Session,
    /,
    entity: str | None,
    history: bool,
    changed: bool,
    since: str | None,
    every_bank: bool,
    **asked: Any,
) -> int:
    """Highest confidence first; + marks a supporting line, − a contradicting one. With ENTITY, only
    opinions that it holds or that are about it. --changed compares what was believed before --since
    with what is believed now, or on the day of --as-of.

    Examples:
        lorebank opinions
        lorebank opinions Peter --history
        lorebank opinions Peter --as-of 2025-12-01 --min-confidence 0.6
        lorebank opinions --changed --since 90d
    """
    if changed:
        if history or asked.pop("min_confidence") is not None or every_bank:
            raise UsageError(
                "--changed cannot be combined with --history, --min-confidence or --all"
            )
        with session.bank() as bank:
            diff = bank.belief_changes(entity, since=since or DEFAULT_SPAN, **asked)
        return session.result(diff, render.change_lines, found=diff.changes)
    if since is not None:
        raise UsageError("--since needs --changed", hint="lorebank timeline has one, too")
    if every_bank:
        with session.banks() as banks:
            merged = banks.opinions(entity, **asked)
        notes, some = failed_lines(session.error_look, merged.banks), merged.opinions
        shown = render.merged_opinion_lines
        return session.result(merged, shown, found=some, notes=notes, history=history)
    with session.bank() as bank:
        found = bank.opinions(entity, **asked)
    about = f" of or about {entity}" if entity else ""
    about += f" as of {asked['as_of']}" if asked["as_of"] else ""
    least = asked["min_confidence"]
    about += f" with a confidence of {least} or more" if least else ""
    nothing = f"no opinion{about}; a line O(c=0.9) @Name: … in a log states one"
    lines = render.opinion_lines
    return session.result(found, lines, key="opinions", nothing=nothing, history=history)


@command("explain")
@click.argument("id_", metavar="ID")
def explain(session: Session, id_: str) -> int:
    """A fact: its lines as written, and the opinions it moved. An opinion: each step of its
    confidence with the line behind it. Of what holds no longer: what took its place, since when,
    and who ruled so. The beginning of an ID is enough.

    Examples:
        lorebank explain o-3f2a
        lorebank explain f-91c04d22aa
    """
    with session.bank() as bank:
        return session.result(bank.explain(id_), render.explanation_lines)


@command("timeline")
@entity_argument
@interval_options
@fail_empty_option
def timeline(session: Session, entity: str | None, since: str | None, until: str | None) -> int:
    """Newest first. A fact is dated by the day that its text names, or else by the day it was
    written. Prose that names ENTITY is listed as well, marked as prose.

    Examples:
        lorebank timeline --since 2025-11-01
        lorebank timeline Peter --since 90d --until 2025-12-01
    """
    with session.bank() as bank:
        facts = bank.timeline(entity, since=since, until=until)
        prose = bank.prose_naming(entity, since=since, until=until) if entity else ()
    asked = (("about", entity), ("since", since), ("until", until))
    nothing = " ".join(["no fact", *(f"{word} {given}" for word, given in asked if given)])
    told = Timeline(facts, prose)
    return session.result(told, render.timeline_lines, found=facts or prose, nothing=nothing)


@command("today")
@date_option
def today(session: Session) -> int:
    """At most twenty lines, each with its source. `lorebank reflect` writes the same to
    bank/today.md.

    Examples:
        lorebank today
    """
    with session.bank() as bank:
        page = bank.today()
    nothing = "nothing new, and nothing due"
    return session.result(page, render.page_lines, key="page", nothing=nothing)


@command("agenda")
@option("--days", "How far ahead; default: 14.", default=14, metavar="N", type=click.IntRange(0))
@date_option
def agenda(session: Session, days: int) -> int:
    """Leaves out what newer lines moved, cancelled or completed. Entries they may have settled come
    last, with the line in question, as do long overdue tasks of old logs.

    Examples:
        lorebank agenda
        lorebank agenda --days 60
        lorebank agenda --date 2025-12-01
    """
    with session.bank() as bank:
        found = bank.agenda(days=days)
    nothing = f"nothing is open, and nothing is due within {days} days"
    listed = found.items or found.doubtful
    return session.result(found, render.agenda_lines, found=listed, nothing=nothing)


@command("rot")
def rot(session: Session) -> int:
    """Opinions that are contradicted, supported by superseded facts, by a single file, or
    stale; old lines that were never recalled; broken links, citations and marks. Nothing is
    changed.

    Examples:
        lorebank rot
        lorebank rot --json
    """
    with session.bank() as bank:
        return session.result(bank.rot(), render.rot_lines, everything=session.verbose)


@command("calibration")
@entity_argument
@as_of_option
def calibration(session: Session, entity: str | None, as_of: str | None) -> int:
    """Of the opinions held at about 0.8 on some day, how often did the next independent evidence
    support them? The same for every other confidence; and of each judge of the inbox how many
    verdicts were overruled, and how often two judges agreed.

    Examples:
        lorebank calibration
        lorebank calibration Peter --as-of 2025-12-01
    """
    with session.bank() as bank:
        return session.result(bank.calibration(entity, as_of=as_of), render.calibration_lines)
