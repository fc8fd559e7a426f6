"""Claims: what the facts say again and again, with the lines that say it.

A claim is an opinion that is held, or one thing said of one entity in several lines. What was said
on several days is durable; what a newer fact replaced, or what holds for a while only, is not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from lorebank.domain import Citation, Fact, FactKind, Opinion, OpinionStatus, Stance
from lorebank.language.words import content_words
from lorebank.records import dataclass

REPEATED_DAYS = 3
SURE = 0.7
CENTRAL = 12
"""A claim is about one of so many most mentioned entities, or about nobody in particular."""
LONGEST = 300
_ALIKE = 0.6
_STATED = frozenset({FactKind.WORLD, FactKind.OBSERVATION})


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that several lines say."""

    key: str
    """The opinion's id, or the id of the fact that said it first."""
    about: str
    """Display name of whom or what it is about; empty for the author."""
    statement: str
    source: Citation
    """A line that says it in these words."""
    facts: tuple[Fact, ...]
    """Those that speak for it, oldest first."""
    confidence: float | None
    """An opinion's; `None` for what was stated as a fact."""

    @property
    def days(self) -> tuple[date, ...]:
        """The days on which it was said, in order, each once."""
        return tuple(sorted({fact.recorded for fact in self.facts if fact.recorded}))


def alike(one: Iterable[str], other: Iterable[str]) -> float:
    """0..1: which share of the shorter text's words the two have in common."""
    mine, theirs = set(one), set(other)
    smaller = min(len(mine), len(theirs))
    return len(mine & theirs) / smaller if smaller else 0.0


def durable_claims(
    facts: Sequence[Fact],
    opinions: Sequence[Opinion],
    superseded: Mapping[str, str],
    names: Mapping[str, str],
) -> tuple[Claim, ...]:
    """The claims worth keeping in mind, those said on most days first.

    `facts` are dated and oldest first, `names` gives the display names of the central entities by
    slug: claims about others are left out. Opinions carry display names.
    """
    by_id = {fact.id: fact for fact in facts}
    found = [
        *_opinion_claims(opinions, by_id, frozenset(names.values())),
        *_fact_claims(facts, superseded, names),
    ]
    kept = [c for c in found if len(c.days) >= REPEATED_DAYS and len(c.statement) <= LONGEST]
    return tuple(sorted(kept, key=lambda c: (-len(c.days), -c.days[-1].toordinal(), c.key)))


def _opinion_claims(
    opinions: Iterable[Opinion], facts: Mapping[str, Fact], central: frozenset[str]
) -> Iterator[Claim]:
    for opinion in opinions:
        holder = opinion.entities[0] if opinion.entities else ""
        if opinion.status is not OpinionStatus.LIVE or opinion.confidence < SURE:
            continue
        if (holder and holder not in central) or _last_stance(opinion) is Stance.AGAINST:
            continue
        lines = [e for e in opinion.evidence if e.stance is Stance.FOR and e.fact_id in facts]
        said = tuple(facts[e.fact_id] for e in lines)
        worded = [facts[e.fact_id] for e in lines if e.reason in ("stated", "restated")]
        own = set(content_words(opinion.statement))
        worded = [fact for fact in worded if own.intersection(content_words(fact.content))]
        best = max(worded, key=_sureness, default=None)
        yield Claim(
            opinion.id,
            holder,
            opinion.statement if best is None else best.content,
            opinion.source if best is None else best.citation,
            said,
            opinion.confidence,
        )


def _sureness(fact: Fact) -> tuple[float, int]:
    """Of several wordings the surest tells best, then the first, which the opinion goes by."""
    return (fact.confidence or 0.0, -(fact.recorded or date.max).toordinal())


def _last_stance(opinion: Opinion) -> Stance | None:
    return opinion.evidence[-1].stance if opinion.evidence else None


def _fact_claims(
    facts: Iterable[Fact], superseded: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[Claim]:
    by_subject: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        subject = next(iter(fact.subjects), "")
        if _may_last(fact) and fact.id not in superseded and subject in names:
            by_subject[subject].append(fact)
    for subject, lines in by_subject.items():
        for group in _groups(lines):
            newest = group[-1]
            yield Claim(
                group[0].id,
                names[subject],
                newest.content,
                newest.citation,
                tuple(group),
                newest.confidence,
            )


def _may_last(fact: Fact) -> bool:
    """Whether a line states something that need not end by itself."""
    if fact.kind not in _STATED or fact.recorded is None:
        return False
    if fact.confidence is not None and fact.confidence < SURE:
        return False
    when = fact.occurred
    return when is None or when.end is None or when.start is None or when.start == when.end


def _groups(facts: Sequence[Fact]) -> Iterator[list[Fact]]:
    """Lines of one subject that say the same, oldest first; each joins the nearest earlier one."""
    groups: list[tuple[list[Fact], set[str]]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for fact in facts:
        words = set(content_words(fact.content)) - set(fact.slugs)
        near: dict[int, int] = defaultdict(int)
        for word in words:
            for number in by_word[word]:
                near[number] += 1
        best = max(near, key=lambda n: (near[n], -n), default=None)
        if best is not None and _says_the_same(words, groups[best][1]):
            groups[best][0].append(fact)
            continue
        groups.append(([fact], words))
        for word in words:
            by_word[word].append(len(groups) - 1)
    yield from (group for group, _ in groups)


def _says_the_same(words: set[str], others: set[str]) -> bool:
    union = words | others
    numbers = {w for w in words ^ others if any(letter.isdigit() for letter in w)}
    return bool(union) and not numbers and len(words & others) / len(union) >= _ALIKE
