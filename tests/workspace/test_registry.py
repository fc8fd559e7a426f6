"""The registry of named banks: a TOML file of the user's, edited in place."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lorebank import Bank, LorebankError, UsageError, WorkspaceError, open_bank, registered_banks
from lorebank.domain.answers import RegisteredBank
from lorebank.workspace.discover import find_workspace
from lorebank.workspace.registry import (
    add_bank,
    load_registry,
    remove_bank,
    set_default_bank,
    split_place,
)
from support import golden

Environ = dict[str, str]


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    return {
        "LOREBANK_CONFIG": str(tmp_path / "settings" / "config.toml"),
        "LOREBANK_EMBEDDER__PROVIDER": "none",
    }


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings" / "banks.toml"


def folder(tmp_path: Path, name: str) -> Path:
    made = tmp_path / name
    (made / "memory").mkdir(parents=True)
    return made


def test_banks_are_added_listed_defaulted_and_removed(
    environ: Environ, tmp_path: Path, file: Path
) -> None:
    home, work = folder(tmp_path, "notes"), folder(tmp_path, "work notes")
    assert load_registry(environ).banks == ()
    assert add_bank(environ, "home", home) == (RegisteredBank("home", str(home)), "")
    add_bank(environ, "work", work)
    set_default_bank(environ, "work")
    assert registered_banks(environ) == (
        RegisteredBank("home", str(home)),
        RegisteredBank("work", str(work), is_default=True),
    )
    assert file.read_text() == (f'default = "work"\n\n[banks]\nhome = "{home}"\nwork = "{work}"\n')
    assert remove_bank(environ, "work").path == str(work)
    assert file.read_text() == f'\n[banks]\nhome = "{home}"\n'
    assert work.is_dir()


def test_comments_and_order_stay(environ: Environ, tmp_path: Path, file: Path) -> None:
    file.parent.mkdir()
    file.write_text(
        f'# mine\r\n[banks]\r\n"my.notes" = "{tmp_path}/a"  # old\r\n# end\r\n', newline=""
    )
    add_bank(environ, "näher", folder(tmp_path, "b"))
    add_bank(environ, "My.Notes", folder(tmp_path, "c"), replace=True)
    assert file.read_bytes().decode() == (
        f'# mine\r\n[banks]\r\n"my.notes" = "{tmp_path}/c"  # old\r\n'
        f'"näher" = "{tmp_path}/b"\r\n# end\r\n'
    )
    remove_bank(environ, "NÄHER")
    assert [bank.name for bank in load_registry(environ).banks] == ["my.notes"]


@golden("workspace.md")
def test_a_name_that_could_be_taken_for_something_else_is_refused(
    environ: Environ, tmp_path: Path, file: Path, name: str
) -> None:
    with pytest.raises(UsageError):
        add_bank(environ, name, folder(tmp_path, "a"))
    assert not file.exists()


def test_one_folder_has_one_name_and_a_name_one_folder(environ: Environ, tmp_path: Path) -> None:
    one, two = folder(tmp_path, "one"), folder(tmp_path, "two")
    add_bank(environ, "one", one)
    assert add_bank(environ, "one", one)[0].path == str(one)
    with pytest.raises(UsageError, match="already registered as 'one'"):
        add_bank(environ, "two", one)
    with pytest.raises(UsageError, match="'one' is already"):
        add_bank(environ, "ONE", two)
    with pytest.raises(WorkspaceError, match="no such folder"):
        add_bank(environ, "three", tmp_path / "three")


def test_what_is_odd_about_a_folder_is_said(environ: Environ, tmp_path: Path) -> None:
    outer = folder(tmp_path, "outer")
    add_bank(environ, "outer", outer)
    inner = folder(outer / "memory", "inner")
    assert "lies inside the memory of" in add_bank(environ, "inner", inner)[1]
    (tmp_path / "empty").mkdir()
    assert "holds no memory/ yet" in add_bank(environ, "empty", tmp_path / "empty")[1]


@golden("workspace.md")
def test_a_file_that_is_wrong_is_named_with_its_line(
    environ: Environ, file: Path, text: str, said: str
) -> None:
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(WorkspaceError) as caught:
        load_registry(environ)
    assert said in caught.value.message


def test_a_bank_that_is_gone_is_an_error_with_its_remedy(environ: Environ, tmp_path: Path) -> None:
    gone = folder(tmp_path, "gone")
    add_bank(environ, "gone", gone)
    gone.rename(tmp_path / "moved")
    with pytest.raises(WorkspaceError) as caught:
        open_bank("gone", environ=environ)
    assert "bank 'gone' of" in caught.value.message
    assert f"{gone}: no such folder" in caught.value.message
    assert "lorebank bank remove gone" in caught.value.hint
    with pytest.raises(WorkspaceError, match="no bank 'gon' is registered") as caught:
        Bank.open(bank="gon", environ=environ)
    assert caught.value.hint == "did you mean gone?"


def test_what_names_the_workspace_first(
    environ: Environ, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named, variable, near, fallback = (
        folder(tmp_path, name) for name in ("named", "variable", "near", "fallback")
    )
    add_bank(environ, "named", named)
    add_bank(environ, "fallback", fallback)
    set_default_bank(environ, "fallback")
    everything = environ | {"LOREBANK_WORKSPACE": str(variable)}
    monkeypatch.chdir(near)
    assert find_workspace(None, everything, bank="named") == named
    assert find_workspace(named, everything) == named
    assert find_workspace(None, everything) == variable
    assert find_workspace(None, environ) == near
    monkeypatch.chdir(tmp_path)
    assert find_workspace(None, environ) == fallback
    with pytest.raises(UsageError):
        find_workspace(named, environ, bank="named")
    set_default_bank(environ, None)
    with pytest.raises(LorebankError, match="no workspace in"):
        find_workspace(None, environ)


def test_a_place_in_a_bank_is_told_from_a_path(environ: Environ, tmp_path: Path) -> None:
    add_bank(environ, "work", folder(tmp_path, "work"))
    registry = load_registry(environ)
    cases = {
        "work:memory/a.md#L3": ("work", "memory/a.md#L3"),
        "WORK:/srv/a.md": ("work", "/srv/a.md"),
        "memory/a.md": (None, "memory/a.md"),
        "other:memory/a.md": (None, "other:memory/a.md"),
        "memory/work:a.md": (None, "memory/work:a.md"),
        "work:": (None, "work:"),
    }
    assert {text: split_place(text, registry) for text in cases} == cases


def test_banks_registered_at_once_are_all_there(environ: Environ, tmp_path: Path) -> None:
    names = [f"bank-{number}" for number in range(16)]
    folders = [folder(tmp_path, name) for name in names]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda *of: add_bank(environ, *of), names, folders))
    assert {bank.name for bank in load_registry(environ).banks} >= set(names)
