"""Resolving all names of a workspace: which slug stands for which entity, and what to propose.

Decisions of people come first (the ledger before front matter), then the merges that are safe by
the writing alone. A merge never rests on a chain: every name joined must be the same as every
other one, or have been declared so. The result is a pure function of the names in use and the
decisions on file, so deleting a ledger line restores what was before.

Within the ledger a later line overrides an earlier one where it says so (`split`, or a second
target for one name, which is reported); `distinct` always wins over a join. The ledger overrides
the aliases in front matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product

from lorebank.domain.facts import Diagnostic
from lorebank.names.lexicon import is_han_or_hangul
from lorebank.names.readings import Reading, read_name
from lorebank.names.verdicts import Keys, Verdict, compare_readings, keys_of, one_edit
from lorebank.records import Record

_JOINS = frozenset({"alias", "merge", "rename"})


class Decision(Record):
    """What one line says about one or two names."""

    action: str
    """`alias`, `merge`, `rename` (slug → target), `distinct`, `split`, `dismiss` (slug and target;
    a `split` without target parts the name from all others, a `dismiss` without one says that
    nothing about the name is to be reported), or `page` (the slug has an entity page). An `alias`
    that stands on an entity page is front matter's."""
    slug: str
    target: str = ""
    path: str = ""
    line: int = 0
    """1-based; later lines of one file override earlier ones."""


class Rulings(Record):
    """What the decisions come to."""

    joins: tuple[tuple[str, str], ...]
    """Pairs declared one, `(slug, target)`, free of contradiction."""
    ledger_joins: tuple[tuple[str, str], ...]
    """Those of them that stand in the ledger."""
    apart: frozenset[frozenset[str]]
    """Pairs that no merge may join, not even through others."""
    alone: frozenset[str]
    """Names that were split from all others."""
    dismissed: frozenset[frozenset[str]]
    """Pairs not to be proposed again."""
    pages: frozenset[str]
    targets: frozenset[str]
    """The names that ledger lines join others into, and that go by no other name themselves."""
    slugs: frozenset[str]
    """Every name that stands in a decision."""
    problems: tuple[Diagnostic, ...]


def rule(decisions: Sequence[Decision], used: frozenset[str]) -> Rulings:
    """Weigh all decisions; `used` are the slugs that mentions write."""
    ordered = sorted(set(decisions), key=lambda d: (d.path, d.line, d.action, d.slug, d.target))
    pages = frozenset(d.slug for d in ordered if d.action == "page")
    page_paths = {d.path for d in ordered if d.action == "page"}
    front = [d for d in ordered if _is_page_alias(d, page_paths)]
    ledger = [d for d in ordered if d.action != "page" and not _is_page_alias(d, page_paths)]
    problems = _unknown_names(ledger, used | pages)
    apart = {_pair(d) for d in ledger if d.action == "distinct" and d.target not in ("", d.slug)}
    joins, split, alone = _replay(ledger)
    apart |= split
    joins = _last_targets(joins, problems)
    problems += _circles(joins)
    joined = Partition(apart, alone)
    joins = _consistent(joins, joined, problems)
    aliases = _page_aliases(front, {join.slug for join in joins}, joined, problems)
    leaving = {join.slug for join in joins}
    return Rulings(
        joins=tuple((join.slug, join.target) for join in joins + aliases),
        ledger_joins=tuple((join.slug, join.target) for join in joins),
        apart=frozenset(apart),
        alone=frozenset(alone),
        dismissed=frozenset(_pair(d) for d in ledger if d.action == "dismiss" and d.target),
        pages=pages,
        targets=frozenset(join.target for join in joins if join.target not in leaving),
        slugs=frozenset(slug for d in ordered for slug in (d.slug, d.target) if slug),
        problems=tuple(sorted(problems, key=lambda p: (p.path, p.line, p.code, p.message))),
    )


def _is_page_alias(decision: Decision, page_paths: set[str]) -> bool:
    return decision.action == "alias" and decision.path in page_paths


def _pair(decision: Decision) -> frozenset[str]:
    return frozenset((decision.slug, decision.target))


def _replay(ledger: Iterable[Decision]) -> tuple[list[Decision], set[frozenset[str]], set[str]]:
    """The joins that no later split undoes, and the splits that no later join undoes."""
    joins: list[Decision] = []
    split: set[frozenset[str]] = set()
    alone: set[str] = set()
    for decision in ledger:
        if decision.action in _JOINS and decision.target not in ("", decision.slug):
            split.discard(_pair(decision))
            alone -= _pair(decision)
            joins.append(decision)
        elif decision.action == "split" and decision.target:
            joins = [join for join in joins if _pair(join) != _pair(decision)]
            split.add(_pair(decision))
        elif decision.action == "split":
            joins = [join for join in joins if decision.slug not in _pair(join)]
            alone.add(decision.slug)
    return joins, split, alone


def _last_targets(joins: Sequence[Decision], problems: list[Diagnostic]) -> list[Decision]:
    """Of several targets of one name the last one counts, unless they are one entity anyway."""
    last = {join.slug: join for join in joins}
    doubtful = {join.slug for join in joins if join.target != last[join.slug].target}
    certain = Partition()
    for join in joins:
        if join.slug not in doubtful:
            certain.join(join.slug, join.target)
    kept: list[Decision] = []
    for join in joins:
        winner = last[join.slug]
        if certain.head(join.target) == certain.head(winner.target):
            kept.append(join)
            continue
        message = f"{join.slug} is joined to {join.target} here and to {winner.target} in"
        where = f"{winner.path}:{winner.line}"
        problems.append(_problem(join, "identity-two-targets", f"{message} {where}, which counts"))
    return kept


def _circles(joins: Sequence[Decision]) -> list[Diagnostic]:
    """One problem for each circle of joins, at its last line."""
    target_of = {join.slug: join for join in joins}
    found: list[Diagnostic] = []
    done: set[str] = set()
    for start in sorted(target_of):
        trail: dict[str, None] = {}
        slug = start
        while slug in target_of and slug not in trail and slug not in done:
            trail[slug] = None
            slug = target_of[slug].target
        done.update(trail)
        if slug in trail:
            names = list(trail)
            circle = names[names.index(slug) :]
            first = circle.index(min(circle))
            circle = [*circle[first:], *circle[: first + 1]]
            last = max((target_of[name] for name in circle), key=lambda j: (j.path, j.line))
            message = f"names go in a circle: {' → '.join(circle)}"
            found.append(_problem(last, "identity-circle", message))
    return found


def _consistent(
    joins: Sequence[Decision], joined: Partition, problems: list[Diagnostic]
) -> list[Decision]:
    """The joins that bring no two names together which are to stay apart, now made."""
    kept: list[Decision] = []
    for join in joins:
        clash = joined.clash(join.slug, join.target)
        if clash is None:
            joined.join(join.slug, join.target)
            kept.append(join)
        else:
            others = clash[1] or "all others"
            message = f"{join.slug} and {join.target} are not joined: {clash[0]} and {others}"
            problems.append(_problem(join, "identity-contradiction", f"{message} are kept apart"))
    return kept


def _page_aliases(
    front: Sequence[Decision], decided: set[str], joined: Partition, problems: list[Diagnostic]
) -> list[Decision]:
    """The aliases of entity pages that neither the ledger nor another page speaks against."""
    claims: dict[str, set[str]] = {}
    for alias in front:
        if alias.target not in ("", alias.slug) and alias.slug not in decided:
            claims.setdefault(alias.slug, set()).add(alias.target)
    entities = {slug: {joined.head(t) for t in targets} for slug, targets in claims.items()}
    kept: list[Decision] = []
    for alias in front:
        if alias.target not in claims.get(alias.slug, ()):
            continue
        if len(entities[alias.slug]) > 1:
            pages = " and of ".join(sorted(claims[alias.slug]))
            message = f"{alias.slug} is an alias of {pages}, so of neither"
            problems.append(_problem(alias, "identity-two-pages", message))
        elif joined.clash(alias.slug, alias.target) is None:
            joined.join(alias.slug, alias.target)
            kept.append(alias)
    return kept


def _unknown_names(ledger: Iterable[Decision], known: frozenset[str]) -> list[Diagnostic]:
    """Ledger lines that speak of a name which nobody uses; the new name of a join may be new."""
    coined = {d.target for d in ledger if d.action == "rename"}
    found = []
    for decision in ledger:
        wanted = [decision.slug, decision.target]
        if decision.action in _JOINS:
            wanted = [decision.target] if decision.action != "rename" else [decision.slug]
        for slug in wanted:
            if slug and slug not in known and slug not in coined:
                message = f"{decision.action}: nobody is called {slug}"
                found.append(_problem(decision, "identity-unknown-name", message))
    return found


def _problem(decision: Decision, code: str, message: str) -> Diagnostic:
    return Diagnostic(path=decision.path, line=decision.line, code=code, message=message)


class Partition:
    """A union of sets in which a join that would bring forbidden names together can be seen
    beforehand. Names need no announcing; one never joined is a group of its own."""

    def __init__(self, apart: Iterable[frozenset[str]] = (), alone: Iterable[str] = ()) -> None:
        self._head: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._alone = frozenset(alone)
        self._apart: dict[str, set[str]] = {}
        for pair in apart:
            for name in pair:
                self._apart.setdefault(name, set()).update(pair - {name})

    def head(self, name: str) -> str:
        """The name that stands for the group; which one is of no account."""
        return self._head.get(name, name)

    def members(self, name: str) -> list[str]:
        return self._members.get(self.head(name), [name])

    def join(self, a: str, b: str) -> None:
        kept, gone = self.head(a), self.head(b)
        if kept == gone:
            return
        if len(self.members(kept)) < len(self.members(gone)):
            kept, gone = gone, kept
        joined = self._members.setdefault(kept, [kept])
        for member in self._members.pop(gone, [gone]):
            self._head[member] = kept
            joined.append(member)

    def clash(self, a: str, b: str) -> tuple[str, str] | None:
        """Two names to be kept apart that joining `a` and `b` would bring together; the second is
        empty for a name that is to stay alone. `None`: nothing is against it."""
        if self.head(a) == self.head(b) or not (self._apart or self._alone):
            return None
        lonely = sorted(self._alone & {a, b})  # such a name is never joined to another
        if lonely:
            return lonely[0], ""
        few, many = sorted((self.members(a), self.members(b)), key=len)
        head = self.head(many[0])
        found = [
            (min(name, other), max(name, other))
            for name in few
            for other in self._apart.get(name, ())
            if self.head(other) == head
        ]
        return min(found, default=None)


_Pair = tuple[str, str, str]  # two slugs and why they may be, or are, one


class NameUse(Record):
    """A name in use."""

    slug: str
    name: str  # as most often written
    uses: int = 1  # how many mentions write it
    first: str = ""  # the first day it stands for, ISO


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
    keys = [keys_of(reading) for reading in readings]
    for i, j in likely_pairs(readings, keys):
        verdict, reason = compare_readings(readings[i], readings[j], keys[i].shared(keys[j]))
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
        """Join pairs whose whole clusters are the same; the others come back as proposals."""
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
_LONGEST_NAME = 64  # letters; a slip in a longer one is not looked for
_OWN, _SHORTER, _LONGER, _SLIP = "osle"


def likely_pairs(readings: Sequence[Reading], keys: Sequence[Keys]) -> list[tuple[int, int]]:
    """Pairs of indices worth comparing, lower one first, sorted; all other pairs are different.

    Each name is filed in blocks, and paired with those in the blocks that it looks up.
    """
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
