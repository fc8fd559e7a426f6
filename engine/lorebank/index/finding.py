"""Items by what a question can name: a time, an entity, a code, an id or a place; and by filters.

A code is kept as its letters and digits alone, folded. It is found whole, by its beginning or by
its end, with other hyphens or blanks or in other case: `7c1fe0` finds `7c1fe02`, `vgo3391t` and
`VGO-3391` find `VGO-3391-T`, `0655123456` finds `06 55 12 34 56`. The parts of a path or a command
are words already, and found as such.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date

from lorebank.database.connection import Connection, has_full_text, select
from lorebank.domain.facts import Citation, Interval
from lorebank.index.lexical import any_of
from lorebank.language.folding import fold
from lorebank.language.words import identifiers, searchable, words
from lorebank.records import Record

# An item lies in an interval when one of the times it names overlaps it, or when it was written
# in it. Of a time with an open side ("since 1978") the day that is named counts: it would lie in
# all. Each part is looked up in an index of its own: SQLite reads every item for an OR of them.
_FIRST = (
    "(coalesce(i.occurred_start, i.occurred_end) <= {end}"
    " AND coalesce(i.occurred_end, i.occurred_start) >= {start})"
)
TRUSTED = "i.quarantined = 0"  # the condition on `items i` for what may be believed
FURTHER = (
    "EXISTS (SELECT 1 FROM further_times t WHERE t.item = i.item"
    " AND coalesce(t.start, t.end) <= {end} AND coalesce(t.end, t.start) >= {start})"
)
OCCURRED = f"({_FIRST} OR {FURTHER})"
_SPAN = (
    "(1 + julianday(coalesce(i.occurred_end, i.occurred_start))"
    " - julianday(coalesce(i.occurred_start, i.occurred_end)))"
)
_SHARE = (
    f"CASE WHEN {_FIRST.format(start='?1', end='?2')} THEN"
    " (1 + julianday(min(?2, coalesce(i.occurred_end, i.occurred_start)))"
    f" - julianday(max(?1, coalesce(i.occurred_start, i.occurred_end)))) / {_SPAN} ELSE 1 END"
)
"""How much of its first time lies in the interval; one of its further times lies in it whole."""
LEAST_SHARE = 0.1  # chosen by hand: a line that names a year says nothing of one of its weeks
_LONG_DAYS = 300
"""A time about as long as a year, by whose line nothing is known of the day of writing."""
RECORDED = "i.recorded BETWEEN {start} AND {end}"
_LYING_IN = (
    # Left to itself SQLite reads every item, since the range is open on either side.
    "(SELECT i.item FROM items i INDEXED BY items_by_occurred"
    f" WHERE {_FIRST.format(start='?1', end='?2')} UNION"
    " SELECT t.item FROM further_times t"
    " WHERE coalesce(t.start, t.end) <= ?2 AND coalesce(t.end, t.start) >= ?1 UNION"
    f" SELECT i.item FROM items i WHERE {RECORDED.format(start='?1', end='?2')})"
)


def items_in_interval(
    connection: Connection, interval: Interval, limit: int, *, within: str | None
) -> list[tuple[int, str, float]]:
    """`(item, "occurred" or "recorded", share)`: facts first, what happened in it, the newest.

    `share`: how much of the item's own time lies in the interval, 0..1; 1 for a day of writing.
    """
    start, end = bounds(interval)
    occurred = OCCURRED.format(start="?1", end="?2")
    return [
        (item, "occurred", share) if happened else (item, "recorded", 1.0)
        for item, happened, share in select(
            connection,
            f"SELECT i.item, ({occurred}) AS happened, {_SHARE} FROM items i"
            f" WHERE i.item IN {_LYING_IN}"
            " AND (?4 IS NULL OR i.item IN (SELECT value FROM json_each(?4)))"
            " ORDER BY i.kind = 'note', happened DESC,"
            " coalesce(i.occurred_start, i.recorded) DESC, i.file, i.ordinal LIMIT ?3",
            (start, end, limit, within),
        )
    ]


def items_of_interval(
    connection: Connection,
    interval: Interval,
    *,
    within: str | None,
    written_from: date | None = None,
) -> str:
    """JSON list of all items that lie in an interval, among those of `within`.

    What names a time many times as long ("in 2025") says nothing of a week: it is left out, as is
    what was written before `written_from`.
    """
    start, end = bounds(interval)
    occurred = OCCURRED.format(start="?1", end="?2")
    recorded = RECORDED.format(start="?1", end="?2")
    rows = select(
        connection,
        f"SELECT json_group_array(i.item) FROM items i WHERE i.item IN {_LYING_IN}"
        f" AND ((({occurred}) AND {_SHARE} >= {LEAST_SHARE}) OR ({recorded} AND NOT ("
        f"   i.occurred_start IS NOT NULL AND {_SPAN} > {_LONG_DAYS})))"
        " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))"
        " AND (?4 IS NULL OR i.recorded IS NULL OR i.recorded >= ?4)",
        (start, end, within, written_from),
    )
    return str(rows[0][0])


def bounds(interval: Interval) -> tuple[str, str]:
    """First and last day of a span, as stored; an open side reaches to the end of time."""
    start = interval.start.isoformat() if interval.start else "0000-00-00"
    end = interval.end.isoformat() if interval.end else "9999-99-99"
    return start, end


_INSIDE = " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))"


def items_of_entities(
    connection: Connection, entities: Sequence[str], limit: int, *, marked: bool, within: str | None
) -> list[tuple[int, str]]:
    """`(item, entity)` of facts that mention any of them, or of items whose text names any of them
    unmarked; newest first."""
    table = "mentions" if marked else "plain_mentions"
    found = [
        (day, item, entity)
        for entity in dict.fromkeys(entities)
        for day, item in select(
            connection,
            f"SELECT m.day, m.item FROM {table} m WHERE m.entity = ?1"
            " AND (?3 IS NULL OR m.item IN (SELECT value FROM json_each(?3)))"
            # In the order of the index: only as many rows are read as are wanted.
            " GROUP BY m.day, m.item ORDER BY m.day DESC, m.item DESC LIMIT ?2",
            (entity, limit, within),
        )
    ]
    found.sort(key=lambda row: row[:2], reverse=True)
    return [(item, entity) for _, item, entity in found[:limit]]


def entities_in_text(connection: Connection, items: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Item → the entities that its text names without marking them."""
    found: dict[int, tuple[str, ...]] = {}
    for item, entity in select(
        connection,
        "SELECT p.item, p.entity FROM json_each(?) w CROSS JOIN plain_mentions p"
        " ON p.item = w.value ORDER BY p.item, p.entity",
        (items,),
    ):
        found[item] = (*found.get(item, ()), entity)
    return found


def opinion_items(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, float]]:
    """`(item, present confidence)` of facts of kind opinion, the surest and newest first.

    A fact that states a belief has the belief's confidence; one that only speaks against a belief
    has what is left of it.
    """
    about = (
        " AND i.item IN (SELECT m.item FROM mentions m"
        " WHERE m.entity IN (SELECT value FROM json_each(?1))"
        " UNION ALL SELECT p.item FROM plain_mentions p"
        " WHERE p.entity IN (SELECT value FROM json_each(?1)))"
        if entities
        else " AND ?1 IS NOT NULL"
    )
    return [
        (item, confidence)
        for item, confidence in select(
            connection,
            "SELECT i.item, coalesce((SELECT max(e.confidence) FROM opinion_evidence e"
            "  WHERE e.fact = i.id AND e.stance = 'for' AND e.reason IN ('stated', 'restated')),"
            " (SELECT 1 - max(e.confidence) FROM opinion_evidence e"
            "  WHERE e.fact = i.id AND e.stance = 'against'),"
            " i.confidence, 0.6) FROM items i INDEXED BY items_of_opinions"
            f" WHERE i.kind = 'opinion' {about} {_INSIDE}"
            " ORDER BY 2 DESC, i.recorded DESC, i.item DESC LIMIT ?2",
            (entities, limit, within),
        )
    ]


SHORTEST = 5
"""Letters and digits of a code; below that, parts of codes are found everywhere (git abbreviates a
hash to 7, people to 6; `v1.2`, `rev C` are words)."""
LONGEST = 64
"""A longer run is data (a key, a blob), and its first 64 letters tell it from any other."""
_MOST_GROUPS = 16
"""Of a number that people write down; the longest IBAN has nine. More are a table."""
_MOST_FOUND = 50
"""Items that a part of a code may lead to; a part of more is no code but a common stem."""
_SEPARATORS = re.compile(r"[\W_]+")
_GROUP = r"(?:[A-Z]{1,4}(?!\w)|[^\W\d_]*+\d\w*+)"
_GROUPS = re.compile(rf"(?<!\w){_GROUP}(?:[ \u00a0\u202f./-]{_GROUP})*+")
"""`06 55 12 34 56`, `1A 204 77 310`, `AB-123-CD`: groups with a digit, or of a few capitals."""


def codes_in(text: str) -> dict[str, list[str]]:
    """The codes of a text as they are compared, with their words: `VGO-3391-T` → `vgo3391t`. One in
    groups is found from each group on: what stands before it may be a group as well (`DHL 1A
    204`)."""
    written = identifiers(text)
    for run in _GROUPS.finditer(text):
        groups = _SEPARATORS.split(run.group())
        if len(groups) <= _MOST_GROUPS and any(map(str.isdigit, run.group())):
            written += (" ".join(groups[start:]) for start in range(len(groups)))
    found = ((_SEPARATORS.sub("", fold(each))[:LONGEST], words(each)) for each in written)
    return {code: held for code, held in found if len(code) >= SHORTEST}


def insert_codes(connection: Connection, texts: Iterable[tuple[int, str]]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO codes (code, item, backward) VALUES (?, ?, ?)",
        [(code, item, code[::-1]) for item, text in texts for code in codes_in(text)],
    )


def items_with_codes(connection: Connection, codes: Iterable[str]) -> dict[str, list[int]]:
    """Code → the items that hold it whole; else those that hold one which begins or ends so."""
    found: dict[str, list[int]] = {}
    for code in dict.fromkeys(codes):
        rows = select(connection, "SELECT item FROM codes WHERE code = ?", (code,))
        # `~` and beyond stand after every letter and digit that folding leaves of a code.
        rows = rows or select(
            connection,
            "SELECT item FROM codes WHERE code > ?1 AND code < ?1 || char(0x10ffff)"
            " UNION SELECT item FROM codes WHERE backward > ?2 AND backward < ?2 || char(0x10ffff)"
            " LIMIT ?3",
            (code, code[::-1], _MOST_FOUND + 1),
        )
        if rows and len(rows) <= _MOST_FOUND:
            found[code] = sorted(item for (item,) in rows)
    return found


def stands_in_text(connection: Connection, word: str) -> bool:
    """Whether an item holds a word exactly as typed (`-Wall`), with neither a letter nor a hyphen
    before it, nor a letter behind it."""
    whole = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    rows = select(connection, "SELECT content FROM items WHERE instr(content, ?)", (word,))
    return any(whole.search(content) for (content,) in rows)


_LIMIT = 50


def find_items(connection: Connection, named: str) -> list[int]:
    """The items of an id (`f-…`, `n-…`), of a beginning of one, or on a line (`path#L12`).

    Several where lines say the same; none where nothing is called so.
    """
    named = named.encode("utf-8", "replace").decode("utf-8")
    try:
        place = Citation.parse(named)
    except ValueError:
        rows = select(connection, "SELECT item FROM items WHERE id = ? ORDER BY item", (named,))
        if not rows and len(named) >= 3:
            rows = select(
                connection,
                "SELECT item FROM items WHERE substr(id, 1, ?1) = ?2 ORDER BY id, item LIMIT ?3",
                (len(named), named, _LIMIT),
            )
    else:
        rows = select(
            connection,
            "SELECT i.item FROM items i JOIN files f ON f.file = i.file"
            " WHERE f.path = ? AND i.start_line <= ? AND i.end_line >= ?"
            " ORDER BY i.kind = 'note', i.start_line, i.item LIMIT ?",
            (place.path, place.end_line, place.start_line, _LIMIT),
        )
    return [item for (item,) in rows]


class Selection(Record):
    """What an item must be like; what is left empty is not looked at."""

    interval: Interval | None = None
    entities: tuple[str, ...] = ()
    """Slugs; it mentions any of them."""
    names: tuple[str, ...] = ()
    """Names that are no entity's; a text that holds any of them will do as well."""
    kinds: tuple[str, ...] = ()
    """It is of any of them; `note` is a passage."""
    tags: tuple[str, ...] = ()
    """Folded; it bears every one of them, or one nested under it."""
    paths: tuple[str, ...] = ()
    """Its file's path begins or ends with any of them."""
    words: tuple[str, ...] = ()
    """Its own text, or the name of an entity it mentions, holds any of these words or phrases."""
    min_confidence: float | None = None
    as_of: date | None = None
    """It was recorded by that day."""
    origins: tuple[str, ...] = ()
    """It is of any of them."""
    authors: tuple[str, ...] = ()
    """Its line names any of them, in any case: an agent, a program, a conversation or a user."""
    trusted_only: bool = False
    """Whether it may not be in quarantine."""


_Bind = Callable[[str, object], str]
_WithWords = Callable[[Sequence[str], _Bind, str], str]
_OWN_WORDS = "{{text entities}} : ({})"


def select_items(
    connection: Connection, wanted: Selection, unwanted: Selection | None = None
) -> str | None:
    """JSON list of the items that are as wanted and nothing of what is unwanted; `None` for all."""
    bound: dict[str, object] = {}
    with_words = _holding_words if has_full_text(connection) else _holding_letters
    conditions = list(_conditions(wanted, "wanted", bound, with_words))
    if unwanted is not None:
        # Bare NOT would also drop the items of which SQL knows nothing (an undated one).
        unlike = _conditions(unwanted, "unwanted", bound, with_words)
        conditions += [f"({condition}) IS NOT TRUE" for condition in unlike]
    if not conditions:
        return None
    rows = select(
        connection,
        f"SELECT json_group_array(i.item) FROM items i WHERE {' AND '.join(conditions)}",
        bound,
    )
    return str(rows[0][0])


def newest_items(connection: Connection, limit: int, *, within: str) -> list[int]:
    """The items of a JSON list, by the day they tell of or were written on, undated ones last."""
    rows = select(
        connection,
        "SELECT i.item FROM json_each(?1) w CROSS JOIN items i ON i.item = w.value"
        " ORDER BY coalesce(i.recorded, i.occurred_start, '') DESC, i.file, i.ordinal LIMIT ?2",
        (within, limit),
    )
    return [item for (item,) in rows]


def known_tags(connection: Connection, tags: tuple[str, ...]) -> frozenset[str]:
    """Those of the tags that any item bears, itself or nested under it."""
    return frozenset(
        tag
        for tag in tags
        if tag.isprintable()  # half a surrogate pair is no text to SQLite
        and connection.execute(
            f"SELECT EXISTS (SELECT 1 FROM tags WHERE {_tagged('?1')}"
            f" UNION ALL SELECT 1 FROM file_tags WHERE {_tagged('?1')})",
            (tag,),
        ).get
    )


def _conditions(
    selection: Selection, prefix: str, bound: dict[str, object], with_words: _WithWords
) -> Iterator[str]:
    """SQL conditions on `items i`; `bound` is given what they bind, under names of their own."""

    def bind(name: str, value: object) -> str:
        if isinstance(value, str):
            value = value.encode("utf-8", "replace").decode("utf-8")
        bound[f"{prefix}_{name}"] = value
        return f":{prefix}_{name}"

    if selection.interval is not None:
        first, last = bounds(selection.interval)
        start, end = bind("start", first), bind("end", last)
        yield (
            f"(({OCCURRED.format(start=start, end=end)})"
            f" OR ({RECORDED.format(start=start, end=end)}))"
        )
    if selection.entities or selection.names:
        slugs = bind("entities", json.dumps(selection.entities))
        named = (
            "i.item IN (SELECT m.item FROM mentions m"
            f" WHERE m.entity IN (SELECT value FROM json_each({slugs}))"
            " UNION SELECT p.item FROM plain_mentions p"
            f" WHERE p.entity IN (SELECT value FROM json_each({slugs})))"
        )
        held = with_words(selection.names, bind, "names") if any_of(selection.names) else "FALSE"
        yield f"({named} OR {held})"
    if selection.kinds:
        kinds = bind("kinds", json.dumps(selection.kinds))
        yield f"i.kind IN (SELECT value FROM json_each({kinds}))"
    for number, tag in enumerate(selection.tags):
        sought = _tagged(bind(f"tag_{number}", tag))
        yield (
            f"(i.item IN (SELECT item FROM tags WHERE {sought})"
            f" OR i.file IN (SELECT file FROM file_tags WHERE {sought}))"
        )
    if selection.paths:
        paths = bind("paths", json.dumps([path.rstrip("*") for path in selection.paths]))
        yield (
            f"i.file IN (SELECT f.file FROM files f JOIN json_each({paths}) p"
            " WHERE substr(f.path, 1, length(p.value)) = p.value"
            " OR substr(f.path, -length(p.value) - 1) = '/' || p.value)"
        )
    if any_of(selection.words):
        yield with_words(selection.words, bind, "words")
    if selection.min_confidence is not None:
        confidence = bind("confidence", selection.min_confidence)
        yield (
            "coalesce((SELECT o.confidence FROM opinion_evidence e"
            " JOIN opinions o ON o.id = e.opinion WHERE e.fact = i.id AND e.stance = 'for'"
            f" AND e.reason IN ('stated', 'restated') LIMIT 1), i.confidence) >= {confidence}"
        )
    if selection.origins:
        origins = bind("origins", json.dumps(selection.origins))
        yield f"i.origin IN (SELECT value FROM json_each({origins}))"
    if selection.authors:
        authors = bind("authors", json.dumps([f" {name.lower()}," for name in selection.authors]))
        yield (
            f"EXISTS (SELECT 1 FROM json_each({authors}) a"
            " WHERE instr(lower(i.author) || ',', a.value))"
        )
    if selection.trusted_only:
        yield TRUSTED
    if selection.as_of is not None:
        until = bind("until", selection.as_of.isoformat())
        yield f"(i.recorded IS NULL OR i.recorded <= {until})"


def _holding_words(terms: Sequence[str], bind: _Bind, name: str) -> str:
    words = bind(name, _OWN_WORDS.format(any_of(terms)))
    return f"i.item IN (SELECT rowid FROM items_fts WHERE items_fts MATCH {words})"


def _holding_letters(terms: Sequence[str], bind: _Bind, name: str) -> str:
    """Without FTS5 `items_fts` is a plain table, whose text is folded but for ASCII letters."""
    words = bind(name, json.dumps([searchable(term).lower() for term in terms]))
    return (
        f"i.item IN (SELECT f.rowid FROM items_fts f JOIN json_each({words}) w"
        " ON instr(lower(f.text), w.value) OR instr(lower(f.entities), w.value))"
    )


def _tagged(tag: str) -> str:
    """The tag itself, or one nested under it; a range, so that the index finds it."""
    return f"(tag = {tag} OR (tag > {tag} || '/' AND tag < {tag} || '0'))"
