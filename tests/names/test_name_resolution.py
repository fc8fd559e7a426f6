"""Who is who among all names in use, under the decisions of people."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank, NotFound, UsageError
from lorebank.domain.facts import Diagnostic
from lorebank.language.folding import slugify
from lorebank.names.resolve import Decision, NameUse, Resolution, resolve_names
from support import WORDS_ONLY, golden

LEDGER = "bank/identity.md"


def use(name: str, uses: int = 1, first: str = "") -> NameUse:
    return NameUse(slugify(name), name, uses, first)


def ledger(*lines: str) -> list[Decision]:
    """`alias pete peter`, one decision a line."""
    split = (line.split() for line in lines)
    return [
        Decision(action, slug, rest[0] if rest else "", LEDGER, number)
        for number, (action, slug, *rest) in enumerate(split, start=1)
    ]


def page(slug: str, *aliases: str) -> list[Decision]:
    path = f"bank/entities/{slug}.md"
    return [
        Decision("page", slug, "", path, 1),
        *(Decision("alias", alias, slug, path, 2) for alias in aliases),
    ]


def decided(text: str) -> list[Decision]:
    """`page peter pete; merge bob robert`: pages with their aliases, then lines of the ledger."""
    lines = [line for line in text.split("; ") if line]
    pages = [page(*line.split()[1:]) for line in lines if line.startswith("page ")]
    own = ledger(*(line for line in lines if not line.startswith("page ")))
    return [*(each for front in pages for each in front), *own]


def groups(resolution: Resolution) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for slug, entity in sorted(resolution.entity_of.items()):
        found.setdefault(entity, []).append(slug)
    return found


def codes(resolution: Resolution) -> list[tuple[int, str]]:
    return [(problem.line, problem.code) for problem in resolution.problems]


def test_same_names_merge_and_ambiguous_ones_are_proposed() -> None:
    uses = [use("Tom Baker", 3), use("Dr. Tom Baker"), use("Tom"), use("Tom Cooper")]
    assert resolve_names(uses, []) == Resolution(
        entity_of={
            "dr.-tom-baker": "tom-baker",
            "tom": "tom",
            "tom-baker": "tom-baker",
            "tom-cooper": "tom-cooper",
        },
        proposals=(
            ("tom", "tom-baker", "first name against full name"),
            ("tom", "tom-cooper", "first name against full name"),
        ),
    )


def test_a_merge_never_rests_on_a_chain() -> None:
    """Acme is Acme Inc. and Acme is Acme GmbH, but these two are two."""
    uses = [use("Acme", 9), use("Acme Inc.", 3), use("Acme GmbH", 2)]
    resolution = resolve_names(uses, [])
    assert (groups(resolution), resolution.proposals) == (
        {"acme": ["acme", "acme-inc"], "acme-gmbh": ["acme-gmbh"]},
        (("acme", "acme-gmbh", "the same but for punctuation, title or legal form"),),
    )


@golden("names.md")
def test_the_name_an_entity_goes_by(uses: str, decisions: str, entity: str) -> None:
    """A name is followed by how often it is used, where that is more than once."""
    named = [part.rpartition(" ") for part in uses.split("; ")]
    found = [use(a, int(b[:-1])) if b.endswith("×") else use(a + s + b) for a, s, b in named]
    resolution = resolve_names(found, decided(decisions))
    assert (set(resolution.entity_of.values()), resolution.problems) == ({entity}, ())


def test_names_known_from_a_page_alone_are_resolved_too() -> None:
    assert resolve_names([], page("peter", "pete")).entity_of == {"pete": "peter", "peter": "peter"}


@golden("names.md")
def test_decisions_part_what_would_merge(decisions: str, expected: str) -> None:
    """An entity a group: its name, then the others that are its."""
    resolution = resolve_names([use("Acme", 3), use("Acme Inc.")], decided(decisions))
    found = [[entity, *sorted({*own} - {entity})] for entity, own in groups(resolution).items()]
    assert ("; ".join(map(" ".join, found)), resolution.proposals) == (expected, ())


def test_distinct_names_do_not_meet_through_a_third() -> None:
    uses = [use("Tom Baker", 3), use("Dr. Tom Baker", 2), use("Baker, Tom T.", 1)]
    decisions = [*ledger("distinct dr.-tom-baker pal", "alias pal tom-baker"), *page("tom-baker")]
    resolution = resolve_names([*uses, use("Pal")], decisions)
    assert resolution.entity_of["pal"] == resolution.entity_of["tom-baker"]
    assert resolution.entity_of["dr.-tom-baker"] == "dr.-tom-baker"


def test_a_long_chain_of_aliases_is_one_entity_and_its_circle_is_told_once() -> None:
    """Of five thousand lines, in the time that reading them takes."""
    chain = [f"alias n{i:04} n{i + 1:04}" for i in range(5000)]
    resolution = resolve_names([use("n0000")], ledger(*chain, "alias n5000 n0000"))
    assert len(set(resolution.entity_of.values())) == 1
    assert [code for _, code in codes(resolution)].count("identity-circle") == 1


def test_a_dismissed_proposal_is_not_made_again() -> None:
    uses = [use("Pete"), use("Peter")]
    assert len(resolve_names(uses, []).proposals) == 1
    assert resolve_names(uses, ledger("dismiss pete peter")).proposals == ()


def test_the_ledger_beats_front_matter() -> None:
    uses = [use("Pete"), use("Peter"), use("Quentin")]
    front = page("peter", "pete")
    assert resolve_names(uses, [*front, *ledger("alias pete quentin")]).entity_of == {
        "pete": "quentin",
        "peter": "peter",
        "quentin": "quentin",
    }
    parted = resolve_names(uses, [*front, *ledger("distinct pete peter")])
    assert (parted.entity_of["pete"], parted.problems) == ("pete", ())


@golden("names.md")
def test_odd_decisions_are_reported_with_their_line(decisions: str, expected: str) -> None:
    uses = [use("Bob"), use("Rob"), use("Robert")]
    found = codes(resolve_names(uses, decided(decisions)))
    assert ", ".join(f"{line} {code}" for line, code in found) == expected


def test_a_contradiction_is_told_in_full() -> None:
    uses = [use("Bob"), use("Robert")]
    decisions = ledger("merge bob robert", "distinct bob robert")
    assert resolve_names(uses, decisions).problems == (
        Diagnostic(
            path=LEDGER,
            line=1,
            code="identity-contradiction",
            message="bob and robert are not joined: bob and robert are kept apart",
        ),
    )


NAMES = """\
Peter|Pete|Peter Steinberger|@steipete|Acme|Acme Inc.|Acme GmbH|Bob|Robert|Room 101|
Room 102|Dr. Tom Baker|Tom Baker|Tom Barker|
München|Munich|Kubernetes|Kuberentes""".replace("\n", "").split("|")
POOL = [use(name, uses) for uses, name in enumerate(NAMES)]
SLUGS = st.sampled_from([name.slug for name in POOL])
ACTIONS = ["alias", "merge", "split", "distinct", "rename", "dismiss", "page"]
DECISIONS = st.lists(
    st.builds(
        Decision,
        st.sampled_from(ACTIONS),
        SLUGS,
        SLUGS,
        st.sampled_from([LEDGER, "bank/entities/x.md"]),
        st.integers(1, 9),
    ),
    max_size=8,
)


@given(DECISIONS, st.randoms(use_true_random=False))
def test_the_order_of_the_arguments_is_of_no_account(
    decisions: list[Decision], rng: random.Random
) -> None:
    uses, shuffled = list(POOL), list(decisions)
    rng.shuffle(uses)
    rng.shuffle(shuffled)
    assert resolve_names(uses, shuffled) == resolve_names(POOL, decisions)


@given(DECISIONS)
def test_whatever_is_decided_each_name_has_one_entity_that_is_its_own(
    decisions: list[Decision],
) -> None:
    resolution = resolve_names(POOL, decisions)
    entities = resolution.entity_of
    assert {name.slug for name in POOL} <= set(entities)
    assert all(entities[entity] == entity for entity in entities.values())
    apart = {d.slug: d.target for d in decisions if d.action == "distinct" and d.slug != d.target}
    on_ledger = [(a, b) for a, b in apart.items() if entities[a] == entities[b]]
    assert on_ledger == []
    assert all(entities[a] == a and entities[b] == b for a, b, _ in resolution.proposals)


@given(DECISIONS, DECISIONS)
def test_taking_a_decision_back_restores_what_was(
    standing: list[Decision], passing: list[Decision]
) -> None:
    before = resolve_names(POOL, standing)
    resolve_names(POOL, [*standing, *passing])
    assert resolve_names(POOL, standing) == before


def test_one_merge_taken_back_restores_what_was_before_it() -> None:
    uses = [use("Bob", 2), use("Robert", 1), use("Rob", 1)]
    steps = ledger("alias rob robert", "merge bob robert")
    before, after = resolve_names(uses, steps[:1]), resolve_names(uses, steps)
    assert groups(before) == {"bob": ["bob"], "robert": ["rob", "robert"]}
    assert groups(after) == {"robert": ["bob", "rob", "robert"]}
    assert resolve_names(uses, [step for step in steps if step.line != 2]) == before


# -- Names kept compared: a few that come and go lead to what comparing all of them anew leads


COMPARED = """\
Peter|Pete|Peter Adler|P. Adler|Petra Adler|Peter Adlre|Christopherson|
Christohperson|Christophersen|Kellermann GmbH|Kellermann|Kellermann AG|
Room 101|Room 102|Москва|Moscow|محمد|Mohammed|Mahmud|田中太郎|田中|김민수|
Kim Minsu|Nasa|National Aeronautics and Space Administration""".replace("\n", "").split("|")
LOGS = st.dictionaries(
    st.sampled_from(["2026-01-01", "2026-01-02", "2026-01-03"]),
    st.lists(st.sampled_from(COMPARED), max_size=6),
    max_size=3,
)
DECIDED = st.lists(
    st.tuples(
        st.sampled_from(["alias", "merge", "split", "distinct", "rename", "dismiss"]),
        st.sampled_from(COMPARED[:12]),
        st.sampled_from(COMPARED[:12]),
    ),
    max_size=3,
)


def write(root: Path, logs: dict[str, list[str]], ledger: list[tuple[str, str, str]]) -> None:
    for log in (root / "memory").glob("*.md"):
        log.unlink()
    for day, names in logs.items():
        facts = [
            f"- W @[[{name}]]: Met {COMPARED[len(name) % len(COMPARED)]} and Peter's friend."
            for name in names
        ]
        text = "\n".join(["Pete was there, and Kellermann.", "## Retain", *facts, ""])
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
    lines = [f"- {action} @[[{a}]] → @[[{b}]]" for action, a, b in ledger]
    (root / "bank" / "identity.md").write_text("\n".join([*lines, ""]), "utf-8")


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(states=st.lists(st.tuples(LOGS, DECIDED), min_size=1, max_size=5))
def test_an_index_kept_up_equals_one_made_anew(
    states: list[tuple[dict[str, list[str]], list[tuple[str, str, str]]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("names")
    (root / "memory").mkdir()
    (root / "bank").mkdir()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        for logs, ledger in states:
            write(root, logs, ledger)
            bank.sync()
            assert bank.check() == ()


def test_a_key_that_too_many_names_share_pairs_nobody_until_some_of_them_go(
    write_log: Callable[..., Path],
) -> None:
    surnames = [f"Z{a}{b}li" for a in "aeiou" for b in "bdfgklmnrt"]
    full = [f"- W @[[Peter {surname}]]: Was here." for surname in surnames]
    root = write_log("2026-01-01", "- W @Peter: Was here.")
    write_log("2026-01-02", *full)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        crowded = [pair for pair in bank.audit().duplicates if pair[0] == "peter"]
        assert crowded == []
        write_log("2026-01-02", *full[:20])
        bank.sync()
        assert len([pair for pair in bank.audit().duplicates if pair[0] == "peter"]) == 20
        assert bank.check() == ()
        write_log("2026-01-02", *full)
        bank.sync()
        assert [pair for pair in bank.audit().duplicates if pair[0] == "peter"] == []
        assert bank.check() == ()


def test_a_name_in_another_script_makes_no_pairs_of_those_in_one(
    write_log: Callable[..., Path],
) -> None:
    """Its sound is compared with theirs, and theirs not with each other's."""
    root = write_log("2026-01-01", "- W @محمد: Met @Potter and @Patra.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.audit().duplicates == ()


# -- whom a name stands for, what about names deserves a look, the entity answer and the graph ---


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
    assert findings.keys() - left == {("duplicate", ("Pete", "Peter")), ("unmentioned", ("Ghost",))}


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
