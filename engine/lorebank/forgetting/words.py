"""Whether a text holds what is meant: words that somebody gave, or the names of somebody, whatever
their case and accents. A single name that may be another word when it is written small (`rose`) is
certain only as a tag, a link or a part of an address."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate

from lorebank.language.folding import fold
from lorebank.language.words import stop_words
from lorebank.markdown.front_matter import front_matter_lines
from lorebank.markdown.source import split_lines

_WILD = re.compile(r"(?<=\w)\*(?!\*)|(?<!\*)\*(?=\w)")
"""`Ann*`, for the rest of a word; neither `5 * 3` nor `**bold**`."""
_SEPARATORS = re.compile(r"[-_\s]+")
_WORD = re.compile(r"[^\W_]+")
_LEAST_LETTERS, _LETTER = 2, r"[^\W\d_]"
_AS_LATIN = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
_WIDE = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def text_of(data: bytes) -> tuple[str, str]:
    """A file's text and its encoding, which together give the very bytes back, whatever they are:
    UTF-16 where a byte order mark says so, else UTF-8."""
    if wide := _WIDE.get(data[:2]):
        with suppress(UnicodeDecodeError):
            return data.decode(wide, "surrogatepass"), wide
    return data.decode("utf-8", "surrogateescape"), "utf-8"


def bytes_of(text: str, encoding: str) -> bytes:
    """The bytes of such a text."""
    return text.encode(encoding, "surrogateescape" if encoding == "utf-8" else "surrogatepass")


def readable(text: str) -> str:
    """Such a text with Latin letters in place of the bytes that are no UTF-8."""
    return text if text.isascii() else text.translate(_AS_LATIN)


class Finder:
    """What is meant, looked for in lines, in paths and in bytes."""

    def __init__(self, names: Collection[str] = (), match: str = "") -> None:
        # A name that is a common word (Will) is known only where the index tells it from that.
        told = [
            n
            for n in names
            if fold(n) not in stop_words() and len(re.findall(_LETTER, n)) >= _LEAST_LETTERS
        ]
        small = {n for n in told if n != n.lower() and _WORD.fullmatch(n)}
        self._words = frozenset(map(fold, small))
        self._any = _words_pattern(match) if match.strip() else _names_pattern(told)
        self._told = self._any if match.strip() else _names_pattern({*told} - small)
        either = "|".join(map(re.escape, sorted(self._words))) or r"(?!)"
        self._joined = re.compile(rf"[@#/=&?](?:{either})(?![\w-])|\[\[(?:{either})[\]|#]")
        self._value = re.compile(rf"(?:^\s*-|[:,\[])\s*[\"']?(?:{either})[\"']?\s*(?:[,\]]|$)")
        raw = [f"{self._any.pattern}", *(_names_pattern([n], str.lower).pattern for n in told)]
        genitive = [rf"{re.escape(word)}s(?![^\W_])" for word in sorted(self._words)]
        self._like = re.compile("|".join([self._any.pattern, *genitive]))
        self._bytes = re.compile("|".join(raw).encode(), re.IGNORECASE)
        longest = [
            max(words, key=len)
            for text in ((match.replace("*", " "),) if match.strip() else told)
            for form in (fold(text), text.lower())
            if (words := _SEPARATORS.split(form))
        ]
        self._needles = {word.encode("utf-8", "surrogatepass") for word in longest}

    def lines(self, lines: Sequence[str]) -> dict[int, bool]:
        """The lines that hold it, with those right below, by number, and whether for certain."""
        bare = [readable(line).lstrip("\ufeff \t>") for line in lines]
        folded = [fold(line) or "\0" for line in bare]  # no text goes across that
        ends = list(accumulate(len(line) + 1 for line in folded))
        matter = front_matter_lines(lines)
        found: dict[int, bool] = {}
        for match in self._like.finditer("\n".join(folded)):
            first, last = bisect(ends, match.start()), bisect(ends, match.end() - 1)
            is_value = first < matter and self._value.search(folded[first])
            sure = bool(is_value) or self.is_certain_match("\n".join(bare[first : last + 1]))
            for number in range(first + 1, last + 2):
                found[number] = found.get(number, False) or sure
        return found

    def is_certain_match(self, text: str) -> bool:
        """Whether a text holds it for certain."""
        folded = fold(text)
        if not self._any.search(folded):
            return False
        if self._told.search(folded) or self._joined.search(folded):
            return True
        words = _WORD.findall(unicodedata.normalize("NFC", text))
        return any(not word.islower() and fold(word) in self._words for word in words)

    def places(self, data: bytes) -> dict[int, bool]:
        """The lines of a file that hold it, and whether for certain; what is no text is line 0."""
        is_text = b"\0" not in data or data[:2] in _WIDE
        if (not is_text or data.isascii()) and not holds_any(data, self._needles):
            return {}  # most files, and all caches, at a thousandth of the cost of the rest
        if is_text:
            return self.lines(split_lines(text_of(data)[0]))
        found = [readable(text_of(match.group())[0]) for match in self._bytes.finditer(data)]
        return {0: any(map(self.is_certain_match, found))} if found else {}


class Copies(Finder):
    """Whole lines, looked for with the same words in a row; none is certainly meant: who forgets a
    line may want to keep what says the same elsewhere."""

    def __init__(self, texts: Iterable[str]) -> None:
        told = {said: text for text in texts if (said := _in_a_row(text)).count("·") > 2}
        self._said = tuple(told)
        self._needles = {text.lower().encode("utf-8", "surrogatepass") for text in told.values()}

    def lines(self, lines: Sequence[str]) -> dict[int, bool]:
        """The lines that hold one."""
        return {number: False for number, line in enumerate(lines, 1) if self._holds(line)}

    def is_certain_match(self, text: str) -> bool:
        """Nothing is."""
        return False

    def places(self, data: bytes) -> dict[int, bool]:
        """The lines of a file that hold one; one that goes over several is line 0."""
        if b"\0" in data and data[:2] not in _WIDE:
            return {0: False} if holds_any(data, self._needles) else {}
        text = readable(text_of(data)[0])
        return (self.lines(split_lines(text)) or {0: False}) if self._holds(text) else {}

    def _holds(self, text: str) -> bool:
        said = _in_a_row(text)
        return any(each in said for each in self._said)


def _in_a_row(text: str) -> str:
    return f"·{'·'.join(_WORD.findall(fold(text)))}·"


def holds_any(data: bytes, needles: Iterable[bytes]) -> bool:
    """Whether some bytes, in small letters, hold one of these."""
    low = data.lower()
    return any(needle in low for needle in needles)


def word_finder(names: Iterable[str] = (), match: str = "") -> Callable[[str], object]:
    """Whether a text holds these words, or else one of the names, as words, whatever their case and
    accents: `Ann` is not in "Planning". `*` stands for the rest of one: `*ann*` is."""
    pattern = _words_pattern(match) if match.strip() else _names_pattern(names)
    return lambda text: pattern.search(fold(readable(text)))


def _names_pattern(names: Iterable[str], folded: Callable[[str], str] = fold) -> re.Pattern[str]:
    words = (list(filter(None, _SEPARATORS.split(folded(name).strip()))) for name in sorted(names))
    return _pattern([[re.escape(word) for word in each] for each in words], _SEPARATORS.pattern)


def _words_pattern(text: str) -> re.Pattern[str]:
    words = [r"\w*".join(map(re.escape, _WILD.split(word))) for word in fold(text).split()]
    return _pattern([words], r"\s+")


def _pattern(found: Iterable[Sequence[str]], gap: str) -> re.Pattern[str]:
    """Any of these runs of words, no letter beside it.

    A script without capitals writes words in a row, so there one may stand within others.
    """
    patterns = []
    for words in filter(None, found):
        before = r"(?<![^\W_])" if ends_words(words[0][0]) else ""
        after = r"(?![^\W_])" if ends_words(words[-1][-1]) else ""
        patterns.append(f"{before}{gap.join(words)}{after}")
    return re.compile("|".join(patterns) or r"(?!)")


def ends_words(letter: str) -> bool:
    """Whether a word ends where this letter meets no other."""
    return letter.isdigit() or letter.upper() != letter.lower()
