"""A cross-encoder in a folder: a network that reads a question and a text together.

Nogueira and Cho, "Passage Re-ranking with BERT", 2019. The folder is as sentence-transformers
writes it: `model.onnx` (also below `onnx/`) and `tokenizer.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.file_models import NETWORKS, open_network, read_tokenizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_TOKENS = 512
"""What BERT and its descendants read, question and text together."""
_BATCH = 16
"""Pairs a run: a few hundred tokens each, so that a batch stays within some megabytes."""
_ADVICE = "correct recall.reranker.model_path"


class CrossEncoder:
    """Implements `Reranker` with the model of a folder; it is opened by the first call.

    Raises `ProviderError` where the folder holds none, or a package is missing.
    """

    name = "local"

    def __init__(self, folder: Path) -> None:
        self.model = folder.name
        self._folder = folder
        self._opened: tuple[Any, Any, int] | None = None

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Reranker.scores`."""
        session, tokenizer, padding = self._opened = self._opened or self._open()
        found = [
            self._run(session, tokenizer.encode_batch(pairs), padding)
            for start in range(0, len(texts), _BATCH)
            for pairs in [[(query, text) for text in texts[start : start + _BATCH]]]
        ]
        return np.concatenate(found) if found else np.zeros(0, np.float32)

    def _open(self) -> tuple[Any, Any, int]:
        network = next((f for f in map(self._folder.joinpath, NETWORKS) if f.is_file()), None)
        if network is None:
            raise ProviderError(
                f"the reranker {self._folder} holds no model: expected {NETWORKS[0]}", hint=_ADVICE
            )
        read = read_tokenizer(self._folder / "tokenizer.json")
        read.tokenizer.enable_truncation(_MOST_TOKENS, strategy="only_second")
        return open_network(network), read.tokenizer, read.padding

    def _run(self, session: Any, pairs: Sequence[Any], padding: int) -> NDArray[np.float32]:
        longest = max(len(pair.ids) for pair in pairs)

        def table(rows: Sequence[Sequence[int]], filled: int) -> NDArray[np.int64]:
            return np.array([[*row, *[filled] * (longest - len(row))] for row in rows], np.int64)

        given = {
            "input_ids": table([pair.ids for pair in pairs], padding),
            "attention_mask": table([pair.attention_mask for pair in pairs], 0),
            "token_type_ids": table([pair.type_ids for pair in pairs], 0),
        }
        names = [each.name for each in session.get_inputs()]
        [logits] = session.run(None, {name: given[name] for name in names if name in given})[:1]
        if np.ndim(logits) != 2 or len(logits) != len(pairs):
            raise ProviderError(f"the reranker {self.model} gives no score a pair", hint=_ADVICE)
        # One output is the score; of several classes the last is the one that answers.
        return np.asarray(logits, np.float32)[:, -1]
