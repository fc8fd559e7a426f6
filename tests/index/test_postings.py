"""Postings: a question's BM25 added up from its words is FTS5's own, and never out of date."""

from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.database.connection import select
from lorebank.index import lexical as module
from lorebank.index.lexical import ITEM_COLUMNS, Postings
from support import WORDS_ONLY

LINES = [
    f"- W @{who}: {what} on the {where}."
    for who in ("Ada", "Berit", "Chidi")
    for what in ("Mended the pump", "Painted the pump house", "Sold a ferry ticket", "Slept")
    for where in ("ferry", "quay", "old quay", "ferry quay")
]
QUERIES = ['"ferry"', '"pump"', '"old quay"', '"nowhere"', '"ada"']


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    text = "\n".join(["# Friday", "", "## Retain", *LINES, ""])
    (tmp_path / "memory" / "2026-01-02.md").write_text(text, "utf-8")
    return tmp_path


def asked_at_once(bank: Bank, queries: list[str]) -> list[tuple[int, float]]:
    weights = ", ".join(map(str, ITEM_COLUMNS.values()))
    return [
        (row, -score)
        for row, score in select(
            bank.workspace.index,
            f"SELECT rowid, bm25(items_fts, {weights}) FROM items_fts WHERE items_fts MATCH ?"
            " ORDER BY 2, 1",
            (" OR ".join(queries),),
        )
    ]


@pytest.mark.parametrize("few", [0, 1_000], ids=["by numpy", "in Python"])
@pytest.mark.parametrize("wanted", [1, 2, 3, 4, 5])
def test_the_sum_of_words_is_what_fts5_says_of_all_at_once(
    root: Path, wanted: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", few)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        postings, whole = Postings(bank.workspace.vocabulary), asked_at_once(bank, QUERIES[:wanted])
        for _ in ("read", "kept"):
            assert postings.best(QUERIES[:wanted], 1_000) == whole
            assert postings.best(QUERIES[:wanted], 7) == whole[:7]


@pytest.mark.parametrize("few", [-1, 1_000], ids=["by numpy", "in Python"])
def test_a_row_holds_a_word_where_fts5_finds_it(
    root: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEW", few)

    def matching(bank: Bank, query: str) -> set[int]:
        found = select(
            bank.workspace.index, "SELECT rowid FROM items_fts WHERE items_fts MATCH ?", (query,)
        )
        return {row for (row,) in found}

    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        rows = [
            row for (row,) in select(bank.workspace.index, "SELECT item FROM items ORDER BY id")
        ]
        own = [matching(bank, f"{{text entities day title}} : {query}") for query in QUERIES]
        either = [matching(bank, query) for query in QUERIES]
        postings = Postings(bank.workspace.vocabulary)
        for time in ("read", "kept", "scored"):
            assert postings.held(QUERIES, [*rows, 10**6]) == {
                row: (
                    sum(1 << n for n, holders in enumerate(own) if row in holders),
                    sum(1 << n for n, o in enumerate(own) if row in either[n] - o),
                )
                for row in [*rows, 10**6]
            }
            if time == "kept":
                assert postings.best(QUERIES, 1_000) == asked_at_once(bank, QUERIES)


def test_only_rows_within_count(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        whole = asked_at_once(bank, QUERIES[:2])
        some = [row for row, _ in whole[::3]]
        found = Postings(bank.workspace.vocabulary).best(QUERIES[:2], 5, [*some, 10**6])
        assert found == [entry for entry in whole if entry[0] in set(some)][:5]


def test_what_another_process_writes_is_found(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank, Bank.open(root, environ=WORDS_ONLY) as other:
        assert bank.recall("periscope").hits == ()
        other.retain("W @Ada: Bought a periscope.", day="2026-01-03")
        bank.sync()
        assert [hit.content for hit in bank.recall("periscope").hits] == ["Bought a periscope."]


def test_the_lines_of_a_name_are_read_again_where_another_process_writes(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank, Bank.open(root, environ=WORDS_ONLY) as other:
        assert bank.recall("what does @Ada prefer?").hits
        other.retain("O(c=0.9) @Ada: Prefers a periscope.", day="2026-01-03")
        bank.sync()
        (hit,) = bank.recall("what does @Ada prefer?", k=1).hits
        assert hit.content == "Prefers a periscope."
        assert hit.why.keys() >= {"entity", "opinion"}


def test_no_more_is_kept_than_there_is_room_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CAPACITY", 40)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        postings, whole = Postings(bank.workspace.vocabulary), asked_at_once(bank, QUERIES)
        for _ in range(3):
            assert postings.best(QUERIES, 1_000) == whole
            kept = sum(len(posting.rows) for posting in postings._known.values())
            assert kept <= 40 + max(len(posting.rows) for posting in postings._known.values())
