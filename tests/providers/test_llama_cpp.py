"""A GGUF model: the server of llama.cpp is started, asked and ended.

The program that is started here is a real one that serves as `llama-server` does; it knows no
model, and says what it was started with.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers import llama_cpp
from lorebank.providers.arrays import content_hash
from lorebank.providers.protocols import Embedder
from lorebank.providers.registry import Setup, load_embedder
from lorebank.settings.tables import EmbedderSettings, LocalSettings
from support import golden

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

PROGRAM = """#!{python}
import json, os, sys, time
sys.path[:0] = {path!r}
from http.server import BaseHTTPRequestHandler, HTTPServer
from provider_server import Provider

with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[1:], os.environ.get("LLAMA_CACHE"), os.getpid(),
                          sorted(n for n in os.environ if n.endswith("_API_KEY"))]) + "\\n")
if "broken.gguf" in " ".join(sys.argv):
    sys.exit(3)
port = int(sys.argv[sys.argv.index("--port") + 1])
ready = time.monotonic() + 0.5
provider = Provider(dimension=16)

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        loading = time.monotonic() < ready
        self.answer(503 if loading else 200, {{"status": "loading" if loading else "ok"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = map(provider.vector, body["input"])
        rows = [{{"index": i, "embedding": v}} for i, v in enumerate(vectors)]
        self.answer(200, {{"object": "list", "data": rows}})

    def answer(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass

HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture
def command(tmp_path: Path) -> Path:
    program = tmp_path / "llama-server"
    path = [str(Path(__file__).parent.parent), *sys.path]
    program.write_text(PROGRAM.format(python=sys.executable, path=path, log=str(tmp_path / "log")))
    program.chmod(0o755)
    return program


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "embeddinggemma-300m.gguf"
    file.write_bytes(b"GGUF" * 10)
    return file


def loaded(command: Path, model_path: str, **settings: object) -> Embedder:
    local = LocalSettings(model_path=model_path, command=str(command), model_cache_dir="/models")
    setup = Setup(replace(EmbedderSettings(local=local), **settings))
    embedder = load_embedder("local", setup)
    assert embedder is not None
    return embedder


@pytest.fixture
def embedder(command: Path, model: Path) -> Iterator[Embedder]:
    found = loaded(command, str(model))
    yield found
    found.cancel()


def started(command: Path) -> list[list[object]]:
    import json

    log = command.parent / "log"
    return (
        [json.loads(line) for line in log.read_text().split("\n") if line] if log.exists() else []
    )


def test_f29_a_gguf_file_is_served_by_llama_cpp(
    embedder: Embedder, command: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "private")
    assert embedder.fingerprint == f"llama.cpp/{model.name}-{content_hash(model)}/native"
    assert started(command) == []
    vectors = embedder.embed_documents(["bees on the roof", ""])
    assert (vectors.shape, vectors[1].any()) == ((2, 16), False)
    assert embedder.embed_query("bees").any()
    [[arguments, cache, process, keys]] = started(command)
    assert arguments[:3] == ["-m", str(model), "--embedding"]
    assert arguments[3:6] == ["--host", "127.0.0.1", "--port"]
    assert (cache, keys) == ("/models", [])
    embedder.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(process)), 0)


def test_f29_a_hugging_face_name_is_downloaded_by_llama_cpp(command: Path) -> None:
    told: list[str] = []
    local = LocalSettings(model_path=llama_cpp.DEFAULT_MODEL, command=str(command))
    for offline in (False, True):
        settings = EmbedderSettings(local=local, offline=offline)
        embedder = load_embedder("local", Setup(settings, say=told.append))
        assert embedder is not None
        embedder.embed_query("bees")
        embedder.cancel()
    model = [
        "-hf",
        "ggml-org/embeddinggemma-300m-qat-q8_0-GGUF",
        "--hf-file",
        "embeddinggemma-300m-qat-Q8_0.gguf",
        "--embedding",
    ]
    online, offline = (row[0] for row in started(command))
    assert online[:5] == model and online[5] == "--host"
    assert offline[:6] == [*model, "--offline"]
    assert told == [f"{command} downloads {llama_cpp.DEFAULT_MODEL} unless it is here already"]


def test_f30_the_default_gguf_model_is_the_newest_of_the_sources() -> None:
    assert llama_cpp.DEFAULT_MODEL == (
        "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf"
    )


def test_f31_a_server_that_is_not_installed_is_named_with_a_remedy(model: Path) -> None:
    embedder = loaded(Path("no-such-llama-server"), str(model))
    with pytest.raises(ProviderError) as refusal:
        embedder.embed_query("bees")
    assert refusal.value.message == "llama.cpp: no program 'no-such-llama-server'"
    assert "install llama.cpp" in refusal.value.hint


@golden("providers.md")
def test_a_model_that_cannot_be_served_is_told(
    command: Path, tmp_path: Path, path: str, message: str
) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    embedder = loaded(command, str(tmp_path / path))
    with pytest.raises(ProviderError) as refusal:
        embedder.embed_query("bees")
    assert refusal.value.message.startswith(message)
    embedder.cancel()


def test_an_incomplete_hugging_face_name_is_told(command: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"expected hf:owner/repository/file\.gguf"):
        loaded(command, "hf:owner").embed_query("bees")


def test_a_server_that_died_is_started_again(embedder: Embedder, command: Path) -> None:
    embedder.embed_query("bees")
    process = int(str(started(command)[0][2]))
    os.kill(process, 9)
    embedder._process.wait()  # type: ignore[attr-defined]
    assert embedder.embed_query("bees").any()
    assert len(started(command)) == 2


def test_the_server_ends_with_its_process(command: Path, model: Path) -> None:
    program = (
        "import sys; from lorebank.settings.tables import *\n"
        "from lorebank.providers.registry import Setup\n"
        "from lorebank.providers.registry import load_embedder\n"
        "local = LocalSettings(model_path=sys.argv[1], command=sys.argv[2])\n"
        "load_embedder('local', Setup(EmbedderSettings(local=local))).embed_query('bees')\n"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    subprocess.run(
        [sys.executable, "-c", program, str(model), str(command)],
        check=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": path},
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(str(started(command)[0][2])), 0)
