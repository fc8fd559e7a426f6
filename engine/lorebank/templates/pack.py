"""Templates: packs of pages that a workspace begins with, read within limits, and laid out.

    name = "my-template"
    title = "Deadlines"
    description = "One sentence for the list."

    [[pages]]
    path = "bank/pages/deadlines.md"
    title = "Deadlines"
    question = "What is due, to whom, and when?"
    words = ["due", "deadline*"]

A pack may come from anybody. Only `template.toml` and Markdown files below `workspace/` inside a
workspace's memory are read; a path to anywhere else, a link, an encrypted or an oversized entry
rejects the whole pack before anything is written. The built-in packs are in `bank_templates/`;
files that a pack lacks come from the pack `default`.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from lorebank.errors import (
    ConcurrentEdit,
    ConfigurationError,
    NotFound,
    PathRefused,
    WorkspaceError,
)
from lorebank.records import Record
from lorebank.settings.files import parse_toml
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.given import open_source
from lorebank.workspace.layout import (
    BANK_FOLDER,
    DERIVED_FOLDER,
    GENERATED_FOLDERS,
    MEMORY_FOLDER,
    ensure_derived_folder,
    is_core,
)
from lorebank.workspace.paths import refuse_outside_memory
from lorebank.workspace.run_store import pack
from lorebank.workspace.standing import (
    StandingPage,
    is_standing_path,
    own_settings,
    standing_page,
    standing_page_text,
)

MANIFEST = "template.toml"
MAX_FILES = 500  # a pack is a start, not an archive
MAX_FILE_BYTES = 1_000_000  # bytes
MAX_PACK_BYTES = 8_000_000  # all files, unpacked
_CONTENT = "workspace/"


_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_MAX_NAME_CHARACTERS = 60  # it is typed on the command line
_MAX_SETTING_CHARACTERS = 400  # for templates, which may come from anybody; pages have no limit
_MAX_PROBLEMS_SHOWN = 5  # problems named in one message


class Template(Record):
    name: str
    title: str
    description: str
    pages: tuple[StandingPage, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Workspace path → content, besides the standing pages."""


def read_manifest(data: bytes, origin: str) -> Template:
    """The manifest; raises `ConfigurationError` with its problems."""
    found, problems = check_manifest(data)
    if found is not None:
        return found
    left = len(problems) - _MAX_PROBLEMS_SHOWN
    more = f" (and {left} more)" if left > 0 else ""
    raise ConfigurationError(f"{origin}: {'; '.join(problems[:_MAX_PROBLEMS_SHOWN])}{more}")


def check_manifest(data: bytes) -> tuple[Template | None, tuple[str, ...]]:
    """The manifest, or every problem as `key: expected …, not …`."""
    try:
        table = parse_toml(data.decode("utf-8-sig"))
    except ValueError as error:
        return None, (f"is not TOML: {error}",)
    problems = _unknown_keys(table, ("name", "title", "description", "pages"))
    name = str(table.get("name", ""))
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME_CHARACTERS:
        expected = "small letters and digits with single hyphens between, such as my-template"
        problems.append(f"name: expected {expected}, not {name!r}")
    title, description = (str(table.get(key, "")).strip() for key in ("title", "description"))
    for key, text in (("title", title), ("description", description)):
        if not text or re.search(r"[\r\n]", text):
            problems.append(f"{key}: expected one line of text, not {text[:60]!r}")
    pages: dict[str, StandingPage] = {}
    tables = table.get("pages", [])
    if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
        return None, (*problems, "pages: expected a list of tables")
    for number, settings in enumerate(tables, start=1):
        path = str(settings.get("path", ""))
        page, wrong = standing_page(path, settings)
        wrong += _unknown_keys(settings, StandingPage.__annotations__)
        for key, value in settings.items():
            if isinstance(value, str) and len(value) > _MAX_SETTING_CHARACTERS:
                wrong.append(f"{key}: expected at most {_MAX_SETTING_CHARACTERS} characters")
        try:
            refuse_outside_memory(path)
            is_usable = is_standing_path(path)
        except PathRefused:
            is_usable = False
        if not is_usable:
            expected = "a Markdown file below bank/ that has no other use"
            wrong.append(f"path: expected {expected}, not {path!r}")
        if path.casefold() in pages:
            wrong.append(f"path: expected each path once; {path} stands twice")
        problems += [f"pages.{number}.{each}" for each in wrong]
        if page is not None:
            pages[path.casefold()] = page
    if problems:
        return None, tuple(problems)
    return Template(name, title, description, tuple(pages.values())), ()


def _unknown_keys(table: Mapping[str, Any], known: Iterable[str]) -> list[str]:
    odd = table.keys() - set(known)
    return [f"{key}: expected no key of that name, not {table[key]!r}" for key in sorted(odd)]


def read_pack(source: Path) -> tuple[bytes, dict[str, bytes]]:
    """The raw manifest, and workspace path → content in order of path."""
    if not source.exists():
        hint = "name a folder or a zip with template.toml"
        raise NotFound(f"{source}: no such template", hint=hint)
    with closing(open_source(source)) as given:
        if given.paths == ("",):
            raise WorkspaceError(f"{source}: is not a readable zip archive")
        for problem in given.left_out:
            if problem.code == "entry-refused" or _belongs_to_pack(problem.path):
                raise PathRefused(f"{source}: {problem.path!r} {problem.message}")
        paths = sorted(filter(_belongs_to_pack, given.paths))
        if MANIFEST not in paths:
            hint = "a template is a folder with that file"
            raise NotFound(f"{source}: holds no {MANIFEST}", hint=hint)
        if len(paths) > MAX_FILES + 1:
            raise WorkspaceError(f"{source}: holds more than {MAX_FILES} files")
        files: dict[str, bytes] = {}
        for path in paths:
            name = path.removeprefix(_CONTENT)
            if path != MANIFEST:
                try:
                    refuse_outside_memory(name)
                except PathRefused as error:
                    where = f"{source}: {_CONTENT}: {error.message}"
                    raise PathRefused(where, hint=error.hint) from None
                if name.casefold().startswith(tuple(f"{each}/" for each in GENERATED_FOLDERS)):
                    what = "is a folder of reflect; templates may not write there"
                    raise PathRefused(f"{source}: {name} {what}")
            if any(name.casefold() == other.casefold() for other in files):
                raise WorkspaceError(f"{source}: holds {name} twice")
            try:
                files[name] = given.read(path, MAX_FILE_BYTES)
            except OSError as error:
                raise WorkspaceError(f"{source}: {path}: {error.strerror}") from error
            if sum(map(len, files.values())) > MAX_PACK_BYTES:
                raise WorkspaceError(f"{source}: holds more than {MAX_PACK_BYTES // 10**6} MB")
    manifest = files.pop(MANIFEST)
    for name, content in files.items():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise WorkspaceError(f"{source}: {name} is not UTF-8 at byte {error.start}") from None
    return manifest, files


def _belongs_to_pack(path: str) -> bool:
    return path == MANIFEST or f"{path}/".startswith(_CONTENT)


def pack_files(
    name: str,
    title: str,
    description: str,
    pages: Sequence[StandingPage],
    files: Mapping[str, bytes],
) -> dict[str, bytes]:
    """Pack path → content; `files` are given by workspace path."""
    import tomlkit

    manifest = {
        "name": name,
        "title": title,
        "description": description,
        "pages": list(map(own_settings, pages)),
    }
    found = {MANIFEST: tomlkit.dumps(manifest).encode()}
    return found | {f"workspace/{path}": content for path, content in sorted(files.items())}


def write_pack(target: Path, files: Mapping[str, bytes]) -> None:
    """Raises `WorkspaceError` if the target exists."""
    if os.path.lexists(target):
        raise WorkspaceError(f"{target}: already exists", hint="choose another place")
    try:
        if target.suffix.lower() == ".zip":
            write_atomic(target, pack(files), expected=None)
            return
        for path, content in files.items():
            write_atomic(target / path, content, expected=None)
    except ConcurrentEdit as error:
        raise WorkspaceError(error.message) from error


DEFAULT_TEMPLATE = "default"


def templates_root() -> Path:
    return _shipped("bank_templates", "bank_templates")


def list_templates() -> tuple[Template, ...]:
    return tuple(map(load_template, _names()))


def load_template(source: str) -> Template:
    """A built-in pack by name, or any pack by path."""
    place = _place(source)
    manifest, files = read_pack(place)
    return replace(read_manifest(manifest, f"{place}/{MANIFEST}"), files=files)


def check_template(source: str) -> tuple[str, ...]:
    """Every problem in a pack's manifest; raises if it cannot be read."""
    manifest, files = read_pack(_place(source))
    template, problems = check_manifest(manifest)
    # The page of the manifest would replace a file of the same name.
    return problems or tuple(
        f"pages.{number}.path: expected a page that workspace/ does not hold as well, not {p.path}"
        for number, p in enumerate(template.pages if template else (), start=1)
        if p.path in files
    )


def _place(source: str) -> Path:
    """The path of a pack; raises `NotFound` with suggestions."""
    names = _names()
    if source in names:
        return templates_root() / source
    is_path = "/" in source or "\\" in source or source.startswith((".", "~"))
    if is_path or source.lower().endswith(".zip") or Path(source).is_dir():
        return Path(source).expanduser()
    near = difflib.get_close_matches(source, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise NotFound(f"no template {source!r}", hint=hint)


def template_files(template: Template) -> dict[str, bytes]:
    """Workspace path → content of every file of the pack and the default one, sorted."""
    own = {path.casefold() for path in template.files}
    _, plain = read_pack(templates_root() / DEFAULT_TEMPLATE)
    files = {path: content for path, content in plain.items() if path.casefold() not in own}
    files |= template.files
    frame = page_frame("standing")
    files |= {page.path: standing_page_text(page, frame).encode() for page in template.pages}
    return dict(sorted(files.items()))


def page_frame(kind: str) -> str:
    """The initial text of a page (`entity`, `standing`), with placeholders like `{{name}}`."""
    path = templates_root() / DEFAULT_TEMPLATE / "pages" / f"{kind}.md"
    return path.read_text(encoding="utf-8")


def _names() -> list[str]:
    names = [manifest.parent.name for manifest in templates_root().glob(f"*/{MANIFEST}")]
    return sorted(names, key=lambda name: (name != DEFAULT_TEMPLATE, name))


_FOLDERS = (MEMORY_FOLDER, BANK_FOLDER, f"{BANK_FOLDER}/entities", DERIVED_FOLDER)


def init_workspace(
    root: Path, template: str = DEFAULT_TEMPLATE, *, dry_run: bool = False
) -> list[str]:
    """Create what a workspace lacks; returns the created paths, folders with a final `/`.

    Nothing is overwritten. Raises `NotFound` for an unknown template, `PathRefused` if a folder is
    a link, `WorkspaceError` if the folder cannot be written.
    """
    files = missing_files(root, load_template(template))
    for folder in _FOLDERS:
        _refuse_link(root / folder)
    missing = [f"{folder}/" for folder in _FOLDERS if not (root / folder).is_dir()]
    if dry_run:
        return [*missing, *files]
    try:
        root.mkdir(parents=True, exist_ok=True)
        for folder in missing:
            (root / folder).mkdir(exist_ok=True)
    except OSError as error:
        raise WorkspaceError.on_disk(root, error, "cannot be created") from error
    ensure_derived_folder(root)
    return [*missing, *(path for path, data in files.items() if _write_new(root, path, data))]


def missing_files(root: Path, template: Template) -> dict[str, bytes]:
    has_core = root.is_dir() and any(is_core(entry.name) for entry in root.iterdir())
    return {
        path: content
        for path, content in template_files(template).items()
        if not (has_core and is_core(path)) and not _exists(root, path)
    }


def _exists(root: Path, path: str) -> bool:
    """Whether the path exists; raises `PathRefused` if a parent folder is a link."""
    step = root
    for part in path.split("/")[:-1]:
        step /= part
        _refuse_link(step)
    return os.path.lexists(root / path)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        hint = "put a plain folder in its place"
        raise PathRefused(f"{path}: is a symbolic link, which is never followed", hint=hint)


def _write_new(root: Path, path: str, content: bytes) -> bool:
    try:
        write_atomic(root / path, content, expected=None)
    except (ConcurrentEdit, PathRefused):
        return False
    return True


SAMPLE_TODAY = "2025-12-10"
"""The day after the sample's last log, so that "last week" has answers."""


def copy_sample(folder: Path) -> Path:
    """Raises `WorkspaceError` unless the folder is empty or missing."""
    if folder.exists() and any(folder.iterdir()):
        raise WorkspaceError(
            f"{folder} is not empty; nothing was copied", hint="name a new folder for the sample"
        )
    return Path(shutil.copytree(_shipped("sample", "fixtures/harbour"), folder, dirs_exist_ok=True))


def _shipped(name: str, in_checkout: str) -> Path:
    """A folder of the installed package, or of the checkout."""
    from importlib import resources

    package = Path(str(resources.files("lorebank")))
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / in_checkout
