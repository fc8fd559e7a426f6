"""Understanding a question: entities, time, kinds, intent, terms; and what was not understood.

"What did we find out about Pickle lately?" is about Pickle; "find out" and "lately" say that the
newest is wanted. Such phrases are those of the `[questions]` sections of the language files; in
them `...` stands for any words between two parts. Pure but for one look-up, which is passed in:
which of these folded names are entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from functools import cache
from typing import NamedTuple

from lorebank.dates.phrases import DatePhrase, find_vague
from lorebank.dates.query import query_interval
from lorebank.domain.answers import Query
from lorebank.domain.facts import Interval
from lorebank.index.finding import Selection
from lorebank.language.folding import fold, slugify, strip_possessive
from lorebank.language.words import (
    UNSPACED,
    UNSPACED_RUN,
    content_words,
    identifiers,
    stop_words,
    words,
)
from lorebank.languages import Sections, compiled, split
from lorebank.recall.filters import QUOTED, Filters, NameLookup, exclusions, read_fields, unquoted
from lorebank.records import Record
from lorebank.supersede.slots import WORDS_BESIDE, asked_relations
from lorebank.supersede.slots import asking_words as asking_words_of

MAX_NAME_WORDS = 5
MAX_UNSPACED_NAME = 8
MAX_QUERY_CHARACTERS = 4_000
_QUOTED = re.compile(QUOTED)
_MARKED = re.compile(
    r"(?<![\w.@/])[@＠]?\[\[([^\[\]|]+)[^\[\]]*\]\]|(?<![\w.@/])[@＠]([^\W\d_][\w.+#&'’-]*)"
)
_WORD = re.compile(r"[\w.+#&'’-]+")
# Compiled when first needed: it takes longer than reading a plain question.
_SPACED_WORD = cache(lambda: re.compile(rf"(?:(?![{UNSPACED}])[\w.+#&'’-])+"))
_GAP = "..."
_NO_SUBJECT = frozenset(
    {"frame", "newest", "oldest", "count", "how_many", "when", "define", "opinion"}
)
"""The kinds whose words only ask. `past` is left out: "the former boat" is another boat."""
_ORDERS = ("count", "newest", "oldest", "how_many")
_READ = _NO_SUBJECT | {"past", "as_of"}
_Phrase = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Its kind, the words up to the gap, the words behind it."""


class Cues(Record):
    """The question words of one question."""

    kinds: frozenset[str]
    """What is asked for: `when`, `opinion`, `newest`, …, by the entries of `[questions]`."""
    asking: frozenset[str]
    """The folded words that only ask."""


def read_cues(text: str) -> Cues:
    """Find the question words of a text.

    >>> cues = read_cues("What is the latest on the roof?")
    >>> sorted(cues.kinds), sorted(cues.asking)
    (['define', 'newest'], ['is', 'latest', 'what'])
    """
    tokens = words(text)
    found = [
        (kind, {*before, *behind})
        for start, token in enumerate(tokens)
        for kind, before, behind in _table()[0].get(token, ())
        if _stands(before, tokens[start : start + len(before)])
        and (not behind or _stands(behind, tokens[start + len(before) :]))
    ]
    return Cues(
        kinds=frozenset(kind for kind, _ in found),
        asking=frozenset(word for kind, held in found if kind in _NO_SUBJECT for word in held),
    )


def cue_at_end(text: str, kind: str) -> tuple[str, ...]:
    """The words of the longest phrase of that kind with which a text ends; none where none does.

    >>> cue_at_end("price of the flat, as known on", "as_of")
    ('as', 'known', 'on')
    """
    tokens = tuple(words(text))
    ends = [
        before
        for first in set(tokens)
        for found, before, _ in _table()[0].get(first, ())
        if found == kind and tokens[-len(before) :] == before
    ]
    return max(ends, key=len, default=())


def phrases_of(kind: str) -> tuple[str, ...]:
    """The phrases of one entry of `[questions]` as written, of all languages."""
    return _table()[1].get(kind, ())


def _stands(phrase: tuple[str, ...], tokens: Sequence[str]) -> bool:
    """Whether a phrase stands anywhere among some words."""
    size = len(phrase)
    return any(tuple(tokens[at : at + size]) == phrase for at in range(len(tokens) - size + 1))


_Table = tuple[dict[str, list[_Phrase]], dict[str, tuple[str, ...]]]
"""First word → the phrases that begin with it, of all languages; kind → phrases as written."""


@cache
def _table() -> _Table:
    return compiled("questions", _by_word_and_kind)


def _by_word_and_kind(languages: Sections) -> _Table:
    by_word: dict[str, list[_Phrase]] = {}
    by_kind: dict[str, dict[str, None]] = {}
    for section in languages.values():
        for kind, spellings in section.items():
            by_kind.setdefault(kind, {}).update(dict.fromkeys(split(spellings)))
            for spelling in split(spellings) if kind in _READ else ():
                before, behind = (tuple(words(part)) for part in spelling.partition(_GAP)[::2])
                known = by_word.setdefault(before[0], [])
                if (kind, before, behind) not in known:
                    known.append((kind, before, behind))
    return by_word, {kind: tuple(phrases) for kind, phrases in by_kind.items()}


class Guess(Record):
    """Why somebody may be meant who is not named."""

    note: str
    role: tuple[str, ...] = ()
    """The terms that describe them: what is linked to them need not hold these."""
    by_name: bool = False
    """Whether these are a part of their name."""


class Understood(Record):
    """A question, taken apart."""

    query: Query
    filters: Filters
    terms: tuple[str, ...]
    """What the lexical retriever looks for: words, quoted phrases, identifiers."""
    subject_terms: tuple[str, ...]
    """The terms that are no part of an entity's name or a date phrase, and do not just ask; of a
    question without names and time that only asks, what it asks with."""
    entities: tuple[str, ...]
    """Slugs of the entities named in the text."""
    phrase: DatePhrase | None
    """The date phrase found in the text; a filter that gives way when it leaves nothing."""
    wants_opinion: bool
    wants_time: bool
    relations: tuple[str, ...]
    """The properties asked for, of the entities named: `residence`, `phone`."""
    attributes: tuple[str, ...]
    """What may name a property of them, where the question holds little else: `port`."""
    asks_who: bool
    """It asks who or what somebody or something is, or is nothing but a name."""
    wants_past: bool
    """It asks how things once were, so that what has been replaced may answer."""
    notes: tuple[str, ...]
    perhaps: Mapping[str, Guess] = field(default_factory=dict)
    """Slugs of entities that may be meant besides those named."""
    strangers: tuple[str, ...] = ()
    """The terms that are names and stand nowhere in the notes."""
    order: str | None = None
    """What comes first of what answers: `newest` or `oldest`; `count`: all of it is counted;
    `how_many`: so it is where several days answer, as one line may hold the number."""
    plain: str = ""
    """The text without fields and exclusions: what it means is what it says here."""
    quoted: tuple[str, ...] = ()
    """Quoted phrases of several words: they are among the terms, and match whole."""

    @property
    def meant(self) -> tuple[str, ...]:
        """Slugs of the entities named; where there are none, of those named by a part of it."""
        return self.entities or tuple(s for s, guess in self.perhaps.items() if guess.by_name)


class _Name(NamedTuple):
    """An entity named in the text."""

    start: int
    end: int
    written: str
    slug: str
    name: str


Respeller = Callable[[Sequence[str]], Mapping[str, str]]
"""Words that stand nowhere in the index → the word of an entity's name that each was meant for."""


def understand(
    text: str,
    *,
    now: date,
    filters: Filters,
    lookup: NameLookup,
    respell: Respeller | None = None,
    stands: Callable[[str], bool] = lambda option: False,
) -> Understood:
    """Take a question apart; `stands` is that of `read_fields`. Raises `UsageError` for a field
    whose value makes no sense."""
    notes: list[str] = []
    text = _readable(text, notes)
    plain, filters = read_fields(text, now, filters, lookup, notes, stands)
    wanted = _with_names(filters.wanted, lookup, notes)
    phrase, undated, known_on = _read_date(plain, now)
    if known_on and phrase is not None:
        wanted, phrase = replace(wanted, as_of=wanted.as_of or phrase.interval.end), None
    names = _find_names(undated, lookup)
    if respell is not None and (read_as := _respelt(undated, names, respell)):
        notes += (f"read '{written}' as '{meant}'" for written, meant in read_as.items())
        either = "|".join(map(re.escape, read_as))
        undated = re.sub(rf"(?<!\w)(?:{either})(?!\w)", lambda m: read_as[m.group()], undated)
        names = _find_names(undated, lookup)
    notes += _unknown_names(undated, names)
    quoted = _phrases(undated)
    terms = terms_of(undated, quoted)
    if not terms and not names and phrase is None:
        terms = tuple(dict.fromkeys(words(undated)))  # "to be or not to be"
    name_words = {word for name in names for word in words(name.written)}
    cues = read_cues(undated)
    notes += _vague_dates(plain, cues)
    relations = asked_relations(undated, name_words) if names or wanted.entities else ()
    asking_words = cues.asking.union(known_on)
    if phrase is None:  # else the words tell what held then from all else of that time
        asking_words |= asking_words_of(undated, relations)
    subject_terms = tuple(t for t in terms if t not in name_words | asking_words)
    if not subject_terms and not names and phrase is None and wanted.interval is None:
        subject_terms = terms
    entities = tuple(dict.fromkeys([*wanted.entities, *(name.slug for name in names)]))
    shown = {name.slug: name.name for name in names}
    interval = wanted.interval or (phrase.interval if phrase else None)
    wants_opinion, wants_time = "opinion" in cues.kinds, "when" in cues.kinds
    intent = {
        "entity": bool(entities),
        "temporal": wants_time or interval is not None,
        "opinion": wants_opinion,
        "identifier": bool(identifiers(plain)),
    }
    query = Query(
        text=text,
        terms=terms,
        entities=tuple(shown.get(slug, slug) for slug in entities),
        interval=interval,
        kinds=wanted.kinds,
        intent=tuple(name for name, meant in intent.items() if meant) or ("lexical",),
        as_of=wanted.as_of,
        tags=wanted.tags,
        path=next(iter(wanted.paths), None),
        excluded=tuple(text for text, _ in exclusions(filters.unwanted)),
        origins=(*wanted.origins, *(("trusted",) if wanted.trusted_only else ())),
    )
    asks_who = "define" in cues.kinds or bool(names and name_words.issuperset(words(plain)))
    return Understood(
        query=query,
        filters=replace(filters, wanted=wanted),
        terms=terms,
        subject_terms=subject_terms,
        entities=entities,
        phrase=phrase,
        wants_opinion=wants_opinion,
        wants_time=wants_time,
        relations=relations,
        attributes=attributes_among(subject_terms) if entities else (),
        asks_who=asks_who,
        wants_past="past" in cues.kinds,
        notes=tuple(notes),
        order=next((kind for kind in _ORDERS if kind in cues.kinds), None),
        plain=plain,
        quoted=quoted,
    )


def _vague_dates(plain: str, cues: Cues) -> Iterator[str]:
    for vague in find_vague(plain):
        if not cues.asking.issuperset(words(vague)):  # "recently" asks for the newest first
            yield f"date phrase '{vague}' is too vague; no time filter applied"


def _with_names(wanted: Selection, lookup: NameLookup, notes: list[str]) -> Selection:
    """The filter with what is no entity as a name that lines may hold."""
    known = lookup(wanted.entities)
    names = tuple(" ".join(words(slug)) for slug in wanted.entities if slug not in known)
    notes += (
        f"'{name}' is no entity; the lines that hold this name were searched" for name in names
    )
    entities = tuple(slug for slug in wanted.entities if slug in known)
    return replace(wanted, entities=entities, names=names) if names else wanted


def _readable(text: str, notes: list[str]) -> str:
    """What of a text is read: up to the end of a word, and what SQLite can take, which is no NUL
    and no half of a surrogate pair."""
    if len(text) > MAX_QUERY_CHARACTERS:
        notes.append(
            f"only the first {MAX_QUERY_CHARACTERS:,} characters of the question were read"
        )
        whole, _, _ = text[: MAX_QUERY_CHARACTERS + 1].rpartition(" ")
        text = whole or text[:MAX_QUERY_CHARACTERS]
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _read_date(text: str, now: date) -> tuple[DatePhrase | None, str, tuple[str, ...]]:
    """The date phrase of a text, the text without it, and the words that make it the day as of
    which is asked: `as known on`, before the phrase or at its beginning."""
    phrase = query_interval(text, now)
    if phrase is None:
        return None, text, ()
    undated = f"{text[: phrase.start]} {text[phrase.end :]}"
    ends = (phrase.start, *(phrase.start + m.end() for m in _WORD.finditer(phrase.text)))
    known_on = next(filter(None, (cue_at_end(text[:end], "as_of") for end in ends)), ())
    if not known_on and (since := phrase.interval.start) and not phrase.interval.end:
        # "Since Monday" ends today: what is yet to come has not happened since.
        phrase = replace(phrase, interval=Interval(since, now if since <= now else None))
    return phrase, undated, known_on


def attributes_among(subject: Sequence[str]) -> tuple[str, ...]:
    """What may be the name of a property in a question that holds little else: `shoe size`."""
    return tuple(
        " ".join(subject[start : start + length])
        for length in range(max(1, len(subject) - WORDS_BESIDE), len(subject) + 1)
        for start in range(len(subject) - length + 1)
        if length <= MAX_NAME_WORDS
    )


def _find_names(text: str, lookup: NameLookup) -> list[_Name]:
    """The entities named, left to right, longest first at each place."""
    spans = _name_spans(text)
    known = lookup([slug for _, _, slug in spans])
    found: list[_Name] = []
    for start, end, slug in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        written = text[start:end]
        lone_stop_word = fold(written) in stop_words() and not written[:1].isupper()
        if slug in known and not lone_stop_word and not _is_of(found, start, end):
            found.append(_Name(start, end, written, *known[slug]))
    return sorted(found)


def _is_of(names: Sequence[_Name], start: int, end: int) -> bool:
    """Whether a stretch of the text touches one of the names."""
    return any(name.start < end and start < name.end for name in names)


def _respelt(text: str, names: Sequence[_Name], respell: Respeller) -> Mapping[str, str]:
    """The slips in names: of the plain words that are no part of one, letters only and no stop
    words."""
    unnamed = [
        word
        for match in _words_with_place(text)
        if not _is_of(names, *match.span())
        and (word := _bare(match.group())).isalpha()
        and fold(word) not in stop_words()
    ]
    return respell(unnamed)


def _unknown_names(text: str, names: Sequence[_Name]) -> list[str]:
    """What to say of `@Nobody` and `[[Nowhere]]`."""
    return [
        f"no entity '{title}' is known; it was searched as words"
        for found in _MARKED.finditer(text)
        if (title := _bare(found[1] or found[2])) and not _is_of(names, *found.span())
    ]


def _name_spans(text: str) -> list[tuple[int, int, str]]:
    """Every stretch of the text that could be a name: runs of words, parts of unspaced runs."""
    tokens = [match.span() for match in _words_with_place(text)]
    written: list[tuple[int, str]] = []
    for first, (start, _) in enumerate(tokens):
        for _, end in tokens[first : first + MAX_NAME_WORDS]:
            written += ((start, each) for each in {text[start:end], _bare(text[start:end])})
    for run in () if text.isascii() else UNSPACED_RUN().finditer(text):
        for start in range(run.start(), run.end()):
            longest = min(start + MAX_UNSPACED_NAME, run.end())
            written += ((start, text[start:end]) for end in range(start + 1, longest + 1))
    return [(at, at + len(name), slug) for at, name in written if (slug := slugify(name))]


def _bare(name: str) -> str:
    """A name without a possessive and the punctuation behind it."""
    return strip_possessive(name).rstrip(".-'’")


def _words_with_place(text: str) -> Iterator[re.Match[str]]:
    """The words of the scripts that part them by spaces."""
    return (_WORD if text.isascii() else _SPACED_WORD()).finditer(text)


def _phrases(text: str) -> tuple[str, ...]:
    """The quoted phrases of several words."""
    quoted = (unquoted(found.group()) for found in _QUOTED.finditer(text))
    return tuple(dict.fromkeys(phrase for phrase in quoted if len(words(phrase)) > 1))


def terms_of(text: str, phrases: Sequence[str] = ()) -> tuple[str, ...]:
    """Content words, then quoted phrases and identifiers whole (several words each)."""
    terms = content_words(text)
    known = set(terms)
    codes = [code for code in identifiers(text) if known.intersection(words(code))]  # no `est-ce`
    whole = [*phrases, *codes]
    return (*terms, *(t for t in dict.fromkeys(whole) if t not in known and len(words(t)) > 1))
