"""No problem without advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lorebank import Bank
from lorebank.cli.render.reports import REMEDIES

WORDS_ONLY = {"LOREBANK_EMBEDDER__PROVIDER": "none"}


def test_each_problem_of_a_messy_workspace_has_a_remedy(
    copy_fixture: Callable[[str], Path],
) -> None:
    with Bank.open(copy_fixture("messy"), environ=WORDS_ONLY) as bank:
        bank.sync()
        codes = {problem.code for problem in bank.status().problems}
    assert len(codes) > 5
    assert codes - REMEDIES.keys() == set()
