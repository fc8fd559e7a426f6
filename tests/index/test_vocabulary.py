"""Counts of words: kept while nobody writes; what a word finds that most facts hold."""

from pathlib import Path

from lorebank import Bank


def _days(root: Path, *facts: str) -> None:
    (root / "memory").mkdir(exist_ok=True)
    for number, fact in enumerate(facts, start=1):
        text = f"## Retain\n- W @Ann: {fact}\n"
        (root / "memory" / f"2025-01-{number:02}.md").write_text(text, "utf-8")


def test_counts_follow_the_files(tmp_path: Path) -> None:
    _days(tmp_path, "The kettle sings.", "The kettle leaks.")
    with Bank.open(tmp_path, environ={"LOREBANK_EMBEDDER__PROVIDER": "none"}) as bank:
        bank.sync()
        vocabulary = bank.workspace.vocabulary
        assert (vocabulary.total, vocabulary.frequencies(["kettles", "lid"])) == (
            2,
            {"kettles": 2, "lid": 0},
        )
        _days(tmp_path, "The kettle sings.", "The kettle leaks.", "The lid of the kettle.")
        bank.sync()
        assert (vocabulary.total, vocabulary.frequencies(["kettle", "lid kettle"])) == (
            3,
            {"kettle": 3, "lid kettle": 1},
        )


def test_a_word_of_most_facts_finds_them_where_there_is_no_rarer_one(tmp_path: Path) -> None:
    _days(tmp_path, "The kettle sings.", "The kettle leaks.", "The kettle is a heavy one.")
    with Bank.open(tmp_path, environ={"LOREBANK_EMBEDDER__PROVIDER": "none"}) as bank:
        bank.sync()
        found = {hit.content for hit in bank.recall("kettle").hits}
        assert found == {"The kettle sings.", "The kettle leaks.", "The kettle is a heavy one."}
