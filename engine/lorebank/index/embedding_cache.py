"""Vectors by what was embedded: they outlive any rebuild of the index.

The cache is `.memory/embeddings.sqlite`, or one file for all workspaces of the user. Beyond
`max_entries`, what was used longest ago goes; what the present run used stays, so that a run on a
large workspace can be taken up where it was broken off. Asynchronous jobs stand here as well: a
job belongs to its texts, not to the index or the process that handed it in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar
from zlib import crc32

from lorebank.database.connection import (
    BusyIndex,
    DamagedIndex,
    UnwritableIndex,
    discard_index,
    execute,
    open_in_memory,
    open_index,
    select,
    transaction,
    vacuum_if_worthwhile,
)
from lorebank.domain.facts import digest
from lorebank.errors import NotWritable

if TYPE_CHECKING:
    from lorebank.providers.protocols import Role

P = ParamSpec("P")
R = TypeVar("R")
MAX_ENTRIES = 50_000


def text_hash(text: str) -> str:
    return digest(text, 12)


def _checksum(key: str, vector: bytes) -> int:
    return crc32(vector, crc32(key.encode()))


def _replacing_damaged(method: Callable[Concatenate[EmbeddingCache, P], R]) -> Callable[..., R]:
    """A method that begins again with an empty cache where it meets a damaged page, and in memory
    where the file cannot be written."""

    @wraps(method)
    def run(cache: EmbeddingCache, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(cache, *args, **kwargs)
        except (*DamagedIndex, *UnwritableIndex, *BusyIndex) as problem:
            cache.replace(problem)
        return method(cache, *args, **kwargs)

    return run


class EmbeddingCache:
    """A dictionary on disk from (embedder fingerprint, role, text hash) to vector bytes."""

    def __init__(
        self,
        path: Path | None,
        max_entries: int = MAX_ENTRIES,
        say: Callable[[str], object] = lambda line: None,
    ) -> None:
        """`None` keeps everything in memory and forgets it at the end. `say` is told of damage."""
        self._path, self._max_entries, self._say = path, max_entries, say
        self._connection: Any = None
        if path is not None and path.is_symlink():
            path.unlink()  # it could be aimed at another database of the user's
        try:
            self._open()
        except (*DamagedIndex, NotWritable) as problem:
            self.replace(problem)

    def _open(self) -> None:
        self._connection = (
            open_index(self._path, "embeddings.sql", self._tell_damage)
            if self._path
            else open_in_memory(None, "embeddings.sql")
        )
        last = self._connection.execute("SELECT max(used) FROM entries").get
        self._run = int(last or 0) + 1

    def replace(self, problem: Exception) -> None:
        """Begin with an empty cache, in memory where the file is not damaged."""
        if self._path is None:
            raise problem
        self.close()
        if isinstance(problem, DamagedIndex):
            self._tell_damage(problem)
            discard_index(self._path)
        else:
            self._say(f"{self._path} cannot be used ({problem}); vectors are not kept")
            self._path = None
        self._open()

    def _tell_damage(self, problem: object) -> None:
        self._say(f"{self._path} was damaged ({problem}); texts are embedded again")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    @_replacing_damaged
    def get(
        self, fingerprint: str, hashes: Sequence[str], role: Role = "document", *, mark: bool = True
    ) -> dict[str, bytes]:
        """The vectors known for these hashes, which count as used where they are marked; those that
        are not what was stored are dropped."""
        found = select(
            self._connection,
            "SELECT e.entry, e.used, e.hash, v.vector, v.checksum FROM entries e"
            " JOIN vectors v ON v.entry = e.entry WHERE e.fingerprint = ? AND e.role = ?"
            " AND e.hash IN (SELECT value FROM json_each(?))",
            (fingerprint, role, hashes),
        )
        damaged = [entry for entry, _, *row, stored in found if _checksum(*row) != stored]
        if damaged:
            self._tell_damage(f"{len(damaged)} vectors are not what was stored")
            with transaction(self._connection):
                self._delete("entry IN (SELECT value FROM json_each(?))", (damaged,))
            found = [row for row in found if row[0] not in damaged]
        stale = [entry for entry, used, *_ in found if mark and used != self._run]
        if stale:
            with transaction(self._connection):
                query = (
                    "UPDATE entries SET used = ? WHERE entry IN (SELECT value FROM json_each(?))"
                )
                execute(self._connection, query, (self._run, stale))
        return {key: vector for _, _, key, vector, _ in found}

    @_replacing_damaged
    def missing(self, fingerprint: str, hashes: Iterable[str]) -> list[str]:
        """Those of the hashes, in their order and once each, that no vector is known for."""
        distinct = list(dict.fromkeys(hashes))
        known = execute(
            self._connection,
            "SELECT hash FROM entries WHERE fingerprint = ? AND role = 'document'"
            " AND hash IN (SELECT value FROM json_each(?))",
            (fingerprint, distinct),
        )
        found = {key for (key,) in known}
        return [key for key in distinct if key not in found]

    @_replacing_damaged
    def put(
        self, fingerprint: str, vectors: Iterable[tuple[str, bytes]], role: Role = "document"
    ) -> None:
        """Remember `(text hash, vector)` pairs."""
        rows = list(vectors)
        known = (fingerprint, role)
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO entries (fingerprint, role, hash, used) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET used = excluded.used",
                [(*known, key, self._run) for key, _ in rows],
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors (entry, vector, checksum) VALUES"
                " ((SELECT entry FROM entries WHERE fingerprint = ? AND role = ? AND hash = ?),"
                " ?, ?)",
                [(*known, key, vector, _checksum(key, vector)) for key, vector in rows],
            )

    @_replacing_damaged
    def evict(self) -> int:
        """Forget what was used longest ago, down to `max_entries`; returns how many went."""
        with transaction(self._connection):
            surplus = int(self._connection.execute("SELECT count(*) FROM entries").get)
            surplus -= self._max_entries
            if surplus <= 0:
                return 0
            gone = self._delete(
                "entry IN (SELECT entry FROM entries WHERE used < ? ORDER BY used, entry LIMIT ?)",
                (self._run, surplus),
            )
        vacuum_if_worthwhile(self._connection)
        return gone

    @_replacing_damaged
    def forget(self, fingerprint: str) -> None:
        """Drop all vectors of an embedder whose model turned out to be another."""
        with transaction(self._connection):
            self._delete("fingerprint = ?", (fingerprint,))

    @_replacing_damaged
    def drop(self, hashes: Collection[str]) -> int:
        """Forget these texts for good, their bytes included; returns how many vectors went."""
        wanted = json.dumps(sorted(hashes))
        self._connection.execute("PRAGMA secure_delete = ON")
        with transaction(self._connection):
            gone = self._delete("hash IN (SELECT value FROM json_each(?))", (wanted,))
            self._connection.execute(
                "UPDATE jobs SET hashes = (SELECT json_group_array(value) FROM"
                " json_each(jobs.hashes) WHERE value NOT IN (SELECT value FROM json_each(?)))",
                (wanted,),
            )
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._connection.execute("PRAGMA secure_delete = OFF")
        return gone

    @_replacing_damaged
    def jobs(self, fingerprint: str) -> dict[str, list[str]]:
        """The jobs that are being worked on: id → text hashes."""
        rows = self._connection.execute(
            "SELECT job, hashes FROM jobs WHERE fingerprint = ? ORDER BY job", (fingerprint,)
        )
        return {job: json.loads(hashes) for job, hashes in rows}

    @_replacing_damaged
    def add_job(self, fingerprint: str, job: str, hashes: Sequence[str]) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO jobs (job, fingerprint, hashes) VALUES (?, ?, ?)",
                (job, fingerprint, json.dumps(list(hashes))),
            )

    @_replacing_damaged
    def drop_job(self, fingerprint: str, job: str) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "DELETE FROM jobs WHERE fingerprint = ? AND job = ?", (fingerprint, job)
            )

    def _delete(self, condition: str, bound: Sequence[object]) -> int:
        gone = select(
            self._connection, f"DELETE FROM entries WHERE {condition} RETURNING entry", bound
        )
        query = "DELETE FROM vectors WHERE entry IN (SELECT value FROM json_each(?))"
        execute(self._connection, query, ([entry for (entry,) in gone],))
        return len(gone)
