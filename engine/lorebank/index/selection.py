"""The filters that narrow a question to some items, as one query."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from lorebank.database.connection import Connection, has_full_text, select
from lorebank.domain.facts import Interval
from lorebank.index.finding import OCCURRED, RECORDED, TRUSTED, bounds
from lorebank.index.lexical import any_of
from lorebank.language.words import searchable
from lorebank.records import Record


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
