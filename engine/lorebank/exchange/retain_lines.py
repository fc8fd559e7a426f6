"""Facts of another program as lines of a retain section: no disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from lorebank.domain import Citation, EvidenceMark, Fact, FactKind, Mention
from lorebank.language.folding import slugify
from lorebank.markdown.fact_format import format_fact
from lorebank.markdown.fact_lines import parse_fact_line
from lorebank.markdown.facts import fact_id
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.plain import plain_text


def entity_mention(name: str, *, subject: bool = True) -> Mention | None:
    """The mention of a name as another program gives it; `None` for what names nothing."""
    plain = " ".join(name.split()).removeprefix("@").removeprefix("[[").removesuffix("]]").strip()
    slug = slugify(plain)
    return Mention(plain, slug, subject=subject) if slug and len(plain) <= 200 else None


def plain_fact(
    kind: FactKind,
    text: str,
    mentions: Sequence[Mention] = (),
    *,
    confidence: float | None = None,
    day: date | None = None,
    marks: Sequence[EvidenceMark] = (),
    details: Sequence[str] = (),
) -> Fact:
    """A fact whose text is no Markdown: `@` and `*` in it are letters like others."""
    distinct = tuple({mention.slug: mention for mention in reversed(mentions)}.values())[::-1]
    return Fact(
        id=fact_id(kind, day, tuple(mention.slug for mention in distinct), text),
        kind=kind,
        content=text,
        raw=text,
        citation=Citation("", 0, 0),
        mentions=distinct,
        confidence=confidence,
        recorded=day,
        marks=tuple(marks),
        details=tuple(details),
    )


def written_fact(kind: FactKind, text: str, subjects: Sequence[Mention]) -> Fact:
    """A fact whose text is Markdown: what it links to is mentioned."""
    return plain_fact(kind, plain_text(text), (*subjects, *(m for m, _, _ in find_mentions(text))))


def retain_line(fact: Fact) -> str:
    """The list item of a fact; a name that its text does not hold stands before the colon."""
    line = format_fact(fact)
    read = {mention.slug for mention in parse_fact_line(line.split("\n")[0][2:]).mentions}
    if read >= set(fact.slugs):
        return line
    named = tuple(replace(m, subject=m.subject or m.slug not in read) for m in fact.mentions)
    return format_fact(replace(fact, mentions=named))
