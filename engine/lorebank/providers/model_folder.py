"""Models in files of the user's own, run inside this process: what a folder holds, text → token ids
→ vectors, and its `Embedder` or `Reranker`.

A static model looks the vectors of tokens up in a table (model2vec, sentence-transformers'
StaticEmbedding); the vector of a text is their mean. A network in an ONNX file is run by
onnxruntime, and its tokens' vectors made one. Both read `tokenizer.json` by the package
`tokenizers`; a package that is missing is named with what to install.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.arrays import as_floats, content_hash, map_arrays
from lorebank.providers.protocols import Embedder, Limits, Role, prefixed
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Array = NDArray[Any]


NETWORKS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where a folder may hold a network."""


class FolderTokenizer(Record):
    """Cuts texts as a model was trained to read them."""

    tokenizer: Any
    unknown: int | None
    """The id of what no token stands for; `None` where there is none."""
    padding: int
    """The id that fills up a shorter text."""

    def encode(self, texts: Sequence[Any], *, marks: bool) -> list[Any]:
        """The package's `Encoding` of each text, or pair of texts; `marks`: with the tokens of
        beginning and end. A lone surrogate, which no encoding can hold, counts as a question mark.
        """

        def encodable(text: Any) -> Any:
            return text.encode(errors="replace").decode() if isinstance(text, str) else text

        cleaned = [
            tuple(map(encodable, text)) if isinstance(text, tuple) else encodable(text)
            for text in texts
        ]
        found: list[Any] = self.tokenizer.encode_batch(cleaned, add_special_tokens=marks)
        return found


def read_tokenizer(
    file: Path, most_tokens: int, strategy: str = "longest_first"
) -> FolderTokenizer:
    """The tokenizer of a file, gzipped or not, which cuts texts (by `strategy`: which of a pair)
    at that many tokens; `ProviderError` where it cannot be read or the package is missing."""
    if find_spec("tokenizers") is None:
        raise ProviderError(
            "a local model needs the package tokenizers, which is not installed",
            hint="pip install 'lorebank[onnx]', or pip install tokenizers",
        )
    from tokenizers import Tokenizer

    try:
        raw = file.read_bytes()
        table = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        model = table["model"]
        tokenizer = Tokenizer.from_str(json.dumps(table))
    except Exception as problem:  # the package raises nothing narrower
        raise ProviderError(
            f"the local model's {file.name} cannot be read: {problem}",
            hint="correct embedder.local.model_path",
        ) from problem
    tokenizer.no_padding()
    tokenizer.enable_truncation(most_tokens, strategy=strategy)
    unknown = model.get("unk_id")
    if unknown is None and model.get("unk_token"):
        unknown = tokenizer.token_to_id(model["unk_token"])
    padding = (table.get("padding") or {}).get("pad_id")
    if padding is None:
        named = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
        padding = next((row for row in named if row is not None), 0)
    return FolderTokenizer(tokenizer, unknown, int(padding))


_TOKEN_TABLES = ("embeddings", "embedding.weight")
"""As model2vec and as sentence-transformers name the table of tokens."""


def table_name(tables: dict[str, Array]) -> str | None:
    """Which of a file's tables holds a vector a token; `None` where the file is no static model."""
    named = (name for name in _TOKEN_TABLES if name in tables and tables[name].ndim == 2)
    return next(named, None)


class StaticModel(Record):
    """Implements `Model`."""

    tokenizer: FolderTokenizer
    table: Array
    weights: Floats | None
    """Of each token."""
    mapping: NDArray[np.int64] | None
    """Token → row of the table, where several tokens share a row."""

    @classmethod
    def open(cls, table_file: Path, tokenizer_file: Path, most_tokens: int) -> StaticModel:
        """Raises `ProviderError` where the files are not those of one model."""
        try:
            tables = map_arrays(table_file)
        except (OSError, ValueError) as problem:
            raise _unfit("static", f"cannot be read: {problem}") from problem
        name = table_name(tables)
        if name is None:
            raise _unfit("static", f"has no table of tokens in {table_file.name}")
        table = tables[name]
        weights, mapping = tables.get("weights"), tables.get("mapping")
        if mapping is not None:
            mapping = mapping.astype(np.int64)
            if mapping.ndim != 1 or mapping.min() < 0 or mapping.max() >= len(table):
                raise _unfit("static", f"maps tokens to rows that {table_file.name} does not have")
        tokenizer = read_tokenizer(tokenizer_file, most_tokens)
        floats = None if weights is None else as_floats(weights).reshape(-1)
        return cls(tokenizer, table, floats, mapping)

    @property
    def dimension(self) -> int:
        return int(self.table.shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Sums of vectors, not yet of length 1; zero for a text without a known token."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, encoded in enumerate(self.tokenizer.encode(texts, marks=False)):
            known = [token for token in encoded.ids if token != self.tokenizer.unknown]
            tokens = np.array(known, np.int64)
            try:
                vectors = as_floats(
                    self.table[tokens if self.mapping is None else self.mapping[tokens]]
                )
                shares = 1.0 if self.weights is None else self.weights[tokens, None]
            except IndexError:
                what = "has a tokenizer that knows more tokens than there are vectors"
                raise _unfit("static", what) from None
            found[row] = (vectors * shares).sum(axis=0)
        return found


Pooling = Literal["mean", "first", "last"]
_POOLINGS: tuple[tuple[str, Pooling], ...] = (
    ("pooling_mode_cls_token", "first"),
    ("pooling_mode_lasttoken", "last"),
    ("pooling_mode_mean_tokens", "mean"),
)
_BATCH_TOKENS = 256
"""Padding included. What fits the caches of a core is fastest: batches of 8, 32 and 128 lines of 23
tokens take 6.7, 8.7 and 12.6 ms of CPU a line."""


def pooling_of(folder: Path) -> Pooling:
    """How sentence-transformers' `1_Pooling/config.json` says the tokens become one vector. The
    mean where it says nothing; `ProviderError` where it says what cannot be done here."""
    file = folder / "1_Pooling" / "config.json"
    try:
        table = json.loads(file.read_bytes())
        named = [kind for key, kind in _POOLINGS if table.get(key)]
        asked = [key for key, on in table.items() if key.startswith("pooling_mode_") and on is True]
    except FileNotFoundError:
        return "mean"
    except (OSError, ValueError, AttributeError) as problem:
        raise _unfit("ONNX", f"has a {file.name} of its pooling that cannot be read") from problem
    if len(asked) > 1 or (asked and not named):
        raise _unfit("ONNX", f"pools by {', '.join(asked)}: mean, first and last token are known")
    return named[0] if named else "mean"


def require_runtime(network: Path) -> None:
    """Raise `ProviderError` where nothing here can run a network; imports nothing."""
    if find_spec("onnxruntime") is None:
        raise ProviderError(
            f"the local model is a network ({network.name}), and onnxruntime is not installed",
            hint="pip install 'lorebank[onnx]', or empty embedder.local.model_path for the "
            "built-in model",
        )


class Network(Record):
    """A network in an ONNX file, and the tokenizer that it was trained with."""

    session: Any
    tokenizer: FolderTokenizer

    @classmethod
    def open(cls, network: Path, tokenizer: FolderTokenizer) -> Network:
        """Raises `ProviderError` where onnxruntime is missing or makes nothing of the file."""
        require_runtime(network)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        # Threads that spin while they wait take half as much CPU again, and gain nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        providers = ["CPUExecutionProvider"]
        try:
            session = onnxruntime.InferenceSession(str(network), options, providers=providers)
        except Exception as problem:  # onnxruntime's own errors have no common base
            raise _does_not_run(problem) from problem
        return cls(session, tokenizer)

    def run(self, texts: Sequence[Any]) -> Iterator[tuple[list[int], Floats, NDArray[np.int64]]]:
        """Rows of the texts (or pairs) that are of like length, what the network answers to them,
        and which of their tokens are no padding."""
        encoded = self.tokenizer.encode(texts, marks=True)
        outputs = [output.name for output in self.session.get_outputs()]
        output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
        order = sorted(range(len(texts)), key=lambda row: len(encoded[row].ids))
        while order:
            longest = max(1, len(encoded[order[-1]].ids))
            count = max(1, _BATCH_TOKENS // longest)
            rows, order = order[-count:], order[:-count]
            for row in rows:
                encoded[row].pad(longest, pad_id=self.tokenizer.padding)
            mask = np.array([encoded[row].attention_mask for row in rows], np.int64)
            given = {
                "input_ids": np.array([encoded[row].ids for row in rows]),
                "attention_mask": mask,
                "token_type_ids": np.array([encoded[row].type_ids for row in rows]),
                "position_ids": np.maximum(np.cumsum(mask, axis=1) - 1, 0),
            }
            inputs = {
                each.name: given[each.name].astype(np.int32 if "int32" in each.type else np.int64)
                for each in self.session.get_inputs()
                if each.name in given
            }
            try:
                [answer] = self.session.run([output], inputs)
            except Exception as problem:  # onnxruntime's own errors have no common base
                raise _does_not_run(problem) from problem
            yield rows, np.asarray(answer, np.float32), mask


class OnnxModel(Record):
    """Implements `Model`."""

    network: Network
    pooling: Pooling
    dimension: int

    @classmethod
    def open(
        cls, network: Path, tokenizer_file: Path, pooling: Pooling, most_tokens: int
    ) -> OnnxModel:
        """Raises `ProviderError` where a package is missing or the files do not fit."""
        opened = Network.open(network, read_tokenizer(tokenizer_file, most_tokens))
        [(_, answer, mask)] = opened.run(["lorebank"])
        return cls(opened, pooling, _pooled(answer, mask, pooling).shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors, not yet of length 1."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        for rows, answer, mask in self.network.run(texts):
            found[rows] = _pooled(answer, mask, self.pooling)
        return found


def _pooled(answer: Floats, mask: NDArray[np.int64], pooling: Pooling) -> Floats:
    if answer.ndim == 2:
        return answer
    if answer.ndim != 3:
        raise _unfit("ONNX", f"answers with {answer.ndim} dimensions")
    if pooling == "first":
        return answer[:, 0]
    if pooling == "last":
        last: Floats = answer[np.arange(len(answer)), np.maximum(mask.sum(axis=1) - 1, 0)]
        return last
    shares = mask.astype(np.float32)[:, :, None]
    mean: Floats = (answer * shares).sum(axis=1) / np.maximum(shares.sum(axis=1), 1.0)
    return mean


def _unfit(kind: str, what: str) -> ProviderError:
    return ProviderError(f"the {kind} model {what}", hint="correct embedder.local.model_path")


def _does_not_run(problem: Exception) -> ProviderError:
    return _unfit("ONNX", f"does not run: {str(problem).strip().partition(chr(10))[0]}")


_TABLES = ("model.safetensors", "0_StaticEmbedding/model.safetensors", "embeddings.npy")
_SETTINGS = (
    "1_Pooling/config.json",
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer_config.json",
)
_MOST_TOKENS = 512
"""Where the model does not say: what BERT and its descendants read, a question and a text together
where it is a reranker."""
_MOST_CHARACTERS = 65_536
"""As in `local`: enough for any model's tokens, and a file on one line costs no more than a
page."""
_SHORTEST = 1e-6
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
            return StaticModel.open(self.model, self.tokenizer, self._most_tokens())
        return OnnxModel.open(
            self.model, self.tokenizer, pooling_of(self.folder), self._most_tokens()
        )

    def identity(self) -> str:
        """Changes with any byte that a vector depends on, and not with the folder's place."""
        digest = hashlib.sha256()
        files = [self.model, *self._beside(), self.tokenizer]
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

    def _beside(self) -> list[Path]:
        """Weights that an ONNX file keeps outside itself."""
        pattern = f"{self.model.name}*"
        return sorted(p for p in self.model.parent.glob(pattern) if p != self.model)

    def _most_tokens(self) -> int:
        named = (
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
            ("config.json", "max_length"),
        )
        for file, key in named:
            most = _json_object(self.folder / file).get(key)
            if isinstance(most, int) and 8 <= most <= 100_000:
                return most
        return _MOST_TOKENS


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
        asked = [self._prompted(texts[row][:_MOST_CHARACTERS], role) for row in rows]
        with self._lock:
            found = model.embed(asked)[:, : self.dimension]
        if not np.isfinite(found).all():
            raise ProviderError(
                f"the local model {self.model} gave numbers that are none",
                hint="correct embedder.local.model_path",
            )
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors[rows] = np.where(lengths < _SHORTEST, 0, found / np.maximum(lengths, _SHORTEST))
        return vectors

    def _prompted(self, text: str, role: Role) -> str:
        if self._prompts is None:
            return prefixed(self.model, text, role)
        return self._prompts[0 if role == "document" else 1] + text


def look_into(path: Path) -> Contents:
    """What a folder holds, or what stands next to a model file; `ProviderError` where no model is.
    A static model is taken before a network: it needs nothing that is not installed."""
    if not path.exists():
        raise ProviderError(f"there is no {path}", hint="correct embedder.local.model_path")
    folder = path if path.is_dir() else path.parent
    tokenizer = next((f for f in (folder, folder.parent) if (f / "tokenizer.json").is_file()), None)
    wanted = [path] if path.is_file() else [folder / name for name in (*_TABLES, *NETWORKS)]
    there = [file for file in wanted if file.is_file()]
    if not there:
        raise ProviderError(
            f"{path} holds no model: expected model.onnx, model.safetensors or embeddings.npy",
            hint="correct embedder.local.model_path",
        )
    for file in there:
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
        f"{there[0]} is no static model: it has no table of tokens (embeddings, embedding.weight)",
        hint="export the model to ONNX (optimum-cli export onnx), and name that folder",
    )


class CrossEncoder:
    """A `Reranker`: a network that reads a question and a text together (Nogueira and Cho, "Passage
    Re-ranking with BERT", 2019), in a folder as sentence-transformers writes it. It is opened by
    the first call; `ProviderError` where the folder holds none, or a package is missing."""

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
        tokenizer = read_tokenizer(self._folder / "tokenizer.json", _MOST_TOKENS, "only_second")
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
