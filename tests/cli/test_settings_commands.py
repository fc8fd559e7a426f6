"""`lorebank config` and `--offline`: keys are never shown, and nothing leaves when told not to."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from provider_server import Provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Run = Callable[..., Any]


@pytest.fixture
def elsewhere(server: Provider) -> dict[str, str]:
    """A provider that is reached as another machine would be."""
    return {
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": server.url.replace("127.0.0.1", "0.0.0.0") + "/v1",
        "LOREBANK_PROVIDERS__OPENAI__API_KEY": server.key,
    }


def test_a_key_is_shown_only_by_its_variable(lorebank: Run, tmp_path: Path) -> None:
    secret = "sk-never-to-be-seen"
    settings = {
        "providers.openai.api_key": secret,
        "providers.gemini.api_key": "env:GEMINI_API_KEY",
        "embedder.remote.headers": f"x-token={secret}",
    }
    outputs = [lorebank("config", "set", "--user", key, value) for key, value in settings.items()]
    assert [done.code for done in outputs] == [0, 0, 0]
    for arguments in (
        ["config", "list"],
        ["config", "list", "--json"],
        ["config", "get", "providers.openai.api_key"],
        ["config", "get", "embedder.remote.headers", "--json"],
    ):
        outputs.append(lorebank(*arguments))
    assert all(secret not in done.out + done.err for done in outputs)
    listed = lorebank("config", "list").out
    assert "providers.openai.api_key = (hidden)" in listed
    assert "providers.gemini.api_key = env:GEMINI_API_KEY" in listed
    file = next((tmp_path / "home").rglob("config.toml"))
    assert file.stat().st_mode & 0o077 == 0


def test_flags_are_settings_and_name_themselves(lorebank: Run) -> None:
    done = lorebank("config", "list", "--set", "recall.k=5", "--offline", "--set", "recall.k = 6")
    assert [line for line in done.out.split("\n") if "--" in line] == [
        "embedder.offline = true  (--offline)",
        "recall.k = 6  (--set)",
    ]
    assert lorebank("--set", "recall.k=7", "config", "get", "recall.k").out == "7\n"
    for wrong, said in (
        ("recall.k=x", "error: --set: recall.k: expected a whole number from 1 to 10000, not 'x'"),
        ("recal.k=5", "error: --set: no setting 'recal.k'"),
        ("recall.k", "error: --set recall.k: expected KEY=VALUE"),
    ):
        done = lorebank("config", "list", "--set", wrong)
        assert (done.code != 0, done.err.split("\n")[0]) == (True, said)


def test_all_that_is_wrong_stands_on_a_line_of_its_own(lorebank: Run, tmp_path: Path) -> None:
    file = tmp_path / "broken.toml"
    file.write_bytes(b"\xef\xbb\xbf[recall]\r\nk = 0\r\nauto_sync = 'sum'\r\n")
    done = lorebank("config", "list", env={"LOREBANK_CONFIG": str(file)})
    assert done.err == (
        f"error: {file}:2: recall.k: expected a whole number from 1 to 10000, not 0\n"
        f"       {file}:3: recall.auto_sync: expected true or false, not 'sum'\n"
    )


def test_the_schema_is_printed_as_json(lorebank: Run) -> None:
    schema = json.loads(lorebank("config", "schema").out)
    assert schema["properties"]["recall"]["properties"]["k"]["maximum"] == 10_000


def test_collections_are_set_and_shown_as_toml(lorebank: Run) -> None:
    text = '[{path = "/srv/docs", name = "docs"}]'
    assert lorebank("config", "set", "--user", "memory.qmd.paths", text).code == 0
    assert lorebank("config", "get", "memory.qmd.paths").out == f"{text}\n"


def test_openclaw_settings_are_taken_over(lorebank: Run, tmp_path: Path) -> None:
    file = tmp_path / "openclaw.json"
    file.write_text(
        "{agents: {defaults: {memorySearch: {provider: 'gemini', // a comment\n"
        " remote: {apiKey: 'k-secret'}, query: {maxResults: 7}, sync: {watch: true}}}}}"
    )
    dry = lorebank("config", "import", str(file), "--dry-run")
    assert dry.code == 0
    assert not list((tmp_path / "home").rglob("config.toml"))
    done = lorebank("config", "import", str(file))
    assert done.out == dry.out
    assert done.out == (
        "embedder.provider = gemini\nembedder.remote.api_key = (hidden)\nrecall.k = 7\n"
    )
    assert "not imported: agents.defaults.memorySearch.sync.watch: " in done.err
    assert lorebank("config", "get", "recall.k").out == "7\n"
    report = json.loads(lorebank("config", "import", str(file), "--json").out)
    assert report["homeless"] == [
        {
            "key": "agents.defaults.memorySearch.sync.watch",
            "reason": "the index follows the files whenever something is asked",
        }
    ]


def test_offline_sends_nothing_and_says_so(
    lorebank: Run, copy_fixture: Callable[[str], Path], server: Provider, elsewhere: dict[str, str]
) -> None:
    root = copy_fixture("harbour")
    done = lorebank("index", "--offline", cwd=root, env=elsewhere)
    assert done.code == 0
    assert server.requests == []
    status = lorebank("status", "--offline", "--json", cwd=root, env=elsewhere)
    reason = json.loads(status.out)["embedder"]["reason"]
    assert reason.endswith("and nothing may leave this machine (offline)")


def test_what_is_sent_where_is_said_on_standard_error(
    lorebank: Run, copy_fixture: Callable[[str], Path], server: Provider, elsewhere: dict[str, str]
) -> None:
    root = copy_fixture("harbour")
    done = lorebank("index", cwd=root, env=elsewhere)
    line = "the text of notes and questions is sent to http://0.0.0.0:"
    assert done.err.startswith(line)
    assert done.code == 0 and server.requests
    assert line not in done.out
    assert line not in lorebank("index", "--full", "--quiet", cwd=root, env=elsewhere).err


def test_status_names_endpoint_and_failure(
    lorebank: Run, copy_fixture: Callable[[str], Path], server: Provider, elsewhere: dict[str, str]
) -> None:
    root = copy_fixture("harbour")
    env = elsewhere | {"LOREBANK_EMBEDDER__REMOTE__ATTEMPTS": "1"}
    server.down = True
    assert lorebank("index", cwd=root, env=env).code == 1
    shown = " ".join(lorebank("status", cwd=root, env=env).out.split())
    assert "openai text-embedding-3-small at http://0.0.0.0:" in shown
    assert "answered 503: the server is down" in shown


@pytest.mark.parametrize("command", [["recall", "bees"], ["search", "bees"], ["status"]])
def test_an_answer_without_the_embedder_that_is_set_says_so(
    lorebank: Run, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/notes.md").write_text("Bees on the roof.\n")
    silent = {
        "LOREBANK_EMBEDDER__PROVIDER": "ollama",
        "LOREBANK_EMBEDDER__REMOTE__BASE_URL": "http://127.0.0.1:9",
    }
    assert lorebank("index", cwd=tmp_path).code == lorebank(*command, cwd=tmp_path).code == 0
    assert lorebank("index", cwd=tmp_path, env=silent).code == 1
    assert lorebank(*command, cwd=tmp_path, env=silent).code == 7
    assert (
        lorebank(*command, cwd=tmp_path, env=silent | {"LOREBANK_EMBEDDER__OFFLINE": "true"}).code
        == 0
    )
