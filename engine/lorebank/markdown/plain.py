"""Plain text of inline Markdown, and Markdown that means a plain text.

What users wrote goes into headings, list items and table cells of generated pages. There it must
stay one line of text: no heading, no list, no HTML comment, no half-open code span. Escaping is
undone exactly by `unescape_inline`, up to runs of white space.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache
from posixpath import relpath
from urllib.parse import quote

from lorebank.domain.facts import LONGEST_READ, Citation
from lorebank.markdown.mentions import ESCAPE, URL, WIKILINK, code_spans, find_mentions, link_title

_DRESSED = re.compile(r"[\\`*_~=&<\[@\uff20\x00]")
_TAGS = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|del|details|dfn|div|dl|dt|em|figcaption|figure"
    "|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|q|s|samp|section|small|span|strike|strong|sub"
    "|summary|sup|table|tbody|td|th|thead|tr|tt|u|ul|var"
)
_TOKEN = re.compile(
    rf"(?P<escape>{ESCAPE})"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    rf"|(?P<url>{URL})|<(?P<auto>(?:https?|ftp|mailto):[^\s<>]*)>"
    rf"|(?P<wiki>!?{WIKILINK})"
    r"|(?P<open>!?\[)|(?P<close>\](?:\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\))?)"
    rf"|(?P<tag></?(?:{_TAGS})(?:\s[^<>]{{0,1000}})?/?>)"
    r"|(?P<run>\*+|_+|~~+|==+)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[\\`*_~=\[\]@:()!|#-]")


def plain_text(text: str) -> str:
    """The text without markup, its white space folded to single spaces.

    Entities and escapes are decoded; emphasis, strike-through, highlights, links, images, code
    spans and HTML tags keep their text only; a mention shows its name.

    >>> plain_text("**[[Peter|Pete]]** likes `ripgrep` &amp; @warelay")
    'Peter likes ripgrep & warelay'
    """
    if _DRESSED.search(text) is not None:
        shown = _Undresser(text[:LONGEST_READ]).run() + text[LONGEST_READ:]
        text = shown.replace("\x00", "\ufffd")
    return " ".join(text.split())


def escape_markup(text: str) -> str:
    """Inline Markdown whose plain text is exactly this (white-space folded) text."""
    escaped = _MARKUP.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;"))
    return escaped.replace("\uff20", "&#65312;").replace("\uff1a", "&#65306;")


class _Undresser:
    """One pass over a text; marks that may pair up stay in `out` until their partner comes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[str] = []
        self.brackets: list[int] = []
        self.openers: dict[str, list[int]] = {"*": [], "_": [], "~": [], "=": []}
        """Per mark, the places in `out` of runs that could open emphasis, outermost first."""

    def run(self) -> str:
        position = 0
        islands = code_spans(self.text)
        if mentions := find_mentions(self.text):
            islands += [(start, end, mention.name) for mention, start, end in mentions]
            islands.sort()
        for start, end, shown in islands:
            self._dressed(position, start)
            self.out.append(shown)
            position = end
        self._dressed(position, len(self.text))
        return "".join(self.out)

    def _dressed(self, start: int, end: int) -> None:
        position = start
        for token in _TOKEN.finditer(self.text, start, end):
            self.out.append(self.text[position : token.start()])
            self._token(token)
            position = token.end()
        self.out.append(self.text[position:end])

    def _token(self, token: re.Match[str]) -> None:
        kind, value = token.lastgroup, token.group()
        if kind == "title":
            kind = "wiki"
        match kind:
            case "escape":
                self.out.append(value[1])
            case "entity":
                self.out.append(html.unescape(value))
            case "auto":
                self.out.append(value[1:-1].removeprefix("mailto:"))
            case "wiki":
                self.out.append(link_title(token["title"]))
            case "open":
                self.brackets.append(len(self.out))
                self.out.append(value)
            case "close":
                opened = self.brackets.pop() if self.brackets else None
                if opened is None or value == "]":
                    self.out.append(value)
                else:
                    self.out[opened] = ""
            case "tag":
                self.out.append(" " if value[1:3].lower() == "br" else "")
            case "run":
                self._run(token)
            case _:
                self.out.append(value)

    def _run(self, token: re.Match[str]) -> None:
        mark = token.group()[0]
        can_open, can_close = self._flanking(token, mark)
        length = len(token.group())
        openers = self.openers[mark]
        while can_close and openers and length:
            opened = self.out[openers[-1]]
            paired = min(len(opened), length)
            self.out[openers[-1]] = opened[paired:]
            length -= paired
            if not self.out[openers[-1]]:
                openers.pop()
        if length and can_open:
            openers.append(len(self.out))
        self.out.append(mark * length)

    def _flanking(self, token: re.Match[str], mark: str) -> tuple[bool, bool]:
        """CommonMark's flanking rules; every mark but `*` must not stand inside a word."""
        before = self.text[token.start() - 1 : token.start()] or " "
        after = self.text[token.end() : token.end() + 1] or " "
        left = not after.isspace() and (_is_word(after) or not _is_word(before))
        right = not before.isspace() and (_is_word(before) or not _is_word(after))
        if mark == "*":
            return left, right
        return left and not _is_word(before), right and not _is_word(after)


def _is_word(char: str) -> bool:
    return char.isalnum() or (not char.isascii() and char.isalpha())


_AMPERSAND = re.compile(r"&(?=#?\w+;)")
_OPENS_TAG = re.compile(r"<(?![\s\d]|\Z)")
"""Before a digit or a blank it opens no tag in CommonMark: `<1500 chars` stays readable."""
_OPENS_BLOCK = re.compile(r"\A(?:[\\#>+*=|~:_-]|\[[ xX]\]|```)")
_OPENS_NUMBER = re.compile(r"\A(\d{1,9})([.)])(?=\s|\Z)")
_ESCAPED_NUMBER = re.compile(r"\A(\d{1,9})\\([.)])")
_NO_MARKUP = frozenset("&<`#")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_NOT_IN_LINK = re.compile(r"[\[\]|#^\r\n]+")


def escape_inline(text: str) -> str:
    """The text as one line that means itself, wherever a line of Markdown may begin or go on.

    >>> escape_inline("## Not a heading <!-- x -->")
    '\\\\## Not a heading &lt;!-- x -->'
    """
    if text[:1].isalpha() and text.isprintable() and _NO_MARKUP.isdisjoint(text):
        return " ".join(text.split())  # most lines
    line = " ".join(_CONTROL.sub("\ufffd", text).split())
    line = _OPENS_TAG.sub("&lt;", _AMPERSAND.sub("&amp;", line))
    if line.count("`") % 2 or "``" in line:
        line = line.replace("`", "&#96;")
    if line.endswith("#"):
        line = line[:-1] + "&#35;"
    if _OPENS_BLOCK.match(line):
        return "\\" + line
    return _OPENS_NUMBER.sub(r"\1\\\2", line)


def unescape_inline(line: str) -> str:
    """The text of which `escape_inline` made the line."""
    text = line.strip()
    text = text[1:] if text[:1] == "\\" else _ESCAPED_NUMBER.sub(r"\1\2", text)
    text = text.replace("&#96;", "`").replace("&#35;", "#").replace("&#124;", "|")
    return text.replace("&lt;", "<").replace("&amp;", "&")


def citation_link(citation: Citation, page: str) -> str:
    """A link whose text is the citation and whose target is relative to a page of the workspace.

    >>> citation_link(Citation("memory/2025-11-27.md", 12, 12), "bank/entities/Peter.md")
    '[memory/2025-11-27.md#L12](../../memory/2025-11-27.md#L12)'
    """
    shown, target = _linked(citation.path, page.rpartition("/")[0])
    fragment = str(citation)[len(citation.path) :]
    return f"[{shown}{fragment}]({target}{fragment})"


@lru_cache(maxsize=16_384)  # a log a day for 45 years, 5 MB
def _linked(path: str, start: str) -> tuple[str, str]:
    """How a path is shown in a link, and the way to it from a folder."""
    target = quote(relpath(path, start or "."), safe="/._-~,+@")
    return path.replace("[", "\\[").replace("]", "\\]"), target


def wikilink(page_name: str, name: str) -> str:
    """`[[The-Castle|The Castle]]`, or `[[Peter]]` where page and name are the same."""
    shown = _NOT_IN_LINK.sub(" ", name).strip()
    shown = " ".join(shown.replace("<", "‹").split()) or page_name
    return f"[[{page_name}]]" if shown == page_name else f"[[{page_name}|{shown}]]"
