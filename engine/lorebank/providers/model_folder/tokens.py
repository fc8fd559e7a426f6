"""Text → token ids, by the `tokenizer.json` of a model.

A WordPiece tokenizer with BERT's rules (most small English models, static and not) is read here.
Any other is left to the package `tokenizers`, which is named where it is missing.
"""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from lorebank.errors import ProviderError
from lorebank.records import dataclass

_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_WORDS_REMEMBERED = 50_000


class FolderTokenizer(Protocol):
    """Cuts texts as a model was taught to."""

    @property
    def unknown(self) -> int | None:
        """The id of what no token stands for; `None` where there is none."""

    @property
    def padding(self) -> int:
        """The id that fills up a shorter text."""

    def encode(self, texts: Sequence[str], most: int, *, marks: bool) -> list[list[int]]:
        """Token ids of each text, at most so many; `marks`: with those of beginning and end."""


def read_tokenizer(file: Path) -> FolderTokenizer:
    """The tokenizer of a file.

    Raises `ProviderError` where it is none, or is of a kind that needs the package `tokenizers`
    and that is not installed.
    """
    try:
        raw = file.read_bytes()
        table = json.loads(gzip.decompress(raw) if file.suffix == ".gz" else raw)
        if not isinstance(table, dict):
            raise ValueError("no object")
        pieces = WordPieces.of(table)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ProviderError(
            f"the local model's {file.name} cannot be read: {problem}",
            hint="correct embedder.local.model_path",
        ) from problem
    return pieces or _by_package(file, table)


@dataclass(slots=True)
class WordPieces:
    """BERT's rules: words and punctuation apart, then the longest known pieces of each word."""

    vocabulary: dict[str, int]
    unknown: int | None
    padding: int
    prefix: str = "##"
    longest_word: int = 100
    clean: bool = True
    apart: bool = True
    lower: bool = True
    strip: bool = True
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)
    _known: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: dict[str, Any]) -> WordPieces | None:
        """The tokenizer of a `tokenizer.json`; `None` where it is of another kind."""
        model = table["model"]
        normalizer = table.get("normalizer") or {"type": None}
        splitter = table.get("pre_tokenizer") or {}
        if model.get("type", "WordPiece" if "max_input_chars_per_word" in model else "") != (
            "WordPiece"
        ):
            return None
        if splitter.get("type") != "BertPreTokenizer":
            return None
        if normalizer["type"] not in (None, "BertNormalizer"):
            return None
        marks = _marks(table.get("post_processor"))
        if marks is None:
            return None
        plain = normalizer["type"] is None
        lower = not plain and bool(normalizer.get("lowercase", True))
        strip = normalizer.get("strip_accents")
        vocabulary = {str(piece): int(row) for piece, row in model["vocab"].items()}
        padding = (table.get("padding") or {}).get("pad_id", vocabulary.get("[PAD]", 0))
        return cls(
            vocabulary,
            vocabulary.get(model.get("unk_token", "[UNK]")),
            int(padding),
            model.get("continuing_subword_prefix", "##"),
            int(model.get("max_input_chars_per_word", 100)),
            clean=not plain and bool(normalizer.get("clean_text", True)),
            apart=not plain and bool(normalizer.get("handle_chinese_chars", True)),
            lower=lower,
            strip=lower if strip is None else not plain and bool(strip),
            before=marks[0],
            after=marks[1],
        )

    def encode(self, texts: Sequence[str], most: int, *, marks: bool) -> list[list[int]]:
        before, after = (self.before, self.after) if marks else ([], [])
        room = max(0, most - len(before) - len(after))
        return [[*before, *self._ids(text, room), *after] for text in texts]

    def _ids(self, text: str, most: int) -> list[int]:
        ids: list[int] = []
        for word in _words(self._normal(text)):
            known = self._known.get(word)
            if known is None:
                known = self._pieces(word)
                if len(self._known) < _WORDS_REMEMBERED:
                    self._known[word] = known
            ids += known
            if len(ids) >= most:
                return ids[:most]
        return ids

    def _normal(self, text: str) -> str:
        if self.clean:
            text = "".join(map(_cleaned, text))
        if self.apart and not text.isascii():
            text = "".join(f" {c} " if _is_ideograph(c) else c for c in text)
        if self.strip and not text.isascii():
            decomposed = unicodedata.normalize("NFD", text)
            text = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
        return text.lower() if self.lower else text

    def _pieces(self, word: str) -> list[int]:
        none = [] if self.unknown is None else [self.unknown]
        if len(word) > self.longest_word:
            return none
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = self.prefix if start else ""
            for end in range(len(word), start, -1):
                found = self.vocabulary.get(prefix + word[start:end])
                if found is not None:
                    break
            else:
                return none
            ids.append(found)
            start = end
        return ids


def _cleaned(character: str) -> str:
    if " " <= character <= "~":
        return character
    if character in "\t\n\r" or character.isspace() or character == "\u00a0":
        return " "
    if character == "\ufffd" or unicodedata.category(character).startswith("C"):
        return ""
    return character


def _is_ideograph(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in _IDEOGRAPHS)


def _words(text: str) -> Iterator[str]:
    """Runs without white space, each sign of punctuation by itself."""
    for run in text.split():
        start = 0
        for at, character in enumerate(run):
            if character in _ASCII_PUNCTUATION or (
                character > "~" and unicodedata.category(character).startswith("P")
            ):
                if start < at:
                    yield run[start:at]
                yield character
                start = at + 1
        if start < len(run):
            yield run[start:]


def _marks(processor: Any) -> tuple[list[int], list[int]] | None:
    """Ids before and after a single text; `None` where the processor is of an unknown kind."""
    if processor is None:
        return [], []
    if processor["type"] == "BertProcessing":
        return [int(processor["cls"][1])], [int(processor["sep"][1])]
    if processor["type"] != "TemplateProcessing":
        return None
    sides: tuple[list[int], list[int]] = ([], [])
    side = 0
    for part in processor["single"]:
        if "Sequence" in part:
            side = 1
        else:
            ids = processor["special_tokens"][part["SpecialToken"]["id"]]["ids"]
            sides[side].extend(map(int, ids))
    return sides


@dataclass(frozen=True, slots=True)
class _PackageTokenizer:
    tokenizer: Any
    unknown: int | None
    padding: int

    def encode(self, texts: Sequence[str], most: int, *, marks: bool) -> list[list[int]]:
        self.tokenizer.enable_truncation(most)
        encodable = [text.encode(errors="replace").decode() for text in texts]
        found = self.tokenizer.encode_batch(encodable, add_special_tokens=marks)
        return [list(each.ids) for each in found]


def _by_package(file: Path, table: dict[str, Any]) -> FolderTokenizer:
    kind = table["model"].get("type", "unknown")
    try:
        from tokenizers import Tokenizer
    except ImportError as problem:
        raise ProviderError(
            f"the local model's tokenizer ({kind}) needs the package tokenizers, which is not "
            "installed",
            hint="pip install 'lorebank[onnx]', or pip install tokenizers",
        ) from problem
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as problem:  # the package raises nothing narrower
        raise ProviderError(
            f"the local model's {file.name} cannot be read: {problem}",
            hint="correct embedder.local.model_path",
        ) from problem
    tokenizer.no_padding()
    model = table["model"]
    unknown = model.get("unk_id")
    if unknown is None and model.get("unk_token"):
        unknown = tokenizer.token_to_id(model["unk_token"])
    padding = (table.get("padding") or {}).get("pad_id")
    if padding is None:
        named = (tokenizer.token_to_id(name) for name in ("[PAD]", "<pad>"))
        padding = next((row for row in named if row is not None), 0)
    return _PackageTokenizer(tokenizer, unknown, int(padding))
