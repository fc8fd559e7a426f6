"""Rulings: lines of `bank/evidence.md` that settle what a fact says of an opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.domain import Citation, Fact, Stance
from lorebank.errors import NotFound
from lorebank.markdown.ledger import EvidenceRuling, format_evidence_line, parse_evidence_lines
from lorebank.markdown.ledger_edit import added_line, without_lines
from lorebank.workspace.layout import EVIDENCE_PAGE
from lorebank.workspace.text_file import read_text_file, write_text_file


def read_rulings(root: Path) -> tuple[EvidenceRuling, ...]:
    """The rulings as they stand in the file, in order."""
    return parse_evidence_lines(read_text_file(root, EVIDENCE_PAGE).text, EVIDENCE_PAGE).rulings


def write_ruling(
    root: Path, fact: Fact, opinion_id: str, stance: Stance, *, day: date, reason: str = ""
) -> Citation:
    """Settle a pair; an earlier ruling on it goes. The caller holds the writer's lock.

    Returns the line that says so: the one that stands there already where it says the same.
    """
    file = read_text_file(root, EVIDENCE_PAGE)
    known = _on_pair(file.text, fact.id, opinion_id)
    if len(known) == 1 and known[0].stance is stance and reason in ("", known[0].reason):
        return known[0].citation
    place = Citation(EVIDENCE_PAGE, 0, 0)
    reason = " ".join(reason.split())
    ruling = EvidenceRuling(fact.id, stance, opinion_id, day, reason, place, fact.citation)
    kept = without_lines(file.text, [each.citation for each in known])
    after, line = added_line(kept, format_evidence_line(ruling), title="Evidence")
    write_text_file(root, file, after)
    return replace(place, start_line=line, end_line=line)


def take_back(root: Path, fact_id: str, opinion_id: str) -> None:
    """Remove the ruling on a pair; `NotFound` where there is none."""
    file = read_text_file(root, EVIDENCE_PAGE)
    known = _on_pair(file.text, fact_id, opinion_id)
    if not known:
        raise NotFound(
            f"{EVIDENCE_PAGE} holds no ruling on {fact_id} and {opinion_id}",
            hint="lorebank reflect --unsure lists pairs that wait for one",
        )
    write_text_file(root, file, without_lines(file.text, [each.citation for each in known]))


def _on_pair(text: str, fact_id: str, opinion_id: str) -> Sequence[EvidenceRuling]:
    rulings = parse_evidence_lines(text, EVIDENCE_PAGE).rulings
    return [r for r in rulings if (r.fact_id, r.opinion_id) == (fact_id, opinion_id)]
