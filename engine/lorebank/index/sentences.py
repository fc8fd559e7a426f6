"""Sentences to make questions of: facts as they stand, sentences of passages; and all lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation
from lorebank.index.items import load_items
from lorebank.records import Record

_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKS = re.compile(r"^[\s>*+#|-]+(?:\[.\]\s)?|[*_`~=\[\]]+")


class Sentence(Record):
    """One sentence of the workspace, and the item that says it."""

    text: str
    names: tuple[str, ...]
    """Display names of those it is about, which stand before its colon or in it."""
    source: Citation
    is_fact: bool


def askable_items(connection: Connection) -> tuple[list[int], list[int]]:
    """Numbers of the facts, and of the passages, in the order of the files."""
    rows = select(
        connection,
        "SELECT i.item, i.kind = 'note' FROM items i JOIN files f ON f.file = i.file"
        " ORDER BY f.path, i.ordinal",
    )
    return [item for item, note in rows if not note], [item for item, note in rows if note]


def load_sentences(connection: Connection, items: Sequence[int]) -> dict[int, list[Sentence]]:
    """Item → its sentences: a fact is one, a passage as many as it has."""
    found: dict[int, list[Sentence]] = {}
    for number, item in load_items(connection, items).items():
        is_fact = item.kind != "note"
        parts = [item.content] if is_fact else _END.split(item.content)
        found[number] = [
            Sentence(text, item.names, item.citation, is_fact)
            for part in parts
            if (text := " ".join(_MARKS.sub(" ", part).split()))
        ]
    return found


def all_lines(connection: Connection) -> Iterator[tuple[str, int, str]]:
    """`(path, line number, text)` of every line that may be searched, in the order of the files."""
    for path, text in select(connection, "SELECT path, text FROM files ORDER BY path"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield path, number, line
