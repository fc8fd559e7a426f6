"""Bodies of the managed blocks of an entity page: what is known of it, as Markdown.

Values in, text out, and the dates are those of the content: the same facts give the same bytes on
any day. Each line carries the citation of its fact as a link that works from the page it is on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from lorebank.domain import (
    Citation,
    FactKind,
    FactStatus,
    Interval,
    Opinion,
    OpinionStatus,
    Stance,
    Trend,
)
from lorebank.language.words import content_words
from lorebank.markdown.generated_text import citation_link, escape_inline
from lorebank.records import dataclass
from lorebank.reflect.standing_answer import AnswerLine
from lorebank.reflect.telling import (
    KnownFact,
    Link,
    begins_with,
    is_current,
    newest_first,
    newest_recorded_day,
    salience,
    when_told,
)

SUMMARY_SENTENCES = 12
_RECENT_DAYS = 30
_ALIKE = 0.6
_THINKS = "Prefers and thinks"
_GROUPS = ("Who and what", "With others", _THINKS, "Ongoing", "Lately", "Also")
_ROOM = {"Who and what": 5, "With others": 4, _THINKS: 0, "Ongoing": 3, "Lately": 4, "Also": 3}
_LEFT_OVER = "Also"
_PREFERENCES = 3
_HELD = 0.5
_LOOSE = frozenset({"uses"})
"""Relations of which one has several: no property to know somebody by."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that stands in the same facts."""

    name: str
    facts: int
    """How many facts name both."""
    source: Citation | None = None
    """The newest of them."""
    day: date | None = None
    """When that one was written."""
    tie: str = ""
    """The relation that a fact states between the two: `employer`, `spouse`."""


def entity_bodies(
    slug: str,
    facts: Sequence[KnownFact],
    opinions: Sequence[Opinion],
    neighbours: Sequence[Neighbour],
    *,
    page: str,
    link: Link,
    name: str = "",
    beside: Sequence[KnownFact] = (),
) -> dict[str, str]:
    """The bodies of an entity page's four blocks, by block name; `page` is its workspace path.

    `name` is the entity's own, by which its opinions are told from those that others hold of it.
    `beside` are facts about others that name it in their text.
    """
    known = [*facts, *beside]
    lists = {
        "opinions": opinions_body(opinions, page=page, name=name, link=link),
        "timeline": timeline_body(facts, page=page, slug=slug),
        "related": related_body(neighbours, page=page, link=link),
    }
    return {
        "summary": summary_body(slug, known, page=page, opinions=_held_by(name, opinions)),
        **{block: f"## {block.capitalize()}\n\n{body}" for block, body in lists.items()},
    }


def summary_body(
    slug: str, facts: Sequence[KnownFact], *, page: str, opinions: Sequence[Opinion] = ()
) -> str:
    """What is true now: at most twelve sentences, grouped, the most telling ones chosen.

    `opinions` are the entity's own; the firmest that are still held stand among the sentences.
    """
    preferred = _firmest(opinions)
    chosen = summary_facts(slug, facts, room=SUMMARY_SENTENCES - len(preferred))
    if not chosen and not preferred:
        return "Nothing is known yet."
    groups = {
        title: [_summary_line(k, slug, title, page) for k in chosen.get(title, ())]
        for title in _GROUPS
    }
    groups[_THINKS] += [
        f"- {escape_inline(o.statement)} · {o.confidence:.2f} ({citation_link(o.source, page)})"
        for o in preferred
    ]
    return "\n\n".join(
        f"**{title}**\n\n" + "\n".join(lines) for title, lines in groups.items() if lines
    )


def _summary_line(known: KnownFact, slug: str, title: str, page: str) -> str:
    when = f"{when_told(known)} · " if title == "Lately" and known.day else ""
    return f"- {when}{_told(known, slug)} ({citation_link(known.fact.citation, page)})"


def opinions_body(
    opinions: Sequence[Opinion], *, page: str, name: str = "", link: Link | None = None
) -> str:
    """Opinions held by or about an entity: the firmest first, then stale ones, then those given
    up, each of which names what took its place. Another holder than `name` is named."""
    if not opinions:
        return "No opinions yet."
    by_id = {opinion.id: opinion for opinion in opinions}
    lines = []
    for opinion in sorted(opinions, key=_held_first):
        live = opinion.status is OpinionStatus.LIVE
        state = opinion.trend.value if live else opinion.status.value
        said = escape_inline(opinion.statement)
        holder = opinion.entities[0] if opinion.entities else ""
        if link is not None and name and holder not in ("", name):
            said = f"{link(holder)}: {said}"
        new = by_id.get(opinion.superseded_by or "")
        if opinion.superseded_by:
            state += f" by `{opinion.superseded_by}`" + (
                f" “{escape_inline(new.statement)}”" if new else ""
            )
        lines.append(
            f"- {said} · **{opinion.confidence:.2f}** {state}"
            f" ({citation_link(opinion.source, page)}, `{opinion.id}`)"
        )
    return "\n".join(lines)


def timeline_body(facts: Sequence[KnownFact], *, page: str, slug: str = "") -> str:
    """All dated facts, newest first; those that no longer hold are struck through, and say what
    replaced them.

    On the page of `slug`, facts about somebody else begin with that subject's name.
    """
    dated = [known for known in facts if known.day is not None]
    if not dated:
        return "Nothing dated yet."
    lines = []
    for known in sorted(dated, key=newest_first):
        said = _told(known, slug, whole=True)
        by = f" by {citation_link(known.newer, page)}" if known.newer else ""
        if known.status is not FactStatus.LIVE:
            said = f"~~{said}~~ ({known.status.value}{by})"
        elif known.holding is not None:
            said = f"{said} (in part superseded{by})"
        lines.append(f"- {when_told(known)} · {said} ({citation_link(known.fact.citation, page)})")
    return "\n".join(lines)


def related_body(neighbours: Sequence[Neighbour], *, page: str, link: Link) -> str:
    """Wikilinks to the entities that stand in the same facts, strongest first, each with why."""
    if not neighbours:
        return "No related entities yet."
    lines = []
    for neighbour in sorted(neighbours, key=lambda n: (-n.facts, n.name)):
        together = "1 shared fact" if neighbour.facts == 1 else f"{neighbour.facts} shared facts"
        reason = f"{neighbour.tie}, {together}" if neighbour.tie else together
        if neighbour.source:
            last = "" if neighbour.facts == 1 else ", last"
            on = f" on {neighbour.day.isoformat()}" if neighbour.day else ""
            reason += f"{last}{on} ({citation_link(neighbour.source, page)})"
        lines.append(f"- {link(neighbour.name)} · {reason}")
    return "\n".join(lines)


def summary_facts(
    slug: str, facts: Sequence[KnownFact], *, room: int
) -> Mapping[str, Sequence[KnownFact]]:
    """The most telling facts that hold, by group, greedily: recent, about the entity, stating a
    property, each unlike those before it; no group takes all the room."""
    current = [known for known in facts if is_current(known)]
    newest = newest_recorded_day(current)
    scored = sorted(current, key=lambda k: (-salience(k, slug, newest), newest_first(k)))
    groups: dict[str, list[KnownFact]] = {}
    seen: list[tuple[set[str], Interval | None]] = []
    for known in scored:
        if len(seen) == room:
            break
        title = _group(known, slug, newest)
        if len(groups.get(title, ())) == _ROOM[title]:
            title = _LEFT_OVER
        own, occurred = set(content_words(known.text)), known.fact.occurred
        is_said = any(_overlap(own, words) >= _ALIKE and when == occurred for words, when in seen)
        if is_said or len(groups.get(title, ())) == _ROOM[title]:
            continue
        groups.setdefault(title, []).append(known)
        seen.append((own, occurred))
    return {title: sorted(groups[title], key=newest_first) for title in _GROUPS if title in groups}


def summary_lines(slug: str, facts: Sequence[KnownFact]) -> list[AnswerLine]:
    """The facts of a summary as lines to write from, newest first."""
    chosen = summary_facts(slug, facts, room=SUMMARY_SENTENCES)
    known = sorted((k for group in chosen.values() for k in group), key=newest_first)
    return [
        AnswerLine(
            text=k.text,
            source=k.fact.citation,
            recorded=k.fact.recorded,
            occurred=k.fact.occurred,
            subject=next((m.name for m in k.fact.mentions if m.subject), ""),
            id=k.fact.id,
        )
        for k in known
    ]


def _group(known: KnownFact, slug: str, newest: date | None) -> str:
    """Where a fact stands in the summary; what goes on is told by the day of the newest fact."""
    fact, occurred = known.fact, known.fact.occurred
    relations = known.relations - _LOOSE
    if slug not in fact.slugs:
        return "With others"
    if occurred is not None and newest is not None and not relations:
        begun = occurred.start is None or occurred.start <= newest
        if occurred.end is None or occurred.end > newest:
            return "Ongoing" if begun or (occurred.start or newest) > newest else "Lately"
    recent = newest and known.day and (newest - known.day).days <= _RECENT_DAYS
    if fact.kind is not FactKind.WORLD or (occurred is not None and not relations):
        return "Lately" if recent else _LEFT_OVER
    if len(fact.slugs) > 1:
        return "With others"
    return "Who and what" if slug in fact.subjects else _LEFT_OVER


def _held_by(name: str, opinions: Sequence[Opinion]) -> list[Opinion]:
    return [o for o in opinions if o.entities and o.entities[0] == name]


def _firmest(opinions: Sequence[Opinion]) -> list[Opinion]:
    """The few that are held most firmly, with evidence of late and not against them at last."""
    held = [
        opinion
        for opinion in opinions
        if opinion.status is OpinionStatus.LIVE
        and opinion.trend is not Trend.STALE
        and opinion.confidence >= _HELD
        and not (opinion.evidence and opinion.evidence[-1].stance is Stance.AGAINST)
    ]
    return sorted(held, key=_held_first)[:_PREFERENCES]


def _held_first(opinion: Opinion) -> tuple[bool, bool, float, str]:
    """Those still held before others, those with recent evidence before stale ones."""
    live = opinion.status is OpinionStatus.LIVE
    return not live, opinion.trend is Trend.STALE, -opinion.confidence, opinion.id


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def _told(known: KnownFact, slug: str, *, whole: bool = False) -> str:
    """The text as a page of `slug` shows it: `Runa: …` where it is told of Runa before others.

    With `whole`, what no longer holds of it is told as well.
    """
    text = known.fact.content if whole else known.text
    subjects = [mention for mention in known.fact.mentions if mention.subject]
    named = any(begins_with(text, m.name, m.slug) for m in subjects)
    if not slug or not subjects or named or subjects[0].slug == slug:
        return escape_inline(text)
    return escape_inline(f"{subjects[0].name}: {text}")
