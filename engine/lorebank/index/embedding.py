"""Embedding what sync wrote: in calls after the lexical index, resumable, never in its way.

Every fact and passage has a vector, and each sentence of a passage that has several; the hashes of
these texts stand in `items.embedding` and `sentences`. A text without a vector is pending. Vectors
known to the cache are copied; the rest go to the embedder in calls, each stored in a short
transaction of its own, so that a kill loses no more than the calls under way.

A job's id is on disk before anybody waits for it. Its results are joined by custom id, the hash of
the text, whoever fetches them. What a job could not embed is handed in once more, and what fails
again is left to ordinary calls.

All vectors of an index are of one embedder: its fingerprint is the index's generation. Another
embedder's are gathered in the cache while the old ones serve, and take their place in one
transaction once they are complete.
"""

from __future__ import annotations

import json
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from lorebank.database.connection import Connection, read_meta, select, transaction, write_meta
from lorebank.errors import ProviderError
from lorebank.index.embedding_cache import EmbeddingCache, text_hash
from lorebank.index.vectors import delete_vectors, insert_vectors
from lorebank.language.words import estimate_tokens
from lorebank.records import Mutable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.providers.protocols import BatchEmbedder, Embedder, Limits
    from lorebank.settings.tables import BatchSettings


Vectors = dict[str, bytes]
_Refused = tuple[str, ProviderError]  # a text that has no vector, and why
_REFUSALS = (200, 400, 413, 422)
"""The statuses by which services refuse what was sent, or answer it with what is no vector."""
_AHEAD = 16  # calls handed in beyond those that are under way


def calls_of(texts: Iterable[tuple[str, str]], limits: Limits) -> Iterator[dict[str, str]]:
    """`(hash, text)` pairs in their order, cut into calls of hash → text."""
    call: dict[str, str] = {}
    room = limits.tokens
    for key, text in texts:
        tokens = min(estimate_tokens(text), limits.text_tokens)
        if call and (len(call) == limits.items or tokens > room):
            yield call
            call, room = {}, limits.tokens
        call[key] = text
        room -= tokens
    if call:
        yield call


TEXTS_REFUSED = "texts_refused"
"""In the index's notes: why some texts have no vector, as long as that is so."""


class TextsRefused(ProviderError):
    """Some texts have no vector, and all others have theirs."""


def embed_calls(embedder: Embedder, calls: Iterable[Mapping[str, str]]) -> Iterator[Vectors]:
    """The vectors of each call, as they come; raises the first failure once the others are in.

    A text that an embedder rejects, or returns a zero vector for, costs no other its vector:
    `TextsRefused` names it once all others are in.
    """
    refused: list[_Refused] = []
    if not embedder.endpoint:  # a model in this process, which uses all cores by itself
        for call in calls:
            yield _one(embedder, call, refused)
    else:
        yield from _at_once(embedder, calls, refused)
    if refused:
        text, problem = refused[0]
        count = "1 text" if len(refused) == 1 else f"{len(refused)} texts"
        raise TextsRefused(
            f"{problem.message}: {count} not found by meaning, such as “{text[:60]}”",
            hint=problem.hint,
        )


def _at_once(
    embedder: Embedder, calls: Iterable[Mapping[str, str]], refused: list[_Refused]
) -> Iterator[Vectors]:
    from concurrent.futures import Future, ThreadPoolExecutor  # felt by a recall

    coming = iter(calls)
    failure: Exception | None = None
    with ThreadPoolExecutor(embedder.limits.concurrency) as workers:
        waiting: deque[Future[Vectors]] = deque()
        try:
            while True:
                # More than are worked on: a worker that is done never waits for the caller.
                room = embedder.limits.concurrency + _AHEAD - len(waiting) if failure is None else 0
                waiting += [
                    workers.submit(_one, embedder, call, refused) for call in islice(coming, room)
                ]
                if not waiting:
                    break
                try:
                    vectors = waiting.popleft().result()
                except Exception as problem:
                    failure = failure or problem
                    for queued in waiting:
                        queued.cancel()
                else:
                    yield vectors
        except BaseException:
            embedder.cancel()
            raise
    if failure is not None:
        raise failure


def _one(embedder: Embedder, call: Mapping[str, str], refused: list[_Refused]) -> Vectors:
    """The vectors of a call; where it fails because of a text, of its halves, down to that text.

    Raises where nothing passes however it is cut, a plain word neither: then it is not a text's
    fault.
    """
    found: Vectors = {}
    alone: list[_Refused] = []
    parts = [dict(call)]
    failures = 0
    while parts:
        part = parts.pop()
        try:
            vectors = embedder.embed_documents(list(part.values()))
        except ProviderError as problem:
            failures += 1
            is_of_a_text = not embedder.endpoint or getattr(problem, "status", 0) in _REFUSALS
            if not is_of_a_text or not (found or failures <= 2 * len(call).bit_length()):
                raise
            keys = list(part)
            middle = len(keys) // 2
            if middle:
                parts += [{k: part[k] for k in half} for half in (keys[:middle], keys[middle:])]
            else:
                alone.append((part[keys[0]], problem))
        else:
            for (key, text), vector in zip(part.items(), vectors, strict=True):
                if math.isfinite(float(vector.sum())):
                    found[key] = vector.tobytes()
                else:
                    alone.append((text, ProviderError(f"{embedder.name}: a vector of no numbers")))
    if alone and not found and (len(call) > 1 or not embedder.endpoint):
        try:
            embedder.embed_query("lorebank")
        except ProviderError:
            raise alone[0][1] from None
    refused += alone
    return found


_NO_SUCH_SERVICE = frozenset({404, 405, 501})
_NO_SUCH_JOB = frozenset({400, 404, 410})


def run_jobs(
    embedder: BatchEmbedder,
    cache: EmbeddingCache,
    texts: Mapping[str, str],
    settings: BatchSettings,
    progress: Callable[[int], None],
) -> tuple[int, frozenset[str]]:
    """Embed `texts` (hash → text) into the cache by jobs; returns how many texts were embedded, and
    the hashes of those in jobs that are still worked on, which a later run fetches.

    Raises `ProviderError` where the provider does not answer at all; jobs that it took are kept.
    """
    fingerprint = embedder.fingerprint
    limits = embedder.batch_limits
    assert limits is not None
    jobs = cache.jobs(fingerprint)
    handed_in = {key for hashes in jobs.values() for key in hashes}
    fresh = [(key, text) for key, text in texts.items() if key not in handed_in]
    queue = deque(calls_of(fresh, limits))
    ends = time.monotonic() + settings.timeout_minutes * 60
    retried: set[str] = set()
    embedded = 0
    while queue or jobs:
        while queue and len(jobs) < settings.concurrency:
            call = queue.popleft()
            if job := _submit(embedder, call):
                cache.add_job(fingerprint, job, list(call))
                jobs[job] = list(call)
        for job, hashes in list(jobs.items()):
            vectors = _collect(embedder, job)
            if vectors is None:
                continue
            del jobs[job]
            found = [(key, vectors[key].tobytes()) for key in hashes if key in vectors]
            cache.put(fingerprint, found)
            cache.drop_job(fingerprint, job)
            embedded += len(found)
            progress(embedded)
            # Those that are still wanted, once more; what fails again is left to ordinary calls.
            lost = [key for key in cache.missing(fingerprint, hashes) if key in texts]
            again = [(key, texts[key]) for key in lost if key not in retried]
            retried.update(lost)
            queue.extend(calls_of(again, limits))
        if queue and len(jobs) < settings.concurrency:
            continue
        if not jobs or not settings.wait or time.monotonic() > ends:
            break
        time.sleep(settings.poll_interval_ms / 1000)
    return embedded, frozenset(key for hashes in (*jobs.values(), *queue) for key in hashes)


def _submit(embedder: BatchEmbedder, call: Mapping[str, str]) -> str:
    """The job's id; empty where the address embeds, and takes no jobs."""
    try:
        return embedder.submit(call)
    except ProviderError as problem:
        if getattr(problem, "status", 0) not in _NO_SUCH_SERVICE:
            raise
        return ""


def _collect(embedder: BatchEmbedder, job: str) -> Mapping[str, NDArray[np.float32]] | None:
    """What a job embedded, nothing where the provider no longer knows it; `None` while it runs."""
    try:
        return embedder.collect(job)
    except ProviderError as problem:
        if getattr(problem, "status", 0) not in _NO_SUCH_JOB:
            raise
        return {}


WINDOW = 1024  # rows looked up in the cache and read at a time
Progress = Callable[[str, int, int], None]
W = TypeVar("W")
_Part = tuple[int, int]
"""The number of an item, and 0 for the whole of it or the number of a sentence."""
_Wanted = tuple[int, int, str]  # the same, and the hash of the text
_ALL = (
    "SELECT item, 0 AS part, embedding FROM items UNION ALL"
    " SELECT item, part, embedding FROM sentences"
)
_PENDING = (
    f"SELECT * FROM ({_ALL}) t WHERE NOT EXISTS"
    " (SELECT 1 FROM vectors v WHERE v.item = t.item AND v.part = t.part)"
)
_LEAST_WORDS, _MOST_SENTENCES = 3, 32
"""Of a sentence that is embedded, and of a passage; a longer one is no prose."""


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


def sentences_to_embed(text: str) -> list[str]:
    """The sentences of a passage, where it has several: it may speak of as many subjects, and its
    vector is near to none of them. Of 62 questions that prose answers, in notes by a hand that had
    seen no rule, 33 find their line among the first five, without the sentences 27."""
    from lorebank.language.statements import sentences  # not needed to ask

    found = [each for each in sentences(text) if len(each.split()) >= _LEAST_WORDS]
    return found[:_MOST_SENTENCES] if len(found) > 1 else []


def pending_count(connection: Connection) -> int:
    """How many facts and passages have no vector yet, or not all."""
    return int(connection.execute(f"SELECT count(DISTINCT item) FROM ({_PENDING})").get)


def pending_places(connection: Connection) -> list[tuple[str, int]]:
    """Path and line of each fact and passage that has no vector yet."""
    return select(
        connection,
        f"SELECT DISTINCT f.path, i.start_line FROM ({_PENDING}) p JOIN items i ON i.item = p.item"
        " JOIN files f ON f.file = i.file ORDER BY 1, 2",
    )


def served_by(connection: Connection) -> str:
    """The fingerprint of the embedder whose vectors the index holds; empty where it has none."""
    return read_meta(connection, "embedder") or ""


def label_served(connection: Connection) -> str:
    """That embedder as a person knows it: `openai/text-embedding-3-small`."""
    return read_meta(connection, "embedder_label") or ""


def missing_count(connection: Connection, cache: EmbeddingCache, fingerprint: str) -> int:
    """How many texts would have to be embedded for this embedder to serve."""
    return len(cache.missing(fingerprint, [key for *_, key in select(connection, _ALL)]))


def has_vectors(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None


def vector_count(connection: Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM vectors WHERE part = 0").get)


def dimension_served(connection: Connection) -> int:
    """How long the vectors of the index are; 0 where none is stored yet."""
    stored = connection.execute("SELECT length(vector) / 4 FROM vectors LIMIT 1").fetchone()
    return int(stored[0]) if stored else 0


def embed_pending(
    connection: Connection,
    cache: EmbeddingCache,
    embedder: Embedder,
    *,
    batch: BatchSettings | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> int:
    """Embed what has no vector yet; returns how many texts were embedded.

    Where the index holds another embedder's vectors, all texts are embedded again: into the cache
    first, and the old vectors serve until the new ones are complete. `batch` hands the texts in as
    asynchronous jobs where the embedder has them; those still worked on stay pending. `say` is told
    what jobs that failed will cost.
    """
    try:
        return _Run(connection, cache, embedder, batch, progress, say).embed()
    except _OtherDimension:
        # The model behind an endpoint was changed under its name: its cached vectors are invalid.
        cache.forget(embedder.fingerprint)
        with transaction(connection):
            delete_vectors(connection)
        return _Run(connection, cache, embedder, batch, progress, say).embed()


class _OtherDimension(ProviderError):
    """A vector that is not as long as the others of the same fingerprint."""


class _Run(Mutable):
    """One pass over what has no vector."""

    connection: Connection
    cache: EmbeddingCache
    embedder: Embedder
    batch: BatchSettings | None
    progress: Progress | None
    say: Callable[[str], None]
    dimension: int = 0  # of this embedder's vectors, as far as they were seen
    embedded: int = 0

    def embed(self) -> int:
        takes_over = (
            has_vectors(self.connection) and served_by(self.connection) != self.embedder.fingerprint
        )
        if not takes_over:
            self.dimension = dimension_served(self.connection)
            with transaction(self.connection):
                self._record_embedder()
        wanted = select(self.connection, _ALL if takes_over else _PENDING)
        self._embed(wanted, store=not takes_over)
        hashes = [key for *_, key in wanted]
        if takes_over and not self.cache.missing(self.embedder.fingerprint, hashes):
            self._swap_in(wanted)
        self.cache.evict()
        return self.embedded

    def _embed(self, wanted: Sequence[_Wanted], *, store: bool) -> None:
        items: dict[str, list[_Part]] = defaultdict(list)
        for item, part, key in wanted:
            items[key].append((item, part))
        done = 0

        def keep(vectors: Mapping[str, bytes]) -> None:
            nonlocal done
            if store:
                batch = [(*part, key) for key in vectors for part in items[key]]
                with transaction(self.connection):
                    _store(self.connection, batch, vectors)
            done += sum(len(items[key]) for key in vectors)
            self._report(done, len(wanted))

        in_jobs = self._by_jobs(items)
        calls = calls_of(self._unknown(items, keep, in_jobs), self.embedder.limits)
        for vectors in embed_calls(self.embedder, calls):
            self._check_dimension(vectors)
            self.cache.put(self.embedder.fingerprint, vectors.items())
            self.embedded += len(vectors)
            keep(vectors)

    def _by_jobs(self, items: Mapping[str, Sequence[_Part]]) -> Collection[str]:
        """Embed by asynchronous jobs, if any; returns the hashes that jobs still work on."""
        from lorebank.providers.protocols import BatchEmbedder

        jobs = self.embedder if isinstance(self.embedder, BatchEmbedder) else None
        if self.batch is None or jobs is None or jobs.batch_limits is None:
            return ()
        missing = self.cache.missing(self.embedder.fingerprint, items)
        if not missing:
            return ()
        texts = _texts(self.connection, [items[key][0] for key in missing])
        report = partial(self._report, total=len(texts))
        embedded, in_jobs = run_jobs(jobs, self.cache, texts, self.batch, report)
        self.embedded += embedded
        lost = [k for k in self.cache.missing(self.embedder.fingerprint, texts) if k not in in_jobs]
        if lost:
            tokens = sum(estimate_tokens(texts[key]) for key in lost)
            self.say(
                f"{len(lost)} texts came out of no job of {self.embedder.name}: they are embedded"
                f" by ordinary calls, at their price for about {tokens:,} tokens"
            )
        return in_jobs

    def _unknown(
        self,
        items: Mapping[str, Sequence[_Part]],
        keep: Callable[[Mapping[str, bytes]], None],
        in_jobs: Collection[str],
    ) -> Iterator[tuple[str, str]]:
        """Hash and text of each cache miss; hits are stored on the way."""
        for window in _windows(list(items)):
            known = self.cache.get(self.embedder.fingerprint, window)
            if known:
                self._check_dimension(known)
                keep(known)
            missing = [key for key in window if key not in known and key not in in_jobs]
            yield from _texts(self.connection, [items[key][0] for key in missing]).items()

    def _check_dimension(self, vectors: Mapping[str, bytes]) -> None:
        for size in {len(vector) // 4 for vector in vectors.values()}:
            if size != (self.dimension or size):
                raise _OtherDimension(
                    f"{self.embedder.name}: {self.embedder.model} now gives vectors of "
                    f"{size} numbers, not {self.dimension}"
                )
            self.dimension = size

    def _report(self, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress("embedding", done, total)

    def _record_embedder(self) -> None:
        """Note whose vectors the index holds; inside the caller's transaction."""
        write_meta(self.connection, "embedder", self.embedder.fingerprint)
        write_meta(self.connection, "embedder_label", f"{self.embedder.name}/{self.embedder.model}")

    def _swap_in(self, wanted: Sequence[_Wanted]) -> None:
        """Put this embedder's vectors in the place of the other's, at one instant."""
        with transaction(self.connection):
            delete_vectors(self.connection)
            self._record_embedder()
            for window in _windows(wanted):
                known = self.cache.get(self.embedder.fingerprint, [key for *_, key in window])
                _store(self.connection, window, known)


def _windows(wanted: Sequence[W]) -> Iterator[Sequence[W]]:
    for start in range(0, len(wanted), WINDOW):
        yield wanted[start : start + WINDOW]


def _texts(connection: Connection, parts: Sequence[_Part]) -> dict[str, str]:
    """Hash → text, computed again from the rows, as sync did when it wrote the hash."""
    rows = select(
        connection,
        "SELECT i.item, i.embedding, i.content, i.heading, (SELECT json_group_array(name) FROM"
        " (SELECT m.name FROM mentions m WHERE m.item = i.item AND m.subject"
        "  ORDER BY m.position)) FROM json_each(?) w CROSS JOIN items i ON i.item = w.value",
        (sorted({item for item, _ in parts}),),
    )
    known = {item: (key, content, heading, names) for item, key, content, heading, names in rows}
    texts = {}
    for item, part in parts:
        key, content, heading, names = known[item]
        if part:
            text = sentences_to_embed(content)[part - 1]
            texts[text_hash(text)] = text
        else:
            texts[key] = item_text(content, heading, json.loads(names))
    return texts


def _store(connection: Connection, batch: Sequence[_Wanted], known: Mapping[str, bytes]) -> None:
    """Store vectors; only where the row still stands for the same text."""
    query = f"SELECT * FROM ({_ALL}) WHERE item IN (SELECT value FROM json_each(?))"
    rows = set(batch).intersection(select(connection, query, ({item for item, *_ in batch},)))
    insert_vectors(connection, [(i, part, known[key]) for i, part, key in rows if key in known])
