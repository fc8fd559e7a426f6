"""What looks like a date and is none: names, ids, paths, streets, counted things.

A match is judged by the letters right around it and by its neighbouring words, which stand in the
`[lookalikes]` sections of the language files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from lorebank.dates.lattice import Edge, Lattice, count_marks
from lorebank.dates.lexicon import Lexicon, Tokens, is_cjk, speaking
from lorebank.dates.rules_bounds import Meaning
from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled, split

_NOUNS_CAPITALISED = speaking("nouns_capitalised")
_COMPOUNDS = speaking("compounds")
_NOUN_BEFORE_NOUN = speaking("noun_before_noun")
_NEEDS_PREPOSITION = speaking("feast_behind_preposition")
_MONTHS = frozenset({"MONTH", "MONTH_SHORT"})
_MONTH_FIRST = speaking("month_before_day")
_DAY_BEHIND_ARTICLE = speaking("article_before_day")
_SHORT = "WEEKDAY_SHORT"
_BETWEEN_DAYS = frozenset(",-–/")
_NEAR_TOKENS = 20
"""So far away another short day is looked for, as long as a week of them is; chosen by hand."""
_OF_A_DAY = frozenset({"UNIT", "PART_OF_DAY", "WEEKDAY", "DAY_NEXT_TO", "PART"})
_WEEKDAYS_CAPITALISED = speaking("weekdays_capitalised")
_ROMAN = re.compile("[ivx]+")
_GLUED_BEFORE = re.compile(r"(?:[/\\_#@$€£=&+~%^]|[^\W_][.-])\Z")
_GLUED_NUMBER = re.compile(r"[^\W_][:,]\Z")
_GLUED_AFTER = re.compile(r"[/\\_@%=$€£]|(?!['’]s\b)[.:,'’–-][^\W_]")
_NEXT_CHARACTER = re.compile(r"\s*(\S)")
_QUOTES = frozenset("'\"“‘")


@cache
def _words() -> dict[str, frozenset[str]]:
    return compiled("lookalikes", _folded)


def _folded(languages: Sections) -> dict[str, frozenset[str]]:
    """The words of all languages together: none of them is a date's neighbour in another."""
    entries = {entry for section in languages.values() for entry in section}
    return {
        entry: frozenset(
            word if entry == "accented" else fold(word)
            for section in languages.values()
            for word in split(section.get(entry, ""))
        )
        for entry in entries
    }


def is_date(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the tokens of the match name a time where they stand."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    if not _stands_free(tokens.text, tokens.starts[start], tokens.ends[edge.end - 1]):
        return False
    in_digits = not any(word[0].isalpha() for word in tokens.words[start : edge.end])
    if in_digits and _abbreviation_before(tokens, start) in _words()["numbered"]:
        return False  # release 2025.1.3, pages 10-12, no. 12-05-30
    if _is_nth_thing(lattice, start, edge, words) or _is_of_a_feast(lattice, start, edge, words):
        return False
    if _is_thing(lattice, start, edge):
        return False
    if not meaning.licensed:
        return _counts_alone(lattice, start, edge, words)
    return not (
        _is_count(lattice, edge)
        or _is_named(tokens, start, edge, meaning)
        or _is_accented_otherwise(tokens, start, edge.end)
    )


def _is_count(lattice: Lattice, edge: Edge) -> bool:
    """`in 2000 words`, `from January 13 cents a word`, `in May 20 came`."""
    tokens, end = lattice.tokens, edge.end
    before, day, behind = (_word_at(tokens, index) for index in (end - 3, end - 1, end))
    counted = behind in _words()["counted"]
    granularity = edge.value.spans[0].granularity
    if granularity != "day":
        return counted and granularity == "year"
    is_month_first = end > 1 and any(e.tag in _MONTHS for e in lattice.edges[end - 2])
    if before == "on" or not (is_month_first and day.isdecimal() and len(day) <= 2):
        return False
    if edge.languages & _MONTH_FIRST:
        return counted or (before == "in" and behind.isalpha())
    return behind.isalpha()  # im Mai 12 Gäste


def is_street(tokens: Tokens, start: int, end: int) -> bool:
    """`rue du 4 septembre`, `Straße des 17. Juni`, `via XX Settembre`, `19 Mayıs Caddesi`."""
    if _word_at(tokens, end) in _words()["street_after"]:
        return _is_capital(tokens, end)  # and not the 27 June street party
    streets, joins = _words()["street"], _words()["street_join"]
    start -= start > 1 and _ROMAN.fullmatch(tokens.words[start - 1]) is not None
    if _word_at(tokens, start - 1) in streets:
        behind = start + (tokens.words[start] in joins)  # and not: via da lunedì
        is_name = _is_capital(tokens, start) or _is_capital(tokens, behind)
        return is_name or not _word_at(tokens, behind).isalpha()
    joined = not joins.isdisjoint(tokens.words[start - 1 : start + 1])
    return joined and _word_at(tokens, start - 2) in streets


def _stands_free(text: str, left: int, right: int) -> bool:
    """Whether the match is not part of a path, id, version, compound or number."""
    before, after = text[max(left - 2, 0) : left], text[right : right + 1]
    if before[-1:].isalnum() and not is_cjk(before[-1]) and not is_cjk(text[left]):
        return False
    if after.isalnum() and not is_cjk(after) and not is_cjk(text[right - 1]):
        return False
    if _GLUED_BEFORE.search(before) or _GLUED_AFTER.match(text, right):
        return False
    return not text[left].isdecimal() or _GLUED_NUMBER.search(before) is None


def _word_at(tokens: Tokens, index: int) -> str:
    return tokens.words[index] if 0 <= index < len(tokens.words) else ""


def _abbreviation_before(tokens: Tokens, index: int) -> str:
    """The word before a place, without its full stop: `Sr. Reis`."""
    return _word_at(tokens, index - 1 - (_word_at(tokens, index - 1) == "."))


def _is_capital(tokens: Tokens, index: int) -> bool:
    return 0 <= index < len(tokens.words) and tokens.text[tokens.starts[index]].isupper()


def _letter_behind(tokens: Tokens, end: int) -> str:
    """The first character behind a match that is no space; nothing where the text ends."""
    found = _NEXT_CHARACTER.match(tokens.text, tokens.ends[end - 1])
    return found[1] if found else ""


def _counts_alone(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the match names a time although nothing before it says so."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    outside = tokens.words[:start] + tokens.words[edge.end :]
    if not any(word[0].isalnum() for word in outside):
        return edge.end > start + 1 or tokens.words[start] not in _words()["name"]
    before, after = _word_at(tokens, start - 1), _word_at(tokens, edge.end)
    if (
        before in _QUOTES
        or _abbreviation_before(tokens, start) in _words()["title"]
        or before in _words()["article"]
    ):
        return False
    if after in _words()["title_after"]:  # Cuma amca
        return False
    if start and any(e.tag in ("HOLIDAY", "ORDINAL") for e in lattice.edges[start - 1]):
        return False  # Black Friday deals, the first Thursday lesson
    if any(e.tag == "HOLIDAY" and e.end == edge.end for e in lattice.edges[start]):
        free = not after[:1].isalpha() or after in words.marks or after in _words()["event"]
        free = free or words.means(tokens.words[edge.end - 1], "PART_OF_DAY")  # yılbaşı gecesi
        free = free or not edge.languages & ~_COMPOUNDS  # Pfingstmontag frei
        if any(e.tag == "DATE" and e.end == start for i in range(start) for e in lattice.edges[i]):
            return False  # 7 sept rentrée
        return free or not (edge.languages & ~_NEEDS_PREPOSITION or _is_capital(tokens, edge.end))
    if meaning.granularity == "year" and _names_years_bare(tokens.words, words.marks):
        noun = before.isalpha() and _is_capital(tokens, start - 1)
        return not (noun or _is_capital(tokens, edge.end))  # Lampe 2019, 2019 Nägel
    if meaning.granularity == "quarter":  # Q2 sales; not `Q2: …` of an FAQ, nor a T2 to let
        return tokens.words[start] == "q" and _is_capital(tokens, start) and after != ":"
    names_a_row = before == ":" and after == ";"  # `day: Thu; messages: 390`, a row as a passage
    if not meaning.is_weekly or names_a_row:
        return False
    tags = {e.tag for e in lattice.edges[start] if e.end == edge.end}
    if "SHORT_WEEKDAY" in tags and "WEEKDAY" not in tags:
        return _is_short_day(lattice, start, edge)
    if edge.end == start + 1 and words.means(tokens.words[start], "WEEKDAY", collides=True):
        is_short = after == "." and _letter_behind(tokens, edge.end + 1).islower()  # sab. bajeras
        return bool(before) and not (is_short or after[:1].isalnum())  # prova sexta; sexta marcha
    return not _is_part_of_name(tokens, start, edge, words)


def _is_short_day(lattice: Lattice, start: int, edge: Edge) -> bool:
    """`Mo.` within a clause, `mon, wed` at an end of one; `sat`, `mer` and `sun` are words."""
    tokens = lattice.tokens
    after = _letter_behind(tokens, edge.end)
    near = range(max(0, start - _NEAR_TOKENS), min(len(tokens.words), edge.end + _NEAR_TOKENS))
    days = {i: e.value for i in near for e in lattice.edges[i] if e.tag == _SHORT}
    if edge.end > start + 1:  # with a full stop
        if _is_capital(tokens, start) and after.islower():
            return True
        inside = _word_at(tokens, start - 1).isalnum() and after.isalnum()
        return len(set(days.values())) > 1 and after != "" and not inside
    first, end = start, edge.end
    while _word_at(tokens, first - 1) in _BETWEEN_DAYS and first - 2 in days:
        first -= 2
    while _word_at(tokens, end) in _BETWEEN_DAYS and end + 1 in days:
        end += 2
    inside = _word_at(tokens, first - 1).isalnum() and _word_at(tokens, end).isalnum()
    return end - first > 1 and not inside  # and not: vue sur mer, jeu de boules


def _is_thing(lattice: Lattice, start: int, edge: Edge) -> bool:
    """`on the sun deck`, `on the wed list`: an article and a word that a short weekday is too."""
    tokens, at = lattice.tokens, edge.end - 1
    tags = {e.tag for e in lattice.edges[at] if e.end == edge.end}
    if at == start or "WEEKDAY" in tags or _SHORT not in tags or edge.value.is_range_of_days:
        return False
    follows = _letter_behind(tokens, edge.end).islower()
    said = _word_at(tokens, at - 1) in _words()["article"]
    return said and (follows or not _is_capital(tokens, at))


def _names_years_bare(words: Sequence[str], marks: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether most common words are of a language that names years without a preposition."""
    votes, bare = count_marks(words, marks), speaking("bare_years")
    own = max((count for index, count in votes.items() if bare >> index & 1), default=0)
    return own > max((n for index, n in votes.items() if not bare >> index & 1), default=0)


def _is_of_a_feast(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`the Advent concert`, `biscotti di Natale`, `Ana Natal`: a holiday that tells what sort a
    thing is of, or is a name; a season that does, `abrigo de invierno`."""
    tokens, near = lattice.tokens, range(start, edge.end)
    if any(e[::3] == ("SEASON", edge.end) for i in near for e in lattice.edges[i]):
        return _is_of_a_season(lattice, start, edge)
    feasts = [i for i in near for e in lattice.edges[i] if e[::3] == ("HOLIDAY", edge.end)]
    is_bridge = any(e.tag == "BRIDGE" for i in near for e in lattice.edges[i])
    if not feasts or is_bridge or edge.value.modifier not in ("exact", "around"):
        return False
    at, after = feasts[0] - 1, _word_at(tokens, edge.end)
    before, is_word = _word_at(tokens, at), edge.end == feasts[0] + 1
    if is_word and before in _words()["article"] and edge.languages & _NOUN_BEFORE_NOUN:
        return after[:1].isalpha() and after not in words.marks  # not so the Fourth of July party
    if not edge.languages & _NEEDS_PREPOSITION:
        return False
    if is_word and start == feasts[0] and before.isalpha() and before not in words.marks:
        return _is_capital(tokens, start)
    while _word_at(tokens, at) in _words()["article"] | _QUOTES:  # biscuits de l'Avent
        at -= 1
    joined = _word_at(tokens, at) in _words()["street_join"] and _word_at(tokens, at - 1).isalpha()
    ends = {e.tag for i in range(max(at - 3, 0), at) for e in lattice.edges[i] if e.end == at}
    return joined and ends.isdisjoint(_OF_A_DAY)  # and not `le soir de Noël`


def _is_of_a_season(lattice: Lattice, start: int, edge: Edge) -> bool:
    """`abrigo de invierno`, `pneus d'hiver`, and not `fin de verano`."""
    tokens = lattice.tokens
    if edge.value.modifier != "exact" or not edge.languages & _NEEDS_PREPOSITION:
        return False
    joint = tokens.words[start] in _words()["street_join"]
    return joint and edge.pieces == 2 and _word_at(tokens, start - 1).isalpha()


def _is_part_of_name(tokens: Tokens, start: int, edge: Edge, words: Lexicon) -> bool:
    """`Ruby Tuesday`, `Friday Night Lights`, `Domenica Sartori`, `Domingo y Abril`."""
    opens = start == 0 or not tokens.words[start - 1][0].isalnum()
    if _is_capital(tokens, start) and not edge.languages & _WEEKDAYS_CAPITALISED and not opens:
        return True
    if edge.languages & _NOUNS_CAPITALISED or not _is_capital(tokens, start):
        return False
    behind = edge.end + words.means(_word_at(tokens, edge.end), "AND")
    follows = _is_capital(tokens, behind) and not tokens.adjacent(behind)
    if opens and not edge.languages & _NOUN_BEFORE_NOUN:
        return follows and tokens.words[start] in _words()["name"]  # Vrijdag Tom gezien
    led = start > 1 and _is_capital(tokens, start - 1) and _word_at(tokens, edge.end)[:1].isalpha()
    return follows or led


def _is_named(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """`for June's daughter`, `la casa de Domingo`: a month or weekday that is a name."""
    last = tokens.words[edge.end - 1]
    if (
        not meaning.repeating
        or last not in _words()["name"]
        or not _is_capital(tokens, edge.end - 1)
        or any(map(str.isdecimal, tokens.words[start : edge.end]))  # from 15 March Kit lives there
    ):
        return False
    if _word_at(tokens, edge.end) == "'":
        return not _words()["event"].intersection(tokens.words[edge.end + 2 : edge.end + 4])
    if tokens.words[start] not in _words()["name_join"]:
        return False
    return _is_capital(tokens, edge.end) or not edge.languages & _WEEKDAYS_CAPITALISED


def _is_accented_otherwise(tokens: Tokens, start: int, end: int) -> bool:
    """`está Julio` folds to `esta julio`, this July; `a été`, has been, to `à été`, in summer."""
    first = tokens.text[tokens.starts[start] : tokens.ends[start]].lower()
    last_two = tokens.text[tokens.starts[max(end - 2, 0)] : tokens.ends[end - 1]].lower()
    return not _words()["accented"].isdisjoint((first, last_two))


def _is_nth_thing(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`on the 5th floor`, `am 2. Tag`: a number that counts what follows."""
    tokens = lattice.tokens
    tags = {
        e.tag for index in range(start, edge.end) for e in lattice.edges[index] if e.end == edge.end
    }
    after = _word_at(tokens, edge.end)
    in_words = not any(word[0].isdecimal() for word in tokens.words[start : edge.end])
    if "DATE_NUMBER" in tags and in_words and not edge.languages & ~_DAY_BEHIND_ARTICLE:
        return True  # el cinco por ciento
    if "DATE_NUMBER" in tags and edge.pieces == 2 and edge.languages & _NOUNS_CAPITALISED:
        noun = _word_at(tokens, edge.end + (after == "."))
        return noun.endswith(tuple(_words()["nth"]))  # and not: am 8. Kontrolle
    if edge.value.modifier not in ("exact", "each"):  # by the 10th please
        return False
    if not tags & {"DATE_ORDINAL", "DAY_OF_MONTH", "DATE_NUMBER_WEAK", "DAY_LIST"}:
        return False
    counted = "DATE_NUMBER_WEAK" in tags and _word_at(tokens, start - 1).isdecimal()  # `10 a 12`
    counted = counted or (
        tokens.words[max(start - 1, 0) : start + 1] == ["in", "the"]
    )  # they led in the 4th
    common = any(edge.languages >> index & 1 for index in words.marks.get(after, ()))
    return counted or (after[:1].isalnum() and not common)
