"""What an entity is, in a sentence of the owner's own: from the core memory, a note, or a heading.

A line defines a name that stands before its first colon, comma or bracket (`- Nerea, daughter,
nine.`), and the first paragraph below a heading defines what the heading names. Nothing is made up:
an entity that no such line defines has no description. Later files of the order `_ROLES` never
overrule earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from lorebank.database.connection import Connection, select
from lorebank.domain import Citation
from lorebank.language.folding import slugify
from lorebank.records import dataclass
from lorebank.trust.quarantine import TRUSTED

_ROLES = ("core", "note")
"""Files without a day: what they say is meant to last."""
_HEAD = re.compile(r"\A[\s>*+-]*(?P<head>[^:,;.–—(]{1,60})(?P<rest>[:,(–—].*)\Z", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[\w)\"”»]{2}[.!?])\s|(?<=[。！？])")
_AND = re.compile(r"\s+(?:and|und|y|e|et|en|ve|at|&)\s+|\s*/\s*")
_BRACKETS = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Description:
    """A sentence that says what an entity is, and where it stands."""

    text: str
    source: Citation


def descriptions(
    connection: Connection, slugs: Collection[str] | None = None
) -> dict[str, Description]:
    """Slug → the sentence that defines the entity, of those that one defines."""
    names = dict(select(connection, "SELECT slug, entity FROM aliases"))
    names |= {slug: slug for (slug,) in select(connection, "SELECT slug FROM entities")}
    found: dict[str, Description] = {}
    rows = select(
        connection,
        "SELECT f.path, f.title, i.start_line, i.end_line, i.heading,"
        " coalesce(i.content, substr(f.text, i.start + 1, i.length))"
        f" FROM items i JOIN files f ON f.file = i.file WHERE {TRUSTED} AND i.kind = 'note'"
        " AND f.role IN ('core', 'note') ORDER BY f.role, f.path, i.start_line",
    )
    headed: set[tuple[str, str]] = set()
    for path, title, first, last, heading, text in rows:
        place = Citation(path, first, last)
        head = _HEAD.match(_BRACKETS.sub("", text))
        defined = _names_of(head["head"], names) if head else []
        for slug in defined:
            found.setdefault(slug, Description(_first_sentence(text), place))
        section = heading.rpartition(" > ")[2] or title
        if (path, heading) not in headed:
            headed.add((path, heading))
            named = names.get(slugify(section))
            if named is not None and not defined:
                found.setdefault(named, Description(_first_sentence(text), place))
    return {slug: each for slug, each in found.items() if slugs is None or slug in slugs}


def _names_of(head: str, names: dict[str, str]) -> list[str]:
    """The entities that the beginning of a line names: all of `Inês and Caspar`."""
    parts = [slugify(part.strip(" *_[]@\"'`")) for part in _AND.split(head)]
    found = [names.get(part) or names.get(part.split("-")[0]) for part in parts if part]
    return [slug for slug in found if slug is not None]


def _first_sentence(text: str) -> str:
    line = " ".join(text.split()).lstrip("-*+> ")
    return _SENTENCE.split(line, maxsplit=1)[0].strip()
