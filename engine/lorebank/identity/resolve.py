"""Resolving all names of a workspace: which slug stands for which entity, and what to propose.

Decisions of people come first (the ledger before front matter), then the merges that are safe by
the writing alone. A merge never rests on a chain: every name joined must be the same as every
other one, or have been declared so. The result is a pure function of the names in use and the
decisions on file, so deleting a ledger line restores what was before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import product

from lorebank.domain import Diagnostic
from lorebank.identity.candidates import filed_under, likely_pairs
from lorebank.identity.decisions import Decision, Rulings, rule
from lorebank.identity.keys import Keys, keys_of, scripts_in
from lorebank.identity.names import compare_names
from lorebank.identity.partition import Partition
from lorebank.identity.readings import Reading, read_name
from lorebank.identity.slips import Verdict
from lorebank.records import dataclass

_Pair = tuple[str, str, str]
"""Two slugs and why they may be, or are, one."""


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name in use."""

    slug: str
    name: str
    """As most often written."""
    uses: int = 1
    """How many mentions write it."""
    first: str = ""
    """Where it was first written; only its order counts."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing all names with each other came to."""

    same: tuple[_Pair, ...]
    unsure: tuple[_Pair, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Who is who."""

    entity_of: Mapping[str, str]
    """Every slug in use or in a decision → the slug of its entity."""
    proposals: tuple[_Pair, ...] = ()
    """`(slug, slug, reason)`: two entities that may be one, each pair once, sorted."""
    merged: Mapping[str, str] = field(default_factory=dict)
    """Every slug that lines of the ledger join to others → one slug of those it is joined to."""
    problems: tuple[Diagnostic, ...] = ()
    """Decisions that contradict each other, go in a circle or name nobody."""


def resolve_names(
    uses: Sequence[NameUse],
    decisions: Sequence[Decision],
    compare: Callable[[Mapping[str, str]], Comparison] | None = None,
) -> Resolution:
    """Join the names of one entity, propose what is uncertain, report odd decisions.

    The order of both arguments is of no account. `compare` may save the time of comparing the same
    names again: given slug → name of all names, it returns what `compare_all` would.
    """
    rulings = rule(decisions, frozenset(use.slug for use in uses))
    names = _names(uses, rulings.slugs)
    clusters = _Clusters(names, rulings)
    compared = (compare or compare_all)({slug: use.name for slug, use in names.items()})
    unsure = [*compared.unsure, *clusters.merge_all(compared.same)]
    entity_of = clusters.entity_of()
    return Resolution(
        entity_of=entity_of,
        proposals=_proposals(unsure, entity_of, rulings),
        merged=_merged(rulings),
        problems=rulings.problems,
    )


def compare_all(names: Mapping[str, str]) -> Comparison:
    """The pairs of names, slug → as written, that are the same, and the ambiguous ones."""
    readings = [read_name(name) for name in names.values()]
    scripts = frozenset().union(*map(scripts_in, readings))
    keys = [keys_of(reading, scripts) for reading in readings]
    filed = [filed_under(*pair) for pair in zip(readings, keys, strict=True)]
    return compare_readings_of(list(names), readings, keys, filed)


def compare_readings_of(
    slugs: Sequence[str],
    readings: Sequence[Reading],
    keys: Sequence[Keys],
    filed: Sequence[Collection[str]],
) -> Comparison:
    """`compare_all` for names already read, with their keys and what they are filed under."""
    found = Verdicts()
    for i, j in likely_pairs(readings, keys, filed):
        found.compare((slugs[i], readings[i].written), (slugs[j], readings[j].written))
    return found.comparison()


class Verdicts:
    """Pairs as they are compared."""

    def __init__(self) -> None:
        self._pairs: dict[Verdict, set[_Pair]] = {verdict: set() for verdict in Verdict}

    def compare(self, *pair: tuple[str, str]) -> None:
        """Compare two names, each a slug and how it is written."""
        (slug, name), (other, written) = sorted(pair)
        verdict, reason = compare_names(name, written)
        self._pairs[verdict].add((slug, other, reason))

    def comparison(self) -> Comparison:
        """The pairs that are the same or may be, sorted."""
        return Comparison(
            same=tuple(sorted(self._pairs[Verdict.SAME])),
            unsure=tuple(sorted(self._pairs[Verdict.AMBIGUOUS])),
        )


def _merged(rulings: Rulings) -> dict[str, str]:
    joined = Partition()
    for slug, target in rulings.ledger_joins:
        joined.join(slug, target)
    return {slug: joined.head(slug) for pair in rulings.ledger_joins for slug in pair}


def _names(uses: Sequence[NameUse], also: Iterable[str]) -> dict[str, NameUse]:
    """One use a slug, sorted by slug; slugs known from decisions alone have no mention."""
    found: dict[str, NameUse] = {}
    for use in sorted(uses, key=lambda u: (u.slug, -u.uses, u.first, u.name)):
        known = found.get(use.slug)
        if known is None:
            found[use.slug] = use
        else:
            first = min(known.first, use.first)
            found[use.slug] = NameUse(use.slug, known.name, known.uses + use.uses, first)
    for slug in also:
        found.setdefault(slug, NameUse(slug, slug, 0))
    return {slug: found[slug] for slug in sorted(found)}


def _proposals(
    unsure: Iterable[_Pair], entity_of: Mapping[str, str], rulings: Rulings
) -> tuple[_Pair, ...]:
    settled = {
        frozenset(entity_of[slug] for slug in pair) for pair in rulings.apart | rulings.dismissed
    }
    found: dict[frozenset[str], _Pair] = {}
    for a, b, reason in sorted(unsure):
        pair = frozenset((entity_of[a], entity_of[b]))
        alone = rulings.alone & {a, b}
        if len(pair) == 2 and pair not in settled and not alone:
            first, second = sorted(pair)
            found.setdefault(pair, (first, second, reason))
    return tuple(sorted(found.values()))


class _Clusters:
    """Names being joined: declared ones first, then those that are the same by their writing."""

    def __init__(self, names: Mapping[str, NameUse], rulings: Rulings) -> None:
        self._names = names
        self._rulings = rulings
        self._declared = Partition()
        self._joined = Partition(rulings.apart, rulings.alone)
        for slug, target in rulings.joins:
            self._declared.join(slug, target)
            self._joined.join(slug, target)

    def merge_all(self, same: Iterable[_Pair]) -> list[_Pair]:
        """Join the pairs that are the same wherever their whole clusters are; the others come
        back as pairs to propose."""
        pairs = sorted(same, key=self._strength)
        declared = self._declared.head
        agreed = {frozenset((declared(a), declared(b))) for a, b, _ in pairs}
        refused = []
        for a, b, reason in pairs:
            if self._joined.head(a) == self._joined.head(b):
                continue
            if self._agree(a, b, agreed) and self._joined.clash(a, b) is None:
                self._joined.join(a, b)
            else:
                refused.append((a, b, reason))
        return refused

    def entity_of(self) -> dict[str, str]:
        """Every slug → the slug that its cluster goes by."""
        heads = {slug: self._joined.head(slug) for slug in self._names}
        chosen = {head: self._canonical(self._joined.members(head)) for head in heads.values()}
        return {slug: chosen[head] for slug, head in heads.items()}

    def _strength(self, pair: _Pair) -> tuple[int, str, str]:
        a, b, _ = pair
        return -(self._names[a].uses + self._names[b].uses), a, b

    def _agree(self, a: str, b: str, agreed: set[frozenset[str]]) -> bool:
        """Whether each declared entity of one cluster is the same as each one of the other."""
        ours, theirs = (
            {self._declared.head(member) for member in self._joined.members(name)}
            for name in (a, b)
        )
        return all(frozenset(pair) in agreed for pair in product(ours, theirs))

    def _canonical(self, members: Sequence[str]) -> str:
        rulings = self._rulings
        named = [slug for slug in members if slug in rulings.targets]
        pages = [slug for slug in members if slug in rulings.pages]
        return min(named or pages or members, key=self._standing)

    def _standing(self, slug: str) -> tuple[bool, int, int, str, str]:
        use = self._names[slug]
        return slug not in self._rulings.pages, -use.uses, -len(use.name), use.first, slug
