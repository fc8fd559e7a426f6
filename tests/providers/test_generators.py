"""Chat models behind HTTP: what is sent, what is read, what may go wrong, with a real server."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from lorebank.errors import ConfigurationError, Offline, ProviderError
from lorebank.generation.generated import Budget, BudgetSpent, UnusableAnswer, ask_json
from lorebank.providers.protocols import Completion, Generator, Prompt, Turn
from lorebank.providers.registry import Setup, load_generator
from lorebank.settings.tables import (
    AccountSettings,
    EmbedderSettings,
    GeneratorSettings,
    ProviderSettings,
)
from provider_server import Fault, Provider, serving
from support import golden

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

BASES = {"openai": "/v1", "gemini": "/v1beta", "ollama": ""}
PATHS = {
    "openai": "/v1/chat/completions",
    "gemini": "/v1beta/models/m:generateContent",
    "ollama": "/api/chat",
}
OPEN: list[Generator] = []
PROMPT = Prompt("Be brief.", (Turn("user", "How many?"),), 200)


class Count(BaseModel):
    count: int


@pytest.fixture
def server() -> Iterator[Provider]:
    with serving(Provider()) as provider:
        provider.replies.append('{"count": 3}')
        yield provider


def loaded(server: Provider, name: str = "openai", **settings: Any) -> Generator:
    settings = {"model": "m", "timeout_seconds": 1.0, **settings}
    account = AccountSettings(server.url + BASES[name], server.key)
    setup = Setup(
        generator=GeneratorSettings(provider=name, **settings),
        providers=ProviderSettings(**{name: account}),
    )
    return opened(setup)


def opened(setup: Setup) -> Generator:
    generator = load_generator(setup)
    assert isinstance(generator, Generator)
    OPEN.append(generator)
    return generator


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().cancel()


def ask(generator: Generator, budget: Budget | None = None) -> Count:
    return ask_json(generator, PROMPT, Count, budget or Budget(10, 100_000))


def test_what_is_sent_is_what_the_providers_document(server: Provider) -> None:
    for name in BASES:
        generator = loaded(server, name)
        completion = generator.complete(PROMPT.answered("Four.", "No."))
        assert completion == Completion('{"count": 3}', 100)
        assert (generator.name, generator.model) == (name, "m")
    assert [request.path for request in server.requests] == list(PATHS.values())
    openai, gemini, ollama = (request.json for request in server.requests)
    talk = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": "Four."},
        {"role": "user", "content": "No."},
    ]
    assert openai == {
        "model": "m",
        "messages": talk,
        "response_format": {"type": "json_object"},
        "temperature": 0,
        "max_tokens": 200,
    }
    assert gemini == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "How many?"}]},
            {"role": "model", "parts": [{"text": "Four."}]},
            {"role": "user", "parts": [{"text": "No."}]},
        ],
        "generationConfig": {
            "responseMimeType": "application/json",
            "temperature": 0,
            "maxOutputTokens": 200,
        },
    }
    assert ollama == {
        "model": "m",
        "messages": talk,
        "stream": False,
        "options": {"temperature": 0, "seed": 0, "num_predict": 200, "num_ctx": 4096},
        "format": "json",
    }


@golden("providers.md")
def test_a_field_that_a_model_refuses_is_left_out_from_then_on(
    server: Provider, name: str, refused: tuple[str, ...]
) -> None:
    server.refuses = refused
    generator = loaded(server, name)
    assert ask(generator) == ask(generator) == Count(count=3)
    assert len(server.requests) == len(refused) + 2


@pytest.mark.parametrize(
    "fault",
    [
        Fault(cut=True),
        Fault(body={"choices": []}),
        Fault(body={"choices": [{"message": {"content": None}}]}),
        Fault(body=[1, 2]),
    ],
    ids=["cut", "empty", "silent", "list"],
)
def test_an_answer_that_does_not_arrive_whole_is_asked_for_again(
    server: Provider, fault: Fault
) -> None:
    server.faults.append(fault)
    assert ask(loaded(server)) == Count(count=3)
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", BASES)
def test_a_lasting_failure_is_told_with_the_providers_words(server: Provider, name: str) -> None:
    server.faults += [Fault(500, body={"error": {"message": "out of order"}})] * 3
    with pytest.raises(ProviderError, match=rf"{name} at .*answered 500: out of order") as caught:
        ask(loaded(server, name))
    assert "generator" in caught.value.hint and "embedder" not in caught.value.hint


def test_a_server_that_asks_for_an_hour_is_not_waited_for(server: Provider) -> None:
    server.faults.append(Fault(429, {"retry-after": "3600"}, {"error": {"message": "quota"}}))
    started = time.monotonic()
    with pytest.raises(ProviderError, match="429"):
        ask(loaded(server))
    assert time.monotonic() - started < 1


def test_a_wrong_key_is_told_and_shown_nowhere(server: Provider) -> None:
    with pytest.raises(ProviderError, match="401") as caught:
        ask(loaded(server, api_key="wrong-key-22"))
    assert "generator.api_key" in caught.value.hint
    assert "wrong-key-22" not in f"{caught.value.message}{caught.value.hint}"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "text", ['{"count": 3}', '```json\n{"count": 3}\n```', 'Sure! {"count": 3} is my answer.']
)
def test_what_stands_around_the_object_is_left_off(server: Provider, text: str) -> None:
    server.replies[0] = text
    assert ask(loaded(server)) == Count(count=3)
    assert len(server.requests) == 1


@pytest.mark.parametrize("text", ["three", '{"count": "many"}', '{"count"', "{}", "", "[3]"])
def test_an_unusable_answer_is_sent_back_once_with_what_is_wrong(
    server: Provider, text: str
) -> None:
    server.replies.appendleft(text)
    assert ask(loaded(server)) == Count(count=3)
    *_, answer, reply = server.requests[1].json["messages"]
    assert answer == {"role": "assistant", "content": text}
    assert reply["content"].startswith("This cannot be used: ")


def test_a_second_unusable_answer_is_the_end(server: Provider) -> None:
    server.replies[0] = '{"count": "many"}'
    with pytest.raises(UnusableAnswer, match=r"openai/m: .*count: Input should be a valid integer"):
        ask(loaded(server))
    assert len(server.requests) == 2


def test_calls_and_tokens_are_bounded(server: Provider) -> None:
    generator = loaded(server)
    calls = Budget(2, 100_000)
    assert [ask(generator, calls), ask(generator, calls)] == [Count(count=3)] * 2
    with pytest.raises(BudgetSpent, match="call budget"):
        ask(generator, calls)
    tokens = Budget(10, 350)
    ask(generator, tokens)
    assert tokens == Budget(9, 250)
    ask(generator, tokens)
    with pytest.raises(BudgetSpent, match="token budget"):
        ask(generator, tokens)
    assert len(server.requests) == 4


def test_a_mended_answer_costs_two_calls(server: Provider) -> None:
    server.replies.appendleft("three")
    with pytest.raises(BudgetSpent):
        ask(loaded(server), Budget(1, 100_000))
    assert len(server.requests) == 1


def test_offline_another_machine_is_not_asked() -> None:
    said: list[str] = []
    settings = GeneratorSettings(provider="openai", base_url="http://192.0.2.7/v1", api_key="k")
    generator = opened(Setup(EmbedderSettings(offline=True), say=said.append, generator=settings))
    with pytest.raises(Offline):
        generator.complete(PROMPT)
    assert said == []


@pytest.mark.parametrize("name", ["openai", "gemini"])
def test_without_a_key_nothing_is_asked(name: str) -> None:
    with pytest.raises(ProviderError, match=f"{name}: no key"):
        load_generator(Setup(generator=GeneratorSettings(provider=name)))


def test_an_unknown_generator_is_told() -> None:
    with pytest.raises(ConfigurationError, match="unknown generator"):
        load_generator(Setup(generator=GeneratorSettings(provider="oracle")))
    assert load_generator(Setup()) is None
