"""Entity retriever: what is linked to the entities that the question names."""

from __future__ import annotations

from lorebank.index.graph import items_of_entities, neighbour_weights
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

__all__ = ["NAME", "retrieve"]

NAME = "entity"
SUBJECT = 1.0
MENTIONED = 0.8
NEIGHBOUR = 0.25


def retrieve(request: Request) -> Ranking:
    """Facts about the entities, facts that mention them, then facts about their neighbours.

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
        _add_neighbours(request, wanted, scores, paths)
    order = {item: position for position, item in enumerate(scores)}
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], order[entry[0]]))
    return Ranking(
        NAME,
        tuple(Ranked(item, score, {"path": paths[item]}) for item, score in ranked),
    )


def _add_neighbours(
    request: Request,
    wanted: tuple[str, ...],
    scores: dict[int, float],
    paths: dict[int, list[str]],
) -> None:
    weights = neighbour_weights(request.connection, wanted)
    room = request.limit - len(scores)
    rows = items_of_entities(request.connection, tuple(weights), room, within=request.within)
    for item, entity, _ in rows:
        if item in scores and item not in paths:
            continue
        reached = NEIGHBOUR * weights[entity]
        if scores.get(item, 0.0) < reached:
            scores[item] = reached
            paths[item] = [wanted[0], entity]
