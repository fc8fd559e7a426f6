"""Recall: what a question means, what answers it, and what is said of both."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank, FactKind, LorebankError, NotFound, UsageError
from lorebank.domain.facts import Interval
from lorebank.index.finding import Selection
from lorebank.recall.filters import Filters
from lorebank.recall.understand import Understood, understand
from support import FIXTURES, WORDS_ONLY, golden

NOW = date(2025, 12, 10)
NAMES = {
    "peter": ("peter", "Peter"),
    "pete": ("peter", "Peter"),
    "the-castle": ("the-castle", "The Castle"),
    "james": ("james", "James"),
    "田中": ("tanaka", "田中"),
    "小明": ("xiaoming", "小明"),
    "김민준": ("kim", "김민준"),
}


def read(text: str, **filters: Any) -> Understood:
    return understand(
        text,
        now=NOW,
        filters=Filters(Selection(**filters)),
        lookup=lambda slugs: {s: NAMES[s] for s in slugs if s in NAMES},
    )


@golden("questions.md")
def test_names_are_found_however_they_are_bent(text: str, names: tuple[str, ...]) -> None:
    assert read(text).query.entities == names


def test_of_a_very_long_question_whole_words_are_read_and_the_rest_is_said() -> None:
    found = read("boiler " * 100_000)
    assert found.terms == ("boiler",)
    assert found.notes == ("only the first 4,000 characters of the question were read",)
    assert read("x" * 5_000).terms == ("x" * 4_000,)


@golden("questions.md")
def test_the_intent_is_seen_in_many_languages(text: str, intent: set[str]) -> None:
    assert intent <= set(read(text).query.intent)


def test_fields_become_filters_and_leave_the_text() -> None:
    found = read('boats kind:O entity:"The Castle" since:2025-11-01 before:2025-12-01')
    assert found.filters.wanted.kinds == (FactKind.OPINION,)
    assert found.filters.wanted.entities == ("the-castle",)
    assert found.filters.wanted.interval == Interval(date(2025, 11, 1), date(2025, 11, 30))
    assert found.terms == ("boats",)


@golden("questions.md")
def test_a_time_field_has_the_edge_that_its_name_says(field: str, interval: Interval) -> None:
    assert read(f"boats {field}").query.interval == interval


@golden("questions.md")
def test_a_field_that_makes_no_sense_is_an_error(text: str) -> None:
    if text == "before:":
        assert read(text).query.interval is None
        return
    with pytest.raises(UsageError):
        read(text)


@golden("questions.md")
def test_a_colon_alone_makes_no_field(text: str) -> None:
    assert read(text).filters == Filters()


@pytest.mark.parametrize("quoted", ['"green boat"', "“green boat”", "«green boat»"])
def test_a_quoted_phrase_is_a_term(quoted: str) -> None:
    assert "green boat" in read(f"the {quoted} of Peter").terms


def test_words_of_names_and_dates_are_no_subject() -> None:
    found = read("where was Peter in November 2025, on a boat")
    assert set(found.subject_terms) == {"boat"}
    assert found.query.interval == Interval(date(2025, 11, 1), date(2025, 11, 30))


@pytest.fixture
def diary(write_log: Callable[..., Path]) -> Iterator[Bank]:
    root = write_log("2025-11-10", "- W @Peter: Bought a kayak.", "- O(c=0.9) @Peter: Likes tea.")
    write_log("2025-11-27", "- W @Peter: Is in Marrakech from Nov 27 to Dec 1, 2025.")
    write_log("2025-12-03", "- W @Ada: Repaired the kayak.", "- W @Ada: Was in Rome on 5 Nov 2025.")
    write_log(
        "2025-12-09", "- O(c=0.8) @Peter: No longer likes tea.", "- W @[[田中]]: 引っ越した。"
    )
    (root / "bank").mkdir()
    (root / "bank" / "identity.md").write_text("- alias @Pete → @Peter (2025-12-03: nickname)\n")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        yield bank


@golden("questions.md")
def test_a_time_is_matched_by_day_of_event_or_of_writing(
    diary: Bank, query: str, found: dict[str, str]
) -> None:
    hits = {
        h.content: h.why["temporal"]["by"] for h in diary.recall(query).hits if "temporal" in h.why
    }
    assert found.items() <= hits.items()
    if not found:
        assert hits == {}


def test_a_time_that_is_vague_or_holds_nothing_is_said(diary: Bank) -> None:
    assert any("March 2024" in note for note in diary.recall("kayak in March 2024").notes)
    answer = diary.recall("who repaired the kayak the other day")
    assert answer.notes == ("date phrase 'the other day' is too vague; no time filter applied",)
    assert answer.query.interval is None


def test_an_opinion_comes_with_confidence_and_evidence(diary: Bank) -> None:
    answer = diary.recall("does Peter like tea?", include_superseded=True)
    hit = next(h for h in answer.hits if h.content == "Likes tea.")
    assert hit.confidence is not None and 0 < hit.confidence < 1
    assert {e.stance.value for e in hit.evidence} == {"for", "against"}


def test_a_past_day_hides_what_came_later(diary: Bank) -> None:
    then = diary.recall("does Peter like tea?", as_of="2025-11-30", include_superseded=True)
    assert "No longer likes tea." not in {hit.content for hit in then.hits}
    hit = next(h for h in then.hits if h.content == "Likes tea.")
    assert {e.stance.value for e in hit.evidence} == {"for"}
    now = diary.recall("does Peter like tea?", include_superseded=True)
    later = next(h for h in now.hits if h.content == "Likes tea.")
    assert hit.confidence is not None and later.confidence is not None
    assert hit.confidence > later.confidence
    assert then.query.as_of == date(2025, 11, 30)


def test_an_alias_leads_to_the_entity(diary: Bank) -> None:
    assert diary.recall("what does Pete like").query.entities == ("Peter",)
    assert diary.recall("kayak", entities=["Pete"]).hits[0].content == "Bought a kayak."
    assert diary.entity("pete").entity.name == "Peter"
    with pytest.raises(NotFound) as raised:
        diary.recall("kayak", entities=["Petr"])
    assert "Peter" in raised.value.hint


@golden("questions.md")
def test_nonsense_has_no_answer(diary: Bank, query: str) -> None:
    answer = diary.recall(query)
    assert (answer.hits, answer.evidence, answer.total) == ((), "none", 0)


@pytest.mark.parametrize("query", ["ghjkl vbnmx", "trelk", "wrozzle pindash"])
def test_what_is_no_word_anywhere_has_no_answer_by_meaning(
    copy_fixture: Callable[[str], Path], query: str
) -> None:
    with Bank.open(copy_fixture("year")) as bank:
        bank.sync()
        answer = bank.recall(query)
        assert (answer.hits, answer.evidence, bank.search(query)) == ((), "none", ())


@pytest.mark.parametrize("query", ["the", "of", "and"])
def test_stop_words_alone_are_never_answered_strongly(diary: Bank, query: str) -> None:
    assert diary.recall(query).evidence != "strong"


def test_a_retriever_that_cannot_run_is_named(diary: Bank) -> None:
    answer = diary.recall("kayak repair")
    assert answer.retrievers_skipped == {
        "semantic": "switched off by embedder.provider = none"
    } or ("embed" in answer.retrievers_skipped["semantic"])
    assert "semantic" not in answer.retrievers_used


@golden("questions.md")
def test_the_token_budget_gives_at_least_one_hit_and_tells_the_rest(
    diary: Bank, budget: int
) -> None:
    whole = diary.recall("kayak tea Peter Ada")
    answer = diary.recall("kayak tea Peter Ada", token_budget=budget)
    assert answer.hits == whole.hits[: len(answer.hits)] != ()
    assert answer.total == whole.total
    assert answer.truncated == (len(answer.hits) < answer.total)
    assert len(answer.hits) == 1 or answer.tokens <= budget


def test_k_cuts_and_says_so(diary: Bank) -> None:
    answer = diary.recall("kayak", k=1)
    assert (len(answer.hits), answer.total > 1, answer.truncated) == (1, True, True)


@golden("questions.md")
def test_an_option_that_is_not_understood_is_an_error(diary: Bank, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        diary.recall("kayak", **wrong)
    if "k" in wrong:
        with pytest.raises(UsageError):
            diary.search("kayak", **wrong)


def test_filters_hold(diary: Bank) -> None:
    def contents(**filters: Any) -> set[str]:
        return {hit.content for hit in diary.recall("kayak Peter", **filters).hits}

    assert contents(kinds=["O"]) <= {"Likes tea.", "No longer likes tea."}
    assert contents(until="2025-11-10") <= {
        "Bought a kayak.",
        "Likes tea.",
        "Was in Rome on 5 Nov 2025.",
    }
    assert all(h.confidence >= 0.5 for h in diary.recall("Peter tea", min_confidence=0.5).hits)


def test_the_envelope_is_the_published_one(diary: Bank) -> None:
    envelope = json.loads(json.dumps(diary.recall("does Peter like tea?").to_dict()))
    fields = "evidence hits index notes query retrievers schema_version tokens total total_exact"
    assert " ".join(sorted(envelope)) == f"{fields} truncated"
    query = "text terms entities interval kinds intent as_of tags path excluded origins"
    assert " ".join(envelope["query"]) == query
    hit = "id kind timestamp entities content source recorded confidence status score why evidence"
    assert set(envelope["hits"][0]) >= set(hit.split())
    evidence = [entry for hit in envelope["hits"] for entry in hit["evidence"]]
    assert evidence
    assert all(set(entry) >= {"source", "stance", "date", "delta"} for entry in evidence)
    assert set(envelope["index"]) == {"fresh", "synced_at"}
    assert set(envelope["retrievers"]) == {"used", "skipped"}
    assert envelope["schema_version"] == 1


def test_sources_open(diary: Bank) -> None:
    hits = diary.recall("kayak tea").hits
    for hit in hits:
        assert hit.content in diary.get(str(hit.source)).text


@golden("questions.md")
def test_get_gives_memory_files_only(diary: Bank, path: str) -> None:
    (diary.root / "outside.md").write_text("secret")
    (diary.root / "memory" / "link.md").symlink_to(diary.root / "outside.md")
    with pytest.raises(LorebankError):
        diary.get(path)


FLOORS = {
    "harbour": {"lexical": 0.9, "entity": 0.6, "temporal": 0.8, "opinion": 0.6, "none": 0.9}
    | {"list": 0.9, "log": 0.9, "role": 0.9},
    "year": {"lexical": 0.8, "entity": 0.9, "temporal": 0.8, "opinion": 0.75, "none": 0.9}
    | {"list": 0.9, "log": 0.9, "role": 0.7},
    "messy": {"lexical": 0.9, "entity": 0.7, "temporal": 0.5, "opinion": 0.75, "none": 0.6},
}


@pytest.mark.parametrize("name", FLOORS)
def test_judged_questions_stay_above_their_floors(
    copy_fixture: Callable[[str], Path], name: str
) -> None:
    """Share of questions with a right line among five hits; of those without one, of answers that
    are not called strong."""
    queries = json.loads((FIXTURES / f"{name}.queries.json").read_text("utf-8"))
    right: dict[str, list[bool]] = defaultdict(list)
    with Bank.open(copy_fixture(name), environ=WORDS_ONLY) as bank:
        for query in queries:
            answer = bank.recall(query["question"], k=5, now=date.fromisoformat(query["now"]))
            places = [citation.split("#L") for citation in query["gold"]]
            found = any(
                hit.source.path == path
                and hit.source.start_line <= int(line.split("-")[0]) <= hit.source.end_line
                for hit in answer.hits
                for path, line in places
            )
            if query["kind"] == "semantic":
                continue  # these share no word with the answer, and this test has no embedder
            right[query["kind"]].append(found if places else answer.evidence != "strong")
    shares = {kind: sum(rows) / len(rows) for kind, rows in right.items()}
    below = {kind: share for kind, share in shares.items() if share < FLOORS[name][kind]}
    assert below == {}, shares


def test_an_answer_says_where_a_secret_is_masked_and_how_it_is_not(
    write_log: Callable[..., Path],
) -> None:
    line = "- W @Cellar: The cellar door code is 58C20."
    root = write_log("2025-11-10", line)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        answer = bank.recall("what is the cellar door code?", now=NOW)
        [hit] = answer.hits
        assert "58C20" not in hit.content
        [note] = [each for each in answer.notes if str(hit.source) in each and "masked" in each]
        assert "<!-- not a secret -->" in note
    write_log("2025-11-10", f"{line} <!-- not a secret -->")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        answer = bank.recall("what is the cellar door code?", now=NOW)
        assert "58C20" in answer.hits[0].content
        assert not any("masked" in each for each in answer.notes)
