"""The walk: which files are memory, and what is said about the rest."""

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from lorebank.errors import WorkspaceError
from lorebank.settings.tables import Config, WorkspaceSettings
from lorebank.workspace.files import FileRole, SourceFile, content_hash, read_bytes, walk
from support import golden

is_root = hasattr(os, "geteuid") and os.geteuid() == 0


def lay(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path, encoding="utf-8")


def settings(**values: object) -> Config:
    return replace(Config(), workspace=WorkspaceSettings(**values))  # type: ignore[arg-type]


def paths(root: Path, config: Config | None = None) -> list[str]:
    return [file.path for file in walk(root, config or Config()).files]


def problems(root: Path, config: Config | None = None) -> list[tuple[str, str]]:
    return [(p.path, p.code) for p in walk(root, config or Config()).problems]


def test_memory_is_core_logs_notes_and_bank_and_nothing_else(tmp_path: Path) -> None:
    lay(
        tmp_path,
        "memory.md",
        "README.md",
        "memory/2025-11-27.md",
        "memory/deep/er/Note.MD",
        "memory/notes.md/a.md",
        "memory/picture.png",
        "memory/.hidden.md",
        "memory/.obsidian/x.md",
        "memory/.md",
        "bank/world.md",
        "bank/identity.md",
        "bank/entities/Peter.md",
        "bank/proposals/p.md",
        "bank/reflections/2025-11-27.md",
        "bank/pages/proposals/x.md",
        ".memory/x.md",
    )
    result = walk(tmp_path, Config())
    assert [(file.path, file.role, file.recorded) for file in result.files] == [
        ("bank/entities/Peter.md", FileRole.BANK, None),
        ("bank/identity.md", FileRole.LEDGER, None),
        ("bank/pages/proposals/x.md", FileRole.BANK, None),
        ("bank/world.md", FileRole.BANK, None),
        ("memory.md", FileRole.CORE, None),
        ("memory/2025-11-27.md", FileRole.LOG, date(2025, 11, 27)),
        ("memory/deep/er/Note.MD", FileRole.NOTE, None),
        ("memory/notes.md/a.md", FileRole.NOTE, None),
    ]
    assert result.problems == ()


def test_a_file_is_seen_with_size_and_time(tmp_path: Path) -> None:
    lay(tmp_path, "memory.md")
    os.utime(tmp_path / "memory.md", ns=(5, 1_700_000_000_000_000_007))
    changed = max((tmp_path / "memory.md").stat().st_ctime_ns, 1_700_000_000_000_000_007)
    (file,) = walk(tmp_path, Config()).files
    assert file == SourceFile("memory.md", 9, changed, None, FileRole.CORE)


def test_both_spellings_of_the_core_count_where_the_disk_tells_them_apart(tmp_path: Path) -> None:
    lay(tmp_path, "memory.md", "MEMORY.md")
    assert paths(tmp_path) == sorted(entry.name for entry in tmp_path.iterdir())


def test_an_empty_folder_is_an_empty_workspace_and_a_file_is_none(tmp_path: Path) -> None:
    assert walk(tmp_path, Config()).files == ()
    lay(tmp_path, "x")
    with pytest.raises(WorkspaceError, match="is not a folder"):
        walk(tmp_path / "x", Config())


@golden("workspace.md")
def test_logs_are_found_by_their_pattern(
    tmp_path: Path, pattern: str, there: list[str], found: list[str]
) -> None:
    lay(tmp_path, *there)
    assert paths(tmp_path, settings(log_pattern=pattern)) == found


def test_a_log_whose_date_is_broken_is_read_and_reported(tmp_path: Path) -> None:
    lay(tmp_path, "memory/2026-02-31.md")
    assert paths(tmp_path) == ["memory/2026-02-31.md"]
    assert problems(tmp_path) == [("memory/2026-02-31.md", "date-invalid")]


def test_extra_paths_are_files_or_folders_inside_or_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    lay(root, "docs/a.md", "docs/b.txt", "docs/deep/c.md", "GUIDE.md", "memory/m.md")
    lay(outside, "2026-02-10.md", "d.md")
    config = settings(extra_paths=("docs", "./GUIDE.md", "memory", str(outside), "none", "x.md"))
    extra = outside.as_posix()
    assert [(f.path, f.role) for f in walk(root, config).files] == [
        (f"{extra}/2026-02-10.md", FileRole.EXTRA),
        (f"{extra}/d.md", FileRole.EXTRA),
        ("GUIDE.md", FileRole.EXTRA),
        ("docs/a.md", FileRole.EXTRA),
        ("docs/deep/c.md", FileRole.EXTRA),
        ("memory/m.md", FileRole.NOTE),
    ]
    assert problems(root, config) == [
        ("none", "extra-path-missing"),
        ("x.md", "extra-path-missing"),
    ]


def test_the_whole_workspace_as_extra_path_leaves_out_what_reflect_reports(tmp_path: Path) -> None:
    lay(tmp_path, "a.md", "bank/proposals/p.md", "bank/world.md", ".git/x.md", "sub/b.md")
    config = settings(extra_paths=(".",))
    assert paths(tmp_path, config) == ["a.md", "bank/world.md", "sub/b.md"]


def test_links_are_ignored_and_reported_whatever_they_point_to(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    lay(other, "secret.md", "deep/x.md", "2026_02_10.md")
    lay(root, "memory/real.md")
    (root / "memory/file.md").symlink_to(other / "secret.md")
    (root / "memory/folder").symlink_to(other)
    (root / "memory/broken.md").symlink_to(other / "none")
    (root / "memory/loop").symlink_to(root / "memory")
    (root / "memory/picture.png").symlink_to(other / "secret.md")
    (root / "memory.md").symlink_to(other / "secret.md")
    (root / "bank").symlink_to(other)
    (root / "journals").symlink_to(other)
    config = settings(
        log_pattern="journals/{YYYY}_{MM}_{DD}.md", extra_paths=("journals/deep", "journals")
    )
    assert paths(root, config) == ["memory/real.md"]
    links = "bank journals memory.md memory/broken.md memory/file.md memory/folder memory/loop"
    assert problems(root, config) == [(path, "symlink-ignored") for path in links.split()]


def test_the_workspace_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    lay(tmp_path / "real", "memory/a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(tmp_path / "link") == ["memory/a.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes")
def test_a_pipe_is_reported_and_never_opened(tmp_path: Path) -> None:
    lay(tmp_path, "memory/a.md")
    os.mkfifo(tmp_path / "memory/pipe.md")
    assert paths(tmp_path) == ["memory/a.md"]
    assert problems(tmp_path) == [("memory/pipe.md", "not-a-file")]
    with pytest.raises(OSError, match="not a regular file"):
        read_bytes(tmp_path, SourceFile("memory/pipe.md", 0, 0, None, FileRole.NOTE))


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="names are Unicode")
def test_a_name_that_is_not_utf8_is_reported_in_printable_form(tmp_path: Path) -> None:
    lay(tmp_path, "memory/ok.md")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/memory/caf\xe9.md")).write_text("x")
    assert paths(tmp_path) == ["memory/ok.md"]
    assert problems(tmp_path) == [("memory/caf\\xe9.md", "name-not-utf8")]


@pytest.mark.skipif(is_root, reason="root may read everything")
def test_a_closed_folder_is_reported_and_its_neighbours_are_read(tmp_path: Path) -> None:
    lay(tmp_path, "memory/a.md", "memory/closed/b.md")
    (tmp_path / "memory/closed").chmod(0)
    try:
        assert paths(tmp_path) == ["memory/a.md"]
        assert problems(tmp_path) == [("memory/closed", "unreadable")]
    finally:
        (tmp_path / "memory/closed").chmod(0o700)


def test_reading_gives_the_bytes_as_they_are_and_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "memory.md").write_bytes(b"\xef\xbb\xbfa\r\nb\xff\x00")
    (file,) = walk(tmp_path, Config()).files
    assert read_bytes(tmp_path, file) == b"\xef\xbb\xbfa\r\nb\xff\x00"
    (tmp_path / "memory.md").rename(tmp_path / "other.md")
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path, file)
    (tmp_path / "memory.md").symlink_to(tmp_path / "other.md")
    with pytest.raises(OSError):
        read_bytes(tmp_path, file)


def test_a_content_hash_is_32_hex_digits_of_the_bytes_alone() -> None:
    assert content_hash(b"") == "cae66941d9efbd404e4d88758ea67670"
    assert content_hash(b"a") != content_hash(b"b")
