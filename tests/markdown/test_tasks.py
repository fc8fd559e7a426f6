"""Tasks in a file: boxes, keywords, metadata, and what is none."""

from datetime import date

from lorebank.domain.facts import Interval, TaskState
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
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
