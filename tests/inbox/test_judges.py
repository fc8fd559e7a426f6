"""Two judges at one inbox: the last word holds, and who was overruled is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import Bank, UsageError
from lorebank.domain.facts import Citation, InboxKind
from lorebank.domain.judgments import Decision, JudgeRecord
from lorebank.errors import ProviderError
from lorebank.inbox.registry import judge_records
from lorebank.providers.protocols import Completion, Prompt
from lorebank.render.judgments import comparison_lines
from lorebank.render.text import Look
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


class Scripted:
    """A chat model that answers in order; an empty answer is a failure."""

    name, endpoint, context_window = "test", "", 8_000

    def __init__(self, model: str, *answers: str) -> None:
        self.model, self._answers = model, list(answers)

    def complete(self, prompt: Prompt) -> Completion:
        answer = self._answers.pop(0)
        if not answer:
            raise ProviderError("quota exceeded")
        return Completion(answer, 10)

    def cancel(self) -> None: ...


REPLACES = '{"verdict": "replaces", "words": "evenings"}'
BOTH = '{"verdict": "both", "words": ""}'


def night_workers(write_log: Callable[..., Path], people: int) -> Path:
    names = ["Ada", "Bea", "Cai", "Dov"][:people]
    write_log("2026-01-02", *(f"- W @{name}: Works on the early ferry." for name in names))
    for day, name in enumerate(names, start=3):
        root = write_log(f"2026-02-{day:02}", f"- W @{name}: Works on the ferry in the evenings.")
    return root


def test_a_verdict_is_overruled_once_and_only_by_the_one_that_stands() -> None:
    def decided(*said: str) -> tuple[JudgeRecord, ...]:
        rulings = (each.split() for each in said)
        place, kind = Citation("bank/decisions.md", 1, 1), InboxKind.REPLACEMENT
        return judge_records(
            Decision("i-1", kind, verdict, by, None, place) for by, verdict in rulings
        )

    cleo, *others = decided("Cleo same", "Ana both", "night replaces")
    assert (cleo.verdicts, cleo.overruled, [each.overruled for each in others]) == (1, 1, [1, 0])
    by_name = {each.name: each for each in decided("Cleo same", "Ana both", "Cleo same")}
    assert {name: each.overruled for name, each in by_name.items()} == {"Cleo": 0, "Ana": 1}


def test_what_a_model_said_before_it_fails_stands(write_log: Callable[..., Path]) -> None:
    root, said = night_workers(write_log, 4), list[str]()
    model = Scripted("m", REPLACES, "no idea", "none", BOTH, "")
    with Bank.open(root, environ=WORDS_ONLY, generator=model, say=said.append) as bank:
        with pytest.raises(ProviderError, match="quota"):
            bank.judge()
        assert sorted(each.verdict for each in bank.decisions()) == ["both", "replaces"]
        assert said == ["pairs judged: 3; verdicts: 2; unusable answers: 1"]
        assert len(bank.inbox("replacement").items) == 2


def test_a_second_model_is_compared_with_the_first_and_writes_nothing(
    write_log: Callable[..., Path],
) -> None:
    root = night_workers(write_log, 2)
    with Bank.open(root, environ=WORDS_ONLY, generator=Scripted("one", REPLACES, BOTH)) as bank:
        assert len(bank.judge()) == 2
        ledger = (root / "bank/decisions.md").read_bytes()
        assert bank.compare_verdicts() == ()
    with Bank.open(root, environ=WORDS_ONLY, generator=Scripted("two", BOTH, BOTH)) as bank:
        found = bank.compare_verdicts()
        assert {(each.standing.by, each.by) for each in found} == {("test/one", "test/two")}
        assert sorted((each.standing.verdict, each.verdict) for each in found) == [
            ("both", "both"),
            ("replaces", "both"),
        ]
        assert (root / "bank/decisions.md").read_bytes() == ledger
        assert comparison_lines(Look(), found)[-1] == "1 of 2 alike"
