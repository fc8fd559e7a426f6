"""Texts handed to an embedder: in calls, several at a time, or in asynchronous jobs.

While the embedder answers one call, the results of the last are stored. What succeeded is kept
whatever becomes of the rest.

A job's id is on disk before anybody waits for it. Its results are joined by custom id, which is
the hash of the text, so that whoever fetches them need not know who handed them in. What a job
could not embed is handed in once more, and what fails again is left to ordinary calls.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from lorebank.index.embedding_cache import EmbeddingCache
    from lorebank.providers.protocols import BatchEmbedder, Embedder, Limits
    from lorebank.settings.tables import BatchSettings


Vectors = dict[str, bytes]
_AHEAD = 16
"""Calls handed in beyond those that are under way."""


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


def embed_calls(embedder: Embedder, calls: Iterable[Mapping[str, str]]) -> Iterator[Vectors]:
    """The vectors of each call, as they come; raises the first failure once the others are in."""
    if not embedder.endpoint:  # a model in this process, which uses all cores by itself
        for call in calls:
            yield _one(embedder, call)
        return
    from concurrent.futures import ThreadPoolExecutor  # its import is felt by a single recall

    # One more than may ask at a time: an answer is read while the next ones are on their way.
    with ThreadPoolExecutor(2 * embedder.limits.concurrency) as workers:
        try:
            yield from _pipeline(embedder, calls, workers)
        except BaseException:
            embedder.cancel()
            raise


def _pipeline(
    embedder: Embedder, calls: Iterable[Mapping[str, str]], workers: ThreadPoolExecutor
) -> Iterator[Vectors]:
    from concurrent.futures import FIRST_COMPLETED, wait

    waiting: set[Future[Vectors]] = set()
    done: set[Future[Vectors]] = set()
    coming = iter(calls)
    failure: BaseException | None = None
    while True:
        # More than are worked on: a worker that is done never waits for what is done here.
        while failure is None and len(waiting) < embedder.limits.concurrency + _AHEAD:
            call = next(coming, None)
            if call is None:
                break
            waiting.add(workers.submit(_one, embedder, call))
        if not done:
            if not waiting:
                break
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        future = done.pop()
        problem = future.exception()
        if problem is None:
            yield future.result()
        elif failure is None:
            failure = problem
            for queued in waiting:
                queued.cancel()
            waiting = {future for future in waiting if not future.cancelled()}
    if failure is not None:
        raise failure


def _one(embedder: Embedder, call: Mapping[str, str]) -> Vectors:
    vectors = embedder.embed_documents(list(call.values()))
    return {key: vector.tobytes() for key, vector in zip(call, vectors, strict=True)}


_NO_SUCH_SERVICE = frozenset({404, 405, 501})
_NO_SUCH_JOB = frozenset({400, 404, 410})


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What became of the texts."""

    embedded: int
    left: Mapping[str, str]
    """Hash → text of what no job could embed."""
    pending: int
    """Texts in jobs that are still worked on; a later run fetches them."""


def run_jobs(
    embedder: BatchEmbedder,
    cache: EmbeddingCache,
    texts: Mapping[str, str],
    settings: BatchSettings,
    progress: Callable[[int], None] = lambda done: None,
) -> BatchOutcome:
    """Embed `texts` (hash → text) into the cache by jobs; returns what is left to do otherwise.

    Raises `ProviderError` where the provider does not answer at all; jobs that it took are kept.
    """
    return _Jobs(embedder, cache, dict(texts), settings, progress).run()


@dataclass(slots=True)
class _Jobs:
    embedder: BatchEmbedder
    cache: EmbeddingCache
    texts: dict[str, str]
    settings: BatchSettings
    progress: Callable[[int], None]

    def run(self) -> BatchOutcome:
        fingerprint = self.embedder.fingerprint
        open_jobs = self.cache.jobs(fingerprint)
        handed_in = {key for hashes in open_jobs.values() for key in hashes}
        fresh = [(key, text) for key, text in self.texts.items() if key not in handed_in]
        queue = deque(calls_of(fresh, self.embedder.batch_limits))
        seconds = self.settings.timeout_minutes * 60
        ends = time.monotonic() + seconds
        retried: set[str] = set()
        left: dict[str, str] = {}
        embedded = 0
        while queue or open_jobs:
            while queue and len(open_jobs) < self.settings.concurrency:
                call = queue.popleft()
                try:
                    job = self.embedder.submit(call)
                except ProviderError as problem:
                    if getattr(problem, "status", 0) not in _NO_SUCH_SERVICE:
                        raise
                    left |= call  # an address that embeds, and takes no jobs
                    continue
                self.cache.add_job(fingerprint, job, list(call))
                open_jobs[job] = list(call)
            for job, hashes in list(open_jobs.items()):
                found = self._collect(job, hashes)
                if found is None:
                    continue
                del open_jobs[job]
                embedded += found
                self.progress(embedded)
                lost = self._without_vector(hashes)
                again = {key: text for key, text in lost.items() if key not in retried}
                left |= {key: text for key, text in lost.items() if key in retried}
                retried |= set(again)
                queue.extend(calls_of(again.items(), self.embedder.batch_limits))
            if queue and len(open_jobs) < self.settings.concurrency:
                continue
            if not open_jobs or not self.settings.wait or time.monotonic() > ends:
                break
            time.sleep(self.settings.poll_interval_ms / 1000)
        pending = sum(map(len, open_jobs.values())) + sum(map(len, queue))
        return BatchOutcome(embedded, left, pending)

    def _collect(self, job: str, hashes: list[str]) -> int | None:
        """How many texts a job embedded; `None` while it is worked on."""
        fingerprint = self.embedder.fingerprint
        try:
            state = self.embedder.collect(job)
        except ProviderError as problem:
            if getattr(problem, "status", 0) not in _NO_SUCH_JOB:
                raise
            self.cache.drop_job(fingerprint, job)  # the provider knows of no such job any more
            return 0
        if not state.done:
            return None
        known = set(hashes)
        found = [(key, v.tobytes()) for key, v in state.vectors.items() if key in known]
        self.cache.put(fingerprint, found)
        self.cache.drop_job(fingerprint, job)
        return len(found)

    def _without_vector(self, hashes: list[str]) -> dict[str, str]:
        """The texts of a finished job that have no vector and are still wanted."""
        missing = self.cache.missing(self.embedder.fingerprint, hashes)
        return {key: self.texts[key] for key in missing if key in self.texts}
