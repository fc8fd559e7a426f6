"""Many lines at once: quick vectors first, the local embedder's own once somebody has the time."""

from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.errors import ProviderError
from lorebank.index import meaning
from lorebank.providers import minilm
from lorebank.providers.local import MultilingualEmbedder

QUESTION = "Who arrives sweaty and wants to wash first?"
MULTILINGUAL = f"local/{MultilingualEmbedder.model}"


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """More lines than are embedded at once here."""
    monkeypatch.setattr(meaning, "EMBEDDED_AT_ONCE", 5)
    monkeypatch.setattr(meaning, "EMBEDDED_BY_RECALL", 3)
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    lines = [f"- W @Line-{n}: Stands in row {n} of the cellar." for n in range(8)]
    lines.append("- W @Ngozi: Cycles in from Costessey and needs the shower at half past seven.")
    log = "\n".join(["## Retain", *lines])
    (folder / "memory" / "2026-03-02.md").write_text(log)
    return folder


def test_an_index_of_many_lines_stops_at_the_quick_vectors(notes: Path):
    told: list[str] = []
    with Bank.open(notes, say=told.append) as bank:
        report = bank.sync()
        assert told == [
            "so many new texts are searched with the multilingual model for now;"
            " `reflect`, `watch` or the MCP server adds the English one"
        ]
        assert (report.embedded, report.pending) == (9, 0)
        about = bank.status().embedder
        assert (about["serving"], about["waiting"]) == (MULTILINGUAL, 9)
        assert "semantic" in bank.recall(QUESTION).retrievers_used


@pytest.mark.parametrize("by", ["catch_up", "reflect"])
def test_whoever_has_the_time_adds_the_rest(notes: Path, by: str):
    told: list[str] = []
    with Bank.open(notes, say=told.append) as bank:
        bank.sync()
        told.clear()
        getattr(bank, by)()
        assert told == []
        about = bank.status().embedder
        assert (about["serving"], about["waiting"]) == (f"local/{about['model']}", 0)
        assert str(bank.recall(QUESTION).hits[0].source) == "memory/2026-03-02.md#L10"


def test_a_line_noted_meanwhile_has_a_quick_vector_at_once(notes: Path):
    with Bank.open(notes) as bank:
        bank.sync()
        bank.retain("W @Rory: Practised for forty minutes without being asked.")
        bank.recall(QUESTION)
        assert bank.status().embedder["waiting"] == 10
        assert bank.sync(embed=False).pending == 0


def test_few_lines_have_all_of_it_at_once(notes: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meaning, "EMBEDDED_AT_ONCE", 100)
    with Bank.open(notes) as bank:
        bank.sync()
        assert bank.status().embedder["waiting"] == 0


def test_without_the_english_model_the_multilingual_one_answers(
    notes: Path, monkeypatch: pytest.MonkeyPatch
):
    def missing() -> Path:
        raise ProviderError("the embedding model for English is not installed")

    monkeypatch.setattr(minilm, "find_weights", missing)
    told: list[str] = []
    with Bank.open(notes, say=told.append) as bank:
        bank.sync()
        status = bank.status()
        assert status.embedder["serving"] == MULTILINGUAL
        assert "309 of 366" in status.embedder["lacks"]
        assert told == [status.embedder["lacks"]]
        assert status.problems == ()
        assert "Ngozi" in bank.recall(QUESTION).hits[0].entities
