"""The words of each language, one TOML file a language: `nl.toml` is Dutch.

A file holds a section for each reader (`[dates]`, `[headings]`, `[stop_words]`); what a section may
hold is explained by its reader and, for translators, in `engine/docs/languages.md`. This room finds
the files, parses them, and keeps what a reader makes of its sections in a cache, because parsing
and folding all languages takes longer than answering a question. The cache is never trusted over
the files: it is rebuilt when a file is added, removed or changed. A new language is a new file.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from lorebank.errors import ConfigurationError
from lorebank.version import __version__

T = TypeVar("T")

Sections = dict[str, dict[str, Any]]
"""Language code → one section of its file; languages without that section are left out."""

_FOLDER = Path(__file__).parent
_CACHE = _FOLDER / "__pycache__"
"""Like bytecode, the cache is kept beside its sources, and done without where that fails."""


def language_files() -> tuple[Path, ...]:
    """The file of every language, by code."""
    return tuple(sorted(_FOLDER.glob("*.toml")))


def sections(name: str) -> Sections:
    """The section of that name in every language that has one, in the order of their codes."""
    return {code: table[name] for code, table in _parsed().items() if name in table}


def compiled(name: str, build: Callable[[Sections], T], *, uses: str = "") -> T:
    """What `build` makes of the sections of that name, built once and cached.

    The result has to be made of what `marshal` can write: texts, numbers, tuples, lists, dicts and
    frozensets. A change of any language's file, of the file that defines `build`, or of the file
    beside it that it `uses` rebuilds it.
    """
    builder = Path(build.__code__.co_filename)
    stamp = _stamp(builder, *([builder.with_name(uses)] if uses else []))
    reader = f"{build.__module__}.{build.__qualname__}"  # each has a file of its own
    file = _CACHE / f"{name}.{reader}.{sys.implementation.cache_tag}"
    try:
        kept_stamp, kept = marshal.loads(file.read_bytes())
        if kept_stamp == stamp:
            found: T = kept
            return found
    except (OSError, ValueError, EOFError, TypeError):
        pass  # no cache, or one that was cut short
    built = build(sections(name))
    _keep(file, marshal.dumps((stamp, built)))  # type: ignore[arg-type]
    return built


def split(spellings: str) -> list[str]:
    """The spellings of an entry: `"jan | january"`."""
    return [" ".join(words) for each in spellings.split("|") if (words := each.split())]


@cache
def phrase_lists(name: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Language → entry → its spellings, of a section whose entries are all lists of them."""
    return compiled(name, _split)


@cache
def spellings(section: str, *entries: str) -> tuple[str, ...]:
    """All spellings of some entries of such a section, language by language."""
    listed = phrase_lists(section).values()
    return tuple(word for table in listed for entry in entries for word in table.get(entry, ()))


def _split(languages: Sections) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        code: {entry: tuple(split(text)) for entry, text in section.items()}
        for code, section in languages.items()
    }


@cache
def _parsed() -> dict[str, dict[str, Any]]:
    import tomllib  # only where the cache is out of date

    parsed = {}
    for path in language_files():
        try:
            parsed[path.stem] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ConfigurationError(
                f"{path}: is no valid language file: {error}", hint="mend or remove the file"
            ) from error
    return parsed


def _stamp(*builders: Path) -> str:
    states = [(path.name, path.stat()) for path in (*language_files(), *builders)]
    return repr((__version__, [(name, s.st_size, s.st_mtime_ns) for name, s in states]))


def _keep(file: Path, data: bytes) -> None:
    from uuid import uuid4  # only where the cache is out of date

    partial = file.with_name(f"{file.name}.{uuid4().hex}")
    try:
        file.parent.mkdir(exist_ok=True)
        partial.write_bytes(data)
        partial.replace(file)  # a reader sees the old file or the new one, never half of it
    except OSError:
        partial.unlink(missing_ok=True)
