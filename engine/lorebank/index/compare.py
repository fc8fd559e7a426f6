"""Comparing two indexes row for row, whatever numbers their rows happen to bear."""

from __future__ import annotations

from lorebank.database.connection import Connection

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
        "SELECT f.path, i.ordinal, s.subject, s.about, s.relation, s.value, s.old FROM slots s"
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
