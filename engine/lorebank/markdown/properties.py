"""What a note says of itself: front matter and properties of Logseq as filters and facts, and tags.

Every key is a filter (`status:draft`). A key that says something of a person, place or thing is a
fact as well, cited by its line; what only keeps the note in order is none.

Not tags: what stands in code spans, URLs, link targets, wikilinks and headings; a bare number
(`#1204` is an issue); a colour (`#3fa2c1`); a `#` glued to a word before it (`C#`, `page#part`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import PurePosixPath

from lorebank.domain.facts import Citation, Fact, FactKind, Interval, Mention, Task, TaskState
from lorebank.language.folding import fold, slugify
from lorebank.markdown.document import Document
from lorebank.markdown.facts import new_fact
from lorebank.markdown.front_matter import PROPERTY, FrontMatterValue
from lorebank.markdown.mentions import (
    ESCAPE,
    NAME_CHARACTER,
    URL,
    WIKILINK,
    code_spans,
    find_mentions,
)
from lorebank.markdown.plain import plain_text
from lorebank.markdown.source import parse_day

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
_ENDED = frozenset(["done", "closed", "archived", "completed", "finished", "cancelled", "canceled"])
"""What projects and tasks have for a status in vaults when nothing more is to be done."""
_FIELDS = frozenset(
    (
        *("kind", "entity", "path", "source", "tag", "tags", "origin"),
        *("since", "until", "after", "before", "on"),
    )
)
"""Fields of a question, which no key of a note can take."""
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+")
_BEGINS_NAME = ("@", "[", "\uff20")
_KEYED = re.compile(
    r"(?P<quote>[\"'])(?P<quoted>.+?)(?P=quote)[ \t]*:|(?P<bare>[^\s:\"'*+-][^:]*):"
    r"|[ \t*+-]*(?P<property>[^\s:*+-][^\s:]*)::"
)
_LONGEST = 200  # characters of a value; a longer one is text that stands in the wrong place


def property_facts(
    front_matter: Mapping[str, FrontMatterValue], lines: Sequence[str], path: str
) -> tuple[Fact, ...]:
    """The facts that the front matter of an undated note states of what it is named after."""
    subject = Mention(_name(front_matter, path), note_slug(front_matter, path), subject=True)
    facts: list[Fact] = []
    places = _places(lines)
    for key, listed in front_matter.items() if subject.slug else ():
        number = places.get(key, 0)
        place = Citation(path, number + 1, number + 1)
        facts += _facts(key, listed, lines[number], place, None, subject)
    return tuple(facts)


def block_facts(document: Document, lines: Sequence[str], recorded: date | None) -> Iterator[Fact]:
    """The facts of list items that are a name alone: `- [[Rui]]`, and `telefone:: 912` below."""
    subject: Mention | None = None
    for number, (line, shown) in enumerate(zip(lines, document.lines, strict=False)):
        found = PROPERTY.match(line)
        if found is None or shown[slice(*found.span("mark"))] != " ":
            bare = _BULLET.sub("", shown, count=1).strip() if _BULLET.match(shown) else ""
            named = find_mentions(bare) if bare[:1] in _BEGINS_NAME else ()
            alone = len(named) == 1 and named[0][1:] == (0, len(bare))
            subject = replace(named[0][0], subject=True) if alone else None
        elif subject and (value := shown[found.end("mark") :].strip()):
            place = Citation(document.path, number + 1, number + 1)
            yield from _facts(found["key"], value, line, place, recorded, subject)


def property_tags(front_matter: Mapping[str, FrontMatterValue]) -> tuple[str, ...]:
    """`key:value` of every key, folded: what a filter of that key looks for."""
    return tuple(
        f"{fold(key)}:{fold(plain_text(value))}"
        for key, listed in front_matter.items()
        if fold(key) not in _FIELDS
        for value in ([listed] if isinstance(listed, str) else listed)
        if value and len(value) <= _LONGEST
    )


def property_tasks(
    front_matter: Mapping[str, FrontMatterValue], lines: Sequence[str], path: str
) -> Iterator[Task]:
    """What the note is named after, by the day that its front matter says it is due."""
    said = {fold(key): (key, value) for key, value in front_matter.items()}
    places = _places(lines)
    ended = {fold(str(said[key][1])) for key in ("status", "state") if key in said} & _ENDED
    for key, value in (said[key] for key in ("deadline", "due") if key in said):
        if day := parse_day(plain_text(str(value))[:10]):
            place = places.get(key, 0) + 1
            state = TaskState.DONE if ended else TaskState.OPEN
            text = f"{_name(front_matter, path)}: {key}"
            yield Task(text, state, Citation(path, place, place), Interval(day, day))


def note_slug(front_matter: Mapping[str, FrontMatterValue], path: str) -> str:
    return slugify(_name(front_matter, path))


def _facts(
    key: str, listed: FrontMatterValue, raw: str, place: Citation, day: date | None, of: Mention
) -> Iterator[Fact]:
    """What a key says of somebody, where it says something."""
    value = ", ".join([listed] if isinstance(listed, str) else listed)
    shown = plain_text(value)
    if fold(key) in _BOOKKEEPING or not shown or len(shown) > _LONGEST:
        return
    mentions = (of, *(m for m, _, _ in find_mentions(value) if m.slug != of.slug))
    shown_key = key.removesuffix("-in-source").replace("_", " ")  # as an import renames it
    content = f"{shown_key}: {shown}"
    yield new_fact(FactKind.WORLD, content, mentions, day, place, raw=raw)


def _places(lines: Sequence[str]) -> dict[str, int]:
    """The first line of each key."""
    found: dict[str, int] = {}
    for number, line in enumerate(lines):
        if keyed := _KEYED.match(line):
            key = keyed["quoted"] or keyed["bare"] or keyed["property"]
            found.setdefault(key.rstrip(), number)
    return found


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
