"""A folder with a model of the user's own: what it holds, and its `Embedder` or `Reranker`."""

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
)
from lorebank.providers.protocols import Embedder, Limits, Role, prefixed
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

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
"""Where the model does not say: what BERT and its descendants read, a question and a text together
where it is a reranker."""
_MAX_CHARACTERS = 65_536
"""As in `local`: enough for any model's tokens, and a file on one line costs no more than a
page."""
_MIN_NORM = 1e-6
"""A vector shorter than this has no direction; it becomes zero, which is never ranked."""
_METHOD = 1
"""To be raised with any change to what a folder's vectors come to."""


class Model(Protocol):
    """What is asked of either kind."""

    @property
    def dimension(self) -> int:
        """The length of its vectors."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of any length; zero for a text without a token."""


class Contents(Record):
    """The files of one model."""

    folder: Path
    kind: Literal["static", "onnx"]
    model: Path
    tokenizer: Path

    def open(self) -> Model:
        """Raises `ProviderError` where a part is missing or does not fit."""
        if self.kind == "static":
            return StaticModel.open(self.model, self.tokenizer, self._max_tokens())
        return OnnxModel.open(
            self.model, self.tokenizer, pooling_of(self.folder), self._max_tokens()
        )

    def identity(self) -> str:
        """Changes with any byte that a vector depends on, and not with the folder's place."""
        digest = hashlib.sha256()
        files = [self.model, *self._external_weights(), self.tokenizer]
        for file in [*files, *(self.folder / name for name in _SETTINGS)]:
            if file.is_file():
                digest.update(f"{file.name} {content_hash(file)}\n".encode())
        return digest.hexdigest()[:16]

    def prompts(self) -> tuple[str, str] | None:
        """What goes before a document and before a query, as the model's own file says."""
        found = _json_object(self.folder / "config_sentence_transformers.json").get("prompts")
        if not isinstance(found, dict):
            return None
        document = next((found[k] for k in ("document", "passage") if found.get(k)), "")
        query = found.get("query") or ""
        return (str(document), str(query)) if document or query else None

    def _external_weights(self) -> list[Path]:
        """Weights that an ONNX file keeps outside itself."""
        pattern = f"{self.model.name}*"
        return sorted(p for p in self.model.parent.glob(pattern) if p != self.model)

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
    """A model of the user's own; it is opened at its first use."""

    name = "local"
    limits = Limits()

    def __init__(self, contents: Contents, cut: int = 0) -> None:
        """`cut`: numbers that are kept of a vector, where the settings ask for fewer; 0 for all."""
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
        """The content of the model's files and how many numbers are kept."""
        try:
            identity = self.contents.identity()
        except OSError as problem:
            raise ProviderError(
                f"the local model cannot be read: {problem}",
                hint="correct embedder.local.model_path",
            ) from problem
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
            raise ProviderError(
                f"the local model {self.model} gave numbers that are none",
                hint="correct embedder.local.model_path",
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors[rows] = np.where(lengths < _MIN_NORM, 0, found / np.maximum(lengths, _MIN_NORM))
        return vectors

    def _prompted(self, text: str, role: Role) -> str:
        if self._prompts is None:
            return prefixed(self.model, text, role)
        return self._prompts[0 if role == "document" else 1] + text


def inspect_model(path: Path) -> Contents:
    """What a folder holds, or what stands next to a model file; `ProviderError` where no model is.

    A static model is taken before a network: it needs nothing that is not installed.
    """
    if not path.exists():
        raise ProviderError(f"there is no {path}", hint="correct embedder.local.model_path")
    folder = path if path.is_dir() else path.parent
    tokenizer = next((f for f in (folder, folder.parent) if (f / "tokenizer.json").is_file()), None)
    candidates = [path] if path.is_file() else [folder / name for name in (*_TABLES, *NETWORKS)]
    existing = [file for file in candidates if file.is_file()]
    if not existing:
        raise ProviderError(
            f"{path} holds no model: expected model.onnx, model.safetensors or embeddings.npy",
            hint="correct embedder.local.model_path",
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
        f"{existing[0]} is no static model: it has no table of tokens "
        "(embeddings, embedding.weight)",
        hint="export the model to ONNX (optimum-cli export onnx), and name that folder",
    )


class CrossEncoder:
    """A `Reranker`: a network that reads a question and a text together (Nogueira and Cho, "Passage
    Re-ranking with BERT", 2019), in a folder as sentence-transformers writes it.

    It is opened by the first call; `ProviderError` where the folder holds none, or a package is
    missing.
    """

    name = "local"

    def __init__(self, folder: Path) -> None:
        self.model = folder.name
        self._folder = folder

    @cached_property
    def _network(self) -> Network:
        network = next((f for f in map(self._folder.joinpath, NETWORKS) if f.is_file()), None)
        if network is None:
            raise ProviderError(
                f"the reranker {self._folder} holds no model: expected {NETWORKS[0]}",
                hint="correct recall.reranker.model_path",
            )
        tokenizer = read_tokenizer(
            self._folder / "tokenizer.json", _DEFAULT_MAX_TOKENS, "only_second"
        )
        return Network.open(network, tokenizer)

    def scores(self, query: str, texts: Sequence[str]) -> Floats:
        scores = np.zeros(len(texts), np.float32)
        for rows, logits, _ in self._network.run([(query, text) for text in texts]):
            if logits.ndim != 2:
                raise ProviderError(
                    f"the reranker {self.model} gives no score a pair",
                    hint="correct recall.reranker.model_path",
                )
            # One output is the score; of several classes the last is the one that answers.
            scores[rows] = logits[:, -1]
        return scores


def _is_static(file: Path) -> bool:
    try:
        return table_name(map_arrays(file)) is not None
    except (OSError, ValueError) as problem:
        raise ProviderError(
            f"the local model cannot be read: {problem}", hint="correct embedder.local.model_path"
        ) from problem


def _json_object(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
