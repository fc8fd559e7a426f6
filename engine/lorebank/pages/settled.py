"""What was planned of the pages of entities, kept in the index so that it is not planned again.

A page is settled where planning it from these inputs gives this text, which stays as it is when
planned again. So a page is skipped only where its inputs (`PagePlan`) are what they were and its
text is the planned one, whoever wrote it: what was rejected or held back is planned again. Without
these rows everything is, with the same result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lorebank.database.connection import Connection, select, transaction
from lorebank.workspace.files import content_hash


class SettledPage(NamedTuple):
    """One entity, or nobody ("")."""

    seal: str
    """Over its inputs and the fields below: a row that was damaged settles nothing."""
    text: str
    """The digest of the page as it was planned; empty where there is none."""
    repeated: str
    """JSON: id of a fact → the newest that says the same."""


def seal(inputs: bytes, text: str, repeated: str) -> SettledPage:
    return SettledPage(content_hash(inputs + f"{text} {repeated}".encode()), text, repeated)


def load_settled(connection: Connection, slugs: Mapping[str, object]) -> dict[str, SettledPage]:
    """By slug; the rows name nobody, so that a name that is forgotten is not in them."""
    rows = select(connection, "SELECT entity, seal, text, repeated FROM settled_pages")
    known = {entity: SettledPage(*row) for entity, *row in rows}
    keys = {slug: content_hash(slug.encode()) for slug in ("", *slugs)}
    return {slug: known[key] for slug, key in keys.items() if key in known}


def store_settled(connection: Connection, settled: Mapping[str, SettledPage]) -> None:
    rows = [(content_hash(slug.encode()), *page) for slug, page in settled.items()]
    with transaction(connection):
        connection.execute("DELETE FROM settled_pages")
        connection.executemany("INSERT INTO settled_pages VALUES (?, ?, ?, ?)", rows)
