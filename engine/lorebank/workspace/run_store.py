"""Undo data of runs, as `.memory/<area>/<run>.zip`. An archive is on disk before its run writes the
first file, so that a killed run can be undone or finished."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile

from lorebank.domain.reports import UndoReport
from lorebank.errors import NotFound, PathRefused
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists, replace_bytes
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder, is_markdown
from lorebank.workspace.paths import is_linked

MANIFEST = "manifest.json"  # the entry that describes the others
_RUN = re.compile(r"\A\d{4}-\d{2}-\d{2}-\d+\Z")
_PENDING = ".pending"
_UNDOING = ".undoing"
_MAX_RUNS_NAMED = 5  # the latest ones, in an error message


class Change(Record):
    """The bytes of one file before and after; `None` if there is no file."""

    before: bytes | None
    after: bytes | None

    @classmethod
    def of_texts(cls, before: str | None, after: str | None) -> Change:
        return cls(*(None if text is None else text.encode("utf-8") for text in (before, after)))


def pack(entries: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    # The fastest level: the run waits for its archive.
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in entries.items():
            # A fixed date: zip cannot store a clock before 1980.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """Raises `BadZipFile`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


class RunStore(Record):
    root: Path
    area: str  # the folder, below `.memory/`

    def names(self) -> tuple[str, ...]:
        """All runs, oldest first, including pending ones."""
        folder = self.root / DERIVED_FOLDER / self.area
        stems = {
            file.stem.removesuffix(_PENDING).removesuffix(_UNDOING) for file in folder.glob("*.zip")
        }
        return tuple(sorted(filter(_RUN.match, stems), key=_run_sort_key))

    def next_name(self, day: str, numbers: Iterable[int] = ()) -> str:
        """A new name for this day, numbered above existing runs and `numbers`."""
        known = [_run_sort_key(name)[1] for name in self.names() if name.startswith(day)]
        return f"{day}-{max([0, *known, *numbers]) + 1}"

    def find(self, name: str | None, *, none: str, hint: str) -> str:
        """The name, or the latest for `None`; `NotFound` with `none` and `hint` if there is
        none."""
        known = self.names()
        if name is None and known:
            return known[-1]
        if name is not None and name in known:
            return name
        raise NotFound(
            none if name is None else f"there is no undo data for run '{name}'",
            hint=f"runs that are kept: {', '.join(known[-_MAX_RUNS_NAMED:])}" if known else hint,
        )

    def file(self, name: str) -> Path:
        states = (self._file(name, state) for state in (_PENDING, _UNDOING))
        return next((file for file in states if file.exists()), self._file(name))

    def is_pending(self, name: str) -> bool:
        return self._file(name, _PENDING).exists()

    def is_undoing(self, name: str) -> bool:
        """Whether an undo was begun and not finished."""
        return self._file(name, _UNDOING).exists()

    def write(self, name: str, entries: Mapping[str, bytes], *, pending: bool = False) -> None:
        """Save a run, replacing its archive in this state."""
        ensure_derived_folder(self.root)
        file = self._file(name, _PENDING * pending)
        replace_bytes(file, pack(entries), expected=read_if_exists(file))

    def finish(self, name: str) -> None:
        self.file(name).replace(self._file(name))

    @contextmanager
    def reading(self, name: str) -> Iterator[dict[str, bytes]]:
        """The entries of a run; raises `NotFound` if they cannot be read, also by the caller."""
        try:
            yield unpack(self.file(name).read_bytes())
        except (LookupError, TypeError, ValueError, RuntimeError, OSError, BadZipFile) as problem:
            raise NotFound(
                f"the undo data of run '{name}' cannot be read: {problem}",
                hint="version control may still hold the lines",
            ) from problem

    def drop(self, name: str) -> None:
        """Delete the undo data of a run."""
        for state in ("", _PENDING, _UNDOING):
            self._file(name, state).unlink(missing_ok=True)

    def put_back(
        self,
        name: str,
        changes: Mapping[str, Change],
        edited: Sequence[str],
        *,
        stays: bool = False,
    ) -> UndoReport:
        """Apply the changes that undo a run, then drop it unless it `stays`. `edited` are the files
        not changed, for the report."""
        self.file(name).replace(self._file(name, _UNDOING))
        for path, change in changes.items():
            apply_change(self.root / path, change)
        if stays:
            self.finish(name)
        else:
            self.drop(name)
        return UndoReport(name, tuple(sorted(changes)), tuple(sorted(edited)))

    def _file(self, name: str, state: str = "") -> Path:
        return self.root / DERIVED_FOLDER / self.area / f"{name}{state}.zip"


def has_interrupted(root: Path) -> bool:
    """Whether any run or undo was begun and not finished."""
    folders = (root / DERIVED_FOLDER / area for area in ("forgotten", "undo"))
    endings = (f"{_PENDING}.zip", f"{_UNDOING}.zip")
    return any(file.name.endswith(endings) for each in folders for file in each.rglob("*.zip"))


def check_restorable(root: Path, path: str, *, below: str = "") -> None:
    """`PathRefused` unless the path is a note: an archive may be anybody's."""
    steps = PurePosixPath(path)
    odd = ".." in steps.parts or any(part.startswith(".") for part in steps.parts)
    outside = steps.is_absolute() or (below != "" and steps.parts[:1] != (below,))
    if odd or outside or not is_markdown(steps.name) or "\\" in path or ":" in path:
        raise PathRefused(f"{path}: is not a note of this workspace, and was not restored")
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, and was not restored")


def apply_change(file: Path, change: Change) -> None:
    """Raises `ConcurrentEdit` if the file has changed."""
    if change.before != change.after:
        replace_bytes(file, change.after, expected=change.before)


def _run_sort_key(run: str) -> tuple[str, int]:
    day, _, number = run.rpartition("-")
    return day, int(number)
