"""The graph of who is seen with whom: its shape through networkx, and its export.

Entities are nodes, facts that mention two of them an edge; an edge weighs as many as there are
such facts. networkx is imported when a graph is asked for, never before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lorebank.database.connection import Connection, select
from lorebank.domain.answers import EntityGraph, GraphEdge, GraphNode
from lorebank.domain.facts import Citation
from lorebank.errors import UsageError

if TYPE_CHECKING:
    import networkx as nx

_EXACT_NODES = 500
"""Up to this many nodes betweenness is exact; above it is estimated from as many sources."""
_SEED = 0


def entity_graph(connection: Connection) -> EntityGraph:
    """All entities with their components, communities, bridges and centrality."""
    import networkx as nx

    graph = _load(connection)
    components = _numbered(nx.connected_components(graph))
    communities = _numbered(
        nx.community.louvain_communities(graph, weight="weight", seed=_SEED)
        if graph.number_of_edges()
        else ({node} for node in graph)
    )
    samples = min(graph.number_of_nodes(), _EXACT_NODES) or None
    between = nx.betweenness_centrality(graph, k=samples, seed=_SEED) if graph else {}
    bridges = {frozenset(edge) for edge in nx.bridges(graph)}
    nodes = [
        GraphNode(
            slug,
            **data,
            component=components[slug],
            community=communities[slug],
            degree=int(graph.degree(slug, weight="weight")),
            centrality=round(between[slug], 6),
        )
        for slug, data in graph.nodes(data=True)
    ]
    edges = [
        GraphEdge(a, b, **data, bridge=frozenset((a, b)) in bridges)
        for a, b, data in graph.edges(data=True)
    ]
    return EntityGraph(
        nodes=tuple(sorted(nodes, key=lambda n: (-n.centrality, -n.degree, n.slug))),
        edges=tuple(sorted(edges, key=lambda e: (-e.weight, e.a, e.b))),
    )


def export_graph(graph: EntityGraph, form: str) -> str:
    """The graph as text; `UsageError` for a format that is none of `GRAPH_FORMATS`."""
    if form not in _WRITERS:
        raise UsageError(f"no graph format {form!r}", hint=f"one of {', '.join(GRAPH_FORMATS)}")
    return _WRITERS[form](graph)


def _load(connection: Connection) -> nx.Graph[str]:
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    for slug, name, kind, facts in select(
        connection, "SELECT slug, name, type, facts FROM entities ORDER BY slug"
    ):
        graph.add_node(slug, name=name, type=kind, facts=facts)
    for a, b, weight, place in select(
        connection,
        "SELECT one.entity, two.entity, count(DISTINCT one.item),"
        " max(one.day || char(9) || f.path || '#L' || i.start_line)"
        " FROM mentions one JOIN mentions two"
        "  ON two.item = one.item AND two.entity > one.entity"
        " JOIN items i ON i.item = one.item JOIN files f ON f.file = i.file"
        " GROUP BY one.entity, two.entity ORDER BY 1, 2",
    ):
        graph.add_edge(a, b, weight=weight, source=Citation.parse(place.split("\t", 1)[1]))
    return graph


def _numbered(groups: Iterable[Iterable[str]]) -> dict[str, int]:
    """Node → number of its group, from 1, the largest group first."""
    ordered = sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))
    return {node: number for number, group in enumerate(ordered, start=1) for node in group}


def _as_json(graph: EntityGraph) -> str:
    return json.dumps(graph.to_dict(), ensure_ascii=False, indent=2) + "\n"


def _as_graphml(graph: EntityGraph) -> str:
    import networkx as nx

    plain: nx.Graph[str] = nx.Graph()
    for node in sorted(graph.nodes, key=lambda n: n.slug):
        data = _xml_safe(node.to_dict())
        plain.add_node(data.pop("slug"), **data)
    for edge in graph.edges:
        data = _xml_safe(edge.to_dict())
        plain.add_edge(data.pop("a"), data.pop("b"), **data)
    return "\n".join(nx.generate_graphml(plain)) + "\n"


def _xml_safe(data: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, without the control characters that XML cannot hold."""
    return {
        key: "".join(filter(str.isprintable, value)) if isinstance(value, str) else value
        for key, value in data.items()
        if value is not None
    }


def _as_mermaid(graph: EntityGraph) -> str:
    numbers = _node_numbers(graph)
    lines = ["graph LR"]
    for node in sorted(graph.nodes, key=lambda n: n.slug):
        label = node.name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        lines.append(f'  n{numbers[node.slug]}["{" ".join(label.split())}"]')
    lines += [f"  n{numbers[e.a]} ---|{e.weight}| n{numbers[e.b]}" for e in graph.edges]
    return "\n".join(lines) + "\n"


def _as_dot(graph: EntityGraph) -> str:
    numbers = _node_numbers(graph)
    lines = ["graph entities {"]
    for node in sorted(graph.nodes, key=lambda n: n.slug):
        label = " ".join(node.name.split()).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{numbers[node.slug]} [label="{label}"];')
    lines += [f"  n{numbers[e.a]} -- n{numbers[e.b]} [weight={e.weight}];" for e in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _node_numbers(graph: EntityGraph) -> dict[str, int]:
    return {slug: number for number, slug in enumerate(sorted(n.slug for n in graph.nodes))}


_WRITERS: Mapping[str, Callable[[EntityGraph], str]] = {
    "graphml": _as_graphml,
    "json": _as_json,
    "mermaid": _as_mermaid,
    "dot": _as_dot,
}
GRAPH_FORMATS = tuple(_WRITERS)
