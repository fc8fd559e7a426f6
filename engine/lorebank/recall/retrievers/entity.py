"""Entity retriever: what is about the entities that the question names, then what only names them
in its text, then what is linked.

What is linked is found by a random walk over who is mentioned beside whom; `index.mention_walk`.
"""

from __future__ import annotations

from lorebank.index.graph import items_naming_entities, items_of_entities
from lorebank.index.mention_walk import walk_mentions
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "entity"
SUBJECT = 1.0
MENTIONED = 0.8
NAMED = 0.4
NEIGHBOUR = 0.25


def retrieve(request: Request) -> Ranking:
    """Facts about the entities, facts that mention them, items whose text names them unmarked,
    then facts linked through others.

    A fact that names several of the entities asked for adds them up. Ties: the newest first.
    """
    wanted = request.understood.entities
    if not wanted:
        return Ranking(NAME, ())
    scores: dict[int, float] = {}
    paths: dict[int, list[str]] = {}
    rows = items_of_entities(request.connection, wanted, request.limit, within=request.within)
    for item, entity, subject in rows:
        scores[item] = scores.get(item, 0.0) + (SUBJECT if subject else MENTIONED)
        paths.setdefault(item, []).append(entity)
    if len(scores) < request.limit:
        _add_named(request, wanted, scores, paths)
    if len(scores) < request.limit:
        _add_linked(request, wanted, scores, paths)
    order = {item: position for position, item in enumerate(scores)}
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], order[entry[0]]))
    return Ranking(
        NAME,
        tuple(Ranked(item, score, {"path": paths[item]}) for item, score in ranked),
    )


def _add_named(
    request: Request,
    wanted: tuple[str, ...],
    scores: dict[int, float],
    paths: dict[int, list[str]],
) -> None:
    """Items whose text names the entities without marking them."""
    rows = items_naming_entities(request.connection, wanted, request.limit, within=request.within)
    marked = frozenset(scores)
    for item, entity in rows:
        if item not in marked and (item in scores or len(scores) < request.limit):
            scores[item] = scores.get(item, 0.0) + NAMED
            paths.setdefault(item, []).append(entity)


def _add_linked(
    request: Request,
    wanted: tuple[str, ...],
    scores: dict[int, float],
    paths: dict[int, list[str]],
) -> None:
    """Facts that a walk from the entities reaches over the facts and entities between."""
    walk = walk_mentions(request.connection, wanted)
    allowed = request.allowed
    linked = [
        (item, mass)
        for item, mass in walk.by_mass()
        if item not in scores and (allowed is None or item in allowed)
    ]
    for item, mass in linked[: request.limit - len(scores)]:
        scores[item] = NEIGHBOUR * mass / linked[0][1]
        paths[item] = walk.path(item)
