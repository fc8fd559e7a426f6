"""Safe Markdown for generated lines: user text that cannot break a page, links that work.

What users wrote goes into headings, list items and table cells of generated pages. There it must
stay one line of text: no heading, no list, no HTML comment, no half-open code span. Escaping is
undone exactly by `unescape_inline`, up to runs of white space.
"""

from __future__ import annotations

import re
from functools import lru_cache
from posixpath import dirname, relpath
from urllib.parse import quote

from lorebank.domain import Citation

_ENTITY = re.compile(r"&(?=#?\w+;)")
_OPENS_TAG = re.compile(r"<(?![\s\d]|\Z)")
"""Before a digit or a blank it opens no tag in CommonMark: `<1500 chars` stays readable."""
_OPENS_BLOCK = re.compile(r"\A(?:[\\#>+*=|~:_-]|\[[ xX]\]|```)")
_OPENS_NUMBER = re.compile(r"\A(\d{1,9})([.)])(?=\s|\Z)")
_ESCAPED_NUMBER = re.compile(r"\A(\d{1,9})\\([.)])")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_NOT_IN_LINK = re.compile(r"[\[\]|#^\r\n]+")


def escape_inline(text: str) -> str:
    """The text as one line that means itself, wherever a line of Markdown may begin or go on.

    >>> escape_inline("## Not a heading <!-- x -->")
    '\\\\## Not a heading &lt;!-- x -->'
    """
    line = " ".join(_CONTROL.sub("\ufffd", text).split())
    line = _OPENS_TAG.sub("&lt;", _ENTITY.sub("&amp;", line))
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
    shown, target = _link_parts(citation.path, dirname(page) or ".")
    fragment = str(citation)[len(citation.path) :]
    return f"[{shown}{fragment}]({target}{fragment})"


@lru_cache(maxsize=4096)
def _link_parts(path: str, folder: str) -> tuple[str, str]:
    """A path as shown, and as a link from a folder; a page cites few files and those often."""
    shown = path.replace("[", "\\[").replace("]", "\\]")
    return shown, quote(relpath(path, folder), safe="/._-~,+@")


def wikilink(page_name: str, name: str) -> str:
    """`[[The-Castle|The Castle]]`, or `[[Peter]]` where page and name are the same."""
    shown = _NOT_IN_LINK.sub(" ", name).strip()
    shown = " ".join(shown.replace("<", "‹").split()) or page_name
    return f"[[{page_name}]]" if shown == page_name else f"[[{page_name}|{shown}]]"
