"""Resolving all names of a workspace: which slug stands for which entity, and what to propose.

Decisions of people come first (the ledger before front matter), then the merges that are safe by
the writing alone. A merge never rests on a chain: every name joined must be the same as every
other one, or have been declared so. The result is a pure function of the names in use and the
decisions on file, so deleting a ledger line restores what was before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product

from lorebank.domain.facts import Diagnostic
from lorebank.names.decisions import Decision, Partition, Rulings, rule
from lorebank.names.lexicon import is_han_or_hangul
from lorebank.names.readings import Reading, read_name
from lorebank.names.verdicts import Keys, Verdict, compare_readings, keys_of, one_edit
from lorebank.records import Record

_Pair = tuple[str, str, str]
"""Two slugs and why they may be, or are, one."""


class NameUse(Record):
    """A name in use."""

    slug: str
    name: str
    """As most often written."""
    uses: int = 1
    """How many mentions write it."""
    first: str = ""
    """The first day it stands for, ISO."""


class Comparison(Record):
    """What comparing all names with each other came to."""

    same: tuple[_Pair, ...]
    unsure: tuple[_Pair, ...]


class Resolution(Record):
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

    The order of both arguments does not matter. `compare` may return cached pairs: given
    slug → name of all names, it returns what `compare_all` would.
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
    slugs = sorted(names)
    readings = [read_name(names[slug]) for slug in slugs]
    pairs: dict[Verdict, list[_Pair]] = {verdict: [] for verdict in Verdict}
    for i, j in likely_pairs(readings):
        verdict, reason = compare_readings(readings[i], readings[j])
        pairs[verdict].append((slugs[i], slugs[j], reason))
    return Comparison(tuple(pairs[Verdict.SAME]), tuple(pairs[Verdict.AMBIGUOUS]))


def _merged(rulings: Rulings) -> dict[str, str]:
    joined = Partition()
    for slug, target in rulings.ledger_joins:
        joined.join(slug, target)
    return {slug: joined.head(slug) for pair in rulings.ledger_joins for slug in pair}


def _names(uses: Sequence[NameUse], also: Iterable[str]) -> dict[str, NameUse]:
    """By slug, sorted; slugs known from decisions alone have no mention."""
    found = {slug: NameUse(slug, slug, 0) for slug in also} | {use.slug: use for use in uses}
    return dict(sorted(found.items()))


def _proposals(
    unsure: Iterable[_Pair], entity_of: Mapping[str, str], rulings: Rulings
) -> tuple[_Pair, ...]:
    decided = {
        frozenset(entity_of[slug] for slug in pair) for pair in rulings.apart | rulings.dismissed
    }
    found: dict[frozenset[str], _Pair] = {}
    for a, b, reason in sorted(unsure):
        pair = frozenset((entity_of[a], entity_of[b]))
        alone = rulings.alone & {a, b}
        if len(pair) == 2 and pair not in decided and not alone:
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
        chosen = {head: self._canonical(self._joined.members(head)) for head in {*heads.values()}}
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


_CROWD = 48
"""A key that more names share pairs nobody: a first name that fits fifty full names would only make
fifty proposals. Chosen by hand; real first names of one workspace stay far below."""
_LONGEST_NAME = 64
"""Letters; a slip in a longer one is not looked for."""
_OWN, _SHORTER, _LONGER, _SLIP = "osle"


def likely_pairs(readings: Sequence[Reading]) -> list[tuple[int, int]]:
    """Pairs of indices worth comparing, lower one first, sorted; all other pairs are different.

    Each name is filed in blocks, and paired with those in the blocks that it looks up.
    """
    keys = [keys_of(reading) for reading in readings]
    blocks: dict[str, list[int]] = defaultdict(list)
    for i, reading in enumerate(readings):
        for block in _blocks(reading, keys[i], _SHORTER, _LONGER):
            blocks[block].append(i)
    pairs: set[tuple[int, int]] = set()
    for i, reading in enumerate(readings):
        for block in _blocks(reading, keys[i], _LONGER, _SHORTER):
            members = blocks.get(block)
            if members is None or (len(members) == 1 and members[0] == i):
                continue
            is_slip = block.startswith(_SLIP)
            if not is_slip and _is_crowded(block, blocks):
                continue
            for j in members:
                if i != j and (not is_slip or _one_slip_apart(reading, readings[j])):
                    pairs.add((i, j) if i < j else (j, i))
    return sorted(pairs)


def _blocks(reading: Reading, keys: Keys, short: str, long: str) -> Iterator[str]:
    """The blocks in which a name is filed, or with short and long exchanged those in which it finds
    the others. Words one slip apart are the same once a letter of one or both is left out."""
    yield from (f"{_OWN}{key}" for key in keys.own)
    yield from (f"{short}{key}" for key in keys.short)
    yield from (f"{long}{key}" for key in keys.long)
    if len(reading.joined) > _LONGEST_NAME:
        return
    for place, word in enumerate(reading.tokens):
        if len(word) > 1 and not word[0].isdigit() and not is_han_or_hangul(word):
            before, after = " ".join(reading.tokens[:place]), " ".join(reading.tokens[place + 1 :])
            for spelled in {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}:
                yield f"{_SLIP}{before} <{spelled}> {after}"


def _is_crowded(block: str, blocks: Mapping[str, Sequence[int]]) -> bool:
    """Whether so many names share a key that it says nothing about any two of them."""
    if block.startswith(f"{_OWN}same|"):
        return False
    own = block.startswith(_OWN)
    counted = (block,) if own else (f"{_SHORTER}{block[1:]}", f"{_LONGER}{block[1:]}")
    return any(len(blocks.get(one, ())) > _CROWD for one in counted)


def _one_slip_apart(a: Reading, b: Reading) -> bool:
    """Whether the names differ in one word, and there in one letter."""
    if len(a.tokens) != len(b.tokens):
        return False
    odd = [(x, y) for x, y in zip(a.tokens, b.tokens, strict=True) if x != y]
    return len(odd) == 1 and one_edit(*odd[0]) is not None
