"""Several banks as a program asks them: together, by name, and never one from within another."""

import shutil
from pathlib import Path

import pytest

from lorebank import Bank, Banks, LorebankError, PathRefused, UsageError, open_bank, recall_all
from lorebank.workspace.registry import add_bank

Environ = dict[str, str]


def workspace(tmp_path: Path, name: str, *facts: str) -> Path:
    log = tmp_path / name / "memory" / "2025-12-01.md"
    log.parent.mkdir(parents=True)
    log.write_text("\n".join(["# Log", "", "## Retain", *facts, ""]), "utf-8")
    return tmp_path / name


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    found = {
        "LOREBANK_CONFIG": str(tmp_path / "config.toml"),
        "LOREBANK_EMBEDDER__PROVIDER": "none",
    }
    home = workspace(
        tmp_path, "home", "- W @Ada: Keeps bees on the roof.", "- O(c=0.9) @Ada: Prefers tea."
    )
    work = workspace(
        tmp_path, "work", "- W @Ada: Keeps the budget of the roof.", "- O(c=0.7) @Ada: Likes Go."
    )
    add_bank(found, "home", home)
    add_bank(found, "work", work)
    return found


def test_recall_names_the_bank_of_each_hit(environ: Environ) -> None:
    answer = recall_all("what is on the roof?", environ=environ)
    assert sorted(hit.place for hit in answer.hits[:2]) == [
        "home:memory/2025-12-01.md#L4",
        "work:memory/2025-12-01.md#L4",
    ]
    assert {hit["bank"] for hit in answer.to_dict()["hits"]} == {"home", "work"}
    assert [part.bank for part in answer.banks] == ["home", "work"]
    assert sum(part.results for part in answer.banks) == len(answer.hits)


def test_a_bank_without_an_answer_pushes_nothing_between(environ: Environ) -> None:
    answer = recall_all("who keeps bees on the roof?", environ=environ)
    assert (answer.hits[0].bank, answer.evidence) == ("home", "strong")


def test_only_the_banks_that_are_named_are_asked(environ: Environ, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "home")
    answer = recall_all("roof", ["work"], environ=environ)
    assert {hit.bank for hit in answer.hits} == {"work"}
    assert answer.notes == ()
    with pytest.raises(LorebankError, match="no bank 'wrok'"):
        recall_all("roof", ["wrok"], environ=environ)


def test_a_bank_that_cannot_be_asked_is_named_and_all_of_them_are_an_error(
    environ: Environ, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "home")
    (tmp_path / "home").write_text("no folder any more")
    with Banks.open(environ=environ) as banks:
        answer = banks.recall("roof")
        assert {hit.bank for hit in answer.hits} == {"work"}
        assert [bool(part.error) for part in answer.banks] == [True, False]
        assert [part.error != "" for part in banks.search("roof").banks] == [True, False]
    (tmp_path / "work" / ".memory" / "config.toml").write_text("nonsense = 1\n")
    with pytest.raises(LorebankError, match=r"no bank could be asked: home: .*; work: "):
        recall_all("roof", environ=environ)


def test_what_nobody_understands_is_an_error_at_once(environ: Environ) -> None:
    with Banks.open(environ=environ) as banks:
        with pytest.raises(UsageError):
            banks.recall("roof", since="someday")
        with pytest.raises(UsageError):
            banks.recall("roof", why_not="f-123")


def test_opinions_of_all_banks_come_surest_first(environ: Environ) -> None:
    with Banks.open(environ=environ) as banks:
        found = banks.opinions("Ada")
        assert [(bank, o.confidence) for bank, o in found.opinions] == [
            ("home", 0.9),
            ("work", 0.7),
        ]
        assert [row["bank"] for row in found.to_dict()["opinions"]] == ["home", "work"]


def test_two_banks_entities_are_never_one(environ: Environ) -> None:
    with Banks.open(environ=environ) as banks:
        found = banks.entity("Ada")
        assert [(bank, view.entity.facts) for bank, view in found.views] == [
            ("home", 2),
            ("work", 2),
        ]
        with pytest.raises(LorebankError):
            banks.entity("Nobody")


def test_search_and_get_go_by_the_same_place(environ: Environ) -> None:
    with Banks.open(environ=environ) as banks:
        found = banks.memory_search("budget of the roof")
        best = found.hits[0]
        assert best.place == "work:memory/2025-12-01.md#L1-L5"
        assert "budget" in banks.get("work:memory/2025-12-01.md#L4").text
        for place in ("memory/2025-12-01.md", "nobank:memory/a.md", "work:"):
            with pytest.raises(UsageError):
                banks.get(place)
        with pytest.raises(PathRefused):
            banks.get("work:../home/memory/2025-12-01.md")


def test_one_bank_never_reads_anothers_files(environ: Environ, tmp_path: Path) -> None:
    with open_bank("work", environ=environ) as bank:
        assert {hit.source.path for hit in bank.recall("bees").hits} == set()
        for path in ("home:memory/2025-12-01.md", str(tmp_path / "home/memory/2025-12-01.md")):
            with pytest.raises(LorebankError):
                bank.get(path)


def test_a_workspace_inside_anothers_memory_is_left_out_and_named(
    environ: Environ, tmp_path: Path
) -> None:
    inner = workspace(tmp_path / "home" / "memory", "inner", "- W @Bob: Hides a zeppelin.")
    with Bank.open(inner, environ=environ) as bank:
        assert len(bank.recall("zeppelin").hits) == 1
    with open_bank("home", environ=environ) as bank:
        assert bank.recall("zeppelin").hits == ()
        assert [p.code for p in bank.status().problems] == ["nested-workspace"]
        with pytest.raises(PathRefused, match="belongs to the workspace"):
            bank.get("memory/inner/memory/2025-12-01.md")


def test_the_budget_holds_for_all_banks_together(environ: Environ) -> None:
    with Banks.open(environ=environ) as banks:
        whole = banks.recall("roof Ada tea Go")
        part = banks.recall("roof Ada tea Go", token_budget=whole.tokens - 1)
    assert 1 <= len(part.hits) < len(whole.hits)
    assert part.truncated
