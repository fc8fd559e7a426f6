"""What a person types on a page or into a log is read as meant, and kept, or said to be odd."""

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.facts import FactStatus, OpinionStatus
from lorebank.errors import NotFound, PathRefused, UsageError, WorkspaceError
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


def ledger(root: Path, *lines: str) -> None:
    write(root, "bank/decisions.md", "\n".join(["# Decisions on lines", "", *lines, ""]))


def dough(root: Path) -> tuple[str, str]:
    """Two lines about one thing; the ids of the older and the newer."""
    log(root, "2026-02-09", "- W @Tomas: Starts the dough at ten in the evening.")
    log(root, "2026-02-12", "- W @Tomas: Starts the dough at nine in the evening.")
    with opened(root) as bank:
        older, newer = sorted(bank.timeline(), key=lambda fact: str(fact.recorded))
    return older.id, newer.id


@pytest.mark.parametrize("later_first", [False, True])
def test_of_two_contrary_rulings_the_later_holds_and_doctor_names_both(
    tmp_path: Path, later_first: bool
) -> None:
    older, newer = dough(tmp_path)
    lines = [
        f"- {newer} replaces {older} (2026-02-13 by Ana)",
        f"- {older} replaces {newer} (2026-02-14 by Bo)",
    ]
    ledger(tmp_path, *(reversed(lines) if later_first else lines))
    with opened(tmp_path) as bank:
        hits = {h.id: h.status for h in bank.recall("dough", include_superseded=True).hits}
        then = {
            h.id: h.status
            for h in bank.recall("dough", include_superseded=True, as_of="2026-02-13").hits
        }
        codes = [problem.code for problem in bank.status().problems]
        assert bank.check() == ()
    assert hits == {older: FactStatus.LIVE, newer: FactStatus.SUPERSEDED}
    assert then == {older: FactStatus.SUPERSEDED, newer: FactStatus.LIVE}
    assert codes == ["rulings-contradict"]


def test_a_ruling_of_a_line_on_itself_is_ignored_and_named(tmp_path: Path) -> None:
    older, _ = dough(tmp_path)
    ledger(tmp_path, f"- {older} replaces {older} (2026-02-13 by Ana)")
    with opened(tmp_path) as bank:
        assert all(h.status is FactStatus.LIVE for h in bank.recall("dough").hits)
        assert [problem.code for problem in bank.status().problems] == ["ruling-unread"]


def test_a_ruling_whose_line_was_reworded_is_void_in_every_list(tmp_path: Path) -> None:
    older, newer = dough(tmp_path)
    ledger(tmp_path, f"- {newer} replaces {older} (2026-02-13 by root: memory/2026-02-12.md#L2)")
    with opened(tmp_path) as bank:
        assert [each.is_void for each in bank.decisions()] == [False]
        assert bank.status().problems == ()  # `root: …` is no login
    log(tmp_path, "2026-02-12", "- W @Tomas: Starts the dough at half past nine.")
    with opened(tmp_path) as bank:
        assert [each.is_void for each in bank.decisions()] == [True]
        assert newer in [finding.text for finding in bank.rot().findings]
        assert len(bank.unrule(by="root")) == 1


def test_words_for_an_opinion_are_no_verdict_on_two_facts(tmp_path: Path) -> None:
    dough(tmp_path)
    with opened(tmp_path) as bank:
        item = next(item for item in bank.inbox().items if item.kind.value == "replacement")
        with pytest.raises(UsageError, match="no verdict 'for'"):
            bank.rule({item.id: "for"}, by="Ana")


@pytest.mark.parametrize(("above", "line"), [("# d\n\n```\ncode", 3), ("# d\n\n<private>\na\n", 3)])
def test_nothing_is_retained_below_what_hides_it(tmp_path: Path, above: str, line: int) -> None:
    file = write(tmp_path, "memory/2026-02-16.md", above)
    with opened(tmp_path) as bank, pytest.raises(WorkspaceError) as refused:
        bank.retain("W @Kit: Rows on Tuesdays.")
    assert refused.value.message.startswith(f"memory/2026-02-16.md:{line}: ")
    assert file.read_text("utf-8") == above


def test_a_pipe_in_place_of_a_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    os.mkfifo(tmp_path / "memory/2026-02-16.md")
    with opened(tmp_path) as bank, pytest.raises(PathRefused, match="no regular file"):
        bank.retain("W @Kit: Rows on Tuesdays.")


def test_two_typed_lines_are_no_one_fact(tmp_path: Path) -> None:
    with Bank.init(tmp_path, environ=WORDS_ONLY) as bank:
        with pytest.raises(UsageError, match="several typed lines"):
            bank.retain("W @Kit: Rows on Tuesdays.\n- W @Kit: Has a dog.", now=TODAY)
        fact = bank.retain("W @Kit: Rows on Tuesdays,\nand on Thursdays.", now=TODAY)
    assert fact.content == "Rows on Tuesdays, and on Thursdays."


def test_accepting_a_change_that_nobody_proposed_writes_nothing(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-10", "- W @Kit: Rows on Tuesdays.", "- W @Kit: Has a dog.")
    with opened(tmp_path) as bank, pytest.raises(NotFound, match="no change nosuch is proposed"):
        bank.reflect(accept=["nosuch"])
    assert not (tmp_path / "bank").exists()


def proofs(root: Path) -> Path:
    log(root, "2026-02-10", "- O(c=0.7) @Tomas: Rye needs a long proof.", "- W @Tomas: Bakes.")
    with opened(root) as bank:
        bank.reflect()
    return root / OPINIONS


@pytest.mark.parametrize("typed", ["0.10", "0.1", "0,1"])
def test_a_number_typed_over_that_of_a_belief_is_a_pin(tmp_path: Path, typed: str) -> None:
    page = proofs(tmp_path)
    page.write_text(page.read_text("utf-8").replace("**0.70**", f"**{typed}**"), "utf-8")
    with opened(tmp_path) as bank:
        assert [(o.statement, o.pinned) for o in bank.opinions()] == [
            ("Rye needs a long proof.", 0.1)
        ]
        bank.reflect()
        assert f"  - pin: 0.1 since {TODAY}" in page.read_text("utf-8").split("\n")
        page.write_text(page.read_text("utf-8").replace(f"  - pin: 0.1 since {TODAY}\n", ""))
        bank.reflect()
    assert "**0.70**" in page.read_text("utf-8")


def test_a_number_that_moved_with_its_evidence_is_no_pin(tmp_path: Path) -> None:
    page = proofs(tmp_path)
    page.write_text(page.read_text("utf-8").replace("long proof. ·", "longer proof. ·"), "utf-8")
    log(tmp_path, "2026-02-12", "- O(c=0.9) @Tomas: Rye needs a long proof.")
    with opened(tmp_path) as bank:
        bank.reflect()
        assert [(o.statement, o.pinned) for o in bank.opinions()] == [
            ("Rye needs a longer proof.", None)
        ]


def test_a_second_line_of_one_belief_is_kept_below_the_block(tmp_path: Path) -> None:
    page = proofs(tmp_path)
    lines = page.read_text("utf-8").split("\n")
    place = next(n for n, line in enumerate(lines) if line.startswith("- Rye"))
    merged = lines[place].replace("long proof", "proof of two days")
    page.write_text("\n".join([*lines[: place + 1], merged, *lines[place + 1 :]]), "utf-8")
    with opened(tmp_path) as bank:
        bank.reflect()
    after = page.read_text("utf-8")
    assert after.index("lorebank:end opinions") < after.index(merged)
    assert after.count("Rye needs a long proof.") == 1


def test_a_pin_below_a_second_line_of_a_belief_is_that_beliefs(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-09", "- O(c=0.6) @Tomas: Oats go stale early.")
    page = proofs(tmp_path)
    text = page.read_text("utf-8")
    rye = next(line for line in text.split("\n") if line.startswith("- Rye"))
    oats = next(line for line in text.split("\n") if line.startswith("- Oats"))
    second = f"{oats}\n{rye.replace('long', 'short')}\n  - pin: 0.1"
    others = [line for line in text.split("\n") if line not in (rye, oats)]
    place = others.index("<!-- lorebank:end opinions -->")
    page.write_text("\n".join([*others[:place], rye, second, *others[place:]]), "utf-8")
    with opened(tmp_path) as bank:
        pinned = {o.statement: o.pinned for o in bank.opinions()}
    assert pinned == {"Rye needs a long proof.": 0.1, "Oats go stale early.": None}


@pytest.mark.parametrize("lost", ["<!-- lorebank:end opinions -->", "<!-- lorebank:begin opinions"])
def test_a_lost_mark_of_the_block_deletes_and_pins_nothing(tmp_path: Path, lost: str) -> None:
    page = proofs(tmp_path)
    whole = page.read_text("utf-8")
    mark = next(line for line in whole.split("\n") if line.startswith(lost))
    page.write_text(whole.replace(f"{mark}\n", ""), "utf-8")
    torn = page.read_text("utf-8")
    log(tmp_path, "2026-02-12", "- O(c=0.9) @Tomas: Rye needs a long proof.")
    with opened(tmp_path) as bank:
        assert any("left alone" in problem.message for problem in bank.reflect().problems)
        bank.reflect()
        assert page.read_text("utf-8") == torn
        page.write_text(whole, "utf-8")
        bank.reflect()
        (opinion,) = bank.opinions()
    assert opinion.pinned is None and opinion.confidence > 0.7
    assert page.read_text("utf-8").count("Rye needs a long proof.") == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda bank: bank.recall(None),
        lambda bank: bank.recall("tea", k="3"),
        lambda bank: bank.search(b"tea"),
        lambda bank: bank.search("tea", k=None),
        lambda bank: bank.retain(5),
        lambda bank: bank.retain("half of \ud800 one"),
    ],
)
def test_what_is_no_text_or_count_is_refused_in_words(
    tmp_path: Path, call: Callable[[Bank], object]
) -> None:
    (tmp_path / "memory").mkdir()
    with opened(tmp_path) as bank, pytest.raises(UsageError):
        call(bank)


def test_a_name_that_somebody_has_is_not_given_to_another_unasked(tmp_path: Path) -> None:
    log(tmp_path, "2026-02-10", "- W @Bram: Drives a van.", "- W @Orla: Bakes.")
    with opened(tmp_path) as bank:
        with pytest.raises(UsageError, match="there is an entity 'Orla' already") as refused:
            bank.decide("rename", "Bram", "Orla")
        assert "entity merge" in (refused.value.hint or "")
        assert bank.decide("rename", "Bram", "Bramwell").changed
        log(tmp_path, "2026-02-11", "- W @Bramwell: Sold his van.")
        bank.sync()
        assert bank.decide("rename", "Bram", "Bramwell").changed == ()  # one already
