"""What looks like a date and is none: names, verbs, versions, ids, paths, counted things.

A match is judged by the letters right around it and by its neighbouring words.
"""

from __future__ import annotations

import re

from lorebank.dates.lattice import Edge, Lattice
from lorebank.dates.lexicon import Lexicon, language_bit
from lorebank.dates.neighbours import (
    AFTER_CJK_NAME,
    AFTER_WEEKDAY,
    ARTICLES_ROMANCE,
    AUXILIARIES_FR,
    CAPITALISED_AFTER,
    CJK_PLACES,
    COUNTED,
    DAY_WORDS,
    EVENTS,
    NAME_JOINS,
    NAME_LEADS,
    NAME_WORDS,
    NO_VERB_AFTER,
    ORDINAL_WEEKDAYS,
    RELEASES,
    STREET_JOINS,
    STREETS,
    STRONG_LEADS,
    VERBS,
    VERSION_LEADS,
    capitalised,
)
from lorebank.dates.rules_bounds import Meaning
from lorebank.dates.tokens import Tokens, is_cjk
from lorebank.dates.unlicensed import counts_alone

_ENGLISH = language_bit("en")
_NOUNS_CAPITALISED = language_bit("de")
_SMALL_IN = language_bit("fr") | language_bit("es") | language_bit("pt") | language_bit("it")
_WEEKDAYS_CAPITALISED = language_bit("en") | language_bit("de")

_BEFORE_GLUED = frozenset("/\\_#@$€£=&+~%^")
_AFTER_GLUED = frozenset("/\\_@%=$€£")
_TAIL_IF_WORD = frozenset(".-:,'’–")


def is_date(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the tokens of the match name a time where they stand."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    if not _stands_free(tokens, start, edge.end):
        return False
    if meaning.repeating and _names_a_place(tokens, edge.end):
        return False
    if meaning.repeating and tokens.text.startswith(AFTER_CJK_NAME, tokens.ends[edge.end - 1]):
        return False
    if not meaning.licensed:
        return counts_alone(lattice, start, edge, words)
    return not (
        _is_counted(tokens, start, edge.end, meaning)
        or _is_causal(tokens, edge, meaning)
        or _is_named(tokens, start, edge, meaning)
        or _is_verb(tokens, start, edge, meaning)
        or _is_title_or_compound(lattice, start, edge, words)
        or _is_version(tokens, start, edge.end)
        or _is_accented_otherwise(tokens, start, edge.end)
        or _is_street(tokens, start)
        or _is_capital_day(tokens, start)
        or _is_capital_noun(tokens, start, edge, meaning)
        or _is_run_together(tokens, start, edge.end)
        or _is_ordinal(tokens, start, edge.end, words)
        or _is_nth_thing(lattice, start, edge, words)
    )


def _stands_free(tokens: Tokens, start: int, end: int) -> bool:
    """Whether the match is not part of a path, id, version, compound or number."""
    text = tokens.text
    left, right = tokens.starts[start], tokens.ends[end - 1]
    return not (_glued_left(text, left) or _glued_right(text, right))


def _glued_left(text: str, left: int) -> bool:
    if left == 0:
        return False
    near, first = text[left - 1], text[left]
    if near in _BEFORE_GLUED:
        return True
    if near.isalnum():
        return not (is_cjk(near) or is_cjk(first))
    glue = ".-:," if first.isdecimal() else ".-"
    return near in glue and left > 1 and text[left - 2].isalnum()


def _glued_right(text: str, right: int) -> bool:
    if right >= len(text):
        return False
    near, last = text[right], text[right - 1]
    if near in _AFTER_GLUED:
        return True
    if near.isalnum():
        return not (is_cjk(near) or is_cjk(last))
    if near in _TAIL_IF_WORD and right + 1 < len(text) and text[right + 1].isalnum():
        return not re.match(r"['’]s\b", text[right:])
    return False


def _is_counted(tokens: Tokens, start: int, end: int, meaning: Meaning) -> bool:
    """`in 2000 words`: a year in digits that counts what follows."""
    if meaning.granularity not in ("year", "range") or end >= len(tokens.words):
        return False
    return tokens.words[end - 1].isdecimal() and tokens.words[end] in COUNTED


def _is_causal(tokens: Tokens, edge: Edge, meaning: Meaning) -> bool:
    """`since Friday was a holiday`."""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    return meaning.modifier == "since" and after in ("is", "was", "were", "has", "had", "will")


def _is_named(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """A month, weekday or season that is (part of) the name of a person or thing."""
    last = tokens.words[edge.end - 1]
    if not meaning.repeating or not (last in NAME_WORDS or last in CAPITALISED_AFTER):
        return False
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    if capitalised(tokens, edge.end) and not edge.languages & _NOUNS_CAPITALISED:
        if tokens.words[start] in STRONG_LEADS and edge.end > start + 1:
            return capitalised(tokens, edge.end + 1) and "the" in tokens.words[start : edge.end]
        return after != "i"
    if last in CAPITALISED_AFTER:
        return False
    if edge.end == start + 2 and tokens.words[start] in NAME_JOINS:
        return capitalised(tokens, start + 1) and not edge.languages & _WEEKDAYS_CAPITALISED
    if after == "'" and not EVENTS.intersection(tokens.words[edge.end + 2 : edge.end + 4]):
        return True
    if "the" in tokens.words[start : edge.end] and after.isalpha():
        return after not in EVENTS and after not in AFTER_WEEKDAY
    if meaning.modifier != "exact" and after in VERBS:
        return True
    return start > 0 and tokens.words[start - 1] in NAME_LEADS - {"and", "with", "met", "meet"}


def _is_verb(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """`row 5 may be`, `10 march past`: a lower-case month's name that is a verb."""
    if not edge.languages & _ENGLISH or not meaning.repeating:
        return False
    for index in range(start, edge.end):
        if tokens.words[index] in ("may", "march") and tokens.text[tokens.starts[index]].islower():
            after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
            led = tokens.words[start] in NO_VERB_AFTER
            return not led and after[:1].isalnum()
    return False


def _is_title_or_compound(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`the author of 1984`, `admin on 1936`, `for weekend drives`."""
    tokens = lattice.tokens
    meaning: Meaning = edge.value
    if meaning.granularity == "year" and edge.end == start + 2:
        return tokens.words[start] in ("of", "on") and tokens.words[edge.end - 1].isdecimal()
    if tokens.words[edge.end - 1] != "weekend" or edge.end >= len(tokens.words):
        return False
    after = tokens.words[edge.end]
    return meaning.repeating and after.isalpha() and after not in words.marks


def _is_version(tokens: Tokens, start: int, end: int) -> bool:
    """`rev 12.11.10`, `pages 10-12`."""
    lead = tokens.words[start - 1] if start else ""
    if lead not in VERSION_LEADS and not (lead in RELEASES and "." in tokens.words[start:end]):
        return False
    return not any(word[0].isalpha() for word in tokens.words[start:end])


def _is_ordinal(tokens: Tokens, start: int, end: int, words: Lexicon) -> bool:
    """`a sexta opção`: the sixth option, not the Friday."""
    if tokens.words[start] != "a" or tokens.words[end - 1] not in ORDINAL_WEEKDAYS:
        return False
    after = tokens.words[end] if end < len(tokens.words) else ""
    return after.isalpha() and after not in words.marks


def _is_accented_otherwise(tokens: Tokens, start: int, end: int) -> bool:
    """`está Julio` folds to `esta julio`, this July; `a été`, has been, to `à été`."""
    if tokens.text[tokens.starts[start] : tokens.ends[start]].lower() == "está":
        return True
    if tokens.words[end - 1] != "ete":
        return False
    before = end - 2
    if before < 0 or tokens.words[before] not in AUXILIARIES_FR:
        return False
    return tokens.text[tokens.starts[before] : tokens.ends[before]].lower() != "à"


def _is_street(tokens: Tokens, start: int) -> bool:
    """`rue du 4 septembre`, `Straße des 17. Juni`."""
    if start and tokens.words[start - 1] in STREETS:
        first = tokens.words[start]
        return first in STREET_JOINS or not first.isalpha() or capitalised(tokens, start)
    if start > 2 and tokens.words[start - 3] in STREETS and tokens.words[start - 2] in STREET_JOINS:
        return tokens.words[start - 1].isdecimal()
    return (
        start > 1
        and tokens.words[start - 2] in STREETS
        and not STREET_JOINS.isdisjoint(tokens.words[start - 1 : start + 1])
    )


def _is_capital_day(tokens: Tokens, start: int) -> bool:
    """`USA Today`, `Back to Yesterday`, `the today show`: the day's word as part of a name."""
    if tokens.words[start] not in DAY_WORDS or start == 0:
        return False
    before = tokens.words[start - 1]
    if before == "the":
        return True
    written = tokens.text[tokens.starts[start] : tokens.ends[start]]
    gap = tokens.text[tokens.ends[start - 1] : tokens.starts[start]]
    return written.istitle() and before[-1].isalnum() and "\n" not in gap


def _is_capital_noun(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """`La Primavera`, `au Printemps`, `vers Mars`, `A Quinta do Vale`: Romance languages write
    months, seasons and weekdays small; after an article a capital makes a name."""
    if not edge.languages & _SMALL_IN or edge.end < start + 2 or not meaning.repeating:
        return False
    last = tokens.words[edge.end - 1]
    if meaning.granularity not in ("season", "month") and last not in ORDINAL_WEEKDAYS:
        return False
    written = tokens.text[tokens.starts[edge.end - 1] : tokens.ends[edge.end - 1]]
    return tokens.words[edge.end - 2] in ARTICLES_ROMANCE and written.istitle()


def _is_run_together(tokens: Tokens, start: int, end: int) -> bool:
    """`2023summer`: a word that stands against a year without a space."""
    for index in range(start + 1, end):
        if tokens.adjacent(index):
            number, word = sorted((tokens.words[index - 1], tokens.words[index]))
            if len(number) == 4 and number.isdecimal() and len(word) > 3 and word.isascii():
                return word.isalpha()
    return False


def _is_nth_thing(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`on the 5th floor`: an ordinal that counts what follows."""
    tokens = lattice.tokens
    ordinal = any(
        e.end == edge.end and e.tag in ("DATE_ORDINAL", "DAY_OF_MONTH")
        for index in range(start, edge.end)
        for e in lattice.edges[index]
    )
    if not ordinal or edge.end >= len(tokens.words):
        return False
    after = tokens.words[edge.end]
    return after[0].isalnum() and after not in words.marks and after not in AFTER_WEEKDAY


def _names_a_place(tokens: Tokens, end: int) -> bool:
    """`星期五餐厅`, `三月酒店`."""
    return tokens.adjacent(end) and tokens.text.startswith(CJK_PLACES, tokens.ends[end - 1])
