"""Writing facts, notes and the core memory; linting."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import click

from lorebank.cli.command import (
    CONFIDENCE,
    KIND,
    ORIGIN,
    command,
    entity_options,
    flag,
    group,
    option,
    text_argument,
)
from lorebank.cli.session import FOUND, Session
from lorebank.domain.facts import Citation, Fact
from lorebank.domain.reports import LintReport
from lorebank.errors import UsageError
from lorebank.render.judgments import related_lines
from lorebank.render.reports import undo_lines
from lorebank.render.text import Look, count
from lorebank.retain.compose import as_understood

_TYPED_LINE = re.compile(r"(?:[-*+]\s+\S|[WBSO](?:\s*\([^)\n]*\))?\s+(?:@|\[\[)|[WBSO]\s*\(c\s*=)")
_ALLOW_FUTURE = flag("--allow-future", "Allow a --date in the future.")
_UNDO = flag("--undo", "Take out again what retain, remember or log wrote last.")
_ALLOW_SECRET = flag("--allow-secret", "Write it even if it looks like a secret.")


@command("retain")
@click.argument("text", nargs=-1)
@option("--kind", "The kind of fact, as a word or a letter.", type=KIND)
@entity_options("Who or what it is about.")
@option("--confidence", "How certain it is, from 0 to 1.", type=CONFIDENCE, metavar="C")
@option("--date", "day", "The log to write to; default: today's.", metavar="DAY")
@option("--for", "for_", "An opinion that it supports.", multiple=True, metavar="ID")
@option("--against", "An opinion that it contradicts.", multiple=True, metavar="ID")
@option("--replaces", "A fact that it replaces.", multiple=True, metavar="ID")
@option("--origin", "Who says so; default: the owner.", type=ORIGIN, default="owner")
@_ALLOW_FUTURE
@_ALLOW_SECRET
@_UNDO
def retain(session: Session, /, text: tuple[str, ...], undo: bool, **properties: Any) -> None:
    """TEXT is a sentence, or a typed line as it stands in a log. Without TEXT, or with -, it is
    read from standard input: each line that begins with a kind or a bullet is a fact of its
    own. Prints the place and id of each fact; on stderr, how it was understood, and what it may
    restate or replace.

    Examples:
        lorebank retain "W @Peter: In Marrakech until Dec 1 for Andy's birthday."
        lorebank retain --kind opinion --entity Peter --confidence 0.9 "Prefers short replies."
        lorebank retain "O @Peter: Asked for the long version." --against o-3f2a
        lorebank retain "W @Peter: Lives in Lisbon." --replaces f-1a2b
        printf 'B @warelay: Fixed the crash.\\nW @Ana: Moved to Lisbon.\\n' | lorebank retain
    """
    if undo:
        _undo(session, text)
        return
    facts: list[Fact] = []
    with session.bank() as bank:
        for sentence in _sentences(text):
            fact = bank.retain(sentence, **properties)
            facts.append(fact)
            if not session.json:
                session.show([f"{fact.citation} {fact.id}"])
                _echo(session, as_understood(fact.kind, fact.content, fact.mentions, fact.times))
                session.note(related_lines(session.look, fact.related))
    if session.json:
        related = [item.to_dict() for fact in facts for item in fact.related]
        session.show_json({"facts": [fact.to_dict() for fact in facts], "related": related})


def _undo(session: Session, text: tuple[str, ...]) -> None:
    if text:
        raise UsageError("--undo takes no text: it takes out what was written last")
    with session.bank() as bank:
        session.result(bank.undo_retain(), undo_lines)


def _echo(session: Session, understood: str) -> None:
    session.note([session.error_look.dim(session.error_look.clean_line(understood))])


def _sentences(arguments: tuple[str, ...]) -> list[str]:
    text = text_argument(arguments, "retain", "a sentence")
    sentences = [text] if arguments and arguments != ("-",) else split_facts(text)
    if not sentences:
        raise UsageError("nothing to retain: standard input is empty")
    return sentences


def split_facts(text: str) -> list[str]:
    """Piped text as facts: a typed line begins one, other lines continue the one above.

    Text that holds no typed line is one fact.
    """
    sentences: list[list[str]] = []
    for line in text.split("\n"):
        if _TYPED_LINE.match(line) or not sentences:
            sentences.append([])
        sentences[-1].append(line.strip())
    joined = (" ".join(filter(None, lines)) for lines in sentences)
    return [re.sub(r"\A[-*+]\s+", "", sentence) for sentence in joined if sentence]


@command("remember")
@click.argument("text", nargs=-1)
@option(
    "--to",
    "Where to write it; default: as the text suggests.",
    type=click.Choice(["auto", "core", "fact", "log"]),
    default="auto",
)
@_ALLOW_SECRET
@_UNDO
def remember(
    session: Session, text: tuple[str, ...], to: str, allow_secret: bool, undo: bool
) -> None:
    """Instructions for every conversation go into the core memory; decisions, preferences and
    durable facts into today's log as facts; context of the day into the log as a note.

    Examples:
        lorebank remember "Remember that Peter prefers tea"
        lorebank remember "Always answer in Spanish"
        lorebank remember "Working on the parser today" --to log
    """
    if undo:
        _undo(session, text)
        return
    with session.bank() as bank:
        done = bank.remember(text_argument(text, "remember"), to=to, allow_secret=allow_secret)
    look = session.error_look
    warning = look.paragraph(f"warning: {done.warning}") if done.warning else []
    session.print(
        done.to_dict(),
        [" ".join(filter(None, [str(done.source), done.fact_id]))],
        [look.dim(f"{done.place}: {done.reason}"), *warning],
    )
    if done.understood:
        _echo(session, done.understood)


@command("log")
@click.argument("text", nargs=-1)
@option("--date", "day", "The log to write to; default: today's.", metavar="DAY")
@_ALLOW_FUTURE
@_ALLOW_SECRET
@_UNDO
def log(
    session: Session, text: tuple[str, ...], day: str | None, undo: bool, **allowed: Any
) -> None:
    """For context of the day; use retain for lasting facts. TEXT is read from standard input with
    -, or when piped; otherwise the log opens in $EDITOR. Prints the place of the note.

    Examples:
        lorebank log "Waiting for the carpenter's offer."
        git log --oneline -3 | lorebank log
        lorebank log "Arrived late." --date yesterday
    """
    if undo:
        _undo(session, text)
        return
    if not text and sys.stdin is not None and sys.stdin.isatty():
        editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
        if not editor:
            raise UsageError("nothing to log", hint="give a text, pipe one in, or set EDITOR")
        with session.bank() as bank:
            file = bank.log_file(day=day, allow_future=allowed["allow_future"])
        if code := subprocess.call([*editor, str(file)]):
            left = "the log is as the editor left it"
            raise UsageError(f"{editor[0]} ended with {code}", hint=left)
        session.show([session.look.clean_line(str(file))])
        return
    with session.bank() as bank:
        done = bank.remember(text_argument(text, "log"), to="log", day=day, **allowed)
    session.print({"source": str(done.source)}, [str(done.source)])
    _echo(session, done.understood)


@command("lint")
@flag("--fix", "Rewrite the lines that can be fixed automatically.")
@flag("--undo", "Undo the last fixes.")
def lint(session: Session, fix: bool, undo: bool) -> int:
    """Headings that almost open a retain section, typed lines outside of one, unknown kinds and
    confidences, names cut short, facts about no entity, duplicates, prose among facts. The line
    below a finding is what --fix would write. Exits with 6 if anything is left to fix.

    Examples:
        lorebank lint
        lorebank lint --fix
        lorebank lint --undo
    """
    with session.bank() as bank:
        if undo:
            if fix:
                raise UsageError("--fix and --undo exclude each other")
            return session.result(bank.undo_lint(), undo_lines)
        report = bank.lint(fix=fix)
    found, fixable = len(report.findings), sum(bool(each.fix) for each in report.findings)
    named, nothing = count(found, "finding"), "nothing found"
    ends = f"{named}, {fixable} with a fix (lorebank lint --fix)"
    ends = ends if fixable else f"{named}, none with a fix"
    done = f"{fixable} of {named} fixed as {report.run}; lorebank lint --undo takes that back"
    notes = [done if report.run else ends]
    some = report.findings
    session.result(report, _lint_lines, found=some, nothing=nothing, notes=notes, fixed=fix)
    return FOUND if found > (fixable if fix else 0) else 0


def _lint_lines(look: Look, report: LintReport, *, fixed: bool) -> Iterator[str]:
    mark = "fixed" if fixed else "fix"
    for each in report.findings:
        place = f"{each.source.path}:{each.source.start_line}"
        yield look.clean_line(f"{place}: {each.message} [{each.code}]")
        yield from (f"  {mark}: {look.clean_line(line)}" for line in each.fix.split("\n") if line)


@group("core")
def core() -> None:
    """It is part of every conversation and kept small: writing warns when it grows large, and fails
    beyond core_memory.limit_tokens.

    Examples:
        lorebank core append "- Call before visiting." --section "How to work"
        lorebank core replace "Lives in Porto." "Lives in Lisbon."
        lorebank core insert 3 "Speaks Portuguese."
    """


@core.subcommand("append", is_markdown=True)
@click.argument("text", nargs=-1)
@option("--section", "Append to that section.", default="", metavar="HEADING")
def append_core(session: Session, text: tuple[str, ...], section: str) -> None:
    """Append a text to the page, or to a section."""
    _write_core(session, "append", text_argument(text, "append"), section=section)


@core.subcommand("replace", is_markdown=True)
@click.argument("old")
@click.argument("new")
def replace_core(session: Session, old: str, new: str) -> None:
    """Replace OLD, which must occur exactly once, by NEW; an empty NEW deletes it."""
    _write_core(session, "replace", new, old=old)


@core.subcommand("insert", is_markdown=True)
@click.argument("line", type=click.IntRange(1))
@click.argument("text", nargs=-1)
def insert_core(session: Session, line: int, text: tuple[str, ...]) -> None:
    """Insert a text before a line."""
    _write_core(session, "insert", text_argument(text, "insert"), line=line)


def _write_core(session: Session, action: str, text: str, **place: Any) -> None:
    with session.bank() as bank:
        done = bank.memory_write(action, text, **place)
    written = Citation(done.path, done.start_line, done.end_line)
    lines = [f"{written} ({done.tokens} of {done.limit_tokens} tokens)"]
    warning = session.error_look.paragraph(f"warning: {done.warning}") if done.warning else ()
    session.print(done.to_dict(), lines, warning)
