"""What a question says in other words, looked up in the notes: a role for a person, an event for a
time.

"The new cook" is whoever the notes call so; "before the move" ends where the notes date the move.
Nothing is looked up by lists of roles or events. A description is what stands beside a name: in
apposition ("Ilda, our neighbour"), as a label ("Vet: Noémia"), behind a copula, or at the head of a
fact about somebody ("W @Youssef: Cook, 41"). What is found is a guess: it raises what is linked to
it and leaves out nothing, and the answer says what was read as what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache, lru_cache
from itertools import takewhile

from lorebank.database.connection import Connection
from lorebank.dates.phrases import DatePhrase
from lorebank.domain import FactKind, Interval
from lorebank.index.finding import entities_in_text
from lorebank.index.items import NOTE, Item, first_below_headings
from lorebank.index.lexical import match_items
from lorebank.language.folding import fold, slugify
from lorebank.language.words import content_words, stop_words, words
from lorebank.names.entities import display_names, load_aliases, lookup_names, proposals
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
_EVENT_WORDS = 4

_ABOUT, _ABOUT_LATER = 0.7, 0.4
"""How far a fact about somebody says who they are: the first more, as it introduces them."""
_SURNAME = r"(?:\s+[A-ZÀ-ÖØ-Þ]\S*?){0,2}"
_BEHIND = re.compile(_SURNAME + r"\s*(?:[,(–—:]|-(?=\s))\s*(?P<text>[^,.;:()–—!?\n]+)")
_CALLED = re.compile(_SURNAME + r"\s*[(,–—]\s*[\"“„«']?(?P<name>[^()\"“”„«»',.;]{2,30})")
"""Another name behind a name and a surname: `Ruiz ("Nita")`."""
_LABEL = re.compile(r"(?:^|\n)\s*(?:[-*+]\s+)?(?:\*\*)?(?P<text>[^,.;:()–—!?\n*]+)(?:\*\*)?:\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*[*_“\"']*$")
_CLAUSE_END = re.compile(r"[,.;:()–—!?\n]")
_QUESTION_PART = re.compile(r"[,;?!]|\.(?:\s|$)")


def resolve(request: Request, *, events: bool = True) -> Request:
    """The request with what its roles, names and (unless told otherwise) events may stand for."""
    request = _with_event(request) if events else request
    understood = request.understood
    perhaps = {
        **_proposed(request.connection, understood.entities),
        **_also_called(request),
        **_described(request),
    }
    for slug in understood.entities:
        perhaps.pop(slug, None)
    if not perhaps:
        return request
    return replace(request, understood=replace(understood, perhaps=perhaps))


# -- names that may be one ----------------------------------------------------------------------


def _proposed(connection: Connection, entities: Sequence[str]) -> dict[str, Guess]:
    """Entities that may be those named: proposed, and not yet decided."""
    found: dict[str, str] = {}
    for slug in entities:
        for one, other, reason in proposals(connection, slug)[:_MOST_ALIASES]:
            found[other if one == slug else one] = reason
    if not found:
        return {}
    names = display_names(connection, found)
    return {
        slug: Guess(f"searched '{names.get(slug, slug)}' as well: {reason}; `lorebank inbox` asks")
        for slug, reason in found.items()
    }


def _also_called(request: Request) -> dict[str, Guess]:
    """Entities by whose name an undated page calls one of those named: `Ana Ruiz ("Nita")`."""
    found: dict[str, Guess] = {}
    for slug in request.understood.entities:
        names = _names(request.connection, slug)
        for item in _undated_lines(request, names):
            called = [
                slugify(alias["name"])
                for _, end in _places(item.content, names)
                if (alias := _CALLED.match(item.content, end))
            ]
            for other, name in lookup_names(request.connection, called).values():
                if other != slug:
                    note = f"searched '{name}' as well: another name in {item.citation}"
                    found[other] = Guess(note)
    return found


def _undated_lines(request: Request, names: Sequence[str]) -> list[Item]:
    """Lines of undated pages, such as the core memory, that hold one of the names."""
    found = {
        match.row
        for name in names
        for match in match_items(request.vocabulary, request.postings, words(name), _LOOKED_AT)
    }
    items = request.items.load(sorted(found)).values()
    return [item for item in items if item.recorded is None and item.kind == NOTE]


# -- roles --------------------------------------------------------------------------------------


def _described(request: Request) -> dict[str, Guess]:
    """Entities that the notes describe in words of the question."""
    roles = _noun_phrases(request.understood)
    if not roles:
        return {}
    asked = list(dict.fromkeys(term for role in roles for term in role))
    matches = match_items(request.vocabulary, request.postings, asked, _LOOKED_AT)
    items = request.items.load([match.row for match in matches])
    named = entities_in_text(request.connection, items)
    best: dict[str, tuple[int, Item, tuple[str, ...]]] = {}
    for item in items.values():
        for slug in {*item.subjects, *named.get(item.item, ()), *_introduced(request, item)}:
            role = _longest(roles, _descriptions(request.connection, item, slug))
            if role and (slug not in best or len(role) > best[slug][0]):
                best[slug] = (len(role), item, role)
    longest = max((length for length, _, _ in best.values()), default=0)
    meant = {slug: found for slug, found in best.items() if found[0] == longest}
    if not meant or len(meant) > _MOST_MEANT:
        return {}
    names = display_names(request.connection, meant)
    return {
        slug: Guess(
            f"'{' '.join(role)}' was read as {names.get(slug, slug)} ({item.citation})", role
        )
        for slug, (_, item, role) in meant.items()
    }


def _introduced(request: Request, item: Item) -> list[str]:
    """Whom a line of an undated page begins with: there a first name before an unknown surname is
    the one that is known."""
    if item.kind != NOTE or item.recorded is not None:
        return []
    first = words(item.content)[:2]
    known = lookup_names(request.connection, [slugify(" ".join(first)), *first[:1]])
    return [slug for slug, _ in known.values()]


def _noun_phrases(understood: Understood) -> list[tuple[str, ...]]:
    """The terms that follow a determiner, the longest run first: `cook` of "the new cook"."""
    tokens = words(understood.plain)
    subject = set(understood.subject_terms)
    found: dict[tuple[str, ...], None] = {}
    for place in range(1, len(tokens)):
        if tokens[place - 1] in _determiners():
            run = list(takewhile(subject.__contains__, tokens[place : place + _LONGEST_ROLE]))
            for length in range(len(run)):
                found[tuple(run[: length + 1])] = None
    return sorted(found, key=len, reverse=True)


def _longest(
    roles: Sequence[tuple[str, ...]], heads: Iterator[list[str]]
) -> tuple[str, ...] | None:
    """The longest role that a description holds; one word has to be all of it, since the harbour is
    no harbour dog."""
    held = [set(map(_stem, head)) for head in heads]
    for role in roles:
        wanted = set(map(_stem, role))
        if any(wanted == head or (len(wanted) > 1 and wanted < head) for head in held):
            return role
    return None


def _descriptions(connection: Connection, item: Item, slug: str) -> Iterator[list[str]]:
    """The words in which an item describes somebody, a list a description."""
    if item.kind == FactKind.WORLD and item.subjects == {slug}:
        yield _head(item.content)
    for start, end in _places(item.content, _names(connection, slug)):
        if behind := _BEHIND.match(item.content, end):
            yield _head(behind["text"])
        elif copula := _copula().match(item.content, end):
            yield _head(_CLAUSE_END.split(item.content[copula.end() :], maxsplit=1)[0])
        before = item.content[:start]
        if label := _LABEL.search(
            before
        ):  # each word of "Harbour office:" may be what it is called
            yield from ([word] for word in _head(label["text"]))
        else:
            yield _words_before(before)


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


def _words_before(text: str) -> list[str]:
    """The content words that stand directly before a name: `cook` of `our cook Ilda`."""
    found: list[str] = []
    for word in reversed(words(_CLAUSE_END.split(text)[-1])):
        if word in stop_words() or len(found) == _LONGEST_ROLE:
            break
        found.append(word)
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
    for slug in request.understood.entities:
        first = min(
            (item.recorded for item in items.values() if _is_about(item, slug) and item.recorded),
            default=None,
        )
        names = _names(request.connection, slug)
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


def _names(connection: Connection, slug: str) -> tuple[str, ...]:
    """The names of an entity, and the first part of its own; in small letters."""
    found = dict.fromkeys(load_aliases(connection, slug).get(slug, ()))
    own = display_names(connection, [slug]).get(slug, slug)
    names = {own: None, own.split()[0]: None, **found}
    return tuple(name.lower() for name in names if len(name) > 1)


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


# -- events -------------------------------------------------------------------------------------


def _with_event(request: Request) -> Request:
    """The request with the time that it names by an event, where the notes date that."""
    understood = request.understood
    if understood.query.interval is not None or understood.filters.as_of is not None:
        return request
    for found in _bound().finditer(understood.plain):
        text = _QUESTION_PART.split(understood.plain[found.end() :], maxsplit=1)[0]
        event = content_words(text)
        asks = any(
            fold(understood.plain[found.start() :]).startswith(fold(phrase))
            for phrase in phrases_of("when")
        )
        if asks or not 0 < len(event) <= _EVENT_WORDS:  # "since when" names no event
            continue
        dated = _dated(request, event)
        interval = dated and _beside(_sides()[fold(found[1])], dated.occurred, request)
        if dated is None or interval is None:
            continue
        written = understood.plain[found.start() : found.end() + len(text)].strip()
        phrase = DatePhrase(
            written, found.start(), found.end() + len(text), interval, "range", "between"
        )
        inside = {slug for slug, _ in lookup_names(request.connection, _runs(text)).values()}
        note = f"'{written}' was read as {_days(interval)} ({dated.citation})"
        return replace(
            request,
            understood=replace(
                understood,
                phrase=phrase,
                query=replace(understood.query, interval=interval),
                subject_terms=tuple(t for t in understood.subject_terms if t not in event),
                entities=tuple(slug for slug in understood.entities if slug not in inside),
                notes=(*understood.notes, note),
            ),
        )
    return request


def _runs(text: str) -> list[str]:
    """The runs of words of a text, as names are kept."""
    parts = text.split()
    return [
        slugify(" ".join(parts[start:end]))
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    ]


def _dated(request: Request, event: Sequence[str]) -> Item | None:
    """The line that dates an event: it holds all its words and names a day; a fact before prose,
    the newest before what it replaces."""
    matches = match_items(request.vocabulary, request.postings, event, _LOOKED_AT)
    whole = (1 << len(event)) - 1
    rows = [match.row for match in matches if match.held.own & whole == whole]
    dated = [item for item in request.items.load(rows).values() if item.occurred is not None]
    return max(
        dated,
        key=lambda item: (item.kind != NOTE, item.recorded or request.now, -item.item),
        default=None,
    )


def _beside(side: str, event: Interval | None, request: Request) -> Interval | None:
    """The time before, after, since or until an event."""
    if event is None or (event.start or event.end) is None:
        return None
    first, last = event.start or event.end, event.end or event.start
    assert first is not None
    assert last is not None
    day = timedelta(days=1)
    if side == "before":
        return Interval(None, first - day)
    if side == "until":
        return Interval(None, last)
    start = last if side == "after" else first  # what came of it may be told on the same day
    return Interval(start, request.now) if start <= request.now else None


def _days(interval: Interval) -> str:
    if interval.start is None:
        return f"up to {interval.end}"
    return f"{interval.start} – {interval.end}"


@lru_cache(maxsize=1)
def _sides() -> Mapping[str, str]:
    """Folded word → `before`, `after`, `since` or `until`."""
    return {
        fold(phrase): side
        for side in ("before", "after", "since", "until")
        for phrase in phrases_of(side)
    }


@lru_cache(maxsize=1)
def _bound() -> re.Pattern[str]:
    known = sorted(
        (p for side in ("before", "after", "since", "until") for p in phrases_of(side)),
        key=len,
        reverse=True,
    )
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)", re.IGNORECASE)
