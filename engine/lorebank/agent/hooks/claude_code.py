"""Hooks of Claude Code, in its `settings.json`: SessionStart and PreCompact.

What SessionStart prints is put before the model, at a start and after a compaction; what PreCompact
prints is not. So PreCompact only notes that a compaction came, and the words that ask to store what
lasts stand in what the SessionStart after it prints.
"""

from __future__ import annotations

import json
import re
from typing import Any

from lorebank.agent.hooks.json_splice import Node, add_entry, cut_entry, scan

EVENTS = {"SessionStart": "session-start", "PreCompact": "pre-compact"}
"""Claude Code's event → what `lorebank hooks run` calls it."""
TIMEOUT_S = 30
_OWN = re.compile(r"\blorebank\b.* hooks run (?:session-start|pre-compact)\Z")


def snippet(command: str) -> str:
    """The settings as they would stand in an empty file; `command` starts lorebank."""
    return install("{}\n", command)


def install(text: str, command: str) -> str:
    """The settings with the hooks in them, the same text where they are there already."""
    for event, name in EVENTS.items():
        wanted = f"{command} hooks run {name}"
        found = _own_commands(json.loads(text), event)
        if found == [wanted]:
            continue
        for _ in found:
            text = _without_one(text, event)
        text = add_entry(text, ["hooks", event], _entry(wanted))
    return text


def remove(text: str) -> str:
    """The settings without the hooks, and without a table that they alone had filled."""
    for event in reversed(EVENTS):
        for _ in _own_commands(json.loads(text), event):
            text = _without_one(text, event)
    return text


def _entry(command: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_S}]}


def _own_commands(settings: Any, event: str) -> list[str]:
    """The commands of lorebank's that stand at an event."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return [
        hook["command"]
        for group in (groups if isinstance(groups, list) else [])
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for hook in group["hooks"]
        if _is_own(hook)
    ]


def _is_own(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and _OWN.search(command) is not None


def _without_one(text: str, event: str) -> str:
    """Cut the first hook of lorebank's at an event, and what is empty without it."""
    way = [scan(text)]
    for key in ("hooks", event):
        inner = way[-1].get(key)
        assert inner is not None
        way.append(inner)
    for number, group in enumerate(way[-1].entries):
        hooks = group.value.get("hooks")
        if hooks is None:
            continue
        for place, entry in enumerate(hooks.entries):
            if _is_own(json.loads(text[entry.value.start : entry.value.end])):
                places = [
                    _place(way[0], "hooks"),
                    _place(way[1], event),
                    number,
                    _place(group.value, "hooks"),
                    place,
                ]
                return _cut_up(text, [*way, group.value, hooks], places)
    return text


def _cut_up(text: str, way: list[Node], places: list[int]) -> str:
    """Cut the innermost entry, or the outermost one that holds nothing else."""
    depth = len(way) - 1
    while depth > 0 and _is_only(way[depth]):
        depth -= 1
    return cut_entry(text, way[depth], places[depth])


def _is_only(node: Node) -> bool:
    """Whether a container is nothing without the entry on the way; a matcher alone is nothing."""
    return sum(entry.key != "matcher" for entry in node.entries) == 1


def _place(node: Node, key: str) -> int:
    return max(number for number, entry in enumerate(node.entries) if entry.key == key)
