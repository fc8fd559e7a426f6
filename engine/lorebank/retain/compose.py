"""Composing a fact from what a caller gives: a sentence, typed or not, and flags that win."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from lorebank.domain import NOBODY, Author, Citation, EvidenceMark, Fact, FactKind, Mention, Origin
from lorebank.errors import UsageError
from lorebank.language.folding import slugify
from lorebank.markdown.fact_lines import begins_typed, parse_fact_line
from lorebank.markdown.facts import fact_id
from lorebank.retain.append import one_paragraph
from lorebank.retain.kinds import kind_of

_BULLET = re.compile(r"\A[-*+]\s+")
_REFUSED = frozenset({"confidence-not-a-number", "confidence-out-of-range"})


def compose_fact(
    text: str,
    *,
    kind: FactKind | None,
    entities: Sequence[str],
    confidence: float | None,
    day: date,
    marks: Sequence[EvidenceMark],
    ends: Sequence[str] = (),
    origin: Origin = Origin.OWNER,
    names_in: Callable[[str], Sequence[Mention]] = lambda text: (),
    author: Author = NOBODY,
) -> Fact:
    """The fact that a text states; `- O(c=0.9) @Peter: …` is understood, flags win over it.

    A plain sentence is given its kind by its words, and links the known names that `names_in` it:
    "Peter prefers tea" is an opinion of @Peter."""
    sentence = one_paragraph(text)
    if not sentence:
        raise UsageError("nothing to retain: the text is empty", hint="give a whole sentence")
    if confidence is not None and not 0.0 <= confidence <= 1.0:
        raise UsageError(
            f"confidence {confidence:g} is outside 0..1", hint="use a number such as 0.8"
        )
    parsed = parse_fact_line(_without_bullet(sentence))
    for code, message in parsed.problems:
        if code in _REFUSED:
            raise UsageError(f"nothing retained: {message.split(';')[0]}", hint="write it as c=0.8")
    if not parsed.content:
        raise UsageError("nothing to retain: no sentence after the mentions", hint="add one")
    if parsed.is_template:
        raise UsageError(
            "nothing to retain: the line is a template that is not filled in",
            hint="name somebody, and say something of them",
        )
    given = tuple(_mention(name) for name in entities)
    subjects = {mention.slug for mention in given}
    mentions = given + tuple(m for m in parsed.mentions if m.slug not in subjects)
    stated = parsed.confidence if confidence is None else confidence
    implied = kind_of(parsed.content) if stated is None else FactKind.OPINION
    chosen = kind or (parsed.kind if parsed.has_kind else implied)
    if not parsed.has_kind:
        mentions = _linked(parsed.content, chosen, mentions, names_in(parsed.content))
    return Fact(
        id=fact_id(chosen, day, tuple(dict.fromkeys(m.slug for m in mentions)), parsed.content),
        kind=chosen,
        content=parsed.content,
        raw=sentence,
        citation=Citation("", 0, 0),
        mentions=mentions,
        confidence=stated,
        recorded=day,
        marks=(*parsed.marks, *marks),
        ends=tuple(dict.fromkeys((*parsed.ends, *ends))),
        origin=origin.least_trusted(parsed.origin),
        author=author,
    )


def _linked(
    content: str, kind: FactKind, mentions: tuple[Mention, ...], found: Sequence[Mention]
) -> tuple[Mention, ...]:
    """The mentions with the names found; the first is whom it is about where it leads the sentence
    or holds the opinion, the others stay where they stand."""
    known = {mention.slug for mention in mentions}
    new = [mention for mention in found if mention.slug not in known]
    about = any(mention.subject for mention in mentions)
    if new and not about and (kind is FactKind.OPINION or content.startswith(new[0].name)):
        new[0] = replace(new[0], subject=True)
        return (new[0], *mentions, *new[1:])
    return (*mentions, *new)


def _without_bullet(sentence: str) -> str:
    """A typed line copied with its list marker, without it; any other text as it is."""
    rest = _BULLET.sub("", sentence)
    return rest if begins_typed(rest) else sentence


def _mention(name: str) -> Mention:
    plain = name.strip().removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    if not slug or any(letter in plain for letter in "[]|\n\r"):
        raise UsageError(
            f"'{name}' is no name of an entity", hint="use a name such as Peter or 'The Castle'"
        )
    return Mention(plain, slug, subject=True)
