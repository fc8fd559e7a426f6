"""OpenAI, Voyage, and every server that speaks their protocol: embeddings, batches of them, chat.

`POST /embeddings` with `model` and `input`; answered with `data`, a list of
`{"index", "embedding"}` in any order. OpenAI: base64 is a quarter of the bytes; a server that does
not know it answers with numbers, which are read as well. Voyage: `input_type` says document or
query.

A batch is a file of lines that goes up, and one that comes down: `POST /files` (purpose `batch`),
`POST /batches` with its id, `GET /batches/<id>` until it is over, `GET /files/<id>/content` for the
results and for what failed. Lines come in any order and are joined by `custom_id`.
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
    unit_vectors,
)
from lorebank.records import dig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OVER = frozenset({"completed", "failed", "expired", "cancelled", "canceled"})


def openai_body(
    embedder: RemoteEmbedder, texts: Sequence[str], role: Role, encoding: str = "base64"
) -> dict[str, Any]:
    """Prefixes are for open models that know roles by them."""
    body: dict[str, Any] = {
        "model": embedder.model,
        "input": [prefixed(embedder.model, text, role) for text in texts],
        "encoding_format": encoding,
    }
    return body | ({"dimensions": embedder.dimensions} if embedder.dimensions else {})


def _voyage_body(embedder: RemoteEmbedder, texts: Sequence[str], role: Role) -> dict[str, Any]:
    return {"input": list(texts), **_voyage_parameters(embedder, role)}


def _voyage_parameters(embedder: RemoteEmbedder, role: Role) -> dict[str, Any]:
    """What holds for all texts of a request, or of a job."""
    found: dict[str, Any] = {"model": embedder.model, "input_type": role, "truncation": True}
    return found | ({"output_dimension": embedder.dimensions} if embedder.dimensions else {})


def read_rows(answer: Any, count: int) -> list[Any]:
    """The `embedding` of each row of an OpenAI-like answer, in the order of the texts.

    Rows say which text they are for and may stand in any order. `BadAnswer` where they are not as
    many as texts, or where two are for the same one.
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
    """A job names model and role once, for all."""
    lines = ({"custom_id": key, "body": {"input": [text]}} for key, text in texts.items())
    parameters = _voyage_parameters(embedder, "document")
    return _submit(embedder, lines, {"completion_window": "12h", "request_params": parameters})


def _submit(
    embedder: RemoteEmbedder, lines: Iterable[Mapping[str, Any]], order: Mapping[str, Any]
) -> str:
    """Hand in a job; `order` is what `POST /batches` says beside the file. Returns the job's id."""
    client, patience = embedder.client, embedder.patience
    written = (json.dumps(line, ensure_ascii=False) for line in lines)
    content = "\n".join(written).encode("utf-8", "replace")
    file = client.upload("/files", {"purpose": "batch"}, content, patience)
    order = {"input_file_id": _id(client.provider, file), "endpoint": "/v1/embeddings", **order}
    return client.post("/batches", order, patience, partial(_id, client.provider))


def _collect(embedder: RemoteEmbedder, job: str) -> Mapping[str, NDArray[np.float32]] | None:
    """The results of a job once it is over, expired ones included."""
    state = embedder.client.get(f"/batches/{job}", embedder.patience, as_object)
    if str(state.get("status")) not in _OVER:
        return None
    files = (state.get("output_file_id"), state.get("error_file_id"))
    rows = (
        (dig(row, "custom_id"), row)
        for file in files
        if isinstance(file, str) and file
        for row in _lines(embedder.client.get_text(f"/files/{file}/content", embedder.patience))
    )
    return batch_vectors(rows, lambda row: _vector(row, embedder.dimension))


def _lines(text: str) -> Iterator[Any]:
    """What is no line of JSON is missing among the results, and is asked for again."""
    for line in text.split("\n"):
        with suppress(ValueError, RecursionError):
            yield json.loads(line)


def _vector(row: Any, dimension: int) -> NDArray[np.float32]:
    response = dig(row, "response")
    for error in (dig(row, "error"), dig(response, "body", "error")):
        if error:
            raise BadAnswer(str(dig(error, "message") or error)[:200])
    if (status := dig(response, "status_code")) not in (200, None):
        raise BadAnswer(f"answered {status}")
    vector: NDArray[np.float32] = unit_vectors(read_rows(dig(response, "body"), 1), 1, dimension)[0]
    return vector


def _id(provider: str, answer: Any) -> str:
    found = dig(answer, "id")
    if not isinstance(found, str) or not found or "/" in found:
        raise ProviderError(f"{provider}: accepted a job without returning its id")
    return found


_JOB = Limits(items=50_000, tokens=20_000_000)
"""50,000 requests a file, and 200 MB."""
EMBEDDINGS = Service(
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
    batch=Batch(_openai_submit, _collect, _JOB),
)
"""OpenAI takes 2,048 texts and 300,000 tokens a request; a smaller one is less to repeat when it
fails."""
VOYAGE_EMBEDDINGS = Service(
    "voyage",
    "voyage-3.5",
    "/embeddings",
    _voyage_body,
    read_rows,
    Limits(items=256, tokens=100_000, text_tokens=30_000),
    dict.fromkeys(("voyage-3.5", "voyage-3.5-lite", "voyage-3-large", "voyage-code-3"), 1024),
    batch=Batch(_voyage_submit, _collect, _JOB),
)
"""Voyage takes 1,000 texts, 120,000 tokens of its larger models and 32,000 a text."""


def _chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
    """OpenAI itself bounds an answer by `max_completion_tokens`, all others by `max_tokens`."""
    return {
        "model": model,
        "messages": prompt.messages(),
        "response_format": {"type": "json_object"},
        "temperature": 0,
        "max_completion_tokens" if own else "max_tokens": prompt.answer_tokens,
    }


def _read_chat(answer: Any) -> Completion:
    text, total = (
        dig(answer, "choices", 0, "message", "content"),
        dig(answer, "usage", "total_tokens"),
    )
    return read_completion(text, total)


CHAT = ChatService(
    "openai",
    "gpt-4.1-mini",
    "/chat/completions",
    _chat_body,
    ("response_format", "temperature", "max_completion_tokens", "max_tokens"),
    _read_chat,
)
