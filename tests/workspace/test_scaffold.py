"""Laying out: finding a workspace, making one, and the packs it is made from."""

import re
from pathlib import Path, PurePosixPath

import pytest

from lorebank.errors import NotFound, PathRefused, WorkspaceError
from lorebank.settings.tables import Config
from lorebank.templates.scaffold import (
    init_workspace,
    list_templates,
    load_template,
    page_frame,
    template_files,
)
from lorebank.workspace.discover import find_workspace
from lorebank.workspace.files import walk

NAMES = [template.name for template in list_templates()]


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_init_lays_out_a_workspace_and_says_what_it_made(tmp_path: Path) -> None:
    root = tmp_path / "new" / "notes"
    assert init_workspace(root) == [
        "memory/",
        "bank/",
        "bank/entities/",
        ".memory/",
        "bank/directives.md",
        "bank/evidence.md",
        "bank/experience.md",
        "bank/identity.md",
        "bank/opinions.md",
        "bank/world.md",
        "memory.md",
    ]
    assert (root / ".memory" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_second_init_makes_nothing_and_changes_nothing(tmp_path: Path, name: str) -> None:
    init_workspace(tmp_path, name)
    before = contents(tmp_path)
    assert init_workspace(tmp_path, name) == []
    assert contents(tmp_path) == before


def test_what_is_there_stays_and_a_second_core_memory_is_not_made(tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "world.md").write_text("mine")
    (tmp_path / "MEMORY.md").write_text("also mine")
    made = init_workspace(tmp_path, "journal")
    assert {"bank/world.md", "memory.md", "bank/"}.isdisjoint(made)
    assert (tmp_path / "bank" / "world.md").read_text() == "mine"
    assert len([path for path in tmp_path.iterdir() if path.suffix == ".md"]) == 1


@pytest.mark.parametrize("name", ["memory", "bank", ".memory", "bank/pages"])
def test_nothing_is_written_through_a_link(tmp_path: Path, name: str) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    other.mkdir()
    (root / name).parent.mkdir(parents=True)
    (root / name).symlink_to(other)
    with pytest.raises(PathRefused, match="symbolic link"):
        init_workspace(root, "research")
    assert list(other.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot be laid out"):
        init_workspace(tmp_path / "file")


def test_an_unknown_template_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        init_workspace(tmp_path, "reserch")
    assert caught.value.hint == "did you mean research?"
    assert list(tmp_path.iterdir()) == []


def test_the_packs_are_listed_with_default_first() -> None:
    assert NAMES == ["default", "coding-agent", "journal", "personal-assistant", "research"]


@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_workspace_says_nothing_that_could_be_taken_for_a_fact(name: str) -> None:
    """Explanations stand in comments: what is left are headings and front matter."""
    for path, content in template_files(load_template(name)).items():
        text = re.sub(r"\A---\n.*?\n---\n", "", content.decode(), flags=re.DOTALL)
        visible = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        lines = [line for line in visible.split("\n") if line.strip()]
        assert lines and all(re.match(r"#+ \S", line) for line in lines), path
        assert not any(re.match(r"#+ retain\b", line, re.IGNORECASE) for line in lines), path


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_a_pack_is_read_as_memory(tmp_path: Path, name: str) -> None:
    init_workspace(tmp_path, name)
    result = walk(tmp_path, Config())
    assert {file.path for file in result.files} == set(template_files(load_template(name)))
    assert result.problems == ()


def test_the_packs_differ_in_core_memory_and_questions() -> None:
    templates = list_templates()
    cores = {template_files(template)["memory.md"] for template in templates}
    questions = [page.question for template in templates for page in template.pages]
    assert len(cores) == len(templates)
    assert len(set(questions)) == len(questions) == 15


@pytest.mark.parametrize("name", NAMES)
def test_a_standing_page_carries_its_question_in_its_front_matter(name: str) -> None:
    template = load_template(name)
    files = template_files(template)
    for page in template.pages:
        assert PurePosixPath(page.path).parent == PurePosixPath("bank/pages")
        assert not set('"\\\n') & set(page.title + page.question)
        lines = files[page.path].decode().split("\n")
        assert lines[:3] == ["---", f'title: "{page.title}"', f'question: "{page.question}"']
        assert lines[lines.index("---", 1) :] == ["---", f"# {page.title}", ""]


def test_the_entity_frame_has_a_place_for_every_block() -> None:
    frame = page_frame("entity")
    assert re.findall(r"\{\{(\w+)\}\}", frame) == [
        "name",
        "summary",
        "opinions",
        "timeline",
        "related",
    ]


@pytest.mark.parametrize("mark", [".memory", "memory", "bank"])
def test_the_nearest_folder_upwards_is_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    inner = tmp_path / "outer" / "inner"
    (tmp_path / "outer" / "bank").mkdir(parents=True)
    (inner / mark / "deep").mkdir(parents=True)
    monkeypatch.chdir(inner / mark / "deep")
    assert find_workspace(None, {}) == inner.resolve()


def test_a_named_workspace_wins_over_the_variable_and_that_over_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "named", "variable"):
        (tmp_path / name / "memory").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    environ = {"LOREBANK_WORKSPACE": str(tmp_path / "variable")}
    assert find_workspace(tmp_path / "named", environ) == tmp_path.resolve() / "named"
    assert find_workspace(None, environ) == tmp_path.resolve() / "variable"
    assert find_workspace(None, {}) == tmp_path.resolve() / "here"


@pytest.mark.parametrize(
    ("path", "environ", "message"),
    [
        (Path("none"), {}, "none: no such folder"),
        (Path("file"), {}, "file: is not a folder"),
        (None, {"LOREBANK_WORKSPACE": "none"}, "none (from LOREBANK_WORKSPACE): no such folder"),
        (Path("a\0b"), {}, "a\0b: cannot be opened: "),
        (None, {}, "no workspace in "),
    ],
)
def test_a_workspace_that_is_not_there_is_told_with_a_hint(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: Path | None,
    environ: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError) as caught:
        find_workspace(path, environ)
    assert caught.value.message.startswith(message)
    assert "lorebank init" in caught.value.hint
