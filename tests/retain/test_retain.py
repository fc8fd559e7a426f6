"""Retain: a fact is added as it was asked for, and nothing else in the log changes."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lorebank import Bank, Fact, FactKind, LorebankError, UsageError, WorkspaceError
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.sections import RETAIN_HEADINGS
from lorebank.retain.compose import append_fact_line, compose_fact, name_in_doubt, new_log
from lorebank.retain.kinds import parse_kind
from support import WORDS_ONLY, golden

DAY = date(2026, 1, 2)
PATH = "memory/2026-01-02.md"
LINE = "- W @Ada: Keeps bees."


def append(text: str, line: str = LINE) -> str:
    return append_fact_line(text, line, path=PATH, headings=RETAIN_HEADINGS)[0]


@golden("retain.md")
def test_the_line_lands_at_the_end_of_the_last_retain_section(before: str, after: str) -> None:
    """The line is a `+` in the table."""
    assert append(before) == after.replace("+", LINE)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@golden("retain.md")
def test_every_line_that_stood_there_still_stands(before: str, newline: str) -> None:
    before = before.replace("\n", newline)
    after = append(before)
    added = f"{LINE}{newline}"
    assert added in after
    place = after.index(added)
    rest = after[:place] + after[place + len(added) :]
    kept = [line for line in before.split("\n") if line.strip()]
    assert [line for line in rest.split("\n") if line.strip() and "## Retain" not in line] == [
        line for line in kept if "## Retain" not in line
    ]
    assert (newline == "\r\n") == ("\r\n" in after)
    facts = extract_facts(read_document(after, PATH), recorded=DAY).facts
    assert [f.content for f in facts].count("Keeps bees.") == 1


def test_the_place_that_is_told_is_the_place() -> None:
    for text in ("", "## Retain\n- A\n", "# Day\n\nProse.\n\n\n", "## Retain\n- A\n\n## End\n"):
        after, line = append_fact_line(text, LINE, path=PATH, headings=RETAIN_HEADINGS)
        assert after.split("\n")[line - 1] == LINE


@golden("retain.md")
@pytest.mark.parametrize("kind", list(FactKind))
def test_any_text_is_read_back_as_it_was_understood(text: str, kind: FactKind) -> None:
    try:
        fact = compose_fact(text, kind=kind, entities=["Ada"], confidence=None, day=DAY)
    except UsageError as problem:
        assert problem.message.startswith(("nothing to retain", "nothing retained"))
        return
    read = read_back(fact)
    assert read.kind is kind
    assert read.content == fact.content
    assert read.confidence == fact.confidence
    assert read.mentions[0].slug == "ada"
    assert {m.slug for m in read.mentions} == {m.slug for m in fact.mentions}
    assert read.id == fact.id


@given(st.text(min_size=1, max_size=80))
@example("a" * 5000)
@settings(max_examples=200, deadline=None)
def test_random_text_is_read_back_as_it_was_understood(text: str) -> None:
    try:
        fact = compose_fact(text, kind=FactKind.WORLD, entities=["Ada"], confidence=0.25, day=DAY)
    except UsageError:
        return
    read = read_back(fact)
    assert (read.content, read.confidence, read.id) == (fact.content, 0.25, fact.id)


def read_back(fact: Fact) -> Fact:
    """The one fact that is read out of a log into which it was written between two others."""
    text = append(append(new_log(DAY), "- W @Bo: Before."), format_fact(fact))
    text = append(text, "- W @Bo: After.")
    facts = extract_facts(read_document(text, PATH), recorded=DAY).facts
    assert [facts[0].content, facts[-1].content] == ["Before.", "After."]
    assert len(facts) == 3
    return facts[1]


def test_what_is_given_by_name_wins_over_the_text() -> None:
    fact = compose_fact(
        "O(c=0.9) @Peter: Prefers tea.",
        kind=FactKind.WORLD,
        entities=["The Castle"],
        confidence=0.4,
        day=DAY,
    )
    assert (fact.kind, fact.confidence, fact.content) == (FactKind.WORLD, 0.4, "Prefers tea.")
    assert [m.slug for m in fact.mentions] == ["the-castle", "peter"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("W @Harbour Office: Closes at 5.", "Harbour Office"),
        ("O(c=0.9) @Dana Whitfield: Wants it short.", "Dana Whitfield"),
        ("W @Peter: Rule: two eggs.", ""),
        ("W @Peter's Phone: 0171", ""),
        ("W @Dana @Bob Smith: own it", ""),
        ("W @[[Dana Whitfield]]: Owns it.", ""),
    ],
)
def test_a_name_that_may_go_on_is_told(text: str, whole: str) -> None:
    doubt = name_in_doubt(text)
    assert f"if @[[{whole}]] is meant" in doubt if whole else not doubt


@golden("retain.md")
def test_the_kind_comes_from_what_is_written(
    text: str, confidence: float | None, kind: FactKind
) -> None:
    fact = compose_fact(text, kind=None, entities=(), confidence=confidence, day=DAY)
    assert fact.kind is kind


@golden("retain.md")
def test_what_makes_no_sense_is_an_error_and_writes_nothing(
    wrong: dict[str, object], tmp_path: Path
) -> None:
    (tmp_path / "memory").mkdir()
    given_ = {"text": "Keeps bees.", "now": DAY} | wrong
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank, pytest.raises(LorebankError) as raised:
        bank.retain(**given_)  # type: ignore[arg-type]
    assert raised.value.code == ("not_found" if "for_" in wrong else "usage")
    assert list((tmp_path / "memory").iterdir()) == []


@golden("retain.md")
def test_a_kind_goes_by_name_or_letter(kind: str) -> None:
    assert parse_kind(kind) is FactKind.OPINION


def test_bytes_of_the_log_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "memory" / "2026-01-02.md"
    log.parent.mkdir()
    before = "\ufeff# Day\r\n\r\nÉté.  \r\n\r\n## Retain\r\n- W @Bo: A.\r\n".encode()
    log.write_bytes(before)
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        fact = bank.retain("Keeps bees.", entities=["Ada"], day=DAY)
    assert log.read_bytes() == before + b"- W @Ada: Keeps bees.\r\n"
    assert str(fact.citation) == "memory/2026-01-02.md#L7"
    assert fact.content == "Keeps bees."


def test_a_log_of_another_day_is_made_where_it_is_missing(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 1, 5)) as bank:
        assert bank.retain("Keeps bees.", day="yesterday").recorded == date(2026, 1, 4)
        assert bank.add("Keeps hens.").citation.path == "memory/2026-01-05.md"
    written = (tmp_path / "memory" / "2026-01-04.md").read_text("utf-8")
    assert written == "# 2026-01-04\n\n## Retain\n- W: Keeps bees.\n"


def test_a_log_that_is_no_utf8_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "memory" / "2026-01-02.md"
    log.parent.mkdir()
    log.write_bytes(b"\xef\xbb\xbfcaf\xe9\n")
    with (
        Bank.open(tmp_path, environ=WORDS_ONLY) as bank,
        pytest.raises(WorkspaceError, match=r"not valid UTF-8 at byte 6"),
    ):
        bank.retain("Keeps bees.", day=DAY)
    assert log.read_bytes() == b"\xef\xbb\xbfcaf\xe9\n"


@pytest.mark.parametrize("link", ["memory", "memory/2026-01-02.md"])
def test_links_are_never_written_through(tmp_path: Path, link: str) -> None:
    root, outside = tmp_path / "bank", tmp_path / "outside"
    (root / "bank").mkdir(parents=True)
    outside.mkdir()
    (outside / "2026-01-02.md").write_text("mine\n")
    if link == "memory":
        (root / "memory").symlink_to(outside)
    else:
        (root / "memory").mkdir()
        (root / link).symlink_to(outside / "2026-01-02.md")
    with Bank.open(root, environ=WORDS_ONLY) as bank, pytest.raises(WorkspaceError):
        bank.retain("Keeps bees.", day=DAY)
    assert {p.name: p.read_text() for p in outside.iterdir()} == {"2026-01-02.md": "mine\n"}


def test_evidence_marks_are_written_and_read(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-01", "- O(c=0.8) @Ada: Prefers tea to coffee.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        opinion = bank.opinions()[0]
        fact = bank.retain("Ordered coffee.", entities=["Ada"], against=[opinion.id], day=DAY)
        assert [(m.stance.value, m.opinion_id) for m in fact.marks] == [("against", opinion.id)]
        assert bank.opinions()[0].confidence < opinion.confidence


def test_a_new_section_is_called_as_in_the_log_before(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-12-20.md").write_text(
        "# Dia\n\n## A reter (factos)\n- W @Bo: X.\n"
    )
    with Bank.open(tmp_path, now=DAY, environ=WORDS_ONLY) as bank:
        path = bank.retain("W @Bo: Canta.").citation.path
        bank.log("Chuva todo o dia.")
        text = bank.get(path).text
    assert text.startswith(f"# {DAY}\n\n## A reter\n- W @Bo: Canta.")
    assert text.endswith("\n\n## Notas\n\n- Chuva todo o dia.\n")
    assert (tmp_path / "memory" / "2025-12-20.md").read_text().endswith("- W @Bo: X.\n")


def test_a_log_that_cannot_be_read_names_no_section(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-12-20.md").write_bytes(b"## Guardar \xff\n- W @Bo: X.\n")
    with Bank.open(tmp_path, now=DAY, environ=WORDS_ONLY) as bank:
        assert "## Guardar\n" in bank.get(bank.retain("W @Bo: Canta.").citation.path).text
