"""One export: which facts go out, in which form, and where to, whole or not at all.

A new folder is filled next to its place and takes it in one step. With `force`, files of an earlier
export are written over one by one, those it no longer has are removed by the list it left, and
whatever else lies there stays.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from lorebank.domain import Entity, Fact, FactKind, Opinion
from lorebank.errors import UsageError, WorkspaceError
from lorebank.exchange.notes import safe_path
from lorebank.exchange.reports import ExportReport
from lorebank.exchange.writers import (
    Page,
    bank_pages,
    facts_csv,
    facts_jsonl,
    page_html,
    page_markdown,
)
from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic

LIST = "export.json"
"""Names the files of the export beside it."""


def write_target_file(target: Path, text: str, *, force: bool) -> None:
    """Write one file; `WorkspaceError` where there is one with something in it."""
    if target.is_dir():
        raise WorkspaceError(f"{target}: is a folder", hint="name a file")
    before = target.read_bytes() if target.exists() else None
    if before and not force:
        raise _taken(target)
    write_atomic(target, text.encode("utf-8"), expected=before)


def write_target_folder(target: Path, files: Mapping[str, str], *, force: bool) -> None:
    """Write the files below a folder; `WorkspaceError` where something lies there already."""
    listed = {LIST: json.dumps({"files": sorted(files)}, ensure_ascii=False, indent=1) + "\n"}
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
        raise WorkspaceError(f"{target}: is no folder", hint="name another place")
    if target.is_dir() and any(target.iterdir()):
        if not force:
            raise _taken(target)
        _write_over(target, {**files, **listed})
        return
    _fill_and_move(target, {**files, **listed})


def _fill_and_move(target: Path, files: Mapping[str, str]) -> None:
    fresh = target.with_name(f".{target.name}.{os.urandom(6).hex()}.lorebank-tmp")
    try:
        for path, text in files.items():
            file = fresh / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="")
        if target.is_dir():
            target.rmdir()
        fresh.rename(target)
    except OSError as error:
        raise WorkspaceError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_over(target: Path, files: Mapping[str, str]) -> None:
    for path in _earlier(target) - files.keys():
        (target / path).unlink(missing_ok=True)
    for path, text in files.items():
        file = target / path
        before = file.read_bytes() if file.exists() else None
        if before != text.encode("utf-8"):
            write_atomic(file, text.encode("utf-8"), expected=before)


def _earlier(target: Path) -> set[str]:
    """What an earlier export wrote here, of names that an export can have."""
    try:
        said = json.loads((target / LIST).read_bytes())["files"]
        return {path for path in said if isinstance(path, str) and safe_path(path) == path}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _taken(target: Path) -> WorkspaceError:
    return WorkspaceError(
        f"{target}: is there already and not empty",
        hint="name another place, or write over it with --force",
    )


class ExportForm(StrEnum):
    """What can be written."""

    JSONL = "jsonl"
    CSV = "csv"
    MARKDOWN = "markdown"
    SITE = "site"


_TABLES: Mapping[ExportForm, Callable[[Sequence[Fact]], str]] = MappingProxyType(
    {ExportForm.JSONL: facts_jsonl, ExportForm.CSV: facts_csv}
)
_BUNDLES: Mapping[ExportForm, tuple[str, Callable[[Page], str]]] = MappingProxyType(
    {ExportForm.MARKDOWN: (".md", page_markdown), ExportForm.SITE: (".html", page_html)}
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts go out."""

    kinds: tuple[FactKind, ...] = ()
    """Any where empty."""
    since: date | None = None
    """Those that happened, or were recorded, on that day or later."""
    quarantined: bool = False
    """Whether facts go out that nobody vouched for."""

    def takes(self, fact: Fact) -> bool:
        last = fact.recorded
        if fact.occurred and fact.occurred.end:
            last = fact.occurred.end
        recent = self.since is None or (last is not None and last >= self.since)
        return recent and (not self.kinds or fact.kind in self.kinds)


def export_bank(
    form: str,
    facts: Sequence[Fact],
    entities: Sequence[Entity],
    opinions: Sequence[Opinion],
    *,
    wanted: Wanted,
    target: Path | None = None,
    force: bool = False,
) -> ExportReport:
    """Write the facts that are wanted; a table without a target is handed back as text.

    `UsageError` for an unknown form, and for a bundle of pages without a target.
    """
    chosen = _chosen(form)
    fitting = [fact for fact in facts if wanted.takes(fact)]
    taken = [fact for fact in fitting if wanted.quarantined or not fact.quarantined]
    left_out = len(fitting) - len(taken)
    if chosen in _TABLES:
        text = _TABLES[chosen](taken)
        if target is None:
            return ExportReport(chosen.value, len(taken), left_out, text=text)
        write_target_file(target, text, force=force)
        return ExportReport(chosen.value, len(taken), left_out, str(target))
    if target is None:
        raise UsageError(f"{chosen} is a folder of pages", hint="say where: --output FOLDER")
    suffix, write = _BUNDLES[chosen]
    held = opinions if not wanted.kinds or FactKind.OPINION in wanted.kinds else ()
    pages = bank_pages(taken, entities, held)
    files = {f"{page.path}{suffix}": write(page) for page in pages}
    write_target_folder(target, files, force=force)
    return ExportReport(chosen.value, len(taken), left_out, str(target), tuple(files))


def _chosen(form: str) -> ExportForm:
    try:
        return ExportForm(form)
    except ValueError:
        known = ", ".join(ExportForm)
        raise UsageError(f"'{form}' is no form of an export", hint=f"one of {known}") from None
