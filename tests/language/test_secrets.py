"""Secrets: what is masked, what comes through, and that no place in a text moves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorebank.language.secrets import MASK, NOT_SECRET, find_secrets, redact
from lorebank.markdown.hidden import without_private

HERE = Path(__file__).parent


def cases(name: str) -> list[str]:
    lines = (HERE / name).read_text("utf-8").replace("~~", "").split("\n")
    return [line for line in lines if line and not line.startswith("#")]


SECRETS = cases("secret_cases.tsv")
ORDINARY = cases("no_secret_cases.txt")


def test_the_tables_are_long_enough() -> None:
    assert len(SECRETS) >= 60
    assert len(ORDINARY) >= 60


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_is_masked_and_nothing_beside_it(case: str) -> None:
    found = re.search("«(.+)»", case)
    assert found is not None
    text = case.replace("«", "").replace("»", "")
    assert redact(text).text == case.replace(found.group(), MASK * len(found[1]))


@pytest.mark.parametrize(
    "case",
    [
        "SIM PIN: «4712»",
        "The PIN is «8204»",
        "Die Geheimzahl lautet «9351»",
        "CVV: «731»",
        "door code = «5512»",
    ],
)
def test_a_short_code_behind_its_name_is_masked(case: str) -> None:
    """Apart from the table, whose cases are looked for byte by byte in every store."""
    test_a_secret_is_masked_and_nothing_beside_it(case)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_no_secret_comes_through(text: str) -> None:
    assert redact(text).text == text


def test_the_whole_of_ordinary_prose_is_left_alone() -> None:
    """All notes of the workspaces, which hold hashes, commands, tables, nine languages."""
    fixtures = HERE.parents[1] / "fixtures"
    for note in sorted(
        n for w in ("harbour", "messy", "year") for n in (fixtures / w).rglob("*.md")
    ):
        text = without_private(note.read_bytes().decode("utf-8", "replace"))
        assert find_secrets(text) == (), note


SEED = "about siren sock spatial skin crumble tiger fiber chunk raise atom quarter"
"""Of the words of BIP 39, of which some stand in every sentence."""

PEM = """before
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDzY1Zr
-----END OPENSSH PRIVATE KEY-----
after"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("cut", [0, 1])
def test_a_private_key_is_masked_line_by_line_closed_or_not(newline: str, cut: int) -> None:
    lines = PEM.split("\n")
    if cut:
        del lines[4]
    text = newline.join(lines)
    masked = redact(text).text
    assert "b3Blb" not in masked
    assert "QyNTU" not in masked
    assert masked.split(newline)[0] == "before"
    assert masked.endswith("after")
    assert [len(line) for line in masked.split("\n")] == [len(line) for line in text.split("\n")]


@given(
    st.lists(
        st.sampled_from([*(c.replace("«", "").replace("»", "") for c in SECRETS), *ORDINARY])
        | st.text(max_size=40),
        max_size=12,
    )
)
@settings(max_examples=150, deadline=None)
def test_length_lines_and_all_else_stay(lines: list[str]) -> None:
    text = "\n".join(lines)
    redacted = redact(text)
    assert len(redacted.text) == len(text)
    for old, new in zip(text, redacted.text, strict=True):
        assert new in (old, MASK)
        assert (old in "\r\n") == (new in "\r\n")
    masked = {i for s in redacted.secrets for i in range(s.start, s.end)}
    assert all(text[i] == redacted.text[i] for i in range(len(text)) if i not in masked)
    assert redact(redacted.text).text == redacted.text
    for one, other in zip(redacted.secrets, redacted.secrets[1:], strict=False):
        assert one.end <= other.start


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_no_text_is_an_error(text: str) -> None:
    assert len(redact(text).text) == len(text)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The wifi password at the allotment hut is Kohlrabi-77-drum.", "Kohlrabi-77-drum"),
        ("Das Passwort lautet Apfelmus", "Apfelmus"),
        ("le mot de passe de l'imprimante, c'est Tonner&12", "Tonner&12"),
        ("the safe combination is 31-7-22", "31-7-22"),
        ("Der Türcode vom Lager ist jetzt 4471", "4471"),
        ("El código de la alarma es 90211", "90211"),
        ("auth token for the weather station 9f86d081884c7d659a2feaa0c55ad015", "9f86d0"),
        ("ghp_9sJb2kQx7LmNv4RtYw8Z\nq1Pd6HfGc3BaUe5o", "q1Pd6HfGc3BaUe5o"),
        ("AKIAQ7RMXW2K\n9TBZHLPD", "9TBZHLPD"),
        ("creds: anna@shop.example / Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("guest wifi: sunny-Lemon-42", "sunny-Lemon-42"),
        ("la clave del wifi es Sol2041x", "Sol2041x"),
        ("plinth-Otter-46 is the new wifi password", "plinth-Otter-46"),
        ("<password>s3cr3tx9</password>", "s3cr3tx9"),
        ("docker login -u me -p s3cr3tx9 registry.example", "s3cr3tx9"),
        ("PGPASSWORD=s3cr3tx9 psql -h db", "s3cr3tx9"),
        ("the code for the front door is 4917", "4917"),
        ("combination of the safe 4917", "4917"),
        ("kasanın şifresi 551804", "551804"),
        ("o código do cofre é 551804", "551804"),
        ("il pin del bancomat è 7731", "7731"),
        ("de pincode is 7731", "7731"),
        ("4711 ist die PIN vom Handy", "4711"),
        ("le digicode est 24B67", "24B67"),
        ("la clave del portal es 4471.", "4471"),
        ("la combinación de la caja es 31-7-22", "31-7-22"),
        ("pin 4417 for the new card", "4417"),
        ("şifresini makara.1453 yaptım", "makara.1453"),
        ("Türcode Büro 4471, Alarm ist aus", "4471"),
        ("recovery codes: 8842-1190, 5521-0042", "5521-0042"),
        ("Windows key: VK7JG-NPHTM-C97JM-9MPGT-3V66T", "VK7JG"),
        ("compte fr76 3000 6000 0112 3456 7890 189", "3000 6000"),
        ("nvapi-AbC123dEf456GhI789jKl012MnO345pQr678StU", "AbC123dEf456"),
        (f"Seed for the old one, in the tin: {SEED}", SEED),
        ("12 words:\n" + "\n".join(f"{n}. {w}" for n, w in enumerate(SEED.split())), "tiger"),
    ],
)
def test_what_is_spoken_of_as_a_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "The password policy asks for 12 characters and a rotate-every-90-days rule.",
        "code postal 28013, le code de la route est long",
        "The combination of rain and wind cost us 3 days.",
        "Passwort vergessen am 2026-03-01, um 10:30 zurückgesetzt",
        "use sk_live_xxxxxxxxxxxxxxxxxxxxxxxx as a placeholder",
    ],
)
def test_speaking_of_secrets_masks_nothing(text: str) -> None:
    assert redact(text).text == text


def test_its_owner_may_say_that_a_line_holds_no_secret() -> None:
    line = "password: hunter2example"
    assert redact(line).secrets
    assert not redact(f"{line} {NOT_SECRET}").secrets
    assert len(redact(f"{line} {NOT_SECRET}\n{line}").secrets) == 1, "only on that line"
