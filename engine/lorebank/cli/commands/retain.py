"""`lorebank retain`: write a fact into the log of a day."""

from __future__ import annotations

import re
import sys

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import CONFIDENCE, KIND, ORIGIN, entity_options
from lorebank.cli.render.inbox import related_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import Fact, fact_to_dict
from lorebank.errors import UsageError

EXAMPLES = """
lorebank retain "W @Peter: In Marrakech until Dec 1 for Andy's birthday."
lorebank retain --kind opinion --entity Peter --confidence 0.9 "Prefers short replies."
lorebank retain "O @Peter: Asked for the long version." --against o-3f2a
lorebank retain "W @Peter: Lives in Lisbon." --replaces f-1a2b
printf 'B @warelay: Fixed the crash.\\nW @Ana: Moved to Lisbon.\\n' | lorebank retain
"""
_TYPED_LINE = re.compile(r"(?:[-*+]\s+\S|[WBSO](?:\s*\([^)\n]*\))?\s+(?:@|\[\[)|[WBSO]\s*\(c\s*=)")


@command("retain", examples=EXAMPLES)
@click.argument("text", nargs=-1)
@click.option("--kind", type=KIND, help="What sort of sentence it is; a letter will do.")
@entity_options("Whom it is about.")
@click.option("--confidence", type=CONFIDENCE, metavar="C", help="How sure it is.")
@click.option("--date", "day", metavar="DAY", help="The log it goes to; today's without this.")
@click.option("--for", "for_", multiple=True, metavar="ID", help="An opinion it speaks for.")
@click.option("--against", multiple=True, metavar="ID", help="An opinion it speaks against.")
@click.option("--replaces", multiple=True, metavar="ID", help="A fact that holds no longer.")
@click.option("--origin", type=ORIGIN, default="owner", help="Whose word it is; yours without.")
@click.option("--allow-future", is_flag=True, help="Take a --date that lies ahead.")
@click.option("--allow-secret", is_flag=True, help="Write what looks like a secret.")
@click.option("--undo", is_flag=True, help="Take the last fact out again.")
@pass_session
def retain(
    session: Session,
    text: tuple[str, ...],
    kind: str | None,
    entities: tuple[str, ...],
    confidence: float | None,
    day: str | None,
    for_: tuple[str, ...],
    against: tuple[str, ...],
    replaces: tuple[str, ...],
    origin: str,
    allow_future: bool,
    allow_secret: bool,
    undo: bool,
) -> None:
    """Write a fact into the log of a day.

    TEXT is a sentence, or a typed line as it stands in a log. Without TEXT, or with -, it is read
    from standard input: each line that begins with a kind or a bullet is a fact of its own.
    Prints where each fact stands, and its id; on stderr, how it was understood, and what it may
    restate or replace.
    """
    if undo:
        _undo(session)
        return
    facts: list[Fact] = []
    with session.bank() as bank:
        for sentence in _sentences(text):
            fact = bank.retain(
                sentence,
                kind=kind,
                entities=entities,
                confidence=confidence,
                day=day,
                for_=for_,
                against=against,
                replaces=replaces,
                origin=origin,
                allow_future=allow_future,
                allow_secret=allow_secret,
            )
            facts.append(fact)
            if not session.json:
                session.show([f"{fact.citation} {fact.id}"])
                session.note([session.error_look.dim(session.error_look.clean_line(_echo(fact)))])
                session.note(related_lines(session.look, fact.related))
    if session.json:
        session.show_json(
            {
                "facts": [fact_to_dict(fact) for fact in facts],
                "related": [item.to_dict() for fact in facts for item in fact.related],
            }
        )


def _echo(fact: Fact) -> str:
    """The fact as it was understood: kind, whom, when."""
    whom = ", ".join(mention.name for mention in fact.mentions)
    when = fact.occurred
    days = (
        ""
        if when is None
        else " – ".join(
            dict.fromkeys(day.isoformat() if day else "…" for day in (when.start, when.end))
        )
    )
    parts = [str(fact.kind.value), f"about {whom}" if whom else "about nobody named", days]
    return f"{'; '.join(filter(None, parts))}: {fact.content}"


def _undo(session: Session) -> None:
    with session.bank() as bank:
        report = bank.undo_retain()
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(session.look.clean_line(path) for path in report.restored)


def _sentences(arguments: tuple[str, ...]) -> list[str]:
    if arguments and arguments != ("-",):
        return [" ".join(arguments)]
    if not arguments and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError("nothing to retain", hint="give a sentence, or pipe one in")
    sentences = split_facts(_standard_input())
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


def _standard_input() -> str:
    piped = sys.stdin.buffer.read()
    try:
        return piped.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise UsageError(
            f"standard input is not valid UTF-8 at byte {problem.start}; nothing written"
        ) from problem


command = retain
