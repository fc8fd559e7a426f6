"""Where entity pages are, and where the decisions on file say that they belong."""

from __future__ import annotations

from lorebank.database.connection import Connection, select
from lorebank.identity.resolve import Resolution
from lorebank.index.entities import MOVED
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class PageMove:
    """One page that stands where the ledger does not want it."""

    path: str
    """The page's own path."""
    home: str
    """The page that it is to move into, or that it moved into and is to leave."""
    back: bool
    """True where it is to leave."""
    title: str


def page_moves(connection: Connection, resolved: Resolution) -> tuple[PageMove, ...]:
    """Pages of names that the ledger merged which are still apart, and pages inside others whose
    merge was taken back or that became the home; those that leave first, so that they can go to
    another one."""
    merged, entity_of = resolved.merged, resolved.entity_of
    slug_at: dict[str, str] = {}
    homes: dict[str, str] = {}
    pages: list[tuple[str, str, str]] = []
    for slug, path, name in select(
        connection,
        "SELECT n.slug, f.path, n.name FROM names n JOIN files f ON f.file = n.file"
        " WHERE n.action = 'page' ORDER BY f.path",
    ):
        slug_at.setdefault(path, slug)
        pages.append((slug, path, name))
        if slug in merged and entity_of.get(slug, slug) == slug:
            homes.setdefault(merged[slug], path)
    leaving: list[PageMove] = []
    for slug, path, name, home in select(
        connection,
        "SELECT n.slug, n.target, n.name, f.path FROM names n JOIN files f ON f.file = n.file"
        " WHERE n.action = ? ORDER BY f.path, n.target",
        (MOVED,),
    ):
        parted = slug not in merged or merged[slug] != merged.get(slug_at.get(home, ""))
        own = slug in merged and entity_of.get(slug, slug) == slug != slug_at.get(home)
        if own and not parted:
            homes.setdefault(merged[slug], path)
        if parted or own:
            leaving.append(PageMove(path, home, True, name))
    for slug, path, _ in pages:
        if slug in merged:
            homes.setdefault(merged[slug], path)
    coming = [
        PageMove(path, homes[merged[slug]], False, name)
        for slug, path, name in pages
        if slug in merged and homes[merged[slug]] != path
    ]
    return (*leaving, *coming)
