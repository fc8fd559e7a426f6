"""F80, F82, F91: when the sidecar's index is brought up to date."""

from dataclasses import replace
from pathlib import Path

import pytest

from lorebank.qmd.collections import Collection
from lorebank.qmd.refresh import State, due
from lorebank.settings.rules import seconds
from lorebank.settings.tables import QmdSettings, QmdUpdateSettings

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


@pytest.mark.parametrize(
    ("text", "length"),
    [("5m", 300.0), ("1h30m", 5400.0), ("250ms", 0.25), ("1.5s", 1.5), ("2d", 172800.0), ("0", 0)],
)
def test_f91_times_are_written_as_people_do(text: str, length: float) -> None:
    assert seconds(text) == length


def test_a_state_is_read_as_it_was_written_and_a_broken_one_is_none(tmp_path: Path) -> None:
    assert State.read(tmp_path) == State()
    DONE.write(tmp_path)
    assert State.read(tmp_path) == DONE
    for text in ("", "[]", "{}", '{"collections": 3}', '{"collections": [1], "updated": "x"}'):
        (tmp_path / "state.json").write_text(text)
        assert State.read(tmp_path) == State()
