"""Tasks in the index: carried on, ticked off, due, and as of a day."""

from datetime import date
from pathlib import Path

from lorebank import Bank
from lorebank.app.questions import RecallKeywords
from lorebank.domain.answers import AgendaKind
from lorebank.domain.facts import PROMISE, Interval, TaskState
from lorebank.index.tasks import load_tasks, named_in
from support import WORDS_ONLY, golden


def write(root: Path, **logs: str) -> None:
    (root / "memory").mkdir(exist_ok=True)
    for day, text in logs.items():
        (root / "memory" / f"2026-03-{day[1:]}.md").write_text(text, encoding="utf-8")


def test_a_task_is_listed_once_and_closed_by_the_same_words_later(tmp_path: Path) -> None:
    write(
        tmp_path,
        d02="- [ ] Send the rota to Ana\n- [ ] pay the rent 📅 2026-03-06\n",
        d04="- [ ] pay the rent\n",
        d06="- [x] send the rota to Ana\n",
    )
    with Bank.open(tmp_path) as bank:
        bank.sync()
        [rent] = load_tasks(bank.workspace.index, state=TaskState.OPEN)
        assert (rent.text, str(rent.citation)) == ("pay the rent", "memory/2026-03-04.md#L1")
        assert rent.due == Interval(date(2026, 3, 6), date(2026, 3, 6))  # copied on without it
        [rota] = load_tasks(bank.workspace.index, state=TaskState.DONE)
        assert str(rota.citation) == "memory/2026-03-06.md#L1"
        before = load_tasks(bank.workspace.index, until=date(2026, 3, 3))
        assert [task.state.value for task in before] == ["open", "open"]
        assert before[1].due == Interval(date(2026, 3, 6), date(2026, 3, 6))


def test_an_open_task_is_due_on_the_next_such_day(tmp_path: Path) -> None:
    write(tmp_path, d07="- [ ] call the dentist on Friday\n")  # a Saturday
    with Bank.open(tmp_path) as bank:
        bank.sync()
        [task] = load_tasks(bank.workspace.index)
        assert task.due == Interval(date(2026, 3, 13), date(2026, 3, 13))


def test_a_task_names_the_entities_it_is_about(tmp_path: Path) -> None:
    write(tmp_path, d02="- [ ] ask Moira about the keys\n\n## Retain\n- W @Moira: Cooks.\n")
    with Bank.open(tmp_path) as bank:
        bank.sync()
        assert load_tasks(bank.workspace.index)[0].entities == ("moira",)


def test_a_sentence_is_about_those_it_names_by_any_part_but_an_article() -> None:
    passage = "Nerea is ill. The Skerry leaks. I promised to bring the soup to Lopez."
    known = ("nerea-lopez", "the-skerry")
    assert named_in(passage, "The Skerry leaks.", known) == ("the-skerry",)
    assert named_in(passage, "I promised to bring the soup to Lopez.", known) == ("nerea-lopez",)
    assert named_in(passage, "Nerea's fever rose.", known) == ("nerea-lopez",)
    assert named_in("The tide rose. I left.", "I left.", known) == ()
    assert named_in("I told Will. Then I left.", "Then I left.", ("will",)) == ("will",)


def test_a_rebuilt_index_holds_the_same_tasks(tmp_path: Path) -> None:
    write(tmp_path, d02="- [ ] one\n", d03="- [x] two\n")
    with Bank.open(tmp_path) as bank:
        bank.sync()
        write(tmp_path, d02="- [x] one\n- [ ] three\n")
        bank.sync()
        assert bank.check() == ()


def test_recall_gives_open_tasks_to_whom_asks_what_is_open(tmp_path: Path) -> None:
    write(
        tmp_path,
        d02="- [ ] paint the hull\n- [ ] pay the yard \U0001f4c5 2026-03-09\n- [ ] oil the winch\n",
        d03="- [x] oil the winch\n\n## Retain\n- W @Lena: Is open to offers.\n",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        hits = bank.recall("What is still open?", k=2, now=date(2026, 3, 4)).hits
        assert [str(hit.source) for hit in hits] == [
            "memory/2026-03-02.md#L2",
            "memory/2026-03-02.md#L1",
        ]


def test_open_tasks_are_those_on_what_is_asked_and_due_by_then(tmp_path: Path) -> None:
    write(
        tmp_path,
        d02="- [ ] finish the engine manual\n- [ ] order a cake\n- [ ] a ticket for 28 March\n"
        "\nThe buoys were painted.\n",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:

        def tasks(question: str) -> list[int]:
            hits = bank.recall(question, now=date(2026, 3, 3)).hits
            return [hit.source.start_line for hit in hits if "tasks" in hit.why]

        assert tasks("What is left to do on the manual?") == [1]
        assert tasks("What is still open about the buoys?") == [3, 1, 2]
        assert tasks("What do I still have to do this week?") == [1, 2]
        assert tasks("What do I still have to do?") == [3, 1, 2]


@golden("questions.md")
def test_tasks_promises_and_birthdays_are_asked_for_in_any_language(
    tmp_path: Path, question: str, lines: list[int]
) -> None:
    write(
        tmp_path,
        d02="- [ ] call Ana\n- [x] pay the bill\n- [-] sell the bike\n\n"
        "I promised Ilse to bring the ladder back.\n\n## Retain\n"
        "- W @Hana: Born on 17 August 1981.\n- W @Ivo: Born on 2 March 1970.\n",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        hits = bank.recall(question, now=date(2026, 3, 4)).hits
        assert [hit.source.start_line for hit in hits if "tasks" in hit.why] == lines


def test_open_tasks_obey_the_filters_and_the_budget_of_the_question(tmp_path: Path) -> None:
    boxes = [f"- [ ] call the plumber about boiler {n} and ask for an offer\n" for n in range(8)]
    write(tmp_path, d02="".join(boxes) + "\n## Retain\n- W @Lena: Likes tea.\n")
    filters: tuple[RecallKeywords, ...] = (
        {"kinds": ["opinion"]},
        {"path": "bank"},
        {"since": "2026-03-03"},
        {"until": "2026-03-01"},
        {"tags": ["garden"]},
        {"origins": ["agent"]},
        {"min_confidence": 0.9},
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 3, 4)) as bank:
        whole = bank.recall("Which tasks are open?", k=8)
        assert len(whole.hits) == 8 and whole.evidence == "strong"
        assert all(hit.score == 1.0 and "tasks" in hit.why for hit in whole.hits)
        for each in filters:
            assert bank.recall("Which tasks are open?", **each).hits == (), each
        short = bank.recall("Which tasks are open?", k=8, token_budget=60)
        assert 1 <= len(short.hits) < 8 and 0 < short.tokens <= 60 and short.truncated
        nothing = bank.recall("Which tasks are open?", k=8, entities=None, kinds=None, tags=None)
        assert nothing.hits == whole.hits
        assert bank.recall("Which tasks are still open today?").hits[0].why["tasks"]["rank"] == 1


def test_a_promise_is_open_with_the_day_it_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        d02="Quiet day. Promised the choir a new music stand by Friday. Rain after four.\n",
        d03="Tomas promised to bring his saw.\n\n## Retain\n- W @Lena: Promised Ed the key.\n"
        "- B: I gave my word to paint the gate.\n- B: I have promised nobody a lift.\n",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 3, 4)) as bank:
        bank.sync()
        promises = [task for task in load_tasks(bank.workspace.index) if task.kind == PROMISE]
        assert [(task.text, task.due) for task in promises] == [
            ("Promised the choir a new music stand by Friday.", Interval(None, date(2026, 3, 6))),
            ("Promised Ed the key.", None),
            ("I gave my word to paint the gate.", None),
        ]
        hits = bank.recall("What did I promise?", k=2).hits
        assert [str(hit.source) for hit in hits] == [
            "memory/2026-03-02.md#L1",
            "memory/2026-03-03.md#L5",
        ]
        assert [item.kind for item in bank.agenda().items].count(AgendaKind.PROMISE) == 3
        assert bank.check() == ()
