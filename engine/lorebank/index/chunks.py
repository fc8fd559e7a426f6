"""What chunk search shows: stretches of files, and what their folders are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Chunk, Citation


def load_chunks(connection: Connection, chunks: Sequence[int]) -> dict[int, Chunk]:
    """The chunks of these numbers; unknown numbers are left out."""
    return {
        number: Chunk(text=text, citation=Citation(path, start, end), heading=heading)
        for number, text, path, start, end, heading in select(
            connection,
            "SELECT c.chunk, substr(f.text, c.start + 1, c.length), f.path, c.start_line,"
            " c.end_line, c.heading FROM chunks c JOIN files f ON f.file = c.file"
            " WHERE c.chunk IN (SELECT value FROM json_each(?))",
            (chunks,),
        )
    }


def chunks_of_items(connection: Connection, items: Sequence[int]) -> dict[int, list[int]]:
    """Item → the chunks it stands in, from the last that it begins in: where chunks overlap, it is
    whole in that one, unless it is longer than a chunk."""
    chunks: dict[int, list[int]] = {}
    for item, chunk, begins in select(
        connection,
        "SELECT i.item, c.chunk, c.start <= i.start FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value JOIN chunks c ON c.file = i.file"
        " AND c.start < i.start + i.length AND c.start + c.length > i.start"
        " ORDER BY i.item, c.chunk",
        (items,),
    ):
        chunks[item] = [chunk] if begins else [*chunks.get(item, ()), chunk]
    return chunks


def select_chunks(connection: Connection, path: str) -> str:
    """JSON list of the chunks of a file, or of the files below a folder."""
    return str(
        connection.execute(
            "SELECT json_group_array(c.chunk) FROM chunks c JOIN files f ON f.file = c.file"
            " WHERE f.path = ?1 OR substr(f.path, 1, length(?1) + 1) = ?1 || '/'",
            (path.rstrip("/"),),
        ).get
    )


@lru_cache(maxsize=4096)  # with every answer, and mostly of the same files
def scopes_above(path: str) -> tuple[str, ...]:
    """The scopes whose contexts a file inherits, from the workspace's (empty) to its own."""
    folders = [folder.as_posix() for folder in reversed(PurePosixPath(path).parents)]
    return (*("" if folder == "." else folder for folder in folders), path)


def contexts_of(connection: Connection, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Path → the contexts that hold for it, outermost first; paths without any are left out.

    Where two files speak of one folder, the alphabetically first does.
    """
    above = {path: scopes_above(path) for path in dict.fromkeys(paths)}
    wanted = sorted({scope for scopes in above.values() for scope in scopes})
    told: dict[str, str] = {}
    for scope, text in select(
        connection,
        "SELECT c.scope, c.text FROM json_each(?) w CROSS JOIN contexts c ON c.scope = w.value"
        " JOIN files f ON f.file = c.file ORDER BY c.scope, f.path",
        (wanted,),
    ):
        told.setdefault(scope, text)
    if not told:
        return {}
    found = {
        path: tuple(dict.fromkeys(told[scope] for scope in scopes if scope in told))
        for path, scopes in above.items()
    }
    return {path: contexts for path, contexts in found.items() if contexts}


def contexts_stated_in(connection: Connection, path: str) -> frozenset[str]:
    """What a file states, of itself or of its folder."""
    rows = select(
        connection,
        "SELECT c.text FROM contexts c JOIN files f ON f.file = c.file WHERE f.path = ?",
        (path,),
    )
    return frozenset(text for (text,) in rows)
