"""What the words around a secret say: "the password of the router is …", "Türcode 4471", `PASS=…`.

`[secrets]` of each language names what a secret is called (`password`, `pin`, `code` of a `lock`,
`token`, …). Behind such a name, within its clause, the first value is taken that fits the kind of
name; how much it has to look like a secret depends on what links the two: a sign (`password: x`), a
verb ("is", "lautet"), nothing ("PIN 4712"), or other words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from lorebank.language.folding import fold
from lorebank.language.secret_values import (
    is_mixed,
    is_passphrase,
    is_password,
    is_random,
    says_nothing,
)
from lorebank.language.words import stop_words
from lorebank.languages import Sections, compiled, split

NAMES = (
    *("password", "passphrase", "label", "weak_password", "token", "login"),
    *("pin", "weak_pin", "code", "dial", "spare", "answer", "seed", "weak_seed"),
)
"""Entries of `[secrets]` that hold names; `weak` ones are common words as well."""
_STATED_BEFORE = ("password", "passphrase", "pin", "weak_pin", "code")
"""Names that the secret itself may stand before: `4917 is the PIN of the card`."""
_WEAK = ("weak_password", "login", "code", "dial", "seed", "weak_seed")
"""Common words: the clause of a name that is none goes on behind them."""
_NEAR = 70  # characters after its name in which a secret begins: a clause, "of the till at work"
_SENTENCE = 200  # characters before a value in which "wifi" makes a key a password
_LONGEST = 120  # a longer password or phrase is none that anybody types
_LOOKED_AT = 500
"""This much of the rest of a line decides what a value is; a line may be megabytes long."""
_ASSIGNED, _STATED, _SET_TO, _BESIDE, _APART = 4, 3, 2, 1, 0
"""What links a name and a value, the strongest first."""
_VALUE = re.compile(r"[^\s\"'`“”„«»「」『』|]+")
_HAN_IS = "是|は|设为|設為|改成了?|改为|改為|为|為"  # what stands before a value without a space
_LEADS = re.compile(rf"(?:[:=：＝>→(\[]|->|{_HAN_IS})+")
_QUOTES = "\"'`“”„«»「」『』"
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff60]")
"""Chinese and Japanese go on behind a value without a space."""
_ENDS_VALUE = ",;)}]*_.!?>"
_CLAUSE = re.compile(
    r"[:=]?(?:[\w\s'’,-]|(?<=\w)[.@](?=\w)|\s/(?=\s))*(?:\([^()]*\))?[\"'“「『]?\s?(?:[:=/|–—]|->|→)?[\s*_]*"
)
"""What may stand between: words and addresses, not code."""
_ANSWER = re.compile(r"\w[^\s,;.!?|()\"“”«»]*(?: [^\s,;.!?|()\"“”«»]+){0,5}")
_API = re.compile(r"(?i:\b(?:api|web ?service|service)\b)")  # what has a key that programs use
_ASIDE = re.compile(r"\s?\([^()\n]{1,30}\)")  # behind a name: `password (case sensitive): x`
_CONSTANT = re.compile(r"[A-Z0-9]_KEY\Z")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"(?!(?:19|20)\d\d\b)\d{4,12}[#*]?(?=\s*(?:[.,;)!。、，；」』]|です|だ|\Z))")
_UNIT = r"(?:%|€|\$|£|(?:mm|cm|k?m|k?g|mg|ml|l|V|mA|k?Wh|kW|MB|GB|Uhr|percent|euros?"
_UNIT += r"|pins?|days?|pages?|people)\b)"
_ENDS_CODE = rf"(?!\w|[.,:/-]\d|[ \xa0]?{_UNIT})"
_CODE = (
    r"(?:\d(?:[ .-]\d){3,7}|\d{1,2}(?:[ ]?[-–/ ][ ]?\d{1,2}){2,3}|[#*]?\d{3,8}[#*]?"
    r"|(?=[A-Za-z]{0,3}\d)(?=[A-Za-z]*\d[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{4,8}[#*]?)"
)
"""Digits, digits told one by one, three numbers of a dial, digits with a letter or two."""
_DIAL = re.compile(
    r"(?!(?:0?[1-9]|[12]\d|3[01])[-/](?:0?\d|1[0-2])[-/]\d\d)\d{1,2}(?:\s?[-–]\s?\d{1,2}){2,3}\b"
)
"""Three or four numbers of a dial, which are no date."""
_TIME_OR_YEAR = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d(?!\d)|(?:19|20)\d\d(?!\d)|\d{1,3}[^\W\d]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_FOUR_DIGITS = re.compile(r"\d{4}")
_SPARE = re.compile(
    r"[\s,;]*(?P<value>\d{3,4}[ -]\d{3,4}|\d{5,10}|[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8})+)"
)
"""One of the codes behind such a name."""
_SEED_BEGINS = re.compile(r"[:=\n.,]|\b(?:are|is|sind|ist|lauten|son|sont|sono|são|zijn)\b")
_SEED_WORD = re.compile(
    r"[\s,>*\"'`/;|·–—-]{0,6}(?:\d{1,2}[.):]?\s?)?(?P<word>(?=\w{3})[A-Z]?[a-zà-ÿ\u0300-\u036f]{2,9})(?![\w'’])"
)
_NEXT_WORD = re.compile(r" ([a-zà-ÿ]{2,})\b")
_SEED_LENGTHS = (12, 25)  # fewest and most words of a seed phrase, by BIP 39 and Monero's list
_NEAR_SEED = 80  # characters behind its name in which a seed phrase begins: a clause
_COMMON_IN_SEED = 0.3
"""BIP 39 lists `about` and `that` as well; of a sentence, more words are stop words."""
_QUOTED_VALUE = re.compile(r"[^\"'`“”\n]{4,120}")
_TYPED_MARK = re.compile(r"[!#$%&*+=?@^~]")
"""Marks that passwords hold and names do not."""
_PHRASE = re.compile(r"[\w'’-]{1,30}(?: [\w'’-]{1,30}){0,7}(?=\s*(?:[,;.(–—]|\Z))")
"""Words up to the end of their clause."""
_FEWEST_WORDS = 3
_LONG = 8
"""As most sites ask of a password; shorter ones behind "to" (`srv-01`) are names of things."""
_ENDS = re.compile(r"\s*(?:[,;)!]|\.?\s*\Z)")


class Name(NamedTuple):
    """A name of a secret in a line."""

    kinds: tuple[str, ...]
    start: int
    end: int


@cache
def spellings() -> dict[str, list[tuple[str, bool, bool, bool]]]:
    """Name in small letters → its kinds, each with whether a word may go on before and after it,
    and whether it has to stand in capitals."""
    names: dict[str, list[tuple[str, bool, bool, bool]]] = compiled("secrets", _read)[0]
    return names


def _read(languages: Sections) -> tuple[dict[str, list[tuple[str, bool, bool, bool]]], Any]:
    names: dict[str, list[tuple[str, bool, bool, bool]]] = {}
    for section in languages.values():
        for kind in NAMES:
            for entry in split(section.get(kind, "")):
                name = entry.strip("*")
                row = (kind, entry[0] == "*", entry[-1] == "*", name.isupper())
                low = name.lower()
                spelled = {low, fold(name)}
                if kind == "token" or kind == "password":  # as programs write them
                    spelled |= {low.replace(" ", mark) for mark in ("_", "-", "")}
                for spelling in sorted(spelled):
                    names.setdefault(spelling, []).append(row)

    def any_of(entry: str) -> str:
        words = {w for section in languages.values() for w in split(section.get(entry, ""))}
        words |= {fold(word) for word in words if len(word) > 3}  # `è` is a verb, `e` is not
        longest = sorted(words, key=lambda word: (-len(word), word))
        return "|".join(re.escape(word).replace(r"\*", r"\w*") for word in longest)

    def words_of(entry: str) -> list[str]:
        texts = (section.get(entry, "") for section in languages.values())
        return sorted({word for text in texts for word in text.split()})

    digit = "|".join(words_of("digits"))
    is_ = any_of("is")
    of, says, lock = any_of("of"), any_of("says"), any_of("lock")
    patterns = {
        "assigned": rf"(?:[_-]?\d{{1,2}}|_BASE)?(?:\s(?i:{of})(?:\s[\w'’.-]+){{1,3}}?)?"
        r"(?:\s?\([^()\n]{1,30}\))?[\"'`*_\]]{0,4}\s{0,8}"
        rf"(?::=|=>|[:=：＝]|(?i:\b(?:{says}):?)|(?i:\b(?:{is_}):))"
        r"\s{0,8}[*_]{0,3}\s?[\"'`“”„«]{0,3}",
        "joined": rf"(?i:(?<!\w)(?:{is_}|{says})[\s:]*[\"'`*„«]*\Z)"
        rf"|(?:[:=/>→|–—]|(?<=[\w)])\s-)\s*[*_]*\Z|(?:{_HAN_IS})[\s*_“「『]*\Z",
        "set_to": rf"(?i:(?<!\w)(?:{any_of('to')})\s[\"'`*„«]*\Z)",
        "before": r"(?:^|(?<=\s))[\"'`]?(?P<value>[^\s\"'`]{4,80}?)[\"'`]?,?"
        rf"(?i:\s(?:{is_})\s)(?:[^\W\d][\w-]*['’\s]){{0,4}}\Z",
        "closes": rf"\s*(?:[^\w\s]|\Z|(?i:\b(?:{of}|{is_})\b))",
        # Of small letters: an expression that ignores case tries each word at each place.
        "lock": rf"\b(?:{lock})\b",
        "of_lock": rf"\s(?:{of})\s(?:[\w'’]{{1,30}}\s){{0,2}}(?:{lock})\b",
        "login": rf"\b(?:{any_of('login')})\b",
        "spelled": rf"[\s,;:(–—-]{{1,4}}[^.;]{{0,40}}?\b(?i:{any_of('spelled')})\b",
        "code": rf"(?i:(?P<value>{_CODE}|(?:{digit})(?:[\s,-]{{1,2}}(?:{digit})){{3,7}}))"
        rf"{_ENDS_CODE}",
    }
    return names, patterns


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """What the words of all languages make of the text around a name."""
    return re.compile(compiled("secrets", _read)[1][name])


def secrets_named(line: str, names: list[Name]) -> Iterator[tuple[str, int, int]]:
    """Kind, start and end of what stands behind these names of a line, or before them."""
    following: dict[str, int] = {}  # where the next name of that kind begins
    for name in reversed(names):
        kind = name.kinds[0] if name.kinds[0] in _WEAK else "strong"
        reach = min(_NEAR, following.get(kind, len(line)) - name.end)
        following[kind] = name.start
        yield from _behind(line, name, name.end + reach)
        if name.kinds[0] in _STATED_BEFORE and _pattern("closes").match(line, name.end):
            near = (max(0, name.start - _NEAR), name.start)
            may = name.kinds[0].startswith("pass") or _FOUR_DIGITS.search(line, *near)
            value = _pattern("before").search(line, *near) if may else None
            if value is not None and _is_stated(line, name, value["value"]):
                yield _kind_of(name, line), *value.span("value")


def _behind(line: str, name: Name, near: int) -> Iterator[tuple[str, int, int]]:
    """The first value of the clause behind a name that fits one of its kinds."""
    is_flag = line.startswith("--", name.start - 2)
    aside = _ASIDE.match(line, name.end)
    begin = aside.end() if aside else name.end
    for word in _VALUE.finditer(line, begin, min(len(line), near + _LONGEST)):
        lead = _LEADS.match(word.group())
        start = word.start() + (lead.end() if lead else 0)
        if start == name.end and not line[start].isalnum():  # `password-reset?lang=de`
            continue
        link = _link(line[name.end : start]) if start <= near else None
        if link is None:
            return
        if link == _BESIDE and is_flag:
            link = _ASSIGNED
        if "spare" in name.kinds and (code := _SPARE.match(line, start)):
            while code is not None and any(map(str.isdigit, code["value"])):
                yield "pin", *code.span("value")
                code = _SPARE.match(line, code.end())
            return
        judges = filter(None, map(_JUDGES.get, name.kinds)) if start < word.end() else ()
        at = _Place(line, start, name, link)
        if end := next(filter(None, (judge(at) for judge in judges)), 0):
            yield _kind_of(name, line), start, end
            return


def _link(between: str) -> int | None:
    """What links a name and a value, by what stands between; None: nothing does."""
    if not between.strip(" ,"):
        return _BESIDE
    if _pattern("assigned").fullmatch(between):
        return _ASSIGNED
    if not _CLAUSE.fullmatch(between):
        return None
    if _pattern("joined").search(between):
        return _STATED
    if _pattern("set_to").search(between):
        return _SET_TO
    return _APART if between.strip(f" ,*_{_QUOTES}") else _BESIDE


class _Place:
    """Where a value may begin behind a name, and what links the two."""

    def __init__(self, line: str, start: int, name: Name, link: int) -> None:
        self.line, self.start, self.name, self.link = line, start, name, link
        self.value, self.is_quoted = _value(line, start)
        self.end = start + len(self.value)


def _password(at: _Place) -> int:
    """Where the password ends; 0: there is none."""
    line, value, link, end = at.line, at.value, at.link, at.end
    if link == _ASSIGNED:
        is_last = not at.is_quoted and len(line) - at.start <= _LOOKED_AT
        if is_last and is_passphrase(line[at.start :].rstrip(" .")):
            return len(line.rstrip(" .\r"))
        if at.is_quoted and " " in value:
            return end if is_passphrase(value.lower()) else 0
        if is_password(value, line[end : end + _LOOKED_AT], quoted=at.is_quoted):
            return end
    if at.is_quoted and "passphrase" in at.name.kinds and is_passphrase(value.lower()):
        return end
    if phrase := _phrase_end(at):
        return phrase
    if link >= _STATED and _NUMBER.match(line, at.start):
        return end
    if link == _BESIDE and (code := _code(at)):
        return code
    stated = link >= _STATED and is_password(value, "", quoted=False, stated=True)
    beside = link == _BESIDE or (link == _SET_TO and len(value) >= _LONG)
    mixed = is_mixed(value, stated=beside) or is_random(value, sure=True)
    return end if (stated or mixed) and not _ADDRESS.fullmatch(value) else 0


def _phrase_end(at: _Place) -> int:
    """Where the words of a passphrase end: "kestrel over Whitby 9, with the spaces in"."""
    phrase = _PHRASE.match(at.line, at.start) if at.link >= _BESIDE else None
    if phrase is None:
        return 0
    words = [fold(word) for word in phrase.group().split()]
    is_stated = at.link >= _STATED
    if not is_stated and _pattern("joined").search(phrase.group().split()[0]):
        return 0
    if (is_stated or len(words) > 1) and _pattern("spelled").match(at.line, phrase.end()):
        return 0 if any(map(says_nothing, words)) else phrase.end()
    if not is_stated or len(words) < _FEWEST_WORDS or says_nothing(words[0]):
        return 0
    if "passphrase" not in at.name.kinds and not words[-1].isdigit():
        return 0
    common = sum(word in stop_words() for word in words)
    is_sentence = words[0] in stop_words() or common * 2 > len(words)
    return 0 if is_sentence else phrase.end()


def _label(at: _Place) -> int:
    """`pass` names what is assigned to it, or right behind it what can be no word."""
    if at.link == _ASSIGNED:
        return _password(at)
    typed = is_mixed(at.value, stated=False) and _TYPED_MARK.search(at.value)
    return at.end if typed and at.link == _BESIDE else 0


def _weak_password(at: _Place) -> int:
    """`key` and `clave` name a password beside "wifi" or "login", or before what can be no word."""
    value, link = at.value, at.link
    before = at.line[max(0, at.start - _SENTENCE) : at.start]
    is_typed = is_mixed(value, stated=link >= _BESIDE) or (
        link >= _STATED and is_password(value, "", quoted=at.is_quoted, stated=True)
    )
    if is_typed and _pattern("login").search(before.lower()):
        return at.end
    if is_random(value, sure=True) and _API.search(before):
        return at.end
    if link == _ASSIGNED:
        is_constant = _CONSTANT.search(at.line[max(0, at.name.end - _NEAR) : at.name.end])
        is_drawn = " " not in value and is_random(value, sure=is_constant is not None)
        return at.end if is_drawn else 0
    by_verb = link == _STATED and at.line[: at.start].rstrip(" \"'`*")[-1:].isalpha()
    return at.end if by_verb and is_mixed(value, stated=False) else 0


def _token(at: _Place) -> int:
    value = at.value.split("&")[0]  # of a URL
    return at.start + len(value) if " " not in value and is_random(value, sure=True) else 0


def _login(at: _Place) -> int:
    stated = at.link >= _STATED and "@" not in at.value  # `root:x@host` is found by its form
    return at.end if stated and is_mixed(at.value, stated=False) else 0


def _pin(at: _Place) -> int:
    code = _pattern("code").match(at.line, at.start)
    if code is None or at.link >= _SET_TO:
        return code.end() if code else 0
    value = code["value"]
    if _YEAR.fullmatch(value) or (len(value) < 4 and not value.isdigit()):
        return 0
    if at.link == _BESIDE:
        return code.end()
    if len(value) < 4 or len(at.line[at.name.end : at.start].split()) > 4:
        return 0
    return code.end() if " " in value or _ENDS.match(at.line, code.end()) else 0


def _weak_pin(at: _Place) -> int:
    end = _pin(at) if at.link > _APART else 0
    return end if at.link >= _SET_TO or end - at.start >= 4 else 0


def _code(at: _Place) -> int:
    """A code counts where its clause names what it opens."""
    end, line, name = _pin(at), at.line, at.name
    if not end or (_YEAR.fullmatch(line, at.start, end) and not _ENDS.match(line, end)):
        return 0
    begins = max(name.start - _NEAR, 0)
    begins = max(begins, line.rfind(". ", begins, name.start))
    behind = line[end : end + _SENTENCE].lower()
    opens = _pattern("lock").search(line[begins : at.start].lower())
    return end if opens or _pattern("of_lock").match(behind) else 0


def _dial(at: _Place) -> int:
    dial = _DIAL.match(at.line, at.start)
    if dial is None and at.link >= _STATED and not _TIME_OR_YEAR.match(at.line, at.start):
        dial = _pattern("code").match(at.line, at.start)
    return dial.end() if dial else 0


def _answer(at: _Place) -> int:
    """What lets in who forgot a password is any words: "security answer: the green door"."""
    found = _ANSWER.match(at.line, at.start) if at.link >= _STATED else None
    return 0 if found is None or says_nothing(fold(found.group())) else found.end()


_JUDGES: dict[str, Callable[[_Place], int]] = {
    "password": _password,
    "passphrase": _password,
    "label": _label,
    "weak_password": _weak_password,
    "token": _token,
    "login": _login,
    "pin": _pin,
    "weak_pin": _weak_pin,
    "code": _code,
    "dial": _dial,
    "answer": _answer,
}
"""For most kinds of names: the end of the value at a place, 0 where none of the kind begins."""


def _is_stated(line: str, name: Name, value: str) -> bool:
    """Whether the value before a name is what it names: `4917 is the PIN of the card`."""
    if name.kinds[0] in ("password", "passphrase"):
        return not _ADDRESS.fullmatch(value) and is_password(value, "", quoted=False, stated=True)
    behind = line[name.end : name.end + _NEAR].lower()
    opens = name.kinds[0] != "code" or _pattern("lock").search(behind) is not None
    return opens and value[:4].isdigit() and _pattern("code").fullmatch(value) is not None


def _kind_of(name: Name, line: str) -> str:
    kind = name.kinds[0]
    if kind in ("pin", "weak_pin", "code", "dial"):
        return "pin"
    low = line[name.start : name.end].lower()
    if kind == "token":
        return "api-key" if "key" in low else "token" if "token" in low else "secret"
    return "api-key" if low == "key" else "password"


def _value(line: str, start: int) -> tuple[str, bool]:
    """The value that begins there, without the marks of its sentence, and whether it is quoted."""
    if line[start - 1] in _QUOTES and not line[start - 2 : start - 1].isalnum():
        quoted = _QUOTED_VALUE.match(line, start)
        if quoted:
            return quoted.group().rstrip(), True
    found = _VALUE.match(line, start, start + _LOOKED_AT)
    value = _UNSPACED.split(found.group(), maxsplit=1)[0] if found else ""
    trimmed = value.rstrip(_ENDS_VALUE)
    if value.startswith("http") or not trimmed:
        return value, False
    # `hunter2!` keeps its mark: at the end of a password one is likely.
    marks = value[len(trimmed) :]
    kept = re.match(r"[!?*_]+(?=[.,;)]*\Z)", marks)
    return (trimmed + kept.group() if kept and "**" not in marks else trimmed), False


@cache
def _seed_words() -> frozenset[str]:
    """The words that such names are made of: "words", "backup"."""
    seeds = {"seed", "weak_seed"}
    named = (name for name, rows in spellings().items() if any(row[0] in seeds for row in rows))
    return frozenset(word for name in named for word in name.split())


def seed_phrases(text: str, names: Sequence[tuple[int, bool]]) -> Iterator[tuple[int, int]]:
    """Start and end of the words behind names that end there, on one line or one a line, numbered
    or not. Of each name, whether it is a weak one: then another word may follow that makes it no
    such name ("seed order"), and commas behind it list things ("seed: peas, …"), unless a strong
    one stands near."""
    tried = 0  # no run of words begins within another
    strong = [end for end, is_weak in names if not is_weak]
    for end, is_weak in names:
        following = _NEXT_WORD.match(text, end)
        if is_weak and following and following[1] not in stop_words() | _seed_words():
            continue
        begins = [b.end() for b in _SEED_BEGINS.finditer(text, max(end, tried), end + _NEAR_SEED)]
        for begin in begins or [end]:
            if begin < tried:
                continue
            words: list[re.Match[str]] = []
            tried = begin
            while len(words) < _SEED_LENGTHS[-1] and (found := _SEED_WORD.match(text, tried)):
                words.append(found)
                tried = found.end()
            common = sum(word["word"].lower() in stop_words() for word in words)
            listed = text.count(",", begin, tried) >= len(words) - 1
            before = bisect_right(strong, begin)
            if listed and (not before or begin - strong[before - 1] > _SENTENCE):
                continue
            if len(words) >= _SEED_LENGTHS[0] and common <= len(words) * _COMMON_IN_SEED:
                yield words[0].start("word"), tried
                break
