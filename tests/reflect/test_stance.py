"""Stance: pairs in six languages, and the cases that must move nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain import Stance
from lorebank.language.folding import slugify
from lorebank.reflect.candidates import index_keys, target_keys
from lorebank.reflect.detection import detect
from lorebank.reflect.lexicon import languages, lexicon
from lorebank.reflect.stance import judge

DEVELOPMENT = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures" / "stance.jsonl")
    .read_text("utf-8")
    .splitlines()
]
PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("stance_pairs.jsonl").read_text("utf-8").splitlines()
]

TAGGED = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "fixtures" / "stance_tagged.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['lang']}-{pair['fact'][:30]}")
def test_pairs(pair: dict[str, object]) -> None:
    holders = [slugify(str(name)) for name in pair["opinion_entities"]]  # type: ignore[attr-defined]
    named = [slugify(str(name)) for name in pair["fact_entities"]]  # type: ignore[attr-defined]
    found = judge(str(pair["opinion"]), holders, str(pair["fact"]), named)
    assert found.stance.value == pair["label"], found.reason


def test_of_the_signs_given_to_unseen_pairs_most_are_right_and_most_are_found() -> None:
    given = right = 0
    signed = sum(pair["label"] != "unrelated" for pair in DEVELOPMENT)
    for pair in DEVELOPMENT:
        holders = [slugify(name) for name in pair["opinion_entities"]]
        named = [slugify(name) for name in pair["fact_entities"]]
        found = judge(pair["opinion"], holders, pair["fact"], named).stance
        given += found is not Stance.UNRELATED
        right += found is not Stance.UNRELATED and found.value == pair["label"]
    assert len(DEVELOPMENT) >= 150
    assert right / given >= 0.95
    assert right / signed >= 0.92


@pytest.mark.parametrize(
    ("opinion", "fact", "stance"),
    [
        ("Prefers short answers (two lines); a file is for more.", "Wants brief replies.", "for"),
        ('Likes tea: "nothing else".', "No longer wants only tea.", "against"),
        ("Likes Marrakech and would go back.", "Would go to Marrakech in spring.", "unrelated"),
        ("Trusts Bengt with the keys.", "Relies on Bengt, as ever.", "for"),
        ("Dislikes WhatsApp for groups.", "Praised concise replies on WhatsApp.", "unrelated"),
        ("Loves night buses.", "Loves early buses.", "unrelated"),
        ("Prefers tea to coffee.", "No longer prefers tea to coffee.", "against"),
        ("Wants reports without adjectives.", "Praised reports without adjectives.", "for"),
        ("Wants no calls before ten.", "Still refuses meetings before ten.", "for"),
        ("Hates jazz.", "Or not.", "unrelated"),
    ],
)
def test_claim_and_detail(opinion: str, fact: str, stance: str) -> None:
    assert judge(opinion, ["ana"], fact, ["ana"]).stance.value == stance


def test_clusters_of_two_languages_never_meet() -> None:
    numbers = [
        {number for found in lexicon(code).near.values() for number in found}
        for code in languages()
    ]
    assert sum(map(len, numbers)) == len(set().union(*numbers))


@pytest.mark.parametrize(
    "fact",
    [
        "Does she still like jazz?",
        "Would like jazz better with less brass.",
        "If the tickets were free, she might hate jazz less.",
        "According to Tom, jazz is terrible.",
        "Used to hate jazz.",
        "Her brother hates jazz.",
        "Said that Tom hates jazz.",
        "Wrote a report on jazz.",
        "Hates opera.",
        "",
        "!!!",
    ],
)
def test_what_moves_nothing(fact: str) -> None:
    assert judge("Loves jazz.", ["ana"], fact, ["ana"]).stance is Stance.UNRELATED


def test_another_holder_never_moves_an_opinion() -> None:
    assert judge("Loves jazz.", ["ana"], "Hates jazz.", ["ben"]).reason == "other holder"


@pytest.mark.parametrize(
    ("opinion", "fact", "reason"),
    [
        ("Prefers tea to coffee.", "Switched from tea to coffee.", "change"),
        ("Prefers tea to coffee.", "Prefers coffee to tea.", "comparison"),
        ("Prefers short replies.", "Wants long replies.", "opposite"),
        ("Prefers the review on Friday.", "Now wants the review on Monday.", "slot"),
        ("Likes jazz.", "Stopped listening to jazz.", "habit"),
        ("The build is fast.", "The build was painfully slow.", "judgement"),
        ("Rides a bike.", "Does not ride a bike.", "negation"),
    ],
)
def test_a_contradiction_names_its_cue(opinion: str, fact: str, reason: str) -> None:
    found = judge(opinion, [], fact, [])
    assert (found.stance, found.reason) == (Stance.AGAINST, reason)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Prefers concise replies", "en"),
        ("Le gusta el té", "es"),
        ("Gosta de chá", "pt"),
        ("N'aime plus le thé", "fr"),
        ("Mag keinen Kaffee", "de"),
        ("喜欢喝茶", "zh"),
        ("お茶が好き", None),
        ("", "en"),
    ],
)
def test_language(text: str, code: str | None) -> None:
    assert detect(text) == code


def test_every_language_file_gives_the_essential_cues() -> None:
    for code in languages():
        words = lexicon(code)
        assert words.frames, code
    assert languages()[0] == "en"


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_judged_without_error(opinion: str, fact: str) -> None:
    found = judge(opinion, ["ana"], fact, ["ana"])
    assert (found.strength == 0.0) == (found.stance is Stance.UNRELATED)
    assert 0 <= found.strength <= 1


@pytest.mark.parametrize("pair", [p for p in PAIRS if p["label"] != "unrelated"])
def test_a_pair_with_a_sign_is_found_through_the_index(pair: dict[str, object]) -> None:
    holder = slugify(str(pair["opinion_entities"][0]))  # type: ignore[index]
    assert target_keys(str(pair["opinion"]), holder) & index_keys(str(pair["fact"]), holder)


@pytest.mark.parametrize(
    ("opinion", "fact", "stance"),
    [
        ("Prefers tea to coffee.", "Ordered a third cup of sencha.", "for"),
        ("Prefers tea to coffee.", "Sent back the coffee.", "for"),
        ("Loves sencha.", "Hates tea.", "unrelated"),
        ("Likes short meetings.", "Complained that the call ran for two hours.", "for"),
        ("Likes short meetings.", "Ended the meeting after ten minutes.", "for"),
        ("Likes short meetings.", "Complained that the meeting was too short.", "against"),
        ("Likes short meetings.", "Wants long replies.", "unrelated"),
        ("Likes short meetings.", "Refused the meeting.", "unrelated"),
        ("Wants long replies.", "Asked for shorter replies.", "against"),
        ("Drinks dark beer.", "Hates wheat beer.", "unrelated"),
        ("Likes the old library better than the new one.", "Avoids the new library.", "for"),
        ("Loves the bakery.", "Wants to leave the bakery.", "against"),
        ("Hates meat.", "Had to eat meat, the host had cooked it.", "unrelated"),
        ("Hates meat.", "Left without his meat.", "unrelated"),
        ("Loves jazz.", "Hates jazz, says Ben.", "unrelated"),
        ("Loves jazz.", "Said that Ben hates jazz.", "unrelated"),
        ("Mag kurze Sitzungen.", "Lobte die knappe Wochensitzung.", "for"),
        ("Prefiere el té al café.", "Pidió otra tetera de té verde.", "for"),
        ("Veut des réponses courtes.", "A demandé des réponses plus longues.", "against"),
        ("Detesta reuniões longas.", "Pediu reuniões mais curtas.", "for"),
        ("Odia le riunioni lunghe.", "Adesso apprezza le riunioni lunghe.", "against"),
        ("讨厌开长会。", "又抱怨会议开了两个小时。", "for"),
    ],
)
def test_kinds_extents_and_qualities(opinion: str, fact: str, stance: str) -> None:
    assert judge(opinion, ["ana"], fact, ["ana"]).stance.value == stance


def test_tagged_pairs_are_read_as_well_as_they_were() -> None:
    outcomes = [(pair["label"], judge_record(pair)) for pair in TAGGED if pair["part"] == "test"]
    given = [wanted == found for wanted, found in outcomes if found != "unrelated"]
    assert sum(given) / len(given) >= 0.95
    assert sum(wanted == found for wanted, found in outcomes) / len(outcomes) >= 0.86


def test_opinions_on_two_subjects_hardly_ever_cross() -> None:
    """Every opinion against every line of another holder's, as if one person had said both."""
    english = [pair for pair in TAGGED if pair["lang"] == "en"]
    opinions = {pair["opinion"]: pair["opinion_entities"] for pair in english}
    pairs = [
        (opinion, pair["fact"])
        for opinion, holder in opinions.items()
        for pair in english
        if pair["opinion_entities"] != holder
    ]
    signed = sum(judge(o, ["x"], fact, ["x"]).stance is not Stance.UNRELATED for o, fact in pairs)
    assert signed / len(pairs) < 0.015


def judge_record(pair: dict[str, object]) -> str:
    holders = [slugify(str(name)) for name in pair["opinion_entities"]]  # type: ignore[attr-defined]
    named = [slugify(str(name)) for name in pair["fact_entities"]]  # type: ignore[attr-defined]
    return judge(str(pair["opinion"]), holders, str(pair["fact"]), named).stance.value
