"""What hooks print at a prompt and at the end of a session."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.app.hosts import PROMPT_TOKENS, tokens_of
from lorebank.language.words import estimate_tokens
from support import WORDS_ONLY


@pytest.fixture
def bank(copy_fixture: Callable[[str], Path]) -> Iterator[Bank]:
    with Bank.open(copy_fixture("harbour"), now=date(2025, 12, 10), environ=WORDS_ONLY) as opened:
        yield opened


def test_a_prompt_is_answered_in_few_tokens_and_notes_no_use(bank: Bank) -> None:
    said = bank.session_hook("prompt", prompt="What does Peter prefer on WhatsApp?")
    assert said.startswith("<recalled-from-memory>\n1. f-")
    assert "Prefers concise replies" in said
    assert estimate_tokens(said) <= PROMPT_TOKENS
    assert not (bank.root / ".memory/recalled.log").exists()
    assert bank.session_hook("prompt", prompt="Zygomorphic quaternions?") == ""


def _transcript(folder: Path, tokens: int) -> Path:
    file = folder / "conversation.jsonl"
    usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 30, "output_tokens": 20}
    rows = [{"message": {"usage": usage}}, {"type": "user", "message": {"content": "hi"}}]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows) + "{half")
    return file


def test_before_a_compaction_the_model_is_asked_to_write_where(bank: Bank, tmp_path: Path) -> None:
    early, late = (_transcript(tmp_path, 20_000), tmp_path / "late")
    assert bank.session_hook("prompt", transcript=str(early)) == ""
    late.mkdir()
    file = _transcript(late, 190_000)
    said = bank.session_hook("prompt", transcript=str(file))
    assert "`retain`" in said
    assert str(bank.root / "memory/2025-12-10.md") in said
    assert bank.session_hook("prompt", transcript=str(file)) == "", "once a cycle"


def test_a_transcript_that_tells_nothing_counts_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('[1]\n{"message": null}\n')
    assert [tokens_of(tmp_path / name) for name in ("a.jsonl", "absent")] == [0, 0]


def test_the_end_of_a_session_tells_of_the_inbox(bank: Bank) -> None:
    assert f"{bank.inbox().total} items wait" in bank.session_hook("session-end")
