"""The settings of the design that lorebank follows act on what is found: multiplier and weights."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.settings.config import Change
from support import WORDS_ONLY

QUESTION = "where do I keep the spare key of the boat house?"


def scores(root: Path, **settings: float) -> dict[str, float]:
    flags = [Change(f"recall.{key}", value, "test") for key, value in settings.items()]
    with Bank.open(root, flags=flags) as bank:
        bank.sync()
        return {str(hit.source): hit.score for hit in bank.recall(QUESTION, k=10).hits}


@pytest.fixture
def buoys(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    for day in range(1, 29):
        log = tmp_path / "memory" / f"2025-02-{day:02}.md"
        log.write_text(f"Rowed to buoy {day} and back.\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(("multiplier", "total"), [(0, 28), (1, 3), (2, 6), (40, 28)])
def test_f52_the_pool_is_a_multiple_of_what_is_wanted(
    buoys: Path, multiplier: int, total: int
) -> None:
    flags = [Change("recall.candidate_multiplier", multiplier, "test")]
    with Bank.open(buoys, environ=WORDS_ONLY, flags=flags) as bank:
        assert bank.recall("rowed to the buoy", k=3).total == total


@pytest.mark.parametrize("door", ["recall", "search", "memory_search"])
def test_hits_below_the_least_score_are_left_out(buoys: Path, door: str) -> None:
    def found(least: float) -> int:
        flags = [Change("recall.min_score", least, "test")]
        with Bank.open(buoys, environ=WORDS_ONLY, flags=flags) as bank:
            answer = getattr(bank, door)("rowed to the buoy", k=6)
            return len(getattr(answer, "hits", answer))

    assert (found(0.0), found(0.01), found(0.999)) == (6, 6, 0)


def test_f54_words_and_meaning_weigh_as_the_settings_say(
    copy_fixture: Callable[[str], Path],
) -> None:
    root = copy_fixture("year")
    words = scores(root, vector_weight=0.0, text_weight=1.0)
    meaning = scores(root, vector_weight=1.0, text_weight=0.0)
    assert words != meaning


ROD = {
    "2025-09-15": "Rod works Mon-Fri, standup at 10am, pairing at 2pm",
    "2026-02-10": "Rod has standup at 14:15, 1:1 with Zeb at 14:45",
    "2026-02-03": "Rod started new team, standup moved to 14:15",
}


@pytest.mark.parametrize("door", ["recall", "search", "memory_search"])
def test_f66_the_worked_example_of_decay(tmp_path: Path, door: str) -> None:
    (tmp_path / "memory").mkdir()
    for day, text in ROD.items():
        (tmp_path / "memory" / f"{day}.md").write_text(f"{text}\n", "utf-8")

    def found(decays: bool) -> list[str]:
        flags = [Change("recall.temporal_decay.enabled", decays, "test")]
        with Bank.open(tmp_path, environ=WORDS_ONLY, flags=flags, now=date(2026, 2, 10)) as bank:
            answer = getattr(bank, door)("what's Rod's work schedule?", k=3)
            return [hit.source.path[7:17] for hit in getattr(answer, "hits", answer)]

    assert found(decays=False)[0] == "2025-09-15"
    assert found(decays=True) == ["2026-02-10", "2026-02-03", "2025-09-15"]


@pytest.mark.parametrize("door", ["recall", "search", "memory_search"])
@pytest.mark.parametrize("question", ["where is the ladder?", "LD-2207-Q"])
def test_decay_silences_no_old_note(tmp_path: Path, question: str, door: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2021-05-03.md").write_text("The ladder LD-2207-Q hangs in the shed.\n")
    flags = [Change("recall.temporal_decay.enabled", True, "test")]
    with Bank.open(tmp_path, environ=WORDS_ONLY, flags=flags, now=date(2026, 2, 10)) as bank:
        answer = getattr(bank, door)(question, k=3)
        assert [str(hit.source) for hit in getattr(answer, "hits", answer)] == [
            "memory/2021-05-03.md#L1"
        ]
        assert bank.recall(question).evidence != "none"


NETWORK = {
    "2026-02-10": "Configured Omada router, set VLAN 10 for IoT devices",
    "2026-02-08": "Configured Omada router, moved IoT to VLAN 10",
    "2026-02-05": "Set up AdGuard DNS on 192.168.10.2",
    "network": "Router: Omada ER605, AdGuard: 192.168.10.2, VLAN 10: IoT",
}


@pytest.mark.parametrize("door", ["recall", "search", "memory_search"])
def test_f62_the_worked_example_of_mmr(tmp_path: Path, door: str) -> None:
    (tmp_path / "memory").mkdir()
    for name, text in NETWORK.items():
        (tmp_path / "memory" / f"{name}.md").write_text(f"{text}\n", "utf-8")

    def found(differ: bool) -> list[str]:
        flags = [Change("recall.mmr.enabled", differ, "test")]
        with Bank.open(tmp_path, flags=flags, now=date(2026, 2, 10)) as bank:
            bank.sync()
            answer = getattr(bank, door)("home network setup", k=3)
            return [Path(hit.source.path).stem for hit in getattr(answer, "hits", answer)]

    alike = found(differ=False)
    assert alike[0] == "2026-02-10"
    assert set(alike) == {"2026-02-10", "2026-02-08", "network"}
    assert found(differ=True) == ["2026-02-10", "network", "2026-02-05"]
