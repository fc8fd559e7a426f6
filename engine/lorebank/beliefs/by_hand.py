"""What people decided about opinions: on `bank/opinions.md` and in `bank/evidence.md`.

A decision holds from the day on which reflect first met it, written beside it, so that any day
before can be replayed. The index remembers what was decided, so that only holders of whom that
changed are formed again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.beliefs.forming import Verdict, holder_of, opinion_id
from lorebank.database.connection import Connection, read_meta, write_meta
from lorebank.domain.facts import Fact, FactKind
from lorebank.index.opinions import DECISIONS, holders_of_opinions, opening_lines
from lorebank.markdown.ledger import parse_evidence_lines
from lorebank.markdown.opinion_page import OPINIONS_PATH, OpinionEntry, parse_opinion_page
from lorebank.markdown.plain import escape_inline, unescape_inline
from lorebank.markdown.source import decode
from lorebank.workspace.layout import EVIDENCE_PAGE


def read_entries(root: Path) -> tuple[OpinionEntry, ...]:
    """The entries of the opinions page, with what was written into them by hand."""
    return parse_opinion_page(_read(root, OPINIONS_PATH))


def overrides_of(
    entries: Iterable[OpinionEntry], *, as_of: date | None = None
) -> tuple[OpinionEntry, ...]:
    """The entries; under `as_of` without what was decided later."""

    def holds(since: date | None) -> bool:
        return as_of is None or since is None or since <= as_of

    return tuple(
        replace(
            entry,
            statement=entry.statement if holds(entry.restated_since) else "",
            pin=entry.pin if holds(entry.pin_since) else None,
            retracted=entry.retracted and holds(entry.retracted_since),
            deleted=entry.deleted and holds(entry.deleted_since),
        )
        for entry in entries
    )


def dated(
    entries: Sequence[OpinionEntry], facts: Iterable[Fact], day: date
) -> tuple[OpinionEntry, ...]:
    """The entries with `day` beside each decision that bears none yet."""
    opened = {
        opinion_id(holder_of(fact), fact.content): fact.content
        for fact in facts
        if fact.kind is FactKind.OPINION
    }
    return tuple(_dated(entry, opened.get(entry.id), day) for entry in entries)


def _dated(entry: OpinionEntry, opened: str | None, day: date) -> OpinionEntry:
    if entry.deleted:
        said = entry.statement or opened or ""
        return replace(entry, statement=said, deleted_since=entry.deleted_since or day)
    restated = opened is not None and entry.statement not in ("", _on_page(opened))
    return replace(
        entry,
        pin_since=None if entry.pin is None else entry.pin_since or day,
        retracted_since=entry.retracted_since or day if entry.retracted else None,
        restated_since=entry.restated_since or day if restated else None,
    )


def _on_page(statement: str) -> str:
    """The statement as the page gives it back."""
    return unescape_inline(escape_inline(statement))


def read_verdicts(root: Path, *, as_of: date | None = None) -> tuple[Verdict, ...]:
    """The judgements on single pairs that `bank/evidence.md` holds, without those after `as_of`."""
    rulings = parse_evidence_lines(_read(root, EVIDENCE_PAGE), EVIDENCE_PAGE)[0]
    return tuple(
        Verdict(r.fact_id, r.opinion_id, r.stance)
        for r in rulings
        if as_of is None or r.day is None or r.day <= as_of
    )


def _read(root: Path, path: str) -> str:
    try:
        return decode((root / path).read_bytes(), path)[0]
    except OSError:
        return ""


def holders_decided(connection: Connection, root: Path) -> frozenset[str] | None:
    """Holders of whom a decision came, went or changed; `None` where that may be anybody."""
    stored = read_meta(connection, DECISIONS)
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
    write_meta(connection, DECISIONS, json.dumps(now, ensure_ascii=False))


def _decisions(connection: Connection, root: Path) -> dict[str, str]:
    said = opening_lines(connection)
    found = {entry.id: _told(entry, said.get(entry.id)) for entry in read_entries(root)}
    found |= {f"{v.fact_id} {v.opinion_id}": v.stance.value for v in read_verdicts(root)}
    return {key: told for key, told in found.items() if told}


def _told(entry: OpinionEntry, first: str | None) -> str:
    """Empty where the entry stands as the engine wrote it."""
    restated = first is not None and entry.statement not in ("", _on_page(first))
    pin = None if entry.pin is None else (entry.pin, entry.pin_since)
    decided = pin, entry.retracted, entry.deleted
    if not restated and decided == (None, False, False):
        return ""
    return repr((*decided, entry.statement if restated else None))
