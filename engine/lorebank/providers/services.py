"""OpenAI and compatible servers, Voyage, Gemini, Ollama: embeddings, batch jobs, chat.

OpenAI and Voyage: `POST /embeddings` with `model` and `input`; the answer's `data` is a list of
`{"index", "embedding"}` in any order. OpenAI's base64 is a quarter of the bytes; servers without it
answer with numbers. A batch: `POST /files` (purpose `batch`), `POST /batches` with its id, `GET
/batches/<id>` until done, `GET /files/<id>/content` for results and errors by `custom_id`.

Gemini: `POST /models/<model>:batchEmbedContents` with up to 100 requests, answered in order. Below
3072 dimensions vectors are not normalised. A batch is the body of `POST
/models/<model>:asyncBatchEmbedContent` (at most 20 MB), answered with an operation `batches/…` to
poll; each request carries its custom id as metadata.

Ollama: the first request after a pause loads the model, which may take a minute, so its timeout is
long. Ollama itself truncates texts longer than the context.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from lorebank.errors import ProviderError
from lorebank.providers.http import BadAnswer, as_object
from lorebank.providers.protocols import Completion, Limits, Prompt, Role, prefixed
from lorebank.providers.remote import (
    Batch,
    ChatService,
    RemoteEmbedder,
    Service,
    batch_vectors,
    embeddings_of,
    read_completion,
    unit_vector,
)
from lorebank.records import dig

if TYPE_CHECKING:
    from lorebank.providers.protocols import Floats

_FINISHED_STATES = frozenset({"completed", "failed", "expired", "cancelled", "canceled"})


def openai_body(
    embedder: RemoteEmbedder, texts: Sequence[str], role: Role, encoding: str = "base64"
) -> dict[str, Any]:
    """Open models get the prefixes that mark documents and queries."""
    return {
        "model": embedder.model,
        "input": [prefixed(embedder.model, text, role) for text in texts],
        "encoding_format": encoding,
        **embedder.dimension_field("dimensions"),
    }


def _voyage_parameters(embedder: RemoteEmbedder, role: Role) -> dict[str, Any]:
    found: dict[str, Any] = {"model": embedder.model, "input_type": role, "truncation": True}
    return found | embedder.dimension_field("output_dimension")


def read_rows(answer: Any, count: int) -> list[Any]:
    """The `embedding` of each row of an OpenAI-like answer, ordered by `index`.

    Raises `BadAnswer` for a wrong number of rows or duplicate indexes.
    """
    rows = embeddings_of(answer, "data")
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    placed = {dig(row, "index"): dig(row, "embedding") for row in rows}
    if set(placed) == {None}:
        return [dig(row, "embedding") for row in rows]
    if set(placed) != set(range(count)):
        raise BadAnswer(f"answered with indexes that are not 0 to {count - 1}")
    return [placed[index] for index in range(count)]


def _openai_submit(embedder: RemoteEmbedder, texts: Mapping[str, str]) -> str:
    lines = (
        {
            "custom_id": custom_id,
            "method": "POST",
            "url": "/v1/embeddings",
            "body": embedder.service.body(embedder, [text], "document"),
        }
        for custom_id, text in texts.items()
    )
    return _submit(embedder, lines, {"completion_window": "24h"})


def _voyage_submit(embedder: RemoteEmbedder, texts: Mapping[str, str]) -> str:
    """Model and role are given once per job."""
    lines = ({"custom_id": key, "body": {"input": [text]}} for key, text in texts.items())
    parameters = _voyage_parameters(embedder, "document")
    return _submit(embedder, lines, {"completion_window": "12h", "request_params": parameters})


def _submit(
    embedder: RemoteEmbedder, lines: Iterable[Mapping[str, Any]], options: Mapping[str, Any]
) -> str:
    """Submit a job with `options` for `POST /batches`; returns the job's id."""
    client, policy = embedder.client, embedder.policy
    written = (json.dumps(line, ensure_ascii=False) for line in lines)
    content = "\n".join(written).encode("utf-8", "replace")
    file = client.upload("/files", {"purpose": "batch"}, content, policy)
    file_id = _require_id(client.provider, file)
    body = {"input_file_id": file_id, "endpoint": "/v1/embeddings", **options}
    return client.post("/batches", body, policy, partial(_require_id, client.provider))


def _collect(embedder: RemoteEmbedder, job: str) -> Mapping[str, Floats] | None:
    """The results of a finished (or expired) job."""
    state = embedder.client.get(f"/batches/{job}", embedder.policy, as_object)
    if str(state.get("status")) not in _FINISHED_STATES:
        return None
    files = (state.get("output_file_id"), state.get("error_file_id"))
    rows = (
        (dig(row, "custom_id"), row)
        for file in files
        if isinstance(file, str) and file
        for row in _json_lines(embedder.client.get_text(f"/files/{file}/content", embedder.policy))
    )
    return batch_vectors(rows, lambda row: _vector(row, embedder.dimension))


def _json_lines(text: str) -> Iterator[Any]:
    """Invalid lines are skipped: their texts are requested again."""
    for line in text.split("\n"):
        with suppress(ValueError, RecursionError):
            yield json.loads(line)


def _vector(row: Any, dimension: int) -> Floats:
    response = dig(row, "response")
    for error in (dig(row, "error"), dig(response, "body", "error")):
        if error:
            raise BadAnswer(str(dig(error, "message") or error)[:200])
    if (status := dig(response, "status_code")) not in (200, None):
        raise BadAnswer(f"answered {status}")
    return unit_vector(read_rows(dig(response, "body"), 1)[0], dimension)


def _require_id(provider: str, answer: Any) -> str:
    found = dig(answer, "id")
    if not isinstance(found, str) or not found or "/" in found:
        raise ProviderError(f"{provider}: accepted a job without returning its id")
    return found


_JOB_LIMITS = Limits(items=50_000, tokens=20_000_000)  # 50,000 requests a file, and 200 MB
OPENAI_EMBEDDINGS = Service(
    "openai",
    "text-embedding-3-small",
    "/embeddings",
    openai_body,
    read_rows,
    Limits(items=96, tokens=250_000, text_tokens=8000),
    {
        "text-embedding-3-small": 1536,
        "text-embedding-3-large": 3072,
        "text-embedding-ada-002": 1536,
    },
    batch=Batch(_openai_submit, _collect, _JOB_LIMITS),
)
"""OpenAI allows 2,048 texts and 300,000 tokens per request; smaller ones are cheaper to repeat."""
VOYAGE_EMBEDDINGS = Service(
    "voyage",
    "voyage-3.5",
    "/embeddings",
    lambda embedder, texts, role: {"input": list(texts), **_voyage_parameters(embedder, role)},
    read_rows,
    Limits(items=256, tokens=100_000, text_tokens=30_000),
    dict.fromkeys(("voyage-3.5", "voyage-3.5-lite", "voyage-3-large", "voyage-code-3"), 1024),
    batch=Batch(_voyage_submit, _collect, _JOB_LIMITS),
)
"""Voyage allows 1,000 texts, 120,000 tokens for its larger models and 32,000 per text."""


def _openai_chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
    """OpenAI limits an answer by `max_completion_tokens`, all others by `max_tokens`."""
    return {
        "model": model,
        "messages": prompt.messages(),
        "response_format": {"type": "json_object"},
        "temperature": 0,
        "max_completion_tokens" if own else "max_tokens": prompt.answer_tokens,
    }


OPENAI_CHAT = ChatService(
    "openai",
    "gpt-4.1-mini",
    "/chat/completions",
    _openai_chat_body,
    ("response_format", "temperature", "max_completion_tokens", "max_tokens"),
    lambda answer: read_completion(
        dig(answer, "choices", 0, "message", "content"), dig(answer, "usage", "total_tokens")
    ),
)


# -- Gemini --------------------------------------------------------------------------------------

_TASKS: dict[Role, str] = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
_ROLES = {"user": "user", "assistant": "model"}
_GEMINI_FINISHED_STATES = frozenset({"SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"})


def _resource(model: str) -> str:
    """The model as Google names it: `models/…`."""
    return f"models/{model.removeprefix('models/')}"


def _gemini_request(embedder: RemoteEmbedder, text: str, role: Role) -> dict[str, Any]:
    return {
        "model": _resource(embedder.model),
        "content": {"parts": [{"text": text}]},
        "taskType": _TASKS[role],
        **embedder.dimension_field("outputDimensionality"),
    }


def _gemini_submit(embedder: RemoteEmbedder, texts: Mapping[str, str]) -> str:
    requests = [
        {"request": _gemini_request(embedder, text, "document"), "metadata": {"key": custom_id}}
        for custom_id, text in texts.items()
    ]
    batch = {
        "displayName": f"lorebank {len(requests)} texts",
        "model": _resource(embedder.model),
        "inputConfig": {"requests": {"requests": requests}},
    }
    path = f"/{_resource(embedder.model)}:asyncBatchEmbedContent"
    return embedder.client.post(path, {"batch": batch}, embedder.policy, _job_name)


def _gemini_collect(embedder: RemoteEmbedder, job: str) -> Mapping[str, Floats] | None:
    operation = embedder.client.get(f"/{job}", embedder.policy, as_object)
    # `SUCCEEDED` of `BATCH_STATE_SUCCEEDED`; empty where no state is given.
    named = dig(operation, "metadata", "state") or operation.get("state") or ""
    state = str(named).rpartition("_STATE_")[2]
    if not operation.get("done") and state not in _GEMINI_FINISHED_STATES:
        return None
    rows = ((dig(row, "metadata", "key"), row) for row in _inlined_responses(operation))
    return batch_vectors(rows, lambda row: _gemini_vector(row, embedder.dimension))


def _job_name(answer: Any) -> str:
    found = dig(answer, "name")
    if not isinstance(found, str) or not found.startswith("batches/") or found.count("/") > 1:
        raise ProviderError("gemini: accepted a job without returning its name")
    return found


def _inlined_responses(operation: Mapping[str, Any]) -> list[Any]:
    """From `response` or the batch's `output`."""
    for place in ("response", "metadata"):
        for path in ((place,), (place, "output")):
            inlined = dig(operation, *path, "inlinedResponses")
            for rows in (dig(inlined, "inlinedResponses"), inlined):
                if isinstance(rows, list):
                    return rows
    return []


def _gemini_vector(row: Any, dimension: int) -> Floats:
    if error := dig(row, "error"):
        raise BadAnswer(str(dig(error, "message"))[:200])
    return unit_vector(dig(row, "response", "embedding", "values"), dimension)


def _key_header(key: str) -> dict[str, str]:
    return {"x-goog-api-key": key}


GEMINI_EMBEDDINGS = Service(
    "gemini",
    "gemini-embedding-001",
    "/models/{model}:batchEmbedContents",
    lambda embedder, texts, role: {
        "requests": [_gemini_request(embedder, text, role) for text in texts]
    },
    lambda answer, count: [dig(row, "values") for row in embeddings_of(answer, "embeddings")],
    Limits(items=100, tokens=100_000, text_tokens=2000),
    {"gemini-embedding-001": 3072},
    headers=_key_header,
    batch=Batch(_gemini_submit, _gemini_collect, Limits(items=10_000, tokens=2_500_000)),
)
"""Google's limits: 100 texts a request, 2,048 tokens a text; 10 MB of text leave room for JSON."""


def _gemini_chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
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


def _read_gemini_chat(answer: Any) -> Completion:
    parts = dig(answer, "candidates", 0, "content", "parts")
    if not isinstance(parts, list):
        why = dig(answer, "promptFeedback", "blockReason")  # where it says so
        raise BadAnswer(f"answered without a text{f' ({why})' if isinstance(why, str) else ''}")
    texts = (dig(part, "text") for part in parts if not dig(part, "thought"))
    text = "".join(text for text in texts if isinstance(text, str))
    return read_completion(text, dig(answer, "usageMetadata", "totalTokenCount"))


GEMINI_CHAT = ChatService(
    "gemini",
    "gemini-2.5-flash",
    "/models/{model}:generateContent",
    _gemini_chat_body,
    ("responseMimeType", "temperature", "maxOutputTokens"),
    _read_gemini_chat,
    headers=_key_header,
)


# -- Ollama --------------------------------------------------------------------------------------

_CONTEXT_MARGIN = 2.0
"""Ollama silently cuts the top of what exceeds its context, so the context is set to fit."""


OLLAMA_EMBEDDINGS = Service(
    "ollama",
    "nomic-embed-text",
    "/api/embed",
    lambda embedder, texts, role: {
        "model": embedder.model,
        "input": [prefixed(embedder.model, text, role) for text in texts],
        "truncate": True,
        **embedder.dimension_field("dimensions"),
    },
    lambda answer, count: embeddings_of(answer, "embeddings"),
    Limits(items=64, tokens=50_000, text_tokens=8000),
    load_timeout_s=180.0,
)
"""Loading a large model from a slow disk takes minutes."""


def _ollama_chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
    room = int(prompt.estimated_tokens * _CONTEXT_MARGIN) + prompt.answer_tokens
    return {
        "model": model,
        "messages": prompt.messages(),
        "stream": False,
        "options": {
            "temperature": 0,
            "seed": 0,
            "num_predict": prompt.answer_tokens,
            "num_ctx": max(4096, room),
        },
        "format": "json",
    }


OLLAMA_CHAT = ChatService(
    "ollama",
    "llama3.1",
    "/api/chat",
    _ollama_chat_body,
    ("format",),
    lambda answer: read_completion(
        dig(answer, "message", "content"),
        dig(answer, "prompt_eval_count"),
        dig(answer, "eval_count"),
    ),
)
