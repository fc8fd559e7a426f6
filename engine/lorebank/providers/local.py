"""The offline embedder: the multilingual Universal Sentence Encoder, and all-MiniLM-L6-v2 for
English.

The first knows sixteen languages moderately well, the second English only, and better. The vector
of a text is the concatenation of both, so that a dot product is the mean of the two similarities.
Texts in other languages have the first half only.

Of 83 questions in other words than their answer, asked of four workspaces by other hands, 30 have a
right line among the first five by the first model, 47 by MiniLM, 49 by both. A line takes some 6 ms
of CPU, eight times as long as with the first alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from lorebank.errors import ProviderError
from lorebank.language.words import reads_as_english
from lorebank.providers import minilm
from lorebank.providers import sentence_encoder as encoder
from lorebank.providers.arrays import content_hash, map_arrays, write_arrays
from lorebank.providers.minilm import MiniLM
from lorebank.providers.one_thread import one_thread
from lorebank.providers.protocols import Embedder, Limits
from lorebank.providers.sentence_encoder import MappedTokenizer, ModelFiles, SentenceNetwork
from lorebank.providers.word_pieces import WordPieces
from lorebank.settings.files import cache_directory

if TYPE_CHECKING:
    from lorebank.providers.protocols import Array, Floats
    from lorebank.providers.registry import Setup

Encode = Callable[[str], list[int]]

_SENTENCE_START, _SENTENCE_END = 1, 2
_PIECE_LIMIT = 2048  # some 1,500 words; the rest of a text is ignored
_CHARACTER_LIMIT = 65_536  # so that a file on one line costs no more than a page
_BATCH_PIECES = 384  # the network's authors found this fastest: the working set fits a core's cache
_MAX_WORKERS = 4  # chosen by hand: batches share the memory's bandwidth, so more cores gain little
_FAST_TOKENIZER_FROM = 40_000
"""Characters, in all calls together, above which loading sentencepiece pays off."""
_METHOD = f"sentencepiece-first-{_PIECE_LIMIT}-of-{_CHARACTER_LIMIT}-characters"
_IN_PROCESS_SUFFIXES = frozenset({".onnx", ".safetensors", ".npy"})
_ARRAYS_LAYOUT = 2  # raise with any change to `prepare_arrays`


class MultilingualEmbedder(Embedder):
    """Sentence vectors in 16 languages from weights installed with lorebank.

    The first use takes a second to write 84 MB to the user's cache directory, which later processes
    map. Without a writable directory every process takes that second.
    """

    name = "local"
    model = "universal-sentence-encoder-multilingual-3"
    dimension = encoder.DIMENSION
    limits = Limits()
    spread = 0.07
    """Standard deviation of the similarities of a question to all lines: .058 to .071 in three
    workspaces. It is fixed: measured against its own, even a question without an answer would have
    a nearest line far out."""

    lacks = ""
    """What is not installed that would answer better, and how to install it."""

    def __init__(self, cache: Path | None = None) -> None:
        """Opens nothing yet. `cache` replaces the user's cache directory."""
        self._cache = cache or cache_directory()
        self._lock = RLock()
        self._source: ModelFiles | None = None
        self._model: tuple[SentenceNetwork, MappedTokenizer] | None = None
        self._fast_tokenizer: Encode | None = None
        self._characters = 0
        """Encoded so far: work comes in batches, each too small to tell how much there is."""

    @property
    def fingerprint(self) -> str:
        """Model, content of the installed weights and vocabulary, dimension, preprocessing."""
        return f"{self.name}/{self.model}/{self._find().identity}/{self.dimension}/{_METHOD}"

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors in the order of the texts; zero for a text without a visible character."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not any(map(str.strip, texts)):
            return vectors
        network, encode = self._open(sum(map(len, texts)))
        sentences = {
            row: ids for row, text in enumerate(texts) if (ids := _piece_ids(encode, text))
        }
        with one_thread():
            for rows, embedded in _embed_batches(network, list(_batches(sentences)), sentences):
                vectors[rows] = embedded
        return _require_finite(vectors, self._arrays_path(self._find()))

    def _find(self) -> ModelFiles:
        with self._lock:
            if self._source is None:
                self._source = encoder.find_source()
            return self._source

    def _open(self, characters: int) -> tuple[SentenceNetwork, Encode]:
        """The network, and the faster tokenizer for this much more text."""
        with self._lock:
            source = self._find()
            self._characters += characters
            if self._model is None:
                prepare = partial(encoder.prepare_arrays, source)
                arrays = _load_arrays(self._arrays_path(source), prepare)
                self._model = SentenceNetwork(source, arrays), MappedTokenizer(arrays)
            if self._fast_tokenizer is None and self._characters >= _FAST_TOKENIZER_FROM:
                from sentencepiece import SentencePieceProcessor

                self._fast_tokenizer = SentencePieceProcessor(
                    model_file=str(source.tokenizer)
                ).encode
            return self._model[0], self._fast_tokenizer or self._model[1].encode

    def _arrays_path(self, source: ModelFiles) -> Path | None:
        name = f"sentence-encoder-{source.identity}-{_ARRAYS_LAYOUT}.safetensors"
        return self._cache / name if self._cache else None


def _require_finite(vectors: Floats, made_from: Path | None) -> Floats:
    if not np.isfinite(vectors).all():
        raise ProviderError(
            f"the local embedder returned NaN or infinity for one of {len(vectors)} texts",
            hint=f"Delete {made_from} and try again.",
        )
    return vectors


def _load_arrays(path: Path | None, prepare: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """The arrays of a file, which is written if missing."""
    if path is not None:
        with suppress(OSError, ValueError):
            return map_arrays(path)
    arrays = prepare()
    if path is not None:
        with suppress(OSError):
            write_arrays(path, arrays)
    return arrays


def _piece_ids(encode: Encode, text: str) -> list[int]:
    """The network's input ids with sentence marks; empty for a text without pieces.

    A lone surrogate, which UTF-8 cannot encode, is read as a question mark.
    """
    encodable = text[:_CHARACTER_LIMIT].encode(errors="replace").decode()
    pieces = encode(encodable)[:_PIECE_LIMIT]
    return [_SENTENCE_START, *pieces, _SENTENCE_END] if pieces else []


def _batches(sentences: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Row numbers in batches of at most `_BATCH_PIECES` pieces."""
    rows: list[int] = []
    room = _BATCH_PIECES
    for row, ids in sentences.items():
        if rows and len(ids) > room:
            yield rows
            rows, room = [], _BATCH_PIECES
        rows.append(row)
        room -= len(ids)
    if rows:
        yield rows


def _embed_batches(
    network: SentenceNetwork | MiniLM,
    batches: list[list[int]],
    sentences: Mapping[int, Sequence[int]],
) -> Iterator[tuple[list[int], Floats]]:
    """Rows and vectors of each batch, one batch per core, which never wait for each other."""

    def embed(rows: list[int]) -> tuple[list[int], Floats]:
        return rows, network.embed([sentences[row] for row in rows])

    workers = min(len(batches), os.cpu_count() or 1, _MAX_WORKERS)
    if workers < 2:
        yield from map(embed, batches)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(embed, batches)


_SQRT_HALF = np.float32(0.5**0.5)
_PAIR_METHOD = 2  # raise with any change to a text's vector


class LocalEmbedder(Embedder):
    """The multilingual model and the English one."""

    name = "local"
    model = "universal-sentence-encoder-multilingual-3 + all-MiniLM-L6-v2"
    dimension = MultilingualEmbedder.dimension + minilm.DIMENSION
    limits = replace(MultilingualEmbedder.limits, items=64)
    spread = 0.056
    """Measured: .068. A fifth less, since recall's weight of meaning was fitted with that."""

    def __init__(self, cache: Path | None = None) -> None:
        """Opens nothing yet. Raises `ProviderError` if the English model is not installed."""
        self.quick = MultilingualEmbedder(cache)
        """The multilingual model alone: an eighth of the time."""
        self._weights = minilm.find_weights()
        self._identity = content_hash(self._weights)
        self._cache = cache or cache_directory()
        self._lock = RLock()
        self._english: tuple[MiniLM, WordPieces] | None = None

    @property
    def fingerprint(self) -> str:
        """Both models and the version of their combination."""
        return f"{self.quick.fingerprint}+minilm/{self._identity}/{_PAIR_METHOD}"

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Vectors in the order of the texts; zero for a text without a visible character."""
        shared = self.quick.dimension
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, :shared] = self.quick.embed_documents(texts)
        rows = [row for row, text in enumerate(texts) if text.strip() and reads_as_english(text)]
        if not rows:
            return vectors
        network, pieces = self._open()
        sentences = {row: ids for row in rows if (ids := pieces.encode(texts[row]))}
        by_length = dict(sorted(sentences.items(), key=lambda each: len(each[1])))
        vectors[rows, :shared] *= _SQRT_HALF
        with one_thread():
            for batch, embedded in _embed_batches(network, list(_batches(by_length)), sentences):
                vectors[batch, shared:] = _SQRT_HALF * embedded
        return _require_finite(vectors, self._arrays_path())

    def _open(self) -> tuple[MiniLM, WordPieces]:
        with self._lock:
            if self._english is None:
                prepare = partial(minilm.prepare_arrays, self._weights)
                arrays = _load_arrays(self._arrays_path(), prepare)
                self._english = MiniLM(arrays), WordPieces()
            return self._english

    def _arrays_path(self) -> Path | None:
        name = f"english-encoder-{self._identity}.safetensors"
        return self._cache / name if self._cache else None


_BRINGS = (
    "with it 309 of 366 English questions had a right line among the first five, without it 284"
)


def load(setup: Setup) -> Embedder:
    """The built-in models, or the one of `embedder.local.model_path`: a folder, `.onnx`,
    `.safetensors` or `.npy` file is run in this process, anything else by llama.cpp."""
    named = setup.embedder.local.model_path
    if not named:
        try:
            return LocalEmbedder()
        except ProviderError as problem:
            alone = MultilingualEmbedder()
            alone.lacks = f"{problem.message} ({minilm.REMEDY}): {_BRINGS}"
            setup.say(alone.lacks)
            return alone
    path = Path(named).expanduser()
    if path.is_dir() or path.suffix in _IN_PROCESS_SUFFIXES:
        from lorebank.providers.model_folder import FolderEmbedder, inspect_model

        return FolderEmbedder(
            inspect_model(path), 0 if setup.as_fallback else setup.embedder.dimensions
        )
    from lorebank.providers.llama_cpp import LlamaCppEmbedder

    return LlamaCppEmbedder(setup)
