"""What the owner's own pages ask and rule: standing questions in the front matter of bank pages,
and the hard rules of `bank/directives.md`, where nothing ever writes.

    ---
    question: What has been promised, to whom, and until when?
    words: [promis*, agreed to, deadline*]
    since: 90d
    ---

A setting that is not understood is reported and its page left alone: never "no filter". What a
workspace asks can be exported as a template that others lay out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from lorebank.domain.facts import Diagnostic, FactKind
from lorebank.domain.judgments import Directive
from lorebank.errors import NotFound
from lorebank.markdown.front_matter import FrontMatterValue, parse_front_matter
from lorebank.markdown.owner_pages import parse_directives
from lorebank.pages.edits import read_text
from lorebank.workspace.layout import BANK_FOLDER, DIRECTIVES_PAGE
from lorebank.workspace.standing import STANDING_LINES, StandingPage, is_standing_path

_LETTERS = {name: kind.letter for kind in FactKind for name in (kind.letter.lower(), kind.value)}
_TRUE, _FALSE = ("true", "yes"), ("false", "no", "")
_MOST_LINES = 100
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
    """The page's question and settings; `None` where it has no question."""
    keys, _, _ = parse_front_matter(text, path)
    question = _text(keys, "question")
    if not question:
        return None
    heading = _HEADING.search(text)
    title = _text(keys, "title") or (heading["title"] if heading else Path(path).stem)
    k = _text(keys, "k") or str(STANDING_LINES)
    try:
        letters = [(word, _LETTERS.get(word.lower())) for word in _list(keys, "kinds")]
        for word, letter in letters:
            if letter is None:
                raise ValueError(f"kinds: expected W, B, O or S, not {word!r}")
        if not (k.isascii() and k.isdigit() and 1 <= int(k[:4]) <= _MOST_LINES):
            raise ValueError(f"k: expected a whole number from 1 to {_MOST_LINES}, not {k!r}")
        return StandingPage(
            path=path,
            title=title,
            question=question,
            words=_list(keys, "words"),
            kinds=tuple(letter for _, letter in letters if letter),
            entity=_text(keys, "entity").strip("@[] "),
            since=_text(keys, "since"),
            ahead=_flag(keys, "ahead"),
            moved=_flag(keys, "moved"),
            k=int(k),
        )
    except ValueError as problem:
        return Diagnostic(path, 1, "question-setting", f"{problem}; the page was left alone")


def _text(keys: Mapping[str, FrontMatterValue], key: str) -> str:
    value = keys.get(key, "")
    return (value if isinstance(value, str) else ", ".join(value)).strip()


def _list(keys: Mapping[str, FrontMatterValue], key: str) -> tuple[str, ...]:
    value = keys.get(key, "")
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(part.strip() for part in parts if part.strip(" *"))


def _flag(keys: Mapping[str, FrontMatterValue], key: str) -> bool:
    word = _text(keys, key).lower()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError(f"{key}: expected true or false, not {word!r}")
    return word in _TRUE


def export_pack(
    root: Path,
    name: str,
    target: Path,
    *,
    title: str = "",
    description: str = "",
    directives: bool = False,
    dry_run: bool = False,
) -> tuple[str, ...]:
    """Write the pack and return the paths in it; see `Bank.export_template`.

    What is written passes the check that an import makes: `ConfigurationError` for a name, or a
    page written by hand, that no template may have.
    """
    from lorebank.templates.manifest import read_manifest
    from lorebank.templates.pack import MANIFEST, pack_files, write_pack

    pages, _ = read_standing_pages(root)
    files = {DIRECTIVES_PAGE: (root / DIRECTIVES_PAGE).read_bytes()} if directives else {}
    if not pages and not files:
        raise NotFound("no page of this workspace asks a question", hint="see lorebank template -h")
    shown = title or name.replace("-", " ").capitalize()
    told = description or f"{len(pages)} standing questions."
    pack = pack_files(name, shown, told, pages, files)
    read_manifest(pack[MANIFEST], MANIFEST)
    if not dry_run:
        write_pack(target, pack)
    return tuple(pack)


def read_directives(root: Path) -> tuple[Directive, ...]:
    """The directives in their order; none where there is no page, or a link in its place."""
    return parse_directives(read_text(root, DIRECTIVES_PAGE), DIRECTIVES_PAGE)
