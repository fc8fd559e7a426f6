"""Mentions: `@Peter`, `@[[The Castle]]`, `[[Peter]]` and `[[Peter|Pete]]` in running text.

Not mentions: e-mail addresses, anything in code spans, URLs and link targets, `@org/package`, a
handle glued to a word, `@` before a bare number, a link to a daily log. Scripts written without
spaces may have a name right after a letter; there the name ends at white space or punctuation.
"""

from __future__ import annotations

import html
import re

from lorebank.domain import Mention
from lorebank.language.folding import slugify
from lorebank.markdown.inline_marks import (
    ESCAPE,
    NAME_CHARACTER,
    URL,
    WIKILINK,
    code_spans,
    is_day_link,
    link_title,
)

_SIGN = "@\uff20"
_NAME = (
    rf"{NAME_CHARACTER}+(?:(?:[-.+'’·\u30fb]|&(?!\w+;)){NAME_CHARACTER}+)*"
    rf"(?:\+\+|\#)?(?!{NAME_CHARACTER})"
)
_TOKEN = re.compile(
    rf"(?P<escape>{ESCAPE})|(?P<url>{URL})|(?P<target>\]\([^()\s]*)"
    rf"|(?P<wiki>[!{_SIGN}]?{WIKILINK})|[{_SIGN}](?P<name>{_NAME})"
)
_CONTRACTION = re.compile(r"(?<=.)['’](?:s|S|ll|d|re|ve|m)\Z")
_GLUE = re.compile(rf"(?:{NAME_CHARACTER}|[@%/\uff20])\Z")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]\Z")
_PACKAGE = re.compile(rf"(?:[{_SIGN}]|/{NAME_CHARACTER})")
_LETTER = re.compile(r"[^\W\d_]")
_CLOCK = re.compile(r"\d+(?:am|pm|h|th)\Z", re.IGNORECASE)
_UNLINKABLE = re.compile(r"[\[\]|#^&\\]|\.md\Z|\A\s|\s\Z|\Abank/")


def find_mentions(text: str) -> tuple[tuple[Mention, int, int], ...]:
    """The mentions of a text in order, each with the span it takes, sign and brackets included.

    A possessive or contraction stays outside: `@Peter's` is Peter.
    """
    if "@" not in text and "[[" not in text and "\uff20" not in text:
        return ()
    code = [(start, end) for start, end, _ in code_spans(text)]
    found: list[tuple[Mention, int, int]] = []
    for token in _TOKEN.finditer(text):
        if token["name"] is None and token["wiki"] is None:
            continue
        start = token.start()
        if any(left <= start < right for left, right in code):
            continue
        previous_end = found[-1][2] if found else -1
        named = _linked(token) if token["wiki"] else _handle(text, token, previous_end)
        if named is None:
            continue
        name, end = named
        slug = slugify(name)
        if slug:
            found.append((Mention(name, slug), start, end))
    return tuple(found)


def mention_source(name: str) -> str:
    """The shortest text that is read as a mention of exactly this name."""
    plain = f"@{name}"
    found = find_mentions(plain)
    if len(found) == 1 and found[0][0].name == name and found[0][2] == len(plain):
        return plain
    return linked_source(name)


def linked_source(name: str) -> str:
    """The bracketed mention of a name; letters that would end or cut it are written as entities."""
    if not _UNLINKABLE.search(name) and not is_day_link(name):
        return f"@[[{name}]]"
    return f"@[[{''.join(_entity(char) for char in name)}]]"


def _linked(token: re.Match[str]) -> tuple[str, int] | None:
    if token["wiki"].startswith("!") or is_day_link(token["title"]):
        return None
    return link_title(token["title"]), token.end()


def _handle(text: str, token: re.Match[str], previous_end: int) -> tuple[str, int] | None:
    start, end = token.span()
    follows_mention = text[start - 1 : start] == "/" and start - 1 == previous_end
    if _is_glued(text, start) and not follows_mention:
        return None
    if _PACKAGE.match(text, end) and not text.startswith(("/@", "/[["), end):
        return None
    name = token["name"]
    contraction = _CONTRACTION.search(name)
    if contraction is not None:
        end -= len(contraction.group())
        name = name[: contraction.start()]
    end -= len(name) - len(name.rstrip("_"))
    name = name.rstrip("_")
    if not _LETTER.search(name) or _CLOCK.match(name):
        return None
    return html.unescape(name), end


def _is_glued(text: str, start: int) -> bool:
    """Whether a handle follows a letter, `@`, `%` or `/`; the `_` of emphasis does not count."""
    while text[start - 1 : start] == "_":
        start -= 1
    before = text[start - 1 : start]
    return _GLUE.match(before) is not None and _UNSPACED.match(before) is None


def _entity(char: str) -> str:
    return char if char.isalnum() or char == " " else f"&#{ord(char)};"
