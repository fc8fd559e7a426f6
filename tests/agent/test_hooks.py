"""Hooks: put into a host's settings and taken out again, everything else byte for byte."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank, ConfigurationError
from lorebank.agent.hosts import EVENTS, change_hooks, with_hooks
from lorebank.app.hosts import PROMPT_TOKENS, tokens_of
from lorebank.language.words import estimate_tokens
from support import WORDS_ONLY, golden

COMMAND = "/usr/bin/lorebank -w /home/me/notes"
SETTINGS = [
    "",
    "{}\n",
    '{"hooks": { }}',
    '{"hooks": {"SessionStart": [\n]}}',
    '{"model": "opus"}',
    '{\n  "model": "opus",\n  "env": {"A": "1"}\n}\n',
    '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": []}\n\t\t]\n\t}\n}\n',
    '{\r\n    "permissions": { "allow": [ "Bash(ls:*)" , "x\\"}" ] },\r\n    "b": 1.50e3\r\n}\r\n',
    '{"hooks": {"PreCompact": [{"matcher": "auto", "hooks": [{"type": "command",'
    ' "command": "mine.sh"}]}]}, "z": "ü\\u00fc"}',
]


def _hooks(text: str) -> Any:
    return json.loads(text)["hooks"]


@pytest.mark.parametrize("before", SETTINGS)
def test_installed_twice_is_installed_once_and_removed_leaves_the_same_bytes(before: str) -> None:
    once = with_hooks("claude-code", before, COMMAND)
    assert with_hooks("claude-code", once, COMMAND) == once
    for event, name in EVENTS.items():
        entry = _hooks(once)[event][-1]["hooks"][0]
        assert entry["command"] == f"{COMMAND} hooks run {name}"
    assert with_hooks("claude-code", once, None) == before


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), JSON, max_size=4), st.sampled_from([None, 1, 2, "\t"]))
def test_any_settings_are_the_same_after_install_and_remove(
    settings: dict[str, Any], indent: int | str | None
) -> None:
    before = json.dumps(settings, indent=indent)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        return
    installed = with_hooks("claude-code", before, COMMAND)
    kept = {key: value for key, value in json.loads(installed).items() if key != "hooks"}
    assert kept == {key: value for key, value in settings.items() if key != "hooks"}
    assert with_hooks("claude-code", installed, None) == before


def test_another_workspace_takes_the_place_of_the_first() -> None:
    first = with_hooks("claude-code", SETTINGS[5], COMMAND)
    second = with_hooks("claude-code", first, "/usr/bin/lorebank -w /home/me/other")
    commands = [group["hooks"][0]["command"] for group in _hooks(second)["SessionStart"]]
    assert commands == ["/usr/bin/lorebank -w /home/me/other hooks run session-start"]
    assert with_hooks("claude-code", second, None) == SETTINGS[5]


@golden("agent.md")
def test_settings_that_hooks_cannot_be_put_into_stay_as_they_are(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(ConfigurationError):
        change_hooks("claude-code", file=file, command=COMMAND, environ={})
    assert file.read_text() == text


def test_the_hosts_own_file_is_found_made_and_written_through_a_link(tmp_path: Path) -> None:
    done = change_hooks("claude-code", file=None, command=COMMAND, environ={"HOME": str(tmp_path)})
    file = tmp_path / ".claude/settings.json"
    assert (done.file, done.changed) == (str(file), True)
    kept = tmp_path / "dotfiles.json"
    file.rename(kept)
    file.symlink_to(kept)
    again = change_hooks("claude-code", file=None, command=COMMAND, environ={"HOME": str(tmp_path)})
    assert (again.file, again.changed) == (str(kept), False)
    change_hooks("claude-code", file=None, command=None, environ={"HOME": str(tmp_path)})
    assert (file.is_symlink(), kept.exists()) == (True, False)  # nothing else was in it


def test_an_empty_start_up_file_of_a_shell_stays(tmp_path: Path) -> None:
    file = tmp_path / ".bashrc"
    file.touch()
    for command in (COMMAND, None):
        change_hooks("shell", file=file, command=command, environ={})
    assert file.read_bytes() == b""


@golden("agent.md")
def test_the_shell_block_is_put_in_once_and_cut_whole(before: str) -> None:
    once = with_hooks("shell", before, COMMAND)
    assert with_hooks("shell", once, COMMAND) == once
    assert f'{{ {COMMAND} flush "$@"; }}' in once
    assert with_hooks("shell", once, None).removesuffix("\n") == before.removesuffix("\n")


def test_f10_f15_the_reminder_follows_a_compaction_once(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory.md").write_text("# Memory\n\nI am Clawd.\n")
    with Bank.open(tmp_path, now=date(2025, 12, 10), environ=WORDS_ONLY) as bank:
        start = bank.session_hook("session-start", session="s", source="startup")
        assert "I am Clawd." in start
        assert "NO_REPLY" not in start
        assert bank.session_hook("pre-compact", session="s") == ""
        assert bank.session_hook("pre-compact", session="s") == "", "hosts tell it several times"
        after = bank.session_hook("session-start", session="s", source="compact")
        assert after.startswith(start)
        assert "just compacted" in after
        assert "memory/2025-12-10.md" in after
        assert bank.session_hook("session-start", session="s", source="compact") == start


def test_f15_after_a_flush_of_that_cycle_there_is_no_second_reminder(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        assert bank.flush(180_000, context_window=200_000, session="s").due
        bank.session_hook("pre-compact", session="s")
        assert bank.session_hook("session-start", session="s", source="compact") == ""
        assert bank.flush(180_000, context_window=200_000, session="s").due


# -- what hooks print at a prompt and at the end of a session ------------------------------------


@pytest.fixture
def bank(copy_fixture: Callable[[str], Path]) -> Iterator[Bank]:
    with Bank.open(copy_fixture("harbour"), now=date(2025, 12, 10), environ=WORDS_ONLY) as opened:
        yield opened


def test_a_prompt_is_answered_in_few_tokens_and_notes_no_use(bank: Bank) -> None:
    said = bank.session_hook("prompt", prompt="What does Peter prefer on WhatsApp?")
    assert said.startswith("<recalled-from-memory>\nf-")
    assert "concise replies on WhatsApp are what he wants." in said
    assert estimate_tokens(said) <= PROMPT_TOKENS
    assert not (bank.root / ".memory/recalled.log").exists()
    assert bank.session_hook("prompt", prompt="Zygomorphic quaternions?") == ""


def _transcript(folder: Path, tokens: int) -> Path:
    file = folder / "conversation.jsonl"
    usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 30, "output_tokens": 20}
    rows = [{"message": {"usage": usage}}, {"type": "user", "message": {"content": "hi"}}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "{half")
    return file


def test_before_a_compaction_the_model_is_asked_to_write_where(bank: Bank, tmp_path: Path) -> None:
    early, late = (_transcript(tmp_path, 20_000), tmp_path / "late")
    assert bank.session_hook("prompt", transcript=str(early)) == ""
    late.mkdir()
    file = _transcript(late, 190_000)
    said = bank.session_hook("prompt", transcript=str(file))
    assert "`retain`" in said
    assert str(bank.root / "memory/2025-12-10.md") in said
    assert bank.session_hook("prompt", transcript=str(file)) == "", "once a cycle"


def test_a_transcript_that_tells_nothing_counts_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('[1]\n{"message": null}\n')
    assert [tokens_of(tmp_path / name) for name in ("a.jsonl", "absent")] == [0, 0]


def test_the_end_of_a_session_tells_of_the_inbox(bank: Bank) -> None:
    assert f"{bank.inbox().total} items wait" in bank.session_hook("session-end")
