"""Settings: which place wins, what a workspace may not say, what a wrong value is told."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.errors import ConfigurationError, UsageError
from lorebank.settings.config import (
    Change,
    check_value,
    describe,
    get,
    load_config,
    rules,
    set_value,
)
from lorebank.settings.files import (
    cache_directory,
    toml_text,
    user_config_path,
    workspace_config_path,
)
from lorebank.settings.schema import settings_schema
from lorebank.settings.tables import Config
from support import golden


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    path = tmp_path / "xdg" / "lorebank" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "xdg")}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / ".memory").mkdir(parents=True)
    return root


def test_without_files_and_variables_every_setting_is_at_its_default(
    workspace: Path, environ: dict[str, str]
) -> None:
    config = load_config(workspace, environ)
    assert config == Config()
    assert {origin for _, _, origin in describe(config)} == {"default"}


def test_later_places_win_and_each_value_knows_its_origin(
    workspace: Path, environ: dict[str, str], user_file: Path
) -> None:
    user_file.write_text("[recall]\nk = 3\ncandidate_multiplier = 5\nauto_sync = false\n")
    own = workspace_config_path(workspace)
    own.write_text("[recall]\nk = 4\ncandidate_multiplier = 6\n")
    config = load_config(workspace, {**environ, "LOREBANK_RECALL__K": "5"})
    expected = replace(Config().recall, k=5, candidate_multiplier=6, auto_sync=False)
    assert config.recall == expected
    assert [row for row in describe(config) if row[2] != "default"] == [
        ("recall.k", 5, "LOREBANK_RECALL__K"),
        ("recall.candidate_multiplier", 6, str(own)),
        ("recall.auto_sync", False, str(user_file)),
    ]


@golden("settings.md")
def test_a_user_file_sets_values_in_any_toml_spelling(
    environ: dict[str, str], user_file: Path, text: str, key: str, value: object
) -> None:
    user_file.write_text(text, encoding="utf-8", newline="")
    assert get(load_config(None, environ), key) == value


@golden("settings.md")
def test_a_wrong_file_is_told_with_line_key_and_expectation(
    environ: dict[str, str], user_file: Path, text: str, line: int, message: str, hint: str
) -> None:
    user_file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(None, environ)
    assert caught.value.message.startswith(f"{user_file}:{line}: {message}")
    assert hint in caught.value.hint


@golden("settings.md")
def test_an_unreadable_file_is_told(
    environ: dict[str, str], user_file: Path, content: bytes, message: str
) -> None:
    user_file.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        load_config(None, environ)
    assert caught.value.message.startswith(f"{user_file}{message}")


def test_many_wrong_settings_are_told_in_a_moment(environ: dict[str, str], user_file: Path) -> None:
    user_file.write_text("".join(f"[a{n}]\n" for n in range(1_990)))
    before = time.process_time()
    with pytest.raises(ConfigurationError, match=rf"^{user_file}:1: no setting 'a0'"):
        load_config(None, environ)
    assert time.process_time() - before < 2


@golden("settings.md")
def test_a_workspace_may_not_name_libraries_or_paths_outside_but_the_user_may(
    workspace: Path, environ: dict[str, str], user_file: Path, text: str, key: str
) -> None:
    user_file.write_text(text)
    assert get(load_config(workspace, environ), key)
    user_file.unlink()
    file = workspace_config_path(workspace)
    file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(workspace, environ)
    assert caught.value.message.startswith(f"{file}:2: {key}: a workspace's own file may not")


@golden("settings.md")
def test_a_workspace_file_outside_the_allow_list_is_refused(workspace: Path, text: str) -> None:
    workspace_config_path(workspace).write_text(text)
    with pytest.raises(ConfigurationError):
        load_config(workspace, {})


@golden("settings.md")
def test_what_leaves_the_machine_or_its_folder_a_workspace_may_not_say(
    workspace: Path, text: str
) -> None:
    file = workspace_config_path(workspace)
    file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        load_config(workspace, {})
    key = text.removeprefix("[").replace("]\n", ".").partition(" = ")[0]
    assert caught.value.message == (
        f"{file}:2: {key}: a workspace's own file may not set this; expected it in the user's file"
    )


def test_a_workspace_file_that_is_a_link_is_refused(workspace: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[recall]\nk = 3\n")
    file = workspace_config_path(workspace)
    file.symlink_to(other)
    with pytest.raises(ConfigurationError, match="symbolic link"):
        load_config(workspace, {})
    with pytest.raises(ConfigurationError, match="symbolic link"):
        set_value(file, "recall.k", 4, in_workspace=True)
    assert other.read_text() == "[recall]\nk = 3\n"


@golden("settings.md")
def test_variables_are_read_in_the_kind_of_their_setting(
    name: str, text: str, key: str, value: object
) -> None:
    config = load_config(None, {name: text})
    assert (get(config, key), config.origins) == (value, {key: name})


@golden("settings.md")
def test_a_wrong_variable_is_told_by_name(name: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_config(None, {name: text})
    assert caught.value.message.startswith(f"{name}: {message}")


def test_everything_that_is_wrong_is_told_at_once(
    workspace: Path, environ: dict[str, str], user_file: Path
) -> None:
    user_file.write_text("[recall]\nk = 0\nfusoin = 'rrf'\n[memory.qmd]\nsearchMode = 'query'\n")
    own = workspace_config_path(workspace)
    own.write_text("[memory]\nbackend = 'qmd'\nqmd.command = '/bin/sh'\n")
    with pytest.raises(ConfigurationError) as caught:
        load_config(workspace, {**environ, "LOREBANK_RECALL__K": "x"})
    places = [
        line.split(": expected")[0].split(" (")[0] for line in caught.value.message.split("\n")
    ]
    assert places == [
        f"{user_file}:2: recall.k",
        f"{user_file}:3: no setting 'recall.fusoin'",
        f"{user_file}:5: no setting 'memory.qmd.searchMode'",
        f"{own}:2: memory.backend: a workspace's own file may not set this; expected it in the "
        "user's file",
        f"{own}:3: memory.qmd.command: a workspace's own file may not set this; expected it in the "
        "user's file",
        "LOREBANK_RECALL__K: recall.k",
    ]
    assert "(did you mean memory.qmd.search_mode?)" in caught.value.message


def test_flags_win_over_every_place(environ: dict[str, str], user_file: Path) -> None:
    user_file.write_text("[recall]\nk = 3\n")
    flags = [Change("recall.k", "7", "--set"), Change("embedder.offline", True, "--offline")]
    config = load_config(None, {**environ, "LOREBANK_RECALL__K": "5"}, flags)
    assert (config.recall.k, config.embedder.offline) == (7, True)
    assert config.origins == {"recall.k": "--set", "embedder.offline": "--offline"}
    with pytest.raises(ConfigurationError, match=r"--set: recall\.k: expected"):
        load_config(None, environ, [Change("recall.k", "0", "--set")])


@golden("settings.md")
def test_wrong_values_of_the_sidecar_are_refused(key: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match=f"{key}: expected "):
        check_value(key, value)


@pytest.mark.parametrize("key", [key for key in rules() if key.startswith("memory.")])
def test_a_workspace_sets_nothing_of_the_sidecar_but_smaller_answers(
    workspace: Path, key: str
) -> None:
    value = get(Config(), key)
    harmless = key in ("memory.citations", "memory.backend") or (
        key.startswith("memory.qmd.limits.max_")
    )
    *table, name = key.split(".")
    text = f"[{'.'.join(table)}]\n{name} = {toml_text(value)}\n"
    workspace_config_path(workspace).write_text(text)
    if harmless:
        assert get(load_config(workspace, {}), key) == value
    else:
        with pytest.raises(ConfigurationError, match="a workspace's own file may not set this"):
            load_config(workspace, {})


def test_lists_of_tables_are_read_from_every_place(
    environ: dict[str, str], user_file: Path
) -> None:
    docs = ({"path": "~/notes", "name": "docs"},)
    user_file.write_text('[[memory.qmd.paths]]\npath = "~/notes"\nname = "docs"\n')
    assert load_config(None, environ).memory.qmd.paths == docs
    user_file.write_text("# mine\n")
    set_value(user_file, "memory.qmd.paths", '[{path = "~/notes", name = "docs"}]')
    assert load_config(None, environ).memory.qmd.paths == docs
    assert user_file.read_text().startswith("# mine\n")


def test_other_variables_of_lorebank_are_no_settings() -> None:
    environ = {"LOREBANK_WORKSPACE": "/x", "LOREBANK_NOW": "2025-01-01", "OTHER__K": "1"}
    assert load_config(None, environ) == Config()


def test_f55_recall_weights_come_out_with_a_sum_of_one() -> None:
    environ = {"LOREBANK_RECALL__VECTOR_WEIGHT": "0.9", "LOREBANK_RECALL__TEXT_WEIGHT": "0.9"}
    recall = load_config(None, environ).recall
    assert (recall.vector_weight, recall.text_weight) == (0.5, 0.5)


@golden("settings.md")
def test_settings_that_contradict_each_other_are_told(
    environ: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_config(None, environ)
    assert caught.value.message.startswith(message)


@golden("settings.md")
def test_the_user_file_is_where_the_platform_keeps_settings(
    environ: dict[str, str], platform: str, expected: str | None
) -> None:
    path = user_config_path(environ, platform)
    assert path == (Path(expected) if expected else None)


def test_naming_a_missing_file_leaves_out_the_users_settings(
    environ: dict[str, str], user_file: Path, tmp_path: Path
) -> None:
    user_file.write_text("[recall]\nk = 3\n")
    named = {**environ, "LOREBANK_CONFIG": str(tmp_path / "none.toml")}
    assert load_config(None, named) == Config()


def test_get_names_the_nearest_setting() -> None:
    with pytest.raises(UsageError) as caught:
        get(Config(), "vector.enabld")
    assert caught.value.hint == "did you mean vector.enabled?"


@golden("settings.md")
def test_set_value_changes_one_value_and_nothing_else(
    tmp_path: Path, before: str, key: str, value: str, after: str
) -> None:
    file = tmp_path / "config.toml"
    if before:
        file.write_text(before, newline="")
    set_value(file, key, value)
    assert file.read_bytes().decode() == after


def test_set_value_makes_the_users_folder_and_keeps_the_mode(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert set_value(file, "recall.k", 5) == 5
    file.chmod(0o640)
    set_value(file, "recall.k", 6)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("[recall]\nk = 6\n", 0o640)
    assert [entry.name for entry in file.parent.iterdir()] == ["config.toml"]


@golden("settings.md")
def test_set_value_refuses_and_leaves_the_file(
    tmp_path: Path, before: str, key: str, value: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(before)
    with pytest.raises(ConfigurationError):
        set_value(file, key, value)
    assert file.read_text() == before


def test_set_value_holds_a_workspace_file_to_the_allow_list(workspace: Path) -> None:
    file = workspace_config_path(workspace)
    with pytest.raises(ConfigurationError, match="a workspace's own file may not set this"):
        set_value(file, "vector.extension_path", "/tmp/x.so", in_workspace=True)
    assert not file.exists()


@given(headings=st.lists(st.text(min_size=1).filter(lambda text: text.strip()), max_size=4))
def test_any_text_survives_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, headings: list[str]
) -> None:
    file = tmp_path_factory.mktemp("config") / "config.toml"
    set_value(file, "retain.headings", headings)
    config = load_config(None, {"LOREBANK_CONFIG": str(file)})
    assert config.retain.headings == tuple(headings)


@golden("settings.md")
def test_numbers_survive_writing_and_reading(tmp_path: Path, value: Any) -> None:
    file = tmp_path / "config.toml"
    key = "recall.mmr.enabled" if value is True else "recall.mmr.lambda"
    set_value(file, key, value)
    assert get(load_config(None, {"LOREBANK_CONFIG": str(file)}), key) == value


def test_loading_without_files_imports_neither_tomllib_nor_pydantic(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from lorebank.settings.config import load_config;"
        "load_config(pathlib.Path(sys.argv[1]), {'HOME': sys.argv[1]});"
        "print([m for m in ('tomllib', 'pydantic', 'tempfile') if m in sys.modules])"
    )
    environ = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-S", "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    assert done.stdout == "[]\n"


def _at(key: str) -> dict[str, Any]:
    node = settings_schema()
    for name in key.split("."):
        node = node["properties"][name]
    return node


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def test_every_setting_is_in_it_with_its_default_and_what_it_means() -> None:
    assert json.loads(json.dumps(settings_schema())) == settings_schema()
    for key, rule in rules().items():
        node = _at(key)
        assert node["default"] == _listed(get(Config(), key)), key
        assert rule.expects.split()[0] in node["description"], key


def test_what_stands_below_a_field_is_said() -> None:
    assert _at("recall.mmr.lambda") == {
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "default": 0.7,
        "description": "1 is pure relevance, 0 the greatest diversity. Written `lambda`. "
        "Expected: a number from 0 to 1.",
    }


def test_nothing_else_is_allowed() -> None:
    def tables(node: dict[str, Any]) -> list[dict[str, Any]]:
        below = node.get("properties", {}).values()
        return [node, *(t for child in below for t in tables(child))] if below else []

    assert all(table["additionalProperties"] is False for table in tables(settings_schema()))


@golden("settings.md")
def test_it_refuses_what_the_rules_refuse(key: str, right: list[Any], wrong: list[Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = _at(key)
    for value in right:
        check_value(key, value)
        jsonschema.validate(value, schema)
    for value in wrong:
        with pytest.raises(ConfigurationError):
            check_value(key, value)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value, schema)


def test_the_cache_home_of_the_environment_wins(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "lorebank"


@pytest.mark.parametrize("value", ["", "relative/place"])
def test_an_empty_or_relative_cache_home_counts_as_none(monkeypatch, tmp_path: Path, value: str):
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    directory = cache_directory()
    assert directory is not None
    assert directory.is_relative_to(tmp_path)
