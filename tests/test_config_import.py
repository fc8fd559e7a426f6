"""Taking over OpenClaw's settings: every key has a home or a reason."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.errors import ConfigurationError
from lorebank.settings.config import get, load_config, set_values
from lorebank.settings.openclaw import parse_json5, read_openclaw

EVERYTHING = """
// as its documentation shows it
{
  agents: {
    defaults: {
      workspace: "/srv/claw",
      memorySearch: {
        enabled: true,
        provider: 'openai', model: "text-embedding-3-small", outputDimensionality: 512,
        fallback: "gemini",
        extraPaths: ["../team-docs", "notes", "/srv/shared-notes/overview.md"],
        remote: {
          baseUrl: "https://api.example.com/v1/",
          apiKey: "${MY_KEY}",
          headers: { "X-Organization": "org-id", "X-Token": {source: "env", id: "TOKEN"} },
          batch: { enabled: true, wait: false, pollIntervalMs: 500, timeoutMinutes: 90,
                   concurrency: 3 },
        },
        local: { modelPath: "hf:owner/repository/model.gguf", modelCacheDir: "/srv/models" },
        store: { path: "/srv/index/{agentId}.sqlite",
                 vector: { enabled: false, extensionPath: "/opt/vec0.so" } },
        chunking: { tokens: 300, overlap: 60 },
        sync: { watch: true, onSearch: true, sessions: { deltaBytes: 100000 } },
        query: {
          maxResults: 6, minScore: .35,
          hybrid: { enabled: true, vectorWeight: 0.6, textWeight: 0.4, candidateMultiplier: 5,
                    mmr: { enabled: true, lambda: 0.8 },
                    temporalDecay: { enabled: true, halfLifeDays: 90 } },
        },
        cache: { enabled: true, maxEntries: 1_0 ? 1 : 2 },
        experimental: { sessionMemory: true }, sources: ["memory", "sessions"],
        invented: { key: 1 },
      },
    },
  },
  models: { providers: {
    google: { apiKey: "gemini-key", models: [] },
    voyage: { apiKey: {source: "env", provider: "default", id: "VOYAGE"} },
    mistral: { apiKey: "x" },
  } },
  memory: {
    backend: "qmd", citations: "auto",
    qmd: {
      command: "qmd", searchMode: "search", includeDefaultMemory: true,
      update: { interval: "5m", debounceMs: 15000, onBoot: true, waitForBootSync: false,
                embedInterval: 60, commandTimeoutMs: 1, updateTimeoutMs: 1, embedTimeoutMs: 1 },
      limits: { maxResults: 6, maxSnippetChars: 700, maxInjectedChars: 1, timeoutMs: 4000 },
      sessions: { enabled: true, retentionDays: 30, exportDir: "/x" },
      scope: { default: "deny", rules: [
        { action: "allow", match: { chatType: "direct" } },
        { action: "deny", match: { keyPrefix: "discord:channel:" } },
        { action: "deny", match: { rawKeyPrefix: "agent:main:discord:" } },
      ] },
      mcporter: { enabled: false },
      paths: [{ name: "My docs", path: "~/notes", pattern: "**/*.md" },
              { path: "rel", pattern: "x" },
              { path: "same", name: "my docs" }, "text"],
    },
  },
  memorySearch: { provider: "ignored" },
}
""".replace("1_0 ? 1 : 2", "12345")


@pytest.fixture
def openclaw(tmp_path: Path) -> Path:
    file = tmp_path / "openclaw.json"
    file.write_text(EVERYTHING)
    return file


def test_f19_every_key_of_openclaw_has_a_home_or_a_reason(openclaw: Path) -> None:
    found = read_openclaw(openclaw)
    assert found.settings == {
        "embedder.provider": "openai",
        "embedder.model": "text-embedding-3-small",
        "embedder.dimensions": 512,
        "embedder.fallback": "gemini",
        "workspace.extra_paths": (
            "/srv/team-docs",
            "notes",
            "/srv/shared-notes/overview.md",
        ),
        "embedder.remote.base_url": "https://api.example.com/v1/",
        "embedder.remote.api_key": "env:MY_KEY",
        "embedder.remote.headers": {"X-Organization": "org-id", "X-Token": "env:TOKEN"},
        "embedder.remote.batch.enabled": True,
        "embedder.remote.batch.wait": False,
        "embedder.remote.batch.poll_interval_ms": 500,
        "embedder.remote.batch.timeout_minutes": 90.0,
        "embedder.remote.batch.concurrency": 3,
        "embedder.local.model_path": "hf:owner/repository/model.gguf",
        "embedder.local.model_cache_dir": "/srv/models",
        "index.path": "/srv/index/{agent_id}.sqlite",
        "vector.enabled": False,
        "vector.extension_path": "/opt/vec0.so",
        "index.chunk_tokens": 300,
        "index.chunk_overlap": 60,
        "recall.auto_sync": True,
        "recall.k": 6,
        "recall.vector_weight": 0.6,
        "recall.text_weight": 0.4,
        "recall.candidate_multiplier": 5,
        "recall.mmr.enabled": True,
        "recall.mmr.lambda": 0.8,
        "recall.temporal_decay.enabled": True,
        "recall.temporal_decay.half_life_days": 90.0,
        "embedder.cache.enabled": True,
        "embedder.cache.max_entries": 12345,
        "providers.gemini.api_key": "gemini-key",
        "providers.voyage.api_key": "env:VOYAGE",
        "memory.backend": "qmd",
        "memory.citations": "auto",
        "memory.scope.default": "deny",
        "memory.scope.rules": (
            {"action": "allow", "match": {"chat_type": "direct"}},
            {"action": "deny", "match": {"key_prefix": "discord:channel:"}},
            {"action": "deny", "match": {"raw_key_prefix": "agent:main:discord:"}},
        ),
        "memory.qmd.command": "qmd",
        "memory.qmd.search_mode": "search",
        "memory.qmd.include_default_memory": True,
        "memory.qmd.paths": (
            {"path": "~/notes", "name": "my-docs", "pattern": "**/*.md"},
            {"path": "rel", "pattern": "x"},
        ),
        "memory.qmd.sessions.enabled": True,
        "memory.qmd.sessions.retention_days": 30,
        "memory.qmd.sessions.export_dir": "/x",
        "memory.qmd.update.interval": "5m",
        "memory.qmd.update.debounce_ms": 15000,
        "memory.qmd.update.on_boot": True,
        "memory.qmd.update.wait_for_boot_sync": False,
        "memory.qmd.update.embed_interval": "60m",
        "memory.qmd.update.command_timeout_ms": 1,
        "memory.qmd.update.update_timeout_ms": 1,
        "memory.qmd.update.embed_timeout_ms": 1,
        "memory.qmd.limits.max_results": 6,
        "memory.qmd.limits.max_snippet_chars": 700,
        "memory.qmd.limits.timeout_ms": 4000,
        "memory_search.enabled": True,
        "memory_search.sources": ("memory", "sessions"),
        "memory_search.experimental.session_memory": True,
        "memory_search.sessions.delta_bytes": 100000,
    }
    search = "agents.defaults.memorySearch"
    qmd = "memory.qmd"
    assert sorted(key for key, why in found.homeless if why) == sorted(
        [
            *(
                f"{search}.{key}"
                for key in (
                    "sync.watch",
                    "query.minScore",
                    "query.hybrid.enabled",
                    "invented.key",
                )
            ),
            f"{qmd}.limits.maxInjectedChars",
            f"{qmd}.mcporter.enabled",
            f"{qmd}.paths[2]",
            f"{qmd}.paths[3]",
            "memorySearch",
        ]
    )


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
    assert [key.rpartition(".")[2] for key, _ in found.homeless] == ["provider", "fallback"]
    assert "expected" in found.homeless[0][1]


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{a: 1,, b: 2}", "is not JSON5: line 1: expected a name"),
        (b"{\n a: 'x\n}", "is not JSON5: line 2: expected the text to end with '"),
        (b"[1, 2]", "expected a table of settings"),
        (b"{a: \xff}", "is not JSON5: "),
        (b"", "is not JSON5: line 1: expected a value"),
        (b"[" * 5000, "is not JSON5: line 1: expected no more than 200 levels"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "openclaw.json"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError) as refusal:
        read_openclaw(file)
    assert refusal.value.message.startswith(f"{file}: {message}")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: No such file"):
        read_openclaw(tmp_path / "openclaw.json")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("{a:1,}", {"a": 1}),
        ("[1,]", [1]),
        ("/* a */ [ // b\n 1 /**/ , 2 ] // c", [1, 2]),
        (
            "{$a_1: true, 'b c': false, \"d\": null, ü: 1, \\u0061b: 2}",
            {"$a_1": True, "b c": False, "d": None, "ü": 1, "ab": 2},
        ),
        ("[+1, -1, .5, 5., 1e3, 0xFF, -0x1]", [1, -1, 0.5, 5.0, 1000.0, 255, -1]),
        ("[Infinity, -Infinity]", [float("inf"), float("-inf")]),
        (
            r"'it\'s \x41 \u00e9 \ud83d\ude00 \
on \q \0'",
            "it's A é 😀 on q \0",
        ),
        ("'a \"b\" c'", 'a "b" c'),
        ("\ufeff\u00a0 1", 1),
        ("{a: 1, a: 2}", {"a": 2}),
    ],
)
def test_json5_is_read_as_its_grammar_says(text: str, value: object) -> None:
    assert parse_json5(text) == value


def test_many_comments_behind_a_comma_take_no_time() -> None:
    comments = "// as in https://a.example/b \n /* one */ " * 2000
    assert parse_json5(f"{{a: 1, {comments} b {comments}: 2, {comments}}}") == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "text", ["", "{", "[1 2]", "{a 1}", "{1a: 2}", "1 2", "truthy", "'a", "12abc", "'\\xZZ'", "/*"]
)
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
    assert [key for key, _ in found.homeless] == ["agents.defaults.compaction.mode"]
