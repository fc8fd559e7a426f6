"""What qmd prints, read; what a question becomes for each of its modes."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.qmd.answers import (
    QmdMatch,
    UnreadableAnswer,
    format_question,
    is_flag_rejection,
    read_answer,
)
from lorebank.qmd.program import Collection
from lorebank.qmd.refresh import State, due
from lorebank.settings.rules import seconds
from lorebank.settings.tables import QmdSettings, QmdUpdateSettings
from support import golden

REAL = """[
  {
    "docid": "#306749",
    "score": 0.42,
    "file": "qmd://memory-root/memory/Router Notes.md",
    "line": 1,
    "title": "Router",
    "snippet": "@@ -1,3 @@ (0 before, 5 after)\\n# Router\\n\\nThe router password is hunter2."
  },
  {
    "docid": "#b29ace",
    "score": 0,
    "file": "qmd://docs/sub/Ünï_çode.md",
    "line": 3,
    "title": "Sub",
    "snippet": "über das Boot gesprochen"
  }
]
"""
ROUTER = QmdMatch("memory-root", "memory/Router Notes.md", 1, 3, 0.42)
BOAT = QmdMatch("docs", "sub/Ünï_çode.md", 3, 3, 0.0)


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (REAL, (ROUTER, BOAT)),
        (f"QMD Warning: no GPU [slow]\n{REAL}\ntook 3 s\n", (ROUTER, BOAT)),
        ('{"results": [{"file": "qmd://a/b.md", "line": 7}]}', (QmdMatch("a", "b.md", 7, 7, 0.0),)),
        ('[{"file": "a/b.md", "score": 3}]', (QmdMatch("a", "b.md", 1, 1, 1.0),)),
        ('[{"file": "qmd://a/b.md?index=x", "score": -1}]', (QmdMatch("a", "b.md", 1, 1, 0.0),)),
        ('[{"file": "qmd://a/b.md", "score": NaN}]', (QmdMatch("a", "b.md", 1, 1, 0.0),)),
        ('[{"file": "qmd://a/b.md", "line": -4}]', (QmdMatch("a", "b.md", 1, 1, 0.0),)),
        (
            '[{"file": "qmd://a/b.md", "snippet": "@@ -0,999999999 @@"}]',
            (QmdMatch("a", "b.md", 1, 1000, 0.0),),
        ),
        ('[{"docid": "#1"}, {"file": "qmd://a/b.md"}]', (QmdMatch("a", "b.md", 1, 1, 0.0),)),
        ("[]", ()),
        ("No results found.\n", ()),
        ("warn: no results found", ()),
    ],
)
def test_what_it_prints_is_read(output: str, found: tuple[QmdMatch, ...]) -> None:
    assert read_answer(output) == found


@golden("qmd.md")
def test_f84_what_is_no_answer_is_told_from_one_without_results(output: str, reason: str) -> None:
    with pytest.raises(UnreadableAnswer) as caught:
        read_answer(output)
    assert str(caught.value).startswith(reason)


@given(text=st.text(alphabet='[]{}",:0a\n@-fileqmd/ '))
def test_any_output_is_read_or_refused(text: str) -> None:
    try:
        read_answer(text)
    except UnreadableAnswer as problem:
        assert str(problem)


@golden("qmd.md")
def test_a_question_is_put_as_the_mode_takes_it(mode: str, question: str, asked: str) -> None:
    assert format_question(mode, question) == asked


@golden("qmd.md")
def test_f83_a_rejected_flag_is_told_from_other_failures(errors: str, is_rejection: bool) -> None:
    assert is_flag_rejection(errors) is is_rejection


# -- f80, F82, F91: when the sidecar's index is brought up to date -------------------------------


NOW = 1_000_000.0
NOTES = (Collection("memory-root", Path("/notes"), "**/*.md"),)
DONE = State("/bin/qmd", NOTES, updated=NOW - 60, embedded=NOW - 60, attempted=NOW - 60)
WORDS = QmdSettings()
MEANING = replace(WORDS, search_mode="query")
NOTHING = frozenset()


@pytest.mark.parametrize(
    ("state", "settings", "changed", "work"),
    [
        (State(), WORDS, False, frozenset({"collections", "update"})),
        (State(), MEANING, False, frozenset({"collections", "update", "embed"})),
        (DONE, WORDS, False, NOTHING),
        (DONE, WORDS, True, frozenset({"update"})),
        (replace(DONE, updated=NOW), WORDS, True, NOTHING),
        (replace(DONE, attempted=NOW - 14), WORDS, True, NOTHING),
        (replace(DONE, updated=NOW - 301), WORDS, False, frozenset({"update"})),
        (replace(DONE, updated=NOW - 301, attempted=NOW - 1), WORDS, False, NOTHING),
        (replace(DONE, updated=NOW + 9999), WORDS, False, frozenset({"update"})),
        (replace(DONE, collections=()), WORDS, False, frozenset({"collections"})),
        (replace(DONE, embedded=NOW - 3601), MEANING, False, frozenset({"embed"})),
        (replace(DONE, embedded=NOW - 3601), WORDS, False, NOTHING),
        (replace(DONE, problem="no space", attempted=NOW - 20), WORDS, True, NOTHING),
        (replace(DONE, problem="no space", attempted=NOW - 31), WORDS, True, frozenset({"update"})),
    ],
)
def test_f80_f91_what_is_due(
    state: State, settings: QmdSettings, changed: bool, work: frozenset[str]
) -> None:
    assert due(state, NOTES, settings, now=NOW, changed_at=NOW if changed else 0.0) == work


def test_f91_an_interval_of_nothing_turns_a_timer_off() -> None:
    never = QmdUpdateSettings(interval="0", embed_interval="0", debounce_ms=0)
    settings = replace(MEANING, update=never)
    old = replace(DONE, updated=1.0, embedded=1.0, attempted=1.0)
    assert due(old, NOTES, settings, now=NOW) == NOTHING
    assert due(old, NOTES, settings, now=NOW, changed_at=NOW) == frozenset({"update"})


@golden("qmd.md")
def test_f91_times_are_written_as_people_do(text: str, length: float) -> None:
    assert seconds(text) == length


def test_a_state_is_read_as_it_was_written_and_a_broken_one_is_none(tmp_path: Path) -> None:
    assert State.read(tmp_path) == State()
    DONE.write(tmp_path)
    assert State.read(tmp_path) == DONE
    for text in ("", "[]", "{}", '{"collections": 3}', '{"collections": [1], "updated": "x"}'):
        (tmp_path / "state.json").write_text(text)
        assert State.read(tmp_path) == State()
