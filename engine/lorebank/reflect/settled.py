"""What the bank's pages were last made from: so that a run looks only at those with news.

Of each page that is as it should be the index remembers a digest of what it was made from and the
hash of what it held; of the digests also their parts, of every entity its name and link, and which
facts were outweighed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from lorebank.index.connection import Connection, select, transaction
from lorebank.index.meta import read_meta, write_meta
from lorebank.index.news import forget_news
from lorebank.index.page_sections import OF_ENTITY, OF_MONTH, load_sections, store_sections
from lorebank.reflect.digests import EXPERIENCE_PATH, WORLD_PATH
from lorebank.reflect.page_files import Page
from lorebank.reflect.pages import PagePlan, Parts
from lorebank.reflect.weighing import outweighed
from lorebank.version import __version__
from lorebank.workspace.files import content_hash

_SETTLED = "settled_pages"
_KINDS = {WORLD_PATH: OF_ENTITY, EXPERIENCE_PATH: OF_MONTH}


class SettledPages:
    """The pages as the last run left them, and those that this run found or made right."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        stored: dict[str, Any] = json.loads(read_meta(connection, _SETTLED) or "{}")
        self.is_built = stored.get("version") == __version__
        """Whether a run of this version has looked at every page."""
        self.links: dict[str, tuple[str, ...]] = {
            slug: tuple(link) for slug, link in stored.get("links", {}).items()
        }
        """Entity → its display name and link at that time."""
        self.outweighed = frozenset(map(str, stored.get("outweighed", ())))
        """The facts that newer lines spoke against at that time."""
        self._before: dict[str, tuple[str, ...]] = {
            path: tuple(known) for path, known in stored.get("pages", {}).items()
        }
        self._now: dict[str, tuple[str, ...]] = {}
        self._files: dict[str, str] = dict(
            select(connection, "SELECT path, hash FROM files WHERE substr(path, 1, 5) = 'bank/'")
        )

    def parts(self) -> Parts:
        """The digests' parts as they were last made."""
        return {page: load_sections(self._connection, kind) for page, kind in _KINDS.items()}

    def is_settled(self, path: str, made_from: str) -> bool:
        """Whether the page holds what this content makes of it, as the last sync saw it."""
        self._now.pop(path, None)
        known = self._before.get(path)
        if known is None or known != (made_from, self._files.get(path, "")):
            return False
        self._now[path] = known
        return True

    def holds_beliefs(self, path: str, beliefs: str) -> bool:
        """As `is_settled`, of an entity's page of whose facts none has changed."""
        known = self._before.get(path)
        return (
            known is not None
            and known[0].endswith(f" {beliefs}")
            and known[1] == self._files.get(path)
        )

    def is_newer(self, path: str, page: Page | None) -> bool:
        """Whether the page was changed after the last sync."""
        return page is not None and self._files.get(path) != content_hash(page.data)

    def settle(self, path: str, made_from: str, data: bytes | None) -> None:
        """Remember what a page was made from; `None` where there is none."""
        self._now.pop(path, None)
        if data is not None:
            self._now[path] = (made_from, content_hash(data))

    def unsettle(self, path: str) -> None:
        """Look at the page again next time."""
        self._now.pop(path, None)

    def keep(self, plan: PagePlan, kept: Parts, *, last_news: int) -> None:
        """Store what is known of the plan's pages and forget others, and the news they are made of.

        Of pages in the plan's scope only those that this run settled are known any longer.
        """
        scope = plan.content.scope
        out = () if scope is None else _out_of(scope.entities, plan.paths)
        pages = {path: self._before[path] for path in out if path in self._before} | self._now
        links = {slug: tuple(link) for slug, link in plan.links.items()}
        pages = {path: known for path, known in pages.items() if path in plan.paths}
        turned = outweighed(plan.content.opinions)
        before = (self._before, self.links, self.outweighed)
        if self.is_built and not last_news and (pages, links, turned) == before:
            return
        with transaction(self._connection):
            self._write(pages, links, turned)
            for page, parts in plan.fresh_parts.items():
                gone = dict.fromkeys(kept.get(page, {}), "") if scope is None else {}
                store_sections(self._connection, _KINDS[page], {**gone, **parts})
            forget_news(self._connection, last_news)

    def forget(self) -> None:
        """Look at every page next time: this run made them as they were on another day."""
        with transaction(self._connection):
            version = __version__ if self.is_built else ""
            self._write({}, self.links, self.outweighed, version)

    def _write(
        self,
        pages: Mapping[str, tuple[str, ...]],
        links: Mapping[str, tuple[str, ...]],
        turned: Collection[str],
        version: str = __version__,
    ) -> None:
        stored = {
            "version": version,
            "links": links,
            "outweighed": sorted(turned),
            "pages": pages,
        }
        write_meta(self._connection, _SETTLED, json.dumps(stored, ensure_ascii=False))


def _out_of(entities: Collection[str], paths: Mapping[str, str | None]) -> list[str]:
    """The pages of other entities."""
    return [path for path, slug in paths.items() if slug is not None and slug not in entities]
