"""The patterns and words of `relations.toml`, compiled once a process."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from lorebank.language.folding import fold
from lorebank.records import dataclass

_CUT = re.compile(r"[,，、;:(（]\s|[,(（]|(?<=\w{3})[.!](?:\s|$)|[。！?？]")
_WORD = re.compile(r"[^\s\"“”«»„'()\[\]]+(?:'[^\s\"“”«»„()\[\]]+)?")
_ARTICLES = frozenset({"the", "a", "an", "el", "la", "le", "il", "der", "die", "das"})
_AT_A_TIME = frozenset({"in", "on", "at", "im", "am", "en", "em", "el", "le", "a", "il"})
_VALUE_WORDS = 8
_MEASURE = re.compile(
    r"(?P<number>(?:about |around |only |just |circa |etwa |nur |solo |environ )?"
    r"\D{0,4}\d[\d.,:/-]*"
    r"(?: ?(?:[ap]\.?m\b\.?|uhr|h|euros?|eur|pounds?|dollars?|usd|gbp|chf|francs?|[€$£%元块])"
    r"(?!\w))*)"
    r"(?P<rest>.*)"
)


@dataclass(frozen=True, slots=True)
class Relation:
    """A property and the sentences that state it."""

    name: str
    value: str
    """What a value looks like: `name`, `number`, `date` or `any`."""
    several: bool
    timeless: bool
    """It holds whatever other time the sentence names."""
    narrowed: bool
    """What follows the number says of which one it is the value."""
    told: bool
    """It replaces an older value only where the sentence says that it is new."""
    state: tuple[re.Pattern[str], ...]
    change: tuple[re.Pattern[str], ...]
    end: tuple[re.Pattern[str], ...]
    never: re.Pattern[str] | None

    def may_be(self, rest: str) -> bool:
        """Whether what follows the verb, up to the end of its clause, can hold a value."""
        return self.never is None or not self.never.search(clause_of(rest))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All that reading slots knows of languages."""

    relations: tuple[Relation, ...]
    swap: tuple[re.Pattern[str], ...]
    negation: re.Pattern[str]
    copula: re.Pattern[str]
    cjk_attributes: tuple[re.Pattern[str], ...]
    definite: frozenset[str]
    of: frozenset[str]
    several: frozenset[str]
    single: tuple[tuple[str, re.Pattern[str]], ...]
    """What a value looks like, and the attributes of which there is one."""
    indefinite: frozenset[str]
    common_nouns: frozenset[str]
    """Copulas of languages that write every noun with a capital letter."""
    plain: frozenset[str]
    stop: frozenset[str]
    dates: frozenset[str]
    unsure: re.Pattern[str]
    new: re.Pattern[str]
    reasons: frozenset[str]
    sometimes: re.Pattern[str]
    over: frozenset[str]
    company: frozenset[str]

    def is_unsure(self, sentence: str) -> bool:
        """Whether the sentence says how things may be, or once were, rather than how they are."""
        return self.unsure.search(sentence) is not None

    def without_negation(self, sentence: str) -> str | None:
        """The sentence without the words that end a state; `None` where it has none."""
        bare = self.negation.sub(" ", sentence)
        return " ".join(bare.split()) if bare != sentence else None

    def value_of(self, text: str) -> str:
        """The words of a value: up to the end of its clause, without articles."""
        words: list[str] = []
        for word in _WORD.findall(clause_of(text)):
            if word in self.stop and words:
                break
            if len(words) > 1 and words[-1] in _AT_A_TIME and self._names_time(word):
                words.pop()  # "Lisbon in May"
                break
            words.append(word.rstrip(".!"))
        kept = [word for word in words if word not in _ARTICLES and word not in self.stop] or words
        return " ".join(kept[:_VALUE_WORDS])

    def narrowed(self, text: str) -> tuple[str, str] | None:
        """A number with its unit, and the words behind it that say of which one it is the value.

        >>> lexicon().narrowed("9:30 on Sundays")
        ('9:30', 'on sundays')
        """
        match = _MEASURE.match(clause_of(fold(text)))
        if match is None:
            return None
        words = [word for word in _WORD.findall(match["rest"]) if word not in _ARTICLES]
        if words and words[0] in self.reasons:
            words = []
        kept = " ".join(word for word in words if not word[0].isdigit())
        return self.value_of(match["number"]), kept

    def single_form(self, attribute: str) -> str | None:
        """What the value of an attribute of which there is one looks like; else `None`."""
        return next((form for form, nouns in self.single if nouns.search(attribute)), None)

    def _names_time(self, word: str) -> bool:
        return word in self.dates or (word.isdigit() and len(word) in (1, 2, 4))


def clause_of(text: str) -> str:
    """The text up to the end of its first clause."""
    return _CUT.split(text.strip(), maxsplit=1)[0]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon that the package ships."""
    text = Path(__file__).with_name("relations.toml").read_text("utf-8")
    data = tomllib.loads(text)
    ends, attribute, words = data["ends"], data["attribute"], data["words"]
    of = "|".join(attribute["of"])
    return Lexicon(
        relations=tuple(_relation(entry) for entry in data["relation"]),
        swap=_compiled(ends["swap"]),
        negation=_any_of([*ends["before"], *ends["after"]]),
        copula=re.compile(
            rf"^(?P<p>.+?) (?P<is>{'|'.join(attribute['copula'])})"
            rf"(?: (?:{'|'.join(_ADVERBS)}))?"
            r"(?: (?P<prep>at|on|in|um|am|im|en|em|alle) )?(?:^| |(?<= ))(?P<v>.+)$"
        ),
        cjk_attributes=_compiled(attribute["cjk"]),
        definite=frozenset(attribute["definite"]),
        of=frozenset(attribute["of"]),
        several=frozenset(attribute["several"]),
        single=(
            ("any", re.compile(rf"^(?:{'|'.join(attribute['favourite'])})")),
            *(
                (form, re.compile(rf"\b(?:{'|'.join(nouns)})(?: (?:{of})\b.*)?$"))
                for form, nouns in attribute["single"].items()
            ),
        ),
        indefinite=frozenset(attribute["a"]),
        common_nouns=frozenset(attribute["common_nouns"]),
        plain=frozenset(words["plain"]),
        stop=frozenset(words["stop"]),
        dates=frozenset(words["dates"]),
        unsure=_any_of(words["unsure"]),
        new=_any_of(words["new"]),
        reasons=frozenset(words["reason"]),
        sometimes=_any_of(words["sometimes"]),
        over=frozenset(words["over"]),
        company=frozenset(words["company"]),
    )


_ADVERBS = ("now", "currently", "ahora", "agora", "maintenant", "jetzt", "nun", "ora", "adesso")


def _relation(entry: dict[str, Any]) -> Relation:
    return Relation(
        name=entry["name"],
        value=entry["value"],
        several=entry.get("several", False),
        timeless=entry.get("timeless", False),
        narrowed=entry.get("narrowed", False),
        told=entry.get("told", False),
        state=_compiled(entry["state"]),
        change=_compiled(entry.get("change", ())),
        end=_compiled(entry.get("end", ())),
        never=re.compile(entry["never"]) if "never" in entry else None,
    )


def _compiled(patterns: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    spaced = "|".join(phrase for phrase in phrases if phrase.isascii())
    unspaced = "|".join(phrase for phrase in phrases if not phrase.isascii())
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])" + (f"|{unspaced}" if unspaced else ""))
