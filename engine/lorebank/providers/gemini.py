"""Google's Gemini embeddings, and asynchronous batches of them at half the price.

`POST /models/<model>:batchEmbedContents` with up to 100 requests, each with a task type: a
question is embedded otherwise than what may answer it. Answered with `embeddings` in the order of
the requests. Fewer dimensions than 3072 are not of unit length and are made so.

`POST /models/<model>:asyncBatchEmbedContent` takes the requests in its body (20 MB at most) and
answers with an operation, `batches/…`, which `GET` tells the state of. Each request carries its
custom id as metadata, and so does each response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorebank.errors import ProviderError
from lorebank.providers.answers import unit_vectors
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import BatchState, Limits, Role
from lorebank.providers.remote import (
    RemoteEmbedder,
    cut_to_tokens,
    native_dimension,
    open_client,
    patience_of,
    require_key,
)
from lorebank.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.providers.accounts import Setup


DEFAULT_MODEL = "gemini-embedding-001"
_NATIVE = {"gemini-embedding-001": 3072}
_TASKS: dict[Role, str] = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """The format of `batchEmbedContents`."""

    model: str
    dimensions: int = 0
    name: str = "gemini"

    @property
    def resource(self) -> str:
        """The model as Google names it: `models/…`."""
        return self.model if self.model.startswith("models/") else f"models/{self.model}"

    def one(self, text: str, role: Role) -> dict[str, Any]:
        """One `EmbedContentRequest`."""
        request: dict[str, Any] = {
            "model": self.resource,
            "content": {"parts": [{"text": text}]},
            "taskType": _TASKS[role],
        }
        if self.dimensions:
            request["outputDimensionality"] = self.dimensions
        return request

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        return (
            f"/{self.resource}:batchEmbedContents",
            {"requests": [self.one(text, role) for text in texts]},
        )

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadAnswer("answered without a list of embeddings")
        return [row.get("values") for row in rows]


def load(setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings; `ProviderError` where it needs a key and has none."""

    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or DEFAULT_MODEL
    dimensions = 0 if setup.as_fallback else settings.dimensions
    key = require_key("gemini", setup)
    client = open_client("gemini", setup, {"x-goog-api-key": key} if key else {}, model)
    return GeminiBatchEmbedder(
        GeminiWire(model, dimensions),
        client,
        limits=Limits(100, 100_000, 2000, settings.remote.concurrency),
        dimensions=dimensions,
        native=native_dimension(client, _NATIVE, model),
        patience=patience_of(setup),
    )


_KEY = "key"
_OVER = frozenset({"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})


class GeminiBatchEmbedder(RemoteEmbedder):
    """The embedder of Gemini that also takes jobs."""

    batch_limits = Limits(items=10_000, tokens=2_500_000)
    """Some 10 MB of text, with room for what stands around it."""
    _wire: GeminiWire

    def submit(self, texts: Mapping[str, str]) -> str:
        requests = [
            {
                "request": self._wire.one(cut_to_tokens(text, self.limits.text_tokens), "document"),
                "metadata": {_KEY: custom_id},
            }
            for custom_id, text in texts.items()
        ]
        batch = {
            "displayName": f"lorebank {len(requests)} texts",
            "model": self._wire.resource,
            "inputConfig": {"requests": {"requests": requests}},
        }
        path = f"/{self._wire.resource}:asyncBatchEmbedContent"
        return self._client.post(path, {"batch": batch}, self._patience, _name)

    def collect(self, job: str) -> BatchState:
        operation = self._client.get(f"/{job}", self._patience, _table)
        state = _state(operation)
        if not operation.get("done") and state not in _OVER:
            return BatchState(False, {}, {})
        if error := operation.get("error"):
            said = error.get("message") if isinstance(error, dict) else error
            return BatchState(True, {}, {}, f"failed: {str(said)[:200]}")
        vectors: dict[str, NDArray[np.float32]] = {}
        failed: dict[str, str] = {}
        for row in _responses(operation):
            custom_id = _table(row.get("metadata") or {}).get(_KEY)
            if not isinstance(custom_id, str):
                continue
            try:
                vectors[custom_id] = _vector(row, self.dimension)
            except BadAnswer as problem:
                failed[custom_id] = problem.message
        problem_of_job = "" if state in ("", "SUCCEEDED") else state.lower()
        return BatchState(True, vectors, failed, problem_of_job)


def _name(answer: Any) -> str:
    found = _table(answer).get("name")
    if not isinstance(found, str) or not found.startswith("batches/") or found.count("/") > 1:
        raise ProviderError("gemini: took a job and gave it no name")
    return found


def _state(operation: Mapping[str, Any]) -> str:
    """`SUCCEEDED` of `BATCH_STATE_SUCCEEDED`; empty where no state is told."""
    metadata = operation.get("metadata")
    told = metadata.get("state") if isinstance(metadata, dict) else None
    return str(told or operation.get("state") or "").rpartition("_STATE_")[2]


def _responses(operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The inlined responses, which stand in `response` or in the batch's `output`."""
    places = [operation.get("response"), operation.get("metadata")]
    for place in places:
        if not isinstance(place, dict):
            continue
        output = place.get("output")
        for holder in (place, output):
            inlined = holder.get("inlinedResponses") if isinstance(holder, dict) else None
            rows = inlined.get("inlinedResponses") if isinstance(inlined, dict) else inlined
            if isinstance(rows, list):
                return [row for row in rows if isinstance(row, dict)]
    return []


def _vector(row: Mapping[str, Any], dimension: int) -> NDArray[np.float32]:
    if error := row.get("error"):
        raise BadAnswer(str(_table(error).get("message"))[:200])
    embedding = _table(_table(row.get("response")).get("embedding"))
    vector: NDArray[np.float32] = unit_vectors([embedding.get("values")], 1, dimension)[0]
    return vector


def _table(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise BadAnswer("answered with JSON that is not an object")
    return answer
