"""What the index holds and what is wrong with it: `status`, `lint`, and two indexes compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

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
        index_bytes=_size(index_path),
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


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _last_reflection(root: Path) -> str | None:
    """The day of the newest journal page."""
    pages = sorted((root / "bank" / "reflections").glob("????-??-??.md"))
    return pages[-1].stem if pages else None


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


# Each query names rows by what they say: a path and a place in place of a row number.
_DUMPS = {
    "files": "SELECT path, role, size, hash, recorded, title, origin, text FROM files",
    "diagnostics": "SELECT path, line, code, message FROM diagnostics",
    "items": (
        "SELECT f.path, i.ordinal, i.id, i.kind, i.start_line, i.end_line, i.start, i.length,"
        " i.heading, i.recorded, i.occurred_start, i.occurred_end, i.content, i.confidence,"
        " i.marks, i.details, i.embedding, i.origin, i.author, i.quarantined"
        " FROM items i JOIN files f ON f.file = i.file"
    ),
    "further_times": (
        "SELECT f.path, i.ordinal, t.position, t.start, t.end FROM further_times t"
        " JOIN items i ON i.item = t.item JOIN files f ON f.file = i.file"
    ),
    "mentions": (
        "SELECT f.path, i.ordinal, m.position, m.slug, m.entity, m.name, m.subject FROM mentions m"
        " JOIN items i ON i.item = m.item JOIN files f ON f.file = i.file"
    ),
    "plain_mentions": (
        "SELECT f.path, i.ordinal, p.slug, p.entity, p.day FROM plain_mentions p"
        " JOIN items i ON i.item = p.item JOIN files f ON f.file = i.file"
    ),
    "plain_names": "SELECT slug, text, written FROM plain_names",
    "slots": (
        "SELECT f.path, i.ordinal, s.subject, s.about, s.relation, s.value, s.kind FROM slots s"
        " JOIN items i ON i.item = s.item JOIN files f ON f.file = i.file"
    ),
    "changes": (
        "SELECT f.path, i.ordinal, c.data FROM changes c"
        " JOIN items i ON i.item = c.item JOIN files f ON f.file = i.file"
    ),
    "line_rulings": (
        "SELECT f.path, r.line, r.newer, r.older, r.relation, r.by, r.day FROM line_rulings r"
        " JOIN files f ON f.file = r.file"
    ),
    "tasks": (
        "SELECT f.path, i.ordinal, t.kind, t.text, t.state, t.due_start, t.due_end, t.words"
        " FROM tasks t JOIN items i ON i.item = t.item JOIN files f ON f.file = i.file"
    ),
    "tags": (
        "SELECT f.path, i.ordinal, t.tag FROM tags t"
        " JOIN items i ON i.item = t.item JOIN files f ON f.file = i.file"
    ),
    "codes": (
        "SELECT f.path, i.ordinal, c.code FROM codes c"
        " JOIN items i ON i.item = c.item JOIN files f ON f.file = i.file"
    ),
    "contexts": "SELECT f.path, c.scope, c.text FROM contexts c JOIN files f ON f.file = c.file",
    "confirmations": (
        "SELECT f.path, c.line, c.target, c.value FROM confirmations c"
        " JOIN files f ON f.file = c.file"
    ),
    "names": (
        "SELECT f.path, n.line, n.action, n.slug, n.target, n.name, n.type FROM names n"
        " JOIN files f ON f.file = n.file"
    ),
    "entities": (
        "SELECT slug, name, type, type_reason, page, first_seen, last_seen, facts FROM entities"
    ),
    "aliases": "SELECT slug, entity, name FROM aliases",
    "proposals": "SELECT slug, other, reason FROM proposals",
    "chunks": (
        "SELECT f.path, c.ordinal, c.start_line, c.end_line, c.start, c.length, c.heading"
        " FROM chunks c JOIN files f ON f.file = c.file"
    ),
    "opinions": (
        "SELECT id, holder, statement, entities, confidence, status, superseded_by, pinned,"
        " history, last_updated, path, start_line, end_line, origin FROM opinions"
    ),
    "opinion_evidence": (
        "SELECT opinion, position, fact, stance, day, delta, content, reason, path, start_line,"
        " end_line, confidence FROM opinion_evidence"
    ),
    "unsure": "SELECT opinion, fact, holder, score, reason FROM unsure",
    "words": ("SELECT term, doc, cnt FROM temp.items_words"),
}


def differences(one: Connection, other: Connection) -> tuple[str, ...]:
    """One line for each table whose rows differ, with the first row that only one of them has."""
    found: list[str] = []
    for table, query in _DUMPS.items():
        mine, theirs = set(one.execute(query)), set(other.execute(query))
        for rows, where in ((mine - theirs, "too much"), (theirs - mine, "missing")):
            if rows:
                example = min(rows, key=repr)
                found.append(f"{table}: {len(rows)} rows {where}, such as {example!r}"[:300])
    return tuple(found)
