"""F93, F94: in which conversations memory is searched."""

from typing import Any

import pytest

from lorebank.agent.memory_search import Conversation, conversation_of, is_allowed
from lorebank.settings.tables import ScopeSettings
from support import golden

DEFAULT = ScopeSettings()


@pytest.mark.parametrize(
    ("key", "conversation"),
    [
        ("main", Conversation("main", "main", "", "direct")),
        ("agent:main:main", Conversation("agent:main:main", "main", "", "direct")),
        (
            " Agent:Work:Discord:Channel:7 ",
            Conversation("agent:work:discord:channel:7", "discord:channel:7", "discord", "channel"),
        ),
        (
            "telegram:group:-100:topic:3",
            Conversation(
                "telegram:group:-100:topic:3", "telegram:group:-100:topic:3", "telegram", "group"
            ),
        ),
        ("telegram:group", Conversation("telegram:group", "telegram:group", "telegram", "group")),
        ("slack:dm:u1", Conversation("slack:dm:u1", "slack:dm:u1", "slack", "direct")),
        (
            "agent:a:x:y:channel:1",
            Conversation("agent:a:x:y:channel:1", "x:y:channel:1", "", "channel"),
        ),
        ("agent:a:subagent:1", Conversation("agent:a:subagent:1", "subagent:1", "", "")),
    ],
)
def test_f95_a_session_key_tells_channel_and_chat_type(
    key: str, conversation: Conversation
) -> None:
    assert conversation_of(key) == conversation


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
