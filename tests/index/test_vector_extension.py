"""sqlite-vec: used where it loads, another build on request, and nothing lost without it."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from lorebank import Bank

ENVIRON = {"LOREBANK_CONFIG": "/nonexistent"}
QUESTIONS = ("what crashed at night", "who likes short messages", "where are the backups kept")


def answers(root: Path, **settings: str) -> tuple[list[list[object]], str]:
    environ = ENVIRON | {f"LOREBANK_VECTOR__{k.upper()}": v for k, v in settings.items()}
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        # A process that asks one question lets SQLite scan, so each question has its own Bank.
        state = bank.status().vector_search
    found = []
    for question in QUESTIONS:
        with Bank.open(root, environ=environ) as bank:
            found.append([hit.source for hit in bank.search(question)])
    return found, state


def bundled() -> Path:
    spec = find_spec("sqlite_vec")
    assert spec is not None and spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    return next(folder.glob("vec0.*"))


def test_f74_the_extension_is_used_where_it_loads(root: Path) -> None:
    found, state = answers(root)
    assert state == "sqlite-vec"
    assert all(found)


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ({"enabled": "false"}, "exact scan (switched off by vector.enabled)"),
        ({"extension_path": "/nowhere/vec0.so"}, "exact scan (sqlite-vec unavailable: "),
    ],
)
def test_f75_without_the_extension_the_answers_are_the_same(
    root: Path, settings: dict[str, str], state: str
) -> None:
    expected, _ = answers(root)
    found, described = answers(root, **settings)
    assert described.startswith(state)
    assert found == expected


def test_f76_another_build_of_the_extension_is_loaded_on_request(
    root: Path, tmp_path: Path
) -> None:
    own = Path(shutil.copy(bundled(), tmp_path / bundled().name))
    expected, _ = answers(root)
    assert answers(root, extension_path=str(own)) == (expected, "sqlite-vec")


def test_f56_without_vectors_words_still_answer(root: Path) -> None:
    environ = ENVIRON | {"LOREBANK_EMBEDDER__PROVIDER": "none"}
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        assert bank.search("Baileys crash")[0].provider == "none"
        answer = bank.recall("how did we stop the Baileys crash")
        assert answer.hits
        assert answer.retrievers_skipped == {"semantic": "switched off by embedder.provider = none"}
