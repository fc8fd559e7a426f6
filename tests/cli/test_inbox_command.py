"""`lorebank inbox`: listing, ruling, taking back; nobody is asked without a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OLDER = "## Retain\n- W @Mill: The wheel is turned by the river.\n"
NEWER = "## Retain\n- W @Mill: A diesel engine turns the wheel at last.\n"


@pytest.fixture
def mill(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-01-02.md").write_text(OLDER, "utf-8")
    (tmp_path / "memory/2026-01-09.md").write_text(NEWER, "utf-8")
    return tmp_path


def test_listing_ruling_and_taking_back(lorebank, mill: Path) -> None:  # type: ignore[no-untyped-def]
    listed = json.loads(lorebank("inbox", "--json", cwd=mill).out)
    [item] = listed["items"]
    assert item["kind"] == "replacement"
    assert item["choices"] == ["same", "replaces", "both"]
    assert item["older"]["source"] == "memory/2026-01-02.md#L2"
    assert item["id"] in lorebank("inbox", cwd=mill).out

    ruled = lorebank("inbox", item["id"], "replaces", "--by", "Ana", cwd=mill)
    assert ruled.code == 0
    assert "bank/decisions.md#L3" in ruled.out
    assert "river" not in lorebank("recall", "what turns the wheel?", cwd=mill).out
    assert "by Ana" in lorebank("inbox", "--settled", cwd=mill).out
    assert "nothing waits" in lorebank("inbox", cwd=mill).out

    undone = lorebank("inbox", "--undo", "--by", "Ana", cwd=mill)
    assert "taken back: replaces" in undone.out
    assert json.loads(lorebank("inbox", "--json", cwd=mill).out)["items"] == [item]
    assert not (mill / "bank/decisions.md").exists()


def test_nobody_is_asked_without_a_terminal(lorebank, mill: Path) -> None:  # type: ignore[no-untyped-def]
    refused = lorebank("inbox", "rule", cwd=mill)
    assert refused.code == 2
    assert "terminal" in refused.err
    assert lorebank("inbox", "i-1", cwd=mill).code == 2
