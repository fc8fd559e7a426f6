"""GGUF models through a llama.cpp server, running already or started here.

If `embedder.local.model_path` names a model, a server is started on a free local port and ends with
this process. Otherwise the server at `providers.llama_cpp.base_url` (by default port 8080) is used.
Vectors come from its OpenAI-compatible `/v1/embeddings`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.arrays import content_hash
from lorebank.providers.http import Client, HttpFailure, RetryPolicy
from lorebank.providers.protocols import Limits, Role
from lorebank.providers.remote import RemoteEmbedder
from lorebank.providers.services import OPENAI_EMBEDDINGS, openai_body

if TYPE_CHECKING:
    from lorebank.providers.protocols import Floats
    from lorebank.providers.registry import Setup
    from lorebank.settings.tables import LocalSettings

DEFAULT_MODEL = "hf:ggml-org/embeddinggemma-300m-qat-q8_0-GGUF/embeddinggemma-300m-qat-Q8_0.gguf"
"""Recommended for `embedder.local.model_path`: 0.3 GB, downloaded once."""
_LOAD_TIMEOUT_S = 120.0  # seconds; chosen by hand: a model of some GB from a slow disk
_SERVICE = replace(
    OPENAI_EMBEDDINGS,
    name="llama.cpp",
    body=partial(openai_body, encoding="float"),
    limits=Limits(items=32, tokens=16_000, text_tokens=1800),
    native_dimensions={},
    load_timeout_s=_LOAD_TIMEOUT_S,
    batch=None,
)
_DOWNLOAD_TIMEOUT_S = 3600.0  # an hour: 0.3 to 8 GB over a slow line
_HEALTH_CHECK = RetryPolicy(attempts=1, timeout=2.0, max_wait=0.0)


class LlamaCppEmbedder(RemoteEmbedder):
    """An `Embedder` that starts its server before the first request, if it has one of its own."""

    def __init__(self, setup: Setup) -> None:
        model = Path(setup.embedder.local.model_path).stem or "default"
        super().__init__(replace(_SERVICE, default_model=model), setup)
        if not self.client.base_url.endswith("/v1"):
            self.client.base_url += "/v1"
        self.limits = _SERVICE.limits
        self._setup = setup
        self._path = setup.embedder.local.model_path
        self._start_lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def fingerprint(self) -> str:
        """The model file's name and content, not the port of its server."""
        if not self._path:
            return super().fingerprint
        return f"{self.name}/{_identity(self._path)}/{self.dimensions or 'native'}"

    def cancel(self) -> None:
        super().cancel()
        self._stop_server()

    def _embed(self, texts: Sequence[str], role: Role, policy: RetryPolicy) -> Floats:
        if self._path:
            with self._start_lock:
                if self._process is None or self._process.poll() is not None:
                    self._start_server()
        return super()._embed(texts, role, policy)

    def _start_server(self) -> None:
        settings = self._setup.embedder.local
        command = _command(settings, offline=self._setup.embedder.offline)
        port = _free_port()
        if self._path.startswith("hf:") and not self._setup.embedder.offline:
            self._setup.say(f"{command[0]} downloads {self._path} unless it is here already")
        # Without API keys, which the server does not need.
        environment = {
            name: text for name, text in os.environ.items() if not name.endswith("_API_KEY")
        }
        if settings.model_cache_dir:
            environment["LLAMA_CACHE"] = str(Path(settings.model_cache_dir).expanduser())
        self._process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        atexit.register(self._stop_server)
        self.client.base_url = f"http://127.0.0.1:{port}/v1"
        self._wait_until_ready(Client("llama.cpp", f"http://127.0.0.1:{port}", {}))

    def _wait_until_ready(self, server: Client) -> None:
        """The server answers 503 while it loads the model."""
        timeout_s = _DOWNLOAD_TIMEOUT_S if self._path.startswith("hf:") else _LOAD_TIMEOUT_S
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if self._process is None or (code := self._process.poll()) is not None:
                shown = "" if self._process is None else f" with code {code}"
                raise ProviderError(
                    f"llama.cpp: its server ended{shown} before it was ready",
                    hint=f"run it by hand to see why: {self._setup.embedder.local.command} "
                    f"-m {self._path} --embedding",
                )
            try:
                server.get("/health", _HEALTH_CHECK, lambda answer: answer)
            except HttpFailure:
                time.sleep(0.1)
            else:
                return
        self._stop_server()
        raise ProviderError(f"llama.cpp: its server was not ready after {timeout_s:.0f} s")

    def _stop_server(self) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
            return
        process.kill()
        process.wait()


def _command(settings: LocalSettings, *, offline: bool) -> list[str]:
    model = _model_arguments(settings.model_path, offline=offline)
    program = shutil.which(Path(settings.command).expanduser())
    if program is None:
        raise ProviderError(
            f"llama.cpp: no program {settings.command!r}",
            hint="install llama.cpp, or name its server in embedder.local.command",
        )
    return [program, *model]


def _model_arguments(path: str, *, offline: bool) -> list[str]:
    if path.startswith("hf:"):
        owner, _, rest = path.removeprefix("hf:").partition("/")
        repository, _, file = rest.partition("/")
        if not (owner and repository):
            raise ConfigurationError(
                f"embedder.local.model_path: expected hf:owner/repository/file.gguf, not {path!r}"
            )
        named = ["--hf-file", file] if file else []
        return ["-hf", f"{owner}/{repository}", *named, "--embedding", *["--offline"] * offline]
    file_path = Path(path).expanduser()
    if not file_path.is_file():
        raise ProviderError(
            f"llama.cpp: no file {file_path}", hint="correct embedder.local.model_path"
        )
    return ["-m", str(file_path), "--embedding"]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _identity(path: str) -> str:
    if path.startswith("hf:"):
        return path
    file = Path(path).expanduser()
    try:
        return f"{file.name}-{content_hash(file)}"
    except OSError:
        return file.name
