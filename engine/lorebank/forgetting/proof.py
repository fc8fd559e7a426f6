"""The search at the end of a forget: every file of the workspace, by its name and its bytes, the
entries of archives, the index. Nothing is changed here; what is left is said with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from lorebank.database.connection import Connection, texts_of
from lorebank.domain.facts import Diagnostic
from lorebank.errors import LorebankError
from lorebank.forgetting.words import Finder
from lorebank.workspace.files import entries_below
from lorebank.workspace.given import open_source
from lorebank.workspace.layout import DERIVED_FOLDER, is_transcript

LEFT, NAME, UNREAD = "left", "left-name", "left-unsearched"
MAYBE, HOST = "left-maybe", "left-with-host"
"""A word that may be none of the names, and a transcript: neither was to be cut."""
_KEPT = tuple(f"{DERIVED_FOLDER}/{area}/" for area in ("forgotten", "undo"))
_CACHES = tuple(f"{DERIVED_FOLDER}/{name}" for name in ("index", "embeddings", "sessions"))
_MOST_MAYBES = 20


def places_left(
    root: Path, finder: Finder, index: Connection, hosts: Collection[Path], *, is_purged: bool
) -> tuple[int, list[Diagnostic]]:
    """How many files were searched, and where what is meant still stands. `hosts` are transcripts,
    which stay as they are. What is kept for undo is searched once it is purged; `.git` is its
    owner's."""
    odd: list[Diagnostic] = []
    found: list[Diagnostic] = []
    searched = 0
    caches = []
    for path, _ in entries_below(root, odd.append):
        if ".git" in path.split("/") or (path.startswith(_KEPT) and not is_purged):
            continue
        searched += 1
        if path.startswith(_CACHES):
            caches.append(path)
            continue
        found += _in_path(path, finder)
        is_host = is_transcript(path) or root / path in hosts
        for each in _in_file(root, path, finder):
            found.append(
                replace(each, code=HOST) if is_host and each.code in (LEFT, MAYBE) else each
            )
    found += [_unread(each.path, each.message) for each in odd]
    maybes = [each for each in found if each.code == MAYBE]
    if not any(each.code in (LEFT, NAME) for each in found):  # what they are made of holds none
        for path in caches:
            told = finder.places((root / path).read_bytes())
            if any(told.values()) or (told and not maybes):
                found.append(Diagnostic(path, 0, LEFT, "holds it; delete it, it is made again"))
        if any(map(finder.is_told, texts_of(index))):
            found.append(Diagnostic(_CACHES[0], 0, LEFT, "holds it; run lorebank index --full"))
    if more := maybes[_MOST_MAYBES:]:
        found = [each for each in found if each not in more]
        message = f"and {len(more)} more lines with such a word"
        found.append(Diagnostic(more[0].path, more[0].line, MAYBE, message))
    return searched, found


def _in_path(path: str, finder: Finder) -> Iterator[Diagnostic]:
    name = path.rpartition("/")[2]
    stems = [*path.split("/")[:-1], name.partition(".")[0]]
    for is_sure in finder.lines([f"#{stem}" for stem in stems]).values():
        yield Diagnostic(path, 0, NAME if is_sure else MAYBE, "its name tells of it")
        return


def _in_file(root: Path, path: str, finder: Finder) -> Iterator[Diagnostic]:
    try:
        source = open_source(root / path)
    except (LorebankError, OSError) as error:
        yield _unread(path, str(error))
        return
    try:
        for entry in source.paths:
            inside = f"{path}!{entry}" if entry else path
            if entry:
                yield from _in_path(inside, finder)
            for number, is_sure in sorted(finder.places(source.read(entry)).items()):
                what = "holds it" if is_sure else "may hold it, or another word"
                yield Diagnostic(inside, number, LEFT if is_sure else MAYBE, what)
    except OSError as error:
        yield _unread(path, f"cannot be read: {error.strerror}")
    finally:
        source.close()
    yield from (_unread(f"{path}!{odd.path}", odd.message) for odd in source.left_out)


def _unread(path: str, reason: str) -> Diagnostic:
    return Diagnostic(path, 0, UNREAD, f"was not searched: {reason}")
