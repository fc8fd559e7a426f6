"""A cross-encoder orders the best candidates once more; the scores stay the ranking's."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.providers.test_model_folder import message

from lorebank import Bank, ProviderError
from lorebank.providers.model_folder import CrossEncoder
from lorebank.settings.config import Change
from support import WORDS_ONLY
from tiny_model import PIECES, tokenizer_json

WORTH = np.array([[float(piece == "roof")] for piece in PIECES], np.float32)


def network() -> bytes:
    """Counts "roof": the worth of each token, looked up (`Gather`) and summed (`ReduceSum`)."""

    def tensor_of(name: str, kind: int, *dimensions: str) -> bytes:
        shape = message(*((1, message((2, d.encode()))) for d in dimensions))
        return message((1, name.encode()), (2, message((1, message((1, kind), (2, shape))))))

    table = message((1, len(PIECES)), (1, 1), (2, 1), (8, b"table"), (9, WORTH.tobytes()))
    axis = message((1, 1), (2, 7), (8, b"axis"), (9, np.int64([1]).tobytes()))
    gather = message((1, b"table"), (1, b"input_ids"), (2, b"each"), (4, b"Gather"))
    keeps = message((1, b"keepdims"), (3, 0), (20, 2))
    total = message((1, b"each"), (1, b"axis"), (2, b"logits"), (4, b"ReduceSum"), (5, keeps))
    graph = message(
        *((1, gather), (1, total), (2, b"tiny"), (5, table), (5, axis)),
        (11, tensor_of("input_ids", 7, "batch", "tokens")),
        (12, tensor_of("logits", 1, "batch", "one")),
    )
    return message((1, 8), (7, graph), (8, message((1, b""), (2, 17))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    made = tmp_path / "cross"
    made.mkdir()
    (made / "model.onnx").write_bytes(network())
    table = tokenizer_json()
    table["post_processor"]["pair"] = [
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
    ]
    (made / "tokenizer.json").write_text(json.dumps(table))
    return made


def test_a_pair_is_read_together_in_batches(folder: Path) -> None:
    texts = ["the boat", "a roof on the roof", "roof"] * 7
    scores = CrossEncoder(folder).scores("roof, bees", texts)
    np.testing.assert_array_equal(scores, [1, 3, 2] * 7)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match=r"contains no model: expected model\.onnx"):
        CrossEncoder(tmp_path).scores("a", ["b"])


NOTES = ("- W @Ilse: Boat in the harbour.", "- W @Ilse: Bees near the boat on the roof.")


def found(root: Path, *settings: Change) -> tuple[list[str], list[float]]:
    with Bank.open(root, environ=WORDS_ONLY, flags=settings) as bank:
        hits = bank.recall("boat in the harbour").hits
        return [hit.content for hit in hits], [hit.score for hit in hits]


def test_recall_takes_the_order_and_keeps_the_scores(
    write_log: Callable[..., Path], folder: Path
) -> None:
    root = write_log("2026-03-02", *NOTES)
    contents, scores = found(root)
    assert contents[0] == "Boat in the harbour."
    again, kept = found(root, Change("recall.reranker.model_path", str(folder), "test"))
    assert again[0] == "Bees near the boat on the roof."
    assert (sorted(again), kept) == (sorted(contents), scores)


def test_a_reranker_that_fails_leaves_the_answer(
    write_log: Callable[..., Path], tmp_path: Path
) -> None:
    root = write_log("2026-03-02", *NOTES)
    said: list[str] = []
    flags = [Change("recall.reranker.model_path", str(tmp_path / "none"), "test")]
    with Bank.open(root, environ=WORDS_ONLY, flags=flags, say=said.append) as bank:
        assert bank.recall("boat in the harbour").hits[0].content == "Boat in the harbour."
        status = bank.status()
    assert said[0].startswith("not reranked: the reranker")
    assert [problem.code for problem in status.problems] == ["reranker-silent"]
    assert status.signals["reranker"].startswith("off (the reranker")
