"""Whether what is assigned to a name like `password` or `api_key` is the secret itself.

Notes speak of passwords more often than they hold one: `password: ask Peter`, `password: str`,
`token = os.environ["TOKEN"]`, `password: <your password>`. What is left alone is what a reader
would not type into a login: prose, placeholders, types, calls, paths, dates, names of managers.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from lorebank.language.folding import fold
from lorebank.language.words import stop_words
from lorebank.languages import Sections, compiled

_LEAST_PASSWORD = 4
_LEAST_RANDOM = 10
_LEAST_HEX = 16
_TELLING = 120  # characters of a value that tell what it is; it may be as long as its line
_LEAST_MIXED = 8  # as most sites ask; shorter ones (`PC-12`) are names of things
_PASSPHRASE_WORDS = 4
_SWITCHES = 6  # case or digits change this often in what was drawn; in `maxHitsPerPage` less
_FEW_WORDS = 0.6  # of words joined by marks, more than that stands in words
_STANDING_FOR = re.compile(
    r"[<{\[(]|\$[A-Za-z_{(]|%[A-Za-z_({]|@[A-Za-z\[{]|[~.]{0,2}/|[A-Za-z]:\\|\\|[=>]|env[:.]|vault:"
    r"|op://|[a-z]+://|&[a-z]+;|\[\[|[\w./-]+\.md#L\d"
)
_CALL = re.compile(r"[A-Za-z_$][\w.$]*(?:\(|\[|->|::)")
_DATE_OR_NUMBER = re.compile(
    r"(?:\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z?)?|\d{1,2}[:.]\d\d(?:[:.]\d+)?|v?\d+(?:\.\d+){1,3}|\d+%"
    r"|\d+-?[A-Za-z]{1,12}|\d{1,3}|\d+[-–/]\d+)\Z"
)
_NO_VALUES = frozenset(
    """
    1password 1pass bitwarden dashlane keepass keepassx keepassxc keychain lastpass yubikey vault
    oauth oauth2 sso bool bytes int integer n/a object str string text varchar xxx your-password
    yourpassword
    """.split()  # noqa: SIM905
)
"""Managers, types and placeholders; the words of each language are in its `[not_secrets]`."""
_SWITCH = re.compile(r"[a-z][A-Z0-9]|[A-Z][0-9]|[0-9][A-Za-z]")
_CHUNK = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_VOWEL = re.compile("[aeiouyAEIOUY]")
_HEX = re.compile(r"[0-9a-fA-F]+\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


@lru_cache(256)
def is_password(value: str, rest: str, *, quoted: bool, stated: bool = False) -> bool:
    """Whether `value` after `password:` is one; `rest` is what follows it on the line.

    `stated`: it follows a mere "is" or stands in a table, so that it must look like one.
    """
    # Whether it can be typed: a password of a CJK sentence is prose that follows a colon.
    if (
        len(value) < _LEAST_PASSWORD
        or _stands_for_another(value)
        or sum(c.isascii() and c.isalnum() for c in value) < _LEAST_PASSWORD
    ):
        return False
    plain = value.isalpha() and (value.islower() or value.istitle() or value.isupper())
    if stated:
        return not plain and (quoted or _mixed(value))
    if _DATE_OR_NUMBER.match(value):
        return value.isdigit() and len(value) >= _LEAST_PASSWORD and not _begins_sentence(rest)
    if plain and not quoted:
        return not _begins_sentence(rest)
    return quoted or not _wordlike(value) or not _begins_sentence(rest)


def is_passphrase(text: str) -> bool:
    """Whether a whole line of words is one: four or more, none of which holds a sentence."""
    words = text.split()
    if not _PASSPHRASE_WORDS <= len(words) <= 25:
        return False
    return all(w.isalpha() and w.islower() and w not in stop_words() for w in words) and not (
        _said_of_passwords() & set(words)
    )


@lru_cache(256)
def is_random(value: str, *, sure: bool) -> bool:
    """Whether `value` after `token:` or `key =` was drawn, not written; `sure`: by the name."""
    value = value[:_TELLING]
    if len(value) < _LEAST_RANDOM or _stands_for_another(value) or _DATE_OR_NUMBER.match(value):
        return False
    if _UUID.match(value):
        return sure
    if _HEX.match(value):
        mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
        return sure and len(value) >= _LEAST_HEX and mixed
    return "://" not in value and _mixed(value) and not _wordlike(value)


@lru_cache(256)
def is_mixed(value: str, *, stated: bool) -> bool:
    """Whether a token of a sentence about a password can be no word of it: letters, digits and a
    mark. `stated`: it follows the name directly; otherwise words that are joined by marks
    (`rotate-every-90-days`) are none."""
    value = value[:_TELLING]
    if stated:
        return is_password(value, "", quoted=False, stated=True) and any(map(str.isdigit, value))
    if len(value) < _LEAST_MIXED or _stands_for_another(value) or _DATE_OR_NUMBER.match(value):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    marks = any(not c.isalnum() for c in value[1:])
    return letters and digits and marks and not (value.islower() and _wordlike(value))


def is_placeholder(token: str) -> bool:
    """Whether what follows an issuer's prefix is one character over and over: `sk_live_xxxx…`."""
    return len(set(re.split(r"[_-]", token)[-1].lower())) <= 2


def says_nothing(word: str) -> bool:
    """Whether a word is what is said of a password ("changed") or stands for one."""
    return word in _said_of_passwords() or fold(word) in _said_of_passwords()


@cache
def _said_of_passwords() -> frozenset[str]:
    said: frozenset[str] = compiled("not_secrets", _read)
    return said | _NO_VALUES


def _read(languages: Sections) -> frozenset[str]:
    texts = (section.get("words", "") for section in languages.values())
    return frozenset(fold(" ".join(texts)).split())


def _stands_for_another(value: str) -> bool:
    low = value.lower().strip("\"'`*_.,;:!?")
    if not low or len(set(low)) <= 2 or says_nothing(low):
        return True
    if _STANDING_FOR.match(value) or _CALL.match(value):
        return True
    return low.startswith(("your", "my-", "my_", "example", "insert", "replace", "dummy", "xxxx"))


def _begins_sentence(rest: str) -> bool:
    words = re.findall(r"[^\W\d_]+", rest)
    return bool(words) and not rest.lstrip().startswith(("(", "#", "//", "|", "—", "–", "- "))


def _mixed(value: str) -> bool:
    """Whether it holds letters and digits, or symbols among letters, or changes case inside."""
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    inner = any(not c.isalnum() and c not in "-_.'’/" for c in value[:-1])
    return letters and (digits or inner or len(_SWITCH.findall(value)) >= 3)


def _wordlike(value: str) -> bool:
    """Whether most of it is words joined by marks: `rotate-every-90-days`, `next_page_token`."""
    if _switches(value):
        return False
    marks = bool(re.search(r"[-_./]", value.strip("-_./")))
    return _said(value) >= (_FEW_WORDS if marks else 0.85)


def _switches(value: str) -> bool:
    """Whether case or digits change often."""
    return len(_SWITCH.findall(value)) > len(value) / _SWITCHES


def _said(value: str) -> float:
    """The share of its letters and digits that stand in what may be words."""
    value = value[:_TELLING]
    words = [chunk for chunk in _CHUNK.findall(value) if chunk.isalpha() and len(chunk) > 2]
    said = sum(len(word) for word in words if _VOWEL.search(word))
    return said / max(1, sum(map(str.isalnum, value)))
