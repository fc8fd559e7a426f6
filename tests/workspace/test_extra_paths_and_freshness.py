"""Rows F32 and F47: what else is read, and when a change is seen."""

from pathlib import Path

import pytest

from lorebank import Bank, ConfigurationError, PathRefused
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


def extras(*paths: object) -> dict[str, str]:
    listed = ", ".join(f'"{path}"' for path in paths)
    return WORDS_ONLY | {"LOREBANK_WORKSPACE__EXTRA_PATHS": f"[{listed}]"}


def test_f32_a_path_around_the_workspace_reads_each_file_once_by_its_own_name(
    root: Path, tmp_path: Path
) -> None:
    fact(root / "memory" / "2026-01-02.md", "Keeps a zeppelin in the shed.")
    fact(root / "docs" / "inside.md", "Keeps a zeppelin in the garden.")
    fact(tmp_path / "aside.md", "Keeps a zeppelin elsewhere.")
    assert found(root, "zeppelin", extras(tmp_path)) == [
        str(tmp_path / "aside.md"),
        "docs/inside.md",
        "memory/2026-01-02.md",
    ]


def test_f32_overlapping_paths_in_any_spelling_read_each_file_once(
    root: Path, tmp_path: Path
) -> None:
    fact(root / "docs" / "deep" / "a.md", "Keeps a zeppelin in the garden.")
    (tmp_path / "alias").symlink_to(tmp_path, target_is_directory=True)
    spelled = extras(
        "docs", "./docs/", "docs/deep", root / "docs", tmp_path / "alias" / "notes" / "docs"
    )
    assert found(root, "zeppelin", spelled) == ["docs/deep/a.md"]


def test_f32_what_lies_outside_is_cited_and_read_by_one_prefix(root: Path, tmp_path: Path) -> None:
    shared = tmp_path / ".shared wiki" / "übrig"
    fact(shared / "a b" / "日記.md", "Keeps a zeppelin on the roof.")
    fact(shared / ".hidden.md", "Keeps a zeppelin in secret.")
    fact(tmp_path / "beside.md", "Keeps a zeppelin beside.")
    (shared / "link.md").symlink_to(tmp_path / "beside.md")
    with Bank.open(root, environ=extras(tmp_path / "x" / ".." / ".shared wiki" / "übrig")) as bank:
        [hit] = bank.recall("zeppelin").hits
        assert str(hit.source) == f"{shared}/a b/日記.md#L4"
        assert "on the roof" in bank.get(str(hit.source)).text
        for path in (
            f"{shared}/.hidden.md",
            f"{shared}/link.md",
            f"{shared}/../../beside.md",
            f"{shared}/a b/../a b/日記.md",
            f"{tmp_path}/beside.md",
            f"{shared}x/a.md",
            f"{shared}/%2e%2e/beside.md",
            f"{shared}/a b/日記.md/",
        ):
            with pytest.raises(PathRefused):
                bank.get(path)


def test_f32_another_workspace_is_read_only_where_it_is_named(root: Path, tmp_path: Path) -> None:
    with Bank.init(tmp_path / "others" / "theirs", environ=WORDS_ONLY) as other:
        fact(other.root / "memory" / "2026-01-02.md", "Keeps a zeppelin in the shed.")
        other.sync()
    place = str(other.root / "memory" / "2026-01-02.md")
    with Bank.open(root, environ=extras(tmp_path / "others")) as bank:
        assert bank.recall("zeppelin").hits == ()
        assert [(p.path, p.code) for p in bank.status().problems] == [
            (str(other.root), "nested-workspace")
        ]
        with pytest.raises(PathRefused, match="belongs to the workspace"):
            bank.get(place)
    assert found(root, "zeppelin", extras(other.root / "memory")) == [place]


def test_f32_what_cannot_be_read_is_a_problem_and_stops_nothing(root: Path, tmp_path: Path) -> None:
    fact(tmp_path / "shared" / "a.md", "Keeps a zeppelin on the roof.")
    (tmp_path / "file.txt").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "shared", target_is_directory=True)
    environ = extras(
        tmp_path / "missing",
        tmp_path / "missing.md",
        tmp_path / "file.txt",
        tmp_path / "link",
        tmp_path / ("x" * 300),
        tmp_path / ("x" * 300 + ".md"),
        tmp_path / "shared",
    )
    assert len(found(root, "zeppelin", environ)) == 1
    with Bank.open(root, environ=environ) as bank:
        problems = {(Path(p.path).name[:12], p.code) for p in bank.status().problems}
    assert problems == {
        ("missing", "extra-path-missing"),
        ("missing.md", "extra-path-missing"),
        ("file.txt", "not-a-folder"),
        ("link", "symlink-ignored"),
        ("xxxxxxxxxxxx", "unreadable"),
        ("xxxxxxxxxxxx", "extra-path-missing"),
    }


def test_f32_a_path_taken_out_of_the_settings_vanishes_from_the_index(
    root: Path, tmp_path: Path
) -> None:
    fact(tmp_path / "shared" / "a.md", "Keeps a zeppelin on the roof.")
    assert len(found(root, "zeppelin", extras(tmp_path / "shared"))) == 1
    assert found(root, "zeppelin") == []
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.check() == ()


def test_f32_nothing_ever_writes_there(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "shared" / "a.md"
    fact(outside, "Prefers tea (+o-12345678).")
    fact(root / "docs" / "bank" / "entities" / "Ada.md", "Lives in Porto.")
    kept = {file: file.read_bytes() for file in (outside, root / "docs/bank/entities/Ada.md")}
    with Bank.open(root, environ=extras(tmp_path / "shared", "docs")) as bank:
        bank.retain("O(c=0.9) @Ada: Prefers tea to what @Adelaide drinks.", day="2026-01-02")
        bank.reflect()
        bank.decide("merge", "Ada", "Adelaide")
        bank.reflect()
    assert {file: file.read_bytes() for file in kept} == kept
    assert sorted(path.name for path in outside.parent.iterdir()) == ["a.md"]


def test_f46_each_agent_has_an_index_of_its_own(root: Path, tmp_path: Path) -> None:
    fact(root / "memory" / "2026-01-02.md", "Keeps a zeppelin in the shed.")
    kept = WORDS_ONLY | {"LOREBANK_INDEX__PATH": str(tmp_path / "kept" / "{agent_id}.sqlite")}
    for agent in ("main", "scout"):
        assert len(found(root, "zeppelin", kept | {"LOREBANK_INDEX__AGENT_ID": agent})) == 1
    with Bank.init(tmp_path / "other", environ=kept) as other:
        assert other.recall("zeppelin").hits == ()
    names = sorted(path.name.split("-")[0] for path in (tmp_path / "kept").glob("*.sqlite"))
    assert names == ["main", "main", "scout"]
    assert not (root / ".memory" / "index.sqlite").exists()


@pytest.mark.parametrize("agent", ["", "../x", "a/b", ".x", "x" * 65, "é", "a b"])
def test_f46_an_agents_id_cannot_lead_elsewhere(root: Path, agent: str) -> None:
    with pytest.raises(ConfigurationError, match=r"index\.agent_id"):
        Bank.open(root, environ=WORDS_ONLY | {"LOREBANK_INDEX__AGENT_ID": agent})
