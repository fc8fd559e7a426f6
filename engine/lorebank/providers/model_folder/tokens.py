"""Text → token ids, by the `tokenizer.json` of a model and the package `tokenizers`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lorebank.errors import ProviderError
from lorebank.records import Record


class FolderTokenizer(Record):
    """Cuts texts as a model was trained to read them."""

    tokenizer: Any
    unknown: int | None
    """The id of what no token stands for; `None` where there is none."""
    padding: int
    """The id that fills up a shorter text."""

    def encode(self, texts: Sequence[str], most: int, *, marks: bool) -> list[list[int]]:
        """Token ids of each text, at most so many; `marks`: with those of beginning and end.

        A lone surrogate, which no encoding can hold, counts as a question mark.
        """
        self.tokenizer.enable_truncation(most)
        encodable = [text.encode(errors="replace").decode() for text in texts]
        found = self.tokenizer.encode_batch(encodable, add_special_tokens=marks)
        return [list(each.ids) for each in found]


def require_tokenizers() -> None:
    """Raise `ProviderError` where the package is missing; imports nothing."""
    if find_spec("tokenizers") is None:
        raise ProviderError(
            "a local model needs the package tokenizers, which is not installed",
            hint="pip install 'lorebank[onnx]', or pip install tokenizers",
        )


def read_tokenizer(file: Path) -> FolderTokenizer:
    """The tokenizer of a file, gzipped or not; `ProviderError` where it cannot be read."""
    require_tokenizers()
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
    unknown = model.get("unk_id")
    if unknown is None and model.get("unk_token"):
        unknown = tokenizer.token_to_id(model["unk_token"])
    padding = (table.get("padding") or {}).get("pad_id")
    if padding is None:
        named = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
        padding = next((row for row in named if row is not None), 0)
    return FolderTokenizer(tokenizer, unknown, int(padding))
