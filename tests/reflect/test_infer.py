"""Retain lines suggested from prose: few, in the words of their sentence, never written unasked."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, ConcurrentEdit, FactKind
from lorebank.domain.judgments import ProposalAction
from lorebank.language.words import words
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.nightly.infer import infer_facts, sentences
from support import WORDS_ONLY, golden

DAY = date(2026, 3, 5)
NAMES = {"peter": "Peter", "the-castle": "The Castle", "lucia": "Lucía", "玛丽亚": "玛丽亚"}


def inferred(text: str) -> list[str]:
    document = read_document(f"{text}\n", "memory/2026-03-05.md")
    return [format_fact(each.fact) for each in infer_facts(document, DAY, NAMES)]


@golden("prose.md")
def test_what_a_sentence_states(sentence: str, expected: str | None) -> None:
    (line,) = inferred(sentence)
    if expected is not None:
        assert line == expected.format(sentence)
    written = {*words(sentence.replace("’", "'")), "w", "b", "o"}
    assert set(words(line)) <= written, "no word is invented"


@golden("prose.md")
def test_what_prose_plainly_says(sentence: str, letter: str, reason: str, about: str) -> None:
    document = read_document(f"{sentence}\n", "memory/2026-03-05.md")
    (found,) = infer_facts(document, DAY, NAMES)
    subjects = [mention.name for mention in found.fact.mentions if mention.subject]
    assert (found.fact.kind.letter, found.reason) == (letter, reason)
    assert subjects == ([about] if about else [])


def test_a_pronoun_is_whoever_the_sentence_before_names() -> None:
    (line,) = inferred("Lucía rang from the clinic. She cannot eat walnuts any more.")
    assert line == "- W @Lucía: She cannot eat walnuts any more."
    assert inferred("Lucía met Peter. She cannot eat walnuts any more.") == []


@golden("prose.md")
def test_what_is_no_statement_is_left_alone(sentence: str) -> None:
    assert inferred(sentence) == []


@pytest.mark.parametrize(
    "task", ["- TODO dentist on 5 December at 10:00", "- [ ] dentist on 5 December at 10:00"]
)
def test_a_task_is_no_fact_and_what_follows_it_is(task: str) -> None:
    text = f"{task}\nDentist is on Friday 5 December at 11:00.\n"
    found = infer_facts(read_document(text, "a.md"), date(2025, 11, 27), {})
    assert [each.fact.content for each in found] == ["Dentist is on Friday 5 December at 11:00."]


def test_a_clock_time_ends_its_sentence() -> None:
    document = read_document("Dentist on 17 March at 9:30. Lisa rang. Am 3. Mai zum Arzt.", "a.md")
    assert [each.text for each in sentences(document)] == [
        "Dentist on 17 March at 9:30.",
        "Lisa rang.",
        "Am 3. Mai zum Arzt.",
    ]


def test_each_sentence_has_its_own_lines() -> None:
    prose = "First one, e.g. short. It goes on\nhere (really!) and ends. Third."
    text = f"# Day\n\n{prose}\n\n- Item one.\n"
    found = [(each.text, str(each.citation)) for each in sentences(read_document(text, "x.md"))]
    assert found == [
        ("First one, e.g. short.", "x.md#L3"),
        ("It goes on here (really!) and ends.", "x.md#L3-L4"),
        ("Third.", "x.md#L4"),
        ("Item one.", "x.md#L6"),
    ]


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-03-05", "We decided to use Postgres. It rained. Tom lives in Berlin.\n")
    again = "I hate stand-ups before ten.\n\n## Retain\n- O: Hates stand-ups before ten.\n"
    write(tmp_path, "2026-03-06", again)
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 3, 7)) as bank:
        yield bank


def write(root: Path, day: str, text: str) -> None:
    (root / "memory" / f"{day}.md").write_text(f"# {day}\n\n{text}", "utf-8")


def test_only_when_asked_and_only_what_no_line_says_already(bank: Bank) -> None:
    bank.reflect()
    assert bank.proposals() == ()
    before = (bank.root / "memory" / "2026-03-05.md").read_bytes()
    bank.reflect(infer=True)
    assert [(p.action, p.target, p.new, str(p.grounds[0].source)) for p in bank.proposals()] == [
        (
            ProposalAction.RETAIN,
            "memory/2026-03-05.md",
            "- B: We decided to use Postgres.",
            "memory/2026-03-05.md#L3",
        ),
        (
            ProposalAction.RETAIN,
            "memory/2026-03-05.md",
            "- W @Tom: Lives in Berlin.",
            "memory/2026-03-05.md#L3",
        ),
    ]
    assert (bank.root / "memory" / "2026-03-05.md").read_bytes() == before
    assert bank.reflect(infer=True).changed == bank.reflect().changed == ()
    assert bank.check() == ()


def test_the_prose_of_a_log_with_a_section_is_read_too(bank: Bank) -> None:
    text = "We decided to rent the hall.\n\n## Retain\n- W @Bo: Sings.\n"
    write(bank.root, "2026-03-06", text)
    bank.reflect(infer=True)
    assert "- B: We decided to rent the hall." in [each.new for each in bank.proposals()]
    assert len(bank.proposals()) == 3


def test_a_setting_makes_every_run_infer(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-03-05", "We decided to use Postgres.\n")
    environ = {**WORDS_ONLY, "LOREBANK_REFLECT__INFER": "true"}
    with Bank.open(tmp_path, environ=environ, now=date(2026, 3, 7)) as bank:
        bank.reflect()
        assert [proposal.new for proposal in bank.proposals()] == [
            "- B: We decided to use Postgres."
        ]


def test_accepting_appends_to_the_log_and_the_others_stay(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, lives = bank.proposals()
    bank.rule({lives.id: "accept"}, by="Ana")
    log = (bank.root / "memory" / "2026-03-05.md").read_text("utf-8")
    assert log.endswith("Tom lives in Berlin.\n\n## Retain\n- W @Tom: Lives in Berlin.\n")
    (fact,) = bank.timeline("Tom")
    assert (fact.kind, fact.recorded, fact.content) == (FactKind.WORLD, DAY, "Lives in Berlin.")
    bank.reflect()
    assert bank.proposals() == (decided,)
    bank.rule({decided.id: "reject"}, by="Ana")
    bank.reflect(infer=True)
    assert bank.proposals() == ()


def test_a_suggestion_goes_with_its_sentence(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, lives = bank.proposals()
    write(bank.root, "2026-03-05", "We decided to use Postgres. It rained.\n")
    with pytest.raises(ConcurrentEdit):
        bank.rule({lives.id: "accept"}, by="Ana")
    bank.reflect()
    assert bank.proposals() == (decided,)


def test_a_line_that_was_appended_before_a_kill_is_not_appended_twice(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, _ = bank.proposals()
    log = bank.root / "memory" / "2026-03-05.md"
    log.write_text(f"{log.read_text('utf-8')}\n## Retain\n{decided.new}\n", "utf-8")
    before = log.read_bytes()
    bank.rule({decided.id: "accept"}, by="Ana")
    assert log.read_bytes() == before
