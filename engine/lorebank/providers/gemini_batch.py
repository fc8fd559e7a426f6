"""Gemini's asynchronous batches: half the price, within a day.

`POST /models/<model>:asyncBatchEmbedContent` takes the requests in its body (20 MB at most) and
answers with an operation, `batches/…`, which `GET` tells the state of. Each request carries its
custom id as metadata, and so does each response.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lorebank.errors import ProviderError
from lorebank.providers.answers import unit_vectors
from lorebank.providers.gemini import GeminiWire
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import BatchState, Limits
from lorebank.providers.remote import RemoteEmbedder, cut_to_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
