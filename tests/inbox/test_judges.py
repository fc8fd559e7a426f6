"""Two judges at one inbox: the last word holds, and who was overruled is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import Bank, UsageError
from support import WORDS_ONLY


@pytest.fixture
def root(write_log: Callable[..., Path]) -> Path:
    write_log("2025-11-01", "- O(c=0.8) @Ana: Likes Marrakech.")
    return write_log("2025-11-09", "- O(c=0.9) @Ana: Would go to Marrakech in spring.")


def statuses(bank: Bank) -> list[str]:
    return sorted(opinion.status.value for opinion in bank.opinions())


def test_the_last_judge_holds_and_taking_it_back_brings_the_first_back(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        [item] = bank.inbox().items
        assert (item.kind.value, item.choices) == ("restatement", ("same", "replaces", "both"))
        bank.rule({item.id: "replaces"}, by="night-model")
        assert statuses(bank) == ["live", "superseded"]
        with pytest.raises(UsageError):
            bank.rule({item.id: "perhaps"}, by="Ana")
        bank.rule({item.id: "both"}, by="Ana")
        assert statuses(bank) == ["live", "live"]
        ana, model = sorted(bank.calibration().judges, key=lambda each: each.name)
        assert (ana.verdicts, ana.overruled, dict(ana.shared)) == (1, 0, {"night-model": (1, 0)})
        assert (model.verdicts, model.overruled) == (1, 1)
        bank.unrule(by="Ana")
        assert statuses(bank) == ["live", "superseded"]


def test_overruling_reports_the_new_verdict_for_pairs_of_facts_too(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-02", "- W @Ben: The shop is open on Sunday mornings.")
    root = write_log("2026-02-02", "- W @Ben: The shop closes on Sunday mornings in winter.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        [item] = bank.inbox().items
        for by, verdict, status in (
            ("night-model", "same", "live"),
            ("Ana", "replaces", "superseded"),
            ("Ben", "both", "live"),
            ("Ana", "same", "live"),
        ):
            [done] = bank.rule({item.id: verdict}, by=by)
            assert (done.by, done.verdict) == (by, verdict)
            [old] = [h for h in bank.recall("shop Sunday", k=5).hits if "open" in h.content]
            assert old.status.value == status
        assert bank.rule({item.id: "same"}, by="Ana") == ()
        with pytest.raises(UsageError):
            bank.rule({item.id: "both"}, by="Ana")
        [line] = bank.unrule(by="Ben")
        assert bank.check() == () and line.verdict == "both"


def test_what_is_retained_names_what_it_stands_beside(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        fact = bank.retain("O(c=0.8) @Ana: Might spend the winter in Marrakech.")
        [item] = fact.related
        assert item.newer is not None and item.newer.id == fact.id
        bank.rule({item.id: "both"}, by="agent")
        assert item.id not in {each.id for each in bank.inbox().items}
        assert bank.retain("W @Bo: Collects stamps.").related == ()
