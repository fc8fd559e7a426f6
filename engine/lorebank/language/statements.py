"""Plain statements in a sentence (somebody promised, bought, moved, decided, cannot eat or prefers
something), by the phrases of `[infer]` in the language files; and such phrases as regular
expressions.

A cue does not count with a negation in its clause, or with a hedge (belief, question, hope, dream,
hearsay, habit) anywhere in the sentence. A missed statement costs a line written by hand, a wrong
one costs trust.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from lorebank.language.folding import fold
from lorebank.language.words import known_languages, likely_languages, stop_words, words_of
from lorebank.language.words import words as tokens
from lorebank.languages import phrase_lists, spellings

_UNSPACED = "\u2e80"  # from here on scripts have no spaces, and so no word boundaries
_NUMBER = r"\d{1,2}(?:[:.h]\d{2})?"


def pattern_of(phrase: str, hours: Iterable[str] = ()) -> str:
    """A regular expression for a phrase, on folded text; its words are whole words.

    `*` stands for any letters and `+` for three or more, `...` for any words, `#` for a number or
    an hour, `^` for the beginning of the text and `$` for its end. `hours` are the words that
    count as a number: `one`, `noon`.
    """
    phrase = fold(phrase)
    anchored, ends = phrase.startswith("^"), phrase.endswith("$")
    bare = phrase.strip("^$").strip()
    middle = re.escape(bare).replace(r"\.\.\.\ ", r"(?:\S+\s+)*?").replace(r"\*", r"\w*")
    middle = middle.replace(r"\+", r"\w{3,}").replace(r"\ ", r"\s+")
    number = "|".join([_NUMBER, *(re.escape(fold(hour)) for hour in hours)])
    middle = middle.replace(r"\#", f"(?:{number})")
    before = r"\A\W*" if anchored else "" if bare[:1] >= _UNSPACED else r"(?<!\w)"
    after = r"\W*\Z" if ends else "" if bare[-1:] >= _UNSPACED else r"(?!\w)"
    return f"{before}{middle}{after}"


_CLAUSE_END = re.compile(r"(?<!\d)[,;:)(、](?!\d)|\s[–—-]\s")
_LANGUAGE_INDEPENDENT = {
    "clock": r"(?<![\d.,:/-])(?:[01]?\d|2[0-3])[:h][0-5]\d(?![\d:])",
    "money": r"[£$€₺¥₱]\s?\d|\d[\d.,]*\s?(?:[€£$₺]|(?:eur|usd|gbp|chf|brl|try|pln)\b)",
}
"""Patterns in addition to those of the languages."""
_WRAPPED = 60  # a longer line without a full stop was probably wrapped by an editor
_OPENS = r"[\"“„«‹(\[]*"
_SENTENCE_END = re.compile(
    rf"(?<=[.!?…])[\"”“»›)\]*_]*\s+(?={_OPENS}(?:[A-ZÀ-Þ0-9¿¡@*_`\[]|[^\x00-\u024f\s]))|(?<=[。！？])[”」』]?"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-zÄÖÜ]|[Dd]r|[Mm]rs?|[Ss]ra?|[Ss]t|[Nn]r|[Nn]o|[Bb]zw|[Uu]sw|[Ee]tc|[Cc]a|[Vv]s|"
    r"[Zz]\.\s?[Bb]|[Ee]\.g|[Ii]\.e|[Pp]rof|[Ff]eat|approx|inkl|incl|ggf))\.\Z"
)
_CONTEXT_CHARACTERS = 60  # before a full stop, to decide whether it ends a sentence
_EDGES = ".,;:!?()[]\"'«»“”„*_"
_LABEL = re.compile(r"(?: [^\s:]+){0,3}\s?:")


class Cue(NamedTuple):
    """The span of a cue in the folded sentence."""

    language: str
    start: int
    end: int


class Statement:
    """A sentence, its words and its likely languages."""

    __slots__ = ("folded", "languages", "starts", "words")

    def __init__(self, text: str, languages: Collection[str] = ()) -> None:
        """`languages` are those of the surrounding text, added to its own."""
        self.words = text.replace("’", "'").split()
        # A word stays one word, so that offsets in the folded text map to words.
        folded = [fold(word).replace(" ", "") or "_" for word in self.words]
        self.folded = " ".join(folded)
        self.starts = [0, *accumulate(len(word) + 1 for word in folded)][: len(folded)]
        spoken = {*languages, *languages_of(text)}
        self.languages = tuple(code for code in phrase_lists("infer") if code in spoken)

    def find(self, entry: str) -> Cue | None:
        """The first cue of an entry that counts, in any of the languages."""
        cues = (Cue(code, *match.span()) for code, match in self._matches(entry))
        return next((cue for cue in cues if not self._is_negated(cue, entry)), None)

    def says(self, entry: str, language: str) -> bool:
        """Whether it contains a phrase of an entry."""
        return next(_found(language, entry, self.folded), None) is not None

    def places(self, entry: str, end: int) -> list[int]:
        """Indexes of the words of an entry before an offset of the folded text."""
        matches = self._matches(entry, self.folded[:end]) if end else ()
        return [self.word_at(match.start()) for _, match in matches]

    def words_of(self, entry: str) -> set[int]:
        """Indexes of the words in phrases of an entry."""
        found = (match for _, match in self._matches(entry))
        spans = ((self.word_at(match.start()), self.word_at(match.end() - 1)) for match in found)
        return {number for first, last in spans for number in range(first, last + 1)}

    def has_first_person(self, cue: Cue) -> bool:
        """Whether "I" or "we" is in the clause of a cue, up to its end."""
        clause = _CLAUSE_END.split(self.folded[: cue.start])[-1]
        return any(True for _ in self._matches("i", clause + self.folded[cue.start : cue.end]))

    def opens_with(self, cue: Cue) -> bool:
        """Whether nothing before a cue could be a person: `Have promised …`."""
        before = range(self.word_at(cue.start))
        return len(before) <= 1 and all(self.word(number) in non_name_words() for number in before)

    def ends_with(self, entry: str) -> bool:
        last = self.word(len(self.words) - 1)
        return any(last in _entry_words(code, entry) for code in self.languages)

    def puts_subjects_first(self, language: str) -> bool:
        """Whether the language puts subjects first and capitalises only names."""
        return "subjects_first" in phrase_lists("infer")[language]

    def word(self, number: int) -> str:
        """A word, folded and without punctuation."""
        start = self.starts[number]
        return self.folded[start : start + len(self.folded[start:].split(" ", 1)[0])].strip(_EDGES)

    def word_at(self, place: int) -> int:
        """Index of the word at an offset of the folded text."""
        return self.folded.count(" ", 0, place)

    def is_labelled(self, entry: str) -> bool:
        """Whether it begins with a label of an entry and a colon: `Decision: …`."""
        ends = (match.end() for _, match in self._matches(entry) if match.start() == 0)
        return any(_LABEL.match(self.folded, end) for end in ends)

    def says_anywhere(self, *entries: str) -> bool:
        """Whether it contains a phrase of any of the entries."""
        return any(self.says(entry, code) for entry in entries for code in self.languages)

    def _matches(self, entry: str, text: str = "") -> Iterator[tuple[str, re.Match[str]]]:
        """Language and match of the phrases of an entry."""
        for code in self.languages:
            for match in _found(code, entry, text or self.folded):
                yield code, match

    def _is_negated(self, cue: Cue, entry: str) -> bool:
        before, behind = self.folded[: cue.start], self.folded[cue.end :]
        if any(next(_found(cue.language, "unsure", part), None) for part in (before, behind)):
            return True
        clause = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(behind)[0]
        # "Decided not to sell" is a decision.
        parts = clause[:1] if entry in _MAY_BE_NEGATIVE else clause
        negating = ("not",) if entry == "off" else ("not", "off")
        return any(next(_found(cue.language, e, part), None) for e in negating for part in parts)


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a paragraph begins and ends."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        open_brackets = text.count("(", start, found.start()) - text.count(")", start, found.end())
        before = text[max(start, found.start() - _CONTEXT_CHARACTERS) : found.start()]
        if open_brackets > 0 or _ABBREVIATION.search(before) or _ordinal("before").search(before):
            continue
        day = _ordinal("behind").search(text, max(start, found.start() - 3), found.end() + 9)
        if day and day.start() < found.start():
            continue
        yield start, found.end()
        start = found.end()
    if text[start:].strip():
        yield start, len(text)


@cache
def _ordinal(side: str) -> re.Pattern[str]:
    """A number whose full stop makes it an ordinal, by the word before it or behind: `am 28.
    August`; after other words, as in `on May 28. Then …`, it ends its sentence."""
    listed = (words.get(f"ordinal_{side}", ()) for words in phrase_lists("sentences").values())
    words = "|".join(re.escape(word).replace(r"\*", r"\w*") for found in listed for word in found)
    if side == "behind":
        return re.compile(rf"\b\d{{1,2}}\.\s+(?:{words})\b", re.IGNORECASE)
    before = rf"(?:^|(?<!\d)[–—:-]|\b(?:{words})\s)\s*\d{{1,2}}\.\Z"
    return re.compile(rf"{before}|^\d{{1,2}}\.\s?\d{{1,2}}\.\Z", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a passage; a line break ends one as well."""
    parts = (line[start:end] for line in lines_of(text) for start, end in sentence_spans(line))
    return [part.strip() for part in parts if part.strip()]


def lines_of(text: str) -> list[str]:
    """The lines of a passage, with wrapped lines joined."""
    groups: list[list[str]] = []
    above = ""
    for line in text.split("\n"):
        # A lower-case line continues a sentence, but not a list in lower case.
        goes_on = len(above) >= _WRAPPED or (above[:1].isupper() and line.lstrip()[:1].islower())
        if line and above and goes_on and above[-1] not in ".!?…:":
            groups[-1].append(line)
        else:
            groups.append([line])
        above = line
    return ["\n".join(group) for group in groups]


@cache
def leaning_words() -> frozenset[str]:
    """Words that refer back, in any language: `it`, `they`, `das`."""
    return frozenset(spellings("infer", "they", "dangling"))


def statement_in_any_language(text: str) -> Statement:
    """For language-independent patterns, and mixed lines: `nos vemos at 10`."""
    return Statement(text, phrase_lists("infer"))


def languages_of(text: str) -> frozenset[str]:
    """The likely languages of a text, among those with `[infer]`."""
    longer = [word for word in tokens(text) if len(word) > 1]  # one letter is many languages'
    return frozenset(likely_languages(longer)) | (phrase_lists("infer").keys() - known_languages())


_MAY_BE_NEGATIVE = frozenset({"decision", "prefers"})


def promise_in(text: str) -> str:
    """The first sentence in which "I", the subject or nobody makes a promise; empty without any."""
    whole, parts = _promising()
    said = set(words_of(text))
    cues = (cue for word in whole.keys() & said for cue in whole[word])
    joined = " ".join(said)
    if not any(map(said.issuperset, cues)) and not any(part in joined for part in parts):
        return ""  # nearly every line, at a hundredth of the cost of parsing it
    languages = languages_of(text)
    for sentence in sentences(text):
        statement = Statement(sentence, languages)
        cue = None if "?" in sentence else statement.find("promise")
        if cue and (statement.has_first_person(cue) or statement.opens_with(cue)):
            return sentence
    return ""


@cache
def non_name_words() -> frozenset[str]:
    """Words of all languages that begin a sentence but are not names; folded."""
    return stop_words().union(fold(" ".join(spellings("infer", "nobody"))).split())


@cache
def _promising() -> tuple[dict[str, list[list[str]]], tuple[str, ...]]:
    """The rarest word of each promise cue → such cues; and words of cues with wildcards."""
    whole: dict[str, list[list[str]]] = {}
    parts: set[str] = set()
    for cue in spellings("infer", "promise"):
        said = tokens(cue)
        word = max(said, key=lambda each: (each not in stop_words(), len(each)))
        if "*" in cue:
            parts.add(word)
        else:
            whole.setdefault(word, []).append(said)
    return whole, tuple(parts)


_LAST_HOUR = 24


def tells_clock(text: str, languages: Iterable[str]) -> bool:
    """Whether a text names a time of day: `at six`, `a las tres`, 17:30; not `retired at 62`."""
    folded = fold(text)
    return any(
        all(int(number) <= _LAST_HOUR for number in re.findall(r"\d+", found.group())[:1])
        for code in languages
        for found in _found(code, "clock", folded)
    )


def states_any(text: str, entry: str, languages: Iterable[str]) -> bool:
    """Whether a text holds a phrase of this entry of `[infer]`."""
    folded = fold(text)
    return any(any(True for _ in _found(code, entry, folded)) for code in languages)


def _found(code: str, entry: str, folded: str) -> Iterator[re.Match[str]]:
    pattern = _pattern(code, entry)
    return pattern.finditer(folded) if pattern else iter(())


@cache
def _pattern(code: str, entry: str) -> re.Pattern[str] | None:
    entries = phrase_lists("infer").get(code, {})
    phrases = [pattern_of(phrase, entries.get("hours", ())) for phrase in entries.get(entry, ())]
    phrases += [_LANGUAGE_INDEPENDENT[entry]] if entry in _LANGUAGE_INDEPENDENT else []
    return re.compile("|".join(phrases)) if phrases else None


@cache
def _entry_words(code: str, entry: str) -> frozenset[str]:
    return frozenset(map(fold, phrase_lists("infer")[code].get(entry, ())))


@cache
def yearly_words() -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Words for yearly days in any language (birthday, anniversary, born), and a pattern."""
    days, births = spellings("agenda", "yearly"), spellings("agenda", "born")
    found = "|".join([*map(re.escape, days), *(rf"\b{re.escape(word)}" for word in births)])
    return (*days, *births), re.compile(found, re.IGNORECASE)
