"""The tokenizer that needs no loading gives sentencepiece's ids, on whatever is written."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from lorebank.providers.sentence_encoder import MappedTokenizer, find_source, prepare_arrays

SOURCE = find_source()
MAPPED = MappedTokenizer(prepare_arrays(SOURCE))
REFERENCE = SentencePieceProcessor(model_file=str(SOURCE.tokenizer))

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
