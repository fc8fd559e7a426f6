"""The ledgers: lines that decide, lines that do not, and back to text."""

from datetime import date

from lorebank.domain.facts import Citation, Stance
from lorebank.markdown.ledger import (
    EvidenceRuling,
    LedgerAction,
    format_entry,
    format_evidence_line,
    parse_evidence_lines,
    parse_ledger,
)
from support import golden


@golden("markdown.md")
def test_decisions(line: str, action: str, names: list[str], day: date | None, reason: str) -> None:
    ledger = parse_ledger(f"# Identity\n\n{line}\n", "bank/identity.md")
    (entry,) = ledger.entries
    assert ledger.diagnostics == ()
    assert (entry.action, [name.name for name in entry.names]) == (action, names)
    assert (entry.day, entry.reason, entry.citation.start_line) == (day, reason, 3)
    (again,) = parse_ledger(f"\n\n{format_entry(entry)}\n", "bank/identity.md").entries
    assert again == entry


@golden("markdown.md")
def test_lines_that_decide_nothing_are_reported(line: str) -> None:
    ledger = parse_ledger(f"{line}\n- merge @C → @D\n", "bank/identity.md")
    assert [problem.line for problem in ledger.diagnostics] == [1]
    assert [entry.action for entry in ledger.entries] == [LedgerAction.MERGE]


def test_prose_and_private_lines_decide_nothing() -> None:
    text = "About alias @A → @B.\n\n<private>\n- merge @C → @D\n</private>\n"
    ledger = parse_ledger(text, "bank/identity.md")
    assert (ledger.entries, ledger.diagnostics) == ((), ())


def test_evidence_rulings() -> None:
    text = (
        "- f-1a2b3c4d5e for o-3f2a91bc (2026-01-04: he said so)\n"
        "- `f-1a2b3c4d5e` unrelated to `o-3f2a91bc`\n"
        "- f-1a2b3c4d5e against\n"
    )
    rulings, problems = parse_evidence_lines(text, "bank/evidence.md")
    assert rulings == (
        EvidenceRuling(
            "f-1a2b3c4d5e",
            Stance.FOR,
            "o-3f2a91bc",
            date(2026, 1, 4),
            "he said so",
            Citation("bank/evidence.md", 1, 1),
        ),
        EvidenceRuling(
            "f-1a2b3c4d5e",
            Stance.UNRELATED,
            "o-3f2a91bc",
            None,
            "",
            Citation("bank/evidence.md", 2, 2),
        ),
    )
    assert [(problem.line, problem.code) for problem in problems] == [(3, "ruling-unread")]
    assert format_evidence_line(rulings[0]) == text.split("\n")[0]
