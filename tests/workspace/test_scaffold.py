"""Laying out: finding a workspace, making one, and the packs it is made from."""

import re
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from lorebank.errors import ConfigurationError, NotFound, PathRefused, WorkspaceError
from lorebank.settings.tables import Config
from lorebank.templates import pack as pack_source
from lorebank.templates.pack import (
    check_template,
    init_workspace,
    list_templates,
    load_template,
    pack_files,
    page_frame,
    template_files,
    write_pack,
)
from lorebank.workspace.discover import find_workspace
from lorebank.workspace.files import walk
from lorebank.workspace.standing import StandingPage
from support import golden

NAMES = [template.name for template in list_templates()]


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_init_lays_out_a_workspace_and_says_what_it_made(tmp_path: Path) -> None:
    root = tmp_path / "new" / "notes"
    assert " ".join(init_workspace(root)) == (
        "memory/ bank/ bank/entities/ .memory/ bank/directives.md bank/evidence.md"
        " bank/experience.md bank/identity.md bank/opinions.md bank/world.md memory.md"
    )
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


@golden("workspace.md")
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
    with pytest.raises(WorkspaceError, match="cannot be created"):
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
    assert " ".join(re.findall(r"\{\{(\w+)\}\}", frame)) == "name summary opinions timeline related"


@pytest.mark.parametrize("mark", [".memory", "memory", "bank"])
def test_the_nearest_folder_upwards_is_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    inner = tmp_path / "outer" / "inner"
    (tmp_path / "outer" / "bank").mkdir(parents=True)
    (inner / mark / "deep").mkdir(parents=True)
    monkeypatch.chdir(inner / mark / "deep")
    assert find_workspace(None, {}) == inner.resolve()


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


# -- Template packs from anywhere: what is accepted, what is refused, and that nothing leaks ou


MANIFEST = """
name = "mine"
title = "Mine"
description = "A pack of my own."

[[pages]]
path = "bank/pages/due.md"
title = 'What is "due"'
question = 'What is due \\ "soon"?'
words = ["due", "frist*"]
kinds = ["W", "B"]
since = "90d"
k = 5
"""
PAGE = StandingPage(
    path="bank/pages/due.md",
    title='What is "due"',
    question='What is due \\ "soon"?',
    words=("due", "frist*"),
    kinds=("W", "B"),
    since="90d",
    k=5,
)


def folder_pack(place: Path, manifest: str = MANIFEST, **files: str) -> Path:
    place.mkdir(parents=True)
    (place / "template.toml").write_text(manifest, "utf-8")
    for name, text in files.items():
        file = place / "workspace" / name.replace("__", "/").replace("_md", ".md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return place


def zip_pack(place: Path, entries: dict[str, bytes], manifest: str = MANIFEST) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("template.toml", manifest)
        for name, content in entries.items():
            archive.writestr(name, content)
    return place


def test_a_pack_lays_out_its_files_over_those_of_the_default(tmp_path: Path) -> None:
    pack = folder_pack(tmp_path / "pack", bank__world_md="# Mine\n", MEMORY_md="# Core\n")
    template = load_template(str(pack))
    assert template.pages == (PAGE,)
    files = template_files(template)
    assert files["bank/world.md"] == b"# Mine\n"
    assert "memory.md" not in files and files["MEMORY.md"] == b"# Core\n"
    assert files["bank/pages/due.md"].decode() == (
        '---\ntitle: "What is \\"due\\""\nquestion: "What is due \\\\ \\"soon\\"?"\n'
        'words: ["due", "frist*"]\nkinds: ["W", "B"]\nsince: "90d"\nk: 5\n---\n# What is "due"\n'
    )


@pytest.mark.parametrize("wrapper", ["", "mine-1.0/"])
def test_a_zip_is_read_as_its_folder_would_be(tmp_path: Path, wrapper: str) -> None:
    place = tmp_path / "pack.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr(f"{wrapper}template.toml", MANIFEST)
        archive.writestr(f"{wrapper}workspace/bank/world.md", "# Mine\n")
        archive.writestr(f"{wrapper}README.md", "for people")
    folder = folder_pack(tmp_path / "pack", bank__world_md="# Mine\n")
    assert load_template(str(place)) == load_template(str(folder))


@pytest.mark.parametrize("ending", ["", ".zip"])
def test_what_is_exported_is_what_is_imported(tmp_path: Path, ending: str) -> None:
    held = pack_files("mine", "Mine", "A\tpack.", [PAGE], {"bank/world.md": b"# W\n"})
    target = tmp_path / f"out{ending}"
    write_pack(target, held)
    found = load_template(str(target))
    assert (found.name, found.title, found.pages) == ("mine", "Mine", (PAGE,))
    assert found.files == {"bank/world.md": b"# W\n"}
    with pytest.raises(WorkspaceError, match="already exists"):
        write_pack(target, held)


def test_an_exported_zip_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    held = pack_files("mine", "Mine", "One.", [PAGE], {})
    write_pack(tmp_path / "a.zip", held)
    write_pack(tmp_path / "b.zip", held)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_a_dry_run_tells_what_a_run_makes_and_writes_nothing(tmp_path: Path) -> None:
    pack = str(folder_pack(tmp_path / "pack", bank__world_md="# Mine\n"))
    root = tmp_path / "root"
    (root / "bank").mkdir(parents=True)
    (root / "bank" / "opinions.md").write_text("mine")
    before = contents(root)
    planned = init_workspace(root, pack, dry_run=True)
    assert contents(root) == before
    assert init_workspace(root, pack) == planned
    assert "bank/opinions.md" not in planned and "bank/pages/due.md" in planned
    assert contents(root) | before == contents(root)


@golden("workspace.md")
def test_a_name_that_leads_elsewhere_refuses_the_whole_pack(tmp_path: Path, name: str) -> None:
    pack = zip_pack(tmp_path / "pack.zip", {"workspace/bank/world.md": b"# W\n", name: b"x"})
    with pytest.raises(PathRefused):
        init_workspace(tmp_path / "deep" / "root", str(pack))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pack.zip"]


def test_links_in_packs_are_refused(tmp_path: Path) -> None:
    pack = folder_pack(tmp_path / "pack", bank__world_md="# Mine\n")
    (pack / "workspace" / "bank" / "secret.md").symlink_to("/etc/hostname")
    with pytest.raises(PathRefused, match="symbolic link"):
        load_template(str(pack))
    entry = zipfile.ZipInfo("workspace/bank/secret.md")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "pack.zip", "w") as archive:
        archive.writestr("template.toml", MANIFEST)
        archive.writestr(entry, "/etc/hostname")
    with pytest.raises(PathRefused, match="symbolic link"):
        load_template(str(tmp_path / "pack.zip"))


def _bomb(place: Path) -> None:
    zip_pack(place, {"workspace/bank/big.md": b"\n" * (pack_source.MAX_FILE_BYTES + 1)})


def _many(place: Path) -> None:
    count = pack_source.MAX_FILES + 1
    zip_pack(place, {f"workspace/bank/{n}.md": b"x" for n in range(count)})


def _large(place: Path) -> None:
    count = pack_source.MAX_PACK_BYTES // pack_source.MAX_FILE_BYTES + 1
    content = b"\n" * pack_source.MAX_FILE_BYTES
    zip_pack(place, {f"workspace/bank/{n}.md": content for n in range(count)})


def _twice(place: Path) -> None:
    zip_pack(place, {"workspace/bank/a.md": b"x", "workspace/bank/A.md": b"y"})


def _bytes(place: Path) -> None:
    zip_pack(place, {"workspace/bank/a.md": b"\xff\xfe"})


def _cut(place: Path) -> None:
    whole = zip_pack(place, {"workspace/bank/a.md": b"x" * 500}).read_bytes()
    place.write_bytes(whole[: len(whole) // 2])


def _spoilt(place: Path) -> None:
    whole = bytearray(zip_pack(place, {}).read_bytes())
    start = whole.index(b"template.toml") + len(b"template.toml")
    whole[start : start + 20] = b"\xff" * 20
    place.write_bytes(whole)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_bomb, "larger than 1 MB"),
        (_many, "more than 500 files"),
        (_large, "more than 8 MB"),
        (_twice, "twice"),
        (_bytes, "not UTF-8 at byte 0"),
        (_cut, "not a readable zip archive"),
        (_spoilt, "not a readable zip archive"),
    ],
)
def test_what_is_too_large_or_broken_is_told(
    tmp_path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    spoil(tmp_path / "pack.zip")
    with pytest.raises(WorkspaceError, match=message):
        load_template(str(tmp_path / "pack.zip"))


def test_what_is_no_pack_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no such template"):
        load_template(str(tmp_path / "none"))
    with pytest.raises(NotFound, match=r"holds no template\.toml"):
        load_template(str(tmp_path))


@golden("workspace.md")
def test_a_mistake_names_file_key_and_expectation(
    tmp_path: Path, change: tuple[str, str], problem: str
) -> None:
    pack = folder_pack(tmp_path / "pack", MANIFEST.replace(*change, 1))
    with pytest.raises(ConfigurationError) as caught:
        load_template(str(pack))
    assert caught.value.message.startswith(f"{pack}/template.toml: ")
    assert problem in caught.value.message
    assert [problem in each for each in check_template(str(pack))] == [True]


def test_every_mistake_is_named_by_a_check(tmp_path: Path) -> None:
    wrong = MANIFEST.replace("k = 5", "k = 0").replace('title = "Mine"', 'title = " "')
    problems = check_template(str(folder_pack(tmp_path / "pack", wrong)))
    assert [each.split(":")[0] for each in problems] == ["title", "pages.1.k"]


def test_a_standing_page_that_is_a_file_as_well_is_named_by_a_check(tmp_path: Path) -> None:
    pack = folder_pack(tmp_path / "pack", bank__pages__due_md="# Due\n")
    assert check_template(str(pack)) == (
        "pages.1.path: expected a page that workspace/ does not hold as well, "
        "not bank/pages/due.md",
    )
