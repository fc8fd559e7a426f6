"""Suggestions that a chat model reads out of prose: grounded, asked for once, never in the way."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lorebank import Bank, ReflectReport
from provider_server import Fault, Provider
from support import WORDS_ONLY

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Reflect = Callable[..., ReflectReport]
PROSE = """# Tuesday

Ana came by in the evening. She has sold the boat to Ben.

Ana prefers short letters. <private>Ana owes me 300 euros.</private>
"""
KNOWN = "## Retain\n- W @Ana: Lives in Porto.\n- W @Ben: Lives in Faro.\n"
SOLD = {"kind": "W", "about": "Ana", "text": "Ana has sold the boat to Ben.", "lines": [1, 2]}
GUESSED = {"kind": "W", "about": "Ana", "text": "Ana needs money badly.", "lines": [2]}


@pytest.fixture
def server(server: Provider) -> Provider:
    server.replies.append(json.dumps({"facts": [SOLD, GUESSED]}))
    return server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-01-05.md").write_text(KNOWN)
    (tmp_path / "memory" / "2026-01-06.md").write_text(PROSE)
    return tmp_path


def lines(root: Path) -> list[str]:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        return [proposal.new for proposal in bank.proposals()]


def test_a_grounded_fact_is_proposed_with_its_sentences_and_the_rest_told(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    report = reflect(root, infer=True)
    assert lines(root) == [
        "- W @Ana: Ana has sold the boat to @Ben.",
        "- O @Ana: Prefers short letters.",
    ]
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        first = next(p for p in bank.proposals() if "boat" in p.new)
    assert [ground.content for ground in first.grounds] == [
        "Ana came by in the evening.",
        "She has sold the boat to Ben.",
    ]
    assert "openai/m" in first.why
    assert [p.code for p in report.problems] == ["sentence-dropped"]
    assert "Ana needs money badly." in report.problems[0].message


def test_what_is_private_is_not_sent(server: Provider, root: Path, reflect: Reflect) -> None:
    reflect(root, infer=True)
    assert len(server.requests) == 1
    assert b"300" not in server.requests[0].body


def test_the_same_log_is_not_sent_twice(server: Provider, root: Path, reflect: Reflect) -> None:
    reflect(root, infer=True)
    before = lines(root)
    for infer in (True, False):
        assert reflect(root, infer=infer).changed == ()
    (root / ".memory" / "index.sqlite").unlink()
    assert reflect(root, infer=True).changed == ()
    assert (lines(root), len(server.requests)) == (before, 1)


def test_a_log_that_reads_differently_is_sent_again(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    reflect(root, infer=True)
    (root / "memory" / "2026-01-06.md").write_text(PROSE + "\nBen paid at once.\n")
    reflect(root)
    assert len(server.requests) == 1, "only --infer asks"
    reflect(root, infer=True)
    assert len(server.requests) == 2


def test_an_ordinary_run_asks_nothing(server: Provider, root: Path, reflect: Reflect) -> None:
    reflect(root)
    assert server.requests == []


def test_a_suggestion_can_be_accepted_and_a_rejected_one_stays_away(
    server: Provider, root: Path, reflect: Reflect
) -> None:
    reflect(root, infer=True)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        boat = next(p for p in bank.proposals() if "boat" in p.new)
        letters = next(p for p in bank.proposals() if "letters" in p.new)
        bank.rule({letters.id: "reject"}, by="Ana")
        bank.rule({boat.id: "accept"}, by="Ana")
    assert boat.new in (root / "memory" / "2026-01-06.md").read_text()
    reflect(root, infer=True)
    assert lines(root) == []


@pytest.mark.parametrize(
    ("faults", "settings"),
    [
        ([Fault(status=429)] * 2, {"attempts": 1}),
        ([Fault(status=500)] * 2, {"attempts": 1}),
        ([Fault(delay=1.5)] * 2, {"attempts": 1, "timeout_seconds": 0.3}),
        ([Fault(cut=True)] * 2, {"attempts": 1}),
    ],
)
def test_a_model_that_fails_is_told_once_and_the_rules_go_on(
    server: Provider, root: Path, reflect: Reflect, faults: list[Fault], settings: dict[str, object]
) -> None:
    (root / "memory" / "2026-01-07.md").write_text("Ben prefers long letters.\n")
    server.faults.extend(faults)
    report = reflect(root, infer=True, **settings)
    assert [p.code for p in report.problems] == ["generator-failed"]
    assert any("short letters" in line for line in lines(root))
    server.faults.clear()
    reflect(root, infer=True)
    assert any("boat" in line for line in lines(root)), "asked again the next night"
