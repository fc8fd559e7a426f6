"""Which folders qmd searches, and how a place in one of them is named here.

What lies in the workspace's memory is named by its path there, as everywhere. What lies elsewhere
is `qmd/<collection>/<path>`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from lorebank.errors import NotFound, PathRefused
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import entries_below, relative_to_root
from lorebank.workspace.layout import BANK_FOLDER, MEMORY_FOLDER, is_generated, is_markdown
from lorebank.workspace.paths import resolve_memory_path, resolve_within

PREFIX = "qmd/"
MEMORY = "memory-root"
SESSIONS = "sessions"
_EVERY = "**/*.md"
_SPECIAL = re.compile(r"[*?\[\]{}()!,\\+@|]")
_PLACEHOLDER = re.compile(r"\{(?:YYYY|MM|DD)\}")
_LOOKED_AT = 20_000
"""Files of a folder that are compared with a spelling of qmd's own."""


class Collection(Record):
    """One folder that qmd searches."""

    name: str
    folder: Path
    """Absolute."""
    pattern: str
    """A glob below the folder."""


def collections_of(root: Path, config: Config, sessions: Path | None) -> tuple[Collection, ...]:
    """What the settings name, the workspace's memory first; folders that are not there left out.

    `sessions` is the folder of exported conversations, where they are to be searched.
    """
    settings = config.memory.qmd
    found: list[Collection] = []
    if settings.include_default_memory:
        outside = [path for path in config.workspace.extra_paths if _is_outside(root, path)]
        found.append(Collection(MEMORY, root, _memory_pattern(root, config)))
        found += [_collection(f"extra-{n}", Path(p), "") for n, p in enumerate(outside, start=1)]
    taken = {row["name"] for row in settings.paths if "name" in row}
    for number, row in enumerate(settings.paths, start=1):
        name = row.get("name") or _free(f"custom-{number}", taken)
        found.append(_collection(name, root / Path(row["path"]).expanduser(), row.get("pattern")))
    if sessions is not None:
        found.append(Collection(SESSIONS, sessions, "*.md"))
    return tuple(collection for collection in found if collection.folder.is_dir())


def shown_path(root: Path, config: Config, collection: Collection, file: Path) -> str | None:
    """How a file that qmd found is named; `None` where it is nothing that may be shown."""
    names = [file.relative_to(root).as_posix()] if file.is_relative_to(root) else []
    names += [file.as_posix()]
    for name in names:
        try:
            resolve_memory_path(root, name, config)
        except PathRefused:
            continue
        return None if is_generated(name) else name
    if collection.name == MEMORY:
        return None
    return f"{PREFIX}{collection.name}/{file.relative_to(collection.folder).as_posix()}"


def resolve(collections: Sequence[Collection], path: str) -> Path:
    """The file that `qmd/<collection>/<path>` names, inside that collection's folder.

    Raises `PathRefused` for what leaves the folder or is no Markdown, `NotFound` for a collection
    that is not there.
    """
    name, _, rest = path.removeprefix(PREFIX).partition("/")
    known = {collection.name: collection for collection in collections}
    if name not in known:
        hint = f"there is {', '.join(known)}" if known else "memory.qmd.paths names none"
        raise NotFound(f"no collection {name!r}", hint=hint)
    return resolve_within(known[name].folder, rest)


def locate(collection: Collection, path: str) -> Path | None:
    """The file behind a path as qmd spells it; `None` where there is none that may be read.

    Some versions spell paths in small letters and dashes: then the one file is taken whose path
    becomes the same.
    """
    for spelling in dict.fromkeys((path, unquote(path))):
        try:
            file = resolve_within(collection.folder, spelling)
        except PathRefused:
            continue
        if file.is_file():
            return file
    below = (name for name, _ in entries_below(collection.folder, lambda _: None))
    every = islice(filter(is_markdown, below), _LOOKED_AT)
    alike = [name for name in every if _handle(name) == _handle(path)]
    return locate(collection, alike[0]) if len(alike) == 1 and alike[0] != path else None


def _handle(path: str) -> str:
    return re.sub(r"[\W_]+", "-", path.casefold())


def _collection(name: str, place: Path, pattern: str | None) -> Collection:
    """A folder; a single file is the folder that it lies in, with the name as the pattern."""
    if place.is_file():
        return Collection(name, place.parent, _literal(place.name))
    return Collection(name, Path(os.path.normpath(place)), pattern or _EVERY)


def _free(wanted: str, taken: set[str]) -> str:
    name = wanted
    while name in taken:
        name += "-x"
    taken.add(name)
    return name


def _is_outside(root: Path, path: str) -> bool:
    return Path(relative_to_root(root, path)).is_absolute()


def _memory_pattern(root: Path, config: Config) -> str:
    """One glob for all that is memory inside the workspace."""
    parts = ["memory.md", "MEMORY.md", f"{MEMORY_FOLDER}/{_EVERY}", f"{BANK_FOLDER}/{_EVERY}"]
    log = _PLACEHOLDER.sub("\0", config.workspace.log_pattern)
    parts.append(_literal(log).replace("\0", "*"))
    for path in config.workspace.extra_paths:
        inside = relative_to_root(root, path)
        if not PurePosixPath(inside).is_absolute():
            whole = _literal(inside)
            parts.append(whole if is_markdown(inside) else f"{whole}/{_EVERY}")
    return "{" + ",".join(dict.fromkeys(parts)) + "}"


def _literal(text: str) -> str:
    """A path in a glob: what is special there stands for any one character."""
    return _SPECIAL.sub("?", text)
