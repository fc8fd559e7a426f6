"""What the owner's own pages ask and rule: standing questions in the front matter of bank pages,
and the hard rules of `bank/directives.md`, where nothing ever writes.

    ---
    question: What has been promised, to whom, and until when?
    words: [promis*, agreed to, deadline*]
    since: 90d
    ---

A setting that is not understood is reported and its page left alone: never "no filter".
"""

from __future__ import annotations

import re
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.judgments import Directive
from lorebank.markdown.front_matter import parse_front_matter
from lorebank.markdown.owner_pages import parse_directives
from lorebank.pages.edits import read_text
from lorebank.workspace.layout import BANK_FOLDER, DIRECTIVES_PAGE
from lorebank.workspace.standing import StandingPage, is_standing_path, standing_page

_HEADING = re.compile(r"^#[ \t]+(?P<title>\S.*?)[ \t#]*$", re.MULTILINE)


def read_standing_pages(root: Path) -> tuple[tuple[StandingPage, ...], tuple[Diagnostic, ...]]:
    """Every page with a question, by path, and the settings that could not be understood."""
    pages: list[StandingPage] = []
    problems: list[Diagnostic] = []
    for file in sorted((root / BANK_FOLDER).rglob("*.md")):
        path = file.relative_to(root).as_posix()
        if not is_standing_path(path):
            continue
        found = parse_standing_page(read_text(root, path), path)
        if isinstance(found, StandingPage):
            pages.append(found)
        elif found is not None:
            problems.append(found)
    return tuple(pages), tuple(problems)


def parse_standing_page(text: str, path: str) -> StandingPage | Diagnostic | None:
    """`None` where the page has no question."""
    keys, _, _ = parse_front_matter(text, path)
    if not keys.get("question"):
        return None
    heading = _HEADING.search(text)
    page, problems = standing_page(path, keys, heading["title"] if heading else Path(path).stem)
    if page is not None:
        return page
    return Diagnostic(path, 1, "question-setting", f"{problems[0]}; the page was left alone")


def read_directives(root: Path) -> tuple[Directive, ...]:
    return parse_directives(read_text(root, DIRECTIVES_PAGE), DIRECTIVES_PAGE)
