"""One export, all or nothing: a new folder is filled next to its target and renamed. With `force`,
files of an earlier export are overwritten or removed, and everything else stays."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lorebank.domain.facts import Entity, Fact, Opinion
from lorebank.errors import UsageError, WorkspaceError
from lorebank.exchange.notes import safe_path
from lorebank.exchange.writers import facts_csv, facts_jsonl, html_pages, markdown_pages
from lorebank.records import Record, dig, record_to_dict_with
from lorebank.workspace.atomic import read_if_exists, read_json, write_atomic
from lorebank.workspace.run_store import Change, apply_change

FILE_LIST = "export.json"


def write_target_folder(target: Path, files: Mapping[str, str], *, force: bool) -> None:
    """Write the files below a folder; raises `WorkspaceError` if it is not empty."""
    listed = json.dumps({"files": sorted(files)}, ensure_ascii=False, indent=1) + "\n"
    files = {**files, FILE_LIST: listed}
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
        raise WorkspaceError(f"{target}: is not a folder", hint="choose another place")
    if target.is_dir() and any(target.iterdir()):
        if not force:
            raise _already_exists(target)
        listed = dig(read_json(target / FILE_LIST), "files")
        for path in listed if isinstance(listed, list) else ():
            # A path that an export cannot have was put into the list by somebody else.
            if isinstance(path, str) and path not in files and safe_path(path) == path:
                (target / path).unlink(missing_ok=True)
        for path, text in files.items():
            file = target / path
            apply_change(file, Change(read_if_exists(file), text.encode("utf-8")))
        return
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}.lorebank-tmp")
    try:
        for path, text in files.items():
            file = temporary / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="")
        if target.is_dir():
            target.rmdir()
        temporary.rename(target)
    except OSError as error:
        raise WorkspaceError.on_disk(target, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _already_exists(target: Path) -> WorkspaceError:
    return WorkspaceError(
        f"{target}: already exists and is not empty",
        hint="choose another place, or overwrite it with --force",
    )


_TABLES = {"jsonl": facts_jsonl, "csv": facts_csv}
_BUNDLES = {"markdown": markdown_pages, "site": html_pages}


class ExportReport(Record):
    """The result of an export."""

    form: str
    """`jsonl`, `csv`, `markdown` or `site`."""
    facts: int
    left_out: int
    """Facts in quarantine that were not exported."""
    target: str = ""
    """The file or folder; empty if the text is returned."""
    files: tuple[str, ...] = ()
    """Paths in the target; empty for a single file."""
    text: str = ""
    """Of `jsonl` and `csv` without a target."""

    to_dict = record_to_dict_with(form="format", left_out=("text",))


def export_bank(
    form: str,
    facts: Sequence[Fact],
    entities: Sequence[Entity],
    opinions: Sequence[Opinion],
    *,
    quarantined: bool = False,
    target: Path | None = None,
    force: bool = False,
) -> ExportReport:
    """Raises `UsageError` for an unknown format, and for pages without a target."""
    if form not in (*_TABLES, *_BUNDLES):
        known = ", ".join((*_TABLES, *_BUNDLES))
        raise UsageError(f"'{form}' is not an export format", hint=f"one of {known}")
    exported = [fact for fact in facts if quarantined or not fact.quarantined]
    report = ExportReport(form, len(exported), len(facts) - len(exported), str(target or ""))
    if form in _TABLES:
        text = _TABLES[form](exported)
        if target is None:
            return replace(report, text=text)
        if target.is_dir():
            raise WorkspaceError(f"{target}: is a folder", hint="name a file")
        before = read_if_exists(target)
        if before and not force:
            raise _already_exists(target)
        write_atomic(target, text.encode("utf-8"), expected=before)
        return report
    if target is None:
        raise UsageError(f"{form} is a folder of pages", hint="say where: --output FOLDER")
    files = _BUNDLES[form](exported, entities, opinions)
    write_target_folder(target, files, force=force)
    return replace(report, files=tuple(files))
