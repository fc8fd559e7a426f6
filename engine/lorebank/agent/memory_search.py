"""Search as a model gets it: cited snippets, and in which conversations it answers at all.

A key is what hosts write: `agent:main:discord:channel:123`, `telegram:direct:42`, `main`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lorebank.domain.answers import SearchHit
from lorebank.recall.search import search_terms
from lorebank.recall.snippets import SNIPPET_CHARACTERS, snippet
from lorebank.records import Record, record_to_dict_with
from lorebank.settings.tables import MemorySettings

_LEAST = 120  # a snippet keeps this many characters of text, however long the path below it is
_DO_NOT_CITE = "Paths are for memory_get only: do not cite them in replies."


class MemorySearch(Record):
    """What `memory_search` returns: snippets, never whole files."""

    query: str
    hits: tuple[SearchHit, ...]
    citations: bool
    """Whether each snippet ends with `Source: path#line`."""
    provider: str = "none"
    """Who embedded the question; `none` where words alone were searched."""
    model: str = ""
    fallback: str | None = None
    """Why another engine or embedder than the one asked for answered."""
    backend: str = "builtin"
    """The engine that ranked the passages: `builtin` or `qmd`."""
    note: str = ""
    """A note for the model, beside the hits."""

    to_dict = record_to_dict_with(hits="results")


def memory_search_result(
    query: str,
    hits: Sequence[SearchHit],
    *,
    citations: str,
    group: bool = False,
    problem: str | None = None,
    backend: str = "builtin",
) -> MemorySearch:
    """The hits as a model gets them; `citations` is the setting `auto`, `on` or `off`.

    `problem` is why the built-in engine had to answer, said even where it found nothing. With
    citations, a snippet and its `Source:` line together keep to 700 characters, and the match
    stays in.
    """
    cites = citations == "on" or (citations == "auto" and not group)
    terms = search_terms(query) if cites else ()
    first = hits[0] if hits else None
    return MemorySearch(
        query=query,
        hits=tuple(_cited(hit, terms) for hit in hits) if cites else tuple(hits),
        citations=cites,
        provider=first.provider if first else "none",
        model=first.model if first else "",
        fallback=first.fallback if first else problem,
        backend=backend,
        note="" if cites else _DO_NOT_CITE,
    )


def denied_search(
    query: str, conversation: Conversation, settings: MemorySettings
) -> MemorySearch | None:
    """What a search finds where `memory.scope` denies it: nothing, and why; else `None`."""
    if is_allowed(conversation, settings.scope.rules, settings.scope.default):
        return None
    where = (
        f"channel {conversation.channel or 'unknown'}, "
        f"chat type {conversation.chat_type or 'unknown'}"
    )
    denied = f"memory_search is denied here by memory.scope ({where})"
    return MemorySearch(query, (), citations=False, note=denied)


def _cited(hit: SearchHit, terms: Sequence[str]) -> SearchHit:
    footer = f"\n\nSource: {hit.source}"
    room = max(_LEAST, SNIPPET_CHARACTERS - len(footer))
    return replace(hit, snippet=snippet(hit.snippet, terms, limit=room).rstrip() + footer)


_AGENT = re.compile(r"\Aagent:[^:]*:")
_DIRECT = frozenset({"direct", "dm"})
_SHARED = ("group", "channel")


class Conversation(Record):
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
    """Whether the first rule that matches allows it, or else the default."""
    fitting = (rule for rule in rules if _matches(conversation, rule.get("match", {})))
    return bool(next(fitting, {"action": default})["action"] == "allow")


def _matches(conversation: Conversation, match: Mapping[str, str]) -> bool:
    """Whether all that a rule names holds; a `key_prefix` may begin with `agent:`, as a raw one."""
    wanted = {name: text.strip().lower() for name, text in match.items()}
    prefix, raw_prefix = wanted.get("key_prefix", ""), wanted.get("raw_key_prefix", "")
    key = conversation.raw if prefix.startswith("agent:") else conversation.key
    return (
        wanted.get("channel", conversation.channel) == conversation.channel
        and wanted.get("chat_type", conversation.chat_type) == conversation.chat_type
        and key.startswith(prefix)
        and conversation.raw.startswith(raw_prefix)
    )
