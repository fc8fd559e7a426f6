"""Values as lines: what a person reads, at a width, with and without colour."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.answers import Answer, Hit, Query
from lorebank.domain.facts import (
    Citation,
    Diagnostic,
    Entity,
    Evidence,
    FactStatus,
    Interval,
    Opinion,
    Stance,
    SyncReport,
    Trend,
)
from lorebank.domain.reports import ReflectReport
from lorebank.render.answers import answer_lines, answer_notes, answer_paths
from lorebank.render.beliefs import opinion_lines
from lorebank.render.entities import entity_list_lines
from lorebank.render.reports import (
    embedder_lines,
    patch_lines,
    reflect_lines,
    status_problem_lines,
    sync_lines,
)
from lorebank.render.text import Look, clean, day_phrase, display_width, size_phrase, truncate, wrap
from support import golden

PLAIN = Look(width=60)
COLOUR = Look(width=60, colour=True, terminal=True)
JOURNEY = Interval(date(2025, 11, 27), date(2025, 12, 1))
LINE_12 = Citation("memory/2025-11-27.md", 12, 12)
OPINION_HIT = Hit(
    "f-0123456789",
    "opinion",
    "Prefers concise replies (<1500 chars) on WhatsApp; the rest goes into files.",
    LINE_12,
    0.9,
    entities=("Peter", "WhatsApp"),
    confidence=0.954,
    recorded=date(2025, 11, 27),
)
JOURNEY_HIT = Hit(
    "f-1123456789",
    "world",
    "Is in Marrakech.",
    Citation("memory/2025-11-27.md", 10, 11),
    0.5,
    entities=("Peter",),
    occurred=JOURNEY,
    status=FactStatus.SUPERSEDED,
)
NOTE_HIT = Hit("n-1", "note", "The router sulks.", Citation("memory/network.md", 5, 5), 0.1)


def an_answer(*hits: Hit, evidence: str = "strong", total: int = 0, **query: object) -> Answer:
    return Answer(
        query=Query("what does Peter prefer?", **query),  # type: ignore[arg-type]
        hits=hits,
        evidence=evidence,
        total=total or len(hits),
        truncated=total > len(hits),
        tokens=20,
        index={},
        retrievers_used=("lexical",),
        retrievers_skipped={},
        notes=(),
    )


def test_a_hit_is_its_sentence_and_a_line_that_says_what_and_where_it_is() -> None:
    assert answer_lines(PLAIN, an_answer(OPINION_HIT, JOURNEY_HIT, NOTE_HIT)) == [
        "Prefers concise replies (<1500 chars) on WhatsApp; the rest",
        "goes into files.",
        "  opinion · 2025-11-27 · 0.95 · Peter, WhatsApp",
        "  memory/2025-11-27.md#L12",
        "",
        "Is in Marrakech.",
        "  superseded · world · 2025-11-27 – 2025-12-01 · Peter",
        "  memory/2025-11-27.md#L10-L11",
        "",
        "The router sulks.",
        "  note · memory/network.md#L5",
    ]


def test_a_hit_shows_both_days_of_a_move_and_no_long_list() -> None:
    days = [Interval(date(2026, 11, day), date(2026, 11, day)) for day in (19, 20, 21)]
    moved = replace(NOTE_HIT, occurred=days[0], times=tuple(days[:2]))
    assert answer_lines(PLAIN, an_answer(moved))[1].startswith("  note · 2026-11-19, 2026-11-20 · ")
    listed = replace(moved, times=tuple(days))
    assert answer_lines(PLAIN, an_answer(listed))[1] == (
        "  note · 2026-11-19, 2026-11-20, … · memory/network.md#L5"
    )


def test_colour_changes_no_letter() -> None:
    import click

    answer = an_answer(OPINION_HIT, JOURNEY_HIT)
    coloured = answer_lines(COLOUR, answer)
    assert coloured != answer_lines(PLAIN, answer)
    assert [click.unstyle(line) for line in coloured] == answer_lines(PLAIN, answer)


def test_an_escape_sequence_in_a_note_reaches_no_terminal() -> None:
    hostile = Hit("n-1", "note", "\x1b]0;owned\x07", Citation("memory/\x1b[2J.md", 1, 1), 0.1)
    assert answer_lines(PLAIN, an_answer(hostile)) == [
        "\\x1b]0;owned\\x07",
        "  note · memory/\\x1b[2J.md#L1",
    ]


def test_paths_name_each_citation_once() -> None:
    answer = an_answer(OPINION_HIT, NOTE_HIT, OPINION_HIT)
    assert list(answer_paths(answer)) == ["memory/2025-11-27.md#L12", "memory/network.md#L5"]


@pytest.mark.parametrize(
    ("answer", "notes"),
    [
        (an_answer(NOTE_HIT), []),
        (
            an_answer(NOTE_HIT, evidence="weak"),
            ["note: weak evidence; read the sources before relying on it"],
        ),
        (
            an_answer(NOTE_HIT, evidence="none"),
            ["note: nothing here answers the question; these lines are only loosely related"],
        ),
        (an_answer(NOTE_HIT, total=9), ["note: showing 1 of 9; -k 9 shows all"]),
        (an_answer(evidence="none"), []),
    ],
)
def test_notes_say_how_far_an_answer_carries(answer: Answer, notes: list[str]) -> None:
    assert answer_notes(Look(width=100), answer) == notes


def an_opinion(**fields: object) -> Opinion:
    base: dict[str, object] = {
        "id": "o-3f2a",
        "statement": "Prefers concise replies on WhatsApp.",
        "entities": ("Peter", "WhatsApp"),
        "confidence": 0.74,
        "trend": Trend.WEAKENING,
        "evidence": (),
        "history": (),
        "last_updated": date(2025, 11, 30),
        "source": LINE_12,
    }
    return Opinion(**(base | fields))  # type: ignore[arg-type]


def some_evidence(day: int, stance: Stance, delta: float) -> Evidence:
    place = Citation(f"memory/2025-11-{day}.md", 9, 9)
    return Evidence(f"f-{day}", place, stance, date(2025, 11, day), delta, "Asked for a list.")


def test_the_statement_alone_is_no_evidence_worth_a_line() -> None:
    stated = replace(some_evidence(27, Stance.FOR, 0.0), source=LINE_12, reason="stated")
    assert opinion_lines(PLAIN, [an_opinion(evidence=(stated,))]) == opinion_lines(
        PLAIN, [an_opinion()]
    )


def test_only_the_newest_evidence_is_shown_and_the_rest_counted() -> None:
    evidence = tuple(some_evidence(day, Stance.FOR, 0.01) for day in range(10, 18))
    lines = opinion_lines(PLAIN, [an_opinion(evidence=evidence)])
    assert lines[-1] == "       … 3 earlier: lorebank explain o-3f2a"
    assert sum(line.startswith("       + 2025-11-1") for line in lines) == 5


def test_names_of_any_width_line_up() -> None:
    entities = [Entity("peter", "Peter", facts=12), Entity("東京", "東京", facts=3)]
    assert entity_list_lines(PLAIN, entities) == ["Peter  12", "東京    3"]


def test_what_was_not_embedded_is_told_with_a_remedy() -> None:
    assert embedder_lines(PLAIN, SyncReport()) == []
    report = SyncReport(
        embedder_problem="openai at api.openai.com: answered 401: Incorrect API key",
        embedder_remedy="check the key of openai",
    )
    assert embedder_lines(PLAIN, report) == [
        "note: openai at api.openai.com: answered 401: Incorrect API",
        "  key",
        "hint: check the key of openai",
    ]


def test_sync_counts_files_beyond_twenty() -> None:
    report = SyncReport(added=tuple(f"{n}.md" for n in range(23)))
    lines = sync_lines(PLAIN, report)
    assert lines[-2:] == ["… and 3 more (--verbose lists them)", "0 files, 0 facts · 23 added"]
    assert len(sync_lines(PLAIN, report, everything=True)) == 24


def test_reflect_shows_how_opinions_moved() -> None:
    report = ReflectReport(
        changed=("bank/opinions.md",),
        patch="",
        journal=None,
        dry_run=True,
        facts_read=1,
        opinions_moved=(
            ("o-2", "Likes rain.", None, 0.7),
            ("o-3", "Likes snow.", 0.5, 0.52),
            ("o-1", "Likes tea.", 0.8, 0.741),
        ),
    )
    assert reflect_lines(PLAIN, report) == [
        "read 1 fact: 1 page would change",
        "  bank/opinions.md",
        "",
        "Opinions",
        "  0.80 → 0.74  Likes tea.",
        "  0.50 → 0.52  Likes snow.",
        "   new → 0.70  Likes rain.",
    ]


def test_a_patch_is_untouched_in_a_pipe_and_coloured_for_a_person() -> None:
    patch = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\x1b[2J\n same\n"
    assert patch_lines(PLAIN, patch) == patch[:-1].split("\n")
    assert patch_lines(COLOUR, patch)[-3:] == [
        "\x1b[31m-old\x1b[0m",
        "\x1b[32m+new\\x1b[2J\x1b[0m",
        " same",
    ]


def test_problems_of_one_sort_share_a_remedy() -> None:
    problems = [
        Diagnostic("a.md", 3, "kind-unknown", "unknown kind 'X'"),
        Diagnostic("b.md", 0, "unreadable", "cannot be read"),
        Diagnostic("c.md", 4, "kind-unknown", "unknown kind 'Y'"),
    ]
    assert status_problem_lines(Look(width=100), problems) == [
        "",
        "3 problems",
        "  a.md:3: unknown kind 'X'",
        "  c.md:4: unknown kind 'Y'",
        "    remedy: use W (world), B (experience), O (opinion) or S (observation)",
        "  b.md: cannot be read",
        "    remedy: check its permissions and that it is still there",
    ]


@pytest.mark.parametrize(
    ("when", "phrase"),
    [
        (None, "undated"),
        (date(2025, 1, 2), "2025-01-02"),
        (JOURNEY, "2025-11-27 – 2025-12-01"),
        (Interval(date(2025, 1, 2), date(2025, 1, 2)), "2025-01-02"),
        (Interval(date(2025, 1, 2), None), "since 2025-01-02"),
        (Interval(None, date(2025, 1, 2)), "until 2025-01-02"),
        (Interval(None, None), "any time"),
    ],
)
def test_days(when: date | Interval | None, phrase: str) -> None:
    assert day_phrase(when) == phrase


@golden("terminal.md")
def test_sizes(size: int, phrase: str) -> None:
    assert size_phrase(size) == phrase


# -- columns: wide letters count twice, marks not at all, and lines keep within their width ------


@golden("terminal.md")
def test_width_in_columns(text: str, columns: int) -> None:
    assert display_width(text) == columns


@golden("terminal.md")
def test_wrapping(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


def test_indent_stands_before_every_line_and_first_before_the_first() -> None:
    assert wrap("one two three", 8, "  ", first="- ") == ["- one", "  two", "  three"]


@golden("terminal.md")
def test_truncating(text: str, width: int, cut: str) -> None:
    assert truncate(text, width) == cut


@golden("terminal.md")
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


_WORDS = st.lists(st.text("abc東京、「」é\u0301", min_size=1, max_size=6), max_size=20)


@given(_WORDS, st.integers(12, 40))
def test_no_letter_is_lost_and_no_line_too_wide(words: list[str], width: int) -> None:
    text = " ".join(words)
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(words)
    assert max(map(display_width, lines)) <= width


@given(st.text(), st.integers(1, 40))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert display_width(truncate(clean(text), width)) <= width
