"""The settings of trust: whose word the files of a folder are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lorebank.config_rules import Rule, users_own
from lorebank.domain import Origin
from lorebank.records import dataclass


def _is_table(folders: Mapping[object, object]) -> bool:
    return all(
        isinstance(folder, str) and folder.strip("/ ") and origin in set(Origin)
        for folder, origin in folders.items()
    )


def _lifts(folders: Mapping[str, str]) -> bool:
    """Whether it trusts a folder: a workspace from anybody does not vouch for itself."""
    return any(Origin(origin).trusted for origin in folders.values())


FOLDERS = users_own(
    Rule(f"a table of folders, each with one of {', '.join(Origin)}", _is_table, dict), _lifts
)


@dataclass(frozen=True, slots=True)
class OriginSettings:
    """Whose word a file is, where neither it nor its lines say less."""

    folders: Mapping[str, str] = field(default_factory=dict, metadata={"rule": FOLDERS})
    """Folder or file → origin, besides the shipped `memory/imported`, `memory/sessions` and
    `memory/untrusted`; of those that fit a path, the longest counts."""
