"""A user-supplied model folder: its contents, and its `Embedder` or `Reranker`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.arrays import content_hash, map_arrays
from lorebank.providers.file_models import (
    NETWORKS,
    Network,
    OnnxModel,
    StaticModel,
    pooling_of,
    read_tokenizer,
    require_runtime,
    table_name,
    unusable,
)
from lorebank.providers.protocols import Embedder, Limits, Role, prefixed
from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.providers.protocols import Floats

_TABLES = ("model.safetensors", "0_StaticEmbedding/model.safetensors", "embeddings.npy")
_SETTINGS = (
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
)
_DEFAULT_MAX_TOKENS = 512
"""If the model names none: BERT's limit; for a reranker, of question and text together."""
_MAX_CHARACTERS = 65_536  # as in `local`: a file on one line costs no more than a page
_MIN_NORM = 1e-6  # a shorter vector has no direction; it becomes zero, which is never ranked
_METHOD = 1  # raise with any change to the vectors


class Model(Protocol):
    """A static or ONNX model."""

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors, not normalised; zero for a text without a token."""


class Contents(Record):
    """The files of one model."""

    folder: Path
    kind: Literal["static", "onnx"]
    model: Path
    tokenizer: Path

    def open(self) -> Model:
        """Raises `ProviderError` if a part is missing or does not fit."""
        if self.kind == "static":
            return StaticModel.open(self.model, self.tokenizer, self._max_tokens())
        return OnnxModel.open(
            self.model, self.tokenizer, pooling_of(self.folder), self._max_tokens()
        )

    def identity(self) -> str:
        """A hash of every file the vectors depend on, whatever the folder's path."""
        digest = hashlib.sha256()
        pattern = f"{self.model.name}*"
        files = [
            self.model,
            *sorted(p for p in self.model.parent.glob(pattern) if p != self.model),
            self.tokenizer,
        ]
        for file in [*files, *(self.folder / name for name in _SETTINGS)]:
            if file.is_file():
                digest.update(f"{file.name} {content_hash(file)}\n".encode())
        return digest.hexdigest()[:16]

    def prompts(self) -> tuple[str, str] | None:
        """The prefixes of documents and queries in the model's own configuration."""
        found = _json_object(self.folder / "config_sentence_transformers.json").get("prompts")
        if not isinstance(found, dict):
            return None
        document = next((found[k] for k in ("document", "passage") if found.get(k)), "")
        query = found.get("query") or ""
        return (str(document), str(query)) if document or query else None

    def _max_tokens(self) -> int:
        named = (
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
            ("config.json", "max_length"),
        )
        for file, key in named:
            limit = _json_object(self.folder / file).get(key)
            if isinstance(limit, int) and 8 <= limit <= 100_000:
                return limit
        return _DEFAULT_MAX_TOKENS


class FolderEmbedder(Embedder):
    """A user-supplied model, opened at its first use."""

    name = "local"
    limits = Limits()

    def __init__(self, contents: Contents, cut: int = 0) -> None:
        """`cut`: how many dimensions of a vector are kept; 0 for all."""
        self.contents = contents
        self.cut = cut
        self._lock = RLock()
        self._model: Model | None = None
        self._prompts: tuple[str, str] | None = None

    @property
    def model(self) -> str:
        return self.contents.folder.name

    @property
    def dimension(self) -> int:
        own = self._model.dimension if self._model is not None else 0
        return min(self.cut, own) if self.cut else own

    @cached_property
    def fingerprint(self) -> str:
        """The content of the model's files and the number of dimensions kept."""
        try:
            identity = self.contents.identity()
        except OSError as problem:
            raise unusable(f"the local model cannot be read: {problem}") from problem
        return f"local/{self.contents.kind}/{identity}/{self.cut or 'native'}/method-{_METHOD}"

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        return self._embed(texts, "document")

    def embed_query(self, text: str) -> Floats:
        query: Floats = self._embed([text], "query")[0]
        return query

    def _open(self) -> Model:
        with self._lock:
            if self._model is None:
                self._model = self.contents.open()
                self._prompts = self.contents.prompts()
            return self._model

    def _embed(self, texts: Sequence[str], role: Role) -> Floats:
        model = self._open()
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if not rows:
            return vectors
        prompted = [self._prompted(texts[row][:_MAX_CHARACTERS], role) for row in rows]
        with self._lock:
            found = model.embed(prompted)[:, : self.dimension]
        if not np.isfinite(found).all():
            raise unusable(f"the local model {self.model} returned NaN or infinity")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors[rows] = np.where(lengths < _MIN_NORM, 0, found / np.maximum(lengths, _MIN_NORM))
        return vectors

    def _prompted(self, text: str, role: Role) -> str:
        if self._prompts is None:
            return prefixed(self.model, text, role)
        return self._prompts[0 if role == "document" else 1] + text


def inspect_model(path: Path) -> Contents:
    """The model in a folder, or of a model file; raises `ProviderError` if there is none.

    A static model is preferred to a network: it needs fewer packages.
    """
    if not path.exists():
        raise unusable(f"there is no {path}")
    folder = path if path.is_dir() else path.parent
    tokenizer = next((f for f in (folder, folder.parent) if (f / "tokenizer.json").is_file()), None)
    candidates = [path] if path.is_file() else [folder / name for name in (*_TABLES, *NETWORKS)]
    existing = [file for file in candidates if file.is_file()]
    if not existing:
        raise unusable(
            f"{path} contains no model: expected model.onnx, model.safetensors or embeddings.npy"
        )
    for file in existing:
        kind: Literal["static", "onnx"] = "onnx" if file.suffix == ".onnx" else "static"
        if kind == "static" and not _is_static(file):
            continue
        own = file.parent / "tokenizer.json"
        chosen = own if own.is_file() else tokenizer and tokenizer / "tokenizer.json"
        if not chosen:
            raise ProviderError(
                f"{folder} has no tokenizer.json beside {file.name}",
                hint="copy it from where the model came from",
            )
        if kind == "onnx":
            require_runtime(file)
        return Contents(chosen.parent if path.is_file() else folder, kind, file, chosen)
    raise ProviderError(
        f"{existing[0]} is not a static model: it has no table of tokens "
        "(embeddings, embedding.weight)",
        hint="export the model to ONNX (optimum-cli export onnx), and name that folder",
    )


class CrossEncoder:
    """A `Reranker` (Nogueira and Cho, "Passage Re-ranking with BERT", 2019) in a folder as written
    by sentence-transformers; opened by the first call, which may raise `ProviderError`."""

    name = "local"

    def __init__(self, folder: Path) -> None:
        self.model = folder.name
        self._folder = folder

    @property
    def problem(self) -> str:
        """Why it cannot answer, as far as the folder shows; empty if it contains a network."""
        if any(self._folder.joinpath(name).is_file() for name in NETWORKS):
            return ""
        return f"the reranker {self._folder} contains no model: expected {NETWORKS[0]}"

    @cached_property
    def _network(self) -> Network:
        if self.problem:
            raise ProviderError(self.problem, hint="correct recall.reranker.model_path")
        network = next(f for f in map(self._folder.joinpath, NETWORKS) if f.is_file())
        file = self._folder / "tokenizer.json"
        return Network.open(network, read_tokenizer(file, _DEFAULT_MAX_TOKENS, "only_second"))

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        scores = np.zeros(len(texts), np.float32)
        for rows, logits, _ in self._network.run([(query, text) for text in texts]):
            if logits.ndim != 2:
                raise ProviderError(
                    f"the reranker {self.model} returns no score for a pair",
                    hint="correct recall.reranker.model_path",
                )
            # A single output is the score; of several classes the last means "relevant".
            scores[rows] = logits[:, -1]
        return scores


def _is_static(file: Path) -> bool:
    try:
        return table_name(map_arrays(file)) is not None
    except (OSError, ValueError) as problem:
        raise unusable(f"the local model cannot be read: {problem}") from problem


def _json_object(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
