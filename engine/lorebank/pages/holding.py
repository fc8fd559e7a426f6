"""What still holds: which clauses of a sentence, and which lines newer evidence has not turned.

"Is my sister; she lives in Lisbon." goes on as "Is my sister." once she has moved. Only whole
clauses are taken out, never words of one; and of the rest only those are kept that can stand by
themselves: that say what somebody is, or fix a property. "Before that she lived in Rome", "loves it
there" lean on what is gone.

A line such as "now drinks espresso" stays in its log when later lines bring the old preference
back; it must not be told as what holds. And of six lines that say one thing, a list needs one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from lorebank.domain import Evidence, Opinion, OpinionStatus, Stance
from lorebank.language.folding import fold
from lorebank.supersede.properties import read_slots

_HAN = "\u3040-\u30ff\u3400-\u9fff"
_CLAUSE = re.compile(rf"\s*(?:[;；。，]|(?<=[{_HAN}]),|(?<=\w\w[.!?])\s)\s*")
_AND = re.compile(r",?\s+(?:and|und|y|e|et|en)\s+", re.IGNORECASE)
_IS = re.compile(
    r"(?:(?:he|she|it|they|er|sie|es|el|ella|ele|ela|il|elle|lui|lei|hij|zij|他|她|它) ?)?"
    r"(?:(?:is|are|ist|sind|es|e|est|sono)\b|是)(?! (?:there|da|la|ali|alli)\b)"
)
_END = re.compile(r"[.。!]+\s*\Z")
_WORD = re.compile(r"[^\W_][\w'’+#@/.:-]*")


def holding_text(content: str, lapsed: Sequence[str]) -> str:
    """The clauses of a sentence that hold none of the values that `lapsed`; empty where all do.

    Values are folded words, as slots have them.

    >>> holding_text("Is my sister; she lives in Lisbon.", ["lisbon"])
    'Is my sister.'
    """
    end = _END.search(content)
    body = content[: end.start()] if end else content
    kept = [part for clause in _CLAUSE.split(body) for part in _held(clause, lapsed)]
    if not kept:
        return ""
    text = ("，" if re.search(f"[{_HAN}]", body) else "; ").join(kept)
    return text[:1].upper() + text[1:] + (end.group().strip() if end else "")


def _held(clause: str, lapsed: Sequence[str]) -> Iterable[str]:
    parts = _AND.split(clause) if _says_any(clause, lapsed) else [clause]
    return [part for part in parts if not _says_any(part, lapsed) and _stands_alone(part)]


def _says_any(clause: str, values: Sequence[str]) -> bool:
    text = fold(clause)
    said = {part for word in _WORD.findall(text) for part in _forms(word)}
    return any(
        set(value.split()) <= said or (not value.isascii() and value in text) for value in values
    )


def _forms(word: str) -> tuple[str, str]:
    return word, word.rstrip(".:'’")


def _stands_alone(part: str) -> bool:
    return bool(_IS.match(fold(part)) or read_slots(part, subjects=("somebody",)))


_HELD = 0.5
_WORDINGS = frozenset({"stated", "restated"})


def outweighed(opinions: Iterable[Opinion]) -> frozenset[str]:
    """The ids of facts on the losing side of a live opinion, with newer lines on the winning one.

    A fact that speaks for the winning side of any opinion is not among them.
    """
    lost: set[str] = set()
    won: set[str] = set()
    for opinion in opinions:
        if opinion.status is not OpinionStatus.LIVE:
            continue
        side = Stance.FOR if opinion.confidence >= _HELD else Stance.AGAINST
        winning = [line for line in opinion.evidence if line.stance is side]
        last = max((line.date for line in winning), default=date.min)
        won |= {line.fact_id for line in winning}
        lost |= {e.fact_id for e in opinion.evidence if e.stance is not side and e.date < last}
    return frozenset(lost - won)


def latest_wordings(opinions: Iterable[Opinion]) -> dict[str, str]:
    """Fact id → the id of the fact that says the same last, for lines that state one opinion."""
    latest: dict[str, str] = {}
    for opinion in opinions:
        said = [line for line in opinion.evidence if _is_wording(line)]
        for line in said:
            latest[line.fact_id] = said[-1].fact_id
    return latest


def _is_wording(line: Evidence) -> bool:
    return line.stance is Stance.FOR and line.reason in _WORDINGS
