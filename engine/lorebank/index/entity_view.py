"""All that is known of one entity, and the sentence that says what each one is.

A line defines a name that stands before its first colon, comma or bracket (`- Nerea, daughter,
nine.`), the first paragraph below a heading, or of a note, defines what that is named after, and a
sentence of the core memory the name it begins with. Nothing is made up: an entity that no such line
defines has no description.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import Any

from lorebank.database.connection import Connection, select
from lorebank.dates.phrases import find_phrases
from lorebank.domain.answers import EntityView, NamedIn, OpenQuestion, Property
from lorebank.domain.facts import (
    LONGEST_FACT,
    Citation,
    Entity,
    Interval,
    Opinion,
    OpinionStatus,
    Stance,
)
from lorebank.index.finding import TRUSTED
from lorebank.index.items import facts_by_time, load_facts, stored_day
from lorebank.index.slots import DATED, replaced_values
from lorebank.index.succession import mark_superseded, successors
from lorebank.language.folding import fold, slugify, strip_possessive
from lorebank.language.statements import sentences
from lorebank.language.words import content_words, estimate_tokens
from lorebank.markdown.mentions import AND_WORDS
from lorebank.markdown.plain import plain_text
from lorebank.names.entities import display_names, neighbours, proposals
from lorebank.names.lexicon import words_of
from lorebank.records import Record
from lorebank.supersede.slots import same_value

_HEAD = re.compile(r"\A[\s>*+-]*(?P<head>[^:,;.–—(]{1,60})(?P<rest>[:,(–—].*)\Z", re.DOTALL)
_LONGEST_NAME = 4  # words of a name that a sentence begins with
_ANY_DAY = date(2000, 1, 1)
_AND = re.compile(rf"\s+(?:{'|'.join(AND_WORDS)}|at|&)\s+|\s*/\s*")
"""`at` is Filipino: between mentions it would be English."""
_BRACKETS = re.compile(r"\s*\([^()]*\)")


class Description(Record):
    """A sentence that says what an entity is, and where it stands."""

    text: str
    source: Citation
    is_sure: bool = True
    """Whether its form and place say that it defines; not so behind a colon in a note, where any
    property may stand, or where a sentence of the core memory merely begins with the name."""


def descriptions(connection: Connection) -> dict[str, Description]:
    """Slug → the sentence that defines the entity, of those that one defines.

    Only files without a day are read: what they say is meant to last.
    """
    names = dict(select(connection, "SELECT slug, entity FROM aliases"))
    names |= {slug: slug for (slug,) in select(connection, "SELECT slug FROM entities")}
    found: dict[str, Description] = {}
    named_first: dict[str, Description] = {}
    rows = select(
        connection,
        "SELECT f.path, f.title, f.role, i.start_line, i.end_line, i.heading, i.content"
        f" FROM items i JOIN files f ON f.file = i.file WHERE {TRUSTED} AND i.kind = 'note'"
        " AND f.role IN ('core', 'note', 'extra') AND f.recorded IS NULL"
        " ORDER BY f.role, f.path, i.start_line",
    )
    headed: set[tuple[str, str]] = set()
    for path, title, role, first, last, heading, text in rows:
        # Notes read in place are about what they are named after, whatever their lines begin with.
        head = None if role == "extra" else _HEAD.match(_BRACKETS.sub("", text))
        defined = _names_of(head["head"], names) if head else []
        if head and defined and not _says_more(head["rest"]):
            continue
        if (path, heading) not in headed and not defined:
            section = heading.rpartition(" > ")[2] or title
            defined = [slug for slug in [names.get(slugify(section))] if slug]
        headed.add((path, heading))
        place, said = Citation(path, first, last), _sentences(text)
        is_sure = role == "core" or not (head and head["rest"].startswith(":"))
        for slug in defined:
            found.setdefault(slug, Description(said[0], place, is_sure))
        for sentence in said if role == "core" else ():
            if subject := _named_first(sentence, names):
                named_first.setdefault(subject, Description(sentence, place, is_sure=False))
    return named_first | found


_NEWEST = 5


def notes_naming(connection: Connection, until: date | None) -> dict[str, tuple[NamedIn, ...]]:
    """Slug → the owner's newest sentences of prose that name the entity, each once, of what was
    written by the end of the day `until`; of those about whom no log has a typed line, which would
    say what matters."""
    untyped = (
        " AND p.entity NOT IN (SELECT m.entity FROM mentions m JOIN items t ON t.item = m.item"
        " WHERE t.kind <> 'note' AND t.recorded IS NOT NULL)"
    )
    rows = _log_notes(connection, until, "DESC", 2 * _NEWEST, untyped)
    found: dict[str, dict[str, NamedIn]] = {}
    for entity, slug, content, source, day in rows:
        named = f"-{slug}-"
        said = (s for s in _sentences(plain_text(content)) if named in f"-{slugify(s)}-")
        for sentence in (s for s in said if len(s) <= LONGEST_FACT):
            note = NamedIn(sentence, source, date.fromisoformat(day))
            found.setdefault(entity, {}).setdefault(fold(sentence), note)
    return {entity: tuple(notes.values())[:_NEWEST] for entity, notes in found.items()}


def first_sentences_naming(
    connection: Connection, until: date | None, most: int
) -> Iterator[tuple[str, str, Citation]]:
    """Slug, sentence and place: the sentences of the first `most` notes of the owner's logs that
    name each entity."""
    for entity, _, content, source, _ in _log_notes(connection, until, "ASC", most):
        for sentence in sentences(plain_text(" ".join(content.split()).lstrip("-*+> "))):
            if len(sentence) <= LONGEST_FACT:
                yield entity, sentence, source


def _log_notes(
    connection: Connection, until: date | None, direction: str, most: int, also: str = ""
) -> Iterator[tuple[str, str, str, Citation, str]]:
    """Entity, the name as it stands there, text, place and day of the first or last notes of the
    owner's logs that name each entity; `also` is one more condition."""
    rows = select(
        connection,
        "SELECT entity, slug, content, path, start_line, end_line, recorded FROM ("
        " SELECT p.entity, p.slug, i.content, f.path, i.start_line, i.end_line, i.recorded,"
        " row_number() OVER (PARTITION BY p.entity"
        f" ORDER BY i.recorded {direction}, f.path, i.start_line) AS place"
        " FROM plain_mentions p JOIN items i ON i.item = p.item JOIN files f ON f.file = i.file"
        f" WHERE {TRUSTED} AND i.kind = 'note' AND i.origin = 'owner' AND f.role = 'log'{also}"
        " AND (?1 IS NULL OR i.recorded <= ?1)) WHERE place <= ?2 ORDER BY entity, place",
        (until, most),
    )
    for entity, slug, content, path, first, last, day in rows:
        yield entity, slug, content, Citation(path, first, last), day


def _says_more(rest: str) -> bool:
    """Whether what stands behind a name is more than a day: `Tomasz: 30 July` is a birthday."""
    for phrase in reversed(find_phrases(rest, _ANY_DAY)):
        rest = rest[: phrase.start] + rest[phrase.end :]
    return bool(content_words(rest))


def _named_first(text: str, names: dict[str, str]) -> str | None:
    """The entity that a sentence begins with, by the longest name: `The Skerry is a cutter`."""
    words = text.split()
    if words and fold(words[0]) in words_of("articles"):
        del words[0]
    for last in range(min(len(words), _LONGEST_NAME), 0, -1):
        name = " ".join(words[:last])
        if name[-1].isalnum() and (slug := names.get(slugify(name))):
            return slug
    return None


def _names_of(head: str, names: dict[str, str]) -> list[str]:
    """The entities that the beginning of a line names: all of `Inês and Caspar`."""
    parts = [slugify(strip_possessive(part.strip(" *_[]@\"'`"))) for part in _AND.split(head)]
    found = [names.get(part) or names.get(part.split("-")[0]) for part in parts if part]
    return [slug for slug in found if slug is not None]


def _sentences(text: str) -> list[str]:
    return sentences(" ".join(text.split()).lstrip("-*+> ")) or [""]


_NEIGHBOURS = 12
_NAMED_IN = 20  # what a screen holds; the text shows fewer
_DISPUTED = 0.15  # an opinion with evidence both ways is open this near to one half; chosen by hand
_BOTH = {Stance.FOR, Stance.AGAINST}
_SHOWN: dict[str, Callable[[Any], Sequence[Any]]] = {
    "screen": lambda line: [line],
    "opinions": lambda o: [o.statement, o.source, "confidence 0.00"],
    "questions": lambda q: [q.text, *q.sources],
    "neighbours": lambda n: [n.entity.name, n.why, n.source],
    "facts": lambda f: [f.content, f.citation, "2025-01-01"],
    "named_in": lambda n: [n.content, n.source],
    "properties": lambda p: [p.relation, p.fact.content, p.fact.citation],
}
"""What is cut to a budget, what matters most first, and the texts that an entry shows; each
list is taken from its beginning until one entry is too dear."""


def entity_view(
    connection: Connection,
    entity: Entity,
    *,
    opinions: Sequence[Opinion],
    screen: Sequence[str],
    today: date,
    interval: Interval | None = None,
    token_budget: int | None = None,
) -> EntityView:
    """Put an entity's answer together, as things stand `today`.

    With a budget, what is current comes first: the screen, opinions, open questions, neighbours,
    then the timeline from its newest fact on, then lines that only name it.
    """
    facts = facts_by_time(connection, entity=entity.slug, interval=interval)
    properties, clashes = _properties(connection, entity, today)
    view = EntityView(
        entity=entity,
        facts=mark_superseded(connection, facts, today=today),
        opinions=tuple(opinions),
        neighbours=neighbours(connection, entity.slug, _NEIGHBOURS),
        properties=properties,
        named_in=_named_in(connection, entity, interval),
        questions=(*clashes, *_disputed(opinions), *_perhaps_same(connection, entity)),
        screen=tuple(screen),
    )
    return _within(view, token_budget)


def _properties(
    connection: Connection, entity: Entity, today: date
) -> tuple[tuple[Property, ...], list[OpenQuestion]]:
    """What holds now, by relation, and where two facts that hold contradict each other."""
    rows = select(
        connection,
        "SELECT s.item, s.about, s.relation, s.value FROM aliases a"
        " JOIN slots s ON s.subject = a.slug JOIN items i ON i.item = s.item"
        f" WHERE a.entity = ? AND s.since <= ? AND {TRUSTED}"
        " ORDER BY s.relation, s.about, s.item DESC, s.value",
        (entity.slug, today),
    )
    items = dict.fromkeys(item for item, *_ in rows)
    current = items.keys() - successors(connection, items, today=today).keys()
    facts = {item: fact for item in current for fact in load_facts(connection, [item])}
    lapsed = {
        (item, value)
        for item, (newer, _, _) in replaced_values(connection, current, None, today).items()
        for mine, _ in newer
        for value in mine.values
    }
    stated: dict[tuple[str, str], dict[int, tuple[Property, str]]] = {}
    for item, about, relation, value in rows:
        if item in facts and (item, value) not in lapsed:
            entry = Property(relation, about, facts[item]), value
            stated.setdefault((relation, about), {}).setdefault(item, entry)
    clashes = [
        OpenQuestion(
            "contradiction",
            f"{one.relation}: “{one.fact.content}” or “{other.fact.content}”?",
            (one.fact.citation, other.fact.citation),
        )
        for (relation, _), entries in stated.items()
        for (one, mine), (other, theirs) in combinations(entries.values(), 2)
        if relation != DATED and not same_value(mine, theirs)
    ]
    return tuple(entry for held in stated.values() for entry, _ in held.values()), clashes


def _named_in(
    connection: Connection, entity: Entity, interval: Interval | None
) -> tuple[NamedIn, ...]:
    """The newest lines that name it unmarked."""
    start, end = (interval.start, interval.end) if interval else (None, None)
    rows = select(
        connection,
        "SELECT i.content, f.path, i.start_line,"
        " i.end_line, i.recorded FROM plain_mentions p JOIN items i ON i.item = p.item"
        " JOIN files f ON f.file = i.file WHERE p.entity = ?1"
        " AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.item = p.item AND m.entity = ?1)"
        " AND (?2 IS NULL OR p.day >= ?2) AND (?3 IS NULL OR (p.day <> '' AND p.day <= ?3))"
        " GROUP BY p.item ORDER BY p.day DESC, f.path, i.start_line LIMIT ?4",
        (entity.slug, start, end, _NAMED_IN),
    )
    return tuple(
        NamedIn(" ".join(content.split()), Citation(path, first, last), stored_day(day))
        for content, path, first, last, day in rows
    )


def _disputed(opinions: Iterable[Opinion]) -> list[OpenQuestion]:
    found: list[OpenQuestion] = []
    for opinion in opinions:
        newest = {evidence.stance: evidence.source for evidence in opinion.evidence}
        is_open = abs(opinion.confidence - 0.5) <= _DISPUTED
        if is_open and opinion.status is OpinionStatus.LIVE and newest.keys() >= _BOTH:
            text = f"{opinion.statement} (confidence {opinion.confidence:.2f})"
            places = (newest[Stance.FOR], newest[Stance.AGAINST])
            found.append(OpenQuestion("disputed", text, places))
    return found


def _perhaps_same(connection: Connection, entity: Entity) -> list[OpenQuestion]:
    pairs = proposals(connection, entity.slug)
    others = {pair: next(slug for slug in pair[:2] if slug != entity.slug) for pair in pairs}
    names = display_names(connection, others.values())
    return [
        OpenQuestion("identity", f"the same as {names.get(other, other)}? ({pair[2]})", ())
        for pair, other in others.items()
    ]


def _within(view: EntityView, budget: int | None) -> EntityView:
    """The view with as much as fits, in the order of what matters most."""
    about = " ".join([view.entity.name, *view.entity.aliases, view.entity.page or ""])
    spent, kept, left_out = estimate_tokens(about), {}, False
    for name, shown in _SHOWN.items():
        entries = kept[name] = getattr(view, name)
        for place, entry in enumerate(entries):
            cost = estimate_tokens(" ".join(map(str, shown(entry))))
            if budget is not None and spent + cost > budget:
                kept[name], left_out = entries[:place], True
                break
            spent += cost
    return replace(view, **kept, tokens=spent, truncated=left_out)
