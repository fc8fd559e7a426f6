"""F38-F45, F97: snippets for a model, and what memory_get refuses."""

from dataclasses import replace
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.settings.tables import MemorySettings
from support import WORDS_ONLY


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    folder = tmp_path / "memory"
    folder.mkdir()
    lines = [f"Filler sentence number {n} about nothing at all." for n in range(200)]
    lines[150] = "The zeppelin is moored at pier nine."
    (folder / "long.md").write_text("# Notes\n\n" + "\n".join(lines) + "\n")
    deep = "/".join(["very-long-folder-name"] * 8)
    (folder / deep).mkdir(parents=True)
    (folder / deep / "deep.md").write_text("word " * 300 + "The quagga is back. " + "word " * 300)
    return Bank.open(tmp_path, environ=WORDS_ONLY)


def test_f38_f40_a_snippet_holds_the_match_its_place_and_who_answered(bank: Bank) -> None:
    found = bank.memory_search("zeppelin")
    hit = found.hits[0]
    assert "The zeppelin is moored at pier nine." in hit.snippet
    assert hit.path == "memory/long.md"
    assert hit.start_line <= 153 <= hit.end_line
    assert 0 < hit.score <= 1
    assert (found.provider, found.model, found.fallback) == ("none", "", None)
    assert hit.snippet.endswith(f"\n\nSource: {hit.source}")


@pytest.mark.parametrize("mode", ["on", "off"])
@pytest.mark.parametrize(("query", "match"), [("zeppelin", "zeppelin"), ("quagga", "quagga")])
def test_f40_f41_at_most_700_characters_and_the_match_inside(
    bank: Bank, mode: str, query: str, match: str
) -> None:
    bank.workspace.config = replace(bank.config, memory=MemorySettings(citations=mode))
    for hit in bank.memory_search(query).hits:
        assert len(hit.snippet) <= 700
    assert match in bank.memory_search(query).hits[0].snippet


@pytest.mark.parametrize(
    ("mode", "group", "cites"),
    [
        ("auto", False, True),
        ("auto", True, False),
        ("on", True, True),
        ("off", False, False),
    ],
)
def test_f97_citations(bank: Bank, mode: str, group: bool, cites: bool) -> None:
    bank.workspace.config = replace(bank.config, memory=MemorySettings(citations=mode))
    found = bank.memory_search("zeppelin", group=group)
    assert found.citations is cites
    assert ("Source: " in found.hits[0].snippet) is cites
    assert bool(found.note) is not cites
    assert found.hits[0].path == "memory/long.md", "the path is there for memory_get all the same"


def test_f42_by_first_line_and_count(bank: Bank) -> None:
    got = bank.get("memory/long.md", start_line=153, lines=1)
    assert (got.text, got.start_line, got.end_line) == (
        "The zeppelin is moored at pier nine.",
        153,
        153,
    )


def test_f45_only_markdown_is_found(bank: Bank) -> None:
    (bank.root / "memory/notes.txt").write_text("The okapi sleeps.")
    assert bank.memory_search("okapi").hits == ()
