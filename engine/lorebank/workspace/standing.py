"""Standing pages: pages of the bank with a question that reflect keeps answering."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from lorebank.domain.facts import FactKind
from lorebank.records import Record
from lorebank.workspace.layout import BANK_FOLDER, GENERATED_FOLDERS, is_markdown

STANDING_LINES = 12  # default maximum length of an answer
_MAX_LINES = 100  # longer answers are not read
_LETTERS = {name: kind.letter for kind in FactKind for name in (kind.letter.lower(), kind.value)}
_TEXTS = ("title", "question")
_TRUE, _FALSE = ("true", "yes"), ("false", "no", "")
_NOT_STANDING = frozenset(
    f"{BANK_FOLDER}/{name}.md"
    for name in ("directives", "evidence", "experience", "identity", "opinions", "world")
)


class StandingPage(Record):
    """A page whose question reflect answers again when facts arrive."""

    path: str
    """`bank/pages/deadlines.md`."""
    title: str
    question: str
    words: tuple[str, ...] = ()
    """Facts with one of them belong on the page; `promis*` matches any ending."""
    kinds: tuple[str, ...] = ()
    """Letters of kinds of facts (W, B, O, S): with `words`, only these; without, all of them."""
    entity: str = ""
    """Only what mentions this entity."""
    since: str = ""
    """Only since a day, or `90d` before the newest day recorded."""
    ahead: bool = False
    """Only what is after the day of the run, or continues on it."""
    moved: bool = False
    """Show opinions that moved, in place of facts."""
    k: int = STANDING_LINES
    """At most this many lines."""


def standing_page(
    path: str, settings: Mapping[str, Any], title: str = ""
) -> tuple[StandingPage | None, list[str]]:
    """The page with these settings, or problems as `key: expected …, not …`."""
    problems: list[str] = []

    def text(key: str) -> str:
        value = settings.get(key, "")
        flat = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if re.search(r"[\r\n]", flat):
            problems.append(f"{key}: expected one line of text, not {flat[:60]!r}")
        return flat.strip()

    def parts(key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in text(key).split(",") if part.strip(" *"))

    def flag(key: str) -> bool:
        word = text(key).lower()
        if word not in (*_TRUE, *_FALSE):
            problems.append(f"{key}: expected true or false, not {settings[key]!r}")
        return word in _TRUE

    kinds = [(word, _LETTERS.get(word.lower())) for word in parts("kinds")]
    problems += [f"kinds: expected W, B, O or S, not {word!r}" for word, kind in kinds if not kind]
    k = text("k") or str(STANDING_LINES)
    if not (k.isascii() and k.isdigit() and 1 <= int(k[:4]) <= _MAX_LINES):
        expected = f"k: expected a whole number from 1 to {_MAX_LINES}"
        problems.append(f"{expected}, not {settings['k']!r}")
    found = {key: text(key) for key in ("title", "question", "since")}
    found["title"] = found["title"] or title
    problems += [f"{key}: expected a text" for key in _TEXTS if not found[key]]
    page = StandingPage(
        path,
        **found,
        words=parts("words"),
        kinds=tuple(letter for _, letter in kinds if letter),
        entity=text("entity").strip("@[] "),
        ahead=flag("ahead"),
        moved=flag("moved"),
        k=STANDING_LINES if problems else int(k),
    )
    return (None, problems) if problems else (page, [])


def is_standing_path(path: str) -> bool:
    folders = (f"{BANK_FOLDER}/entities", *GENERATED_FOLDERS)
    return (
        path.startswith(f"{BANK_FOLDER}/")
        and is_markdown(path)
        and path.casefold() not in _NOT_STANDING
        and not any(path.casefold().startswith(f"{folder}/") for folder in folders)
    )


def standing_page_text(page: StandingPage, frame: str) -> str:
    """The initial page, from a `frame` with placeholders."""
    narrowing = {k: v for k, v in own_settings(page).items() if k not in ("path", *_TEXTS)}
    lines = "".join(f"{key}: {_as_yaml(value)}\n" for key, value in narrowing.items())
    return (
        frame.replace('"{{title}}"', _as_yaml(page.title))
        .replace('"{{question}}"\n', f"{_as_yaml(page.question)}\n{lines}")
        .replace("{{title}}", page.title)
    )


def own_settings(page: StandingPage) -> dict[str, Any]:
    """The settings of a page that differ from the defaults."""
    plain = StandingPage("", "", "").to_dict()
    return {key: value for key, value in page.to_dict().items() if value != plain[key]}


_as_yaml = partial(json.dumps, ensure_ascii=False)
"""JSON is YAML, on one line."""
