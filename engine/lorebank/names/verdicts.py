"""When two names are one: the same, perhaps the same, or different, and why.

Precision of merges counts first: all that is not the same by its writing alone is `ambiguous`.

A slip is believed only inside a long name; elsewhere one letter may part two people (Tom Baker,
Tom Barker), the sexes (Alejandro, Alejandra) or a person from a family (the Bakers).
"""

from __future__ import annotations

from enum import StrEnum
from unicodedata import category

from lorebank.language.folding import fold
from lorebank.names.keys import keys_of, roman_value
from lorebank.names.lexicon import (
    given_names,
    groups,
    is_han_or_hangul,
)
from lorebank.names.readings import Reading, read_name
from lorebank.records import Record

PLURAL = "a plural is not the person"
_LONG = 9
"""Letters from which on one edit inside a name is taken for a slip."""
_LONG_FOR_SWAP = 6
"""Letters of the word from which on two swapped letters in a long name are taken for a slip."""


class Verdict(StrEnum):
    """What is to be done with two names."""

    SAME = "same"
    """Merge them."""
    AMBIGUOUS = "ambiguous"
    """Keep them apart and propose the merge."""
    DIFFERENT = "different"
    """Keep them apart and say nothing."""


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
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
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
    return _judge_short(x, y, edit, letters, len(a.tokens))


def _judge_short(x: str, y: str, edit: Edit, letters: int, words: int) -> tuple[Verdict, str]:
    if len(x) < 3 and not (words > 1 and len(y) > 2):
        return Verdict.DIFFERENT, "short names"
    if edit.place == 0 and not edit.swap and min(len(x), letters) < 5:
        return Verdict.DIFFERENT, "first letters differ in a short name"
    return Verdict.AMBIGUOUS, "one letter differs"


def _is_slip(x: str, y: str, edit: Edit) -> bool:
    """Whether `x` and `y` can only be one word, once miswritten: a letter more or less, or two
    swapped. Another letter in the place of one may make another name: Rosenberg, Rosenburg."""
    end = edit.place + max(len(edit.left), len(edit.right))
    if end >= len(y) or any(x in known and y in known for known in (given_names(), groups())):
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
    if y.startswith(x) and x in given_names() and y in given_names():
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
    return letters and not is_han_or_hangul(token)


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
    return compare_readings(read_name(a), read_name(b))


def compare_readings(a: Reading, b: Reading) -> tuple[Verdict, str]:
    """`compare_names` for names already read."""
    if a.slug == b.slug and (a.slug or a.name == b.name) and not (a.shown and b.shown):
        return Verdict.SAME, "the same but for case, accents or separators"
    if {*a.genders, *b.genders} >= {"m", "f"} and not a.genders & b.genders:
        return Verdict.DIFFERENT, "forms of address differ"
    if a.generation and b.generation and a.generation != b.generation:
        return Verdict.DIFFERENT, "two generations"
    if a.tokens and a.joined == b.joined:
        return _judge_same_words(a, b)
    kinds = {key.partition("|")[0] for key in keys_of(a).shared(keys_of(b))} - {"same"}
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
    if a.tokens[0] in given_names():
        return Verdict.AMBIGUOUS, "a person or a firm of that name"
    return None


def _is_run_together(a: Reading, b: Reading) -> bool:
    """Whether one name is a long one without its blanks: `annaweber`, and not `Rosemarie`."""
    few, many = sorted((a.tokens, b.tokens), key=len)
    return len(few) == 1 and len(few[0]) >= _LONG and not given_names().issuperset(many)
