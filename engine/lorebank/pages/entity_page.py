"""The page of one entity: what an owner wants to know first on one screen, the rest below it.

Pure: a `View` goes in, the bodies of the page's managed blocks come out. The first block holds at
most `SCREEN` lines: what it is, what holds now, what is coming up, opinions, what happened
lately. Everything else stands once in the timeline below; opinions stand on the page of opinions.

Which lines reach the screen is decided by weight, and weight comes from structure alone: the kind
of a line, how long before the entity's newest line it was written, and whether a newer line takes
its matter up (`threads`). Whom else a line names and how often a thing was said moved no point.
"""

from __future__ import annotations

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


class Line(Record):
    section: str
    text: str
    source: Citation
    weight: float
    order: tuple[int, ...]
    """Within its section: the first first."""
    fact: str = ""


def entity_page(view: View, link: Link) -> dict[str, str]:
    screen = screen_lines(view)
    shown = {line.fact for line in screen} | {str(line.source) for line in screen}
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
        "timeline": _timeline_body(view, shown),
        "related": f"## Related\n\n{' · '.join(related)}" if related else "",
    }
    return {block: body for block, body in bodies.items() if body}


def screen_lines(view: View) -> list[Line]:
    """The lines above the fold, the weightiest of all in the order they stand there."""
    room = SCREEN - (view.description is not None)
    candidates = sorted((*_states(view), *_appointments(view)), key=lambda line: -line.weight)
    chosen: list[Line] = []
    for line in candidates:
        if len(chosen) == room:
            break
        if line.source not in {other.source for other in chosen}:
            chosen.append(line)
    sections = list(_WEIGHTS)
    return sorted(chosen, key=lambda line: (sections.index(line.section), line.order))


def screen_body(view: View, lines: Sequence[Line], left: int) -> str:
    parts = []
    if view.description is not None:
        said = escape_inline(view.description.text)
        parts.append(f"{said} ({citation_link(view.description.source, view.page)})")
    for section in _WEIGHTS:
        own = [line for line in lines if line.section == section]
        if own:
            rows = [f"- {line.text} ({citation_link(line.source, view.page)})" for line in own]
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


def _appointments(view: View) -> list[Line]:
    lines = []
    for item in view.coming:
        day = item.when and (item.when.start or item.when.end)
        ahead = (day - view.today).days if day else 0
        near = 0.5 * 0.5 ** (max(ahead, 0) / _FADING)
        weight = _WEIGHTS[_COMING] + near if day else _WEIGHTS[_LATELY]  # a task without a day
        said = escape_inline(item.text)
        text = f"{due(item)} · {said}" if item.when else said
        text = f"**overdue** · {text}" if item.overdue else text
        text += doubt(item, view.page)
        lines.append(Line(_COMING, text, item.source, weight, (ahead, item.source.start_line)))
    return lines


def _states(view: View) -> list[Line]:
    """What holds, is thought or happened, of facts that no newer line takes up."""
    newest = max((k.fact.recorded for k in view.facts if k.fact.recorded), default=None)
    known = [k for k in view.facts if _holds(k) and not _has_faded(k, newest)]
    by_id = {k.fact.id: k for k in view.facts}
    times = {k.fact.id: k.fact.occurred for k in known}
    to_come = {id_ for id_, when in times.items() if when and when.begins_after(view.today)}
    days = {when for when in times.values() if when and when.start == when.end}
    over = _over(view)
    leading = {k.fact.id for k in known} - over  # a day that has passed takes up nothing
    coming = {item.source for item in view.coming}
    opinions = {
        line.fact_id: opinion
        for opinion in view.opinions
        for line in opinion.evidence
        if line.reason in ("stated", "restated")
    }
    lines = []
    by_hand = _by_hand(view)
    # What is still to come takes up nothing that holds today.
    today = leading - to_come
    for k in known:
        fact = k.fact
        same = view.threads.repeated.get(fact.id, fact.id)
        if fact.id in over or same in by_hand or (same != fact.id and same in leading):
            continue
        others = leading if fact.id in to_come else today
        newer = others.intersection(view.threads.newer_on_topic.get(fact.id, ()))
        # What speaks of one thing of a list leaves the others standing.
        names = words(" ".join(mention.name for mention in fact.mentions))
        again = view.threads.restated_on_days(k, by_id)
        is_habit = again and fact.kind is FactKind.EXPERIENCE  # one exception ends none
        stands = all(clause_meant(fact.content, by_id[id_].fact.content, names) for id_ in newer)
        # A day to come that stands in no entry of the agenda is called off, or told by another.
        is_day = fact.id in to_come and fact.recorded and fact.occurred in days
        taken_up = not (is_habit or stands)
        is_exception = any(view.threads.restated_on_days(by_id[id_], by_id) for id_ in newer)
        if taken_up and (is_exception or not _is_state(fact)):
            continue
        if fact.citation in coming or is_day:
            continue
        section = _COMING if fact.id in to_come else _section(k)
        text = _told(k, view.slug)
        if k.in_part and k.newer is not None:
            text += f" · in part superseded by {citation_link(k.newer.citation, view.page)}"
        if again:
            is_event = len({numbers_of(each.fact.content) for each in again}) > 1
            section = _LATELY if is_event else section
            text += on_days(again)
        opinion = opinions.get(fact.id)
        if section == _OPINIONS and opinion is not None:
            text += f" · {opinion.confidence:.2f}{standing(opinion)}"
            text += f" · {opinion.not_judged} newer not judged" if opinion.not_judged else ""
        elif section == _OPINIONS and fact.confidence is not None:
            text += f" · {fact.confidence:.2f}"
        elif section == _COMING and fact.occurred:
            text = f"{span(fact.occurred, open_end='from')} · {text}"
        elif section == _LATELY and k.day and not fact.occurred and not again:
            text = f"{k.day.isoformat()} · {text}"
        weight = _WEIGHTS[section]
        if any(" " not in relation for relation in k.relations):  # no mere `is number`
            weight += _RECENT
        elif newest is not None and fact.recorded is not None:
            weight += _RECENT * 0.5 ** ((newest - fact.recorded).days / _FADING)
        day = view.threads.questioned.get(fact.id)
        if taken_up:  # it still holds, and stands there where nothing else needs the room
            weight -= 2
            day = max((d for id_ in newer if (d := by_id[id_].fact.recorded)), default=day)
        text += _questioned_by(day)
        trust = trust_of(fact) if section in (_NOW, _OPINIONS) else 0  # the owner's word first
        order = (-trust, -k.day.toordinal() if k.day else 0, fact.citation.start_line)
        lines.append(Line(section, text, fact.citation, weight, order, fact.id))
    return lines


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


def _is_state(fact: Fact) -> bool:
    return fact.kind not in (FactKind.OPINION, FactKind.EXPERIENCE)


def _holds(known: KnownFact) -> bool:
    return known.status is FactStatus.LIVE


def _by_hand(view: View) -> set[str]:
    """What the page says by itself, by the newest line that says the same."""
    own = [k.fact.id for k in view.facts if k.fact.citation.path == view.page and _holds(k)]
    return {view.threads.repeated.get(id_, id_) for id_ in own}


def _has_faded(known: KnownFact, newest: date | None) -> bool:
    """Whether it happened long before the newest line: it makes room, also for what it took up."""
    written = known.fact.recorded
    if newest is None or written is None or _section(known) != _LATELY:
        return False
    return (newest - written).days > _FADING


def _section(known: KnownFact) -> str:
    fact, occurred = known.fact, known.fact.occurred
    if fact.kind is FactKind.OPINION:
        return _OPINIONS
    passed = occurred is not None and occurred.end is not None and not known.relations
    return _LATELY if passed or fact.kind is FactKind.EXPERIENCE else _NOW


def _timeline_body(view: View, shown: set[str]) -> str:
    """What the screen does not show, newest first; what no longer holds is struck through."""
    by_id = {k.fact.id: k for k in view.facts}
    rows: dict[tuple[str, frozenset[str], int], list[KnownFact]] = {}
    on_screen = [k for k in view.facts if k.fact.id in shown]
    folded = {each.fact.id for k in on_screen for each in view.threads.restated_on_days(k, by_id)}
    by_hand = _by_hand(view)
    for k in sorted(view.facts, key=newest_first):
        said = view.threads.repeated.get(k.fact.id, k.fact.id)
        is_shown = not shown.isdisjoint((k.fact.id, str(k.fact.citation)))
        if not is_shown and k.fact.id not in folded and not (_holds(k) and said in by_hand):
            key = said, numbers_of(k.fact.content), trust_of(k.fact)
            rows.setdefault(key, []).append(k)
    over = _over(view)
    leading = {id_: k for id_, k in by_id.items() if id_ not in over}
    lines = [_timeline_line(view, same, leading) for same in rows.values()]
    return "\n".join(["## Timeline", "", *lines]) if lines else ""


def _questioned_by(day: date | None) -> str:
    return f" · before a newer line of {day}" if day else ""


def _timeline_line(view: View, same: Sequence[KnownFact], leading: Mapping[str, KnownFact]) -> str:
    known = same[0]
    is_open = known.status is FactStatus.LIVE and known.fact.kind is not FactKind.EXPERIENCE
    newer = view.threads.newer_on_topic.get(known.fact.id, ()) if is_open else ()
    last = next((leading[id_] for id_ in reversed(newer) if id_ in leading), None)
    then = _questioned_by(last.fact.recorded) if last else ""
    said = _told(known, view.slug, whole=True)
    newer_fact = known.newer
    by = f" by {citation_link(newer_fact.citation, view.page)}" if newer_fact else ""
    if known.status is not FactStatus.LIVE:
        over = f"{known.status.value}{by}"
        if known.since and not (newer_fact and view.slug not in newer_fact.slugs):
            over = f"until {known.since}"  # the newer line stands on this page
        said = f"~~{said}~~ ({over})"
    elif known.in_part:
        said = f"{said} (in part superseded{by})"
    if len(same) > 1:
        said += f" · {len(same)} times since {date_label(same[-1])}"
    places = ", ".join(citation_link(k.fact.citation, view.page) for k in same)
    return f"- {date_label(known)} · {said}{then} ({places})"


def _told(known: KnownFact, slug: str, *, whole: bool = False) -> str:
    """With whom it is about before it: `Runa: …`; `whole` tells what no longer holds as well."""
    text = known.fact.content if whole else resolved(known)
    subjects = [mention for mention in known.fact.mentions if mention.subject]
    is_own = not slug or not subjects or subjects[0].slug == slug
    if is_own or any(begins_with(text, m.name, m.slug) for m in subjects):
        return escape_inline(text) + known.fact.origin.note
    return escape_inline(f"{subjects[0].name}: {text}") + known.fact.origin.note
