"""What lint finds: advice noted while files were read, and what only all files together show."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.database.connection import Connection, select
from lorebank.domain import Citation, Diagnostic, LintFinding

_ADVICE = "lint:"
"""Before the code of each row of `diagnostics` that is advice and no problem."""
_MISREAD = ("kind-", "confidence-", "fact-", "private-unclosed", "comment-unclosed")
"""Beginnings of the codes of problems that a rewritten line would end."""


def insert_advice(connection: Connection, advice: Sequence[Diagnostic]) -> None:
    """Keep what the reading of a file advises; it leaves with the file's other diagnostics."""
    connection.executemany(
        "INSERT INTO diagnostics (path, line, code, message) VALUES (?, ?, ?, ?)",
        [(d.path, d.line, f"{_ADVICE}{d.code}", d.message) for d in advice],
    )


def lint_findings(connection: Connection) -> tuple[LintFinding, ...]:
    """All findings by path and line, without their fixes."""
    found = {
        LintFinding(Citation(path, line, line), code.removeprefix(_ADVICE), message)
        for path, line, code, message in select(
            connection, "SELECT path, line, code, message FROM diagnostics"
        )
        if line and code.startswith((_ADVICE, *_MISREAD))
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
