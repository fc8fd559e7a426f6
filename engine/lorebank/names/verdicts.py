"""When two names are one: the same, perhaps the same, or different, and why.

Precision of merges counts first: all that is not the same by its writing alone is `ambiguous`.

Two names can only be one, or be proposed as one, if they share a key, `reason|text`: the same keys
find, among thousands, the few pairs worth comparing. An `own` key must be shared as it is; a
`short` key (an acronym, initials, a first name) must be a `long` key of the other name.

A slip is believed only inside a long name; elsewhere one letter may part two people (Tom Baker,
Tom Barker), the sexes (Alejandro, Alejandra) or a person from a family (the Bakers).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from posixpath import commonprefix
from unicodedata import category

from lorebank.language.folding import fold
from lorebank.names import lexicon
from lorebank.names.readings import Reading, read_name, split_full_name
from lorebank.records import Record

_ROMAN = re.compile(r"(?=.)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_FIGURES = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "v": 5, "i": 1}


class Keys(Record):
    """All keys of one name."""

    own: frozenset[str]
    short: frozenset[str]
    long: frozenset[str]

    def shared(self, other: Keys) -> set[str]:
        """The keys that make the two names a possible pair."""
        return {*(self.own & other.own), *(self.short & other.long), *(self.long & other.short)}


def keys_of(reading: Reading) -> Keys:
    if not reading.tokens:
        return Keys(frozenset(), frozenset(), frozenset())
    own = {*_spelling_keys(reading), *_group_keys(reading)}
    short, long = set(_acronyms_of(reading)), set(_acronyms_for(reading))
    for is_short, key in (*_person_keys(reading), *_cross_keys(reading)):
        (short if is_short else long).add(key)
    return Keys(frozenset(own), frozenset(short), frozenset(long))


def roman_value(token: str) -> int | None:
    """The value of a Roman numeral, folded; `None` where the token is none."""
    if token[0] not in _ROMAN_FIGURES or _ROMAN.fullmatch(token) is None:
        return None
    values = [_ROMAN_FIGURES[char] for char in token]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def _spelling_keys(reading: Reading) -> Iterator[str]:
    tokens = reading.tokens
    yield f"same|{reading.joined}"
    yield f"look|{lexicon.look(reading.joined)}"
    if not reading.joined.isascii():
        yield f"han|{reading.joined.translate(lexicon.han_families())}"
    yield f"loose|{''.join(_loose_tokens(reading))}"
    if len(tokens) > 1:
        yield f"order|{' '.join(sorted(tokens))}"
    sounds = [token if token[0].isdigit() else lexicon.sound(token) for token in tokens]
    if all(sounds) and sum(map(len, sounds)) > 2:
        yield f"sound|{''.join(sounds)}"
        if "ou" in reading.joined:
            yield f"sound|{''.join(lexicon.sound(token.replace('ou', 'o')) for token in tokens)}"


def _loose_tokens(reading: Reading) -> list[str]:
    """Without article and joining words, abbreviations spelled out, figures in one form."""
    tokens = list(reading.tokens)
    if (
        len(tokens) > 1
        and tokens[0] in lexicon.words_of("articles")
        and tokens[0] not in reading.abbreviated
    ):
        del tokens[0]
    spelled, figures, stops = (
        lexicon.word_pairs("abbreviations"),
        lexicon.word_pairs("numbers"),
        lexicon.words_of("stop"),
    )
    loose: list[str] = []
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        if place and token in stops and following:
            continue
        token = figures.get(token, token) if place or following else token
        token = _figure(token, reading, last=place > 0)
        loose.append(spelled.get(token, token).replace(".", "" if token[:1].isalpha() else "."))
    return loose


def _figure(token: str, reading: Reading, *, last: bool) -> str:
    if token.isdecimal():
        return str(int(token))
    if last and (token in reading.capitals or token[:2] in ("ii", "iv", "vi", "ix", "xi", "xx")):
        value = roman_value(token)
        return token if value is None else str(value)
    return token


def _group_keys(reading: Reading) -> Iterator[str]:
    known, tokens = lexicon.groups(), reading.tokens
    for group in known.get(lexicon.compact(reading.joined), ()):
        yield f"group|{group}"
    if len(tokens) == 1:
        return
    for place, token in enumerate(tokens):
        for group in known.get(token, ()):
            if group[0] == "e" or place == 0:
                yield f"group|{' '.join((*tokens[:place], group, *tokens[place + 1 :]))}"


def _acronyms_of(reading: Reading) -> Iterator[str]:
    """The keys by which this name may be the acronym of another."""
    tokens = reading.tokens
    plain = reading.joined
    if re.fullmatch(r"[^\W\d_]\d{1,2}[^\W\d_]", plain):
        yield f"acronym|{plain}"
    capitals = "".join(char for char in reading.name if char.isupper())
    if 1 < len(capitals) < len(reading.name) <= 7 and reading.name.isalpha():
        yield f"acronym|{plain}"
        if len(capitals) > 2:
            yield f"acronym|{fold(capitals)}"
    if len(tokens) == 1:
        token = tokens[0]
        handle = len(token) > 2 and reading.name.islower()
        if 2 <= len(token) <= 7 and (token in reading.capitals or handle):
            yield f"acronym|{token}"
        if len(token) == 2 and lexicon.is_han_or_hangul(token):
            yield f"contraction|{token[0]}"
    elif len(tokens) < 5 and any(2 <= len(t) <= 4 for t in reading.capitals):
        yield f"acronym|{' '.join(tokens)}"


def _acronyms_for(reading: Reading) -> Iterator[str]:
    """The acronyms that may stand for this name, whole or for a part of it."""
    tokens = [token for token in reading.tokens if token != "&"]
    if len(tokens) == 1:
        token = tokens[0]
        if len(token) > 3 and token.isalpha():
            yield f"acronym|{token[0]}{len(token) - 2}{token[-1]}"
            if len(token) > 3 and lexicon.is_han_or_hangul(token):
                yield f"contraction|{token[0]}"
        return
    if not 1 < len(tokens) < 9:
        return
    stops = lexicon.words_of("stop")
    for words in (tokens, [token for token in tokens if token not in stops]):
        letters = [token[0] for token in words]
        yield f"acronym|{''.join(letters)}"
        for length in range(2, len(words)):
            for start in range(len(words) - length + 1):
                short = "".join(letters[start : start + length])
                yield f"acronym|{' '.join((*words[:start], short, *words[start + length :]))}"


def _person_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    """First names, surnames, initials: `(is_short, key)`."""
    tokens = reading.tokens
    if any(token[0].isdigit() for token in tokens) or len(tokens) > 5:
        return
    if len(tokens) == 1:
        yield from _single_name_keys(reading)
        return
    yield from _initial_keys(reading)
    generic = lexicon.words_of("generic", "joiners")
    if reading.legal is not None or any(token in generic for token in tokens[1:]):
        return
    if tokens[0] in lexicon.words_of("minor-titles"):
        yield True, f"title|{''.join(tokens[1:])}"
    if tokens[0] not in lexicon.given_names():
        return
    yield False, f"title|{reading.joined}"
    yield False, f"first|{tokens[0]}"
    for group in lexicon.groups().get(tokens[0], ()):
        yield False, f"first|{group}"
    particles = lexicon.words_of("particles")
    for token in tokens[1:]:
        if token not in particles:
            yield False, f"last|{token}"
            if len(tokens) > 2:
                yield False, f"part|{tokens[0]} {token}"
    yield False, f"handle|{tokens[0][0]}{tokens[-1]}"
    if len(tokens) == 2:
        yield True, f"part|{tokens[0]} {tokens[1]}"
        yield len(tokens[1]) == 1, f"last-initial|{tokens[0]} {tokens[1][0]}"
    elif len(tokens) == 3:
        middle = tokens[1]
        is_initial = len(middle) == 1
        yield is_initial, f"middle|{tokens[0]} {middle[0]} {tokens[2]}"


def _single_name_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    token = reading.tokens[0]
    if token in lexicon.words_of("generic") or reading.legal is not None:
        return
    yield True, f"first|{token}"
    yield True, f"last|{token}"
    yield False, f"title|{token}"
    for group in lexicon.groups().get(token, ()):
        if group[0] == "n":
            yield True, f"first|{group}"
    if len(token) > 3 and reading.name.islower():
        yield True, f"handle|{token}"
    if len(token) == 2 and token[0] in "老小阿" and token[1] in lexicon.surnames():
        yield True, f"last|{token[1]}"
    parts = split_full_name(token)
    if parts is not None:
        yield False, f"last|{parts[0]}"
        if len(parts[1]) > 1:
            yield False, f"first|{parts[1]}"
    if token in reading.abbreviated and len(token) > 2:
        yield True, f"initials|{token[0]} "
    elif len(token) > 3:
        yield False, f"initials|{token[0]} "


def _initial_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    first, rest = reading.tokens[0], reading.tokens[1:]
    tail = " ".join(rest)
    if len(first) == 1 or (first in reading.abbreviated and first.isalpha()):
        initials = first if len(first) == 1 or first in reading.capitals else first[0]
        yield True, f"initials|{initials} {tail}"
        if len(initials) > 1:
            yield True, f"initials|{initials[0]} {tail}"
        return
    yield False, f"initials|{first[0]} {tail}"


def _cross_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    """The text shown for a link, and surnames in another script."""
    yield False, f"shown|{reading.slug}"
    if reading.shown:
        yield True, f"shown|{reading.shown}"
    joined = reading.joined
    if joined.isascii():
        if len(reading.tokens) < 3:
            for token in reading.tokens:
                yield False, f"reading|{token}"
        return
    if lexicon.is_han_or_hangul(joined):
        parts = split_full_name(joined)
        for latin in lexicon.surnames().get(parts[0] if parts else joined, ()):
            yield True, f"reading|{latin}"
    else:
        yield False, f"reading|{lexicon.latinise(joined)}"


PLURAL = "a plural is not the person"
_LONG = 9  # letters from which on one edit inside a name is taken for a slip
_LONG_FOR_SWAP = 6
"""Letters of the word from which on two swapped letters in a long name are taken for a slip."""


class Verdict(StrEnum):
    """What is to be done with two names."""

    SAME = "same"  # merge them
    AMBIGUOUS = "ambiguous"  # keep them apart and propose the merge
    DIFFERENT = "different"  # keep them apart and say nothing


class Edit(Record):
    """The one Damerau edit between two words: `left` became `right` after `place` letters."""

    place: int
    left: str
    right: str

    @property
    def swap(self) -> bool:
        return len(self.left) == 2


def one_edit(a: str, b: str) -> Edit | None:
    """The single insertion, deletion, replacement or swap of neighbours that turns `a` into `b`.

    >>> one_edit("gate", "gaet")
    Edit(place=2, left='te', right='et')
    """
    if a == b or abs(len(a) - len(b)) > 1:
        return None
    start = len(commonprefix([a, b]))
    end = len(commonprefix([a[start:][::-1], b[start:][::-1]]))
    left, right = a[start : len(a) - end], b[start : len(b) - end]
    if max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1]):
        return Edit(start, left, right)
    return None


def judge_slip(a: Reading, b: Reading) -> tuple[Verdict, str] | None:
    """What one edit in one word of two names says; `None` where that is not how they differ."""
    if len(a.tokens) != len(b.tokens):
        return None
    places = [i for i, (x, y) in enumerate(zip(a.tokens, b.tokens, strict=True)) if x != y]
    if len(places) != 1:
        return None
    x, y = sorted((a.tokens[places[0]], b.tokens[places[0]]), key=lambda word: (len(word), word))
    edit = one_edit(x, y)
    if edit is None or not _wordlike(x) or not _wordlike(y):
        return None
    if "." in x + y:
        return _judge_file_names(x, y)
    if places[0] and roman_value(x) and roman_value(y):
        return Verdict.DIFFERENT, "numbers differ"
    if x in a.capitals | b.capitals and y in a.capitals | b.capitals and len(y) < 5:
        return Verdict.DIFFERENT, "acronyms differ"
    parted = _parting_letter(x, y, edit)
    if parted is not None:
        return parted
    letters = min(_letters(a), _letters(b))
    if letters >= _LONG and _is_slip(x, y, edit):
        return Verdict.SAME, "one letter differs in a long name"
    if len(x) < 3 and not (len(a.tokens) > 1 and len(y) > 2):
        return Verdict.DIFFERENT, "short names"
    if edit.place == 0 and not edit.swap and min(len(x), letters) < 5:
        return Verdict.DIFFERENT, "first letters differ in a short name"
    return Verdict.AMBIGUOUS, "one letter differs"


def _is_slip(x: str, y: str, edit: Edit) -> bool:
    """Whether `x` and `y` can only be one word, once miswritten: a letter more or less, or two
    swapped. Another letter in the place of one may make another name: Rosenberg, Rosenburg."""
    end = edit.place + max(len(edit.left), len(edit.right))
    if end >= len(y) or any(
        x in known and y in known for known in (lexicon.given_names(), lexicon.groups())
    ):
        return False
    if edit.swap:
        return len(x) >= _LONG_FOR_SWAP
    return edit.place > 0 and len(y) >= _LONG and not (edit.left and edit.right)


def _parting_letter(x: str, y: str, edit: Edit) -> tuple[Verdict, str] | None:
    """The last letter where it makes another word of it: plural, the other sex."""
    if edit.place + max(len(edit.left), len(edit.right)) < len(y) or edit.swap:
        return None
    letters = {edit.left, edit.right}
    if letters == {"", "s"} and not x.endswith("s"):
        return Verdict.DIFFERENT, PLURAL
    if y.startswith(x) and x in lexicon.given_names() and y in lexicon.given_names():
        return Verdict.DIFFERENT, "two given names"
    vowels = "aeiouyаеиоуыэюяё"
    feminine = letters in ({"", "a"}, {"", "а"}) and x[-1] not in vowels
    if feminine or letters in ({"o", "a"}, {"й", "я"}, {"ий", "ия"}):
        return Verdict.DIFFERENT, "names of a man and of a woman"
    return None


def _judge_file_names(x: str, y: str) -> tuple[Verdict, str]:
    if x.replace(".", "") == y.replace(".", ""):
        return Verdict.AMBIGUOUS, "one letter differs"
    if x.rpartition(".")[2] != y.rpartition(".")[2] or len(x) < 8:
        return Verdict.DIFFERENT, "file names differ"
    return Verdict.AMBIGUOUS, "one letter differs"


def _wordlike(token: str) -> bool:
    """Letters, with the vowel signs of Indic scripts and Thai, and the dots of file names."""
    letters = all(c.isalpha() or c == "." or category(c).startswith("M") for c in token)
    return letters and not lexicon.is_han_or_hangul(token)


def _letters(reading: Reading) -> int:
    return sum(len(token) for token in reading.tokens if token.isalpha())


_REASONS = {
    "group": "nickname or other form of the name",
    "han": "variant characters",
    "look": "letters of another script that look alike",
    "shown": "the text shown for a link",
    "loose": "article, number or abbreviation written otherwise",
    "order": "the order of the words",
    "sound": "spelling or transliteration",
    "acronym": "acronym",
    "contraction": "short form",
    "initials": "initials",
    "last-initial": "initials",
    "middle": "middle initial",
    "first": "first name against full name",
    "last": "surname against full name",
    "part": "one part of the name left out",
    "title": "form of address",
    "handle": "a handle made of the name",
    "reading": "surname in another script",
}
_BEFORE_SLIPS = frozenset({"group", "han", "look", "shown"})
_ORDER = {kind: place for place, kind in enumerate(_REASONS)}
_DIFFERENT = (Verdict.DIFFERENT, "nothing in common that counts")


def compare_names(a: str, b: str) -> tuple[Verdict, str]:
    """The verdict on two names as written (`@Pete`, `[[Peter|Pete]]`, `Baker, Tom`), and why in a
    few words. Symmetric; a name is the same as itself.

    >>> compare_names("Room 101", "Room 102")[0]
    <Verdict.DIFFERENT: 'different'>
    """
    one, other = read_name(a), read_name(b)
    return compare_readings(one, other, keys_of(one).shared(keys_of(other)))


def compare_readings(a: Reading, b: Reading, keys: Iterable[str]) -> tuple[Verdict, str]:
    """`compare_names` for names already read, and the keys that they share."""
    if a.slug == b.slug and (a.slug or a.name == b.name) and not (a.shown and b.shown):
        return Verdict.SAME, "the same but for case, accents or separators"
    if {*a.genders, *b.genders} >= {"m", "f"} and not a.genders & b.genders:
        return Verdict.DIFFERENT, "forms of address differ"
    if a.generation and b.generation and a.generation != b.generation:
        return Verdict.DIFFERENT, "two generations"
    if a.tokens and a.joined == b.joined:
        return _judge_same_words(a, b)
    kinds = {key.partition("|")[0] for key in keys} - {"same"}
    if kinds & _BEFORE_SLIPS:
        return Verdict.AMBIGUOUS, _REASONS[min(kinds & _BEFORE_SLIPS, key=_ORDER.__getitem__)]
    slip = judge_slip(a, b)
    if slip is not None:
        if slip[1] == PLURAL and "'" in fold(a.name + b.name):
            return Verdict.AMBIGUOUS, "plural, possessive or brand"
        if slip[0] is Verdict.SAME and (
            a.legal != b.legal or a.generation != b.generation or a.address or b.address
        ):
            return Verdict.AMBIGUOUS, slip[1]
        return slip
    if kinds:
        return Verdict.AMBIGUOUS, _REASONS[min(kinds, key=_ORDER.__getitem__)]
    return _DIFFERENT


def _judge_same_words(a: Reading, b: Reading) -> tuple[Verdict, str]:
    """Names whose words, without separators, are the same letters."""
    if a.address or b.address:
        return Verdict.AMBIGUOUS, "a mail address"
    if a.numbers != b.numbers:
        return Verdict.DIFFERENT, "numbers differ"
    if a.generation != b.generation:
        return Verdict.AMBIGUOUS, "one generation or two"
    if a.genders != b.genders and not (a.full and b.full):
        return Verdict.AMBIGUOUS, "form of address without a full name"
    if a.legal != b.legal:
        verdict = _judge_legal_forms(a, b)
        if verdict is not None:
            return verdict
    if a.tokens != b.tokens and not _is_run_together(a, b):
        return Verdict.AMBIGUOUS, "cut into words in another way"
    return Verdict.SAME, "the same but for punctuation, title or legal form"


def _judge_legal_forms(a: Reading, b: Reading) -> tuple[Verdict, str] | None:
    if a.legal is not None and b.legal is not None:
        if a.legal.name == b.legal.name:
            return None
        return Verdict.AMBIGUOUS, "two legal forms"
    form = a.legal or b.legal
    if form is not None and form.weak:
        return Verdict.AMBIGUOUS, "legal form"
    if a.tokens[0] in lexicon.given_names():
        return Verdict.AMBIGUOUS, "a person or a firm of that name"
    return None


def _is_run_together(a: Reading, b: Reading) -> bool:
    """Whether one name is a long one without its blanks: `annaweber`, and not `Rosemarie`."""
    few, many = sorted((a.tokens, b.tokens), key=len)
    return len(few) == 1 and len(few[0]) >= _LONG and not lexicon.given_names().issuperset(many)
