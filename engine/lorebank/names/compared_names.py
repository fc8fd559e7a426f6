"""The pairs of names that are the same or may be, as they were compared last.

All names are compared at once whenever one comes, goes or is spelled differently: 0.17 s of CPU for
2,000 names, 3 s for 20,000. Looking up partners for single names instead took a table of keys forty
times as large as the names, and as much code as everything else about comparing them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, read_meta, select, write_meta
from lorebank.version import __version__

if TYPE_CHECKING:
    from lorebank.names.resolve import Comparison

_COMPARED_BY = "names_compared"


def compared(connection: Connection, slugs: Collection[str] | None = None) -> Comparison:
    """The pairs as compared last; of `slugs` only, where given, those with one of them."""
    from lorebank.names.resolve import Comparison

    query = "SELECT c.slug, c.other, c.reason, c.same FROM compared_names c"
    bound: tuple[str, ...] = ()
    if slugs is not None:
        query = (
            f"{query} JOIN json_each(?1) w ON c.slug = w.value"
            " UNION SELECT c.slug, c.other, c.reason, c.same FROM json_each(?1) w"
            " CROSS JOIN compared_names c ON c.other = w.value"
        )
        bound = (json.dumps(list(slugs)),)
    rows = sorted(select(connection, query, bound))
    return Comparison(
        same=tuple((a, b, reason) for a, b, reason, same in rows if same),
        unsure=tuple((a, b, reason) for a, b, reason, same in rows if not same),
    )


def known_names(connection: Connection) -> dict[str, str]:
    """Slug → spelling of every name that was compared."""
    return dict(select(connection, "SELECT slug, written FROM name_forms"))


def refresh_comparison(
    connection: Connection, names: Mapping[str, str], dirty: Collection[str] | None = None
) -> None:
    """Compare again if a name changed; `names` are slug → spelling of all names, or of `dirty`."""
    from lorebank.names.resolve import compare_all

    known = known_names(connection)
    clean = {} if dirty is None else {s: name for s, name in known.items() if s not in dirty}
    present = {**clean, **names}
    if present == known and read_meta(connection, _COMPARED_BY) == __version__:
        return
    found = compare_all(present)
    for table in ("name_forms", "compared_names"):
        connection.execute(f"DELETE FROM {table}")
    connection.executemany(
        "INSERT INTO name_forms (slug, written) VALUES (?, ?)", list(present.items())
    )
    connection.executemany(
        "INSERT INTO compared_names (slug, other, reason, same) VALUES (?, ?, ?, ?)",
        [(*pair, 1) for pair in found.same] + [(*pair, 0) for pair in found.unsure],
    )
    write_meta(connection, _COMPARED_BY, __version__)
