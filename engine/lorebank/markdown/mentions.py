"""Mentions: `@Peter`, `@[[The Castle]]`, `[[Peter]]` and `[[Peter|Pete]]` in running text.

Not mentions: e-mail addresses, anything in code spans, URLs and link targets, `@org/package`, a
handle glued to a word, `@` before a bare number, a link to a daily log. Scripts written without
spaces may have a name right after a letter; there the name ends at white space or punctuation.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from lorebank.domain.facts import Mention
from lorebank.language.folding import slugify
from lorebank.languages import spellings

AND_WORDS = spellings("names", "and")  # the words between two names: `@Lena and @Bo`
_NOT_IN_NAMES = (
    r"\x00-/:-@\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7"
    r"\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f"
    r"\u066a-\u066d\u06d4\u0964\u0965\u0e2f\u0e5a\u0e5b\u1360-\u1368\u1680"
    r"\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004"
    r"\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ue000-\uf8ff\ufd3e\ufd3f\ufe00-\ufe1f"
    r"\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff"
    r"\U0001f000-\U0001faff"
)
NAME_CHARACTER = f"[^{_NOT_IN_NAMES}]"
"""Letters, marks and digits of any script, and `_`; combining marks are no `\\w` in Python."""
WIKILINK = r"\[\[(?P<title>[^\[\]|]{1,200})(?:\|[^\[\]]{0,200})?\]\]"
URL = r"(?:https?|ftp)://[!-)+-;=?-~]*"
"""ASCII without `<`, `>` and `*`: a URL ends where CJK text or bold begins."""
ESCAPE = r"\\[!-/:-@\[-`{-~]"
_TICKS = re.compile(r"\\`|`+")
_DAY_LINK = re.compile(r"(?:.*/)?\d{4}[-_]\d{2}[-_]\d{2}(?:\.md)?")
_ANCHOR = re.compile(r"(?<=.)[#^](?=\S).*", re.DOTALL)


def code_spans(text: str) -> list[tuple[int, int, str]]:
    """The code spans of a text: start, end, content; a run of backticks closes one of its length.

    Linear in the text: closing runs are looked up by their length.
    """
    if "`" not in text:
        return []
    runs = [found for found in _TICKS.finditer(text) if found.group() != "\\`"]
    by_length: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        by_length.setdefault(len(runs[index].group()), []).append(index)
    spans: list[tuple[int, int, str]] = []
    index = 0
    while index < len(runs):
        opening = runs[index]
        later = by_length[len(opening.group())]
        while later and later[-1] <= index:
            later.pop()
        if not later:
            index += 1
            continue
        closing = runs[later[-1]]
        spans.append((opening.start(), closing.end(), text[opening.end() : closing.start()]))
        index = later[-1] + 1
    return spans


def link_title(title: str) -> str:
    """The page a wikilink points to: entities decoded, heading anchor and folder cut off.

    >>> link_title("bank/entities/The Castle#Rooms")
    'The Castle'
    """
    name = " ".join(html.unescape(title).split()).removesuffix("\\")
    name = _ANCHOR.sub("", name).strip()
    return name.removeprefix("bank/entities/").removesuffix(".md") or name


def is_day_link(title: str) -> bool:
    """Whether a wikilink points to a daily log (`[[2025-11-27]]`): a date, not a name."""
    return _DAY_LINK.fullmatch(title.strip()) is not None


MOST_MENTIONS = 300  # in one line or paragraph; what names more is a list for a program
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


@lru_cache(maxsize=64)  # a list of lines is read as facts, tasks and sentences in turn
def find_mentions(text: str) -> tuple[tuple[Mention, int, int], ...]:
    """The mentions of a text in order, each with the span it takes, sign and brackets included.

    A possessive or contraction stays outside: `@Peter's` is Peter. None behind `MOST_MENTIONS`.
    """
    if "@" not in text and "[[" not in text and "\uff20" not in text:
        return ()
    code = [(start, end) for start, end, _ in code_spans(text)]
    found: list[tuple[Mention, int, int]] = []
    for token in _TOKEN.finditer(text):
        if len(found) == MOST_MENTIONS:
            break
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
    escaped = re.sub(r"[^\w ]|_", lambda char: f"&#{ord(char[0])};", name)
    return f"@[[{escaped}]]"


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
