"""Pages as plain Markdown with relative links: any editor, viewer or repository host shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorebank.exchange.pages import Link, Page, Row
from lorebank.markdown.plain import escape_markup, plain_text

_OPENS_BLOCK = re.compile(r"[#>|=~`]|[-*+](?: |\Z)|\d+[.)](?: |\Z)|-{3}|\[.\] ")


def page_markdown(page: Page) -> str:
    """The text of `<page.path>.md`."""
    return "\n".join(_lines(page)) + "\n"


def _lines(page: Page) -> Iterator[str]:
    yield f"# {_escaped(page.title)}"
    for section in page.sections:
        yield ""
        if section.heading:
            yield from (f"## {section.heading}", "")
        for row in section.rows:
            yield f"- {_shown(row.text, page)}"
            if row.about:
                yield f"  <br>{_about(row, page)}"


def _about(row: Row, page: Page) -> str:
    return " · ".join(_shown(each, page) for each in row.about)


def _shown(said: str | Link, page: Page) -> str:
    if isinstance(said, str):
        return _escaped(said)
    return f"[{_escaped(said.label)}]({page.way_to(said, '.md')})"


def _escaped(text: str) -> str:
    """The text as it is where it reads so, else with its marks escaped."""
    folded = " ".join(text.split())
    same = plain_text(folded) == folded and "<" not in folded and not _OPENS_BLOCK.match(folded)
    return folded if same else escape_markup(folded)
