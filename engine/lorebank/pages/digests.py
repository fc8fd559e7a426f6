"""The pages of the whole bank: index, today, world, experience.

Each says what stands nowhere else and links to the rest: what is about an entity with a page is
told there. An empty body means that there is nothing to tell, and no page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath

from lorebank.domain.answers import AgendaItem
from lorebank.domain.facts import Citation, Evidence, FactKind, FactStatus, Opinion, OpinionStatus
from lorebank.index.agenda import AGENDA_DAYS
from lorebank.language.folding import fold
from lorebank.markdown.facts import iso_days
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.pages.facts import BankContent, KnownFact, is_current
from lorebank.pages.telling import (
    Link,
    Threads,
    date_label,
    distinct,
    doubt,
    due,
    newest_first,
    on_days,
    resolved,
    sentence_line,
)

EXPERIENCE_PATH = "bank/experience.md"
ARCHIVE_FOLDER = "bank/experience"
"""A page a year."""
INDEX_PATH = "bank/index.md"
TODAY_PATH = "bank/today.md"
WORLD_PATH = "bank/world.md"
_LONG = 300
"""Lines that a page of the whole bank holds at most: as many as somebody scrolls through."""
_STATED = (FactKind.WORLD, FactKind.OBSERVATION)
_YEARS = 2
"""Calendar years that the page of experience holds: this one, and the last, which in January is
the one that matters."""
_LINES = 20
"""Lines of today's page, with the headings of its parts."""
_NEW, _CHANGED, _DOUBTFUL = 5, 4, 2
"""How many of them these parts may take; what is due takes all that are left."""
_NEWS_OF_ONE = 3
"""Lines of news below one that is kept by hand."""
_LATE = 3
"""Of what is overdue, this many lead: the last."""


@dataclass(eq=False)
class Digests:
    """What the pages of the whole bank are made from."""

    content: BankContent
    facts: Sequence[KnownFact]
    with_page: frozenset[str]
    link: Link

    @cached_property
    def said_once(self) -> Sequence[KnownFact]:
        return distinct(self.facts)

    @cached_property
    def done(self) -> Mapping[str, Sequence[KnownFact]]:
        """What was done, by the page that shows it; years that have a page of their own apart."""
        others = [_as_done(k) for k in _elsewhere(self, EXPERIENCE_PATH) if _is_done(k)]
        archives = _archives(others)
        pages: dict[str, list[KnownFact]] = {path: [] for path in archives}
        for known in others:
            home = _archive(known.day.year) if known.day else ""
            pages.setdefault(home if home in archives else EXPERIENCE_PATH, []).append(known)
        return pages


def digest_body(bank: Digests, path: str, threads: Callable[[], Threads]) -> str:
    """What a page holds; `threads`, of what is about nobody, are found where it asks for them."""
    if path == WORLD_PATH:
        return _world(bank, threads())
    bodies = {INDEX_PATH: _index, TODAY_PATH: _today}
    return bodies[path](bank) if path in bodies else _experience(bank, path)


def _index(bank: Digests) -> str:
    """Everything there is by name: with a page and its sentence first, then what has one line."""
    content = bank.content
    paged = [e for slug, e in content.entities.items() if slug in bank.with_page]
    lines = []
    # By weight in powers of two: one line more seldom moves an entry.
    for entity in sorted(paged, key=lambda e: (-e.facts.bit_length(), e.name)):
        found = content.descriptions.get(entity.slug)  # its place stands on the entity's page
        lines.append(
            f"- {bank.link(entity.name)}" + (f" · {escape_inline(found.text)}" if found else "")
        )
    single = []
    for known in bank.facts:  # each once, by the first entity that it names
        slugs = known.fact.slugs
        if slugs and not bank.with_page.intersection(slugs) and is_current(known):
            name = content.entities[slugs[0]].name if slugs[0] in content.entities else slugs[0]
            what = f"{escape_inline(name)}:"
            found = content.descriptions.get(slugs[0])
            if found and known.fact.content not in found.text:
                place = citation_link(found.source, INDEX_PATH)
                what = f"{escape_inline(found.text)} ({place}) ·"
            single.append((name, f"- {what} {sentence_line(known, INDEX_PATH)[2:]}"))
    rows = [line for _, line in sorted(single, key=itemgetter(0))]
    parts = [_cut(lines), "\n".join(["## Named once", "", _cut(rows)]) if rows else ""]
    return "\n\n".join(part for part in parts if part)


def _world(bank: Digests, threads: Threads) -> str:
    """What is known about nobody in particular."""
    own = [
        known
        for known in _elsewhere(bank, WORLD_PATH)
        if known.fact.kind in _STATED and not known.fact.slugs and is_current(known)
    ]
    by_id = {known.fact.id: known for known in own}
    habits = {known.fact.id: threads.restated_on_days(known, by_id) for known in own}
    folded = {k.fact.id for again in habits.values() for k in again[:-1]}
    lines = [
        sentence_line(known, WORLD_PATH, on_days(habits[known.fact.id]))
        for known in sorted(own, key=newest_first)
        if known.fact.id not in folded
    ]
    return _cut(lines)


def world_news(bank: Digests, threads: Callable[[str], Threads]) -> dict[str, str]:
    """Id of a fact that `world.md` keeps by hand → what newer notes say of it, in the form of such
    pages; `threads` of an entity, or of nobody ("")."""
    about: dict[str, list[KnownFact]] = defaultdict(list)
    for known in bank.facts:
        for slug in known.fact.slugs or ("",):
            about[slug].append(known)
    news = {}
    for own in (k for k in bank.facts if k.fact.citation.path == WORLD_PATH):
        slug = next(iter(own.fact.slugs), "")
        same = threads(slug).repeated
        said = same.get(own.fact.id, own.fact.id)
        noted = [own.fact.recorded, *(d for text in own.fact.details for d in iso_days(text))]
        last = max(filter(None, noted), default=date.min)
        again = [
            k
            for k in about[slug]
            if k.fact.citation.path != WORLD_PATH and (k.fact.recorded or date.min) > last
            if same.get(k.fact.id, k.fact.id) == said
        ]
        lines = [("Evidence", "Last reinforced", k.fact) for k in again]
        if own.newer is not None and own.newer.citation.path != WORLD_PATH:
            lines.append(("Contradicted", "Updated", own.newer))
        rows = [
            f"- {label}: {escape_inline(fact.content)}"
            f" ({fact.recorded}, {citation_link(fact.citation, WORLD_PATH)})"
            for label, _, fact in lines[-_NEWS_OF_ONE:]
        ]
        if rows:
            news[own.fact.id] = "\n".join([*rows, f"- {lines[-1][1]}: {lines[-1][2].recorded}"])
    return news


def archive_paths(facts: Sequence[KnownFact]) -> list[str]:
    return _archives([_as_done(known) for known in facts if _is_done(known)])


def _archives(done: Sequence[KnownFact]) -> list[str]:
    years = {known.day.year for known in done if known.day}
    return [_archive(year) for year in sorted(years) if year <= max(years) - _YEARS]


def _archive(year: int) -> str:
    return f"{ARCHIVE_FOLDER}/{year}.md"


def _experience(bank: Digests, path: str) -> str:
    """What was done, month by month: what names nobody and, of what stands on pages of entities,
    the newest of what names the most of these."""
    parts = []
    for month, group in groupby(
        sorted(bank.done.get(path, ()), key=newest_first),
        key=lambda k: k.day.isoformat()[:7] if k.day else "",
    ):
        done = list(group)
        pages = [len(bank.with_page.intersection(k.fact.slugs)) for k in done]
        weightiest = done[pages.index(max(pages))] if any(pages) else None
        told = [k for k in done if not k.fact.slugs or k is weightiest]
        lines = [f"- {date_label(k)} · {_cited(k, path)}" for k in told]
        parts += ["\n".join([f"### {month or 'Undated'}", "", *lines])] if lines else []
    archives = sorted(bank.done.keys() - {EXPERIENCE_PATH}, reverse=True)
    if archives and path == EXPERIENCE_PATH:
        years = (PurePosixPath(archive).stem for archive in archives)
        parts.append("Earlier: " + " · ".join(f"[{y}](experience/{y}.md)" for y in years))
    return "\n\n".join(parts)


def _elsewhere(bank: Digests, page: str) -> Sequence[KnownFact]:
    """The facts that the page does not hold by hand, in these words: it never repeats its own."""
    by_hand = [k for k in bank.facts if k.fact.citation.path == page]
    if not by_hand:
        return bank.said_once
    return distinct([*by_hand, *bank.facts])[len(distinct(by_hand)) :]


def _is_done(known: KnownFact) -> bool:
    return known.fact.kind is FactKind.EXPERIENCE and is_current(known)


def _as_done(known: KnownFact) -> KnownFact:
    """What was booked or promised for a later day was done on the day of its log."""
    fact, occurred = known.fact, known.fact.occurred
    if occurred is None or fact.recorded is None:
        return known
    if occurred.start is not None and occurred.start <= fact.recorded:
        return known
    return replace(known, fact=replace(fact, occurred=None))


def _today(bank: Digests) -> str:
    """The morning page: what is new, who changed their mind, what is due, what waits."""
    content = bank.content
    horizon = content.today + min(timedelta(days=AGENDA_DAYS), date.max - content.today)
    next_days: dict[tuple[Citation, str], AgendaItem] = {}
    for item in content.coming:  # a line of several days stands once, under the next of them
        next_days.setdefault((item.source, item.text), item)
    near = [
        item
        for item in next_days.values()
        if item.overdue or ((day := _day_of(item)) and day <= horizon)
    ]
    # An appointment that may be moved stands on its day until somebody says so.
    over = [item for item in near if item.doubt and (item.overdue or not item.perhaps_moved)]
    over.sort(key=lambda item: abs((_day_of(item) or content.today) - content.today))
    late = [item for item in near if item.overdue and item not in over]
    ahead = [item for item in near if not item.overdue and item not in over]
    # What has been late for long must not hide what is due this morning.
    items = [*late[-_LATE:], *ahead, *late[:-_LATE]]
    waiting = content.waiting
    wait = "1 decision waits" if waiting == 1 else f"{waiting} decisions wait"
    new = _part(f"New on {content.newest}", _news(bank, {item.source for item in near}), _NEW)
    turns = _part("Changed their mind", _turns(content), _CHANGED)
    doubtful = _part("Perhaps over", [agenda_line(item, TODAY_PATH) for item in over], _DOUBTFUL)
    waits = f"{wait}: `lorebank inbox`" if waiting else ""
    left = _LINES - 1 - sum(len(part.splitlines()) for part in (new, turns, doubtful, waits))
    coming = _part("Due and coming up", [agenda_line(item, TODAY_PATH) for item in items], left)
    parts = [new, turns, coming, doubtful, waits]
    return "\n\n".join(part for part in parts if part)


def _day_of(item: AgendaItem) -> date | None:
    return (item.when.start or item.when.end) if item.when else None


def _news(bank: Digests, due: Collection[Citation]) -> list[str]:
    """What the newest log says that holds and no log said before; what is due and who changed
    their mind have parts of their own."""
    elsewhere = {*due, *(line.source for _, line in _turned(bank.content))}
    return [
        f"- {_cited(known, TODAY_PATH)}"
        for known in bank.said_once
        if known.fact.recorded == bank.content.newest
        and known.fact.citation not in elsewhere
        and known.status is FactStatus.LIVE
        and not known.in_part
    ]


def _turns(content: BankContent) -> list[str]:
    lines = []
    for opinion, line in _turned(content):
        holder = f"{escape_inline(opinion.entities[0])}: " if opinion.entities else ""
        said, before = escape_inline(line.content), escape_inline(opinion.statement)
        place = citation_link(line.source, TODAY_PATH)
        lines.append(f"- {holder}{said} (until then: {before}; {place})")
    return lines


def _turned(content: BankContent) -> Iterator[tuple[Opinion, Evidence]]:
    """Opinions that the newest log closed or moved to the other side, and by which line."""
    for opinion in content.opinions:
        moved = [line for line in opinion.evidence if line.date == content.newest]
        was = [c for day, c in opinion.history if content.newest is None or day < content.newest]
        is_closed = opinion.status is OpinionStatus.SUPERSEDED
        if moved and was and (is_closed or opinion.confidence < 0.5 <= was[-1]):
            yield opinion, moved[-1]


def agenda_line(item: AgendaItem, page: str) -> str:
    """An entry of the agenda as a page shows it: the day first, what is late marked so."""
    day = due(item) or "open"
    late = "**overdue** · " if item.overdue else ""
    place = citation_link(item.source, page)
    return f"- {late}{day} · {escape_inline(item.told)} ({place}){doubt(item, page)}"


def _part(title: str, lines: Sequence[str], most: int) -> str:
    if not lines:
        return ""
    shown = list(lines[:most])
    if len(lines) > most:
        shown[-1] = f"- and {len(lines) - most + 1} more"
    return "\n".join([f"**{title}**", *shown])


def _cited(known: KnownFact, page: str) -> str:
    """The text, with what it is about before it where it does not say so, and its place."""
    fact, text = known.fact, resolved(known) if page == TODAY_PATH else known.fact.content
    about = next((mention.name for mention in fact.mentions if mention.subject), "")
    told = not about or text.startswith(("I ", "I'")) or fold(about) in fold(text)
    said = escape_inline(text if told else f"{about}: {text}")
    return f"{said}{fact.origin.note} ({citation_link(fact.citation, page)})"


def _cut(lines: Sequence[str]) -> str:
    if len(lines) <= _LONG:
        return "\n".join(lines)
    return "\n".join([*lines[:_LONG], f"- and {len(lines) - _LONG} more"])
