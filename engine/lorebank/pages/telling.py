"""A fact as the bank's pages tell it: what became of it, its day, its order, and which later lines
take up its matter.

Values in, text out, and the dates are those of the content: the same facts give the same bytes on
any day.

Two lines about the same entity that share enough of their telling words are about one matter, and
the newer one is what an owner wants to read first. That is a rule of display: nothing is struck
out by it, the older line stays on the page below. What really ends a fact is decided by the index.
All words count alike: a word weighed by how many lines hold it would change every page with every
line, and on four workspaces with an editor's judgment it moved no point.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date, timedelta
from functools import cache
from sys import intern
from typing import NamedTuple

from lorebank.beliefs.reading import denies
from lorebank.dates.phrases import find_phrases
from lorebank.dates.times import times_of
from lorebank.domain.answers import AgendaItem
from lorebank.domain.facts import Fact, FactKind, FactStatus, Interval, Opinion
from lorebank.index.slots import trust_of
from lorebank.language.folding import fold
from lorebank.language.words import content_words
from lorebank.markdown.entity_page import entity_page_name
from lorebank.markdown.plain import citation_link, escape_inline, wikilink
from lorebank.pages.facts import KnownFact
from lorebank.records import Record

Link = Callable[[str], str]
"""Display name → its wikilink."""


def distinct(facts: Sequence[KnownFact]) -> list[KnownFact]:
    kept: dict[str, KnownFact] = {}
    for known in facts:
        kept.setdefault(" ".join(fold(known.fact.content).split()).rstrip("."), known)
    return list(kept.values())


def newest_first(known: KnownFact) -> tuple[int, int, str, int]:
    day = known.day or date.min
    recorded = known.fact.recorded or date.min
    citation = known.fact.citation
    return (-day.toordinal(), -recorded.toordinal(), citation.path, citation.start_line)


def resolved(known: KnownFact) -> str:
    """What a line says that holds, with the day behind each word that means one only on the day it
    was written: `fitted yesterday (2026-03-04)`."""
    text, written = known.fact.content, known.fact.recorded
    if written is None or known.fact.occurred is None:
        return text
    phrases, times = find_phrases(text, written), times_of(text, written)
    # Written two weeks later, a relative phrase would mean another day.
    weeks = min(timedelta(days=14), date.max - written)
    later = {p.start: p.interval for p in find_phrases(text, written + weeks)}
    if len(phrases) != len(times):
        return text
    for phrase, time in reversed(list(zip(phrases, times, strict=True))):
        is_relative = not phrase.repeating and later.get(phrase.start) != phrase.interval
        day = time.start or time.end
        if is_relative and phrase.granularity == "day" and day is not None:
            text = f"{text[: phrase.end]} ({day}){text[phrase.end :]}"
    return text


def sentence_line(known: KnownFact, page: str, tail: str = "") -> str:
    said = escape_inline(resolved(known)) + known.fact.origin.note + tail
    return f"- {said} ({citation_link(known.fact.citation, page)})"


def begins_with(text: str, *names: str) -> bool:
    start = fold(text).lstrip(" @[*_\"'")
    for name in map(fold, names):
        following = start[len(name) : len(name) + 1]
        if name and start.startswith(name) and not (following.isascii() and following.isalnum()):
            return True
    return False


def date_label(known: KnownFact) -> str:
    occurred = known.fact.occurred
    if occurred is not None and (occurred.start or occurred.end):
        return span(occurred)
    return known.day.isoformat() if known.day else "undated"


def span(interval: Interval, *, open_start: str = "until", open_end: str = "since") -> str:
    """The days of an interval: `2026-03-01`, `since …`, `until …`, `… to …`."""
    if interval.start is None:
        return f"{open_start} {interval.end}"
    if interval.end is None:
        return f"{open_end} {interval.start}"
    if interval.start == interval.end:
        return f"{interval.start}"
    return f"{interval.start} to {interval.end}"


def due(item: AgendaItem) -> str:
    if item.when is None:
        return ""
    return span(item.when, open_start="by" if item.open else "until", open_end="from")


def doubt(item: AgendaItem, page: str) -> str:
    """The newer line after which an entry of the agenda may not stand: ` · done? (…)`."""
    return f" · {item.doubt[0]} {citation_link(item.doubt[1], page)}" if item.doubt else ""


def on_days(same: Sequence[KnownFact]) -> str:
    """On how many days these lines said the same: ` · on 4 days since 2026-01-20`."""
    days = sorted({k.fact.recorded for k in same if k.fact.recorded})
    return f" · on {len(days)} days since {days[0]}" if days else ""


def page_links(pages: Mapping[str, str]) -> Link:
    """A `Link` that knows the page names of entities (display name → page name)."""
    return lambda name: wikilink(pages.get(name) or entity_page_name(name), name)


SAME_MATTER = 0.28
"""Share of the shorter line's words. In the fixtures 69 of an editor's 101 points are covered, and
30 of 101 lines stand there that must not (71 and 34 at 1/3, 68 and 28 at .2; workspace-a 36 and 5,
at 1/3 35 and 7). It decides what stands together, and strikes nothing out."""
SAME_STATEMENT = 0.8
"""From here on the lines say the same again, up to a number."""
_STEM = 6
"""Letters of a word that count: `rewrite` and `rewriting` are one."""
_NUMBER = re.compile(r"\b(?!(?:19|20)\d\d\b)\d{4,}\b|\b\d+(?:\.\d+){2,}\b")
_DIGIT = re.compile(r"\d")
_COMMON = 40
"""A word that this many lines about one entity hold finds no partner: the search stays linear."""


def numbers_of(text: str) -> frozenset[str]:
    """What distinguishes two lines that say the same up to a number."""
    if text.isascii() and not _DIGIT.search(text):
        return frozenset()  # what most lines are; taking out their words costs more
    return _with_digits(content_words(text))


def _with_digits(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if any(map(str.isdigit, word)))


HABIT = 3
"""On fewer days, or with fewer numbers that differ, a line that says the same again is no habit."""


class _Said(NamedTuple):
    """What a line is compared by."""

    words: tuple[str, ...]
    """What distinguishes it among lines about one entity: not its name, of numbers only those that
    name something: a port, an address, a ticket."""
    numbers: frozenset[str]
    begins: str
    """Its first word, and all of them below: kept of lines with numbers only."""
    letters: frozenset[str]

    def is_about_different_item(self, other: _Said) -> bool:
        """Whether two lines with values of their own begin with different words: `Oak 95 a metre`
        is no newer word on `Larch 79 a metre`."""
        if not self.begins or not other.begins or not self.numbers.isdisjoint(other.numbers):
            return False
        return self.begins not in other.letters and other.begins not in self.letters


def _said(fact: Fact) -> _Said:
    found = content_words(fact.content)
    names = {word[:_STEM] for mention in fact.mentions for word in mention.slug.split("-")}
    stems = dict.fromkeys([intern(word[:_STEM]) for word in found if not word.isdigit()])
    kept = tuple([word for word in stems if word not in names])
    numbers = _with_digits(found)
    telling = tuple(dict.fromkeys((*kept, *_NUMBER.findall(fact.content)))) if numbers else kept
    letters = [word for word in found if word.isalpha()] if numbers else []
    return _Said(telling, numbers, letters[0] if letters else "", frozenset(letters))


def share_a_word(one: Fact, other: Fact) -> bool:
    """Whether both hold a word that tells something: nearness in meaning alone joined `Port is 8441
    with TLS` and `The spool keeps frames for 21 days`."""
    return not set(_said(one).words).isdisjoint(_said(other).words)


class Threads(Record):
    newer_on_topic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Fact id → the ids of newer facts about the same matter, the oldest first."""
    repeated: Mapping[str, str] = field(default_factory=dict)
    """Fact id → the id of the newest fact that says the same, of the owner's where there is one."""
    wordings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Fact id → the ids of all facts of which it is the newest to say so, the oldest first."""

    def restated_on_days(self, known: KnownFact, by_id: Mapping[str, KnownFact]) -> list[KnownFact]:
        """Those of the facts that say what this one, the newest of them, says, itself among them,
        where they were said on enough days for one line to stand for all; else none."""
        if known.fact.kind is FactKind.OPINION or known.status is not FactStatus.LIVE:
            return []
        same = [by_id[id_] for id_ in self.wordings.get(known.fact.id, ()) if id_ in by_id]
        return same if len({k.fact.recorded for k in same} - {None}) >= HABIT else []


def find_threads(
    facts: Sequence[Fact],
    opinions: Iterable[Opinion] = (),
    beside: Collection[tuple[str, str]] = frozenset(),
) -> Threads:
    """The threads of these facts about one entity, which are oldest first; what the holder says of
    a belief later takes up what was said of it first. The pairs `beside` (newer, older) both hold.
    """
    by_id = {fact.id: fact for fact in facts}
    said = {id_: _said(fact) for id_, fact in by_id.items()}
    denied = cache(lambda id_: denies(by_id[id_].content))
    holding: dict[tuple[str | None, str], list[str]] = defaultdict(list)
    newer_on_topic: dict[str, list[str]] = defaultdict(list)
    repeats: dict[str, str] = {}
    for fact in by_id.values():
        is_opinion, own = fact.kind is FactKind.OPINION, said[fact.id]
        holder = (fact.slugs[0] if fact.slugs else fact.id) if is_opinion else None
        mine = len(own.words)
        shared: Counter[str] = Counter()
        for word in own.words:
            older = holding[holder, word]
            if len(older) <= _COMMON:
                shared.update(older)
                older.append(fact.id)
        fewest = 1 if is_opinion or SAME_STATEMENT * mine <= 1 else 2  # of most pairs it is one
        for id_, known in [pair for pair in shared.items() if pair[1] >= fewest]:
            theirs = len(said[id_].words)
            is_newer_on_topic = known >= SAME_MATTER * min(theirs, mine) and (
                known >= 2 or (is_opinion and 2 * known >= min(theirs, mine))
            )
            is_repeated = known >= SAME_STATEMENT * max(theirs, mine)
            is_repeated = is_repeated and denied(id_) == denied(fact.id)
            if not (is_newer_on_topic or is_repeated) or (fact.id, id_) in beside:
                continue
            if own.is_about_different_item(said[id_]):
                continue
            if trust_of(fact) < trust_of(by_id[id_]):  # it takes up nothing of the owner's
                if is_repeated:
                    repeats[fact.id] = id_
                continue
            if is_newer_on_topic:
                newer_on_topic[id_].append(fact.id)
            if is_repeated:
                repeats[id_] = fact.id
    spoken = {fact.id for fact in facts if fact.kind is FactKind.OPINION}
    for opinion in opinions:
        # A line stands several times among its evidence where days are noted below it.
        said_of_it = dict.fromkeys(line.fact_id for line in opinion.evidence)
        lines = [id_ for id_ in said_of_it if id_ in spoken]
        for number, id_ in enumerate(lines):
            least = trust_of(by_id[id_])
            later = (new for new in lines[number + 1 :] if trust_of(by_id[new]) >= least)
            newer_on_topic[id_] += later
    for id_ in reversed(list(repeats)):  # the newest of those that say the same
        while repeats[id_] in repeats:
            repeats[id_] = repeats[repeats[id_]]
    wordings: dict[str, list[str]] = defaultdict(list)
    for id_ in by_id:
        wordings[repeats.get(id_, id_)].append(id_)
    newer = {id_: tuple(ids) for id_, ids in newer_on_topic.items()}
    return Threads(newer, repeats, dict(wordings))
