"""Rows F32 and F47: what else is read, and when a change is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY


def fact(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Notes\n\n## Retain\n- W @Ada: {text}\n", "utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    with Bank.init(tmp_path / "notes", environ=WORDS_ONLY) as bank:
        return bank.root


def found(root: Path, query: str, environ: dict[str, str] = WORDS_ONLY) -> list[str]:
    with Bank.open(root, environ=environ) as bank:
        return sorted({hit.source.path for hit in bank.recall(query).hits})


def test_f32_extra_paths_are_files_and_folders_absolute_or_of_the_workspace(
    root: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    fact(shared / "deep" / "down.md", "Keeps a zeppelin in the shed.")
    fact(shared / "overview.md", "Keeps a zeppelin on the roof.")
    fact(root / "docs" / "inside.md", "Keeps a zeppelin in the garden.")
    (shared / "not.txt").write_text("a zeppelin in a text file")
    fact(tmp_path / "aside.md", "Keeps a zeppelin elsewhere.")
    (shared / "link.md").symlink_to(tmp_path / "aside.md")
    (shared / "linked").symlink_to(tmp_path, target_is_directory=True)
    assert found(root, "zeppelin") == []
    paths = f'["{shared}", "docs"]'
    paths_found = found(root, "zeppelin", WORDS_ONLY | {"LOREBANK_WORKSPACE__EXTRA_PATHS": paths})
    names = sorted(Path(path).name for path in paths_found)
    assert names == ["down.md", "inside.md", "overview.md"]
    one = WORDS_ONLY | {"LOREBANK_WORKSPACE__EXTRA_PATHS": f'["{shared}/overview.md"]'}
    assert [Path(path).name for path in found(root, "zeppelin", one)] == ["overview.md"]


def test_f47_a_change_is_seen_by_the_next_question_of_any_process(root: Path) -> None:
    assert found(root, "zeppelin") == []
    fact(root / "memory" / "2026-01-02.md", "Keeps a zeppelin in the shed.")
    assert found(root, "zeppelin") == ["memory/2026-01-02.md"]
    (root / "memory" / "2026-01-02.md").unlink()
    assert found(root, "zeppelin") == []


def test_f47_without_sync_on_search_an_answer_says_that_it_is_stale(root: Path) -> None:
    manual = WORDS_ONLY | {"LOREBANK_RECALL__AUTO_SYNC": "false"}
    with Bank.open(root, environ=manual) as bank:
        bank.sync()
        fact(root / "memory" / "2026-01-02.md", "Keeps a zeppelin in the shed.")
        answer = bank.recall("zeppelin")
        assert (answer.hits, answer.index["fresh"]) == ((), False)
        bank.sync()
        answer = bank.recall("zeppelin")
        assert (len(answer.hits), answer.index["fresh"]) == (1, True)
