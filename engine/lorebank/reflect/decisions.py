"""Whose opinions a decision by hand bears on: found by comparing with what was decided before.

`bank/opinions.md` changes with every run of reflect, and hardly ever by a decision. So the index
remembers what was decided (pins, retractions, deletions, statements that differ from the first
line, judgements on pairs), and only holders of whom that changed are formed anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from lorebank.database.connection import Connection, read_meta, write_meta
from lorebank.index.opinions import holders_of_opinions, opening_lines
from lorebank.markdown.generated_text import escape_inline, unescape_inline
from lorebank.reflect.by_hand import read_overrides, read_verdicts
from lorebank.reflect.outcome import Override

_DECISIONS = "decisions"


def holders_decided(connection: Connection, root: Path) -> frozenset[str] | None:
    """Holders of whom a decision came, went or changed; `None` where that may be anybody."""
    stored = read_meta(connection, _DECISIONS)
    if stored is None:
        return None
    before: dict[str, str] = json.loads(stored)
    now = _decisions(connection, root)
    changed = {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}
    opinions = {key.rpartition(" ")[2] for key in changed}
    holders = holders_of_opinions(connection, opinions)
    return frozenset(holders.values()) if opinions <= holders.keys() else None


def store_decisions(connection: Connection, root: Path) -> None:
    """Remember what is decided; inside the caller's transaction, after the opinions are stored."""
    now = _decisions(connection, root)
    write_meta(connection, _DECISIONS, json.dumps(now, ensure_ascii=False))


def _decisions(connection: Connection, root: Path) -> dict[str, str]:
    """`o-…`, or `f-… o-…` of a pair → what was decided."""
    overrides = read_overrides(root)
    said = opening_lines(connection)
    found = {override.opinion_id: _told(override, said) for override in overrides}
    found |= {f"{v.fact_id} {v.opinion_id}": v.stance.value for v in read_verdicts(root)}
    return {key: told for key, told in found.items() if told}


def _told(override: Override, said: dict[str, str]) -> str:
    """Empty where the entry stands as the engine wrote it."""
    first = said.get(override.opinion_id)
    restated = first is not None and override.statement not in (
        None,
        unescape_inline(escape_inline(first)),
    )
    decided = override.pin, override.retracted, override.deleted
    if not restated and decided == (None, False, False):
        return ""
    return repr((*decided, override.statement if restated else None))
