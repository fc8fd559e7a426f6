"""Roles for people, events for times, definitions first, and the order that is asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.answers import Timeline
from lorebank.errors import NotFound
from lorebank.render.beliefs import timeline_lines
from lorebank.render.text import MODEL
from support import WORDS_ONLY, golden

NOW = date(2025, 6, 30)
CORE = """# Core memory

- Ilda: our neighbour, keeps the spare key.
- Tomas Prell ("Tommy"), accountant.
- Ferry landing: Quay House at the river.
- Odile two doors on, minds the cats.
- Wëidner rents us the cellar.
- Varga's: timber yard, shut on Mondays.

## Quay House
Brick shed from 1920 with a crane that nobody may touch.
"""
LOGS = {
    "2025-03-03": """Ramona Vidal rang about the crates.

## Retain
- W @[[Ramona Vidal]]: Glazier from Tarn, works alone.
- W @Ilda: Lent us the ladder.
- W @Tommy: Is away until 9 March 2025.
""",
    "2025-04-02": """## Retain
- W @[[Ramona Vidal]]: Wants 900 euros for the big pane.
- B @[[Quay House]]: The roof leaked over the bench.
- W @Tomas: Sends the figures every quarter.
""",
    "2025-05-10": """Long day. Ilda brought soup.

- Odile: wants her bowl back
- Odile can't on Friday
- met Wëidner
- Wëidner: keys?

## Retain
- W @[[Quay House]]: The regatta is on 24 May 2025, start at noon.
- B @[[Quay House]]: The roof leaked again, over the stairs.
""",
    "2025-05-26": """## Retain
- B @[[Quay House]]: The roof leaked a third time, at the window.
- B @Ilda: Sold her van.
- W @Varga: The oak comes in June.
""",
}


@contextmanager
def opened(root: Path, logs: Mapping[str, str], core: str = "") -> Iterator[Bank]:
    (root / "memory").mkdir(parents=True)
    if core:
        (root / "memory.md").write_text(core, "utf-8")
    for day, text in logs.items():
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        bank.sync()
        yield bank


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with opened(tmp_path_factory.mktemp("who") / "ws", LOGS, CORE) as bank:
        yield bank


def test_a_role_stands_for_whoever_the_notes_call_so(bank: Bank) -> None:
    answer = bank.recall("what does the glazier want?", now=NOW)
    assert "Wants 900 euros for the big pane." in [hit.content for hit in answer.hits]
    assert "'glazier' was read as Ramona Vidal (memory/2025-03-03.md#L4)" in answer.notes


def test_a_word_of_a_longer_description_is_no_role(bank: Bank) -> None:
    answer = bank.recall("where is the river?", now=NOW)
    assert not any("was read as" in note for note in answer.notes)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    log = (
        "## Retain\n"
        "- W @LeopoldStrand: Owes for two chairs; mobile 0170 555 01.\n"
        "- W @Ilda: Owes the baker for a cake.\n"
        "- W @Wendel: Starts at the college in Ghent in October.\n"
        "- W @Ilda: Starts on the roof in July.\n"
        "- O(c=0.8) @Ilda: Thinks that Wendel is careful and slow.\n"
        "- O(c=0.8) @Ilda: Thinks that the roof can wait.\n"
        "- W @PowerPoint: The licence runs out.\n"
    )
    core = "- Our apprentice Wendel sweeps up on Fridays.\n"
    with opened(tmp_path_factory.mktemp("parts") / "ws", {"2025-06-02": log}, core) as bank:
        yield bank


@pytest.mark.parametrize(
    ("question", "lead", "note"),
    [
        ("what does Strand owe", "Owes for two", "'strand' was read as LeopoldStrand"),
        ("where does our apprentice start", "Starts at", "'apprentice' was read as Wendel"),
        ("what does Ilda think of Wendel", "Thinks that Wendel", ""),
    ],
)
def test_somebody_is_meant_by_a_part_of_the_name_or_otherwise(
    workshop: Bank, question: str, lead: str, note: str
) -> None:
    answer = workshop.recall(question, now=NOW)
    assert answer.hits[0].content.startswith(lead)
    assert any(each.startswith(note) for each in answer.notes) or not note


def test_a_common_word_is_no_part_of_a_name(workshop: Bank) -> None:
    answer = workshop.recall("what is the point of the power bill?", now=NOW)
    assert not any("was read as" in note for note in answer.notes)


@golden("questions.md")
def test_what_somebody_is_comes_first(bank: Bank, question: str, lead: str) -> None:
    assert lead in bank.recall(question, now=NOW).hits[0].content


@pytest.fixture(scope="module")
def logs_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    logs = {
        "2025-03-03": "Went rowing with Edda, second time this month.\n\n## Retain\n"
        "- W @Edda: Likes marzipan.\n"
        "- W @Tibor: Mag Lakritz.\n"
        "- W @me: The deposit is 1,200 euros.\n",
        "2025-04-02": "## Retain\n"
        "- W @Edda: Joiner from Kiruna, our neighbour upstairs.\n"
        "- W @Tibor: Ist der neue Vermieter, wohnt unten.\n",
    }
    with opened(tmp_path_factory.mktemp("logs") / "ws", logs) as bank:
        yield bank


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("tell me about Edda", "Joiner from Kiruna"),
        ("wer ist Tibor?", "Ist der neue Vermieter"),
    ],
)
def test_a_fact_that_describes_somebody_leads_before_an_earlier_one(
    logs_alone: Bank, question: str, lead: str
) -> None:
    hits = logs_alone.recall(question, now=NOW).hits
    assert hits[0].content.startswith(lead)


def test_a_comma_behind_a_name_alone_is_no_description(logs_alone: Bank) -> None:
    hits = logs_alone.recall("who is Edda?", now=NOW, explain=True).hits
    [rowing] = [hit for hit in hits if hit.content.startswith("Went rowing")]
    assert "defining" not in rowing.why["score"]


def test_what_a_fact_says_of_a_thing_describes_nobody(logs_alone: Bank) -> None:
    answer = logs_alone.recall("when is the deposit due?", now=NOW)
    assert not any("was read as" in note for note in answer.notes)


def test_an_event_that_the_notes_date_bounds_a_time(bank: Bank) -> None:
    answer = bank.recall("where did the roof leak before the regatta?", now=NOW)
    assert answer.query.interval is not None
    assert answer.query.interval.end == date(2025, 5, 23)
    assert {str(hit.recorded) for hit in answer.hits[:2]} == {"2025-04-02", "2025-05-10"}
    assert any("'before the regatta' was read as" in note for note in answer.notes)


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    """Events that no line dates but the log in which they are told."""
    happened = """The flood reached the third step.

Umzug ins Bootshaus, nur eine Tasse zerbrach.

La feria fue un éxito.

Vindima até à noite, doze cestos.

L'inondation a atteint la cave.

Il collaudo della diga è finito tardi.

De keuring van de kraan duurde lang.

## Retain
- B @me: Was at the launch of the tug.
- W @Sil: Parks in front of the depot.
"""
    logs = {
        "2025-03-03": "Painted the fence.\n",
        "2025-04-10": happened,
        "2025-05-02": "Neues Schloss, a new lock.\n",
    }
    with opened(tmp_path_factory.mktemp("events") / "ws", logs) as bank:
        yield bank


@golden("questions.md")
def test_an_event_is_dated_by_its_log(
    events: Bank, question: str, since: date | None, until: date | None
) -> None:
    interval = events.recall(question, now=NOW).query.interval
    found = interval and (interval.start, interval.end)
    assert found == ((since, until) if since or until else None)


def test_what_lies_in_the_time_of_an_event_need_not_speak_of_it(events: Bank) -> None:
    hits = events.recall("was hat sich seit dem Umzug geändert?", now=NOW).hits
    assert "Neues Schloss, a new lock." in [hit.content for hit in hits]


@golden("questions.md")
def test_newest_and_oldest_decide_the_order(bank: Bank, question: str, day: str) -> None:
    assert str(bank.recall(question, now=NOW).hits[0].recorded) == day


def test_what_was_written_before_a_day_is_not_news_since(bank: Bank) -> None:
    """The log of 10 May names 24 May; "since" asks what was learnt, "between" what happened."""
    told = {"The regatta is on 24 May 2025, start at noon.", "Sold her van."}
    since = {hit.content for hit in bank.recall("what changed since 20 May?", now=NOW).hits}
    between = bank.recall("what happened between 20 May and 28 May?", now=NOW).hits
    assert since & told == {"Sold her van."}
    assert told <= {hit.content for hit in between}


def test_how_often_is_counted(bank: Bank) -> None:
    answer = bank.recall("how often has the roof leaked?", now=NOW)
    assert any(note.startswith("3 lines speak of this on 3 days") for note in answer.notes)


def test_how_many_is_counted_where_several_days_answer(bank: Bank) -> None:
    leaks = bank.recall("how many leaks did the roof have?", now=NOW)
    assert any(note.startswith("3 lines speak of this on 3 days") for note in leaks.notes)
    euros = bank.recall("how many euros for the big pane?", now=NOW)
    assert not any("of this on" in note for note in euros.notes)


def test_prose_that_names_somebody_counts_for_the_filter(bank: Bank) -> None:
    hits = bank.recall("soup", entities=["Ilda"], now=NOW).hits
    assert [hit.kind for hit in hits] == ["note"]


def test_a_timeline_lists_prose_that_names_somebody_as_prose(bank: Bank) -> None:
    facts, prose = bank.timeline("Ilda", now=NOW), bank.prose_naming("Ilda", now=NOW)
    assert [str(fact.citation) for fact in facts] == [
        "memory/2025-05-26.md#L3",
        "memory/2025-03-03.md#L5",
    ]
    assert [str(line.source) for line in prose] == ["memory/2025-05-10.md#L1", "memory.md#L3"]
    lines = timeline_lines(MODEL, Timeline(facts, prose))
    assert [n for n, line in enumerate(lines) if "prose" in line] == [3, 7]
    may = bank.prose_naming("Ilda", since="2025-05-01", now=NOW)
    assert [str(line.source) for line in may] == ["memory/2025-05-10.md#L1"]


def test_a_filter_by_a_name_that_is_no_entity_searches_the_lines_that_hold_it(bank: Bank) -> None:
    note = "'weidner' is no entity; the lines that hold this name were searched"
    for question, entities in [("keys", ["Weidner"]), ("keys entity:Weidner", None)]:
        answer = bank.recall(question, entities=entities, now=NOW)
        assert {hit.content for hit in answer.hits} <= {
            "- Wëidner: keys?",
            "- met Wëidner",
            "- Wëidner rents us the cellar.",
        }
        assert answer.hits[0].content == "- Wëidner: keys?"
        assert note in answer.notes
    both = bank.recall("keys soup", entities=["Weidner", "Ilda"], now=NOW)
    assert {"- Wëidner: keys?", "Long day. Ilda brought soup."} <= {h.content for h in both.hits}
    with pytest.raises(NotFound, match="no entity 'Quirin'"):
        bank.recall("keys", entities=["Quirin"], now=NOW)


def test_who_speaks_counts_before_who_is_addressed(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-06-02.md").write_text(
        "## Retain\n"
        "- W @Ilda: Tommy, keep sail, rudder, anchor, chart, rope, lamp, net, bell, oars.\n"
        "- W @Tommy: Keeps sail, rudder, anchor, chart, rope, lamp, net, bell.\n",
        "utf-8",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        hits = bank.recall(
            "Does Tommy keep sail, rudder, anchor, chart, rope, lamp, net, bell, oars?"
        ).hits
    assert [hit.entities[0] for hit in hits] == ["Tommy", "Ilda"]


def test_of_a_day_facts_and_prose_come_before_check_lists(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-03-04.md").write_text(
        "- [ ] buy twine\n- [x] return the ladder\n\nWe settled on the slate roof.\n\n"
        "## Retain\n\n- W @Ilda: Sold her loom.\n",
        "utf-8",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        hits = bank.recall("what happened on 4 March 2025?").hits
    assert [hit.content for hit in hits[:2]] == ["Sold her loom.", "We settled on the slate roof."]
    assert len(hits) == 4


@pytest.fixture(scope="module")
def full_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    log = (
        "## Retain\n"
        "- W @[[Petra Holm]]: Lives in Skagen, behind the light.\n"
        "- W @[[Petra Holm]]: Is our sailmaker.\n"
        "- W @[[Petra Holm]]: The shoe size is 39.\n"
    )
    with opened(tmp_path_factory.mktemp("full") / "ws", {"2025-03-03": log}) as bank:
        yield bank


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("where does Petra live?", "Lives in Skagen"),
        ("wo wohnt Petra?", "Lives in Skagen"),
        ("what is Petra's shoe size?", "The shoe size is 39"),
        ("who is Petra?", "Is our sailmaker"),
        ("tell me about Petra", "Is our sailmaker"),
    ],
)
def test_a_first_name_stands_for_the_one_who_bears_it(
    full_names: Bank, question: str, lead: str
) -> None:
    answer = full_names.recall(question, now=NOW)
    assert answer.hits[0].content.startswith(lead)
    assert "'petra' was read as Petra Holm" in answer.notes


def test_what_is_said_of_others_answers_nothing_on_a_stranger_strongly(full_names: Bank) -> None:
    known, unknown = (full_names.recall(f"where does {n} live?") for n in ("Petra", "Melusine"))
    assert known.evidence == "strong"
    assert unknown.evidence == "weak"
