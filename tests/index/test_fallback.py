"""A provider that fails, the one that steps in, and the way back; with real servers."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index import breaker
from lorebank.providers.protocols import Limits
from provider_server import Fault, Provider, serving

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUESTION = "how did we stop the Baileys crash"


@pytest.fixture
def openai() -> Iterator[Provider]:
    with serving(Provider(dimension=32)) as provider:
        yield provider


@pytest.fixture
def gemini() -> Iterator[Provider]:
    with serving(Provider(dimension=24)) as provider:
        yield provider


@pytest.fixture
def environ(openai: Provider, gemini: Provider) -> dict[str, str]:
    return {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_EMBEDDER__REMOTE__ATTEMPTS": "1",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": f"{openai.url}/v1",
        "LOREBANK_PROVIDERS__OPENAI__API_KEY": openai.key,
        "LOREBANK_PROVIDERS__GEMINI__BASE_URL": f"{gemini.url}/v1beta",
        "LOREBANK_PROVIDERS__GEMINI__API_KEY": gemini.key,
    }


WITH_GEMINI = {"LOREBANK_EMBEDDER__FALLBACK": "gemini"}
WITH_LOCAL = {"LOREBANK_EMBEDDER__FALLBACK": "local"}


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets the time pass for which a failed provider is left alone."""

    def pass_time() -> None:
        monkeypatch.setattr(breaker.time, "time", lambda: 4e9)

    return pass_time


def test_a_remote_provider_embeds_and_answers(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        report = bank.sync()
        assert report.pending == 0
        assert report.embedded == len(openai.embedded) == len(set(openai.embedded)) > 20
        hit = bank.search("Baileys crash")[0]
        assert (hit.provider, hit.model, hit.fallback) == ("openai", "text-embedding-3-small", None)
        assert "semantic" in bank.recall(QUESTION).retrievers_used
        about = bank.status().embedder
    assert about == {
        "provider": "openai",
        "model": "text-embedding-3-small",
        "dimension": 32,
        "available": True,
        "reason": "",
        "endpoint": f"{openai.url}/v1",
        "serving": "openai/text-embedding-3-small",
        "fallback": None,
        "lacks": "",
        "waiting": 0,
    }


def test_f68_an_unchanged_workspace_asks_a_remote_provider_nothing(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
    openai.requests.clear()
    with Bank.open(root, environ=environ) as bank:
        assert bank.sync().embedded == 0
        assert bank.sync(full=True).embedded == 0
    (root / ".memory" / "index.sqlite").unlink()
    with Bank.open(root, environ=environ) as bank:
        report = bank.sync()
        assert (report.embedded, report.pending) == (0, 0)
    assert openai.requests == []


def test_the_same_question_is_embedded_once(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        openai.requests.clear()
        first = [hit.source for hit in bank.recall(QUESTION).hits]
    with Bank.open(root, environ=environ) as bank:
        assert [hit.source for hit in bank.recall(QUESTION).hits] == first
    assert [request.json["input"] for request in openai.requests] == [[QUESTION]]


def test_f27_the_fallback_is_used_only_when_the_primary_fails(
    root: Path, openai: Provider, gemini: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ | WITH_GEMINI) as bank:
        bank.sync()
        bank.recall(QUESTION)
        assert gemini.requests == []
        assert openai.requests != []


def test_f28_a_failure_switches_to_the_fallback_and_keeps_the_reason(
    root: Path, openai: Provider, gemini: Provider, environ: dict[str, str]
) -> None:
    openai.down = True
    with Bank.open(root, environ=environ | WITH_GEMINI) as bank:
        report = bank.sync()
        assert report.pending == 0
        assert report.embedded == len(set(gemini.embedded)) > 20
    with Bank.open(root, environ=environ | WITH_GEMINI) as bank:
        answer = bank.recall(QUESTION)
        assert "semantic" in answer.retrievers_used
        reason = "answered 503: the server is down); gemini answers"
        assert answer.notes[-1].startswith("openai failed (openai at 127.0.0.1:")
        assert answer.notes[-1].endswith(reason)
        hit = bank.search("Baileys crash")[0]
        assert (hit.provider, hit.model) == ("gemini", "gemini-embedding-001")
        assert hit.fallback == answer.notes[-1]
        about = bank.status().embedder
        assert (about["serving"], about["fallback"]) == (
            "gemini/gemini-embedding-001",
            answer.notes[-1],
        )


def test_f28_a_local_model_that_fails_is_replaced_by_openai(
    root: Path, openai: Provider, environ: dict[str, str], tmp_path: Path
) -> None:
    local = {
        "LOREBANK_EMBEDDER__PROVIDER": "local",
        "LOREBANK_EMBEDDER__FALLBACK": "openai",
        "LOREBANK_EMBEDDER__LOCAL__MODEL_PATH": str(tmp_path / "missing.gguf"),
        "LOREBANK_EMBEDDER__LOCAL__COMMAND": "true",
    }
    with Bank.open(root, environ=environ | local) as bank:
        assert bank.sync().pending == 0
        hit = bank.search("Baileys crash")[0]
        assert (hit.provider, hit.model) == ("openai", "text-embedding-3-small")
        assert "no file" in (hit.fallback or "") and "missing.gguf" in (hit.fallback or "")


def test_a_failed_primary_is_left_alone_and_words_answer(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        openai.down = True
        openai.requests.clear()
        for question in ("relay crash", "what about the boat", "network trouble"):
            answer = bank.recall(question)
            assert "answered 503: the server is down" in answer.retrievers_skipped["semantic"]
        assert answer.hits
    with Bank.open(root, environ=environ) as bank:  # another process knows of it as well
        bank.recall("one more question of that kind")
    assert len(openai.requests) == 1


def test_the_primary_is_back_when_it_recovers(
    root: Path,
    openai: Provider,
    gemini: Provider,
    environ: dict[str, str],
    rested: Callable[[], None],
) -> None:
    with Bank.open(root, environ=environ | WITH_GEMINI) as bank:
        bank.sync()
        openai.down = True
        (root / "memory" / "2026-01-05.md").write_text("## Retain\n- W @Ada: Keeps bees.\n")
        bank.sync()
        assert bank.search("bees")[0].provider == "gemini"
        openai.down = False
        embedded = len(openai.embedded)
        rested()
        hit = bank.search("bees")[0]
        assert (hit.provider, hit.fallback) == ("openai", None)
        assert bank.status().counts["pending"] == 0
        # The question, and what is new: the rest was known.
        assert len(openai.embedded) - embedded <= 4
        assert bank.recall(QUESTION).notes == ()


def test_a_sync_asks_a_failed_primary_one_short_question_first(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        openai.down = True
        bank.sync()
        openai.requests.clear()
        bank.sync()
        assert [request.json["input"] for request in openai.requests] == [["lorebank"]]
        openai.down = False
        assert bank.sync().pending == 0
        assert bank.status().embedder["reason"] == ""


def test_f48_another_provider_is_said_loudly_and_takes_over_when_it_is_complete(
    root: Path, environ: dict[str, str], openai: Provider
) -> None:
    told: list[str] = []
    local = environ | {"LOREBANK_EMBEDDER__PROVIDER": "local"}
    with Bank.open(root, environ=local, say=told.append) as bank:
        bank.sync()
        assert told == []
    openai.faults += [Fault()] + [Fault(500, body={"error": "broken"})] * 20
    small = environ | {"LOREBANK_EMBEDDER__REMOTE__CONCURRENCY": "1"}
    with Bank.open(root, environ=small, say=told.append) as bank:
        bank.workspace.meaning._primary.load().limits = Limits(items=8)  # type: ignore[union-attr]
        report = bank.sync()
        assert report.pending == 0  # the old vectors are all there, and serve
        hit = bank.search("Baileys crash")[0]
        assert hit.provider == "local"
        assert (hit.fallback or "").endswith(
            "local/universal-sentence-encoder-multilingual-3 + all-MiniLM-L6-v2 answers"
        )
    done = len(openai.embedded)
    openai.faults.clear()
    with Bank.open(root, environ=small, say=told.append) as bank:
        bank.sync()
        assert bank.search("Baileys crash")[0].provider == "openai"
    texts = [text for text in openai.embedded if text not in ("lorebank", "Baileys crash")]
    assert done < len(texts)
    assert told[0].startswith(
        "openai/text-embedding-3-small takes the place of "
        "local/universal-sentence-encoder-multilingual-3 + all-MiniLM-L6-v2: "
    )
    assert told[0].endswith("and the old vectors serve until that is done")


def test_f48_other_chunk_sizes_are_said_loudly_and_nothing_is_embedded_anew(
    root: Path, environ: dict[str, str], openai: Provider
) -> None:
    told: list[str] = []
    with Bank.open(root, environ=environ, say=told.append) as bank:
        bank.sync()
        told.clear()
    with Bank.open(
        root, environ=environ | {"LOREBANK_INDEX__CHUNK_TOKENS": "120"}, say=told.append
    ) as bank:
        report = bank.sync()
        assert (report.embedded, report.pending) == (0, 0)
    assert told == ["headings or chunk sizes changed: every file is read again"]


def test_a_model_that_was_changed_under_its_name_is_noticed(
    root: Path, environ: dict[str, str], openai: Provider
) -> None:
    with Bank.open(root, environ=environ) as bank:
        count = bank.sync().embedded
    openai.dimension = 48
    with Bank.open(root, environ=environ) as bank:
        reason = bank.recall(QUESTION).retrievers_skipped["semantic"]
        assert reason == (
            "openai: text-embedding-3-small now gives vectors of 48 numbers, not 32: "
            "run `lorebank index`"
        )
        assert bank.sync().embedded == count
        assert bank.recall(QUESTION).retrievers_skipped == {}
    openai.dimension = 64
    with Bank.open(root, environ=environ) as bank:
        (root / "memory" / "2026-01-05.md").write_text("## Retain\n- W @Ada: Keeps bees.\n")
        assert bank.sync().embedded > count
        assert bank.recall(QUESTION).retrievers_skipped == {}


@pytest.mark.allow_hosts(["127.0.0.1", "0.0.0.0"])
def test_what_is_sent_where_is_said_once_before_it_is_sent(
    root: Path, environ: dict[str, str], openai: Provider
) -> None:
    """0.0.0.0 reaches this machine, and is no address of its loopback: as good as another's."""
    told: list[tuple[str, int]] = []
    url = openai.url.replace("127.0.0.1", "0.0.0.0") + "/v1"
    elsewhere = environ | {"LOREBANK_PROVIDERS__OPENAI__BASE_URL": url}
    with Bank.open(
        root, environ=elsewhere, say=lambda line: told.append((line, len(openai.requests)))
    ) as bank:
        bank.sync()
        bank.recall(QUESTION)
    line = f"the text of notes and questions is sent to {url} (openai, text-embedding-3-small)"
    assert told == [(line, 0)]
    openai.requests.clear()
    with Bank.open(root, environ=elsewhere, offline=True) as bank:
        reason = bank.recall("a question that was not asked before").retrievers_skipped["semantic"]
        assert "nothing may leave this machine (offline)" in reason
    assert openai.requests == []


def test_a_breaker_that_makes_no_sense_is_closed(root: Path, environ: dict[str, str]) -> None:
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        for text in ("", "[]", "{", json.dumps({"until": "soon"}), json.dumps({"until": 9e99})):
            from lorebank.database.connection import write_meta

            write_meta(
                bank.workspace.index,
                f"breaker of {bank.workspace.meaning._primary.load().fingerprint}",
                text,
            )
            assert "semantic" in bank.recall(QUESTION).retrievers_used


def test_a_rebuilt_index_takes_its_vectors_from_the_cache_at_the_first_question(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        assert bank.sync().embedded > 32
        expected = [hit.source for hit in bank.recall(QUESTION).hits]
    (root / ".memory" / "index.sqlite").unlink()
    openai.requests.clear()
    with Bank.open(root, environ=environ) as bank:
        answer = bank.recall(QUESTION)
        assert ([hit.source for hit in answer.hits], answer.notes) == (expected, ())
        assert bank.status().counts["pending"] == 0
    assert openai.requests == []


def test_what_could_not_be_embedded_is_said_with_a_remedy(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    wrong = environ | {"LOREBANK_PROVIDERS__OPENAI__API_KEY": "not-the-key"}
    where = f"openai at {openai.url.removeprefix('http://')}"
    with Bank.open(root, environ=wrong) as bank:
        report = bank.sync()
        assert report.pending > 20
        assert report.embedder_problem == f"{where}: answered 401: Incorrect API key provided"
        assert report.embedder_remedy.startswith("check the key of openai")
        notes = bank.recall(QUESTION).notes
        assert notes == (f"found by words alone: {report.embedder_problem}",)
    with Bank.open(root, environ=wrong | WITH_LOCAL) as bank:
        report = bank.sync()
        assert (report.pending, report.embedder_remedy) == (0, "")
        assert report.embedder_problem == (
            f"openai failed ({where}: answered 401: Incorrect API key provided); local answers"
        )
        assert bank.status().embedder["dimension"] == 0  # nobody knows openai's yet
    with Bank.open(root, environ=environ) as bank:
        report = bank.sync()
        assert (report.embedder_problem, report.embedder_remedy) == ("", "")


def test_a_question_before_anything_is_embedded_says_so(
    root: Path, environ: dict[str, str]
) -> None:
    with Bank.open(root, environ=environ) as bank:
        answer = bank.recall(QUESTION)
        assert answer.retrievers_skipped == {
            "semantic": "nothing is embedded yet: run `lorebank index`"
        }
        assert answer.notes == (
            "found by words alone: nothing is embedded yet: run `lorebank index`",
        )


@pytest.mark.parametrize("at_once", [1, 2, 3])
def test_no_more_requests_are_under_way_than_allowed(
    root: Path, openai: Provider, environ: dict[str, str], at_once: int
) -> None:
    openai.latency = 0.05
    few = environ | {"LOREBANK_EMBEDDER__REMOTE__CONCURRENCY": str(at_once)}
    with Bank.open(root, environ=few) as bank:
        embedder = bank.workspace.meaning._primary.load()
        embedder.limits = Limits(items=2, concurrency=at_once)  # type: ignore[union-attr]
        assert bank.sync().pending == 0
    assert len(openai.requests) > 12
    assert openai.most_at_once == at_once


def test_a_provider_that_asks_to_wait_is_sent_that_many_fewer_requests(
    root: Path, openai: Provider, environ: dict[str, str]
) -> None:
    """One of two turns waits for a second; the other goes on, one request at a time."""
    openai.latency = 0.02
    openai.faults.append(Fault(429, {"Retry-After": "1"}, {"error": "slow down"}))
    patient = environ | {"LOREBANK_EMBEDDER__REMOTE__ATTEMPTS": "3"}
    with Bank.open(root, environ=patient) as bank:
        embedder = bank.workspace.meaning._primary.load()
        embedder.limits = Limits(items=1, concurrency=2)  # type: ignore[union-attr]
        report = bank.sync()
    assert (report.pending, report.embedder_problem) == (0, "")
    assert len(openai.requests) == report.embedded + 1
