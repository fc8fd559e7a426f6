"""Retain lines suggested from prose: few, in the words of their sentence, never written unasked."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, ConcurrentEdit, FactKind
from lorebank.domain.facts import Citation
from lorebank.domain.judgments import ProposalAction
from lorebank.language.words import words
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_format import format_fact
from lorebank.nightly.infer import infer_facts, sentences
from support import WORDS_ONLY

DAY = date(2026, 3, 5)
NAMES = {"peter": "Peter", "the-castle": "The Castle", "lucia": "Lucía", "玛丽亚": "玛丽亚"}

STATED = [
    ("We decided to use Postgres for the ledger.", "- B: {}"),
    ("In the end we agreed not to ship on Fridays.", "- B: {}"),
    ("Decision: releases go out on Tuesdays.", "- W: Releases go out on Tuesdays."),
    ("Peter prefers tea over coffee.", "- O @Peter: Prefers tea over coffee."),
    ("Maria prefers tea over coffee.", "- O @Maria: Prefers tea over coffee."),
    ("I hate stand-ups before ten.", "- O: {}"),
    ("Remember that the deploy key expires on May 3.", "- W: The deploy key expires on May 3."),
    ("Correction: the invoice was 450 euros, not 540.", "- W: {}"),
    ("From now on, backups run at 02:00.", "- W: {}"),
    ("Peter flies to Marrakech on Thursday.", "- W @Peter: Flies to Marrakech on Thursday."),
    ("Tom lives in Berlin.", "- W @Tom: Lives in Berlin."),
    ("Peter moved into @[[The Castle]] on 3 May 2025.", None),
    ("Hemos decidido usar Postgres para el libro.", "- B: {}"),
    ("Lucía prefiere el té al café.", "- O @Lucía: Prefiere el té al café."),
    ("Recordar: la clave caduca el 3 de mayo.", "- W: La clave caduca el 3 de mayo."),
    ("Lucía empieza en Meerohr el 7 de enero de 2027.", None),
    ("Decidimos usar Postgres no projeto.", "- B: {}"),
    ("Lembrar que a chave expira a 3 de maio.", "- W: A chave expira a 3 de maio."),
    ("Nous avons décidé d’utiliser Postgres.", "- B: Nous avons décidé d'utiliser Postgres."),
    ("Marie préfère le thé au café.", "- O @Marie: Préfère le thé au café."),
    ("Wir haben uns für Postgres entschieden.", "- B: {}"),
    ("Peter mag Tee lieber als Kaffee.", "- O @Peter: Mag Tee lieber als Kaffee."),
    ("Nicht vergessen: der Schlüssel läuft am 3. Mai ab.", None),
    ("我们决定用Postgres做账本。", "- B: {}"),
    ("玛丽亚更喜欢喝茶，不喜欢咖啡。", "- O @玛丽亚: 更喜欢喝茶，不喜欢咖啡。"),
    ("记住：部署密钥五月三日到期。", "- W: 部署密钥五月三日到期。"),
]

PLAINLY_SAID = [
    ("Peter promised to send the drawings by Friday.", "W", "a promise", "Peter"),
    ("Told the landlord I'd repaint the hall.", "B", "a promise", ""),
    ("Bought a second-hand cello on Saturday.", "B", "a purchase", ""),
    ("Picked up two lamps at the flea market, £18 each.", "B", "a purchase", ""),
    ("Hairdresser on 12 March at 4 pm.", "W", "an appointment", ""),
    ("Ruth, the new tenor, is allergic to kiwi.", "W", "an allergy", ""),
    ("Peter's moved out, finally.", "W", "a move", "Peter"),
    ("We moved into the ground floor last week.", "B", "a move", ""),
    ("We decided not to renew the lease.", "B", "a decision", ""),
    ("Wir sind am Montag nach Graz gezogen.", "B", "a move", ""),
    ("Am 20. März um 9 Uhr Besichtigung der Wohnung.", "W", "an appointment", ""),
    ("Lucía ha prometido devolver la bici.", "W", "a promise", "Lucía"),
    ("Ho comprato due sedie al mercato.", "B", "a purchase", ""),
    ("Rendez-vous chez le notaire le 18 mars à 14h.", "W", "an appointment", ""),
    ("A minha irmã é alérgica a marisco.", "W", "an allergy", ""),
    ("Gisteren een tweedehands piano gekocht.", "B", "a purchase", ""),
    ("Geçen hafta İzmir'e taşındık, evi çok sevdik.", "B", "a move", ""),
]

LEFT_ALONE = [
    "I'm not allergic to anything as far as I know.",
    "We nearly bought the boat last week.",
    "Peter thinks we should move to Porto.",
    "In the film the captain promised to return.",
    "She promised to call back on Monday.",
    "The rehearsal moved to Thursday next week.",
    "Hätte ich doch damals das Haus gekauft, wenn es ging.",
    "El médico no ha prometido nada.",
    "Should we decide on the vendor today?",
    "Maybe we decided too early about the vendor.",
    "We decided against it.",
    "We have not decided on the vendor.",
    "She prefers tea over coffee.",
    "Everyone loves the new office in town.",
    "Bob told me that he likes jazz.",
    "If Peter prefers tea, we buy tea.",
    'Peter said "I prefer tea over coffee".',
    "Peter flies to Marrakech.",
    "Peter's brother prefers tea over coffee.",
    "Correction for the books: I wrote that it came out on 18 September.",
    "I love how it shows what you meant.",
    "Vielleicht nehmen wir doch Postgres.",
    "Quizás decidimos cambiarlo todo mañana.",
    "On a peut-être décidé trop vite hier.",
    "也许我们决定搬家到里斯本。",
    "> We decided to use Postgres for the ledger.",
    "    We decided to use Postgres for the ledger.",
    "# We decided to use Postgres for the ledger.",
    "- [ ] We decided to use Postgres for the ledger.",
    "<private>We decided to use Postgres for the ledger.</private>",
]


def inferred(text: str) -> list[str]:
    document = read_document(f"{text}\n", "memory/2026-03-05.md")
    return [format_fact(each.fact) for each in infer_facts(document, DAY, NAMES)]


@pytest.mark.parametrize(("sentence", "expected"), STATED)
def test_what_a_sentence_states(sentence: str, expected: str | None) -> None:
    (line,) = inferred(sentence)
    if expected is not None:
        assert line == expected.format(sentence)
    written = {*words(sentence.replace("’", "'")), "w", "b", "o"}
    assert set(words(line)) <= written, "no word is invented"


@pytest.mark.parametrize(("sentence", "letter", "reason", "about"), PLAINLY_SAID)
def test_what_prose_plainly_says(sentence: str, letter: str, reason: str, about: str) -> None:
    document = read_document(f"{sentence}\n", "memory/2026-03-05.md")
    (found,) = infer_facts(document, DAY, NAMES)
    subjects = [mention.name for mention in found.fact.mentions if mention.subject]
    assert (found.fact.kind.letter, found.reason) == (letter, reason)
    assert subjects == ([about] if about else [])


def test_a_pronoun_is_whoever_the_sentence_before_names() -> None:
    (line,) = inferred("Lucía rang from the clinic. She cannot eat walnuts any more.")
    assert line == "- W @Lucía: She cannot eat walnuts any more."
    assert inferred("Lucía met Peter. She cannot eat walnuts any more.") == []


@pytest.mark.parametrize("sentence", LEFT_ALONE)
def test_what_is_no_statement_is_left_alone(sentence: str) -> None:
    assert inferred(sentence) == []


def test_each_sentence_has_its_own_lines() -> None:
    prose = "First one, e.g. short. It goes on\nhere (really!) and ends. Third."
    text = f"# Day\n\n{prose}\n\n- Item one.\n"
    found = [(each.text, str(each.citation)) for each in sentences(read_document(text, "x.md"))]
    assert found == [
        ("First one, e.g. short.", "x.md#L3"),
        ("It goes on here (really!) and ends.", "x.md#L3-L4"),
        ("Third.", "x.md#L4"),
        ("Item one.", "x.md#L6"),
    ]


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-03-05", "We decided to use Postgres. It rained. Tom lives in Berlin.\n")
    again = "I hate stand-ups before ten.\n\n## Retain\n- O: Hates stand-ups before ten.\n"
    write(tmp_path, "2026-03-06", again)
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2026, 3, 7)) as bank:
        yield bank


def write(root: Path, day: str, text: str) -> None:
    (root / "memory" / f"{day}.md").write_text(f"# {day}\n\n{text}", "utf-8")


def test_only_when_asked_and_only_what_no_line_says_already(bank: Bank) -> None:
    bank.reflect()
    assert bank.proposals() == ()
    before = (bank.root / "memory" / "2026-03-05.md").read_bytes()
    bank.reflect(infer=True)
    assert [(p.action, p.target, p.new, str(p.grounds[0].source)) for p in bank.proposals()] == [
        (
            ProposalAction.RETAIN,
            "memory/2026-03-05.md",
            "- B: We decided to use Postgres.",
            "memory/2026-03-05.md#L3",
        ),
        (
            ProposalAction.RETAIN,
            "memory/2026-03-05.md",
            "- W @Tom: Lives in Berlin.",
            "memory/2026-03-05.md#L3",
        ),
    ]
    assert (bank.root / "memory" / "2026-03-05.md").read_bytes() == before
    assert bank.reflect(infer=True).changed == bank.reflect().changed == ()
    assert bank.check() == ()


def test_the_prose_of_a_log_with_a_section_is_read_too(bank: Bank) -> None:
    text = "We decided to rent the hall.\n\n## Retain\n- W @Bo: Sings.\n"
    write(bank.root, "2026-03-06", text)
    bank.reflect(infer=True)
    assert "- B: We decided to rent the hall." in [each.new for each in bank.proposals()]
    assert len(bank.proposals()) == 3


def test_a_setting_makes_every_run_infer(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    write(tmp_path, "2026-03-05", "We decided to use Postgres.\n")
    environ = {**WORDS_ONLY, "LOREBANK_REFLECT__INFER": "true"}
    with Bank.open(tmp_path, environ=environ, now=date(2026, 3, 7)) as bank:
        bank.reflect()
        assert [proposal.new for proposal in bank.proposals()] == [
            "- B: We decided to use Postgres."
        ]


def test_accepting_appends_to_the_log_and_the_others_stay(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, lives = bank.proposals()
    decision = bank.accept_proposal(lives.id)
    assert decision.source == Citation("memory/2026-03-05.md", 6, 6)
    log = (bank.root / "memory" / "2026-03-05.md").read_text("utf-8")
    assert log.endswith("Tom lives in Berlin.\n\n## Retain\n- W @Tom: Lives in Berlin.\n")
    (fact,) = bank.timeline("Tom")
    assert (fact.kind, fact.recorded, fact.content) == (FactKind.WORLD, DAY, "Lives in Berlin.")
    bank.reflect()
    assert bank.proposals() == (decided,)
    bank.reject_proposal(decided.id)
    bank.reflect(infer=True)
    assert bank.proposals() == ()


def test_a_suggestion_goes_with_its_sentence(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, lives = bank.proposals()
    write(bank.root, "2026-03-05", "We decided to use Postgres. It rained.\n")
    with pytest.raises(ConcurrentEdit):
        bank.accept_proposal(lives.id)
    bank.reflect()
    assert bank.proposals() == (decided,)


def test_a_line_that_was_appended_before_a_kill_is_not_appended_twice(bank: Bank) -> None:
    bank.reflect(infer=True)
    decided, _ = bank.proposals()
    log = bank.root / "memory" / "2026-03-05.md"
    log.write_text(f"{log.read_text('utf-8')}\n## Retain\n{decided.new}\n", "utf-8")
    before = log.read_bytes()
    assert bank.accept_proposal(decided.id).source == Citation("memory/2026-03-05.md", 6, 6)
    assert log.read_bytes() == before
