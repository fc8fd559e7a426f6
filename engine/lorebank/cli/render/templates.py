"""Bank templates as text."""

from __future__ import annotations

from collections.abc import Iterable

from lorebank.cli.render.look import INDENT, Look
from lorebank.workspace.templates import Template


def template_lines(look: Look, templates: Iterable[Template]) -> list[str]:
    """Each template with its description and its questions."""
    lines: list[str] = []
    for each in templates:
        lines += ["", look.strong(each.name)] if lines else [look.strong(each.name)]
        lines += look.paragraph(each.description, INDENT)
        for page in each.pages:
            lines += look.paragraph(page.question, INDENT * 2, first=f"{INDENT}? ")
    return lines
