"""Forming opinions: what opens, restates, supports, contradicts and replaces one."""

import random
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank
from lorebank.beliefs.forming import Verdict, facts_by_holder, form, opinion_id
from lorebank.beliefs.materialise import reform_pending, refresh_opinions
from lorebank.domain.facts import (
    Citation,
    EvidenceMark,
    Fact,
    FactKind,
    Mention,
    Opinion,
    OpinionStatus,
    Stance,
)
from lorebank.index.opinions import stance_model_changed
from lorebank.index.vectors import FINGERPRINT
from lorebank.markdown.opinion_page import OpinionEntry
from lorebank.providers.local import MultilingualEmbedder
from support import WORDS_ONLY

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


def test_thresholds_on_nearness_hold_for_the_embedder_that_is_installed() -> None:
    assert MultilingualEmbedder().fingerprint == FINGERPRINT


def test_a_story_of_a_changed_preference() -> None:
    tea, coffee = form_opinions(
        [
            fact(O, "2025-01-01", "Prefers tea.", "Ana", c=0.8),
            fact(W, "2025-01-03", "Ordered tea again.", "Ana"),
            fact(O, "2025-02-01", "Switched from tea to coffee.", "Ana", c=0.9),
            fact(W, "2025-02-05", "Bought more coffee.", "Ana"),
        ]
    )
    assert moves(tea) == [("for", "stated"), ("against", "replaced")]
    assert (tea.status, tea.superseded_by) == (OpinionStatus.SUPERSEDED, coffee.id)
    assert [c for _, c in tea.history] == [0.8, pytest.approx(0.1)]
    assert moves(coffee) == [("for", "stated")]
    assert (coffee.status, coffee.confidence) == (OpinionStatus.LIVE, 0.9)


def test_who_returns_to_an_opinion_holds_it_again() -> None:
    tea, coffee = form_opinions(
        [
            fact(O, "2025-01-01", "Prefers tea.", "Ana", c=0.8),
            fact(O, "2025-02-01", "Switched from tea to coffee.", "Ana"),
            fact(O, "2025-03-01", "Switched from coffee to tea.", "Ana", c=0.7),
            fact(O, "2025-03-02", "Prefers tea.", "Ana", c=0.7),
        ]
    )[:2]
    assert (tea.status, tea.superseded_by, tea.confidence) == (OpinionStatus.LIVE, None, 0.7)
    assert coffee.status is OpinionStatus.SUPERSEDED


def test_a_restatement_pulls_and_the_contrary_stands_as_an_opinion_of_its_own() -> None:
    facts = [
        fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.9),
        fact(O, "2025-01-05", "Loves jazz", "Ana", c=0.7),
        fact(O, "2025-01-09", "No longer likes jazz.", "Ana", c=0.8),
    ]
    loves, tired = form_opinions(facts)
    assert [r for _, r in moves(loves)] == ["stated", "restated", "replaced"]
    first, second, third = (c for _, c in loves.history)
    assert first == 0.9 and 0.7 < second < 0.9 and third == pytest.approx(0.2)
    assert (loves.superseded_by, tired.supersedes) == (tired.id, (loves.id,))
    assert (tired.statement, tired.confidence) == ("No longer likes jazz.", 0.8)


def test_the_contrary_said_with_little_confidence_closes_nothing() -> None:
    loves, doubts = form_opinions(
        [
            fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.9),
            fact(O, "2025-01-09", "Hates jazz.", "Ana", c=0.3),
        ]
    )
    assert (loves.status, doubts.status) == (OpinionStatus.LIVE, OpinionStatus.LIVE)
    assert loves.confidence == pytest.approx(0.7)


def test_what_is_uncertain_stands_beside_the_older_opinion_and_is_asked_about() -> None:
    facts = [
        fact(O, "2025-01-01", "Likes Marrakech.", "Ana"),
        fact(O, "2025-01-05", "Would go to Marrakech in spring.", "Ana"),
    ]
    formed = form(facts)
    assert [len(opinion.evidence) for opinion in formed.opinions] == [1, 1]
    [pair] = formed.unsure
    assert (pair.fact, pair.opinion_id) == (facts[1], formed.opinions[0].id)


@pytest.mark.parametrize("word", ["same", "replaces", "both"])
def test_a_judge_settles_what_two_opinions_are_to_each_other(word: str) -> None:
    older = fact(O, "2025-01-01", "Likes Marrakech.", "Ana", c=0.8)
    newer = fact(O, "2025-01-05", "Would go to Marrakech in spring.", "Ana", c=0.9)
    later = fact(W, "2025-01-09", "Booked two weeks there.", "Ana")
    first = opinion_id("ana", older.content)
    second = opinion_id("ana", newer.content)
    stance = {"same": Stance.FOR, "replaces": Stance.AGAINST, "both": Stance.UNRELATED}[word]
    formed = form(
        [older, newer, later],
        verdicts=[Verdict(newer.id, first, stance), Verdict(later.id, second, Stance.FOR)],
    )
    assert formed.unsure == ()
    told = [(o.id, o.status.value, moves(o)) for o in formed.opinions]
    stated, agreed = ("for", "stated"), ("for", "verdict")
    assert (
        told
        == {
            # What was judged on the opinion that is no more counts for the one it turned out to be.
            "same": [(first, "live", [stated, ("for", "restated"), agreed])],
            "replaces": [
                (first, "superseded", [stated, ("against", "verdict")]),
                (second, "live", [stated, agreed]),
            ],
            "both": [(first, "live", [stated]), (second, "live", [stated, agreed])],
        }[word]
    )


def test_a_line_that_states_no_opinion_counts_only_where_it_says_outright_that_one_is_over() -> (
    None
):
    opening = fact(O, "2025-01-01", "Likes working from home.", "Ana", c=0.8)
    deed = fact(W, "2025-01-02", "Rented a context at home from her aunt.", "Ana")
    outright = fact(W, "2025-01-03", "No longer likes working from home.", "Ana")
    hearsay = fact(W, "2025-01-04", "No longer likes working from home.", "Ben", "Ana")
    formed = form([opening, deed, outright, hearsay])
    (home,) = formed.opinions
    assert moves(home) == [("for", "stated"), ("against", "over")]
    assert home.status is OpinionStatus.LIVE and 0.6 < home.confidence < 0.8
    assert [pair.fact for pair in formed.unsure] == [hearsay, deed]


def test_opinions_of_two_persons_and_on_two_subjects_never_cross() -> None:
    opinions = form_opinions(
        [
            fact(O, "2025-01-01", "Loves jazz.", "Ana"),
            fact(O, "2025-01-01", "Loves jazz.", "Ben"),
            fact(O, "2025-01-01", "Loves opera.", "Ana"),
            fact(W, "2025-01-02", "No longer loves jazz.", "Ben"),
            fact(W, "2025-01-02", "Told Ana that he no longer loves opera.", "Ben", "Ana"),
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
        "No longer likes {}.",
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
    extra = fact(O, "2025-06-01", "Hates tea.", "Ana")
    assert form_opinions([*facts, extra]) != form_opinions(facts)
    assert form_opinions([f for f in [*facts, extra] if f is not extra]) == form_opinions(facts)


def test_a_sentence_repeated_on_one_day_counts_once() -> None:
    opening = fact(O, "2025-01-01", "Loves jazz.", "Ana", c=0.8)
    once = [opening, fact(W, "2025-01-02", "No longer loves jazz.", "Ana")]
    twice = [*once, fact(W, "2025-01-02", "No longer loves  JAZZ.", "Ana")]
    assert form_opinions(once)[0].confidence < 0.8
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
        fact(W, "2025-01-02", "No longer loves jazz.", "Ana"),
    ]
    jazz, opera, sushi = (opinion_id("ana", f"Loves {x}.") for x in ("jazz", "opera", "sushi"))
    opinions = form_opinions(
        facts,
        overrides=[
            OpinionEntry(jazz, "Loves old jazz.", pin=0.9),
            OpinionEntry(opera, "", retracted=True),
            OpinionEntry(sushi, "", deleted=True),
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
            fact(W, None, "No longer loves jazz.", "Ana"),
            fact(W, "2025-01-02", "No longer loves jazz.", "Ana"),
        ]
    )
    assert moves(jazz) == [("against", "over")]
    assert jazz.confidence < 0.7


def test_of_each_line_one_pair_waits_and_none_for_questions_or_what_is_far() -> None:
    facts = [
        fact(O, "2025-01-01", "Hates phone calls.", "Ana", c=0.7),
        fact(O, "2025-01-01", "Prefers letters with stamps.", "Ana", c=0.7),
        fact(W, "2025-01-03", "Does Ana still hate phone calls?", "Ana"),
        fact(W, "2025-01-04", "Phone calls, phone calls.", "Ana"),
        fact(W, "2025-01-06", "Repaired the boat.", "Ana"),
    ]
    waiting = form(facts).unsure
    assert [pair.fact for pair in waiting] == [facts[3]]


def test_opinions_formed_without_vectors_are_formed_anew_when_there_are(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-01", "- O(c=0.8) @Jo: The garden should stay wild.")
    root = write_log("2026-02-01", "- O(c=0.8) @Jo: Der Garten gehört endlich gemäht.")
    known: dict[str, bytes] = {}

    def vectors_of(texts: Sequence[str]) -> dict[str, bytes]:
        return {text: known[text] for text in texts if text in known}

    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        index, settings = bank.workspace.index, bank.config.reflect
        refresh_opinions(index, root, None, settings, vectors_of)
        apart = bank.workspace.opinions(None, None, None)
        assert [o.status for o in apart] == [OpinionStatus.LIVE] * 2
        # A recall has embedded them meanwhile: nothing is left to embed, and they are formed anew.
        known |= {o.statement: struct.pack("2f", 1, 0) for o in apart}
        assert reform_pending(index, root, settings, vectors_of, len) == 2
        opinions = bank.workspace.opinions(None, None, None)
        assert OpinionStatus.SUPERSEDED in [o.status for o in opinions]
        assert reform_pending(index, root, settings, vectors_of, len) == 0


def test_an_embedder_set_up_later_leaves_opinions_to_the_commands_that_embed(
    write_log: Callable[..., Path],
) -> None:
    write_log("2026-01-01", "- O(c=0.8) @Jo: The garden should stay wild.", "- O @Al: Likes tea.")
    root = write_log("2026-02-01", "- O(c=0.8) @Jo: Der Garten gehört endlich gemäht.")

    def vectors_of(texts: Sequence[str]) -> dict[str, bytes]:
        return {text: struct.pack("2f", 1, 0) for text in texts}

    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        index, settings = bank.workspace.index, bank.config.reflect
        assert not stance_model_changed(index, has_vectors=True)
        refresh_opinions(index, root, ["al"], settings, vectors_of)
        statuses = [o.status for o in bank.workspace.opinions(None, None, None)]
        assert statuses == [OpinionStatus.LIVE] * 3
        assert not stance_model_changed(index, has_vectors=True)
        assert stance_model_changed(index, has_vectors=False)

        reform_pending(index, root, settings, vectors_of, lambda texts: 0)
        statuses = [o.status for o in bank.workspace.opinions(None, None, None)]
        assert OpinionStatus.SUPERSEDED in statuses
        assert reform_pending(index, root, settings, vectors_of, len) == 0
