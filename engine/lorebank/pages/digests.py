"""The pages of the whole bank: index, today, world, experience.

Each says what stands nowhere else and links to the rest: what is about an entity with a page is
told there. An empty body means that there is nothing to tell, and no page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby

from lorebank.domain import (
    AgendaItem,
    Entity,
    Evidence,
    Fact,
    FactKind,
    Opinion,
    OpinionStatus,
)
from lorebank.index.entity_view import Description
from lorebank.language.folding import fold
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.pages.agenda import AGENDA_DAYS
from lorebank.pages.telling import (
    KnownFact,
    Link,
    Threads,
    distinct,
    is_current,
    newest_first,
    sentence_line,
    span,
    when_told,
)
from lorebank.records import Record

EXPERIENCE_PATH = "bank/experience.md"
INDEX_PATH = "bank/index.md"
TODAY_PATH = "bank/today.md"
WORLD_PATH = "bank/world.md"
_LONG = 300
"""Lines that a page of the whole bank holds at most: as many as somebody scrolls through."""
_NEW, _CHANGED, _DUE = 5, 4, 8
"""How many lines of today's page each of its parts may take; with headings they come to 20."""


class Digests(Record):
    """What the pages of the whole bank are made from."""

    today: date
    newest: date | None
    """The last day that anything was recorded on."""
    facts: Sequence[KnownFact]
    opinions: Sequence[Opinion]
    entities: Mapping[str, Entity]
    with_page: frozenset[str]
    descriptions: Mapping[str, Description]
    coming: Sequence[AgendaItem]
    waiting: int
    threads: Threads
    link: Link

    def body(self, path: str) -> str:
        """The body of the page's one block."""
        bodies: dict[str, Callable[[Digests], str]] = {
            EXPERIENCE_PATH: _experience,
            INDEX_PATH: _index,
            TODAY_PATH: _today,
            WORLD_PATH: _world,
        }
        return bodies[path](self)


def _index(bank: Digests) -> str:
    """Everything there is by name: with a page and its sentence first, then what has one line."""
    paged = [e for slug, e in bank.entities.items() if slug in bank.with_page]
    # By weight in powers of two: one line more seldom moves an entry.
    lines = [
        f"- {bank.link(e.name)}{_sentence(bank, e.slug)}"
        for e in sorted(paged, key=lambda e: (-e.facts.bit_length(), e.name))
    ]
    single = sorted(_single_lines(bank), key=lambda pair: pair[0])
    rows = [f"- {escape_inline(name)}: {_bare(known, INDEX_PATH)}" for name, known in single]
    parts = [_cut(lines), "\n".join(["## Named once", "", _cut(rows)]) if rows else ""]
    return "\n\n".join(part for part in parts if part)


def _sentence(bank: Digests, slug: str) -> str:
    """The sentence that the owner has on it; without a place, which the entity's page has."""
    found = bank.descriptions.get(slug)
    return f" · {escape_inline(found.text)}" if found else ""


def _single_lines(bank: Digests) -> Iterator[tuple[str, KnownFact]]:
    """The lines whose entities all have no page: each once, by the first entity that it names."""
    for known in bank.facts:
        slugs = known.fact.slugs
        if slugs and not bank.with_page.intersection(slugs) and is_current(known):
            yield bank.entities[slugs[0]].name if slugs[0] in bank.entities else slugs[0], known


def _world(bank: Digests) -> str:
    """What is known about nobody in particular."""
    wanted = (FactKind.WORLD, FactKind.OBSERVATION)
    own = [
        known
        for known in _elsewhere(bank, WORLD_PATH)
        if known.fact.kind in wanted and not known.fact.slugs and is_current(known)
    ]
    lines = [sentence_line(known, WORLD_PATH) for known in distinct(sorted(own, key=newest_first))]
    return _cut(lines)


def _experience(bank: Digests) -> str:
    """What was done, month by month; what is told on an entity's page is linked to."""
    others = _elsewhere(bank, EXPERIENCE_PATH)
    own = (k for k in others if k.fact.kind is FactKind.EXPERIENCE and is_current(k))
    done = [_as_done(known) for known in own]
    parts = []
    for month, group in groupby(sorted(done, key=newest_first), key=_month):
        here, elsewhere = [], dict[str, int]()
        for known in distinct(list(group)):
            slug = next((s for s in known.fact.slugs if s in bank.with_page), None)
            if slug is None and not known.fact.slugs:
                here.append(f"- {when_told(known)} · {_cited(known, EXPERIENCE_PATH)}")
            elif slug is not None:
                elsewhere[slug] = elsewhere.get(slug, 0) + 1
        links = (f"{bank.link(bank.entities[s].name)} {n}" for s, n in elsewhere.items())
        told = "\n".join(here), ("With " + " · ".join(links)) if elsewhere else ""
        if any(told):
            parts.append("\n\n".join([f"### {month or 'Undated'}", *filter(None, told)]))
    return "\n\n".join(parts)


def _elsewhere(bank: Digests, page: str) -> list[KnownFact]:
    """The facts that the page does not hold by hand, in these words: it never repeats its own."""
    by_hand = [k for k in bank.facts if k.fact.citation.path == page]
    return distinct([*by_hand, *bank.facts])[len(distinct(by_hand)) :]


def _as_done(known: KnownFact) -> KnownFact:
    """What was booked or promised for a later day was done on the day of its log."""
    fact, occurred = known.fact, known.fact.occurred
    if occurred is None or fact.recorded is None:
        return known
    if occurred.start is not None and occurred.start <= fact.recorded:
        return known
    return replace(known, fact=replace(fact, occurred=None))


def _month(known: KnownFact) -> str:
    return known.day.isoformat()[:7] if known.day else ""


def _today(bank: Digests) -> str:
    """The morning page: what is new, who changed their mind, what is due, what waits."""
    due = [item for item in bank.coming if _is_near(item, bank.today)]
    parts = [
        _part(f"New on {bank.newest}", _news(bank), _NEW),
        _part("Changed their mind", _turns(bank), _CHANGED),
        _part("Due and coming up", [agenda_line(item, TODAY_PATH) for item in due], _DUE),
        f"{bank.waiting} decisions wait: `lorebank inbox`" if bank.waiting else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _is_near(item: AgendaItem, today: date) -> bool:
    day = (item.when.start or item.when.end) if item.when else None
    return item.overdue or (day is not None and (day - today).days <= AGENDA_DAYS)


def _news(bank: Digests) -> list[str]:
    """What the newest log says that holds, what is about to come left to its own part."""
    coming = {item.source for item in bank.coming}
    fresh = [
        known
        for known in bank.facts
        if known.fact.recorded == bank.newest
        and known.fact.kind in (FactKind.WORLD, FactKind.OBSERVATION)
        and known.fact.citation not in coming
        and is_current(known)
    ]
    return [f"- {_cited(known, TODAY_PATH)}" for known in fresh]


def _turns(bank: Digests) -> list[str]:
    """Opinions that the newest log changed: closed, or moved to the other side."""
    lines = []
    for opinion in bank.opinions:
        moved = [line for line in opinion.evidence if line.date == bank.newest]
        was = [c for day, c in opinion.history if bank.newest is None or day < bank.newest]
        if moved and was and (opinion.confidence < 0.5 <= was[-1] or _is_closed(opinion)):
            lines.append(_turn(opinion, moved[-1]))
    return lines


def _is_closed(opinion: Opinion) -> bool:
    return opinion.status is OpinionStatus.SUPERSEDED


def _turn(opinion: Opinion, line: Evidence) -> str:
    holder = f"{escape_inline(opinion.entities[0])}: " if opinion.entities else ""
    said, before = escape_inline(line.content), escape_inline(opinion.statement)
    return f"- {holder}{said} (until then: {before}; {citation_link(line.source, TODAY_PATH)})"


def agenda_line(item: AgendaItem, page: str) -> str:
    """An entry of the agenda as a page tells it: the day first, what is late marked so."""
    day = span(item.when) if item.when else "open"
    late = "**overdue** " if item.overdue else ""
    return f"- {late}{day} · {escape_inline(item.text)} ({citation_link(item.source, page)})"


def _part(title: str, lines: Sequence[str], most: int) -> str:
    if not lines:
        return ""
    shown = list(lines[:most])
    if len(lines) > most:
        shown[-1] = f"- and {len(lines) - most + 1} more"
    return "\n".join([f"**{title}**", *shown])


def _cited(known: KnownFact, page: str) -> str:
    said = _in_full(known.fact, known.text) + known.fact.origin.note
    return f"{said} ({citation_link(known.fact.citation, page)})"


def _bare(known: KnownFact, page: str) -> str:
    return sentence_line(known, page).removeprefix("- ")


def _in_full(fact: Fact, text: str) -> str:
    """The text, with what it is about before it where it does not say so."""
    about = next((mention.name for mention in fact.mentions if mention.subject), "")
    told = not about or text.startswith(("I ", "I'")) or fold(about) in fold(text)
    return escape_inline(text if told else f"{about}: {text}")


def _cut(lines: Sequence[str]) -> str:
    if len(lines) <= _LONG:
        return "\n".join(lines)
    return "\n".join([*lines[:_LONG], f"- and {len(lines) - _LONG} more"])
