"""Models in files, run inside this process: text → token ids → vectors.

A static model (model2vec, sentence-transformers' StaticEmbedding) looks token vectors up in a table
and averages them. An ONNX network is run by onnxruntime and its token vectors are pooled. Both read
`tokenizer.json` with the package `tokenizers`; errors name the package to install.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.arrays import as_floats, map_arrays
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lorebank.providers.protocols import Array, Floats


NETWORKS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where the network of a model folder may be."""


class FolderTokenizer(Record):
    """A model's own tokenizer."""

    tokenizer: Any
    unknown: int | None  # the id of what no token stands for; `None` if there is none
    padding: int  # the id that fills up a shorter text

    def encode(self, texts: Sequence[Any], *, marks: bool) -> list[Any]:
        """The package's `Encoding` of each text or pair of texts; `marks` adds special tokens.
        A lone surrogate, which UTF-8 cannot encode, is read as a question mark."""

        def encodable(text: Any) -> Any:
            return text.encode(errors="replace").decode() if isinstance(text, str) else text

        cleaned = [
            tuple(map(encodable, text)) if isinstance(text, tuple) else encodable(text)
            for text in texts
        ]
        found: list[Any] = self.tokenizer.encode_batch(cleaned, add_special_tokens=marks)
        return found


def read_tokenizer(file: Path, max_tokens: int, strategy: str = "longest_first") -> FolderTokenizer:
    """The tokenizer of a file, gzipped or not; truncates at `max_tokens`, pairs by `strategy`.

    Raises `ProviderError` if it cannot be read or the package is missing.
    """
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
        raise unusable(f"the local model's {file.name} cannot be read: {problem}") from problem
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens, strategy=strategy)
    unknown = model.get("unk_id")
    if unknown is None and model.get("unk_token"):
        unknown = tokenizer.token_to_id(model["unk_token"])
    padding = (table.get("padding") or {}).get("pad_id")
    if padding is None:
        candidates = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
        padding = next((row for row in candidates if row is not None), 0)
    return FolderTokenizer(tokenizer, unknown, int(padding))


_TOKEN_TABLES = ("embeddings", "embedding.weight")
"""Names of the token table in model2vec and in sentence-transformers."""


def table_name(tables: dict[str, Array]) -> str | None:
    """The name of the token table; `None` if the file is not a static model."""
    candidates = (name for name in _TOKEN_TABLES if name in tables and tables[name].ndim == 2)
    return next(candidates, None)


class StaticModel(Record):
    """Implements `model_folder.Model`."""

    tokenizer: FolderTokenizer
    table: Array
    weights: Floats | None
    """Of each token."""
    mapping: NDArray[np.int64] | None
    """Token → row of the table, where several tokens share a row."""

    @classmethod
    def open(cls, table_file: Path, tokenizer_file: Path, max_tokens: int) -> StaticModel:
        """Raises `ProviderError` if the files do not belong together."""
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
        tokenizer = read_tokenizer(tokenizer_file, max_tokens)
        floats = None if weights is None else as_floats(weights).reshape(-1)
        return cls(tokenizer, table, floats, mapping)

    @property
    def dimension(self) -> int:
        return int(self.table.shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Sums of token vectors, not normalised; zero for a text without a known token."""
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
    """The pooling of sentence-transformers' `1_Pooling/config.json`, by default the mean.

    Raises `ProviderError` for one that is not supported.
    """
    file = folder / "1_Pooling" / "config.json"
    try:
        table = json.loads(file.read_bytes())
        known = [kind for key, kind in _POOLINGS if table.get(key)]
        asked = [key for key, on in table.items() if key.startswith("pooling_mode_") and on is True]
    except FileNotFoundError:
        return "mean"
    except (OSError, ValueError, AttributeError) as problem:
        raise _unfit("ONNX", f"has a {file.name} of its pooling that cannot be read") from problem
    if len(asked) > 1 or (asked and not known):
        raise _unfit("ONNX", f"pools by {', '.join(asked)}: mean, first and last token are known")
    return known[0] if known else "mean"


def require_runtime(network: Path) -> None:
    """Raise `ProviderError` if onnxruntime is missing; imports nothing."""
    if find_spec("onnxruntime") is None:
        raise ProviderError(
            f"the local model is a network ({network.name}), and onnxruntime is not installed",
            hint="pip install 'lorebank[onnx]', or empty embedder.local.model_path for the "
            "built-in model",
        )


class Network(Record):
    """An ONNX network and its tokenizer."""

    session: Any
    tokenizer: FolderTokenizer

    @classmethod
    def open(cls, network: Path, tokenizer: FolderTokenizer) -> Network:
        """Raises `ProviderError` if onnxruntime is missing or rejects the file."""
        require_runtime(network)
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        # Spinning threads use half as much CPU again and gain nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        providers = ["CPUExecutionProvider"]
        try:
            session = onnxruntime.InferenceSession(str(network), options, providers=providers)
        except Exception as problem:  # onnxruntime's own errors have no common base
            raise _does_not_run(problem) from problem
        return cls(session, tokenizer)

    def run(self, texts: Sequence[Any]) -> Iterator[tuple[list[int], Floats, NDArray[np.int64]]]:
        """Batches of texts (or pairs) of like length: rows, output of the network, mask."""
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
    """Implements `model_folder.Model`."""

    network: Network
    pooling: Pooling
    dimension: int

    @classmethod
    def open(
        cls, network: Path, tokenizer_file: Path, pooling: Pooling, max_tokens: int
    ) -> OnnxModel:
        """Raises `ProviderError` if a package is missing or the files do not fit."""
        opened = Network.open(network, read_tokenizer(tokenizer_file, max_tokens))
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


def unusable(message: str) -> ProviderError:
    return ProviderError(message, hint="correct embedder.local.model_path")


def _unfit(kind: str, what: str) -> ProviderError:
    return unusable(f"the {kind} model {what}")


def _does_not_run(problem: Exception) -> ProviderError:
    return _unfit("ONNX", f"does not run: {str(problem).strip().partition(chr(10))[0]}")
