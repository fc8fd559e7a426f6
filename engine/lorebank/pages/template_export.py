"""Exporting a template: the standing questions of a workspace as a pack that others can lay out."""

from __future__ import annotations

from pathlib import Path

from lorebank.errors import NotFound
from lorebank.pages.standing_pages import read_standing_pages
from lorebank.templates.manifest import read_manifest
from lorebank.templates.pack import MANIFEST, pack_files, write_pack
from lorebank.workspace.layout import DIRECTIVES_PAGE


def export_pack(
    root: Path,
    name: str,
    target: Path,
    *,
    title: str = "",
    description: str = "",
    directives: bool = False,
    dry_run: bool = False,
) -> tuple[str, ...]:
    """Write the pack and return the paths in it; see `Bank.export_template`.

    What is written passes the check that an import makes: `ConfigurationError` for a name, or a
    page written by hand, that no template may have.
    """
    pages, _ = read_standing_pages(root)
    files = {DIRECTIVES_PAGE: (root / DIRECTIVES_PAGE).read_bytes()} if directives else {}
    if not pages and not files:
        raise NotFound("no page of this workspace asks a question", hint="see lorebank template -h")
    shown = title or name.replace("-", " ").capitalize()
    told = description or f"{len(pages)} standing questions."
    pack = pack_files(name, shown, told, pages, files)
    read_manifest(pack[MANIFEST], MANIFEST)
    if not dry_run:
        write_pack(target, pack)
    return tuple(pack)
