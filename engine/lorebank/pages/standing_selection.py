"""Which facts belong on a standing page by its own settings: words, kinds, entity, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from lorebank.dates.query import parse_bound
from lorebank.domain import Entity, Fact, FactKind, OpinionStatus
from lorebank.errors import NotFound, UsageError
from lorebank.language.folding import fold, slugify
from lorebank.language.words import words
from lorebank.pages.pages import BankContent, held_text
from lorebank.pages.weighing import latest_wordings, outweighed
from lorebank.records import dataclass
from lorebank.workspace.standing import StandingPage


@dataclass(frozen=True, slots=True)
class Selector:
    """A standing page's settings, understood."""

    phrases: tuple[tuple[tuple[str, ...], bool], ...]
    """The tokens of each phrase, and whether the last one may go on."""
    kinds: frozenset[str]
    entity: str
    """A slug, or empty."""
    since: date | None
    ahead: date | None
    """Only what lies after this day, or goes on after it."""
    moved: bool = False
    """Opinions that moved, in place of facts."""

    @classmethod
    def of(cls, page: StandingPage, entities: Mapping[str, Entity], today: date) -> Selector:
        """`UsageError` for a time that is not understood, `NotFound` for an unknown entity."""
        return cls(
            phrases=tuple(
                (tuple(words(text.rstrip("*"))), text.endswith("*")) for text in page.words
            ),
            kinds=frozenset(page.kinds),
            entity=_slug(page.entity, entities) if page.entity else "",
            since=_day(page.since, today) if page.since else None,
            ahead=today if page.ahead else None,
            moved=page.moved,
        )

    @property
    def is_wide(self) -> bool:
        """Whether nothing but the question says what belongs on the page."""
        return not (self.phrases or self.kinds or self.ahead or self.moved)

    def newest(self, facts: Sequence[Fact]) -> list[Fact]:
        """The facts that belong on the page, newest first; none where `is_wide` or `moved`."""
        if self.is_wide or self.moved:
            return []
        chosen = [fact for fact in facts if self._takes(fact)]
        return sorted(
            chosen,
            key=lambda f: (
                -(f.recorded or date.min).toordinal(),
                f.citation.path,
                f.citation.start_line,
            ),
        )

    def takes_kind(self, kind: str) -> bool:
        """Whether facts of that kind may answer, by its name: `world`, or `note` for prose."""
        wanted = {known.value for known in FactKind if known.letter in self.kinds}
        return not wanted or kind in wanted

    def _takes(self, fact: Fact) -> bool:
        occurred = fact.occurred
        happened = (occurred.end or occurred.start) if occurred else fact.recorded
        return (
            (not self.kinds or fact.kind.letter in self.kinds)
            and (not self.entity or self.entity in fact.slugs)
            and (self.since is None or (happened is not None and happened >= self.since))
            and (self.ahead is None or _is_ahead(fact, self.ahead))
            and (not self.phrases or self._holds_phrase(fact.content))
        )

    def _holds_phrase(self, text: str) -> bool:
        tokens = words(text)
        return any(_holds(tokens, phrase, goes_on) for phrase, goes_on in self.phrases)


def current_facts(content: BankContent) -> list[Fact]:
    """The facts that hold: neither superseded, nor a statement of an opinion no longer held, nor
    turned by newer evidence; of lines that state one opinion, the last."""
    gone = set(outweighed(content.opinions))
    gone |= {old for old, new in latest_wordings(content.opinions).items() if old != new}
    for opinion in content.opinions:
        if opinion.status is not OpinionStatus.LIVE:
            gone |= {e.fact_id for e in opinion.evidence if e.reason in ("stated", "restated")}
    held = ((fact, held_text(fact, content)) for fact in content.facts if fact.id not in gone)
    return [
        fact if text == fact.content else replace(fact, content=text) for fact, text in held if text
    ]


def _holds(tokens: Sequence[str], phrase: Sequence[str], goes_on: bool) -> bool:
    """Whether the phrase's tokens stand side by side."""
    length = len(phrase)
    if not length:
        return False
    *first, last = phrase
    for start in range(len(tokens) - length + 1):
        end = tokens[start + length - 1]
        if list(tokens[start : start + length - 1]) == first and (
            end == last or (goes_on and end.startswith(last))
        ):
            return True
    return False


def _is_ahead(fact: Fact, today: date) -> bool:
    """Whether what the fact tells has days of its own, and the last of them is still to come."""
    occurred = fact.occurred
    if occurred is None:
        return False
    last = occurred.end or occurred.start
    return last is not None and last > today


def _day(text: str, today: date) -> date:
    day = parse_bound(text, today, side="start")
    if day is None:
        raise UsageError(f"since: expected a day such as 2025-11-27 or 90d, not {text!r}")
    return day


def _slug(name: str, entities: Mapping[str, Entity]) -> str:
    slug = slugify(name)
    if slug in entities:
        return slug
    for entity in entities.values():
        if fold(name) in map(fold, entity.aliases):
            return entity.slug
    raise NotFound(f"entity: expected a name that the notes mention, not {name!r}")
