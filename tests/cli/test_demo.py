"""`lorebank demo`: one story, short enough to read at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def test_the_demo_tells_how_a_belief_turned_on_one_screen(tmp_path: Path, lorebank: Run) -> None:
    done = lorebank("demo", str(tmp_path / "notes"), cwd=tmp_path)
    assert done.code == 0, done.err
    told = done.out
    assert len(told.splitlines()) < 60
    assert "diff --git" not in told
    turned = told.index("2025-12-05 0.40")
    assert told.index("2025-11-21 0.60") < turned
    before, now = told.index("--as-of 2025-12-01"), told.index('recall "WhatsApp for groups"')
    assert "Thinks Telegram is the better channel" in told[before:now]
    assert "No longer dislikes WhatsApp for groups" in told[now:]
    assert "$ lorebank today" in told[now:]
