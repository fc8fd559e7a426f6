"""ChatGPT's export: `conversations.json`, a tree of messages of which one path was last seen."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import tzinfo
from typing import Any

from lorebank.exchange.conversations import Conversation, Speech, moment_of, read_conversations
from lorebank.exchange.notes import Read
from lorebank.exchange.source import Source

_SPEAKERS = {"user": "User", "assistant": "Assistant"}
_CITED = re.compile("\ue200(?P<what>[^\ue200-\ue202]*)(?:\ue202(?P<rest>[^\ue200\ue201]*))?\ue201")
_SOURCE = re.compile(r"【[^【】\n]{0,60}†[^【】\n]{0,80}】")
_SPOKEN = ("text", "multimodal_text")
_LEFT_OUT = {
    "tool": "message* of tools",
    "attachment": "image* or recording*",
    "branch": "message* of other branches",
}


def is_chatgpt(value: object) -> bool:
    """Whether a JSON value is a conversation as ChatGPT exports them."""
    return isinstance(value, dict) and isinstance(value.get("mapping"), dict)


def read_chatgpt(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of the export; days are those of `zone`."""
    return read_conversations(source, is_chatgpt, _conversation, zone)


def _conversation(
    value: Mapping[str, Any], place: str, line: int, zone: tzinfo | None
) -> Conversation:
    """The path from the first message to the one last seen; tools and settings are left out."""
    mapping: Mapping[str, Any] = value["mapping"]
    path = _path(mapping, value.get("current_node"))
    left_out: Counter[str] = Counter()
    turns = [turn for node in path if (turn := _turn(node, left_out, zone)) is not None]
    on_path = {id(node) for node in path}
    for node in mapping.values():
        if id(node) not in on_path and _speaker(_message(node)):
            left_out["branch"] += 1
    identity = value.get("conversation_id") or value.get("id") or value.get("title") or line
    return Conversation(
        id=str(identity),
        title=str(value.get("title") or ""),
        started=moment_of(value.get("create_time"), zone),
        turns=turns,
        place=place,
        line=line,
        left_out=left_out,
        left_out_names=_LEFT_OUT,
    )


def _path(mapping: Mapping[str, Any], current: object) -> list[Any]:
    """The nodes from the root to the current one; without it, to the message that came last."""
    if not isinstance(current, str) or current not in mapping:
        current = _last_leaf(mapping)
    path: list[Any] = []
    seen: set[str] = set()
    while isinstance(current, str) and current in mapping and current not in seen:
        seen.add(current)
        node = mapping[current]
        path.append(node)
        current = node.get("parent") if isinstance(node, dict) else None
    return path[::-1]


def _last_leaf(mapping: Mapping[str, Any]) -> str | None:
    leaves = [
        (_time(_message(node)), number, key)
        for number, (key, node) in enumerate(mapping.items())
        if isinstance(node, dict) and not node.get("children")
    ]
    return max(leaves)[2] if leaves else None


def _time(message: Mapping[str, Any]) -> float:
    found = message.get("create_time")
    return float(found) if isinstance(found, int | float) else 0.0


def _message(node: object) -> Mapping[str, Any]:
    found = node.get("message") if isinstance(node, dict) else None
    return found if isinstance(found, dict) else {}


def _speaker(message: Mapping[str, Any]) -> str:
    """Who speaks to whom it may concern; "" for tools, settings and what speaks to a tool."""
    author, metadata = message.get("author"), message.get("metadata")
    role = author.get("role") if isinstance(author, dict) else None
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    if hidden or message.get("recipient") not in (None, "all"):
        return ""
    content = message.get("content")
    kind = content.get("content_type") if isinstance(content, dict) else None
    return _SPEAKERS.get(str(role), "") if kind in _SPOKEN else ""


def _turn(node: object, left_out: Counter[str], zone: tzinfo | None) -> Speech | None:
    message = _message(node)
    speaker = _speaker(message)
    if not speaker:
        left_out["tool"] += bool(message.get("content")) and not _is_setting(message)
        return None
    parts: list[str] = []
    found = message["content"].get("parts")
    for part in found if isinstance(found, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            parts.append(part["text"])
        elif part:
            left_out["attachment"] += 1
    text = "\n\n".join(part for part in parts if part.strip())
    moment = moment_of(message.get("create_time"), zone)
    cleaned = _SOURCE.sub("", _CITED.sub(_cited, text))
    return Speech(speaker, cleaned, moment.date() if moment else None) if cleaned.strip() else None


def _is_setting(message: Mapping[str, Any]) -> bool:
    author = message.get("author")
    return isinstance(author, dict) and author.get("role") == "system"


def _cited(found: re.Match[str]) -> str:
    """A citation says nothing outside of the program; a link to a thing keeps its name."""
    if found["what"] != "entity":
        return ""
    try:
        said = json.loads(found["rest"] or "")
    except ValueError:
        return ""
    return said[1] if isinstance(said, list) and len(said) > 1 and isinstance(said[1], str) else ""
