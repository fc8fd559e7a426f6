"""The hook for any other host: shell functions, in a block of a start-up file."""

from __future__ import annotations

import re

BEGIN = "# >>> lorebank >>>"
END = "# <<< lorebank <<<"
_BLOCK = re.compile(rf"^{BEGIN}$.*?^{END}$\n?", re.MULTILINE | re.DOTALL)


def snippet(command: str) -> str:
    """The functions; `command` starts lorebank in its workspace."""
    return f"""{BEGIN}
# lorebank_context: what an agent is told at its start; takes --budget-tokens N and --group.
lorebank_context() {{ {command} context "$@"; }}
# lorebank_flush --tokens N --context-window N: prints what to ask the agent before a compaction,
# nothing while there is time; lorebank_flush --reply TEXT prints what of its reply is for the user.
lorebank_flush() {{ {command} flush "$@"; }}
{END}
"""


def install(text: str, command: str) -> str:
    """The file with the block in it: in place of the one that is there, or at the end."""
    block = snippet(command)
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda found: block, text, count=1)
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{block}"


def remove(text: str) -> str:
    """The file without the block."""
    return _BLOCK.sub("", text)
