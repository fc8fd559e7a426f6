"""Contexts: what a folder or a file is about, in its owner's words, from the front matter.

    ---
    context: Notes from the boatyard in Porto; "she" is the ketch Aurora.
    ---

In `README.md`, `index.md` or a folder note (`trips/trips.md`) it speaks of the folder and all below
it, in the core memory of the whole workspace, in any other file of that file alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from lorebank.domain import Diagnostic
from lorebank.language.folding import fold
from lorebank.markdown.front_matter import FrontMatterValue, parse_front_matter
from lorebank.markdown.hidden import without_private

KEY = "context"
LONGEST_CONTEXT = 500
"""Characters: it comes with every hit below it."""
WORKSPACE = ""
"""The scope that holds for all files of the workspace."""
_OF_THE_FOLDER = frozenset({"readme", "index", "_index"})


def read_context(
    front_matter: Mapping[str, FrontMatterValue], text: str, path: str
) -> tuple[str, tuple[Diagnostic, ...]]:
    """The context that a file states, on one line, or ""; private parts are left out.

    `front_matter` is that of `text`; one too long is cut, with a diagnostic.
    """
    if KEY not in front_matter:
        return "", ()
    if "<" in text:
        front_matter, _, _ = parse_front_matter(without_private(text), path)
    value = front_matter.get(KEY, "")
    context = " ".join((value if isinstance(value, str) else "; ".join(value)).split())
    if len(context) <= LONGEST_CONTEXT:
        return context, ()
    message = f"the context has {len(context)} characters; the first {LONGEST_CONTEXT} are told"
    return (
        context[: LONGEST_CONTEXT - 1].rstrip() + "…",
        (Diagnostic(path, 1, "context-long", message),),
    )


def scope_of(path: str, *, core: bool) -> str:
    """Of what a context in this file speaks: `WORKSPACE`, a folder, or the file itself."""
    if core:
        return WORKSPACE
    file = PurePosixPath(path)
    stem = fold(file.stem)
    if stem in _OF_THE_FOLDER or (file.parent.name and stem == fold(file.parent.name)):
        folder = file.parent.as_posix()
        return WORKSPACE if folder == "." else folder
    return path


@lru_cache(maxsize=4096)  # with every answer, and mostly of the same files
def scopes_above(path: str) -> tuple[str, ...]:
    """The scopes whose contexts a file inherits, outermost first, its own last."""
    folders = [folder.as_posix() for folder in reversed(PurePosixPath(path).parents)]
    return (*(WORKSPACE if folder == "." else folder for folder in folders), path)
