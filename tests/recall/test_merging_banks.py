"""Answers of several banks made into one: turns by rank, evidence, copies, the budget, failures."""

from dataclasses import replace

from lorebank.domain.answers import Answer, BankPart, Hit, Query, SearchHit
from lorebank.domain.facts import Citation
from lorebank.recall.several import Asked, merge_answers, merge_searches
from support import golden

WORKSPACES = {"a": "/a", "b": "/b", "c": "/c"}


def hit(content: str, score: float = 1.0) -> Hit:
    return Hit(f"f-{content}", "world", content, Citation("memory/x.md", 1, 1), score)


def answer(*contents: str, evidence: str = "strong", notes: tuple[str, ...] = ()) -> Answer:
    return Answer(
        query=Query("q"),
        hits=tuple(hit(content, 9.0 - place) for place, content in enumerate(contents)),
        evidence=evidence,
        total=len(contents),
        truncated=False,
        tokens=0,
        index={"fresh": True, "synced_at": "2025-12-10T10:00:00"},
        retrievers_used=("lexical",),
        retrievers_skipped={},
        notes=notes,
    )


def asked(**answers: Answer | str) -> list[Asked[Answer]]:
    return [
        Asked(BankPart(bank, WORKSPACES[bank], error=said, hint="mend it"))
        if isinstance(said, str)
        else Asked(BankPart(bank, WORKSPACES[bank]), said)
        for bank, said in answers.items()
    ]


def merged(k: int = 10, token_budget: int | None = None, **answers: Answer | str) -> Answer:
    return merge_answers(asked(**answers), "q", k=k, token_budget=token_budget)


def order(answer: Answer) -> list[tuple[str, str]]:
    return [(hit.bank, hit.content) for hit in answer.hits]


@golden("questions.md")
def test_banks_take_turns_as_far_as_their_evidence_goes(
    levels: tuple[str, str], expected: list[str], evidence: str
) -> None:
    a = answer("a1", "a2", "a3", evidence=levels[0])
    b = answer("b1", "b2", "b3", evidence=levels[1])
    found = merged(a=a, b=b)
    assert ([hit.content for hit in found.hits], found.evidence) == (expected, evidence)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_the_scores_of_two_banks_are_never_compared() -> None:
    loud = replace(answer("b1", "b2"), hits=(hit("b1", 900.0), hit("b2", 800.0)))
    assert order(merged(a=answer("a1", "a2"), b=loud)) == [
        ("a", "a1"),
        ("b", "b1"),
        ("a", "a2"),
        ("b", "b2"),
    ]


def test_a_copy_is_one_hit_at_its_best_place() -> None:
    found = merged(a=answer("a1", "same"), b=answer("same", "b2"))
    assert order(found) == [("a", "a1"), ("b", "same"), ("b", "b2")]
    assert found.hits[1].why["bank"] == {"rank": 1, "also": ["a"]}
    assert (found.total, found.truncated) == (3, False)


def test_k_and_the_budget_hold_for_the_whole_and_one_hit_is_given() -> None:
    banks = {"a": answer("one two three", "four five six"), "b": answer("seven eight nine")}
    assert len(merged(k=2, **banks).hits) == 2
    assert merged(k=2, **banks).truncated
    tight = merged(token_budget=1, **banks)
    assert order(tight) == [("a", "one two three")]
    assert [part.results for part in tight.banks] == [1, 0]


def test_a_bank_that_failed_is_named_and_fails_nothing() -> None:
    found = merged(a="is gone", b=answer("b1"))
    assert order(found) == [("b", "b1")]
    assert found.notes == ("a: is gone; mend it",)
    assert found.to_dict()["banks"] == [
        {
            "bank": "a",
            "workspace": "/a",
            "results": 0,
            "evidence": None,
            "error": "is gone",
            "hint": "mend it",
        },
        {
            "bank": "b",
            "workspace": "/b",
            "results": 1,
            "evidence": "strong",
            "error": None,
            "hint": None,
        },
    ]


def test_notes_say_whose_they_are_unless_all_banks_say_them() -> None:
    found = merged(
        a=answer("a1", notes=("no date", "alone")), b=answer(evidence="none", notes=("no date",))
    )
    assert found.notes == ("no date", "a: alone", "nothing in b answers this")


def test_passages_take_turns_and_a_bank_far_below_begins_later() -> None:
    def passage(path: str, score: float) -> SearchHit:
        return SearchHit(path, 1, 2, score, f"text of {path}")

    found = merge_searches(
        [
            Asked(BankPart("a", "/a"), (passage("a1", 0.3), passage("a2", 0.2))),
            Asked(BankPart("b", "/b"), (passage("b1", 0.9), passage("b2", 0.8))),
            Asked(BankPart("c", "/c"), (passage("c1", 0.5),)),
        ],
        k=4,
    )
    assert [hit.place for hit in found] == ["b:b1#L1-L2", "c:c1#L1-L2", "b:b2#L1-L2", "a:a1#L1-L2"]
