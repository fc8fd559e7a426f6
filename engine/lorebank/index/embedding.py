"""Embedding what sync wrote: in calls after the lexical index, resumable, never in its way.

Every fact and passage has a vector; the hash of its text stands in `items.embedding`. A row without
a vector is pending. Vectors known to the cache are copied; the rest go to the
embedder in calls, each stored in a short transaction of its own, so that a kill loses no more than
the calls under way.

All vectors of an index are of one embedder: its fingerprint is the index's generation. Another
embedder's are gathered in the cache while the old ones serve, and take their place in one
transaction once they are complete.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from lorebank.database.connection import (
    Connection,
    rare_checkpoints,
    read_meta,
    select,
    transaction,
    write_meta,
)
from lorebank.errors import ProviderError
from lorebank.index.embedding_cache import EmbeddingCache
from lorebank.index.embedding_calls import calls_of, embed_calls
from lorebank.index.vectors import delete_vectors, insert_vectors
from lorebank.records import dataclass

if TYPE_CHECKING:
    from lorebank.providers.protocols import Embedder
    from lorebank.settings.tables import BatchSettings

WINDOW = 1024
"""Rows looked up in the cache and read at a time."""
Progress = Callable[[str, int, int], None]
W = TypeVar("W")
_ALL = "SELECT item, embedding FROM items"
_PENDING = f"{_ALL} i WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.item = i.item)"


@dataclass(frozen=True, slots=True)
class _Wanted:
    item: int
    hash: str


def item_text(content: str, heading: str, subjects: Sequence[str] = ()) -> str:
    """What of an item is embedded: its words, with its heading and whom it is about as context.

    With the names, a line by itself says as much as it says to its reader: of 110 questions asked
    of another hand's notes the five nearest lines answer 62 %, without them 54 %.
    """
    title = heading.split(" > ")[-1]
    # A log's title is its date, which says nothing of a line's meaning.
    heading = f"{title}. " if any(letter.isalpha() for letter in title) else ""
    about = f"{', '.join(subjects)}: " if subjects else ""
    return f"{heading}{about}{' '.join(content.split())}"


def pending_count(connection: Connection) -> int:
    """How many facts and passages have no vector yet."""
    return int(connection.execute(f"SELECT count(*) FROM ({_PENDING})").get)


def served_by(connection: Connection) -> str:
    """The fingerprint of the embedder whose vectors the index holds; empty where it has none."""
    return read_meta(connection, "embedder") or ""


def label_served(connection: Connection) -> str:
    """That embedder as a person knows it: `openai/text-embedding-3-small`."""
    return read_meta(connection, "embedder_label") or ""


def missing_count(connection: Connection, cache: EmbeddingCache, fingerprint: str) -> int:
    """How many texts would have to be embedded for this embedder to serve."""
    return len(cache.missing(fingerprint, [key for _, key in select(connection, _ALL)]))


def has_vectors(connection: Connection) -> bool:
    """Whether anything is embedded."""
    return connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None


def vector_count(connection: Connection) -> int:
    """How many vectors there are."""
    return int(connection.execute("SELECT count(*) FROM vectors").get)


def embed_pending(
    connection: Connection,
    cache: EmbeddingCache,
    embedder: Embedder,
    *,
    batch: BatchSettings | None = None,
    progress: Progress | None = None,
) -> int:
    """Embed what has no vector yet; returns how many texts were embedded.

    Where the index holds another embedder's vectors, all texts are embedded anew: into the cache
    first, and the old vectors serve until the new ones are complete. `batch` hands the texts in as
    asynchronous jobs where the embedder has them; those still worked on stay pending.
    """
    run = _Run(connection, cache, embedder, batch, progress)
    try:
        return run.embed()
    except _OtherDimension:
        # The model behind an endpoint was changed under its name: what is known of it is void.
        cache.forget(embedder.fingerprint)
        with transaction(connection):
            delete_vectors(connection)
            connection.execute(
                "DELETE FROM meta WHERE key = 'embedder' OR key = ?",
                (_dimension_key(embedder.fingerprint),),
            )
        return _Run(connection, cache, embedder, batch, progress).embed()


class _OtherDimension(ProviderError):
    """A vector that is not as long as those stored for the same fingerprint."""


@dataclass(slots=True)
class _Run:
    """One pass over what has no vector."""

    connection: Connection
    cache: EmbeddingCache
    embedder: Embedder
    batch: BatchSettings | None
    progress: Progress | None
    embedded: int = 0

    def embed(self) -> int:
        fingerprint = self.embedder.fingerprint
        takes_over = has_vectors(self.connection) and served_by(self.connection) != fingerprint
        if takes_over:
            wanted = _rows(self.connection, _ALL)
        else:
            with transaction(self.connection):
                self._sign()
            wanted = _rows(self.connection, _PENDING)
        with rare_checkpoints(self.connection):
            self._embed(wanted, store=not takes_over)
        if takes_over and not self.cache.missing(fingerprint, [w.hash for w in wanted]):
            self._take_over(wanted)
        self.cache.evict()
        return self.embedded

    def _embed(self, wanted: Sequence[_Wanted], *, store: bool) -> None:
        rows: dict[str, list[_Wanted]] = defaultdict(list)
        for each in wanted:
            rows[each.hash].append(each)
        done = 0

        def keep(vectors: Mapping[str, bytes]) -> None:
            nonlocal done
            if store:
                self._store(rows, vectors)
            done += sum(len(rows[key]) for key in vectors)
            if self.progress is not None:
                self.progress("embedding", done, len(wanted))

        if self.batch is not None and self._by_jobs(rows):
            return self._copy_known(rows, keep)
        calls = calls_of(self._unknown(rows, keep), self.embedder.limits)
        for vectors in embed_calls(self.embedder, calls):
            self._check_dimension(vectors)
            self.cache.put(self.embedder.fingerprint, vectors.items())
            self.embedded += len(vectors)
            keep(vectors)
        return None

    def _by_jobs(self, rows: Mapping[str, Sequence[_Wanted]]) -> bool:
        """Embed by asynchronous jobs; false where the embedder has none, or left all of it."""
        from lorebank.index.embedding_calls import run_jobs
        from lorebank.providers.protocols import BatchEmbedder

        if self.batch is None or not isinstance(self.embedder, BatchEmbedder):
            return False
        missing = self.cache.missing(self.embedder.fingerprint, rows)
        if not missing:
            return False
        wanted = [rows[key][0] for key in missing]
        texts = _texts(self.connection, wanted)
        progress = self.progress

        def report(done: int) -> None:
            if progress is not None:
                progress("embedding", done, len(texts))

        outcome = run_jobs(self.embedder, self.cache, texts, self.batch, report)
        self.embedded += outcome.embedded
        for call in embed_calls(
            self.embedder, calls_of(outcome.left.items(), self.embedder.limits)
        ):
            self._check_dimension(call)
            self.cache.put(self.embedder.fingerprint, call.items())
            self.embedded += len(call)
        return True

    def _copy_known(
        self, rows: Mapping[str, Sequence[_Wanted]], keep: Callable[[Mapping[str, bytes]], None]
    ) -> None:
        for _ in self._unknown(rows, keep):
            pass  # in jobs that are still worked on

    def _unknown(
        self, rows: Mapping[str, Sequence[_Wanted]], keep: Callable[[Mapping[str, bytes]], None]
    ) -> Iterator[tuple[str, str]]:
        """Hash and text of what the cache does not know; what it knows is kept on the way."""
        for window in _windows(list(rows)):
            known = self.cache.get(self.embedder.fingerprint, window)
            if known:
                self._check_dimension(known)
                keep(known)
            missing = [rows[key][0] for key in window if key not in known]
            texts = _texts(self.connection, missing) if missing else {}
            yield from ((each.hash, texts[each.hash]) for each in missing if each.hash in texts)

    def _check_dimension(self, vectors: Mapping[str, bytes]) -> None:
        if not vectors:
            return
        sizes = {len(vector) // 4 for vector in vectors.values()}
        key = _dimension_key(self.embedder.fingerprint)
        known = read_meta(self.connection, key)
        if known is None and len(sizes) == 1:
            with transaction(self.connection):
                write_meta(self.connection, key, str(sizes.pop()))
        elif known is not None and sizes != {int(known)}:
            raise _OtherDimension(
                f"{self.embedder.name}: {self.embedder.model} now gives vectors of "
                f"{max(sizes - {int(known)})} numbers, not {known}"
            )

    def _store(self, rows: Mapping[str, Sequence[_Wanted]], vectors: Mapping[str, bytes]) -> None:
        batch = [each for key in vectors for each in rows[key]]
        with transaction(self.connection):
            _store(self.connection, batch, vectors)

    def _sign(self) -> None:
        """Note whose vectors the index holds; inside the caller's transaction."""
        write_meta(self.connection, "embedder", self.embedder.fingerprint)
        write_meta(self.connection, "embedder_label", f"{self.embedder.name}/{self.embedder.model}")

    def _take_over(self, wanted: Sequence[_Wanted]) -> None:
        """Put this embedder's vectors in the place of the other's, at one instant."""
        with transaction(self.connection):
            delete_vectors(self.connection)
            self.connection.execute(
                "DELETE FROM meta WHERE key = ?", (_dimension_key(served_by(self.connection)),)
            )
            self._sign()
            for window in _windows(wanted):
                known = self.cache.get(self.embedder.fingerprint, [w.hash for w in window])
                _store(self.connection, window, known)


def dimension_served(connection: Connection) -> int:
    """How long the vectors of the index are; 0 where none is stored yet."""
    return int(read_meta(connection, _dimension_key(served_by(connection))) or 0)


def _dimension_key(fingerprint: str) -> str:
    return f"dimension of {fingerprint}"


def _rows(connection: Connection, query: str) -> list[_Wanted]:
    return [_Wanted(item, key) for item, key in select(connection, query)]


def _windows(wanted: Sequence[W]) -> Iterator[Sequence[W]]:
    for start in range(0, len(wanted), WINDOW):
        yield wanted[start : start + WINDOW]


def _texts(connection: Connection, batch: Sequence[_Wanted]) -> dict[str, str]:
    """Hash → text, computed again from the rows, as sync did when it wrote the hash."""
    return {
        key: item_text(content, heading, json.loads(subjects))
        for key, content, heading, subjects in select(
            connection,
            "SELECT i.embedding, coalesce(i.content, substr(f.text, i.start + 1, i.length)),"
            " i.heading, (SELECT json_group_array(name) FROM (SELECT m.name FROM mentions m"
            "  WHERE m.item = i.item AND m.subject ORDER BY m.position))"
            " FROM json_each(?) w CROSS JOIN items i ON i.item = w.value"
            " JOIN files f ON f.file = i.file",
            (json.dumps([wanted.item for wanted in batch]),),
        )
    }


def _store(connection: Connection, batch: Sequence[_Wanted], known: Mapping[str, bytes]) -> None:
    """Store vectors; only where the row still stands for the same text."""
    still = dict(
        select(
            connection,
            "SELECT item, embedding FROM items WHERE item IN (SELECT value FROM json_each(?))",
            (json.dumps([wanted.item for wanted in batch]),),
        )
    )
    insert_vectors(
        connection,
        [
            (wanted.item, known[wanted.hash])
            for wanted in batch
            if wanted.hash in known and still.get(wanted.item) == wanted.hash
        ],
    )
