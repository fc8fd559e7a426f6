"""Decisions about names, from ledger lines and entity pages, turned into rulings that agree.

Within the ledger a later line overrides an earlier one where it says so (`split`, or a second
target for one name, which is reported); `distinct` always wins over a join. The ledger overrides
the aliases in front matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorebank.domain.facts import Diagnostic
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
    """The aliases of entity pages that the ledger says nothing against and that no other page
    claims."""
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
