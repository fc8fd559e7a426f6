"""Whether two names are one: merged, proposed, or left apart in silence.

Precision of merges counts first: all that is not the same by its writing alone is `ambiguous`.
"""

from __future__ import annotations

from lorebank.identity.keys import Keys, keys_of, scripts_in
from lorebank.identity.lexicon import given_names
from lorebank.identity.readings import Reading, read_name
from lorebank.identity.slips import PLURAL, Verdict, judge_slip
from lorebank.language.folding import fold

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
    "more-initials": "initials",
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
    first, second = read_name(a), read_name(b)
    scripts = scripts_in(first) | scripts_in(second)
    return compare_readings(first, keys_of(first, scripts), second, keys_of(second, scripts))


def compare_readings(a: Reading, a_keys: Keys, b: Reading, b_keys: Keys) -> tuple[Verdict, str]:
    """`compare_names` for names already read, with keys made for the same scripts."""
    if a.slug == b.slug and (a.slug or a.name == b.name) and not (a.shown and b.shown):
        return Verdict.SAME, "the same but for case, accents or separators"
    if {*a.genders, *b.genders} >= {"m", "f"} and not a.genders & b.genders:
        return Verdict.DIFFERENT, "forms of address differ"
    if a.generation and b.generation and a.generation != b.generation:
        return Verdict.DIFFERENT, "two generations"
    if a.tokens and a.joined == b.joined:
        return _judge_same_words(a, b)
    kinds = {key.partition("|")[0] for key in a_keys.shared(b_keys) if _holds(key, a, b)}
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
    if a.tokens != b.tokens and not _splits_agree(a, b):
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


def _splits_agree(a: Reading, b: Reading) -> bool:
    """Whether the names differ in one missing separator of a long name."""
    few, many = sorted((a.tokens, b.tokens), key=len)
    if sum(map(len, few)) < 9:
        return False
    if set(many) - set(few) <= given_names():
        return False
    if len(few) == 1:
        return True
    return len(many) == len(few) + 1 and set(_cuts(few)) < set(_cuts(many))


def _cuts(tokens: tuple[str, ...]) -> list[int]:
    ends = [len(token) for token in tokens]
    return [sum(ends[: place + 1]) for place in range(len(ends))]


def _holds(key: str, a: Reading, b: Reading) -> bool:
    """Whether a shared key of a loose kind stands up to a look at the letters."""
    kind = key.partition("|")[0]
    if kind not in ("initials", "contraction", "same"):
        return True
    if kind == "same":
        return False
    short, long = sorted((a.tokens[0], b.tokens[0]), key=len)
    if kind == "contraction":
        return short not in long and _is_subsequence(short, long)
    if short in a.capitals | b.capitals or len(short) == 1:
        return True
    return _is_subsequence(short, long)


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)
