"""Taking over OpenClaw's settings: every key has a home or a reason."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.errors import ConfigurationError
from lorebank.settings.config import get, load_config, set_values
from lorebank.settings.openclaw import parse_json5, read_openclaw
from support import GOLDEN, golden


@pytest.fixture
def openclaw() -> Path:
    """Every key that OpenClaw documents for memory, and a few that it does not."""
    return GOLDEN / "openclaw.json5"


def test_f19_every_key_of_openclaw_has_a_home_or_a_reason(openclaw: Path) -> None:
    found = read_openclaw(openclaw)
    expected = json.loads((GOLDEN / "openclaw.json").read_text("utf-8"))
    assert json.loads(json.dumps(found.settings)) == expected["settings"]
    assert sorted(key for key, why in found.unmapped if why) == expected["homeless"]


def test_what_is_taken_over_can_be_written_and_read(openclaw: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\n[recall]\nk = 3 # three\n")
    found = read_openclaw(openclaw)
    set_values(file, found.settings)
    config = load_config(None, {"LOREBANK_CONFIG": str(file)})
    assert {key: get(config, key) for key in found.settings} == found.settings
    assert file.read_text().startswith("# mine\n[recall]\nk = 6 # three\n")


def test_a_provider_that_is_not_named_is_chosen_as_openclaw_does(tmp_path: Path) -> None:
    file = tmp_path / "openclaw.json"
    file.write_text("{agents: {defaults: {memorySearch: {sync: {watch: true}}}}}")
    assert read_openclaw(file).settings == {"embedder.provider": "auto"}
    file.write_text("{agents: {defaults: {memorySearch: {provider: 'mistral', fallback: 7}}}}")
    found = read_openclaw(file)
    assert found.settings == {}
    assert [key.rpartition(".")[2] for key, _ in found.unmapped] == ["provider", "fallback"]
    assert "expected" in found.unmapped[0][1]


def test_f46_the_index_can_be_kept_elsewhere_one_a_workspace(tmp_path: Path) -> None:
    from lorebank import Bank

    places = set()
    for name in ("one", "two"):
        root = tmp_path / name / "notes"
        environ = {
            "LOREBANK_CONFIG": "/nonexistent",
            "LOREBANK_EMBEDDER__PROVIDER": "none",
            "LOREBANK_INDEX__PATH": str(tmp_path / "kept" / "{workspace}.sqlite"),
        }
        with Bank.init(root, environ=environ) as bank:
            bank.retain("W @Ada: Keeps bees.", day="2026-01-02")
            assert len(bank.recall("bees").hits) == 1
            assert bank.status().index_bytes > 0
        assert not (root / ".memory" / "index.sqlite").exists()
        places = {path.name for path in (tmp_path / "kept").glob("*.sqlite")}
    assert len(places) == 2
    assert all(name.startswith("notes-") for name in places)


@golden("settings.md")
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "openclaw.json"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError) as refusal:
        read_openclaw(file)
    assert refusal.value.message.startswith(f"{file}: {message}")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_openclaw(tmp_path / "openclaw.json")


@golden("settings.md")
def test_json5_is_read_as_its_grammar_says(text: str, value: object) -> None:
    assert parse_json5(text) == value


def test_many_comments_behind_a_comma_take_no_time() -> None:
    comments = "// as in https://a.example/b \n /* one */ " * 2000
    assert parse_json5(f"{{a: 1, {comments} b {comments}: 2, {comments}}}") == {"a": 1, "b": 2}


@golden("settings.md")
def test_what_is_no_json5_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="line 1: expected"):
        parse_json5(text)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(value=_values)
def test_json_is_json5(value: object) -> None:
    assert parse_json5(json.dumps(value)) == value


@given(text=st.text(alphabet="{}[]:,'\"\\/*\n abcu0123.+-"))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_json5(text)
    except ValueError as problem:
        assert str(problem).startswith("line ")


def test_f02_f11_compaction_and_the_plugin_slot_are_taken_over(tmp_path: Path) -> None:
    file = tmp_path / "openclaw.json"
    file.write_text(
        """{
  plugins: { slots: { memory: "none" } },
  agents: { defaults: { compaction: {
    mode: "safeguard",
    reserveTokensFloor: 30000,
    memoryFlush: { enabled: false, softThresholdTokens: 5000, prompt: "P", systemPrompt: "S" },
  } } },
}"""
    )
    found = read_openclaw(file)
    assert found.settings == {
        "compaction.reserve_tokens_floor": 30000,
        "compaction.memory_flush.enabled": False,
        "compaction.memory_flush.soft_threshold_tokens": 5000,
        "compaction.memory_flush.prompt": "P",
        "compaction.memory_flush.system_prompt": "S",
        "memory_search.enabled": False,
    }
    assert [key for key, _ in found.unmapped] == ["agents.defaults.compaction.mode"]
