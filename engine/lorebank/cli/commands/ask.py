"""Asking: `recall`, `search`, `get`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import (
    ITEM_KIND,
    ORIGIN,
    all_option,
    as_of_option,
    budget_option,
    command,
    entity_options,
    fail_empty_option,
    flag,
    interval_options,
    min_confidence_option,
    option,
    query_argument,
)
from lorebank.cli.session import Session, write_raw
from lorebank.render.text import clean

if TYPE_CHECKING:
    from lorebank.domain.answers import Answer, BankPart, SearchHit


@command("recall")
@query_argument
@option("-k", "k", "At most this many hits.", type=click.IntRange(1), metavar="N")
@interval_options
@as_of_option
@entity_options("Only hits that mention it.")
@option("--kind", "kinds", "Only hits of that kind.", multiple=True, type=ITEM_KIND)
@option("--tag", "tags", "Only hits with that tag.", multiple=True, metavar="TAG")
@option("--path", "Only in that file or folder.", metavar="PATH")
@option("--origin", "origins", "Only hits of that origin.", multiple=True, type=ORIGIN)
@flag("--trusted-only", "Leave out what is not confirmed.")
@min_confidence_option
@budget_option("At most this many estimated tokens.")
@flag("--group", "For a group chat: leave out the owner's private pages.")
@flag("--include-superseded", "Include what no longer holds.")
@flag("--explain", "Show how the question was understood and why each hit was found.")
@option("--why-not", "Say why that fact, by id or path#L12, is not in the answer.", metavar="ID")
@option(
    "--format",
    "form",
    "How hits are printed.",
    type=click.Choice(("text", "json", "jsonl", "md", "paths")),
    default="text",
)
@all_option
@fail_empty_option
def recall(session: Session, /, form: str, every_bank: bool, **filters: Any) -> int:
    """Words, names, times and meaning are searched together. Days in the question count: “last
    week”, “in November”. Each hit cites its line; lorebank get opens it.

    With --all every named bank is asked separately, and the answers are merged by rank; each hit
    names its bank.

    Fields (kind: entity: tag: path: origin: by: since: until: before: after: on:), "quoted phrases"
    and exclusions (-word, -"a phrase", -kind:note, NOT word) are supported. by: is the agent,
    conversation or user that a line names. Quote the question, so that the shell leaves it alone.

    Examples:
        lorebank recall "what does Peter prefer?"
        lorebank recall warelay crash --since 30d -k 5
        lorebank recall "where was Andy?" --as-of 2025-12-01 --explain
        lorebank recall "open questions" --kind O --min-confidence 0.7 --format md
        lorebank recall "when is the boiler serviced?" --all
        lorebank recall 'boiler tag:home -kind:note -"spare part"'
    """
    session.json = session.json or form == "json"
    with session.banks() if every_bank else session.bank() as bank:
        answer = bank.recall(**filters)
        code = session.code_of(bank, answer.hits)
    if session.json:
        session.show_json(answer.to_dict())
        return code
    from lorebank.render import answers

    look = session.error_look
    if form == "text":
        session.show(answers.answer_lines(session.look, answer, explain=filters["explain"]))
        session.show(answers.absence_lines(session.look, answer))
    else:
        session.show(answers.WRITERS[form](answer))
        session.note(answers.absence_lines(look, answer))
    if filters["explain"]:
        session.note(answers.understood_lines(look, answer))
    if not answer.hits:
        session.note(answers.nothing_found_lines(look, answer, advice=_advice(answer, filters)))
    budgeted = filters["token_budget"] is not None
    known = session.warned
    session.note(answers.answer_notes(look, answer, budgeted=budgeted, known=known))
    return code


def _advice(answer: Answer, filters: dict[str, Any]) -> list[str]:
    """What to try next: fewer filters, then another search."""
    names = ("since", "until", "as-of", "entity", "kind", "tag", "path", "origin", "trusted-only")
    keys = {"entity": "entities", "kind": "kinds", "tag": "tags", "origin": "origins"}
    asked = (n for n in (*names, "min-confidence") if filters[keys.get(n, n.replace("-", "_"))])
    given = [f"--{name}" for name in asked]
    advice = [f"without {' and '.join(given)}"] if given else []
    if answer.query.interval and not (filters["since"] or filters["until"]):
        advice.append("the question without its date")
    return [*advice, "other words, or lorebank search for passages of any note"]


@command("search")
@query_argument
@option("-k", "k", "At most this many passages.", type=click.IntRange(1), default=10, metavar="N")
@option(
    "--min-score", "Leave out lower scores.", type=click.FloatRange(0, 1), default=0.0, metavar="S"
)
@option("--path", "Only in that file or folder.", metavar="PATH")
@all_option
@fail_empty_option
def search(session: Session, /, query: str, every_bank: bool, **limits: Any) -> int:
    """Ranks passages and shows at most 700 characters of each; to answer a question, use lorebank
    recall. Transcripts of conversations are included if memory_search.sources names them, as far
    as lorebank index or a server has read them.

    Examples:
        lorebank search router password
        lorebank search "backup rotation" --path memory/runbook-backup.md
        lorebank search "what did we say about the mast" --path sessions
    """
    hits: tuple[SearchHit, ...]
    banks: tuple[BankPart, ...] = ()
    envelope: dict[str, Any] = {}
    if every_bank:
        with session.banks() as several:
            found = several.search(query, **limits)
            code = session.code_of(several, found.hits)
        hits, banks, envelope = found.hits, found.banks, found.to_dict()
    else:
        with session.bank() as bank:
            hits = bank.search(query, **limits)
            code = session.code_of(bank, hits)
    from lorebank.render.answers import failed_lines, search_lines, search_notes

    look, place, least = session.error_look, limits["path"], limits["min_score"]
    within = f" in {place}" if place else ""
    within += f" with a score of {least} or more" if least else ""
    payload = envelope or {"query": query, "hits": [hit.to_dict() for hit in hits]}
    notes = [*failed_lines(look, banks), *search_notes(look, hits, session.warned)]
    notes += [] if hits else [f"nothing found for “{query}”{within}"]
    session.print(payload, search_lines(session.look, hits), notes)
    return code


@command("get")
@click.argument("path", metavar="PATH[#L10[-L20]]")
@option("--from", "start_line", "First line.", type=click.IntRange(1), metavar="LINE")
@option("--lines", "How many lines.", type=click.IntRange(1), metavar="N")
def get(session: Session, path: str, start_line: int | None, lines: int | None) -> None:
    """Takes a citation as recall prints it. Refuses paths outside the workspace's memory. In a pipe
    the text is printed byte for byte. NAME:PATH, as --all cites it, is read from that bank.

    Examples:
        lorebank get memory/2025-11-27.md
        lorebank get memory/2025-11-27.md#L12
        lorebank get memory/2025-11-27.md --from 10 --lines 5
    """
    if ":" in path and not (session.workspace or session.bank_name):
        from lorebank.workspace.registry import load_registry, split_place

        session.bank_name, path = split_place(path, load_registry(os.environ))
    with session.bank() as bank:
        text = bank.get(path, start_line=start_line, lines=lines)
    if session.json:
        session.show_json(text.to_dict())
    elif session.look.terminal:
        session.show(clean(text.text).removesuffix("\n").split("\n"))
    else:
        write_raw(text.text)
