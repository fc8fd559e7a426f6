"""Why a hit is there, what its score is made of, and why something else is not there."""

import math
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank
from lorebank.domain.answers import Hit
from support import FIXTURES, WORDS_ONLY, golden

NOW = date(2025, 12, 10)


@pytest.fixture
def bank(write_log: Callable[..., Path]) -> Iterator[Bank]:
    write_log(
        "2025-11-10", "- W @Peter: Bought a kayak.", "- W @Peter: The kayak leaks at the bow."
    )
    write_log("2025-11-27", "- W @Peter: bought a KAYAK!", "- W @Ada: Bought a kayak.")
    root = write_log(
        "2025-12-03",
        "- B @Ada: Repaired the kayak and the paddle before the long trip over the lake.",
        "- W @Ada: Reads novels.",
        "- O(c=0.9) @Ada: Likes the kayak.",
    )
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as opened:
        yield opened


def test_the_parts_of_a_score_sum_to_its_log_odds(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FIXTURES / "year", tmp_path / "year"))
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as year:
        for query in ("where does Runa sleep?", "when was the pump oiled", '"quiet atlas" podcast'):
            for hit in year.recall(query, explain=True, include_superseded=True).hits:
                assert_sums(hit)


def assert_sums(hit: Hit) -> None:
    odds = math.log(hit.score / (1 - hit.score))
    assert sum(hit.why["score"].values()) == pytest.approx(odds, abs=0.01)


def test_a_line_put_before_a_better_match_keeps_its_own_score(
    write_log: Callable[..., Path],
) -> None:
    write_log("2025-03-01", "- W @me: The mooring fee is 310.")
    write_log("2025-09-01", "- W @me: The mooring fee is 345.")
    with Bank.open(write_log("2025-09-02"), environ=WORDS_ONLY, now=NOW) as bank:
        hits = bank.recall("the latest on the mooring fee 310", explain=True).hits
    assert hits[0].content.endswith("345.") and hits[0].score < hits[1].score
    for hit in hits:
        assert_sums(hit)


def test_a_score_is_taken_apart_only_when_asked(bank: Bank) -> None:
    assert all("score" not in hit.why for hit in bank.recall("kayak").hits)
    (hit, *_) = bank.recall("Ada kayak", explain=True).hits
    assert {"base", "covered", "named"} <= set(hit.why["score"])


@golden("questions.md")
def test_the_first_stage_that_dropped_it_is_named(
    bank: Bank, query: str, asked: str, options: dict[str, Any], reason: str, detail: str
) -> None:
    absence = bank.recall(query, why_not=asked, **options).why_not
    assert absence is not None
    assert (absence.reason, detail in absence.detail) == (reason, True), absence.detail


def test_a_repeat_names_the_hit_that_stands_for_it(bank: Bank) -> None:
    answer = bank.recall("who bought a kayak")
    (hit,) = (h for h in answer.hits if h.repeats)
    (other,) = hit.repeats
    absence = bank.recall("who bought a kayak", why_not=str(other)).why_not
    assert absence is not None
    assert absence.reason == "repeat"
    assert f"{hit.id} ({hit.source})" in absence.detail
    assert {str(hit.source), str(other)} == {"memory/2025-11-10.md#L4", "memory/2025-11-27.md#L4"}


def test_what_is_below_k_tells_its_rank_and_both_scores(bank: Bank) -> None:
    whole = bank.recall("kayak", k=20)
    last = whole.hits[-1]
    absence = bank.recall("kayak", k=2, why_not=last.id).why_not
    assert absence is not None
    assert absence.rank == len(whole.hits)
    assert absence.score is not None and absence.last_score is not None
    assert absence.score <= absence.last_score
    assert absence.why["lexical"]["rank"] >= 1
    assert bank.recall("kayak", k=2).to_dict().keys() >= {"hits"}
    assert "why_not" not in bank.recall("kayak").to_dict()


def test_the_beginning_of_an_id_is_enough(bank: Bank) -> None:
    (hit, *_) = bank.recall("paddle").hits
    absence = bank.recall("novels", k=1, why_not=hit.id[:7]).why_not
    assert absence is not None and absence.id == hit.id
