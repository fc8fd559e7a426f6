"""Materialising beliefs: a cache of `forming.form` in the index, rewritten for the holders whose
facts changed. For another day than the last (`as_of`) the fold is recomputed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.beliefs.fold import fade
from lorebank.beliefs.outcome import trend_of
from lorebank.database.connection import Connection, read_meta, transaction, write_meta
from lorebank.domain.facts import Fact, Opinion, OpinionStatus
from lorebank.index import opinions as stored
from lorebank.index.items import all_facts, facts_by_entity, facts_by_id, facts_of_ids, marked_facts
from lorebank.index.opinions import UnsureRow
from lorebank.index.sync import OPINIONS_DUE
from lorebank.settings.tables import ReflectSettings

if TYPE_CHECKING:
    from lorebank.beliefs.forming import Formation, Verdict
    from lorebank.beliefs.relation import UnsurePair
    from lorebank.index.vectors import VectorsOf
    from lorebank.markdown.opinion_page import OpinionEntry

_WAITING = "vectors_waiting"  # holders of texts whose vectors are not known yet, as JSON


def refresh_opinions(
    connection: Connection,
    root: Path,
    holders: Iterable[str] | None,
    settings: ReflectSettings,
    vectors_of: VectorsOf | None = None,
) -> None:
    """Form the opinions of these holders (of all, where `None`) again and store them.

    With them those of holders about whom a person decided otherwise since the last time.
    `vectors_of` gives how near texts are in meaning; without it words decide alone.
    """
    # A recall that reads what is stored needs none of these.
    from lorebank.beliefs.by_hand import holders_decided, read_verdicts, store_decisions

    if stored.stance_model_changed(connection, has_vectors=vectors_of is not None):
        holders = None
    verdicts = read_verdicts(root)
    decided = None if holders is None else holders_decided(connection, root)
    wanted = (
        None
        if holders is None or decided is None
        else sorted({*holders, *decided, *_across(connection, verdicts)})
    )
    if wanted == []:
        with transaction(connection):
            write_meta(connection, OPINIONS_DUE, "0")
        return
    judged = {verdict.fact_id for verdict in verdicts}
    facts = all_facts(connection) if wanted is None else _facts_of(connection, wanted, judged)
    formed = form_now(facts, root, settings, vectors_of, holders=wanted)
    opinions = _with_slugs(formed.opinions, facts)
    by_holder: dict[str, tuple[list[Opinion], list[UnsureRow]]] = {}
    for opinion in opinions:
        by_holder.setdefault(formed.holders[opinion.id], ([], []))[0].append(opinion)
    for row in _rows_of(formed.unsure, opinions):
        by_holder[formed.holders[row.opinion]][1].append(row)
    with transaction(connection):
        stored.delete_opinions(connection, wanted)
        for holder, (own, unsure) in by_holder.items():
            stored.insert_opinions(connection, holder, own)
            stored.insert_unsure(connection, holder, unsure)
        store_decisions(connection, root)
        write_meta(connection, OPINIONS_DUE, "0")
        way = stored.WORDS_ALONE if vectors_of is None else stored.WITH_VECTORS
        same = wanted is None or stored.formed_by(connection) == way
        write_meta(connection, stored.JUDGED_BY, way if same else stored.PARTLY)
        others = set() if wanted is None else _waiting(connection) - set(wanted)
        write_meta(connection, _WAITING, json.dumps(sorted(others | formed.waiting)))


def _waiting(connection: Connection) -> set[str]:
    """Holders whose opinions were formed without some vectors."""
    return set(json.loads(read_meta(connection, _WAITING) or "[]"))


def reform_pending(
    connection: Connection,
    root: Path,
    settings: ReflectSettings,
    vectors_of: VectorsOf,
    embed: Callable[[Sequence[str]], int],
) -> int:
    """Embed the texts whose vectors are not known yet, and form their holders' opinions again;
    those of all holders where some were formed before there was an embedder. Returns how many texts
    have one."""
    every = stored.formed_by(connection) != stored.WITH_VECTORS
    waiting = sorted(_waiting(connection))
    if not (waiting or every):
        return 0
    from lorebank.beliefs.by_hand import overrides_of, read_entries
    from lorebank.beliefs.forming import facts_by_holder, texts_compared

    by_hand = {override.id: override for override in overrides_of(read_entries(root))}
    facts = all_facts(connection) if every else _facts_of(connection, waiting, ())
    groups = facts_by_holder(facts)
    holders = groups if every else waiting
    texts = {t for h in holders for t in texts_compared(groups.get(h, ()), by_hand, h)}
    embedded = embed(sorted(texts))
    if embedded or every:
        refresh_opinions(connection, root, None if every else waiting, settings, vectors_of)
    return embedded


def form_now(
    facts: Sequence[Fact],
    root: Path,
    settings: ReflectSettings,
    vectors_of: VectorsOf | None = None,
    *,
    holders: Sequence[str] | None = None,
    as_of: date | None = None,
    entries: Sequence[OpinionEntry] | None = None,
) -> Formation:
    """Opinions formed under what a person decided on `bank/opinions.md` and `bank/evidence.md`.

    `entries` stands in for those of the page.
    """
    from lorebank.beliefs.by_hand import overrides_of, read_entries, read_verdicts
    from lorebank.beliefs.forming import form
    from lorebank.beliefs.relation import Nearness

    return form(
        facts,
        holders=holders,
        verdicts=read_verdicts(root, as_of=as_of),
        overrides=overrides_of(read_entries(root) if entries is None else entries, as_of=as_of),
        as_of=as_of,
        prior=settings.prior,
        nearness=None if vectors_of is None else Nearness(vectors_of),
    )


def opinions_as_of(
    connection: Connection,
    root: Path,
    entity: str | None,
    day: date,
    settings: ReflectSettings,
    vectors_of: VectorsOf | None = None,
) -> tuple[Opinion, ...]:
    """What was believed on a day: opinions with slugs for entities, the surest first."""
    found, pairs = formed_under(connection, root, settings, vectors_of, as_of=day)
    order = {fact.id: fact.oldest_first for fact in all_facts(connection)}
    newer = stored.newer_unjudged(found, pairs, order)
    return tuple(
        replace(opinion, not_judged=len(newer.get(opinion.id, ())))
        for opinion in found
        if entity is None or entity in opinion.entities
    )


def formed_under(
    connection: Connection,
    root: Path,
    settings: ReflectSettings,
    vectors_of: VectorsOf | None = None,
    *,
    as_of: date | None = None,
    entries: Sequence[OpinionEntry] | None = None,
) -> tuple[tuple[Opinion, ...], tuple[UnsureRow, ...]]:
    """Opinions as by `form_now`, the surest first, and the pairs nobody has judged."""
    facts = all_facts(connection)
    formed = form_now(facts, root, settings, vectors_of, as_of=as_of, entries=entries)
    ranked = sorted(_with_slugs(formed.opinions, facts), key=lambda o: (-o.confidence, o.id))
    return tuple(ranked), _rows_of(formed.unsure, ranked)


def unsure_pairs(
    connection: Connection, fact: str | None = None
) -> Iterator[tuple[UnsureRow, Fact, Opinion]]:
    """The pairs that nobody has judged, the best first; of one fact only, where its id is given."""
    rows = stored.load_unsure(connection, fact=fact)
    ids = sorted({row.opinion for row in rows})
    opinions = {opinion.id: opinion for opinion in stored.load_opinions(connection, ids=ids)}
    facts = facts_of_ids(connection, {row.fact for row in rows})
    for row in rows:
        if row.fact in facts and opinions[row.opinion].evidence:
            yield row, facts[row.fact], opinions[row.opinion]


def beliefs_on(
    connection: Connection,
    root: Path,
    facts: Sequence[str],
    as_of: date,
    settings: ReflectSettings,
    vectors_of: VectorsOf | None = None,
) -> Mapping[str, Opinion]:
    """Fact id → the opinion it states, as believed on a day."""
    wanted = set(facts)
    found: dict[str, Opinion] = {}
    stated = facts_of_ids(connection, wanted).values()
    undated = {fact.citation: fact.id for fact in stated if fact.recorded is None}
    for opinion in opinions_as_of(connection, root, None, as_of, settings, vectors_of):
        for evidence in opinion.evidence:
            if evidence.fact_id in wanted and evidence.reason in ("stated", "restated"):
                found.setdefault(evidence.fact_id, opinion)
        if opinion.source in undated:
            found.setdefault(undated[opinion.source], opinion)
    return found


def for_display(opinion: Opinion, now: date, settings: ReflectSettings) -> Opinion:
    """The opinion as shown on a day: with its trend, and faded where the settings say so.

    A confidence pinned by hand does not fade.
    """
    shown = with_trend(opinion, now)
    half_life = settings.fade_half_life_days
    if not half_life or opinion.last_updated is None or opinion.pinned is not None:
        return shown
    days = (now - opinion.last_updated).days
    faded = fade(opinion.confidence, days=days, half_life_days=half_life, prior=settings.prior)
    return replace(shown, confidence=faded)


def with_trend(opinion: Opinion, now: date) -> Opinion:
    return replace(opinion, trend=trend_of(opinion.evidence, now=now))


def _across(connection: Connection, verdicts: Sequence[Verdict]) -> set[str]:
    """Holders with an opinion that a fact was judged to bear on without mentioning them."""
    holders = stored.holders_of_opinions(connection, {verdict.opinion_id for verdict in verdicts})
    return {
        holder
        for verdict in verdicts
        if (holder := holders.get(verdict.opinion_id)) is not None
        and not any(holder in f.slugs for f in facts_by_id(connection, verdict.fact_id))
    }


def _facts_of(
    connection: Connection, holders: Sequence[str], judged: Collection[str]
) -> tuple[Fact, ...]:
    """All facts that the opinions of these holders depend on."""
    found = {
        (str(fact.citation), fact.id): fact
        for fact in (
            *facts_by_entity(connection, holders),
            *marked_facts(connection),
            *(
                fact
                for each in sorted(judged)
                for fact in facts_by_id(connection, each)
                if not fact.quarantined
            ),
        )
    }
    return tuple(found.values())


def _with_slugs(opinions: Iterable[Opinion], facts: Iterable[Fact]) -> list[Opinion]:
    slugs = {mention.name: mention.slug for fact in facts for mention in fact.mentions}
    return [replace(o, entities=tuple(slugs[name] for name in o.entities)) for o in opinions]


_WEIGHTS = {OpinionStatus.LIVE: 1.0, OpinionStatus.SUPERSEDED: 0.5}
"""Of an opinion that another replaced pairs count half: a judge may still say since when."""


def _rows_of(pairs: Iterable[UnsurePair], opinions: Iterable[Opinion]) -> tuple[UnsureRow, ...]:
    """The pairs as they are stored, without those of opinions that a person took back."""
    weights = {o.id: _WEIGHTS.get(o.status, 0.0) for o in opinions}
    return tuple(
        UnsureRow(pair.opinion_id, pair.fact.id, round(pair.score * weight, 3), pair.reason)
        for pair in pairs
        if (weight := weights.get(pair.opinion_id, 0.0))
    )
