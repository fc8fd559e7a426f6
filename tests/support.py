"""What the tests share: constants, cases out of Markdown, opinions folded from a few strokes."""

import re
from collections.abc import Callable
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest

from lorebank.beliefs.fold import DatedEvidence, Pin, fold_evidence
from lorebank.domain.facts import (
    Citation,
    Evidence,
    Interval,
    Opinion,
    OpinionStatus,
    Stance,
    Trend,
)

FIXTURES = Path(__file__).parent.parent / "fixtures"
WORDS_ONLY = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
"""An environment without an embedder: fast, and the same on every machine."""
GOLDEN = Path(__file__).parent / "golden"
SIGNS = str.maketrans("⏎␍␉", "\n\r\t")


def golden(page: str) -> Callable[..., Any]:
    """A test runs for each row of a table of `tests/golden/`: the one whose heading is its name.

    The columns are named as its parameters. A cell in backticks is an expression of Python's own
    names and of `date`; any other is text, read as a date, days or a member where the parameter is
    one. `\\|` is a bar, ⏎ a line end.
    The id of a case is the place of its row.
    """

    def decorate(test: Callable[..., None]) -> Any:
        title = test.__name__.removeprefix("test_").replace("_", " ")
        names, rows = _table(page, title)
        kinds = [test.__annotations__[name] for name in names]
        cases = [
            pytest.param(*map(_value, cells, kinds), id=f"{page}:{line}") for line, cells in rows
        ]
        return pytest.mark.parametrize(tuple(names), cases)(test)

    return decorate


def rows(page: str, title: str) -> list[dict[str, Any]]:
    """The rows of the table below that heading, for a test that takes them all at once."""
    names, found = _table(page, title)
    return [
        dict(zip(names, (_value(cell, str) for cell in cells), strict=True)) for _, cells in found
    ]


def _table(page: str, title: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The names of the columns, and the cells of each row behind its 1-based line."""
    lines = (GOLDEN / page).read_text("utf-8").split("\n")
    start = lines.index(f"## {title}") + 1
    end = next((n for n in range(start, len(lines)) if lines[n].startswith("## ")), len(lines))
    found = [(n + 1, _cells(lines[n])) for n in range(start, end) if lines[n].startswith("|")]
    (_, names), (_, rule), *rows = found
    assert rows and set("".join(rule)) <= set("-:"), f"{page}:{start}: a table without a row"
    for number, cells in rows:
        said = f"{page}:{number}: {len(cells)} cells, not {len(names)}; a bar in a cell is \\|"
        assert len(cells) == len(names), said
    return names, rows


def _cells(line: str) -> list[str]:
    cells = re.split(r"(?<!\\)\|", line)[1:-1]
    return [cell.strip().replace("\\|", "|").translate(SIGNS) for cell in cells]


def _value(cell: str, kind: Any) -> Any:
    if len(cell) > 1 and cell[0] == cell[-1] == "`":
        return eval(cell[1:-1], {"date": date})
    for wanted in get_args(kind) or (kind,):
        if wanted is date:
            return date.fromisoformat(cell)
        if wanted is Interval:
            days = [date.fromisoformat(day) if day else None for day in cell.split("…")]
            return Interval(days[0], days[-1])
        if isinstance(wanted, type) and issubclass(wanted, Enum):
            return wanted(cell)
    return cell


def snapshot(root: Path, *, journal: bool = True) -> dict[str, bytes]:
    """Every file of a workspace but what is derived; without the journal of runs on request."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not {".memory", ".git"} & set(path.relative_to(root).parts)
        and (journal or "reflections" not in path.parts)
    }


def pages_of(root: Path) -> dict[str, str]:
    """The pages of the bank, without what waits in the inbox: of another day nobody knows."""
    pages = {p: b.decode() for p, b in snapshot(root, journal=False).items()}
    return {
        path: re.sub(r" sha=\w+|\n*\d+ decisions? waits?:.*", "", text)
        for path, text in pages.items()
        if path.startswith("bank/")
    }


def folded_opinion(
    name: str,
    *strokes: tuple[str, str],
    pin: Pin | None = None,
    status: OpinionStatus = OpinionStatus.LIVE,
    superseded_by: str | None = None,
) -> Opinion:
    """An opinion under the real belief rule. A stroke is a day and `=0.8` (stated so), `=` (said
    without a number), `+` or `-` (a clear line); the first one opens it.

    Each line stands in the log of its day and has the id `f-<day><stroke>`.
    """
    folded: list[DatedEvidence] = []
    for position, (day, stroke) in enumerate(strokes):
        stated = float(stroke[1:]) if len(stroke) > 1 else None
        stance = Stance.AGAINST if stroke == "-" else Stance.FOR
        strength = 0.0 if position == 0 else 1.0
        source = f"memory/{day}.md"
        when = date.fromisoformat(day)
        folded.append(DatedEvidence(when, stance, f"f-{day}{stroke}", strength, stated, source))
    state = fold_evidence(folded, pins=(pin,) if pin else ())
    opening = f"f-{strokes[0][0]}{strokes[0][1]}"
    evidence = tuple(
        Evidence(
            step.fact_id,
            Citation(f"memory/{step.date}.md", 3, 3),
            step.stance,
            step.date,
            step.delta,
            reason=_reason(step.fact_id, opening),
        )
        for step in state.steps
    )
    return Opinion(
        id=f"o-{name}",
        statement=f"Thinks {name}.",
        entities=("Ada",),
        confidence=state.confidence,
        trend=Trend.STABLE,
        evidence=evidence,
        history=state.history,
        last_updated=state.history[-1][0],
        source=Citation(f"memory/{strokes[0][0]}.md", 3, 3),
        status=status,
        superseded_by=superseded_by,
        pinned=pin.confidence if pin else None,
    )


def _reason(fact_id: str, opening: str) -> str:
    if fact_id == opening:
        return "stated"
    return "restated" if "=" in fact_id else "attitude"
