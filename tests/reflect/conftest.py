"""A chat model behind a server on this machine, for the runs that ask one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import Bank, ReflectReport
from provider_server import Provider
from support import WORDS_ONLY

Reflect = Callable[..., ReflectReport]


@pytest.fixture
def generator(server: Provider) -> Callable[..., dict[str, str]]:
    """The environment that names the server as the generator; settings win over these."""

    def environ(**settings: object) -> dict[str, str]:
        given = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
        given |= {"api_key": server.key, **settings}
        named = {f"LOREBANK_GENERATOR__{key.upper()}": str(value) for key, value in given.items()}
        return {**WORDS_ONLY, **named}

    return environ


@pytest.fixture
def reflect(generator: Callable[..., dict[str, str]]) -> Reflect:
    """Reflects on a workspace with the generator; `infer` is the run's, the rest settings."""

    def run(root: Path, *, infer: bool = False, **settings: object) -> ReflectReport:
        with Bank.open(root, environ=generator(**settings)) as bank:
            return bank.reflect(infer=infer)

    return run
