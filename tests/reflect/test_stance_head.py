"""The trained head: what it reads where the rules are silent, and where it keeps silent too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain import Opinion, Stance
from lorebank.providers.local import LocalEmbedder
from lorebank.reflect.stance import Judgement, judge
from lorebank.reflect.stance_cues import CUE_COUNT, cues_of
from lorebank.reflect.stance_head import Chances, StanceHead
from lorebank.reflect.stance_model import FINGERPRINT
from support import WORDS_ONLY

BUILT_IN = {"LOREBANK_EMBEDDER__PROVIDER": "local", "LOREBANK_CONFIG": "/nonexistent"}
RULES_ONLY = {**BUILT_IN, "LOREBANK_REFLECT__STANCE_HEAD": "false"}
ELSEWHERE = {**BUILT_IN, "LOREBANK_EMBEDDER__PROVIDER": "ollama"}
NOTHING_KEPT = {**BUILT_IN, "LOREBANK_EMBEDDER__CACHE__ENABLED": "false"}
STANCES = {"+": Stance.FOR, "-": Stance.AGAINST}
UNSIGNED = Judgement(Stance.UNRELATED, 0.0, "no cue")

SIGNED = """
+ | Hates cooking | Ordered takeaway for the fourth night in a row.
- | Hates cooking | Cooked a five-course dinner for friends and loved every minute.
- | Thinks Rust is worth learning | Gave up on Rust after two weeks, called it a time sink.
+ | Thinks the new ferry is unreliable | Stood on the quay for hours, the ferry never came.
+ | Likes camping | Came back from the campsite with a grin and booked the next weekend.
+ | Believes in pair programming | Pairs with Jo every morning, best code in years.
- | Believes in pair programming | Asked to be left alone at the keyboard; pairing wears her out.
- | Gosta do professor novo | Saiu da aula a chorar por causa do professor novo.
"""

KEPT = """
+ | Likes the harbour café | Spent the afternoon at the harbour café again.
- | Trusts the accountant | Found three mistakes in the accountant's tax return and is furious.
+ | Finds the new editor too slow | The new editor freezes for ten seconds on every save.
- | Enjoys gardening | Paid somebody to pave over the flower beds, had enough of weeding.
- | Enjoys running | Dropped out of the running club, it had become a chore.
+ | Wants shorter meetings | Cut the planning meeting from an hour to twenty minutes.
- | Loves the cello | Sold her cello and cancelled the lessons.
- | Mag die neue Kollegin | Die neue Kollegin geht ihm furchtbar auf die Nerven.
+ | Mag den neuen Zug | Der neue Zug war wieder pünktlich und herrlich ruhig.
- | Aime son quartier | Déménage enfin, ne supportait plus le bruit du quartier.
- | Le gusta el barrio nuevo | El barrio nuevo es ruidoso y sucio, ya está buscando otro piso.
+ | 讨厌加班 | 又加班到半夜，气得想辞职。
- | 喜欢这个编辑器 | 这个编辑器总是崩溃，烦死了。
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.fixture(scope="module")
def head() -> StanceHead:
    embedder = LocalEmbedder()

    def vectors_of(texts: Sequence[str]) -> Mapping[str, bytes]:
        vectors = embedder.embed_documents(texts)
        return {text: vector.tobytes() for text, vector in zip(texts, vectors, strict=True)}

    return StanceHead(vectors_of)


def judged(head: StanceHead, opinion: str, line: str) -> Judgement:
    found = judge(opinion, ("mara",), line, ("mara",))
    head.look_at([opinion, line])
    chances = head.chances(opinion, "mara", line, found)
    return found if chances is None else chances.decide(found)


def test_its_weights_fit_the_built_in_model():
    assert LocalEmbedder().fingerprint == FINGERPRINT


@pytest.mark.parametrize(("sign", "opinion", "line"), rows(SIGNED))
def test_it_signs_what_no_cue_of_the_rules_signs(
    head: StanceHead, sign: str, opinion: str, line: str
):
    assert judge(opinion, ("mara",), line, ("mara",)).stance is Stance.UNRELATED
    found = judged(head, opinion, line)
    assert (found.stance, found.reason) == (STANCES[sign], "meaning")
    assert 0.25 < found.strength < 0.6


@pytest.mark.parametrize(("sign", "opinion", "line"), rows(KEPT))
def test_it_leaves_right_signs_of_the_rules_alone(
    head: StanceHead, sign: str, opinion: str, line: str
):
    found = judged(head, opinion, line)
    assert found == judge(opinion, ("mara",), line, ("mara",))
    assert found.stance is STANCES[sign]


@pytest.mark.parametrize(
    ("opinion", "line"),
    [
        ("Likes the harbour café", "Does the harbour café open on Sundays?"),
        ("Likes the harbour café", "If the harbour café ever got better chairs, might go there."),
        ("Likes the harbour café", "Used to hate the harbour café as a student."),
        ("Likes the harbour café", "According to Tom, the harbour café is dreadful."),
        ("Likes the harbour café", "Paid the electricity bill."),
        ("Trusts the new mechanic", "The mechanic moved the appointment to Thursday."),
        ("Trusts the new mechanic", "Is there a mechanic near the station?"),
        ("Prefers trains to planes", "The train leaves at 7:40 from platform 3."),
        ("Enjoys gardening", "Bought milk and bread on the way home."),
        ("Enjoys gardening", "Would gardening be something for the kids?"),
        ("Is afraid of dogs", "The dog park closes at nine."),
        ("Hates cooking", "The cooking class was moved to room 4."),
        ("Wants shorter meetings", "Meeting with the landlord on Friday."),
        ("Thinks Rust is worth learning", "Would learning Rust help with the job?"),
        ("Thinks Rust is worth learning", "The car has rust under the doors."),
        ("Loves the cello", "The cello stands in the hall."),
        ("Loves the cello", "Should she sell the cello?"),
        ("Le gusta el barrio nuevo", "¿Cuándo se mudan al barrio nuevo?"),
        ("Mag die neue Kollegin", "Die neue Kollegin fängt am Montag an."),
        ("讨厌加班", "今天几点下班？"),
    ],
)
def test_it_keeps_silent(head: StanceHead, opinion: str, line: str):
    assert judged(head, opinion, line).stance is Stance.UNRELATED


@pytest.mark.parametrize("reason", ["mark", "verdict", "stated", "restated", "other holder"])
def test_it_has_no_say_in_what_somebody_decided(head: StanceHead, reason: str):
    head.look_at(["Hates cooking", "Ordered takeaway again."])
    found = Judgement(Stance.AGAINST, 1.0, reason)
    assert head.chances("Hates cooking", "mara", "Ordered takeaway again.", found) is None


def test_without_a_vector_the_rules_decide():
    head = StanceHead(lambda texts: {})
    assert head.look_at(["Hates cooking"]) == {"Hates cooking"}
    assert head.near(["Hates cooking"], "Ordered takeaway.") == []
    assert head.chances("Hates cooking", "", "Ordered takeaway.", UNSIGNED) is None


@pytest.mark.parametrize(
    ("chances", "found", "decided"),
    [
        (Chances(0.9, 0.05), UNSIGNED, Judgement(Stance.FOR, 0.54, "meaning")),
        (Chances(0.05, 0.8), UNSIGNED, Judgement(Stance.AGAINST, 0.48, "meaning")),
        (Chances(0.3, 0.53), UNSIGNED, UNSIGNED),
        (Chances(0.52, 0.1, share=0.1), UNSIGNED, UNSIGNED),
        (
            Chances(0.9, 0.05),
            Judgement(Stance.AGAINST, 0.8, "habit"),
            Judgement(Stance.UNRELATED, 0.0, "cues doubted"),
        ),
        (
            Chances(0.9, 0.05),
            Judgement(Stance.FOR, 0.8, "habit"),
            Judgement(Stance.FOR, 0.8, "habit"),
        ),
    ],
)
def test_a_sign_is_given_kept_or_taken_back_and_never_turned(
    chances: Chances, found: Judgement, decided: Judgement
):
    assert chances.decide(found) == decided


@pytest.mark.parametrize(
    ("share", "cosine", "of_a_deed", "of_an_opinion"),
    [
        (0.6, 0.4, True, True),
        (0.6, 0.2, True, False),
        (0.1, 0.35, True, False),
        (0.1, 0.2, False, False),
        (0.0, 0.5, True, True),
    ],
)
def test_a_line_of_a_log_has_to_be_near_and_one_that_states_an_opinion_nearer(
    share: float, cosine: float, of_a_deed: bool, of_an_opinion: bool
):
    chances = Chances(0.9, 0.0, share, cosine)
    assert chances.may_sign(states_another=False) is of_a_deed
    assert chances.may_sign(states_another=True) is of_an_opinion


def test_a_pair_is_read_as_a_fixed_number_of_values():
    assert len(cues_of("Prefers tea to coffee", "mara", "Drinks coffee.").values) == CUE_COUNT
    assert len(cues_of("", "", "").values) == CUE_COUNT


def write_cook(write_log: Callable[..., Path]) -> Path:
    write_log("2025-11-01", "- O(c=0.7) @Mara: Hates cooking.", "- O(c=0.7) @Tom: Hates cooking.")
    write_log(
        "2025-11-03", "- B @Mara: Cooked a five-course dinner for friends and loved every minute."
    )
    return write_log("2025-11-05", "- W @Mara: The cooking class was moved to room 4.")


def opinion_of(bank: Bank, name: str) -> Opinion:
    [found] = bank.opinions(name)
    return found


def test_reflect_embeds_what_it_needs_and_tells_the_line(write_log: Callable[..., Path]):
    with Bank.open(write_cook(write_log), environ=BUILT_IN) as bank:
        assert opinion_of(bank, "Mara").confidence == 0.7
        report = bank.reflect()
        held = opinion_of(bank, "Mara")
        line = held.evidence[-1]
        assert (str(line.source), line.stance, line.reason) == (
            "memory/2025-11-03.md#L4",
            Stance.AGAINST,
            "meaning",
        )
        assert 0.6 < held.confidence < 0.68
        assert opinion_of(bank, "Tom").confidence == 0.7
        assert report.rules_alone == bank.status().rules_alone == ""
        assert report.journal is not None
        assert "meaning" in (bank.root / report.journal).read_text("utf-8")


def test_a_night_without_news_changes_no_byte(write_log: Callable[..., Path]):
    with Bank.open(write_cook(write_log), environ=BUILT_IN) as bank:
        bank.reflect()
        before = {p: p.read_bytes() for p in bank.root.rglob("*.md")}
        assert bank.reflect().changed == ()
        assert {p: p.read_bytes() for p in bank.root.rglob("*.md")} == before


def test_pages_follow_when_the_head_is_switched_on(write_log: Callable[..., Path]):
    root = write_cook(write_log)
    with Bank.open(root, environ=RULES_ONLY) as bank:
        bank.reflect()
    with Bank.open(root, environ=BUILT_IN) as bank:
        changed = bank.reflect().changed
        assert {"bank/opinions.md", "bank/entities/Mara.md"} <= set(changed)
        assert "bank/entities/Tom.md" not in changed
        assert bank.reflect(now=date(2025, 12, 1)).changed == ()


def test_an_index_made_anew_believes_the_same(write_log: Callable[..., Path]):
    with Bank.open(write_cook(write_log), environ=BUILT_IN) as bank:
        bank.sync()
        first = bank.opinions()
        assert bank.check() == ()
        bank.sync(full=True)
        assert bank.opinions() == first
    for file in (bank.root / ".memory").glob("*"):
        file.unlink()
    with Bank.open(bank.root, environ=BUILT_IN) as bank:
        bank.sync()
        assert bank.opinions() == first


def test_an_answer_from_the_index_loads_neither_arrays_nor_weights(write_log: Callable[..., Path]):
    root = write_cook(write_log)
    with Bank.open(root, environ=BUILT_IN) as bank:
        bank.sync()
    script = (
        "import sys; from lorebank import Bank; bank = Bank.open(sys.argv[1]);"
        "print(len(bank.opinions()), 'numpy' in sys.modules,"
        " 'lorebank.reflect.stance_head' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(root)],
        env={**os.environ, **BUILT_IN},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout.split() == ["2", "False", "False"]


def test_the_day_before_a_line_is_as_it_was(write_log: Callable[..., Path]):
    with Bank.open(write_cook(write_log), environ=BUILT_IN) as bank:
        bank.sync()
        [then] = bank.opinions("Mara", as_of="2025-11-02")
        [later] = bank.opinions("Mara", as_of="2025-11-04")
        assert then.confidence == 0.7
        assert later.confidence == opinion_of(bank, "Mara").confidence < 0.68


def test_switched_off_the_rules_judge_alone_at_once(write_log: Callable[..., Path]):
    root = write_cook(write_log)
    with Bank.open(root, environ=BUILT_IN) as bank:
        bank.sync()
        judged_by_both = opinion_of(bank, "Mara").confidence
    with Bank.open(root, environ=RULES_ONLY) as bank:
        assert opinion_of(bank, "Mara").confidence == 0.7
        assert bank.status().rules_alone == "reflect.stance_head = false"
    with Bank.open(root, environ=BUILT_IN) as bank:
        assert opinion_of(bank, "Mara").confidence == judged_by_both < 0.68


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        (WORDS_ONLY, "embedder.provider = none"),
        (ELSEWHERE, "embedder.provider = ollama"),
        (NOTHING_KEPT, "embedder.cache.enabled = false"),
    ],
)
def test_without_the_built_in_model_the_report_says_that_the_rules_judged_alone(
    write_log: Callable[..., Path], environ: dict[str, str], reason: str
):
    with Bank.open(write_cook(write_log), environ=environ) as bank:
        assert bank.reflect(dry_run=True).rules_alone == reason
        assert bank.status().rules_alone == reason
        assert opinion_of(bank, "Mara").confidence == 0.7


def test_a_line_it_will_not_sign_waits_with_the_side_it_leans_to(write_log: Callable[..., Path]):
    write_log("2025-11-01", "- O(c=0.7) @Mara: Finds the open office distracting.")
    root = write_log(
        "2025-11-03", "- B @Mara: Gets more done among the others in the open office than at home."
    )
    with Bank.open(root, environ=BUILT_IN) as bank:
        bank.sync()
        [pair] = bank.unsure().pairs
        assert pair.reason == "no cue, leans against"
