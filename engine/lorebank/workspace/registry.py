"""The user's named banks: a TOML file next to their settings, edited in place.

    default = "home"

    [banks]
    home = "/home/me/notes"
    work = "/home/me/work/notes"

A name only points to a folder: it never lets one workspace read another's files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from lorebank.domain.answers import RegisteredBank
from lorebank.errors import ConcurrentEdit, ConfigurationError, UsageError, WorkspaceError
from lorebank.records import Record
from lorebank.settings.files import edited, find_line, parse_file, read_text, user_config_path
from lorebank.settings.rules import is_absolute
from lorebank.workspace.atomic import read_if_exists, write_atomic
from lorebank.workspace.layout import BANK_FOLDER, MEMORY_FOLDER, existing_folder

FILE_NAME = "banks.toml"
ALL = "all"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
_NAME_RULE = "letters, digits, '-', '_' and '.', beginning with a letter or digit, at most 64"


class Registry(Record):
    file: Path | None  # `None` without a settings folder
    banks: tuple[RegisteredBank, ...] = ()

    @property
    def default(self) -> RegisteredBank | None:
        """Used if nothing names a bank and no workspace is near."""
        return next((bank for bank in self.banks if bank.is_default), None)

    def find(self, name: str) -> RegisteredBank | None:
        """Case and Unicode form do not matter."""
        wanted = _folded(name)
        return next((bank for bank in self.banks if _folded(bank.name) == wanted), None)

    def named(self, name: str) -> RegisteredBank:
        """As `find`; `WorkspaceError` with the nearest names where there is none."""
        if found := self.find(name):
            return found
        from difflib import get_close_matches

        known = [bank.name for bank in self.banks]
        hint = f"known: {', '.join(known)}" if known else "`lorebank bank add NAME DIR` adds one"
        if near := get_close_matches(name, known, n=3, cutoff=0.5):
            hint = f"did you mean {' or '.join(near)}?"
        raise WorkspaceError(f"no bank '{name}' is registered", hint=hint)

    def root(self, name: str) -> Path:
        """With links resolved; raises `WorkspaceError` if the folder is missing."""
        bank = self.named(name)
        return existing_folder(
            Path(bank.path),
            shown=f"bank '{bank.name}' of {self.file}: {bank.path}",
            hint=f"`lorebank bank add {bank.name} DIR --replace` points it elsewhere,"
            f" `lorebank bank remove {bank.name}` forgets it",
        )


def load_registry(environ: Mapping[str, str]) -> Registry:
    """Empty without a file; raises `ConfigurationError` with file and line."""
    settings = user_config_path(environ)
    file = settings.with_name(FILE_NAME) if settings else None
    if file is None or not file.exists():
        return Registry(file)
    return _parsed(file, read_text(file))


def add_bank(
    environ: Mapping[str, str], name: str, path: Path, *, replace: bool = False
) -> tuple[RegisteredBank, str]:
    """Register a folder under a name; also returns a remark, possibly empty.

    Raises `WorkspaceError` for a missing folder, `UsageError` for a name in use (unless `replace`)
    or a folder registered under another name.
    """
    registry = load_registry(environ)
    name = _checked_name(name)
    root = existing_folder(path, hint=f"`lorebank init {path}` makes a workspace")
    taken = registry.find(name)
    if taken and Path(taken.path) != root and not replace:
        raise UsageError(
            f"'{taken.name}' is already {taken.path}", hint="--replace points it elsewhere"
        )
    others = [bank for bank in registry.banks if taken is None or bank.name != taken.name]
    if same := next((bank for bank in others if Path(bank.path) == root), None):
        hint = f"`lorebank bank remove {same.name}` frees it"
        raise UsageError(f"{root} is already registered as '{same.name}'", hint=hint)
    written = taken.name if taken else name
    _edit(registry, {("banks", written): str(root)})
    is_default = taken is not None and taken.is_default
    return RegisteredBank(written, str(root), is_default), _remark(root, others)


def remove_bank(environ: Mapping[str, str], name: str) -> RegisteredBank:
    """Remove a name, also as the default; the folder stays."""
    registry = load_registry(environ)
    bank = registry.named(name)
    changes: dict[tuple[str, ...], str | None] = {("banks", bank.name): None}
    if bank.is_default:
        changes["default",] = None
    _edit(registry, changes)
    return bank


def set_default_bank(environ: Mapping[str, str], name: str | None) -> RegisteredBank | None:
    """Make a bank the default; `None` leaves no default. Returns the default bank."""
    registry = load_registry(environ)
    if name is None:
        if registry.default:
            _edit(registry, {("default",): None})
        return None
    bank = registry.named(name)
    _edit(registry, {("default",): bank.name})
    return RegisteredBank(bank.name, bank.path, is_default=True)


def split_place(text: str, registry: Registry) -> tuple[str | None, str]:
    """`work:memory/a.md#L3` → `("work", "memory/a.md#L3")` if a bank `work` is registered."""
    name, colon, path = text.partition(":")
    if colon and path and _NAME.fullmatch(name) and (bank := registry.find(name)):
        return bank.name, path
    return None, text


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _checked_name(name: str) -> str:
    name = unicodedata.normalize("NFC", name.strip())
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a bank", hint=f"use {_NAME_RULE}")
    if _folded(name) == ALL:
        raise UsageError(f"{name!r} cannot name a bank", hint="--all stands for every bank")
    return name


def _remark(root: Path, others: list[RegisteredBank]) -> str:
    """A warning about an empty folder, or one inside another bank; else empty."""
    for other in others:
        outer, inner = sorted((Path(other.path), root), key=lambda path: len(path.parts))
        if inner.is_relative_to(outer) and inner.relative_to(outer).parts[0] in (
            MEMORY_FOLDER,
            BANK_FOLDER,
        ):
            return f"{inner} lies inside the memory of {outer}; that bank leaves it out"
    if not any((root / folder).is_dir() for folder in (MEMORY_FOLDER, BANK_FOLDER)):
        return f"{root} holds no {MEMORY_FOLDER}/ yet; `lorebank init {root}` lays one out"
    return ""


def _parsed(file: Path, text: str) -> Registry:
    document = parse_file(file, text)
    unknown = sorted(document.keys() - {"banks", "default"})
    table = document.get("banks", {})
    default = document.get("default")
    if unknown:
        raise _unexpected(file, text, (unknown[0],), "only `default` and a table [banks]")
    if not isinstance(table, dict):
        raise _unexpected(file, text, ("banks",), "a table of names and folders")
    seen: set[str] = set()
    for name, path in table.items():
        if not _NAME.fullmatch(name) or _folded(name) == ALL or _folded(name) in seen:
            raise _unexpected(file, text, ("banks", name), f"a name of its own: {_NAME_RULE}")
        if not isinstance(path, str) or not is_absolute(path):
            raise _unexpected(file, text, ("banks", name), "the absolute path of a folder")
        seen.add(_folded(name))
    if default is not None and (not isinstance(default, str) or _folded(default) not in seen):
        raise _unexpected(file, text, ("default",), "the name of a bank below [banks]")
    chosen = _folded(default) if default else None
    banks = [
        RegisteredBank(name, str(Path(path).expanduser()), is_default=_folded(name) == chosen)
        for name, path in table.items()
    ]
    return Registry(file, tuple(banks))


def _unexpected(file: Path, text: str, key: tuple[str, ...], expected: str) -> ConfigurationError:
    line = find_line(text, key)
    place = f"{file}:{line}" if line else str(file)
    return ConfigurationError(f"{place}: {'.'.join(key)}: expected {expected}")


_TRIES = 20  # chosen by hand: four concurrent writers need at most four


def _edit(registry: Registry, changes: Mapping[tuple[str, ...], str | None]) -> None:
    """Set keys of the file, or remove them for `None`."""
    if registry.file is None:
        raise ConfigurationError(
            "no settings folder was found", hint="set LOREBANK_CONFIG to a file's path"
        )
    file, target = registry.file, registry.file.resolve()
    for _ in range(_TRIES):
        before = read_if_exists(target)
        text = edited((before or b"").decode("utf-8-sig", "replace"), file, changes)
        _parsed(file, text)
        with suppress(ConcurrentEdit):
            return write_atomic(target, text.encode(), expected=before)
    raise ConfigurationError(f"{file}: was changed meanwhile", hint="run the command again")
