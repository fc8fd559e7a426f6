"""A folder with a model of the user's own: static tables and ONNX networks, built here."""

import json
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lorebank import Bank
from lorebank.errors import ProviderError
from lorebank.providers import file_models
from lorebank.providers.arrays import as_floats, content_hash, map_arrays
from lorebank.providers.file_models import read_tokenizer
from lorebank.providers.protocols import Embedder
from lorebank.providers.registry import Setup, load_embedder
from lorebank.settings.tables import EmbedderSettings, LocalSettings
from support import golden
from tiny_model import PIECES, VECTORS, tokenizer_json, write_model, write_tables


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    return tmp_path / "xdg" / "lorebank"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = write_model(tmp_path / "tiny-static")
    (folder / "config.json").write_text('{"normalize": true}')
    return folder


def loaded(path: Path, dimensions: int = 0) -> Embedder:
    local = LocalSettings(model_path=str(path))
    embedder = load_embedder("local", Setup(EmbedderSettings(local=local, dimensions=dimensions)))
    assert embedder is not None
    return embedder


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def mean_of(*pieces: str) -> np.ndarray:
    return unit(VECTORS[[PIECES.index(piece) for piece in pieces]].mean(axis=0))


def test_a_static_model_is_the_mean_of_its_tokens(static: Path) -> None:
    embedder = loaded(static)
    vectors = embedder.embed_documents(["The boats, the BOAT.", "", "xylophone", "Harbour bees"])
    assert vectors.dtype == np.float32
    expected = mean_of("the", "boat", "##s", ",", "the", "boat", ".")
    np.testing.assert_allclose(vectors[0], expected, atol=1e-6)
    assert not vectors[1].any() and not vectors[2].any()
    np.testing.assert_allclose(vectors[3], mean_of("har", "##bour", "bees"), atol=1e-6)
    np.testing.assert_array_equal(embedder.embed_query("Harbour bees"), vectors[3])
    assert (embedder.name, embedder.model, embedder.dimension, embedder.endpoint) == (
        "local",
        "tiny-static",
        6,
        "",
    )


@pytest.mark.parametrize("layout", ["file", "npy", "sentence-transformers", "half", "bfloat"])
def test_the_same_table_in_every_layout(static: Path, tmp_path: Path, layout: str) -> None:
    folder = tmp_path / layout
    folder.mkdir()
    tokenizer = json.dumps(tokenizer_json())
    path, closeness = folder, 1e-6
    if layout == "file":
        path = static / "model.safetensors"
    elif layout == "npy":
        np.save(folder / "embeddings.npy", VECTORS)
        (folder / "tokenizer.json").write_text(tokenizer)
    elif layout == "sentence-transformers":
        inner = folder / "0_StaticEmbedding"
        write_tables(inner / "model.safetensors", embedding__weight=VECTORS)
        (inner / "tokenizer.json").write_text(tokenizer)
    else:
        closeness = 1e-2
        upper = (VECTORS.view(np.uint32) >> 16).astype(np.uint16)
        table = VECTORS.astype(np.float16) if layout == "half" else upper
        write_tables(folder / "model.safetensors", embeddings=table)
        (folder / "tokenizer.json").write_text(tokenizer)
    found = loaded(path).embed_query("the boat on a roof")
    np.testing.assert_allclose(found, mean_of("the", "boat", "on", "a", "roof"), atol=closeness)


def test_tokens_may_share_rows_and_have_weights(static: Path) -> None:
    mapping = np.array([row % 4 for row in range(len(PIECES))], dtype=np.int64)
    weights = np.linspace(0.5, 2.0, len(PIECES), dtype=np.float32)
    table = (VECTORS[:4] * 20).astype(np.int8)
    write_tables(static / "model.safetensors", embeddings=table, mapping=mapping, weights=weights)
    ids = [PIECES.index(piece) for piece in ("boat", "bees", "bees")]
    expected = unit((table[mapping[ids]] * weights[ids][:, None]).sum(axis=0))
    np.testing.assert_allclose(loaded(static).embed_query("boat bees bees"), expected, atol=1e-6)


def test_fewer_numbers_on_request(static: Path) -> None:
    whole, cut = loaded(static), loaded(static, dimensions=4)
    found = cut.embed_query("boat")
    np.testing.assert_allclose(found, unit(VECTORS[PIECES.index("boat")][:4]), atol=1e-6)
    assert cut.dimension == 4
    assert cut.fingerprint != whole.fingerprint


def test_prompts_of_the_model_go_before_questions(static: Path) -> None:
    prompts = {"prompts": {"query": "bees ", "document": ""}}
    (static / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    embedder = loaded(static)
    np.testing.assert_allclose(embedder.embed_query("boat"), mean_of("bees", "boat"), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_documents(["boat"])[0], mean_of("boat"), atol=1e-6)


def test_a_fingerprint_is_of_the_content_and_not_of_the_place(static: Path, tmp_path: Path) -> None:
    first = loaded(static).fingerprint
    moved = static.rename(tmp_path / "elsewhere")
    assert loaded(moved).fingerprint == first
    seen = {first}
    vectors = VECTORS.copy()
    vectors[-1, -1] += 1e-3  # one number; the size stays
    write_tables(moved / "model.safetensors", embeddings=vectors)
    seen.add(loaded(moved).fingerprint)
    (moved / "tokenizer.json").write_text(json.dumps(tokenizer_json(padding=None)))
    seen.add(loaded(moved).fingerprint)
    (moved / "config_sentence_transformers.json").write_text('{"prompts": {"query": "q: "}}')
    seen.add(loaded(moved).fingerprint)
    assert len(seen) == 4


def test_a_large_file_is_told_by_its_size_and_samples(tmp_path: Path) -> None:
    file = tmp_path / "model.bin"
    weights = np.arange(2_000_000, dtype=np.float32)
    found = set()
    for other in (weights, weights * 1.0001, weights[:-1]):
        file.write_bytes(other.tobytes())
        found.add(content_hash(file))
    assert len(found) == 3


def test_a_lone_surrogate_is_no_obstacle(static: Path) -> None:
    tokenizer = read_tokenizer(static / "tokenizer.json", 3)
    [bare] = tokenizer.encode(["boat \ud800"], marks=False)
    assert bare.tokens == ["boat", "[UNK]"]
    [marked] = tokenizer.encode(["boat \ud800"], marks=True)
    assert marked.tokens == ["[CLS]", "boat", "[SEP]"]


def test_another_kind_of_tokenizer_is_read_as_well(static: Path) -> None:
    vocabulary = [[piece, -float(row)] for row, piece in enumerate(PIECES)]
    model = {"type": "Unigram", "unk_id": 1, "vocab": vocabulary}
    table = tokenizer_json(model=model, post_processor=None)
    (static / "tokenizer.json").write_text(json.dumps(table))
    np.testing.assert_allclose(loaded(static).embed_query("boat"), mean_of("boat"), atol=1e-6)


def test_without_the_package_for_tokens_it_is_named(
    static: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_models, "find_spec", lambda name: None)
    with pytest.raises(ProviderError) as refusal:
        loaded(static).embed_query("boat")
    assert refusal.value.message == (
        "a local model needs the package tokenizers, which is not installed"
    )
    assert refusal.value.hint == "pip install 'lorebank[onnx]', or pip install tokenizers"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: (f / "model.safetensors").unlink(), "contains no model: expected model.onnx"),
        (lambda f: (f / "tokenizer.json").unlink(), "has no tokenizer.json beside model.saf"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "tokenizer.json cannot be read"),
        (lambda f: (f / "tokenizer.json").write_text("[]"), "tokenizer.json cannot be read"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x"), "is not a safetensors file"),
        (
            lambda f: (f / "model.safetensors").write_bytes(
                (f / "model.safetensors").read_bytes()[:-9]
            ),
            "model.safetensors is truncated",
        ),
        (
            lambda f: write_tables(f / "model.safetensors", bert__layer=VECTORS),
            "is not a static model: it has no table of tokens",
        ),
        (
            lambda f: write_tables(f / "model.safetensors", embeddings=VECTORS[:4]),
            "has a tokenizer that knows more tokens than there are vectors",
        ),
        (
            lambda f: write_tables(f / "model.safetensors", embeddings=VECTORS * np.nan),
            "returned NaN or infinity",
        ),
        (
            lambda f: write_tables(
                f / "model.safetensors", embeddings=VECTORS, mapping=np.array([99])
            ),
            "maps tokens to rows that model.safetensors does not have",
        ),
    ],
)
def test_a_folder_that_does_not_fit_is_told(
    static: Path, spoil: Callable[[Path], object], message: str
) -> None:
    spoil(static)
    with pytest.raises(ProviderError, match=message) as refusal:
        loaded(static).embed_query("boat")
    assert refusal.value.hint


def test_a_file_that_is_not_there_is_not_another_one(static: Path) -> None:
    for name in ("other.safetensors", "other.onnx", "other.npy"):
        with pytest.raises(ProviderError, match=f"there is no .*{name}"):
            loaded(static / name)


def test_hostile_headers_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    for row in (
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]},
        {"dtype": "pickle", "shape": [1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": "ab", "data_offsets": [0, 4]},
        [],
    ):
        head = json.dumps({"embeddings": row}).encode()
        file.write_bytes(struct.pack("<Q", len(head)) + head + b"\0" * 4)
        with pytest.raises(ValueError, match="array"):
            map_arrays(file)


def test_a_bfloat_is_the_upper_half_of_a_float() -> None:
    table = np.array([[0x3F80, 0xC000]], dtype=np.uint16)
    np.testing.assert_array_equal(as_floats(table), np.float32([[1.0, -2.0]]))


def test_a_bank_embeds_and_answers_by_a_folder(
    copy_fixture: Callable[[str], Path], static: Path
) -> None:
    environ = {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__LOCAL__MODEL_PATH": str(static),
    }
    with Bank.open(copy_fixture("harbour"), environ=environ) as bank:
        bank.sync()
        assert bank.search("the boat on the roof")[0].model == "tiny-static"
        about = bank.status().embedder
    assert (about["provider"], about["model"], about["dimension"], about["reason"]) == (
        "local",
        "tiny-static",
        6,
        "",
    )


# -- ONNX ------------------------------------------------------------------------------------------


def message(*fields: tuple[int, int | bytes]) -> bytes:
    """A protocol buffer message of varints and bytes."""

    def varint(number: int) -> bytes:
        out = b""
        while number > 127:
            out += bytes([number & 127 | 128])
            number >>= 7
        return out + bytes([number])

    parts = []
    for field, value in fields:
        if isinstance(value, int):
            parts.append(varint(field << 3) + varint(value))
        else:
            parts.append(varint(field << 3 | 2) + varint(len(value)) + value)
    return b"".join(parts)


def onnx_file(output: str = "last_hidden_state", identifier: int = 7) -> bytes:
    """A network that looks each token up in a table: one `Gather` (7: of 64-bit ids, 6: 32)."""

    def tensor_of(name: str, kind: int, *dimensions: str) -> bytes:
        shape = message(*((1, message((2, d.encode()))) for d in dimensions))
        return message((1, name.encode()), (2, message((1, message((1, kind), (2, shape))))))

    table = message((1, len(PIECES)), (1, 6), (2, 1), (8, b"table"), (9, VECTORS.tobytes()))
    gather = message((1, b"table"), (1, b"input_ids"), (2, output.encode()), (4, b"Gather"))
    graph = message(
        (1, gather),
        (2, b"tiny"),
        (5, table),
        (11, tensor_of("input_ids", identifier, "batch", "tokens")),
        (12, tensor_of(output, 1, "batch", "tokens", "width")),
    )
    return message((1, 8), (7, graph), (8, message((1, b""), (2, 17))))


@pytest.fixture
def network(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-onnx"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(onnx_file())
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json()))
    return folder


def test_a_network_without_its_runtime_says_what_to_install(
    network: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(ProviderError) as refusal:
        loaded(network)
    assert refusal.value.message == (
        "the local model is a network (model.onnx), and onnxruntime is not installed"
    )
    assert refusal.value.hint.startswith("pip install 'lorebank[onnx]'")


@golden("providers.md")
@pytest.mark.parametrize("identifier", [6, 7])
def test_a_network_is_pooled_as_its_folder_says(
    network: Path, pooling: str | None, pieces: tuple[str, ...], identifier: int
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    (network / "onnx" / "model.onnx").write_bytes(onnx_file(identifier=identifier))
    if pooling:
        (network / "1_Pooling").mkdir()
        (network / "1_Pooling" / "config.json").write_text(json.dumps({pooling: True}))
    embedder = loaded(network)
    longer = "bees on the roof of a boat in the harbour, the harbour."
    vectors = embedder.embed_documents(["the boat", "", longer] * 9)
    np.testing.assert_allclose(vectors[0], mean_of(*pieces), atol=1e-6)
    np.testing.assert_allclose(vectors[24], vectors[0], atol=1e-6)
    assert not vectors[1].any()
    np.testing.assert_allclose(embedder.embed_query("the boat"), vectors[0], atol=1e-6)
    assert embedder.dimension == 6


def test_a_network_that_is_none_or_pools_otherwise_is_told(network: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    (network / "1_Pooling").mkdir()
    (network / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(ProviderError, match="pools by pooling_mode_max_tokens"):
        loaded(network).embed_query("boat")
    (network / "1_Pooling" / "config.json").unlink()
    (network / "onnx" / "model.onnx").write_bytes(b"not a network")
    with pytest.raises(ProviderError, match="the ONNX model does not run"):
        loaded(network).embed_query("boat")
