"""`lorebank bench`: a table for a person, one object for a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_the_table_and_the_object_tell_the_same(
    copy_fixture: Callable[[str], Path], lorebank: Callable[..., Any]
) -> None:
    folder = copy_fixture("harbour")
    table = lorebank("bench", "--n", "8", "--seed", "4", cwd=folder)
    told = json.loads(lorebank("bench", "--n", "8", "--seed", "4", "--json", cwd=folder).out)
    assert table.code == 0
    assert table.out.startswith("asked for 8 facts of this workspace (seed 4)\n")
    assert set(told) == {
        "schema_version",
        "seed",
        "facts",
        "passages",
        "lines",
        "rows",
        "p50_ms",
        "p95_ms",
        "retrievers_used",
    }
    for row in told["rows"]:
        assert f"{row['questions']:>6}{row['recall_at_1']:>8.2f}" in table.out
        assert 0 <= row["recall_at_1"] <= row["recall_at_5"] <= row["recall_at_10"] <= 1
        assert row["recall_at_1"] <= row["mrr"] <= row["recall_at_10"]


def test_a_workspace_without_sentences_says_so(
    tmp_path: Path, lorebank: Callable[..., Any]
) -> None:
    (tmp_path / "memory").mkdir()
    outcome = lorebank("bench", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (0, "nothing here is long enough to make a question of\n")
