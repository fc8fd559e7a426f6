"""Known names in running text, without `@`: one automaton over all of them, longest match first.

Careful rather than complete, for what is found is a weaker mention than a written one. A name must
stand between word boundaries, whatever the script; inside a longer word, an address, a path or
code it is none. A single word that is written with a capital must be found with one, a name of up
to three letters exactly as it is. A name that is a common word is not looked for at all, but for
given names (Ben, Will), which count where a capital says that they are meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

import ahocorasick

from lorebank.language.folding import fold, fold_letters
from lorebank.language.words import likely_languages, stop_words, stop_words_of, words
from lorebank.names.lexicon import given_names, surnames
from lorebank.names.readings import split_full_name
from lorebank.records import Record

_SEPARATORS = dict.fromkeys(
    map(ord, "-_\u2010\u2011\u2012\u2013\u2014\u2015\u2212\t\n\r\u00a0"), " "
)
_EXACT_LETTERS = 3  # a name of so few letters counts only as it is written: `AI` is none in `ai`
_TRIMMED = ' \t\n.,:;!?"“”„»«()[]{}<>*~|'
_NO_PROSE = re.compile(  # each begins where its characters do, so that none is read from every one
    r"`[^`\n]*`"  # code
    r"|(?<![a-z0-9+.-])[a-z0-9+.-]+://\S+|\bwww\.\S+"  # addresses
    r"|\]\([^()\s]*\)"  # link targets
    r"|(?<![^\s@`()])[^\s@`()]+@[\w-]+\.[\w.-]+"  # mail
    r"|(?<![\w./-])~?[\w.-]*/[\w./-]*\.\w+",  # paths of files
    re.IGNORECASE,
)
_MAY_BE_NO_PROSE = re.compile(r"[`/@]|www\.", re.IGNORECASE)
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々"
_HANGUL = re.compile(r"[\uac00-\ud7ff]")
_IS_HAN = re.compile(f"[{_HAN}]")
_KATAKANA = re.compile(r"[\u30a0-\u30ff\u31f0-\u31ff]")
_HIRAGANA = re.compile(r"[\u3040-\u309f]")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_PARTICLES = re.compile(
    r"(?:에게서|한테서|에서는|으로|까지|부터|처럼|보다|에서|에게|께서|한테|이랑|입니다|이다|이었다|였다"
    r"|은|는|이|가|을|를|의|에|께|도|만|와|과|랑|로|님|씨|야|아|들)+(?![\uac00-\ud7ff])"
)
_LONGER_NAME = re.compile(
    "大学|大學|学院|公司|集团|集團|银行|銀行|医院|病院|機場|机场|[市省县縣区區州路街站駅港湾灣山川河湖島岛都府道町村]"
)
_TITLE_BEHIND = re.compile("先生|老师|老師|小姐|女士|社長|部長|課長|教授|博士|[氏様君]")
_FUNCTION_WORDS = frozenset(
    "的是在和与與跟同及或于於说說了也都不有去来來到把被给給对對从從就还還要会會能可想让讓向为為问問找见見约約"
)
_JOINS_WORDS = re.compile(r"[+#]|[.&'’-]\w|[_@\\]|:/")
_BEYOND_ASCII = re.compile(r"[!-~]*[^\x00-\x7f]\S*")
_NEXT_WORD = re.compile(r" ([^\W\d_][\w'’-]*)")
_SENTENCE_OPENS = re.compile(r"(?:^|[.!?:;\n\x1f])[^\w]*\Z")
_WORD_BEFORE = re.compile(r"([^\W\d_][\w'’-]*) \Z")


class NamePattern(Record, order=True):
    """A name to look for."""

    slug: str
    text: str
    """Folded, with spaces for all separators."""
    written: str
    """How it must stand in the text: the whole name where it is short, the first letter of a single
    word with a capital, else nothing."""


class Spotted(Record):
    """A name found in a text."""

    start: int  # offset in the folded text, which for most texts is that in the text
    end: int
    slug: str


def pattern_of(slug: str, name: str, excluded: frozenset[str] = frozenset()) -> NamePattern | None:
    """What to look for to find a name; `None` for one that is too short or too common.

    `excluded` are further folded names that are not looked for.
    """
    bare = name.strip(_TRIMMED)
    text = fold(bare).translate(_SEPARATORS).strip()
    letters = sum(char.isalpha() for char in text)
    if letters < 2 and not (letters and text[-1] in "+#"):
        return None
    if text in excluded:
        return None
    shouted = bare.isupper() and bare.isascii()
    if text in stop_words() and not shouted:
        return NamePattern(slug, text, bare) if text in given_names() else None
    if text.isascii() and letters <= _EXACT_LETTERS:
        return NamePattern(slug, text, bare)
    is_word = text.isalpha() and bare[1:].islower()
    return NamePattern(slug, text, bare[0] if is_word and bare[0].isupper() else "")


class NameFinder:
    """All known names, compiled once, to be looked for in many texts."""

    def __init__(self, patterns: Iterable[NamePattern]) -> None:
        self._patterns: dict[str, list[NamePattern]] = {}
        for pattern in sorted(patterns):
            self._patterns.setdefault(pattern.text, []).append(pattern)
        self._automaton = ahocorasick.Automaton()
        for text in self._patterns:
            self._automaton.add_word(text, text)
        if self._patterns:
            self._automaton.make_automaton()

    def find(self, text: str) -> list[Spotted]:
        """The names in a text, in order; of two that overlap the first, then the longer one."""
        if not self._patterns:
            return []
        if _MAY_BE_NO_PROSE.search(text):
            text = _NO_PROSE.sub(lambda found: "\x1f" * len(found.group()), text)
        folded = _folded(text)
        plain = folded.translate(_SEPARATORS)
        hits = [(end + 1 - len(name), end + 1, name) for end, name in self._automaton.iter(plain)]
        if not hits:
            return []
        hits.sort(key=lambda hit: (hit[0], -hit[1]))
        written = _as_written(text, folded)
        found: list[Spotted] = []
        reached = 0
        for start, end, name in hits:
            if start < reached or not _stands_alone(folded, start, end):
                continue
            slug = self._named(name, folded, written, start, end)
            if slug is not None:
                found.append(Spotted(start, end, slug))
                reached = end
        return found

    def slugs_in(self, text: str) -> frozenset[str]:
        return frozenset(spotted.slug for spotted in self.find(text))

    def _named(
        self, name: str, folded: str, written: Callable[[int, int], str], start: int, end: int
    ) -> str | None:
        """The slug of the name that is written so here."""
        for pattern in self._patterns[name]:
            if written(start, start + len(pattern.written)) == pattern.written:
                if pattern.written.istitle() and _may_be_a_word(name, folded, start):
                    return None
                may_go_on = pattern.written and name in given_names()
                part = may_go_on and _goes_on(folded, written, start, end)
                return None if part else pattern.slug
        return None


def _as_written(text: str, folded: str) -> Callable[[int, int], str]:
    """What stands between two offsets of the folded text."""
    if len(text) == len(folded):
        return lambda start, end: text[start:end]
    places = _places(text)
    last = len(places) - 1
    return lambda start, end: unicodedata.normalize(
        "NFKC", text[places[start] : places[min(end, last)]]
    )


def _may_be_a_word(name: str, folded: str, start: int) -> bool:
    """Whether the name is a common word of the text's language, at the beginning of a sentence."""
    if name not in stop_words() or not _SENTENCE_OPENS.search(folded, max(0, start - 10), start):
        return False
    others = [word for word in words(folded) if word != name]
    return any(name in stop_words_of(code) for code in likely_languages(others))


def _goes_on(folded: str, written: Callable[[int, int], str], start: int, end: int) -> bool:
    """Whether a given name is part of a longer one: `Ann` in `Ann Smith` and `Mary Ann`."""
    after = _NEXT_WORD.match(folded, end)
    if after is not None and after[1] not in stop_words():
        following = written(*after.span(1))
        if following[:1].isupper() and len(following) > 1 and not following.isupper():
            return True
    before = _WORD_BEFORE.search(folded, max(0, start - 40), start)
    return (
        before is not None
        and before[1] in given_names()
        and written(before.start(1), before.start(1) + 1).isupper()
    )


def _folded(text: str) -> str:
    """`fold`; word by word where letters join their neighbours: words come again and again."""
    by_letter = fold_letters(text)
    if by_letter is not None:
        return by_letter
    return _BEYOND_ASCII.sub(lambda word: _fold_word(word.group()), text.lower())


@lru_cache(maxsize=65536)
def _fold_word(word: str) -> str:
    return fold(word)


def _places(text: str) -> list[int]:
    """For each letter of the folded text, and its end, the offset of the letter it was made of."""
    places: list[int] = []
    for word in re.finditer(r"\S+|\s+", text):
        folded = fold(word.group())
        if len(folded) == len(word.group()):
            places.extend(range(word.start(), word.end()))
            continue
        for cluster in re.finditer(
            r".[\u0300-\u036f\u3099\u309a\uff9e\uff9f]*", word.group(), re.DOTALL
        ):
            places.extend([word.start() + cluster.start()] * len(fold(cluster.group())))
    return [*places, len(text)]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name is a word of its own here, and no part of a longer one."""
    first, last = text[start], text[end - 1]
    before, after = text[start - 1 : start], text[end : end + 1]
    if before and not _may_precede(before, first, text, start, end):
        return False
    if not after:
        return True
    if unicodedata.combining(after) or unicodedata.category(after) in ("Mn", "Mc"):
        return False
    if not (after.isalnum() or after == "ー"):
        joined = _JOINS_WORDS.match(text, end)
        return joined is None or text.startswith(("'s", "’s"), end)
    return _may_follow(text, last, start, end)


def _may_precede(before: str, first: str, text: str, start: int, end: int) -> bool:
    if not (before.isalnum() or before == "ー"):
        if before in "_.#&\\":
            return False
        # `O'Ann`, `Jo-Ann`, `us/Ann` and `foo@Ann` are other names; `'Ann'` and `@Ann` are not.
        return before not in "-'’/@" or not text[start - 2 : start - 1].isalnum()
    if _IS_HAN.match(first):
        if not _IS_HAN.match(before):
            return True
        return end - start > 2 or before in _FUNCTION_WORDS
    if _KATAKANA.match(first):
        return not _KATAKANA.match(before)
    if _UNSPACED.match(first):
        return end - start > 3
    if _HANGUL.match(first):
        return False
    # A Latin name may follow a letter of a script that has no spaces.
    return bool(_IS_HAN.match(before) or _HIRAGANA.match(before) or _KATAKANA.match(before))


def _may_follow(text: str, last: str, start: int, end: int) -> bool:
    after = text[end]
    if _HANGUL.match(last):
        return _PARTICLES.match(text, end) is not None
    if _IS_HAN.match(last):
        if not _IS_HAN.match(after):
            return True
        if _TITLE_BEHIND.match(text, end) or after in _FUNCTION_WORDS:
            return True
        name = text[start:end]
        may_go_on = name in surnames() or (len(name) == 2 and split_full_name(name) is not None)
        return not may_go_on and not _LONGER_NAME.match(text, end)
    if _KATAKANA.match(last):
        return not (_KATAKANA.match(after) or after == "ー")
    if _UNSPACED.match(last):
        return end - start > 3
    unspaced = _IS_HAN.match(after) or _HIRAGANA.match(after) or _KATAKANA.match(after)
    return bool(unspaced or (_HANGUL.match(after) and _PARTICLES.match(text, end)))
