"""Codes: ids, hashes, paths and names of variables, found however they are typed.

A code is kept as its letters and digits alone, folded. It is found whole, by its beginning or by
its end, with other hyphens or in other case: `7c1fe0` finds `7c1fe02`, `vgo3391t` and `VGO-3391`
find `VGO-3391-T`. The parts of a path or a command are words already, and found as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lorebank.database.connection import Connection, select
from lorebank.language.folding import fold
from lorebank.language.words import identifiers

SHORTEST = 5
"""Letters and digits of a code; below that, parts of codes are found everywhere (git abbreviates a
hash to 7, people to 6; `v1.2`, `rev C` are words)."""
LONGEST = 64
"""A longer run is data (a key, a blob), and its first 64 letters tell it from any other."""
_MOST_FOUND = 50
"""Items that a part of a code may lead to; a part of more is no code but a common stem."""
_SEPARATORS = re.compile(r"[\W_]+")


def code_of(text: str) -> str:
    """A code as it is compared: `VGO-3391-T` → `vgo3391t`; "" for what is too short for one."""
    bare = _SEPARATORS.sub("", fold(text))
    return bare[:LONGEST] if len(bare) >= SHORTEST else ""


def codes_in(text: str) -> set[str]:
    """The codes of a text, each once."""
    return {code for token in identifiers(text) if (code := code_of(token))}


def insert_codes(connection: Connection, texts: Iterable[tuple[int, str]]) -> None:
    """Store the codes of items, each `(item, its text)`."""
    connection.executemany(
        "INSERT OR IGNORE INTO codes (code, item, backward) VALUES (?, ?, ?)",
        [(code, item, code[::-1]) for item, text in texts for code in sorted(codes_in(text))],
    )


def items_with_codes(connection: Connection, codes: Iterable[str]) -> dict[str, list[int]]:
    """Code → the items that hold it whole; else those that hold one which begins or ends so."""
    found: dict[str, list[int]] = {}
    for code in dict.fromkeys(codes):
        rows = select(connection, "SELECT item FROM codes WHERE code = ?", (code,))
        # `~` and beyond stand after every letter and digit that folding leaves of a code.
        rows = rows or select(
            connection,
            "SELECT item FROM codes WHERE code > ?1 AND code < ?1 || char(0x10ffff)"
            " UNION SELECT item FROM codes WHERE backward > ?2 AND backward < ?2 || char(0x10ffff)"
            " LIMIT ?3",
            (code, code[::-1], _MOST_FOUND + 1),
        )
        if rows and len(rows) <= _MOST_FOUND:
            found[code] = sorted(item for (item,) in rows)
    return found
