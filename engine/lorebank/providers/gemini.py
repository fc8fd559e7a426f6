"""Google's Gemini: embeddings, batches of them at half the price, chat.

`POST /models/<model>:batchEmbedContents` with up to 100 requests, each with a task type: a
question is embedded otherwise than what may answer it. Answered with `embeddings` in the order of
the requests. Fewer dimensions than 3072 are not of unit length and are made so.

`POST /models/<model>:asyncBatchEmbedContent` takes the requests in its body (20 MB at most) and
answers with an operation, `batches/…`, whose state `GET` returns. Each request carries its
custom id as metadata, and so does each response.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorebank.errors import ProviderError
from lorebank.providers.http import BadAnswer, as_object
from lorebank.providers.protocols import BatchState, Completion, Limits, Prompt, Role
from lorebank.providers.remote import (
    Asked,
    Batch,
    ChatService,
    RemoteEmbedder,
    Service,
    batch_vectors,
    unit_vectors,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TASKS: dict[Role, str] = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
_ROLES = {"user": "user", "assistant": "model"}
_OVER = frozenset({"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})


def _resource(model: str) -> str:
    """The model as Google names it: `models/…`."""
    return f"models/{model.removeprefix('models/')}"


def _one(asked: Asked, text: str, role: Role) -> dict[str, Any]:
    """One `EmbedContentRequest`."""
    request: dict[str, Any] = {
        "model": _resource(asked.model),
        "content": {"parts": [{"text": text}]},
        "taskType": _TASKS[role],
    }
    return request | ({"outputDimensionality": asked.dimensions} if asked.dimensions else {})


def _body(asked: Asked, texts: Sequence[str], role: Role) -> dict[str, Any]:
    return {"requests": [_one(asked, text, role) for text in texts]}


def _rows(answer: Any, count: int) -> Sequence[Any]:
    rows = answer.get("embeddings") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadAnswer("answered without a list of embeddings")
    return [row.get("values") for row in rows]


def _submit(embedder: RemoteEmbedder, texts: Mapping[str, str]) -> str:
    requests = [
        {"request": _one(embedder.asked, text, "document"), "metadata": {"key": custom_id}}
        for custom_id, text in texts.items()
    ]
    batch = {
        "displayName": f"lorebank {len(requests)} texts",
        "model": _resource(embedder.model),
        "inputConfig": {"requests": {"requests": requests}},
    }
    path = f"/{_resource(embedder.model)}:asyncBatchEmbedContent"
    return embedder.client.post(path, {"batch": batch}, embedder.patience, _job_name)


def _collect(embedder: RemoteEmbedder, job: str) -> BatchState:
    operation = embedder.client.get(f"/{job}", embedder.patience, as_object)
    state = _state(operation)
    if not operation.get("done") and state not in _OVER:
        return BatchState(False, {}, {})
    if error := operation.get("error"):
        said = error.get("message") if isinstance(error, dict) else error
        return BatchState(True, {}, {}, f"failed: {str(said)[:200]}")
    rows = [(as_object(row.get("metadata") or {}).get("key"), row) for row in _responses(operation)]
    vectors, failed = batch_vectors(rows, lambda row: _vector(row, embedder.dimension))
    return BatchState(True, vectors, failed, "" if state in ("", "SUCCEEDED") else state.lower())


def _job_name(answer: Any) -> str:
    found = as_object(answer).get("name")
    if not isinstance(found, str) or not found.startswith("batches/") or found.count("/") > 1:
        raise ProviderError("gemini: accepted a job without returning its name")
    return found


def _state(operation: Mapping[str, Any]) -> str:
    """`SUCCEEDED` of `BATCH_STATE_SUCCEEDED`; empty where no state is given."""
    metadata = operation.get("metadata")
    state = metadata.get("state") if isinstance(metadata, dict) else None
    return str(state or operation.get("state") or "").rpartition("_STATE_")[2]


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
        raise BadAnswer(str(as_object(error).get("message"))[:200])
    embedding = as_object(as_object(row.get("response")).get("embedding"))
    vector: NDArray[np.float32] = unit_vectors([embedding.get("values")], 1, dimension)[0]
    return vector


def _key_header(key: str) -> dict[str, str]:
    return {"x-goog-api-key": key}


EMBEDDINGS = Service(
    "gemini",
    "gemini-embedding-001",
    "/models/{model}:batchEmbedContents",
    _body,
    _rows,
    Limits(items=100, tokens=100_000, text_tokens=2000),
    {"gemini-embedding-001": 3072},
    headers=_key_header,
    batch=Batch(_submit, _collect, Limits(items=10_000, tokens=2_500_000)),
)
"""Gemini takes 100 texts a request and 2,048 tokens a text; a job of some 10 MB of text leaves room
for what stands around it."""


def _chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
    return {
        "systemInstruction": {"parts": [{"text": prompt.system}]},
        "contents": [
            {"role": _ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in prompt.turns
        ],
        "generationConfig": {
            "responseMimeType": "application/json",
            "temperature": 0,
            "maxOutputTokens": prompt.answer_tokens,
        },
    }


def _read_chat(answer: Any) -> Completion:
    try:
        parts = answer["candidates"][0]["content"]["parts"]
        text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
    except (KeyError, IndexError, TypeError, AttributeError):
        raise BadAnswer(f"answered without a text{_reason(answer)}") from None
    usage = answer.get("usageMetadata")
    total = usage.get("totalTokenCount") if isinstance(usage, dict) else None
    return Completion(text, total if isinstance(total, int) else None)


def _reason(answer: Any) -> str:
    """Why Gemini kept silent, where it says so."""
    feedback = answer.get("promptFeedback") if isinstance(answer, dict) else None
    reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
    return f" ({reason})" if isinstance(reason, str) else ""


CHAT = ChatService(
    "gemini",
    "gemini-2.5-flash",
    "/models/{model}:generateContent",
    _chat_body,
    ("responseMimeType", "temperature", "maxOutputTokens"),
    _read_chat,
    headers=_key_header,
)
