"""Secrets: what is masked, what comes through, and that no place in a text moves."""

import re
import time
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
SPOKEN = cases("spoken_secret_cases.txt")
ORDINARY = cases("no_secret_cases.txt")


def test_the_tables_are_long_enough() -> None:
    assert len(SECRETS) >= 60
    assert len(ORDINARY) >= 60


@pytest.mark.parametrize("case", SECRETS + SPOKEN)
def test_a_secret_is_masked_and_nothing_beside_it(case: str) -> None:
    found = re.search("«(.+)»", case)
    assert found is not None
    text = case.replace("«", "").replace("»", "")
    assert redact(text).text == re.sub("«(.+?)»", lambda secret: MASK * len(secret[1]), case)


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


SPLIT = ["ghp_9sJb2kQx7LmNv4RtYw8Z{}q1Pd6HfGc3BaUe5o", "AKIAQ7RMXW2K{}9TBZHLPD"]


@pytest.mark.parametrize("token", SPLIT)
@pytest.mark.parametrize("mark", ["\n", " ", '" + "', " \\\n"])
def test_a_token_broken_in_two_is_masked_whole(token: str, mark: str) -> None:
    head, tail = token.split("{}")
    masked = redact(f"it is {token.format(mark)}, says Ana").text
    assert head not in masked
    assert tail not in masked


def test_the_second_half_of_a_token_of_no_known_form_is_masked() -> None:
    masked = redact("the upload token:\npat-eu1-e4e42702-447f\nf754-ba8fe224d05e2b58f5\nask Ana")
    assert "f754" not in masked.text
    assert masked.text.endswith("\nask Ana")
    for below in ("deploy-to-the-old-server", "BACKUP_HOST_2=server-hamburg"):
        assert below in redact(f"the upload token:\npat-eu1-e4e42702-447f\n{below}").text


@pytest.mark.parametrize("mark", [" ", ", ", "\n", "\n1. "])
@pytest.mark.parametrize(
    "name", ["seed of the old one, in the tin", "les mots de la Ledger", "12 words"]
)
def test_the_words_of_a_wallet_are_masked(name: str, mark: str) -> None:
    masked = redact(f"{name}: {mark.join(SEED.split())}, and that is all").text
    assert not set(re.findall(r"\w+", masked)) & set(SEED.split()[1:])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\n\n    "])
def test_a_password_on_the_line_below_its_name_is_masked(newline: str) -> None:
    text = f"The NAS has a new password:{newline}Kestrel-77!{newline}Ana knows it."
    assert redact(text).text == text.replace("Kestrel-77!", MASK * 11)


SPREAD = [
    "card number\n«4111 1111»\n«1111 1111»",
    "front side\r\n«5425 2334 3010»\r\n«9903»\r\n",
    "RIB\n> «FR14 2004 1010 0505 0001»\n> «3M02 606»",
    "| Site | User | Password |\n|---|---|---|\n| Forum | mira | «Gr4vel!Boat» |\n| B | a | none |",
    "| Dienst | **Passwort** |\r\n|:--|--:|\r\n| Bahn | «Zugvogel#17» |\r\n\r\n| x | Zugvogel#18 |",
    "| Service | PIN |\n|---|---|\n| SIM | «8830» |\n| Locker | «1946» |",
    "service;user;password\nmail;ana;«Pebble$River4»\nshop;ana;«Cloud!Nine99»",
    "name\tpin\nMaestro\t«6604»\nBank\tto come",
    "- Cabin router password\n    - «Tall-Spruce-402»\n    - behind the stove",
]
"""Several lines, and what of them is secret."""
SPREAD_ORDINARY = [
    "Serial\n4539 2210\n8847 1123",
    "The numbers are 1111\n2222 3333\n4444 in the puzzle.",
    "1024 2048\n4096 8192",
    "| Site | Password |\n|---|---|\n| Forum | in the vault |\n| Shop | 2025-03-01 |",
    "| Site | Password policy |\n|---|---|\n| Forum | 12-characters |",
    "| Route | Pass | Height |\n|---|---|---|\n| North | Furka | 2429 |",
    "| Field | Token | Meaning |\n|---|---|---|\n| id | INTEGER | row |",
    "| Zip | Code |\n|---|---|\n| Bern | 3011 |",
    "- password\n  - change it every year\n  - tell Mira",
]


@pytest.mark.parametrize("case", SPREAD + SPREAD_ORDINARY)
def test_a_secret_is_masked_that_its_name_or_its_half_stands_apart_from(case: str) -> None:
    text = case.replace("«", "").replace("»", "")
    assert redact(text).text == re.sub("«(.+?)»", lambda secret: MASK * len(secret[1]), case)


PUMPS = [
    "a",
    "A1",
    "key_",
    "pass",
    "password: ",
    "code door ",
    "code, ",
    "key ",
    "token=",
    "4111 ",
    "sk_live_a1 ",
    "://",
    "a://b:",
    "@",
]
PUMPS += [
    "seed: word ",
    "secret key ",
    "-----BEGIN PRIVATE KEY-----\n",
    "Private-Lines: 1\n",
    "a=b cookie ",
    "password|pin|\n",
    "4111 1111\n",
    "- password\n  ",
]


@pytest.mark.parametrize("pump", PUMPS)
def test_time_is_linear_in_the_text(pump: str) -> None:
    """A quadratic expression takes minutes here, a linear one a tenth of a second."""
    begun = time.process_time()
    find_secrets(pump * (200_000 // len(pump)))
    assert time.process_time() - begun < 2


def test_what_names_more_secrets_than_are_read_is_masked_from_there_on() -> None:
    named = ["the password of the till"] * 20_000
    none = [f"password: Xyz{number} {NOT_SECRET}" for number in range(20_000)]
    lines = [*none, *named, f"key {NOT_SECRET}", "it is kingfisher"]
    assert redact("\n".join(lines)).secrets == ()
    shown = redact("\n".join([*lines, named[0], "it is kingfisher"])).text.split("\n")
    assert shown[: len(lines)] == lines
    assert set("".join(shown[len(lines) :])) == {MASK}


def test_its_owner_may_say_that_a_line_holds_no_secret() -> None:
    line = "password: hunter2example"
    assert redact(line).secrets
    assert not redact(f"{line} {NOT_SECRET}").secrets
    assert len(redact(f"{line} {NOT_SECRET}\n{line}").secrets) == 1, "only on that line"


def test_the_static_key_of_a_tunnel_is_masked() -> None:
    head, key = "-----BEGIN OpenVPN Static key V1-----", "5c1f8e0b7d3a9264f0b1c2d3e4f5a697"
    text = f"before\n{head}\n{key}\n{key[::-1]}\n{head.replace('BEGIN', 'END')}\nafter"
    masked = redact(text).text
    assert masked.split("\n")[0] == "before"
    assert masked.split("\n")[-1] == "after"
    assert set(masked.removeprefix("before").removesuffix("after")) == {"\n", MASK}
