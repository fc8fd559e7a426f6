"""Forming opinions: what opens, restates, supports, contradicts and replaces one."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import count
from typing import Any

import pytest

from lorebank.domain import (
    Citation,
    EvidenceMark,
    Fact,
    FactKind,
    Mention,
    Opinion,
    OpinionStatus,
    Stance,
)
from lorebank.reflect.beliefs import Pin
from lorebank.reflect.matching import (
    Override,
    Verdict,
    facts_by_holder,
    form,
    opinion_id,
)

W, B, O = FactKind.WORLD, FactKind.EXPERIENCE, FactKind.OPINION  # noqa: E741
_numbers: Iterator[int] = count(1)


def fact(
    kind: FactKind,
    day: str | None,
    text: str,
    *names: str,
    c: float | None = None,
    marks: tuple[EvidenceMark, ...] = (),
) -> Fact:
    line = next(_numbers)
    return Fact(
        id=f"f-{line:010x}",
        kind=kind,
        content=text,
        raw=text,
        citation=Citation(f"memory/{day or 'notes'}.md", line, line),
        mentions=tuple(Mention(n, n.lower(), i == 0) for i, n in enumerate(names)),
        confidence=c,
        recorded=date.fromisoformat(day) if day else None,
        marks=marks,
    )


def form_opinions(facts: Iterable[Fact], **settings: Any) -> tuple[Opinion, ...]:
    return form(facts, **settings).opinions


def moves(opinion: Opinion) -> list[tuple[str, str]]:
    return [(e.stance.value, e.reason) for e in opinion.evidence]


def test_a_story_of_a_changed_preference() -> None:
    tea, coffee = form_opinions(
        [
            fact(O, "2025-01-01", "Prefers tea.", "Ana", c=0.8),
            fact(W, "2025-01-03", "Ordered tea again.", "Ana"),
            fact(O, "2025-02-01", "Switched from tea to coffee.", "Ana"),
            fact(W, "2025-02-05", "Bought more coffee.", "Ana"),
        ]
    )
    assert moves(tea) == [("for", "stated"), ("for", "habit"), ("against", "change")]
    assert (tea.status, tea.superseded_by) == (OpinionStatus.SUPERSEDED, coffee.id)
    assert tea.confidence < dict(tea.history)[date(2025, 1, 3)]
    assert moves(coffee) == [("for", "stated"), ("for", "habit")]
    assert coffee.status is OpinionStatus.LIVE


def test_renewed_support_revives_a_superseded_opinion() -> None:
    tea, _ = form_opinions(
        [
            fact(O, "2025-01-01", "Prefers tea.", "Ana", c=0.8),
            fact(O, "2025-02-01", "Switched from tea to coffee.", "Ana"),
            fact(W, "2025-03-01", "Drinks tea every day and loves tea.", "Ana"),
        ]
    )
    assert (tea.status, tea.superseded_by) == (OpinionStatus.LIVE, None)


def test_a_restatement_pulls_and_a_denial_opens_nothing() -> None:
    facts = [
        fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.9),
        fact(O, "2025-01-05", "Loves jazz", "Ana", c=0.7),
        fact(O, "2025-01-09", "No longer likes jazz.", "Ana"),
    ]
    (jazz,) = form_opinions(facts)
    assert [r for _, r in moves(jazz)] == ["stated", "restated", "attitude"]
    first, second, third = (c for _, c in jazz.history)
    assert first == 0.9 and 0.7 < second < 0.9 and third < second


def test_one_opinion_in_many_words_rises_falls_and_rises() -> None:
    (short,) = form_opinions(
        [
            fact(O, "2025-01-01", "Prefers short mails; the rest goes to a file.", "Ana", c=0.7),
            fact(O, "2025-01-05", "Asked once more for brief emails.", "Ana"),
            fact(O, "2025-01-09", "No longer wants only short emails.", "Ana"),
            fact(O, "2025-01-12", 'Is back to concise emails: "please".', "Ana"),
        ]
    )
    assert [stance for stance, _ in moves(short)] == ["for", "for", "against", "for"]
    first, second, third, fourth = (c for _, c in short.history)
    assert first < second > third < fourth


def test_two_aspects_of_one_object_stay_apart() -> None:
    opinions = form_opinions(
        [
            fact(O, "2025-01-01", "Likes Marrakech.", "Ana"),
            fact(O, "2025-01-05", "Would go to Marrakech in spring.", "Ana"),
        ]
    )
    assert [len(opinion.evidence) for opinion in opinions] == [1, 1]


def test_opinions_of_two_persons_and_on_two_subjects_never_cross() -> None:
    opinions = form_opinions(
        [
            fact(O, "2025-01-01", "Loves jazz.", "Ana"),
            fact(O, "2025-01-01", "Loves jazz.", "Ben"),
            fact(O, "2025-01-01", "Loves opera.", "Ana"),
            fact(W, "2025-01-02", "Hates jazz.", "Ben"),
            fact(W, "2025-01-02", "Told Ana that he hates opera.", "Ben", "Ana"),
        ]
    )
    against = {
        (o.entities, o.statement)
        for o in opinions
        if any(e.stance is Stance.AGAINST for e in o.evidence)
    }
    assert against == {(("Ben",), "Loves jazz.")}


def story() -> list[Fact]:
    texts = [
        "Loves {}.",
        "Hates {}.",
        "Ordered {} again.",
        "Gave up {}.",
        "Now prefers {} to cake.",
    ]
    chance = random.Random(7)
    return [
        fact(
            chance.choice([O, W, B]),
            f"2025-{chance.randint(1, 9):02}-{chance.randint(1, 28):02}",
            chance.choice(texts).format(chance.choice(["tea", "sushi", "jazz", "cheese"])),
            chance.choice(["Ana", "Ben", "Cleo"]),
            c=chance.choice([None, 0.6, 0.9]),
        )
        for _ in range(150)
    ]


def test_input_order_has_no_effect() -> None:
    facts = story()
    expected = form_opinions(facts)
    random.Random(1).shuffle(facts)
    assert form_opinions(facts) == expected


def test_replay_to_a_day_equals_what_was_formed_on_that_day() -> None:
    facts = story()
    day = date(2025, 5, 15)
    written = [f for f in facts if f.recorded and f.recorded <= day]
    assert form_opinions(facts, as_of=day) == form_opinions(written, as_of=day)


def test_one_holder_alone_gives_the_same_opinions() -> None:
    facts = story()
    now = date(2025, 12, 31)
    everyone = form(facts, as_of=now).opinions
    own = facts_by_holder(facts)["ana"]
    alone = form(own, holders=["ana"], as_of=now).opinions
    assert alone == tuple(o for o in everyone if o.entities == ("Ana",))


def test_removing_a_line_restores_the_state_without_it() -> None:
    facts = story()
    extra = fact(W, "2025-06-01", "Hates tea.", "Ana")
    assert form_opinions([*facts, extra]) != form_opinions(facts)
    assert form_opinions([f for f in [*facts, extra] if f is not extra]) == form_opinions(facts)


def test_a_sentence_repeated_on_one_day_counts_once() -> None:
    opening = fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.8)
    once = [opening, fact(W, "2025-01-02", "Hates jazz.", "Ana")]
    twice = [*once, fact(W, "2025-01-02", "Hates  JAZZ.", "Ana")]
    assert form_opinions(twice)[0].history == form_opinions(once)[0].history


@pytest.mark.parametrize("length", [6, 10])
def test_a_mark_wins_over_what_the_words_say(length: int) -> None:
    identity = opinion_id("ana", "Loves jazz.")
    mark = EvidenceMark(Stance.AGAINST, identity[:length])
    (jazz,) = form_opinions(
        [
            fact(O, "2025-01-01", "Loves jazz.", "Ana"),
            fact(W, "2025-01-02", "Loves jazz more than ever.", "Ana", marks=(mark,)),
            fact(W, "2025-01-03", "The concert was sold out.", marks=(mark,)),
        ]
    )
    assert moves(jazz) == [("for", "stated"), ("against", "mark"), ("against", "mark")]


def test_a_verdict_settles_an_unsure_pair() -> None:
    opening = fact(O, "2025-01-01", "Enjoys working from the train.", "Ana")
    vague = fact(W, "2025-01-02", "Works on the train timetable.", "Ana")
    formed = form([opening, vague])
    assert [pair.fact.id for pair in formed.unsure] == [vague.id]
    verdict = Verdict(vague.id, formed.opinions[0].id, Stance.UNRELATED)
    settled = form([opening, vague], verdicts=[verdict])
    assert (settled.unsure, len(settled.opinions[0].evidence)) == ((), 1)
    agreed = form([opening, vague], verdicts=[Verdict(vague.id, formed.opinions[0].id, Stance.FOR)])
    assert moves(agreed.opinions[0]) == [("for", "stated"), ("for", "verdict")]


def test_overrides_are_respected() -> None:
    facts = [
        fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.8),
        fact(O, "2025-01-01", "Loves opera.", "Ana", c=0.8),
        fact(O, "2025-01-01", "Loves sushi.", "Ana", c=0.8),
        fact(W, "2025-01-02", "Hates jazz.", "Ana"),
    ]
    jazz, opera, sushi = (opinion_id("ana", f"Loves {x}.") for x in ("jazz", "opera", "sushi"))
    opinions = form_opinions(
        facts,
        overrides=[
            Override(jazz, statement="Loves old jazz.", pin=Pin(0.9)),
            Override(opera, retracted=True),
            Override(sushi, deleted=True),
        ],
    )
    assert [(o.id, o.statement, o.confidence, o.status) for o in opinions] == [
        (jazz, "Loves old jazz.", 0.9, OpinionStatus.LIVE),
        (opera, "Loves opera.", 0.8, OpinionStatus.RETRACTED),
    ]


def test_undated_lines_open_opinions_and_move_nothing() -> None:
    (jazz,) = form_opinions(
        [
            fact(O, None, "Loves jazz.", "Ana", c=0.7),
            fact(W, None, "Hates jazz.", "Ana"),
            fact(W, "2025-01-02", "Hates jazz.", "Ana"),
        ]
    )
    assert moves(jazz) == [("against", "attitude")]
    assert jazz.confidence < 0.7


def test_the_unsure_queue_is_short_best_first_and_without_noise() -> None:
    facts = [
        fact(O, "2025-01-01", "Hates phone calls.", "Ana", c=0.7),
        fact(W, "2025-01-02", "Lost her phone on the tram.", "Ana"),
        fact(W, "2025-01-03", "Does Ana still hate phone calls?", "Ana"),
        fact(W, "2025-01-04", "Phone calls, phone calls.", "Ana"),
        fact(W, "2025-01-05", "Her sister loves phone calls.", "Ana"),
        fact(W, "2025-01-06", "Repaired the boat.", "Ana"),
        *(
            fact(W, f"2025-02-{d:02}", f"Loves phone calls and hates them {d}.", "Ana")
            for d in range(1, 8)
        ),
    ]
    queue = form(facts).unsure
    assert [pair.score for pair in queue] == sorted((p.score for p in queue), reverse=True)
    assert len(queue) <= 3
    assert {pair.fact.content for pair in queue}.isdisjoint(f.content for f in facts[1:3])
