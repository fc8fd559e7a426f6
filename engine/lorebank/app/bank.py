"""class Bank: what every interface (command line, MCP, Python) calls, and nothing below it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from lorebank.app.workspace import (
    RECOGNISED,
    OpenWorkspace,
    Resources,
    synced_first,
    with_index_repair,
)
from lorebank.settings.config import Change, load_config
from lorebank.settings.files import cache_directory
from lorebank.workspace.discover import find_workspace, recognise
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, ensure_derived_folder

_OWN_FOLDERS = (BANK_FOLDER, DERIVED_FOLDER)
"""What is written in the folder of another program: nothing else there is touched."""


def _laid_out(path: str | Path, template: str, *, dry_run: bool = False) -> tuple[Path, list[str]]:
    """The folder, and what was made in it or would be."""
    from lorebank.templates.pack import init_workspace

    root = Path(path).expanduser().resolve()
    if not recognise(root):
        return root, init_workspace(root, template, dry_run=dry_run)
    made = [f"{name}/" for name in _OWN_FOLDERS if not (root / name).is_dir()]
    if not dry_run:
        ensure_derived_folder(root)
        (root / BANK_FOLDER).mkdir(exist_ok=True)
    return root, made


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
        Change("workspace.extra_paths", (form.notes,), origin),
        Change("workspace.exclude", form.exclude, origin),
    ]
    cache = cache_directory()
    if cache is not None and not (root / DERIVED_FOLDER).is_dir():
        index = str(cache / "indexes" / "{workspace}.sqlite")
        found.append(Change("index.path", index, origin))
        found.append(Change("embedder.cache.shared", True, origin))
    return found


if TYPE_CHECKING:
    from lorebank.app import (
        conversations,
        doctor,
        hosts,
        knowledge,
        questions,
        reading,
        reflection,
        rulings,
        upkeep,
        writing,
    )
    from lorebank.settings.tables import Config
else:

    class _Module:
        """Stands for a module of this room; `module.name` is imported when it is first called."""

        def __init__(self, name):
            self.name = name

        def __getattr__(self, function):
            return self.name, function

    for _name in ("conversations", "hosts", "knowledge", "questions", "reading", "reflection"):
        globals()[_name] = _Module(_name)
    doctor, rulings, upkeep, writing = map(_Module, ("doctor", "rulings", "upkeep", "writing"))


P = ParamSpec("P")
R = TypeVar("R")


class _Method:
    """A function of a module of this room as a method; its module is imported on first use."""

    def __init__(self, function: Any, prepare: Callable[..., Any]) -> None:
        self.function = function
        self.prepare = prepare

    def __get__(self, bank: Bank | None, owner: type[Bank]) -> Any:
        module, name = self.function
        function = getattr(import_module(f"lorebank.app.{module}"), name)
        prepared = self.prepare(function)

        @wraps(function)
        def method(bank: Bank, /, *args: Any, **kwargs: Any) -> Any:
            return prepared(bank.workspace, *args, **kwargs)

        setattr(owner, self.name, method)
        return method if bank is None else MethodType(method, bank)

    def __set_name__(self, owner: type[Bank], name: str) -> None:
        self.name = name


def _method(
    function: Callable[Concatenate[OpenWorkspace, P], R], prepare: Callable[..., Any] = lambda f: f
) -> Callable[Concatenate[Bank, P], R]:
    """A function that takes a workspace; `prepare` is what holds for all of its kind."""
    return _Method(function, prepare)  # type: ignore[return-value]


class Bank:
    """A workspace of Markdown notes that can be asked.

    >>> with Bank.init("~/notes") as bank:
    ...     _ = bank.retain("O(c=0.9) @Peter: Prefers tea in the afternoon.")
    ...     [hit] = bank.recall("what does Peter prefer?", k=1).hits
    >>> hit.content, hit.confidence, hit.entities
    ('Prefers tea in the afternoon.', 0.9, ('Peter',))

    `now` is the day on which relative phrases are read ("last week"); it can be given to `open` or
    to any call, and is today otherwise. Days are `datetime.date` or text such as `2025-11-27`,
    `30d`, `last week`; text that is not understood raises `UsageError`.

    Each method is a function of a module of `lorebank.app` that takes the open workspace first; the
    module is imported by the first call.
    """

    def __init__(self, workspace: OpenWorkspace) -> None:
        self.workspace = workspace

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        bank: str | None = None,
        environ: Mapping[str, str] | None = None,
        offline: bool = False,
        flags: Sequence[Change] = (),
        **how: Unpack[Resources],
    ) -> Self:
        """Open the workspace at `path`, or the one registered under the name `bank`; without
        either, that of `LOREBANK_WORKSPACE`, the nearest folder upwards that holds `.memory/`,
        `memory/` or `bank/`, or the default bank. Raises `WorkspaceError`.

        `now` and `environ` override the day and the environment. `offline` sends nothing to another
        machine, whatever the settings say; `flags` are settings that win over every file.
        `embedder`, `generator` and `reranker` are objects of your own that implement the protocols
        of these names, and replace those of the settings. `say` is called with a line of text
        before anything is sent to another machine or embedded again. A bank opened for a `group`
        never gives out the core memory or anything derived from it; it has an index of its own.
        """
        environment = os.environ if environ is None else environ
        root = find_workspace(None if path is None else Path(path), environment, bank=bank)
        if offline:
            flags = (*flags, Change("embedder.offline", True, "offline"))
        config = load_config(root, environment, flags, _recognised(root))
        return cls(OpenWorkspace(root, config, environ=environment, **how))

    @classmethod
    def init(
        cls,
        path: str | Path,
        *,
        template: str = "default",
        now: date | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Self:
        """Set up a workspace and open it; existing files are not changed.

        `template` is the name of a shipped template, or the path of a folder or zip that holds one.
        """
        root, made = _laid_out(path, template)
        environment = os.environ if environ is None else environ
        config = load_config(root, environment, defaults=_recognised(root))
        return cls(OpenWorkspace(root, config, now=now, created=made, environ=environment))

    @staticmethod
    def plan_init(path: str | Path, *, template: str = "default") -> tuple[str, ...]:
        """What `init` would make, as workspace paths; nothing is written."""
        return tuple(_laid_out(path, template, dry_run=True)[1])

    @property
    def root(self) -> Path:
        return self.workspace.root

    @property
    def config(self) -> Config:
        return self.workspace.config

    @property
    def group(self) -> bool:
        """Whether it serves a group, without the core memory."""
        return self.workspace.group

    @property
    def created(self) -> tuple[str, ...]:
        """What `init` made, as workspace paths."""
        return self.workspace.created

    def close(self) -> None:
        """Close the index and connections; the next call opens them again."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    recall = _method(questions.recall, synced_first)
    search = _method(questions.search, synced_first)
    fallbacks = _method(questions.fallbacks)
    get = _method(reading.get)
    timeline = _method(reading.timeline, synced_first)
    prose_naming = _method(reading.prose_naming, synced_first)
    today = _method(reading.today, synced_first)
    agenda = _method(reading.agenda, synced_first)
    bench = _method(questions.bench, synced_first)

    opinions = _method(knowledge.opinions, synced_first)
    explain = _method(knowledge.explain, synced_first)
    belief_changes = _method(knowledge.belief_changes, synced_first)
    rot = _method(knowledge.rot, synced_first)
    calibration = _method(knowledge.calibration, synced_first)

    entities = _method(knowledge.entities, synced_first)
    entity = _method(knowledge.entity, synced_first)
    resolve = _method(knowledge.resolve, synced_first)
    graph = _method(knowledge.graph, synced_first)
    export_graph = _method(knowledge.export_graph, synced_first)
    audit = _method(knowledge.audit, synced_first)
    decide = _method(knowledge.decide)

    retain = _method(writing.retain)
    add = _method(writing.retain)
    log = _method(writing.log)
    log_file = _method(writing.log_file)
    memory_write = _method(writing.memory_write)
    remember = _method(writing.remember)
    lint = _method(writing.lint, synced_first)
    undo_lint = _method(writing.undo_lint)
    undo_retain = _method(writing.undo_retain)

    reflect = _method(reflection.reflect, with_index_repair)
    undo_reflect = _method(reflection.undo_reflect, with_index_repair)

    inbox = _method(rulings.inbox, synced_first)
    rule = _method(rulings.rule, with_index_repair)
    unrule = _method(rulings.unrule, with_index_repair)
    decisions = _method(rulings.decisions, synced_first)
    judge = _method(rulings.judge)
    compare_verdicts = _method(rulings.compare_verdicts, synced_first)
    proposals = _method(rulings.proposals)

    confirm = _method(rulings.confirm, with_index_repair)
    forget = _method(rulings.forget, with_index_repair)
    undo_forget = _method(rulings.undo_forget, with_index_repair)
    purge_forgotten = _method(rulings.purge_forgotten)

    sync_sessions = _method(conversations.sync_sessions)
    transcripts = _method(conversations.transcripts)
    export_transcripts = _method(conversations.export_transcripts)
    session_turns = _method(conversations.session_turns)

    import_notes = _method(upkeep.import_notes)
    export = _method(upkeep.export, synced_first)
    import_template = _method(upkeep.import_template)
    export_template = _method(upkeep.export_template)

    memory_search = _method(hosts.memory_search, synced_first)
    begin_serving = _method(hosts.begin_serving)
    context = _method(hosts.context, synced_first)
    flush = _method(hosts.flush)
    session_hook = _method(hosts.session_hook, synced_first)

    sync = _method(upkeep.sync, with_index_repair)
    catch_up = _method(upkeep.catch_up)
    check = _method(upkeep.check, with_index_repair)
    status = _method(upkeep.status, with_index_repair)
    directives = _method(upkeep.directives)

    doctor = _method(doctor.examine)
