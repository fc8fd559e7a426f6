"""Whether a sentence that a model wrote stands on the lines it cites. Pure: texts in, reasons out.

A sentence is dropped rather than mended. It must cite lines that exist; most of its content words,
all of its numbers and all that it writes with a capital must be found in them; and it may not deny
what they affirm nor affirm what they all deny. That is a check of words: it lets no new thing in,
and it cannot tell every twist of the old ones.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from lorebank.beliefs.reading import denies
from lorebank.language.folding import fold
from lorebank.language.words import content_words, words
from lorebank.records import Record

_SHARE = 0.7
"""The least share of a sentence's content words that its lines must hold."""
_STEM = 4
_ENDING = 3
"""Letters by which two forms of one word may differ at their ends."""
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_WORD = re.compile(r"(?<![\w'’])(?=[^\W\d_])\w[\w'’.-]*")


class CitedLine(Record):
    """A line that a sentence may stand on."""

    text: str
    """With the name it is about, where the text leaves it out."""
    days: tuple[date, ...] = ()
    """The days it was written on or tells of."""


def ungrounded(sentence: str, cited: Sequence[CitedLine], names: Collection[str] = ()) -> str:
    """Why a sentence does not stand on its lines; empty where it does.

    `names` are those known to the bank: a sentence that says one must have it from its lines,
    however it is written.
    """
    if not cited:
        return "it cites no line"
    text = "\n".join(line.text for line in cited)
    said = words(text)
    known = {part for line in cited for part in _numbers(line.text)}
    known |= {str(n) for line in cited for day in line.days for n in (day.year, day.month, day.day)}
    if number := next((number for number in _numbers(sentence) if number not in known), ""):
        return f"its lines have no {number}"
    if name := _missing_name(sentence, said, cited, names):
        return f"its lines do not name {name}"
    telling = [word for word in content_words(sentence) if not word.isdigit()]
    if not telling:
        return "it says nothing"
    held = sum(_is_held(word, said) for word in telling)
    if held < _SHARE * len(telling):
        return f"its lines hold {held} of its {len(telling)} words"
    denied = [denies(line.text) for line in cited]
    if denies(sentence):
        return "" if any(denied) else "it denies what its lines affirm"
    return "it affirms what its lines deny" if all(denied) else ""


def _numbers(text: str) -> Iterable[str]:
    """The numbers of a text, leading zeros left out, dates and times also by their parts."""
    for found in _NUMBER.findall(fold(text)):
        parts = re.split(r"[:/]", found)
        yield from (part.lstrip("0") or "0" for part in parts)


def _missing_name(
    sentence: str, said: Sequence[str], cited: Sequence[CitedLine], names: Collection[str]
) -> str:
    days = [day for line in cited for day in line.days]
    known = {*said, *(fold(calendar.month_name[day.month]) for day in days)}
    known |= {fold(calendar.day_name[day.weekday()]) for day in days}
    padded = f" {' '.join(words(sentence))} "
    for name in names:
        own = words(name)
        is_named = own and f" {' '.join(own)} " in padded
        if is_named and not all(_is_held(word, known) for word in own):
            return name
    telling = set(content_words(sentence))
    for found in _WORD.finditer(sentence):
        written = found.group().rstrip(".'’-")
        parts = [word for word in words(written) if word in telling]
        if written[0].isupper() and not all(_is_held(word, known) for word in parts):
            return written
    return ""


def _is_held(word: str, said: Collection[str]) -> bool:
    """Whether a word stands there, or a form of it: alike but for a short ending."""
    for other in said:
        least = max(_STEM, max(len(word), len(other)) - _ENDING)
        if word == other or word[:least] == other[:least]:
            return True
    return False
