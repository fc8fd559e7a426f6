"""Bank templates: the packs of starting files and standing questions that `init` lays out.

A pack is a folder, or a zip of one: `template.toml`, and in `workspace/` the files it brings. The
shipped ones are in `bank_templates/`; what a pack does not bring comes from the pack `default`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from pathlib import Path

from lorebank.errors import NotFound
from lorebank.records import dataclass
from lorebank.workspace.pack_source import MANIFEST, PackFiles, read_pack_files
from lorebank.workspace.standing import StandingPage, standing_page_text

DEFAULT_TEMPLATE = "default"


@dataclass(frozen=True, slots=True)
class Template:
    """One pack, read and checked."""

    name: str
    title: str
    description: str
    pages: tuple[StandingPage, ...]
    files: Mapping[str, bytes]
    """Workspace path → content of what the pack itself brings besides its standing pages."""


def templates_root() -> Path:
    """Where the packs are: inside the installed package, or beside `engine/` in a checkout."""
    from importlib import resources

    package = Path(str(resources.files("lorebank")))
    installed = package / "bank_templates"
    return installed if installed.is_dir() else package.parents[1] / "bank_templates"


def list_templates() -> tuple[Template, ...]:
    """All shipped packs, `default` first, then by name."""
    return tuple(_read(templates_root() / name) for name in _names())


def load_template(source: str) -> Template:
    """A shipped pack by its name, or any pack by its path (a folder or a zip).

    What looks like a path is one; `NotFound` names the shipped ones otherwise.
    """
    if _is_path(source):
        return _read(Path(source).expanduser())
    names = _names()
    if source in names:
        return _read(templates_root() / source)
    near = difflib.get_close_matches(source, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise NotFound(f"no template {source!r}", hint=hint)


def check_template(source: str) -> tuple[str, ...]:
    """What is wrong with a pack's manifest, every mistake; empty where nothing is.

    A pack that cannot be read at all raises as `load_template` does.
    """
    from lorebank.workspace.manifest import manifest_problems

    found = read_pack_files(_place(source))
    return (*manifest_problems(found.manifest, found.origin), *_clashes(found))


def template_files(template: Template) -> dict[str, bytes]:
    """Workspace path → content of every file the pack lays out, in order of path."""
    own = {path.casefold() for path in template.files}
    plain = read_pack_files(templates_root() / DEFAULT_TEMPLATE).files
    files = {path: content for path, content in plain.items() if path.casefold() not in own}
    files |= template.files
    frame = page_frame("standing")
    files |= {page.path: standing_page_text(page, frame).encode() for page in template.pages}
    return dict(sorted(files.items()))


def page_frame(kind: str) -> str:
    """The text that a new page begins with: `entity` or `standing`.

    `{{name}}` stands for the display name; `{{summary}}` and its like for the managed blocks.
    """
    path = templates_root() / DEFAULT_TEMPLATE / "pages" / f"{kind}.md"
    return path.read_text(encoding="utf-8")


def _names() -> list[str]:
    names = [manifest.parent.name for manifest in templates_root().glob(f"*/{MANIFEST}")]
    return sorted(names, key=lambda name: (name != DEFAULT_TEMPLATE, name))


def _is_path(source: str) -> bool:
    return "/" in source or "\\" in source or source.startswith((".", "~")) or _is_zip(source)


def _is_zip(source: str) -> bool:
    return source.lower().endswith(".zip")


def _place(source: str) -> Path:
    """The folder or zip that a name or path means; a name may also be that of a folder here."""
    if not _is_path(source) and source in _names():
        return templates_root() / source
    return Path(source).expanduser()


def _read(place: Path) -> Template:
    from lorebank.workspace.manifest import read_manifest

    found = read_pack_files(place)
    manifest = read_manifest(found.manifest, found.origin)
    return Template(
        manifest.name, manifest.title, manifest.description, manifest.standing, found.files
    )


def _clashes(found: PackFiles) -> tuple[str, ...]:
    """Standing pages that the pack brings as files too: the page of the manifest would win."""
    from lorebank.errors import ConfigurationError
    from lorebank.workspace.manifest import read_manifest

    try:
        pages = read_manifest(found.manifest, found.origin).standing
    except ConfigurationError:
        return ()
    return tuple(
        f"pages.{number}.path: expected a page that workspace/ does not hold as well, not {p.path}"
        for number, p in enumerate(pages, start=1)
        if p.path in found.files
    )
