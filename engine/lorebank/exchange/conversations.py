"""Exports of ChatGPT and Claude: each conversation becomes a note with its turns as prose, which is
never parsed as facts (`facts: none`); recalled text is dropped."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from lorebank.domain.facts import Diagnostic
from lorebank.exchange.notes import ImportedNote, NoteStream
from lorebank.exchange.prose import clean, shareable_text
from lorebank.exchange.source import BROKEN, BrokenJson, json_values
from lorebank.language.folding import slugify
from lorebank.markdown.origin import strip_recalled
from lorebank.markdown.source import FenceScanner
from lorebank.records import Record, dig
from lorebank.workspace.given import Source

_MILLISECONDS_FROM = 100_000_000_000
"""Seconds reach this number in the year 5138."""


def parse_moment(value: object, zone: tzinfo | None) -> datetime | None:
    """`None` if it is not a moment; a text without a zone is not converted."""
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.astimezone(zone) if moment.tzinfo else moment
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None
    return None


_MAX_TITLE_CHARACTERS = 60
"""Of the title in a file name."""
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*\Z")
_OPENS_BLOCK = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)]|```|~~~|\$\$|<)|[ ]{4}|\t")


class Speech(Record):
    speaker: str
    text: str
    day: date | None = None


class Conversation(Record):
    """An exported conversation: one path through its tree of messages."""

    id: str
    title: str
    started: datetime | None
    turns: Sequence[Speech]
    place: str
    line: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Code → number of messages left out."""


def conversation_note(conversation: Conversation) -> NoteStream:
    title = " ".join(clean(conversation.title).split()) or "Untitled conversation"
    title, problems = shareable_text(title, conversation.place)
    shown = f"{conversation.place} “{title[:80]}”"
    problem = partial(Diagnostic, shown, conversation.line)
    for code, name in _LEFT_OUT.items():
        if count := conversation.left_out.get(code):
            yield problem(code, f"{count} {name.replace('*', 's' * (count > 1))} left out")
    first = next((turn.day for turn in conversation.turns if turn.day), None)
    day = conversation.started.date() if conversation.started else first
    blocks = [f"# {title}"]
    last = day
    problem_codes: set[str] = {each.code for each in problems}
    for turn in conversation.turns:
        text, problems = shareable_text(clean(turn.text), conversation.place)
        problem_codes |= {each.code for each in problems}
        text = _as_prose(strip_recalled(text).text)
        if not text:
            continue
        if turn.day and last and turn.day != last:
            blocks.append(f"## {turn.day.isoformat()}")
        last = turn.day or last
        gap = "\n\n" if _OPENS_BLOCK.match(text) else " "
        blocks.append(f"**{turn.speaker}:**{gap}{text}")
    if "secret-redacted" in problem_codes:
        yield problem("secret-redacted", "contains secrets, which are masked")
    if "private" in problem_codes:
        yield problem("private", "private text is left out")
    if len(blocks) == 1:
        yield problem("empty", "no message has text; left out")
        return
    body = "\n\n".join(blocks) + "\n"
    if "\ufffd" in body:
        yield problem("utf8-invalid", "contains characters that could not be decoded")
    stem = slugify(title)[:_MAX_TITLE_CHARACTERS].strip("-") or "conversation"
    name = f"{day.year:04}/{day.isoformat()}-{stem}" if day else f"undated/{stem}"
    yield ImportedNote(conversation.id, name, body, shown, day, {"title": title, "facts": "none"})


def _as_prose(text: str) -> str:
    """A turn with headings turned into bold lines and the last fence closed."""
    fences = FenceScanner()
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        if fences.feed(line):
            lines.append(line)
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            line = f"**{heading['title'].strip('*')}**" if heading["title"] else ""
        elif _UNDERLINE.match(line) and lines and lines[-1].strip():
            lines.append("")  # keeps a rule from underlining the line above
        lines.append(line.replace("<!--", "&lt;!--"))
    if fences.closing:
        lines.append(fences.closing)
    return "\n".join(lines).strip()


_CONVERSATIONS = re.compile(r"conversations?(?:[-_]\d+)?\.json\Z", re.IGNORECASE)


def conversation_files(source: Source) -> tuple[str, ...]:
    if source.paths == ("",):
        return source.paths
    return tuple(p for p in source.paths if _CONVERSATIONS.match(PurePosixPath(p).name))


Turns = Callable[[Any, Counter[str], tzinfo | None], Sequence[Speech | None]]
"""The turns of an exported conversation; what is left out is counted."""


def read_conversations(
    fits: Callable[[object], bool], turns_of: Turns, source: Source, zone: tzinfo | None = None
) -> NoteStream:
    """Days are in `zone`."""
    files = conversation_files(source)
    for path in source.paths:
        if path not in files:
            yield Diagnostic(path, 0, "not-a-conversation", "contains no conversations; left out")
    for path in files:
        place = path or source.root.name
        try:
            for line, value in json_values(source.read(path)):
                inner = dig(value, "conversations")  # by which some exports wrap them
                for each in inner if isinstance(inner, list) else [value]:
                    if fits(each):
                        found = _conversation(each, turns_of, place, line, zone)
                        yield from conversation_note(found)
                    else:
                        message = "is not a conversation in this format; left out"
                        yield Diagnostic(place, line, "not-a-conversation", message)
        except BrokenJson as error:
            yield Diagnostic(place, error.line, BROKEN, f"{error}; what came before it is imported")
        except OSError as error:
            yield source.unread(path, error)


_SPEAKERS = {"user": "User", "human": "User", "assistant": "Assistant"}
_LEFT_OUT = {
    "tool": "message* of tools or thoughts",
    "attachment": "attached file* or image*",
    "branch": "message* of other branches",
}
"""Code → what is left out; `*` marks the plural s."""


def _conversation(
    value: Mapping[str, Any], turns_of: Turns, place: str, line: int, zone: tzinfo | None
) -> Conversation:
    def first(*keys: str) -> str:
        return next((str(value[key]) for key in keys if value.get(key)), "")

    left_out: Counter[str] = Counter()
    turns = [turn for turn in turns_of(value, left_out, zone) if turn is not None]
    identity = first("conversation_id", "id", "uuid", "title", "name") or str(line)
    started = parse_moment(value.get("create_time") or value.get("created_at"), zone)
    return Conversation(identity, first("title", "name"), started, turns, place, line, left_out)


def _path(nodes: Mapping[str, Any], leaf: object, parent: str) -> list[str]:
    """Node keys from the root to a leaf; `parent` is the key of the parent's id."""
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf in nodes and leaf not in path:
        path[leaf] = None
        leaf = dig(nodes, leaf, parent)
    return list(path)[::-1]


def _speech(speaker: str, text: str, stamp: object, zone: tzinfo | None) -> Speech | None:
    moment = parse_moment(stamp, zone)
    return Speech(speaker, text, moment.date() if moment else None) if text.strip() else None


_CITED = re.compile("\ue200(?P<what>[^\ue200-\ue202]*)(?:\ue202(?P<rest>[^\ue200\ue201]*))?\ue201")
_SOURCE = re.compile(r"【[^【】\n]{0,60}†[^【】\n]{0,80}】")
_SPOKEN = ("text", "multimodal_text")


def is_chatgpt(value: object) -> bool:
    return isinstance(dig(value, "mapping"), dict)


def _chatgpt_turns(
    value: Mapping[str, Any], left_out: Counter[str], zone: tzinfo | None
) -> Sequence[Speech | None]:
    """The path to the current message, or else to the newest; without tools and settings."""
    mapping: Mapping[str, Any] = value["mapping"]
    messages = {key: dig(node, "message") for key, node in mapping.items()}
    current = value.get("current_node")
    if not isinstance(current, str) or current not in messages:
        leaves = [k for k, n in mapping.items() if isinstance(n, dict) and not n.get("children")]
        current = max(leaves[::-1], key=lambda key: _sent_at(messages[key]), default=None)
    path = _path(mapping, current, "parent")
    others = (messages[key] for key in messages.keys() - set(path))
    left_out["branch"] = sum(map(bool, map(_speaker, others)))
    return [_chatgpt_turn(messages[key], left_out, zone) for key in path]


def _sent_at(message: Any) -> float:
    found = dig(message, "create_time")
    return float(found) if isinstance(found, int | float) else 0.0


def _speaker(message: Any) -> str:
    """The speaker of a visible message; "" for tools, settings and messages to tools."""
    hidden = dig(message, "metadata", "is_visually_hidden_from_conversation")
    if hidden or dig(message, "recipient") not in (None, "all"):
        return ""
    is_spoken = dig(message, "content", "content_type") in _SPOKEN
    return _SPEAKERS.get(str(dig(message, "author", "role")), "") if is_spoken else ""


def _chatgpt_turn(message: Any, left_out: Counter[str], zone: tzinfo | None) -> Speech | None:
    speaker = _speaker(message)
    if not speaker:
        is_setting = dig(message, "author", "role") == "system"
        left_out["tool"] += bool(dig(message, "content")) and not is_setting
        return None
    parts: list[str] = []
    found = dig(message, "content", "parts")
    for part in found if isinstance(found, list) else ():
        text = part if isinstance(part, str) else dig(part, "text")
        if isinstance(text, str):
            parts.append(text)
        elif part:
            left_out["attachment"] += 1
    text = "\n\n".join(part for part in parts if part.strip())
    cleaned = _SOURCE.sub("", _CITED.sub(_cited, text))
    return _speech(speaker, cleaned, dig(message, "create_time"), zone)


def _cited(found: re.Match[str]) -> str:
    """Citations are dropped; an entity link becomes its name."""
    try:
        name = dig(json.loads(found["rest"] or ""), 1) if found["what"] == "entity" else None
    except ValueError:
        return ""
    return name if isinstance(name, str) else ""


def is_claude(value: object) -> bool:
    return isinstance(dig(value, "chat_messages"), list)


def _claude_turns(
    value: Mapping[str, Any], left_out: Counter[str], zone: tzinfo | None
) -> Sequence[Speech | None]:
    """Up to the current message if edits made branches, else all; without tools and files."""
    path = messages = [each for each in value["chat_messages"] if isinstance(each, dict)]
    parents = Counter(str(each.get("parent_message_uuid") or "") for each in messages)
    by_id = {str(each.get("uuid")): each for each in messages}
    branches = any(count > 1 for parent, count in parents.items() if parent)
    if branches and len(by_id) == len(messages):
        leaf = str(value.get("current_leaf_message_uuid"))
        leaf = leaf if leaf in by_id else str(messages[-1].get("uuid"))
        path = [by_id[key] for key in _path(by_id, leaf, "parent_message_uuid")]
    left_out["branch"] = len(messages) - len(path)
    return [_claude_turn(each, left_out, zone) for each in path]


def _claude_turn(
    message: Mapping[str, Any], left_out: Counter[str], zone: tzinfo | None
) -> Speech | None:
    speaker = _SPEAKERS.get(str(message.get("sender") or message.get("role")))
    if speaker is None:
        left_out["tool"] += 1
        return None
    for found in (message.get("attachments"), message.get("files")):
        left_out["attachment"] += len(found) if isinstance(found, list) else 0
    # Older exports have `text` instead of blocks; newer ones fill it with placeholders.
    content = message.get("content") or message.get("text")
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts: list[str] = []
    for block in blocks:
        text = dig(block, "text") if dig(block, "type") == "text" else None
        if isinstance(text, str):
            texts.append(text)
        else:
            left_out["tool"] += content is blocks
    text = "\n\n".join(text for text in texts if text.strip())
    return _speech(speaker, text, message.get("created_at"), zone)


read_chatgpt = partial(read_conversations, is_chatgpt, _chatgpt_turns)
read_claude = partial(read_conversations, is_claude, _claude_turns)
