"""What people decided by hand about opinions: on `bank/opinions.md` and in `bank/evidence.md`."""

from __future__ import annotations

from pathlib import Path

from lorebank.markdown.ledger import parse_evidence_lines
from lorebank.markdown.opinion_page import OPINIONS_PATH, OpinionEntry, parse_opinion_page
from lorebank.markdown.source import decode
from lorebank.reflect.beliefs import Pin
from lorebank.reflect.matching import Verdict
from lorebank.reflect.outcome import Override

__all__ = ["EVIDENCE_PATH", "read_entries", "read_overrides", "read_verdicts"]

EVIDENCE_PATH = "bank/evidence.md"


def read_entries(root: Path) -> tuple[OpinionEntry, ...]:
    """The entries of the opinions page, with what was written into them by hand."""
    return parse_opinion_page(_read(root, OPINIONS_PATH))[0]


def read_overrides(root: Path) -> tuple[Override, ...]:
    """Pins, retractions, deletions and edited statements of the opinions page."""
    return tuple(_override(entry) for entry in read_entries(root))


def read_verdicts(root: Path) -> tuple[Verdict, ...]:
    """The judgements on single pairs that `bank/evidence.md` holds."""
    rulings = parse_evidence_lines(_read(root, EVIDENCE_PATH), EVIDENCE_PATH).rulings
    return tuple(Verdict(r.fact_id, r.opinion_id, r.stance) for r in rulings)


def _override(entry: OpinionEntry) -> Override:
    return Override(
        opinion_id=entry.id,
        statement=entry.statement or None,
        pin=None if entry.pin is None else Pin(entry.pin, entry.pin_since),
        retracted=entry.retracted,
        deleted=entry.deleted,
    )


def _read(root: Path, path: str) -> str:
    try:
        return decode((root / path).read_bytes(), path)[0]
    except OSError:
        return ""
