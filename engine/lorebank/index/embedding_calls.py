"""Calls to an embedder: texts cut into as few as its limits allow, several of them at a time.

While the embedder answers one call, the results of the last are stored. What succeeded is kept
whatever becomes of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lorebank.language.words import estimate_tokens

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from lorebank.providers.protocols import Embedder, Limits

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

    with ThreadPoolExecutor(embedder.limits.concurrency) as workers:
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
