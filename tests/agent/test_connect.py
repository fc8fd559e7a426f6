"""lorebank in the settings of hosts: written, started as the host would, removed byte for byte."""

import sys
import tomllib
from pathlib import Path

import pytest

from lorebank.agent.hosts import HOSTS, NAME, connect, settings_file, snippet
from lorebank.errors import ConfigurationError, LorebankError
from lorebank.mcp_server.stdio import tools_of
from lorebank.settings.openclaw import parse_json5
from support import golden

COMMAND = ["/usr/bin/lorebank", "-w", "/home/me/notes", "mcp"]
JSON_TEXTS = [
    "{}",
    "{}\n",
    "{ }",
    '{"a": 1}',
    '{\n  "a": [1,2],\n  "b": {}\n}\n',
    '{"mcpServers": {}, "servers": {}, "mcp": {"servers": {}}}',
    '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t},\n\t"z": 0\n}',
    '{\r\n  "servers": {"o": {}},\r\n  "mcp": {"x": 1}\r\n}\r\n',
    '{"mcp": {}}',
    '// mine\n{\n  // none yet\n  "a": [1, /* two */ 2,], // last\n}\n',
    '{"mcpServers": {\n  "o": {"command": "x"}, // the "other"\n  "p": {} /* }, */ // x\n}}',
    "{\n  mcp: {servers: {o: {url: 'http://x/*y*/'},},},\r\n  \"servers\": {// none\n  },\n}",
    "{mcpServers: {a: 1, // first\r\n    // second\r\n    b: .5,\r\n    }, $x: 'it\\'s' /* end */}",
]
TOML_TEXTS = ["", "a = 1", "a = 1\n", '[mcp_servers.other]\ncommand = "x"\n# mine\n\n']


@pytest.mark.parametrize("host", [name for name in HOSTS if name != "codex"])
@pytest.mark.parametrize("before", JSON_TEXTS)
def test_json_settings_are_what_they_were(host: str, before: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(before.encode())
    assert connect(host, file, COMMAND).changed
    written = parse_json5(file.read_text())
    for key in (*HOSTS[host].table, NAME):
        written = written[key]
    assert (written["command"], written["args"]) == (COMMAND[0], COMMAND[1:])
    again = file.read_bytes()
    connect(host, file, COMMAND)
    assert file.read_bytes() == again
    connect(host, file, [*COMMAND, "--read-only"])
    connect(host, file, None)
    assert file.read_bytes() == before.encode()


@pytest.mark.parametrize("before", TOML_TEXTS)
def test_toml_settings_are_what_they_were(before: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(before)
    connect("codex", file, COMMAND)
    assert tomllib.loads(file.read_text())["mcp_servers"][NAME]["args"] == COMMAND[1:]
    connect("codex", file, [*COMMAND, "--read-only"])
    connect("codex", file, None)
    assert (file.read_text() if file.exists() else "") == before


@pytest.mark.parametrize("host", HOSTS)
def test_a_file_that_was_made_goes_again(host: str, tmp_path: Path) -> None:
    file = tmp_path / "new" / settings_file(host, {"HOME": "/home/me"}).name
    connect(host, file, COMMAND)
    assert file.read_text() == snippet(host, COMMAND)
    assert connect(host, file, None).changed
    assert not file.exists()
    assert not connect(host, file, None).changed


@golden("agent.md")
def test_settings_of_another_shape_are_left_alone(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(text)
    host = "codex" if name.endswith("toml") else "cursor"
    with pytest.raises(ConfigurationError, match="nothing was changed") as refused:
        connect(host, file, COMMAND)
    assert snippet(host, COMMAND) in refused.value.hint
    assert file.read_text() == text


def test_another_server_of_that_name_is_not_taken_out(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"memory": {"command": "npx", "args": ["server-memory"]}}}')
    before = file.read_text()
    assert not connect("cursor", file, None).changed
    assert file.read_text() == before


def test_places_are_those_of_the_host() -> None:
    home = {"HOME": "/home/me"}
    assert settings_file("claude-code", home) == Path("/home/me/.claude.json")
    assert settings_file("codex", home | {"CODEX_HOME": "/x"}) == Path("/x/config.toml")
    found = settings_file("claude-desktop", home, "darwin")
    assert found == Path("/home/me/Library/Application Support/Claude/claude_desktop_config.json")


def test_the_server_is_started_as_the_host_would(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    command = [sys.executable, "-m", "lorebank", "-w", str(tmp_path), "mcp"]
    assert "recall" in tools_of(command)
    with pytest.raises(LorebankError, match="does not answer"):
        tools_of([sys.executable, "-c", "print([])"])
