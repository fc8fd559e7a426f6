"""What the index holds and what is wrong with it: `status`, `lint`, and two indexes compared."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lorebank.database.connection import Connection, read_meta, select
from lorebank.domain import Citation, Diagnostic, Directive, LintFinding, Status
from lorebank.index.embedding import pending_count, vector_count

_COUNTS = {
    "files": "SELECT count(*) FROM files",
    "facts": "SELECT count(*) FROM items WHERE kind <> 'note'",
    "passages": "SELECT count(*) FROM items WHERE kind = 'note'",
    "entities": "SELECT count(*) FROM entities",
    "opinions": "SELECT count(*) FROM opinions",
    "chunks": "SELECT count(*) FROM chunks",
    "quarantined": "SELECT count(*) FROM items WHERE quarantined = 1",
    "lint": "SELECT count(*) FROM diagnostics WHERE substr(code, 1, 5) = 'lint:'",
}


def read_status(
    connection: Connection,
    root: Path,
    *,
    stale: Sequence[str],
    walk_problems: Sequence[Diagnostic],
    embedder: Mapping[str, object],
    vector_search: str,
    index_path: Path,
    directives: Sequence[Directive] = (),
    sessions: Mapping[str, int] | None = None,
) -> Status:
    """The state of the index; `stale` names the paths that changed since the last sync, `sessions`
    counts what is kept of transcripts."""
    counts = {name: int(connection.execute(query).get) for name, query in _COUNTS.items()}
    counts["vectors"] = vector_count(connection)
    counts["pending"] = pending_count(connection)
    counts |= sessions or {}
    return Status(
        workspace=str(root),
        fresh=not stale,
        stale_reason=_stale_reason(stale),
        synced_at=read_meta(connection, "synced_at"),
        counts=counts,
        embedder=dict(embedder),
        vector_search=vector_search,
        index_bytes=index_path.stat().st_size if index_path.exists() else 0,
        last_reflection=_last_reflection(root),
        problems=_problems(connection, walk_problems),
        directives=tuple(directives),
    )


def _stale_reason(stale: Sequence[str]) -> str:
    if not stale:
        return ""
    files = "1 file" if len(stale) == 1 else f"{len(stale)} files"
    return f"{files} changed since the last sync ({stale[0]}): run `lorebank index`"


def _problems(
    connection: Connection, walk_problems: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    stored = {
        Diagnostic(path, line, code, message)
        for path, line, code, message in select(
            connection,
            "SELECT path, line, code, message FROM diagnostics "
            " WHERE substr(code, 1, 5) NOT IN ('walk:', 'lint:')",
        )
    }
    return tuple(sorted(stored | set(walk_problems), key=lambda p: (p.path, p.line, p.code)))


def _last_reflection(root: Path) -> str | None:
    """The day of the newest journal page."""
    pages = sorted((root / "bank" / "reflections").glob("????-??-??.md"))
    return pages[-1].stem if pages else None


ADVICE = "lint:"
"""Before the code of each row of `diagnostics` that is advice and no problem."""
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


def _duplicates(connection: Connection) -> list[LintFinding]:
    """Facts that stand twice under one day: the same id on two lines."""
    return [
        LintFinding(
            Citation(path, line, last),
            "duplicate",
            f"says the same as {first_path}#L{first}; one of them can go",
        )
        for path, line, last, first_path, first in select(
            connection,
            "SELECT f.path, i.start_line, i.end_line, g.path, j.start_line FROM items i"
            " JOIN items j ON j.id = i.id AND j.item <> i.item"
            " JOIN files f ON f.file = i.file JOIN files g ON g.file = j.file"
            " WHERE i.kind <> 'note' AND (g.path, j.start_line) < (f.path, i.start_line)"
            " AND (g.path, j.start_line) = (SELECT h.path, k.start_line FROM items k"
            " JOIN files h ON h.file = k.file WHERE k.id = i.id ORDER BY h.path, k.start_line"
            " LIMIT 1)",
        )
    ]


_NOT_COMPARED = ("meta", "vectors", "compared_names")
"""Tables that do not follow from the files alone."""
_NUMBERS = ("item", "file", "chunk", "mtime_ns")
"""Columns that two indexes of the same files need not agree on."""


def differences(one: Connection, other: Connection) -> tuple[str, ...]:
    """One line for each table whose rows differ, with the first row that only one of them has."""
    found: list[str] = []
    tables = select(
        one,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%fts%'"
        " AND name NOT IN (SELECT value FROM json_each(?)) ORDER BY name",
        (json.dumps(_NOT_COMPARED),),
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
