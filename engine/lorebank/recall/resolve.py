"""What a question means where the notes must tell: whom, in other words, and when.

"The new cook" is whoever the notes call so, not by a list of roles: a description is what stands
beside a name, in apposition ("Ilda, our neighbour"; "my nephew Corin"), as a label ("Vet: Noémia"),
behind a copula, or at the head of a fact about somebody ("W @Youssef: Cook, 41"). One word of a
name stands for its bearers. What is found is a guess: it raises what is linked to it and leaves out
nothing.

"On 11 June" is the last 11 June, unless the question looks ahead; where nothing is noted of that
day, the coming one and those of earlier years are looked at. The answer says what was read as what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile

from lorebank.database.connection import Connection
from lorebank.dates.query import looks_ahead, other_times
from lorebank.domain.facts import LONGEST_MONTH, FactKind
from lorebank.index.finding import entities_in_text, items_of_interval
from lorebank.index.items import Item, first_below_headings
from lorebank.index.lexical import best_items
from lorebank.language.folding import fold
from lorebank.language.words import likely_languages, reads_as_english, stop_words, words
from lorebank.names.entities import display_names, entities_by_word, load_aliases, proposals
from lorebank.recall.candidates import Request
from lorebank.recall.understand import Guess, Understood, attributes_among, phrases_of
from lorebank.supersede.slots import asked_relations, asking_words

LOOKED_AT = 60
"""Lines in which a description or the date of an event is looked for: the best matches."""
_LONGEST_ROLE = 3
"""Words of a role: "the new firmware engineer"."""
_MOST_MEANT = 3
"""A role, or a word of a name, that fits more people than this stays unresolved."""
_CAPITALISED = re.compile(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]*")
_MOST_ALIASES = 3
"""Proposed names of one entity that are searched as well."""
_Described = tuple[str, list[frozenset[str]]]
"""The slug of somebody, and the words of each description of them."""
_ABOUT = 0.3
"""How far a fact about somebody says who they are."""
_LESS_SURE = 0.7
"""What the form of a definition counts in a log, which tells of its day what follows a name at the
head of a line: .5 to .7 do as well on four workspaces by other hands, .3 loses 2 of 80 such
questions."""
_SURNAME = r"(?:\s+[A-ZÀ-ÖØ-Þ]\S*?){0,2}"
_BEHIND = re.compile(
    r"(?:['’]s)?[\"'”’»]?" + _SURNAME + r"\s*(?:[,(–—:]|-(?=\s))\s*(?P<text>[^,.;:()–—!?\n]+)"
)
_LABEL = re.compile(r"(?:^|\n)\s*(?:[-*+]\s+)?(?:\*\*)?(?P<text>[^,.;:()–—!?\n*]+)(?:\*\*)?:\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*[*_“\"']*$")
_CLAUSE_END = re.compile(r"[,.;:()–—!?\n]")


def resolve(request: Request) -> Request:
    """The request with whom its roles and names may stand for."""
    entities = request.understood.entities
    guesses = {
        **_proposed(request.connection, entities),
        **_by_partial_name(request),
        **_described(request),
    }
    perhaps = {slug: guess for slug, guess in guesses.items() if slug not in entities}
    understood = replace(request.understood, perhaps=perhaps, strangers=_strangers(request))
    if understood.meant and not entities:
        understood = _with_property(understood)
    return replace(request, understood=understood)


def _with_property(understood: Understood) -> Understood:
    """With the property that is asked of somebody named in part: "where does Nora live?"."""
    roles = {word for slug in understood.meant for word in understood.perhaps[slug].role}
    relations = asked_relations(understood.plain, roles)
    asking = roles | asking_words(understood.plain, relations)
    asked = [term for term in understood.subject_terms if term not in asking]
    return replace(understood, relations=relations, attributes=attributes_among(asked))


def _strangers(request: Request) -> tuple[str, ...]:
    """The words with a capital inside a question that stand nowhere in the notes: whatever else
    answers, they do not speak of `Melanie`. German writes all its nouns so."""
    plain, subject = request.understood.plain, request.understood.subject_terms
    if "de" in likely_languages(words(plain)) and not reads_as_english(plain):
        return ()
    inside = plain.lstrip(" \"'“„«¿¡").partition(" ")[2]
    named = {term for word in _CAPITALISED.findall(inside) for term in words(word)}
    asked = tuple(term for term in subject if term in named)
    counts = request.vocabulary.frequencies(asked)
    return tuple(term for term in asked if not counts[term])


def _proposed(connection: Connection, entities: Sequence[str]) -> dict[str, Guess]:
    """Entities that may be those named: proposed, and not yet decided."""
    found = {
        other if one == slug else one: reason
        for slug in entities
        for one, other, reason in proposals(connection, slug)[:_MOST_ALIASES]
    }
    names = display_names(connection, found) if found else {}
    return {
        slug: Guess(f"searched '{names.get(slug, slug)}' as well: {reason}; `lorebank inbox` asks")
        for slug, reason in found.items()
    }


def _by_partial_name(request: Request) -> dict[str, Guess]:
    """Entities of whose name the question has one word, with a capital: `Saoirse` of Saoirse
    Kell."""
    plain, subject = request.understood.plain, request.understood.subject_terms
    asked = {term for word in _CAPITALISED.findall(plain) for term in words(word)}
    asked &= set(subject)
    if not asked:
        return {}
    # Below one key: a kind that holds some thousands of keys is emptied.
    kept = request.items.derived("words of names")
    if not kept:
        kept["known"] = entities_by_word(request.connection)
    meant: dict[str, str] = {}
    for term in sorted(asked):
        found = kept["known"].get(term, ())
        if len(found) <= _MOST_MEANT:
            meant.update(dict.fromkeys(found, term))
    names = display_names(request.connection, meant) if meant else {}
    return {
        slug: Guess(f"'{term}' was read as {names.get(slug, slug)}", (term,), by_name=True)
        for slug, term in meant.items()
    }


# -- roles --------------------------------------------------------------------------------------


def _described(request: Request) -> dict[str, Guess]:
    """Entities that the notes describe in words of the question."""
    roles = _noun_phrases(request.understood)
    if not roles:
        return {}
    asked = list(dict.fromkeys(term for role in roles for term in role))
    items = request.items.load(best_items(request.postings, asked, LOOKED_AT))
    described = _described_in(request, items)
    best: dict[str, tuple[tuple[str, ...], Item]] = {}
    for item in items.values():
        for slug, heads in described[item.item]:
            role = _longest(roles, heads)
            if len(role) > len(best[slug][0] if slug in best else ()):
                best[slug] = (role, item)
    longest = max((len(role) for role, _ in best.values()), default=0)
    meant = {slug: found for slug, found in best.items() if len(found[0]) == longest}
    if len(meant) > _MOST_MEANT:
        return {}
    names = display_names(request.connection, meant)
    return {
        slug: Guess(
            f"'{' '.join(role)}' was read as {names.get(slug, slug)} ({item.citation})", role
        )
        for slug, (role, item) in meant.items()
    }


def _described_in(request: Request, items: Mapping[int, Item]) -> dict[int, list[_Described]]:
    """Item → whom it describes, and in which words."""
    known: dict[int, list[_Described]] = request.items.derived("descriptions")
    missing = {number: item for number, item in items.items() if number not in known}
    named = entities_in_text(request.connection, missing)
    about = {n: {*item.subjects, *named.get(n, ())} for n, item in missing.items()}
    names_of = _names(request.connection, set[str]().union(*about.values()))
    for number, item in missing.items():
        found = {
            slug: [frozenset(head) for head in _descriptions(item, slug, names)]
            for slug in about[number]
            for names in [names_of[slug]]
        }
        known[number] = [(slug, heads) for slug, heads in found.items() if heads]
    return known


def _noun_phrases(understood: Understood) -> list[tuple[str, ...]]:
    """The terms that follow a determiner, the longest run first: `cook` of "the new cook"."""
    tokens = words(understood.plain)
    subject = set(understood.subject_terms)
    found = {
        tuple(run[:length])
        for place, token in enumerate(tokens, start=1)
        if token in determiners()
        for run in [list(takewhile(subject.__contains__, tokens[place : place + _LONGEST_ROLE]))]
        for length in range(1, len(run) + 1)
    }
    return sorted(found, key=lambda run: (-len(run), run))


def _longest(roles: Sequence[tuple[str, ...]], heads: Sequence[frozenset[str]]) -> tuple[str, ...]:
    """The longest role that a description holds, if any; one word has to be all of it, since the
    harbour is no harbour dog."""
    for role in roles:
        wanted = frozenset(role)
        if any(wanted == head or (len(wanted) > 1 and wanted < head) for head in heads):
            return role
    return ()


def _descriptions(item: Item, slug: str, names: Sequence[str]) -> Iterator[list[str]]:
    """The words in which an item describes somebody, a list a description."""
    if _is_about(item, slug) and not _tells_of_a_thing().match(item.content):
        yield head_words(item.content)
    for start, end in _places(item.content, names):
        if behind := _BEHIND.match(item.content, end):
            yield head_words(behind["text"])
        elif copula := _copula().match(item.content, end):
            yield head_words(_CLAUSE_END.split(item.content[copula.end() :], maxsplit=1)[0])
        if before := _noun_phrase().search(item.content[:start]):
            yield head_words(before["text"])
        if label := _LABEL.search(item.content[:start]):
            # Each word of "Harbour office:" may be what it is called.
            yield from ([word] for word in head_words(label["text"]))


def head_words(text: str) -> list[str]:
    """The words of a noun phrase up to what hangs on it: `retired tuner` of `a retired tuner from
    Leeds`."""
    found: list[str] = []
    for word in words(_CLAUSE_END.split(text.lstrip(), maxsplit=1)[0]):
        if word not in stop_words():
            found.append(word)
        elif found:
            break
    return found


# -- what defines somebody ----------------------------------------------------------------------


def definitions(request: Request, items: Mapping[int, Item]) -> dict[int, float]:
    """Item → how far it says who or what one of those named is, 0..1; where no entity is named, who
    or what bears the words asked for as its name.

    It stands first below a heading that is the name, begins with the name and goes on with a
    description, says "X is …" or "… is X", or is a fact about nobody else.
    """
    found = dict.fromkeys(items, 0.0)
    firsts = first_below_headings(request.connection, items)
    understood = request.understood
    names_of = _names(request.connection, understood.meant)
    for slug in understood.meant or ("",):
        terms = understood.subject_terms
        names = names_of[slug] if slug else (*filter(None, [" ".join(terms)]), *terms)
        folded = {fold(name) for name in names}
        for number, item in items.items():
            below = fold(firsts.get(number, "").rpartition(" > ")[2]) in folded
            worth = _definition(item, names, below=below, is_known=bool(slug))
            if _is_about(item, slug):
                worth = max(worth, _LESS_SURE if _describes().search(item.content) else _ABOUT)
            found[number] = max(found[number], worth)
    return found


def _is_about(item: Item, slug: str) -> bool:
    """Whether it is a fact about nobody else."""
    return item.kind == FactKind.WORLD and item.subjects == {slug}


def _definition(item: Item, names: Sequence[str], *, below: bool, is_known: bool) -> float:
    """How far the form of a text says who or what bears one of the names; `below`: whether it
    stands first below a heading that is the name. What a file without a day says is meant to last.
    """
    lasts = item.recorded is None
    leading = 1.0 if lasts else _LESS_SURE
    best = leading if below else 0.0
    for start, end in _places(item.content, names):
        before, opens = item.content[:start], _BEHIND.match(item.content, end)
        begins = bool(_ITEM.match(before))
        if begins and _copula().match(item.content, end):
            return 1.0
        if is_known and _copula_before().search(before):  # else "is famous" would define that
            return 1.0
        if (begins and (opens or lasts)) or _LABEL.search(before):
            best = leading
        elif lasts or (opens and _is_apposition(opens)):
            best = max(best, leading / 2)  # "with Edda, second time" is no apposition
    return best


def _goes_on(character: str) -> bool:
    """Whether a word that ends beside it goes on: the Oyster-Box is no oyster."""
    return character.isalnum() or character == "-"


def _places(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where one of the names stands as a word of its own."""
    folded = _letters(text)
    for name in names:
        start = folded.find(name)
        while start >= 0:
            end = start + len(name)
            if not (_goes_on(text[start - 1 : start]) or _goes_on(text[end : end + 1])):
                yield start, end
            start = folded.find(name, end)


def _letters(text: str) -> str:
    """A text folded letter for letter, so that places in it are those of the text."""
    return text.lower() if text.isascii() else "".join(fold(each)[:1] or each for each in text)


def _names(connection: Connection, slugs: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The names of entities, and the first part of the own name of each; folded."""
    others, displayed = load_aliases(connection, slugs), display_names(connection, slugs)
    names: dict[str, tuple[str, ...]] = {}
    for slug in slugs:
        own = displayed.get(slug, slug)
        found = dict.fromkeys((own, own.split()[0], *others.get(slug, ())))
        names[slug] = tuple(_letters(name) for name in found if len(name) > 1)
    return names


def _is_apposition(behind: re.Match[str]) -> bool:
    """Whether what stands behind a name inside a sentence may describe its bearer: not so in "with
    Edda, second time this month"."""
    has_comma = "," in behind.string[behind.start() : behind.start("text")]
    return not has_comma or not determiners().isdisjoint(words(behind["text"])[:1])


@cache
def _describes() -> re.Pattern[str]:
    """`Is our vet`, `Joiner, our neighbour upstairs`: a noun phrase that says who somebody is."""
    determiner, copula = _either("determiner"), _either("copula")
    phrase = rf"(?:{determiner})\s+\w+(?:[ -]\w+){{0,2}}"
    return re.compile(rf"^(?:{copula})\s+{phrase}|,\s+{phrase}\s*(?=[,.;:()]|$)", re.IGNORECASE)


@cache
def _tells_of_a_thing() -> re.Pattern[str]:
    """`The rent is`: a fact about somebody that says what something is."""
    determiner, copula = _either("determiner"), _either("copula")
    return re.compile(rf"(?:{determiner})\s+\w+(?:[ -]\w+){{0,2}}\s+(?:{copula})\s", re.IGNORECASE)


def _either(kind: str) -> str:
    return "|".join(map(re.escape, phrases_of(kind)))


@cache
def determiners() -> frozenset[str]:
    return frozenset(map(fold, phrases_of("determiner")))


@cache
def _noun_phrase() -> re.Pattern[str]:
    """`my nephew`, `our daughter is`: before a name."""
    determiner, copula = _either("determiner"), _either("copula")
    return re.compile(
        rf"(?<!\w)(?:{determiner})\s+(?P<text>\w+(?:[ -]\w+){{0,2}}?)(?:\s+(?:{copula}))?\s+$",
        re.IGNORECASE,
    )


@cache
def _copula() -> re.Pattern[str]:
    """`is`, `war`, `était`: behind a name."""
    return re.compile(rf"\s+(?:{_either('copula')})\s", re.IGNORECASE)


@cache
def _copula_before() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{_either('copula')})\s+$", re.IGNORECASE)


# -- dates without a year -----------------------------------------------------------------------


def readings(request: Request) -> list[Request]:
    """The request with its date phrase read in each way it may be meant, the likeliest first."""
    understood = request.understood
    if understood.phrase is None or understood.filters.wanted.interval is not None:
        return [request]
    others = [
        replace(
            request,
            understood=replace(understood, query=replace(understood.query, interval=interval)),
        )
        for interval in other_times(understood.phrase, request.now)
    ]
    if others and _is_ahead(others[0]) and looks_ahead(understood.plain):
        return [others[0], request, *others[1:]]
    return [request, *others]


def date_reading_notes(tried: Sequence[Request], usual: Request) -> list[str]:
    """What to say of the last reading that was tried, which was found to answer."""
    reading, phrase = tried[-1], usual.understood.phrase
    if phrase is None:
        return []
    note = f"'{phrase.text}' was read as {_days(reading)}"
    if reading is not usual:
        instead = f"; nothing on this was found in {_days(usual)}" if usual in tried else ""
        return [note + instead]
    coming = next((other for other in readings(usual) if other is not usual), None)
    if coming is None or phrase.granularity != "day" or not _is_ahead(coming):
        return []
    last, next_ = usual.understood.query.interval, coming.understood.query.interval
    assert last is not None and last.end is not None and next_ is not None
    assert next_.start is not None
    if (next_.start - last.end).days <= LONGEST_MONTH:
        return []  # "on Friday"
    if not json.loads(items_of_interval(usual.connection, next_, within=usual.within)):
        return []
    return [f"{note}; {_days(coming)} holds something as well"]


def _is_ahead(reading: Request) -> bool:
    interval = reading.understood.query.interval
    return interval is not None and interval.start is not None and interval.start > reading.now


def _days(reading: Request) -> str:
    interval = reading.understood.query.interval
    assert interval is not None
    return " – ".join(dict.fromkeys(str(day) for day in (interval.start, interval.end) if day))
