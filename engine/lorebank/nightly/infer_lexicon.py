"""What prose says that is worth retaining, a language a file: `infer_data/<language>.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from lorebank.language.folding import fold
from lorebank.language.words import stop_words
from lorebank.records import dataclass

_WHOLE = ("decision", "remember", "correction", "rule", "we_decided", "i_prefer")
_AFTER_SUBJECT = ("decides", "prefers", "happens")


@dataclass(frozen=True, slots=True)
class Phrases:
    """The patterns of one language."""

    whole: dict[str, re.Pattern[str]]
    """Matched from the start of a sentence: `decision remember correction rule we_decided
    i_prefer`; a group `said` is the part to keep."""
    after_subject: dict[str, re.Pattern[str]]
    """Matched right after a named subject: `decides prefers happens`."""
    unsure: re.Pattern[str]
    """Words that make a sentence no statement."""
    dangling: re.Pattern[str]
    """Last words that point at another sentence."""
    nobody: frozenset[str]
    """First words of sentences that are no names; folded."""


@lru_cache(maxsize=1)
def phrase_books() -> tuple[Phrases, ...]:
    """One book for each file the package ships, by file name."""
    folder = resources.files("lorebank.nightly").joinpath("infer_data")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(_book(tomllib.loads(file.read_text("utf-8"))) for file in files)


@lru_cache(maxsize=1)
def no_names() -> frozenset[str]:
    """Words that begin a sentence and name nobody, of all languages; folded."""
    return stop_words().union(*(book.nobody for book in phrase_books()))


def _book(data: dict[str, Any]) -> Phrases:
    edge = r"\b" if data.get("spaced", True) else ""
    aside = rf"(?:{data['aside']}{edge}[,:]?\s*)?"
    return Phrases(
        whole={rule: _any_of(data[rule], before=aside) for rule in _WHOLE},
        after_subject={rule: _any_of(data[rule]) for rule in _AFTER_SUBJECT},
        unsure=re.compile(f"{edge}{data['unsure']}{edge}", re.IGNORECASE),
        nobody=frozenset(fold(data["nobody"]).split()),
        dangling=re.compile(rf"{edge}{data['dangling']}\W*\Z", re.IGNORECASE),
    )


def _any_of(patterns: list[str], *, before: str = "") -> re.Pattern[str]:
    return re.compile(before + _alternatives(patterns), re.IGNORECASE | re.DOTALL)


def _alternatives(patterns: list[str]) -> str:
    """One pattern of several; of those that name a part to keep, each under a name of its own."""
    numbered = (p.replace("?P<said>", f"?P<said{i}>") for i, p in enumerate(patterns))
    return "(?:" + "|".join(numbered) + ")"
