"""The page of one entity: what an owner wants to know first on one screen, the rest below it.

Pure: a `View` goes in, the bodies of the page's managed blocks come out. The first block holds at
most `SCREEN` lines: what it is, what holds now, what is coming up, opinions, what happened
lately. Everything else stands once in the timeline below; opinions stand on the page of opinions.

Which lines reach the screen is decided by weight, and weight comes from structure alone: the kind
of a line, how long before the entity's newest line it was written, and whether a newer line takes
its matter up (`threads`). Whom else a line names and how often a thing was said moved no point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from posixpath import dirname, relpath

from lorebank.domain.answers import AgendaItem, NamedIn
from lorebank.domain.facts import Citation, Fact, FactKind, FactStatus, Opinion, OpinionStatus
from lorebank.index.entity_view import Description
from lorebank.index.slots import trust_of
from lorebank.language.words import words
from lorebank.markdown.opinion_page import OPINIONS_PATH, standing
from lorebank.markdown.plain import citation_link, escape_inline
from lorebank.pages.facts import KnownFact
from lorebank.pages.telling import (
    Link,
    Threads,
    begins_with,
    date_label,
    doubt,
    due,
    newest_first,
    numbers_of,
    on_days,
    resolved,
    share_a_word,
    span,
)
from lorebank.records import Record
from lorebank.supersede.slots import clause_meant

SCREEN = 10
"""Lines above the fold: what fits on one screen with the headings."""
_RECENT = 0.5
"""What a line is worth besides for having been written on the day of the newest."""
_FADING = 45
"""Days in which a line loses half of that, and after which what happened is no news: between 30 and
60 the points covered on two workspaces hardly change. What fixes a property does not fade: a home
or an employer leads until it is replaced (27 -> 30 of 44 points in the fixture `year`, whose editor
knew of no rule)."""

_NOW, _COMING, _OPINIONS, _LATELY = "Now", "Coming up", "Opinions", "Lately"
_WEIGHTS = {_NOW: 1.0, _COMING: 1.2, _OPINIONS: 0.7, _LATELY: 0.8}
"""What a line of a section is worth by itself, in the order of the sections. On two workspaces by
other hands the order of these numbers hardly matters: 49 to 53 of 76 points less faults."""


_CROWDED = 0.03
"""What a line is worth less for each of its section that is worth more, so that no section takes
all the room: on fixtures and two workspaces by other hands 147 points of 189 stand in the first ten
lines instead of 144, as with .05, where source lines stand on more pages."""
_LONGEST = 300
"""Characters of a line that are shown; a longer one is cut at a word."""


class View(Record):
    slug: str
    page: str
    """Its workspace path, which links are relative to."""
    today: date
    facts: Sequence[KnownFact]
    """Those that mention it, opinions included, the oldest first."""
    description: Description | None = None
    notes: Sequence[NamedIn] = ()
    """The newest sentences of logs that name it, where no log has a typed line about it."""
    opinions: Sequence[Opinion] = ()
    coming: Sequence[AgendaItem] = ()
    """What the agenda has of it."""
    related: Sequence[tuple[str, str]] = ()
    """Names of the entities in the same facts, strongest first, and what a fact says they are."""
    threads: Threads = field(default_factory=Threads)
    questioned: Mapping[str, Fact] = field(default_factory=dict)
    """Id of a fact → the newer one that may say otherwise; nobody has judged the two."""


class Line(Record):
    section: str
    text: str
    source: Citation
    weight: float
    order: tuple[int, ...]
    """Within its section: the first first."""
    fact: str = ""
    past: KnownFact | None = None
    """What was said of it before."""


class _PageFacts:
    """What the lines about an entity are to one another."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.by_id = {k.fact.id: k for k in view.facts}
        self.newest = max((k.fact.recorded for k in view.facts if k.fact.recorded), default=None)
        self.over = _over(view)
        self.by_hand = _by_hand(view)
        self.heirs = _heirs(self)
        """Id of a fact → that of the newest one whose past it is."""
        self.pasts = {
            self.by_id[self.heirs[k.fact.id]].fact.citation: k
            for k in view.facts
            if self.is_past(k)
        }
        """Where a line stands → the last of what was before it."""

    def has_faded(self, known: KnownFact) -> bool:
        """Whether it happened long before the newest line: it makes room, also for what it took
        up."""
        written = known.fact.recorded
        if self.newest is None or written is None or _section(known) != _LATELY:
            return False
        return (self.newest - written).days > _FADING

    def stands(self, known: KnownFact) -> bool:
        """Whether it is told as what holds or happened by itself, not as the past of another."""
        id_ = known.fact.id
        same = self.view.threads.repeated.get(id_, id_)
        is_said_again = same != id_ and same in self.by_id and _holds(self.by_id[same])
        is_told = is_said_again or id_ in self.heirs or id_ in self.over or same in self.by_hand
        return _holds(known) and not is_told and not self.has_faded(known)

    def is_past(self, known: KnownFact) -> bool:
        """Whether it tells what was before another line: no event, plan or repetition does."""
        fact, repeated = known.fact, self.view.threads.repeated
        is_untold = fact.id in self.over or fact.kind is FactKind.EXPERIENCE
        if fact.id not in self.heirs or is_untold:
            return False
        heir = self.by_id[self.heirs[fact.id]]
        if repeated.get(fact.id, fact.id) != repeated.get(heir.fact.id, heir.fact.id):
            return True
        is_habit = self.view.threads.restated_on_days(heir, self.by_id)
        return not is_habit and numbers_of(fact.content) != numbers_of(heir.fact.content)


def entity_page(view: View, link: Link) -> dict[str, str]:
    told = _PageFacts(view)
    screen = _screen(told)
    shown = {line.fact for line in screen} | {str(line.source) for line in screen}
    shown |= {line.past.fact.id for line in screen if line.past}
    shown |= {str(view.description.source)} if view.description else set()
    # The page of opinions cites the newest line of each; the older ones are their history.
    held = [o for o in view.opinions if o.status is not OpinionStatus.SUPERSEDED and o.evidence]
    shown |= {str(opinion.evidence[-1].source) for opinion in held}
    related = [link(name) + (f" ({tie})" if tie else "") for name, tie in view.related]
    left = [
        opinion
        for opinion in held
        if opinion.status is OpinionStatus.LIVE
        if shown.isdisjoint(line.fact_id for line in opinion.evidence)
    ]
    bodies = {
        "summary": screen_body(view, screen, len(left)),
        "timeline": _timeline_body(told, shown),
        "related": f"## Related\n\n{' · '.join(related)}" if related else "",
    }
    return {block: body for block, body in bodies.items() if body}


def screen_lines(view: View) -> list[Line]:
    """The lines above the fold, in the order they stand there."""
    return _screen(_PageFacts(view))


def _screen(told: _PageFacts) -> list[Line]:
    """The weightiest of all; each counts less the more of its section are weightier, so that none
    takes all the room."""
    room = SCREEN - (told.view.description is not None)
    candidates = (*_states(told), *_appointments(told))
    by_place: dict[Citation, Line] = {}
    description = told.view.description
    for line in sorted(candidates, key=lambda line: -line.weight):
        if description is None or line.source != description.source:
            by_place.setdefault(line.source, line)
    above: Counter[str] = Counter()
    ranked = []
    for line in by_place.values():
        ranked.append((line.weight - _CROWDED * above[line.section], line))
        above[line.section] += 1
    ranked.sort(key=lambda entry: -entry[0])
    sections = list(_WEIGHTS)
    chosen = [line for _, line in ranked[:room]]
    return sorted(chosen, key=lambda line: (sections.index(line.section), line.order))


def screen_body(view: View, lines: Sequence[Line], left: int) -> str:
    parts = []
    if view.description is not None:
        said = escape_inline(view.description.text)
        parts.append(f"{said} ({citation_link(view.description.source, view.page)})")
    for section in _WEIGHTS:
        own = [line for line in lines if line.section == section]
        if own:
            rows = [_row(line, view) for line in own]
            parts.append("\n".join([f"**{section}**", "", *rows]))
    rows = [
        f"- {note.day} · {escape_inline(note.content)} ({citation_link(note.source, view.page)})"
        for note in view.notes[: SCREEN - len(lines)]
    ]
    parts += ["\n".join(["**From the notes**", "", *rows])] if rows else []
    if left:
        more = "1 more opinion" if left == 1 else f"{left} more opinions"
        parts.append(f"{more} in [opinions]({relpath(OPINIONS_PATH, dirname(view.page))})")
    return "\n\n".join(parts)


def _row(line: Line, view: View) -> str:
    row = f"- {line.text} ({citation_link(line.source, view.page)})"
    if line.past is None:
        return row
    day = f", on {line.past.day}" if line.past.day else ""
    until = f"until {line.past.since}" if line.past.since else f"before{day}, not judged"
    place = citation_link(line.past.fact.citation, view.page)
    return f"{row} · {until}: {_told(line.past, view.slug, whole=True)} ({place})"


def _appointments(told: _PageFacts) -> list[Line]:
    view, lines = told.view, []
    for item in view.coming:
        day = item.when and (item.when.start or item.when.end)
        ahead = (day - view.today).days if day else 0
        near = 0.5 * 0.5 ** (max(ahead, 0) / _FADING)
        weight = _WEIGHTS[_COMING] + near if day else _WEIGHTS[_LATELY]  # a task without a day
        said = escape_inline(item.text)
        text = f"{due(item)} · {said}" if item.when else said
        text = f"**overdue** · {text}" if item.overdue else text
        text += doubt(item, view.page)
        order = (ahead, item.source.start_line)
        past = told.pasts.get(item.source)
        lines.append(Line(_COMING, text, item.source, weight, order, past=past))
    return lines


def _states(told: _PageFacts) -> list[Line]:
    """What holds, is thought or happened, each with what was said of it before."""
    view = told.view
    days = {k.fact.occurred for k in view.facts if _holds(k) and _is_one_day(k.fact)}
    coming = {item.source for item in view.coming}
    opinions = {
        line.fact_id: opinion
        for opinion in view.opinions
        for line in opinion.evidence
        if line.reason in ("stated", "restated")
    }
    lines = []
    for k in filter(told.stands, view.facts):
        fact = k.fact
        if fact.citation in coming:
            continue
        to_come = fact.occurred is not None and fact.occurred.begins_after(view.today)
        if to_come and fact.recorded and fact.occurred in days:
            continue  # that stands in no entry of the agenda: called off, or told by another
        section = _COMING if to_come else _section(k)
        text = _told(k, view.slug)
        if k.in_part and k.newer is not None:
            text += f" · in part superseded by {citation_link(k.newer.citation, view.page)}"
        again = view.threads.restated_on_days(k, told.by_id)
        if again:
            is_event = len({numbers_of(each.fact.content) for each in again}) > 1
            section = _LATELY if is_event else section
            text += on_days(again)
        opinion = opinions.get(fact.id)
        if section == _OPINIONS and opinion is not None:
            text += f" · {opinion.confidence:.2f}{standing(opinion)}"
            text += _not_judged(opinion, view.questioned.get(fact.id))
        elif section == _OPINIONS and fact.confidence is not None:
            text += f" · {fact.confidence:.2f}"
        elif section == _COMING and fact.occurred:
            text = f"{span(fact.occurred, open_end='from')} · {text}"
        elif section == _LATELY and k.day and not fact.occurred and not again:
            text = f"{k.day.isoformat()} · {text}"
        weight = _WEIGHTS[section]
        if _fixes_property(k):
            weight += _RECENT
        elif told.newest is not None and fact.recorded is not None:
            weight += _RECENT * 0.5 ** ((told.newest - fact.recorded).days / _FADING)
        trust = trust_of(fact) if section in (_NOW, _OPINIONS) else 0  # the owner's word first
        order = (-trust, -k.day.toordinal() if k.day else 0, fact.citation.start_line)
        past = told.pasts.get(fact.citation)
        lines.append(Line(section, text, fact.citation, weight, order, fact.id, past))
    return lines


def _not_judged(opinion: Opinion, newer: Fact | None) -> str:
    """What waits for a judge: ` · before a newer line of 2026-02-10`."""
    many = opinion.not_judged
    if newer is None:
        return f" · {many} newer not judged" if many else ""
    lines = f"{many} newer lines, the last" if many > 1 else "a newer line"
    return f" · before {lines} of {newer.recorded}"


def _heirs(told: _PageFacts) -> dict[str, str]:
    """Id of a fact → that of the newest one whose past it is: what replaces it, or takes up its
    matter where nobody has judged the two."""
    view, by_id = told.view, told.by_id
    heirs = {
        k.fact.id: k.newer.id
        for k in view.facts
        if k.newer is not None
        if not (k.in_part and _is_of_a_list(k.fact, k.newer))
    }
    said = {
        opinion.id: [e.fact_id for e in opinion.evidence if e.reason in ("stated", "restated")]
        for opinion in view.opinions
    }
    for opinion in view.opinions:
        newer = [id_ for id_ in said.get(opinion.superseded_by or "", ()) if id_ in by_id]
        heirs |= {id_: newer[-1] for id_ in said[opinion.id] if newer and id_ not in newer}
    heirs = {old: new for old, new in heirs.items() if new in by_id}
    # A day that has passed takes up nothing, and what is still to come nothing that holds today.
    leading = {k.fact.id for k in view.facts if _holds(k) and not told.has_faded(k)} - told.over
    times = {id_: by_id[id_].fact.occurred for id_ in by_id}
    ahead = {id_ for id_, when in times.items() if when and when.begins_after(view.today)}
    coming = {item.source for item in view.coming}
    for k in view.facts:
        fact = k.fact
        if not _holds(k) or fact.id in heirs or fact.citation in coming:
            continue
        newer = [*view.threads.newer_on_topic.get(fact.id, ())]
        near = view.questioned.get(fact.id)
        if near is not None and fact.kind is not FactKind.OPINION and share_a_word(fact, near):
            newer.append(near.id)
        newer = [id_ for id_ in newer if id_ in leading]
        # Lines of one day hold side by side.
        newer = [
            id_ for id_ in newer if not fact.recorded or by_id[id_].fact.recorded != fact.recorded
        ]
        if fact.id not in ahead:
            newer = [id_ for id_ in newer if id_ not in ahead]
        if _fixes_property(k):  # no event takes that up
            newer = [id_ for id_ in newer if by_id[id_].fact.kind is not FactKind.EXPERIENCE]
        if fact.kind is FactKind.EXPERIENCE and view.threads.restated_on_days(k, by_id):
            continue  # one exception ends no habit
        if not all(_is_of_a_list(fact, by_id[id_].fact) for id_ in newer):
            heirs[fact.id] = newer[-1]
    return {id_: _last(id_, heirs) for id_ in heirs}


def _is_of_a_list(older: Fact, newer: Fact) -> bool:
    """Whether the newer one speaks of one thing of several: the others stand."""
    names = words(" ".join(mention.name for mention in older.mentions))
    return bool(clause_meant(older.content, newer.content, names))


def _last(id_: str, heirs: Mapping[str, str]) -> str:
    met = set()
    while id_ in heirs and id_ not in met:
        met.add(id_)
        id_ = heirs[id_]
    return id_


def _is_one_day(fact: Fact) -> bool:
    return fact.occurred is not None and fact.occurred.start == fact.occurred.end


def _over(view: View) -> set[str]:
    """Ids of facts whose day was still to come when they were written, and has passed. What began
    on that day and fixes a property holds until a later line tells of that."""
    order = {k.fact.id: place for place, k in enumerate(view.facts)}
    told = {
        (k.fact.subjects[:1], relation): order[k.fact.id]
        for k in filter(_holds, view.facts)
        for relation in k.relations
    }
    over = set()
    for fact, relations in ((k.fact, k.relations) for k in filter(_holds, view.facts)):
        when, written = fact.occurred, fact.recorded
        if fact.kind is FactKind.OPINION or when is None or when.end is None or written is None:
            continue
        if when.end < view.today and (when.start or when.end) > written:
            fixed = [told[fact.subjects[:1], each] for each in relations if " " not in each]
            if not fixed or max(fixed) > order[fact.id]:
                over.add(fact.id)
    return over


def _fixes_property(known: KnownFact) -> bool:
    return any(" " not in relation for relation in known.relations)  # no mere `is number`


def _holds(known: KnownFact) -> bool:
    return known.status is FactStatus.LIVE


def _by_hand(view: View) -> set[str]:
    """What the page says by itself, by the newest line that says the same."""
    own = [k.fact.id for k in view.facts if k.fact.citation.path == view.page and _holds(k)]
    return {view.threads.repeated.get(id_, id_) for id_ in own}


def _section(known: KnownFact) -> str:
    fact, occurred = known.fact, known.fact.occurred
    if fact.kind is FactKind.OPINION:
        return _OPINIONS
    passed = occurred is not None and occurred.end is not None and not known.relations
    return _LATELY if passed or fact.kind is FactKind.EXPERIENCE else _NOW


def _timeline_body(told: _PageFacts, shown: set[str]) -> str:
    """What the screen does not show, newest first; what no longer holds is struck through."""
    view, by_id = told.view, told.by_id
    rows: dict[tuple[str, frozenset[str], int], list[KnownFact]] = {}
    on_screen = [k for k in view.facts if k.fact.id in shown]
    folded = {each.fact.id for k in on_screen for each in view.threads.restated_on_days(k, by_id)}
    for k in sorted(view.facts, key=newest_first):
        said = view.threads.repeated.get(k.fact.id, k.fact.id)
        is_shown = not shown.isdisjoint((k.fact.id, str(k.fact.citation)))
        if not is_shown and k.fact.id not in folded and not (_holds(k) and said in told.by_hand):
            key = said, numbers_of(k.fact.content), trust_of(k.fact)
            rows.setdefault(key, []).append(k)
    lines = [_timeline_line(told, same) for same in rows.values()]
    return "\n".join(["## Timeline", "", *lines]) if lines else ""


def _timeline_line(told: _PageFacts, same: Sequence[KnownFact]) -> str:
    """Of lines that say the same, the newest first."""
    view, known = told.view, same[0]
    said = _told(known, view.slug, whole=True)
    newer = known.newer
    by = f" by {citation_link(newer.citation, view.page)}" if newer else ""
    if known.status is not FactStatus.LIVE:
        is_here = newer is not None and view.slug in newer.slugs
        over = f"until {known.since}" if known.since else known.status.value
        over += "" if is_here else by
        said = f"~~{said}~~ ({over})"
    elif known.in_part:
        said = f"{said} (in part superseded{by})"
    elif known.fact.id in told.heirs and known.fact.kind is not FactKind.EXPERIENCE:
        heir = told.by_id[told.heirs[known.fact.id]].fact
        said = f"{said} · before a newer line of {heir.recorded}"
    if len(same) > 1:
        said += f" · {len(same)} times since {date_label(same[-1])}"
    places = ", ".join(citation_link(k.fact.citation, view.page) for k in same)
    return f"- {date_label(known)} · {said} ({places})"


def _told(known: KnownFact, slug: str, *, whole: bool = False) -> str:
    """With whom it is about before it: `Runa: …`; `whole` tells what no longer holds as well."""
    text = known.fact.content if whole else resolved(known)
    subjects = [mention for mention in known.fact.mentions if mention.subject]
    is_own = not slug or not subjects or subjects[0].slug == slug
    if not is_own and not any(begins_with(text, m.name, m.slug) for m in subjects):
        text = f"{subjects[0].name}: {text}"
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
    return escape_inline(text) + known.fact.origin.note
