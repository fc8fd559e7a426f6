"""Hooks of Claude Code, in its `settings.json`: SessionStart and PreCompact.

What SessionStart prints is put before the model, at a start and after a compaction; what PreCompact
prints is not. So PreCompact only notes that a compaction came, and the words that ask to store what
lasts stand in what the SessionStart after it prints.
"""

from __future__ import annotations

import json
import re

from lorebank.agent.hooks.json_splice import cut, put

EVENTS = {"SessionStart": "session-start", "PreCompact": "pre-compact"}
"""Claude Code's event → what `lorebank hooks run` calls it."""
TIMEOUT_S = 30
_OWN = re.compile(r"\blorebank\b.* hooks run (?:session-start|pre-compact)\Z")


def snippet(command: str) -> str:
    """The settings as they would stand in an empty file; `command` starts lorebank."""
    return install("", command)


def install(text: str, command: str) -> str:
    """The settings with the hooks in them, the same text where they are there already."""
    for event, name in EVENTS.items():
        wanted = f"{command} hooks run {name}"
        if [found for _, found in _own_commands(text, event)] != [wanted]:
            entry = {"hooks": [{"type": "command", "command": wanted, "timeout": TIMEOUT_S}]}
            text = put(_without(text, event), ["hooks", event], entry, into_list=True)
    return text


def remove(text: str) -> str:
    """The settings without the hooks, and without a table that was made for them."""
    for event in reversed(EVENTS):
        text = _without(text, event)
    return text


def _without(text: str, event: str) -> str:
    while found := _own_commands(text, event):
        text = cut(text, found[0][0])
    return text


def _own_commands(text: str, event: str) -> list[tuple[list[str | int], str]]:
    """The commands of lorebank's that stand at an event, each with the path that leads to it."""
    settings = json.loads(text) if text.strip() else {}
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return [
        (["hooks", event, number, "hooks", place], hook["command"])
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for place, hook in enumerate(group["hooks"])
        if isinstance(hook, dict) and _OWN.search(str(hook.get("command")))
    ]
