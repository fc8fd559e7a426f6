"""The opinions page: written for a person, parsed back, and what the person decides on it."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Citation, Evidence, Opinion, OpinionStatus, Stance, Trend
from lorebank.markdown.blocks import render_block, replace_blocks
from lorebank.markdown.opinion_page import (
    OpinionEntry,
    notes_on,
    opinion_bodies,
    opinion_line,
    parse_opinion_page,
)
from lorebank.markdown.plain import escape_inline, unescape_inline, wikilink
from support import golden


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


END = "<!-- lorebank:end opinions"
WRITTEN = {
    "id": "o-3f2a1b2c",
    "statement": "Prefers concise replies.",
    "confidence": 0.82,
    "day": "2025-12-04",
}
"""What the page says of `opinion()`."""


def page(*opinions: Opinion, entries: tuple[OpinionEntry, ...] = ()) -> str:
    bodies = opinion_bodies(opinions, entries, link=link)
    return replace_blocks("# Opinions\n", bodies)


def test_an_entry_reads_well() -> None:
    assert opinion_line(opinion(), link=link) == (
        "- Prefers concise replies. · **0.82** weakening · about [[Whats-App|Whats App]]"
        " · for 1, against 1 ([memory/2025-12-04.md#L3](../memory/2025-12-04.md#L3)) ^o-3f2a1b2c"
    )


def test_beliefs_stand_under_their_holder_the_newest_first() -> None:
    older = opinion("Likes tea.", id="o-00000001", evidence=())
    alone = opinion("Rain is fine.", id="o-00000002", entities=())
    body = opinion_bodies([older, opinion(), alone], link=link)["opinions"]
    rows = [line.partition(" · ")[0] for line in body.splitlines() if line]
    assert rows == [
        "### The author",
        "- Rain is fine.",
        "### [[Peter]]",
        "- Prefers concise replies.",
        "- Likes tea.",
    ]


def test_newer_lines_that_nobody_judged_are_counted_unless_a_newer_opinion_stands() -> None:
    body = opinion_bodies([opinion(not_judged=2)], link=link)["opinions"]
    assert " · for 1, against 1 · 2 newer not judged ([memory/" in body
    status = OpinionStatus.SUPERSEDED
    replaced = opinion(status=status, superseded_by="o-00000001", not_judged=2)
    body = opinion_bodies([replaced], link=link)["opinions"]
    assert "judged" not in body


def test_what_a_belief_took_the_place_of_stands_on_its_line() -> None:
    older = opinion(
        status=OpinionStatus.SUPERSEDED,
        superseded_by="o-00000001",
        superseded_since=date(2025, 12, 4),
    )
    newer = opinion("Likes to talk · **0.10** long", id="o-00000001")
    text = page(older, newer)
    assert " · until 2025-12-04: Prefers concise replies. ([memory/" in text
    (entry,) = parse_opinion_page(text)
    assert (entry.id, entry.statement) == ("o-00000001", "Likes to talk · **0.10** long")
    pinned = OpinionEntry(older.id, older.statement, pin=0.2)
    ids = [e.id for e in parse_opinion_page(page(older, newer, entries=(pinned,)))]
    assert ids == ["o-00000001", older.id]


def test_what_the_engine_wrote_says_nothing_by_hand() -> None:
    entries = parse_opinion_page(page(opinion()))
    assert notes_on(page(opinion())) == {"opinions": []}
    assert entries == (OpinionEntry(**WRITTEN),)  # type: ignore[arg-type]


@golden("markdown.md")
def test_what_a_person_writes_in_an_entry(written: str, expected: dict[str, object]) -> None:
    text = page(opinion()).replace(END, f"{written}\n{END}")
    entries = parse_opinion_page(text)
    assert entries == (OpinionEntry(**WRITTEN, **expected),)  # type: ignore[arg-type]
    assert notes_on(text) == {"opinions": [] if expected else [written]}


def test_overrides_survive_being_written_again() -> None:
    decided = {"statement": "S", "pin": 0.9, "pin_since": date(2025, 12, 3), "retracted": True}
    entry = OpinionEntry(**{**WRITTEN, **decided})  # type: ignore[arg-type]
    written = opinion("S", pinned=0.9, status=OpinionStatus.RETRACTED)
    entries = parse_opinion_page(page(written, entries=(entry,)))
    assert entries == (entry,)


def test_a_pin_that_is_no_confidence_is_kept_as_a_note() -> None:
    text = page(opinion()).replace(END, f"pin: high\n{END}")
    (entry,) = parse_opinion_page(text)
    assert (entry.pin, notes_on(text)) == (None, {"opinions": ["pin: high"]})


def test_a_deleted_entry_is_noticed_remembered_and_stays_away() -> None:
    kept = opinion("Likes | pipes.", id="o-aaaaaaaa")
    text = page(opinion(), kept)
    line = next(each for each in text.splitlines() if each.endswith("^o-3f2a1b2c"))
    entries = parse_opinion_page(text.replace(f"{line}\n", ""))
    gone = OpinionEntry("o-3f2a1b2c", "", deleted=True)
    assert entries[1:] == (gone,)
    again = page(opinion(), kept, entries=entries)
    assert "- Prefers" not in again
    reread = parse_opinion_page(again)
    assert [(e.id, e.statement, e.deleted) for e in reread] == [
        ("o-aaaaaaaa", "Likes | pipes.", False),
        ("o-3f2a1b2c", "", True),
    ]


def test_an_edited_line_is_an_edited_statement() -> None:
    text = page(opinion()).replace("- Prefers concise", "- Insists on concise")
    (entry,) = parse_opinion_page(text)
    assert entry.statement == "Insists on concise replies."


lines = st.text(min_size=1, max_size=80).map(lambda text: " ".join(text.split())).filter(bool)
hostile = lines | st.sampled_from(
    [
        "## x",
        "<!-- lorebank:end o-3f2a1b2c -->",
        "`",
        "a ``` b",
        "C#",
        "1. x",
        "\\",
        "&lt;",
        "|",
        "a · **0.50** b",
    ]
)


@given(hostile)
def test_any_statement_survives_the_page(statement: str) -> None:
    shown = unescape_inline(escape_inline(statement))
    text = page(opinion(statement))
    (entry,) = parse_opinion_page(text)
    assert (entry.statement, notes_on(text)) == (shown, {"opinions": []})
    assert unescape_inline(escape_inline(shown)) == shown


@given(lines.filter(str.isprintable))
def test_escaping_is_undone_exactly(text: str) -> None:
    assert unescape_inline(escape_inline(text)) == text
    render_block("o-3f2a1b2c", escape_inline(text))
