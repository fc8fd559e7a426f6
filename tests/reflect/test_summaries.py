"""Bodies of managed blocks: what is chosen, how it is cited, and that no text breaks them."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain import (
    Citation,
    Fact,
    FactKind,
    FactStatus,
    Interval,
    Mention,
    Opinion,
    Trend,
)
from lorebank.markdown.blocks import find_blocks, render_block
from lorebank.reflect.digests import experience_body, experience_parts, world_body, world_parts
from lorebank.reflect.summaries import (
    SUMMARY_SENTENCES,
    Neighbour,
    entity_bodies,
    summary_body,
    timeline_body,
)
from lorebank.reflect.telling import KnownFact, page_links

PAGE = "bank/entities/Peter.md"
LINK = page_links({"The Castle": "The-Castle"})


def known(
    line: int,
    content: str,
    day: date | None = date(2025, 11, 27),
    *,
    kind: FactKind = FactKind.WORLD,
    status: FactStatus = FactStatus.LIVE,
    occurred: Interval | None = None,
    name: str = "Peter",
) -> KnownFact:
    path = f"memory/{day}.md" if day else "memory/notes.md"
    mention = Mention(name, name.lower(), True)
    return KnownFact(
        Fact(
            f"f-{line:010x}",
            kind,
            content,
            content,
            Citation(path, line, line),
            (mention,),
            None,
            day,
            occurred,
        ),
        status,
    )


def test_a_summary_cites_each_sentence_and_leaves_out_what_no_longer_holds() -> None:
    facts = [
        known(1, "Lives in Vienna.", status=FactStatus.SUPERSEDED),
        known(2, "Lives in Lisbon."),
        known(3, "Walked to the harbour.", kind=FactKind.EXPERIENCE),
        known(4, "Loves jazz.", kind=FactKind.OPINION),
    ]
    assert summary_body("peter", facts, page=PAGE) == (
        "**Who and what**\n\n"
        "- Lives in Lisbon. ([memory/2025-11-27.md#L2](../../memory/2025-11-27.md#L2))\n\n"
        "**Lately**\n\n"
        "- 2025-11-27 · Walked to the harbour."
        " ([memory/2025-11-27.md#L3](../../memory/2025-11-27.md#L3))"
    )


def test_a_summary_is_short_and_does_not_say_a_thing_twice() -> None:
    words = ["alpha", "beta", "gamma", "delta", "omega", "kappa", "sigma"]
    facts = [
        known(i, f"Keeps {a} near {b} {i}.", date(2025, 1, 1) + timedelta(i))
        for i, (a, b) in enumerate([(a, b) for a in words for b in words if a < b])
    ]
    lines = summary_body("peter", [*facts, *facts], page=PAGE).splitlines()
    sentences = [line for line in lines if line.startswith("- ")]
    assert 3 <= len(sentences) <= SUMMARY_SENTENCES
    assert len(set(sentences)) == len(sentences)


def test_a_timeline_is_newest_first_by_when_it_happened() -> None:
    trip = Interval(date(2025, 11, 20), date(2025, 12, 1))
    facts = [
        known(1, "Signed the lease.", date(2025, 11, 25)),
        known(2, "In Marrakech.", occurred=trip),
        known(3, "Works at Acme.", date(2025, 1, 2), status=FactStatus.SUPERSEDED),
        known(4, "Undated.", None),
    ]
    shown = [line.split(" (")[0] for line in timeline_body(facts, page=PAGE).splitlines()]
    assert shown == [
        "- 2025-11-25 · Signed the lease.",
        "- 2025-11-20 to 2025-12-01 · In Marrakech.",
        "- 2025-01-02 · ~~Works at Acme.~~",
    ]


def test_related_entities_come_strongest_first_as_wikilinks() -> None:
    neighbours = [Neighbour("Ann", 1), Neighbour("The Castle", 3, Citation("memory/a.md", 4, 4))]
    related = entity_bodies("peter", [], [], neighbours, page=PAGE, link=LINK)["related"]
    assert related == (
        "## Related\n\n"
        "- [[The-Castle|The Castle]] · 3 shared facts,"
        " last ([memory/a.md#L4](../../memory/a.md#L4))\n"
        "- [[Ann]] · 1 shared fact"
    )


def test_world_is_grouped_by_entity_and_experience_by_month() -> None:
    facts = [
        known(1, "Is a carpenter."),
        known(2, "Stands on a hill.", name="The Castle"),
        known(3, "I fixed the crash.", kind=FactKind.EXPERIENCE),
        known(4, "I wrote the docs.", date(2025, 12, 1), kind=FactKind.EXPERIENCE),
    ]
    assert [
        line for line in world_body(world_parts(facts, link=LINK)).splitlines() if line[:1] == "#"
    ] == [
        "### [[Peter]]",
        "### [[The-Castle|The Castle]]",
    ]
    assert experience_body(experience_parts(facts)) == (
        "### 2025-12\n\n"
        "- 2025-12-01 · I wrote the docs. ([memory/2025-12-01.md#L4](../memory/2025-12-01.md#L4))"
        "\n\n### 2025-11\n\n"
        "- 2025-11-27 · I fixed the crash. ([memory/2025-11-27.md#L3](../memory/2025-11-27.md#L3))"
    )


hostile = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "<!-- lorebank:end summary -->",
            "x\n<!-- lorebank:begin summary sha=0 -->",
            "## heading",
            "```",
            "a ` b",
            "- [ ] task",
            "<private>x",
            "|",
            "1. one",
            "***",
        ]
    ),
)


@given(st.lists(hostile, min_size=1, max_size=5))
def test_no_text_of_a_user_breaks_a_block(contents: list[str]) -> None:
    facts = [known(i + 1, text) for i, text in enumerate(contents)]
    opinion = Opinion(
        "o-12345678",
        contents[0],
        ("Peter",),
        0.6,
        Trend.NEW,
        (),
        (),
        None,
        Citation("memory/a.md", 1, 1),
    )
    bodies = entity_bodies(
        "peter", facts, [opinion], [Neighbour(contents[0], 1)], page=PAGE, link=LINK
    )
    page = "\n".join(render_block(name, body) for name, body in bodies.items())
    blocks, problems = find_blocks(page)
    assert (problems, [(b.name, b.body) for b in blocks]) == ((), list(bodies.items()))
    lines = [line for body in bodies.values() for line in body.split("\n") if line]
    assert all(line.startswith(("- ", "**", "No", "## ")) for line in lines)


def test_facts_about_somebody_else_name_their_subject() -> None:
    facts = [
        known(1, "Delivered episode two to Peter.", name="Runa"),
        known(2, "Runa's boat was sold to Peter.", name="Runa"),
        known(3, "Went to the castle.", name="Peter"),
    ]
    expected = {
        "Runa: Delivered episode two to Peter.",
        "Runa's boat was sold to Peter.",
        "Went to the castle.",
    }
    for body in (
        summary_body("peter", facts, page=PAGE),
        timeline_body(facts, page=PAGE, slug="peter"),
    ):
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        told = {line.removeprefix("- ").removeprefix("2025-11-27 · ") for line in lines}
        assert {line.partition(" ([")[0] for line in told} == expected
