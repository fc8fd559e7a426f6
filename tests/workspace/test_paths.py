"""Paths from outside: what leads out of the workspace's memory is refused."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.errors import PathRefused
from lorebank.settings.tables import Config, WorkspaceSettings
from lorebank.workspace.layout import FileRole, LogPattern, named_day, role_of
from lorebank.workspace.paths import resolve_memory_path
from support import golden


@golden("workspace.md")
def test_memory_files_pass_whether_or_not_they_exist(tmp_path: Path, text: str, path: str) -> None:
    assert resolve_memory_path(tmp_path, text) == tmp_path / path


@golden("workspace.md")
def test_everything_else_is_refused_with_its_reason(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(PathRefused) as caught:
        resolve_memory_path(tmp_path, text)
    assert caught.value.message == f"{text!r} {reason}"
    assert caught.value.hint.startswith("give a Markdown file")


def test_a_path_without_end_is_refused_and_not_said_back(tmp_path: Path) -> None:
    with pytest.raises(PathRefused, match="is longer than 1024 characters") as caught:
        resolve_memory_path(tmp_path, f"memory/{'a' * 100_000}.md")
    assert len(caught.value.message) < 100


def test_the_settings_widen_what_passes(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    config = replace(
        Config(),
        workspace=WorkspaceSettings(
            log_pattern="journals/{YYYY}_{MM}_{DD}.md", extra_paths=("docs", str(outside))
        ),
    )
    root = tmp_path / "root"
    for text in ("journals/2026_02_10.md", "docs/deep/x.md"):
        assert resolve_memory_path(root, text, config) == root / text
    assert resolve_memory_path(root, f"{outside}/x.md", config) == outside / "x.md"
    for text in ("journals/x.md", f"{outside}x/x.md", f"{outside}/../x.md", "/etc/x.md"):
        with pytest.raises(PathRefused):
            resolve_memory_path(root, text, config)


def test_a_link_anywhere_on_the_way_is_refused(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    (other / "deep").mkdir(parents=True)
    (root / "memory").mkdir(parents=True)
    (root / "memory/folder").symlink_to(other)
    (root / "memory/file.md").symlink_to(other / "x.md")
    (root / "bank").symlink_to(other)
    for text in ("memory/folder/x.md", "memory/folder/deep/x.md", "memory/file.md", "bank/x.md"):
        with pytest.raises(PathRefused, match="is reached by a symbolic link"):
            resolve_memory_path(root, text)


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """A workspace beside a file that must never be reached."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "root"
        (folder / "memory").mkdir(parents=True)
        (folder / "memory" / "link").symlink_to(folder.parent)
        (folder.parent / "x.md").write_text("secret")
        yield folder


PIECES = ["memory", "bank", "link", "..", ".", "", "x.md", "memory.md", "%2e%2e", "\\", "~", "C:"]


@given(
    text=st.one_of(
        st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=6).map("/".join),
        st.text(max_size=30).map(lambda name: f"memory/{name}.md"),
    )
)
@example(text="memory/link/x.md")
@example(text="memory/../../x.md")
def test_no_text_escapes_the_memory_of_the_workspace(root: Path, text: str) -> None:
    try:
        path = resolve_memory_path(root, text)
    except PathRefused:
        return
    inside = path.resolve().relative_to(root)
    assert inside.parts[0].casefold() in ("memory", "bank", "memory.md")
    assert path.suffix.lower() == ".md"


# -- what the name of a file says: its day and its role ------------------------------------------


DEFAULT = "memory/{YYYY}-{MM}-{DD}.md"
LOGSEQ = "journals/{YYYY}_{MM}_{DD}.md"
NESTED = "daily/{YYYY}/{MM}-*/{DD}-{MM}-{YYYY}.md"


@golden("workspace.md")
def test_a_path_has_a_day_and_a_role(path: str, pattern: str, day: date | None, role: str) -> None:
    named = named_day(path, LogPattern.compile(pattern))
    assert (named.day, role_of(path, named), named.problem) == (day, FileRole(role), None)


@golden("workspace.md")
def test_a_date_that_no_calendar_has_is_undated_and_reported(
    path: str, pattern: str, shown: str
) -> None:
    message = f"the name contains {shown}, which is not a date; the file is read as undated"
    named = named_day(path, LogPattern.compile(pattern))
    assert (named.day, named.is_log) == (None, False)
    assert named.problem == Diagnostic(path, 0, "date-invalid", message)


@given(
    day=st.dates(),
    pattern=st.sampled_from(
        [DEFAULT, LOGSEQ, NESTED, "{YYYY}/{MM}/{DD}.md", "{DD}.{MM}.{YYYY}.md"]
    ),
)
def test_the_log_of_a_day_carries_that_day(day: date, pattern: str) -> None:
    compiled = LogPattern.compile(pattern)
    assert named_day(compiled.path_for(day), compiled).day == day


def test_the_day_of_a_path_follows_the_default_pattern() -> None:
    assert named_day("memory/2026-02-10-router.md", LogPattern.compile()).day == date(2026, 2, 10)
