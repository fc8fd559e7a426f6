"""What a source of inbox items is, and what all sources share. A new one is named in `registry`."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple

from lorebank.database.connection import Connection
from lorebank.domain.facts import Fact, InboxItem, InboxKind, InboxLine
from lorebank.domain.judgments import Decision
from lorebank.errors import WorkspaceError
from lorebank.index.succession import Over
from lorebank.markdown.ledger import added_line, without_lines
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.paths import read_text_file, write_text_file


class InboxContext(Record):
    """What sources work with: an open, synced workspace, and the day."""

    index: Callable[[], Connection]
    """Asked for each time: `sync` opens another where it is damaged or cannot be written."""
    root: Path
    config: Config
    today: date
    append: Callable[[str, str, date], int]
    """Write a fact line (path, line, day) into a log; returns its line number."""
    vectors_of: Callable[[Sequence[str]], Mapping[str, bytes]]
    """Text → its vector, as 32-bit floats; without an embedder, of none."""
    known: tuple[Sequence[Fact], Over] | None = None
    """All facts but those in quarantine, and what of them holds no longer, where they are read."""

    @property
    def connection(self) -> Connection:
        return self.index()


class Verdict(NamedTuple):
    """What somebody ruled on an item that waits, or on one that another has settled."""

    kind: InboxKind
    about: tuple[str, ...]  # ids or names, as `Decision.about` has them
    choice: str
    by: str


class Source(Record):
    kinds: frozenset[InboxKind]
    waiting: Callable[[InboxContext], Iterable[InboxItem]]
    """The items on which no verdict stands yet."""
    rule: Callable[[InboxContext, Verdict], None]
    """Write a verdict. The caller holds the writer's lock, and syncs afterwards."""
    settled: Callable[[InboxContext], Iterable[Decision]]
    """The verdicts that stand in the ledger."""
    revoke: Callable[[InboxContext, Sequence[Decision]], None]
    """Undo verdicts; locks and syncs as for `rule`."""
    about: Callable[[InboxContext, Fact], Iterable[InboxItem]] = lambda context, fact: ()
    """The items whose newer line is this fact, shown to its writer."""
    allows_second_ruling: bool = False
    """Whether another judge may rule on what is settled; the last verdict holds."""


def item_id(kind: InboxKind, *rests_on: str) -> str:
    """The id of the item of a kind that rests on these lines, opinions or names."""
    text = "\0".join((kind.value, *rests_on))
    return f"i-{hashlib.sha256(text.encode('utf-8')).hexdigest()[:10]}"


def line_of_fact(fact: Fact) -> InboxLine:
    """A fact as one side of an item."""
    about = tuple(dict.fromkeys(m.name for m in fact.mentions if m.subject))
    place, day = fact.citation, fact.recorded
    return InboxLine(fact.content, place, day, fact.id, about, fact.author.agent)


def add_ledger_line(context: InboxContext, path: str, line: str, *, title: str) -> None:
    """Append a list item to a ledger, which begins with `title` where it is new."""
    file = read_text_file(context.root, path)
    write_text_file(context.root, file, added_line(file.text, line, title=title)[0])


def ledger_text(context: InboxContext, path: str) -> str:
    with suppress(WorkspaceError):  # a folder, say: `status` names it
        return read_text_file(context.root, path).text
    return ""


def remove_ledger_lines(context: InboxContext, decisions: Sequence[Decision]) -> None:
    """Take back verdicts that are one ledger line each. A ledger without any line left goes."""
    by_path = defaultdict(list)
    for decision in decisions:
        by_path[decision.source.path].append(decision.source)
    for path, places in by_path.items():
        file = read_text_file(context.root, path)
        left = without_lines(file.text, places)
        if any(line.strip() and not line.startswith("# ") for line in left.split("\n")):
            write_text_file(context.root, file, left)
        else:
            (context.root / path).unlink()
