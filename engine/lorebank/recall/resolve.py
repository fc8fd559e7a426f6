"""Whom a question means in other words, looked up in the notes: "the new cook" is whoever they call
so.

Nothing is looked up by a list of roles. A description is what stands beside a name: in
apposition ("Ilda, our neighbour"), as a label ("Vet: Noémia"), behind a copula, or at the head of a
fact about somebody ("W @Youssef: Cook, 41"). What is found is a guess: it raises what is linked to
it and leaves out nothing, and the answer says what was read as what.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import takewhile

from lorebank.database.connection import Connection
from lorebank.domain.facts import FactKind
from lorebank.index.finding import entities_in_text
from lorebank.index.items import Item, first_below_headings
from lorebank.index.lexical import match_items
from lorebank.language.folding import fold
from lorebank.language.words import stop_words, words
from lorebank.names.entities import display_names, load_aliases, proposals
from lorebank.recall.candidates import Request
from lorebank.recall.cues import phrases_of
from lorebank.recall.understand import Guess, Understood

_LOOKED_AT = 60
"""Lines in which a description is looked for: they hold its words, the best matches first."""
_LONGEST_ROLE = 3
"""Words of a role: "the new firmware engineer"."""
_MOST_MEANT = 3
"""Whoever more people may be is nobody in particular."""
_MOST_ALIASES = 3
"""Proposed names of one entity that are searched as well."""

_Described = tuple[str, list[frozenset[str]]]
"""The slug of somebody, and the stems of each description of them."""

_ABOUT, _ABOUT_LATER = 0.7, 0.4
"""How far a fact about somebody says who they are: the first more, as it introduces them."""
_SURNAME = r"(?:\s+[A-ZÀ-ÖØ-Þ]\S*?){0,2}"
_BEHIND = re.compile(_SURNAME + r"\s*(?:[,(–—:]|-(?=\s))\s*(?P<text>[^,.;:()–—!?\n]+)")
_LABEL = re.compile(r"(?:^|\n)\s*(?:[-*+]\s+)?(?:\*\*)?(?P<text>[^,.;:()–—!?\n*]+)(?:\*\*)?:\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*[*_“\"']*$")
_CLAUSE_END = re.compile(r"[,.;:()–—!?\n]")


def resolve(request: Request) -> Request:
    """The request with whom its roles and names may stand for."""
    entities = request.understood.entities
    guesses = {**_proposed(request.connection, entities), **_described(request)}
    perhaps = {slug: guess for slug, guess in guesses.items() if slug not in entities}
    if not perhaps:
        return request
    return replace(request, understood=replace(request.understood, perhaps=perhaps))


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


# -- roles --------------------------------------------------------------------------------------


def _described(request: Request) -> dict[str, Guess]:
    """Entities that the notes describe in words of the question."""
    roles = _noun_phrases(request.understood)
    if not roles:
        return {}
    asked = list(dict.fromkeys(term for role in roles for term in role))
    matches = match_items(request.vocabulary, request.postings, asked, _LOOKED_AT)
    items = request.items.load([match.row for match in matches])
    described = _described_in(request, items)
    stems = {role: frozenset(map(_stem, role)) for role in roles}
    best: dict[str, tuple[tuple[str, ...], Item]] = {}
    for item in items.values():
        for slug, heads in described[item.item]:
            role = _longest(stems, heads)
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
            slug: [frozenset(map(_stem, head)) for head in _descriptions(item, slug, names)]
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
        if token in _determiners()
        for run in [list(takewhile(subject.__contains__, tokens[place : place + _LONGEST_ROLE]))]
        for length in range(1, len(run) + 1)
    }
    return sorted(found, key=lambda run: (-len(run), run))


def _longest(
    roles: Mapping[tuple[str, ...], frozenset[str]], heads: Sequence[frozenset[str]]
) -> tuple[str, ...]:
    """The longest role that a description holds, if any; one word has to be all of it, since the
    harbour is no harbour dog."""
    for role, wanted in roles.items():
        if any(wanted == head or (len(wanted) > 1 and wanted < head) for head in heads):
            return role
    return ()


def _descriptions(item: Item, slug: str, names: Sequence[str]) -> Iterator[list[str]]:
    """The words in which an item describes somebody, a list a description."""
    if item.kind == FactKind.WORLD and item.subjects == {slug}:
        yield _head(item.content)
    for start, end in _places(item.content, names):
        if behind := _BEHIND.match(item.content, end):
            yield _head(behind["text"])
        elif copula := _copula().match(item.content, end):
            yield _head(_CLAUSE_END.split(item.content[copula.end() :], maxsplit=1)[0])
        if label := _LABEL.search(item.content[:start]):
            # Each word of "Harbour office:" may be what it is called.
            yield from ([word] for word in _head(label["text"]))


def _head(text: str) -> list[str]:
    """The words of a noun phrase up to what hangs on it: `retired tuner` of `a retired tuner from
    Leeds`."""
    found: list[str] = []
    for word in words(_CLAUSE_END.split(text.lstrip(), maxsplit=1)[0]):
        if word not in stop_words():
            found.append(word)
        elif found:
            break
    return found


def _stem(word: str) -> str:
    """A word without the ending of a plural: near enough to find a role."""
    return word[:-1] if len(word) > 3 and word.endswith(("s", "e", "n")) else word


# -- what defines somebody ----------------------------------------------------------------------


def definitions(request: Request, items: Mapping[int, Item]) -> dict[int, float]:
    """Item → how far it says who or what one of those named is, 0..1.

    It stands first below a heading that is the name, begins with the name and goes on with a
    description, says "X is …" or "… is X", or is a fact about nobody else.
    """
    found: dict[int, float] = {}
    firsts = first_below_headings(request.connection, items)
    names_of = _names(request.connection, request.understood.entities)
    for slug in request.understood.entities:
        first = min(
            (item.recorded for item in items.values() if _is_about(item, slug) and item.recorded),
            default=None,
        )
        names = names_of[slug]
        folded = {fold(name) for name in names}
        for number, item in items.items():
            below = fold(firsts.get(number, "").rpartition(" > ")[2]) in folded
            worth = 1.0 if below else _definition(item, names)
            if _is_about(item, slug):
                worth = max(worth, _ABOUT if item.recorded == first else _ABOUT_LATER)
            found[number] = max(found.get(number, 0.0), worth)
    return found


def _is_about(item: Item, slug: str) -> bool:
    """Whether it is a fact about nobody else."""
    return item.kind == FactKind.WORLD and item.subjects == {slug}


def _definition(item: Item, names: Sequence[str]) -> float:
    """How far the form of a text says who or what bears one of the names."""
    best = 0.0
    for start, end in _places(item.content, names):
        before, opens = item.content[:start], bool(_BEHIND.match(item.content, end))
        if (
            (opens and _ITEM.match(before))
            or (_copula().match(item.content, end) and _ITEM.match(before))
            or _copula_before().search(before)
            or _LABEL.search(before)
        ):
            return 1.0
        if opens:
            best = max(best, 0.5)  # a comma behind a name is not always an apposition
    return best


def _places(text: str, names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where one of the names stands as a word of its own."""
    lowered = text.lower()
    for name in names:
        start = lowered.find(name)
        while start >= 0:
            end = start + len(name)
            if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                yield start, end
            start = lowered.find(name, end)


def _names(connection: Connection, slugs: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The names of entities, and the first part of the own name of each; in small letters."""
    others, displayed = load_aliases(connection, slugs), display_names(connection, slugs)
    names: dict[str, tuple[str, ...]] = {}
    for slug in slugs:
        own = displayed.get(slug, slug)
        found = dict.fromkeys((own, own.split()[0], *others.get(slug, ())))
        names[slug] = tuple(name.lower() for name in found if len(name) > 1)
    return names


@cache
def _determiners() -> frozenset[str]:
    return frozenset(map(fold, phrases_of("determiner")))


@cache
def _copula() -> re.Pattern[str]:
    """`is`, `war`, `était`: behind a name."""
    return re.compile(rf"\s+(?:{'|'.join(map(re.escape, phrases_of('copula')))})\s", re.IGNORECASE)


@cache
def _copula_before() -> re.Pattern[str]:
    return re.compile(rf"\s(?:{'|'.join(map(re.escape, phrases_of('copula')))})\s+$", re.IGNORECASE)
