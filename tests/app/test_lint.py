"""Lint through the bank: findings, fixes, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.errors import NotFound

LOG = (
    "# Day\r\n\r\n## Retian\r\n• W @Lena: Sings *loudly*.\r\n"
    "- W @Bo: Rows far.\r\n- W @Bo: Rows far.\r\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-01-02.md").write_bytes(LOG.encode())
    return tmp_path


def codes(bank: Bank) -> list[str]:
    return [finding.code for finding in bank.lint().findings]


def test_fixes_are_written_and_taken_back_byte_for_byte(root: Path) -> None:
    log = root / "memory" / "2026-01-02.md"
    with Bank.open(root) as bank:
        before = [fact.id for fact in bank.timeline()]
        report = bank.lint(fix=True)
        assert report.changed == ("memory/2026-01-02.md",)
        assert log.read_bytes() == (
            b"# Day\r\n\r\n## Retain\r\n- W @Lena: Sings *loudly*.\r\n"
            b"- W @Bo: Rows far.\r\n- W @Bo: Rows far.\r\n"
        )
        assert [fact.id for fact in bank.timeline()] == before
        assert codes(bank) == ["duplicate"]
        bank.undo_lint()
        assert log.read_bytes() == LOG.encode()
        with pytest.raises(NotFound):
            bank.undo_lint()


def test_status_counts_findings_without_calling_them_problems(root: Path) -> None:
    with Bank.open(root) as bank:
        bank.sync()
        status = bank.status()
        assert status.counts["lint"] > 0
        assert status.problems == ()


def test_lint_alone_writes_nothing(root: Path) -> None:
    with Bank.open(root) as bank:
        assert "heading-slip" in codes(bank)
    assert (root / "memory" / "2026-01-02.md").read_bytes() == LOG.encode()
