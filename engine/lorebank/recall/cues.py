"""Cue words: what in a question asks for an opinion, for a time, for what was done.

A row a language; matching is on folded text. Adding a language is adding a row.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lorebank.language.folding import fold
from lorebank.language.words import words

_OPINION = {
    "en": r"prefers?|preferred|preferences?|likes?|liked|loves?|hates?|dislikes?|enjoys?"
    r"|favou?rites?"
    r"|opinions?|thinks?|thoughts on|beliefs?|believes?|feels? about|feel towards?|wants?|wishes"
    r"|attitude|stance|view on|views on|taste in|cares? about|opposed to|fond of|keen on",
    "es": r"prefiere[ns]?|preferencias?|gustan?|gustaria|odia[ns]?|opina[ns]?|opinion(?:es)?"
    r"|piensa[ns]?|cree[ns]?|favorit[oa]s?|quiere[ns]?|le parece|detesta[ns]?",
    "pt": r"prefere[m]?|preferencias?|gosta[m]?|odeia[m]?|opiniao|opinioes|acha[m]?|pensa[m]?"
    r"|acredita[m]?|favorit[oa]s?|quer(?:em)?|detesta[m]?",
    "fr": r"prefere(?:nt)?|preferences?|aime(?:nt)?|deteste(?:nt)?|avis|opinions?|pense(?:nt)?"
    r"|croit|croient|favori(?:te)?s?|veut|veulent|prefere[e]?s?",
    "de": r"bevorzug\w*|vorlieben?|mag|moegen|mogen|liebt|hasst|meinung(?:en)?|denkt|haelt von"
    r"|halt von"
    r"|findet|glaubt|lieblings\w*|moechte|mochte|lieber|am liebsten",
    "it": r"preferisc[ei](?:ono)?|preferenz[ae]|piac(?:e|ciono)|odia(?:no)?|opinion[ei]"
    r"|pensa(?:no)?|crede(?:ono)?|preferit[oaie]|vuole|vogliono",
    "nl": r"voorkeur(?:en)?|verkiest|houdt van|haat|mening(?:en)?|denkt|vindt|gelooft|favoriete?",
}
_OPINION_UNSPACED = (
    "喜欢",
    "偏好",
    "喜歡",
    "觉得",
    "覺得",
    "认为",
    "認為",
    "看法",
    "意见",
    "讨厌",
    "好き",
    "嫌い",
    "思って",
    "好む",
    "意見",
    "考えて",
)

_WHEN = {
    "en": r"when|what (?:day|date|month|year|time)|which (?:day|date|month|year|week)|how long ago"
    r"|since when|until when|how long",
    "es": r"cuando|que (?:dia|fecha|mes|ano)|desde cuando|hace cuanto",
    "pt": r"quando|que (?:dia|data|mes|ano)|desde quando|ha quanto",
    "fr": r"quand|quel(?:le)? (?:jour|date|mois|annee)|depuis quand",
    "de": r"wann|an welchem tag|in welchem (?:monat|jahr)|seit wann|welches datum",
    "it": r"quando|che (?:giorno|data|mese|anno)|da quando|in che (?:mese|anno)",
    "nl": r"wanneer|welke (?:dag|datum|maand)|sinds wanneer",
}
_WHEN_UNSPACED = ("什么时候", "何时", "哪天", "几号", "几月", "いつ", "何日", "何月")

_PAST = {
    "en": r"used to|formerly|former|previous|previously|earlier|originally|at first|in the past"
    r"|back then|over time|history of|use to|(?:did|was|were)\b.* before|before\W*$",
    "es": r"antes\W*$|antes de|anterior|anteriores|anteriormente|solia|al principio|antigu[oa]s?",
    "pt": r"antes\W*$|anterior|anteriores|anteriormente|costumava|no inicio|antig[oa]s?",
    "fr": r"avant\W*$|auparavant|ancien|ancienne|precedente?|autrefois|au debut",
    "de": r"fruher\w*|vorher|zuvor|damals|ehemalig\w*|bisherig\w*|ursprunglich",
    "it": r"prima\W*$|precedente|un tempo|in passato|all'inizio",
    "nl": r"vroeger|voorheen|eerder|vorige|destijds",
}
_PAST_UNSPACED = ("以前", "之前", "原来", "曾经", "过去", "原先", "かつて", "昔")

_WHO = {
    "en": r"who(?:'s| is| was| are)|what(?:'s| is| are)(?! (?:the|new|up|wrong|left|next)\b)"
    r"|tell me about",
    "es": r"quien(?:es)? (?:es|son|era)|que es",
    "pt": r"quem (?:e|era|sao)|o que e",
    "fr": r"qui (?:est|sont)|qu'est-ce que|c'est quoi",
    "de": r"wer (?:ist|war|sind)|was ist",
    "it": r"chi (?:e|era|sono)|(?:che )?cos'e|che cosa e",
    "nl": r"wie (?:is|was|zijn)|wat is",
}
_WHO_UNSPACED = ("是谁", "谁是", "是什么", "とは", "って誰", "は誰", "って何", "は何")


def asks_for_opinion(text: str) -> bool:
    """Whether a question is about what somebody prefers, thinks or wants."""
    return _asks(text, "opinion")


def opinion_words(text: str) -> frozenset[str]:
    """The folded words of a question that ask for an opinion and name nothing: `prefer`, `think`.

    >>> sorted(opinion_words("what does Peter prefer to drink?"))
    ['prefer']
    """
    folded = fold(text)
    pattern, unspaced = _compiled("opinion")
    found = [found.group() for found in pattern.finditer(folded)]
    found += [cue for cue in unspaced if cue in folded]
    return frozenset(word for phrase in found for word in words(phrase))


def asks_when(text: str) -> bool:
    """Whether a question asks for a time."""
    return _asks(text, "when")


def asks_who(text: str) -> bool:
    """Whether a question asks who or what somebody or something is."""
    return _asks(text, "who")


def asks_for_past(text: str) -> bool:
    """Whether a question asks how things once were: `where did she live before?`."""
    return _asks(text, "past")


def _asks(text: str, subject: str) -> bool:
    folded = fold(text)
    pattern, unspaced = _compiled(subject)
    return bool(pattern.search(folded)) or any(cue in folded for cue in unspaced)


_CUES = {
    "opinion": (_OPINION, _OPINION_UNSPACED),
    "when": (_WHEN, _WHEN_UNSPACED),
    "past": (_PAST, _PAST_UNSPACED),
    "who": (_WHO, _WHO_UNSPACED),
}


@lru_cache(maxsize=4)
def _compiled(subject: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    rows, unspaced = _CUES[subject]
    return re.compile(rf"\b(?:{'|'.join(rows.values())})(?:\b|(?<=\W)$)"), unspaced
