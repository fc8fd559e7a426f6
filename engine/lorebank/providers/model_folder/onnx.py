"""A network in an ONNX file, run by onnxruntime, and its tokens' vectors made one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.model_folder.tokens import FolderTokenizer, read_tokenizer
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

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
    """How sentence-transformers' `1_Pooling/config.json` says the tokens become one vector.

    The mean where it says nothing; `ProviderError` where it says what cannot be done here.
    """
    file = folder / "1_Pooling" / "config.json"
    try:
        table = json.loads(file.read_bytes())
        named = [kind for key, kind in _POOLINGS if table.get(key)]
        asked = [key for key, on in table.items() if key.startswith("pooling_mode_") and on is True]
    except FileNotFoundError:
        return "mean"
    except (OSError, ValueError, AttributeError) as problem:
        raise _unfit(f"has a {file.name} of its pooling that cannot be read") from problem
    if len(asked) > 1 or (asked and not named):
        raise _unfit(f"pools by {', '.join(asked)}: mean, first and last token are known")
    return named[0] if named else "mean"


def require_runtime(network: Path) -> None:
    """Raise `ProviderError` where nothing here can run a network; imports nothing."""
    if find_spec("onnxruntime") is None:
        raise ProviderError(
            f"the local model is a network ({network.name}), and onnxruntime is not installed",
            hint="pip install 'lorebank[onnx]', or empty embedder.local.model_path for the "
            "built-in model",
        )


class OnnxModel(Record):
    """Implements `folder.Model`."""

    tokenizer: FolderTokenizer
    session: Any
    pooling: Pooling
    most_tokens: int
    output: str
    dimension: int

    @classmethod
    def open(
        cls, network: Path, tokenizer_file: Path, pooling: Pooling, most_tokens: int
    ) -> OnnxModel:
        """Raises `ProviderError` where onnxruntime is missing or makes nothing of the file."""
        require_runtime(network)
        import onnxruntime

        tokenizer = read_tokenizer(tokenizer_file)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        # Threads that spin while they wait take half as much CPU again, and gain nothing.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = onnxruntime.InferenceSession(
                str(network), options, providers=["CPUExecutionProvider"]
            )
            outputs = [output.name for output in session.get_outputs()]
            output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
            model = cls(tokenizer, session, pooling, most_tokens, output, 0)
            dimension = int(model.embed(["lorebank"]).shape[1])
        except ProviderError:
            raise
        except Exception as problem:  # onnxruntime's own errors have no common base
            first = str(problem).strip().partition("\n")[0]
            raise _unfit(f"does not run: {first}") from problem
        return cls(tokenizer, session, pooling, most_tokens, output, dimension)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors, not yet of length 1, texts of like length together."""
        encoded = self.tokenizer.encode(texts, self.most_tokens, marks=True)
        order = sorted(range(len(texts)), key=lambda row: len(encoded[row]))
        found: Floats | None = None
        while order:
            longest = max(1, len(encoded[order[-1]]))
            count = max(1, _BATCH_TOKENS // longest)
            rows, order = order[-count:], order[:-count]
            vectors = self._run([encoded[row] for row in rows])
            if found is None:
                found = np.zeros((len(texts), vectors.shape[1]), np.float32)
            found[rows] = vectors
        return np.zeros((0, self.dimension), np.float32) if found is None else found

    def _run(self, batch: Sequence[Sequence[int]]) -> Floats:
        longest = max(1, max(map(len, batch)))
        ids = np.full((len(batch), longest), self.tokenizer.padding, np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.maximum(np.cumsum(mask, axis=1) - 1, 0),
        }
        inputs = {
            each.name: given[each.name].astype(np.int32 if "int32" in each.type else np.int64)
            for each in self.session.get_inputs()
            if each.name in given
        }
        [answer] = self.session.run([self.output], inputs)
        return _pooled(np.asarray(answer, np.float32), mask, self.pooling)


def _pooled(answer: Floats, mask: NDArray[np.int64], pooling: Pooling) -> Floats:
    if answer.ndim == 2:
        return answer
    if answer.ndim != 3:
        raise _unfit(f"answers with {answer.ndim} dimensions")
    if pooling == "first":
        return answer[:, 0]
    if pooling == "last":
        last: Floats = answer[np.arange(len(answer)), np.maximum(mask.sum(axis=1) - 1, 0)]
        return last
    shares = mask.astype(np.float32)[:, :, None]
    mean: Floats = (answer * shares).sum(axis=1) / np.maximum(shares.sum(axis=1), 1.0)
    return mean


def _unfit(what: str) -> ProviderError:
    return ProviderError(f"the ONNX model {what}", hint="correct embedder.local.model_path")
