"""Newest truth first: what replaces what, what is only beside it, and what is shown of both."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lorebank import Answer, Bank, FactStatus
from lorebank.domain.answers import Ending
from lorebank.domain.facts import Citation
from lorebank.index.succession import Dated, newer_lines, put_newer_first
from lorebank.render.beliefs import explanation_lines
from lorebank.render.for_models import MODEL
from support import WORDS_ONLY, golden

Write = Callable[..., Path]
QUESTION = "Peter Anna atlas cafe room lives speaks uses visited vegetarian pilot phone sync"


@pytest.fixture
def bank_of(write_log: Write) -> Callable[..., object]:
    """Opens a bank over logs given as `(day, line, …)`."""

    @contextmanager
    def opened(*logs: tuple[str, ...]) -> Iterator[Bank]:
        for day, *lines in logs:
            root = write_log(day, *lines)
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            yield bank

    return opened


def contents(answer: Answer) -> list[str]:
    return [hit.content for hit in answer.hits]


def test_the_newest_value_leads_and_the_old_one_is_hidden_but_said(bank_of) -> None:  # type: ignore[no-untyped-def]
    with bank_of(
        ("2025-01-02", "- W @Peter: Lives in Berlin."),
        ("2025-03-02", "- W @Peter: Has moved to Lisbon with his cat."),
    ) as bank:
        answer = bank.recall("Where does Peter live?")
        assert contents(answer) == ["Has moved to Lisbon with his cat."]
        assert "1 superseded hit is hidden; include superseded facts to see them" in answer.notes
        everything = bank.recall("Where does Peter live?", include_superseded=True)
        old = next(hit for hit in everything.hits if "Berlin" in hit.content)
        assert old.status is FactStatus.SUPERSEDED
        assert old.superseded_by == answer.hits[0].id
        assert answer.hits[0].why["replaces"] == {"facts": [old.id]}


@golden("questions.md")
def test_a_question_about_the_past_hides_nothing(question: str, bank_of) -> None:  # type: ignore[no-untyped-def]
    with bank_of(
        ("2025-01-02", "- W @Peter: Lives in Berlin, his home."),
        ("2025-03-02", "- W @Peter: Lives in Lisbon, his home."),
    ) as bank:
        assert len(bank.recall(question).hits) == 2


@golden("questions.md")
def test_each_version_is_told_as_what_it_is(
    bank_of: Callable[..., Any], logs: list[str], asked: dict[str, str], hits: Any
) -> None:
    with bank_of(*(line.split(" ", 1) for line in logs)) as bank:
        found = bank.recall(**asked).hits
        assert type(hits)((hit.content, hit.status.value) for hit in found) == hits


def test_an_alias_is_the_same_person(bank_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ledger = tmp_path / "bank" / "identity.md"
    ledger.parent.mkdir()
    ledger.write_text("- alias @Pete → @Peter (2025-01-01: same person)\n", "utf-8")
    with bank_of(
        ("2025-01-02", "- W @Peter: Works at Hooli."),
        ("2025-03-02", "- W @Pete: No longer works at Hooli."),
    ) as bank:
        answer = bank.recall("Where does Peter work?")
        assert contents(answer) == ["No longer works at Hooli."]


@golden("questions.md")
def test_other_aspects_and_other_people_survive(older: str, newer: str, bank_of) -> None:  # type: ignore[no-untyped-def]
    with bank_of(("2025-01-02", older), ("2025-06-02", newer)) as bank:
        hits = bank.recall("kind:world").hits
        assert len(hits) == 2
        assert {hit.status for hit in hits} == {FactStatus.LIVE}


@golden("questions.md")
def test_another_value_of_the_same_property_replaces(older: str, newer: str, bank_of) -> None:  # type: ignore[no-untyped-def]
    with bank_of(("2025-01-02", older), ("2025-06-02", newer)) as bank:
        hits = bank.recall("kind:world", include_superseded=True).hits
        assert {hit.content: hit.status for hit in hits} == {
            older.partition(": ")[2]: FactStatus.SUPERSEDED,
            newer.partition(": ")[2]: FactStatus.LIVE,
        }


def test_two_logs_of_one_day_have_no_order_but_lines_of_one_have(bank_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    beside = tmp_path / "memory" / "2025-01-02-evening.md"
    beside.parent.mkdir()
    beside.write_text("# Evening\n\n## Retain\n- W @Anna: Lives in Bonn.\n", "utf-8")
    with bank_of(
        (
            "2025-01-02",
            "- W @Anna: Lives in Rome.",
            "- W @Peter: Lives in Berlin.",
            "- W @Peter: Correction: lives in Lisbon.",
        )
    ) as bank:
        assert len(bank.recall("Where does Anna live?", entities=["Anna"]).hits) == 2
        assert contents(bank.recall("Where does Peter live?", entities=["Peter"])) == [
            "Correction: lives in Lisbon."
        ]


def test_versions_of_a_statement_no_rule_knows_are_shown_newest_first_and_all(bank_of) -> None:  # type: ignore[no-untyped-def]
    with bank_of(
        ("2025-01-02", "- W The mascot wears a scarf of green wool."),
        ("2025-03-02", "- W The mascot wears a scarf of red silk."),
        ("2025-02-02", "- W The mascot wears a scarf of blue felt."),
    ) as bank:
        assert contents(bank.recall("What scarf does the mascot wear?")) == [
            "The mascot wears a scarf of red silk.",
            "The mascot wears a scarf of blue felt.",
            "The mascot wears a scarf of green wool.",
        ]
        first = bank.recall("When did the mascot wear the green scarf?").hits[0]
        assert first.content == "The mascot wears a scarf of green wool."


def test_a_log_of_several_subjects_is_no_dialogue(write_log: Write) -> None:
    write_log(
        "2026-11-09",
        "- W @payments: Version 3.4.1 is in production.",
        "- W @Dana: Owns payments.",
        "- W @search: Runs on stg-01.",
        "- W @Marek: Is on call this week.",
        "- W @payments: Keeps logs for 30 days.",
    )
    root = write_log("2026-11-19", "- W @payments: Version 3.5.1 is in production.")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        new, old, *_ = bank.recall("what version is payments on in production?").hits
    assert (new.content, old.questioned_by) == ("Version 3.5.1 is in production.", new.id)


def test_deleting_the_newer_line_brings_the_older_back(bank_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with bank_of(
        ("2025-01-02", "- W @Peter: Lives in Berlin."),
        ("2025-03-02", "- W @Peter: Lives in Lisbon."),
    ) as bank:
        assert contents(bank.recall("Where does Peter live?")) == ["Lives in Lisbon."]
        (tmp_path / "memory" / "2025-03-02.md").unlink()
        bank.sync()
        (hit,) = bank.recall("Where does Peter live?").hits
        assert (hit.content, hit.status) == ("Lives in Berlin.", FactStatus.LIVE)


def _near_lines(*lines: tuple[str, str, float]) -> tuple[list[int], dict[int, int]]:
    """What leads among `(subject, day, angle of the vector)`; `f-0` and `f-2` hold both."""
    dated = [Dated(n, f"f-{n}", who, (day, n)) for n, (who, day, _) in enumerate(lines)]
    near = {n: np.array([math.cos(a), math.sin(a)], np.float32) for n, (*_, a) in enumerate(lines)}
    newer = newer_lines(dated, lambda _: near, lambda: {("f-2", "f-0")})
    return put_newer_first(range(len(lines)), newer), newer


@golden("questions.md")
def test_of_near_lines_that_nobody_judged_the_newer_leads_and_the_older_is_marked(
    lines: list[tuple[str, str, float]], order: list[int], newer: dict[int, int]
) -> None:
    assert _near_lines(*lines) == (order, newer)


@pytest.mark.parametrize(
    ("older", "newer", "question", "leads"),
    [
        (
            "We pay 640 for the mooring, and Olaf takes it in cash.",
            "Olaf rang: the mooring will be 690, he says, we pay by the quarter.",
            "What do we pay for the mooring?",
            "newer",
        ),
        (
            "We pay 640 for the mooring, and Olaf takes it in cash.",
            "The mooring was full of weed again, Olaf cut it back with a scythe.",
            "What do we pay Olaf in cash?",
            "older",
        ),
    ],
)
def test_newer_prose_leads_where_it_answers_as_well_by_the_same_words(
    write_log: Write, older: str, newer: str, question: str, leads: str
) -> None:
    write_log("2026-01-02", older)
    root = write_log("2026-02-02", newer)
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 2, 9)) as bank:
        bank.sync()
        first, second, *_ = bank.recall(question).hits
        formerly = bank.recall(question.replace("do we", "did we formerly")).hits
    assert first.content == (newer if leads == "newer" else older)
    assert second.questioned_by == (first.id if leads == "newer" else None)
    assert [hit.questioned_by for hit in formerly] == [None, None]


def test_what_begins_later_stands_behind_what_holds_until_then(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-02", "- W @Mill: The tea room at the mill is open daily from 10 to 16.")
    line = "- W @Mill: From 1 April the tea room at the mill is open daily from 10 to 15."
    root = write_log("2026-02-02", line)
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        question = "when is the tea room at the mill open?"
        first, second = bank.recall(question, now=date(2026, 2, 3)).hits
        assert ("10 to 16" in first.content, first.standing, second.standing) == (True, "", "")
        first, second = bank.recall(question, now=date(2026, 4, 1)).hits
        assert ("10 to 15" in first.content, second.questioned_by) == (True, first.id)
        bank.reflect(now=date(2026, 4, 1))
    page = (root / "bank/entities/Mill.md").read_text("utf-8")
    older = "The tea room at the mill is open daily from 10 to 16."
    assert f" · before, on 2026-01-02, not judged: {older}" in page


@golden("questions.md")
def test_an_older_line_that_may_hold_no_longer_says_so(
    write_log: Callable[..., Path], older: str, newer: str, question: str
) -> None:
    write_log("2026-01-02", f"- {older}")
    root = write_log("2026-02-02", f"- {newer}")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        new, old = bank.recall(question).hits
    assert (new.standing, old.status) == ("", FactStatus.LIVE)
    assert (old.questioned_by, old.standing) == (new.id, f"older; {new.id} may say otherwise")


def test_what_happened_is_not_questioned_by_what_happened_later(write_log: Write) -> None:
    write_log("2026-02-02", "- B @Tomasz: Gave notice on 2 February; last day with us is the 27th.")
    root = write_log("2026-03-02", "- B @Tomasz: Left us on 27 February, his last day with us.")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        first, second = bank.recall("When did Tomasz give notice?", now=date(2026, 3, 9)).hits
    assert "Gave notice" in first.content and first.standing == second.standing == ""


def test_opinions_ruled_to_stand_side_by_side_do_not_question_each_other(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-02", "- O(c=0.9) @Kit: Wants to spend the summer in Sweden.")
    write_log("2026-02-02", "- O(c=0.6) @Kit: Wants to spend the summer in Norway.")
    root = write_log("2026-02-09", "- O(c=0.6) @Kit: Wants to spend the summer in Norway.")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        [item] = bank.inbox().items
        assert item.newer is not None
        bank.rule({item.id: "both"}, by="kit")
        new, old = bank.recall("where does Kit want to go?").hits
        assert (new.questioned_by, old.questioned_by) == (None, None)
        bank.unrule(by="kit")
        assert bank.recall("where does Kit want to go?").hits[1].questioned_by


@golden("questions.md")
def test_an_opinion_returned_to_leads_by_its_newest_line(
    write_log: Callable[..., Path], said: tuple[str, str]
) -> None:
    for day, statement in zip(("01-02", "01-09", "01-16"), (*said, said[0]), strict=True):
        root = write_log(f"2026-{day}", f"- O(c=0.9) @Kit: {statement}")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        first, second = bank.recall("what does Kit think of holidays, Urlaub?").hits
    assert (first.content, str(first.source)) == (said[0], "memory/2026-01-16.md#L4")
    assert [str(place) for place in first.repeats] == ["memory/2026-01-02.md#L4"]
    assert (first.questioned_by, second.content) == (None, said[1])


def test_a_page_of_an_entity_and_the_boot_pack_lead_with_the_newer_opinion(
    write_log: Callable[..., Path],
) -> None:
    said = "Wants to spend the summer in Sweden.", "Wants to spend the summer in Norway."
    write_log("2026-01-02", f"- O(c=0.9) @Kit: {said[0]}")
    root = write_log("2026-02-02", f"- O(c=0.6) @Kit: {said[1]}")
    with Bank.open(root, environ={}, now=date(2026, 2, 9)) as bank:
        bank.reflect()
        assert tuple(o.statement for o in bank.opinions("Kit")) == said
        assert tuple(o.statement for o in bank.entity("Kit").opinions) == said[::-1]
        pack = bank.context().text
    assert pack.index(said[1]) < pack.index(said[0])


def test_lines_of_one_belief_do_not_question_each_other(
    copy_fixture: Callable[[str], Path],
) -> None:
    """Praise of 9 December restates what Peter prefers since November, past a line between."""
    with Bank.open(copy_fixture("harbour"), environ={}, now=date(2025, 12, 10)) as bank:
        bank.sync()
        first, second = bank.recall("what does Peter prefer?", k=2).hits
    assert (str(first.source), first.standing) == ("memory/2025-11-27.md#L15", "")
    assert (str(second.source), second.standing) == ("memory/2025-12-09.md#L10", "")


def test_a_line_that_has_ended_itself_questions_no_other(write_log: Callable[..., Path]) -> None:
    write_log("2026-01-02", "- W @Kit: Sleeps in the loft above the bakery.")
    write_log("2026-02-02", "- W @Kit: Has a bedroom over the butcher's.")
    root = write_log("2026-02-03", "- W @Kit: Rents a boat.")
    with Bank.open(root, environ={}) as bank:
        bank.sync()
        _, middle, last = sorted(bank.timeline("Kit"), key=lambda f: f.citation.path)
        (root / "bank").mkdir(exist_ok=True)
        ruling = f"- {last.id} replaces {middle.id} (2026-02-04 by Ana)\n"
        (root / "bank/decisions.md").write_text(ruling, "utf-8")
        bank.sync()
        old = next(h for h in bank.recall("where does Kit sleep?").hits if "loft" in h.content)
    assert old.questioned_by != middle.id


AGENTS = " (origin: agent, by claude-code)"
CONTRARY = (
    ("W", "Is allergic to walnuts and cashews.", "Is not allergic to walnuts."),
    ("W", "Rides a green cargo bike to work.", "No longer rides the green cargo bike to work."),
    ("O(c=0.9)", "Prefers trains to planes.", "Prefers planes to trains."),
    ("W", "Drives a grey Volvo estate with a roof rack.", "Sold the Volvo."),
)


@pytest.mark.parametrize(("kind", "owners", "agents"), CONTRARY)
@pytest.mark.parametrize(("first", "second"), [("", AGENTS), (AGENTS, ""), (AGENTS, AGENTS)])
def test_an_agents_line_leads_no_line_of_the_owners(
    write_log: Write, kind: str, owners: str, agents: str, first: str, second: str
) -> None:
    """Of lines by one hand the newer leads; of the owner's and an agent's the owner's."""
    write_log("2026-01-02", f"- {kind} @Ines: {owners}{first}")
    root = write_log("2026-02-02", f"- {kind} @Ines: {agents}{second}")
    with Bank.open(root, environ={}, now=date(2026, 2, 9)) as bank:
        bank.sync()
        hits = bank.recall(f"Ines, {owners}").hits
    leads = owners if second and not first else agents
    assert (hits[0].content, hits[0].standing) == (leads, "")


def test_the_owners_opinions_stand_before_those_on_an_agents_word(write_log: Write) -> None:
    root = write_log(
        "2026-02-02",
        f"- O(c=0.99) @Ines: Prefers that Rolf keeps the keys.{AGENTS}",
        "- O(c=0.8) @Ines: Prefers short meetings.",
    )
    with Bank.open(root, environ={}, now=date(2026, 2, 9)) as bank:
        bank.sync()
        assert [o.origin.value for o in bank.opinions("Ines")] == ["owner", "agent"]
        hits = bank.recall("what does Ines prefer?").hits
    assert [hit.origin.value for hit in hits] == ["owner", "agent"]


def test_explain_tells_what_ended_a_line_and_who_ruled(write_log: Write) -> None:
    write_log("2026-01-02", "- W @Ines: Teaches the evening class.")
    root = write_log("2026-02-02", "- W @Ines: Has a stall on the market.")
    (root / "bank").mkdir()
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 2, 9)) as bank:
        old, new = sorted(bank.timeline("Ines"), key=lambda fact: fact.citation.path)
        assert bank.explain(old.id).ending is None
        ruling = f"- {new.id} replaces {old.id} (2026-02-04 by Ana)\n"
        (root / "bank/decisions.md").write_text(ruling, "utf-8")
        bank.sync()
        story = bank.explain(old.id)
    ending = Ending(
        id=new.id,
        text=new.content,
        source=new.citation,
        since=date(2026, 2, 2),
        ruling=Citation("bank/decisions.md", 1, 1),
        ruled_by="Ana",
        ruled_on=date(2026, 2, 4),
    )
    assert story.ending == ending
    assert explanation_lines(MODEL, story)[-3:] == [
        "## Superseded",
        "  Has a stall on the market.",
        f"    since 2026-02-02 · {new.id} · ruled by Ana on 2026-02-04 (bank/decisions.md#L1)"
        " · memory/2026-02-02.md#L4",
    ]


@pytest.fixture
def tilda(write_log: Write) -> Iterator[Bank]:
    write_log(
        "2025-01-10",
        "- W The berth costs 410 a month.",
        "- B @me: Rowed with @[[Tilda Roe]].",
        "- W @[[Tilda Roe]]: Lives in Malmö.",
        "- W @[[Tilda Roe]]: Bought a kiln.",
    )
    write_log(
        "2025-03-12",
        "- W The berth costs 455 a month from April on.",
        "- B @me: Rowed with @[[Tilda Roe]] around the island.",
        "- W @[[Tilda Roe]]: Moved to Ystad.",
    )
    root = write_log("2025-06-02", "- W @[[Tilda Roe]]: Works at the bakery in Ystad.")
    with Bank.open(root, now=date(2025, 7, 1)) as bank:
        bank.sync()
        yield bank


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("since when does the berth cost 455?", "The berth costs 455 a month from April on."),
        ("since when did the berth cost 410?", "The berth costs 410 a month."),
        ("since when does Tilda live in Ystad?", "Moved to Ystad."),
        ("since when does Tilda Roe live in Ystad?", "Moved to Ystad."),
    ],
)
def test_since_when_begins_with_what_gives_the_value(
    tilda: Bank, question: str, first: str
) -> None:
    assert tilda.recall(question).hits[0].content == first


def test_how_often_counts_what_was_done_and_not_all_about_the_one_named(tilda: Bank) -> None:
    [note] = [n for n in tilda.recall("how often did I row with Tilda Roe?").notes if "speak" in n]
    assert note.startswith("2 lines speak of this on 2 days")


def test_a_newer_fact_leads_no_fact_that_gives_the_property_asked_for(tilda: Bank) -> None:
    first, *_ = tilda.recall("where does Tilda Roe live?").hits
    assert (first.content, first.questioned_by) == ("Moved to Ystad.", None)


def test_what_takes_the_place_of_a_hit_is_shown_though_no_word_found_it(write_log: Write) -> None:
    write_log("2026-01-02", "- W @Ines: Lives in Setúbal.")
    root = write_log("2026-02-02", "- W @Ines: Lives in Braga.")
    with Bank.open(root, environ=WORDS_ONLY, now=date(2026, 2, 9)) as bank:
        bank.sync()
        assert bank.recall("Setúbal").hits[0].content == "Lives in Braga."
