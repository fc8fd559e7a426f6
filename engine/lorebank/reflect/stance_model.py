"""Which vectors the trained head of stance fits; light, so that a recall may ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

FINGERPRINT = (
    "local/universal-sentence-encoder-multilingual-3/23452acb419f40f8/512/"
    "sentencepiece-first-2048-of-65536-characters"
)
"""Of the embedder whose vectors the weights fit: the built-in model."""

HEAD = "head 1"
"""Who judged the opinions of an index; to be raised with any change of the weights."""
RULES = "rules"
"""The same, where the rules alone judged."""

VectorsOf = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Text → its vector as 32-bit floats, for those of the texts that have one."""
