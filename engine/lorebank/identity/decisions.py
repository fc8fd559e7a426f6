"""Decisions about names, from ledger lines and entity pages, turned into rulings that agree.

Within the ledger a later line overrides an earlier one where it says so (`split`, or a second
target for one name, which is reported); `distinct` always wins over a join. The ledger overrides
the aliases in front matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lorebank.domain import Diagnostic

__all__ = ["Decision", "Rulings", "rule"]

_JOINS = frozenset({"alias", "merge", "rename"})


@dataclass(frozen=True, slots=True)
class Decision:
    """What one line says about one or two names."""

    action: str
    """`alias`, `merge`, `rename` (slug → target), `distinct`, `split`, `dismiss` (slug and target;
    a `split` without target parts the name from all others), `page` (the slug has an entity page),
    or `page-alias` (front matter: slug is an alias of the page `target`). An `alias` that stands
    on an entity page is read as `page-alias`."""
    slug: str
    target: str = ""
    path: str = ""
    line: int = 0
    """1-based; later lines of one file override earlier ones."""


@dataclass(frozen=True, slots=True)
class Rulings:
    """What the decisions come to."""

    joins: tuple[tuple[str, str], ...]
    """Pairs declared one, `(slug, target)`, free of contradiction."""
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
    front = [d for d in ordered if d.action == "page-alias" or _on_page(d, page_paths)]
    ledger = [d for d in ordered if d.action != "page" and d not in front]
    problems = _unknown_names(ledger, used | pages)
    apart = {_pair(d) for d in ledger if d.action == "distinct" and d.target != d.slug}
    joins, split, alone = _replay(ledger)
    joins = _last_target(joins, problems)
    problems += _circles(joins)
    joins = _consistent(joins, apart | split, alone, problems)
    joins += _page_aliases(front, joins, apart | split, alone, problems)
    leaving = {d.slug for d in joins}
    return Rulings(
        joins=tuple((d.slug, d.target) for d in joins),
        apart=frozenset(apart | split),
        alone=frozenset(alone),
        dismissed=frozenset(_pair(d) for d in ledger if d.action == "dismiss"),
        pages=pages,
        targets=frozenset(d.target for d in joins if d in ledger and d.target not in leaving),
        slugs=frozenset(slug for d in ordered for slug in (d.slug, d.target) if slug),
        problems=tuple(sorted(problems, key=lambda p: (p.path, p.line, p.code, p.message))),
    )


def _on_page(decision: Decision, page_paths: set[str]) -> bool:
    return decision.action == "alias" and bool(decision.path) and decision.path in page_paths


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


def _last_target(joins: list[Decision], problems: list[Diagnostic]) -> list[Decision]:
    """Of several targets of one name the last one counts, unless they are one entity anyway."""
    kept: list[Decision] = []
    for place, join in enumerate(joins):
        others = [j for j in joins[place + 1 :] if j.slug == join.slug and j.target != join.target]
        rest = [j for j in joins if j.slug != join.slug]
        if others and not _connected(join.target, others[-1].target, rest):
            winner = others[-1]
            problems.append(
                _problem(
                    join,
                    "identity-two-targets",
                    f"{join.slug} is joined to {join.target} here and to {winner.target} in"
                    f" {winner.path}:{winner.line}, which counts",
                )
            )
        else:
            kept.append(join)
    return kept


def _circles(joins: Sequence[Decision]) -> list[Diagnostic]:
    """One problem for each circle of joins, at its last line."""
    target_of = {join.slug: join for join in joins}
    found: list[Diagnostic] = []
    reported: set[str] = set()
    for start in sorted(target_of):
        trail: list[Decision] = []
        slug = start
        while slug in target_of and target_of[slug] not in trail:
            trail.append(target_of[slug])
            slug = target_of[slug].target
        circle = [join.slug for join in trail]
        if slug == start and trail and not reported.intersection(circle):
            reported.update(circle)
            last = max(trail, key=lambda join: (join.path, join.line))
            around = " → ".join([*circle, start])
            found.append(_problem(last, "identity-circle", f"names go in a circle: {around}"))
    return found


def _consistent(
    joins: Sequence[Decision],
    apart: set[frozenset[str]],
    alone: set[str],
    problems: list[Diagnostic],
) -> list[Decision]:
    """The joins that bring no two names together which are to stay apart."""
    kept: list[Decision] = []
    for join in joins:
        clash = _clash([*kept, join], join, apart, alone)
        if clash:
            message = f"{join.slug} and {join.target} are not joined: {clash} are kept apart"
            problems.append(_problem(join, "identity-contradiction", message))
        else:
            kept.append(join)
    return kept


def _page_aliases(
    front: Sequence[Decision],
    joins: Sequence[Decision],
    apart: set[frozenset[str]],
    alone: set[str],
    problems: list[Diagnostic],
) -> list[Decision]:
    """The aliases of entity pages that the ledger says nothing against, and no other page claims."""
    decided = {join.slug for join in joins}
    kept: list[Decision] = []
    for alias in front:
        if alias.slug == alias.target or not alias.target or alias.slug in decided:
            continue
        rivals = sorted({a.target for a in front if a.slug == alias.slug} - {alias.target})
        if rivals and not all(_connected(alias.target, rival, joins) for rival in rivals):
            message = f"{alias.slug} is an alias of {alias.target} and of {', '.join(rivals)}"
            problems.append(_problem(alias, "identity-two-pages", f"{message}: of neither"))
        elif not _clash([*joins, *kept, alias], alias, apart, alone):
            kept.append(alias)
    return kept


def _clash(
    joins: Sequence[Decision], join: Decision, apart: set[frozenset[str]], alone: set[str]
) -> str:
    """Two names kept apart that the joins would bring together, as `a and b`; empty if none."""
    together = _reach(join.slug, joins)
    for pair in sorted(map(sorted, apart)):
        if together.issuperset(pair):
            return " and ".join(pair)
    lonely = sorted(alone & together)
    return f"{lonely[0]} and all others" if lonely else ""


def _connected(a: str, b: str, joins: Sequence[Decision]) -> bool:
    return b in _reach(a, joins)


def _reach(start: str, joins: Sequence[Decision]) -> set[str]:
    reached, size = {start}, 0
    while size < len(reached):
        size = len(reached)
        for join in joins:
            pair = _pair(join)
            if reached & pair:
                reached |= pair
    return reached


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
