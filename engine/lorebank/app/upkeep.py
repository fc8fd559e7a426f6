"""Opening a workspace, laying one out, keeping its index, and its templates."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Self

from lorebank.app.opened import (
    RECOGNISED,
    Progress,
    Say,
    log_warning,
    made_anew_when_damaged,
    prepared,
)
from lorebank.app.sessions import Sessions
from lorebank.database.connection import (
    DamagedIndex,
    IndexProblem,
    integrity_problems,
    is_damage,
    open_index,
    read_meta,
)
from lorebank.domain import Diagnostic, Directive, Status, SyncReport
from lorebank.errors import NotWritable
from lorebank.index.sync import stale_paths, sync_files
from lorebank.providers.user_cache import cache_directory
from lorebank.reflect import materialise
from lorebank.settings.config import Change, load_config
from lorebank.workspace.discover import find_workspace, recognise
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, ensure_derived_folder
from lorebank.workspace.lock import WriterLock


class Upkeep(Sessions):
    """Set-up, index and templates."""

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        bank: str | None = None,
        now: date | None = None,
        environ: Mapping[str, str] | None = None,
        offline: bool = False,
        flags: Sequence[Change] = (),
        say: Say = log_warning,
        group: bool = False,
    ) -> Self:
        """Open the workspace at `path`, or the one registered under the name `bank`; without
        either, that of `LOREBANK_WORKSPACE`, the nearest folder upwards that holds `.memory/`,
        `memory/` or `bank/`, or the default bank. Raises `WorkspaceError`.

        `offline` sends nothing to another machine, whatever the settings say; `flags` are settings
        that win over every file. `say` is told, before it happens, what is sent where, and what
        has to be embedded anew. A bank opened for a `group` holds nothing of the core memory, nor
        anything made of it, whatever is asked; it keeps an index of its own.
        """
        environment = os.environ if environ is None else environ
        root = find_workspace(None if path is None else Path(path), environment, bank=bank)
        if offline:
            flags = (*flags, Change("embedder.offline", True, "offline"))
        config = load_config(root, environment, flags, _recognised(root))
        return cls(root, config, now=now, environ=environment, say=say, group=group)

    @classmethod
    def init(
        cls,
        path: str | Path,
        *,
        template: str = "default",
        now: date | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Lay out a workspace and open it; what is there already stays as it is.

        `template` is the name of a shipped template, or the path of a folder or zip that holds one.
        """
        from lorebank.templates.scaffold import init_workspace

        root = Path(path).expanduser().resolve()
        created = _adopted(root) if recognise(root) else init_workspace(root, template)
        environment = os.environ if environ is None else environ
        config = load_config(root, environment, defaults=_recognised(root))
        return cls(root, config, now=now, created=created, environ=environment)

    @staticmethod
    def plan_init(path: str | Path, *, template: str = "default") -> tuple[str, ...]:
        """What `init` would make, as workspace paths; nothing is written."""
        from lorebank.templates.scaffold import init_workspace

        root = Path(path).expanduser().resolve()
        if recognise(root):
            return tuple(f"{name}/" for name in _OWN_FOLDERS if not (root / name).is_dir())
        return tuple(init_workspace(root, template, dry_run=True))

    @made_anew_when_damaged
    def sync(
        self, *, full: bool = False, embed: bool = True, progress: Progress | None = None
    ) -> SyncReport:
        """Bring the index up to date with the files; `full` reads every file again.

        So are transcripts, where the settings name them, however little was added to them.

        The lexical index is complete before the first text is embedded, so that a recall in
        another process never waits for a model.
        """
        if damage := self._damage():
            self._replace_index(DamagedIndex[0](damage[0]))
        reading = read_meta(self._index, "reading")
        if self._in_memory:
            raise NotWritable(self._in_memory, hint="make .memory writable, or free some space")
        if reading not in (None, self._read_settings.fingerprint()):
            self._say("headings or chunk sizes changed: every file is read and cut anew")
        report = self._sync_words(full=full, progress=progress).with_sessions(
            self.sync_sessions(force=True, full=full, progress=progress)
        )
        if not embed:
            return replace(report, pending=self._meaning.pending(self._index))
        embedded = self._meaning.embed(self._index, progress=progress)
        self._judge_waiting()
        if self._sidecar is not None:
            if self._sidecar.sessions_folder is not None:
                self.export_transcripts(self.transcripts())
            self._sidecar.refresh(progress)
        problem, remedy = self._meaning.trouble(self._index)
        return replace(
            report,
            embedded=embedded,
            pending=self._meaning.pending(self._index),
            embedder_problem=problem,
            embedder_remedy=remedy,
        )

    def _damage(self) -> tuple[str, ...]:
        """What is wrong with the index as a database; empty where it is sound."""
        try:
            return integrity_problems(self._index)
        except IndexProblem as problem:
            if not is_damage(problem):
                raise
            return (f"damaged: {problem}",)

    def catch_up(self) -> SyncReport:
        """What a program of long life does in the background: sync what changed, read transcripts
        on, embed what is new."""
        report = self._sync_words()
        if self._sidecar is None:  # which has timers of its own
            report = report.with_sessions(self.sync_sessions())
        embedded = self._meaning.embed(self._index)
        self._judge_waiting()
        pending = self._meaning.pending(self._index)
        return replace(report, embedded=embedded, pending=pending)

    def check(self) -> tuple[str, ...]:
        """What an index made anew from the files would hold differently; empty where nothing."""
        from tempfile import TemporaryDirectory

        from lorebank.index.compare import differences

        damage = self._damage()
        if damage:
            return damage
        self._judge_waiting()
        with TemporaryDirectory() as folder:
            fresh = prepared(open_index(Path(folder) / "index.sqlite"))
            try:
                sync_files(fresh, self.root, self._walk, self._read_settings)
                materialise.refresh_opinions(
                    fresh, self.root, None, self.config.reflect, self._vectors_of
                )
                return differences(self._index, fresh)
            finally:
                fresh.close()

    @made_anew_when_damaged
    def status(self) -> Status:
        """What is indexed, with what, how fresh, and what is wrong."""
        from lorebank.index.status import read_status

        found = self._walk()
        stale = stale_paths(self._index, self.root, found)
        said, odd = self._session_state()
        status = read_status(
            self._index,
            self.root,
            stale=stale,
            walk_problems=(*found.problems, *odd),
            embedder=self._meaning.describe(self._index),
            vector_search=self._vectors.describe(),
            index_path=self._index_path,
            directives=self.directives(),
            sessions=said,
        )
        status = replace(status, rules_alone=self._rules_alone, form=self._form)
        if self._in_memory:
            kept = Diagnostic(str(self._index_path), 0, "index-in-memory", self._in_memory)
            status = replace(status, problems=(kept, *status.problems))
        if self._sidecar is None:
            return status
        about = self._sidecar.describe(self._index)
        return replace(status, backend=about.pop("engine"), sidecar=about)

    def directives(self) -> tuple[Directive, ...]:
        """The owner's hard rules, one a list item of `bank/directives.md`, in their order."""
        from lorebank.reflect.directives import read_directives

        return read_directives(self.root)

    def import_template(self, source: str, *, dry_run: bool = False) -> tuple[str, ...]:
        """Lay what a template brings and this workspace has not into it; returns these paths.

        `source` as in `init`. Nothing is overwritten; with `dry_run` nothing is written.
        """
        from lorebank.templates.scaffold import init_workspace

        ensure_derived_folder(self.root)
        if dry_run:
            return self.plan_init(self.root, template=source)
        with WriterLock(self.root):
            return tuple(init_workspace(self.root, source))

    def export_template(
        self,
        name: str,
        target: str | Path,
        *,
        title: str = "",
        description: str = "",
        directives: bool = False,
        dry_run: bool = False,
    ) -> tuple[str, ...]:
        """Write this workspace's standing questions as a template: a folder, or a zip by its name.

        Questions and their settings only, never an answer or a note; the directives where asked
        for. Returns the paths within the template. Raises `WorkspaceError` where `target` is taken.
        """
        from lorebank.reflect.template_export import export_pack

        return export_pack(
            self.root,
            name,
            Path(target).expanduser(),
            title=title,
            description=description,
            directives=directives,
            dry_run=dry_run,
        )


_OWN_FOLDERS = (BANK_FOLDER, DERIVED_FOLDER)
"""What is written in the folder of another program: nothing else there is touched."""


def _adopted(root: Path) -> list[str]:
    """Make room in a folder of another program; what was made."""
    made = [f"{name}/" for name in _OWN_FOLDERS if not (root / name).is_dir()]
    ensure_derived_folder(root)
    (root / BANK_FOLDER).mkdir(exist_ok=True)
    return made


def _recognised(root: Path) -> list[Change]:
    """Settings for a folder of another program, read where it lies.

    Until something is written for it, its index is kept in the user's cache: commands that only
    read leave the folder as it is.
    """
    form = recognise(root)
    if form is None:
        return []
    origin = f"{RECOGNISED}{form.name}"
    found = [
        Change("workspace.log_pattern", form.log_pattern, origin),
        Change("workspace.extra_paths", (".",), origin),
        Change("workspace.exclude", form.exclude, origin),
    ]
    cache = cache_directory()
    if cache is not None and not (root / DERIVED_FOLDER).is_dir():
        index = str(cache / "indexes" / "{workspace}.sqlite")
        found.append(Change("index.path", index, origin))
        found.append(Change("embedder.cache.shared", True, origin))
    return found
