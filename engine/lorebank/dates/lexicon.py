"""Tokens of a text, and the lexicon: the `[dates]` sections, first token to meanings.

An entry of a section is, in capitals, the tag by which the rules know its words; what each holds
stands in `engine/docs/languages.md`. A spelling with `~` before it is a common word of another
language too: it counts only where another word of the text belongs to its own language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from lorebank.errors import ConfigurationError
from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled, language_files, sections, split
from lorebank.records import Mutable, Record

_CJK = "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d"
"""The inside of a regular expression's class: kana and Han letters."""
_ASCII_TOKEN = re.compile(r"\d+|[a-z]+|\S")
_MARKS = "\u0300-\u036f"


class Tokens(Record):
    """The tokens of one text, as parallel lists."""

    text: str
    words: list[str]
    """Folded; digits of any width as ASCII digits."""
    starts: list[int]
    ends: list[int]

    def adjacent(self, index: int) -> bool:
        """Whether the token stands right behind the one before it."""
        return 0 < index < len(self.words) and self.ends[index - 1] == self.starts[index]

    def split(self, inflected: Mapping[str, int]) -> None:
        """Cut words with a suffix or prefix in two: `mayısta` into `mayıs` and `ta`."""
        for index in range(len(self.words) - 1, -1, -1):
            word, start = self.words[index], self.starts[index]
            stem = inflected.get(self.text[start : self.ends[index]].lower().replace("i̇", "i"))
            if stem is not None and self.ends[index] - start == len(word):
                cut = start + stem
                self.words[index : index + 1] = [word[:stem], word[stem:]]
                self.starts.insert(index + 1, cut)
                self.ends.insert(index, cut)


def is_cjk(letter: str) -> bool:
    """Whether it is kana or a Han letter."""
    if letter.isascii():
        return False
    ranges = zip(_CJK[::3], _CJK[2::3], strict=True)
    return any(first <= letter <= last for first, last in ranges)


def tokenize(text: str) -> Tokens:
    """Cut a text; offsets count characters of the text as given."""
    if text.isascii():
        found = list(_ASCII_TOKEN.finditer(text.lower()))
        words = [match[0] for match in found]
    else:
        found = list(_any_token().finditer(text))
        words = [fold(match[0]) or match[0] for match in found]
    return Tokens(text, words, [m.start() for m in found], [m.end() for m in found])


@cache
def _any_token() -> re.Pattern[str]:
    """Tokens of any script; made when first needed, because its classes are large."""
    letter = rf"[^\W\d_{_CJK}]"
    return re.compile(rf"\d+|[{_CJK}]|{letter}+(?:[{_MARKS}]+{letter}*)*|\S")


def listed(names: str) -> frozenset[str]:
    """The names of tags or entries in a text of them."""
    return frozenset(names.split())


LANGUAGES = tuple(path.stem for path in language_files())
ALL = (1 << len(LANGUAGES)) - 1
"""The set of all languages; a set of languages is an integer, one bit each."""
_CUES = listed(
    """
    past not_past auxiliary participle participle_last future not_future habit hours moved off
    not_off planned joins again told that undone
    """
)
"""Entries of a section that hold how a clause speaks."""
_LISTS = frozenset({"marks", "vague", "suffixes", "prefixes", "numerals", "traits"}) | _CUES
"""Entries that are no tags of rules: they say something of a whole text or clause."""
_ELIDED = frozenset("bcdfghjklmnpqrstvwxz")
"""Letters that are words before an apostrophe only: Dutch `t/m` speaks for no French."""
_INFLECTED = listed("month weekday season unit relative_day edge part_after holiday")
ANCHORS = listed(
    """
    MONTH WEEKDAY WEEKDAY_PLURAL WEEKDAY_SHORT UNIT DURATION SEASON HOLIDAY DECADE EDGE
    RELATIVE_DAY RELATIVE_UNIT YEAR_SIGN MONTH_SIGN DAY_SIGN DAY_BEFORE_NUMBER DAY_WORD
    """
)
"""Tags of which every date phrase without a digit holds one."""


def language_bit(code: str) -> int:
    """The set of that one language; empty where it has no file."""
    return 1 << LANGUAGES.index(code) if code in LANGUAGES else 0


@cache
def _traits() -> dict[str, int]:
    return compiled("dates", _speaking)


def _speaking(languages: Sections) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for code, section in languages.items():
        for trait in split(section.get("traits", "")):
            found[trait] |= language_bit(code)
    return dict(found)


def speaking(trait: str) -> int:
    """The languages of which a file tells that trait: `nouns_capitalised`."""
    return _traits()[trait]


Reading = tuple[tuple[str, ...], str, Any, int, bool, bool]
"""One meaning of a run of tokens: those behind the first, the tag, the value, the languages;
whether it counts only where another word of the text belongs to its language (it is spelled with
a `~`), and whether only with a capital: `Linggo` is Sunday, `linggo` a week."""


class Lexicon(Mutable):
    """All words of all languages."""

    rows: dict[str, tuple[Reading, ...]]
    """First token → its readings, longest first."""
    marks: dict[str, tuple[int, ...]]
    """Common word → the numbers of its languages: evidence of which one a text is in."""
    unmarked: int
    """The languages of which no common word is known: any text may be in them."""
    vague: dict[str, tuple[tuple[str, ...], ...]]
    """First token → the tokens behind it, for phrases that name no definite time."""
    inflected: dict[str, int]
    """Word with a suffix or prefix → letters of its first part: `mayısta` is `mayıs` `ta`; as it is
    spelled or all without accents, since `kişi`, a person, is no `kışı`, winter."""
    cues: dict[str, dict[str, str]]
    """Language → cue → a regular expression of its words and endings, accents and all."""

    def means(self, word: str, tag: str, *, collides: bool | None = None) -> bool:
        """Whether a word alone bears a tag; `collides`: whether only with care, with a `~`."""
        return any(
            row[:2] == ((), tag) and collides in (None, row[4]) for row in self.rows.get(word, ())
        )


@cache
def lexicon() -> Lexicon:
    """The lexicon of all languages, read at the first call."""
    return Lexicon(**compiled("dates", _tables))


def _tables(languages: Sections) -> dict[str, Any]:
    meanings: dict[tuple[tuple[str, ...], str, Any, bool, bool], int] = defaultdict(int)
    marks: dict[str, set[int]] = defaultdict(set)
    vague: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    inflected: dict[str, int] = {}
    whole: set[str] = set()
    stop_words, statements = sections("stop_words"), sections("infer")
    for code, section in languages.items():
        bit = language_bit(code)
        suffixes, prefixes = (split(section.get(key, "")) for key in ("suffixes", "prefixes"))
        for entry, value, spelling in _spellings(code, section):
            written = spelling.lstrip("~")
            tokens, parts = tuple(tokenize(written).words), written.split()
            whole.update(tokens, parts)
            flags = spelling.startswith("~"), written[0].isupper()
            if entry in _INFLECTED:
                inflected.update({parts[-1] + suffix: len(parts[-1]) for suffix in suffixes})
                inflected.update({prefix + parts[0]: len(prefix) for prefix in prefixes})
            tags = [entry.upper()]
            tags += ["MONTH_SHORT"] if entry == "month" else []  # where an abbreviation may stand
            tags += [f"U_{value.upper()}"] if entry == "unit" else []
            counts_days = "ordinal" if "ordinal_days" in section.get("traits", "") else "number"
            tags += ["DAY_WORD"] if entry == counts_days and value in range(1, 32) else []
            for tag in tags:
                meanings[tokens, tag, value, *flags] |= bit
        common = [word for entry in ("marks", *_CUES) for word in split(section.get(entry, ""))]
        numbers = section.get("number", {}).values()
        common += [word for spellings in numbers for word in split(spellings) if len(word) > 2]
        for word in (*common, *stop_words.get(code, {}).get("words", "").split()):
            tokens = tuple(tokenize(word).words)
            if len(tokens) == 1 and word not in _ELIDED and not word.startswith("*"):
                marks[tokens[0]].add(LANGUAGES.index(code))
        for phrase in split(section.get("vague", "")):
            first, *rest = tokenize(phrase).words
            vague[first].add(tuple(rest))
    rows: dict[str, list[Reading]] = defaultdict(list)
    for (tokens, tag, value, collides, capital), bits in meanings.items():
        rows[tokens[0]].append((tokens[1:], tag, value, bits, collides, capital))
    inflected |= {bare: n for word, n in inflected.items() if (bare := fold(word)) not in whole}
    inflected = {word: stem for word, stem in inflected.items() if word not in whole}
    return {
        "rows": {
            first: tuple(sorted(found, key=lambda fields: -len(fields[0])))
            for first, found in rows.items()
        },
        "marks": {word: tuple(sorted(found)) for word, found in marks.items()},
        "unmarked": ALL & ~sum(1 << index for index in frozenset().union(*marks.values())),
        "vague": {first: tuple(sorted(rests)) for first, rests in vague.items()},
        "inflected": inflected,
        "cues": {
            code: cues
            for code, section in languages.items()
            if (cues := _cues({**section, "off": statements.get(code, {}).get("off", "")}))
        },
    }


def _cues(section: dict[str, Any]) -> dict[str, str]:
    return {
        cue: "|".join(
            re.escape(word.lower())
            .replace(r"\*", r"[^\W\d_]*" if cue in ("moved", "off") else r"[^\W\d_]{2,}")
            .replace(r"\ ", r"\s+")
            for word in sorted(split(section[cue]), key=len, reverse=True)  # signed the: not *ed
        )
        for cue in _CUES
        if section.get(cue)
    }


def _spellings(code: str, section: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Entry, value and spelling of every word of a section."""
    from lorebank.dates.phrases import tags_of_rules  # only where the cache is out of date

    known = {tag.lower() for tag in tags_of_rules()}
    for entry, words in section.items():
        if entry == "numerals":
            yield from _han_numerals()
        elif entry not in known and entry not in _LISTS:
            raise ConfigurationError(
                f"languages/{code}.toml: [dates] holds '{entry}', which nothing reads",
                hint="engine/docs/languages.md lists the entries",
            )
        elif entry not in _LISTS:
            for value, spellings in _values(entry, words):
                yield from ((entry, value, spelling) for spelling in split(spellings))


def _values(entry: str, words: Any) -> Iterator[tuple[Any, str]]:
    """Value and spellings: of one text, of a list in order, or of a table by value."""
    if isinstance(words, str):
        yield None, words
    elif isinstance(words, list):  # from January, from Monday
        yield from enumerate(words, 0 if entry.startswith("weekday") else 1)
    else:
        yield from ((_value(key), spellings) for key, spellings in words.items())


def _value(key: str) -> Any:
    """`3` is a number, `6 month` a pair, `christmas` itself."""
    parts = [int(part) if re.fullmatch(r"-?\d+", part) else part for part in key.split(" ")]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _han_numerals() -> Iterator[tuple[str, int, str]]:
    """Numbers, ordinals, days and months in Han letters: 一 … 九十九."""
    digits = "零一二三四五六七八九"
    for number in range(1, 100):
        tens, ones = divmod(number, 10)
        written = (
            ("" if tens < 2 else digits[tens]) + ("十" if tens else "") + digits[ones] * (ones > 0)
        )
        yield "number", number, written
        for entry, last in (("ordinal", 12), ("day", 31), ("month_number", 12)):
            if number <= last:
                yield entry, number, written
