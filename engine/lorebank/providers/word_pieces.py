"""The tokenizer of bert-base-uncased (Apache-2.0), whose vocabulary is `english_pieces.txt.gz`."""

from __future__ import annotations

import gzip
import unicodedata
from pathlib import Path

MAX_PIECES = 256  # the training length of all-MiniLM-L6-v2; the rest of a text is ignored
VOCABULARY = Path(__file__).with_name("english_pieces.txt.gz")
"""One piece per line, in order of id; `##` marks pieces inside a word."""
_UNKNOWN, _BEGIN, _END = 100, 101, 102
_MAX_WORD_CHARACTERS = 100  # a longer word is unknown, as in the model's training
_WORDS_CACHED = 20_000  # chosen by hand: some 4 MB, more distinct words than a year of notes has


class WordPieces:
    """Words in lower case without accents, each cut greedily into the longest known pieces."""

    def __init__(self) -> None:
        pieces = gzip.decompress(VOCABULARY.read_bytes()).decode().split("\n")
        self._ids = {piece: place for place, piece in enumerate(pieces)}
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """At most `MAX_PIECES` ids with begin and end marks; empty for a blank text."""
        ids: list[int] = []
        for word in unicodedata.normalize("NFD", text).translate(_character_map).split():
            ids += self._cut(word)
            if len(ids) > MAX_PIECES - 2:
                break
        return [_BEGIN, *ids[: MAX_PIECES - 2], _END] if ids else []

    def _cut(self, word: str) -> list[int]:
        if (known := self._known.get(word)) is not None:
            return known
        ids: list[int] = []
        start = 0 if len(word) <= _MAX_WORD_CHARACTERS else len(word)
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._ids.get(f"##{word[start:end]}" if start else word[:end])
                if piece is not None:
                    break
            else:
                ids = []
                break
            ids.append(piece)
            start = end
        if len(self._known) >= _WORDS_CACHED:
            self._known.clear()
        self._known[word] = ids or [_UNKNOWN]
        return self._known[word]


class _CharacterMap(dict[int, str]):
    """Character → replacement; punctuation and ideographs become words of their own."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        category = unicodedata.category(letter)
        if category[0] == "Z" or letter in "\t\n\r":
            replacement = " "
        elif letter == "\ufffd" or category[0] == "C" or category == "Mn":
            replacement = ""
        elif (
            category[0] == "P" or letter in _SYMBOLS or any(code in block for block in _IDEOGRAPHS)
        ):
            replacement = f" {letter} "
        else:
            replacement = letter.lower()
        self[code] = replacement
        return replacement


_SYMBOLS = frozenset("$+<=>^`|~")  # ASCII symbols that BERT treats as punctuation
_IDEOGRAPHS = (
    *(range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00)),
    *(range(0x20000, 0x2A6E0), range(0x2A700, 0x2B820), range(0x2B920, 0x2CEB0)),
    range(0x2F800, 0x2FA20),
)
"""The blocks that BERT splits, without some of the rarest."""
_character_map = _CharacterMap()
