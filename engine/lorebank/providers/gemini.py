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
from lorebank.providers.protocols import Completion, Limits, Prompt, Role
from lorebank.providers.remote import (
    Batch,
    ChatService,
    RemoteEmbedder,
    Service,
    batch_vectors,
    embeddings_of,
    read_completion,
    unit_vectors,
)
from lorebank.records import dig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TASKS: dict[Role, str] = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
_ROLES = {"user": "user", "assistant": "model"}
_OVER = frozenset({"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})


def _resource(model: str) -> str:
    """The model as Google names it: `models/…`."""
    return f"models/{model.removeprefix('models/')}"


def _one(embedder: RemoteEmbedder, text: str, role: Role) -> dict[str, Any]:
    request: dict[str, Any] = {
        "model": _resource(embedder.model),
        "content": {"parts": [{"text": text}]},
        "taskType": _TASKS[role],
    }
    return request | ({"outputDimensionality": embedder.dimensions} if embedder.dimensions else {})


def _body(embedder: RemoteEmbedder, texts: Sequence[str], role: Role) -> dict[str, Any]:
    return {"requests": [_one(embedder, text, role) for text in texts]}


def _rows(answer: Any, count: int) -> Sequence[Any]:
    return [dig(row, "values") for row in embeddings_of(answer, "embeddings")]


def _submit(embedder: RemoteEmbedder, texts: Mapping[str, str]) -> str:
    requests = [
        {"request": _one(embedder, text, "document"), "metadata": {"key": custom_id}}
        for custom_id, text in texts.items()
    ]
    batch = {
        "displayName": f"lorebank {len(requests)} texts",
        "model": _resource(embedder.model),
        "inputConfig": {"requests": {"requests": requests}},
    }
    path = f"/{_resource(embedder.model)}:asyncBatchEmbedContent"
    return embedder.client.post(path, {"batch": batch}, embedder.patience, _job_name)


def _collect(embedder: RemoteEmbedder, job: str) -> Mapping[str, NDArray[np.float32]] | None:
    operation = embedder.client.get(f"/{job}", embedder.patience, as_object)
    # `SUCCEEDED` of `BATCH_STATE_SUCCEEDED`; empty where no state is given.
    named = dig(operation, "metadata", "state") or operation.get("state") or ""
    if not operation.get("done") and str(named).rpartition("_STATE_")[2] not in _OVER:
        return None
    rows = ((dig(row, "metadata", "key"), row) for row in _responses(operation))
    return batch_vectors(rows, lambda row: _vector(row, embedder.dimension))


def _job_name(answer: Any) -> str:
    found = dig(answer, "name")
    if not isinstance(found, str) or not found.startswith("batches/") or found.count("/") > 1:
        raise ProviderError("gemini: accepted a job without returning its name")
    return found


def _responses(operation: Mapping[str, Any]) -> list[Any]:
    """The inlined responses, which stand in `response` or in the batch's `output`."""
    for place in ("response", "metadata"):
        for path in ((place,), (place, "output")):
            inlined = dig(operation, *path, "inlinedResponses")
            for rows in (dig(inlined, "inlinedResponses"), inlined):
                if isinstance(rows, list):
                    return rows
    return []


def _vector(row: Any, dimension: int) -> NDArray[np.float32]:
    if error := dig(row, "error"):
        raise BadAnswer(str(dig(error, "message"))[:200])
    values = dig(row, "response", "embedding", "values")
    vector: NDArray[np.float32] = unit_vectors([values], 1, dimension)[0]
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
    parts = dig(answer, "candidates", 0, "content", "parts")
    if not isinstance(parts, list):
        why = dig(answer, "promptFeedback", "blockReason")  # where it says so
        raise BadAnswer(f"answered without a text{f' ({why})' if isinstance(why, str) else ''}")
    texts = (dig(part, "text") for part in parts if not dig(part, "thought"))
    text = "".join(text for text in texts if isinstance(text, str))
    return read_completion(text, dig(answer, "usageMetadata", "totalTokenCount"))


CHAT = ChatService(
    "gemini",
    "gemini-2.5-flash",
    "/models/{model}:generateContent",
    _chat_body,
    ("responseMimeType", "temperature", "maxOutputTokens"),
    _read_chat,
    headers=_key_header,
)
