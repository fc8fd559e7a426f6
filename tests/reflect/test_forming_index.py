"""An index of words finds the opinions that comparing every line with every opinion finds."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank.beliefs import forming
from lorebank.beliefs.forming import Formation, Verdict, form, opinion_id
from lorebank.beliefs.reading import MOST_HOLDING, WordIndex, read, shared
from lorebank.beliefs.relation import Bearing, Nearness, UnsurePair, relate, unsure_pair
from lorebank.domain.facts import Fact, FactKind, Stance
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts

THINGS = ["tea", "teas", "coffee", "trains", "training", "gardens", "garden", "emails", "咖啡"]
FORMS = [
    *("Likes {a}.", "Hates {a}.", "No longer likes {a}.", "Prefers {a} to {b}.", "Likes {a}?"),
    *("Prefers {b} to {a} and {c}.", "Switched from {a} to {b}.", "Changed his mind about {a}."),
    *("Likes {a} and {b}, but not {c}.", "{a} is a waste of time now.", "Still likes {a}."),
    *("Prefers {a} with {c} on rainy summer days to {b}.", "Reads {a} on rainy weekend mornings."),
    *("Now {a}.", "Prefers {a} to {c}."),
    *("Thinks {a} is great.", "Does not want {a} with {b}.", "Aime {a}.", "N'aime plus {a}."),
    *("Mag {a} nicht mehr.", "不再喜欢{a}。", "Enjoys {a} {b} {c}.", "Now {a} is better than {b}."),
    *("Was wrong about {a}.", "Met {b} at the {a}.", "{a} after all."),
]

line = st.builds(
    lambda kind, who, said, a, b, c, by: f"- {kind} @{who}: {said.format(a=a, b=b, c=c)}{by}",
    st.sampled_from(["O(c=0.8)", "O", "O(c=0.3)", "W", "B"]),
    st.sampled_from(["Ada", "Ada", "Bo", "Bo @Ada"]),
    st.sampled_from(FORMS),
    st.sampled_from(THINGS),
    st.sampled_from(THINGS),
    st.sampled_from(THINGS),
    st.sampled_from(["", "", "", " <!-- by: agent=coder -->"]),
)
days = st.lists(st.lists(line, min_size=1, max_size=5), min_size=2, max_size=12)
judged = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60), st.sampled_from(list(Stance))), max_size=3
)


@pytest.mark.parametrize("dimensions", [0, 3, 8])
@settings(deadline=None, max_examples=60)
@given(days=days, judged=judged)
def test_an_index_of_words_and_a_product_of_vectors_skip_nothing(
    dimensions: int, days: Sequence[Sequence[str]], judged: Sequence[tuple[int, int, Stance]]
) -> None:
    facts = facts_of(days)
    stated = [fact for fact in facts if fact.kind is FactKind.OPINION]
    verdicts = [
        Verdict(facts[i % len(facts)].id, opinion_id("ada", stated[j % len(stated)].content), said)
        for i, j, said in judged
        if stated
    ]

    def formed() -> Formation:
        nearness = Nearness(lambda texts: vectors(texts, dimensions)) if dimensions else None
        return form(facts, verdicts=verdicts, nearness=nearness)

    found = formed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forming, "_Forming", _Plain)
        assert formed() == found


def test_an_opinion_of_the_same_day_does_not_hide_the_nearest_one_before() -> None:
    coffee, tea = "- O(c=0.8) @Ada: Likes coffee.", "- O(c=0.8) @Ada: Likes tea."
    facts = facts_of([[], [coffee], [tea, "- W @Ada: Met a barista."]])
    near = {"Likes coffee.": (0.6, 0.8), "Likes tea.": (0.8, 0.6), "Met a barista.": (0.8, 0.6)}

    def vectors_of(texts: Collection[str]) -> Mapping[str, bytes]:
        import numpy as np

        return {text: np.array(near[text], np.float32).tobytes() for text in texts}

    asked = form(facts, nearness=Nearness(vectors_of)).unsure
    assert opinion_id("ada", "Likes coffee.") in {
        pair.opinion_id for pair in asked if pair.fact.content == "Met a barista."
    }


def test_only_so_many_of_the_newest_lines_are_asked_about() -> None:
    facts = facts_of(
        [["- O @Ada: Likes green tea."], *([f"- W @Ada: Had green tea {n}."] for n in range(300))]
    )
    unsure = form(facts).unsure

    assert len(unsure) == 200
    assert [pair.fact.content for pair in unsure[:2]] == [
        "Had green tea 299.",
        "Had green tea 298.",
    ]


def test_a_line_is_not_asked_about_with_an_opinion_of_its_day() -> None:
    day = ["- W @Ada: Had green tea.", "- O @Ada: Likes green tea."]

    assert not form(facts_of([day])).unsure
    assert form(facts_of([day[1:], day[:1]])).unsure


class _Plain(forming._Forming):
    """Every line compared with every opinion."""

    def _near(self, fact: Fact, decided: Collection[str]) -> list[forming._Near]:
        found = []
        for number, (belief, _) in enumerate(self._opinions):
            cosine = self._cosine(fact, belief)
            relation = relate(belief.statement, fact.content, self._names, cosine)
            if belief.id not in decided and relation.bearing is not Bearing.UNCERTAIN:
                found.append(forming._Near(number, belief, relation, cosine))
        return found

    def unsure(self) -> list[UnsurePair]:
        found = []
        for fact, first, only, own_word in self._questions:
            said = read(fact.content, self._names).objects
            near = [
                (belief, self._cosine(fact, belief), shared(one.objects, said))
                for number, (belief, one) in enumerate(self._opinions[:first])
                if not only or number in only
            ]
            pair = unsure_pair(fact, near, self._names, own_word=own_word)
            found += [pair] if pair else []
        found.sort(key=lambda p: (-(p.fact.recorded or date.min).toordinal(), -p.score, p.fact.id))
        return found[:200]


def facts_of(days: Sequence[Sequence[str]]) -> list[Fact]:
    found: list[Fact] = []
    for number, lines in enumerate(days):
        text = "# Day\n\n## Retain\n" + "\n".join(lines) + "\n"
        day = date(2024, 1, 1) + timedelta(days=number) if number else None
        document = read_document(text, f"memory/{number}.md")
        found += extract_facts(document, recorded=day, headings=("Retain",), everywhere=False).facts
    return found


def vectors(texts: Sequence[str], dimensions: int) -> Mapping[str, bytes]:
    """Made of the letters of a text, so that like texts are near; none for one in twenty."""
    import numpy as np

    found = {}
    for text in texts:
        if zlib.crc32(text.encode()) % 20:
            own = np.zeros(dimensions, np.float32)
            for word in text.strip(".").split():
                chance = np.random.default_rng(zlib.crc32(word[:4].encode()))
                own += chance.standard_normal(dimensions).astype(np.float32)
            found[text] = (own / np.linalg.norm(own)).tobytes()
    return found


def test_a_word_that_very_many_opinions_name_leads_to_the_newest_of_them() -> None:
    index = WordIndex()
    for number in range(3 * MOST_HOLDING):
        index.add(number, ["mill", f"number{number}"])
    found = index.find(["mills", "number7"])
    assert sorted(found) == [7, *range(2 * MOST_HOLDING, 3 * MOST_HOLDING)]


def test_what_is_about_the_very_same_is_met_however_many_share_a_word() -> None:
    index = WordIndex()
    index.add(0, ["coffee"])
    for number in range(1, MOST_HOLDING + 2):
        index.add(number, ["coffee", f"cafe{number}"])
    assert index.find(["coffee"])[0] == [1, 1]
    assert 1 not in index.find(["coffee"]), "the newest alone"
