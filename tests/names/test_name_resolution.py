"""Who is who among all names in use, under the decisions of people."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.language.folding import slugify
from lorebank.names.resolve import Decision, NameUse, Resolution, resolve_names

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


@pytest.mark.parametrize(
    ("uses", "decisions", "entity"),
    [
        ([use("Acme"), use("Acme Inc.", 5)], [], "acme-inc"),
        ([use("Acme"), use("Acme Inc.", 5)], page("acme"), "acme"),
        ([use("Acme"), use("Acme Inc.")], [], "acme-inc"),
        ([use("Bob", 9), use("Robert")], ledger("merge bob robert"), "robert"),
        ([use("Bob", 9), use("Robert")], [*page("bob"), *ledger("merge bob robert")], "robert"),
        ([use("Bob", 9)], ledger("rename bob robert"), "robert"),
        ([use("Pete", 9), use("Peter")], page("peter", "pete"), "peter"),
        ([use("A1x"), use("B2y"), use("C3z")], ledger("alias a1x b2y", "alias b2y c3z"), "c3z"),
    ],
)
def test_the_name_an_entity_goes_by(
    uses: list[NameUse], decisions: list[Decision], entity: str
) -> None:
    resolution = resolve_names(uses, decisions)
    assert (set(resolution.entity_of.values()), resolution.problems) == ({entity}, ())


def test_names_known_from_a_page_alone_are_resolved_too() -> None:
    assert resolve_names([], page("peter", "pete")).entity_of == {"pete": "peter", "peter": "peter"}


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ([], {"acme": ["acme", "acme-inc"]}),
        (ledger("distinct acme acme-inc"), {"acme": ["acme"], "acme-inc": ["acme-inc"]}),
        (ledger("split acme-inc acme"), {"acme": ["acme"], "acme-inc": ["acme-inc"]}),
        (ledger("split acme-inc"), {"acme": ["acme"], "acme-inc": ["acme-inc"]}),
        (ledger("split acme-inc acme", "merge acme-inc acme"), {"acme": ["acme", "acme-inc"]}),
    ],
)
def test_decisions_part_what_would_merge(
    decisions: list[Decision], expected: dict[str, list[str]]
) -> None:
    resolution = resolve_names([use("Acme", 3), use("Acme Inc.")], decisions)
    assert (groups(resolution), resolution.proposals) == (expected, ())


def test_distinct_names_do_not_meet_through_a_third() -> None:
    uses = [use("Tom Baker", 3), use("Dr. Tom Baker", 2), use("Baker, Tom T.", 1)]
    decisions = [
        *ledger("distinct dr.-tom-baker pal", "alias pal tom-baker"),
        *page("tom-baker"),
    ]
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


@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        (ledger("merge bob robert", "distinct bob robert"), [(1, "identity-contradiction")]),
        (
            ledger("merge bob robert", "merge robert rob", "distinct rob bob"),
            [(2, "identity-contradiction")],
        ),
        (ledger("merge bob robert", "split bob robert"), []),
        (ledger("alias bob robert", "alias bob rob"), [(1, "identity-two-targets")]),
        (ledger("alias bob robert", "alias bob rob", "merge rob robert"), []),
        (ledger("alias bob robert", "alias robert bob"), [(2, "identity-circle")]),
        (
            ledger("alias bob rob", "alias rob robert", "alias robert bob"),
            [(3, "identity-circle")],
        ),
        (ledger("merge bob rupert"), [(1, "identity-unknown-name")]),
        (ledger("rename bob bertie", "alias rob bertie"), []),
        (ledger("distinct bob nobody"), [(1, "identity-unknown-name")]),
        (
            [*page("robert", "bob"), *page("rob", "bob")],
            [(2, "identity-two-pages"), (2, "identity-two-pages")],
        ),
    ],
)
def test_odd_decisions_are_reported_with_their_line(
    decisions: list[Decision], expected: list[tuple[int, str]]
) -> None:
    uses = [use("Bob"), use("Rob"), use("Robert")]
    assert codes(resolve_names(uses, decisions)) == expected


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


NAMES = [
    "Peter",
    "Pete",
    "Peter Steinberger",
    "@steipete",
    "Acme",
    "Acme Inc.",
    "Acme GmbH",
    "Bob",
    "Robert",
    "Room 101",
    "Room 102",
    "Dr. Tom Baker",
    "Tom Baker",
    "Tom Barker",
    "München",
    "Munich",
    "Kubernetes",
    "Kuberentes",
]
POOL = [use(name, uses) for uses, name in enumerate(NAMES)]
SLUGS = st.sampled_from([name.slug for name in POOL])
ACTIONS = ["alias", "merge", "split", "distinct", "rename", "dismiss", "page", "page-alias"]
DECISIONS = st.lists(
    st.builds(
        Decision,
        st.sampled_from(
            ["alias", "merge", "split", "distinct", "rename", "dismiss", "page", "page-alias"]
        ),
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
