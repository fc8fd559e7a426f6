"""Claude's export: `conversations.json`, each with its `chat_messages` in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

from lorebank.exchange.conversations import Conversation, Speech, moment_of, read_conversations
from lorebank.exchange.notes import Read
from lorebank.exchange.source import Source

_SPEAKERS = {"human": "User", "user": "User", "assistant": "Assistant"}
_LEFT_OUT = {
    "tool": "block* of tools and thoughts",
    "attachment": "attached file*",
    "branch": "message* of other branches",
}


def is_claude(value: object) -> bool:
    """Whether a JSON value is a conversation as Claude exports them."""
    return isinstance(value, dict) and isinstance(value.get("chat_messages"), list)


def read_claude(source: Source, zone: tzinfo | None = None) -> Read:
    """The conversations of the export; days are those of `zone`."""
    return read_conversations(source, is_claude, _conversation, zone)


def _conversation(
    value: Mapping[str, Any], place: str, line: int, zone: tzinfo | None
) -> Conversation:
    """What both sides said; tools, thoughts and attached files are left out."""
    messages = [each for each in value["chat_messages"] if isinstance(each, dict)]
    path = _path(messages, value.get("current_leaf_message_uuid"))
    left_out: Counter[str] = Counter()
    turns = [turn for each in path if (turn := _turn(each, left_out, zone)) is not None]
    left_out["branch"] = len(messages) - len(path)
    return Conversation(
        id=str(value.get("uuid") or value.get("name") or line),
        title=str(value.get("name") or value.get("title") or ""),
        started=moment_of(value.get("created_at"), zone),
        turns=turns,
        place=place,
        line=line,
        left_out=left_out,
        left_out_names=_LEFT_OUT,
    )


def _path(messages: Sequence[Mapping[str, Any]], leaf: object) -> list[Mapping[str, Any]]:
    """The messages up to the leaf, where an edit made branches; else all in their order."""
    parents = Counter(str(each.get("parent_message_uuid") or "") for each in messages)
    branches = any(count > 1 for parent, count in parents.items() if parent)
    by_id = {str(each.get("uuid")): each for each in messages}
    if not branches or len(by_id) != len(messages):
        return list(messages)
    current = str(leaf) if str(leaf) in by_id else str(messages[-1].get("uuid"))
    path: list[Mapping[str, Any]] = []
    while (found := by_id.pop(current, None)) is not None:
        path.append(found)
        current = str(found.get("parent_message_uuid"))
    return path[::-1]


def _turn(message: Mapping[str, Any], left_out: Counter[str], zone: tzinfo | None) -> Speech | None:
    speaker = _SPEAKERS.get(str(message.get("sender") or message.get("role")))
    if speaker is None:
        left_out["tool"] += 1
        return None
    for key in ("attachments", "files", "files_v2"):
        found = message.get(key)
        left_out["attachment"] += len(found) if isinstance(found, list) and key != "files_v2" else 0
    text = _text(message, left_out)
    moment = moment_of(message.get("created_at"), zone)
    return Speech(speaker, text, moment.date() if moment else None) if text.strip() else None


def _text(message: Mapping[str, Any], left_out: Counter[str]) -> str:
    """The text blocks; older exports have one `text` instead, newer ones fill it with excuses."""
    blocks = message.get("content")
    if isinstance(blocks, str):
        return blocks
    if not isinstance(blocks, list) or not blocks:
        found = message.get("text")
        return found if isinstance(found, str) else ""
    texts: list[str] = []
    for block in blocks:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            texts.append(block["text"])
        else:
            left_out["tool"] += 1
    return "\n\n".join(text for text in texts if text.strip())
