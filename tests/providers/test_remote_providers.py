"""Each provider's wire format, spoken with a real server on loopback."""

from dataclasses import replace

import numpy as np
import pytest

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.protocols import Embedder
from lorebank.providers.registry import Setup, account_of, chosen_provider, load_embedder
from lorebank.providers.remote import cut_to_tokens
from lorebank.settings.tables import (
    AccountSettings,
    EmbedderSettings,
    ProviderSettings,
    RemoteSettings,
)
from provider_server import Fault, Provider, unit
from support import golden

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BASES = {"openai": "/v1", "gemini": "/v1beta", "voyage": "/v1", "ollama": "", "llama.cpp": ""}
TEXTS = ["a boat in the harbour", "bees on the roof", "the relay crashed at night"]


def setup_for(name: str, server: Provider, **settings: object) -> Setup:
    """The settings that point a provider at the server, with its key."""
    account = AccountSettings(server.url + BASES[name], "env:TEST_KEY")
    return Setup(
        embedder=replace(EmbedderSettings(provider=name), **settings),
        providers=ProviderSettings(**{name.replace(".", "_"): account}),
        environ={"TEST_KEY": server.key},
    )


def loaded(name: str, server: Provider, **settings: object) -> Embedder:
    embedder = load_embedder(name, setup_for(name, server, **settings))
    assert embedder is not None
    return embedder


@pytest.mark.parametrize("name", BASES)
def test_documents_come_back_in_their_order_and_of_unit_length(name: str, server: Provider) -> None:
    embedder = loaded(name, server)
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.dtype == np.float32
    assert embedder.dimension == 16
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 3, abs=1e-6)
    nearest = vectors @ np.array([unit(text, 16) for text in TEXTS]).T
    assert list(nearest.argmax(axis=1)) == [0, 1, 2]
    embedder.cancel()


def test_f25_openai_asks_for_base64_and_orders_by_index(server: Provider) -> None:
    server.faults.append(Fault(spoil=lambda rows: rows[::-1]))
    embedder = loaded("openai", server)
    vectors = embedder.embed_documents(TEXTS)
    request = server.requests[0]
    assert (request.path, request.headers["Authorization"]) == (
        "/v1/embeddings",
        f"Bearer {server.key}",
    )
    assert request.json == {
        "model": "text-embedding-3-small",
        "input": TEXTS,
        "encoding_format": "base64",
    }
    assert vectors[0] @ unit(TEXTS[0], 16) == pytest.approx(1.0, abs=1e-5)
    embedder.cancel()


def test_openai_compatible_servers_may_answer_with_numbers(server: Provider) -> None:
    def as_numbers(rows: list[dict[str, object]]) -> list[dict[str, object]]:
        return [{"embedding": server.vector(TEXTS[i])} for i, _ in enumerate(rows)]

    server.faults.append(Fault(spoil=as_numbers))
    embedder = loaded("openai", server)
    assert embedder.embed_documents(TEXTS)[2] @ unit(TEXTS[2], 16) == pytest.approx(1, abs=1e-5)
    embedder.cancel()


def test_f24_gemini_names_the_task_and_makes_short_vectors_unit(server: Provider) -> None:
    def shorten(rows: list[dict[str, list[float]]]) -> list[dict[str, list[float]]]:
        return [{"values": [x * 0.3 for x in row["values"]]} for row in rows]

    server.faults += [Fault(spoil=shorten), Fault(spoil=shorten)]
    embedder = loaded("gemini", server, dimensions=16)
    vectors = embedder.embed_documents(TEXTS)
    query = embedder.embed_query("bees")
    assert np.linalg.norm([*vectors, query], axis=1) == pytest.approx([1.0] * 4, abs=1e-6)
    documents, question = server.requests
    assert documents.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert documents.headers["x-goog-api-key"] == server.key
    assert documents.json["requests"][1] == {
        "model": "models/gemini-embedding-001",
        "content": {"parts": [{"text": TEXTS[1]}]},
        "taskType": "RETRIEVAL_DOCUMENT",
        "outputDimensionality": 16,
    }
    assert question.json["requests"][0]["taskType"] == "RETRIEVAL_QUERY"
    embedder.cancel()


def test_voyage_says_document_or_query(server: Provider) -> None:
    embedder = loaded("voyage", server, model="voyage-3-large", dimensions=16)
    embedder.embed_documents(TEXTS)
    embedder.embed_query("bees")
    assert [request.json["input_type"] for request in server.requests] == ["document", "query"]
    assert server.requests[0].json == {
        "input": TEXTS,
        "model": "voyage-3-large",
        "input_type": "document",
        "truncation": True,
        "output_dimension": 16,
    }
    embedder.cancel()


def test_ollama_is_asked_natively_and_roles_are_prefixes(server: Provider) -> None:
    embedder = loaded("ollama", server)
    embedder.embed_documents(["bees"])
    embedder.embed_query("bees")
    assert [(r.path, r.json["input"]) for r in server.requests] == [
        ("/api/embed", ["search_document: bees"]),
        ("/api/embed", ["search_query: bees"]),
    ]
    embedder.cancel()


def test_llama_cpp_is_asked_as_openai_is(server: Provider) -> None:
    embedder = loaded("llama.cpp", server, model="embeddinggemma-300m")
    embedder.embed_query("bees")
    request = server.requests[0]
    assert request.path == "/v1/embeddings"
    assert request.json["input"] == ["task: search result | query: bees"]
    embedder.cancel()


@pytest.mark.parametrize("name", BASES)
def test_an_empty_text_is_not_sent_and_has_no_vector(name: str, server: Provider) -> None:
    embedder = loaded(name, server)
    vectors = embedder.embed_documents(["", " \n", "bees"])
    assert [bool(v.any()) for v in vectors] == [False, False, True]
    assert not embedder.embed_query("  ").any()
    assert len(server.requests) == 1
    embedder.cancel()


@pytest.mark.parametrize("name", BASES)
def test_nothing_is_asked_before_the_first_text(name: str, server: Provider) -> None:
    embedder = loaded(name, server)
    assert embedder.fingerprint and embedder.model and embedder.limits.items
    assert server.requests == []
    embedder.cancel()


def test_fingerprints_tell_provider_endpoint_model_and_dimension_apart(server: Provider) -> None:
    variants = [
        loaded("openai", server),
        loaded("openai", server, dimensions=256),
        loaded("openai", server, model="text-embedding-3-large"),
        loaded("voyage", server),
        load_embedder("openai", Setup(environ={"OPENAI_API_KEY": "k"})),
    ]
    prints = [embedder.fingerprint for embedder in variants if embedder]
    assert len(set(prints)) == 5
    assert all(server.key not in text for text in prints)


@golden("providers.md")
def test_f20_the_first_provider_that_is_there_is_taken(
    tmp_path, environ: dict[str, str], model_path: str, expected: str
) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    path = model_path if model_path.startswith("hf:") or not model_path else tmp_path / model_path
    local = replace(EmbedderSettings().local, model_path=str(path))
    settings = EmbedderSettings(provider="auto", local=local)
    assert chosen_provider(Setup(settings, environ=environ)) == expected


def test_f20_an_explicit_choice_always_wins() -> None:
    setup = Setup(EmbedderSettings(provider="voyage"), environ={"OPENAI_API_KEY": "o"})
    assert chosen_provider(setup) == "voyage"
    with pytest.raises(ProviderError, match="voyage: no key"):
        load_embedder("voyage", setup)
    assert EmbedderSettings().provider == "local"


@pytest.mark.parametrize(
    ("name", "variable"),
    [("openai", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY"), ("voyage", "VOYAGE_API_KEY")],
)
def test_f21_a_key_comes_from_the_settings_or_the_environment(name: str, variable: str) -> None:
    environ = {variable: "from-environment", "MY_KEY": "from-variable"}
    assert account_of(name, Setup(environ=environ)).api_key == "from-environment"
    for text, expected in (("literal", "literal"), ("env:MY_KEY", "from-variable")):
        providers = ProviderSettings(**{name: AccountSettings(api_key=text)})
        assert account_of(name, Setup(providers=providers, environ=environ)).api_key == expected


def test_f21_a_variable_that_is_not_set_is_named() -> None:
    providers = ProviderSettings(openai=AccountSettings(api_key="env:NOWHERE"))
    with pytest.raises(ConfigurationError, match="the variable NOWHERE, which is not set"):
        account_of("openai", Setup(providers=providers))


def test_f22_a_login_for_chat_is_no_key_for_embeddings(tmp_path) -> None:
    codex = tmp_path / ".codex"
    codex.mkdir()
    (codex / "auth.json").write_text('{"tokens": {"access_token": "oauth"}}')
    environ = {"HOME": str(tmp_path), "CODEX_HOME": str(codex), "OPENAI_ACCESS_TOKEN": "oauth"}
    assert chosen_provider(Setup(EmbedderSettings(provider="auto"), environ=environ)) == "local"
    with pytest.raises(ProviderError, match="openai: no key"):
        load_embedder("openai", Setup(environ=environ))


def test_f23_a_custom_endpoint_gets_its_own_key_and_never_that_of_the_environment(
    server: Provider,
) -> None:
    remote = RemoteSettings(base_url=server.url + "/v1", api_key=server.key)
    settings = EmbedderSettings(provider="openai", remote=remote)
    embedder = load_embedder("openai", Setup(settings, environ={"OPENAI_API_KEY": "private"}))
    assert embedder is not None
    embedder.embed_query("bees")
    assert server.requests[0].headers["Authorization"] == f"Bearer {server.key}"
    embedder.cancel()
    keyless = replace(settings, remote=replace(remote, api_key=""))
    embedder = load_embedder("openai", Setup(keyless, environ={"OPENAI_API_KEY": "private"}))
    assert embedder is not None
    with pytest.raises(ProviderError, match="answered 401: Incorrect API key"):
        embedder.embed_query("bees")
    assert "Authorization" not in server.requests[1].headers
    embedder.cancel()


def test_f26_remote_wins_over_the_account_and_headers_are_merged(server: Provider) -> None:
    account = AccountSettings(
        "http://127.0.0.1:1/v1", "wrong", {"X-Organization": "one", "X-Project": "account"}
    )
    remote = RemoteSettings(
        base_url=server.url + "/v1", api_key=server.key, headers={"x-project": "remote"}
    )
    setup = Setup(
        EmbedderSettings(provider="openai", remote=remote), ProviderSettings(openai=account)
    )
    embedder = load_embedder("openai", setup)
    assert embedder is not None
    embedder.embed_query("bees")
    headers = server.requests[0].headers
    assert (headers["X-Organization"], headers.get_all("X-Project")) == ("one", ["remote"])
    embedder.cancel()
    fallback = account_of("openai", replace(setup, as_fallback=True))
    assert (fallback.base_url, fallback.api_key) == ("http://127.0.0.1:1/v1", "wrong")


@pytest.mark.parametrize("name", ["openai", "gemini", "voyage"])
def test_offline_forbids_every_other_machine(name: str) -> None:
    told: list[str] = []
    settings = EmbedderSettings(provider=name, offline=True)
    variable = f"{name.upper()}_API_KEY"
    embedder = load_embedder(name, Setup(settings, environ={variable: "k"}, say=told.append))
    assert embedder is not None
    with pytest.raises(ProviderError, match="nothing may leave this machine"):
        embedder.embed_query("bees")
    assert told == []


def test_offline_allows_a_server_on_this_machine(server: Provider) -> None:
    embedder = loaded("ollama", server, offline=True)
    assert embedder.embed_query("bees").any()
    embedder.cancel()


@pytest.mark.parametrize("text", ["word " * 30_000, "記憶" * 20_000, "x" * 100_000])
def test_a_text_that_is_too_long_is_cut(text: str, server: Provider) -> None:
    cut = cut_to_tokens(text, 8000)
    assert text.startswith(cut) and 20_000 > len(cut) * (1 if text[0] == "記" else 0.5) > 5000
    embedder = loaded("openai", server)
    embedder.embed_documents([text])
    assert server.embedded == [cut]
    embedder.cancel()
