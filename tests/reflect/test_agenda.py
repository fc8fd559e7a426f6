"""The agenda: what is to come, each appointment once, and what somebody still has to do."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank, UsageError
from lorebank.domain.answers import AgendaItem
from support import WORDS_ONLY, golden

NOW = date(2026, 3, 9)


def listed(root: Path, now: date) -> list[AgendaItem]:
    """What stands, by its order, and behind it what is perhaps over."""
    long_ago = now - timedelta(days=3)
    with Bank.open(root, environ=WORDS_ONLY, now=now) as bank:
        found = bank.agenda()

    def is_old(item: AgendaItem) -> bool:
        return max(item.when.end, date.fromisoformat(Path(item.source.path).stem)) < long_ago

    weak = [
        bool(item.doubt or (item.overdue and is_old(item)))
        for item in (*found.items, *found.doubtful)
    ]
    assert weak == [
        *[False] * len(found.items),
        *[True] * len(found.doubtful),
    ]
    return [*found.items, *found.doubtful]


def agenda(tmp_path: Path, **logs: str) -> list[tuple[str, str]]:
    """Day and text of each item; logs are named by their day: `d0301="…"`."""
    (tmp_path / "memory").mkdir(exist_ok=True)
    for name, text in logs.items():
        day = f"2026-{name[1:3]}-{name[3:]}"
        (tmp_path / f"memory/{day}.md").write_text(f"# {day}\n\n{text}\n", "utf-8")
    items = listed(tmp_path, NOW)
    return [(str((i.when.start or i.when.end) if i.when else ""), i.text) for i in items]


@golden("agenda.md")
def test_the_days_on_which_something_is_to_come(
    tmp_path: Path, promise: str, logs: dict[str, str], days: list[str]
) -> None:
    assert [day for day, _ in agenda(tmp_path, **logs)] == days, promise


@golden("agenda.md")
def test_what_is_shown_of_an_appointment_or_a_task(
    tmp_path: Path, promise: str, logs: dict[str, str], shown: list[str]
) -> None:
    assert [text for _, text in agenda(tmp_path, **logs)] == shown, promise


@golden("agenda.md")
def test_what_is_known_of_an_item(
    tmp_path: Path, promise: str, today: date, logs: dict[str, str], known: list[dict[str, str]]
) -> None:
    """Of each item some fields, as text; of a doubt the word without its place."""
    agenda(tmp_path, **logs)
    items = listed(tmp_path, today)
    assert [
        {field: told(getattr(item, field)) for field in wanted}
        for item, wanted in zip(items, known, strict=True)
    ] == known, promise


def told(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(each for each in value if isinstance(each, str))
    return "" if value is None else str(value)


def test_days_end_with_the_calendar(tmp_path: Path) -> None:
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        assert {bank.agenda(days=days).until for days in (5_000_000, 10**12)} == {date.max}
        with pytest.raises(UsageError, match="must not be negative, not -1"):
            bank.agenda(days=-1)


@pytest.mark.parametrize(
    "line", ["The talk is not on 12 March 2026.", "Das Gespräch ist nicht am 12. März 2026."]
)
def test_a_day_that_a_line_denies_is_none(tmp_path: Path, line: str) -> None:
    found = agenda(
        tmp_path,
        d0301="## Retain\n- W @Runa: Survey fixed for 12 March 2026, 9:30.",
        d0305=f"## Retain\n- W @Runa: {line}",
    )
    assert found == []


@golden("beliefs.md")
def test_an_hour_is_no_day_of_the_month(tmp_path: Path, hour: str) -> None:
    found = agenda(
        tmp_path,
        d0301="## Retain\n- W @Runa: Wants the sail numbers on Thursday 12 March 2026.",
        d0305=f"## Retain\n- W @Runa: Tea and sail talk moved to 19 March 2026, {hour}.",
    )
    assert [day for day, _ in found] == ["2026-03-19", "2026-03-12"]


@golden("beliefs.md")
def test_a_birthday_comes_back(tmp_path: Path, line: str, day: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-06-01.md").write_text(f"## Retain\n{line}\n", "utf-8")
    found = [each[0] for each in agenda(tmp_path)]
    assert found == ([day] if day else [])


def test_a_birthday_in_a_page_without_a_day_comes_back(tmp_path: Path) -> None:
    told = "- Kit's birthday: 15 March.\n- Odd: my uncle, birthday 2 July.\n- Birthdays bore me.\n"
    (tmp_path / "memory.md").write_text(f"# Me\n\n{told}", "utf-8")
    assert agenda(tmp_path) == [("2026-03-15", "Kit's birthday: 15 March.")]


def test_a_sentence_of_a_list_item_is_about_its_head(tmp_path: Path) -> None:
    told = "- Runa: my aunt, lives\n  in Bath. Born 14 March 1950.\n- Kit's birthday: 15 March.\n"
    (tmp_path / "memory.md").write_text(
        f"# Me\n\n{told}- **Car:** grey. MOT due 16 March.\n", "utf-8"
    )
    (tmp_path / "memory").mkdir()
    assert [item.told for item in listed(tmp_path, NOW)] == [
        "Runa: Born 14 March 1950.",
        "Kit's birthday: 15 March.",
        "Car: MOT due 16 March.",
    ]


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("Ned, my godson: 11 March, book tokens", ["2026-03-11"]),
        ("Mum lives in Clun. She'll be 70 on 14 March.", ["2026-03-14"]),
        ("Miete 980 €, fällig zum 12.", ["2026-03-12"]),
        ("Hochzeitstag: 20. März (1999)", ["2026-03-20"]),
        ("The tenant pays on the 21st of March and the 21st of September.", ["2026-03-21"]),
        ("| Theo | our son | 3/19/2016 |", []),
        ("Theo (our son), born 3/19/2016", ["2026-03-19"]),
        ("Holiday 2026-03-20 to 2026-03-22, the contract runs from 1 April 2026", ["2026-03-20"]),
        ("Grandma died on 20 March.", []),
        ("Umgezogen am 20. März.", []),
        ("Flight booked for 3 May 2026, back on the 22nd.", []),
        ("Moved in on 20 March 2019.", []),
        ("The tip is open Tuesday to Friday. It closes in 3 days.", []),
        ("Vegetarian since 20 March.", []),
    ],
)
def test_the_days_of_a_page_kept_up_by_hand_come_back(
    tmp_path: Path, line: str, days: list[str]
) -> None:
    (tmp_path / "memory.md").write_text(f"# Me\n\n- {line}\n- call mum sundays\n", "utf-8")
    (tmp_path / "memory").mkdir()
    assert [day for day, _ in agenda(tmp_path)] == days


def test_short_lines_that_begin_small_are_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory.md").write_text("# me\n\nrent on the 12th\nned 11 march\nskis\n", "utf-8")
    assert [text for _, text in agenda(tmp_path)] == ["ned 11 march", "rent on the 12th"]


@golden("beliefs.md")
def test_a_day_that_is_called_off_is_none(tmp_path: Path, line: str) -> None:
    earlier = "## Retain\n- W @Runa: Supper (Essen, cena) on 20 March 2026."
    found = agenda(tmp_path, d0301=earlier, d0305=f"## Retain\n- W @Runa: {line}")
    assert found == []


@golden("beliefs.md")
def test_an_appointment_that_may_be_over_stands_and_says_so(
    tmp_path: Path, older: str, newer: str, doubt: str
) -> None:
    logs = {"d0301": f"## Retain\n- B @Kit: {older}", "d0305": f"## Retain\n- W @Kit: {newer}"}
    assert "2026-03-20" in [day for day, _ in agenda(tmp_path, **logs)]
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        found = bank.agenda()
    [item] = [i for i in (found.doubtful if doubt != "stands" else found.items) if i.text == older]
    assert (item.doubt[0] if item.doubt else "stands") == doubt


@golden("beliefs.md")
def test_a_tick_on_another_task_closes_none(tmp_path: Path, task: str, tick: str) -> None:
    found = agenda(tmp_path, d0301=f"- [ ] {task}", d0305=f"- [x] {tick}")
    assert [text for _, text in found] == [task]


@pytest.mark.parametrize(("status", "count"), [("active", 1), ("closed", 0)])
def test_a_deadline_of_a_note_is_due(tmp_path: Path, status: str, count: int) -> None:
    (tmp_path / ".obsidian").mkdir()
    note = f"---\nstatus: {status}\ndeadline: 2026-03-20\n---\n# Slipway\n"
    (tmp_path / "Slipway.md").write_text(note, "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        found = [(item.text, str(item.source)) for item in bank.agenda().items]
    assert found == [("Slipway: deadline", "Slipway.md#L3")] * count


@golden("beliefs.md")
def test_a_line_that_names_the_old_and_the_new_day_stands_on_the_new(
    tmp_path: Path, line: str
) -> None:
    assert [day for day, _ in agenda(tmp_path, d0305=line)] == ["2026-03-16"]


@golden("beliefs.md")
def test_lines_about_nobody_may_be_about_one_thing(
    tmp_path: Path, newer: str, days: list[str], doubt: str
) -> None:
    found = agenda(tmp_path, d0301="Chimney sweep on 12 March.", d0305=newer)
    assert [day for day, _ in found] == days
    doubts = [item.doubt[0] for item in listed(tmp_path, NOW) if item.doubt]
    assert doubts == [doubt] * bool(doubt)


def test_what_begins_for_somebody_stays_on_the_page_when_it_has_begun(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2026-03-08.md").write_text(
        "## Retain\n- W @Odd: Lives in Vigo.\n- W @Odd: Owns a gig.\n- W @Odd: Sails.\n"
        "- W @Kit: Nurse, comes to Odd on Mondays from tomorrow.\n",
        "utf-8",
    )
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        for today in (date(2026, 3, 8), date(2026, 3, 12)):
            bank.reflect(now=today)
            assert "Nurse, comes to Odd" in (tmp_path / "bank/entities/Odd.md").read_text("utf-8")


def test_the_last_and_the_first_day_have_an_answer(tmp_path: Path) -> None:
    last = date.max
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY) as bank:
        bank.retain("W @Ann: Comes tomorrow.", day=str(last - timedelta(days=1)), now=last)
        assert bank.agenda(last).until == last
        assert bank.agenda(last - timedelta(days=1)).until == last
        assert "Ann" in bank.today(last)
        bank.retain("W @Ann: Was here.", day=str(date.min), now=last)
