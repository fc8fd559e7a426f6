"""F38-F45, F97: snippets for a model, and what memory_get refuses."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank
from lorebank.agent.memory_search import Conversation, conversation_of, is_allowed
from lorebank.settings.tables import MemorySettings, ScopeSettings
from support import WORDS_ONLY, golden


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    folder = tmp_path / "memory"
    folder.mkdir()
    lines = [f"Filler sentence number {n} about nothing at all." for n in range(200)]
    lines[150] = "The zeppelin is moored at pier nine."
    (folder / "long.md").write_text("# Notes\n\n" + "\n".join(lines) + "\n")
    deep = "/".join(["very-long-folder-name"] * 8)
    (folder / deep).mkdir(parents=True)
    (folder / deep / "deep.md").write_text("word " * 300 + "The quagga is back. " + "word " * 300)
    return Bank.open(tmp_path, environ=WORDS_ONLY)


def test_f38_f40_a_snippet_holds_the_match_its_place_and_who_answered(bank: Bank) -> None:
    found = bank.memory_search("zeppelin")
    hit = found.hits[0]
    assert "The zeppelin is moored at pier nine." in hit.snippet
    assert hit.path == "memory/long.md"
    assert hit.start_line <= 153 <= hit.end_line
    assert 0 < hit.score <= 1
    assert (found.provider, found.model, found.fallback) == ("none", "", None)
    assert hit.snippet.endswith(f"\n\nSource: {hit.source}")


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize(("query", "match"), [("zeppelin", "zeppelin"), ("quagga", "quagga")])
def test_f40_f41_at_most_700_characters_and_the_match_inside(
    bank: Bank, mode: str, query: str, match: str
) -> None:
    bank.workspace.config = replace(bank.config, memory=MemorySettings(citations=mode))
    for hit in bank.memory_search(query).hits:
        assert len(hit.snippet) <= 700
    assert match in bank.memory_search(query).hits[0].snippet


@golden("agent.md")
def test_f97_citations(bank: Bank, mode: str, group: bool, cites: bool) -> None:
    bank.workspace.config = replace(bank.config, memory=MemorySettings(citations=mode))
    found = bank.memory_search("zeppelin", group=group)
    assert found.citations is cites
    assert ("Source: " in found.hits[0].snippet) is cites
    assert bool(found.note) is not cites
    assert found.hits[0].path == "memory/long.md", "the path is there for memory_get all the same"


def test_f42_by_first_line_and_count(bank: Bank) -> None:
    got = bank.get("memory/long.md", start_line=153, lines=1)
    assert (got.text, got.start_line, got.end_line) == (
        "The zeppelin is moored at pier nine.",
        153,
        153,
    )


def test_f45_only_markdown_is_found(bank: Bank) -> None:
    (bank.root / "memory/notes.txt").write_text("The okapi sleeps.")
    assert bank.memory_search("okapi").hits == ()


# -- f93, F94: in which conversations memory is searched -----------------------------------------


DEFAULT = ScopeSettings()


@golden("agent.md")
def test_f95_a_session_key_tells_channel_and_chat_type(
    key: str, raw: str, plain: str, channel: str, chat_type: str
) -> None:
    expected = Conversation(raw, plain, channel, chat_type)
    assert conversation_of(key) == conversation_of(f" {key} ") == expected


@golden("agent.md")
def test_f93_by_default_only_direct_chats(key: str, allowed: bool) -> None:
    assert is_allowed(conversation_of(key), DEFAULT.rules, DEFAULT.default) is allowed


@golden("agent.md")
def test_f94_prefixes_are_of_the_plain_key_or_of_the_raw_one(
    match: dict[str, str], key: str, matches: bool
) -> None:
    rules: list[dict[str, Any]] = [{"action": "allow", "match": match}]
    assert is_allowed(conversation_of(key), rules, "deny") is matches
    denial = [{"action": "deny", "match": match}]
    assert is_allowed(conversation_of(key), denial, "allow") is not matches


def test_f93_the_first_rule_that_matches_decides() -> None:
    rules: list[dict[str, Any]] = [
        {"action": "deny", "match": {"key_prefix": "discord:channel:secret"}},
        {"action": "allow", "match": {"channel": "discord"}},
        {"action": "deny"},
    ]
    answers = {
        key: is_allowed(conversation_of(key), rules, "allow")
        for key in ("discord:channel:secret", "discord:channel:open", "main")
    }
    assert answers == {"discord:channel:secret": False, "discord:channel:open": True, "main": False}
