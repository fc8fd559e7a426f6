"""Texts handed to an embedder: in calls, several at a time, or in asynchronous jobs.

While the embedder answers one call, the results of the last are stored. What succeeded is kept
whatever becomes of the rest.

A job's id is on disk before anybody waits for it. Its results are joined by custom id, which is
the hash of the text, so that whoever fetches them need not know who handed them in. What a job
could not embed is handed in once more, and what fails again is left to ordinary calls.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.index.embedding_cache import EmbeddingCache
    from lorebank.providers.protocols import BatchEmbedder, Embedder, Limits
    from lorebank.settings.tables import BatchSettings


Vectors = dict[str, bytes]
_Refused = tuple[str, ProviderError]
"""A text that has no vector, and why."""
_REFUSALS = (200, 400, 413, 422)
"""The statuses by which services refuse what was sent, or answer it with what is no vector."""
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
    """Several calls at a time."""
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
    """What a job embedded, nothing where the provider knows of no such job any more; `None` while
    it is worked on."""
    try:
        return embedder.collect(job)
    except ProviderError as problem:
        if getattr(problem, "status", 0) not in _NO_SUCH_JOB:
            raise
        return {}
