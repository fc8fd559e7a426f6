"""Rows of opinions, evidence and unjudged pairs: a materialised fold, written holder by holder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from lorebank.database.connection import Connection, execute, read_meta, select
from lorebank.domain.facts import (
    LIKELY,
    Citation,
    Evidence,
    Opinion,
    OpinionStatus,
    Origin,
    Stance,
    Trend,
)
from lorebank.index.items import facts_of_ids
from lorebank.records import Record

WITH_VECTORS = "relation 16 with vectors"
"""What formed the opinions of an index; to be raised with any change of what a relation is."""
WORDS_ALONE = "relation 16"
PARTLY = "relation 16 partly with vectors"
"""Opinions of some holders were formed with vectors since an embedder was set up, others before."""
DECISIONS = "decisions"
"""The key of what was decided by hand: `o-…`, or `f-… o-…` of a pair → the decision."""
JUDGED_BY = "judged_by"  # the key below which an index says which of these formed its opinions


OPENED_BY = "o.start_line = i.start_line AND o.path = (SELECT path FROM files WHERE file = i.file)"
"""Ties the opinion `o` to the item `i` that states it first; without a day that is no evidence."""


def formed_by(connection: Connection) -> str:
    return read_meta(connection, JUDGED_BY) or WORDS_ALONE


def stance_model_changed(connection: Connection, *, has_vectors: bool) -> bool:
    """Whether the opinions stored must be formed again before any of them is shown.

    Those formed without vectors need not be at the first recall with an embedder: `index` and
    `reflect` embed the texts and form them again.
    """
    valid = [WORDS_ALONE, PARTLY, WITH_VECTORS] if has_vectors else [WORDS_ALONE]
    return formed_by(connection) not in valid


def insert_opinions(connection: Connection, holder: str, opinions: Iterable[Opinion]) -> None:
    for opinion in opinions:
        connection.execute(
            "INSERT OR REPLACE INTO opinions (id, holder, statement, entities, confidence, status,"
            " superseded_by, superseded_since, pinned, history, last_updated, path, start_line,"
            " end_line, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                opinion.id,
                holder,
                opinion.statement,
                json.dumps(opinion.entities, ensure_ascii=False),
                opinion.confidence,
                opinion.status.value,
                opinion.superseded_by,
                opinion.superseded_since.isoformat() if opinion.superseded_since else None,
                opinion.pinned,
                json.dumps([[day.isoformat(), c] for day, c in opinion.history]),
                opinion.last_updated.isoformat() if opinion.last_updated else None,
                opinion.source.path,
                opinion.source.start_line,
                opinion.source.end_line,
                opinion.origin.value,
            ),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO opinion_evidence (opinion, position, fact, stance, day, delta,"
            " content, reason, path, start_line, end_line, confidence)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    opinion.id,
                    position,
                    evidence.fact_id,
                    evidence.stance.value,
                    evidence.date.isoformat(),
                    evidence.delta,
                    evidence.content,
                    evidence.reason,
                    evidence.source.path,
                    evidence.source.start_line,
                    evidence.source.end_line,
                    opinion.confidence,
                )
                for position, evidence in enumerate(opinion.evidence)
            ],
        )


def delete_opinions(connection: Connection, holders: Sequence[str] | None = None) -> None:
    """Forget opinions and unsure pairs of these holders, of all where `None`."""
    condition = "1" if holders is None else "holder IN (SELECT value FROM json_each(?))"
    bound = () if holders is None else (holders,)
    of_opinions = f"opinion IN (SELECT id FROM opinions WHERE {condition})"
    execute(connection, f"DELETE FROM opinion_evidence WHERE {of_opinions}", bound)
    for table in ("opinions", "unsure"):
        execute(connection, f"DELETE FROM {table} WHERE {condition}", bound)


def opening_lines(connection: Connection) -> dict[str, str]:
    """Opinion id → what the line says in which it was first stated."""
    # Nothing indexes the lines of items: joined in SQL, each opinion would walk its whole file.
    said = {
        (path, line): content
        for path, line, content in select(
            connection,
            "SELECT f.path, i.start_line, i.content FROM items i JOIN files f ON f.file = i.file"
            " WHERE i.kind = 'opinion'",
        )
    }
    rows = select(connection, "SELECT id, path, start_line FROM opinions")
    return {id_: said[path, line] for id_, path, line in rows if (path, line) in said}


def load_opinions(
    connection: Connection,
    *,
    entity: str | None = None,
    opinion_id: str | None = None,
    ids: Sequence[str] | None = None,
) -> tuple[Opinion, ...]:
    """Opinions as stored, most confident first; the trend is left `STABLE`, it depends on the day.

    `opinion_id` may be a unique beginning of an id; `ids` are whole ones.
    """
    conditions = ["1"]
    bound: list[object] = []
    if entity is not None:
        conditions.append("EXISTS (SELECT 1 FROM json_each(entities) WHERE value = ?)")
        bound.append(entity)
    if opinion_id is not None:
        conditions.append("substr(id, 1, ?) = ?")
        bound += [len(opinion_id), opinion_id]
    if ids is not None:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        bound.append(ids)
    rows = select(
        connection,
        "SELECT id, statement, entities, confidence, status, superseded_by, pinned, history,"
        " last_updated, path, start_line, end_line, origin, superseded_since FROM opinions"
        f" WHERE {' AND '.join(conditions)} ORDER BY confidence DESC, id",
        tuple(bound),
    )
    evidence = _evidence(connection, [row[0] for row in rows])
    supersedes = _supersedes(connection, [row[0] for row in rows])
    return tuple(
        Opinion(
            id=row[0],
            statement=row[1],
            entities=tuple(json.loads(row[2])),
            confidence=row[3],
            trend=Trend.STABLE,
            evidence=tuple(evidence.get(row[0], ())),
            history=tuple((date.fromisoformat(day), c) for day, c in json.loads(row[7])),
            last_updated=date.fromisoformat(row[8]) if row[8] else None,
            source=Citation(row[9], row[10], row[11]),
            status=OpinionStatus(row[4]),
            superseded_by=row[5],
            superseded_since=date.fromisoformat(row[13]) if row[13] else None,
            pinned=row[6],
            supersedes=supersedes.get(row[0], ()),
            origin=Origin(row[12]),
        )
        for row in rows
    )


def holders_of_opinions(connection: Connection, opinions: Iterable[str]) -> dict[str, str]:
    """Opinion id → slug of its holder, for those that are known."""
    return dict(
        select(
            connection,
            "SELECT id, holder FROM opinions WHERE id IN (SELECT value FROM json_each(?))",
            (sorted(opinions),),
        )
    )


def _supersedes(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    rows = select(
        connection,
        "SELECT o.superseded_by, json_group_array(o.id ORDER BY o.id) FROM json_each(?) w"
        " CROSS JOIN opinions o ON o.superseded_by = w.value GROUP BY o.superseded_by",
        (ids,),
    )
    return {new: tuple(json.loads(old)) for new, old in rows}


def beliefs_of_facts(connection: Connection, facts: Sequence[str]) -> Mapping[str, Opinion]:
    """Fact id → the opinion it stated or restated (`for`), with its present confidence."""
    rows = select(
        connection,
        "SELECT fact, opinion FROM opinion_evidence"
        " WHERE fact IN (SELECT value FROM json_each(?))"
        " AND stance = 'for' AND reason IN ('stated', 'restated') ORDER BY fact, position, opinion",
        (facts,),
    )
    rows += select(
        connection,
        "SELECT i.id, o.id FROM json_each(?) w CROSS JOIN items i ON i.id = w.value"
        f" AND i.recorded IS NULL JOIN opinions o ON {OPENED_BY} WHERE i.kind = 'opinion'",
        (facts,),
    )
    opinions = {o.id: o for o in load_opinions(connection, ids=[row[1] for row in rows])}
    found: dict[str, Opinion] = {}
    for fact, opinion in rows:
        found.setdefault(fact, opinions[opinion])
    return found


def judged_together(connection: Connection, facts: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Pairs of these facts of which it is known what they are to each other: both are evidence of
    one opinion, or state two that somebody ruled to stand side by side. Both ways round."""
    rows = select(
        connection,
        "SELECT DISTINCT a.fact, b.fact FROM json_each(?1) w"
        " CROSS JOIN opinion_evidence a ON a.fact = w.value"
        " JOIN opinion_evidence b ON b.opinion = a.opinion AND b.fact <> a.fact"
        " UNION SELECT a.fact, b.fact FROM meta m, json_each(m.value) d"
        " JOIN opinion_evidence f ON f.fact = substr(d.key, 1, instr(d.key, ' ') - 1)"
        " JOIN opinion_evidence a ON a.opinion = f.opinion"
        " JOIN opinion_evidence b ON b.opinion = substr(d.key, instr(d.key, ' ') + 1)"
        " WHERE m.key = ?2 AND d.value = 'unrelated' AND f.reason IN ('stated', 'restated')"
        " AND a.reason IN ('stated', 'restated') AND b.reason IN ('stated', 'restated')"
        " AND a.fact IN (SELECT value FROM json_each(?1))",
        (facts, DECISIONS),
    )
    return frozenset(pair for one, other in rows for pair in ((one, other), (other, one)))


def opinions_moved_by(connection: Connection, fact: str) -> tuple[tuple[str, Evidence], ...]:
    """`(opinion id, evidence)`: what a fact moved, and how far."""
    opinions = [
        row[0]
        for row in select(
            connection,
            "SELECT DISTINCT opinion FROM opinion_evidence WHERE fact = ? ORDER BY opinion",
            (fact,),
        )
    ]
    found = _evidence(connection, opinions)
    return tuple((o, e) for o in opinions for e in found[o] if e.fact_id == fact)


def _evidence(connection: Connection, opinions: Sequence[str]) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for row in select(
        connection,
        "SELECT opinion, fact, stance, day, delta, content, reason, path, start_line, end_line"
        " FROM opinion_evidence WHERE opinion IN (SELECT value FROM json_each(?))"
        " ORDER BY opinion, position",
        (opinions,),
    ):
        found.setdefault(row[0], []).append(
            Evidence(
                fact_id=row[1],
                source=Citation(row[7], row[8], row[9]),
                stance=Stance(row[2]),
                date=date.fromisoformat(row[3]),
                delta=row[4],
                content=row[5],
                reason=row[6],
            )
        )
    return found


class UnsureRow(Record):
    """One pair, by ids."""

    opinion: str
    fact: str
    score: float  # 0..1
    reason: str


def insert_unsure(connection: Connection, holder: str, rows: Iterable[UnsureRow]) -> None:
    """Write the pairs among one holder's opinions and facts."""
    connection.executemany(
        "INSERT OR IGNORE INTO unsure (opinion, fact, holder, score, reason)"
        " VALUES (?, ?, ?, ?, ?)",
        [(row.opinion, row.fact, holder, row.score, row.reason) for row in rows],
    )


def load_unsure(connection: Connection, *, fact: str | None = None) -> tuple[UnsureRow, ...]:
    """The best pairs first, of two alike the one with the newer fact; of one fact if given."""
    rows = select(
        connection,
        "SELECT u.opinion, u.fact, u.score, u.reason FROM unsure u"
        " WHERE ?1 IS NULL OR u.fact = ?1 ORDER BY u.score DESC,"
        " (SELECT max(i.recorded) FROM items i WHERE i.id = u.fact) DESC, u.opinion, u.fact",
        (fact,),
    )
    return tuple(UnsureRow(*row) for row in rows)


def newer_unjudged(
    opinions: Iterable[Opinion], pairs: Iterable[UnsureRow], order: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Opinion id → ids of the facts that may bear on it, that came after its last own line and that
    nobody has judged. `order`: fact id → what sorts as the facts were written."""
    known = [opinion for opinion in opinions if opinion.evidence]
    opened = {opinion.evidence[0].fact_id: opinion.id for opinion in known}
    own = ("stated", "restated")
    last = {o.id: line.fact_id for o in known for line in o.evidence if line.reason in own}
    found: dict[str, list[str]] = {}
    for pair in (p for p in pairs if p.score >= LIKELY and p.opinion in last):
        newest = last[pair.opinion]
        if pair.fact in order and (newest not in order or order[pair.fact] > order[newest]):
            found.setdefault(pair.opinion, []).append(pair.fact)
        elif pair.fact in opened:  # the older of the two was said again since
            found.setdefault(opened[pair.fact], []).append(newest)
    return found


def with_unjudged(connection: Connection, opinions: Sequence[Opinion]) -> tuple[Opinion, ...]:
    """Stored opinions, each with how many newer lines wait for a judge."""
    ids = {opinion.id for opinion in opinions}
    opened = {opinion.evidence[0].fact_id for opinion in opinions if opinion.evidence}
    pairs = [p for p in load_unsure(connection) if p.opinion in ids or p.fact in opened]
    others = load_opinions(connection, ids=sorted({pair.opinion for pair in pairs} - ids))
    lines = {line.fact_id for o in (*opinions, *others) for line in o.evidence}
    facts = facts_of_ids(connection, lines | {pair.fact for pair in pairs}) if pairs else {}
    order = {id_: fact.oldest_first for id_, fact in facts.items()}
    newer = newer_unjudged((*opinions, *others), pairs, order)
    return tuple(replace(o, not_judged=len(newer.get(o.id, ()))) for o in opinions)
