"""What a note says of itself: front matter as properties and facts, and tags.

Every key is a filter (`status:draft`). A key that says something of a person, place or thing is a
fact as well, cited by its line; what only keeps the note in order is none.

Not tags: what stands in code spans, URLs, link targets, wikilinks and headings; a bare number
(`#1204` is an issue); a colour (`#3fa2c1`); a `#` glued to a word before it (`C#`, `page#part`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import PurePosixPath

from lorebank.domain.facts import Citation, Fact, FactKind, Mention
from lorebank.language.folding import fold, slugify
from lorebank.markdown.facts import fact_id
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.markdown.mentions import (
    ESCAPE,
    NAME_CHARACTER,
    URL,
    WIKILINK,
    code_spans,
    find_mentions,
)
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
        key_line = re.compile(rf"[\"']?{re.escape(key)}[\"']?[ \t]*:")
        number = next((n for n, line in enumerate(lines) if key_line.match(line)), 0)
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


_TOKEN = re.compile(
    rf"(?P<heading>^[ \t]*#{{1,6}}[ \t].*$)|{ESCAPE}|{URL}|\]\([^()\s]*|{WIKILINK}"
    rf"|(?<![^\s(\[{{'\"“«,;:])#(?P<tag>{NAME_CHARACTER}+(?:[-/]{NAME_CHARACTER}+)*)",
    re.MULTILINE,
)
_NO_TAG = re.compile(r"[\d/-]+|(?=.*\d)(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", re.IGNORECASE)
_BETWEEN = re.compile(r"[,\s]+")


def find_tags(text: str) -> tuple[str, ...]:
    """The tags of a text, folded, without `#`, each once, in order; `a/b` is one nested tag.

    >>> find_tags("Fixed the boiler #Home/Heating, see `#not-this` and #42")
    ('home/heating',)
    """
    if "#" not in text:
        return ()
    code = [(start, end) for start, end, _ in code_spans(text)]
    found = [
        fold(token["tag"])
        for token in _TOKEN.finditer(text)
        if token["tag"] is not None
        and _NO_TAG.fullmatch(token["tag"]) is None
        and not any(start <= token.start() < end for start, end in code)
    ]
    return tuple(dict.fromkeys(found))


def front_matter_tags(front_matter: Mapping[str, FrontMatterValue]) -> tuple[str, ...]:
    """The tags that the front matter gives a whole file: a list, or words in one line."""
    found: list[str] = []
    for key in ("tags", "tag"):
        value = front_matter.get(key, ())
        listed = _BETWEEN.split(value) if isinstance(value, str) else value
        found += [fold(tag.strip().removeprefix("#").strip()) for tag in listed]
    return tuple(dict.fromkeys(tag for tag in found if tag))
