"""Text to piece ids, as sentencepiece does it, over arrays that need no loading.

sentencepiece builds its dictionary in every process, which takes 0.2 s: too long for one query,
nothing for a thousand chunks. `MappedTokenizer` looks pieces up in a hash table that is already
in the file, and gives the very same ids, slowly. `FastTokenizer` is sentencepiece itself.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

_UNKNOWN = 0
"""The id that the model's vocabulary gives to what it does not hold."""
_SPACE = "▁".encode()


class Tokenizer(Protocol):
    """Cuts a text into pieces of the model's vocabulary."""

    def encode(self, text: str) -> list[int]:
        """Piece ids without sentence marks; empty for a text without visible characters."""


class FastTokenizer:
    """The `sentencepiece` library over the same vocabulary: 0.2 s to open, then 20 times faster."""

    def __init__(self, model: Path) -> None:
        from sentencepiece import SentencePieceProcessor

        self._processor = SentencePieceProcessor(model_file=str(model))

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._processor.encode(text)
        return ids


class MappedTokenizer:
    """sentencepiece's normalizer and unigram segmentation, read from prepared arrays."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        self._fold_trie = arrays["fold_trie"].data
        self._fold_bytes = arrays["fold_bytes"].tobytes()
        self._piece_bytes = arrays["piece_bytes"].data
        self._piece_ends = arrays["piece_ends"].data
        self._scores = arrays["piece_scores"].data
        self._slots = arrays["piece_slots"].data
        self._unknown_score = float(arrays["unknown_score"][0])
        self._longest_piece = int(arrays["longest_piece"][0])

    def encode(self, text: str) -> list[int]:
        return self._segment(self._normalize(text.encode()).decode())

    def _normalize(self, text: bytes) -> bytes:
        """Fold characters (NFKC and a little more) and join words by `▁`, one before each."""
        out = bytearray(b" ")
        at = 0
        while at < len(text):
            folded, at = self._fold(text, at)
            if out.endswith(b" "):
                folded = folded.lstrip(b" ")
            out += folded
        normalized = bytes(out).replace(b" ", _SPACE)
        while normalized.endswith(_SPACE):
            normalized = normalized[: -len(_SPACE)]
        return normalized

    def _fold(self, text: bytes, at: int) -> tuple[bytes, int]:
        """The replacement for the longest known sequence at a place, and where that ends.

        The sequences are keys of a double-array trie. In a unit, the low byte is the label, bit 8
        says that a value hangs below, bit 9 scales the offset in the bits above; values have bit
        31 set.
        """
        trie = self._fold_trie
        node = 0
        unit = trie[0]
        match, end = -1, at
        for place in range(at, len(text)):
            byte = text[place]
            node ^= (unit >> 10) << ((unit & 0x200) >> 6) ^ byte
            unit = trie[node]
            if unit & 0x800000FF != byte:
                break
            if unit & 0x100:
                value = trie[node ^ (unit >> 10) << ((unit & 0x200) >> 6)]
                match, end = value & 0x7FFFFFFF, place + 1
        if match >= 0:
            return self._fold_bytes[match : self._fold_bytes.index(0, match)], end
        end = at + 1
        while end < len(text) and text[end] & 0xC0 == 0x80:
            end += 1
        return text[at:end], end

    def _segment(self, text: str) -> list[int]:
        """The likeliest cut into pieces.

        Sums are rounded to single precision at each step, as in the C++ code: near-ties, common
        in runs of one letter, would fall the other way otherwise.
        """
        count = len(text)
        best = array("f", bytes(4 * (count + 1)))
        came_from = [-1] * (count + 1)
        piece_to = [_UNKNOWN] * (count + 1)
        rounded = array("f", (0.0,))
        for start in range(count):
            for end, piece, score in self._pieces_from(text, start):
                rounded[0] = best[start] + score
                if came_from[end] < 0 or rounded[0] > best[end]:
                    best[end] = rounded[0]
                    came_from[end] = start
                    piece_to[end] = piece
        return _trace(came_from, piece_to)

    def _pieces_from(self, text: str, start: int) -> Iterator[tuple[int, int, float]]:
        """(end, id, score) of each piece at a place, shorter first; the unknown piece last."""
        mask = len(self._slots) - 1
        checksum = 0
        covers_one = False
        for end in range(start + 1, min(start + self._longest_piece, len(text)) + 1):
            checksum = crc32(text[end - 1].encode(), checksum)
            slot = checksum & mask
            while entry := self._slots[slot]:
                begin, stop = self._piece_ends[entry - 1], self._piece_ends[entry]
                if self._piece_bytes[begin:stop] == text[start:end].encode():
                    yield end, entry - 1, self._scores[entry - 1]
                    covers_one |= end == start + 1
                    break
                slot = (slot + 1) & mask
        if not covers_one:
            yield start + 1, _UNKNOWN, self._unknown_score


def _trace(came_from: list[int], piece_to: list[int]) -> list[int]:
    """The pieces of the best path; a run of unknown characters is one unknown piece."""
    ids: list[int] = []
    end = len(came_from) - 1
    while end > 0:
        if piece_to[end] != _UNKNOWN or ids[-1:] != [_UNKNOWN]:
            ids.append(piece_to[end])
        end = came_from[end]
    return ids[::-1]
