"""Whom a name stands for, what about names deserves a look, the entity answer and the graph."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lorebank import Bank, NotFound, UsageError
from support import WORDS_ONLY, golden

LOG = """## Retain
- W @Peter: Lives in Lisbon.
- W @[[Dr. Tom Baker]] @Peter: Signed the lease.
- W @[[Steinberger Works]]: Makes pianos with @[[Tom Baker]].
- O(c=0.5) @Peter: Likes the old harbour.
- W @Pete: Plays chess with @Quill.
- B @Ada @Ida: Planted a tree.
- W @[[Tom Baker]]: Sold a boat.
"""


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    (tmp_path / "bank" / "entities").mkdir(parents=True)
    (tmp_path / "memory" / "2026-01-02.md").write_text(LOG, "utf-8")
    (tmp_path / "bank" / "identity.md").write_text(
        "- alias @boss → @Peter (2026-01-03: at work)\n", "utf-8"
    )
    (tmp_path / "bank" / "entities" / "Ada.md").write_text(
        "---\naliases: [The Countess]\ntype: machine\n---\n# Ada\n", "utf-8"
    )
    (tmp_path / "bank" / "entities" / "Ghost.md").write_text("# Ghost\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as opened:
        yield opened


@golden("names.md")
def test_each_name_is_resolved_by_the_first_step_that_knows_it(
    bank: Bank, written: str, step: str, entity: str | None, source: str | None
) -> None:
    found = bank.resolve(written)
    last = found.steps[-1]
    name = found.entity.name if found.entity else None
    assert (last.step, name) == (step, entity)
    assert (str(last.source) if last.source else None) == source


def test_what_is_uncertain_is_proposed_with_a_reason(bank: Bank) -> None:
    proposals = bank.resolve("Tom").proposals
    assert [(each.name, each.reason.split(" (")[0]) for each in proposals] == [
        ("Tom Baker", "first name against full name")
    ]
    with pytest.raises(NotFound) as refused:
        bank.entity("Tom")
    assert refused.value.hint == "nearest: Tom Baker"


def test_an_audit_names_evidence_and_what_settles_it(bank: Bank) -> None:
    findings = {(f.kind, f.names): f for f in bank.audit().findings}
    twin = findings["duplicate", ("Pete", "Peter")]
    assert twin.commands == (
        "lorebank entity merge Pete Peter",
        "lorebank entity distinct Pete Peter",
        "lorebank entity dismiss Pete Peter",
    )
    assert "memory/2026-01-02.md#L6" in map(str, twin.evidence)
    assert ("unmentioned", ("Ghost",)) in findings
    assert ("dangling", ("Quill",)) in findings
    bank.decide("dismiss", "Ghost")
    bank.decide("distinct", "Pete", "Peter")
    left = {(f.kind, f.names) for f in bank.audit().findings}
    assert findings.keys() - left == {
        ("duplicate", ("Pete", "Peter")),
        ("unmentioned", ("Ghost",)),
    }


def test_decisions_that_contradict_the_ledger_or_name_nobody_are_refused(bank: Bank) -> None:
    bank.decide("distinct", "Pete", "Peter")
    before = bank.get("bank/identity.md").text
    with pytest.raises(UsageError, match="kept apart"):
        bank.decide("merge", "Pete", "Peter")
    with pytest.raises(UsageError, match="circle"):
        bank.decide("alias", "Peter", "boss")
    with pytest.raises(NotFound, match="no entity 'Zanzibar'"):
        bank.decide("merge", "Pete", "Zanzibar")
    with pytest.raises(NotFound, match="no line of"):
        bank.decide("merge", "Pete", "Peter", undo=True)
    with pytest.raises(UsageError, match="one name already"):
        bank.decide("merge", "Pete", "PETE")
    assert bank.get("bank/identity.md").text == before


def test_the_type_a_person_wrote_wins_over_the_rules(bank: Bank) -> None:
    types = {e.name: (e.type, e.type_reason) for e in bank.entities()}
    assert types["Ada"] == ("machine", "front matter")
    assert types["Peter"] == ("person", "has a residence")


def test_the_entity_answer_cites_all_it_says_and_keeps_to_its_budget(bank: Bank) -> None:
    view = bank.entity("boss")
    assert [(p.relation, str(p.fact.citation)) for p in view.properties] == [
        ("residence", "memory/2026-01-02.md#L2")
    ]
    assert [o.statement for o in view.held] == ["Likes the old harbour."]
    assert [(n.entity.name, n.shared, n.why) for n in view.neighbours] == [
        ("Tom Baker", 1, "Signed the lease.")
    ]
    assert [(q.kind, q.text.split("?")[0]) for q in view.questions] == [
        ("identity", "the same as Pete")
    ]
    small = bank.entity("Peter", token_budget=30)
    assert small.tokens <= 30
    assert small.truncated
    assert len(small.facts) < len(view.facts)


def test_the_graph_and_its_exports(bank: Bank) -> None:
    graph = bank.graph()
    assert [(e.a, e.b, e.weight, e.bridge) for e in graph.edges] == [
        ("ada", "ida", 1, True),
        ("pete", "quill", 1, True),
        ("peter", "tom-baker", 1, True),
        ("steinberger-works", "tom-baker", 1, True),
    ]
    assert graph.nodes[0].slug == "tom-baker"
    assert len(json.loads(bank.export_graph("json"))["nodes"]) == len(graph.nodes)
    assert bank.export_graph("graphml").count("<node ") == len(graph.nodes)
    assert bank.export_graph("dot").count(" -- ") == len(graph.edges)
    assert bank.export_graph("mermaid").count("---|") == len(graph.edges)
    with pytest.raises(UsageError, match="no graph format"):
        bank.export_graph("gif")
