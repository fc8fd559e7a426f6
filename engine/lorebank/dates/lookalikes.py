"""What looks like a date and is none: names, verbs, versions, ids, paths, counted things.

A match is judged by the letters right around it and by its neighbouring words.
"""

from __future__ import annotations

import re

from lorebank.dates.lattice import Edge, Lattice
from lorebank.dates.lexicon import Lexicon, language_bit
from lorebank.dates.rules_bounds import Meaning
from lorebank.dates.tokens import Tokens, is_cjk

__all__ = ["is_date"]

_ENGLISH = language_bit("en")
_CHINESE_OR_JAPANESE = language_bit("zh") | language_bit("ja")
_WEEKDAYS_CAPITALISED = language_bit("en") | language_bit("de")
_NOUNS_CAPITALISED = language_bit("de")

_BEFORE_GLUED = frozenset("/\\_#@$€£=&+~%^")
_AFTER_GLUED = frozenset("/\\_@%=$€£")
_TAIL_IF_WORD = frozenset(".-:,'’–")


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CAPITALISED_AFTER = _word_set("january february september october november december")
_NAME_WORDS = _word_set(
    "april may june august march friday sunday monday tuesday wednesday thursday saturday "
    "summer autumn winter spring fall jan juni mai avril abril agosto domingo domenica noel "
    "natale easter christmas pascal jun jul aug apr mar julio lunes freitag montag sommer mayo"
)
_VERBS = _word_set(
    "is was were are be been has had have said says told tells asked asks wrote writes wants "
    "wanted thinks thought likes liked loves loved left went goes came comes got gets made "
    "makes knows knew can could will would should might must does did gave took found sent met "
    "moved joined started arrived quit lost won bought sold cause need not also"
)
_NAME_LEADS = _word_set(
    "named called name nickname nicknamed cat dog pet pub bar book novel film movie song band "
    "boat ship aunt uncle mr mrs ms miss dr sister brother daughter son wife husband colleague "
    "friend ask tell told asked met meet call texted and with hi hello dear hey thanks by than "
    "like via believe believes believed trust trusts trusted confide interested interest "
    "visited herr frau señor señora senor senora signor signora monsieur madame mme sr sra und "
    "con"
)
_COUNTED = _word_set(
    "words word tokens token lines line users user people characters chars items item files "
    "file bytes byte mb kb gb ms seconds second minutes minute hours hour steps step rows row "
    "euros euro dollars dollar eur usd points times requests entries pages page km m kg pieces "
    "copies records tests customers employees usuarios personas palabras wörter zeilen nutzer "
    "mots personnes meters metres meter feet miles watts pounds iterations votes messages "
    "articles"
)
_EVENTS = _word_set(
    "meeting standup call sync deploy release review demo retro session workshop lunch dinner "
    "breakfast party class lesson game match show episode update incident outage report notes "
    "planning interview presentation conversation discussion brunch barbecue bbq walk trip visit "
    "parade celebration celebrations gathering vacation getaway hike shopping orders order sale "
    "sales gift gifts present presents concert feast festivities photos pictures"
)
_OF_A_QUARTER = _word_set(
    "results revenue numbers goals okrs okr report review planning figures budget earnings targets "
    "target plan plans roadmap kpis kpi forecast profit objectives was were is"
)
_AFTER_WEEKDAY = _word_set(
    "morning afternoon evening night at around before after about and or when because but the "
    "we i she he they you it did was were is with in to for of"
)
_STREETS = _word_set(
    "calle rua via rue avenida plaza piazza praca place strasse largo viale corso avenue boulevard "
    "platz travessa paseo quai square ponte pont puente bridge bahnhof estacao estacion station"
)
_STREET_JOINS = _word_set("du de del des di do da der le la dos das of")
_STRONG_LEADS = _word_set("on in during since until last next this")
_DAY_WORDS = _word_set("today yesterday tomorrow")
_AUXILIARIES_FR = _word_set(
    "a ont ai as avons avez avait avaient avoir ayant aurait pas jamais deja"
)
_NO_WEEKDAY_AFTER = _word_set("the a my our le la il lo les los las ' \" “ ‘")
_HAN_NUMERALS = frozenset("一二三四五六七八九十")
_ORDINAL_WEEKDAYS = _word_set("segunda terca quarta quinta sexta")
_NO_VERB_AFTER = _word_set(
    "in on since until by from between after before the last this next early late mid end during"
)
_VERSION_LEADS = _word_set(
    "version versión versão versione v rev revision ip python node firmware port puerto porta "
    "room zimmer page pages pp line lines seite seiten"
)
_RELEASES = _word_set("release releases build tag patch hotfix upgrade upgraded")
_AFTER_HOLIDAY = _word_set("at was were with we i they")
_NAME_JOINS = _word_set("de con di da com avec per para")
_GREETINGS = _word_set("happy merry blessed frohe frohes feliz joyeux buon bon buona")
_CJK_PLACES = (
    "餐厅", "餐廳", "酒店", "饭店", "宾馆", "公司", "乐队", "书店", "咖啡", "广场", "大厦", "劇場", "広場", "生まれ",
    "食堂", "ホテル", "旅館",
)  # fmt: skip
_AFTER_CJK_NAME = ("さん", "さま", "様", "くん", "君", "ちゃん", "間", "先生", "氏")


def is_date(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the tokens of the match name a time where they stand."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    if not _stands_free(tokens, start, edge.end):
        return False
    if meaning.repeating and _names_a_place(tokens, edge.end):
        return False
    if meaning.repeating and tokens.text.startswith(_AFTER_CJK_NAME, tokens.ends[edge.end - 1]):
        return False
    if not meaning.licensed:
        if _is_whole_text(tokens, start, edge.end) and not _may_be_name(tokens, start, edge.end):
            return True
        if any(e.tag == "HOLIDAY" and e.end == edge.end for e in lattice.edges[start]):
            return _free_holiday(tokens, start, edge, words)
        if meaning.granularity == "quarter":
            return _free_quarter(tokens, start, edge.end)
        return _free_weekday(tokens, start, edge, meaning, words)
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


def _is_whole_text(tokens: Tokens, start: int, end: int) -> bool:
    outside = tokens.words[:start] + tokens.words[end:]
    return not any(word[0].isalnum() for word in outside)


def _may_be_name(tokens: Tokens, start: int, end: int) -> bool:
    return end == start + 1 and tokens.words[start] in _NAME_WORDS - {
        "monday", "tuesday", "wednesday", "thursday", "saturday", "winter", "autumn",
    }  # fmt: skip


def _free_weekday(tokens: Tokens, start: int, edge: Edge, meaning: Meaning, words: Lexicon) -> bool:
    """A weekday without a preposition: `What did Peter do Monday?`, `Tuesday night's call`."""
    if meaning.granularity != "day" or not meaning.repeating or tokens.words[start] == "the":
        return False
    if edge.languages & _CHINESE_OR_JAPANESE:
        # 三日坊主, 二日酔い: a day of the month in Han numerals begins many other words
        return tokens.words[start] not in _HAN_NUMERALS and not _before_katakana(tokens, edge.end)
    if start > 1 and _capitalised(tokens, start - 1) and tokens.words[start - 2][0].isalnum():
        return False
    if start and _capitalised(tokens, start) and not edge.languages & _WEEKDAYS_CAPITALISED:
        return False
    before = tokens.words[start - 1] if start else ""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    with_part_of_day = edge.end > start + 1
    if with_part_of_day and edge.languages & _ENGLISH and _capitalised(tokens, edge.end - 1):
        return False
    if after == "'" and not with_part_of_day:
        return before not in _NAME_LEADS and _possessive_of_event(tokens, edge.end)
    if before in _NAME_LEADS or before in _NO_WEEKDAY_AFTER or not (before or with_part_of_day):
        return False
    if with_part_of_day and (after in _EVENTS or after in words.marks):
        return True
    return not after or not after[0].isalnum() or after in _AFTER_WEEKDAY - _VERBS


def _free_holiday(tokens: Tokens, start: int, edge: Edge, words: Lexicon) -> bool:
    """A holiday without a preposition: `Boxing Day walk`, `Was haben wir Silvester gemacht?`."""
    if edge.languages & _CHINESE_OR_JAPANESE:
        return True
    before = tokens.words[start - 1] if start else ""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    if after == "'":
        return _possessive_of_event(tokens, edge.end)
    if after in _EVENTS:
        return before not in ("a", "an")
    if before in _NAME_LEADS or before in _NO_WEEKDAY_AFTER or before in _GREETINGS:
        return False
    if edge.languages & _NOUNS_CAPITALISED and not edge.languages & _ENGLISH:
        return not after or not _capitalised(tokens, edge.end)
    if edge.end == start + 1:
        return after in _AFTER_HOLIDAY
    return not after[:1].isalnum() or after in words.marks


def _before_katakana(tokens: Tokens, index: int) -> bool:
    """`土曜ワイド劇場`: the first part of a name."""
    return tokens.adjacent(index) and "\u30a1" <= tokens.words[index] <= "\u30fa"


def _names_a_place(tokens: Tokens, end: int) -> bool:
    """`星期五餐厅`, `三月酒店`."""
    return tokens.adjacent(end) and tokens.text.startswith(_CJK_PLACES, tokens.ends[end - 1])


def _free_quarter(tokens: Tokens, start: int, end: int) -> bool:
    """A quarter without a preposition: `our Q3 results`; not `Q1: what is your name?`."""
    if not tokens.words[start].startswith("q") and not tokens.words[start].isdecimal():
        return False
    after = tokens.words[end] if end < len(tokens.words) else ""
    return after in _OF_A_QUARTER or after in _EVENTS or after in ("", "?", ".", ",", "!", "'")


def _possessive_of_event(tokens: Tokens, index: int) -> bool:
    """`…'s meeting` from the apostrophe on."""
    if index >= len(tokens.words) or tokens.words[index] != "'":
        return False
    return any(word in _EVENTS for word in tokens.words[index + 2 : index + 4])


def _is_counted(tokens: Tokens, start: int, end: int, meaning: Meaning) -> bool:
    """`in 2000 words`: a year in digits that counts what follows."""
    if meaning.granularity not in ("year", "range") or end >= len(tokens.words):
        return False
    return tokens.words[end - 1].isdecimal() and tokens.words[end] in _COUNTED


def _is_causal(tokens: Tokens, edge: Edge, meaning: Meaning) -> bool:
    """`since Friday was a holiday`."""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    return meaning.modifier == "since" and after in ("is", "was", "were", "has", "had", "will")


def _is_named(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """A month, weekday or season that is (part of) the name of a person or thing."""
    last = tokens.words[edge.end - 1]
    if not meaning.repeating or not (last in _NAME_WORDS or last in _CAPITALISED_AFTER):
        return False
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    if _capitalised(tokens, edge.end) and not edge.languages & _NOUNS_CAPITALISED:
        if tokens.words[start] in _STRONG_LEADS and edge.end > start + 1:
            return _capitalised(tokens, edge.end + 1) and "the" in tokens.words[start : edge.end]
        return after != "i"
    if last in _CAPITALISED_AFTER:
        return False
    if edge.end == start + 2 and tokens.words[start] in _NAME_JOINS:
        return _capitalised(tokens, start + 1) and not edge.languages & _WEEKDAYS_CAPITALISED
    if after == "'" and not _EVENTS.intersection(tokens.words[edge.end + 2 : edge.end + 4]):
        return True
    if "the" in tokens.words[start : edge.end] and after.isalpha():
        return after not in _EVENTS and after not in _AFTER_WEEKDAY
    if meaning.modifier != "exact" and after in _VERBS:
        return True
    return start > 0 and tokens.words[start - 1] in _NAME_LEADS - {"and", "with", "met", "meet"}


def _is_verb(tokens: Tokens, start: int, edge: Edge, meaning: Meaning) -> bool:
    """`row 5 may be`, `10 march past`: a lower-case month's name that is a verb."""
    if not edge.languages & _ENGLISH or not meaning.repeating:
        return False
    for index in range(start, edge.end):
        if tokens.words[index] in ("may", "march") and tokens.text[tokens.starts[index]].islower():
            after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
            led = tokens.words[start] in _NO_VERB_AFTER
            return not led and after[:1].isalnum()
    return False


def _is_title_or_compound(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """`the author of 1984`, `for weekend drives`."""
    tokens = lattice.tokens
    meaning: Meaning = edge.value
    if meaning.granularity == "year" and edge.end == start + 2:
        return tokens.words[start] == "of" and tokens.words[edge.end - 1].isdecimal()
    if tokens.words[edge.end - 1] != "weekend" or edge.end >= len(tokens.words):
        return False
    after = tokens.words[edge.end]
    return meaning.repeating and after.isalpha() and after not in words.marks


def _is_version(tokens: Tokens, start: int, end: int) -> bool:
    """`rev 12.11.10`, `pages 10-12`."""
    lead = tokens.words[start - 1] if start else ""
    if lead not in _VERSION_LEADS and not (lead in _RELEASES and "." in tokens.words[start:end]):
        return False
    return not any(word[0].isalpha() for word in tokens.words[start:end])


def _is_ordinal(tokens: Tokens, start: int, end: int, words: Lexicon) -> bool:
    """`a sexta opção`: the sixth option, not the Friday."""
    if tokens.words[start] != "a" or tokens.words[end - 1] not in _ORDINAL_WEEKDAYS:
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
    if before < 0 or tokens.words[before] not in _AUXILIARIES_FR:
        return False
    return tokens.text[tokens.starts[before] : tokens.ends[before]].lower() != "à"


def _is_street(tokens: Tokens, start: int) -> bool:
    """`rue du 4 septembre`, `Straße des 17. Juni`."""
    if start and tokens.words[start - 1] in _STREETS:
        first = tokens.words[start]
        return first in _STREET_JOINS or not first.isalpha() or _capitalised(tokens, start)
    if (
        start > 2
        and tokens.words[start - 3] in _STREETS
        and tokens.words[start - 2] in _STREET_JOINS
    ):
        return tokens.words[start - 1].isdecimal()
    return (
        start > 1
        and tokens.words[start - 2] in _STREETS
        and not _STREET_JOINS.isdisjoint(tokens.words[start - 1 : start + 1])
    )


def _is_capital_day(tokens: Tokens, start: int) -> bool:
    """`USA Today`, `Back to Yesterday`, `the today show`: the day's word as part of a name."""
    if tokens.words[start] not in _DAY_WORDS or start == 0:
        return False
    before = tokens.words[start - 1]
    if before == "the":
        return True
    written = tokens.text[tokens.starts[start] : tokens.ends[start]]
    gap = tokens.text[tokens.ends[start - 1] : tokens.starts[start]]
    return written.istitle() and before[-1].isalnum() and "\n" not in gap


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
    return after[0].isalnum() and after not in words.marks and after not in _AFTER_WEEKDAY


def _capitalised(tokens: Tokens, index: int) -> bool:
    if index >= len(tokens.words):
        return False
    return tokens.text[tokens.starts[index]].isupper()
