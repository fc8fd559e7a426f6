"""Whether memory may be searched in a conversation, told by the host's session key. Pure.

A key is what hosts write: `agent:main:discord:channel:123`, `telegram:direct:42`, `main`. Rules are
those of a session's send policy: the first that matches decides, else the default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lorebank.records import dataclass

_AGENT = re.compile(r"\Aagent:[^:]*:")
_DIRECT = frozenset({"direct", "dm"})
_SHARED = ("group", "channel")


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a session key says."""

    raw: str
    """The whole key in small letters."""
    key: str
    """The same without a leading `agent:<id>:`."""
    channel: str
    """`discord`, `telegram`, …; empty where the key names none."""
    chat_type: str
    """`direct`, `group` or `channel`; empty for a task that was started by another one, whose
    conversation the key does not tell."""

    @property
    def is_shared(self) -> bool:
        """Whether others read along."""
        return self.chat_type in _SHARED


def conversation_of(session_key: str) -> Conversation:
    """Read a session key.

    >>> conversation_of("agent:main:Discord:channel:7").channel
    'discord'
    """
    raw = session_key.strip().lower()
    key = _AGENT.sub("", raw)
    parts = [part for part in key.split(":") if part]
    if parts[:1] == ["subagent"]:
        return Conversation(raw, key, "", "")
    shared = next((kind for kind in _SHARED if kind in parts[1:]), "")
    names_channel = len(parts) >= 2 and parts[1] in (*_SHARED, *_DIRECT)
    return Conversation(raw, key, parts[0] if names_channel else "", shared or "direct")


def is_allowed(
    conversation: Conversation, rules: Sequence[Mapping[str, Any]], default: str
) -> bool:
    """Whether the rules allow it."""
    for rule in rules:
        if _matches(conversation, rule.get("match", {})):
            return bool(rule["action"] == "allow")
    return default == "allow"


def _matches(conversation: Conversation, match: Mapping[str, str]) -> bool:
    """Whether all that a rule names holds; a `key_prefix` that begins with `agent:` is a raw one,
    as hosts once wrote it."""
    wanted = {name: text.strip().lower() for name, text in match.items()}
    prefix, raw_prefix = wanted.get("key_prefix", ""), wanted.get("raw_key_prefix", "")
    key = conversation.raw if prefix.startswith("agent:") else conversation.key
    return (
        wanted.get("channel", conversation.channel) == conversation.channel
        and wanted.get("chat_type", conversation.chat_type) == conversation.chat_type
        and key.startswith(prefix)
        and conversation.raw.startswith(raw_prefix)
    )
