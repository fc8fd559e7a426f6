"""The patterns and words of `relations.toml`, compiled once a process."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

__all__ = ["Lexicon", "Relation", "lexicon"]

_CUT = re.compile(r"[,，、;:(（]\s|[,(（]|(?<=\w{3})[.!](?:\s|$)|[。！?？]")
_WORD = re.compile(r"[^\s\"“”«»„'()\[\]]+(?:'[^\s\"“”«»„()\[\]]+)?")
_ARTICLES = frozenset({"the", "a", "an", "city", "of", "el", "la", "le", "il", "der", "die", "das"})
_AT_A_TIME = frozenset({"in", "on", "at", "im", "am", "en", "em", "el", "le", "a", "il"})
_VALUE_WORDS = 8


@dataclass(frozen=True, slots=True)
class Relation:
    """A property and the sentences that state it."""

    name: str
    value: str
    """What a value looks like: `name`, `number`, `date` or `any`."""
    several: bool
    timeless: bool
    """It holds whatever other time the sentence names."""
    state: tuple[re.Pattern[str], ...]
    change: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All that reading slots knows of languages."""

    relations: tuple[Relation, ...]
    swap: tuple[re.Pattern[str], ...]
    left: tuple[re.Pattern[str], ...]
    negation: re.Pattern[str]
    copula: re.Pattern[str]
    cjk_attributes: tuple[re.Pattern[str], ...]
    definite: frozenset[str]
    of: frozenset[str]
    several: frozenset[str]
    single: re.Pattern[str]
    plain: frozenset[str]
    stop: frozenset[str]
    dates: frozenset[str]
    unsure: re.Pattern[str]

    def is_unsure(self, sentence: str) -> bool:
        """Whether the sentence says how things may be, or once were, rather than how they are."""
        return self.unsure.search(sentence) is not None

    def without_negation(self, sentence: str) -> str | None:
        """The sentence without the words that end a state; `None` where it has none."""
        bare = self.negation.sub(" ", sentence)
        return " ".join(bare.split()) if bare != sentence else None

    def value_of(self, text: str) -> str:
        """The words of a value: up to the end of its clause, without articles."""
        clause = _CUT.split(text.strip(), maxsplit=1)[0]
        words: list[str] = []
        for word in _WORD.findall(clause):
            if word in self.stop and words:
                break
            if len(words) > 1 and words[-1] in _AT_A_TIME and self._names_time(word):
                words.pop()  # "Lisbon in May"
                break
            words.append(word.rstrip(".!"))
        kept = [word for word in words if word not in _ARTICLES and word not in self.stop] or words
        return " ".join(kept[:_VALUE_WORDS])

    def _names_time(self, word: str) -> bool:
        return word in self.dates or (word.isdigit() and len(word) in (1, 2, 4))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon that the package ships."""
    text = resources.files("lorebank.slots").joinpath("relations.toml").read_text("utf-8")
    data = tomllib.loads(text)
    ends, attribute, words = data["ends"], data["attribute"], data["words"]
    return Lexicon(
        relations=tuple(_relation(entry) for entry in data["relation"]),
        swap=_compiled(ends["swap"]),
        left=_compiled(ends["left"]),
        negation=_any_of([*ends["before"], *ends["after"]]),
        copula=re.compile(
            rf"^(?P<p>.+?) (?:{'|'.join(attribute['copula'])})"
            rf"(?: (?:{'|'.join(_ADVERBS)}))?"
            r"(?: (?P<prep>at|on|in|um|am|im|en|em|alle) )?(?:^| |(?<= ))(?P<v>.+)$"
        ),
        cjk_attributes=_compiled(attribute["cjk"]),
        definite=frozenset(attribute["definite"]),
        of=frozenset(attribute["of"]),
        several=frozenset(attribute["several"]),
        single=re.compile(
            rf"\b(?:{'|'.join(attribute['single'])})(?: (?:{'|'.join(attribute['of'])})\b.*)?$"
            rf"|^(?:{'|'.join(attribute['favourite'])})"
        ),
        plain=frozenset(words["plain"]),
        stop=frozenset(words["stop"]),
        dates=frozenset(words["dates"]),
        unsure=_any_of(words["unsure"]),
    )


_ADVERBS = ("now", "currently", "ahora", "agora", "maintenant", "jetzt", "nun", "ora", "adesso")


def _relation(entry: dict[str, Any]) -> Relation:
    return Relation(
        name=entry["name"],
        value=entry["value"],
        several=entry.get("several", False),
        timeless=entry.get("timeless", False),
        state=_compiled(entry["state"]),
        change=_compiled(entry.get("change", ())),
    )


def _compiled(patterns: list[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern) for pattern in patterns)


def _any_of(phrases: list[str]) -> re.Pattern[str]:
    spaced = "|".join(phrase for phrase in phrases if phrase.isascii())
    unspaced = "|".join(phrase for phrase in phrases if not phrase.isascii())
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])" + (f"|{unspaced}" if unspaced else ""))
