"""What people decided by hand about opinions: on `bank/opinions.md` and in `bank/evidence.md`.

A decision holds from the day on which reflect first met it; that day is written beside it, so that
any day before can still be replayed and the index holds nothing that the page does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.domain import Fact, FactKind
from lorebank.markdown.generated_text import escape_inline, unescape_inline
from lorebank.markdown.ledger import parse_evidence_lines
from lorebank.markdown.opinion_page import OPINIONS_PATH, OpinionEntry, parse_opinion_page
from lorebank.markdown.source import decode
from lorebank.reflect.beliefs import Pin
from lorebank.reflect.matching import Verdict, holder_of, opinion_id
from lorebank.reflect.outcome import Override
from lorebank.workspace.layout import EVIDENCE_PAGE


def read_entries(root: Path) -> tuple[OpinionEntry, ...]:
    """The entries of the opinions page, with what was written into them by hand."""
    return parse_opinion_page(_read(root, OPINIONS_PATH))[0]


def read_overrides(root: Path, *, as_of: date | None = None) -> tuple[Override, ...]:
    """Pins, retractions, deletions and edited statements of the opinions page."""
    return overrides_of(read_entries(root), as_of=as_of)


def overrides_of(
    entries: Iterable[OpinionEntry], *, as_of: date | None = None
) -> tuple[Override, ...]:
    """What the entries decide; under `as_of` without what was decided later."""

    def holds(since: date | None) -> bool:
        return as_of is None or since is None or since <= as_of

    return tuple(
        Override(
            opinion_id=entry.id,
            statement=entry.statement if entry.statement and holds(entry.restated_since) else None,
            pin=Pin(entry.pin, entry.pin_since)
            if entry.pin is not None and holds(entry.pin_since)
            else None,
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
    rulings = parse_evidence_lines(_read(root, EVIDENCE_PAGE), EVIDENCE_PAGE).rulings
    return tuple(
        Verdict(r.fact_id, r.opinion_id, r.stance)
        for r in rulings
        if as_of is None or r.day is None or r.day <= as_of
    )


def decided_after(root: Path, day: date) -> bool:
    """Whether a person decided anything that is dated later than on that day."""
    as_they_were = read_overrides(root, as_of=day), read_verdicts(root, as_of=day)
    return as_they_were != (read_overrides(root), read_verdicts(root))


def _read(root: Path, path: str) -> str:
    try:
        return decode((root / path).read_bytes(), path)[0]
    except OSError:
        return ""
