"""The settings of generators: which chat model may write, where it is, and how much it may cost.

All of them are the user's alone, but one: a workspace may say that nothing is to be generated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lorebank.config_rules import (
    ENDPOINT,
    FLAG,
    HEADINGS,
    SECRET,
    TEXTS,
    Rule,
    number,
    one_of,
    setting,
    users_own,
    whole_number,
)
from lorebank.records import dataclass

GENERATORS = ("none", "openai", "gemini", "ollama", "command")
"""Every generator that a setting may name; `openai` is any server that speaks as OpenAI does,
`command` the program of `generator.command`."""


@dataclass(frozen=True, slots=True)
class GeneratorSettings:
    """A chat model that writes what is then checked against its citations. Off unless named."""

    provider: str = setting("none", users_own(one_of(*GENERATORS), lambda name: name != "none"))
    model: str = setting("", users_own(Rule("a model's name", lambda name: True, str)))
    """Empty for the provider's default."""
    base_url: str = setting("", ENDPOINT)
    """Wins over `providers.<name>.base_url`; so do the key and the headers."""
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": users_own(TEXTS)})
    command: tuple[str, ...] = setting((), users_own(HEADINGS))
    """A program and its arguments, run without a shell: prompt on stdin, answer on stdout."""
    judges: bool = setting(False, users_own(FLAG))
    """Whether reflect first has the pairs of the inbox judged, within `max_calls`."""
    timeout_seconds: float = setting(120.0, users_own(number(0.01, 3600)))
    """For one request, from its first byte to its last."""
    attempts: int = setting(3, users_own(whole_number(1, 20)))
    """How often a request is sent before it counts as failed."""
    answer_tokens: int = setting(1500, users_own(whole_number(50, 32_000)))
    """What one answer may have at most."""
    summaries: bool = setting(False, users_own(FLAG))
    """Whether reflect has the summaries of entity pages put in words as well."""
    max_calls: int = setting(40, users_own(whole_number(0, 100_000)))
    """Calls a run."""
    max_tokens: int = setting(200_000, users_own(whole_number(0, 1_000_000_000)))
    """Tokens a run, asked and answered; where the provider does not count them, as estimated."""
