"""Template packs from anywhere: what is accepted, what is refused, and that nothing leaks out."""

import io
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank.errors import ConfigurationError, NotFound, PathRefused, WorkspaceError
from lorebank.templates import pack as pack_source
from lorebank.templates.pack import pack_files, write_pack
from lorebank.templates.scaffold import (
    check_template,
    init_workspace,
    load_template,
    template_files,
)
from lorebank.workspace.standing import StandingPage

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


def tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


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
    with pytest.raises(WorkspaceError, match="is there already"):
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
    before = tree(root)
    planned = init_workspace(root, pack, dry_run=True)
    assert tree(root) == before
    assert init_workspace(root, pack) == planned
    assert "bank/opinions.md" not in planned and "bank/pages/due.md" in planned
    assert tree(root) | before == tree(root)


@pytest.mark.parametrize(
    "name",
    [
        "workspace/../escape.md",
        "../escape.md",
        "/escape.md",
        "workspace//etc/escape.md",
        "workspace/.memory/config.toml",
        "workspace/.memory/escape.md",
        "workspace/bank/.hidden.md",
        "workspace/other/escape.md",
        "workspace/escape.md",
        "workspace/bank/run.sh",
        "workspace/bank\\..\\escape.md",
        "workspace/bank/%2e%2e/escape.md",
        "workspace/C:/escape.md",
        "workspace/bank/reflections/2026-01-01.md",
        "workspace/bank/proposals/p.md",
        "workspace/bank//double.md",
    ],
)
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
    zip_pack(place, {"workspace/bank/big.md": b"\n" * (pack_source.LARGEST_FILE + 1)})


def _many(place: Path) -> None:
    count = pack_source.MOST_FILES + 1
    zip_pack(place, {f"workspace/bank/{n}.md": b"x" for n in range(count)})


def _large(place: Path) -> None:
    count = pack_source.LARGEST_PACK // pack_source.LARGEST_FILE + 1
    content = b"\n" * pack_source.LARGEST_FILE
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


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (('name = "mine"', ""), "name: expected small letters"),
        (("mine", "Mine !"), "name: expected small letters and digits with single hyphens"),
        (("k = 5", "k = 0"), "pages.1.k: expected a whole number from 1 to 100, not 0"),
        (("k = 5", 'k = "many"'), "pages.1.k: expected a whole number from 1 to 100, not 'many'"),
        (('kinds = ["W", "B"]', 'kinds = ["X"]'), "pages.1.kinds: expected W, B, O or S, not 'X'"),
        (("since =", "sinse ="), "pages.1.sinse: expected no key of that name, not '90d'"),
        (("bank/pages/due.md", "memory/due.md"), "pages.1.path: expected a Markdown file below"),
        (("bank/pages/due.md", "bank/../due.md"), "pages.1.path: expected a Markdown file below"),
        (("bank/pages/due.md", "bank/opinions.md"), "that has no other use"),
        (("bank/pages/due.md", "bank/entities/A.md"), "that has no other use"),
        (("'What is due \\ \"soon\"?'", '""'), "pages.1.question: expected"),
        (("k = 5", r'since = "1d\nquestion: x"'), "is not TOML"),
        (('since = "90d"', r'since = "1d\nquestion: x"'), "pages.1.since: expected one line"),
        (('since = "90d"', f'since = "{"9" * 401}"'), "pages.1.since: expected at most 400 char"),
        (("k = 5", "k = "), "is not TOML"),
    ],
)
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


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("template.toml", MANIFEST)
    raw = bytearray(buffer.getvalue())
    raw[6] |= 1
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "pack.zip").write_bytes(raw)
    with pytest.raises(WorkspaceError, match="encrypted"):
        load_template(str(tmp_path / "pack.zip"))
