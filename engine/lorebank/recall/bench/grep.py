"""The baseline: lines ranked by how many of the words they hold, as a patient grep would."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from lorebank.domain import Citation
from lorebank.language.words import content_words, words


class LineSearch:
    """All lines, by the words they hold; whole words, upper and lower case alike."""

    def __init__(self, lines: Iterable[tuple[str, int, str]]) -> None:
        self.places: list[Citation] = []
        self._holding: dict[str, list[int]] = defaultdict(list)
        for path, number, text in lines:
            for word in set(words(text)):
                self._holding[word].append(len(self.places))
            self.places.append(Citation(path, number, number))

    def find(self, question: str, k: int) -> Sequence[Citation]:
        """The `k` lines that hold the most words of a question; ties in the order of the files."""
        held: Counter[int] = Counter()
        for word in content_words(question):
            held.update(self._holding.get(word, ()))
        best = sorted(held.items(), key=lambda entry: (-entry[1], entry[0]))[:k]
        return [self.places[line] for line, _ in best]
