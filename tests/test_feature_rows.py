"""Each row of `golden/features.md` has tests named after it, and each test so named a row."""

import re
from pathlib import Path

import pytest

from support import GOLDEN

TESTS = Path(__file__).parent
NAMED = re.compile(r"^(?:async )?def test_((?:f\d\d_)+)", re.MULTILINE)

ROWS = {
    int(number): feature
    for number, feature in re.findall(
        r"^\| F(\d\d) \| (.+) \|$", (GOLDEN / "features.md").read_text("utf-8"), re.MULTILINE
    )
}


def files_by_row() -> dict[int, list[str]]:
    """Row → the files with a test named after it."""
    found: dict[int, list[str]] = {}
    for file in sorted(TESTS.rglob("test_*.py")):
        for names in NAMED.findall(file.read_text("utf-8")):
            for name in names.rstrip("_").split("_"):
                found.setdefault(int(name[1:]), []).append(file.relative_to(TESTS).as_posix())
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"F{row:02}")
def test_each_row_has_a_test_named_after_it(row: int) -> None:
    assert files_by_row().get(row), f"F{row:02} ({ROWS[row]}) has no test_f{row:02}_…"


def test_each_row_that_is_tested_is_listed() -> None:
    assert sorted(set(files_by_row()) - ROWS.keys()) == []
