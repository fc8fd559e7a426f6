"""What people decided by hand about opinions: on `bank/opinions.md` and in `bank/evidence.md`."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from lorebank.markdown.ledger import parse_evidence_lines
from lorebank.markdown.opinion_page import OPINIONS_PATH, OpinionEntry, parse_opinion_page
from lorebank.markdown.source import decode
from lorebank.reflect.beliefs import Pin
from lorebank.reflect.matching import Verdict
from lorebank.reflect.outcome import Override

__all__ = ["EVIDENCE_PATH", "decided_after", "read_entries", "read_overrides", "read_verdicts"]

EVIDENCE_PATH = "bank/evidence.md"


def read_entries(root: Path) -> tuple[OpinionEntry, ...]:
    """The entries of the opinions page, with what was written into them by hand."""
    return parse_opinion_page(_read(root, OPINIONS_PATH))[0]


def read_overrides(root: Path, *, as_of: date | None = None) -> tuple[Override, ...]:
    """Pins, retractions, deletions and edited statements of the opinions page.

    Pins, retractions and deletions dated after `as_of` are as if they had not been written.
    """
    return tuple(_override(entry, as_of or date.max) for entry in read_entries(root))


def read_verdicts(root: Path, *, as_of: date | None = None) -> tuple[Verdict, ...]:
    """The judgements on single pairs that `bank/evidence.md` holds, without those after `as_of`."""
    rulings = parse_evidence_lines(_read(root, EVIDENCE_PATH), EVIDENCE_PATH).rulings
    return tuple(
        Verdict(r.fact_id, r.opinion_id, r.stance)
        for r in rulings
        if as_of is None or r.day is None or r.day <= as_of
    )


def decided_after(root: Path, day: date) -> bool:
    """Whether a person decided anything that is dated later than on that day."""
    as_they_were = read_overrides(root, as_of=day), read_verdicts(root, as_of=day)
    return as_they_were != (read_overrides(root), read_verdicts(root))


def _override(entry: OpinionEntry, day: date) -> Override:
    pinned = entry.pin is not None and (entry.pin_since or date.min) <= day
    return Override(
        opinion_id=entry.id,
        statement=entry.statement or None,
        pin=Pin(entry.pin, entry.pin_since) if entry.pin is not None and pinned else None,
        retracted=entry.retracted and (entry.retracted_since or date.min) <= day,
        deleted=entry.deleted and (entry.deleted_since or date.min) <= day,
    )


def _read(root: Path, path: str) -> str:
    try:
        return decode((root / path).read_bytes(), path)[0]
    except OSError:
        return ""
