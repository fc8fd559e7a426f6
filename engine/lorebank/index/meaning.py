"""Which embedder embeds and which one answers, and why not the one that was asked for.

The index holds the vectors of one embedder. That is the primary, until it fails and a fallback is
named: then the texts are embedded by the fallback, whose vectors take over, and the primary's take
over again once it answers. A question is always embedded by the embedder whose vectors it is
compared with. Nothing here fails a recall: without vectors, words and links answer, and the reason
is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, generation, read_meta, transaction, write_meta
from lorebank.errors import LorebankError, Offline, ProviderError
from lorebank.index.breaker import Breaker
from lorebank.index.embedding import (
    TEXTS_REFUSED,
    Progress,
    TextsRefused,
    calls_of,
    dimension_served,
    embed_calls,
    embed_pending,
    has_vectors,
    label_served,
    missing_count,
    pending_count,
    served_by,
)
from lorebank.index.embedding_cache import EmbeddingCache, text_hash
from lorebank.index.vectors import FINGERPRINT, QueryVector
from lorebank.providers.registry import Setup, load_embedder, refuse_offline
from lorebank.records import Mutable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.providers.protocols import Embedder
    from lorebank.settings.tables import BatchSettings

    Vector = NDArray[np.float32]

EMBEDDED_BY_RECALL, SENT_BY_RECALL = 256, 32
"""Texts that a recall embeds itself when no more than these are without a vector: some weeks of
notes, once 1.5 s of CPU by the built-in models; and those it sends away."""
EMBEDDED_AT_ONCE = 2_500
"""Texts that wait for the slower of the built-in models: 15 s of CPU, about as long as reading
2,000 notes. Of more, the quicker one's vectors serve first."""
_FOREIGN = "another embedder made the vectors: run `lorebank index`"
_NOTHING_YET = "nothing is embedded yet: run `lorebank index`"
_SMALL_CALL = 64  # texts a call where memory counts more than time
_ASKED_KEPT = 500  # questions, at 2 to 4 KB each
FETCH = "run `lorebank index` again to fetch them"
_MEANINGLESS = "the question holds nothing that has a meaning"


class _Choice(Mutable):
    """An embedder that the settings name, loaded when it is first needed."""

    name: str
    setup: Setup
    problem: str = ""  # why it did not answer the last time it was needed
    remedy: str = ""  # what to do about it
    _embedder: Embedder | None = None

    def load(self) -> Embedder | None:
        """The embedder; `None` for `none`. Raises `LorebankError` where it cannot be had."""
        if self._embedder is None:
            self._embedder = load_embedder(self.name, self.setup)
        return self._embedder

    @property
    def shown(self) -> str:
        """Its name, and of `auto` that of the one that was found."""
        return self._embedder.name if self._embedder is not None else self.name

    def close(self) -> None:
        if self._embedder is not None:
            self._embedder.cancel()


class EmbeddingService(Mutable):
    """One workspace's embedders: the primary, the fallback, and what is known of their state.

    `cache_path` gives the place of the embedding cache, `None` for one in memory; it is called when
    the cache is needed.
    """

    setup: Setup
    cache_path: Callable[[], Path | None]
    given: Embedder | None = None
    """An embedder that the caller brought; the settings name no other then."""
    _primary: _Choice = field(init=False)
    _fallback: _Choice | None = field(init=False, default=None)
    _told: set[str] = field(default_factory=set)
    _asking: Connection | None = None
    """While a question is embedded: what an earlier process said is not said again."""
    _asked: dict[tuple[str, str], Vector] = field(default_factory=dict)
    """The vectors of questions: a host asks the same in its hook, its tool and its next page."""
    _pending_known: tuple[tuple[int, int], int] | None = None

    def __post_init__(self) -> None:
        settings = self.setup.embedder
        setup = replace(self.setup, say=self._say)
        self._primary = _Choice(settings.provider, setup, _embedder=self.given)
        others = ("none", settings.provider)
        if self.given is None and settings.provider != "none" and settings.fallback not in others:
            self._fallback = _Choice(settings.fallback, replace(setup, as_fallback=True))

    def trouble(self, connection: Connection) -> tuple[str, str]:
        """Why the primary does not answer, and what to do about it; both empty while it does."""
        if not self._primary.problem:
            return "", ""
        fallback = self._fallback_reason(connection)
        return (fallback, "") if fallback else (self._primary.problem, self._primary.remedy)

    def silence(self, connection: Connection) -> str:
        """Why the embedder that is set does not answer; empty while it does, or none is set."""
        setup, is_named = self.setup.embedder, self.given is not None
        is_meant = setup.offline or not (is_named or setup.provider != "none")
        known = (read_meta(connection, TEXTS_REFUSED), FETCH)
        if is_meant or self._primary.problem in known or self._primary.remedy in known:
            return ""
        return self._fallback_reason(connection) or self._reason(connection)

    def embed(
        self, connection: Connection, *, progress: Progress | None = None, thorough: bool = False
    ) -> int:
        """Embed what has no vector, with the primary or else the fallback; how many texts.

        Where many wait for a primary that is slow, its quick part embeds them first; `thorough`:
        and the primary then. Else it is left to whoever has the time.
        """
        embedded = 0
        for choice in self._choices():
            try:
                quick = self._quick_choice(choice)
                if quick is not None and self._is_long_work(connection, choice):
                    embedded += self._embed_with(connection, quick, None, progress)
                    if not thorough:
                        self._say(
                            "so many new texts are searched with the multilingual model for now;"
                            " `reflect`, `watch` or the MCP server adds the English one"
                        )
                        return embedded
                return embedded + self._embed_with(connection, choice, None, progress)
            except LorebankError as problem:
                self._failed(connection, choice, problem)
        return embedded

    def waiting(self, connection: Connection) -> int:
        """How many texts have a vector of the primary's quick part only."""
        embedder = self._primary.load()
        quick = getattr(embedder, "quick", None)
        if not (embedder and quick and served_by(connection) == quick.fingerprint):
            return 0
        with self._cache() as cache:
            return missing_count(connection, cache, embedder.fingerprint)

    def _is_long_work(self, connection: Connection, choice: _Choice) -> bool:
        embedder = choice.load()
        if embedder is None:
            return False
        if has_vectors(connection) and served_by(connection) == embedder.fingerprint:
            return False
        with self._cache() as cache:
            return missing_count(connection, cache, embedder.fingerprint) > EMBEDDED_AT_ONCE

    def _quick_choice(self, choice: _Choice) -> _Choice | None:
        """The part of the primary whose vectors serve while a large index waits for its own."""
        quick = getattr(choice.load(), "quick", None) if choice is self._primary else None
        return quick and _Choice(choice.name, choice.setup, _embedder=quick)

    def query(self, connection: Connection, text: str) -> QueryVector:
        """The vector of a question, by whoever made the vectors it will be compared with."""
        self._asking = connection
        try:
            if (
                not has_vectors(connection)
                and self.pending(connection) > EMBEDDED_BY_RECALL
                and not self._has_cache()  # which may know the rest
            ):
                return self._without_vector(connection)
            for choice in self._choices():
                try:
                    vector = self._vector_of(connection, choice, text)
                    if vector is None and (quick := self._quick_choice(choice)) is not None:
                        choice = quick
                        vector = self._vector_of(connection, choice, text)
                except LorebankError as problem:
                    self._failed(connection, choice, problem)
                    continue
                if vector is not None:
                    return self._answer(connection, choice, vector)
            return self._previous(connection, text) or self._without_vector(connection)
        finally:
            self._asking = None

    def _without_vector(self, connection: Connection) -> QueryVector:
        otherwise = _FOREIGN if has_vectors(connection) else _NOTHING_YET
        return QueryVector(skipped=self._reason(connection) or otherwise, missed=True)

    def close(self) -> None:
        """Close connections; the next use reopens them."""
        for choice in self._choices():
            choice.close()

    def pending(self, connection: Connection) -> int:
        """Facts and passages without a vector, counted again only when somebody has written."""
        current = generation(connection)
        if self._pending_known is None or self._pending_known[0] != current:
            self._pending_known = (current, pending_count(connection))
        return self._pending_known[1]

    def describe(self, connection: Connection) -> dict[str, object]:
        """Provider, model, dimension, whether it is available, and why not: for `status`.

        `serving` names the embedder whose vectors the index holds; `fallback` is the reason why
        that is not the primary; `endpoint` is where texts are sent; `waiting` is how many texts
        have the vector of its quick part only; `lacks` says what is not installed of it.
        """
        try:
            embedder = self._primary.load()
        except LorebankError as problem:
            embedder, self._primary.problem = None, problem.message
        reason = self._reason(connection)
        about: dict[str, object] = {
            "provider": self.setup.embedder.provider,
            "model": "",
            "dimension": 0,
            "available": embedder is not None,
            "reason": reason or f"switched off by embedder.provider = {self._primary.name}",
            "endpoint": "",
            "serving": label_served(connection),
            "fallback": self._fallback_reason(connection),
            "waiting": 0,
            "lacks": "",
        }
        if embedder is not None:
            serves = served_by(connection) == embedder.fingerprint
            about |= {
                "provider": embedder.name,
                "model": embedder.model,
                # As it says, else that of the vectors it made; 0 while unknown.
                "dimension": embedder.dimension or (dimension_served(connection) if serves else 0),
                "reason": reason or self._jobs_of(embedder),
                "endpoint": embedder.endpoint,
                "waiting": self.waiting(connection),
                "lacks": getattr(embedder, "lacks", ""),
            }
        return about

    # -- texts that stand in no index ------------------------------------------------------------

    def known_vectors(self, texts: Sequence[str]) -> Mapping[str, bytes]:
        """Text → vector of the built-in embedder, for those in the cache; none is asked."""
        if not texts or not self._has_cache():
            return {}
        hashes = {text_hash(text): text for text in texts}
        with self._cache() as cache:
            known = cache.get(FINGERPRINT, list(hashes), mark=False)
        return {hashes[key]: vector for key, vector in known.items()}

    def embed_texts(self, texts: Sequence[str]) -> dict[str, bytes]:
        """The same, with those that the cache lacks: they are embedded where the primary is it."""
        hashes = {text_hash(text): text for text in texts}
        known: dict[str, bytes] = {}
        try:
            with self._cache() as cache:
                known |= cache.get(FINGERPRINT, list(hashes), mark=False)
                wanted = [(key, text) for key, text in hashes.items() if key not in known]
                embedder = self._primary.load() if wanted else None
                embedder = getattr(embedder, "quick", embedder)
                if embedder is not None and embedder.fingerprint == FINGERPRINT:
                    limits = replace(embedder.limits, items=_SMALL_CALL)
                    for vectors in embed_calls(embedder, calls_of(wanted, limits)):
                        cache.put(FINGERPRINT, vectors.items())
                        known |= vectors
        except LorebankError as problem:
            self._primary.problem, self._primary.remedy = problem.message, problem.hint
        return {hashes[key]: vector for key, vector in known.items()}

    # -- one embedder --------------------------------------------------------------------------

    def _choices(self) -> Iterator[_Choice]:
        yield self._primary
        if self._fallback is not None and self._fallback.name != self._primary.shown:
            yield self._fallback

    def _embed_with(
        self, connection: Connection, choice: _Choice, limit: int | None, progress: Progress | None
    ) -> int:
        """With a `limit`, only where no more than this many texts have to be embedded."""
        embedder = choice.load()
        if embedder is None:
            return 0
        fingerprint = embedder.fingerprint
        changed = has_vectors(connection) and served_by(connection) != fingerprint
        if not changed and not self.pending(connection):
            return 0
        breaker = Breaker.read(connection, fingerprint)
        if breaker.failures:
            if limit is not None and breaker.is_open:
                raise _CircuitOpen(breaker.reason)
            embedder.embed_query("lorebank")  # one short text before many
        with self._cache() as cache:
            texts = missing_count(connection, cache, fingerprint)
            if limit is not None and texts > limit:
                return 0
            quick = getattr(embedder, "quick", None)
            if changed and not (quick and served_by(connection) == quick.fingerprint):
                self._say(
                    f"{embedder.name}/{embedder.model} takes the place of "
                    f"{label_served(connection)}: {texts} texts are embedded again, "
                    "and the old vectors serve until that is done"
                )
            batch = self._batch if limit is None else None
            embedded = embed_pending(
                connection, cache, embedder, batch=batch, progress=progress, say=self._say
            )
        waiting = self._jobs_of(embedder)
        breaker.close(connection)
        if read_meta(connection, TEXTS_REFUSED):
            with transaction(connection):
                connection.execute("DELETE FROM meta WHERE key = ?", (TEXTS_REFUSED,))
        choice.problem, choice.remedy = waiting, FETCH if waiting else ""
        return embedded

    def _vector_of(self, connection: Connection, choice: _Choice, text: str) -> Vector | None:
        """A question's vector, once the index holds this embedder's vectors.

        `None` where it holds another's and making it hold these would take too long.
        """
        embedder = choice.load()
        if embedder is None:
            return None
        fingerprint = embedder.fingerprint
        breaker = Breaker.read(connection, fingerprint)
        if breaker.is_open:
            raise _CircuitOpen(breaker.reason)
        serves = served_by(connection) == fingerprint and has_vectors(connection)
        most = SENT_BY_RECALL if embedder.endpoint else EMBEDDED_BY_RECALL
        if not serves:
            with self._cache() as cache:
                if missing_count(connection, cache, fingerprint) > most:
                    return None
        vector = self._embed_question(embedder, text)
        breaker.close(connection)
        if not serves or 0 < self.pending(connection) <= most:
            try:
                self._embed_with(connection, choice, most, None)
            except ProviderError as problem:
                if not serves:
                    raise
                self._failed(connection, choice, problem)
                return vector  # what is embedded can be searched all the same
        stored = dimension_served(connection)
        if stored and stored != len(vector):
            # The model was changed under its name: its vectors are to be made again.
            with self._cache() as cache, transaction(connection):
                cache.forget(fingerprint)
                write_meta(connection, "embedder", f"{fingerprint} as it was")
            raise ProviderError(
                f"{embedder.name}: {embedder.model} now gives vectors of {len(vector)} numbers, "
                f"not {stored}: run `lorebank index`"
            )
        if choice.remedy != FETCH:
            choice.problem = choice.remedy = ""
        return vector

    def _embed_question(self, embedder: Embedder, text: str) -> Vector:
        """Memoised for local embedders; for remote ones, which get no secret, from the cache."""
        if not embedder.endpoint:
            asked = embedder.fingerprint, text
            if asked not in self._asked:
                if len(self._asked) >= _ASKED_KEPT:
                    self._asked.clear()
                self._asked[asked] = embedder.embed_query(text)
            return self._asked[asked]
        import numpy as np

        from lorebank.language.secrets import redact

        text = redact(text).text
        key = text_hash(text)
        with self._cache() as cache:
            known = cache.get(embedder.fingerprint, [key], "query")
            if key in known:
                return np.frombuffer(known[key], dtype=np.float32)
            vector = embedder.embed_query(text)
            cache.put(embedder.fingerprint, [(key, vector.tobytes())], "query")
        return vector

    def _jobs_of(self, embedder: Embedder) -> str:
        """How many texts are in asynchronous jobs, in words; empty for none."""
        if self._batch is None or not self.setup.embedder.cache.enabled:
            return ""
        with self._cache() as cache:
            waiting = sum(map(len, cache.jobs(embedder.fingerprint).values()))
        return f"{waiting} texts are in jobs of {embedder.name}" if waiting else ""

    def _has_cache(self) -> bool:
        path = self.cache_path() if self.setup.embedder.cache.enabled else None
        return path is not None and path.exists()

    def _failed(self, connection: Connection, choice: _Choice, problem: LorebankError) -> None:
        choice.problem, choice.remedy = problem.message, problem.hint
        if isinstance(problem, TextsRefused):  # the embedder answers
            with transaction(connection):
                write_meta(connection, TEXTS_REFUSED, problem.message)
            return
        if isinstance(problem, _CircuitOpen | Offline):  # nobody was asked
            return
        try:
            embedder = choice.load()
            if embedder is not None:
                Breaker.read(connection, embedder.fingerprint).trip(connection, problem.message)
        except LorebankError as unloadable:
            choice.problem = unloadable.message

    # -- who answers ---------------------------------------------------------------------------

    def _answer(self, connection: Connection, choice: _Choice, vector: Vector) -> QueryVector:
        embedder = choice.load()
        assert embedder is not None
        fallback = self._fallback_reason(connection) if choice is self._fallback else None
        if not vector.any():
            return QueryVector(skipped=_MEANINGLESS, fallback=fallback)
        if not has_vectors(connection):
            return self._without_vector(connection)
        spread = getattr(embedder, "spread", 0.0)
        return QueryVector(vector, embedder.name, embedder.model, spread, fallback=fallback)

    def _previous(self, connection: Connection, text: str) -> QueryVector | None:
        """The built-in model, where its vectors still serve after another was chosen.

        A remote one is not asked again: choosing another may well mean not to send it anything.
        """
        served = served_by(connection)
        if not served.startswith("local/") or not has_vectors(connection):
            return None
        try:
            embedder = load_embedder("local")
            if embedder is None or embedder.fingerprint != served:
                return None
            vector = embedder.embed_query(text)
        except LorebankError:
            return None
        if not vector.any():
            return QueryVector(skipped=_MEANINGLESS)
        why = self._reason(connection) or "its vectors are not complete: run `lorebank index`"
        primary, own = self._primary.shown, label_served(connection)
        return QueryVector(
            vector,
            embedder.name,
            embedder.model,
            fallback=f"{primary} does not answer yet ({why}); {own} answers",
        )

    def _reason(self, connection: Connection) -> str:
        """Why the primary does not answer, in this process or the last one that asked."""
        if self._primary.problem:
            return self._primary.problem
        try:
            embedder = self._primary.load()
            if embedder is None:
                return ""
            if self.setup.embedder.offline:
                refuse_offline(embedder.name, embedder.endpoint)
            return Breaker.read(connection, embedder.fingerprint).reason
        except LorebankError as problem:
            return problem.message

    def _fallback_reason(self, connection: Connection) -> str | None:
        reason = self._reason(connection)
        if self._fallback is None or not reason:
            return None
        return f"{self._primary.shown} failed ({reason}); {self._fallback.shown} answers"

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _batch(self) -> BatchSettings | None:
        batch = self.setup.embedder.remote.batch
        return batch if batch.enabled else None

    @contextmanager
    def _cache(self) -> Iterator[EmbeddingCache]:
        settings = self.setup.embedder.cache
        path = self.cache_path() if settings.enabled else None
        with EmbeddingCache(path, settings.max_entries, self._say) as cache:
            yield cache

    def _say(self, line: str) -> None:
        """Each thing once: by each process that embeds notes, by the first one that asks."""
        if line in self._told:
            return
        self._told.add(line)
        if self._asking is not None:
            key = f"said {text_hash(line)}"
            if read_meta(self._asking, key):
                return
            with transaction(self._asking):
                write_meta(self._asking, key, "1")
        self.setup.say(line)


class _CircuitOpen(ProviderError):
    """The provider failed a moment ago and is not asked."""
