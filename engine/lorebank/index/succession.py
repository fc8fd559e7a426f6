"""Which facts hold no longer, since when, because of which newer line: the one place that decides.

Four kinds of grounds are folded for a line: what its writer says (`(ends f-…)`), what somebody
ruled (`bank/decisions.md`), a property with a newer value (`slots`), and an explicit ending of what
it states (`supersede`). A ruling on two lines outweighs what was read out of them. Without one no
line ends what is trusted more: an agent's that would end the owner's is asked about, and so is one
that may speak of several lines. Nothing of the fold is stored: it depends on the day asked about
and on who is who, and both may change without a file changing. Taking out the newer line, or the
ruling, undoes it exactly.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Fact, FactKind, Relation
from lorebank.index.items import iso
from lorebank.index.opinions import beliefs_of_facts
from lorebank.index.slots import AGENTS_TRUST, TRUST, Replaced, When, replaced_values
from lorebank.language.folding import fold
from lorebank.language.words import words
from lorebank.supersede.slots import clause_meant

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from lorebank.index.reading import ReadFile
    from lorebank.supersede.endings import Change

K = TypeVar("K", bound=Hashable)

WRITER = "writer"
"""Who rules by a mark in the newer line itself."""
_LAST_HOLDS = f"ORDER BY r.by <> '{WRITER}', r.file, r.line"
"""Of several rulings on one pair the last of the ledger holds, whatever a mark says."""
_MAY_END = frozenset({FactKind.WORLD, FactKind.EXPERIENCE, FactKind.OBSERVATION})
_MOST_MEANT = 3
"""So many lines that a newer one may end are asked about; of more the nearest."""
_AT_ONCE = 10_000
"""Lines whose words are in memory at a time, some 1 kB each."""
_STATES = ("world", "observation")
"""Kinds of lines that state what holds; what was done or thought does not end like that."""


NEAR = 0.35
"""From this cosine on two lines about one subject are taken to speak of one thing: of their words
without the names, by the built-in embedder. Of 49 questions for what holds now by three hands 33
get the right line first, and 5 one that no longer holds (31 and 8 at .45; 31 and 7 with the names,
from .55); of 80 small logs by another hand 49, with the names 47."""
_NEAR_OPINIONS = 0.2
"""The same of two opinions of one holder, where both match a question about as well: the newest
word comes first in 33 of 33 turns by two hands (26 at .45)."""
_NEAR_ANNOUNCED = 0.35
"""The same where the newer line says from which day it holds. In the unread half of 98 logs by
another hand 5 of 14 such changes lie above it, and no other pair."""

Derived = Callable[[Hashable], dict[Any, Any]]
"""What was worked out of the index before, by kind, to read and add to."""


class Successor(NamedTuple):
    """The fact that replaces another."""

    when: When
    item: int
    id: str
    since: str
    """The day from which the other holds no longer, ISO."""
    old_value: str = ""
    """What the replaced fact says that holds no longer, in folded words; empty for all of it."""
    part: str = ""
    """The one thing of several that the fact lists which is meant, in folded words: the others
    hold."""
    is_asked: bool = False
    """Whether an agent's line says so of what the owner wrote, or the line may speak of another
    thing as well: it ends nothing until somebody rules that it does."""

    @property
    def day(self) -> date | None:
        """The day from which the other holds no longer."""
        return date.fromisoformat(self.since) if self.since else None


class Over(NamedTuple):
    """What holds no longer, by the ids of facts."""

    superseded: dict[str, str]
    """Fact → the one that replaces it."""
    lapsed: dict[str, tuple[tuple[str, ...], str]]
    """Fact of which some values or one thing of several hold no longer → those, in folded words,
    and the fact that replaces the last of them."""
    asked: dict[str, str]
    """Fact that holds → a line that may end it: an agent's, of the owner's, or one that may speak
    of several."""
    since: Mapping[str, date] = {}
    """Superseded fact → the day from which it holds no longer."""


class Dated(NamedTuple, Generic[K]):
    """A line or an opinion as `newer_lines` compares it."""

    key: K
    fact: str
    """The id of the fact that says it."""
    about: Hashable
    when: tuple[Any, ...]
    """The day first; later is greater."""
    is_ahead: bool = False
    """Whether it speaks of what is still to come: that says nothing of what holds today."""
    is_announced: bool = False
    """Whether it says from which day, then to come, it holds."""
    is_opinion: bool = False
    """An opinion and a fact do not speak of one thing."""
    is_event: bool = False
    """Whether it says what happened, which stays true."""
    trust: int = 2
    """As in `slots.TRUST`: a line says nothing of one that is trusted more."""


class _Line(NamedTuple):
    item: int
    id: str
    kind: str
    content: str
    when: When
    trust: int
    """As in `slots.TRUST`."""
    entities: tuple[str, ...]
    """Those that it is about."""
    names: frozenset[str]
    """The folded words of their names."""


_Ended = tuple[Successor, "Change", int, str]
"""What a line about an entity says is over, how far the line is trusted, and its text."""


def insert_changes(connection: Connection, facts: Iterable[tuple[int, Fact]]) -> None:
    """Note which facts say that something is over or new, each with the number of its item."""
    from lorebank.supersede.endings import read_change, tokens

    found: list[tuple[int]] = []
    for item, fact in facts:
        names = (word for m in fact.mentions if m.subject for word in tokens(m.name))
        if fact.kind in _MAY_END and read_change(fact.content, frozenset(names)):
            found.append((item,))
    connection.executemany("INSERT INTO changes VALUES (?)", found)


def insert_line_rulings(connection: Connection, file: int, read: ReadFile) -> None:
    """Store what a file says of two lines: as a ledger, or by marks in its facts."""
    rows = [
        (file, r.citation.start_line, r.newer, r.older, r.relation.value, r.by, iso(r.day))
        for r in read.line_rulings
    ]
    rows += [
        (file, f.citation.start_line, f.id, ended, Relation.REPLACES.value, WRITER, None)
        for f in read.facts
        for ended in f.ends
        if ended != f.id
    ]
    connection.executemany("INSERT INTO line_rulings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def successors(
    connection: Connection,
    items: Iterable[int],
    *,
    as_of: date | None = None,
    today: date | None = None,
    memo: Derived = lambda kind: {},
) -> dict[int, Successor]:
    """Item → the newest fact that replaces it, among those recorded by `as_of`.

    An ending that is announced for a later day than `as_of` or `today` is none yet. `memo` keeps
    what was found between questions.
    """
    numbers = list(items)
    known: dict[int, Successor | None] = memo(("successors", as_of, today))
    missing = [item for item in numbers if item not in known]
    if missing:
        replaced = replaced_values(connection, missing, as_of, today)
        claims = _claims(connection, missing, replaced, as_of, today or as_of, memo)
        known |= dict.fromkeys(missing)
        known |= {item: _newest(c) for item, each in claims.items() if (c := _certain(each))}
    return {item: newer for item in numbers if (newer := known[item])}


def mark_superseded(
    connection: Connection, facts: Sequence[Fact], *, today: date
) -> tuple[Fact, ...]:
    """The facts, each with what replaces it or the opinion that it states."""
    said = [fact.id for fact in facts if fact.kind is FactKind.OPINION]
    held = beliefs_of_facts(connection, said) if said else {}
    newer = {
        id_: (opinion.superseded_by, opinion.superseded_since)
        for id_, opinion in held.items()
        if opinion.superseded_by
    }
    rows = select(
        connection,
        "SELECT item, id FROM items WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps([fact.id for fact in facts]),),
    )
    ids = dict(rows)
    memo = defaultdict[Hashable, dict[Any, Any]](dict).__getitem__
    for item, each in successors(connection, ids, today=today, memo=memo).items():
        newer[ids[item]] = each.id, each.day
    marked = []
    for fact in facts:
        by, since = newer.get(fact.id, (None, None))
        marked.append(replace(fact, superseded_by=by, superseded_since=since) if by else fact)
    return tuple(marked)


def what_is_over(
    connection: Connection,
    *,
    as_of: date | None = None,
    today: date | None = None,
    among: Collection[str] | None = None,
) -> Over:
    """What holds no longer of the facts recorded by `as_of`, or of those `among` them."""
    ids = _trusted_facts(connection, as_of)
    if among is not None:
        ids = {item: id_ for item, id_ in ids.items() if id_ in among}
    replaced = replaced_values(connection, ids, as_of, today)
    items = list(ids)
    kept: dict[Hashable, dict[Any, Any]] = {}
    by_fact: dict[str, list[Successor]] = {}
    for start in range(0, len(items), _AT_ONCE):
        part = items[start : start + _AT_ONCE]
        found = _claims(
            connection,
            part,
            replaced,
            as_of,
            today or as_of,
            lambda kind: kept.setdefault(kind, {}),
        )
        by_fact |= {ids[item]: claims for item, claims in found.items()}
    lapsed: dict[str, tuple[tuple[str, ...], str]] = {}
    for item, (newer, _, _) in replaced.items():
        if newer:
            last = max((entry for _, entry in newer), key=lambda entry: entry.when).id
            values = (value for mine, _ in newer for value in mine.values)
            lapsed[ids[item]] = (tuple(dict.fromkeys(values)), last)
    for fact, claims in by_fact.items():
        if parts := {c.part: c for c in claims if c.part and not c.is_asked}:
            lapsed.setdefault(fact, (tuple(parts), _newest(parts.values()).id))
    sure = {f: _newest(c) for f, claims in by_fact.items() if (c := _certain(claims))}
    whole = {fact: claim.id for fact, claim in sure.items()}
    since = {fact: claim.day for fact, claim in sure.items() if claim.day}
    asked = {f: [c for c in claims if c.is_asked] for f, claims in by_fact.items()}
    waiting = {f: _newest(c).id for f, c in asked.items() if c and f not in whole}
    return Over(whole, lapsed, waiting, since)


def _certain(claims: Iterable[Successor]) -> list[Successor]:
    """The claims by which a line as a whole holds no longer."""
    return [claim for claim in claims if not (claim.part or claim.is_asked)]


def _trusted_facts(connection: Connection, as_of: date | None) -> dict[int, str]:
    rows = select(
        connection,
        "SELECT item, id FROM items WHERE quarantined = 0 AND kind <> 'note'"
        " AND (?1 IS NULL OR recorded IS NULL OR recorded <= ?1)",
        (iso(as_of),),
    )
    return dict(rows)


def ruled_pairs(
    connection: Connection, relation: Relation | None = None, *, as_of: date | None = None
) -> frozenset[tuple[str, str]]:
    """`(newer, older)` of the pairs of lines on which somebody ruled, or last ruled that."""
    rows = select(
        connection,
        "SELECT r.newer, r.older, r.relation FROM line_rulings r"
        " WHERE (?1 IS NULL OR r.day IS NULL OR r.day <= ?1)"
        " AND (r.by <> ?2 OR NOT EXISTS (SELECT 1 FROM items i JOIN items o ON o.id = r.older"
        f" WHERE i.id = r.newer AND {TRUST.format('i')} < {TRUST.format('o')})) {_LAST_HOLDS}",
        (iso(as_of), WRITER),
    )
    last = {(newer, older): said for newer, older, said in rows}
    return frozenset(pair for pair, said in last.items() if relation is None or said == relation)


def newer_lines(
    lines: Iterable[Dated[K]],
    vectors: Callable[[Sequence[K]], Mapping[K, NDArray[float32]]],
    judged: Callable[[], Collection[tuple[str, str]]],
) -> dict[K, K]:
    """Each line → the newest one about the same, near in meaning, that may say otherwise; of a line
    announced for a coming day the one that holds until then.

    Nobody has judged them, so nothing is hidden. Lines of one day hold side by side; of pairs of
    facts that are `judged`, newer and older, the newer says what the older is now.
    """
    by_subject: defaultdict[Hashable, list[Dated[K]]] = defaultdict(list)
    for line in lines:
        by_subject[line.about, line.is_opinion].append(line)
    groups = [group for group in by_subject.values() if len(group) > 1]
    known = vectors([line.key for group in groups for line in group]) if groups else {}
    if not known:
        return {}
    import numpy as np

    newer: dict[K, K] = {}
    judged = cache(judged)
    for group in groups:
        dated = sorted((line for line in group if line.key in known), key=lambda line: line.when)
        matrix = np.array([known[line.key] for line in dated])
        usual = _NEAR_OPINIONS if dated and dated[0].is_opinion else NEAR
        least = np.array([_NEAR_ANNOUNCED if line.is_announced else usual for line in dated])
        is_ahead = np.array([line.is_ahead for line in dated])
        trust = np.array([line.trust for line in dated])
        for place, old in enumerate(dated, start=1):
            if old.is_event and not old.is_ahead:
                continue
            if old.is_announced and old.is_ahead:
                before = matrix[: place - 1] @ matrix[place - 1] >= _NEAR_ANNOUNCED
                until_then = np.flatnonzero(before & ~is_ahead[: place - 1])
                if len(until_then):
                    newer[old.key] = dated[until_then[-1]].key
                continue
            may = matrix[place:] @ matrix[place - 1] >= least[place:]
            may &= trust[place:] >= old.trust
            near = np.flatnonzero(may if old.is_ahead else may & ~is_ahead[place:])
            later = dated[place + near[-1] :] if len(near) else []
            # A pair judged later than the newest near one says what came of the older line.
            pairs = judged() if later and later[0].when[0] != old.when[0] else None
            if pairs is not None and not any((new.fact, old.fact) in pairs for new in later):
                newer[old.key] = later[0].key
    return newer


def put_newer_first(order: Iterable[K], newer: Mapping[K, K]) -> list[K]:
    """The order with each line behind the one that `newer` has for it."""
    led: dict[K, None] = {}
    for each in order:
        if each in newer:
            led.setdefault(newer[each])
        led.setdefault(each)
    return list(led)


def _newest(claims: Iterable[Successor]) -> Successor:
    return max(claims, key=lambda claim: claim.when)


def _claims(
    connection: Connection,
    items: Sequence[int],
    replaced: Mapping[int, Replaced],
    as_of: date | None,
    today: date | None,
    memo: Derived,
) -> dict[int, list[Successor]]:
    """Item → why it holds no longer; items that hold are left out."""
    lines = _lines(connection, items)
    claims: defaultdict[int, list[Successor]] = defaultdict(list)
    for item in filter(replaced.__contains__, items):
        newer, is_whole, by = replaced[item]
        if by:
            claims[item].append(Successor(by.when, by.item, by.id, by.begins, is_asked=True))
        if is_whole:
            mine, last = max(newer, key=lambda pair: pair[1].when)
            values = " ".join(mine.values)
            claims[item].append(Successor(last.when, last.item, last.id, last.begins, values))
    for item, claim in _endings(connection, list(lines.values()), as_of, today, memo):
        claims[item].append(claim)
    _apply_rulings(connection, lines, claims, as_of, today)
    return {item: found for item, found in claims.items() if found}


def _lines(connection: Connection, items: Sequence[int]) -> dict[int, _Line]:
    """Those of the items that a newer line or a ruling may end."""
    rows = select(
        connection,
        "SELECT i.item, i.id, i.kind, i.content, i.recorded, i.file, i.start_line,"
        f" {TRUST.format('i')}, m.entity, m.name FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value"
        " LEFT JOIN mentions m ON m.item = i.item AND m.subject = 1"
        " WHERE i.kind IN ('world', 'observation')"
        " OR (i.kind <> 'note' AND i.id IN (SELECT older FROM line_rulings))",
        (json.dumps(list(items)),),
    )
    found: dict[int, _Line] = {}
    for item, id_, kind, content, recorded, file, line, trust, entity, name in rows:
        known = found.get(item)
        entities = (*(known.entities if known else ()), *([entity] if entity else ()))
        names = (known.names if known else frozenset()) | frozenset(words(name or ""))
        when = When(recorded or "", file, line)
        found[item] = _Line(item, id_, kind, content, when, trust, entities, names)
    return found


def _endings(
    connection: Connection,
    lines: Sequence[_Line],
    as_of: date | None,
    today: date | None,
    memo: Derived,
) -> Iterable[tuple[int, Successor]]:
    """What newer lines about the same entity say is over, beyond doubt."""
    stating = [line for line in lines if line.kind in _STATES and line.entities and line.when.day]
    by_entity: dict[str, Mapping[str, Sequence[_Ended]]] = memo(("changes", as_of))
    asked = {e for line in stating for e in line.entities}
    missing = asked - by_entity.keys()
    if missing:
        found = _certain_changes(connection, missing, as_of)
        by_entity |= {entity: found.get(entity, {}) for entity in missing}
    if not any(by_entity[entity] for entity in asked):
        return
    from lorebank.supersede.endings import beginnings, ends, may_end, read_stated

    last_day = today.isoformat() if today else "9999-99-99"
    for line in stating:
        begun = beginnings(line.content)
        for entity in line.entities:
            told = by_entity[entity]
            near = {ended[0].item: ended for word in begun & told.keys() for ended in told[word]}
            for _, (claim, change, trust, said) in sorted(near.items(), key=itemgetter(0)):
                is_asked = trust < line.trust
                if not claim.when.is_after(line.when) or (is_asked and trust < AGENTS_TRUST):
                    continue
                if claim.since > last_day:
                    continue  # announced, and not yet so
                stated = read_stated(line.content, line.names)
                if not may_end(change, begun) or not ends(change, stated):
                    continue
                meant = _meant(connection, entity, claim, change, as_of, memo)
                if meant > _MOST_MEANT:
                    continue
                is_asked = is_asked or meant > 1
                yield line.item, claim._replace(part=_part(line, said), is_asked=is_asked)


def _meant(
    connection: Connection,
    entity: str,
    claim: Successor,
    change: Change,
    as_of: date | None,
    memo: Derived,
) -> int:
    """How many different statements about an entity a newer line may speak of: it ends one. Those
    of a state that it ends are one, in whatever words."""
    known: dict[tuple[str, int], int] = memo(("meant", as_of))
    if (entity, claim.item) not in known:
        from lorebank.supersede.endings import ends, ends_state, may_end, read_stated

        lines = memo(("stating", as_of))
        if entity not in lines:
            lines[entity] = _stating(connection, entity)
        found = {
            frozenset() if ends_state(change, stated) else frozenset(stated.words)
            for when, content, names, begun in lines[entity]
            if claim.when.is_after(when) and may_end(change, begun)
            if ends(change, stated := read_stated(content, names))
        }
        known[entity, claim.item] = len(found)
    return known[entity, claim.item]


def _stating(
    connection: Connection, entity: str
) -> list[tuple[When, str, frozenset[str], frozenset[str]]]:
    """The lines about an entity that may be ended, with its names and the beginnings of words."""
    from lorebank.supersede.endings import beginnings

    rows = select(
        connection,
        "SELECT i.recorded, i.file, i.start_line, i.content, (SELECT group_concat(n.name, ' ')"
        "  FROM mentions n WHERE n.item = i.item AND n.subject = 1) FROM mentions m"
        " JOIN items i ON i.item = m.item WHERE m.entity = ? AND m.subject = 1"
        " AND i.kind IN ('world', 'observation') AND i.recorded IS NOT NULL AND i.quarantined = 0",
        (entity,),
    )
    return [
        (When(day, file, place), content, frozenset(words(names)), beginnings(content))
        for day, file, place, content, names in rows
    ]


def _certain_changes(
    connection: Connection, entities: Collection[str], as_of: date | None
) -> dict[str, dict[str, list[_Ended]]]:
    """Entity → how a word begins → the lines that say so."""
    from lorebank.supersede.endings import beginnings_ended, read_change, tokens

    found: defaultdict[str, dict[str, list[_Ended]]] = defaultdict(dict)
    rows = select(
        connection,
        # From the changes, which are few, and not from all lines about the entities.
        "SELECT m.entity, i.content, i.item, i.id, i.recorded, i.file, i.start_line,"
        f" coalesce(i.occurred_start, ''), {TRUST.format('i')}, (SELECT group_concat(n.name, ' ')"
        "  FROM mentions n WHERE n.item = i.item AND n.subject = 1) FROM changes c"
        " CROSS JOIN mentions m ON m.item = c.item AND m.subject = 1"
        "  AND m.entity IN (SELECT value FROM json_each(?1))"
        " JOIN items i ON i.item = c.item"
        " WHERE i.recorded IS NOT NULL AND (?2 IS NULL OR i.recorded <= ?2)",
        (json.dumps(sorted(entities)), iso(as_of)),
    )
    for entity, content, item, id_, recorded, file, line, occurred, trust, names in rows:
        change = read_change(content, frozenset(tokens(names)))
        since = max(recorded, occurred) if change.is_announced else recorded
        claim = Successor(When(recorded, file, line), item, id_, since)
        for word in beginnings_ended(change):
            found[entity].setdefault(word, []).append((claim, change, trust, content))
    return found


def _apply_rulings(
    connection: Connection,
    lines: Mapping[int, _Line],
    claims: defaultdict[int, list[Successor]],
    as_of: date | None,
    today: date | None,
) -> None:
    """Let rulings add claims, and take away those that were read out of the two lines.

    A line that holds from a coming day on (`from 1 December`) replaces no other before; one that
    speaks of one thing of a list (`clause_meant`) leaves the others standing.
    """
    of_id = defaultdict(list)
    for line in lines.values():
        of_id[line.id].append(line)
    rows = select(
        connection,
        "SELECT r.older, r.newer, i.item, r.relation, i.recorded, i.file, i.start_line, i.content,"
        " CASE WHEN i.occurred_end IS NULL THEN i.occurred_start END,"  # from 1 December
        f" CASE WHEN r.by = ?3 THEN {TRUST.format('i')} END"
        " FROM json_each(?1) w CROSS JOIN line_rulings r ON r.older = w.value"
        " JOIN items i ON i.id = r.newer"
        " WHERE (?2 IS NULL OR ((r.day IS NULL OR r.day <= ?2) AND i.recorded <= ?2))"
        " AND i.quarantined = 0"
        # Where the same two are ruled on the other way round, the later ruling holds.
        " AND NOT EXISTS (SELECT 1 FROM line_rulings x WHERE x.older = r.newer"
        "  AND x.newer = r.older AND x.by <> ?3 AND (?2 IS NULL OR x.day IS NULL OR x.day <= ?2)"
        "  AND (r.by = ?3 OR"
        "   CASE WHEN x.day <> r.day THEN x.day > r.day ELSE x.line > r.line END))"
        f" {_LAST_HOLDS}",
        (json.dumps(sorted(of_id)), iso(as_of), WRITER),
    )
    last_day = today.isoformat() if today else "9999-99-99"
    last: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for row in rows:
        last.pop(row[:3], None)
        last[row[:3]] = row[3:]
    for (older, newer, item), row in last.items():
        relation, recorded, file, place, said, begins, trust = row
        for line in of_id[older]:
            kept = [claim for claim in claims[line.item] if claim.id != newer]
            if relation == Relation.REPLACES.value:
                since = max(recorded or "", begins or "")
                if since <= last_day:
                    when = When(recorded or "", file, place)
                    is_asked = trust is not None and trust < line.trust
                    kept.append(
                        Successor(
                            when, item, newer, since, part=_part(line, said), is_asked=is_asked
                        )
                    )
            elif relation == Relation.SAME.value and recorded:
                # Said again: what ended it before that day ends it no longer.
                when = When(recorded, file, place)
                kept = [claim for claim in kept if not when.is_after(claim.when)]
            claims[line.item] = kept


def _part(line: _Line, newer: str) -> str:
    return fold(clause_meant(line.content, newer, line.names))
