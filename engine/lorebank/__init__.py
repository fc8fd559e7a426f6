"""lorebank: retain, recall and reflect over plain Markdown, offline first.

>>> from lorebank import Bank
>>> with Bank.init("~/notes") as bank:
...     _ = bank.retain("O(c=0.9) @Peter: Prefers tea.", day="2025-11-27")
...     for hit in bank.recall("what does Peter prefer?", k=1).hits:
...         print(hit.content, hit.source)
Prefers tea. memory/2025-11-27.md#L4

Beside the names below, every class of `lorebank.domain` and `lorebank.errors` is public.
`ARCHITECTURE.md` beside this file is the map of the rooms.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lorebank.version import __version__ as __version__

if TYPE_CHECKING:
    from lorebank.agent.authored import Remembered as Remembered
    from lorebank.agent.boot_pack import BootPack as BootPack
    from lorebank.agent.boot_pack import PackPart as PackPart
    from lorebank.agent.core_memory import CoreWrite as CoreWrite
    from lorebank.agent.flush import Flush as Flush
    from lorebank.agent.memory_search import MemorySearch as MemorySearch
    from lorebank.app.awaited import AsyncBank as AsyncBank
    from lorebank.app.bank import Bank as Bank
    from lorebank.app.several import Banks as Banks
    from lorebank.app.several import open_bank as open_bank
    from lorebank.app.several import recall_all as recall_all
    from lorebank.app.several import registered_banks as registered_banks
    from lorebank.conversations.export import Transcript as Transcript
    from lorebank.conversations.export import TranscriptExport as TranscriptExport
    from lorebank.conversations.turns import Turn as Turn
    from lorebank.domain.answers import *  # noqa: F403
    from lorebank.domain.facts import *  # noqa: F403
    from lorebank.domain.judgments import *  # noqa: F403
    from lorebank.domain.reports import *  # noqa: F403
    from lorebank.errors import *  # noqa: F403
    from lorebank.exchange.exporting import ExportReport as ExportReport
    from lorebank.exchange.importing import ImportReport as ImportReport

_HOMES = {
    "lorebank.agent.boot_pack": ("BootPack", "PackPart"),
    "lorebank.agent.flush": ("Flush",),
    "lorebank.agent.memory_search": ("MemorySearch",),
    "lorebank.agent.authored": ("Remembered",),
    "lorebank.agent.core_memory": ("CoreWrite",),
    "lorebank.app.awaited": ("AsyncBank",),
    "lorebank.app.bank": ("Bank",),
    "lorebank.app.several": ("Banks", "open_bank", "recall_all", "registered_banks"),
    "lorebank.conversations.export": ("Transcript", "TranscriptExport"),
    "lorebank.conversations.turns": ("Turn",),
    "lorebank.exchange.exporting": ("ExportReport",),
    "lorebank.exchange.importing": ("ImportReport",),
}
_TYPES = (
    "lorebank.domain.facts",
    "lorebank.domain.answers",
    "lorebank.domain.judgments",
    "lorebank.domain.reports",
    "lorebank.errors",
)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import lorebank.cli` stays cheap."""
    if name == "__all__":
        return __dir__()
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    for home in _TYPES:
        found = vars(import_module(home)).get(name)
        if getattr(found, "__module__", "") == home:
            return found
    raise AttributeError(f"module 'lorebank' has no attribute {name!r}")


def __dir__() -> list[str]:
    """All public names."""
    types = [
        name
        for home in _TYPES
        for name, value in vars(import_module(home)).items()
        if isinstance(value, type) and value.__module__ == home
    ]
    return sorted([*types, *(name for names in _HOMES.values() for name in names), "__version__"])
