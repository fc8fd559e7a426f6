"""Tasks in a file: boxes, keywords, metadata, and what is none."""

from datetime import date

from lorebank.domain.facts import Interval, TaskState
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.passages import extract_passages
from lorebank.markdown.tasks import find_tasks
from support import golden


def read(text: str) -> list[tuple[int, str, str]]:
    tasks = find_tasks(read_document(text, "a.md"))
    return [(t.citation.start_line, t.state.value, t.text) for t in tasks]


@golden("markdown.md")
def test_a_box_or_keyword_makes_a_task(line: str, state: str, text: str) -> None:
    assert read(line) == [(1, state, text)]


@golden("markdown.md")
def test_no_task(text: str) -> None:
    assert read(text) == []


def test_nested_tasks_and_tasks_of_a_retain_section_are_tasks_and_no_facts() -> None:
    text = "## Retain\n- [ ] W @Lena: plan the fair\n  - [x] book the hall\n- W @Lena: Sings.\n"
    assert read(text) == [(2, "open", "plan the fair"), (3, "done", "book the hall")]
    facts = extract_facts(read_document(text, "a.md"), recorded=None).facts
    assert [fact.content for fact in facts] == ["Sings."]


@golden("markdown.md")
def test_the_due_day_of_a_plugin(line: str) -> None:
    [task] = find_tasks(read_document(line, "a.md"))
    assert task.due == Interval(date(2026, 3, 1), date(2026, 3, 1))
    assert (task.text, task.state) == ("pay", TaskState.OPEN)


def test_behind_a_sentence_the_task_is_about_it() -> None:
    assert read("Lent Ida the drill. The tap drips. TODO call a plumber\n") == [
        (1, "open", "The tap drips. call a plumber")
    ]
    assert read("- kitchen: TODO: paint it\n") == [(1, "open", "kitchen: paint it")]


def test_each_line_right_below_a_task_is_looked_at() -> None:
    text = "- TODO buy oil\nTODO: paint the door\n- [x] pay the bill\nRain.\nTODO: send it\n"
    assert read(text) == [
        (1, "open", "buy oil"),
        (2, "open", "paint the door"),
        (3, "done", "pay the bill"),
        (5, "open", "send it"),
    ]


def test_prose_right_below_a_task_is_none_of_it() -> None:
    text = "- [ ] ask for a quote\n  by the plumber\nBernard has a new number\n"
    assert read(text) == [(1, "open", "ask for a quote by the plumber")]
    passages = extract_passages(read_document(text, "a.md"), fact_lines=[(1, 2)])
    assert [passage.text for passage in passages] == ["Bernard has a new number"]


@golden("markdown.md")
def test_a_task_without_a_deadline_is_due_when_it_is_scheduled(text: str, day: int) -> None:
    [task] = find_tasks(read_document(text, "a.md"))
    assert (task.text, task.due) == ("car", Interval(date(2026, 3, day), date(2026, 3, day)))
