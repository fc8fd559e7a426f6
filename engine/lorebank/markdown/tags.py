"""Tags: `#word` in running text and `tags:` of the front matter.

Not tags: what stands in code spans, URLs, link targets, wikilinks and headings; a bare number
(`#1204` is an issue); a colour (`#3fa2c1`); a `#` glued to a word before it (`C#`, `page#part`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lorebank.language.folding import fold
from lorebank.markdown.front_matter import FrontMatterValue
from lorebank.markdown.inline_marks import ESCAPE, NAME_CHARACTER, URL, WIKILINK, code_spans

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
