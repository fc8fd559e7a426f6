"""Resolving all names of a workspace: which slug stands for which entity, and what to propose.

Decisions of people come first (the ledger before front matter), then the merges that are safe by
the writing alone. A merge never rests on a chain: every name joined must be the same as every
other one, or have been declared so. The result is a pure function of the names in use and the
decisions on file, so deleting a ledger line restores what was before.

A name is filed under some texts and its partners are looked up under others; both are made of the
name alone, so a name that comes or goes changes its own pairs and no others, unless a key becomes
or ceases to be crowded. The index keeps the same texts (`index.compared_names`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product

from lorebank.domain import Diagnostic
from lorebank.names.decisions import Decision, Partition, Rulings, rule
from lorebank.names.keys import Keys, keys_of, scripts_in
from lorebank.names.readings import Reading, read_name
from lorebank.names.scripts import is_han_or_hangul
from lorebank.names.verdicts import Verdict, compare_names, one_edit
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


_CROWD = 48
"""Under a key that more names bear nobody is paired: a first name that fits so many full names is
no help to anybody as that many proposals."""
_SHORT = 7
"""Letters up to which a name of one word is filed without each of its letters in turn."""
_OWN, _SHORTER, _LONGER, _SLIP = "osle"


def filed_under(reading: Reading, keys: Keys) -> set[str]:
    """The texts under which others find this name."""
    filed = {f"{_OWN}{key}" for key in keys.own}
    filed.update(f"{_SHORTER}{key}" for key in keys.short)
    filed.update(f"{_LONGER}{key}" for key in keys.long)
    for place, word in _words(reading):
        if len(reading.tokens) > 1 or len(word) >= _SHORT:
            filed.update(_halves(reading, place, word, len(word)))
        if len(reading.tokens) == 1 and len(word) <= _SHORT:
            filed.update(_without_a_letter(word))
    return filed


def looked_up(reading: Reading, keys: Keys) -> set[str]:
    """The texts under which this name finds the names that may be the same."""
    wanted = {f"{_OWN}{key}" for key in keys.own}
    wanted.update(f"{_LONGER}{key}" for key in keys.short)
    wanted.update(f"{_SHORTER}{key}" for key in keys.long)
    for place, word in _words(reading):
        if len(reading.tokens) > 1 or len(word) >= _SHORT:
            for size in (len(word) - 1, len(word), len(word) + 1):
                wanted.update(_halves(reading, place, word, size))
        if len(reading.tokens) == 1 and len(word) <= _SHORT:
            wanted.update(_without_a_letter(word))
    return wanted


def is_slip_key(text: str) -> bool:
    """Whether a text tells of names that only may be one slip apart: `one_slip_apart` decides."""
    return text.startswith(_SLIP)


def crowding(text: str) -> tuple[tuple[str, ...], int]:
    """Under which texts names are to be counted before one is looked up, and how many each may
    hold; no texts: as many as there are."""
    if text.startswith((_SLIP, f"{_OWN}same|")):
        return (), 0
    if text.startswith(_OWN):
        return (text,), _CROWD
    return (f"{_SHORTER}{text[1:]}", f"{_LONGER}{text[1:]}"), _CROWD


def one_slip_apart(a: Reading, b: Reading) -> bool:
    """Whether the names differ in one word, and there in one letter."""
    if len(a.tokens) != len(b.tokens):
        return False
    odd = [(x, y) for x, y in zip(a.tokens, b.tokens, strict=True) if x != y]
    return len(odd) == 1 and one_edit(*odd[0]) is not None


def likely_pairs(
    readings: Sequence[Reading], keys: Sequence[Keys], texts: Sequence[Collection[str]]
) -> list[tuple[int, int]]:
    """Pairs of indices, lower one first, each once, sorted; all other pairs are different.

    `texts`: what `filed_under` says of each.
    """
    filed: dict[str, list[int]] = defaultdict(list)
    for i, own_texts in enumerate(texts):
        for text in own_texts:
            filed[text].append(i)
    pairs: set[tuple[int, int]] = set()
    for i, (reading, own) in enumerate(zip(readings, keys, strict=True)):
        for text in looked_up(reading, own):
            block = filed.get(text)
            if block is None or (len(block) == 1 and block[0] == i):
                continue
            slip = is_slip_key(text)
            if not slip and _is_crowded(text, filed):
                continue
            for j in block:
                if i != j and (not slip or one_slip_apart(reading, readings[j])):
                    pairs.add((i, j) if i < j else (j, i))
    return sorted(pairs)


def _is_crowded(text: str, filed: dict[str, list[int]]) -> bool:
    counted, most = crowding(text)
    return any(len(filed.get(one, ())) > most for one in counted)


def _words(reading: Reading) -> Iterator[tuple[int, str]]:
    """The words in which a slip may be, with their places."""
    if len(reading.joined) > 64:
        return
    for place, word in enumerate(reading.tokens):
        if len(word) > 1 and not word[0].isdigit() and not is_han_or_hangul(word):
            yield place, word


def _halves(reading: Reading, place: int, word: str, size: int) -> Collection[str]:
    """One slip leaves the first or the second half of a word as it was; `size` is how long the
    word is in the name that is filed, with the slip or without."""
    half = max(0, size - 2) // 2
    others = " ".join((*reading.tokens[:place], "\0", *reading.tokens[place + 1 :]))
    at = f"{_SLIP}{size} {others}"
    return (f"{at}<{word[:half]}", f"{at}>{word[len(word) - half :]}")


def _without_a_letter(word: str) -> set[str]:
    """The word, and the word without each of its letters: words one slip apart share one."""
    return {f"{_SLIP}{word}"} | {
        f"{_SLIP}{word[:place]}{word[place + 1 :]}" for place in range(len(word))
    }
