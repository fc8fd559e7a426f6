"""What a person types on a page or into a log is read as meant, and kept, or said to be odd."""

from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.facts import OpinionStatus
from support import WORDS_ONLY

TODAY = date(2026, 2, 16)
OPINIONS = "bank/opinions.md"


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def log(root: Path, day: str, *lines: str) -> None:
    write(root, f"memory/{day}.md", "\n".join(["## Retain", *lines, ""]))


def opened(root: Path) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=TODAY)


@pytest.mark.parametrize("below", ["  - retracted", "  retracted", "  - **retracted**"])
def test_retracted_below_a_typed_opinion_takes_it_back(tmp_path: Path, below: str) -> None:
    page = write(tmp_path, OPINIONS, f"# Opinions\n\n- O(c=0.9) @Ana: Tea is best.\n{below}\n")
    with opened(tmp_path) as bank:
        (opinion,) = bank.opinions()
        assert opinion.statement == "Tea is best."
        assert opinion.status is OpinionStatus.RETRACTED
        assert [hit.status.value for hit in bank.recall("tea").hits] == ["retracted"]
        assert [h.status.value for h in bank.recall("tea", as_of=TODAY).hits] == ["retracted"]
    page.write_text(page.read_text("utf-8").replace(below + "\n", ""), "utf-8")
    with opened(tmp_path) as bank:
        assert bank.opinions()[0].status is OpinionStatus.LIVE


def test_a_pin_below_a_typed_opinion_holds_and_is_not_copied(tmp_path: Path) -> None:
    page = write(tmp_path, OPINIONS, "# Opinions\n\n- O(c=0.9) @Ana: Rowing is dull.\n  pin: 0.2\n")
    log(tmp_path, "2026-02-10", "- O(c=0.8) @Ana: Rowing is dull.")
    with opened(tmp_path) as bank:
        bank.reflect()
        assert [o.confidence for o in bank.opinions()] == [0.2]
    text = page.read_text("utf-8")
    assert text.count("pin:") == 1
    page.write_text(text.replace("  pin: 0.2\n", ""), "utf-8")
    with opened(tmp_path) as bank:
        assert [o.pinned for o in bank.opinions()] == [None]
        assert bank.opinions()[0].confidence > 0.5


def test_such_words_below_another_kind_of_fact_are_its_text(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-10", "- W @Ana: The claim was later", "  retracted")
    with opened(tmp_path) as bank:
        assert [fact.content for fact in bank.timeline()] == ["The claim was later retracted"]


def test_an_undated_opinion_is_asked_about_and_forgotten_by_its_own_line(tmp_path: Path) -> None:
    write(
        tmp_path,
        OPINIONS,
        "# Opinions\n\n- O(c=0.7) @Orla: The van is too small for the market round.\n",
    )
    log(tmp_path, "2026-02-09", "- W @Orla: The van was full on the market round.")
    log(tmp_path, "2026-02-10", "- O(c=0.7) @Orla: The van is large for the market round.")
    with opened(tmp_path) as bank:
        (old,) = (o for o in bank.opinions() if "small" in o.statement)
        asked = [i.older for i in bank.inbox().items if i.older and i.older.id == old.id]
        for line in asked:
            assert (str(line.source), line.day) == ("bank/opinions.md#L3", None)
        report = bank.forget(old.id, dry_run=True)
        assert "bank/opinions.md#L3" in [str(line.source) for line in report.lines]


def test_a_merge_conflict_in_a_log_is_named_and_is_no_text(tmp_path: Path) -> None:
    conflict = ["<<<<<<< HEAD", "- W @Kit: Has filed it.", "=======", "- W @Kit: Has not filed it."]
    log(tmp_path, "2026-02-10", *conflict, ">>>>>>> other", "- W @Kit: Has a dog.")
    with opened(tmp_path) as bank:
        said = [fact.content for fact in bank.timeline()]
        (problem,) = bank.status().problems
    assert sorted(said) == ["Has a dog.", "Has filed it.", "Has not filed it."]
    assert (problem.code, problem.line) == ("merge-conflict", 2)


def test_a_merge_conflict_in_a_code_fence_is_an_example(tmp_path: Path) -> None:
    text = "```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n\n## Retain\n- W @Kit: Has a dog.\n"
    write(tmp_path, "memory/2026-02-10.md", text)
    with opened(tmp_path) as bank:
        assert bank.status().problems == ()


def test_a_page_whose_mark_stands_in_a_conflict_does_not_grow(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-10", "- W @Kit: Rows on Tuesdays.", "- W @Kit: Has a dog.")
    page = tmp_path / "bank/entities/Kit.md"
    with opened(tmp_path) as bank:
        bank.reflect()
        text = page.read_text("utf-8")
        mark = text[text.index("<!-- lorebank:begin summary") :].partition("\n")[0]
        other = "<!-- lorebank:begin summary sha=000000000000 -->"
        torn = text.replace(mark, f"<<<<<<< a\n{mark}\n=======\n{other}\n>>>>>>> b")
        page.write_text(torn, "utf-8")
        log(tmp_path, "2026-02-11", "- W @Kit: Sells kites.")
        bank.reflect()
        bank.reflect()
    assert page.read_text("utf-8").count(other) == 1
    assert page.read_text("utf-8").count("<<<<<<<") == 1
