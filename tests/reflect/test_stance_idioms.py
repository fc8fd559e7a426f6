"""Stance by language: what people say of what they like, leave, take up and do."""

from __future__ import annotations

import pytest

from lorebank.domain import Stance
from lorebank.reflect.stance import judge

ENGLISH = """
Loves jazz. | Has gone right off jazz. | against
Loves jazz. | Is fed up with jazz. | against
Loves jazz. | Has lost all interest in jazz. | against
Loves jazz. | Is bored to tears by jazz these days. | against
Loves jazz. | Swears by jazz. | for
Loves jazz. | Can't be without jazz. | for
Hates jazz. | Has come round to jazz. | against
Hates jazz. | Now loves jazz. | against
Hates jazz. | Never tires of moaning about jazz. | unrelated
Likes Rust. | Ditched Rust for Go. | against
Likes Rust. | Rewrote the Rust service in Go. | against
Likes Rust. | Rewrote the parser in Rust. | for
Likes Rust. | Found rust on the bicycle chain. | unrelated
Prefers tea to coffee. | Brewed her third pot of Assam today. | for
Prefers tea to coffee. | Has fallen for coffee. | against
Prefers tea to coffee. | Bought coffee for the guests. | unrelated
Prefers tea to coffee. | Wrote an essay about tea. | unrelated
Hates flying. | Booked three flights for May. | against
Hates flying. | Took the ferry to avoid the plane. | for
Avoids sugar. | Asked for the coffee without sugar. | for
Trusts her accountant. | Hired another accountant. | unrelated
Thinks unit tests are essential. | Says no code should be merged without unit tests. | for
Thinks stand-ups are worth it. | The stand-up starts at nine. | unrelated
Enjoys gardening. | Gardening tools were on sale. | unrelated
Likes camping. | Bought a tent for his nephew. | unrelated
Is loyal to Dr. Moran. | Recommends Dr. Moran to everyone. | for
"""
GERMAN = """
Ist von Rust begeistert. | Hat von Rust die Nase voll. | against
Ist von Rust begeistert. | Schwärmt immer noch von Rust. | for
Ist von Rust begeistert. | Hat das Rust-Projekt aufgegeben. | against
Trinkt lieber Tee als Kaffee. | Ist jetzt auf Kaffee umgestiegen. | against
Trinkt lieber Tee als Kaffee. | Hat sich heute die dritte Kanne Assam gekocht. | for
Hält nichts von Homeoffice. | Will auf das Homeoffice nicht mehr verzichten. | against
Geht gern ins Theater. | Hat ihr Theaterabo gekündigt. | against
Geht gern ins Theater. | Das Theater wird renoviert. | unrelated
"""
SPANISH = """
Le encanta el flamenco. | Se ha cansado del flamenco. | against
Le encanta el flamenco. | Dejó de gustarle el flamenco. | against
Le encanta el flamenco. | Se apuntó a otro curso de flamenco. | for
Le encanta su barrio. | No cambiaría su barrio por ningún otro. | for
Le gusta el té verde. | Tiró todo el té verde a la basura. | against
Prefiere Linux a Windows. | Se ha pasado a Windows. | against
Adora cocinar. | La cocina es azul. | unrelated
"""
PORTUGUESE = """
Gosta de cozinhar. | Perdeu o gosto por cozinhar. | against
Gosta de cozinhar. | Já não tem paciência para cozinhar. | against
Gosta de cozinhar. | Cozinhou para doze pessoas no domingo. | for
Gosta de cozinhar. | A cozinha foi pintada de azul. | unrelated
Gosta de correr. | O cão dela gosta de correr. | unrelated
Não gosta de peixe. | Pediu bacalhau no restaurante. | against
"""
FRENCH = """
Adore la randonnée. | N'aime plus du tout la randonnée. | against
Adore la randonnée. | En a assez de la randonnée. | against
Adore la randonnée. | Ne jure que par la randonnée. | for
Préfère le thé au café. | Ne boit plus que du café. | against
Déteste les réunions du lundi. | A fini par apprécier les réunions du lundi. | against
Préfère le vélo à la voiture. | Est revenue à la voiture. | against
Adore cuisiner. | La cuisine est bleue. | unrelated
"""
ITALIAN = """
Adora cucinare. | Si è stancata di cucinare. | against
Adora cucinare. | Non può fare a meno di cucinare. | for
Odia le riunioni. | Ha finito per apprezzare le riunioni. | against
"""
CHINESE = """
喜欢喝绿茶。 | 对绿茶已经没兴趣了。 | against
喜欢喝绿茶。 | 又买了两罐龙井。 | for
讨厌加班。 | 现在不介意加班了。 | against
喜欢吃辣。 | 点了一份麻辣火锅。 | for
不信任这家快递公司。 | 这家快递公司在楼下开了店。 | unrelated
"""
LANGUAGES = (ENGLISH, GERMAN, SPANISH, PORTUGUESE, FRENCH, ITALIAN, CHINESE)
ROWS = [
    tuple(part.strip() for part in line.split("|"))
    for language in LANGUAGES
    for line in language.strip().splitlines()
]


@pytest.mark.parametrize(("opinion", "fact", "stance"), ROWS)
def test_what_people_say_and_do(opinion: str, fact: str, stance: str) -> None:
    found = judge(opinion, ["ana"], fact, ["ana"])
    assert found.stance.value == stance, found.reason


@pytest.mark.parametrize(
    ("opinion", "fact"),
    [
        ("Likes Rust.", "No longer likes Rust."),
        ("Hates jazz.", "Now loves jazz."),
        ("Prefers tea to coffee.", "Now prefers coffee to tea."),
        ("Mag Tee.", "Mag keinen Tee mehr."),
        ("Le gusta el té.", "Ya no le gusta el té."),
        ("Gosta de chá.", "Já não gosta de chá."),
        ("Aime le thé.", "N'aime plus le thé."),
        ("喜欢喝茶。", "不再喜欢喝茶了。"),
    ],
)
def test_an_outright_turn_is_told_as_one(opinion: str, fact: str) -> None:
    found = judge(opinion, ["ana"], fact, ["ana"])
    assert (found.stance, found.turns) == (Stance.AGAINST, True)


@pytest.mark.parametrize("fact", ["Hates jazz.", "Sold the jazz records."])
def test_a_contradiction_that_tells_of_no_turn_is_none(fact: str) -> None:
    found = judge("Loves jazz.", ["ana"], fact, ["ana"])
    assert (found.stance, found.turns) == (Stance.AGAINST, False)
