"""The owner's hard rules, read from `bank/directives.md`; nothing ever writes there."""

from __future__ import annotations

from pathlib import Path

from lorebank.domain import Directive
from lorebank.markdown.owner_pages import parse_directives
from lorebank.markdown.source import decode
from lorebank.workspace.layout import DIRECTIVES_PAGE


def read_directives(root: Path) -> tuple[Directive, ...]:
    """The directives in their order; none where there is no page, or a link in its place."""
    file = root / DIRECTIVES_PAGE
    if file.is_symlink():
        return ()
    try:
        data = file.read_bytes()
    except OSError:
        return ()
    return parse_directives(decode(data, DIRECTIVES_PAGE)[0], DIRECTIVES_PAGE)
