"""Pages of engine/docs that are made from code say what the code says; links lead somewhere."""

import doctest
import importlib
import inspect
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lorebank
from lorebank import Bank
from lorebank.render.reports import REMEDIES
from reference import DOCS, PAGES

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", PAGES)
def test_a_made_page_is_up_to_date(name: str) -> None:
    made = PAGES[name]()
    assert (DOCS / name).read_text("utf-8") == made, "run `python tests/reference.py`"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda p: p.name
)
def test_relative_links_lead_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
Run = Callable[..., Any]


def fenced(language: str) -> str:
    """The text of the first block of that language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_commands_work_in_the_order_given(lorebank: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    commands = [line.removeprefix("$ lorebank ") for line in fenced("console").splitlines()]
    outputs = []
    for command in commands:
        arguments = [part.replace("~", str(home), 1) for part in shlex.split(command)]
        outcome = lorebank(*arguments)
        assert (outcome.code, outcome.err if outcome.code else "") == (0, "")
        outputs.append(outcome.out)
    assert "Prefers tea in the afternoon." in outputs[2]
    assert "+++ b/bank/opinions.md" in outputs[3]


def test_the_python_example_prints_fact_confidence_and_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "notes" / "memory" / "2025-11-27.md"
    log.parent.mkdir(parents=True)
    log.write_text("## Retain\n- O(c=0.95) @Peter: Prefers concise replies.\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOREBANK_EMBEDDER__PROVIDER", "none")
    if os.name == "nt":
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
    exec(compile(fenced("python"), "README.md", "exec"), {})
    assert capsys.readouterr().out == "Prefers concise replies. 0.95 memory/2025-11-27.md#L2\n"


def test_every_command_is_listed() -> None:
    from lorebank.cli.root import COMMANDS

    listed = set(re.findall(r"`([a-z]+)[ `]", "\n".join(re.findall(r"^\| .*", README, re.M))))
    assert set(COMMANDS) <= listed


WORDS_ONLY = {"LOREBANK_EMBEDDER__PROVIDER": "none"}


def test_each_problem_of_a_messy_workspace_has_a_remedy(
    copy_fixture: Callable[[str], Path],
) -> None:
    with Bank.open(copy_fixture("messy"), environ=WORDS_ONLY) as bank:
        bank.sync()
        codes = {problem.code for problem in bank.status().problems}
    assert len(codes) > 5
    assert codes - REMEDIES.keys() == set()


ELSEWHERE = DOCS / "frameworks.md"  # tests/frameworks runs it where the frameworks are
SHOWN = (ROOT / "README.md", *sorted(page for page in DOCS.glob("*.md") if page != ELSEWHERE))
BLOCKS = [
    pytest.param(page, code, id=f"{page.name}: {code.strip().splitlines()[-1][:40]}")
    for page in SHOWN
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.M)
]
WITH_EXAMPLES = ("lorebank", "lorebank.app.awaited", "lorebank.app.bank")
NOT_OURS = {"Iterator", "None", "Path", "Self"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("LOREBANK_EMBEDDER__PROVIDER", "none")
    monkeypatch.setenv("LOREBANK_CONFIG", str(tmp_path / "config.toml"))
    return tmp_path


@pytest.mark.parametrize(("page", "code"), BLOCKS)
def test_what_a_page_shows_runs(
    page: Path,
    code: str,
    home: Path,
    copy_fixture: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    copy_fixture("harbour").rename(home / "notes")
    exec(compile(code, str(page), "exec"), {"__name__": page.stem})
    printed = capsys.readouterr().out
    assert page.name != "README.md" or "memory/2025-11-27.md#L15" in printed


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_what_a_docstring_shows_is_what_comes(name: str, home: Path) -> None:
    del home
    found = doctest.testmod(importlib.import_module(name), raise_on_error=True)
    assert found.attempted > 1


def test_whatever_a_bank_returns_can_be_imported_from_the_package() -> None:
    returned = {
        word
        for name, method in inspect.getmembers(Bank, callable)
        if not name.startswith("_")
        for word in re.findall(r"\b[A-Z]\w+", str(inspect.signature(method).return_annotation))
    }
    assert returned - NOT_OURS - set(lorebank.__all__) == set()
    for name in lorebank.__all__:
        assert getattr(lorebank, name) is not None
