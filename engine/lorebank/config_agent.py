"""The settings of what an agent is given: who searches for it and where, citations, core memory,
boot pack, flush.

The names are those of the hosts that have such settings, in snake case. The words of a prompt go
to a model as the owner's own, so that a workspace's file can never set them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from lorebank.config_qmd import QmdSettings
from lorebank.config_rules import (
    EXTRA_PATHS,
    FLAG,
    Rule,
    one_of,
    setting,
    tables,
    users_own,
    whole_number,
)
from lorebank.records import dataclass

ACTIONS = ("allow", "deny")
CHAT_TYPES = ("direct", "group", "channel")
MATCHED = ("channel", "chat_type", "key_prefix", "raw_key_prefix")
"""What a rule of the scope may look at."""


def _is_scope(rules: list[object]) -> bool:
    return all(_is_scope_rule(rule) for rule in rules if isinstance(rule, dict))


def _is_scope_rule(rule: Mapping[str, Any]) -> bool:
    match = rule.get("match", {})
    return (
        rule["action"] in ACTIONS
        and match.keys() <= set(MATCHED)
        and all(isinstance(text, str) and text.strip() for text in match.values())
        and match.get("chat_type", CHAT_TYPES[0]) in CHAT_TYPES
    )


_SCOPE = users_own(
    tables(
        'a list of tables {action = "allow" or "deny", match = {channel, chat_type, key_prefix, '
        'raw_key_prefix}}, chat_type "direct", "group" or "channel"',
        required={"action": str},
        optional={"match": dict},
        accepts=_is_scope,
    )
)
_DIRECT_ONLY = ({"action": "allow", "match": {"chat_type": "direct"}},)
SOURCES = Rule(
    'a list of "memory" and "sessions"',
    lambda names: bool(names) and all(name in ("memory", "sessions") for name in names),
    list,
)
PROMPT = users_own(Rule("a text", lambda text: True, str))


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """In which conversations `memory_search` answers, where the host names the conversation."""

    default: str = setting("deny", users_own(one_of(*ACTIONS)))
    """What holds where no rule matches."""
    rules: tuple[Mapping[str, Any], ...] = setting(_DIRECT_ONLY, _SCOPE)
    """The first that matches decides. A rule without `match` matches every conversation."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What holds for memory whoever asks."""

    backend: str = setting(
        "builtin", users_own(one_of("builtin", "qmd"), lambda name: name != "builtin")
    )
    """Who ranks passages for `search`; the built-in engine answers wherever `qmd` fails."""
    citations: str = setting("auto", one_of("auto", "on", "off"))
    """Whether snippets end with `Source: path#line`; `auto`: everywhere but in a group."""
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    qmd: QmdSettings = field(default_factory=QmdSettings)


@dataclass(frozen=True, slots=True)
class ExperimentalSettings:
    """What has to be asked for by name."""

    session_memory: bool = setting(False, users_own(FLAG))
    """Whether transcripts are read at all; they are the user's, so a workspace cannot ask."""


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The transcripts of conversations, where `sources` names them."""

    paths: tuple[str, ...] = setting(("~/.openclaw/agents/{agent_id}/sessions",), EXTRA_PATHS)
    """Folders of `.jsonl` files; `{agent_id}` stands for `index.agent_id`."""
    delta_bytes: int = setting(100_000, whole_number(0, 1_000_000_000))
    """A file that grew by less, and by less than `delta_lines`, waits for `lorebank index`."""
    delta_lines: int = setting(50, whole_number(0, 1_000_000))
    retention_days: int = setting(0, whole_number(0, 36_500))
    """What was said longer ago is not kept in the index; 0 keeps all."""


@dataclass(frozen=True, slots=True)
class MemorySearchSettings:
    """The tools `memory_search` and `memory_get` of the MCP server, and where they look."""

    enabled: bool = setting(True, FLAG)
    """False takes both tools away."""
    sources: tuple[str, ...] = setting(("memory",), SOURCES)
    """What is searched: `memory`, the notes, and `sessions`, once `session_memory` allows it."""
    experimental: ExperimentalSettings = field(default_factory=ExperimentalSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)

    @property
    def searches_sessions(self) -> bool:
        """Whether transcripts are indexed and searched."""
        return self.experimental.session_memory and "sessions" in self.sources


@dataclass(frozen=True, slots=True)
class CoreMemorySettings:
    """How large `memory.md` may grow, in estimated tokens."""

    warn_tokens: int = setting(1000, whole_number(50, 1_000_000))
    limit_tokens: int = setting(2000, whole_number(50, 1_000_000))
    """A write that would pass it is refused."""


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """The boot pack."""

    token_budget: int = setting(2500, whole_number(50, 1_000_000))


@dataclass(frozen=True, slots=True)
class MemoryFlushSettings:
    """The reminder to store what lasts before a host compacts its conversation."""

    enabled: bool = setting(True, FLAG)
    soft_threshold_tokens: int = setting(4000, whole_number(0, 10_000_000))
    prompt: str = setting("", PROMPT)
    """In place of the shipped words; `{log}` stands for the path of today's log."""
    system_prompt: str = setting("", PROMPT)


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """What is known of a host's compaction."""

    reserve_tokens_floor: int = setting(20000, whole_number(0, 10_000_000))
    """Tokens of the context window that the host keeps free."""
    memory_flush: MemoryFlushSettings = field(default_factory=MemoryFlushSettings)
