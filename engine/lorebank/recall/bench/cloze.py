"""Cloze questions: a sentence of the workspace with parts taken out, to be found again.

Four variants a sentence, by what somebody who half remembers it would type: all but its most
telling words, half of its words, only whom it is about and its commonest words, and the first with
a slip of the finger. The sentence itself is never asked whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from lorebank.index.sentences import Sentence
from lorebank.language.words import content_words, words
from lorebank.records import dataclass

VARIANTS = ("cloze", "half", "relation", "typo")
FEWEST_WORDS = 4
"""A sentence with fewer content words leaves nothing to ask with."""
_DROPPED_SHARE = 3
_RELATION_WORDS = 2
_MOST_WORDS = 14
_WRITTEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the one sentence that it was made of."""

    variant: str
    text: str
    gold: Sentence


def question_words(sentence: Sentence) -> list[str]:
    """The content words that a question can be made of, folded, each once."""
    return content_words(sentence.text)


def make_questions(
    sentences: Sequence[Sentence], frequencies: Mapping[str, int], seed: int
) -> list[Question]:
    """The questions of some sentences; the same for the same seed and sentences.

    `frequencies` tells in how many items a folded word stands: the rarest are the most telling.
    """
    questions: list[Question] = []
    for place, sentence in enumerate(sentences):
        chance = Random(f"{seed}:{place}:{sentence.text}")
        questions += _questions_of(sentence, frequencies, chance)
    return questions


def _questions_of(
    sentence: Sentence, frequencies: Mapping[str, int], chance: Random
) -> list[Question]:
    told = question_words(sentence)[:_MOST_WORDS]
    by_rarity = sorted(told, key=lambda word: (frequencies.get(word, 0), word))
    telling = set(by_rarity[: max(1, len(told) // _DROPPED_SHARE)])
    names = " ".join(sentence.names)
    kept = [word for word in told if word not in telling]
    half = set(chance.sample(sorted(told), max(1, len(told) // 2)))
    asked = {
        "cloze": (names, _written(sentence.text, kept)),
        "half": (names, _written(sentence.text, [word for word in told if word in half])),
        "typo": (names, _with_slip(_written(sentence.text, kept), chance)),
    }
    if names:
        common = set(by_rarity[-_RELATION_WORDS:])
        asked["relation"] = (
            names,
            _written(sentence.text, [word for word in told if word in common]),
        )
    return [
        Question(variant, " ".join([asked[variant][0], *asked[variant][1]]).strip(), sentence)
        for variant in VARIANTS
        if variant in asked
    ]


def _written(text: str, kept: Sequence[str]) -> list[str]:
    """The kept words as the text writes them; folded where they cannot be told apart in it."""
    written: dict[str, str] = {}
    for match in _WRITTEN.finditer(text):
        folded = words(match.group())
        if len(folded) == 1:
            written.setdefault(folded[0], match.group())
    return [written.get(word, word) for word in kept]


def _with_slip(asked: Sequence[str], chance: Random) -> list[str]:
    """Two neighbouring letters of the longest word exchanged, never its first."""
    if not asked:
        return []
    place = max(range(len(asked)), key=lambda index: (len(asked[index]), -index))
    word = asked[place]
    swaps = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    if not swaps:
        return list(asked)
    at = chance.choice(swaps)
    slipped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return [*asked[:place], slipped, *asked[place + 1 :]]
