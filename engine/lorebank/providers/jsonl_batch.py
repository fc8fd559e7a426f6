"""Jobs as OpenAI and Voyage take them: a file of lines goes up, a file of lines comes down.

`POST /files` (purpose `batch`), `POST /batches` with its id, `GET /batches/<id>` until it is over,
`GET /files/<id>/content` for the results and for what failed. Lines come in any order and are
joined by `custom_id`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lorebank.errors import ProviderError
from lorebank.providers.http import BadAnswer, Client, Patience
from lorebank.providers.protocols import BatchState
from lorebank.providers.remote import as_object, by_index, unit_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OVER = frozenset({"completed", "failed", "expired", "cancelled", "canceled"})


def submit_jsonl(
    client: Client, lines: Iterable[Mapping[str, Any]], order: Mapping[str, Any], patience: Patience
) -> str:
    """Hand in a job; `order` is what `POST /batches` says beside the file. Returns the job's id."""
    written = (json.dumps(line, ensure_ascii=False) for line in lines)
    content = "\n".join(written).encode("utf-8", "replace")
    file = client.upload("/files", {"purpose": "batch"}, content, patience)
    body = {"input_file_id": _id(file, client), **order}
    return client.post("/batches", body, patience, lambda answer: _id(answer, client))


def collect_jsonl(client: Client, job: str, dimension: int, patience: Patience) -> BatchState:
    """Where a job stands, with its results once it is over, expired ones included."""
    state = client.get(f"/batches/{job}", patience, as_object)
    status = str(state.get("status"))
    if status not in _OVER:
        return BatchState(False, {}, {})
    vectors: dict[str, NDArray[np.float32]] = {}
    failed: dict[str, str] = {}
    for file in (state.get("output_file_id"), state.get("error_file_id")):
        if isinstance(file, str) and file:
            text = client.get_text(f"/files/{file}/content", patience)
            _read_lines(text, dimension, vectors, failed)
    problem = "" if status == "completed" else _problem(state, status)
    return BatchState(True, vectors, failed, problem)


def _read_lines(
    text: str, dimension: int, vectors: dict[str, NDArray[np.float32]], failed: dict[str, str]
) -> None:
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            row = as_object(json.loads(line))
        except (ValueError, RecursionError, BadAnswer):
            continue  # its text is missing among the results, and is asked for again
        custom_id = row.get("custom_id")
        if not isinstance(custom_id, str):
            continue
        try:
            vectors[custom_id] = _vector(row, dimension)
        except BadAnswer as problem:
            failed[custom_id] = problem.message


def _vector(row: Mapping[str, Any], dimension: int) -> NDArray[np.float32]:
    response = row.get("response")
    response = response if isinstance(response, dict) else {}
    body = response.get("body")
    body = body if isinstance(body, dict) else {}
    for error in (row.get("error"), body.get("error")):
        if error:
            said = error.get("message") if isinstance(error, dict) else error
            raise BadAnswer(str(said)[:200])
    if response.get("status_code", 200) != 200:
        raise BadAnswer(f"answered {response.get('status_code')}")
    vector: NDArray[np.float32] = unit_vectors(by_index(body.get("data"), 1), 1, dimension)[0]
    return vector


def _problem(state: Mapping[str, Any], status: str) -> str:
    errors = state.get("errors")
    rows = errors.get("data") if isinstance(errors, dict) else None
    if isinstance(rows, list) and rows and isinstance(rows[0], dict):
        return f"{status}: {str(rows[0].get('message'))[:200]}"
    return status


def _id(answer: Any, client: Client) -> str:
    found = answer.get("id") if isinstance(answer, dict) else None
    if not isinstance(found, str) or not found or "/" in found:
        raise ProviderError(f"{client.provider}: took a job and gave it no id")
    return found
