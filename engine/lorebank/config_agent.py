"""The settings of what an agent is given: search tools, citations, core memory, boot pack, flush.

The names are those of the hosts that have such settings, in snake case. The words of a prompt go
to a model as the owner's own, so that a workspace's file can never set them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lorebank.config_rules import FLAG, Rule, one_of, setting, users_own, whole_number

__all__ = [
    "CompactionSettings",
    "ContextSettings",
    "CoreMemorySettings",
    "MemoryFlushSettings",
    "MemorySearchSettings",
    "MemorySettings",
]

PROMPT = users_own(Rule("a text", lambda text: True, str))


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What holds for memory whoever asks."""

    citations: str = setting("auto", one_of("auto", "on", "off"))
    """Whether snippets end with `Source: path#line`; `auto`: everywhere but in a group."""


@dataclass(frozen=True, slots=True)
class MemorySearchSettings:
    """The tools `memory_search` and `memory_get` of the MCP server."""

    enabled: bool = setting(True, FLAG)
    """False takes both tools away."""


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
