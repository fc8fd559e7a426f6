"""Bodies of managed blocks: what is known of an entity, and the bank's three digests, as Markdown.

Values in, text out, and the dates are those of the content: the same facts give the same bytes on
any day. Each line carries the citation of its fact as a link that works from the page it is on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from lorebank.domain import (
    Citation,
    Fact,
    FactKind,
    FactStatus,
    Interval,
    Opinion,
    OpinionStatus,
)
from lorebank.language.folding import fold
from lorebank.language.words import content_words
from lorebank.markdown.entity_page import entity_page_name
from lorebank.markdown.generated_text import citation_link, escape_inline, wikilink

__all__ = [
    "SUMMARY_SENTENCES",
    "KnownFact",
    "Neighbour",
    "entity_bodies",
    "experience_body",
    "opinions_body",
    "page_links",
    "related_body",
    "summary_body",
    "timeline_body",
    "world_body",
]

SUMMARY_SENTENCES = 12
_RECENT_DAYS = 30
_HALF_LIFE_DAYS = 120
_ALIKE = 0.6
_GROUPS = ("Who and what", "Facts", "Now and recently", "Observations")

Link = Callable[[str], str]
"""Display name → its wikilink."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact and what became of it."""

    fact: Fact
    status: FactStatus = FactStatus.LIVE

    @property
    def day(self) -> date | None:
        """The day it happened if the text says so, else the day it was written."""
        occurred = self.fact.occurred
        if occurred is not None and (occurred.start or occurred.end):
            return occurred.start or occurred.end
        return self.fact.recorded


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity that stands in the same facts."""

    name: str
    facts: int
    """How many facts name both."""
    source: Citation | None = None
    """The newest of them."""


def entity_bodies(
    slug: str,
    facts: Sequence[KnownFact],
    opinions: Sequence[Opinion],
    neighbours: Sequence[Neighbour],
    *,
    page: str,
    link: Link,
) -> dict[str, str]:
    """The bodies of an entity page's four blocks, by block name; `page` is its workspace path."""
    return {
        "summary": summary_body(slug, facts, page=page),
        "opinions": opinions_body(opinions, page=page),
        "timeline": timeline_body(facts, page=page, slug=slug),
        "related": related_body(neighbours, page=page, link=link),
    }


def summary_body(slug: str, facts: Sequence[KnownFact], *, page: str) -> str:
    """What is true now: at most twelve sentences, grouped, the most telling ones chosen."""
    chosen = _salient(slug, [known for known in facts if _is_current(known)])
    if not chosen:
        return "Nothing is known yet."
    newest = max((known.day for known in chosen if known.day), default=None)
    groups: dict[str, list[KnownFact]] = {}
    for known in sorted(chosen, key=_newest_first):
        groups.setdefault(_group(known, slug, newest), []).append(known)
    parts = []
    for title in _GROUPS:
        if title in groups:
            lines = "\n".join(
                f"- {_told(known.fact, slug)} ({citation_link(known.fact.citation, page)})"
                for known in groups[title]
            )
            parts.append(f"**{title}**\n\n{lines}")
    return "\n\n".join(parts)


def opinions_body(opinions: Sequence[Opinion], *, page: str) -> str:
    """Opinions held by or about an entity, the firmest first; superseded ones last."""
    if not opinions:
        return "No opinions yet."
    ordered = sorted(
        opinions, key=lambda o: (o.status is not OpinionStatus.LIVE, -o.confidence, o.id)
    )
    lines = []
    for opinion in ordered:
        live = opinion.status is OpinionStatus.LIVE
        state = opinion.trend.value if live else opinion.status.value
        said = escape_inline(opinion.statement)
        lines.append(
            f"- {said} · **{opinion.confidence:.2f}** {state}"
            f" ({citation_link(opinion.source, page)}, `{opinion.id}`)"
        )
    return "\n".join(lines)


def timeline_body(facts: Sequence[KnownFact], *, page: str, slug: str = "") -> str:
    """All dated facts, newest first; those that no longer hold are struck through.

    On the page of `slug`, facts about somebody else begin with that subject's name.
    """
    dated = [known for known in facts if known.day is not None]
    if not dated:
        return "Nothing dated yet."
    lines = []
    for known in sorted(dated, key=_newest_first):
        said = _told(known.fact, slug)
        if known.status is not FactStatus.LIVE:
            said = f"~~{said}~~ ({known.status.value})"
        lines.append(f"- {_when(known)} · {said} ({citation_link(known.fact.citation, page)})")
    return "\n".join(lines)


def related_body(neighbours: Sequence[Neighbour], *, page: str, link: Link) -> str:
    """Wikilinks to the entities that stand in the same facts, strongest first, each with why."""
    if not neighbours:
        return "No related entities yet."
    lines = []
    for neighbour in sorted(neighbours, key=lambda n: (-n.facts, n.name)):
        together = "1 fact" if neighbour.facts == 1 else f"{neighbour.facts} facts"
        where = f", last {citation_link(neighbour.source, page)}" if neighbour.source else ""
        lines.append(f"- {link(neighbour.name)} · together in {together}{where}")
    return "\n".join(lines)


def world_body(facts: Iterable[KnownFact], *, link: Link, page: str = "bank/world.md") -> str:
    """Objective facts that hold, under the name of the first entity they mention."""
    groups: dict[str, list[KnownFact]] = {}
    names: dict[str, str] = {}
    for known in sorted(facts, key=_newest_first):
        if known.fact.kind is FactKind.WORLD and _is_current(known):
            mention = _about(known.fact)
            slug = mention[0] if mention else ""
            if mention:
                names.setdefault(*mention)
            groups.setdefault(slug, []).append(known)
    parts = []
    for slug in sorted(groups, key=lambda s: (not s, s)):
        title = link(names[slug]) if slug else "Elsewhere"
        lines = [_sentence_line(known.fact, page) for known in _distinct(groups[slug])]
        parts.append("\n".join([f"### {title}", "", *lines]))
    return "\n\n".join(parts) or "No facts yet."


def experience_body(facts: Iterable[KnownFact], *, page: str = "bank/experience.md") -> str:
    """What was done, in the words it was written in, by month, the newest month first."""
    own = [k for k in facts if k.fact.kind is FactKind.EXPERIENCE and _is_current(k)]
    parts = []
    for month, lines in groupby(sorted(own, key=_newest_first), key=_month):
        told = [
            f"- {_when(known)} · {escape_inline(known.fact.content)}"
            f" ({citation_link(known.fact.citation, page)})"
            for known in _distinct(list(lines))
        ]
        parts.append("\n".join([f"### {month}", "", *told]))
    return "\n\n".join(parts) or "No experience yet."


def _salient(slug: str, facts: Sequence[KnownFact]) -> list[KnownFact]:
    """The most telling facts, greedily: recent, about the entity, each unlike those before it."""
    newest = max((known.day for known in facts if known.day), default=None)
    scored = sorted(facts, key=lambda k: (-_salience(k, slug, newest), _newest_first(k)))
    chosen: list[KnownFact] = []
    seen: list[set[str]] = []
    for known in scored:
        if len(chosen) == SUMMARY_SENTENCES:
            break
        own = set(content_words(known.fact.content))
        if all(_overlap(own, other) < _ALIKE for other in seen):
            chosen.append(known)
            seen.append(own)
    return chosen


def _salience(known: KnownFact, slug: str, newest: date | None) -> float:
    fact = known.fact
    score = 0.5 if fact.kind is FactKind.OBSERVATION else 1.0
    score += 1.0 if slug in fact.subjects else 0.0
    score += 0.2 * min(len(fact.slugs), 3)
    if newest is not None and known.day is not None:
        score += 2.0 * float(0.5 ** ((newest - known.day).days / _HALF_LIFE_DAYS))
    return score


def _group(known: KnownFact, slug: str, newest: date | None) -> str:
    fact = known.fact
    if fact.kind is FactKind.OBSERVATION:
        return "Observations"
    recent = newest and known.day and (newest - known.day).days <= _RECENT_DAYS
    if fact.kind is FactKind.EXPERIENCE or fact.occurred is not None:
        return "Now and recently" if recent else "Facts"
    return "Who and what" if slug in fact.subjects else "Facts"


def _is_current(known: KnownFact) -> bool:
    return known.status is FactStatus.LIVE and known.fact.kind is not FactKind.OPINION


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)


def _distinct(facts: Sequence[KnownFact]) -> list[KnownFact]:
    kept: dict[str, KnownFact] = {}
    for known in facts:
        kept.setdefault(" ".join(content_words(known.fact.content)), known)
    return list(kept.values())


def _about(fact: Fact) -> tuple[str, str] | None:
    subjects = [m for m in fact.mentions if m.subject] or list(fact.mentions)
    return (subjects[0].slug, subjects[0].name) if subjects else None


def _newest_first(known: KnownFact) -> tuple[int, int, str, int]:
    day = known.day or date.min
    recorded = known.fact.recorded or date.min
    citation = known.fact.citation
    return (-day.toordinal(), -recorded.toordinal(), citation.path, citation.start_line)


def _sentence_line(fact: Fact, page: str) -> str:
    return f"- {escape_inline(fact.content)} ({citation_link(fact.citation, page)})"


def _told(fact: Fact, slug: str) -> str:
    """The text as a page of `slug` shows it: `Runa: …` where the fact is about Runa alone."""
    subjects = [mention for mention in fact.mentions if mention.subject]
    named = any(_begins_with(fact.content, m.name, m.slug) for m in subjects)
    if not slug or not subjects or named or slug in fact.subjects:
        return escape_inline(fact.content)
    return escape_inline(f"{subjects[0].name}: {fact.content}")


def _begins_with(text: str, *names: str) -> bool:
    start = fold(text).lstrip(" @[*_\"'")
    for name in map(fold, names):
        following = start[len(name) : len(name) + 1]
        if name and start.startswith(name) and not (following.isascii() and following.isalnum()):
            return True
    return False


def _when(known: KnownFact) -> str:
    occurred = known.fact.occurred
    if occurred is not None and (occurred.start or occurred.end):
        return _span(occurred)
    return known.day.isoformat() if known.day else "undated"


def _span(interval: Interval) -> str:
    if interval.start is None:
        return f"until {interval.end}"
    if interval.end is None:
        return f"since {interval.start}"
    return (
        f"{interval.start}"
        if interval.start == interval.end
        else (f"{interval.start} to {interval.end}")
    )


def _month(known: KnownFact) -> str:
    return known.day.strftime("%Y-%m") if known.day else "Undated"


def page_links(pages: Mapping[str, str]) -> Link:
    """A `Link` that knows the page names of entities (display name → page name)."""
    return lambda name: wikilink(pages.get(name) or entity_page_name(name), name)
