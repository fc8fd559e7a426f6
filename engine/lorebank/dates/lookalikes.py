"""What looks like a date and is none: names, ids, paths, streets, counted things.

A match is judged by the letters right around it and by its neighbouring words, which stand in the
`[lookalikes]` sections of the language files.
"""

from __future__ import annotations

import re
from functools import cache

from lorebank.dates.lattice import Edge, Lattice
from lorebank.dates.lexicon import Lexicon, Tokens, is_cjk, language_bit
from lorebank.dates.rules_bounds import Meaning
from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled, split

_FILIPINO = language_bit("fil")
_NOUNS_CAPITALISED = language_bit("de")
_WEEKDAYS_CAPITALISED = language_bit("en") | _NOUNS_CAPITALISED | language_bit("tr") | _FILIPINO
_CHINESE_OR_JAPANESE = language_bit("zh") | language_bit("ja")

_ROMAN = re.compile("[ivx]+")
_BEFORE_GLUED = frozenset("/\\_#@$€£=&+~%^")
_AFTER_GLUED = frozenset("/\\_@%=$€£")
_TAIL_IF_WORD = frozenset(".-:,'’–")
_QUOTES = frozenset("'\"“‘")


@cache
def _words() -> dict[str, frozenset[str]]:
    return compiled("lookalikes", _folded)


def _folded(languages: Sections) -> dict[str, frozenset[str]]:
    """The words of all languages together: none of them is a date's neighbour in another."""
    entries = {entry for section in languages.values() for entry in section}
    return {
        entry: frozenset(
            fold(word) for section in languages.values() for word in split(section.get(entry, ""))
        )
        for entry in entries
    }


def is_date(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the tokens of the match name a time where they stand."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    if not _stands_free(tokens, start, edge.end):
        return False
    if _is_version(tokens, start, edge.end) or _is_nth_thing(lattice, start, edge, words):
        return False
    if not meaning.licensed:
        return _counts_alone(lattice, start, edge, words)
    last = lattice.edges[edge.end - 1]
    if meaning.is_weekly and any(e.tag == "SHORT_WEEKDAY" for e in last):  # on sun loungers
        after = _word_at(tokens, edge.end)
        return not after[:1].isalpha() or after in words.marks
    return not (
        _is_counted(tokens, edge, meaning)
        or _is_named(tokens, start, edge, meaning)
        or _is_accented_otherwise(tokens, start, edge.end)
    )


def is_street(tokens: Tokens, start: int, end: int) -> bool:
    """`rue du 4 septembre`, `Straße des 17. Juni`, `via XX Settembre`, `19 Mayıs Caddesi`."""
    if _word_at(tokens, end) in _words()["street_after"]:
        return True
    if start > 1 and _ROMAN.fullmatch(tokens.words[start - 1]):
        start -= 1
    if _word_at(tokens, start - 1) in _words()["street"]:
        first = tokens.words[start]
        return first in _words()["street_join"] or not first.isalpha() or _is_capital(tokens, start)
    return _word_at(tokens, start - 2) in _words()["street"] and not _words()[
        "street_join"
    ].isdisjoint(tokens.words[start - 1 : start + 1])


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


def _word_at(tokens: Tokens, index: int) -> str:
    return tokens.words[index] if 0 <= index < len(tokens.words) else ""


def _is_capital(tokens: Tokens, index: int) -> bool:
    return 0 <= index < len(tokens.words) and tokens.text[tokens.starts[index]].isupper()


def _counts_alone(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the match names a time although nothing before it says so."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    outside = tokens.words[:start] + tokens.words[edge.end :]
    if not any(word[0].isalnum() for word in outside):
        return edge.end > start + 1 or tokens.words[start] not in _words()["name"]
    before, after = _word_at(tokens, start - 1), _word_at(tokens, edge.end)
    if before in _QUOTES or before in _words()["title"] or before in _words()["article"]:
        return False
    if before in ("si", "ni", "kay") and edge.languages == _FILIPINO:  # before names of persons
        return False
    if start and any(e.tag in ("HOLIDAY", "ORD") for e in lattice.edges[start - 1]):
        return False  # Black Friday deals, the first Thursday lesson
    if any(e.tag == "HOLIDAY" and e.end == edge.end for e in lattice.edges[start]):
        return not after[:1].isalpha() or after in _words()["event"] or after in words.marks
    if meaning.granularity == "quarter":
        return after != ":"
    if any(e.tag == "DAY_OF_MONTH" and e.end == edge.end for e in lattice.edges[start]):
        return not after[:1].isalnum()
    if meaning.granularity == "range" and not meaning.is_weekly:
        return meaning.repeating and (not after[:1].isalpha() or after in words.marks)
    if not meaning.is_weekly or words.is_ambiguous(tokens.words[start], "WEEKDAY"):
        return False
    if edge.languages & _CHINESE_OR_JAPANESE:
        return True
    return not _is_part_of_name(tokens, start, edge)


def _is_part_of_name(tokens: Tokens, start: int, edge: Edge) -> bool:
    """`Ruby Tuesday`, `Friday Night Lights`, `Domenica Sartori`."""
    opens = start == 0 or not tokens.words[start - 1][0].isalnum()
    if _is_capital(tokens, start) and not edge.languages & _WEEKDAYS_CAPITALISED and not opens:
        return True
    if edge.languages & _NOUNS_CAPITALISED or not _is_capital(tokens, start):
        return False
    follows = _is_capital(tokens, edge.end) and not tokens.adjacent(edge.end)
    led = start > 1 and _is_capital(tokens, start - 1) and _word_at(tokens, edge.end)[:1].isalpha()
    return follows or led


def _is_version(tokens: Tokens, start: int, end: int) -> bool:
    """`release 2025.1.3`, `pages 10-12`."""
    if _word_at(tokens, start - 1) not in _words()["numbered"]:
        return False
    return not any(word[0].isalpha() for word in tokens.words[start:end])


def _is_counted(tokens: Tokens, edge: Edge, meaning: Meaning) -> bool:
    """`in 2000 words`: a year in digits that counts what follows."""
    return (
        meaning.granularity in ("year", "range")
        and _word_at(tokens, edge.end) in _words()["counted"]
    )


def _is_named(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """`for June's daughter`, `la casa de Domingo`: a month or weekday that is a name."""
    last = tokens.words[edge.end - 1]
    if (
        not meaning.repeating
        or last not in _words()["name"]
        or not _is_capital(tokens, edge.end - 1)
    ):
        return False
    if _word_at(tokens, edge.end) == "'":
        return not _words()["event"].intersection(tokens.words[edge.end + 2 : edge.end + 4])
    if tokens.words[start] not in _words()["name_join"]:
        return False
    return _is_capital(tokens, edge.end) or not edge.languages & _WEEKDAYS_CAPITALISED


def _is_accented_otherwise(tokens: Tokens, start: int, end: int) -> bool:
    """`está Julio` folds to `esta julio`, this July; `a été`, has been, to `à été`."""
    if tokens.text[tokens.starts[start] : tokens.ends[start]].lower() == "está":
        return True
    if tokens.words[end - 1] != "ete" or end < 2:
        return False
    if tokens.words[end - 2] not in _words()["auxiliary"]:
        return False
    return tokens.text[tokens.starts[end - 2] : tokens.ends[end - 2]].lower() != "à"


def _is_nth_thing(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`on the 5th floor`, `am 2. Tag`: a number that counts what follows."""
    tokens = lattice.tokens
    tags = {
        e.tag for index in range(start, edge.end) for e in lattice.edges[index] if e.end == edge.end
    }
    after = _word_at(tokens, edge.end)
    if "DATE_NUMBER" in tags and edge.pieces == 2:
        if tokens.adjacent(start + 1) and tokens.words[start + 1].isdecimal():
            return True
        if edge.languages & _NOUNS_CAPITALISED:  # `am 3. Tor`
            return _is_capital(tokens, edge.end + (after == "."))
        return (
            after in ("%", "°", "€", "$", "h")
            or after in _words()["counted"]
            or after[:1].isdecimal()
        )
    if not tags & {"DATE_ORDINAL", "DAY_OF_MONTH", "DATE_NUMBER_WEAK"}:
        return False
    counted = "DATE_NUMBER_WEAK" in tags and _word_at(tokens, start - 1).isdecimal()  # `10 a 12`
    return counted or (after[:1].isalnum() and after not in words.marks)
