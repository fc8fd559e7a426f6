"""The page that says what of conversations is not read again."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.conversations.messages import Role
from lorebank.conversations.turns import Turn
from lorebank.markdown.forgotten import (
    NOTHING,
    Forgotten,
    Tombstone,
    format_tombstone,
    message_key,
    parse_forgotten,
)

A = "sessions/a.jsonl"
LONG = "something that takes a little longer to say"


def turn(line: int, day: date | None = None, text: str = "hm") -> Turn:
    return Turn(Role.USER, text, line, day)


def _holds(forgotten: Forgotten, path: str, each: Turn) -> bool:
    return forgotten.holds(path, each.line, each.day, each.text)


NAMES = st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), max_size=20)


@given(
    NAMES.map(lambda name: f"sessions/{name}.jsonl"),
    st.one_of(st.just((0, 0)), st.tuples(st.integers(1, 9), st.integers(9, 99))),
    st.none() | st.dates(),
    st.lists(st.just("3f2a9c0d1e4b") | st.just("000000000000"), unique=True).map(tuple),
)
def test_a_line_reads_as_it_was_meant(
    path: str, lines: tuple[int, int], before: date | None, keys: tuple[str, ...]
) -> None:
    meant = Tombstone(path, *lines, before, keys)
    forgotten, problems = parse_forgotten(format_tombstone(meant, "main"), agent="main")
    assert (forgotten.tombstones, forgotten.keys) == ({path: (meant,)}, frozenset(keys))
    assert problems == ()


@pytest.mark.parametrize(
    ("line", "held"),
    [
        (f"- forget `{A}` of main", [True, True, True]),
        (f"* forget `{A}#L2` of main", [False, True, False]),
        (f"- forget `{A}#L2-L3` of main", [False, True, True]),
        (f"- forget `{A}` of main before 2026-02-01", [True, False, False]),
        (f"- forget `{A}#L3-L9` of main before 2026-01-01", [False, False, True]),
        (f"- forget `{A}` of tide", [False, False, False]),
        ("- forget `sessions/b.jsonl` of main", [False, False, False]),
        (f"forget `{A}` of main, says a sentence", [False, False, False]),
    ],
)
def test_which_turns_a_line_means(line: str, held: list[bool]) -> None:
    forgotten, problems = parse_forgotten(f"# Forgotten\n\n{line}\n", agent="main")
    turns = [turn(1, date(2026, 1, 31)), turn(2, date(2026, 2, 1)), turn(3)]
    assert ([_holds(forgotten, A, each) for each in turns], problems) == (held, ())


def test_a_long_message_is_told_wherever_it_stands_a_short_one_is_not() -> None:
    long, short = turn(7, text=LONG), turn(8, text="yes")
    line = format_tombstone(Tombstone(A, 1, 2, keys=(message_key(long.text),)), "tide")
    forgotten, _ = parse_forgotten(line, agent="main")
    assert (message_key(short.text), LONG in line) == ("", False)
    assert (_holds(forgotten, "sessions/x.jsonl", long), _holds(forgotten, A, short)) == (
        True,
        False,
    )


@pytest.mark.parametrize(
    "line",
    [
        "- sessions/a.jsonl",
        f"- forget {A} of main",
        f"- forget `{A}`",
        f"- forget `{A}` of main before 2026-02-31",
        f"- forget `{A}` of main 3f2a",
    ],
)
def test_an_item_that_forgets_nothing_is_told(line: str) -> None:
    forgotten, [problem] = parse_forgotten(f"\n{line}\n", "bank/forgotten.md", agent="main")
    assert forgotten == NOTHING
    assert (problem.path, problem.line, problem.code) == (
        "bank/forgotten.md",
        2,
        "forgotten-unread",
    )


def test_a_page_that_lets_all_pass_is_as_no_page() -> None:
    others, _ = parse_forgotten(f"- forget `{A}` of tide", agent="main")
    ours, _ = parse_forgotten(f"- forget `{A}` of main", agent="main")
    assert (others.fingerprint(), bool(ours.fingerprint())) == (NOTHING.fingerprint(), True)
