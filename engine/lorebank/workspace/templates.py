"""Bank templates: the packs of starting files and standing questions that `init` lays out.

A pack is a folder of `bank_templates/`: `template.toml`, and in `workspace/` the files it brings.
What a pack does not bring comes from the pack `default`.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorebank.errors import NotFound, WorkspaceError

__all__ = [
    "DEFAULT_TEMPLATE",
    "StandingPage",
    "Template",
    "list_templates",
    "load_template",
    "page_frame",
    "template_files",
    "templates_root",
]

DEFAULT_TEMPLATE = "default"


@dataclass(frozen=True, slots=True)
class StandingPage:
    """A page whose question reflect answers anew when facts arrive."""

    path: str
    """In the workspace: `bank/pages/deadlines.md`."""
    title: str
    question: str


@dataclass(frozen=True, slots=True)
class Template:
    """One pack."""

    name: str
    title: str
    description: str
    pages: tuple[StandingPage, ...]
    folder: Path


def templates_root() -> Path:
    """Where the packs are: inside the installed package, or beside `engine/` in a checkout."""
    from importlib import resources

    package = Path(str(resources.files("lorebank")))
    installed = package / "bank_templates"
    return installed if installed.is_dir() else package.parents[1] / "bank_templates"


def list_templates() -> tuple[Template, ...]:
    """All packs, `default` first, then by name."""
    names = [manifest.parent.name for manifest in templates_root().glob("*/template.toml")]
    return tuple(_read(name) for name in sorted(names, key=lambda n: (n != DEFAULT_TEMPLATE, n)))


def load_template(name: str) -> Template:
    """One pack by its name; `NotFound` names the others."""
    known = [template.name for template in list_templates()]
    if name in known:
        return _read(name)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
    raise NotFound(f"no template {name!r}", hint=hint)


def template_files(template: Template) -> dict[str, bytes]:
    """Workspace path → content of every file the pack lays out, in order of path."""
    files = _workspace_files(templates_root() / DEFAULT_TEMPLATE) | _workspace_files(
        template.folder
    )
    files |= {page.path: _page_text(page).encode() for page in template.pages}
    return dict(sorted(files.items()))


def page_frame(kind: str) -> str:
    """The text that a new page begins with; `entity` is the one kind shipped.

    `{{name}}` stands for the display name; `{{summary}}` and its like for the managed blocks.
    """
    path = templates_root() / DEFAULT_TEMPLATE / "pages" / f"{kind}.md"
    return path.read_text(encoding="utf-8")


def _workspace_files(folder: Path) -> dict[str, bytes]:
    base = folder / "workspace"
    return {
        path.relative_to(base).as_posix(): path.read_bytes()
        for path in base.rglob("*.md")
        if path.is_file()
    }


def _page_text(page: StandingPage) -> str:
    frame = page_frame("standing")
    return frame.replace("{{title}}", page.title).replace("{{question}}", page.question)


def _read(name: str) -> Template:
    import tomllib

    folder = templates_root() / name
    manifest = folder / "template.toml"
    try:
        document = tomllib.loads(manifest.read_text(encoding="utf-8"))
        pages = tuple(_page(page) for page in document.get("pages", ()))
        return Template(name, document["title"], document["description"], pages, folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WorkspaceError(f"{manifest}: is no valid template: {error}") from error


def _page(document: dict[str, Any]) -> StandingPage:
    return StandingPage(document["path"], document["title"], document["question"])
