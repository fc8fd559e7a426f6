"""Understanding a question: entities, time, kinds, intent, terms; and what was not understood.

Pure but for one look-up, which is passed in: which of these folded names are entities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from lorebank.dates.phrases import DatePhrase, find_vague
from lorebank.dates.query import parse_bound, query_interval
from lorebank.domain import FactKind, Interval, Query
from lorebank.errors import UsageError
from lorebank.language.folding import fold, slugify, strip_possessive
from lorebank.language.words import content_words, identifiers, stop_words, words
from lorebank.recall.cues import (
    asks_for_opinion,
    asks_for_past,
    asks_when,
    asks_who,
    opinion_words,
)
from lorebank.recall.filters import DATE_HINT, Filters
from lorebank.slots.questions import asked_relations

__all__ = ["Understood", "understand"]

MAX_NAME_WORDS = 5
MAX_UNSPACED_NAME = 8
MAX_QUERY_CHARACTERS = 4_000

_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|«([^»]+)»|「([^」]+)」')
_FIELD = re.compile(
    r'(?<!\S)(kind|entity|path|since|until|after|before|on):("[^"]+"|\S+)', re.IGNORECASE
)
_UNSPACED = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7ff々ー"
_WORDS_WITH_PLACE = re.compile(rf"(?:(?![{_UNSPACED}])[\w.+#&'’-])+")
_UNSPACED_RUN = cache(lambda: re.compile(f"[{_UNSPACED}]+"))  # when first needed


@dataclass(frozen=True, slots=True)
class Understood:
    """A question, taken apart."""

    query: Query
    filters: Filters
    terms: tuple[str, ...]
    """What the lexical retriever looks for: words, quoted phrases, identifiers."""
    subject_terms: tuple[str, ...]
    """The terms that are no part of an entity's name or a date phrase, and do not just ask."""
    telling_terms: tuple[str, ...]
    """The terms without those that only ask (`prefer`, `think`); all where nothing is left."""
    meaning: str
    """The text that is compared by meaning: without names and date phrases, where a subject is
    left. Those are matched exactly."""
    entities: tuple[str, ...]
    """Slugs of the entities named in the text."""
    phrase: DatePhrase | None
    """The date phrase found in the text; a filter that gives way when it leaves nothing."""
    wants_opinion: bool
    wants_time: bool
    relations: tuple[str, ...]
    """The properties asked for, of the entities named: `residence`, `phone`."""
    asks_who: bool
    """It asks who or what somebody or something is."""
    wants_past: bool
    """It asks how things once were, so that what has been replaced may answer."""
    notes: tuple[str, ...]


NameLookup = Callable[[Sequence[str]], Mapping[str, tuple[str, str]]]
"""Folded names → those that are entities, as `(entity slug, display name)`."""


def understand(text: str, *, now: date, filters: Filters, lookup: NameLookup) -> Understood:
    """Take a question apart; raises `UsageError` for a field whose value makes no sense."""
    text = text.replace("\0", " ")[:MAX_QUERY_CHARACTERS]
    plain, filters = _read_fields(text, now, filters, lookup)
    phrase = query_interval(plain, now)
    undated = _without(plain, phrase)
    names = _find_names(undated, lookup)
    terms = _terms(undated)
    if not terms and not names and phrase is None:
        terms = tuple(dict.fromkeys(words(undated)))  # "to be or not to be"
    name_words = {word for written, _, _ in names for word in words(written)}
    asking_words = opinion_words(plain)
    subject_terms = tuple(t for t in terms if t not in name_words | asking_words)
    notes = [
        f"date phrase '{vague}' is too vague; no time filter applied" for vague in find_vague(plain)
    ]
    wants_opinion = asks_for_opinion(plain)
    entities = tuple(dict.fromkeys([*filters.entities, *(slug for _, slug, _ in names)]))
    shown = {slug: name for _, slug, name in names}
    interval = filters.interval or (phrase.interval if phrase else None)
    query = Query(
        text=text,
        terms=terms,
        entities=tuple(shown.get(slug, slug) for slug in entities),
        interval=interval,
        kinds=filters.kinds,
        intent=_intent(plain, entities, interval, wants_opinion),
        as_of=filters.as_of,
    )
    return Understood(
        query=query,
        filters=filters,
        terms=terms,
        subject_terms=subject_terms,
        telling_terms=tuple(t for t in terms if t not in asking_words) or terms,
        meaning=_without_names(undated, names) if subject_terms else plain,
        entities=entities,
        phrase=phrase,
        wants_opinion=wants_opinion,
        wants_time=asks_when(plain),
        relations=asked_relations(undated, name_words) if entities else (),
        asks_who=asks_who(plain),
        wants_past=asks_for_past(plain),
        notes=tuple(notes),
    )


def _read_fields(text: str, now: date, filters: Filters, lookup: NameLookup) -> tuple[str, Filters]:
    """Take `kind:`, `entity:`, `path:`, `since:` … out of the text and into the filters."""
    interval = filters.interval or Interval(None, None)
    for found in _FIELD.finditer(text):
        key, value = found[1].lower(), found[2].strip('"')
        if key == "kind":
            filters = replace(filters, kinds=(*filters.kinds, _kind(value)))
        elif key == "entity":
            slug = slugify(value.removeprefix("@"))
            known = lookup([slug]).get(slug)
            filters = replace(filters, entities=(*filters.entities, known[0] if known else slug))
        elif key == "path":
            filters = replace(filters, path=value)
        else:
            interval = _narrow(interval, key, value, now)
    if interval != Interval(None, None):
        filters = replace(filters, interval=interval)
    return _FIELD.sub(" ", text), filters


def _kind(value: str) -> FactKind:
    for kind in FactKind:
        if value.lower() in (kind.value, kind.letter.lower()):
            return kind
    raise UsageError(
        f"unknown kind '{value}'", hint=f"use one of {', '.join(kind.value for kind in FactKind)}"
    )


def _narrow(interval: Interval, key: str, value: str, now: date) -> Interval:
    day = timedelta(days=1)
    first = parse_bound(value, now, side="start")
    last = parse_bound(value, now, side="end")
    if first is None or last is None:
        raise UsageError(
            f"{key}:{value} is not a date that can be understood",
            hint=DATE_HINT,
        )
    if key == "since":
        return replace(interval, start=first)
    if key == "after":
        return replace(interval, start=last + day)
    if key == "until":
        return replace(interval, end=last)
    if key == "before":
        return replace(interval, end=first - day)
    return Interval(first, last)


def _without(text: str, phrase: DatePhrase | None) -> str:
    return text if phrase is None else f"{text[: phrase.start]} {text[phrase.end :]}"


def _without_names(text: str, names: Sequence[tuple[str, str, str]]) -> str:
    for written, _, _ in names:
        text = re.sub(
            rf"(?<![^\W{_UNSPACED}]){re.escape(written)}(?:['’]s)?(?![^\W{_UNSPACED}])", " ", text
        )
    return " ".join(text.split())


def _find_names(text: str, lookup: NameLookup) -> list[tuple[str, str, str]]:
    """`(as written, entity slug, display name)`, left to right, longest first at each place."""
    spans = _name_spans(text)
    known = lookup([slug for _, _, slug in spans])
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, str, str, str]] = []
    for start, end, slug in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if slug not in known or any(start < e and s < end for s, e in taken):
            continue
        written = text[start:end]
        if fold(written) in stop_words() and not written[:1].isupper():
            continue
        taken.append((start, end))
        found.append((start, written, *known[slug]))
    return [(written, slug, name) for _, written, slug, name in sorted(found)]


def _name_spans(text: str) -> list[tuple[int, int, str]]:
    """Every stretch of the text that could be a name: runs of words, parts of unspaced runs."""
    tokens = [(m.start(), m.end()) for m in _WORDS_WITH_PLACE.finditer(text)]
    spans: list[tuple[int, int, str]] = []
    for first in range(len(tokens)):
        for last in range(first, min(first + MAX_NAME_WORDS, len(tokens))):
            start, end = tokens[first][0], tokens[last][1]
            for written in {text[start:end], strip_possessive(text[start:end]).rstrip(".-'’")}:
                spans.append((start, start + len(written), slugify(written)))
    for run in () if text.isascii() else _UNSPACED_RUN().finditer(text):
        for start in range(run.start(), run.end()):
            for end in range(start + 1, min(start + MAX_UNSPACED_NAME, run.end()) + 1):
                spans.append((start, end, slugify(text[start:end])))
    return [span for span in spans if span[2]]


def _terms(text: str) -> tuple[str, ...]:
    """Content words, then quoted phrases and identifiers whole (several words each)."""
    quoted = [next(part for part in found if part) for found in _QUOTED.findall(text)]
    whole = [*quoted, *identifiers(text)]
    terms = content_words(text)
    known = set(terms)
    return (*terms, *(t for t in dict.fromkeys(whole) if t not in known and len(words(t)) > 1))


def _intent(
    text: str, entities: Sequence[str], interval: Interval | None, wants_opinion: bool
) -> tuple[str, ...]:
    intent = [
        name
        for name, present in (
            ("entity", bool(entities)),
            ("temporal", interval is not None or asks_when(text)),
            ("opinion", wants_opinion),
            ("identifier", bool(identifiers(text))),
        )
        if present
    ]
    return tuple(intent or ["lexical"])
