"""What the index holds and what is wrong with it: `status`, `lint`, and two indexes compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lorebank.database.connection import Connection, read_meta, select
from lorebank.domain.facts import Citation, Diagnostic
from lorebank.domain.reports import LintFinding
from lorebank.index.embedding import TEXTS_REFUSED, pending_count, pending_places, vector_count

_COUNTS = {
    "files": "SELECT count(*) FROM files",
    "facts": "SELECT count(*) FROM items WHERE kind <> 'note'",
    "passages": "SELECT count(*) FROM items WHERE kind = 'note'",
    "entities": "SELECT count(*) FROM entities",
    "opinions": "SELECT count(*) FROM opinions",
    "chunks": "SELECT count(*) FROM chunks",
    "quarantined": "SELECT count(*) FROM items WHERE quarantined = 1",
}


def index_counts(connection: Connection) -> dict[str, int]:
    counts = {name: int(connection.execute(query).get) for name, query in _COUNTS.items()}
    return counts | {
        "lint": len(lint_findings(connection)),
        "vectors": vector_count(connection),
        "pending": pending_count(connection),
    }


def file_problems(connection: Connection) -> set[Diagnostic]:
    """What was odd in the files, as they were read."""
    rows = select(
        connection,
        "SELECT path, line, code, message FROM diagnostics"
        " WHERE substr(code, 1, 5) NOT IN ('walk:', 'lint:')",
    )
    return {Diagnostic(*row) for row in rows}


def refused_texts(connection: Connection) -> tuple[Diagnostic, ...]:
    """The lines that the embedder refused, for as long as they have no vector."""
    reason = read_meta(connection, TEXTS_REFUSED)
    if not reason:
        return ()
    places = pending_places(connection)
    return tuple(Diagnostic(path, line, "texts-refused", reason) for path, line in places)


ADVICE = "lint:"  # before the code of each row of `diagnostics` that is advice and no problem
_MISREAD = ("kind-", "confidence-", "fact-", "private-unclosed", "comment-unclosed")
"""Beginnings of the codes of problems that a rewritten line would end."""


def lint_findings(connection: Connection) -> tuple[LintFinding, ...]:
    """All findings by path and line, without their fixes."""
    found = {
        LintFinding(Citation(path, line, line), code.removeprefix(ADVICE), message)
        for path, line, code, message in select(
            connection, "SELECT path, line, code, message FROM diagnostics"
        )
        if line and code.startswith((ADVICE, *_MISREAD))
    }
    found |= set(_duplicates(connection))
    return tuple(sorted(found, key=lambda each: (each.source, each.code)))


def _duplicates(connection: Connection) -> Iterator[LintFinding]:
    """Facts that stand twice under one day: the same id on two lines."""
    first: dict[str, Citation] = {}
    for id_, *place in select(
        connection,
        "SELECT i.id, f.path, i.start_line, i.end_line FROM items i"
        " JOIN files f ON f.file = i.file WHERE i.kind <> 'note' ORDER BY f.path, i.start_line",
    ):
        here = Citation(*place)
        before = first.setdefault(id_, here)
        if before != here:
            said = f"says the same as {before.path}#L{before.start_line}; one of them can go"
            yield LintFinding(here, "duplicate", said)


_NOT_COMPARED = ("meta", "vectors", "compared_names")
"""Tables that do not follow from the files alone."""
_NUMBERS = ("item", "file", "chunk", "mtime_ns")
"""Columns that two indexes of the same files need not agree on."""


def differences(one: Connection, other: Connection) -> tuple[str, ...]:
    """One line for each table whose rows differ, with the first row that only one of them has."""
    found: list[str] = []
    if not any(select(one, "SELECT 1 FROM files LIMIT 1")):
        [(files,)] = select(other, "SELECT count(*) FROM files")
        return (f"none of the {files} files is indexed yet",) if files else ()
    tables = select(
        one,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fts%'"
        " AND name NOT IN (SELECT value FROM json_each(?)) ORDER BY name",
        (_NOT_COMPARED,),
    )
    for table in [*(name for (name,) in tables), "items_words"]:
        mine, theirs = _rows(one, table), _rows(other, table)
        for rows, where in ((mine - theirs, "too much"), (theirs - mine, "missing")):
            if rows:
                example = min(rows, key=repr)
                found.append(f"{table}: {len(rows)} rows {where}, such as {example!r}"[:300])
    return tuple(found)


def _rows(connection: Connection, table: str) -> set[tuple[Any, ...]]:
    """The rows of a table, each by what it says: path and place stand for its row numbers."""
    columns = [
        name for (name,) in select(connection, f"SELECT name FROM pragma_table_info('{table}')")
    ]
    shown = [f"t.{name}" for name in columns if name not in _NUMBERS]
    joined = f"{table} t"
    if "item" in columns:
        shown += ["f.path", "i.ordinal"]
        joined += " JOIN items i ON i.item = t.item JOIN files f ON f.file = i.file"
    elif "file" in columns:
        shown += ["f.path"]
        joined += " JOIN files f ON f.file = t.file"
    return set(select(connection, f"SELECT {', '.join(shown)} FROM {joined}"))
