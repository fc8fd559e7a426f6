"""The opinions page: written for a person, parsed back, and what the person decides on it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Citation, Evidence, Opinion, OpinionStatus, Stance, Trend
from lorebank.markdown.blocks import find_blocks, render_block, replace_blocks
from lorebank.markdown.opinion_page import (
    OpinionEntry,
    opinion_bodies,
    parse_opinion_page,
    render_opinion,
)
from lorebank.markdown.plain import escape_inline, unescape_inline, wikilink


def link(name: str) -> str:
    return wikilink(name.replace(" ", "-"), name)


def opinion(statement: str = "Prefers concise replies.", **changes: object) -> Opinion:
    values: dict[str, object] = {
        "id": "o-3f2a1b2c",
        "statement": statement,
        "entities": ("Peter", "Whats App"),
        "confidence": 0.82,
        "trend": Trend.WEAKENING,
        "evidence": (
            Evidence(
                "f-1",
                Citation("memory/2025-11-27.md", 12, 12),
                Stance.FOR,
                date(2025, 11, 27),
                0.0,
                statement,
                "stated",
            ),
            Evidence(
                "f-2",
                Citation("memory/2025-12-04.md", 3, 3),
                Stance.AGAINST,
                date(2025, 12, 4),
                -0.0312,
                "Asked for more detail.",
                "opposite",
            ),
        ),
        "history": ((date(2025, 11, 27), 0.85), (date(2025, 12, 4), 0.82)),
        "last_updated": date(2025, 12, 4),
        "source": Citation("memory/2025-11-27.md", 12, 12),
    }
    return Opinion(**{**values, **changes})  # type: ignore[arg-type]


END = "<!-- lorebank:end o-3f2a1b2c"


def page(*opinions: Opinion, entries: tuple[OpinionEntry, ...] = ()) -> str:
    bodies = opinion_bodies(opinions, entries, link=link)
    return replace_blocks("# Opinions\n", bodies)


def test_an_entry_reads_well() -> None:
    assert render_opinion(opinion(), link=link) == (
        "### Prefers concise replies.\n"
        "[[Peter]] about [[Whats-App|Whats App]] · **0.82** weakening · 2025-12-04"
        " · for 1, against 1 ([memory/2025-11-27.md#L12](../memory/2025-11-27.md#L12))"
    )


def test_newer_lines_that_nobody_judged_are_counted_unless_a_newer_opinion_stands() -> None:
    waiting = {opinion().id: 2}
    [_, body] = opinion_bodies([opinion()], link=link, unjudged=waiting).values()
    assert " · for 1, against 1 · 2 newer not judged ([memory/" in body
    replaced = opinion(status=OpinionStatus.SUPERSEDED, superseded_by="o-00000001")
    [_, body] = opinion_bodies([replaced], link=link, unjudged=waiting).values()
    assert "judged" not in body


def test_what_the_engine_wrote_says_nothing_by_hand() -> None:
    entries, diagnostics = parse_opinion_page(page(opinion()))
    assert diagnostics == ()
    assert entries == (OpinionEntry("o-3f2a1b2c", "Prefers concise replies.", line=7),)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("pin: 0.8", {"pin": 0.8}),
        ("- **Pin:** 0,8", {"pin": 0.8}),
        ("pin: 0.8 since 2025-12-03", {"pin": 0.8, "pin_since": date(2025, 12, 3)}),
        ("retracted", {"retracted": True}),
        (
            "Retracted (since 2025-12-03).",
            {"retracted": True, "retracted_since": date(2025, 12, 3)},
        ),
        ("I doubt this one.", {"notes": ("I doubt this one.",)}),
    ],
)
def test_what_a_person_writes_in_an_entry(written: str, expected: dict[str, object]) -> None:
    text = page(opinion()).replace(END, f"{written}\n{END}")
    (entry,), diagnostics = parse_opinion_page(text)
    base = {"id": "o-3f2a1b2c", "statement": "Prefers concise replies.", "line": 7}
    assert (entry, diagnostics) == (OpinionEntry(**base, edited=True, **expected), ())  # type: ignore[arg-type]


def test_overrides_survive_being_written_again() -> None:
    entry = OpinionEntry(
        "o-3f2a1b2c", "S", pin=0.9, pin_since=date(2025, 12, 3), retracted=True, line=7
    )
    written = opinion("S", pinned=0.9, status=OpinionStatus.RETRACTED)
    entries, _ = parse_opinion_page(page(written, entries=(entry,)))
    assert entries == (entry,)


def test_a_pin_that_is_no_confidence_is_reported_and_kept() -> None:
    text = page(opinion()).replace(END, f"pin: high\n{END}")
    (entry,), (problem,) = parse_opinion_page(text)
    assert (entry.pin, entry.notes) == (None, ("pin: high",))
    assert (problem.code, problem.path) == ("opinion-pin", "bank/opinions.md")
    assert text.splitlines()[problem.line - 1] == "pin: high"


def test_a_deleted_entry_is_noticed_remembered_and_stays_away() -> None:
    kept = opinion("Likes | pipes.", id="o-aaaaaaaa")
    text = page(opinion(), kept)
    (block,) = [b for b in find_blocks(text)[0] if b.name == "o-3f2a1b2c"]
    entries, _ = parse_opinion_page(text[: block.start] + text[block.end :])
    gone = OpinionEntry("o-3f2a1b2c", "", deleted=True)
    assert entries[1:] == (gone,)
    again = page(opinion(), kept, entries=entries)
    assert "### Prefers" not in again
    reread = parse_opinion_page(again)[0]
    assert [(e.id, e.statement, e.deleted) for e in reread] == [
        ("o-aaaaaaaa", "Likes | pipes.", False),
        ("o-3f2a1b2c", "", True),
    ]


def test_an_edited_heading_is_an_edited_statement() -> None:
    text = page(opinion()).replace("### Prefers concise", "### Insists on concise")
    (entry,), _ = parse_opinion_page(text)
    assert (entry.statement, entry.edited) == ("Insists on concise replies.", True)


lines = st.text(min_size=1, max_size=80).map(lambda text: " ".join(text.split())).filter(bool)
hostile = lines | st.sampled_from(
    ["## x", "<!-- lorebank:end o-3f2a1b2c -->", "`", "a ``` b", "C#", "1. x", "\\", "&lt;", "|"]
)


@given(hostile)
def test_any_statement_survives_the_page(statement: str) -> None:
    shown = unescape_inline(escape_inline(statement))
    (entry,), diagnostics = parse_opinion_page(page(opinion(statement)))
    assert (entry.statement, entry.notes, diagnostics) == (shown, (), ())
    assert unescape_inline(escape_inline(shown)) == shown


@given(lines.filter(str.isprintable))
def test_escaping_is_undone_exactly(text: str) -> None:
    assert unescape_inline(escape_inline(text)) == text
    render_block("o-3f2a1b2c", escape_inline(text))
