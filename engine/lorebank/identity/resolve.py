"""Resolving all names of a workspace: which slug stands for which entity, and what to propose.

Decisions of people come first (the ledger before front matter), then the merges that are safe by
the writing alone. A merge never rests on a chain: every name joined must be the same as every
other one, or have been declared so. The result is a pure function of the names in use and the
decisions on file, so deleting a ledger line restores what was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from lorebank.domain import Diagnostic
from lorebank.identity.candidates import likely_pairs
from lorebank.identity.decisions import Decision, Rulings, rule
from lorebank.identity.keys import keys_of, scripts_in
from lorebank.identity.names import compare_readings
from lorebank.identity.readings import read_name
from lorebank.identity.slips import Verdict

__all__ = ["Decision", "NameUse", "Resolution", "resolve_names"]


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
class Resolution:
    """Who is who."""

    entity_of: Mapping[str, str]
    """Every slug in use or in a decision → the slug of its entity."""
    proposals: tuple[tuple[str, str, str], ...] = ()
    """`(slug, slug, reason)`: two entities that may be one, each pair once, sorted."""
    problems: tuple[Diagnostic, ...] = ()
    """Decisions that contradict each other, go in a circle or name nobody."""


def resolve_names(uses: Sequence[NameUse], decisions: Sequence[Decision]) -> Resolution:
    """Join the names of one entity, propose what is uncertain, report odd decisions.

    The order of both arguments is of no account.
    """
    rulings = rule(decisions, frozenset(use.slug for use in uses))
    names = _names(uses, rulings.slugs)
    clusters = _Clusters(names, rulings)
    for slug, target in rulings.joins:
        clusters.declare(slug, target)
    same, unsure = _compare_all(names)
    unsure.extend(clusters.merge_all(same))
    entity_of = clusters.entity_of()
    return Resolution(
        entity_of=entity_of,
        proposals=_proposals(unsure, entity_of, rulings),
        problems=rulings.problems,
    )


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


def _compare_all(
    names: Mapping[str, NameUse],
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """The pairs that are the same, and the ambiguous ones, each as `(slug, slug, reason)`."""
    readings = [read_name.__wrapped__(use.name) for use in names.values()]
    scripts = frozenset().union(*map(scripts_in, readings))
    keys = [keys_of(reading, scripts) for reading in readings]
    slugs = list(names)
    verdicts: dict[Verdict, list[tuple[str, str, str]]] = {verdict: [] for verdict in Verdict}
    for i, j in likely_pairs(readings, keys, [use.uses for use in names.values()]):
        verdict, reason = compare_readings(readings[i], keys[i], readings[j], keys[j])
        verdicts[verdict].append((slugs[i], slugs[j], reason))
    return verdicts[Verdict.SAME], verdicts[Verdict.AMBIGUOUS]


def _proposals(
    unsure: Iterable[tuple[str, str, str]], entity_of: Mapping[str, str], rulings: Rulings
) -> tuple[tuple[str, str, str], ...]:
    settled = {
        frozenset(entity_of[slug] for slug in pair) for pair in rulings.apart | rulings.dismissed
    }
    found: dict[frozenset[str], tuple[str, str, str]] = {}
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
        self._head = {slug: slug for slug in names}
        self._declared = {slug: slug for slug in names}
        self._members = {slug: [slug] for slug in names}
        self._groups = {slug: {slug} for slug in names}
        self._apart: dict[str, set[str]] = {}
        for a, b in map(sorted, rulings.apart):
            self._apart.setdefault(a, set()).add(b)
            self._apart.setdefault(b, set()).add(a)

    def declare(self, slug: str, target: str) -> None:
        """Join two names because a person said so."""
        kept, gone = self._head[slug], self._head[target]
        if kept == gone:
            return
        kept, gone = sorted((kept, gone))
        for member in self._members[gone]:
            self._declared[member] = kept
        self._groups[kept] = {kept}
        self._absorb(kept, gone)

    def merge_all(self, same: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
        """Join the pairs that are the same wherever the whole clusters are; the others come back
        as pairs to propose."""
        pairs = sorted(same, key=self._strength)
        agreed = {frozenset((self._declared[a], self._declared[b])) for a, b, _ in pairs}
        refused = []
        for a, b, reason in pairs:
            kept, gone = self._head[a], self._head[b]
            if kept == gone:
                continue
            if self._agree(kept, gone, agreed) and not self._kept_apart(kept, gone):
                groups = self._groups[kept] | self._groups[gone]
                self._absorb(kept, gone)
                self._groups[kept] = groups
            else:
                refused.append((a, b, reason))
        return refused

    def entity_of(self) -> dict[str, str]:
        """Every slug → the slug that its cluster goes by."""
        chosen = {
            head: self._canonical(self._members[head]) for head in set(self._head.values())
        }
        return {slug: chosen[head] for slug, head in self._head.items()}

    def _absorb(self, kept: str, gone: str) -> None:
        for member in self._members[gone]:
            self._head[member] = kept
        self._members[kept] += self._members.pop(gone)
        self._groups.pop(gone)

    def _strength(self, pair: tuple[str, str, str]) -> tuple[int, str, str]:
        a, b, _ = pair
        return -(self._names[a].uses + self._names[b].uses), a, b

    def _agree(self, kept: str, gone: str, agreed: set[frozenset[str]]) -> bool:
        pairs = product(self._groups[kept], self._groups[gone])
        return all(frozenset(pair) in agreed for pair in pairs)

    def _kept_apart(self, kept: str, gone: str) -> bool:
        members = {*self._members[kept], *self._members[gone]}
        if members & self._rulings.alone:
            return True
        return any(self._apart.get(member, set()) & members for member in members)

    def _canonical(self, members: Sequence[str]) -> str:
        rulings = self._rulings
        named = [slug for slug in members if slug in rulings.targets]
        pages = [slug for slug in members if slug in rulings.pages]
        return min(named or pages or members, key=self._standing)

    def _standing(self, slug: str) -> tuple[bool, int, int, str, str]:
        use = self._names[slug]
        return slug not in self._rulings.pages, -use.uses, -len(use.name), use.first, slug
