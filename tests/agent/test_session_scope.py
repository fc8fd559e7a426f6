"""F93, F94: in which conversations memory is searched."""

from typing import Any

import pytest

from lorebank.agent.memory_search import Conversation, conversation_of, is_allowed
from lorebank.settings.tables import ScopeSettings

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


@pytest.mark.parametrize(
    ("key", "allowed"),
    [
        ("main", True),
        ("agent:main:telegram:direct:7", True),
        ("whatsapp:dm:7", True),
        ("discord:channel:7", False),
        ("telegram:group:7", False),
        ("agent:main:subagent:7", False),
    ],
)
def test_f93_by_default_only_direct_chats(key: str, allowed: bool) -> None:
    assert is_allowed(conversation_of(key), DEFAULT.rules, DEFAULT.default) is allowed


@pytest.mark.parametrize(
    ("match", "key", "matches"),
    [
        ({}, "discord:channel:7", True),
        ({"channel": "Discord"}, "discord:channel:7", True),
        ({"channel": "slack"}, "discord:channel:7", False),
        ({"channel": "discord", "chat_type": "group"}, "discord:channel:7", False),
        ({"key_prefix": "discord:channel:"}, "agent:main:discord:channel:7", True),
        ({"key_prefix": "Discord:"}, "agent:main:DISCORD:channel:7", True),
        ({"key_prefix": "main"}, "agent:main:discord:channel:7", False),
        ({"raw_key_prefix": "agent:main:discord:"}, "agent:main:discord:channel:7", True),
        ({"raw_key_prefix": "agent:main:discord:"}, "discord:channel:7", False),
        ({"raw_key_prefix": "discord:"}, "agent:main:discord:channel:7", False),
        ({"key_prefix": "agent:main:"}, "agent:main:discord:channel:7", True),
        ({"key_prefix": "agent:work:"}, "agent:main:discord:channel:7", False),
        ({"key_prefix": "discord:", "raw_key_prefix": "agent:a:"}, "agent:b:discord:dm:1", False),
    ],
)
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
