"""What an entity is, in a sentence of a log, where no file that lasts defines it.

Only the form of a sentence counts, and where it stands: a fact about nobody else that begins with a
copula (`Is our vet`), a sentence that begins with the name and says what it is (`The Skerry is a
cutter`, `Dr Edda Ruiz, musicologist at the university, rang`), a fact that fixes what somebody
works as. What was said first introduces; nothing is made up, so an entity may have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache

from lorebank.database.connection import Connection
from lorebank.domain.facts import FactKind
from lorebank.index.entity_view import Description, first_sentences_naming
from lorebank.languages import phrase_lists
from lorebank.names.lexicon import words_of
from lorebank.pages.facts import KnownFact, is_current

_WORK = frozenset({"employer", "occupation"})
_FIRST = 3
"""So many of the first notes that name an entity may introduce it."""
_SURE, _STATED, _LIKELY, _WORKS = 4, 3, 2, 1
_HEAD = 80
"""Characters within which the name that a sentence begins with ends."""
_SURNAME = re.compile(r"(?:\s+[A-ZÀ-ÖØ-Þ][\w'’-]*){0,2}")


def definitions(
    connection: Connection,
    facts: Iterable[KnownFact],
    names: Mapping[str, Sequence[str]],
    known: Mapping[str, Description],
    until: date | None,
) -> dict[str, Description]:
    """Slug → what defines it: what the files that last say (`known`), else the best of the logs;
    `facts` are oldest first."""
    found = {slug: (_SURE if d.is_sure else _LIKELY, d) for slug, d in known.items()}

    def offer(slug: str, worth: int, description: Description) -> None:
        if worth > found.get(slug, (0, None))[0]:
            found[slug] = worth, description

    works: dict[str, Description] = {}
    for k in filter(is_current, facts):
        fact = k.fact
        when, written = fact.occurred, fact.recorded
        lasts = not (when and when.end and written and when.end >= written)
        if not (fact.subjects and lasts) or fact.kind is FactKind.EXPERIENCE:
            continue
        slug = fact.subjects[0]
        description = Description(fact.content, fact.citation)
        if _says_what_it_is(fact.content, names.get(slug, ()), is_about=True):
            offer(slug, _STATED, description)
        elif k.relations & _WORK:
            works[slug] = description  # the newest
    for slug, text, source in first_sentences_naming(connection, until, _FIRST):
        if slug in names and _says_what_it_is(text, names[slug], is_about=False):
            offer(slug, _LIKELY, Description(text, source))
    for slug, description in works.items():
        offer(slug, _WORKS, description)
    return {slug: description for slug, (_, description) in found.items()}


def _says_what_it_is(text: str, names: Sequence[str], *, is_about: bool) -> bool:
    """Whether a sentence has the form of a definition; `is_about`: a fact about nobody else."""
    before, is_a, apposition, behind_full_name = _forms()
    if is_about and is_a.match(f" {text}"):
        return True
    for name in names:
        place = text.find(name, 0, _HEAD)
        if place < 0 or not before.fullmatch(text, 0, place):
            continue
        end = place + len(name)
        rest = text[end + len(_SURNAME.match(text, end)[0]) :]  # type: ignore[index]
        if is_a.match(rest) or (not is_about and apposition.match(rest)):
            return True
        is_full_name = len(text) - len(rest) > len(name)
        if is_full_name and behind_full_name.match(rest):
            return True
    return False


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """What stands before a name at the head of a sentence; behind it ` is our vet` and `, our vet`;
    behind a full one also `, vet`."""
    languages = phrase_lists("questions").values()
    both = [
        ("|".join(map(re.escape, copula)), "|".join(map(re.escape, determiner)))
        for copula, determiner in ((p.get("copula"), p.get("determiner")) for p in languages)
        if copula and determiner
    ]
    is_a = "|".join(rf"(?:{copula})\s+(?:{determiner})" for copula, determiner in both)
    is_somebodys = rf"(?:{'|'.join(copula for copula, _ in both)})\s+\w+['’]s"
    a = "|".join(determiner for _, determiner in both)
    articles = "|".join(map(re.escape, sorted(words_of("articles"))))
    return (
        re.compile(rf"(?:(?i:{articles})\s+)?(?:[A-ZÀ-ÖØ-Þ][\w.'’-]*\s+){{0,2}}"),
        re.compile(rf"\s+(?i:{is_a}|{is_somebodys})\s+\w"),
        re.compile(rf"\s*[,(–—]\s*(?i:{a})\s+\w"),
        re.compile(r"\s*[,(–—]\s*(?!\d)[^\WA-Z]"),
    )
