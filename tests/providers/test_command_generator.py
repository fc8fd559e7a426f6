"""A program of the user's as a chat model: prompt on stdin, answer on stdout."""

import shlex
import sys
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.protocols import Prompt, Turn
from lorebank.providers.registry import Setup, load_generator
from lorebank.settings.tables import EmbedderSettings, GeneratorSettings
from support import WORDS_ONLY, golden

PROMPT = Prompt("Judge.", (Turn("user", "Older: tea"),), 100)


def generator(*command: str, timeout_s: float = 30.0, offline: bool = False):  # type: ignore[no-untyped-def]
    settings = GeneratorSettings(provider="command", command=command, timeout_seconds=timeout_s)
    return load_generator(Setup(EmbedderSettings(offline=offline), generator=settings))


def test_the_prompt_goes_in_and_the_answer_comes_out() -> None:
    echo = generator(sys.executable, "-c", "import sys; print(sys.stdin.read().upper())")
    assert echo.complete(PROMPT).text.split() == ["JUDGE.", "OLDER:", "TEA"]
    assert (echo.name, echo.endpoint) == ("command", "")


def test_it_runs_in_a_folder_of_its_own() -> None:
    where = generator(sys.executable, "-c", "import os; print(os.getcwd())")
    folder = where.complete(PROMPT).text.strip()
    assert folder != str(Path.cwd())
    assert not Path(folder).exists()


@golden("providers.md")
def test_what_fails_says_why(script: str, told: str) -> None:
    with pytest.raises(ProviderError, match=told):
        generator(sys.executable, "-c", script, timeout_s=0.5).complete(PROMPT)


def test_a_program_that_is_not_there_or_not_allowed() -> None:
    with pytest.raises(ProviderError, match="cannot be run"):
        generator("/nonexistent/judge").complete(PROMPT)
    with pytest.raises(ConfigurationError, match="is empty"):
        generator()
    with pytest.raises(ProviderError, match="offline"):
        generator("judge", offline=True)


def workspace(root: Path) -> Path:
    (root / "memory").mkdir(parents=True)
    for day, line in {
        "2025-11-01": "- O(c=0.8) @Ana: Likes Marrakech.",
        "2025-11-09": "- O(c=0.9) @Ana: Would go to Marrakech in spring.",
    }.items():
        (root / "memory" / f"{day}.md").write_text(f"## Retain\n{line}\n", "utf-8")
    return root


def test_a_workspace_may_not_name_a_program(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    (root / ".memory").mkdir()
    (root / ".memory" / "config.toml").write_text(
        '[generator]\nprovider = "command"\ncommand = ["sh"]\n', "utf-8"
    )
    with pytest.raises(ConfigurationError, match="generator"):
        Bank.open(root, environ=WORDS_ONLY)


@pytest.mark.parametrize("verdict", ["same", "replaces"])
def test_a_night_with_a_program_as_judge_is_signed_and_undone(tmp_path: Path, verdict: str) -> None:
    root = workspace(tmp_path / "ws")
    judge = tmp_path / "judge"
    answer = f'{{"verdict": "{verdict}", "words": "to Marrakech"}}'
    judge.write_text(f"#!/bin/sh\ncat >/dev/null\necho {shlex.quote(answer)}\n", "utf-8")
    judge.chmod(0o755)
    settings = tmp_path / "config.toml"
    settings.write_text(
        f'[generator]\nprovider = "command"\ncommand = ["{judge}"]\njudges = true\n', "utf-8"
    )
    environ = {**WORDS_ONLY, "LOREBANK_CONFIG": str(settings)}
    with Bank.open(root, environ=environ) as bank:
        before = bank.opinions()
        [item] = bank.inbox().items
        bank.reflect()
        [decision] = bank.decisions()
        assert (decision.id, decision.verdict, decision.by) == (item.id, verdict, "command/judge")
        statuses = [opinion.status.value for opinion in bank.opinions()]
        assert statuses == {"same": ["live"], "replaces": ["live", "superseded"]}[verdict]
        assert bank.inbox().items == ()
        bank.unrule(by="command/judge")
        assert bank.opinions() == before
