"""Front matter as properties of what a note is about: `birthday: 1990-05-04` on the page of Ana.

Every key is a filter (`status:draft`). A key that says something of a person, place or thing is a
fact as well, cited by its line; what only keeps the note in order is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath

from lorebank.domain import Citation, Fact, FactKind, Mention
from lorebank.language.folding import fold, slugify
from lorebank.markdown.facts import fact_id
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.markdown.mentions import find_mentions
from lorebank.markdown.plain import plain_text

_BOOKKEEPING = frozenset(
    (
        *("alias", "aliases", "tag", "tags", "title", "entity", "type", "facts", "origin"),
        *("context", "about", "date", "created", "updated", "modified", "id", "uid", "uuid"),
        *("cssclass", "cssclasses", "publish", "permalink", "banner", "icon", "template"),
        *("kanban-plugin", "excalidraw-plugin", "imported-from", "imported-hash", "lang"),
        *("status", "state", "stage", "priority", "progress", "category", "source", "url"),
        *("author", "published", "due", "deadline", "rating", "week", "day", "month", "year"),
        *("draft", "language"),
    )
)
"""Keys of note programs and of workflows: they sort notes, and say nothing of the world."""
_FIELDS = frozenset(
    (
        *("kind", "entity", "path", "source", "tag", "tags", "origin"),
        *("since", "until", "after", "before", "on"),
    )
)
"""Fields of a question, which no key of a note can take."""
_LONGEST = 200
"""Characters of a value; a longer one is text that stands in the wrong place."""


def property_facts(
    front_matter: Mapping[str, FrontMatterValue],
    lines: Sequence[str],
    path: str,
    recorded: date | None,
) -> tuple[Fact, ...]:
    """The facts that the front matter states of what the note is named after."""
    name = _name(front_matter, path)
    subject = Mention(name, slugify(name), subject=True)
    return tuple(_facts(front_matter, lines, path, recorded, subject)) if subject.slug else ()


def property_tags(front_matter: Mapping[str, FrontMatterValue]) -> tuple[str, ...]:
    """`key:value` of every key, folded: what a filter of that key looks for."""
    return tuple(
        f"{fold(key)}:{fold(plain_text(value))}"
        for key, listed in front_matter.items()
        if fold(key) not in _FIELDS
        for value in ([listed] if isinstance(listed, str) else listed)
        if value and len(value) <= _LONGEST
    )


def note_aliases(front_matter: Mapping[str, FrontMatterValue], path: str) -> tuple[str, list[str]]:
    """The slug of what a note is named after, and its other names."""
    aliases = front_matter.get("aliases") or front_matter.get("alias") or []
    listed = [aliases] if isinstance(aliases, str) else list(aliases)
    return slugify(_name(front_matter, path)), [alias for alias in listed if slugify(alias)]


def _facts(
    front_matter: Mapping[str, FrontMatterValue],
    lines: Sequence[str],
    path: str,
    recorded: date | None,
    subject: Mention,
) -> Iterator[Fact]:
    for key, listed in front_matter.items():
        value = ", ".join([listed] if isinstance(listed, str) else listed)
        shown = plain_text(value)
        if fold(key) in _BOOKKEEPING or not shown or len(shown) > _LONGEST:
            continue
        number = _line_of(key, lines)
        mentions = (subject, *(m for m, _, _ in find_mentions(value) if m.slug != subject.slug))
        shown_key = key.removesuffix("-in-source").replace("_", " ")  # as an import renames it
        content = f"{shown_key}: {shown}"
        slugs = tuple(mention.slug for mention in mentions)
        yield Fact(
            id=fact_id(FactKind.WORLD, recorded, slugs, content),
            kind=FactKind.WORLD,
            content=content,
            raw=lines[number],
            citation=Citation(path, number + 1, number + 1),
            mentions=mentions,
            recorded=recorded,
        )


def _name(front_matter: Mapping[str, FrontMatterValue], path: str) -> str:
    title = front_matter.get("title")
    return title if isinstance(title, str) and title.strip() else PurePosixPath(path).stem


def _line_of(key: str, lines: Sequence[str]) -> int:
    pattern = re.compile(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:")
    return next((n for n, line in enumerate(lines) if pattern.match(line)), 0)
