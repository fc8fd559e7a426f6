"""lorebank: retain, recall and reflect over plain Markdown, offline first.

>>> from lorebank import Bank
>>> with Bank.open("~/notes") as bank:            # doctest: +SKIP
...     for hit in bank.recall("what does Peter prefer?").hits:
...         print(hit.content, hit.source)

`ARCHITECTURE.md` beside this file is the map of the rooms.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lorebank.version import __version__

if TYPE_CHECKING:
    from lorebank.app import Bank
    from lorebank.domain import (
        Absence,
        Answer,
        Audit,
        BeliefChange,
        BeliefDiff,
        BeliefStep,
        BenchReport,
        BenchRow,
        Calibration,
        CalibrationBin,
        ChangeKind,
        Citation,
        Diagnostic,
        Directive,
        Entity,
        EntityView,
        Evidence,
        Explanation,
        Fact,
        FactKind,
        FactStatus,
        FileText,
        Ground,
        Hit,
        Hunk,
        Interval,
        Mention,
        Neighbour,
        OpenPair,
        Opinion,
        OpinionStatus,
        Proposal,
        ProposalAction,
        ProposalDecision,
        Query,
        ReflectReport,
        RotFinding,
        RotKind,
        RotReport,
        Ruling,
        SearchHit,
        Stance,
        Status,
        SyncReport,
        Trend,
        UndoReport,
        UnsureQueue,
    )
    from lorebank.errors import (
        ConcurrentEdit,
        ConfigurationError,
        IndexUnusable,
        LockHeld,
        LorebankError,
        NotFound,
        Offline,
        PathRefused,
        ProviderError,
        ScheduleError,
        UsageError,
        WorkspaceError,
    )

__all__ = [
    "Absence",
    "Answer",
    "Audit",
    "Bank",
    "BeliefChange",
    "BeliefDiff",
    "BeliefStep",
    "BenchReport",
    "BenchRow",
    "Calibration",
    "CalibrationBin",
    "ChangeKind",
    "Citation",
    "ConcurrentEdit",
    "ConfigurationError",
    "Diagnostic",
    "Directive",
    "Entity",
    "EntityView",
    "Evidence",
    "Explanation",
    "Fact",
    "FactKind",
    "FactStatus",
    "FileText",
    "Ground",
    "Hit",
    "Hunk",
    "IndexUnusable",
    "Interval",
    "LockHeld",
    "LorebankError",
    "Mention",
    "Neighbour",
    "NotFound",
    "Offline",
    "OpenPair",
    "Opinion",
    "OpinionStatus",
    "PathRefused",
    "Proposal",
    "ProposalAction",
    "ProposalDecision",
    "ProviderError",
    "Query",
    "ReflectReport",
    "RotFinding",
    "RotKind",
    "RotReport",
    "Ruling",
    "ScheduleError",
    "SearchHit",
    "Stance",
    "Status",
    "SyncReport",
    "Trend",
    "UndoReport",
    "UnsureQueue",
    "UsageError",
    "WorkspaceError",
    "__version__",
]

_HOMES = {
    "lorebank.app": ("Bank",),
    "lorebank.errors": (
        "ConcurrentEdit",
        "ConfigurationError",
        "IndexUnusable",
        "LockHeld",
        "LorebankError",
        "NotFound",
        "PathRefused",
        "Offline",
        "ProviderError",
        "ScheduleError",
        "UsageError",
        "WorkspaceError",
    ),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import lorebank.cli` stays cheap."""
    if name not in __all__:
        raise AttributeError(f"module 'lorebank' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "lorebank.domain")
    return getattr(import_module(home), name)
