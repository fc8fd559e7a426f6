"""The report of `lorebank bench` as a table."""

from __future__ import annotations

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.phrases import count
from lorebank.domain import BenchReport, BenchRow

_SAID = {
    "cloze": "without its most telling words",
    "half": "with half of its words",
    "relation": "whom it is about, and its commonest words",
    "typo": "without its most telling words, one letter off",
    "all": "all of these",
}


def bench_lines(look: Look, report: BenchReport) -> list[str]:
    """A line of what was asked, a block a variant, a line of times."""
    if not report.rows:
        return ["nothing here is long enough to make a question of"]
    sentences = [
        count(number, one, several)
        for number, one, several in (
            (report.facts, "fact", "facts"),
            (report.passages, "sentence of prose", "sentences of prose"),
        )
        if number
    ]
    lines = [f"asked for {' and '.join(sentences)} of this workspace (seed {report.seed})", ""]
    lines.append(look.dim(f"{'':<14}{'asked':>6}{'R@1':>8}{'R@5':>8}{'R@10':>8}{'MRR':>8}"))
    shown = None
    for row in report.rows:
        if row.variant != shown:
            lines.append(look.strong(_SAID[row.variant]))
            shown = row.variant
        lines.append(_row(row))
    lines += ["", f"recall took {report.p50_ms:.1f} ms (p50), {report.p95_ms:.1f} ms (p95)"]
    lines.append(
        f"with {', '.join(report.retrievers_used)}; grep saw {count(report.lines, 'line')}"
    )
    return lines


def _row(row: BenchRow) -> str:
    shares = (row.recall_at_1, row.recall_at_5, row.recall_at_10, row.mrr)
    figures = "".join(f"{share:>8.2f}" for share in shares)
    return f"{INDENT}{row.engine:<12}{row.questions:>6}{figures}"
